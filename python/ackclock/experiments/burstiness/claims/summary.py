"""What holds and what does not, in a few sentences at the head of the report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.report.html import Statement, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.experiments.burstiness.evidence import Evidence
    from ackclock.experiments.claims import Judged

__all__ = ["summary"]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Topic:
    """A claim worth telling first: the words for each verdict, and the claims whose numbers follow."""

    key: str
    leads: Mapping[Verdict, str]
    also: Sequence[str] = ()


_TOPICS = (
    _Topic(
        key="3.2-9",
        leads={
            Verdict.REPRODUCED: "Congestion makes Reno bursty and leaves Vegas smooth, up to 60 clients.",
            Verdict.PARTLY: "Congestion makes TCP bursty, if not all alike; Vegas stays smooth up to 60 clients.",
            Verdict.NOT: "Congestion does not make TCP bursty as the paper says.",
        },
        also=("3.2-10",),
    ),
    _Topic(
        key="3.2-6",
        leads={
            Verdict.REPRODUCED: "Under moderate load TCP roughens the traffic.",
            Verdict.NOT: "Under moderate load TCP leaves the traffic as it is.",
            Verdict.DEPENDS: "Under moderate load TCP roughens the traffic only while it starts.",
        },
        also=("3.2-7",),
    ),
    _Topic(
        key="3.2.1-5",
        leads={
            Verdict.REPRODUCED: "Reno settles with 38 clients, and with 39 not within the 200 s.",
            Verdict.PARTLY: "Reno stops settling near 38 clients.",
            Verdict.NOT: "Reno does not stop settling at 38 clients.",
        },
        also=("3.2.1-11", "3.2.1-10"),
    ),
    _Topic(
        key="4-3",
        leads={
            Verdict.REPRODUCED: "Vegas carries more than Reno and loses less.",
            Verdict.PARTLY: "Vegas mostly carries more than Reno and loses less.",
            Verdict.NOT: "Vegas does not carry more than Reno and lose less.",
        },
        also=("3.2.2-5",),
    ),
    _Topic(
        key="3.2.3-1",
        leads={
            Verdict.REPRODUCED: "RED makes every TCP burstier.",
            Verdict.PARTLY: "RED mostly makes TCP burstier.",
            Verdict.NOT: "RED does not make TCP burstier.",
            Verdict.DEPENDS: "Whether RED harms is decided by a weight that the paper does not print.",
        },
    ),
)


def summary(judged: Sequence[Judged[Evidence]]) -> list[Statement]:
    """Sum the verdicts up: how many of each, then what matters most.

    Parameters
    ----------
    judged
        All claims of the study.

    Returns
    -------
    list of Statement
        Six at most; words and numbers are those of the verdicts.

    """
    by_key = {one.claim.key: one.judgement for one in judged}
    counts = Counter(one.judgement.verdict for one in judged)
    failed = [
        f"{one.claim.text.rstrip('.')} ({one.claim.key})" for one in judged if one.judgement.verdict is Verdict.NOT
    ]
    settings: dict[str, list[str]] = {}
    for one in judged:
        if one.judgement.setting:
            settings.setdefault(one.judgement.setting, []).append(one.claim.key)
    depend = "; ".join(f"{setting} ({', '.join(keys)})" for setting, keys in settings.items())
    tally = Statement(
        lead=f"Of {len(judged)} claims {counts[Verdict.REPRODUCED]} are reproduced and {counts[Verdict.PARTLY]} "
        f"partly; {counts[Verdict.DEPENDS]} depend on what the paper does not print, and {counts[Verdict.NOT]} are not "
        "reproduced.",
        text=("Those that are not: " + "; ".join(failed) + "." if failed else "None fails.")
        + (f" What others depend on: {depend}." if depend else ""),
    )
    return [
        tally,
        *(
            Statement(
                lead=topic.leads[by_key[topic.key].verdict],
                text=" ".join(by_key[key].why for key in (topic.key, *topic.also)),
            )
            for topic in _TOPICS
        ),
    ]
