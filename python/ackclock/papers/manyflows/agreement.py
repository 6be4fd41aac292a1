"""Tell how well our engine agrees with ns-2 where many connections share the link.

``python -m ackclock.papers.manyflows.agreement``: every point of the paper's grid, runs counted from time 0, and
two groups at unequal distances. Prints a line a measure and each miss with its size; exits with status 1 if a bar is
missed.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ackclock.papers.agreement import EXPLAINED, arguments_of, measures_table, missed_bars, places_table, tell
from ackclock.papers.comparison import compare
from ackclock.papers.manyflows import ns2
from ackclock.papers.manyflows.comparison import BAR, BIAS, GRID, WHOLE, compare_runs
from ackclock.papers.manyflows.experiment import ISDN, T1, grid_setting, settings_wanted
from ackclock.papers.manyflows.synchrony_agreement import synchronisation
from ackclock.papers.reading import along
from ackclock.study import Batch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.papers.comparison import Comparison, Rule
    from ackclock.papers.manyflows.experiment import Setting
    from ackclock.papers.manyflows.ns2 import Reference
    from ackclock.papers.observation import Observation

__all__ = ["PARTS", "Part", "agreement", "main", "recheck", "ties"]

_INTRODUCTION = f"""\
# Agreement with ns-2 where many connections share the link

Made by `python -m ackclock.papers.manyflows.agreement`. A point is a link, a W_c, a longest processing time and a
number of connections.
{EXPLAINED}
Ours are 5 seeds for each point. Those of ns-2 are a single run, which is taken to vary as ours do: with the standard
deviation s of n seeds, the standard error of the difference is s sqrt(1 + 1/n). One run on that side leaves wide
intervals: fewer points can be shown equivalent. In the second round both sides have five seeds; whether a bar is met
is judged by it where there is one. Throughput and goodput are shares of the bottleneck's rate.
"""

_TIES = """\
## Phases

Arrivals follow departures at a fixed distance, the rest of a round-trip time over one transmission, and with processing
times of up to one transmission that still decides who is served. The sinks' own links, in which nothing waits, are
therefore part of the network: they put arrivals off by 0.43 ms of 2.5 ms. Without them the near one of two groups gets
10 to 40 % more than in ns-2 at most of the unequal distances.

## Ties

Without processing times a run depends on who wins a tie. Retransmission timeouts are whole ticks of 100 ms; so are 40
transmissions of a packet on the T1 link, and 8 of them are 5 ticks on ISDN. A packet that a timer sends therefore
reaches a full buffer at the very instant of one that an ACK lets go, and there is one free place. In ns-2 it is not
chance that decides. On T1 the time of the next transmission is the last one plus 0.0025 s, rounded down a little each
time between 32 and 512 s: ACKs come early by some 1e-13 s, and the timer always loses, so that flows which time out
stay out longer (from 16 to 32 s and from 4 to 8 s the rounding goes up, and the timer always wins). On ISDN 0.0625 s is
exact in binary; of two events at one time ns-2 takes the one that was scheduled first, which is the timer. Ackclock has
exact times and breaks such ties by chance; here it has them as ns-2 does by a link detuned by one bit per second, up on
T1, down on ISDN. The table shows loss with the link detuned as in all other tables, exact, and detuned the other way.

What is left: the first 32 s of ns-2's T1 runs, in which its rounding changes sides, are not reproduced. Runs from time
0 without processing times are therefore compared with ns-2 on the detuned link, where nothing ties; beside ns-2 on the
exact link, which loses some 5 % more, they are shown without a bar. After a warm-up nothing of it is left. At unequal
distances without processing times, the points that miss are those at 16 times the distance: there packets of both
groups arrive at the same instants, and that ns-2 decides in its own way too.
"""

_AGAIN = range(11, 16)
"""The seeds with which points that missed once are run again."""

_PLACES = ((T1, 200, 200), (T1, 400, 450), (ISDN, 200, 200), (ISDN, 400, 450))
"""Points for which ties are measured: link, W_c and number of connections."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """Points that are compared by the same rules.

    Parameters
    ----------
    title
        Its heading.
    table
        Where ns-2's runs are.
    chosen
        Says which of them belong to it.
    rules
        What is compared.
    bar
        The part of the points of each measure that must agree; None where they are only shown.

    """

    title: str
    table: str
    chosen: Callable[[Setting], bool]
    rules: Sequence[Rule]
    bar: float | None = BAR

    def references(self, *, again: bool = False) -> list[Reference]:
        """Give ns-2's runs, or those of points that missed once, with other seeds."""
        return [each for each in ns2.references(self.table, again=again) if self.chosen(each.setting)]


def _processes(setting: Setting) -> bool:
    return setting.overhead > 0


def _ties(setting: Setting) -> bool:
    return not setting.overhead


PARTS = (
    Part(title="The grid, with processing times", table="grid", chosen=_processes, rules=GRID),
    Part(title="The grid, without", table="grid", chosen=_ties, rules=GRID),
    Part(
        title="The grid, without, on detuned links on both sides",
        table="detuned",
        chosen=lambda setting: setting.warm > 0,
        rules=GRID,
    ),
    Part(
        title="From time 0, with processing times",
        table="whole",
        chosen=_processes,
        rules=WHOLE,
        bar=1.0,
    ),
    Part(
        title="From time 0, ISDN, timeouts without a limit",
        table="whole",
        chosen=lambda setting: setting.link is ISDN,
        rules=WHOLE,
        bar=1.0,
    ),
    Part(
        title="From time 0, T1 without processing times, on detuned links on both sides",
        table="detuned",
        chosen=lambda setting: setting.warm == 0,
        rules=WHOLE,
        bar=1.0,
    ),
    Part(
        title="From time 0, T1 without processing times, beside ns-2 with its ties",
        table="whole",
        chosen=lambda setting: (
            setting.link is T1 and _ties(setting) and (setting.spread, setting.max_rto) == ("1 s", "64 s")
        ),
        rules=WHOLE,
        bar=None,
    ),
    Part(title="Unequal distances, with processing times", table="rtt_bias", chosen=_processes, rules=BIAS),
    Part(title="Unequal distances, without", table="rtt_bias", chosen=_ties, rules=BIAS, bar=None),
)


def agreement(
    parts: Sequence[Part] = PARTS, *, seeds: int = 5, quick: bool = False, jobs: int | None = None
) -> list[list[Comparison]]:
    """Run every point that ns-2 was run at, or every tenth one, and compare part by part; at least 2 seeds a point."""
    batch = Batch()
    theirs = [part.references()[:: 10 if quick else 1] for part in parts]
    made = [
        batch.add(settings_wanted([reference.setting for reference in some], seeds=range(1, seeds + 1)))
        for some in theirs
    ]
    batch.run(jobs=jobs, label="agreement")
    return [compare_runs(runs(), some, part.rules) for runs, some, part in zip(made, theirs, parts, strict=True)]


def recheck(parts: Sequence[Part] = PARTS, *, jobs: int | None = None) -> list[list[Comparison]]:
    """Compare the points that missed once with five seeds on both sides that were not used before, part by part."""
    batch = Batch()
    theirs = [part.references(again=True) if part.bar is not None else [] for part in parts]
    made = []
    for some in theirs:
        settings = list(dict.fromkeys(reference.setting for reference in some))
        made.append(batch.add(settings_wanted(settings, seeds=_AGAIN)))
    batch.run(jobs=jobs, label="again")
    return [
        compare(runs(), [reference.run for reference in some], part.rules)
        for runs, some, part in zip(made, theirs, parts, strict=True)
    ]


def ties(*, seeds: int = 5, jobs: int | None = None) -> list[str]:
    """Measure what ties do, and write it as lines of Markdown."""
    batch = Batch()
    made: list[tuple[Setting, list[Callable[[], list[Observation]]]]] = []
    for link, capacity, flows in _PLACES:
        setting = grid_setting(link, capacity, flows)
        ways = [replace(setting, detuned=way) for way in (link.detuned, 0, -link.detuned)]
        wanted = [settings_wanted([way], seeds=range(1, seeds + 1)) for way in ways]
        made.append((setting, [batch.add(each) for each in wanted]))
    batch.run(jobs=jobs, label="ties")
    theirs = {(run.run.variant, run.run.clients): run.run.values["loss"] for run in ns2.references("grid")}
    lines = [
        "| variant | connections | ns-2 | detuned as ns-2 rounds | exact, by chance | the other way |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for setting, runs in made:
        place = (setting.name, setting.flows)
        losses = [along(each(), setting.name, (setting.flows,), "loss")[setting.flows].mean for each in runs]
        cells = " | ".join(f"{loss:.4f}" for loss in losses)
        lines.append(f"| {setting.name} | {setting.flows} | {theirs[place]:.4f} | {cells} |")
    return lines


def _judged(comparisons: Sequence[Comparison], again: Sequence[Comparison]) -> list[Comparison]:
    """Put in the place of points that miss what came out with other seeds."""
    rechecked = {(place.rule.title, place.variant, place.clients): place for place in again}
    return [
        place if place.agrees else rechecked.get((place.rule.title, place.variant, place.clients), place)
        for place in comparisons
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print the tables, and give the exit status: 1 if a bar is missed."""
    given = arguments_of("manyflows", __doc__, quick="every tenth point").parse_args(arguments)
    found = agreement(seeds=given.seeds, quick=given.quick, jobs=given.jobs)
    rechecked = [[] for _ in PARTS] if given.quick else recheck(jobs=given.jobs)
    lines, missed = [_INTRODUCTION], []
    for part, comparisons, again in zip(PARTS, found, rechecked, strict=True):
        lines += [f"## {part.title}\n", *measures_table(part.rules, comparisons, bar=part.bar)]
        lines += places_table(
            [place for place in comparisons if not place.agrees], again, counted="connections", seeds=len(_AGAIN)
        )
        lines.append("")
        if part.bar is not None:
            judged = _judged(comparisons, again)
            missed += [f"{part.title}: {each}" for each in missed_bars(part.rules, judged, bar=part.bar)]
    together, failed = synchronisation(seeds=given.seeds, jobs=given.jobs)
    lines, missed = [*lines, *together, ""], [*missed, *failed]
    lines += [_TIES, *ties(seeds=given.seeds, jobs=given.jobs), ""]
    return tell(lines, missed, markdown=given.markdown)


if __name__ == "__main__":
    sys.exit(main())
