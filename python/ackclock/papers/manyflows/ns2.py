"""Measurements of ns-2 at the points of the study, as rows like our runs; `data/README.md` describes them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ackclock.papers.core.evidence import Run, Runs, Scalar
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.manyflows.experiment import LINKS, MODERN, PROFILE, Setting, grid_setting
from ackclock.papers.manyflows.places import FAR_PIPE, PARTS, WINDOWS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.papers.manyflows.places import Cell


def from_ns2() -> Runs:
    kept = ns2_runs("manyflows")
    looks = {name: kept.part(name) for name in ("looks", "padhye", "figure23")}
    return Runs({**{name: _known(cells) for name, cells in PARTS.items()}, **looks})


def setting_of(where: Mapping[str, Scalar], *, profile: str = PROFILE) -> Setting:
    """Return the setting of a run of ns-2; without processing times, our link is detuned."""
    delay = int(where["delay"])
    return grid_setting(
        LINKS[str(where["link"])] if delay == 50 else FAR_PIPE,
        int(where["capacity"]),
        int(where["connections"]),
        fraction=float(where["overhead"]) / 100,
        span=(int(where["begin"]), int(where["end"])),
        spread=f"{where['spread']} s",
        max_rto=f"{where['max_rto']} s",
        delay=delay,
        profile=profile,
    )


def _known(cells: Sequence[Cell]) -> list[Run]:
    """Return ns-2's run of each setting, without the settings that it did not run.

    Points that ns-2 measured over a longer interval count as the same points.
    """
    found: dict[Setting, dict[str, Any]] = {}
    for part, profile in (("grid", PROFILE), ("whole", PROFILE), ("special", PROFILE), ("modern", MODERN)):
        for row in ns2_runs("manyflows").part(part):
            found.setdefault(_key(setting_of(row.where, profile=profile)), {}).update(row.values)
    known = [(where, found.get(_key(setting))) for where, setting in cells]
    return [Run(where=where, seed=1, values=values) for where, values in known if values]


def _key(setting: Setting) -> Setting:
    """Remove the fields that do not distinguish points: the measured interval and the breaking of ties."""
    shown = (setting.warm, setting.duration) == WINDOWS[setting.link.name.partition(",")[0]]
    return replace(
        setting, duration=0, warm=2 if shown else min(setting.warm, 1), detuned=0, overhead=round(setting.overhead, 6)
    )
