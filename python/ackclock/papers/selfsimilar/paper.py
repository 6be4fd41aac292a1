"""The numbers that the paper prints, by the names of the measures in `looks`."""

from __future__ import annotations

from typing import Final

from ackclock.papers.selfsimilar.experiment import DEFINITION

COUNTS: Final = ("arrivals", "drops", "retransmissions", "acks")
"""The rows of Table 2 that are counts."""

TABLE_2: Final = DEFINITION.table("table2")
"""The columns of Table 2 by variant."""

TRACE: Final = DEFINITION.table("trace")
"""The paper's numbers of its captured trace; shares of protocols are per cent."""
