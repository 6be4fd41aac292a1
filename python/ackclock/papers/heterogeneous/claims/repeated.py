"""Claims about clients of one kind. This paper repeats them from the burstiness paper, so the same rules judge them."""

from __future__ import annotations

from ackclock.papers.burstiness.claims import CLAIMS
from ackclock.papers.heterogeneous.experiment import DEFINITION

REPEATED = DEFINITION.repeated(
    {
        "0-1": "0-1",
        "0-2": "3.2.2-4",
        "0-3": "3.2.3-1",
        "2.2-1": "2.2-1",
        "2.2-2": "4-2",
        "3.2-1": "3.2-1",
        "3.2-2": "3.2-2",
        "3.2-3": "3.2-3",
        "3.2-4": "3.2-4",
        "3.2-5": "3.2-5",
        "3.2-6": "3.2-6",
        "3.2-7": "3.2-7",
        "3.2-8": "3.2-9",
        "3.2-9": "3.2-10",
        "3.2-10": "3.2-11",
        "3.2-11": "3.2-12",
        "3.2-12": "3.2.1-12",
        "3.2-13": "4-3",
        "3.2.1-8": "3.2.3-1",
        "3.2.1-9": "3.2.3-2",
        "3.2.1-10": "3.2.3-3",
        "3.2.1-11": "3.2.3-4",
        "5-1": "4-1",
        "5-2": "3.2.1-14",
        "5-3": "3.2.1-10",
    },
    of=CLAIMS,
)
