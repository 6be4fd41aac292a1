"""What holds and what does not, in a few sentences at the head of a report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock.papers.reading import listed
from ackclock.report.html import Statement, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.papers.claims import Judged

__all__ = ["Topic", "summary"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Topic:
    """A claim to state first: the words for each verdict but *undecided*, and the claims whose numbers follow.

    An undecided claim is stated as such, in its own words.
    """

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
    by_key = {one.claim.key: one for one in judged}
    return [
        _tally(judged),
        *(
            Statement(
                lead=_lead(topic, by_key[topic.key]),
                text=" ".join(
                    by_key[key].judgement.brief or by_key[key].judgement.why for key in (topic.key, *topic.also)
                ),
            )
            for topic in topics
        ),
    ]


def _lead(topic: Topic, one: Judged[Any]) -> str:
    verdict = one.judgement.verdict
    return f"Undecided: {one.claim.text}" if verdict is Verdict.UNDECIDED else topic.leads[verdict]


_COUNTED = {
    Verdict.REPRODUCED: ("is reproduced", "are reproduced"),
    Verdict.PARTLY: ("is partly reproduced", "are partly reproduced"),
    Verdict.DEPENDS: ("depends on what the paper does not print", "depend on what the paper does not print"),
    Verdict.UNDECIDED: ("is undecided", "are undecided"),
    Verdict.NOT: ("is not reproduced", "are not reproduced"),
}


def _tally(judged: Sequence[Judged[Any]]) -> Statement:
    """Count the verdicts, and name the claims that fail, that are undecided, and what others depend on."""
    counts = Counter(one.judgement.verdict for one in judged)
    words = [f"{counts[one]} {_COUNTED[one][counts[one] != 1]}" for one in Verdict if counts[one]]
    failed = [
        f"{one.claim.text.rstrip('.')} ({one.claim.key})" for one in judged if one.judgement.verdict is Verdict.NOT
    ]
    undecided = [one.claim.key for one in judged if one.judgement.verdict is Verdict.UNDECIDED]
    settings: dict[str, list[str]] = {}
    for one in judged:
        if one.judgement.setting:
            settings.setdefault(one.judgement.setting, []).append(one.claim.key)
    depend = "; ".join(f"{setting} ({', '.join(keys)})" for setting, keys in settings.items())
    return Statement(
        lead=f"Of {len(judged)} claims {listed(words)}.",
        text=" ".join(
            text
            for text, there in (
                (f"Not reproduced: {'; '.join(failed)}.", failed),
                (f"Undecided, since the intervals admit both answers: {', '.join(undecided)}.", undecided),
                (f"What others depend on: {depend}.", depend),
            )
            if there
        ),
    )
