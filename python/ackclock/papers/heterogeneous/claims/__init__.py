"""Every claim of the paper with the rule that judges it, and which of them sum the paper up.

A claim on clients of one kind that the burstiness paper makes too has that study's rule (`repeated`).
"""

from __future__ import annotations

from ackclock.papers.heterogeneous.claims import model, repeated, sharing
from ackclock.papers.summary import Topic
from ackclock.report.html import Verdict

CLAIMS = (
    *repeated.ABSTRACT[:3],
    *sharing.HEADLINE,
    *repeated.ABSTRACT[3:],
    *repeated.HOMOGENEOUS,
    *sharing.HALF,
    *repeated.RED,
    *sharing.RED_BESIDE,
    *sharing.FULL_LINK,
    *sharing.DISCUSSION,
    *model.CLAIMS,
    *repeated.CONCLUSIONS,
)
TOPICS = (
    Topic(
        key="1-1",
        leads={
            Verdict.REPRODUCED: "Vegas gets its share.",
            Verdict.PARTLY: "Vegas gets its share at most points, not at all of them.",
            Verdict.NOT: "Vegas does not get its share.",
            Verdict.DEPENDS: "Whether Vegas gets its share depends on when it starts.",
        },
    ),
    Topic(
        key="3.2.1-1",
        leads={
            Verdict.REPRODUCED: "With a small buffer Vegas gets more than Reno would.",
            Verdict.PARTLY: "With a small buffer Vegas mostly gets more than Reno would.",
            Verdict.NOT: "Even with a small buffer Vegas gets no more than Reno would.",
            Verdict.DEPENDS: "Whether Vegas gets more with a small buffer depends on RED's weight.",
        },
        also=("3.2.1-2", "3.2.2-3"),
    ),
    Topic(
        key="3.2.2-6",
        leads={
            Verdict.REPRODUCED: "With a large buffer Vegas and Reno get about the same.",
            Verdict.PARTLY: "With a large buffer Vegas and Reno mostly get about the same.",
            Verdict.NOT: "With a large buffer and a full link Vegas and Reno do not get the same.",
            Verdict.DEPENDS: "Whether both get the same with a large buffer depends on when the newcomers start.",
        },
        also=("3.2.2-5", "3.2.3-1"),
    ),
    Topic(
        key="3.2.1-7",
        leads={
            Verdict.REPRODUCED: "With a large buffer Vegas loses less.",
            Verdict.PARTLY: "With a large buffer Vegas mostly loses less.",
            Verdict.NOT: "With a large buffer Vegas does not lose less.",
            Verdict.DEPENDS: "Whether Vegas loses less with a large buffer depends on RED's weight.",
        },
        also=("3.2.2-8",),
    ),
    Topic(
        key="3.2.3-2",
        leads={
            Verdict.REPRODUCED: "Greedy sources help Reno, as the paper supposes.",
            Verdict.PARTLY: "Greedy sources mostly help Reno, as the paper supposes.",
            Verdict.NOT: "Greedy sources do not help Reno, unlike the paper's assumption.",
        },
    ),
)
