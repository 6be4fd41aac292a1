"""Runs of many greedy connections over one bottleneck, at the scale of Qiu, Zhang and Keshav (2001) and at today's.

The paper's network is a T1 link of 1.6 Mb/s with a delay of 50 ms and packets of 500 bytes. All its runs are measured
from 100 s on, which BBR needs. Today's link has 1 Gb/s, a round-trip time of 40 ms and packets of 1500 bytes. It is
measured from 15 s on, except for BBR, which is measured from 100 s on and not run with more than 100 connections: these
do not share the link after a minute yet. No queue marks packets. DCTCP then is Reno, packet by packet, and is left out;
Prague is a paced Reno.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ackclock.analysis import loss_correlation
from ackclock.analysis.models import pftk
from ackclock.papers.core.evidence import Scalar
from ackclock.papers.core.parts import Part, Spot, Taken
from ackclock.papers.today.senders import THEN, UNMARKED, scenario
from ackclock.running.run import Run
from ackclock.scenario import Scenario
from ackclock.scenario.network import mean_rate
from ackclock.values.quantity import seconds

FLOWS: Final = (5, 10, 20, 60, 100, 200, 300, 600)
"""Numbers of connections over the T1 link, with a buffer of `BUFFER`."""

BUFFER: Final = 60
"""The buffer in packets."""

PIPES: Final[Mapping[str, tuple[int, int]]] = {"large pipe": (100, 400), "small pipe": (300, 60)}
"""The paper's large and small pipe over the T1 link: connections, and buffer in packets (its Figures 6 and 8)."""

SHORT: Final = 20
"""A buffer in packets over a T1 link with a delay of 200 ms, which holds 160: the smallest one in Figure 11."""

T1_PIPE: Final = 40
"""The packets that the T1 link holds, with a delay of 50 ms."""

SERVICE: Final = 2500
"""Microseconds in which the T1 link transmits a packet."""

FAST_FLOWS: Final = (10, 100, 300, 1000)
"""Numbers of connections over the link of 1 Gb/s."""

FAST_PIPE: Final = 3333
"""The bandwidth-delay product of the link of 1 Gb/s in packets."""

FULL, ROOT = "1 BDP", "BDP/√n"
"""Buffers of the link of 1 Gb/s: a bandwidth-delay product, and this divided by the square root of the connections."""

BITS: Final = 2e8
"""Bits of a link that take about as long to simulate as a client of the parts whose cost is their number of clients."""

NONE: Final = "as it is"
"""The change of runs in which no setting is changed."""

PROCESSING: Final = "processing times"
"""The change of runs whose senders have random processing times."""

SETTINGS: Final = ("ACK frequency", "start times", "profile", "longest timeout")
"""Settings that other runs of the pipes change: an ACK for each packet; connections start within 20 s instead of one;
the profile ``rfc`` instead of ``linux``; timeouts of up to 2 s instead of 120 s."""

_OPEN: Final = {"max_window": 100_000}  # no advertised window limits a sender, as in the paper
_SLOW: Final = "BBR"
_ONLY_FULL: Final = 300  # connections that are only run with a full buffer
_MOST_SLOW: Final = 100  # connections of BBR over the link of 1 Gb/s
_SMALLEST_TIMEOUT: Final = 0.2
_FACTOR: Final = 2

Reals = NDArray[np.float64]


def t1(
    sender: str,
    flows: int,
    buffer: int,
    *,
    delay: int = 50,
    change: str = NONE,
    groups: Sequence[Mapping[str, Any]] = ({"access": {"rate": "10 Mbps", "delay": "1 us"}},),
    duration: int = 250,
    longest: int = 0,
) -> Scenario:
    """Make the paper's network: connections in equal groups over a T1 link with a delay in milliseconds.

    Processing times last up to `longest` microseconds (default: a tenth of the round-trip time with a full buffer, as
    in most figures of the paper).
    """
    options: Mapping[str, Mapping[str, Any]] = {
        PROCESSING: {"overhead": f"{longest or (buffer + T1_PIPE) * SERVICE // 10} us"},
        "ACK frequency": {"delayed_ack": False},
        "longest timeout": {"max_rto": "2 s"},
    }
    link = {"rate": "1.6 Mbps", "delay": f"{delay} ms"}
    each = {
        "count": flows // len(groups),
        "spread": "20 s" if change == "start times" else "1 s",
        "source": {"kind": "greedy"},
    }
    return scenario(
        sender,
        [{**each, **group} for group in groups],
        packet_size=500,
        duration=f"{duration} s",
        measure={"from": "100 s"},
        dumbbell={"bottleneck": {**link, "queue": {"kind": "droptail", "packets": buffer}}, "reverse": link},
        options={**_OPEN, **options.get(change, {})},
        **({"profile": "rfc"} if change == "profile" else {}),
    )


def gigabit(sender: str, flows: int, buffer: str, *, accesses: Sequence[str] = ("1 ms",), length: int = 15) -> Scenario:
    """Make today's network: connections in equal groups over 1 Gb/s, measured for `length` seconds."""
    packets = FAST_PIPE if buffer == FULL else round(FAST_PIPE / math.sqrt(flows))
    warm, length = (100, 20) if sender == _SLOW else (15, length)
    return scenario(
        sender,
        [
            {
                "count": flows // len(accesses),
                "spread": "1 s",
                "access": {"rate": "10 Gbps", "delay": delay},
                "source": {"kind": "greedy"},
            }
            for delay in accesses
        ],
        options=_OPEN,
        duration=f"{warm + length} s",
        measure={"from": f"{warm} s"},
        dumbbell={
            "bottleneck": {
                "rate": "1 Gbps",
                "delay": "19 ms",
                "queue": {"kind": "droptail", "packets": packets},
            }
        },
    )


def shares(run: Run) -> Taken:
    """Return what all connections lose and get, and how evenly.

    ``starved`` is the share of the connections below a tenth of their fair share, and ``within`` the share of those
    whose rate of sending is within a factor of 2 of the formula of Padhye et al.
    """
    found, flows = run.summary, run.table("flows")
    count = flows.num_rows
    length = seconds(run.scenario.duration) - seconds(run.scenario.measure.from_ or "")
    names = ("sent", "loss", "rtt_mean")
    sent, loss, rtt = (flows[name].to_numpy(zero_copy_only=False).astype(np.float64) for name in names)
    return {
        "loss": found.loss or 0.0,
        "utilization": found.utilization,
        "goodput_share": found.goodput_share,
        "jain_index": found.jain_index,
        "starved": found.starved / count,
        "within": within(sent / length, loss, rtt),
    }


def within(rates: Reals, loss: Reals, rtt: Reals) -> float | None:
    """Return the share of connections whose rate in packets per second is near the formula's for their loss and RTT.

    The timeout without back-off is the round-trip time and 200 ms, the smallest timeout of Linux and of ns-2. Windows
    grow by a packet per round trip, as with an ACK for each packet, since senders count acknowledged bytes. Connections
    that lose nothing or everything, or without a round-trip time, are left out; None if these are most of them.
    """
    usable = (loss > 0) & (loss < 1) & (rates > 0) & (rtt > 0)
    if 2 * usable.sum() <= usable.size:
        return None
    rates, loss, rtt = rates[usable], loss[usable], rtt[usable]
    ratio = pftk(p=loss, rtt=rtt, t0=rtt + _SMALLEST_TIMEOUT).full / rates
    return float(np.mean((ratio >= 1 / _FACTOR) & (ratio <= _FACTOR)))


def together(run: Run) -> Taken:
    """Return the shares, and the correlation of the losses of two connections in one mean round-trip time."""
    drops = run.table("drops")
    begin, end = seconds(run.scenario.measure.from_ or ""), seconds(run.scenario.duration)
    lost, losers, round_trip = drops["time"].to_numpy(), drops["flow"].to_numpy(), run.summary.rtt_mean
    correlation = None
    if round_trip and np.any(lost >= begin):
        count = sum(group.count for group in run.scenario.groups)
        found = loss_correlation(lost, losers, count=count, round_trip=round_trip, start=begin, end=end)
        correlation = found.value
    return {**shares(run), "correlation": correlation}


def unequal(run: Run) -> Taken:
    """Return round-trip times and goodput of the near and the far group, and the exponent of their ratios."""
    near, far = run.summary.groups
    return {
        "rtt_near": near.rtt_mean,
        "rtt_far": far.rtt_mean,
        "near": near.goodput_bps,
        "far": far.goodput_bps,
        "exponent": exponent(near.goodput_bps, far.goodput_bps, near.rtt_mean, far.rtt_mean),
    }


def exponent(near: float, far: float, rtt_near: float | None, rtt_far: float | None) -> float | None:
    """Return k in goodput ~ 1 / RTT^k of two groups; None if one of them gets nothing.

    Examples
    --------
    >>> exponent(8, 2, 0.1, 0.2)
    2.0

    """
    if not (near and far and rtt_near and rtt_far):
        return None
    return math.log(near / far) / math.log(rtt_far / rtt_near)


def parts() -> list[Part]:
    """Return the parts; only today's senders have runs with changed settings."""
    changes = [(each, change) for each in UNMARKED for change in (NONE, PROCESSING)]
    changes += [(each, change) for each in UNMARKED if each != THEN.name for change in SETTINGS]
    return [
        _part(
            "many",
            [_spot(t1(each, flows, BUFFER), sender=each, connections=flows) for each in UNMARKED for flows in FLOWS],
        ),
        _part(
            "pipes",
            [
                _spot(t1(each, flows, buffer, change=change), sender=each, pipe=pipe, change=change)
                for each, change in changes
                for pipe, (flows, buffer) in PIPES.items()
            ],
            together,
            record=("drops",),
        ),
        _part("short buffer", [_spot(t1(each, 100, SHORT, delay=200), sender=each) for each in UNMARKED]),
        _part(
            "distances",
            [
                spot
                for each in UNMARKED
                for spot in (
                    _spot(_far_t1(each, NONE), sender=each, network="T1", change=NONE),
                    _spot(_far_t1(each, PROCESSING), sender=each, network="T1", change=PROCESSING),
                    _spot(
                        gigabit(each, 50, FULL, accesses=("1 ms", "21 ms"), length=30),
                        sender=each,
                        network="1 Gb/s",
                        change=NONE,
                    ),
                )
            ],
            unequal,
        ),
        _part(
            "gigabit",
            [
                _spot(gigabit(each, flows, buffer), sender=each, connections=flows, buffer=buffer)
                for each in UNMARKED
                for buffer in (FULL, ROOT)
                for flows in FAST_FLOWS
                if (each != _SLOW or flows <= _MOST_SLOW) and (buffer == FULL or flows != _ONLY_FULL)
            ],
            together,
            record=("drops",),
        ),
    ]


def _far_t1(sender: str, change: str) -> Scenario:
    """Make two groups of 25 connections at round-trip times of 102 and 408 ms without queues.

    Processing times last up to one transmission, as in the paper's Figure 23.
    """
    groups = [{"access": {"rate": "10 Mbps", "delay": delay}} for delay in ("1 ms", "154 ms")]
    return t1(sender, 50, 160, change=change, groups=groups, duration=400, longest=SERVICE)


def _spot(made: Scenario, **where: Scalar) -> Spot:
    return Spot(where=where, scenario=made)


def _part(
    name: str,
    spots: Sequence[Spot],
    take: Callable[[Run], Taken] = shares,
    *,
    record: Sequence[str] = (),
) -> Part:
    return Part(name=name, spots=spots, take=take, record=record, work=work)


def work(made: Scenario) -> float:
    """Estimate the cost of a run by the bits that the bottleneck can carry, in clients of the other parts."""
    link = made.dumbbell.bottleneck if made.dumbbell else made.links[0]
    return seconds(made.duration) * mean_rate(link, made.duration) / BITS
