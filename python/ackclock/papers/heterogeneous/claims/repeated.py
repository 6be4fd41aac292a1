"""Claims about clients of one kind. This paper repeats them from the burstiness paper, so the same rules judge them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ackclock.papers.burstiness.claims import CLAIMS as THEIRS

if TYPE_CHECKING:
    from ackclock.papers.core.claim import Claim

_BY_KEY = {claim.key: claim for claim in THEIRS}


def repeated(key: str, of: str, where: str, *, text: str = "") -> Claim:
    """Make a claim of this paper that has the rule of the burstiness paper's claim `of`."""
    claim = _BY_KEY[of]
    return replace(claim, key=key, where=where, text=text or claim.text)


ABSTRACT = (
    repeated("0-1", "0-1", "abstract; Figure 2"),
    repeated(
        "0-2",
        "3.2.2-4",
        "abstract, 5; Figure 2",
        text="The burstiness is particularly bad in Reno; Vegas does not modulate the traffic to be as bursty.",
    ),
    repeated(
        "0-3",
        "3.2.3-1",
        "abstract; Figure 2",
        text="The burstiness is even worse when RED gateways are employed.",
    ),
    repeated("2.2-1", "2.2-1", "2.2"),
    repeated(
        "2.2-2",
        "4-2",
        "2.2, 5; Figure 2",
        text="TCP makes the sources dependent, so that Reno's traffic does not significantly smooth out as more are "
        "added up.",
    ),
)

HOMOGENEOUS = (
    repeated("3.2-1", "3.2-1", "3.2; Figure 2"),
    repeated("3.2-2", "3.2-2", "3.2; Figure 2"),
    repeated("3.2-3", "3.2-3", "3.2"),
    repeated("3.2-4", "3.2-4", "3.2; Figure 2"),
    repeated("3.2-5", "3.2-5", "3.2; Figure 2"),
    repeated("3.2-6", "3.2-6", "3.2; Figure 2"),
    repeated("3.2-7", "3.2-7", "3.2; Figures 3, 4"),
    repeated("3.2-8", "3.2-9", "3.2; Figure 2"),
    repeated("3.2-9", "3.2-10", "3.2; Figure 2"),
    repeated("3.2-10", "3.2-11", "3.2; Figure 2"),
    repeated("3.2-11", "3.2-12", "3.2; Figures 3, 4"),
    repeated("3.2-12", "3.2.1-12", "3.2; Figures 2 to 4"),
    repeated(
        "3.2-13",
        "4-3",
        "3.2; Figures 3, 4",
        text="Where all clients run the same TCP, Vegas is superior to Reno.",
    ),
)

RED = (
    repeated("3.2.1-8", "3.2.3-1", "3.2.1; Figure 2"),
    repeated("3.2.1-9", "3.2.3-2", "3.2.1; Figure 3"),
    repeated("3.2.1-10", "3.2.3-3", "3.2.1"),
    repeated("3.2.1-11", "3.2.3-4", "3.2.1; Figure 3"),
)

CONCLUSIONS = (
    repeated(
        "5-1",
        "4-1",
        "3.2.3, 5",
        text="Reno's probing of the network makes its congestion windows oscillate.",
    ),
    repeated(
        "5-2",
        "3.2.1-14",
        "3.2.3, 5",
        text="The sum of the windows oscillates with the single windows, and so does the gateway's queue.",
    ),
    repeated(
        "5-3",
        "3.2.1-10",
        "5",
        text="The more streams, the more their congestion-control decisions depend on each other.",
    ),
)
