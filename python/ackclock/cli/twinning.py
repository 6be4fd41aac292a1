"""Implements ``ackclock twin``: infers the twin of a captured connection, runs it, and prints the answer."""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.table import Table
from rich.text import Text

from ackclock.capture.twin.answering import Answers, answers, runs, with_interval
from ackclock.capture.twin.findings import findings
from ackclock.capture.twin.reading import read_twin
from ackclock.capture.twin.twinning import SCENARIO
from ackclock.cli.capture_reading import check_connection
from ackclock.cli.console import console
from ackclock.engine.catalogue import catalogue
from ackclock.papers.folder import check_replaceable, write_whole
from ackclock.running.progress import progress_bar

if TYPE_CHECKING:
    from ackclock.analysis import Interval
    from ackclock.capture.twin.twinning import Twin

MADE: Final = "ackclock twin"
RESULTS: Final = "twin.json"


def twin(file: Path, *, connection: int | None, as_json: bool, out: Path | None) -> None:
    """Infer and run a twin, print the answer, and write the scenario and the results if a folder is given."""
    if out is not None:
        check_replaceable(out, study=MADE)
    size = file.stat().st_size if file.is_file() else 0
    with progress_bar(file.name, size) as show:
        found = read_twin(
            file,
            connection,
            check=check_connection,
            progress=lambda done, packets: show(done, f"{packets:,} packets"),
        )
    if out is None:
        with tempfile.TemporaryDirectory() as folder:
            got = _run(found, Path(folder))
            summary = _summary(got)
    else:
        words = ["ackclock", "twin", str(file)]
        words += [] if connection is None else ["--connection", str(connection)]
        command = shlex.join([*words, "--out", str(out)])
        record = {"version": catalogue().version, "input": str(file), "command": command}
        with write_whole(out, study=MADE, record=record, checksums=True) as folder:
            got = _run(found, folder)
            summary = _summary(got)
            (folder / RESULTS).write_text(json.dumps(summary, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    if as_json:
        sys.stdout.write(json.dumps(summary, indent=2, allow_nan=False) + "\n")
    else:
        _show(got, out)


def _run(found: Twin, folder: Path) -> Answers:
    total = runs(found)
    with progress_bar("twin", total) as show:
        return answers(found, folder, watch=show)


def _show(got: Answers, out: Path | None) -> None:
    screen = console()
    screen.print(Text(f"{got.answer}\n{got.verdict}\n"))
    table = Table("property", "", "what the capture shows", box=None, pad_edge=False, header_style="bold")
    for each in findings(got.twin):
        table.add_row(each.what, each.certainty, Text(each.words))
    screen.print(table)
    screen.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("runs")
    for name in ("goodput, Mb/s", "mean RTT, ms", "wait, ms", "sent again, %", "time, s"):
        table.add_column(name, justify="right")
    seen = got.twin.seen
    is_near = seen.place == "receiver"
    wait = "-" if is_near else f"{1e3 * max(seen.mean_trip - got.unloaded, 0.0):.3g}"
    table.add_row(
        "capture",
        f"{seen.goodput / 1e6:.3g}",
        "-" if is_near else f"{1e3 * seen.mean_trip:.3g}",
        wait,
        f"{100 * float(seen.is_again.mean()):.2g}",
        f"{seen.duration:.3g}",
    )
    for case in got.cases:
        own = case.measured
        table.add_row(
            "twin" if case.key == "twin" else case.words,
            with_interval(own.goodput, 1e-6),
            with_interval(own.trip, 1e3),
            with_interval(own.wait, 1e3),
            f"{100 * own.lost:.2g}",
            f"{own.duration:.3g}",
        )
    screen.print(table)
    if out is not None:
        screen.print(Text(f"\nThe scenario is {out / SCENARIO}; `ackclock run` and `ackclock lab` open it."))


def _summary(got: Answers) -> dict[str, Any]:
    twin, seen, path = got.twin, got.twin.seen, got.twin.path
    return {
        "version": catalogue().version,
        "connection": seen.found.connection,
        "back": seen.found.back,
        "place": seen.place,
        "answer": got.answer,
        "fits": got.fits,
        "verdict": got.verdict,
        "findings": [{"what": each.what, "certainty": each.certainty, "words": each.words} for each in findings(twin)],
        "path": {
            "rate_bps": path.rate.value,
            "base_s": path.base,
            "buffer_packets": path.buffer,
            "lost": len(path.losses.places),
            "lost_at_random": len(path.losses.random),
            "beside_bps": twin.beside.mean,
        },
        "law": {"name": twin.law.name, "sender": twin.law.stack, "identified": twin.law.is_identified},
        "captured": {
            "goodput_bps": seen.goodput,
            "rtt_s": None if seen.place == "receiver" else seen.mean_trip,
            "sent_again": float(seen.is_again.mean()),
            "duration_s": seen.duration,
        },
        "runs": [
            {
                "key": case.key,
                "words": case.words,
                "goodput_bps": _numbers(case.measured.goodput),
                "rtt_s": _numbers(case.measured.trip),
                "wait_s": _numbers(case.measured.wait),
                "sent_again": case.measured.lost,
                "duration_s": case.measured.duration,
            }
            for case in got.cases
        ],
    }


def _numbers(value: Interval) -> dict[str, float]:
    return {"mean": value.mean, "half_width": value.half_width}
