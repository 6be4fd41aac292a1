"""The study as a folder: runs, figures with their data, claims with their verdicts, and the report."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.papers import output
from ackclock.papers.claims import findings, judge
from ackclock.papers.manyflows import figures, places
from ackclock.papers.manyflows.claims import CLAIMS, TOPICS
from ackclock.papers.manyflows.claims.loss import NEAR
from ackclock.papers.manyflows.evidence import MODERN, Evidence, Side, from_ns2, gather
from ackclock.papers.manyflows.experiment import FRACTIONS, LINKS, PROFILE, scenario
from ackclock.papers.manyflows.flow_studies import FLOW_CLAIMS, flow_drawings, gather_flow_studies
from ackclock.papers.manyflows.hyperbolas import TABLES, away
from ackclock.papers.manyflows.looks import observations
from ackclock.papers.manyflows.pipe_figures import pipe_drawings
from ackclock.papers.manyflows.places import READINGS
from ackclock.papers.observation import Observation, seeds_of
from ackclock.papers.summary import summary
from ackclock.report.html import Report, Section, Table
from ackclock.running.origin import Origin
from ackclock.study import Batch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ackclock.papers.claims import Judged
    from ackclock.papers.manyflows.experiment import Setting
    from ackclock.papers.manyflows.flow_studies import FlowStudies
    from ackclock.papers.manyflows.places import Curves, Reading

__all__ = ["observe_all", "record", "report", "write"]

STUDY = "manyflows"

SETUP = (
    (
        "Network",
        "n sources on 10 Mb/s links of 0.001 ms, a bottleneck of 50 ms (Figures 11 and 19: 200 ms too), n sinks",
    ),
    ("Bottleneck", "T1 of 1.6 Mb/s, W_opt = 40 packets, or ISDN of 64 kb/s, W_opt = 2; FIFO, drop-tail"),
    ("Buffer", "W_c less W_opt, W_c = 100 to 500 packets; Figures 7 and 16: 4 or 6 for each connection"),
    ("Traffic", "greedy Reno, packets of 500 bytes on the wire, each acknowledged, windows without a limit"),
    (
        "Counted",
        "after a warm-up: T1 50 to 200 s, ISDN 500 to 2000 s; from 0: T1 to 100 s, ISDN to 1000 s. The paper is silent",
    ),
    ("Start", "uniform within the first second, or all at once, where told. The paper is silent"),
    ("Timeouts", "up to 64 s, or without a limit, where told; 64 times the estimate at most. The paper is silent"),
    (
        "Processing time",
        "none, or uniform up to 10 % of the round trip with a full buffer; of that without a queue it does nothing",
    ),
    ("Other simulators", "the paper also used the simulator REAL, whose runs are not reproduced"),
    ("Other defaults", f"profile {PROFILE}; ackclock profile show {PROFILE} lists them"),
)


def record(*, seeds: int) -> dict[str, Any]:
    """Tell what makes the folder: enough to make it again."""
    return output.record(STUDY, profile=PROFILE, seeds=seeds)


def observe_all(*, seeds: Sequence[int], jobs: int | None = None) -> tuple[Evidence, FlowStudies]:
    """Run everything, and lay what ns-2 measured beside it.

    Parameters
    ----------
    seeds
        The seeds that each point is run with.
    jobs
        How many runs at once; one for each processor by default.

    """
    batch = Batch()
    ours, flows = gather(batch, seeds=seeds), gather_flow_studies(batch, seeds=seeds)
    batch.run(jobs=jobs, label=STUDY)
    return Evidence(ours=ours(), ns2=from_ns2()), flows()


def write(folder: Path, *, seeds: Sequence[int], jobs: int | None = None) -> None:
    """Run the study and write everything that belongs to it into a folder.

    Parameters
    ----------
    folder
        An empty folder.
    seeds, jobs
        As for `observe_all`.

    """
    evidence, flows = observe_all(seeds=seeds, jobs=jobs)
    ours = evidence.ours
    settings = {(setting.name, setting.flows): setting for setting, _ in on_the_grid(ours)}
    output.write_runs(
        folder / "runs.parquet",
        list({(run.variant, run.clients, run.seed): run for _, run in on_the_grid(ours)}.values()),
        scenario=lambda variant, flows: scenario(settings[variant, flows]),
    )
    output.write_single(folder / "single.parquet", _single(ours, flows))
    judged = judge_all(evidence, flows)
    command = output.command(STUDY, seeds=len(seeds))
    output.write_report(folder, report(evidence, flows, judged, command=command), judged, seeds=len(seeds))


def judge_all(evidence: Evidence, flows: FlowStudies) -> list[Judged[Any]]:
    """Judge each claim of the paper, in its order."""
    judged: list[Judged[Any]] = [*judge(CLAIMS, evidence), *judge(FLOW_CLAIMS, flows)]
    return sorted(judged, key=lambda one: one.claim.key.split(".")[:2])


def on_the_grid(ours: Side) -> Iterator[tuple[Setting, Observation]]:
    """Give the runs of settings by the names of these; one that serves several figures comes several times."""
    parts: list[tuple[Curves, Sequence[Observation]]] = [
        *(
            (places.grid(reading, fraction), ours.counted(reading, fraction))
            for reading in places.READINGS
            for fraction in FRACTIONS
        ),
        (places.predicted(), ours.predicted),
        *((places.far(fraction), runs) for fraction, runs in ours.far.items()),
        *((places.few(fraction), runs) for fraction, runs in ours.few.items()),
        (places.amounts(), ours.amounts),
        *((places.starts(spread, fraction), runs) for (spread, fraction), runs in ours.starts.items()),
    ]
    for curves, runs in parts:
        known = {(name, setting.flows): setting for name, settings in curves.items() for setting in settings}
        for run in runs:
            setting = known[run.variant, run.clients]
            yield setting, dataclasses.replace(run, variant=setting.name)


def _single(ours: Side, flows: FlowStudies) -> dict[str, Sequence[Observation]]:
    """Give the other runs by what is chosen otherwise in them."""
    return {
        f"profile {MODERN}": ours.modern,
        "a reason switched off": flows.reasons,
        "a shared backbone": flows.internet.backbone,
        "a growing group": flows.internet.extra,
        "access links of all types": flows.internet.drawn,
        **{
            f"looked at closely, processing time {100 * fraction:g} %": observations(looks)
            for fraction, looks in ours.looks.items()
        },
    }


def overview(ours: Side, ns2: Side) -> Table:
    """Lay out how near each way of counting comes to the paper's tables, on both sides."""

    def near(side: Side, reading: Reading, fraction: float, link: str) -> str:
        ratios = np.array(
            [
                ratio
                for name, points in away(side.counted(reading, fraction), fraction).items()
                if name.startswith(link)
                for ratio in points.values()
            ]
        )
        if not ratios.size:
            return "–"  # noqa: RUF001 - a dash for what was not measured
        return f"{np.sum(np.abs(ratios - 1) <= NEAR)} of {ratios.size}; {np.median(ratios):.2f}"

    columns = [(fraction, link) for fraction in TABLES for link in LINKS]
    return Table(
        caption=f"Loss of many connections by how it is counted: places within {100 * NEAR:g} % of the paper's curve, "
        "and the median of the loss over that curve",
        head=["", *(f"{TABLES[fraction]}, {link}" for fraction, link in columns)],
        rows=[
            [f"{name}, {reading.title}", *(near(side, reading, *column) for column in columns)]
            for reading in READINGS
            for name, side in (("Ackclock", ours), ("ns-2.35", ns2))
            if any(side.counted(reading, fraction) for fraction in TABLES)
        ],
    )


def report(evidence: Evidence, flows: FlowStudies, judged: Sequence[Judged[Any]], *, command: str) -> Report:
    """Make the report.

    Parameters
    ----------
    evidence, flows
        All runs of the study.
    judged
        What they say about each claim.
    command
        What a person types to make them.

    Returns
    -------
    Report
        Claims and figures with ns-2's numbers beside ours, and what they show in words.

    """
    ours, theirs = evidence.ours, evidence.ns2
    return Report(
        title="Understanding the Performance of Many TCP Flows",
        source="L. Qiu, Y. Zhang and S. Keshav, “Understanding the Performance of Many TCP Flows” (Computer Networks "
        "37, 2001), run again packet by packet by Ackclock: its figures and tables, and every claim of it.",
        summary=summary(judged, TOPICS),
        overview=overview(ours, theirs),
        findings=findings(judged),
        sections=[
            Section(
                title="Synchronisation: large, small and medium pipes",
                text="Hundreds of connections, one by one: who loses with whom, what each receives, what waits.",
                drawings=pipe_drawings(ours, theirs, fraction=0.0),
            ),
            Section(
                title="Loss, throughput and goodput of all",
                text="What the paper leaves open decides some of these figures: from when on losses are counted, how "
                "connections start, and how long timeouts become. The panels say which is which.",
                drawings=[
                    figures.prediction(ours, theirs),
                    figures.totals(ours, theirs),
                    figures.throughput(ours, theirs, fraction=0.0),
                    figures.goodput(ours, theirs, fraction=0.0),
                    figures.few(ours, theirs, fraction=0.0),
                    *figures.hyperbolas(ours, theirs, fraction=0.0),
                ],
            ),
            Section(
                title="With random processing time",
                drawings=[
                    *pipe_drawings(ours, theirs, fraction=0.1),
                    figures.amount(ours, theirs),
                    figures.throughput(ours, theirs, fraction=0.1),
                    figures.goodput(ours, theirs, fraction=0.1),
                    figures.few(ours, theirs, fraction=0.1),
                    *figures.hyperbolas(ours, theirs, fraction=0.1),
                ],
            ),
            Section(
                title="Single flows, unequal distances, and the abstraction",
                text="What is taken for granted of access links and bottlenecks, how well formulas predict a flow's "
                "rate and why they do not do better, and who gets how much at which distance.",
                drawings=flow_drawings(flows, command=command),
            ),
        ],
        setup=SETUP,
        provenance=[
            ("Program", str(Origin.here())),
            ("Command", command),
            (
                "Runs",
                f"{seeds_of(ours.predicted)} seeds of each place, in runs.parquet; others in single.parquet",
            ),
            (
                "ns-2's points",
                "ns-2.35 (Debian 2.35+dfsg-5), unmodified, one run each and three of each pipe; in the CSV files",
            ),
        ],
    )
