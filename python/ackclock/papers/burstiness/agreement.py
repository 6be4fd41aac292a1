"""Tell how well our engine agrees with ns-2 on the whole grid.

``python -m ackclock.papers.burstiness.agreement``: every variant, every number of clients that ns-2 was
run with, both sets of constants. Prints a line a measure, each miss with its size, and the crossover between
38 and 39 clients; exits with status 1 if a bar is missed.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.agreement import EXPLAINED, arguments_of, measures_table, missed_bars, places_table, tell
from ackclock.papers.burstiness.comparison import RULES
from ackclock.papers.burstiness.evidence import grid_wanted
from ackclock.papers.burstiness.experiment import BY_NAME, DROPS, DURATION, VARIANTS, observations_wanted
from ackclock.papers.comparison import Comparison, compare
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.observation import observed
from ackclock.study import observe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from ackclock.papers.observation import Observation
    from ackclock.running.run import Run

PROFILES = {"ns2-2.35": "", "ns2-2000": "_2000"}
"""The sets of constants that ns-2 was run with, named as our profiles, and the ends of the names of their parts."""

BARS = {"ns2-2.35": 0.95, "ns2-2000": 0.90}
"""The part of the points of each measure that must agree, by profile."""

SETTLED = 20
"""Drops in the last 10 s from which on a run has not settled."""

LEAST_P = 0.01
"""The crossover agrees unless chance would give so different a count less often than this."""

_INTRODUCTION = f"""\
# Agreement with ns-2

Made by `python -m ackclock.papers.burstiness.agreement`. A point is one variant with one number of clients.
{EXPLAINED}
Both sides have 5 seeds for each point (ns-2 has 3 under ns2-2000) and 20 in the second round. That is few where some
runs dominate, such as those with Vegas flows that starve. A run of the crossover (Reno over FIFO) has settled when
fewer than {SETTLED} packets are dropped in its last 10 s; the counts of settled seeds agree unless chance would set
them as far apart in less than {100 * LEAST_P:g} % of all cases (Fisher's exact test).

Where two kinds of client share the link: [agreement_heterogeneous.md](agreement_heterogeneous.md); where hundreds of
connections do: [agreement_manyflows.md](agreement_manyflows.md); where one meets self-similar traffic:
[agreement_selfsimilar.md](agreement_selfsimilar.md).
"""

_QUICK_CELLS = {("UDP", 10), ("Reno", 20), ("Reno", 44), ("Reno/RED", 44), ("Vegas", 60)}
_QUICK_CROSSOVER = (37, 40)


@dataclass(frozen=True, kw_only=True, slots=True)
class Crossover:
    """How many seeds had settled by the end of the run, with Reno over FIFO.

    Parameters
    ----------
    profile, clients
        Where.
    ours, theirs
        Settled seeds and all seeds, here and in ns-2.

    """

    profile: str
    clients: int
    ours: tuple[int, int]
    theirs: tuple[int, int]

    @property
    def p(self) -> float:
        """The probability of counts at least as far apart, were both the same (Fisher's exact test)."""
        from scipy.stats import fisher_exact  # noqa: PLC0415 - slow to load

        table = [[settled, runs - settled] for settled, runs in (self.ours, self.theirs)]
        return float(fisher_exact(np.array(table)).pvalue)

    @property
    def agrees(self) -> bool:
        """Whether chance may have made the difference."""
        return self.p > LEAST_P


def last_drops(run: Run) -> Mapping[str, float | None]:
    """Count the drops of the last 10 s."""
    return {"last_drops": float(np.count_nonzero(run.table("drops")["time"].to_numpy() >= DURATION - 10))}


def measured(part: str, profile: str) -> list[Observation]:
    """Read ns-2's runs of a part under one set of constants."""
    return observed(ns2_runs("burstiness").part(part + PROFILES[profile]))


def agreement(profile: str, *, seeds: int = 5, quick: bool = False, jobs: int | None = None) -> list[Comparison]:
    """Compare every measure at every point that ns-2 was run at, or at the five that show the most."""
    theirs = measured("grid", profile)
    wanted = {(run.variant, run.clients) for run in theirs}
    if quick:
        wanted &= _QUICK_CELLS
    return _compare(profile, theirs, wanted, range(1, seeds + 1), jobs)


def recheck(profile: str, *, jobs: int | None = None) -> list[Comparison]:
    """Compare the points that once missed again, with twenty seeds on both sides that were not used before.

    Five seeds of a quantity that a few runs dominate, as starved Vegas flows do, understate its standard error; a
    large difference shows again.
    """
    theirs = measured("again", profile)
    seeds = sorted({run.seed for run in theirs})
    return _compare(profile, theirs, {(run.variant, run.clients) for run in theirs}, seeds, jobs)


def _compare(
    profile: str,
    theirs: Sequence[Observation],
    wanted: AbstractSet[tuple[str, int]],
    seeds: Iterable[int],
    jobs: int | None,
) -> list[Comparison]:
    cells = [(variant.name, n) for variant in VARIANTS for n in sorted(n for name, n in wanted if name == variant.name)]
    ours = observe(grid_wanted(cells, seeds=seeds, profile=profile), jobs=jobs, label="agreement")
    return compare(ours, theirs, RULES)


def crossovers(profile: str, *, seeds: int = 12, quick: bool = False, jobs: int | None = None) -> list[Crossover]:
    """Count the seeds of Reno over FIFO that settle: fewer than `SETTLED` drops in the last 10 s.

    ns-2's file calls a run settled that has no 5-second block with 10 drops or more from 185 s on.
    """
    theirs = measured("crossover", profile)
    clients = _QUICK_CROSSOVER if quick else sorted({run.clients for run in theirs})
    reno = BY_NAME["Reno"]
    cells = observations_wanted(
        [(reno, n) for n in clients], seeds=range(1, seeds + 1), profile=profile, record=(DROPS,), take=last_drops
    )
    ours = observe(cells, jobs=jobs, label="crossover")
    return [
        Crossover(
            profile=profile,
            clients=n,
            ours=_count([(run.values["last_drops"] or 0) < SETTLED for run in ours if run.clients == n]),
            theirs=_count([bool(run.values["settled"]) for run in theirs if run.clients == n]),
        )
        for n in clients
    ]


def _count(settled: Sequence[bool]) -> tuple[int, int]:
    return sum(settled), len(settled)


def write_tables(
    profile: str, comparisons: Sequence[Comparison], crossing: Sequence[Crossover], again: Sequence[Comparison]
) -> str:
    """Write what was compared under one profile as Markdown."""
    lines = [
        f"## {profile}",
        "",
        *measures_table(RULES, comparisons, bar=BARS[profile]),
        *places_table([place for place in comparisons if not place.agrees], again),
        "",
        "| crossover: clients | settled here | in ns-2 | p | agrees |",
        "| ---: | ---: | ---: | ---: | --- |",
        *(
            f"| {at.clients} | {at.ours[0]} of {at.ours[1]} | {at.theirs[0]} of {at.theirs[1]} | {at.p:.3f} | "
            f"{'yes' if at.agrees else 'no'} |"
            for at in crossing
        ),
    ]
    return "\n".join(lines) + "\n"


def missed(profile: str, comparisons: Sequence[Comparison], crossing: Sequence[Crossover]) -> list[str]:
    """Name the bars that are missed."""
    found = [f"{profile}: {bar}" for bar in missed_bars(RULES, comparisons, bar=BARS[profile])]
    return found + [f"{profile}: crossover at {at.clients} clients, p = {at.p:.3f}" for at in crossing if not at.agrees]


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print the tables, and give the exit status: 1 if a bar is missed."""
    parser = arguments_of("burstiness", __doc__, quick="five points and a short crossover")
    parser.add_argument("--profile", choices=PROFILES, action="append", help="only this set of constants")
    given = parser.parse_args(arguments)
    texts, bars_missed = [_INTRODUCTION], []
    for profile in given.profile or PROFILES:
        comparisons = agreement(profile, seeds=given.seeds, quick=given.quick, jobs=given.jobs)
        crossing = crossovers(profile, seeds=3 if given.quick else 12, quick=given.quick, jobs=given.jobs)
        again = [] if given.quick else recheck(profile, jobs=given.jobs)
        texts.append(write_tables(profile, comparisons, crossing, again))
        bars_missed += missed(profile, comparisons, crossing)
    return tell(texts, bars_missed, markdown=given.markdown)


if __name__ == "__main__":
    sys.exit(main())
