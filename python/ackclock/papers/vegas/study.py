"""The study as a folder: runs, figures with their data, sentences with their verdicts, and the report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ackclock.papers import output
from ackclock.papers.claims import findings, judge
from ackclock.papers.summary import summary
from ackclock.papers.vegas import ns2
from ackclock.papers.vegas.claims import CLAIMS, TOPICS
from ackclock.papers.vegas.comparison import agreement_statement
from ackclock.papers.vegas.evidence import PLANES, Evidence, gather, places
from ackclock.papers.vegas.experiment import BUFFERS, CLIENTS, DURATION, FROM, STARTS, WIDE, scenario
from ackclock.papers.vegas.figures import cause_lines, data
from ackclock.papers.vegas.line_figures import line_drawings, swing_drawings
from ackclock.papers.vegas.map_figures import map_drawings
from ackclock.papers.vegas.measures import HELD, Runs
from ackclock.report.html import Report, Section
from ackclock.running.origin import Origin
from ackclock.study import Batch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ackclock.papers.claims import Judged

__all__ = ["NAME", "record", "report", "write"]

NAME = "vegas"
PROFILE = "ns2-2.35"

SETUP = (
    ("Network", "every client on a 10 Mb/s link of 25 ms, a shared bottleneck of 50 Mb/s and 25 ms; 1500-byte packets"),
    ("Clients", f"{CLIENTS}, of which 5, 25, 50, 75 or 95 % run Vegas, the others Reno"),
    (
        "One against one",
        (
            f"links of 100 Mb/s into a bottleneck of 10 Mb/s, which one pair can fill; applications make six times as "
            f"much, as the share of a client is six times as large; window of {WIDE:,} packets, more than pipe and "
            "buffer hold; 600 s, measured from 120 s"
        ),
    ),
    ("Buffer", ", ".join(f"{buffer:,}" for buffer in BUFFERS) + " packets"),
    ("Gateway", "FIFO, or RED with thresholds at a fifth and four fifths of the buffer, weight 0.002"),
    ("Start of Vegas", ", ".join(f"{start} s" for start in STARTS) + " after Reno; together is 0 s"),
    (
        "Applications",
        (
            "Poisson, 100 packets a second; greedy: always data to send; transfers: Pareto sizes of mean 600 kB and "
            "shape 1.2, exponential times to think of mean 1 s; trace: 60 s of what on and off periods with heavy "
            "tails made once, 102 packets a second, each client from a place of its own"
        ),
    ),
    ("Advertised window", f"20 packets, as in the papers; {WIDE:,} where it says open window"),
    (
        "What is run",
        "every buffer and share for each application at "
        + ", ".join(f"{gateway} {'together' if not start else f'after {start} s'}" for start, gateway in PLANES)
        + "; every start, gateway and buffer for each application with 50 % Vegas; one against one at every start, "
        "gateway and buffer with greedy sources, after 10 s with the others but greedy with a window of 20, which does "
        "not fill it",
    ),
    ("Length of a run", f"{DURATION} s, measured from {FROM} s, when the last newcomers have been there for 30 s"),
    ("TCP", "Reno; Vegas with alpha 1, beta 3, gamma 1; 0 to 12 µs of processing time, so that no exact tie decides"),
    ("Holds its own", f"95 % interval of goodput per Vegas client over that per Reno client at {HELD} or above"),
    ("Other defaults", f"profile {PROFILE}; ackclock profile show {PROFILE} lists them"),
)


def record(*, seeds: int) -> dict[str, Any]:
    """Tell what makes the folder: enough to make it again."""
    return output.record(NAME, profile=PROFILE, seeds=seeds)


def write(folder: Path, *, seeds: Sequence[int], jobs: int | None = None) -> None:
    """Run the study and write everything that belongs to it into a folder.

    Parameters
    ----------
    folder
        An empty folder.
    seeds
        The seeds that each place is run with.
    jobs
        How many runs at once; one for each processor by default.

    """
    batch = Batch()
    made = gather(batch, seeds=seeds)
    batch.run(jobs=jobs, label=NAME)
    runs = made()
    (folder / "places.csv").write_text(data(runs, runs), encoding="utf-8")
    _write_runs(folder / "runs.parquet", runs, seeds)
    judged = judge(CLAIMS, Evidence(ours=runs, ns2=ns2.runs()))
    output.write_report(
        folder, report(runs, judged, command=output.command(NAME, seeds=len(seeds))), judged, seeds=len(seeds)
    )


def _write_runs(path: Path, runs: Runs, seeds: Sequence[int]) -> None:
    """Write one row a run: the place, the seed, every number, and the whole scenario."""
    import pyarrow as pa  # noqa: PLC0415 - slow to load
    from pyarrow import parquet  # noqa: PLC0415

    rows = [
        {"place": place.name, "seed": seed, **values, "scenario": text}
        for place, those in runs.items()
        for text in [json.dumps(scenario(place).effective().to_dict())]
        for seed, values in zip(seeds, those, strict=True)
    ]
    parquet.write_table(pa.Table.from_pylist(rows), path, compression="zstd", use_dictionary=["place", "scenario"])


def report(runs: Runs, judged: Sequence[Judged[Evidence]], *, command: str) -> Report:
    """Make the report.

    Parameters
    ----------
    runs
        All runs of the study.
    judged
        What they say about each sentence.
    command
        What a person types to make them.

    Returns
    -------
    Report
        The map, the lines through it and the sentences, with ns-2's numbers where it was run.

    """
    theirs = ns2.runs()
    return Report(
        title="When does Vegas hold its own?",
        source="Feng and Tinnakornsrisuphap (ICPP 2000) find that Vegas does as well as the Reno it competes with; Mo, "
        "La, Anantharam and Walrand (INFOCOM 1999) that Reno takes the buffer. The map of both, packet by packet by "
        "Ackclock: Vegas' goodput over Reno's by the buffer, the share of Vegas clients, their start and the "
        "application, and which cause makes what of it.",
        summary=[*summary(judged, TOPICS), agreement_statement(runs, theirs)],
        overview=cause_lines(runs),
        findings=findings(judged),
        sections=[
            Section(title="The map", drawings=map_drawings(runs, command=command)),
            Section(
                title="Along the buffer",
                text="Lines through the map at half Vegas, at every start and behind both gateways, and one against "
                "one.",
                drawings=line_drawings(runs, command=command),
            ),
            Section(title="What swings, and what is lost", drawings=swing_drawings(runs, command=command)),
        ],
        setup=SETUP,
        provenance=[
            ("Program", str(Origin.here())),
            ("Command", command),
            (
                "Runs",
                f"{sum(map(len, runs.values())):,} at {len(places())} places, in runs.parquet; means in places.csv",
            ),
            (
                "ns-2's runs",
                (
                    f"ns-2.35 (Debian 2.35+dfsg-5), unmodified, {sum(map(len, theirs.values()))} at {len(theirs)} of "
                    "the places"
                ),
            ),
        ],
    )
