"""Repeat the ns-2 runs for `selfsimilar`, and compare some of them with the stored ones.

``python validation/ns2_selfsimilar.py --check 3`` repeats three random runs of each part and compares every number.
``python validation/ns2_selfsimilar.py --part selfsimilar/counts --make`` repeats a whole part. Needs ns-2.35;
`validation/ns2/selfsimilar.tcl` is the network.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.analysis import cov, hurst, kettani_gubner_k1
from ackclock.papers.selfsimilar.experiment import RATE, SCALES, binned, efficiency
from ackclock.papers.selfsimilar.flow_measures import Trace, course, delivered, lateness, measures, plain, variation
from ackclock.papers.selfsimilar.traffic import BINS, ESTIMATORS
from ns2_parts import main

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ns2_parts import Make, Values

    Where = Mapping[str, Any]
    Array = NDArray[np.float64]

SCRIPT = Path(__file__).resolve().parent / "ns2" / "selfsimilar.tcl"

_CLASSES = {"Tahoe": "Tahoe", "NewReno": "Newreno", "Vegas": "Vegas", "SACK": "Sack1", "UDP": "UDP"}
_READINGS: Mapping[str, Mapping[str, object]] = {
    "greedy": {},
    "constant rate": {"rate": 6.2e6},
    "window of 60": {"window": 60},
}
_BACKGROUNDS: Mapping[str, Mapping[str, object]] = {"UDP": {}, "210 bytes": {"size": 210}, "TCP": {"carrier": "tcp"}}
_SETTLED = 200  # in hundredths of a second: every source has started by then
_CAPACITY = 50e6 * 100 / 8  # bytes that the bottleneck carries in a run


class Printed:
    """The output of a run; `look` keeps its traces.

    Parameters
    ----------
    settings
        The script's keys.

    """

    def __init__(self, *, look: bool = False, **settings: object) -> None:
        with tempfile.TemporaryDirectory() as folder:
            traces = {name: Path(folder) / name for name in ("trace", "packets")}
            if look:
                settings |= {
                    name: path for name, path in traces.items() if name != "trace" or settings["variant"] != "UDP"
                }
            command = ["ns", str(SCRIPT), *(f"{name}={value}" for name, value in settings.items())]
            lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
            self.traces = {
                name: path.read_text(encoding="utf-8").splitlines() for name, path in traces.items() if path.exists()
            }
        words = [line.split() for line in lines]
        self.background, self.received, self.cwnd = np.array(
            [row[1:] for row in words if row[0] == "bin"], dtype=float
        ).T
        self.counts, self.gateway, self.behind = (
            [float(word) for word in row[1:]] for row in words if row[0] in {"counts", "gateway", "behind"}
        )


def _connection(where: Where, seed: int, **settings: object) -> Printed:
    given = {"variant": _CLASSES[where["variant"]], "seed": seed, "every": 1, **_READINGS[where["reading"]]}
    return Printed(**given | settings)  # type: ignore[arg-type]


def _counts(skip: int) -> Make:
    def make(where: Where, seed: int) -> Values:
        return _counted(_connection(where, seed, skip=skip))

    return make


def _counted(run: Printed) -> dict[str, float]:
    names = ("arrivals", "drops", "retransmissions", "acks", "timeouts")
    return dict(zip(names, run.counts, strict=True))


def _background(_: Where, seed: int) -> Values:
    run = Printed(variant="none", seed=seed)
    bins = {f"{scale:g}": binned(run.background[_SETTLED:], round(100 * scale)) for scale in SCALES}
    return {
        "load": round(run.background.sum() / _CAPACITY, 4),
        **{f"cov_{scale}": round(cov(some), 5) for scale, some in bins.items()},
        **{f"hurst_{scale}": round(kettani_gubner_k1(some).h, 5) for scale, some in bins.items()},
    }


def _loads(where: Where, seed: int) -> Values:
    settings = _BACKGROUNDS[where["background"]]
    run = Printed(variant="none", seed=seed, sources=where["sources"], **settings)  # type: ignore[arg-type]
    _, arrivals, drops = run.gateway
    bins = {scale: binned(run.background[_SETTLED:], round(100 * scale)) for scale in BINS}
    return {
        "load": round(run.background.sum() / _CAPACITY, 4),
        "loss": round(drops / arrivals, 6),
        **{f"{name} {scale:g}": _estimate(name, some) for scale, some in bins.items() for name in ESTIMATORS},
        **{f"cov {scale:g}": round(cov(some), 4) for scale, some in bins.items()},
    }


def _estimate(name: str, counts: Array) -> float | None:
    """Estimate the Hurst parameter; None if the method needs more bins than there are."""
    try:
        return round(ESTIMATORS[name](counts).h, 4)
    except ValueError:
        return None


def _hop(**settings: object) -> Make:
    def make(where: Where, seed: int) -> Values:
        lost = {"lost": where["lost_of_a_million"]} if "lost_of_a_million" in where else {}
        run = Printed(variant=_CLASSES[where["variant"]], seed=seed, every=1, **settings | lost)  # type: ignore[arg-type]
        _, drops, again, _, timeouts = run.counts
        arrivals, behind = run.behind
        return {
            "arrivals": arrivals,
            "drops": drops + behind,
            "loss": float(f"{(drops + behind) / run.gateway[0]:.6g}"),
            "retransmissions": again,
            "timeouts": timeouts,
            "goodput": arrivals * 8e-5,
        }

    return make


def _flows(where: Where, seed: int) -> Values:
    run = _connection(where, seed, every=0.01, look=True)
    header = 0 if where["variant"] == "Vegas" else 40
    counts = _packets(run, 1000 + header)
    sampled, rtt, again = _changes(run.traces["trace"])
    trace = Trace(
        counts=counts, cwnd=np.round(np.append(run.cwnd, run.cwnd[-1]), 1), sampled=sampled, rtt=rtt, again=again
    )
    counted = _counted(run)
    constant = where["reading"] == "constant rate"
    found = {**_memory(counts), **measures(trace), **(_delays(run, "tcp") if constant else {})}
    delays = ("jitter", "variation_99", "late_jitter", "late_99", "late_most")
    values: dict[str, Any] = {
        **counted,
        "efficiency": efficiency(counted),
        "efficiency_plain": plain(counted),
        **{name: None if value is None else float(f"{value:.5g}") for name, value in found.items()},
        **{name: None for name in delays if name not in found},
    }
    if seed == 1:
        drawn = course(trace)
        values |= {"cwnd": np.round(drawn["cwnd"], 1), "rtt": drawn["rtt"], "again": np.unique(np.round(again, 2))}
    return values


def _packets(run: Printed, size: int) -> Array:
    """Count packets received in tenths of a second; the last hundredth of the run has no line."""
    return np.round(binned(np.append(run.received, 0), 10) / size)


def _changes(lines: list[str]) -> tuple[Array, Array, Array]:
    """Return the samples of the round-trip time and the times of retransmissions from the trace of variables."""
    rows = [line.split() for line in lines]
    rtt = np.array([(row[0], row[-1]) for row in rows if row[-2] == "rtt_" and float(row[-1]) > 0], dtype=float)
    again = np.array([row[0] for row in rows if row[-2] == "nrexmitpack_" and float(row[-1]) > 0], dtype=float)
    return rtt[:, 0], np.round(1000 * rtt[:, 1]), again


def _memory(counts: Array) -> dict[str, float | None]:
    found = hurst(counts)
    estimates = {each.method: each.h for each in found.estimates}
    methods = {"hurst_k1": "kettani_gubner_k1", "hurst_k50": "kettani_gubner", "hurst_wavelet": "abry_veitch"}
    return {
        **{name: estimates.get(method) for name, method in methods.items()},
        "long_range": float(found.long_range),
    }


def _delays(run: Printed, kind: str) -> dict[str, float | None]:
    """Return the delay of each data packet from its entry into the link to A to its entry into the link to y."""
    rows = [line.split() for line in run.traces["packets"]]
    entered = [row for row in rows if row[0] == "+" and row[4] == kind and row[5] != "40"]
    sent = {row[11]: float(row[1]) for row in entered if row[2] == "3"}
    came = [(float(row[1]), row[11], float(row[10])) for row in entered if row[2] == "1"]
    times, which = np.array([time for time, _, _ in came]), np.array([segment for _, _, segment in came])
    left = np.array([sent[number] for _, number, _ in came])
    late = lateness(left, times, rate=1) if kind == "cbr" else lateness(*delivered(times, which), rate=RATE)
    return {**variation(left, times), **late}


def _udp(_: Where, seed: int) -> Values:
    run = Printed(variant="UDP", rate=6.2e6, seed=seed, look=True)
    found = {**_memory(_packets(run, 1040)), **_delays(run, "cbr")}
    found.pop("hurst_wavelet")
    numbers = {name: None if value is None else float(f"{value:.5g}") for name, value in found.items()}
    return {"arrivals": run.counts[0], "drops": run.counts[1], **numbers}


PARTS: dict[str, Make] = {
    "selfsimilar/flows": _flows,
    "selfsimilar/udp": _udp,
    "selfsimilar/counts": _counts(skip=100),
    "selfsimilar/adjacent": _counts(skip=0),
    "selfsimilar/background": _background,
    "selfsimilar/loads": _loads,
    "selfsimilar/losses": _hop(),
    "selfsimilar/steps": _hop(steps=1),
}
"""What makes a run of each part."""


if __name__ == "__main__":
    main(__doc__ or "", PARTS)
