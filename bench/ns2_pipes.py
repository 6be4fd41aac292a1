"""Make ns-2's runs behind `manyflows`, or hold some of them to the rows that are there.

``python bench/ns2_pipes.py --check 3`` runs three random rows of each table again and compares every number.
``python bench/ns2_pipes.py --table special --out FOLDER`` makes a whole table; the largest take hours.
Needs ns-2.35; `bench/ns2/pipe.tcl` is the network.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ns2_tables import main

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ns2_tables import Row

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "bench" / "ns2" / "pipe.tcl"
DATA = ROOT / "python" / "ackclock" / "papers" / "manyflows" / "data"

PACKET = 4000
"""Bits of a packet."""

_PIPES = {"T1": (1.6e6, 40), "ISDN": (64e3, 2)}
"""Rate, and packets in flight without a queue."""

_START = 0.001
"""Time that represents the start, in seconds."""


class Printed:
    """What a run printed; `settings` are the keys of the script."""

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
    def summary(self) -> Row:
        """The columns that all tables have."""
        acked = self.flows[:, 3]
        fair = self.capacity / self.flow_count
        return {
            "throughput": f"{self.departures / self.capacity:.5f}",
            "goodput": f"{acked.sum() / self.capacity:.5f}",
            "loss": f"{self.drops / self.arrivals:.6f}",
            "jain_index": f"{acked.sum() ** 2 / (len(acked) * (acked**2).sum()):.5f}",
            "shut_off": str(int((acked < 0.02 * fair).sum())),
        }

    def round_trip(self, delay: float) -> float:
        """Compute the mean round-trip time in s: propagation, transmissions, and queueing by Little's law."""
        return 2 * delay + 4e-6 + self.waited / self.departures + (PACKET + 320) / self.rate + 2 * PACKET / 1e7


def _trace(path: Path) -> np.ndarray:
    """Read time and flow of each line."""
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return np.array([(float(row[1]), int(row[7])) for row in rows])


def _span(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the measured time; the first key is a Python keyword."""
    return {"from": row["from"], "to": row["to"]}


def _overhead(row: Mapping[str, str], window: float, rate: float) -> float:
    return float(row["overhead_percent"]) / 100 * window * PACKET / rate


def _grid(row: Mapping[str, str], *, syn: bool = False) -> Row:
    usual, pipe = _PIPES[row["link"]]
    window = int(row["capacity"])
    return Printed(
        flows=row["flows"],
        rate=usual + float(row["detuned"]),
        buffer=window - pipe,
        overhead=_overhead(row, window, usual),
        spread=row["spread"],
        limit=row["max_rto"],
        syn=int(syn),
        seed=row["seed"],
        **_span(row),
    ).summary


def _with_syn(row: Mapping[str, str]) -> Row:
    plain = float(row["overhead_percent"]) == 0 and row["capacity"] in {"100", "300", "500"}
    return _grid(row, syn=row["link"] == "T1" and plain)


def _special(row: Mapping[str, str]) -> Row:
    rate, pipe = _PIPES[row["link"]]
    window = int(row["capacity"])
    delay = float(row["delay"]) / 1000
    pipe = round(pipe * delay / 0.05) if row["part"] == "far" else pipe
    return Printed(
        flows=row["flows"],
        rate=rate,
        delay=delay,
        buffer=window - pipe,
        overhead=_overhead(row, window, rate),
        spread=row["spread"],
        modern=int(row["part"] == "modern"),
        seed=row["seed"],
        **_span(row),
    ).summary


def _bias(row: Mapping[str, str]) -> Row:
    group = int(row["group"])
    run = Printed(
        flows=2 * group,
        rate=1.6e6,
        buffer=row["buffer"],
        ratio=row["ratio"],
        overhead=float(row["overhead_ms"]) / 1000,
        tick=0.01,
        seed=row["seed"],
        **_span(row),
    )
    acked = run.flows[:, 3]
    return {"goodput_ratio": f"{acked[:group].sum() / acked[group:].sum():.4g}"}


def _synchrony(row: Mapping[str, str]) -> Row:
    rate, pipe = _PIPES[row["link"]]
    slow, buffer, flows = row["link"] == "ISDN", int(row["buffer"]), int(row["flows"])
    first, last, whole = (500, 1000, 1500) if slow else (50, 100, 200)
    run = Printed(
        flows=flows,
        rate=rate,
        buffer=buffer,
        overhead=_overhead(row, buffer + pipe, rate),
        syn=row["syn"],
        seed=row["seed"],
        every=1 if slow else 0.1,
        traced=True,
        **_span({"from": first, "to": whole}),
    )
    trip = run.round_trip(0.05)
    dropped = run.traces["drops"]
    times, who = dropped[dropped[:, 0] >= first].T
    bins = int((whole - first) / trip)
    place = ((times - first) / trip).astype(int)
    lost = np.zeros((flows, bins), dtype=bool)
    lost[who[place < bins].astype(int), place[place < bins]] = True
    together = lost.sum(axis=0)
    gaps = np.flatnonzero(np.diff(times) > 0.5 * trip)
    begins, ends = np.r_[0, gaps + 1], np.r_[gaps, len(times) - 1]
    shares = [len(np.unique(who[begin : end + 1])) / flows for begin, end in zip(begins, ends, strict=True)]
    waiting = run.queue[run.queue[:, 0] >= first, 1]
    low, middle, high = np.percentile(waiting, [5, 50, 95])
    came = run.traces["acks"]
    received = np.bincount(came[(came[:, 0] >= first) & (came[:, 0] < last), 1].astype(int), minlength=flows)
    return {
        "correlation": f"{(together.var() / lost.var(axis=1).sum() - 1) / (flows - 1):.5f}",
        "quiet": f"{(together == 0).mean():.5f}",
        "epochs": str(len(shares)),
        "share": f"{np.mean(shares):.5f}",
        "low": f"{low:.0f}",
        "middle": f"{middle:.0f}",
        "high": f"{high:.0f}",
        **{name: run.summary[name] for name in ("loss", "jain_index", "shut_off")},
        "least": str(received.min()),
        "most": str(received.max()),
        "starved": str(int((received < 0.1 * rate / PACKET * (last - first) / flows).sum())),
    }


TABLES: dict[str, Callable[[Mapping[str, str]], Row]] = {
    "grid": _with_syn,
    "whole": _grid,
    "detuned": _grid,
    "special": _special,
    "rtt_bias": _bias,
    "synchrony": _synchrony,
    "again/grid": _grid,
    "again/whole": _grid,
    "again/detuned": _grid,
    "again/rtt_bias": _bias,
}
"""What makes a row of each table from its coordinates."""

if __name__ == "__main__":
    main(__doc__ or "", {name: (DATA / f"{name}.csv", make) for name, make in TABLES.items()})
