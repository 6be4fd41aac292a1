"""The claims on Table 2 and Figures 3 to 7, and which of them sum the paper up."""

from __future__ import annotations

from ackclock.papers.selfsimilar.claims import courses, table2
from ackclock.papers.summary import Topic
from ackclock.report.html import Verdict

CLAIMS = (*table2.CLAIMS, *courses.CLAIMS)

TOPICS = (
    Topic(
        key="5-3",
        leads={
            Verdict.REPRODUCED: "NewReno delivers most.",
            Verdict.PARTLY: "NewReno is ahead of some and behind none.",
            Verdict.DEPENDS: "Whether NewReno delivers most depends on what the fixed-rate source is.",
            Verdict.NOT: "The runs do not support that NewReno outperforms the others.",
        },
        also=("5-5",),
    ),
    Topic(
        key="5-2",
        leads={
            Verdict.REPRODUCED: "Table 2 is within the reach of single runs.",
            Verdict.PARTLY: "Most of Table 2 is within the reach of single runs.",
            Verdict.DEPENDS: "Whether single runs reach Table 2 depends on what the fixed-rate source is.",
            Verdict.NOT: "Table 2 is out of the reach of single runs.",
        },
    ),
    Topic(
        key="5-9",
        leads={
            Verdict.REPRODUCED: "TCP's own traffic has long-range dependence over such a background.",
            Verdict.PARTLY: "TCP's own traffic has long-range dependence over such a background in part.",
            Verdict.DEPENDS: "Whether TCP's own traffic has long-range dependence depends on its source.",
            Verdict.NOT: "TCP's own traffic has the paper's Hurst parameter, but mostly no long-range dependence.",
        },
        also=("5-8",),
    ),
    Topic(
        key="5-12",
        leads={
            Verdict.REPRODUCED: "The paper's windows come out.",
            Verdict.PARTLY: "The paper's windows partly come out.",
            Verdict.DEPENDS: "The paper's windows come out under some readings of its source only.",
            Verdict.NOT: "The paper's windows do not come out.",
        },
    ),
    Topic(
        key="5-15",
        leads={
            Verdict.REPRODUCED: "Long round trips are packets that were sent again.",
            Verdict.PARTLY: "Long round trips are mostly packets that were sent again.",
            Verdict.NOT: "Long round trips have little to do with packets that were sent again.",
        },
        also=("5-14",),
    ),
)
