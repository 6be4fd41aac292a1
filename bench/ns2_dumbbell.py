"""Make ns-2's runs behind `burstiness` and `heterogeneous`, or hold some of them to the rows that are there.

``python bench/ns2_dumbbell.py --check 3`` runs three random rows of each table again and compares every number.
``python bench/ns2_dumbbell.py --table burstiness/ties --out FOLDER`` makes a whole table; the largest take hours.
Needs ns-2.35; `bench/ns2/dumbbell.tcl` is the network.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.papers.burstiness.windows import UNIT
from ns2_tables import main

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from ns2_tables import Row

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "bench" / "ns2" / "dumbbell.tcl"
PAPERS = ROOT / "python" / "ackclock" / "papers"

OVERHEAD = 12e-6
"""Longest processing time before a TCP sends, in seconds; without it exact ties decide."""

WARM = round(20 / UNIT)
"""Bins that are left out at the start."""

_PROTOCOLS = {"UDP": "UDP", "Reno": "Reno", "Reno/DelAck": "RenoDelAck", "Vegas": "Vegas"}
_THRESHOLDS = {"RED": (10, 40), "RED1": (300, 1200), "RED2": (75, 300)}
_CUT = 0.85
"""A window that falls below this share of the one before has been cut."""


class Printed:
    """What a run printed.

    Parameters
    ----------
    settings
        The keys of the script.

    """

    def __init__(self, **settings: object) -> None:
        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "duplicates"
            if settings.get("duplicates"):
                settings["duplicates"] = trace
            command = ["ns", str(SCRIPT), *(f"{name}={value}" for name, value in settings.items())]
            lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
            self.duplicates = _duplicates(trace) if trace.exists() else 0
        words = [line.split() for line in lines]
        self.arrived, self.dropped, self.waiting = np.array(
            [row[1:] for row in words if row[0] == "bin"], dtype=float
        ).T
        self.windows = np.array([row[1:] for row in words if row[0] == "w"], dtype=float)
        self.arrivals, self.departures, self.drops = next(map(int, row[1:]) for row in words if row[0] == "gateway")
        self.classes = {int(row[1]): list(map(int, row[2:])) for row in words if row[0] == "class"}
        self.clients = np.array([row[1:] for row in words if row[0] == "client"], dtype=float)

    def of(self, number: int) -> NDArray[np.float64]:
        """Give goodput, timeouts and cuts of the clients of a class."""
        return np.asarray(self.clients[self.clients[:, 0] == number, 1:])


def _duplicates(trace: Path) -> int:
    """Count the duplicate ACKs: instants at which the counter of an agent grew, by one, or by two as Vegas' may."""
    last: dict[str, int] = {}
    when: dict[str, str] = {}
    count = 0
    with trace.open(encoding="utf-8") as lines:
        for line in lines:
            time, agent, *_, value = line.split()
            now, before = int(value), last.get(agent, 0)
            if now > before:
                count += when.get(agent) != time and (now == before + 1 or before > 0)
                when[agent] = time
            last[agent] = now
    return count


def _cov(counts: NDArray[np.float64]) -> float:
    return float(counts.std() / counts.mean())


def _jain(goodput: NDArray[np.float64]) -> float:
    return float(goodput.sum() ** 2 / (len(goodput) * (goodput**2).sum()))


def _gateway(variant: str) -> dict[str, Any]:
    """Give protocol and queue of a variant such as ``Reno/DelAck/RED``."""
    name, _, last = variant.rpartition("/")
    if last not in _THRESHOLDS:
        return {"protocol": _PROTOCOLS[variant], "queue": "DropTail"}
    low, high = _THRESHOLDS[last]
    return {"protocol": _PROTOCOLS[name], "queue": "RED", "low": low, "high": high}


def _alike(row: Mapping[str, str], **settings: object) -> Printed:
    """Run clients of one kind."""
    given = {"clients": row["clients"], "seed": row["seed"], "overhead": OVERHEAD, **_gateway(row["variant"])}
    return Printed(**given | settings)


def _grid(row: Mapping[str, str], *, defaults: str, duplicates: bool) -> Row:
    udp, vegas = row["variant"] == "UDP", row["variant"].startswith("Vegas")
    run = _alike(row, defaults=defaults, **({"duplicates": "yes"} if duplicates and not udp else {}))
    goodput, timeouts, cuts = run.of(1).T
    return {
        "arrivals": str(run.arrivals),
        "departures": str(run.departures),
        "drops": str(run.drops),
        "drops_warm": f"{run.dropped[WARM:].sum():.0f}",
        "cov": f"{_cov(run.arrived):.6f}",
        "cov_warm": f"{_cov(run.arrived[WARM:]):.6f}",
        "goodput_packets": f"{goodput.sum():.0f}",
        "timeouts": "" if udp else f"{timeouts.sum():.0f}",
        "fast_retransmits": "" if udp or vegas or not duplicates else f"{cuts.sum() - timeouts.sum():.0f}",
        "dup_acks": "" if udp or not duplicates else str(run.duplicates),
        "jain_index": f"{_jain(goodput):.5f}",
    }


def _crossover(row: Mapping[str, str]) -> Row:
    run = _alike({**row, "variant": "Reno"}, defaults=row["profile"])
    busy = np.flatnonzero(run.dropped.reshape(-1, round(5 / UNIT)).sum(axis=1) >= 10)
    settled = 5 * (busy[-1] + 1) if busy.size else 0
    return {
        "settled": str(int(settled < 190)),
        "settle_time": str(settled),
        "drops": str(run.drops),
        "drops_after_100s": f"{run.dropped[round(100 / UNIT) :].sum():.0f}",
    }


def _weight(row: Mapping[str, str]) -> Row:
    run = _alike(row, overhead=0, weight=row["weight"])
    return {
        "cov": f"{_cov(run.arrived):.5f}",
        "cov_warm": f"{_cov(run.arrived[WARM:]):.5f}",
        "loss": f"{run.drops / run.arrivals:.6f}",
        "departures": str(run.departures),
    }


def _ties(row: Mapping[str, str]) -> Row:
    run = _alike(row, overhead=0)
    return {
        "cov": f"{_cov(run.arrived):.6f}",
        "departures": str(run.departures),
        "jain_index": f"{_jain(run.of(1)[:, 0]):.5f}",
    }


def _queue(row: Mapping[str, str]) -> Row:
    return {"queue_mean": f"{_alike(row, overhead=0).waiting.mean():.3f}"}


def _sync(row: Mapping[str, str]) -> Row:
    windows = _alike(row, overhead=float(row["overhead_us"]) * 1e-6, windows=1).windows[WARM - 1 :]
    before, now = np.minimum(windows[:-1], 20), np.minimum(windows[1:], 20)
    cuts = (now < _CUT * before).astype(float)
    each, together = cuts.var(axis=0).sum(), cuts.sum(axis=1)
    return {
        "cuts": f"{cuts.sum():.0f}",
        "dependence": f"{together.var() / each:.4f}" if each else "",
        "cutting": f"{together[together > 0].mean() / cuts.shape[1]:.5f}" if each else "",
    }


def _added(row: Mapping[str, str], *, start: float = 1.0) -> Row:
    gateway = _gateway(row["variant"])
    joining = gateway.pop("protocol")
    run = Printed(
        clients=row["background"],
        added=row["added"],
        joining=joining,
        start=start,
        buffer=row["buffer"],
        seed=row["seed"],
        overhead=OVERHEAD,
        **gateway,
    )
    found: Row = {}
    for number, kind in ((2, "added"), (1, "background")):
        goodput, timeouts, _ = run.of(number).T
        counts = run.classes.get(number, [0, 0, 0])
        found |= {
            f"{kind}_{name}": str(count)
            for name, count in zip(("arrivals", "departures", "drops"), counts, strict=True)
        }
        found |= {f"{kind}_goodput_packets": f"{goodput.sum():.0f}", f"{kind}_timeouts": f"{timeouts.sum():.0f}"}
    goodput = run.of(2)[:, 0]
    return found | {
        "cov": f"{_cov(run.arrived):.6f}",
        "queue_mean": f"{run.waiting[WARM:].mean():.2f}",
        "added_jain_index": f"{_jain(goodput):.5f}",
        "added_least": f"{goodput.min():.0f}",
        "added_median": f"{np.median(goodput):.0f}",
    }


TABLES: dict[str, Callable[[Mapping[str, str]], Row]] = {
    "burstiness/ns2-2.35": lambda row: _grid(row, defaults="ns2-2.35", duplicates=True),
    "burstiness/ns2-2000": lambda row: _grid(row, defaults="ns2-2000", duplicates=True),
    "burstiness/recheck": lambda row: _grid(row, defaults=row["profile"], duplicates=False),
    "burstiness/crossover": _crossover,
    "burstiness/red_weight": _weight,
    "burstiness/ties": _ties,
    "burstiness/queue": _queue,
    "burstiness/sync": _sync,
    "heterogeneous/ns2-2.35": _added,
    "heterogeneous/late": lambda row: _added(row, start=10.0),
    "heterogeneous/recheck": _added,
}
"""What makes a row of each table from its coordinates."""


def _file(table: str) -> Path:
    study, name = table.split("/")
    return PAPERS / study / "data" / f"{name}.csv"


if __name__ == "__main__":
    main(__doc__ or "", {name: (_file(name), make) for name, make in TABLES.items()})
