"""The parts of the study: runs of the figures, runs with one changed setting, and pairs of runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ackclock.papers.burstiness.close import SCALES
from ackclock.papers.burstiness.experiment import WEIGHTS
from ackclock.papers.burstiness.study import PAPER as ALONE
from ackclock.papers.core.evidence import Row, Run, Runs, Scalar
from ackclock.papers.core.parts import Part, Spot
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.heterogeneous.experiment import (
    GREEDY,
    LATE,
    LATE_START,
    SCENES,
    Scene,
    class_summary,
    gateway_name,
    scenario,
    variants,
)
from ackclock.papers.heterogeneous.measures import KINDS
from ackclock.papers.heterogeneous.stochastic import model_runs

Cell = tuple[Scene, str, int]

PAIRS = {
    "curves": "pairs",
    "late_curves": "late",
    "least_curves": "least",
    "greedy_curves": "greedy",
    "weighted_curves": "weighted",
}
"""Names of the parts with runs of two kinds of client, and names of the parts with pairs of these runs."""

_ALONE = {"close": [("Reno", clients) for clients in (39, 44, 50, 60)], "windows": [("Reno", 60), ("Vegas", 60)]}
"""Points of the burstiness study that the repeated claims need in addition to its parts ``grid`` and ``weights``."""

_LEAST_SCALE = 0.1  # seconds: the shortest bins in the test for self-similarity, about one round-trip time


def parts(scenes: Sequence[Scene] = SCENES) -> list[Part]:
    """Return the parts to run; parts with clients of one kind come from the burstiness study."""
    alone = {part.name: part for part in (*ALONE.definition.parts(), *ALONE.parts())}
    some = [
        replace(alone[name], spots=[spot for spot in alone[name].spots if _cell(spot) in cells])
        for name, cells in _ALONE.items()
    ]
    ends = [(scene, variant, scene.most) for scene in scenes for variant in variants(scene)]
    late = [
        (scene, variant, added)
        for scene in scenes
        for variant, added in product(variants(scene), LATE[scene.background])
    ]
    weighted = [
        replace(spot, where={**spot.where, "weight": weight})
        for weight in WEIGHTS
        for spot in curves([cell for cell in ends if "/" in cell[1]], weight=weight).spots
    ]
    return [
        alone["grid"],
        alone["weights"],
        *some,
        curves(figures(scenes)),
        curves(late, "late_curves", start=LATE_START),
        curves(ends, "least_curves", base_rtt="minimum"),
        curves(ends, "greedy_curves", **GREEDY),
        Part(name="weighted_curves", spots=weighted, take=class_summary),
    ]


def figures(scenes: Sequence[Scene]) -> list[Cell]:
    """Return the points of the figures."""
    return [(scene, *cell) for scene in scenes for cell in product(variants(scene), scene.counts)]


def curves(cells: Iterable[Cell], name: str = "curves", **fields: Any) -> Part:
    """Make the part with some points; `fields` are changes of the scenario at all of them."""
    spots = [
        Spot(
            where={**scene.where, "variant": variant, "clients": added},
            scenario=scenario(scene, variant, added, **fields),
        )
        for scene, variant, added in cells
    ]
    return Part(name=name, spots=spots, take=class_summary)


def _cell(spot: Spot) -> tuple[Scalar, Scalar]:
    return spot.where["variant"], spot.where["clients"]


def derived(runs: Runs) -> Runs:
    """Add pairs of runs, fits over the length of the bins, and the derived parts of the burstiness study."""
    made = dict(paired(ALONE.derived(runs)).parts)
    if "weighted_curves" in made:  # only our runs have this part
        made["scales"] = [scaling(row) for row in made["close"]]
    return Runs(made)


def with_model(runs: Runs) -> Runs:
    """Add a part with the stochastic model, for our runs only, and a part with simulated Reno and the model."""
    made = dict(derived(runs).parts)
    reno = [row for row in made["grid"] if row.where["variant"] == "Reno"]
    model = model_runs() if "weighted_curves" in made else []
    return Runs({**made, "model": model, "models": [*reno, *model]})


def theirs(scenes: Sequence[Scene] = SCENES) -> Runs:
    """Read the results of ns-2 with clients of one kind, and with two kinds in some scenes."""
    wanted = [scene.where for scene in scenes]
    both = {
        name: [row for row in rows if {"background": row.where["background"], "buffer": row.where["buffer"]} in wanted]
        for name, rows in ns2_runs("heterogeneous").parts.items()
    }
    return Runs({**ns2_runs("burstiness").parts, **both})


def paired(runs: Runs) -> Runs:
    """Add the parts that pair runs with two kinds of client."""
    return Runs({**runs.parts, **{pair: pairs(runs.parts[name]) for name, pair in PAIRS.items() if name in runs.parts}})


def pairs(rows: Sequence[Row]) -> list[Row]:
    """Pair each run with added Vegas clients with the run of the same seed and gateway with as many Reno clients.

    The names of the values of each run begin with its protocol (`KINDS`).
    """
    at = {(_where(row), str(row.where["variant"]), row.seed): row for row in rows}
    found: list[Row] = []
    for (where, variant, seed), vegas in at.items():
        protocol, slash, rest = variant.partition("/")
        reno = at.get((where, f"Reno{slash}{rest}", seed))
        if protocol == "Vegas" and reno is not None:
            axes = dict(vegas.where)
            gateway = gateway_name(int(axes.pop("buffer")), slash + rest)
            background, added = axes.pop("background"), axes.pop("clients")
            del axes["variant"]
            values = {
                f"{kind}_{name}": value
                for kind, row in zip(KINDS, (vegas, reno), strict=True)
                for name, value in row.values.items()
            }
            there = {"background": background, "gateway": gateway, "added": added, **axes}
            found.append(Run(where=there, seed=seed, values=values))
    return found


def _where(row: Row) -> tuple[Scalar, ...]:
    return tuple(value for axis, value in row.where.items() if axis != "variant")


def scaling(row: Row) -> Run:
    """Fit the power law of the c.o.v. of the arrivals in the length of the bins, from a round trip to ten seconds.

    Its exponent ``slope`` is -1/2 for traffic without memory, and H - 1 for self-similar traffic.
    """
    seconds, covs = np.array(SCALES), np.asarray(row.values["ladder"])
    slow = seconds >= _LEAST_SCALE * (1 - 1e-9)
    slope = np.polyfit(np.log(seconds[slow]), np.log(covs[slow]), 1)[0]
    return Run(where=row.where, seed=row.seed, values={"slope": float(slope)})
