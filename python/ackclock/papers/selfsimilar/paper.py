"""What the paper prints, by the measures of `looks`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

COUNTS: Final = ("arrivals", "drops", "retransmissions", "acks")
"""The rows of Table 2 that are counted."""

_PRINTED: Final = {
    "Tahoe": (70070, 43, 45, 69960, 0.9987, 0.84),
    "NewReno": (77312, 35, 35, 77276, 0.9991, 0.82),
    "Vegas": (61853, 39, 45, 61860, 0.9986, 0.90),
    "SACK": (75673, 33, 33, 75665, 0.9991, 0.84),
}

TABLE_2: Final[Mapping[str, Mapping[str, float]]] = {
    variant: dict(zip((*COUNTS, "efficiency", "hurst_k50"), numbers, strict=True))
    for variant, numbers in _PRINTED.items()
}
"""Each variant's column."""

SHARES: Final[Mapping[str, float]] = {"ARP": 0.94, "IP": 96.54, "LLC": 2.5, "TCP": 90.7, "UDP": 5.84}
"""Of the packets of the captured trace, per cent: "out of the total number of Internet traffic" for TCP and UDP."""

TRACE: Final[Mapping[str, float]] = {"packets": 4880, "bytes": 3_018_692, "seconds": 300, "hurst": 0.88}
"""What else it prints of that trace: Figure 3 and section 5."""
