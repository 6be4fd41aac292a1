"""Implements ``ackclock law``: prints the congestion control that fits a captured sender."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from ackclock.capture.law.captured import captured
from ackclock.capture.law.identifying import identify
from ackclock.cli.console import console
from ackclock.running.progress import progress_bar

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.capture.law.captured import Captured
    from ackclock.capture.law.identifying import Identified


def law(file: Path, *, connection: int | None, as_json: bool) -> None:
    """Identify the congestion control of a sender, and print the distance of each law."""
    size = file.stat().st_size if file.is_file() else 0
    with progress_bar(file.name, size) as show:
        _, found = captured(file, connection, progress=lambda done, packets: show(done, f"{packets:,} packets"))
    answer = identify(found.trace, is_beside_receiver=found.is_beside_receiver)
    if as_json:
        sys.stdout.write(json.dumps(_summary(found, answer), indent=2, allow_nan=False) + "\n")
        return
    console().print(Text(answer.sentence))
    notes = _notes(found, answer)
    if answer.fits:
        table = Table("law", "sender", "distance", box=None, pad_edge=False, header_style="bold")
        table.columns[2].justify = "right"
        for fit in answer.fits:
            table.add_row(fit.law, fit.stack, f"{fit.distance:.3f}")
        console().print(table)
    console().print(Text("\n" + "\n".join(notes)))


def _notes(found: Captured, answer: Identified) -> list[str]:
    way = "to" if found.back else "from"
    of = f"Connection {found.connection}, data {way} the side that sent the first packet"
    notes = [f"{of}: {answer.segments:,} segments of {found.mss} bytes, {found.resent:,} packets sent again."]
    if found.shift:
        notes.append(
            f"The capture was made {1e3 * found.shift:.3g} ms (there and back) from the sender, which is allowed for."
        )
    if not found.is_whole:
        notes.append("Only the first part of the connection was compared.")
    return notes


def _summary(found: Captured, answer: Identified) -> dict[str, Any]:
    return {
        "connection": found.connection,
        "back": found.back,
        "law": answer.law,
        "reason": answer.reason,
        "sentence": answer.sentence,
        "segments": answer.segments,
        "resent": found.resent,
        "idle": answer.idle,
        "shift": found.shift,
        "whole": found.is_whole,
        "fits": [
            {"law": fit.law, "sender": fit.stack, "distance": fit.distance, "turns": fit.turns} for fit in answer.fits
        ],
    }
