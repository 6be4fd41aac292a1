"""Every claim of the paper with the rule that judges it, and which of them sum the paper up.

What the paper defines, sets up or reports from other work is no claim here; a claim made in several places stands once,
with all of them named.
"""

from __future__ import annotations

from ackclock.papers.burstiness.claims import red, reno, traffic, vegas
from ackclock.papers.summary import Topic
from ackclock.report.html import Verdict

CLAIMS = (*traffic.CLAIMS, *reno.CLAIMS, *vegas.CLAIMS, *red.CLAIMS, *traffic.CONCLUSIONS)
"""In the order of the paper; keys are its sections."""

TOPICS = (
    Topic(
        key="3.2-9",
        leads={
            Verdict.REPRODUCED: "Congestion makes Reno bursty and leaves Vegas smooth, up to 60 clients.",
            Verdict.PARTLY: "Congestion makes most TCP variants bursty; Vegas stays smooth up to 60 clients.",
            Verdict.NOT: "Congestion does not make TCP bursty as the paper says.",
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
            Verdict.REPRODUCED: "Reno settles with 38 clients, and with 39 not within the 200 s.",
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
            Verdict.DEPENDS: "Whether RED harms is decided by a weight that the paper does not print.",
        },
    ),
)
