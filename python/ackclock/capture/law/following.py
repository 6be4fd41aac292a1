"""Lets each law follow a trace, and compares what it allows with what the trace's sender had in flight.

A sender of ours with the law is given the trace's ACKs, and sends what the trace shows (`ackclock_tcp::Follower`). So
the law always has the history of the captured sender. At the end of each turn, just before the next ACK, a sender
that has data has as much in flight as its law allows: the congestion window, or, if it is paced, what its rate has
allowed since the oldest outstanding segment was sent. The *distance* of a law is the mean over time of |ln(allowed /
in flight)|: 0.1 are about 10 %. No constant of a law is fitted.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.engine import core
from ackclock.running.run import Prepared
from ackclock.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ackclock.capture.law.trace import Trace

LAWS: Final = (
    "reno", "cubic", "bbr", "bbr3", "vegas", "copa", "dctcp", "prague", "ledbat", "ledbat++", "highspeed", "scalable",
)  # fmt: skip
"""The laws that are compared: all of the engine's, without those that differ in loss recovery only."""
STACKS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "rfc": ("rfc", {}),
    "linux": ("linux", {}),
    "linux without SACK": ("linux", {"sack_blocks": 0}),
    "linux paced": ("linux", {"pacing": "window", "grow_when_limited": False}),
}
"""Senders with the law: the rules of the RFCs, and the kernel's, also without SACK and with pacing (qdisc fq)."""
PACED: Final = frozenset({"bbr", "bbr3", "copa", "prague"})
"""Laws that set a rate themselves, so that they are always paced."""
_NOT_LINUX: Final = frozenset({"ledbat", "ledbat++"})
"""Laws that the kernel does not have, and hence does not pace."""
UNUSED: Final = 0.15
"""Least error of a turn in which a sender that is not paced would have left a whole segment of its window unused.
Such a sender sends when it may. Without this, LEDBAT would be near every trace: its window is at most a segment above
the flight (RFC 6817, section 2.4.2)."""
CEILING: Final = np.log(4.0)
"""Largest |ln(allowed / in flight)| that counts, so that a short time far apart does not decide."""
RANDOM: Final = frozenset({"bbr", "bbr3"})
"""Laws that draw the phases of their cycles at random."""
SEEDS: Final = 14
"""Draws of these laws that are tried: twice the number of phases in which BBR begins a cycle."""
PIECE: Final = 10.0
"""Length of the pieces of a trace that may have different draws, in seconds: BBR's time between probes for the RTT."""
_LIMIT: Final = 100_000
"""The advertised window and the initial threshold, in segments; the window in the trace counts apart."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fit:
    """How far a law is from a trace.

    Parameters
    ----------
    law
        Name of the law.
    stack
        The profile of the sender with which it is closest.
    distance
        Mean over time of |ln(allowed / in flight)|.
    turns
        Number of turns that were compared.
    """

    law: str
    stack: str
    distance: float
    turns: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Followed:
    """What a law allowed at the end of each turn, and what was in flight; segments, times in seconds."""

    times: NDArray[np.float64]
    allowed: NDArray[np.float64]
    flight: NDArray[np.float64]
    clean: NDArray[np.bool_]


@functools.cache
def _plan(law: str, stack: str, feedback: str) -> str:
    profile, options = STACKS[stack]
    transport: dict[str, Any] = {
        "kind": "tcp",
        "variant": law,
        "recovery": "rack",
        "ecn": feedback,
        "max_window": _LIMIT,
        "grow_when_limited": True,  # the trace's sender decides when it sends
        **options,
    }
    link = {"rate": "1 Gbps", "delay": "1 ms"}
    tables = {
        "profile": profile,
        "duration": "1 s",
        "dumbbell": {"bottleneck": link | {"queue": {"kind": "droptail", "packets": 100}}, "access": link},
        "clients": [{"transport": transport, "source": {"kind": "greedy"}}],
    }
    return Prepared.of(Scenario.from_dict(tables), ()).plan


def possible(trace: Trace) -> tuple[str, ...]:
    """Return the laws that a trace can have: those that need marks send data that can carry them.

    DCTCP sends ECT(0) (RFC 8257, section 3), and Prague ECT(1) (RFC 9331, section 4.1).
    """
    impossible = {0: {"dctcp", "prague"}, 1: {"dctcp"}, 2: {"prague"}}[trace.ecn]
    return tuple(law for law in LAWS if law not in impossible)


def stacks(trace: Trace, law: str) -> tuple[str, ...]:
    """Return the senders with which a law is compared: those without SACK if the trace has none."""
    left_out = {"linux without SACK"} if trace.has_sack else set()
    left_out |= {"linux paced"} if law in PACED | _NOT_LINUX else set()
    return tuple(stack for stack in STACKS if stack not in left_out)


def _feedback(law: str, trace: Trace) -> str:
    if law == "dctcp":
        return "dctcp"
    return {0: "off", 1: "accurate", 2: "classic"}[trace.ecn]


def follow(trace: Trace, law: str, stack: str, *, seed: int = 1) -> Followed:
    """Let a law follow a trace; its random numbers, such as the phases of BBR's cycles, follow from the seed."""
    columns = {
        name: np.frombuffer(data, dtype=np.bool_ if kind == "bool" else "<f8")
        for name, kind, data in core.follow(
            _plan(law, stack, _feedback(law, trace)),
            seed,
            trace.handshake,
            trace.times.tobytes(),
            trace.numbers.tobytes(),
            trace.kinds.tobytes(),
            trace.counts.tobytes(),
            trace.blocks.tobytes(),
        )
    }
    times, paced = columns["time"], columns["paced"]
    acks = np.flatnonzero(trace.is_ack)[: len(times)]
    # the turn before an ACK follows the ACKs before it
    acked = np.maximum.accumulate(np.append(0, trace.numbers[acks].astype(np.int64)))[:-1]
    window = np.append(np.inf, trace.windows[acks])[:-1]
    allowed = np.minimum(np.floor(columns["cwnd"]), window)
    is_paced = np.isfinite(paced)
    if is_paced.any():
        sent = trace.first_sent()
        since = sent[np.minimum(acked, len(sent) - 1)]
        before = np.interp(since, times[is_paced], paced[is_paced])
        allowed = np.where(is_paced, np.minimum(allowed, paced - before + 1.0), allowed)
    return Followed(times=times, allowed=allowed, flight=columns["flight"], clean=columns["clean"])


def errors(followed: Followed, *, is_paced: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return |ln(allowed / in flight)| of each turn, at most `CEILING`, and the weight of the turn.

    If the sender is not paced, a turn in which it leaves a segment unused counts at least `UNUSED`.

    Turns in which segments were known to be lost or to have arrived out of order have no weight: what is in flight
    follows from the recovery then. A turn weighs as much as it lasts, but no more than 20 median turns, so that
    pauses do not decide.

    Examples
    --------
    >>> times, flight = np.arange(4.0), np.full(4, 10.0)
    >>> followed = Followed(times=times, allowed=flight * 1.1, flight=flight, clean=np.full(4, True))
    >>> [np.round(errors(followed, is_paced=paced)[0], 3).tolist()[0] for paced in (True, False)]
    [0.095, 0.15]
    """
    spans = np.diff(followed.times, prepend=followed.times[:1])
    usual = float(np.median(spans[spans > 0])) if np.any(spans > 0) else 1.0
    weights = np.clip(spans, usual / 100, 20 * usual)
    weights[~followed.clean | (followed.flight < 1)] = 0.0
    ratio = np.log(np.maximum(followed.allowed, 1.0) / np.maximum(followed.flight, 1.0))
    error = np.abs(ratio)
    if not is_paced:
        error = np.where(followed.allowed >= followed.flight + 1, np.maximum(error, UNUSED), error)
    return np.minimum(error, CEILING), weights


def distance(trace: Trace, law: str, stack: str) -> tuple[float, int]:
    """Return the distance of a law with a stack from a trace, and the number of turns that were compared.

    Of a law with random phases, each piece of `PIECE` seconds has the seed that is closest: the draws of another sender
    cannot be known.
    """
    best: NDArray[np.float64] | None = None
    weight, turns = 0.0, 0
    for seed in range(1, 1 + (SEEDS if law in RANDOM else 1)):
        followed = follow(trace, law, stack, seed=seed)
        error, weights = errors(followed, is_paced=law in PACED or "pacing" in STACKS[stack][1])
        pieces = (followed.times // PIECE).astype(np.int64)
        sums: NDArray[np.float64] = np.bincount(pieces, error * weights).astype(np.float64)
        best = sums if best is None else np.minimum(best, sums)
        weight, turns = float(weights.sum()), int(np.count_nonzero(weights))
    return (float(best.sum()) / weight if best is not None and weight else float("inf")), turns


def fits(trace: Trace) -> tuple[Fit, ...]:
    """Return how far each law is from a trace, the closest one first."""
    found = []
    for law in possible(trace):
        (least, turns), stack = min((distance(trace, law, stack), stack) for stack in stacks(trace, law))
        found.append(Fit(law=law, stack=stack, distance=least, turns=turns))
    return tuple(sorted(found, key=lambda fit: fit.distance))
