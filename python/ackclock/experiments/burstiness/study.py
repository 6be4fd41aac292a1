"""The study as a folder: runs, figures with their data, and the report."""

from __future__ import annotations

import csv
import io
import json
import math
import shlex
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from ackclock import __version__
from ackclock.experiments.burstiness import ns2
from ackclock.experiments.burstiness.courses import courses_verdict, observe_courses
from ackclock.experiments.burstiness.curves import curves
from ackclock.experiments.burstiness.experiment import (
    ARRIVALS_PER_RTT,
    CLIENTS,
    DURATION,
    RED_WEIGHT,
    VARIANTS,
    observe,
    scenario,
)
from ackclock.experiments.burstiness.figures import (
    FIRST_WITH_LOSS,
    loss_chart,
    throughput_chart,
    timeouts_chart,
    variation_chart,
)
from ackclock.experiments.burstiness.findings import findings
from ackclock.experiments.burstiness.measures import (
    cov,
    cov_over_poisson,
    loss_percent,
    thousand_departures,
    timeouts_per_dup_ack,
)
from ackclock.experiments.burstiness.window_figures import WINDOW_FIGURES, window_drawings
from ackclock.report.html import Drawing, Report, Section, Table, render

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from ackclock.analysis import Interval
    from ackclock.experiments.burstiness.courses import Courses
    from ackclock.experiments.burstiness.experiment import Observation
    from ackclock.report.chart import Chart

__all__ = ["record", "report", "write"]

PROFILE = "ns2-2.35"
TITLE = "On the Burstiness of the TCP Congestion-Control Mechanism"
SOURCE = (
    "The study of P. Tinnakornsrisuphap, W. Feng and I. Philp (ICDCS 2000), run again packet by packet by "
    "Ackclock: its Figures 2 to 13."
)


SETUP = (
    ("Network", "n clients, each on a 10 Mb/s link of 25 ms, share a bottleneck of 50 Mb/s and 25 ms"),
    ("Traffic", "Poisson, 100 packets of 1500 bytes a second from each client"),
    ("Gateway", f"room for 50 packets: FIFO, or RED with thresholds 10 and 40 and weight {RED_WEIGHT}"),
    (
        "TCP",
        "Reno with and without delayed ACKs; Vegas with alpha 1, beta 3, gamma 1; advertised window 20",
    ),
    (
        "Processing time",
        "0 to 12 µs at random before a TCP sends, so that no exact tie decides; in ns-2 too",
    ),
    ("Length of a run", f"{DURATION} s, measured from the start"),
    ("Other defaults", f"profile {PROFILE}; ackclock profile show {PROFILE} lists them"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Figure:
    slug: str
    title: str
    what: str
    rest: str
    unit: str
    digits: int
    draw: Callable[[Sequence[Observation], Sequence[Observation]], Chart]
    measures: Mapping[str, Callable[[Observation], float | None]]
    first: int = 1


GRID_FIGURES = (
    _Figure(
        slug="figure2",
        title="Figure 2. Coefficient of variation of the aggregated TCP traffic",
        what="Arrivals at the gateway, counted in bins of one round-trip propagation delay (0.1 s) over the "
        "whole run: (a) standard deviation over mean; (b) the same relative to the Poisson process that the "
        "clients generate.",
        rest=f"Thin line: 1/√(λτn) with λτ = {ARRIVALS_PER_RTT} packets a client.",
        unit="Coefficient of variation",
        digits=4,
        draw=variation_chart,
        measures={"cov": cov, "cov_over_poisson": cov_over_poisson},
    ),
    _Figure(
        slug="figure3",
        title="Figure 3. Throughput of the aggregated TCP traffic",
        what=f"Packets that the bottleneck transmitted in {DURATION} s (left axis) and the same as a rate "
        "(right axis).",
        rest="Dotted line: the capacity of the bottleneck.",
        unit=f"Thousand packets transmitted in {DURATION} s",
        digits=1,
        draw=throughput_chart,
        measures={"thousand_departures": thousand_departures},
        first=FIRST_WITH_LOSS,
    ),
    _Figure(
        slug="figure4",
        title="Figure 4. Packet loss percentage of the aggregated TCP traffic",
        what="Packets that the gateway dropped, as a part of those that arrived, retransmissions included.",
        rest="UDP, which does not slow down, leaves the frame where the load passes the capacity.",
        unit="Packet loss, % of arrivals",
        digits=3,
        draw=loss_chart,
        measures={"loss_percent": loss_percent},
        first=FIRST_WITH_LOSS,
    ),
    _Figure(
        slug="figure13",
        title="Figure 13. Timeouts per duplicate ACK",
        what="Timeouts as a part of the duplicate ACKs that reached the senders, of all clients together.",
        rest="UDP has neither.",
        unit="Timeouts, % of duplicate ACKs",
        digits=2,
        draw=timeouts_chart,
        measures={"timeouts_per_dup_ack_percent": timeouts_per_dup_ack},
        first=FIRST_WITH_LOSS,
    ),
)
"""The figures against the number of clients; `WINDOW_FIGURES` come before the last of them."""


def record(*, seeds: int) -> dict[str, Any]:
    """Tell what makes the folder: enough to make it again."""
    return {
        "version": __version__,
        "command": command(seeds=seeds),
        "profile": PROFILE,
        "seeds": list(range(1, seeds + 1)),
    }


def command(*, seeds: int) -> str:
    """Give the command that makes the report."""
    return shlex.join(["ackclock", "reproduce", "burstiness", "--seeds", str(seeds)])


def write(folder: Path, *, seeds: Sequence[int], jobs: int | None = None) -> None:
    """Run the grid and write everything that belongs to the study into a folder.

    Parameters
    ----------
    folder
        An empty folder.
    seeds
        The seeds that each point is run with.
    jobs
        How many runs at once; one for each processor by default.

    """
    ours = observe(list(product(VARIANTS, CLIENTS)), seeds=seeds, profile=PROFILE, jobs=jobs)
    windows = observe_courses([(figure.variant, figure.clients) for figure in WINDOW_FIGURES], jobs=jobs)
    write_runs(folder / "runs.parquet", ours)
    write_runs(folder / "windows.parquet", [run for courses in windows for run in courses.runs])
    whole = report(ours, windows, command=command(seeds=len(seeds)))
    for drawing in whole.drawings:
        for name, content in drawing.files.items():
            (folder / name).write_bytes(content)
    (folder / "report.html").write_text(render(whole), encoding="utf-8")


def write_runs(path: Path, runs: Sequence[Observation]) -> None:
    """Write one row a run: variant, clients, seed, every number of the summary, and the whole scenario."""
    import pyarrow as pa  # noqa: PLC0415 - slow to load
    from pyarrow import parquet  # noqa: PLC0415

    variants = {variant.name: variant for variant in VARIANTS}
    scenarios = {
        place: json.dumps(scenario(variants[place[0]], place[1], profile=PROFILE).effective().to_dict())
        for place in dict.fromkeys((run.variant, run.clients) for run in runs)
    }
    columns: dict[str, pa.Array] = {
        "variant": pa.array([run.variant for run in runs]).dictionary_encode(),
        "clients": pa.array([run.clients for run in runs], pa.uint32()),
        "seed": pa.array([run.seed for run in runs], pa.uint64()),
    }
    for name in runs[0].values:
        columns[name] = pa.array([run.values[name] for run in runs])
    columns["scenario"] = pa.array([scenarios[run.variant, run.clients] for run in runs]).dictionary_encode()
    parquet.write_table(pa.table(columns), path, compression="zstd")


def report(ours: Sequence[Observation], windows: Sequence[Courses], *, command: str) -> Report:
    """Make the report from runs of the whole grid.

    Parameters
    ----------
    ours
        Our runs.
    windows
        The runs of each of `WINDOW_FIGURES`, in their order.
    command
        What a person types to make them.

    Returns
    -------
    Report
        Figures with ns-2's points, and what they show in words.

    """
    theirs = [run for run in ns2.observations(PROFILE) if run.clients in CLIENTS]
    *first, last = [_drawing(figure, ours, theirs, command=command) for figure in GRID_FIGURES]
    their_windows = [ns2.courses(figure.variant, figure.clients) for figure in WINDOW_FIGURES]
    return Report(
        title=TITLE,
        source=SOURCE,
        summary=[*findings(ours, theirs), courses_verdict(windows, their_windows)],
        overview=_overview(ours),
        sections=[
            Section(
                title="The paper's figures",
                drawings=[*first, *window_drawings(windows, their_windows, command=command), last],
            )
        ],
        setup=SETUP,
        provenance=[
            ("Program", f"Ackclock {__version__}"),
            ("Command", command),
            (
                "Runs",
                f"{len(ours)}: {len(VARIANTS)} variants, {len(CLIENTS)} client counts, {_seeds(ours)} seeds",
            ),
            (
                "Runs for the windows",
                f"{sum(len(of.runs) for of in windows)}: {len(windows)} figures, {len(windows[0].runs)} seeds each",
            ),
            (
                "Every run's numbers",
                "runs.parquet and, for the windows, windows.parquet beside this page, with the scenario of each run",
            ),
            (
                "ns-2's points",
                f"ns-2.35 (Debian 2.35+dfsg-5), unmodified, {_seeds(theirs)} seeds; in the CSV files",
            ),
        ],
    )


def _seeds(runs: Sequence[Observation]) -> int:
    return len({run.seed for run in runs})


def _drawing(figure: _Figure, ours: Sequence[Observation], theirs: Sequence[Observation], *, command: str) -> Drawing:
    """Draw a figure and lay its data beside it."""
    seeds = _seeds(ours)
    bars = (
        f"Points are means of {seeds} runs with bars for the 95 % confidence interval (Student's t); "
        if seeds > 1
        else "Points are single runs, without bars; "
    )
    marks = f"hollow markers are means of {_seeds(theirs)} runs of ns-2.35, whose intervals are in the CSV."
    return Drawing(
        chart=figure.draw(ours, theirs),
        slug=figure.slug,
        title=figure.title,
        caption=f"{figure.what} {bars}{marks} {figure.rest}",
        csv=_data(figure, ours, theirs),
        numbers=_numbers(figure, ours),
        command=command,
    )


def _data(figure: _Figure, ours: Sequence[Observation], theirs: Sequence[Observation]) -> str:
    """Write what a figure shows as CSV: one row a point, with mean and half-width of the 95 % interval."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    names = [f"{name}{end}" for name in figure.measures for end in ("", "_ci95")]
    rows.writerow(["source", "variant", "clients", "runs", *names])
    for source, runs in (("ackclock", ours), ("ns-2.35", theirs)):
        drawn = [curves(runs, measure) for measure in figure.measures.values()]
        for along in zip(*drawn, strict=True):
            for clients, interval in along[0].points.items():
                if clients >= figure.first:
                    cells = [curve.points[clients] for curve in along]
                    numbers = [f"{number:.6g}" for cell in cells for number in (cell.mean, cell.half_width)]
                    rows.writerow([source, along[0].variant, clients, interval.count, *numbers])
    return text.getvalue()


def _numbers(figure: _Figure, ours: Sequence[Observation]) -> Table:
    """Lay our means out for people: a row for each number of clients, a column a variant."""
    along = curves(ours, next(iter(figure.measures.values())))
    return Table(
        caption=f"{figure.unit}: mean ± half-width of the 95 % interval",
        head=["Clients", *(curve.variant for curve in along)],
        rows=[
            [str(clients), *(_shown(curve.points.get(clients), figure.digits) for curve in along)]
            for clients in along[0].points
            if clients >= figure.first
        ],
    )


def _overview(ours: Sequence[Observation]) -> Table:
    """Lay all variants side by side at the highest load."""
    most = max(CLIENTS)
    columns = [
        [_shown(curve.points[most], digits) for curve in curves(ours, measure)]
        for measure, digits in ((cov, 4), (cov_over_poisson, 2), (thousand_departures, 1), (loss_percent, 2))
    ]
    return Table(
        caption=f"With {most} clients: mean ± half-width of the 95 % confidence interval",
        head=["", "c.o.v.", "relative to Poisson", "throughput, 1000 packets", "loss, %"],
        rows=[[variant.name, *cells] for variant, *cells in zip(VARIANTS, *columns, strict=True)],
    )


def _shown(interval: Interval | None, digits: int) -> str:
    """Write a mean, and its half-width if it has one."""
    if interval is None:
        return "–"  # noqa: RUF001 - a dash for what is not there
    bar = f" ± {interval.half_width:.{digits}f}" if math.isfinite(interval.half_width) else ""
    return f"{interval.mean:.{digits}f}{bar}"
