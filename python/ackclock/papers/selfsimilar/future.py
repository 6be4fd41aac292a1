"""What the authors left for later: background traffic from low to high load, and a wireless last hop.

The last hop, from B to the receiver, is wireless in one of three ways. It loses packets at random; or in bursts, with
the same part lost (a Gilbert-Elliott channel that loses everything while it is bad); or its rate changes. No trace of a
real one is at hand, so one is made: a Markov chain that stays at a rate for an exponential time and then takes one of
the others, each as likely, scaled to its mean. ACKs go back over a wire: what changes is what happens to data.

In all runs the connection has data without end, except where another reading is named, and the background is the
paper's.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.papers.observation import Observation, observations_wanted
from ackclock.papers.selfsimilar.experiment import (
    BOTTLENECK,
    CONSTANT,
    DURATION,
    ENDS,
    GREEDY,
    PACKET,
    SOURCES,
    VARIANTS,
    Reading,
    Setting,
    Variant,
    efficiency,
    flow_counts,
    scenario,
    settings_wanted,
)
from ackclock.scenario import DropTail, GilbertElliott, GraphLink, RandomLoss
from ackclock.scenario.rate_trace import RateTrace
from ackclock.study import Point

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.running.run import Run
    from ackclock.scenario import Scenario
    from ackclock.study import Batch

__all__ = [
    "BUFFER",
    "BURST",
    "BURSTS",
    "DWELLS",
    "LOADS",
    "LOAD_READINGS",
    "LOSSES",
    "MEAN_RATE",
    "MILLION",
    "RANDOM",
    "RATES",
    "RTT",
    "STEPS",
    "Future",
    "Hop",
    "course",
    "gather_future",
    "hop_scenario",
    "lossy",
    "ns2_runs",
    "varying",
]

LOADS: Final = (5, 15, 25, 40, 55, 70, 85, 100)
"""On/off sources: together they offer from 0.05 to 0.96 of the bottleneck's rate."""

LOAD_READINGS: Final[tuple[Reading, ...]] = (GREEDY, CONSTANT)
"""What the connection sends over them."""

MILLION: Final = 1_000_000

LOSSES: Final = (10, 100, 1000, 3000, 10_000, 30_000)
"""Packets of a million that the last hop loses."""

RANDOM, BURSTS, RATES, STEPS = "random", "bursts", "rate", "steps"
"""How it is wireless: by losses, by losses in bursts, by a rate that changes; and a few given steps, as in ns-2."""

BURST: Final = 5
"""Packets that a burst loses on average."""

MEAN_RATE: Final = 4_000_000
"""Of a last hop whose rate changes, bit/s: less than the background leaves of the bottleneck."""

BUFFER: Final = 40
"""Packets that such a hop has room for: about what is on the way in a round trip."""

_LEVELS: Final = (0.8, 2.4, 4.8, 8.0)
"""Its rates, Mbit/s, before they are scaled to `MEAN_RATE`."""

DWELLS: Final = (0, 100, 1000, 10_000)
"""Milliseconds for which it stays at one, on average; 0 for a rate that does not change."""

RTT: Final = 0.0755
"""Seconds of a round trip without a queue, transmissions included."""

_STEPPED: Final = (("0 s", "8 Mbps"), ("30 s", "2 Mbps"), ("60 s", "4 Mbps"))
"""Steps that were run in ns-2 as well."""

_LOST: Final = "drops@B->y"


@dataclass(frozen=True, kw_only=True, slots=True)
class Hop:
    """A last hop and the sender that meets it.

    Parameters
    ----------
    variant
        The sender.
    kind
        One of `RANDOM`, `BURSTS`, `RATES` and `STEPS`.
    amount
        Packets lost of a million, or mean milliseconds at a rate.
    seed
        What a made trace is drawn by.

    """

    variant: Variant
    kind: str
    amount: int
    seed: int = 0

    @property
    def name(self) -> str:
        """What people call it, but for the amount."""
        return f"{VARIANTS[self.variant]}, {self.kind}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Future:
    """What these parts show.

    Parameters
    ----------
    runs
        Observations by part: ``load`` by the number of sources, ``losses`` by packets lost of a million, ``rates`` by
        the mean milliseconds at a rate (in place of the number of clients), ``steps``.

    """

    runs: dict[str, Sequence[Observation]]


def lossy(kind: str, amount: int) -> RandomLoss | GilbertElliott:
    """Give losses of so many packets of a million, at random or in bursts of `BURST` on average."""
    part = amount / MILLION
    if kind == RANDOM:
        return RandomLoss(probability=part)
    return GilbertElliott(to_bad=part / (1 - part) / BURST, to_good=1 / BURST)


def course(dwell: int, seed: int) -> RateTrace:
    """Make the trace of a rate that changes.

    Parameters
    ----------
    dwell
        Mean milliseconds at a rate; 0 for a rate that does not change.
    seed
        What it is drawn by.

    Returns
    -------
    RateTrace
        Rates of a Markov chain, over the whole run, with the mean `MEAN_RATE`; times are whole milliseconds.

    """
    if dwell == 0:
        return RateTrace(steps=[("0 s", f"{MEAN_RATE} bps")])
    rng = np.random.default_rng([seed, dwell])
    state, at = int(rng.integers(len(_LEVELS))), 0
    times, levels = [], []
    while at < 1000 * DURATION:
        times.append(at)
        levels.append(_LEVELS[state])
        at += max(1, round(rng.exponential(dwell)))
        state = (state + int(rng.integers(1, len(_LEVELS)))) % len(_LEVELS)
    spans = np.diff([*times, 1000 * DURATION])
    scale = MEAN_RATE / np.average(levels, weights=spans)
    return RateTrace(
        steps=[(f"{time} ms", f"{round(scale * level)} bps") for time, level in zip(times, levels, strict=True)]
    )


def hop_scenario(hop: Hop) -> Scenario:
    """Give the paper's network with a wireless last hop to the receiver, and a wire back."""
    whole = scenario(Setting(reading=GREEDY, variant=hop.variant))
    last = whole.links[2]
    back = GraphLink(from_=last.to, to=last.from_, rate=last.rate, delay=last.delay, duplex=False)
    if hop.kind in (RANDOM, BURSTS):
        there = GraphLink(
            from_=last.from_,
            to=last.to,
            rate=last.rate,
            delay=last.delay,
            loss=lossy(hop.kind, hop.amount),
            duplex=False,
        )
    else:
        there = GraphLink(
            from_=last.from_,
            to=last.to,
            rate_trace=RateTrace(steps=_STEPPED) if hop.kind == STEPS else course(hop.amount, hop.seed),
            delay=last.delay,
            queue=DropTail(packets=BUFFER),
            duplex=False,
        )
    return whole.model_copy(update={"links": (*whole.links[:2], there, back)})


def varying(seed: int) -> list[Hop]:
    """Give the hops whose rate changes by the traces of a seed."""
    return [Hop(variant=variant, kind=RATES, amount=dwell, seed=seed) for variant in VARIANTS for dwell in DWELLS]


def gather_future(batch: Batch, *, seeds: Sequence[int]) -> Callable[[], Future]:
    """Ask for all runs.

    Parameters
    ----------
    batch
        Where to ask.
    seeds
        The seeds of the runs: all of one seed have the same background, and the same rates of the last hop.

    Returns
    -------
    Callable
        Gives what they show once the batch has run. ``goodput`` counts packets that the receiver had not yet, as Mb/s
        of their 1000 bytes; ``loss`` is the part of the packets sent that is lost anywhere; ``efficiency`` is the
        paper's. Of the background, ``load`` is the part of the bottleneck's rate that it offers.

    """
    settings = [
        Setting(reading=reading, variant=variant, sources=count)
        for reading in LOAD_READINGS
        for variant in VARIANTS
        for count in LOADS
    ]
    load = batch.add(settings_wanted(settings, seeds=seeds, take=_over_load))
    hops = [
        Hop(variant=variant, kind=kind, amount=amount)
        for kind in (RANDOM, BURSTS)
        for variant in VARIANTS
        for amount in LOSSES
    ]
    stepped = [Hop(variant=variant, kind=STEPS, amount=0) for variant in VARIANTS]
    losses, steps = (_hops(batch, some, seeds) for some in (hops, stepped))
    rates = [_hops(batch, varying(seed), [seed]) for seed in seeds]
    return lambda: Future(
        runs={"load": load(), "losses": losses(), "rates": [run for made in rates for run in made()], "steps": steps()}
    )


def _hops(batch: Batch, hops: Sequence[Hop], seeds: Sequence[int]) -> Callable[[], list[Observation]]:
    return batch.add(
        observations_wanted(
            hops,
            where=lambda hop: (hop.name, hop.amount),
            point=lambda hop: Point(
                name=f"{hop.name}, {hop.amount}, {hop.seed}", scenario=hop_scenario(hop), work=SOURCES
            ),
            seeds=seeds,
            take=_over_hop,
            record=(ENDS, _LOST),
        )
    )


def _over_load(run: Run) -> Mapping[str, float | None]:
    background = next(group for group in run.summary.groups if group.name == "background")
    return _outcome(run, 0) | {"load": background.arrivals * 8 * PACKET / (BOTTLENECK * DURATION)}


def _over_hop(run: Run) -> Mapping[str, float | None]:
    return _outcome(run, run.table("drops").num_rows)


def _outcome(run: Run, lost: int) -> dict[str, float | None]:
    """Take what became of the connection, of whose packets the last hop lost so many."""
    counts = flow_counts(run, lost=lost)
    flow = next(group for group in run.summary.groups if group.name == "flow")
    return {
        **counts,
        "goodput": (counts["arrivals"] - flow.duplicates) * 8 * PACKET / DURATION / MILLION,
        "loss": counts["drops"] / flow.arrivals if flow.arrivals else None,
        "efficiency": efficiency(counts),
    }


def ns2_runs() -> list[Observation]:
    """Read what ns-2 measured of such last hops; `data/README.md` tells how."""
    path = files("ackclock.papers.selfsimilar").joinpath("data", "last_hop.csv")
    names: dict[str, Variant] = {str(variant): variant for variant in VARIANTS}
    found = []
    for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
        hop = Hop(variant=names[row.pop("variant")], kind=row.pop("kind"), amount=int(row.pop("amount")))
        seed = int(row.pop("seed"))
        values = {name: float(value) for name, value in row.items()}
        found.append(Observation(variant=hop.name, clients=hop.amount, seed=seed, values=values))
    return found
