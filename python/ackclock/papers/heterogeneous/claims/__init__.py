"""Every claim of the paper with the rule that judges it.

Claims on clients of one kind that the burstiness paper also makes have the rules of that study.
"""

from __future__ import annotations

from ackclock.papers.burstiness.claims import CLAIMS as ALONE
from ackclock.papers.heterogeneous.claims import model, sharing
from ackclock.papers.heterogeneous.experiment import DEFINITION

_REPEATED = DEFINITION.repeated(
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
    of=ALONE,
)

CLAIMS = DEFINITION.ordered([*_REPEATED, *sharing.CLAIMS, *model.CLAIMS])
