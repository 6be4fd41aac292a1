"""What holds and what does not, in a few sentences at the head of a report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock.report.html import Statement, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.experiments.claims import Judged

__all__ = ["Topic", "summary"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Topic:
    """A claim worth telling first: the words for each verdict, and the claims whose numbers follow."""

    key: str
    leads: Mapping[Verdict, str]
    also: Sequence[str] = ()


def summary(judged: Sequence[Judged[Any]], topics: Sequence[Topic]) -> list[Statement]:
    """Sum the verdicts up: how many of each, then what matters most.

    Parameters
    ----------
    judged
        All claims of the study.
    topics
        What is told after the tally, in order.

    Returns
    -------
    list of Statement
        One more than there are topics; words and numbers are those of the verdicts.

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
                text=" ".join(by_key[key].brief or by_key[key].why for key in (topic.key, *topic.also)),
            )
            for topic in topics
        ),
    ]
