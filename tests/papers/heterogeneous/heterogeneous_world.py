"""Synthetic runs in which every claim of the papers on Reno and Vegas clients holds, and functions that change them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from tests.papers.burstiness import burstiness_world as alone_world

from ackclock.papers.burstiness.experiment import CAPACITY, PAPERS_CLIENTS, WEIGHTS
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both
from ackclock.papers.heterogeneous.evidence import paired, theirs
from ackclock.papers.heterogeneous.experiment import LATE, SATURATED, SCENES, Scene, variants
from ackclock.papers.heterogeneous.stochastic import OPEN, SMALL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.papers.core.evidence import Row

    Values = dict[str, Any]
    Change = Callable[[Runs], Runs]
    Where = Callable[[Scene, int], bool]

SEEDS = (1, 2, 3)

# Goodput of added Vegas clients relative to added Reno clients on a full link, by background and gateway.
EDGES = {
    (20, 50): {"": 1.30, "/RED": 1.35},
    (20, 1500): {"": 1.02, "/RED1": 1.02, "/RED2": 1.045},
    (40, 50): {"": 1.20, "/RED": 1.25},
    (40, 1500): {"": 1.02, "/RED1": 1.02, "/RED2": 1.045},
}
# Reno's loss, and the share of it that Vegas also loses: smaller with the large buffer.
LOSS = {50: {"": 0.02, "/RED": 0.025}, 1500: {"": 0.0, "/RED1": 0.001, "/RED2": 0.002}}
KEPT = {50: 0.9, 1500: 0.2}


def world(scene: Scene, variant: str, added: int, *, edge: float | None = None) -> Values:
    """Make a synthetic run in which every claim of the papers holds."""
    protocol, slash, rest = variant.partition("/")
    gateway, vegas = slash + rest, protocol == "Vegas"
    clients, full = scene.background + added, scene.background + added > SATURATED
    gain = (edge or EDGES[scene.background, scene.buffer][gateway]) if vegas and full else 1.0
    red = 0.95 if gateway else 1.0
    each = 1.0 if not full else CAPACITY / clients / 20_000
    own = 20_000 * added * each * gain * (red if full else 1.0)
    whole = min(20_000 * clients, CAPACITY) * (1.0 if not full else red * (0.95 + 0.0005 * added * vegas))
    lost = LOSS[scene.buffer][gateway] * (KEPT[scene.buffer] if vegas else 1.0) if full else 0.0
    return {
        "added_departures": own,
        "added_arrivals": own / (1 - lost),
        "added_drops": own / (1 - lost) * lost,
        "added_goodput_packets": own,
        "background_departures": whole - own,
        "background_arrivals": (whole - own) * 1.02,
        "background_drops": (whole - own) * 0.02,
        "background_goodput_packets": 20_000 * scene.background * each * 0.9,
        "cov": 0.05 if vegas else 0.1,
        "queue_mean": 10.0 if vegas else 30.0,
    }


def mixed(
    counts: Callable[[Scene], Sequence[int]], *, behind: str = "", edge: float | None = None, **where: float
) -> list[Run]:
    """Make the runs of all scenes, which differ by a millionth between seeds."""
    return [
        Run(
            where={**scene.where, "variant": variant, "clients": added, **where},
            seed=seed,
            values={name: value * (1 + 1e-6 * seed) for name, value in world(scene, variant, added, edge=edge).items()},
        )
        for scene in SCENES
        for variant in variants(scene)
        if behind in variant
        for added in counts(scene)
        for seed in SEEDS
    ]


def ends(scene: Scene) -> Sequence[int]:
    return (scene.most,)


def _alone() -> Runs:
    """Return the synthetic runs with a single TCP variant, adapted to the claims of these papers."""
    side = alone_world.put("grid", "loss", 0.001, "Vegas", "Vegas/RED")(alone_world.SIDE)
    side = alone_world.put("queues", "queue_mean", 10.0, "Vegas")(side)
    side = alone_world.put("close", "dependence", 5.0)(side)
    return alone_world.put("grid", "fast_retransmits", 8_000.0, "Reno")(side)


ALONE = _alone()
RENO = {
    (row.where["clients"], row.seed): row.values["cov"] for row in ALONE.part("grid") if row.where["variant"] == "Reno"
}
SIDE = Runs(
    {
        **ALONE.parts,
        "curves": mixed(lambda scene: scene.counts),
        "scales": alone_world.constant({("Reno", clients): {"slope": -0.3} for clients in (39, 44, 50, 60)}),
        "late_curves": mixed(lambda scene: LATE[scene.background]),
        "least_curves": mixed(ends),
        "greedy_curves": mixed(ends, edge=0.7),
        "weighted_curves": [run for weight in WEIGHTS for run in mixed(ends, behind="/RED", weight=weight)],
        "model": [
            Run(
                where={"variant": name, "clients": clients},
                seed=seed,
                values={"cov": RENO[clients, seed] * (1.2 if clients > 38 else 1.0)},
            )
            for name in (SMALL, OPEN)
            for clients in PAPERS_CLIENTS
            for seed in SEEDS
        ],
    }
)
"""Our runs, before they are paired."""
PAPER = Both(ours=paired(SIDE), ns2=paired(theirs()))


def judged_by(side: Runs) -> Both:
    """Judge the claims with other runs of ours."""
    return dataclasses.replace(PAPER, ours=paired(side))


def anywhere(_scene: Scene, _added: int) -> bool:
    return True


def put(
    part: str,
    name: str,
    factor: float | Callable[[int], float],
    *variants: str,
    at: Where = anywhere,
) -> Change:
    """Return a function that multiplies a number in one part of the evidence, for some variants at some points.

    The factor may depend on the seed, so that runs differ.
    """

    def changed(row: Row) -> Row:
        scene = Scene(background=int(row.where["background"]), buffer=int(row.where["buffer"]))
        if (variants and row.where["variant"] not in variants) or not at(scene, int(row.where["clients"])):
            return row
        by = factor(row.seed) if callable(factor) else factor
        return Run(where=row.where, seed=row.seed, values={**row.values, name: by * row.values[name]})

    return lambda side: Runs({**side.parts, part: [changed(row) for row in side.parts[part]]})


def put_list(
    part: str, name: str, new: Callable[[int], float], *variants: str, at: Callable[[int], bool] = lambda _: True
) -> Change:
    """Return a function that changes a number by client count, in the runs of the model or of time scales."""

    def value(row: Row) -> float:
        return new(int(row.where["clients"])) * (1 + 1e-6 * row.seed)

    return alone_world.put(part, name, value, *variants, at=at)


def beside(background: int, buffer: int) -> Where:
    return lambda scene, _: (scene.background, scene.buffer) == (background, buffer)
