"""The study as a folder: runs, figures with their data, claims with their verdicts, and the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock.papers import output
from ackclock.papers.burstiness import ns2
from ackclock.papers.burstiness.claims import CLAIMS, TOPICS
from ackclock.papers.burstiness.close import looks_wanted
from ackclock.papers.burstiness.close_figures import FIGURES
from ackclock.papers.burstiness.close_findings import close_findings
from ackclock.papers.burstiness.comparison import agreement_statement
from ackclock.papers.burstiness.courses import SEEDS, courses_verdict, courses_wanted
from ackclock.papers.burstiness.evidence import WINDOWS, Evidence, Side, from_ns2, gather
from ackclock.papers.burstiness.experiment import BY_NAME, CLIENTS, DURATION, RED_WEIGHT, VARIANTS, scenario
from ackclock.papers.burstiness.grid_figures import FIGURE_2, FIGURE_3, FIGURE_4, FIGURE_13, WEIGHT, overview
from ackclock.papers.burstiness.window_figures import window_drawings
from ackclock.papers.claims import findings, judge
from ackclock.papers.observation import seeds_of
from ackclock.papers.summary import summary
from ackclock.report.html import Report, Section
from ackclock.running.origin import Origin
from ackclock.study import Batch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ackclock.papers.burstiness.courses import Courses
    from ackclock.papers.claims import Judged
    from ackclock.papers.observation import Observation

__all__ = ["Runs", "observe_all", "record", "report", "write"]

PROFILE = "ns2-2.35"
TITLE = "On the Burstiness of the TCP Congestion-Control Mechanism"
SOURCE = (
    "P. Tinnakornsrisuphap, W. Feng and I. Philp, “On the Burstiness of the TCP Congestion-Control Mechanism in a "
    "Distributed Computing System” (ICDCS 2000), run again packet by packet by Ackclock: its Figures 2 to 13, every "
    "claim of it, and a second look."
)


SETUP = (
    ("Network", "n clients, each on a 10 Mb/s link of 25 ms, share a bottleneck of 50 Mb/s and 25 ms"),
    ("Traffic", "Poisson, 100 packets of 1500 bytes a second from each client"),
    ("Gateway", f"buffer of 50 packets: FIFO, or RED with thresholds 10 and 40 and weight {RED_WEIGHT}"),
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
class Runs:
    """All that the study runs.

    Parameters
    ----------
    ours
        What the claims are judged by.
    windows
        The runs of each of `WINDOWS`, in their order.
    looks
        Those of the second look.

    """

    ours: Side
    windows: Sequence[Courses]
    looks: Sequence[Observation]


def record(*, seeds: int) -> dict[str, Any]:
    """Tell what makes the folder: enough to make it again."""
    return output.record("burstiness", profile=PROFILE, seeds=seeds)


def observe_all(*, seeds: Sequence[int], jobs: int | None = None) -> Runs:
    """Run everything.

    Parameters
    ----------
    seeds
        The seeds that each point is run with; the windows and the crossover have seeds of their own.
    jobs
        How many runs at once; one for each processor by default.

    """
    batch = Batch()
    windows = batch.add(courses_wanted(WINDOWS))
    looks = batch.add(looks_wanted(seeds=seeds))
    ours = gather(batch, looks=looks, courses=windows, seeds=seeds)
    batch.run(jobs=jobs, label="burstiness")
    return Runs(ours=ours(), windows=windows(), looks=looks())


def write(folder: Path, *, seeds: Sequence[int], jobs: int | None = None) -> None:
    """Run the study and write everything that belongs to it into a folder.

    Parameters
    ----------
    folder
        An empty folder.
    seeds, jobs
        As for `observe_all`.

    """
    runs = observe_all(seeds=seeds, jobs=jobs)
    for name, table in (("runs", runs.ours.grid), ("windows", runs.ours.windows), ("close", runs.ours.close)):
        output.write_runs(
            folder / f"{name}.parquet",
            table,
            scenario=lambda variant, clients: scenario(BY_NAME[variant], clients, profile=PROFILE),
        )
    output.write_single(folder / "single.parquet", _single(runs.ours))
    judged = judge(CLAIMS, Evidence(ours=runs.ours, ns2=from_ns2()))
    whole = report(runs, judged, command=output.command("burstiness", seeds=len(seeds)))
    output.write_report(folder, whole, judged, seeds=len(seeds))


def _single(ours: Side) -> dict[str, Sequence[Observation]]:
    """Give the runs that single claims need beyond the figures, by what is chosen otherwise in them."""
    return {
        **{f"RED's weight {weight:g}": runs for weight, runs in ours.weights.items() if weight != RED_WEIGHT},
        **{f"RED's weight {weight:g}, looked at closely": runs for weight, runs in ours.close_weights.items()},
        "base_rtt = minimum": ours.minimum,
        "overhead = 0 s": ours.ties,
        "a larger gateway": ours.roomy,
        "the crossover": ours.crossover,
        "the first second": ours.starts,
        "what duplicate ACKs let out": ours.pushes,
    }


def report(runs: Runs, judged: Sequence[Judged[Evidence]], *, command: str) -> Report:
    """Make the report.

    Parameters
    ----------
    runs
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
    ours, theirs = runs.ours, from_ns2()
    their_windows = [ns2.courses(*cell) for cell in WINDOWS]
    both = Evidence(ours=ours, ns2=theirs)
    return Report(
        title=TITLE,
        source=SOURCE,
        summary=[
            *summary(judged, TOPICS),
            agreement_statement(ours.grid, theirs.grid),
            courses_verdict(runs.windows, their_windows),
        ],
        overview=overview(ours),
        findings=findings(judged),
        sections=[
            Section(
                title="The paper's figures",
                drawings=[
                    *(figure.drawing(both, command=command) for figure in (FIGURE_2, FIGURE_3, FIGURE_4)),
                    *window_drawings(runs.windows, their_windows, command=command),
                    FIGURE_13.drawing(both, command=command),
                ],
            ),
            Section(
                title="A second look",
                text=" ".join(close_findings(runs.looks)),
                drawings=[figure.drawing(both, command=command) for figure in (*FIGURES, WEIGHT)],
            ),
        ],
        setup=SETUP,
        provenance=[
            ("Program", str(Origin.here())),
            ("Command", command),
            (
                "Runs of the grid",
                f"{seeds_of(ours.grid)} of each of {len(VARIANTS)} variants at {len(CLIENTS)} client counts",
            ),
            ("Runs for the windows", f"{len(ours.windows)}: {len(WINDOWS)} figures, {len(SEEDS)} seeds"),
            ("Runs for the second look", f"{len(runs.looks)}"),
            (
                "Their numbers",
                "runs.parquet, windows.parquet and close.parquet beside this page, with the scenario of each run",
            ),
            (
                "Runs for single claims",
                f"{sum(map(len, _single(ours).values()))}, in single.parquet with what is chosen otherwise in them",
            ),
            (
                "ns-2's points",
                f"ns-2.35 (Debian 2.35+dfsg-5), unmodified, {seeds_of(theirs.grid)} seeds; in the CSV files",
            ),
        ],
    )
