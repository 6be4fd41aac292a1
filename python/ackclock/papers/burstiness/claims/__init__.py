"""Every claim of the paper with its rule, and the claims for the summary.

Definitions, the setup and results of other work are not claims. A claim that the paper makes in several places is
listed once, with all places.
"""

from __future__ import annotations

from ackclock.papers.burstiness.claims import red, reno, traffic, vegas
from ackclock.papers.summary import Topic
from ackclock.report.html import Verdict

CLAIMS = (*traffic.CLAIMS, *reno.CLAIMS, *vegas.CLAIMS, *red.CLAIMS, *traffic.CONCLUSIONS)
"""The claims in the order of the paper, with its sections as keys."""

TOPICS = (
    Topic(
        key="3.2-9",
        leads={
            Verdict.REPRODUCED: "Congestion makes Reno bursty and leaves Vegas smooth, up to 60 clients.",
            Verdict.PARTLY: "Congestion makes most TCP variants bursty; Vegas stays smooth up to 60 clients.",
            Verdict.NOT: "Congestion does not make TCP bursty, unlike in the paper.",
        },
        also=("3.2-10",),
    ),
    Topic(
        key="3.2-6",
        leads={
            Verdict.REPRODUCED: "Under moderate load TCP makes the traffic burstier.",
            Verdict.NOT: "Under moderate load TCP does not change the traffic.",
            Verdict.DEPENDS: "Under moderate load TCP makes the traffic burstier only during slow start.",
        },
        also=("3.2-7",),
    ),
    Topic(
        key="3.2.1-5",
        leads={
            Verdict.REPRODUCED: "Reno settles with 38 clients, but not within 200 s with 39.",
            Verdict.PARTLY: "Reno stops settling near 38 clients.",
            Verdict.NOT: "Reno does not stop settling at 38 clients.",
        },
        also=("3.2.1-11", "3.2.1-10"),
    ),
    Topic(
        key="4-3",
        leads={
            Verdict.REPRODUCED: "Vegas carries more than Reno and loses less.",
            Verdict.PARTLY: "Vegas mostly carries more than Reno and loses less.",
            Verdict.NOT: "Vegas does not carry more than Reno and lose less.",
        },
        also=("3.2.2-5",),
    ),
    Topic(
        key="3.2.3-1",
        leads={
            Verdict.REPRODUCED: "RED makes every TCP burstier.",
            Verdict.PARTLY: "RED mostly makes TCP burstier.",
            Verdict.NOT: "RED does not make TCP burstier.",
            Verdict.DEPENDS: "Whether RED harms depends on a weight that the paper does not print.",
        },
    ),
)
