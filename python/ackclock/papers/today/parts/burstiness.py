"""Runs on burstiness: Poisson clients of one sender by load, queue, setting, back-off, and at 1 Gb/s.

The network is the papers' (Tinnakornsrisuphap, Feng and Philp 2000, Table 1): a bottleneck of 50 Mb/s, a round-trip
time of 100 ms, clients that offer 100 packets a second each, and a buffer of 50 packets. BBR needs up to 100 s until
flows share, so that all runs are measured from 100 s on. At 1 Gb/s the load is 1.5; the
20 s that are measured are 200 round-trip times, but only two cycles of BBR's probes of the round-trip time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from ackclock.papers.core.evidence import Scalar
from ackclock.papers.core.parts import Part, Spot, Taken
from ackclock.papers.today.aimd import Aimd
from ackclock.papers.today.senders import DEFINITION, SENDERS, THEN, UNMARKED, scenario
from ackclock.papers.today.traffic import (
    LONG_SCALES,
    SCALES,
    Array,
    arrivals,
    binned,
    ladder,
    link,
    offered,
    over_poisson,
)
from ackclock.running.run import Run
from ackclock.scenario import Scenario, Tcp

RTT: Final = 0.1
"""Round-trip time of the papers' network in seconds."""

BUFFER: Final = 50
PIPE: Final = 417
"""The bandwidth-delay product in packets."""

CLIENTS: Final = (20, 38, 44, 60, 100)
"""Numbers of clients; 42 offer as much as the bottleneck carries."""

OVERLOAD: Final = 60
"""The number of clients in the papers' heavy congestion: a load of 1.44."""

WARM: Final = 100
"""Start of the measurement in seconds."""

QUEUES: Final[Mapping[str, Mapping[str, Any]]] = {
    "FIFO": {"kind": "droptail", "packets": PIPE},
    "CoDel": {"kind": "codel", "packets": PIPE},
    "PIE": {"kind": "pie", "packets": PIPE},
    "FQ-CoDel": {"kind": "fq_codel", "packets": PIPE},
    "DualPI2": {"kind": "dualpi2", "packets": PIPE},
}
"""Today's queues, with a buffer of one bandwidth-delay product."""

ACTIVE: Final = tuple(name for name in QUEUES if name != "FIFO")

MARKING: Final = ("FQ-CoDel", "DualPI2")
"""Queues that mark packets of senders with ECN by default; the others only drop, and are not asked of DCTCP."""

UNEQUAL: Final = "round-trip times of 60 to 140 ms"
"""The setting with unequal round-trip times."""

SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "an ACK for each packet": {"options": {"delayed_ack": False}},
    "slow start without HyStart": {"options": {"slow_start": "standard"}},
    "an initial window of 3 packets": {"options": {"initial_window": 3}},
    "starts within 10 s": {"spread": "10 s"},
    UNEQUAL: {"accesses": ("5 ms", "15 ms", "25 ms", "35 ms", "45 ms")},
    "random delays of up to 1 ms": {"jitter": "1 ms"},
}
"""Settings that the verdict on heavy load may depend on, each changed alone."""

KEPT: Final = (0.3, 0.5, 0.7, 0.85)
"""Shares of the window that the law of additive increase keeps on a loss."""

STREAMS: Final = (100, 1000)
"""Numbers of clients at 1 Gb/s, with the same load."""

_BIN: Final = "1ms"
_FAST_RATE: Final = 1e9
_FAST_LOAD: Final = 1.5


def network(
    sender: str,
    clients: int,
    *,
    queue: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
    spread: str = "1 s",
    accesses: Sequence[str] = ("25 ms",),
    jitter: str | None = None,
    duration: int = 200,
) -> Scenario:
    """Make the papers' network with Poisson clients of one sender, in as many groups as there are delays of access."""
    wire = {"rate": "10 Mbps", **({"jitter": {"max": jitter}} if jitter else {})}
    groups = [
        {
            "count": clients // len(accesses),
            "spread": spread,
            "access": {**wire, "delay": delay},
            "source": {"kind": "poisson", "rate": 100},
        }
        for delay in accesses
    ]
    return scenario(
        sender,
        groups,
        options={"max_window": 20, **(options or {})} if sender == THEN.name else options or {},
        duration=f"{duration} s",
        measure={"from": f"{WARM} s"},
        dumbbell={"bottleneck": {"rate": "50 Mbps", "delay": "25 ms", "queue": dict(queue)}},
    )


def fifo(packets: int = BUFFER) -> dict[str, Any]:
    """Return a drop-tail queue."""
    return {"kind": "droptail", "packets": packets}


def fast(sender: str, clients: int, rtt: float = RTT) -> Scenario:
    """Make the network of 1 Gb/s, whose clients together offer `_FAST_LOAD` of it; half of `rtt` is on each link."""
    packet = 8 * 1500
    rate = _FAST_LOAD * _FAST_RATE / packet / clients
    delay = f"{1000 * rtt / 4:g} ms"
    groups = [
        {
            "count": clients,
            "spread": "1 s",
            "access": {"rate": "1 Gbps", "delay": delay},
            "source": {"kind": "poisson", "rate": rate},
        }
    ]
    buffer = math.ceil(_FAST_RATE * rtt / packet / math.sqrt(clients))
    return scenario(
        sender,
        groups,
        duration="30 s",
        measure={"from": "10 s"},
        dumbbell={"bottleneck": {"rate": "1 Gbps", "delay": delay, "queue": fifo(buffer)}},
    )


def traffic(run: Run) -> Taken:
    """Return the summary, the c.o.v. over Poisson's in bins of one round-trip time, and at the time scales `SCALES`."""
    counts, step = arrivals(run)
    rate = offered(run)
    return {
        **link(run),
        "cov": over_poisson(binned(counts, round(RTT / step)), rate * RTT),
        "plain_cov": over_poisson(binned(counts, round(RTT / step)), 1.0),
        "ladder": ladder(counts, step, rate, SCALES),
    }


def with_losses(run: Run) -> Taken:
    """Return `traffic`, and how often streams lose packets at the same time.

    ``joint`` is the variance of the number of flows that lose packets in the same round-trip time, divided by its value
    for flows that lose independently of each other as often as these: 1 for independent flows, n for n flows in step.
    """
    return {**traffic(run), "joint": together(run, "drops")}


def together(run: Run, *records: str) -> float | None:
    """Compute ``joint`` of `with_losses` from the events of one or more records: drops, marks."""
    tables = [run.table(record) for record in records]
    times, flow = (np.concatenate([table[name].to_numpy() for table in tables]) for name in ("time", "flow"))
    return joint(times, flow, flows=_flows(run), start=WARM, width=RTT)


def with_windows(run: Run) -> Taken:
    """Return `with_losses`, and ``window_cov``: the mean over flows of the c.o.v. of a window, sampled every RTT."""
    table = run.table("windows")
    late = table["time"].to_numpy() >= WARM
    windows = _by_flow(table["flow"].to_numpy()[late], table["cwnd"].to_numpy()[late], _flows(run))
    return {**with_losses(run), "window_cov": float(np.mean(windows.std(axis=1) / windows.mean(axis=1)))}


def _flows(run: Run) -> int:
    return sum(group.count for group in run.scenario.groups)


def joint(times: ArrayLike, flow: ArrayLike, *, flows: int, start: float, width: float) -> float | None:
    """Compute ``joint`` of `with_losses` from the times and flows of all drops; None without drops.

    Examples
    --------
    >>> round(joint(np.array([0.0, 0.0, 3.0, 3.0]), np.array([0, 1, 0, 1]), flows=2, start=0, width=1), 3)
    2.0

    """
    when, who = np.asarray(times, dtype=np.float64), np.asarray(flow, dtype=np.int64)
    late = when >= start
    if not late.any():
        return None
    bins = ((when[late] - start) / width).astype(np.int64)
    losing = np.zeros((flows, int(bins.max()) + 1))
    losing[who[late], bins] = 1
    return float(losing.sum(axis=0).var() / losing.var(axis=1).sum())


def _by_flow(flow: Array, values: Array, flows: int) -> Array:
    """Arrange samples by flow and time."""
    order = np.argsort(flow, kind="stable")
    return np.asarray(values[order].reshape(flows, -1), dtype=np.float64)


def long_ladder(run: Run) -> Taken:
    """Return the c.o.v. over Poisson's at the time scales `LONG_SCALES`."""
    counts, step = arrivals(run)
    return {"ladder": ladder(counts, step, offered(run), LONG_SCALES)}


def fast_traffic(run: Run) -> Taken:
    """Return the summary, and the c.o.v. over Poisson's in bins of one round-trip time, as `measure.bin` is here."""
    here = run.summary
    return {**link(run), "cov": here.cov / here.cov_poisson if here.cov is not None and here.cov_poisson else None}


def _spots(points: Mapping[tuple[tuple[str, Scalar], ...], Scenario]) -> list[Spot]:
    return [Spot(where=dict(where), scenario=made) for where, made in points.items()]


def parts() -> list[Part]:
    """Return the parts; the axis of all but ``back-off`` is the sender."""
    arrived = f"arrivals@bottleneck/{_BIN}"

    def part(
        name: str,
        points: Mapping[tuple[tuple[str, Scalar], ...], Scenario],
        take: Callable[[Run], Taken] = traffic,
        record: Sequence[str] = (arrived,),
        **others: Any,
    ) -> Part:
        return Part(name=name, spots=_spots(points), take=take, record=tuple(record), **others)

    ten = DEFINITION.numbered(10)
    expensive: dict[str, Any] = {"work": lambda _: 500.0}
    return [
        part(
            "load",
            {
                (("sender", sender), ("clients", clients)): network(sender, clients, queue=fifo())
                for sender in UNMARKED
                for clients in CLIENTS
            },
            with_windows,
            (arrived, "windows/0.1s", "drops"),
        ),
        part(
            "queues",
            {
                (("sender", sender), ("queue", queue)): network(sender, OVERLOAD, queue=fields)
                for sender in SENDERS
                for queue, fields in QUEUES.items()
                if sender in UNMARKED or queue in MARKING
            },
            with_losses,
            (arrived, "drops"),
            # With ten seeds, since FQ-CoDel's runs differ more than others (an exploration needed more than six).
            seeds=ten,
        ),
        part(
            "settings",
            {
                (("sender", sender), ("setting", setting)): network(sender, OVERLOAD, queue=fifo(), **changed)
                for sender in UNMARKED
                if sender != THEN.name
                for setting, changed in SETTINGS.items()
            },
        ),
        part("back-off", {(("kept", kept),): _aimd(kept) for kept in KEPT}),
        part(
            "long",
            {(("sender", sender),): network(sender, OVERLOAD, queue=fifo(), duration=2100) for sender in UNMARKED},
            long_ladder,
            ("arrivals@bottleneck/10ms",),
        ),
        part(
            "1 Gb/s",
            {
                (("sender", sender), ("clients", clients)): fast(sender, clients)
                for sender in UNMARKED
                if sender != THEN.name
                for clients in STREAMS
            },
            fast_traffic,
            (),
            **expensive,
        ),
        part(
            "1 Gb/s, 20 ms",
            {(("sender", sender),): fast(sender, 1000, 0.02) for sender in UNMARKED if sender != THEN.name},
            fast_traffic,
            (),
            **expensive,
        ),
    ]


def _aimd(kept: float) -> Scenario:
    made = network("Reno", OVERLOAD, queue=fifo())
    groups = tuple(group.model_copy(update={"transport": Tcp(Aimd(keep=kept))}) for group in made.clients)
    return made.model_copy(update={"clients": groups})
