"""The study as a folder: runs, figures with their data, claims with their verdicts, and the report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ackclock.papers import output
from ackclock.papers.claims import findings, judge
from ackclock.papers.core.definition import Definition
from ackclock.papers.core.evidence import Runs
from ackclock.papers.core.paper import Both, Paper
from ackclock.papers.core.table import write_runs as write_evidence
from ackclock.papers.selfsimilar.claims.last_hop import LAST_HOP_CLAIMS, LAST_HOP_TOPICS
from ackclock.papers.selfsimilar.claims.traffic import TRAFFIC_CLAIMS, TRAFFIC_TOPICS
from ackclock.papers.selfsimilar.evidence import settings
from ackclock.papers.selfsimilar.experiment import READINGS, scenario
from ackclock.papers.selfsimilar.figures import sentence, table_2
from ackclock.papers.selfsimilar.last_hop import last_hop_parts, ns2_hops
from ackclock.papers.selfsimilar.last_hop_figures import LEFT_FOR_LATER
from ackclock.papers.selfsimilar.loads import load_parts, ns2_loads
from ackclock.papers.selfsimilar.paired import order
from ackclock.papers.selfsimilar.parts import PARTS, TABLE_2
from ackclock.papers.selfsimilar.trace import STAND_IN, read_trace, stand_in
from ackclock.papers.selfsimilar.traffic import traffic_parts
from ackclock.papers.selfsimilar.traffic_figures import TRAFFIC
from ackclock.papers.summary import summary
from ackclock.report.html import Report, Statement
from ackclock.running.origin import Origin
from ackclock.study import Batch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ackclock.papers.claims import Judged
    from ackclock.papers.selfsimilar.evidence import Evidence
    from ackclock.papers.selfsimilar.parts import Found
    from ackclock.papers.selfsimilar.trace import Trace

__all__ = ["NAME", "read_trace", "record", "report", "write"]

NAME: Final = "selfsimilar"
PROFILE: Final = "ns2-2.35"

PORTED: Final = Paper(
    definition=Definition("ackclock.papers.selfsimilar"),
    claims=(*TRAFFIC_CLAIMS, *LAST_HOP_CLAIMS),
    topics=(*TRAFFIC_TOPICS, *LAST_HOP_TOPICS),
    chapters=(TRAFFIC, LEFT_FOR_LATER),
    parts=lambda: [*traffic_parts(), *load_parts(), *last_hop_parts()],
    ns2=lambda: Runs({"loads": ns2_loads(), **ns2_hops()}),
)
"""The claims, figures and runs that are values already; the other parts are in `parts.py`."""


def record(*, seeds: int, trace: Trace | None = None) -> dict[str, Any]:
    """Tell what makes the folder: enough to make it again."""
    made = output.record(NAME, profile=PROFILE, seeds=seeds)
    return made if trace is None else {**made, "command": _command(seeds, trace), "capture": trace.record}


def _command(seeds: int, trace: Trace | None) -> str:
    return output.command(NAME, seeds=seeds, capture=None if trace is None else trace.capture.path)


def write(
    folder: Path,
    *,
    seeds: Sequence[int],
    jobs: int | None = None,
    store: Path | None = None,
    trace: Trace | None = None,
) -> None:
    """Run the study and write everything that belongs to it into a folder.

    Parameters
    ----------
    folder
        An empty folder.
    seeds
        The seeds that each point is run with.
    jobs
        How many runs at once; one for each processor by default.
    store
        Folder of the store that keeps the runs of `PORTED`.
    trace
        The capture of Figure 3, as `read_trace` gives it; by default a stand-in is simulated.

    """
    batch = Batch()
    asked = TABLE_2.gather(batch, seeds=seeds)
    others = [part.gather(batch, seeds=seeds) for part in PARTS]
    batch.run(jobs=jobs, label=NAME)
    both = PORTED.evidence(seeds=seeds, jobs=jobs, store=store)
    write_evidence(folder / "evidence.parquet", {"ackclock": both.ours, "ns-2.35": both.ns2})
    shown = stand_in(folder / STAND_IN, seed=seeds[0]) if trace is None else trace
    evidence, found = replace(asked(), trace=shown), [made() for made in others]
    known = settings()
    output.write_runs(
        folder / "runs.parquet", evidence.ours.observations, scenario=lambda variant, _: scenario(known[variant])
    )
    output.write_single(
        folder / "single.parquet", {name: runs for each in (evidence, *found) for name, runs in each.runs.items()}
    )
    judged = [*judge_all(evidence, found), *judge(PORTED.claims, both)]
    made = report(evidence, found, judged, both, command=_command(len(seeds), trace))
    output.write_report(folder, made, judged, seeds=len(seeds))


def judge_all(evidence: Evidence, found: Sequence[Found]) -> list[Judged[Any]]:
    """Judge every claim, part by part."""
    judged: list[Judged[Any]] = list(judge(TABLE_2.claims, evidence))
    for part, each in zip(PARTS, found, strict=True):
        judged += judge(part.claims, each)
    return judged


def report(
    evidence: Evidence,
    found: Sequence[Found],
    judged: Sequence[Judged[Any]],
    both: Both | None = None,
    *,
    command: str,
) -> Report:
    """Make the report.

    Parameters
    ----------
    evidence
        The runs of Table 2 and Figures 4 to 7, and the capture of Figure 3.
    found
        What the other parts found, in their order.
    judged
        What all of it says about each claim.
    both
        The runs of `PORTED`.
    command
        What a person types to make it.

    Returns
    -------
    Report
        Claims and figures with ns-2's numbers beside ours, and what they show in words.

    """
    topics = [*TABLE_2.topics, *(topic for part in PARTS for topic in part.topics), *(PORTED.topics if both else ())]
    seeds = max(len(runs) for runs in evidence.ours.looks.values())
    theirs = max(len(runs) for runs in evidence.ns2.looks.values())
    return Report(
        title=PORTED.definition.title,
        source=PORTED.definition.source,
        summary=[*summary(judged, topics), supported(evidence)],
        overview=table_2(evidence),
        findings=findings(judged),
        sections=[
            *TABLE_2.sections(evidence, command),
            *(section for part, each in zip(PARTS, found, strict=True) for section in part.sections(each, command)),
            *(chapter.section(both, command=command) for chapter in PORTED.chapters if both),
        ],
        setup=PORTED.definition.setup,
        provenance=[
            ("Program", str(Origin.here())),
            ("Command", command),
            *([] if evidence.trace is None else [("Capture of Figure 3", evidence.trace.told)]),
            ("Runs", f"{seeds} seeds of each setting, in runs.parquet; others in single.parquet"),
            ("ns-2's runs", f"ns-2.35 (Debian 2.35+dfsg-5), unmodified, {theirs} seeds of each setting of Table 2"),
        ],
    )


def supported(evidence: Evidence) -> Statement:
    """Say which order of the variants the runs support, under each reading."""
    orders = "; ".join(f"{reading.name}: {order(evidence.ours, reading)}" for reading in READINGS.values())
    return Statement(
        lead="The order that the runs support, by arrivals over the same backgrounds.",
        text=f"{sentence(orders)}.",
    )
