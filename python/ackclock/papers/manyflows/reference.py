"""What ns-2 measured where the paper looks, laid out as our runs are; `data/README.md` tells how it was made."""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.manyflows import ns2, places
from ackclock.papers.manyflows.experiment import LINKS, grid_setting
from ackclock.papers.manyflows.looks import PIPES, Look
from ackclock.papers.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.papers.manyflows.experiment import Setting
    from ackclock.papers.manyflows.places import Curves

__all__ = ["known", "looks", "modern_runs"]

Values = dict[str, float | None]


def known(curves: Curves) -> list[Observation]:
    """Give what ns-2 measured at settings, one run each, without those that it was not asked for.

    It measured for longer at some places; that makes no other place of them.
    """
    return [
        Observation(variant=name, clients=setting.flows, seed=1, values=_places()[_place(setting)])
        for name, settings in curves.items()
        for setting in settings
        if _place(setting) in _places()
    ]


def modern_runs() -> list[Observation]:
    """Give what it measured with the TCP that it has by default."""
    return [
        Observation(
            variant=places.curve(LINKS[row["link"]], int(row["capacity"])),
            clients=int(row["flows"]),
            seed=int(row["seed"]),
            values=_values(row),
        )
        for row in _rows("special")
        if row["part"] == "modern"
    ]


def looks(fraction: float, *, syn: int = 0) -> list[Look]:
    """Give the pipes that it looked at closely, without what was seen over time.

    Parameters
    ----------
    fraction
        Processing time, as for `grid_setting`.
    syn
        Bytes of the SYN that each connection begins with: 0 or 40.

    """
    received = {
        (*_pipe(row), row["seed"]): np.array([int(each) for each in row["received"].split()])
        for row in _rows("received")
    }
    return [
        Look(
            pipe=_pipe(row)[0],
            seed=int(row["seed"]),
            values={name: float(row[name]) for name in list(row)[6:]},
            received=received[*_pipe(row), row["seed"]],
        )
        for pipe in PIPES
        for row in _rows("synchrony")
        if _pipe(row) == (pipe, f"{100 * fraction:g}") and row["syn"] == str(syn)
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
def _places() -> Mapping[Setting, Values]:
    """Give all that was measured with the TCP of 1999, by place."""
    found: dict[Setting, Values] = {}
    for reference in (*ns2.references("grid"), *ns2.references("whole")):
        found.setdefault(_place(reference.setting), {}).update(reference.run.values)
    for row in _rows("special"):
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
            found.setdefault(_place(replace(setting, delay=int(row["delay"]))), {}).update(_values(row))
    return found


def _place(setting: Setting) -> Setting:
    """Leave out of a setting what makes no other place of it: how long it is measured, and how ties are broken."""
    shown = (setting.warm, setting.duration) == places.WINDOWS[setting.link.name.partition(",")[0]]
    return replace(
        setting, duration=0, warm=2 if shown else min(setting.warm, 1), detuned=0, overhead=round(setting.overhead, 6)
    )


def _values(row: Mapping[str, str]) -> Values:
    return {name: float(row[name]) for name in ("throughput", "goodput", "loss", "jain_index", "shut_off")}


def _rows(name: str) -> list[dict[str, str]]:
    text = files("ackclock.papers.manyflows").joinpath("data", f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
