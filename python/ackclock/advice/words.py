"""The answer in sentences: what to use, how sure that is, and what it depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.advice.contenders import LAW_NAMES, PACKET
from ackclock.advice.measures import JUDGED
from ackclock.advice.question import LAWS
from ackclock.analysis import compare_paired, mean_interval
from ackclock.values.words import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ackclock.advice.advising import Advice, Checked
    from ackclock.advice.contenders import Contender
    from ackclock.advice.judgement import Judgement, Worse
    from ackclock.advice.measures import Measure
    from ackclock.analysis.interval import Interval

__all__ = ["answer", "became", "gains", "name", "outcome", "setting", "shown", "statements", "worse"]

_PHRASES: Final = {
    "speech_score": "speech scores",
    "call_delay_p95": "95 % of a call's packets take at most",
    "page_load_p50": "pages load in",
    "bulk_goodput": "bulk transfers get",
}


def name(advice: Advice, key: str) -> str:
    """Name a contender, with its congestion control if several are compared."""
    return advice.contest.contenders[key].words(law=len(advice.question.laws) > 1)


def answer(advice: Advice) -> str:
    """Return the recommendation in a sentence, with numbers."""
    start = f"Use {setting(advice.chosen, several=len(advice.question.laws) > 1)}"
    found = "; ".join(gains(advice))
    return f"{start}: {found}." if found else f"{start}."


def setting(contender: Contender, *, several: bool) -> str:
    """Describe the configuration of a contender in words."""
    words = contender.words(law=several)
    if contender.buffer:
        down, up = (f"{limit * PACKET / 1000:,.6g} kB" for limit in contender.limits)
        return f"{words} ({down} down, {up} up)" if up != down else f"{words} ({down})"
    rates = [f"{rate / 1e6:,.6g} Mb/s" for rate in contender.rates]
    at = rates[0] if len(set(rates)) == 1 else f"{rates[0]} down, {rates[1]} up"
    return f"{words} at {at}"


def gains(advice: Advice) -> Iterator[str]:
    """Yield a phrase for each measure of the traffic: the recommendation's value, and the reference's."""
    chosen, compared = advice.chosen.key, advice.contest.reference
    samples = advice.contest.samples
    for measure in _of_traffic(advice):
        own, other = samples[chosen][measure.key], samples[compared][measure.key]
        words = f"{_PHRASES[measure.key]} {shown(mean_interval(own), measure)}"
        if chosen == compared:
            yield words
            continue
        words += f" instead of {shown(mean_interval(other), measure)}"
        compared_values = compare_paired(other, own)
        mean = sum(other) / len(other)
        if not compared_values.differ:
            yield f"{words} (within chance)"
        elif abs(compared_values.difference.mean) <= measure.margin(mean):
            yield f"{words} (too little to matter)"
        elif measure.unit == "ms" or not measure.unit:
            yield words
        else:
            part = compared_values.difference.mean / mean
            yield f"{words} ({100 * abs(part):.0f} % {'less' if part < 0 else 'more'})"


def _of_traffic(advice: Advice) -> list[Measure]:
    """Return the measures of all applications that the traffic has, first those that matter."""
    counts = advice.question.counts
    have = {"calls": counts["calls"], "pages": counts["pages"], "bulk": counts["downloads"] + counts["uploads"]}
    names = [*advice.question.matters, *(each for each in JUDGED if each not in advice.question.matters)]
    return [measure for each in names if have[each] for measure in JUDGED[each]]


def shown(interval: Interval, measure: Measure) -> str:
    """Format an interval with its unit."""
    return f"{measure.shown(interval)} {measure.unit}".strip()


def statements(advice: Advice) -> Iterator[tuple[str, str]]:
    """Yield the findings: a lead of some words, and the rest."""
    judgement = advice.contest.judgement
    compared = name(advice, advice.contest.reference)
    yield (
        "Compared with:",
        (
            f"{compared} and senders without ECN, the usual queue of a device that nobody has configured. Values are "
            "means over seeds with 95 % confidence intervals."
        ),
    )
    yield from _ties(advice, judgement)
    yield from _dependence(advice)
    law = advice.chosen.law
    if law != LAWS[0]:
        yield (
            "Beside others:",
            (
                f"all hosts use {LAW_NAMES[law]} in these runs. What it takes from hosts with CUBIC on this link was"
                f" not tried: ask `ackclock evaluate {law} --only mixed` before it is set on some of the hosts."
            ),
        )


def _ties(advice: Advice, judgement: Judgement) -> Iterator[tuple[str, str]]:
    chosen = name(advice, judgement.chosen)
    if judgement.as_good:
        others = listed([name(advice, key) for key in judgement.as_good])
        yield (
            "As good:",
            (
                f"{others} {_are(judgement.as_good)} not worse than the best by a difference that matters to a person. "
                f"{_preference(advice)}"
            ),
        )
    else:
        yield "As good:", f"no other contender is as good as {chosen}."
    if judgement.open:
        found = "; ".join(f"{name(advice, key)} ({worse(each)})" for key, each in judgement.open.items())
        yield (
            "Undecided:",
            (
                f"after {advice.contest.seeds} seeds, the means of these are worse by more than matters, but the "
                f"difference is within chance: {found}. More seeds (--seeds) may decide."
            ),
        )


def _preference(advice: Advice) -> str:
    """Say why one of several contenders that are as good is recommended."""
    chosen, fading = name(advice, advice.contest.judgement.chosen), advice.contest.fading
    if not fading:
        every = "Both" if len(advice.contest.judgement.best) == 2 else "All"
        return f"{every} remain so with half the users, and {chosen} is the simplest."
    if advice.contest.judgement.chosen in fading:
        return f"None of them remains so with half the users, and {chosen} is the simplest."
    lost = listed([name(advice, key) for key in fading])
    left = len(advice.contest.judgement.best) - len(fading)
    rest = "remains so" if left == 1 else "is the simplest of those that remain so"
    return f"{lost} {_are(fading)} no longer among the best with half the users; {chosen} {rest}."


def worse(found: Worse) -> str:
    """Say by how much a contender is worse."""
    difference = found.difference
    sign = "+" if difference.mean > 0 else "\N{MINUS SIGN}"
    return f"{found.measure.head.partition(',')[0]} {sign}{shown(abs(difference), found.measure)}"


def outcome(advice: Advice, key: str) -> str:
    """Return what became of a contender, in some words."""
    judgement = advice.contest.judgement
    if key == judgement.chosen:
        return "recommended"
    if key in judgement.as_good:
        return "as good"
    if key in judgement.open:
        return f"undecided: {worse(judgement.open[key])}"
    if key in judgement.aside:
        return f"worse: {worse(judgement.aside[key])}"
    return "not a choice"


def became(advice: Advice, checked: Checked) -> str:
    """Say what becomes of the recommendation under a changed assumption, and which contender is chosen instead."""
    found = checked.found.judgement.verdict(advice.chosen.key)
    other = name(advice, checked.found.judgement.chosen)
    return {
        "still recommended": found,
        "as good": f"as good as {other}",
        "undecided": f"undecided: perhaps {other}",
        "worse": f"worse than {other}",
    }[found]


def _dependence(advice: Advice) -> Iterator[tuple[str, str]]:
    chosen = advice.contest.judgement.chosen
    found: dict[str, list[str]] = {}
    for each in advice.checked:
        found.setdefault(each.found.judgement.verdict(chosen), []).append(each.assumption.words)
    total = len(advice.checked)
    kept = len(found.get("still recommended", [])) + len(found.get("as good", []))
    words = [f"the recommendation remains among the best in {kept} of {total} changes of the question."]
    if "undecided" in found:
        words.append(f"It is undecided with {listed(found['undecided'])}.")
    better: dict[str, list[str]] = {}
    for each in advice.checked:
        if each.found.judgement.verdict(chosen) == "worse":
            better.setdefault(name(advice, each.found.judgement.chosen), []).append(each.assumption.words)
    words += [f"{other} is better with {listed(changes)}." for other, changes in better.items()]
    yield "If the assumptions are wrong:", " ".join(words)


def _are(names: Sequence[str]) -> str:
    return "are" if len(names) > 1 else "is"
