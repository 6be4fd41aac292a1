"""What the paper prints, by the measures of `looks`."""

from __future__ import annotations

from typing import Final

from ackclock.papers.selfsimilar.experiment import DEFINITION

COUNTS: Final = ("arrivals", "drops", "retransmissions", "acks")
"""The rows of Table 2 that are counted."""

TABLE_2: Final = DEFINITION.table("table2")
"""Each variant's column."""

TRACE: Final = DEFINITION.table("trace")
"""Its numbers of the captured trace, with the shares of protocols, per cent."""
