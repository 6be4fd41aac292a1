"""What the authors left for later: background traffic from low to high load, and a wireless last hop.

The last hop, from B to the receiver, is wireless in one of three ways. It loses packets at random; or in bursts, with
the same share lost (a Gilbert-Elliott channel that loses everything while it is bad); or its rate changes. No trace of
a real one is at hand, so one is made: a Markov chain that stays at a rate for an exponential time and then takes one
of the others, each as likely, scaled to its mean. ACKs return over a wire: only what happens to data changes.

In all runs the connection has data without end, except where another reading is named, and the background is the
paper's.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.analysis.models import mathis
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.parts import Part, Spot
from ackclock.papers.selfsimilar.experiment import (
    BOTTLENECK,
    CONSTANT,
    DEFINITION,
    DURATION,
    ENDS,
    GREEDY,
    PACKET,
    VARIANTS,
    Setting,
    Variant,
    efficiency,
    flow_counts,
    scenario,
)
from ackclock.scenario import DropTail, GilbertElliott, GraphLink, RandomLoss
from ackclock.scenario.rate_trace import RateTrace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.papers.core.evidence import Row
    from ackclock.papers.core.parts import Taken
    from ackclock.running.run import Run
    from ackclock.scenario import Scenario

LOADS: Final = (5, 15, 25, 40, 55, 70, 85, 100)  # on/off sources, which offer 0.05 to 0.96 of the bottleneck's rate
MILLION: Final = 1_000_000
LOSSES: Final = (10, 100, 1000, 3000, 10_000, 30_000)  # packets of a million that the last hop loses
RANDOM, BURSTS, RATES, STEPS = "random", "bursts", "rate", "steps"
"""How the last hop is wireless: losses, losses in bursts, a rate that changes; and a few given steps, as in ns-2."""

BURST: Final = 5  # packets that a burst loses on average
MEAN_RATE: Final = 4_000_000  # bit/s of a last hop whose rate changes: less than the background leaves the connection
BUFFER: Final = 40  # packets that such a hop holds: about what is in flight in a round trip
DWELLS: Final = (0, 100, 1000, 10_000)  # milliseconds at a rate on average; 0 for a rate that does not change
RTT: Final = 0.0755  # seconds of a round trip without a queue, transmissions included

_LEVELS: Final = (0.8, 2.4, 4.8, 8.0)  # Mbit/s, before they are scaled to `MEAN_RATE`
_STEPPED: Final = (("0 s", "8 Mbps"), ("30 s", "2 Mbps"), ("60 s", "4 Mbps"))
_LOST: Final = "drops@B->y"


def lossy(kind: str, amount: int) -> RandomLoss | GilbertElliott:
    """Give losses of so many packets of a million, at random or in bursts of `BURST` on average."""
    share = amount / MILLION
    if kind == RANDOM:
        return RandomLoss(probability=share)
    return GilbertElliott(to_bad=share / (1 - share) / BURST, to_good=1 / BURST)


def course(dwell: int, seed: int) -> RateTrace:
    """Make the trace of a rate that changes: a Markov chain over the whole run, with the mean `MEAN_RATE`.

    `dwell` is the mean time at a rate, ms; 0 for a rate that does not change.
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


def hop_scenario(variant: Variant, kind: str, amount: int = 0, seed: int = 0) -> Scenario:
    """Give the paper's network with a wireless last hop of a kind, such as `RANDOM`, to the receiver, and a wire back.

    `amount` is the number of packets lost of a million, or the mean time at a rate, ms; `seed` is of the rate's trace.
    """
    whole = scenario(Setting(reading=GREEDY, variant=variant))
    last = whole.links[2]
    ends: dict[str, Any] = {"delay": last.delay, "duplex": False}
    if kind in (RANDOM, BURSTS):
        wireless: dict[str, Any] = {"rate": last.rate, "loss": lossy(kind, amount)}
    else:
        trace = RateTrace(steps=_STEPPED) if kind == STEPS else course(amount, seed)
        wireless = {"rate_trace": trace, "queue": DropTail(packets=BUFFER)}
    there = GraphLink(from_=last.from_, to=last.to, **ends, **wireless)
    back = GraphLink(from_=last.to, to=last.from_, rate=last.rate, **ends)
    return whole.model_copy(update={"links": (*whole.links[:2], there, back)})


def last_hop_parts() -> list[Part]:
    """Give the runs: all of one seed have the same background, and the same rates of the last hop."""
    settings = [
        Setting(reading=reading, variant=variant, sources=count)
        for reading in (GREEDY, CONSTANT)
        for variant in VARIANTS
        for count in LOADS
    ]
    load = [Spot(where={**one.where, "sources": one.sources}, scenario=scenario(one)) for one in settings]
    losses = [
        Spot(
            where={"kind": kind, "variant": name, "lost_of_a_million": amount},
            scenario=hop_scenario(variant, kind, amount),
        )
        for kind in (RANDOM, BURSTS)
        for variant, name in VARIANTS.items()
        for amount in LOSSES
    ]
    rates = [
        Spot(
            where={"variant": name, "stay_ms": dwell},
            scenario=hop_scenario(variant, RATES, dwell),
            drawn=partial(hop_scenario, variant, RATES, dwell),
        )
        for variant, name in VARIANTS.items()
        for dwell in DWELLS
    ]
    steps = [Spot(where={"variant": name}, scenario=hop_scenario(one, STEPS)) for one, name in VARIANTS.items()]
    hops = {"losses": losses, "rates": rates, "steps": steps}
    return [
        Part(name="load", spots=load, take=over_load, record=(ENDS,)),
        *(Part(name=name, spots=spots, take=over_hop, record=(ENDS, _LOST)) for name, spots in hops.items()),
    ]


def over_load(run: Run) -> Taken:
    """Take what became of the connection, and the ``load`` that the background offers, a share of the link's rate."""
    background = run.summary.groups["background"]
    return _outcome(run, 0) | {"load": background.arrivals * 8 * PACKET / (BOTTLENECK * DURATION)}


def over_hop(run: Run) -> Taken:
    """Take what became of the connection over a last hop."""
    return _outcome(run, run.table("drops").num_rows)


def _outcome(run: Run, lost: int) -> dict[str, float | None]:
    """Take the counts of Table 2, and what follows of them, where the last hop lost so many packets.

    ``goodput`` counts packets that the receiver had not yet, as Mb/s of their 1000 bytes; ``loss`` is the share of the
    packets sent that is lost anywhere; ``efficiency`` is the paper's.
    """
    counts = flow_counts(run, lost=lost)
    flow = run.summary.groups["flow"]
    return {
        **counts,
        "goodput": (counts["arrivals"] - flow.duplicates) * 8 * PACKET / DURATION / MILLION,
        "loss": counts["drops"] / flow.arrivals if flow.arrivals else None,
        "efficiency": efficiency(counts),
    }


def _to_mathis(row: Row) -> float | None:
    """Divide goodput by the prediction of Mathis et al. for the loss and the empty round trip; None without a loss."""
    values: Mapping[str, float | None] = row.values
    loss, goodput = values["loss"], values["goodput"]
    if not loss or goodput is None:
        return None
    return goodput * MILLION / 8000 / float(mathis(p=loss, rtt=RTT).rate)


GOODPUT = DEFINITION.measure("goodput")
LOSS = DEFINITION.measure("loss")
RETRANSMISSIONS = DEFINITION.measure("retransmissions")
TIMEOUTS = DEFINITION.measure("timeouts")
EFFICIENCY = DEFINITION.measure("efficiency")
ARRIVALS = Measure("arrivals", "packets delivered", digits=0)
TO_MATHIS = DEFINITION.measure("to_mathis", of=_to_mathis)
