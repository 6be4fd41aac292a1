"""Figures 5 to 12 over many seeds: how far chance moves what one run shows, and whether two simulators agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.papers.burstiness.experiment import ADVERTISED_WINDOW, DROPS
from ackclock.papers.burstiness.windows import CLIENTS_SHOWN, UNIT, Trace, effective, numbers
from ackclock.papers.comparison import STANDARD_ERRORS, Rule, compare
from ackclock.papers.core.evidence import Run as Observed
from ackclock.papers.observation import Observation
from ackclock.report.html import Statement, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.papers.comparison import Comparison
    from ackclock.papers.core.evidence import Row, Scalar, Side
    from ackclock.running.run import Run

SEEDS = range(1, 21)
"""The seeds that each figure is run with."""

SEED = SEEDS[0]
"""The one run that is drawn line by line."""

QUANTILES = (0.1, 0.5, 0.9)
"""Where the band of a figure begins, its middle line, and where it ends."""


_RANGE = (0.05, 0.95)
"""The part of the seeds whose values the tables give beside the mean."""

RECORDS = (
    f"windows@{','.join(str(client - 1) for client in CLIENTS_SHOWN)}/{UNIT:g}s",
    DROPS,
)

_LEAST = 0.01
"""Seconds, packets or times that two means may differ by where chance moves neither."""


def _rule(title: str, measure: str) -> Rule:
    return Rule(title=title, measure=lambda run: run.values[measure], relative=0, absolute=_LEAST)


COURSE_RULES = (
    _rule("first loss, s", "first_loss"),
    _rule("last loss, s", "last_loss"),
    _rule("first fall, s", "first_fall"),
    _rule("last fall, s", "last_fall"),
    _rule("falls", "falls"),
    _rule("all three fall together, times", "together"),
    _rule("the last time they do, s", "last_together"),
    _rule("highest before the first fall, packets", "before_first_fall"),
    _rule("lowest from then on, packets", "lowest"),
    _rule("highest, packets", "highest"),
    _rule("mean, packets", "mean"),
)
"""What is compared of each figure: everything in `numbers`, at three standard errors and hardly more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Band:
    """Where the effective windows of `CLIENTS_SHOWN` lie over all seeds, sample by sample.

    Parameters
    ----------
    units
        When the windows were sampled, in units of `UNIT`.
    low, middle, high
        The `QUANTILES` of the effective window in packets at each of them, over seeds and clients.

    """

    units: NDArray[np.int64]
    low: NDArray[np.float64]
    middle: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Courses:
    """The runs of one figure.

    Parameters
    ----------
    drawn
        The windows of the run with `SEED`.
    band
        Where those of all runs lie.
    runs
        What `numbers` makes of each run, in the order of the seeds.

    """

    drawn: Trace
    band: Band
    runs: Sequence[Observation]


def course(run: Run) -> Mapping[str, Any]:
    """Take what three clients' windows did, as `ackclock.papers.burstiness.windows.numbers`, and the windows."""
    table = run.table("windows")
    flows, windows = table["flow"].to_numpy(), table["cwnd"].to_numpy()
    by_client = {client: windows[flows == client - 1] for client in CLIENTS_SHOWN}
    units = np.arange(by_client[CLIENTS_SHOWN[0]].size)
    return followed(Trace(units=units, windows=by_client), run.table("drops")["time"].to_numpy())


def followed(trace: Trace, losses: NDArray[np.float64]) -> Mapping[str, Any]:
    """Give the numbers of a run, from its windows and the times of its losses, and the windows themselves."""
    windows = {_name(client): window for client, window in trace.windows.items()}
    return {**numbers(trace, losses), "units": trace.units, **windows}


def _name(client: int) -> str:
    return f"client_{client}"


def bands(rows: Sequence[Row]) -> list[Row]:
    """Give the quantiles of the effective windows of all runs at each point."""
    points: dict[tuple[tuple[str, Scalar], ...], list[Row]] = {}
    for row in rows:
        points.setdefault(tuple(row.where.items()), []).append(row)
    return [_band(runs) for runs in points.values()]


def _band(runs: Sequence[Row]) -> Row:
    windows = np.stack([effective(run.values[_name(client)]) for run in runs for client in CLIENTS_SHOWN])
    lines = zip(QUANTILES, np.quantile(windows, QUANTILES, axis=0), strict=True)
    values = {"units": runs[0].values["units"], **{f"quantile_{share:g}": line for share, line in lines}}
    return Observed(where=runs[0].where, seed=SEED, values=values)


def drawn_alone(rows: Sequence[Row]) -> list[Row]:
    """Leave the windows of all runs out except the one that is drawn."""
    return [
        row
        if row.seed == SEED
        else Observed(
            where=row.where,
            seed=row.seed,
            values={name: value for name, value in row.values.items() if not isinstance(value, np.ndarray)},
        )
        for row in rows
    ]


def courses_of(side: Side, variant: str, clients: int) -> Courses:
    """Read the runs of one figure."""

    def there(part: str) -> list[Row]:
        return [row for row in side.part(part) if row.where == {"variant": variant, "clients": clients}]

    runs, (band,) = there("windows"), there("bands")
    drawn = next(run for run in runs if run.seed == SEED)
    low, middle, high = (band.values[f"quantile_{share:g}"] for share in QUANTILES)
    return Courses(
        drawn=Trace(
            units=drawn.values["units"].astype(np.int64),
            windows={client: drawn.values[_name(client)] for client in CLIENTS_SHOWN},
        ),
        band=Band(units=band.values["units"].astype(np.int64), low=low, middle=middle, high=high),
        runs=[Observation(variant=variant, clients=clients, seed=run.seed, values=run.values) for run in runs],
    )


def courses_table(ours: Courses, theirs: Courses) -> Table:
    """Lay the numbers of one figure out, ours and ns-2's, and whether they agree."""
    places = {place.rule.title: place for place in compare(ours.runs, theirs.runs, COURSE_RULES)}
    agreeing = sum(place.agrees for place in places.values())
    return Table(
        caption=f"Mean and, in brackets, the range of 90 % of {len(ours.runs)} seeds: losses of any client at the "
        f"gateway, and the effective windows (at most {ADVERTISED_WINDOW} packets) of clients "
        f"{', '.join(map(str, CLIENTS_SHOWN))} in samples of {UNIT:g} s. A window has fallen where it is smaller by "
        f"half a packet or more than at the sample before.{_zeros(ours.runs, theirs.runs)} Means agree within "
        f"{STANDARD_ERRORS} standard errors (s.e.) of their difference: {agreeing} of {len(places)} do",
        head=["", "Ackclock", "ns-2.35", "difference", "agrees"],
        rows=[
            [
                rule.title,
                *(_spread(rule.measure, side.runs) for side in (ours, theirs)),
                *(_verdict(places[rule.title]) if rule.title in places else ["", ""]),
            ]
            for rule in COURSE_RULES
        ],
    )


def _zeros(ours: Sequence[Observation], theirs: Sequence[Observation]) -> str:
    """Tell where a window of 0 comes from, if any run has one."""
    here, there = (sum(run.values["lowest"] == 0 for run in side) for side in (ours, theirs))
    if not here and not there:
        return ""
    # Of ns-2's runs with the seeds 1 to 20 and every window sampled, 11 have one, 0.2 to 0.8 s long; of ours, 10.
    return (
        f" A window of 0 is a slip of ns-2's Vegas (stale_records), for less than a second after a timeout: with 60 "
        f"clients one of them has it in about every second run of either simulator; these three, in {here} of "
        f"{len(ours)} here and {there} of {len(theirs)} there."
    )


def _spread(measure: Callable[[Observation], float | None], runs: Sequence[Observation]) -> str:
    """Write mean and range over the seeds, and how many of them have the number if not all do."""
    sample = [value for run in runs if (value := measure(run)) is not None]
    if not sample:
        return "–"  # noqa: RUF001 - a dash for what is not there
    low, high = np.quantile(sample, _RANGE)
    mean = float(np.mean(sample))
    digits = 2 if mean < 10 else 1
    some = f", in {len(sample)} seeds" if len(sample) < len(runs) else ""
    return f"{mean:.{digits}f} ({low:.{digits}f} to {high:.{digits}f}{some})"


def _verdict(place: Comparison) -> list[str]:
    verdict = "yes" if place.agrees else "no"
    if not place.standard_error:
        return ["none" if not place.difference else f"{place.difference:+.2f}, the same in all seeds", verdict]
    return [f"{place.difference:+.2f} ({place.standard_errors:+.1f} s.e.)", verdict]


def courses_verdict(ours: Iterable[Courses], theirs: Iterable[Courses]) -> Statement:
    """Say how many numbers of all figures of windows agree with ns-2; both sides have two seeds or more."""
    left, right = ([run for courses in side for run in courses.runs] for side in (ours, theirs))
    places = compare(left, right, COURSE_RULES)
    agreeing = [place for place in places if place.agrees]
    varied = [place for place in places if place.standard_error]
    largest = max((abs(place.standard_errors) for place in varied), default=0.0)
    words = "go as" if len(agreeing) >= 0.95 * len(places) else "do not all go as"
    return Statement(
        lead=f"The windows {words} ns-2's.",
        text=f"Of {len(places)} means over {len({run.seed for run in left})} seeds (first and last loss, falls, "
        f"lowest, highest and mean window of Figures 5 to 12), {len(agreeing)} lie within {STANDARD_ERRORS} standard "
        f"errors of ns-2's; {len(places) - len(varied)} are the same in every run, and of the others the largest "
        f"difference is {largest:.1f} standard errors.",
    )
