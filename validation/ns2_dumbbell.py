"""Repeat the ns-2 runs for `burstiness` and `heterogeneous`, and compare some of them with the stored ones.

``python validation/ns2_dumbbell.py --check 3`` repeats three random runs of each part and compares every number.
``python validation/ns2_dumbbell.py --part burstiness/ties --make`` repeats a whole part; the largest take hours. Needs
ns-2.35; `validation/ns2/dumbbell.tcl` is the network.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.papers.burstiness.windows import UNIT
from ns2_parts import main

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ns2_parts import Make, Values

    Where = Mapping[str, Any]

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "validation" / "ns2" / "dumbbell.tcl"

OVERHEAD = 12e-6
"""Maximum processing time before a TCP sends, in seconds; it breaks exact ties."""

WARM = round(20 / UNIT)
"""Number of bins omitted at the start."""

_PROTOCOLS = {"UDP": "UDP", "Reno": "Reno", "Reno/DelAck": "RenoDelAck", "Vegas": "Vegas"}
_THRESHOLDS = {"RED": (10, 40), "RED1": (300, 1200), "RED2": (75, 300)}
_CUT = 0.85
"""A window below this share of the previous sample counts as cut."""


class Printed:
    """The output of a run.

    Parameters
    ----------
    settings
        The script's keys.

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
        """Return goodput, timeouts and cuts of the clients of a class."""
        return np.asarray(self.clients[self.clients[:, 0] == number, 1:])


def _duplicates(trace: Path) -> int:
    """Count the duplicate ACKs: the times at which an agent's counter grew, by one, or by up to two for Vegas."""
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
    """Return protocol and queue of a variant such as ``Reno/DelAck/RED``."""
    name, _, last = variant.rpartition("/")
    if last not in _THRESHOLDS:
        return {"protocol": _PROTOCOLS[variant], "queue": "DropTail"}
    low, high = _THRESHOLDS[last]
    return {"protocol": _PROTOCOLS[name], "queue": "RED", "low": low, "high": high}


def _alike(where: Where, seed: int, **settings: object) -> Printed:
    """Run clients that all use the same variant."""
    given = {"clients": where["clients"], "seed": seed, "overhead": OVERHEAD, **_gateway(where["variant"])}
    return Printed(**given | settings)


def _grid(defaults: str, *, duplicates: bool) -> Make:
    def make(where: Where, seed: int) -> Values:
        udp, vegas = where["variant"] == "UDP", where["variant"].startswith("Vegas")
        run = _alike(where, seed, defaults=defaults, **({"duplicates": "yes"} if duplicates and not udp else {}))
        goodput, timeouts, cuts = run.of(1).T
        return {
            "arrivals": run.arrivals,
            "departures": run.departures,
            "drops": run.drops,
            "loss": run.drops / run.arrivals,
            "drops_warm": run.dropped[WARM:].sum(),
            "cov": round(_cov(run.arrived), 6),
            "cov_warm": round(_cov(run.arrived[WARM:]), 6),
            "goodput_packets": goodput.sum(),
            "timeouts": None if udp else timeouts.sum(),
            "fast_retransmits": None if udp or vegas or not duplicates else cuts.sum() - timeouts.sum(),
            "dup_acks": None if udp or not duplicates else run.duplicates,
            "jain_index": round(_jain(goodput), 5),
        }

    return make


def _crossover(defaults: str) -> Make:
    def make(where: Where, seed: int) -> Values:
        run = _alike(where, seed, defaults=defaults)
        busy = np.flatnonzero(run.dropped.reshape(-1, round(5 / UNIT)).sum(axis=1) >= 10)
        settled = 5 * (busy[-1] + 1) if busy.size else 0
        return {
            "settled": float(settled < 190),
            "settle_time": settled,
            "drops": run.drops,
            "drops_after_100s": run.dropped[round(100 / UNIT) :].sum(),
        }

    return make


def _weight(where: Where, seed: int) -> Values:
    run = _alike(where, seed, overhead=0, weight=where["weight"])
    return {
        "cov": round(_cov(run.arrived), 5),
        "cov_warm": round(_cov(run.arrived[WARM:]), 5),
        "loss": round(run.drops / run.arrivals, 6),
        "departures": run.departures,
    }


def _ties(where: Where, seed: int) -> Values:
    run = _alike(where, seed, overhead=0)
    return {
        "cov": round(_cov(run.arrived), 6),
        "departures": run.departures,
        "jain_index": round(_jain(run.of(1)[:, 0]), 5),
    }


def _queue(where: Where, seed: int) -> Values:
    return {"queue_mean": round(_alike(where, seed, overhead=0).waiting.mean(), 3)}


def _sync(overhead: float) -> Make:
    def make(where: Where, seed: int) -> Values:
        windows = _alike(where, seed, overhead=overhead, windows=1).windows[WARM - 1 :]
        before, now = np.minimum(windows[:-1], 20), np.minimum(windows[1:], 20)
        cuts = (now < _CUT * before).astype(float)
        each, together = cuts.var(axis=0).sum(), cuts.sum(axis=1)
        return {
            "cuts": cuts.sum(),
            "dependence": round(together.var() / each, 4) if each else None,
            "cutting": round(together[together > 0].mean() / cuts.shape[1], 5) if each else None,
        }

    return make


def _added(start: float = 1.0) -> Make:
    def make(where: Where, seed: int) -> Values:
        gateway = _gateway(where["variant"])
        joining = gateway.pop("protocol")
        run = Printed(
            clients=where["background"],
            added=where["clients"],
            joining=joining,
            start=start,
            buffer=where["buffer"],
            seed=seed,
            overhead=OVERHEAD,
            **gateway,
        )
        found: dict[str, Any] = {}
        for number, kind in ((2, "added"), (1, "background")):
            goodput, timeouts, _ = run.of(number).T
            counts = run.classes.get(number, [0, 0, 0])
            found |= {
                f"{kind}_{name}": count for name, count in zip(("arrivals", "departures", "drops"), counts, strict=True)
            }
            found |= {f"{kind}_goodput_packets": goodput.sum(), f"{kind}_timeouts": timeouts.sum()}
        goodput = run.of(2)[:, 0]
        return found | {
            "cov": round(_cov(run.arrived), 6),
            "queue_mean": round(run.waiting[WARM:].mean(), 2),
            "added_jain_index": round(_jain(goodput), 5),
            "added_least": goodput.min(),
            "added_median": np.round(np.median(goodput)),
        }

    return make


PARTS: dict[str, Make] = {
    "burstiness/grid": _grid("ns2-2.35", duplicates=True),
    "burstiness/grid_2000": _grid("ns2-2000", duplicates=True),
    "burstiness/again": _grid("ns2-2.35", duplicates=False),
    "burstiness/again_2000": _grid("ns2-2000", duplicates=False),
    "burstiness/crossover": _crossover("ns2-2.35"),
    "burstiness/crossover_2000": _crossover("ns2-2000"),
    "burstiness/weights": _weight,
    "burstiness/weights_39": _weight,
    "burstiness/ties": _ties,
    "burstiness/queues": _queue,
    "burstiness/close": _sync(OVERHEAD),
    "burstiness/close_ties": _sync(0.0),
    "heterogeneous/curves": _added(),
    "heterogeneous/late_curves": _added(start=10.0),
    "heterogeneous/again_curves": _added(),
}
"""What makes a run of each part."""


if __name__ == "__main__":
    main(__doc__ or "", PARTS)
