"""A made-up world in which every claim of the papers on two kinds of client holds, and the ways to change it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from tests import burstiness_world as alone_world

from ackclock.papers.burstiness.evidence import Side as AloneSide
from ackclock.papers.burstiness.evidence import side as lay_out
from ackclock.papers.burstiness.experiment import CAPACITY, PAPERS_CLIENTS
from ackclock.papers.core.evidence import Runs
from ackclock.papers.heterogeneous.evidence import LATE, WEIGHTS, Evidence, Side, from_ns2
from ackclock.papers.heterogeneous.experiment import SATURATED, SCENES, Scene, variants
from ackclock.papers.heterogeneous.stochastic import OPEN, SMALL
from ackclock.papers.observation import Observation, observed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Values = dict[str, Any]
    Change = Callable[[Side], Side]
    Where = Callable[[Scene, int], bool]

SEEDS = (1, 2, 3)

# What added Vegas clients get over what added Reno clients get, once the link is full, by background and gateway.
EDGES = {
    (20, 50): {"": 1.30, "/RED": 1.35},
    (20, 1500): {"": 1.02, "/RED1": 1.02, "/RED2": 1.045},
    (40, 50): {"": 1.20, "/RED": 1.25},
    (40, 1500): {"": 1.02, "/RED1": 1.02, "/RED2": 1.045},
}
# What Reno loses, of which Vegas loses a part: less of it with the large buffer.
LOSS = {50: {"": 0.02, "/RED": 0.025}, 1500: {"": 0.0, "/RED1": 0.001, "/RED2": 0.002}}
KEPT = {50: 0.9, 1500: 0.2}


def world(scene: Scene, variant: str, added: int, *, edge: float | None = None) -> Values:
    """Make a run of a world in which every claim of the papers holds."""
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
    counts: Callable[[Scene], Sequence[int]], *, behind: str = "", edge: float | None = None
) -> dict[Scene, list[Observation]]:
    """Make the runs of all scenes, which differ by a millionth from seed to seed."""
    return {
        scene: [
            Observation(
                variant=variant,
                clients=added,
                seed=seed,
                values=scattered(world(scene, variant, added, edge=edge), seed),
            )
            for variant in variants(scene)
            if behind in variant
            for added in counts(scene)
            for seed in SEEDS
        ]
        for scene in SCENES
    }


def scattered(values: Values, seed: int) -> Values:
    return {name: value * (1 + 1e-6 * seed) for name, value in values.items()}


def ends(scene: Scene) -> Sequence[int]:
    return (scene.most,)


def changed_alone(alone: AloneSide, change: Callable[[Runs], Runs]) -> AloneSide:
    """Change the runs with one kind of client."""
    parts = {name: alone.part(name) for name in ("grid", "weights", "queues", "close", "windows")}
    return lay_out(change(Runs(parts)))


def _alone() -> AloneSide:
    """Take the world with one kind of client, where claims here are about it too."""
    side = alone_world.put("grid", "loss", 0.001, "Vegas", "Vegas/RED")(alone_world.SIDE)
    side = alone_world.put("queues", "queue_mean", 10.0, "Vegas")(side)
    side = alone_world.put("close", "dependence", 5.0)(side)
    return lay_out(alone_world.put("grid", "fast_retransmits", 8_000.0, "Reno")(side))


ALONE = _alone()
RENO = {(run.clients, run.seed): run.values["cov"] for run in ALONE.grid if run.variant == "Reno"}
SIDE = Side(
    alone=ALONE,
    scenes=mixed(lambda scene: scene.counts),
    scales=observed(alone_world.constant({("Reno", clients): {"slope": -0.3} for clients in (39, 44, 50, 60)})),
    late=mixed(lambda scene: LATE[scene.background]),
    minimum=mixed(ends),
    greedy=mixed(ends, edge=0.7),
    weights={weight: mixed(ends, behind="/RED") for weight in WEIGHTS},
    model=[
        Observation(
            variant=name,
            clients=clients,
            seed=seed,
            values={"cov": (RENO[clients, seed] or 0) * (1.2 if clients > 38 else 1.0)},
        )
        for name in (SMALL, OPEN)
        for clients in PAPERS_CLIENTS
        for seed in SEEDS
    ],
)
PAPER = Evidence(ours=SIDE, ns2=from_ns2())


def anywhere(_scene: Scene, _added: int) -> bool:
    return True


def put(
    part: str,
    name: str,
    factor: float | Callable[[int], float],
    *variants: str,
    at: Where = anywhere,
) -> Change:
    """Make the change that multiplies a number in one part of the evidence, of some variants at some places.

    The factor may depend on the seed, so that runs differ.
    """

    def new(run: Observation) -> float:
        return (factor(run.seed) if callable(factor) else factor) * (run.values[name] or 0)

    def changed(runs: Mapping[Scene, Sequence[Observation]]) -> dict[Scene, list[Observation]]:
        return {
            scene: [
                dataclasses.replace(run, values={**run.values, name: new(run)})
                if (not variants or run.variant in variants) and at(scene, run.clients)
                else run
                for run in there
            ]
            for scene, there in runs.items()
        }

    def change(side: Side) -> Side:
        before = getattr(side, part)
        after: Any = (
            {weight: changed(there) for weight, there in before.items()} if part == "weights" else changed(before)
        )
        return dataclasses.replace(side, **{part: after})

    return change


def put_alone(part: str, name: str, new: Any, *variants: str, at: Callable[[int], bool] = lambda _: True) -> Change:
    """Make the change of one number of the runs with one kind of client."""
    change = alone_world.put(part, name, new, *variants, at=at)
    return lambda side: dataclasses.replace(side, alone=changed_alone(side.alone, change))


def put_list(
    part: str, name: str, new: Callable[[int], float], *variants: str, at: Callable[[int], bool] = lambda _: True
) -> Change:
    """Make the change of one number of the model's or the scales' runs, by the number of clients."""

    def change(side: Side) -> Side:
        runs: Any = [
            dataclasses.replace(run, values={**run.values, name: new(run.clients) * (1 + 1e-6 * run.seed)})
            if (not variants or run.variant in variants) and at(run.clients)
            else run
            for run in getattr(side, part)
        ]
        return dataclasses.replace(side, **{part: runs})

    return change


def beside(background: int, buffer: int) -> Where:
    return lambda scene, _: (scene.background, scene.buffer) == (background, buffer)
