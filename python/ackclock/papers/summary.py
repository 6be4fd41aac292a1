"""The summary of verdicts at the top of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ackclock.papers.core.claim import Judged
from ackclock.report.html import Origin, Statement, Verdict
from ackclock.values.words import listed


@dataclass(frozen=True, kw_only=True, slots=True)
class Topic:
    """A claim in the summary: a sentence for each verdict, and other claims whose reasons follow.

    If the claim is undecided or not testable, the summary says so and quotes the claim.
    """

    key: str
    leads: Mapping[Verdict, str]
    also: Sequence[str] = ()


def summary(judged: Sequence[Judged], topics: Sequence[Topic]) -> list[Statement]:
    """Summarise the verdicts: their counts, then the sentences and reasons of the most important claims."""
    by_key = {one.claim.key: one for one in judged}
    statements = [_tally(judged)]
    for topic in topics:
        claims = [by_key[key] for key in (topic.key, *topic.also)]
        verdict = claims[0].verdict
        lead = f"{verdict.capitalize()}: {claims[0].claim.text}" if verdict in _OPEN else topic.leads[verdict]
        statements.append(Statement(lead=lead, text=" ".join(one.brief or one.why for one in claims)))
    return statements


_OPEN = (Verdict.UNDECIDED, Verdict.NOT_TESTABLE)
_COUNTED: Mapping[Origin, Mapping[Verdict, tuple[str, str]]] = {
    "paper": {
        Verdict.REPRODUCED: ("is reproduced", "are reproduced"),
        Verdict.PARTLY: ("is partly reproduced", "are partly reproduced"),
        Verdict.DEPENDS: ("depends on an unpublished setting", "depend on unpublished settings"),
        Verdict.UNDECIDED: ("is undecided", "are undecided"),
        Verdict.NOT: ("is not reproduced", "are not reproduced"),
        Verdict.REVERSED: ("is reversed", "are reversed"),
        Verdict.NOT_TESTABLE: ("is not testable", "are not testable"),
    },
    "ours": {
        Verdict.REPRODUCED: ("is confirmed", "are confirmed"),
        Verdict.PARTLY: ("is partly confirmed", "are partly confirmed"),
        Verdict.DEPENDS: ("depends on a setting", "depend on a setting"),
        Verdict.UNDECIDED: ("is undecided", "are undecided"),
        Verdict.NOT: ("is not confirmed", "are not confirmed"),
        Verdict.REVERSED: ("is reversed", "are reversed"),
        Verdict.NOT_TESTABLE: ("is not testable", "are not testable"),
    },
    "again": {
        Verdict.REPRODUCED: ("is still true", "are still true"),
        Verdict.PARTLY: ("is true of some senders", "are true of some senders"),
        Verdict.DEPENDS: ("depends on a setting", "depend on a setting"),
        Verdict.UNDECIDED: ("is undecided", "are undecided"),
        Verdict.NOT: ("is no longer true", "are no longer true"),
        Verdict.REVERSED: ("is reversed", "are reversed"),
    },
}


_FAILED: Mapping[Origin, str] = {
    "paper": "Not reproduced",
    "ours": "Not reproduced or confirmed",
    "again": "No longer true, or reversed",
}
_WHOSE: Mapping[Origin, str] = {"paper": " of the paper", "ours": " of our own", "again": " asked again"}


def _tally(judged: Sequence[Judged]) -> Statement:
    """Count the verdicts, and list failed claims, undecided claims and the settings on which other claims depend."""
    whose = {origin: [one for one in judged if one.claim.origin == origin] for origin in _COUNTED}
    apart = sum(map(bool, whose.values())) > 1
    counted = [
        f"of {len(some)} claim{'' if len(some) == 1 else 's'}{_WHOSE[origin] if apart else ''} {_counts(some, origin)}"
        for origin, some in whose.items()
        if some
    ]
    failed: dict[str, list[str]] = {}
    for one in judged:
        if one.verdict in (Verdict.NOT, Verdict.REVERSED):
            lost = _FAILED["again" if one.claim.origin == "again" else "ours" if apart else "paper"]
            failed.setdefault(lost, []).append(f"{one.claim.text.rstrip('.')} ({one.claim.key})")
    undecided = [one.claim.key for one in judged if one.verdict is Verdict.UNDECIDED]
    settings: dict[tuple[Origin, str], list[str]] = {}
    for one in judged:
        if one.setting:
            settings.setdefault((one.claim.origin, one.setting), []).append(one.claim.key)
    depend = " ".join(
        f"The verdict{'s of' if len(keys) > 1 else ' of'} {listed(keys)} depend{'' if len(keys) > 1 else 's'} on "
        f"{'an unpublished' if origin == 'paper' else 'a'} setting: {setting}."
        for (origin, setting), keys in settings.items()
    )
    lead = "; ".join(counted)
    return Statement(
        lead=f"{lead[0].upper()}{lead[1:]}.",
        text=" ".join(
            text
            for text, there in (
                (" ".join(f"{lost}: {'; '.join(claims)}." for lost, claims in failed.items()), failed),
                (
                    f"Undecided, since the 95 % intervals leave the verdict open: {', '.join(undecided)}.",
                    undecided,
                ),
                (depend, depend),
            )
            if there
        ),
    )


def _counts(judged: Sequence[Judged], origin: Origin) -> str:
    counts = Counter(one.verdict for one in judged)
    return listed([f"{counts[one]} {_COUNTED[origin][one][counts[one] != 1]}" for one in Verdict if counts[one]])
