"""Implements ``ackclock live calibrate``: which cells of the profile ``linux`` the running kernel confirms."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ackclock.live.calibrating import Cell

calibration = typer.Typer()


@calibration.command(
    "live calibrate",
    epilog="""Examples:

    \b
    ackclock live calibrate --quick
    ackclock live calibrate --json > cells.json
    """,
)
def calibrate(
    quick: Annotated[
        bool, typer.Option("--quick", help="One link and runs of 10 s, two minutes in all, instead of half an hour.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Compare single flows of the machine's kernel with the profile linux, over a grid of links (Linux).

    A cell is confirmed if goodput is within 3 % and the mean round-trip time within 10 % of the simulator's. The runs
    are in real time, one after the other, and need root, or user namespaces that may make networks.
    """
    from ackclock.live import calibrating  # noqa: PLC0415

    cells = []
    if not as_json:
        sys.stdout.write(f"Kernel {os.uname().release}; kernel and simulator\n")
    for cell in calibrating.calibrate(quick=quick):
        cells.append(cell)
        if not as_json:
            sys.stdout.write(f"{_line(cell)}\n")
            sys.stdout.flush()
    if as_json:
        found = {"kernel": os.uname().release, "cells": [cell.to_dict() for cell in cells]}
        sys.stdout.write(json.dumps(found, indent=2, allow_nan=False) + "\n")
    else:
        sys.stdout.write(f"{calibrating.counted(cells)}.\n")


def _line(cell: Cell) -> str:
    both = [
        ", ".join(f"{factor * (side[measure] or 0.0):.4g}" for side in (cell.kernel, cell.simulator))
        for measure, factor in (("goodput_bps", 1e-6), ("rtt_mean", 1e3))
    ]
    return f"{cell.name}: goodput {both[0]} Mb/s, mean RTT {both[1]} ms: {cell.verdict}"
