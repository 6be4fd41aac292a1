"""The study as a folder: runs, figures with their data, claims with their verdicts, and the report."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock.papers import output
from ackclock.papers.burstiness.experiment import BY_NAME, CLIENTS, DURATION, RED_WEIGHT, VARIANTS
from ackclock.papers.burstiness.experiment import scenario as plain_scenario
from ackclock.papers.burstiness.grid_figures import grid_drawings
from ackclock.papers.claims import findings, judge
from ackclock.papers.heterogeneous.claims import CLAIMS, TOPICS
from ackclock.papers.heterogeneous.comparison import agreement_statement
from ackclock.papers.heterogeneous.evidence import LATE_START, Evidence, from_ns2, gather
from ackclock.papers.heterogeneous.experiment import SCENES, START, scenario
from ackclock.papers.heterogeneous.figures import MODEL, more_figures, newcomer_figures, overview
from ackclock.papers.heterogeneous.stochastic import model_runs
from ackclock.papers.observation import seeds_of
from ackclock.papers.summary import summary
from ackclock.report.html import Report, Section
from ackclock.running.origin import Origin
from ackclock.study import Batch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ackclock.papers.claims import Judged
    from ackclock.papers.core.claim import Claim
    from ackclock.papers.heterogeneous.evidence import Side
    from ackclock.papers.heterogeneous.experiment import Scene
    from ackclock.papers.observation import Observation
    from ackclock.papers.summary import Topic

PROFILE = "ns2-2.35"

SETUP = (
    ("Network", "every client on a 10 Mb/s link of 25 ms, a shared bottleneck of 50 Mb/s and 25 ms"),
    ("Traffic", "Poisson, 100 packets of 1500 bytes a second from each client"),
    ("Background", f"Reno clients from 0 s; the others join them at {START}, where the paper says right after"),
    (
        "Gateway",
        f"50 packets: FIFO, or RED 10/40; 1500 packets: FIFO, RED1 300/1200 or RED2 75/300; weight {RED_WEIGHT}",
    ),
    ("TCP", "Reno; Vegas with alpha 1, beta 3, gamma 1; advertised window 20"),
    (
        "Processing time",
        "0 to 12 µs at random before a TCP sends, so that no exact tie decides; in ns-2 too",
    ),
    ("Length of a run", f"{DURATION} s, measured from the start"),
    ("Other defaults", f"profile {PROFILE}; ackclock profile show {PROFILE} lists them"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Paper:
    """A paper whose figures are these: this one, and the shorter one before it.

    Parameters
    ----------
    study
        Name of the study.
    title, source
        As for `ackclock.report.html.Report`.
    scenes
        The backgrounds and gateways that it has.
    claims, topics
        What it claims, and what of that matters most.
    has_model
        Whether it has the stochastic model and Figure 13.

    """

    study: str
    title: str
    source: str
    scenes: Sequence[Scene]
    claims: Sequence[Claim]
    topics: Sequence[Topic]
    has_model: bool = False


PAPER = Paper(
    study="heterogeneous",
    title="The Adverse Impact of the TCP Congestion-Control Mechanism in Heterogeneous Computing Systems",
    source="W. Feng and P. Tinnakornsrisuphap, “The Adverse Impact of the TCP Congestion-Control Mechanism in "
    "Heterogeneous Computing Systems” (ICPP 2000), run again packet by packet by Ackclock: its Figures 2 to 13, every "
    "claim of it, and what becomes of those who were there first.",
    scenes=SCENES,
    claims=CLAIMS,
    topics=TOPICS,
    has_model=True,
)
"""The paper of this package."""


def record(*, seeds: int, paper: Paper = PAPER) -> dict[str, Any]:
    """Tell what makes the folder: enough to make it again."""
    return output.record(paper.study, profile=PROFILE, seeds=seeds)


def observe_all(*, seeds: Sequence[int], jobs: int | None = None, paper: Paper = PAPER) -> Side:
    """Run everything.

    Parameters
    ----------
    seeds
        The seeds that each point is run with.
    jobs
        How many runs at once; one for each processor by default.
    paper
        Which paper.

    """
    batch = Batch()
    ours = gather(batch, seeds=seeds, scenes=paper.scenes)
    batch.run(jobs=jobs, label=paper.study)
    return dataclasses.replace(ours(), model=model_runs()) if paper.has_model else ours()


def write(folder: Path, *, seeds: Sequence[int], jobs: int | None = None, paper: Paper = PAPER) -> None:
    """Run the study and write everything that belongs to it into a folder.

    Parameters
    ----------
    folder
        An empty folder.
    seeds, jobs, paper
        As for `observe_all`.

    """
    ours = observe_all(seeds=seeds, jobs=jobs, paper=paper)
    output.write_runs(
        folder / "alone.parquet",
        ours.alone.grid,
        scenario=lambda variant, clients: plain_scenario(BY_NAME[variant], clients, profile=PROFILE),
    )
    for scene, runs in ours.scenes.items():
        output.write_runs(
            folder / f"added-{scene.slug}.parquet",
            runs,
            scenario=lambda variant, added, scene=scene: scenario(scene, variant, added),  # type: ignore[misc]
        )
    output.write_single(folder / "single.parquet", _single(ours))
    evidence = Evidence(ours=ours, ns2=from_ns2(paper.scenes))
    judged = judge(paper.claims, evidence)
    whole = report(evidence, judged, command=output.command(paper.study, seeds=len(seeds)), paper=paper)
    output.write_report(folder, whole, judged, seeds=len(seeds))


def _single(ours: Side) -> dict[str, Sequence[Observation]]:
    """Give the runs that single claims need beyond the figures, by what is chosen otherwise in them."""
    chosen = {
        f"the others start at {LATE_START}": ours.late,
        "base_rtt = minimum": ours.minimum,
        "greedy sources": ours.greedy,
        **{f"RED's weight {weight:g}": scenes for weight, scenes in ours.weights.items() if weight != RED_WEIGHT},
    }
    return {
        **{f"{choice}, {scene.name}": runs for choice, scenes in chosen.items() for scene, runs in scenes.items()},
        **{
            f"RED's weight {weight:g}, one kind of client": runs
            for weight, runs in ours.alone.weights.items()
            if weight != RED_WEIGHT
        },
        "one kind of client, looked at closely": ours.alone.close,
    }


def report(evidence: Evidence, judged: Sequence[Judged[Any]], *, command: str, paper: Paper = PAPER) -> Report:
    """Make the report: claims and figures with ns-2's numbers next to ours."""
    ours, theirs = evidence.ours, evidence.ns2
    theirs_seeds = f"{seeds_of(theirs.scenes[paper.scenes[0]])} seeds, {seeds_of(theirs.alone.grid)} with one kind"
    figures = [*newcomer_figures(paper.scenes), *([MODEL] if paper.has_model else [])]
    alone = grid_drawings(ours.alone.grid, theirs.alone.grid, command=command, slugs=("figure2", "figure3", "figure4"))
    return Report(
        title=paper.title,
        source=paper.source,
        summary=[*summary(judged, paper.topics), agreement_statement(ours.scenes, theirs.scenes)],
        overview=overview(evidence, paper.scenes),
        findings=findings(judged),
        sections=[
            Section(
                title="The paper's figures",
                drawings=[*alone, *(figure.drawing(evidence, command=command) for figure in figures)],
            ),
            Section(
                title="What the paper does not show",
                text="The newcomers' gain is somebody's loss: here are those who were there before, all together, and "
                "the two protocols by each other.",
                drawings=[figure.drawing(evidence, command=command) for figure in more_figures(paper.scenes)],
            ),
        ],
        setup=SETUP,
        provenance=[
            ("Program", str(Origin.here())),
            ("Command", command),
            (
                "Runs with one kind of client",
                f"{seeds_of(ours.alone.grid)} of {len(VARIANTS)} variants at {len(CLIENTS)} counts, in alone.parquet",
            ),
            (
                "Runs with two",
                f"{sum(map(len, ours.scenes.values()))}, in "
                + ", ".join(f"added-{scene.slug}.parquet" for scene in ours.scenes),
            ),
            (
                "Runs for single claims",
                f"{sum(map(len, _single(ours).values()))}, in single.parquet with what is chosen otherwise in them",
            ),
            (
                "ns-2's points",
                f"ns-2.35 (Debian 2.35+dfsg-5), unmodified, {theirs_seeds}; in the CSV files",
            ),
        ],
    )
