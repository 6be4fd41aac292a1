"""The network of a question: a link with users on one side, and the traffic of their applications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ackclock.advice.contenders import PACKET

if TYPE_CHECKING:
    from ackclock.advice.contenders import Contender
    from ackclock.advice.question import Question

__all__ = ["network", "timing"]

_FAST: Final = 4
"""Rate of the users' links, as a multiple of the link's."""
_APART: Final = 0.02
"""Largest random delay of a packet before the link, as a part of the round-trip time, so that runs do not repeat one
cycle (Floyd and Jacobson, "On Traffic Phase Effects in Packet-Switched Gateways", Internetworking 1992)."""
_LONGEST, _SHORTEST, _WARMUP = 120.0, 10.0, 15.0
"""Longest and shortest measured time, and the time before it, in s."""
_BITS: Final = 3e9
"""Bits of the link that a run measures: the measured time is shorter on faster links, which carry more transfers."""

_PAGES: Final = {
    "kind": "pages",
    "document": {"kind": "fixed", "mean": "18 kB"},
    "objects": 70,
    "size": {"kind": "lognormal", "mean": "37.6 kB", "sigma": 1},
    "think": {"kind": "exponential", "mean": "15 s"},
}
"""The medians of pages for desktops: 2,652 kB in 71 objects (HTTP Archive, Web Almanac 2024)."""
_SPEECH: Final = {"kind": "frames", "rate": 50}
_SPEECH_BYTES: Final = 200
"""Bytes of a packet of speech: 20 ms of G.711 and its headers."""
_CALL: Final = {"kind": "call", "bitrate": "800 kbps"}
_VIDEO: Final = {"kind": "video", "buffer": "20 s"}


def timing(question: Question) -> tuple[float, float]:
    """Return when the measured time begins, and when it ends, in s.

    >>> from ackclock.advice.question import Question
    >>> timing(Question(rate="50 Mbps", delay="20 ms", users=30))
    (15.0, 75.0)
    >>> timing(Question(rate="1 Gbps", delay="20 ms", users=300))
    (15.0, 25.0)
    """
    length = min(_LONGEST, max(_SHORTEST, _BITS / max(question.rates)))
    return _WARMUP, _WARMUP + round(length, 1)


def network(question: Question, contender: Contender) -> dict[str, Any]:
    """Return the tables of the scenario in which a contender is measured.

    The measured link goes towards the users: in the dumbbell, they are at the server's side. Both directions have the
    contender's queue.
    """
    begin, end = timing(question)
    delays = question.delays
    middle = delays[len(delays) // 2]
    jitter = min(_APART * delays[0], 8 * PACKET / min(question.rates))
    fast = _FAST * max(question.rates)

    def access(delay: float) -> dict[str, Any]:
        return {"rate": f"{fast} bps", "delay": _time(delay / 2 - delays[0] / 4), "jitter": {"max": _time(jitter)}}

    down, up = (
        {"rate": f"{round(rate)} bps", "delay": _time(delays[0] / 4), "queue": queue}
        for rate, queue in zip(contender.rates, contender.queues(), strict=True)
    )
    return {
        "profile": "linux",
        "duration": f"{end:g} s",
        "packet_size": PACKET,
        "measure": {"from": f"{begin:g} s"},
        "dumbbell": {"access": access(middle), "bottleneck": down, "reverse": up},
        "clients": [
            *_calls(question.counts["calls"]),
            *(
                group | {"name": f"{group['name']}{place}", "count": count, "access": access(delay)}
                for group, total in _transfers(question, contender)
                for place, (delay, count) in enumerate(zip(delays, _parts(total, len(delays)), strict=True))
                if count
            ),
        ],
    }


def _calls(count: int) -> list[dict[str, Any]]:
    """Return the groups of calls: speech and video in both directions."""
    if not count:
        return []
    udp = {"count": count, "spread": "1 s", "transport": {"kind": "udp"}}
    return [
        {"name": f"{name}-{way}", "direction": direction, **udp, **fields}
        for way, direction in (("down", "forward"), ("up", "reverse"))
        for name, fields in (
            ("speech", {"packet_size": _SPEECH_BYTES, "source": _SPEECH}),
            ("call", {"source": _CALL}),
        )
    ]


def _transfers(question: Question, contender: Contender) -> list[tuple[dict[str, Any], int]]:
    """Return a group of each kind of traffic over TCP, and its number of users."""
    transport = {"kind": "tcp", "variant": contender.law, "ecn": "classic" if contender.ecn else "off"}
    counts, greedy = question.counts, {"kind": "greedy"}
    kinds = [
        ("pages", "forward", "15 s", _PAGES),
        ("video", "forward", "5 s", _VIDEO),
        ("downloads", "forward", "1 s", greedy),
        ("uploads", "reverse", "1 s", greedy),
    ]
    return [
        (
            {"name": f"{name}-", "direction": way, "spread": spread, "transport": transport, "source": source},
            counts[name],
        )
        for name, way, spread, source in kinds
    ]


def _parts(total: int, parts: int) -> list[int]:
    """Divide a number into equal parts; the middle one gets one more first.

    >>> _parts(4, 3), _parts(1, 3), _parts(5, 1)
    ([1, 2, 1], [0, 1, 0], [5])
    """
    order = sorted(range(parts), key=lambda place: abs(place - parts // 2))
    return [total // parts + (order.index(place) < total % parts) for place in range(parts)]


def _time(seconds: float) -> str:
    return f"{round(seconds * 1e9)} ns"
