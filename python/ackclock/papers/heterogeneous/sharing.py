"""Vegas against Reno, seed by seed: what the newcomers get of one protocol over what as many get of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.comparison import named
from ackclock.papers.heterogeneous.experiment import GATEWAYS
from ackclock.papers.heterogeneous.measures import goodput
from ackclock.papers.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.papers.heterogeneous.experiment import Scene

__all__ = ["PAIRED", "advantages", "gateway_name", "paired"]

PAIRED = named("paired")
"""The measure of what `paired` gives."""


def gateway_name(buffer: int, gateway: str) -> str:
    """Name a gateway of `GATEWAYS` in words."""
    thresholds = GATEWAYS[buffer][gateway]
    kind = "FIFO" if thresholds is None else f"{gateway.removeprefix('/')} {thresholds[0]}/{thresholds[1]}"
    return f"{kind}, {buffer:,} packets"


def paired(
    scenes: Mapping[Scene, Sequence[Observation]],
    measure: Callable[[Observation], float | None],
    combine: Callable[[float, float], float | None],
) -> list[Observation]:
    """Combine a measure of added Vegas clients with that of as many added Reno clients, run by run of one seed.

    Parameters
    ----------
    scenes
        Runs of scenes with one background.
    measure
        What is combined.
    combine
        Makes one number of Vegas' and Reno's; None leaves the pair out.

    Returns
    -------
    list of Observation
        A variant for each gateway, named by `gateway_name`; `PAIRED` takes the number.

    """
    found = []
    for scene, runs in scenes.items():
        at = {(run.variant, run.clients, run.seed): measure(run) for run in runs}
        for (variant, clients, seed), vegas in at.items():
            protocol, slash, rest = variant.partition("/")
            reno = at.get((f"Reno{slash}{rest}", clients, seed))
            both = None if protocol != "Vegas" or vegas is None or reno is None else combine(vegas, reno)
            if both is not None:
                found.append(
                    Observation(
                        variant=gateway_name(scene.buffer, slash + rest),
                        clients=clients,
                        seed=seed,
                        values={"paired": both},
                    )
                )
    return found


def advantages(scenes: Mapping[Scene, Sequence[Observation]]) -> list[Observation]:
    """Divide the goodput of added Vegas clients by that of as many added Reno clients, as `paired` does."""
    return paired(scenes, goodput("added"), lambda vegas, reno: vegas / reno if reno else None)
