"""What ns-2 measured at the points of the study, in the rows of our runs; `data/README.md` says how it was made."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.manyflows import distances, ns2, padhye, places
from ackclock.papers.manyflows.experiment import LINKS, grid_setting
from ackclock.papers.manyflows.looks import PIPES
from ackclock.papers.manyflows.places import PARTS, PROCESSING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.papers.manyflows.experiment import Setting
    from ackclock.papers.manyflows.places import Cell

    Values = dict[str, float | None]


def from_ns2() -> Runs:
    """Give the runs of ns-2, part by part."""
    return Runs(
        {
            **{name: _known(cells) for name, cells in PARTS.items()},
            "modern": _modern(),
            "looks": [look for processing in PROCESSING for look in looks(processing)],
            "padhye": padhye.ns2_rows(),
            "figure23": distances.ns2_rows(),
        }
    )


def looks(processing: str, *, syn: int = 0) -> list[Run]:
    """Give the pipes that it looked at closely, each connection beginning with a SYN of 0 or 40 bytes."""
    received = {
        (*_pipe(row), row["seed"]): np.array([int(each) for each in row["received"].split()])
        for row in ns2.rows("received")
    }

    def values(row: Mapping[str, str]) -> dict[str, Any]:
        return {name: float(row[name]) for name in list(row)[6:]} | {"received": received[*_pipe(row), row["seed"]]}

    return [
        Run(where={"processing": processing, "pipe": pipe}, seed=int(row["seed"]), values=values(row))
        for pipe in PIPES
        for row in ns2.rows("synchrony")
        if _pipe(row) == (pipe, f"{100 * PROCESSING[processing]:g}") and row["syn"] == str(syn)
    ]


def _known(cells: Sequence[Cell]) -> list[Run]:
    """Give what it measured at settings, one run each, without the settings that it did not run.

    It measured for longer at some points; they count as the same points.
    """
    return [
        Run(where=where, seed=1, values=_settings()[_key(setting)])
        for where, setting in cells
        if _key(setting) in _settings()
    ]


def _modern() -> list[Run]:
    """Give what it measured with the TCP that it has by default."""
    return [
        Run(
            where={
                "curve": places.curve(LINKS[row["link"]], int(row["capacity"])),
                "connections": int(row["flows"]),
            },
            seed=int(row["seed"]),
            values=_values(row),
        )
        for row in ns2.rows("special")
        if row["part"] == "modern"
    ]


def _pipe(row: Mapping[str, str]) -> tuple[str, str]:
    """Give name and processing time."""
    found = next(
        pipe
        for pipe in PIPES.values()
        if (pipe.link.name, pipe.buffer, pipe.flows) == (row["link"], int(row["buffer"]), int(row["flows"]))
    )
    return found.name, row["overhead_percent"]


@cache
def _settings() -> Mapping[Setting, Values]:
    """Give all that was measured with the TCP of 1999, by setting."""
    found: dict[Setting, Values] = {}
    for reference in (*ns2.references("grid"), *ns2.references("whole")):
        found.setdefault(_key(reference.setting), {}).update(reference.run.values)
    for row in ns2.rows("special"):
        if row["part"] != "modern":
            link = places.FAR_PIPE if row["part"] == "far" else LINKS[row["link"]]
            setting = grid_setting(
                link,
                int(row["capacity"]),
                int(row["flows"]),
                fraction=float(row["overhead_percent"]) / 100,
                span=(int(row["from"]), int(row["to"])),
                spread=f"{row['spread']} s",
            )
            found.setdefault(_key(replace(setting, delay=int(row["delay"]))), {}).update(_values(row))
    return found


def _key(setting: Setting) -> Setting:
    """Leave out of a setting what makes no other point of it: how long it is measured, and how ties are broken."""
    shown = (setting.warm, setting.duration) == places.WINDOWS[setting.link.name.partition(",")[0]]
    return replace(
        setting, duration=0, warm=2 if shown else min(setting.warm, 1), detuned=0, overhead=round(setting.overhead, 6)
    )


def _values(row: Mapping[str, str]) -> Values:
    return {name: float(row[name]) for name in ("throughput", "goodput", "loss", "jain_index", "shut_off")}
