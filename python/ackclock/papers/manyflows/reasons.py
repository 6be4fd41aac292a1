"""Errors of the formulas of Padhye et al.: the causes that section 3 names, each removed in turn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ackclock.analysis import loss_events
from ackclock.analysis.models import pftk
from ackclock.analysis.models.pftk import timeout_share, window_and_rounds
from ackclock.papers.core.parts import Part, Taken
from ackclock.papers.manyflows.experiment import ISDN, PACKET_SIZE, PROFILE, T1, Setting, grid_setting, part, scenario
from ackclock.papers.manyflows.padhye import MODELS, RECORD, Flows, flows_of, predicted, topology
from ackclock.papers.manyflows.places import WITH, WITHOUT, Cell
from ackclock.running.run import Run, simulate
from ackclock.scenario import Clients, Dumbbell, Greedy, Link, ListedLoss, Measure, Scenario
from ackclock.scenario.network import mean_rate
from ackclock.values.quantity import seconds

Flags = NDArray[np.bool_]
Reals = NDArray[np.float64]

AS_IT_IS = "as it is"
ALONE = "constant round trips"
INDEPENDENT = "independent losses"
FIRSTS = "first losses counted"
NO_SLOW_START = "without slow start"
EXACT = "the model's process"
ALL = "process, losses, round trips"
ACKS_LOST = "a tenth of the ACKs lost"
WAYS = (AS_IT_IS, FIRSTS, ALONE, INDEPENDENT, NO_SLOW_START, EXACT, ALL, ACKS_LOST)  # removed or added causes

PLACES = tuple(
    grid_setting(link, 300, flows, fraction=fraction)
    for fraction in (0.0, 0.1)
    for link in (ISDN, T1)
    for flows in (60, 300)
)  # one point of each topology, without processing times and with them

_MOST = 40  # largest number of flows of a run that are run again alone
_LONGER = 4  # a flow that runs alone gets the recorded losses this many times in sequence
_ACK = 40  # bytes of an ACK
_REVERSE = 10  # buffer of the return path that loses a tenth of the ACKs, in ACKs


def reason_parts() -> list[Part]:
    """Return the parts at `PLACES`: unchanged, and with a return path that carries nine tenths of the ACKs.

    The values are the medians over the flows of the ratio of predicted to sent packets, by ``"FORMULA, WAY"``. The
    unchanged runs also have the numbers of ACKs ``acks_lost`` and ``reordered``.
    """
    cells: list[Cell] = [
        ({"processing": WITH if setting.overhead else WITHOUT, "topology": topology(setting)}, setting)
        for setting in PLACES
    ]
    links = "bottleneck,bottleneck.reverse"
    return [
        part("reasons", cells, plain, record=(*RECORD, f"packets@{links}")),
        part("narrow", cells, narrow, record=(*RECORD, "queue@bottleneck.reverse/1s"), network=_with_narrow_reverse),
    ]


def _medians(way: str, flows: Flows, *, sent: Reals | None = None) -> dict[str, float | None]:
    """Return the median ratio of predicted to sent packets for each formula; `sent` replaces the flows' rates."""
    usable = flows.usable
    counted = (flows.sent if sent is None else sent)[usable]
    return {f"{model}, {way}": float(np.median(predicted(flows.chosen(usable), model) / counted)) for model in MODELS}


def plain(run: Run) -> Taken:
    """Return the medians with each cause of errors removed in turn."""
    flows, random = flows_of(run), np.random.default_rng(run.seed)
    packets = run.table("packets")
    link, event, kind = (
        packets[name].cast("string").to_numpy(zero_copy_only=False) for name in ("link", "event", "kind")
    )
    whose, begin = packets["flow"].to_numpy(), seconds(run.scenario.measure.from_ or "")
    come = (link == "bottleneck") & ((event == "enqueue") | (event == "drop")) & (packets["time"].to_numpy() >= begin)
    usable = np.flatnonzero(flows.usable)
    lost = [(event == "drop")[come & (whose == flow)] for flow in usable[:: math.ceil(usable.size / _MOST)]]
    own = [np.tile(losses, _LONGER) for losses in lost]
    chance = _alone(run, [random.random(losses.size) < losses.mean() for losses in own], flows)
    back = (link == "bottleneck.reverse") & (event == "receive")
    return {
        **_medians(AS_IT_IS, flows),
        **_medians(FIRSTS, replace(flows, loss=_first_losses(run, flows))),
        **_medians(ALONE, _alone(run, own, flows)),
        **_medians(INDEPENDENT, chance),
        **_medians(NO_SLOW_START, flows, sent=_beyond_slow_start(run, flows)),
        **_by_process(EXACT, flows),
        **_by_process(ALL, chance),
        "acks_lost": float(((kind == "ack") & (event == "drop")).sum()),
        "reordered": float(_steps_back(whose[back], packets["segment"].to_numpy()[back])),
    }


def _first_losses(run: Run, flows: Flows) -> Reals:
    """Return the model's `p` for each flow: the share of its packets that are the first loss in a round trip."""
    drops, begin = run.table("drops"), seconds(run.scenario.measure.from_ or "")
    time, whose = drops["time"].to_numpy(), drops["flow"].to_numpy()
    length = seconds(run.scenario.duration) - begin
    share = np.zeros(flows.sent.size)
    for flow in np.flatnonzero(flows.usable).tolist():
        own = time[(whose == flow) & (time >= begin)]
        share[flow] = loss_events(own, np.full(own.size, flow), flows.rtt[flow]).size / (flows.sent[flow] * length)
    return share


def _steps_back(flow: NDArray[np.uint32], number: NDArray[np.uint64]) -> int:
    order = np.argsort(flow, kind="stable")
    flow, number = flow[order], number[order].astype(np.int64)
    return int(((np.diff(number) < 0) & (flow[1:] == flow[:-1])).sum())


def _alone(run: Run, losses: Sequence[Flags], flows: Flows) -> Flows:
    """Run flows again, each alone, with the given losses and a constant round-trip time, the mean of `flows`."""
    way = Link(rate="100 Gbps", delay=f"{round(1e6 * flows.rtt[0] / 2)} us")
    lists = [tuple((np.flatnonzero(lost) + 1).tolist()) for lost in losses if lost.any()]
    alone = Scenario(
        profile=PROFILE,
        duration=run.scenario.duration,
        packet_size=PACKET_SIZE,
        measure=Measure(from_=run.scenario.measure.from_),
        dumbbell=Dumbbell(bottleneck=way, reverse=way),
        clients=[
            Clients(
                access=Link(rate="1 Gbps", delay="0 s", loss=ListedLoss(packets=packets)),
                transport=run.scenario.groups[0].transport,
                source=Greedy(),
            )
            for packets in lists
        ],
    )
    links = ",".join(f"access.{number}" for number in range(len(lists)))
    return flows_of(simulate(alone, seed=run.seed, record=[f"drops@{links}", "windows"], jobs=1))


def _beyond_slow_start(run: Run, flows: Flows) -> Reals:
    """Return the rates of flows outside slow start, in packets per second; waiting for timers is outside.

    In slow start each ACK releases two packets. Of the time between two changes of the window, at most one round trip
    counts as slow start; the rest is waiting.
    """
    windows, begin = run.table("windows"), seconds(run.scenario.measure.from_ or "")
    flow = windows["flow"].to_numpy()
    order = np.argsort(flow, kind="stable")
    flow = flow[order]
    time, cwnd, ssthresh = (windows[name].to_numpy()[order] for name in ("time", "cwnd", "ssthresh"))
    slow = (cwnd < ssthresh) & (cwnd > 1) & (time >= begin)
    grown = slow & (np.append(0, np.diff(cwnd)) == 1) & np.append(False, flow[1:] == flow[:-1])
    step = np.append(np.where(flow[1:] == flow[:-1], np.diff(time), 0), 0)
    count, length = flows.sent.size, seconds(run.scenario.duration) - begin
    spent = np.bincount(flow, np.minimum(step, flows.rtt[flow]) * slow, minlength=count)
    packets = 2 * np.bincount(flow, grown, minlength=count)
    return (flows.sent * length - packets) / (length - spent)


def _by_process(way: str, flows: Flows) -> dict[str, float | None]:
    """Return the medians with the simulated rate of the model's process instead of the full formula.

    One factor corrects the predictions for all flows: simulated over predicted rate at the medians of the inputs.
    """
    usable = flows.chosen(flows.usable)
    p, rtt, t0 = (float(np.median(taken)) for taken in (usable.loss, usable.rtt, usable.timeout))
    off = process_rate(p=p, rtt=rtt, t0=t0) / float(pftk(p=p, rtt=rtt, t0=t0).full)
    median = float(np.median(predicted(usable, "full") / usable.sent))
    return dict.fromkeys((f"{model}, {way}" for model in MODELS), median * off)


def process_rate(*, p: float, rtt: float, t0: float, cycles: int = 400, chains: int = 64, seed: int = 1) -> float:
    """Simulate the process that the full formula approximates by mean values, and return its rate in packets/s.

    Padhye et al., sections II-A and II-B: between two loss indications the window grows by one per round, from half of
    its previous value. The period ends one round after the round with the first loss, and timeouts follow with
    probability Q(w). The window at a loss depends on the previous one and on the packets sent since; the formula uses
    the mean of each. `chains` independent chains are simulated for `cycles` loss indications each.
    """
    random = np.random.default_rng(seed)
    mean, _ = window_and_rounds(np.asarray(p), np.asarray(1.0), np.asarray(np.inf))
    window = np.full(chains, float(mean))
    sent = time = 0.0
    for _ in range(cycles):
        start, until = np.maximum(window / 2, 1), random.geometric(p, chains)
        # start + (start + 1) + ... reaches the lost packet
        rounds = np.ceil(np.sqrt((start - 0.5) ** 2 + 2 * until) - (start - 0.5))
        window = start + rounds - 1
        timeouts = random.geometric(1 - p, chains) * (random.random(chains) < timeout_share(np.asarray(p), window))
        waited = np.where(timeouts <= 6, 2.0 ** np.minimum(timeouts, 6) - 1, 63 + 64 * (timeouts - 6.0))
        sent += float((until + window - 1 + timeouts).sum())
        time += float(((rounds + 1) * rtt + waited * t0).sum())
    return sent / time


def _with_narrow_reverse(setting: Setting) -> Scenario:
    rate = f"{round(0.9 * setting.link.bps * _ACK / PACKET_SIZE)} bps"
    queue = {"kind": "droptail", "packets": _REVERSE}
    return scenario(setting).changed({"dumbbell.reverse.rate": rate, "dumbbell.reverse.queue": queue})


def narrow(run: Run) -> Taken:
    flows, reverse = flows_of(run), run.scenario.dumbbell and run.scenario.dumbbell.reverse
    if not reverse:
        raise ValueError("run: must have a dumbbell")
    queue = run.table("queue")
    late = queue["time"].to_numpy() >= seconds(run.scenario.measure.from_ or "")
    waited = float(queue["packets"].to_numpy()[late].mean()) * 8 * _ACK / mean_rate(reverse, run.scenario.duration)
    return _medians(ACKS_LOST, replace(flows, rtt=flows.rtt + waited))
