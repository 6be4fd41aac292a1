"""All that the claims are judged by: the figures' runs, and runs in which one thing is chosen otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.burstiness import close as closely
from ackclock.papers.burstiness import courses
from ackclock.papers.burstiness import evidence as homogeneous
from ackclock.papers.burstiness.evidence import WEIGHT_CLIENTS, grid_wanted
from ackclock.papers.burstiness.experiment import BY_NAME, CLIENTS, Setting, observations_wanted
from ackclock.papers.claims import Sides
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.heterogeneous import ns2
from ackclock.papers.heterogeneous.experiment import (
    SCENES,
    Choice,
    Scene,
    gateway_name,
    scene_wanted,
    variants,
)
from ackclock.papers.heterogeneous.measures import KINDS
from ackclock.papers.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.papers.core.evidence import Row, Scalar
    from ackclock.study import Batch

    Scenes = Mapping[Scene, Sequence[Observation]]

__all__ = ["LATE", "LATE_START", "WEIGHTS", "Evidence", "Side", "from_ns2", "gather", "scaling"]

LATE = {20: (20, 40), 40: (8, 20)}
"""Added clients of the runs in which they start late, by those who are there."""

LATE_START = "10 s"
"""When they then start: after the background's first slow start and the queue that it leaves."""

WEIGHTS = homogeneous.WEIGHTS
"""RED's averaging weights that are tried, at the end of each curve; the papers print none."""

_LOOKED_AT = (39, 44, 50, 60)
"""Reno clients whose windows are looked at closely, for the claims that these papers repeat."""

_WINDOWS = [("Reno", 60), ("Vegas", 60)]
"""Where the windows of three clients are followed, likewise."""

_LEAST_SCALE = 0.1
"""Seconds of the shortest bins that tell of self-similarity: a round trip."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """The runs of one simulator.

    Parameters
    ----------
    alone
        Clients of one kind, as `ackclock.papers.burstiness` has them: what Figures 2 to 4 and the claims are
        judged by that the paper repeats.
    scenes
        The runs of the figures with two kinds.
    scales
        Reno alone under heavy load, with `scaling`.
    late
        The same as `scenes` at `LATE`, with newcomers that start at `LATE_START`.
    minimum
        Their last points with `base_rtt = minimum`; none of ns-2, which has no such rule.
    greedy
        The same with clients that always have data to send.
    weights
        The same behind RED, by its weight.
    model
        Results of the stochastic model; none next to the runs of ns-2.

    """

    alone: homogeneous.Side
    scenes: Scenes
    scales: Sequence[Observation] = ()
    late: Scenes = field(default_factory=dict)
    minimum: Scenes = field(default_factory=dict)
    greedy: Scenes = field(default_factory=dict)
    weights: Mapping[float, Scenes] = field(default_factory=dict)
    model: Sequence[Observation] = ()

    def part(self, name: str) -> Sequence[Row]:
        """Give the runs of a part.

        ``curves`` has the runs of the figures; ``pairs``, ``late``, ``least``, ``greedy`` and ``weighted`` have pairs
        of runs of one seed that differ in the protocol of the added clients; ``models`` has Reno and the stochastic
        model; the others have clients of one kind.
        """
        match name:
            case "curves":
                found: list[Row] = [
                    Run(where={"background": scene.background, "buffer": scene.buffer, **run.where}, seed=run.seed,
                        values=run.values)
                    for scene, runs in self.scenes.items()
                    for run in runs
                ]  # fmt: skip
            case "weighted":
                found = [
                    Run(where={**row.where, "weight": weight}, seed=row.seed, values=row.values)
                    for weight, scenes in self.weights.items()
                    for row in pairs(scenes)
                ]
            case "pairs" | "late" | "least" | "greedy":
                scenes = {"pairs": self.scenes, "late": self.late, "least": self.minimum, "greedy": self.greedy}
                found = pairs(scenes[name])
            case "models":
                reno = [run for run in self.alone.grid if run.variant == "Reno"]
                found = [*reno, *self.model]
            case "scales" | "model":
                found = list(getattr(self, name))
            case _:
                return self.alone.part(name)
        return Runs({name: found}).part(name)


def pairs(scenes: Scenes) -> list[Row]:
    """Pair the runs of added Vegas clients with the runs of as many added Reno clients: one seed, one gateway."""
    found: list[Row] = []
    for scene, runs in scenes.items():
        at = {(run.variant, run.clients, run.seed): run.values for run in runs}
        for (variant, added, seed), vegas in at.items():
            protocol, slash, rest = variant.partition("/")
            reno = at.get((f"Reno{slash}{rest}", added, seed))
            if protocol == "Vegas" and reno is not None:
                where: dict[str, Scalar] = {
                    "background": scene.background,
                    "gateway": gateway_name(scene.buffer, slash + rest),
                    "added": added,
                }
                values = {
                    f"{kind}_{name}": of[name] for kind, of in zip(KINDS, (vegas, reno), strict=True) for name in of
                }
                found.append(Run(where=where, seed=seed, values=values))
    return found


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence(Sides[Side]):
    """What the claims of these papers are judged by."""


def gather(batch: Batch, *, seeds: Sequence[int], scenes: Sequence[Scene] = SCENES) -> Callable[[], Side]:
    """Ask for all that the claims need.

    Parameters
    ----------
    batch
        Where to ask.
    seeds
        The seeds of the runs.
    scenes
        Which backgrounds and gateways.

    Returns
    -------
    Callable
        Gives the side once the batch has run.

    """
    alone = _alone(batch, seeds)
    figures = {scene: batch.add(scene_wanted(scene, seeds=seeds)) for scene in scenes}

    def otherwise(
        choice: Choice, *, ends: bool = True, behind: str = ""
    ) -> dict[Scene, Callable[[], list[Observation]]]:
        """Ask for the last points of each curve, or those of `LATE`, behind all gateways or those that are named so."""
        return {
            scene: batch.add(
                scene_wanted(
                    scene,
                    seeds=seeds,
                    cells=product(
                        [variant for variant in variants(scene) if behind in variant],
                        (scene.most,) if ends else LATE[scene.background],
                    ),
                    choice=choice,
                )
            )
            for scene in scenes
        }

    late = otherwise(Choice(start=LATE_START), ends=False)
    minimum, greedy = otherwise(Choice(base_rtt="minimum")), otherwise(Choice(greedy=True))
    weights = {weight: otherwise(Choice(red_weight=weight), behind="/RED") for weight in WEIGHTS}

    def made() -> Side:
        plain, scales = alone()
        return Side(
            alone=plain,
            scenes=_made(figures),
            scales=scales,
            late=_made(late),
            minimum=_made(minimum),
            greedy=_made(greedy),
            weights={weight: _made(runs) for weight, runs in weights.items()},
        )

    return made


def _made(runs: Mapping[Scene, Callable[[], list[Observation]]]) -> Scenes:
    return {scene: made() for scene, made in runs.items()}


def _alone(batch: Batch, seeds: Sequence[int]) -> Callable[[], tuple[homogeneous.Side, list[Observation]]]:
    """Ask for the runs with one kind of client that the figures and the repeated claims need."""
    grid = batch.add(grid_wanted(product(BY_NAME, CLIENTS), seeds=seeds))
    weights = {
        weight: batch.add(
            grid_wanted(
                product(("Reno/RED", "Vegas/RED"), [WEIGHT_CLIENTS]), seeds=seeds, setting=Setting(red_weight=weight)
            )
        )
        for weight in homogeneous.WEIGHTS
    }
    looked_at = [(BY_NAME["Reno"], clients) for clients in _LOOKED_AT]
    close = batch.add(observations_wanted(looked_at, seeds=seeds, take=closely.look, record=closely.RECORDS))
    followed = [(BY_NAME[variant], clients) for variant, clients in _WINDOWS]
    windows = batch.add(observations_wanted(followed, seeds=courses.SEEDS, take=courses.course, record=courses.RECORDS))

    def made() -> tuple[homogeneous.Side, list[Observation]]:
        looks = close()
        side = homogeneous.Side(
            grid=grid(),
            queues=grid(),
            weights={weight: runs() for weight, runs in weights.items()},
            close=looks,
            windows=windows(),
        )
        return side, [scaling(look) for look in looks]

    return made


def scaling(look: Observation) -> Observation:
    """Fit how the c.o.v. of the arrivals goes with the length of the bins, from a round trip to ten seconds.

    ``slope`` is that of log c.o.v. against log length: -1/2 without memory, H - 1 where traffic is self-similar.
    """
    seconds, covs = np.array(closely.SCALES), np.asarray(look.values["ladder"])
    slow = seconds >= _LEAST_SCALE * (1 - 1e-9)
    slope = np.polyfit(np.log(seconds[slow]), np.log(covs[slow]), 1)[0]
    return Observation(variant=look.variant, clients=look.clients, seed=look.seed, values={"slope": float(slope)})


def from_ns2(scenes: Sequence[Scene] = SCENES) -> Side:
    """Lay out what ns-2.35 measured of some scenes."""
    figures, late = (ns2.scenes(name) for name in ("ns2-2.35", "late"))
    return Side(
        alone=homogeneous.from_ns2(),
        scenes={scene: figures[scene] for scene in scenes},
        late={scene: late[scene] for scene in scenes},
    )
