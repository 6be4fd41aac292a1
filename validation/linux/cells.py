"""Cells: one network with one or several flows, measured on the kernel and simulated."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.study import Batch, Point, Wanted
from linux.data import rows
from linux.late_paths import late
from linux.rules import (
    BBR_GOODPUT,
    BBR_SHARE,
    CYCLES,
    FROZEN,
    GOODPUT,
    LOSS,
    PERIOD,
    RANDOM_LOSS,
    ROUND_TRIP,
    SEEDS,
    SHARE,
    SHARE_SEEDS,
    SINGLE_SEEDS,
    SMALL_BUFFER,
    WAITING,
    Tolerance,
)
from linux.senders import BBR, PACKET, PAYLOAD, WIRE, bottleneck, packet_ms, scenario, transport, waiting_ms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock import Run, Scenario

GRID, RANDOM, COMPETITION = PARTS = ("Single flows", "Random loss", "Competition")

_GRID_FROM, _RANDOM_FROM, _SHARE_FROM = 10, 5, 10  # start of the measurement, seconds, as for the kernel
_COMPETITION_S = 60  # duration
_SHARE_RATE, _RANDOM_START, _STARTS = 20.0, "100 ms", ("100 ms", "1 s")  # Mb/s; start of the flow; starts, spread
_STEP = 0.1  # smallest relative rise or fall of a window between two cycles

Taken = dict[str, float | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """A network, with the kernel's numbers for it.

    Parameters
    ----------
    part, name
        The part of the comparison, and the name within it.
    scenario, seeds, take, record
        What to simulate, on a path as late as the measurement's (`linux.late_paths`), and the function that computes
        our numbers, by the title of the tolerance.
    kernel
        The kernel's numbers, one per repetition, by the title of the tolerance.
    tolerances
        The measures to compare.
    small
        Whether the buffer is so small that the reference itself is uncertain.
    """

    part: str
    name: str
    scenario: Scenario
    seeds: Sequence[int] = SEEDS
    take: Callable[[Run], Taken]
    record: Sequence[str] = ()
    kernel: Mapping[str, Sequence[float]]
    tolerances: Sequence[Tolerance]
    small: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """One measure of a cell: ours, as the mean over seeds, and the kernel's repetitions."""

    cell: Cell
    tolerance: Tolerance
    ours: float | None
    kernel: Sequence[float] = field(default_factory=tuple)

    @property
    def agrees(self) -> bool:
        """Whether the numbers agree; a number that we do not have never agrees."""
        return self.ours is not None and self.tolerance.agrees(self.ours, self.kernel)

    @property
    def ratio(self) -> float | None:
        """Ours over the kernel's mean."""
        mean = fmean(self.kernel)
        return None if self.ours is None or not mean else self.ours / mean

    @property
    def key(self) -> str:
        """Name of the comparison, as in `linux.explained`."""
        return f"{self.cell.part}: {self.cell.name}: {self.tolerance.title}"


def grid(kernel_rows: Iterable[Mapping[str, str]] | None = None) -> list[Cell]:
    """Return the cells with a single flow."""
    by_cell = defaultdict(list)
    for row in rows("grid") if kernel_rows is None else kernel_rows:
        by_cell[row["cc"], float(row["rate_mbps"]), float(row["rtt_ms"]), int(row["buffer"])].append(row)
    cells = []
    for (kernel, rate, rtt, buffer), found in by_cell.items():
        first = found[0]
        if kernel == BBR:
            shortest = rtt + packet_ms(rate)
            numbers = {
                BBR_GOODPUT.title: [float(row["utilization"]) for row in found],
                ROUND_TRIP.title: [
                    shortest + float(row["queueing_ms"]) for row in found if int(row["repetition"]) != FROZEN
                ],
            }
        else:
            numbers = {
                GOODPUT.title: [float(row["utilization"]) for row in found],
                WAITING.title: [float(row["queueing_ms"]) for row in found],
                LOSS.title: [float(row["loss"]) for row in found],
                PERIOD.title: [float(row["period_s"]) for row in found if int(row["cycles"]) >= CYCLES],
            }
        cells.append(
            Cell(
                part=GRID,
                name=f"{kernel}, {rate:g} Mb/s, {rtt:g} ms, {buffer} packets",
                scenario=scenario(
                    float(first["duration_s"]),
                    bottleneck(rate, rtt / 2, buffer),
                    [{"start": "113 ms", "transport": transport(kernel), "source": {"kind": "greedy"}}],
                    measure={"from": f"{_GRID_FROM} s", "bin": "100 ms"},
                ),
                seeds=SINGLE_SEEDS,
                take=_Single(rate=rate, rtt_s=rtt / 1e3),
                record=["windows/10ms"],
                kernel={title: values for title, values in numbers.items() if values},
                tolerances=(BBR_GOODPUT, ROUND_TRIP) if kernel == BBR else (GOODPUT, WAITING, LOSS, PERIOD),
                small=kernel != BBR and buffer < SMALL_BUFFER * float(first["bdp"]),
            )
        )
    return cells


def random_loss(kernel_rows: Iterable[Mapping[str, str]] | None = None) -> list[Cell]:
    """Return the cells with random loss."""
    by_cell = defaultdict(list)
    for row in rows("random_loss") if kernel_rows is None else kernel_rows:
        by_cell[row["cc"], float(row["loss_p"])].append(row)
    cells = []
    for (kernel, p), found in by_cell.items():
        first = found[0]
        rate, rtt, buffer = float(first["rate_mbps"]), float(first["rtt_ms"]), int(first["buffer"])
        network = bottleneck(rate, rtt / 2, buffer, loss={"kind": "random", "probability": p})
        cells.append(
            Cell(
                part=RANDOM,
                name=f"{kernel}, p = {p:g}",
                scenario=scenario(
                    float(first["duration_s"]),
                    network,
                    [{"start": _RANDOM_START, "transport": transport(kernel), "source": {"kind": "greedy"}}],
                    measure={"from": f"{_RANDOM_FROM} s", "bin": "100 ms"},
                ),
                take=_payload_rate,
                kernel={RANDOM_LOSS.title: [float(row["goodput_mbps"]) for row in found]},
                tolerances=(RANDOM_LOSS,),
            )
        )
    return cells


def competition(kernel_rows: Iterable[Mapping[str, str]] | None = None) -> list[Cell]:
    """Return the cells with two groups of flows."""
    by_cell = defaultdict(list)
    for row in rows("competition") if kernel_rows is None else kernel_rows:
        by_cell[row["a"], row["b"], int(row["buffer"])].append(row)
    cells = []
    for (a, b, buffer), found in by_cell.items():
        sides = [_side(a), _side(b)]
        tolerance = BBR_SHARE if BBR in (kernel for _, kernel, _ in sides) else SHARE
        shortest = min(rtt for _, _, rtt in sides)
        flows = [
            {
                "name": name,
                "count": count,
                "start": _STARTS[0],
                "spread": _STARTS[1],
                "transport": transport(kernel),
                "source": {"kind": "greedy"},
                "access": {"rate": WIRE, "delay": f"{(rtt - shortest) / 2:g} ms"},
            }
            for name, (count, kernel, rtt) in zip("ab", sides, strict=True)
        ]
        cells.append(
            Cell(
                part=COMPETITION,
                name=f"{a} and {b}, {buffer} packets",
                scenario=scenario(
                    _COMPETITION_S,
                    bottleneck(_SHARE_RATE, shortest / 2, buffer),
                    flows,
                    measure={"from": f"{_SHARE_FROM} s", "bin": "100 ms"},
                ),
                seeds=SHARE_SEEDS,
                take=_share,
                kernel={tolerance.title: [float(row["share_a"]) for row in found]},
                tolerances=(tolerance,),
            )
        )
    return cells


def compare(cells: Sequence[Cell], *, jobs: int | None = None) -> list[Compared]:
    """Simulate all cells, and compare each measure that the kernel has."""
    batch = Batch()
    with tempfile.TemporaryDirectory() as name:
        made = [[batch.add(_wanted(cell, seed, Path(name))) for seed in cell.seeds] for cell in cells]
        batch.run(jobs=jobs, label="cells")
    return [
        Compared(
            cell=cell,
            tolerance=tolerance,
            ours=_mean([give()[tolerance.title] for give in runs]),
            kernel=cell.kernel[tolerance.title],
        )
        for cell, runs in zip(cells, made, strict=True)
        for tolerance in cell.tolerances
        if tolerance.title in cell.kernel
    ]


def _wanted(cell: Cell, seed: int, folder: Path) -> Wanted[Taken, Taken]:
    return Wanted(
        points=[Point(name=cell.name, scenario=late(cell.scenario, seed, folder), work=_work(cell.scenario))],
        seeds=(seed,),
        take=cell.take,
        record=cell.record,
        make=lambda runs: next(iter(runs)).value,
    )


def reductions(cwnd: NDArray[np.float64]) -> list[int]:
    """Return the samples at which the window begins to fall: by at least a tenth, after it rose by at least a tenth.

    A recovery that reduces the window in small steps, with some growth between them, is one reduction.
    """
    found = []
    rising, extreme, place = True, -np.inf, 0  # the largest window while rising, or else the smallest, and its sample
    for sample, window in enumerate(cwnd.tolist()):
        if window >= extreme if rising else window <= extreme:
            extreme, place = window, sample
        elif rising and window <= extreme * (1 - _STEP):
            found.append(place + 1)
            rising, extreme = False, window
        elif not rising and window >= extreme * (1 + _STEP):
            rising, extreme, place = True, window, sample
    return found


def period(times: NDArray[np.float64], cwnd: NDArray[np.float64], rtt_s: float) -> float | None:
    """Return the mean time between reductions of the window, in s.

    Reductions closer than 1.5 round-trip times and 20 ms count as one, as in the analysis of the kernel's runs.
    """
    kept: list[float] = []
    for time in times[reductions(cwnd)].tolist():
        if not kept or time - kept[-1] > 1.5 * rtt_s + 0.02:
            kept.append(time)
    return (kept[-1] - kept[0]) / (len(kept) - 1) if len(kept) > 1 else None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Single:
    """Computes the numbers of a run with one flow."""

    rate: float
    rtt_s: float

    def __call__(self, run: Run) -> Taken:
        table = run.table("windows")
        times, cwnd = table["time"].to_numpy(), table["cwnd"].to_numpy()
        steady = times >= _GRID_FROM / 2  # as in the analysis of the kernel's runs
        return {
            GOODPUT.title: run.summary.goodput_share,
            BBR_GOODPUT.title: run.summary.goodput_share,
            WAITING.title: waiting_ms(run, self.rate),
            ROUND_TRIP.title: self.rtt_s * 1e3 + packet_ms(self.rate) + waiting_ms(run, self.rate),
            LOSS.title: run.summary.loss,
            PERIOD.title: period(times[steady], cwnd[steady], self.rtt_s),
        }


def _payload_rate(run: Run) -> Taken:
    """Return the goodput in Mb/s, without headers, as for the kernel."""
    return {RANDOM_LOSS.title: run.summary.goodput_bps / 1e6 * PAYLOAD / PACKET}


def _share(run: Run) -> Taken:
    a, b = (group.goodput_bps for group in run.summary.groups)
    return dict.fromkeys((SHARE.title, BBR_SHARE.title), a / (a + b))


def _side(text: str) -> tuple[int, str, float]:
    """Read a side of a competition, such as ``4xcubic@40ms``."""
    count, rest = text.split("x", 1)
    kernel, rtt = rest.removesuffix("ms").split("@")
    return int(count), kernel, float(rtt)


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return fmean(there) if there else None


def _work(asked: Scenario) -> float:
    """Estimate the cost of a run: its simulated time at the bottleneck's rate."""
    tables: dict[str, Any] = asked.to_dict()
    return float(tables["duration"].split()[0]) * float(tables["dumbbell"]["bottleneck"]["rate"].split()[0])
