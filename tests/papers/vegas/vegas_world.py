"""Synthetic runs of competing Reno and Vegas clients for which most claims hold, and what makes each claim fail."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tests.support.worlds import World, put, runs_of

from ackclock.papers.core.evidence import Runs
from ackclock.papers.vegas.evidence import by_part, places
from ackclock.papers.vegas.experiment import OPEN, POISSON, TRANSFERS, Place
from ackclock.papers.vegas.study import PAPER
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.worlds import Change

    Values = dict[str, float]

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


def ratio(new: float, **at: Any) -> Change:
    """Return a function that changes the ratio of Vegas' goodput to Reno's."""
    return put("places", "ratio", new, **at)


SMALL, LARGE = (10, 50), (500, 1500, 3000)
N = Verdict.NOT

WORSE: list[tuple[str, Verdict, Sequence[Change]]] = [
    ("F-1", N, [ratio(0.5, start=1)]),
    ("F-2", N, [ratio(0.5, start=1)]),
    ("F-3", N, [ratio(0.95), ratio(0.2, buffer=LARGE)]),
    ("F-4", N, [ratio(0.5, buffer=SMALL)]),
    ("M-1", N, [ratio(0.95, pair=True)]),
    ("M-2", N, [ratio(0.5, pair=True)]),
    ("M-3", N, [put("places", "vegas_held", 100.0)]),
    ("M-4", N, [ratio(2.0, buffer=3000)]),
    ("M-5", N, [ratio(0.1, gateway="RED")]),
    ("W-1", N, [put("places", "vegas_rtt_least", 0.1)]),
    ("W-2", N, [ratio(0.1, start=1)]),
    ("W-3", N, [ratio(1.0, start=1)]),
    ("W-4", N, [ratio(0.5, load=0.6)]),
    ("W-5", N, [ratio(0.9, buffer=1500)]),
    ("W-6", N, [ratio(0.9, application=OPEN)]),
    ("W-7", N, [ratio(0.9, application=OPEN)]),
    ("W-8", N, [ratio(1.0, start=1)]),
    ("W-9", N, [ratio(0.5, base_rtt="minimum", buffer=SMALL), ratio(1.5, base_rtt="minimum", buffer=(150, *LARGE))]),
    ("W-10", N, [put("places", "vegas_completion", 1.0), ratio(2.0, application=TRANSFERS)]),
    ("O-1", N, [put("places", "queue_sd", 1.0)]),
    ("O-2", N, [put("places", "vegas_window_cov", 0.9)]),
    ("O-3", N, [put("places", "vegas_loss", 0.03)]),
]

RUNS = Runs({"places": runs_of([asdict(place) for place in places()], lambda where: world(Place(**where)))})
WORLD = World(paper=PAPER, runs=RUNS, worse=WORSE, derived=by_part, ns2=by_part(RUNS), best={"F-3": Verdict.PARTLY})
