"""Repeat the ns-2 runs for `manyflows`, and compare some of them with the stored ones.

``python validation/ns2_pipes.py --check 3`` repeats three random runs of each part and compares every number.
``python validation/ns2_pipes.py --part manyflows/special --make`` repeats a whole part; the largest take hours.
Needs ns-2.35; `validation/ns2/pipe.tcl` is the network.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.analysis import loss_correlation, loss_epochs
from ackclock.papers.manyflows.distances import OVERHEADS, figure23
from ackclock.papers.manyflows.pipes import PIPES
from ackclock.papers.manyflows.places import PROCESSING
from ns2_parts import main

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ns2_parts import Make, Values

    Where = Mapping[str, Any]

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "validation" / "ns2" / "pipe.tcl"

PACKET = 4000
"""Bits of a packet."""

_PIPES = {"T1": (1.6e6, 40), "ISDN": (64e3, 2)}
"""Rate in bits per second, and packets in flight without a queue."""

_START = 0.001
"""Time that represents the start, in seconds."""


class Printed:
    """The output of a run; `settings` are the keys of the script."""

    def __init__(self, *, traced: bool = False, **settings: object) -> None:
        with tempfile.TemporaryDirectory() as folder:
            traces = {name: Path(folder) / name for name in ("drops", "acks")} if traced else {}
            given = {**settings, **traces, "from": max(float(str(settings["from"])), _START)}
            command = ["ns", str(SCRIPT), *(f"{name}={value}" for name, value in given.items())]
            lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
            self.traces = {name: _trace(path) for name, path in traces.items()}
        words = [line.split() for line in lines]
        self.queue = np.array([row[1:] for row in words if row[0] == "queue"], dtype=float)
        self.flows = np.array([row[1:] for row in words if row[0] == "flow"], dtype=float)
        self.arrivals, self.departures, self.drops, self.waited = next(
            map(float, row[1:]) for row in words if row[0] == "link"
        )
        self.rate, self.flow_count = float(str(settings["rate"])), int(str(settings["flows"]))
        self.begin, self.end = float(str(given["from"])), float(str(settings["to"]))

    @property
    def capacity(self) -> float:
        """Number of packets that the bottleneck can carry."""
        return (self.end - self.begin) * self.rate / PACKET

    @property
    def summary(self) -> Values:
        """Return the measures that all parts have."""
        acked = self.flows[:, 3]
        fair = self.capacity / self.flow_count
        return {
            "throughput": round(self.departures / self.capacity, 5),
            "goodput": round(acked.sum() / self.capacity, 5),
            "loss": round(self.drops / self.arrivals, 6),
            "jain_index": round(acked.sum() ** 2 / (len(acked) * (acked**2).sum()), 5),
            "shut_off": int((acked < 0.02 * fair).sum()),
        }

    def round_trip(self, delay: float) -> float:
        """Compute the mean round-trip time in s: propagation, transmissions, and queueing by Little's law."""
        return 2 * delay + 4e-6 + self.waited / self.departures + (PACKET + 320) / self.rate + 2 * PACKET / 1e7


def _trace(path: Path) -> np.ndarray:
    """Read time and flow of each line."""
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return np.array([(float(row[1]), int(row[7])) for row in rows])


def _span(begin: int, end: int) -> dict[str, Any]:
    """Return the measured time; the first key is a Python keyword."""
    return {"from": begin, "to": end}


def _overhead(percent: float, window: float, rate: float) -> float:
    return percent / 100 * window * PACKET / rate


def _grid(**chosen: int) -> Make:
    def make(where: Where, seed: int) -> Values:
        usual, pipe = _PIPES[where["link"]]
        window, delay = where["capacity"], where["delay"] / 1000
        return Printed(
            flows=where["connections"],
            rate=usual + where["detuned"],
            delay=delay,
            buffer=window - round(pipe * delay / 0.05),
            overhead=_overhead(where["overhead"], window, usual),
            spread=where["spread"],
            limit=where["max_rto"],
            seed=seed,
            **_span(where["begin"], where["end"]),
            **dict[str, Any](chosen),
        ).summary

    return make


def _with_syn(where: Where, seed: int) -> Values:
    plain = not where["overhead"] and where["capacity"] in {100, 300, 500}
    return _grid(syn=int(where["link"] == "T1" and plain))(where, seed)


def _bias(where: Where, seed: int) -> Values:
    group, case = where["connections"], figure23(where)
    run = Printed(
        flows=2 * group,
        rate=1.6e6,
        buffer=where["buffer"],
        ratio=where["distance"],
        overhead=OVERHEADS[where["processing"]],
        tick=0.01,
        seed=seed,
        **_span(*case.span),
    )
    acked = run.flows[:, 3]
    near, far = (round(run.round_trip(0.051 * ratio), 4) for ratio in case.ratios)
    return {"rtt_ratio": far / near, "goodput_ratio": float(f"{acked[:group].sum() / acked[group:].sum():.4g}")}


def _synchrony(syn: int) -> Make:
    def make(where: Where, seed: int) -> Values:
        look = PIPES[where["pipe"]]
        rate, pipe = _PIPES[look.link.name]
        slow, flows = look.link.name == "ISDN", look.flows
        first, last, whole = (500, 1000, 1500) if slow else (50, 100, 200)
        run = Printed(
            flows=flows,
            rate=rate,
            buffer=look.buffer,
            overhead=_overhead(100 * PROCESSING[where["processing"]], look.buffer + pipe, rate),
            syn=syn,
            seed=seed,
            every=1 if slow else 0.1,
            traced=True,
            **_span(first, whole),
        )
        trip = run.round_trip(0.05)
        times, who = run.traces["drops"].T
        together = loss_correlation(times, who.astype(int), count=flows, round_trip=trip, start=first, end=whole)
        late = times >= first
        epochs = loss_epochs(times[late], who[late].astype(int), count=flows, gap=trip / 2)
        waiting = run.queue[run.queue[:, 0] >= first, 1]
        low, middle, high = np.percentile(waiting, [5, 50, 95])
        came = run.traces["acks"]
        received = np.bincount(came[(came[:, 0] >= first) & (came[:, 0] < last), 1].astype(int), minlength=flows)
        return {
            "correlation": round(together.value, 5),
            "quiet": round(together.quiet, 5),
            "epochs": epochs.count,
            "share": round(epochs.mean_share, 5),
            "low": low,
            "middle": middle,
            "high": high,
            **{name: run.summary[name] for name in ("loss", "jain_index", "shut_off")},
            "least": received.min(),
            "most": received.max(),
            "starved": int((received < 0.1 * rate / PACKET * (last - first) / flows).sum()),
            "received": np.sort(received),
        }

    return make


PARTS: dict[str, Make] = {
    "manyflows/grid": _with_syn,
    "manyflows/whole": _grid(syn=0),
    "manyflows/detuned": _grid(syn=0),
    "manyflows/special": _grid(),
    "manyflows/modern": _grid(modern=1),
    "manyflows/figure23": _bias,
    "manyflows/looks": _synchrony(0),
    "manyflows/looks_syn": _synchrony(40),
    "manyflows/again_grid": _grid(syn=0),
    "manyflows/again_whole": _grid(syn=0),
    "manyflows/again_detuned": _grid(syn=0),
    "manyflows/again_figure23": _bias,
}
"""What makes a run of each part."""

if __name__ == "__main__":
    main(__doc__ or "", PARTS)
