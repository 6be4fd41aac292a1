"""Every claim of the study with its rule, and the claims that sum it up."""

from __future__ import annotations

from ackclock.papers.summary import Topic
from ackclock.papers.vegas.claims.beside import MO, PAPERS, SWINGS
from ackclock.papers.vegas.claims.causes import CAUSES
from ackclock.report.html import Verdict

CLAIMS = (*PAPERS, *MO, *CAUSES, *SWINGS)

TOPICS = (
    Topic(
        key="F-4",
        leads={
            Verdict.REPRODUCED: "With a small buffer Vegas gets its share.",
            Verdict.PARTLY: "With a small buffer Vegas mostly gets its share: in this the papers are right.",
            Verdict.NOT: "Even with a small buffer Vegas does not get its share.",
        },
        also=("F-1", "W-10"),
    ),
    Topic(
        key="M-4",
        leads={
            Verdict.REPRODUCED: "Vegas' share falls as the buffer grows: in this Mo et al. are right.",
            Verdict.PARTLY: "Vegas' share mostly falls as the buffer grows: in this Mo et al. are right.",
            Verdict.NOT: "Vegas' share does not fall as the buffer grows.",
        },
        also=("M-1", "M-3", "F-2"),
    ),
    Topic(
        key="F-3",
        leads={
            Verdict.REPRODUCED: "Vegas gets its share everywhere.",
            Verdict.PARTLY: "Vegas gets its share on most of the map, not on all of it.",
            Verdict.NOT: "On most of the map Vegas does not get its share.",
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
            Verdict.REPRODUCED: "Light sources limit what Reno takes, and so does its advertised window.",
            Verdict.PARTLY: "Light sources mostly limit what Reno takes.",
            Verdict.NOT: "The load that Reno's sources offer does not determine what Vegas gets.",
        },
        also=("W-4", "W-6", "W-7"),
    ),
    Topic(
        key="O-1",
        leads={
            Verdict.REPRODUCED: "With more Vegas clients the queue varies less.",
            Verdict.PARTLY: "With more Vegas clients the queue mostly varies less.",
            Verdict.NOT: "With more Vegas clients the queue varies no less.",
        },
        also=("O-2", "O-3"),
    ),
)
