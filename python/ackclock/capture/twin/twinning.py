"""Infers a twin from a connection, and writes it as a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.capture.law.following import PACED, STACKS
from ackclock.capture.law.identifying import FAR, identify
from ackclock.capture.twin.beside import Beside, beside
from ackclock.capture.twin.path import Path, path_of
from ackclock.capture.twin.pattern import Pattern, pattern_of
from ackclock.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path as FilePath

    from ackclock.capture.law.identifying import Identified
    from ackclock.capture.twin.seen import Seen

MOST_LISTED: Final = 100
"""Most random losses that are repeated at their places; more become a probability."""
WRITES: Final = "writes.csv"
BESIDE: Final = "beside.csv"
SCENARIO: Final = "scenario.toml"
USUAL: Final = ("cubic", "reno", "bbr")
"""The laws of usual kernels, of which the twin has one if none can be identified."""
_ASSUMED: Final = ("cubic", "linux")
_USELESS: Final = 2 * FAR
"""Distance from which the closest law is no better than an assumption."""
_MORE_DATA: Final = 3
"""Data of a greedy sender, as a multiple of the captured data, if the link could carry much more."""
_LEAST_DELAY: Final = 1e-6
_COPIES: Final = 10
"""How often a list of losses is repeated after its end, for senders that send more."""
_WINDOW: Final = 100_000
"""The advertised window in packets, if the receiver does not limit."""
_LIMITED: Final = 0.1
"""Share of the time in which the receiver's window is full, from which it is part of the twin."""
_LONGER: Final = 3.0
"""Time that a transfer may take, as a multiple of the captured time."""
_PROCESSING: Final = 20e-6
"""Longest random processing time of the sender, in s: seeds differ by it."""


@dataclass(frozen=True, kw_only=True)
class Law:
    """A congestion control and the sender that has it."""

    name: str
    stack: str
    """One of `STACKS`."""
    why: str
    """What the trace says about it, as a sentence."""
    is_identified: bool = True


@dataclass(frozen=True, kw_only=True)
class Twin:
    """What was inferred from a connection."""

    seen: Seen
    path: Path
    pattern: Pattern
    beside: Beside
    law: Law
    mark_above: int | None
    """Packets that wait from which the queue marks; None without marks."""
    window: int | str
    """The receiver's window in packets, ``auto`` if it grows and limits, and `_WINDOW` if it does not limit."""
    quick_acks: int
    """Packets that were acknowledged one by one at first."""
    has_delayed_acks: bool

    def tables(self, *, law: Law | None = None, queue: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the scenario's tables, with another law or another queue."""
        law = self.law if law is None else law
        profile, options = STACKS[law.stack]
        rate = max(self.path.rate.value, 1000.0)
        own = {"kind": "droptail", "packets": min(self.path.buffer, 1_000_000)}
        if self.mark_above is not None:
            own["mark_above"] = self.mark_above
        link: dict[str, Any] = {
            "rate": f"{round(rate)} bps",
            "delay": _time(max(self.path.base / 2, _LEAST_DELAY)),
            "queue": dict(own if queue is None else queue),
        }
        if (loss := self._loss()) is not None:
            link["loss"] = loss
        transport: dict[str, Any] = {
            "kind": "tcp",
            "variant": law.name,
            "recovery": "rack",
            "payload": self.seen.mss,
            "overhead": _time(_PROCESSING),
            **options,
            **self._receiver(profile),
        }
        if self.mark_above is not None or law.name in ("dctcp", "prague"):
            transport["ecn"] = {"dctcp": "dctcp", "prague": "accurate"}.get(law.name, "classic")
        clients = [{"name": "captured", "transport": transport, "source": self._source()}]
        if self.beside.known == "inferred":
            trace = {"kind": "trace", "path": BESIDE}
            clients.append({"name": "beside", "transport": {"kind": "udp"}, "source": trace})
        return {
            "profile": profile,
            "duration": _time(self.duration),
            "packet_size": self.seen.full,
            "dumbbell": {
                "bottleneck": link,
                "access": {"rate": f"{max(10**9, 100 * round(rate))} bps", "delay": "0 s"},
            },
            "clients": clients,
        }

    @property
    def is_limited(self) -> bool:
        """Whether the receiver's window limits the twin."""
        return self.window != _WINDOW

    @property
    def opening(self) -> float:
        """Time of the first data in the simulation, in s: after the handshake."""
        return self.path.base

    @property
    def duration(self) -> float:
        """Simulated time in s."""
        shown = self.seen.duration
        return self.opening + (shown if self.pattern.kind == "greedy" else _LONGER * shown + 1.0)

    def write(self, folder: FilePath) -> Scenario:
        """Write the scenario and its traces to a folder."""
        if self.pattern.kind == "writes":
            times = np.array(self.pattern.times) + self.opening
            _write(folder / WRITES, times.tolist(), list(self.pattern.packets))
        if self.beside.known == "inferred":
            times = self.beside.times(self.seen.full) + self.opening
            _write(folder / BESIDE, times.tolist(), [1] * times.size)
        file = folder / SCENARIO
        file.write_text(toml(self.tables()), encoding="utf-8")
        return Scenario.from_toml(file)

    def _loss(self) -> dict[str, Any] | None:
        losses = self.path.losses
        count = len(losses.random) + (losses.unplaced if self.seen.place == "middle" else 0)
        if not count or self.seen.place == "receiver":
            return None
        if count <= MOST_LISTED and not losses.unplaced:
            total = self.seen.sent.size
            places = [place + 1 + copy * total for copy in range(_COPIES) for place in losses.random]
            return {"kind": "list", "packets": places}
        return {"kind": "random", "probability": round(min(count / self.seen.sent.size, 0.5), 6)}

    def _source(self) -> dict[str, Any]:
        if self.pattern.kind == "writes":
            return {"kind": "trace", "path": WRITES}
        if self.pattern.kind == "transfer":
            return {"kind": "greedy", "size": f"{max(self.pattern.size, self.seen.mss)} B"}
        most = _MORE_DATA * self.seen.new
        if self.path.rate.value * self.seen.duration / 8 > most:  # another law could send without end
            return {"kind": "greedy", "size": f"{int(most)} B"}
        return {"kind": "greedy"}

    def _receiver(self, profile: str) -> dict[str, Any]:
        found: dict[str, Any] = {"max_window": _WINDOW if self.window == "auto" else self.window}
        if self.window == "auto":
            found["rwnd"] = "auto"
        if not self.seen.found.trace.has_sack:
            found["sack_blocks"] = 0
        if not self.has_delayed_acks:
            found["delayed_ack"] = False
        elif profile == "linux":
            found["quick_acks"] = self.quick_acks
        return found


def twin_of(seen: Seen, limited: float | None) -> Twin:
    """Infer a twin; `limited` is the share of the time in which the receiver's window was full."""
    answer = identify(seen.found.trace, is_beside_receiver=seen.place == "receiver")
    law = law_of(answer)
    path = path_of(seen)
    quick, delays = _acks(seen)
    return Twin(
        seen=seen,
        path=path,
        pattern=pattern_of(seen, path, is_paced=law.is_identified and law.name in PACED),
        beside=beside(seen, path),
        law=law,
        mark_above=_mark_above(seen, path),
        window=_window(seen, limited or 0.0),
        quick_acks=quick,
        has_delayed_acks=delays,
    )


def law_of(answer: Identified) -> Law:
    """Return the law of the twin: the identified one, the closest one, or an assumption."""
    if answer.law is not None:
        return Law(name=answer.law, stack=answer.fits[0].stack, why=answer.sentence)
    usual = [fit for fit in answer.fits if fit.law in USUAL and fit.distance < _USELESS]
    name, stack = (usual[0].law, usual[0].stack) if usual else _ASSUMED
    return Law(name=name, stack=stack, why=answer.sentence, is_identified=False)


def _mark_above(seen: Seen, path: Path) -> int | None:
    """Return the queue at which marks begin: the shortest one that an ACK with a new echo reports."""
    first = seen.echoes & ~np.append(False, seen.echoes[:-1])
    marked = np.isin(seen.trip_times, seen.heard[first])
    if not marked.any():
        return None
    step = 8 * seen.full / path.rate.value
    return max(1, round(float(np.quantile(path.queue[marked], 0.1)) / step))


def _acks(seen: Seen) -> tuple[int, bool]:
    """Return how many packets were acknowledged one by one at first, and whether ACKs are delayed later."""
    moves = np.diff(seen.acks, prepend=seen.starts[0])
    usable = seen.is_calm & (moves > 0)
    several = moves[usable] > 1.5 * seen.mss
    if several.size < 20 or several.mean() < 0.02:
        return seen.sent.size, bool(several.size < 20)
    recent = np.convolve(several, np.ones(10), mode="valid")
    first = int(np.argmax(recent >= 5)) if (recent >= 5).any() else 0
    return int(moves[usable][:first].sum() / seen.mss), True


def _window(seen: Seen, limited: float) -> int | str:
    if limited < _LIMITED:
        return _WINDOW
    windows = seen.windows[np.isfinite(seen.windows)]
    if not windows.size:
        return _WINDOW
    early, late = windows[: max(windows.size // 20, 1)], windows[windows.size // 2 :]
    if np.median(late) > 2 * np.median(early):
        return "auto"
    return max(2, int(np.median(windows) // seen.mss))


def toml(tables: Mapping[str, Any]) -> str:
    """Write tables as TOML."""
    import tomli_w  # noqa: PLC0415  # only where a scenario is written

    return tomli_w.dumps(tables)


def _time(seconds: float) -> str:
    return f"{round(1e9 * seconds)} ns"


def _write(file: FilePath, times: list[float], packets: list[int]) -> None:
    rows = "".join(f"{time:.6f},{count}\n" for time, count in zip(times, packets, strict=True))
    file.write_text(f"time,packets\n{rows}", encoding="utf-8")
