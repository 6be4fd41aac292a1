"""The claims that matter most, for the head of the report."""

from __future__ import annotations

from ackclock.papers.summary import Topic
from ackclock.report.html import Verdict

__all__ = ["TOPICS"]

TOPICS = (
    Topic(
        key="5.1.1-1",
        leads={
            Verdict.REPRODUCED: "A hundred connections do halve their windows together.",
            Verdict.PARTLY: "A hundred connections nearly halve their windows together.",
            Verdict.NOT: "A hundred connections do not halve their windows together.",
        },
        also=("5.2.1-1",),
    ),
    Topic(
        key="5.1.1-3",
        leads={
            Verdict.REPRODUCED: "The paper's formula predicts the loss of a large pipe.",
            Verdict.PARTLY: "The paper's formula for the loss of a large pipe is too high, and can be corrected.",
            Verdict.NOT: "The paper's formula does not predict the loss of a large pipe.",
        },
    ),
    Topic(
        key="5.1.6-3",
        leads={
            Verdict.REPRODUCED: "Table 4 comes out over T1, however losses are counted.",
            Verdict.PARTLY: "Table 4 mostly comes out over T1, however losses are counted.",
            Verdict.DEPENDS: "Whether Table 4 comes out over T1 depends on how losses are counted.",
            Verdict.NOT: "Table 4 does not come out over T1, however losses are counted.",
        },
    ),
    Topic(
        key="5.1.6-4",
        leads={
            Verdict.REPRODUCED: "Table 4 comes out over ISDN, however losses are counted.",
            Verdict.PARTLY: "Table 4 mostly comes out over ISDN, however losses are counted.",
            Verdict.DEPENDS: "Whether Table 4 comes out over ISDN depends on how losses are counted.",
            Verdict.NOT: "Table 4 does not come out over ISDN, however losses are counted.",
        },
    ),
    Topic(
        key="5.1.2-1",
        leads={
            Verdict.REPRODUCED: "In a small pipe about W_c connections are active.",
            Verdict.PARTLY: "In a small pipe about W_c connections are active, at most points.",
            Verdict.DEPENDS: "How many connections a small pipe keeps active is decided by how they start.",
            Verdict.NOT: "In a small pipe more than W_c connections are active.",
        },
    ),
    Topic(
        key="5.1.5-1",
        leads={
            Verdict.REPRODUCED: "Goodput falls as connections are added.",
            Verdict.PARTLY: "Goodput falls a little as connections are added.",
            Verdict.DEPENDS: "Goodput does not fall with the timers of 1999; with those of ns-2.35 it does.",
            Verdict.NOT: "Goodput does not fall as connections are added.",
        },
        also=("5.1.5-2",),
    ),
    Topic(
        key="3-1",
        leads={
            Verdict.REPRODUCED: "The formulas of Padhye et al. are mostly within a factor of 2.",
            Verdict.PARTLY: "The formulas of Padhye et al. are within a factor of 2, in most cases.",
            Verdict.DEPENDS: "How good the formulas of Padhye et al. are depends on processing times.",
            Verdict.NOT: "The formulas of Padhye et al. are mostly off by more than a factor of 2.",
        },
        also=("3-2",),
    ),
    Topic(
        key="5.3-1",
        leads={
            Verdict.REPRODUCED: "Between groups the ratio of throughputs lies in the paper's band.",
            Verdict.PARTLY: "Between groups the ratio of throughputs lies in the paper's band, at most points.",
            Verdict.DEPENDS: "Whether the ratio of two groups lies in the paper's band depends on processing times.",
            Verdict.NOT: "Between groups the ratio of throughputs does not lie in the paper's band.",
        },
    ),
)
"""Stated at the head of the report, after the tally."""
