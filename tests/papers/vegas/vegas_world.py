"""Synthetic runs of competing Reno and Vegas clients for which most claims hold, and functions that change them."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both
from ackclock.papers.vegas.evidence import by_part, places
from ackclock.papers.vegas.experiment import OPEN, POISSON, TRANSFERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.papers.core.evidence import Row
    from ackclock.papers.vegas.experiment import Place

    Values = dict[str, float]
    Where = Callable[[Place], bool]
    Change = Callable[[Place, Values], Values]

SEEDS = (1, 2, 3)

# Ratio of Vegas' goodput to Reno's by buffer: above 1 with a small buffer, below 1 with a large one.
RATIOS = {10: 1.4, 50: 1.2, 150: 1.0, 500: 0.6, 1500: 0.3, 3000: 0.2}


def world(place: Place) -> Values:
    """Make a synthetic run of a point."""
    ratio = RATIOS[place.buffer]
    if place.pair:
        ratio = {10: 1.2, 50: 0.5, 150: 0.2, 500: 0.1, 1500: 0.05, 3000: 0.02}[place.buffer]
    elif place.load < 1 and place.application == POISSON:
        ratio = 1.0
    elif place.application == POISSON and place.buffer >= 1500 and place.vegas >= 30:
        ratio = (25000 / 6 - (60 - place.vegas) * 100) / place.vegas / 100
    elif place.application == TRANSFERS and place.buffer <= 50:
        ratio = 0.95
    elif place.buffer >= 500 and not place.start and place.application != TRANSFERS:
        ratio *= 0.5
    if place.application == OPEN and place.buffer >= 1500 and not place.pair:
        ratio *= 0.2
    if place.start == 1 and place.vegas in (20, 40) and place.buffer == 1500:
        ratio = 0.95
    ratio = 1.3 * ratio + 0.03 if place.gateway == "RED" else ratio
    ratio *= 1.2 if place.base_rtt == "minimum" and place.buffer <= 50 else 1.0
    ratio += 0.2 if place.whole else 0.0
    ratio += 0.2 if place.ties else 0.0
    full = place.start > 0 if place.vegas != 20 else place.start == 1
    return {
        "ratio": ratio,
        "share": 0.4,
        "jain_between": 0.9,
        "utilization": 1.0,
        "queue_mean": place.buffer / 2,
        "queue_sd": place.buffer / 10 / place.vegas,
        "queue_met": 300.0 if full else 100.0,
        "vegas_rtt_least": 0.3 if full else 0.12,
        "reno_rtt_least": 0.1,
        "reno_goodput": 70.0,
        "vegas_goodput": 70 * ratio,
        "reno_held": place.buffer / 50,
        "vegas_held": place.buffer / 500,
        "reno_loss": 0.02,
        "vegas_loss": 0.01,
        "reno_timeouts": 0.4,
        "vegas_timeouts": 0.1,
        "reno_window": 15.0,
        "vegas_window": 8.0,
        "reno_window_cov": 0.5,
        "vegas_window_cov": 0.2,
        "reno_jain": 0.99,
        "vegas_jain": 0.95,
        "reno_completion": 2.0,
        "vegas_completion": 3.0,
    }


@cache
def _coordinates() -> Sequence[tuple[Place, Mapping[str, Any]]]:
    """List the coordinates of the points once, since making the dictionaries takes most of the time."""
    return [(place, asdict(place)) for place in places()]


@lru_cache(maxsize=4)
def side(*changes: Change) -> Runs:
    """Make the runs of every point, which differ by a millionth between seeds."""
    made = []
    for place, where in _coordinates():
        values = world(place)
        for change in changes:
            values = change(place, values)
        made += [
            Run(
                where=where,
                seed=seed,
                values={name: value * (1 + 1e-6 * seed) for name, value in values.items()},
            )
            for seed in SEEDS
        ]
    return by_part(Runs({"places": made}))


def evidence(*changes: Change) -> Both:
    """Return the evidence for judging: changed runs of ours, and unchanged runs of ns-2."""
    return Both(ours=side(*changes), ns2=side())


def unsteady(whole: Both) -> Both:
    """Let our runs differ so much between seeds that no interval excludes any value."""
    spread = {1: 0.1, 2: 1.0, 3: 10.0}
    return each(whole, lambda row: {name: value * spread[row.seed] for name, value in row.values.items()})


def once(whole: Both) -> Both:
    """Keep one run of each point."""
    return replace(whole, ours=by_part(Runs({"places": [row for row in whole.ours.part("places") if row.seed == 1]})))


def each(whole: Both, change: Callable[[Row], Values]) -> Both:
    """Change the values of each of our runs."""
    rows = [Run(where=row.where, seed=row.seed, values=change(row)) for row in whole.ours.part("places")]
    return replace(whole, ours=by_part(Runs({"places": rows})))


def put(name: str, new: float | Callable[[Place], float], at: Where = lambda _: True) -> Change:
    """Return a function that changes a number at some points."""

    def change(place: Place, values: Values) -> Values:
        number = new(place) if callable(new) else new
        return {**values, name: number} if at(place) else values

    return change


def beside(**chosen: object) -> Where:
    """Return a condition that selects points with the given properties."""
    return lambda place: replace(place, **chosen) == place  # type: ignore[arg-type]
