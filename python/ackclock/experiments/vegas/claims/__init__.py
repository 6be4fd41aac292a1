"""Every sentence of the study with the rule that judges it, and which of them sum it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.experiments.summary import Topic
from ackclock.experiments.vegas.claims.beside import MO, PAPERS
from ackclock.experiments.vegas.claims.causes import CAUSES
from ackclock.experiments.vegas.claims.swings import SWINGS
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from ackclock.experiments.claims import Claim
    from ackclock.experiments.vegas.evidence import Evidence

__all__ = ["CLAIMS", "TOPICS"]

CLAIMS: tuple[Claim[Evidence], ...] = (*PAPERS, *MO, *CAUSES, *SWINGS)
"""The papers' first, then Mo et al.'s, the causes, and what swings."""

TOPICS = (
    Topic(
        key="F-4",
        leads={
            Verdict.REPRODUCED: "With a small buffer Vegas holds its own.",
            Verdict.PARTLY: "With a small buffer Vegas mostly holds its own: there the papers are right.",
            Verdict.NOT: "Even with a small buffer Vegas does not hold its own.",
        },
        also=("F-1", "W-10"),
    ),
    Topic(
        key="M-4",
        leads={
            Verdict.REPRODUCED: "As the buffer grows Vegas' part falls: there Mo et al. are right.",
            Verdict.PARTLY: "As the buffer grows Vegas' part mostly falls: there Mo et al. are right.",
            Verdict.NOT: "Vegas' part does not fall as the buffer grows.",
        },
        also=("M-1", "M-3", "F-2"),
    ),
    Topic(
        key="F-3",
        leads={
            Verdict.REPRODUCED: "Vegas holds its own everywhere.",
            Verdict.PARTLY: "Vegas holds its own on most of the map, not on all of it.",
            Verdict.NOT: "On most of the map Vegas does not hold its own.",
        },
        also=("M-5",),
    ),
    Topic(
        key="W-1",
        leads={
            Verdict.REPRODUCED: "A full queue on arrival helps Vegas.",
            Verdict.PARTLY: "A full queue on arrival mostly helps Vegas.",
            Verdict.NOT: "A full queue on arrival does not help Vegas.",
        },
        also=("W-2", "W-3"),
    ),
    Topic(
        key="W-5",
        leads={
            Verdict.REPRODUCED: "Sources that ask for little bound what Reno takes, and so does its advertised window.",
            Verdict.PARTLY: "Sources that ask for little mostly bound what Reno takes.",
            Verdict.NOT: "What Reno's sources ask for does not tell what Vegas gets.",
        },
        also=("W-4", "W-6", "W-7"),
    ),
    Topic(
        key="O-1",
        leads={
            Verdict.REPRODUCED: "More Vegas makes a calmer queue.",
            Verdict.PARTLY: "More Vegas mostly makes a calmer queue.",
            Verdict.NOT: "More Vegas does not make a calmer queue.",
        },
        also=("O-2", "O-3"),
    ),
)
"""Told at the head of the report, after the tally."""
