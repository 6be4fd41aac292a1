"""The page of an answer: the recommendation, the contenders, the assumptions, and the commands."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ackclock.advice.commands import NOT_TRIED, commands
from ackclock.advice.contenders import SIMPLEST_FIRST
from ackclock.advice.judgement import LEVEL
from ackclock.advice.measures import JUDGED, OF_APPLICATIONS, SHOWN
from ackclock.advice.network import timing
from ackclock.advice.words import answer, became, name, outcome, statements
from ackclock.analysis import mean_interval
from ackclock.drawing.chart import Axis, Chart, Level, Marker, Panel, Series
from ackclock.report.html import Drawing, Report, Section, Statement, Table, render
from ackclock.report.rows import rows_csv
from ackclock.running.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ackclock.advice.advising import Advice, Checked
    from ackclock.advice.measures import Measure

__all__ = ["in_order", "page", "table"]

_KINDS: Final[tuple[tuple[str, str, Marker], ...]] = (
    ("recommended", "green", "circle"),
    ("as good", "blue", "diamond"),
    ("undecided", "amber", "down"),
    ("worse", "red", "square"),
    ("not a choice", "grey", "triangle"),
)
"""What becomes of contenders, with a colour and a marker."""


def page(advice: Advice, command: str) -> str:
    """Write the page."""
    question = advice.question
    up = f", up {question.up}" if question.up and question.up != question.rate else ""
    delay = question.delay if isinstance(question.delay, str) else " to ".join(question.delay)
    report = Report(
        title=f"Advice for a link of {question.rate}{up}",
        source=f"{question.users} users; round-trip time without queues {delay}; what matters: "
        f"{', then '.join(question.matters)}.",
        question="Which buffer, which queue, which congestion control?",
        answer=answer(advice),
        summary=[Statement(lead=lead, text=text) for lead, text in statements(advice)],
        sections=[
            Section(
                title="Set it up",
                text="Commands for Linux, for a router between the users and the network.",
                drawings=[],
                code="\n".join(commands(question, advice.chosen)),
            ),
            Section(title="Contenders", table=table(advice), drawings=[_drawing(advice, command)]),
            Section(
                title="If the assumptions are wrong",
                text="The recommendation, the best contender of each other queue, and the reference ran again with a "
                "changed question, configured as before.",
                table=_assumptions(advice),
                drawings=[],
            ),
            Section(title="Not tried", text=f"No run has tried {_listed(NOT_TRIED)}.", drawings=[]),
        ],
        setup=list(_setup(advice)),
        provenance=[*([("Command", command)] if command else []), ("Program", str(Origin.here()))],
        shows="contenders",
    )
    return render(report)


def in_order(advice: Advice) -> list[str]:
    """Return the keys of all contenders: the recommended one, those as good, open ones, and the others."""
    judgement = advice.contest.judgement
    first = [judgement.chosen, *judgement.as_good, *judgement.open]
    return [*first, *(key for key in advice.contest.contenders if key not in first)]


def table(advice: Advice, *, whole: bool = False) -> Table:
    """Return the table of contenders; the whole one has also the measures that do not decide, and numbers of seeds."""
    samples = advice.contest.samples
    every = [*_judged(advice), *(SHOWN if whole else ())]
    rows = [
        [
            f"{number}. {name(advice, key)}{' (reference)' if key == advice.contest.reference else ''}",
            outcome(advice, key),
            *(each.shown(mean_interval(samples[key][each.key])) for each in every),
            *([str(len(samples[key][every[0].key]))] if whole else []),
        ]
        for number, key in enumerate(in_order(advice), 1)
    ]
    return Table(
        caption="Means over seeds with half-widths of 95 % confidence intervals. Speech has scores from 1 to 4.4; the "
        "delay of calls is the 95th percentile in the worse direction; pages have the median load time.",
        head=["Contender", "Outcome", *(each.head for each in every), *["seeds"] * whole],
        rows=rows,
    )


def _judged(advice: Advice) -> list[Measure]:
    """Return all measures of applications, first those that decide."""
    return [*advice.measures, *(each for each in OF_APPLICATIONS if each not in advice.measures)]


def _drawing(advice: Advice, command: str) -> Drawing:
    keys, samples = in_order(advice), advice.contest.samples
    kinds = {key: outcome(advice, key).partition(":")[0] for key in keys}
    compared = advice.contest.reference
    panels = []
    for measure in advice.measures[:4]:
        intervals = [mean_interval(samples[key][measure.key]) for key in keys]
        series = []
        for kind, colour, marker in _KINDS:
            places = [place for place, key in enumerate(keys) if kinds[key] == kind]
            if places:
                series.append(
                    Series(
                        name=kind,
                        x=[place + 1.0 for place in places],
                        y=[intervals[place].mean for place in places],
                        error=[_finite(intervals[place].half_width) for place in places],
                        colour=colour,
                        marker=marker,
                        size=5,
                        dash="none",
                    )
                )
        panels.append(
            Panel(
                x=Axis(
                    label="Contender (numbers in the table)", low=0.5, high=len(keys) + 0.5, ticks=_ticks(len(keys))
                ),
                y=Axis(label=measure.head),
                series=series,
                levels=[Level(y=intervals[keys.index(compared)].mean)],
            )
        )
    lines: list[Sequence[object]] = [["contender", "measure", "unit", "seed", "value"]]
    lines += [
        [key, each.key, each.unit, seed, value]
        for key in keys
        for each in (*_judged(advice), *SHOWN)
        for seed, value in enumerate(samples[key][each.key], 1)
    ]
    return Drawing(
        slug="contenders",
        title="What users notice, with each contender",
        caption="Means over seeds; bars are 95 % confidence intervals. The line is the reference, "
        f"{name(advice, compared)}. The table of contenders has the names of the numbers.",
        chart=Chart(panels=panels),
        csv=rows_csv(lines),
        numbers=table(advice, whole=True),
        command=command,
    )


def _ticks(count: int) -> list[tuple[float, str]]:
    step = 1 if count <= 15 else 5
    return [(float(place), str(place)) for place in range(1, count + 1) if place == 1 or place % step == 0]


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0


def _assumptions(advice: Advice) -> Table:
    chosen, compared = (name(advice, key) for key in (advice.chosen.key, advice.contest.reference))
    return Table(
        caption=f"What becomes of the recommendation, and means of {chosen} / {compared} with half-widths of 95 % "
        "confidence intervals.",
        head=["Change", f"{chosen} is", *(each.head for each in _pictured(advice))],
        rows=[_assumption(advice, each) for each in advice.checked],
    )


def _pictured(advice: Advice) -> list[Measure]:
    """Return the last measure of each of the two applications that matter most: a page has room for two."""
    return [JUDGED[each][-1] for each in advice.question.matters[:2]]


def _assumption(advice: Advice, checked: Checked) -> list[str]:
    chosen, found = advice.chosen.key, checked.found.samples
    both = [found[key] for key in dict.fromkeys((chosen, advice.contest.reference)) if key in found]
    cells = [" / ".join(each.shown(mean_interval(values[each.key])) for values in both) for each in _pictured(advice)]
    return [checked.assumption.words, became(advice, checked), *cells]


def _listed(words: Sequence[str]) -> str:
    return f"{'; '.join(words[:-1])}; or {words[-1]}"


def _setup(advice: Advice) -> Iterator[tuple[str, str]]:
    question = advice.question
    begin, end = timing(question)
    counts = question.counts
    yield (
        "Link",
        f"{question.rate} towards the users, {question.up or question.rate} from them, a queue in each direction",
    )
    yield (
        "Users",
        ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
        + ". RFC 7928, section 9.1, names such a mix, without numbers: the shares are ours unless you gave them",
    )
    yield (
        "Calls",
        "speech of 50 packets of 200 bytes per second, and video of up to 1.5 Mb/s that adapts to the network",
    )
    yield "Pages", "2,652 kB in 71 objects, over six connections, a mean pause of 15 s (HTTP Archive, Web Almanac 2024)"
    yield "Videos", "ten bitrates up to 5.8 Mb/s, chosen by the throughput, from a buffer of 20 s"
    yield (
        "Rule",
        (
            "the measures decide in their order. A contender stays if its mean is worse than the best one by no more "
            "than the margin. It is worse if the difference, seed by seed, is larger than the margin and its interval "
            "excludes zero; if the interval includes zero, it is undecided. Only contenders that stay are compared "
            f"by the next measure. The intervals hold jointly with {100 * LEVEL:.0f} % over all contenders, measures "
            "and stages"
        ),
    )
    for place, measure in enumerate(advice.measures, 1):
        yield f"Measure {place}", f"{measure.words}. No difference up to {measure.why}"
    yield "Simplest", SIMPLEST_FIRST.rstrip(".")
    yield "Senders", "Linux 6.18 with " + ", ".join(question.laws)
    yield "Runs", f"{advice.runs} runs of {end:g} s; the first {begin:g} s are excluded"
    yield (
        "Seeds",
        (
            f"5 to screen all contenders, then up to {advice.contest.seeds} for those that were not worse (at most "
            f"{advice.most} are allowed); in the same way for each changed question"
        ),
    )
    yield (
        "Shaping",
        (
            f"managed queues send at {100 * question.shaping:g} % of the rate, so that packets wait there and not in "
            "the modem; drop-tail is the queue of the link itself, at its full rate"
        ),
    )
