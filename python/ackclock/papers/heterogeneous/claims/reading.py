"""What the rules on newcomers share: Vegas' advantage at each place, what a late start changes, commands of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.heterogeneous.evidence import LATE
from ackclock.papers.heterogeneous.experiment import GATEWAYS, RED_WEIGHT, SATURATED, START
from ackclock.papers.heterogeneous.measures import loss_percent
from ackclock.papers.heterogeneous.sharing import PAIRED, advantages, gateway_name
from ackclock.papers.reading import along, run_command
from ackclock.papers.truth import NO, YES, Truth
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.heterogeneous.evidence import Side
    from ackclock.papers.heterogeneous.experiment import Scene
    from ackclock.papers.observation import Observation

    Points = Mapping[int, Interval]

__all__ = [
    "EFFECT",
    "STARTED",
    "WHEN",
    "beside",
    "command",
    "edges",
    "factors",
    "losses",
    "reds",
    "saturated",
    "started",
]

EFFECT = 0.02
"""The difference of two ratios of goodput that counts: however many runs there are, a smaller one is none."""

WHEN = "when the newcomers start"
"""What claims about sharing may depend on."""

STARTED = (
    f" Asked again where they start at 10 s, not {START}, of which the paper says only right after the background: if "
    "the answer at the same places is clearly the opposite, it depends on that."
)
"""What the rules of claims that may depend on the start say at the end; `started` does it."""


def beside(scene: Scene) -> str:
    """Say to whom clients are added, and with which buffer."""
    return f"beside {scene.background} Reno clients with a buffer of {scene.buffer:,}"


def saturated(scene: Scene) -> tuple[int, ...]:
    """Give the numbers of added clients with which all together offer more than the bottleneck carries."""
    return tuple(added for added in scene.counts if scene.background + added > SATURATED)


def edges(runs: Sequence[Observation], scene: Scene, counts: Sequence[int] | None = None) -> dict[str, Points]:
    """Give the goodput of added Vegas clients over that of Reno clients: by the gateway, then by how many are added."""
    found = advantages({scene: runs})
    names = {gateway: gateway_name(scene.buffer, gateway) for gateway in scene.gateways}
    present = {run.variant for run in found}
    return {
        gateway: along(found, name, counts or scene.counts, PAIRED)
        for gateway, name in names.items()
        if name in present
    }


def losses(runs: Sequence[Observation], gateway: str, counts: Sequence[int]) -> tuple[Points, Points]:
    """Give the loss of added Vegas clients and that of added Reno clients, in per cent."""
    vegas, reno = (along(runs, f"{name}{gateway}", counts, loss_percent("added")) for name in ("Vegas", "Reno"))
    return vegas, reno


def reds(scene: Scene) -> tuple[str, ...]:
    """Name the RED gateways of a scene."""
    return tuple(gateway for gateway in scene.gateways if gateway)


def factors(found: Mapping[str, Points]) -> str:
    """Say the range of some advantages, gateway by gateway."""
    parts = []
    for gateway, points in found.items():
        means = [point.mean for point in points.values()]
        ends = f"{min(means):.2f} to {max(means):.2f}" if len(means) > 1 else f"{means[0]:.2f}"
        parts.append(f"{gateway.removeprefix('/') or 'FIFO'} {ends}")
    return ", ".join(parts)


def started(
    verdict: Verdict, side: Side, scene: Scene, holds: Callable[[dict[str, Points]], Truth]
) -> tuple[Verdict, str, str]:
    """Turn a verdict into "depends on" if a late start clearly gives the opposite answer.

    Parameters
    ----------
    verdict
        What came out with the usual start.
    side
        Our runs.
    scene
        Where.
    holds
        Says of the advantages at the counts of `LATE` whether the claim holds.

    Returns
    -------
    tuple
        The verdict, what it depends on, and the advantages with a late start, in words.

    """
    usual, late = (edges(runs[scene], scene, LATE[scene.background]) for runs in (side.scenes, side.late))
    answers = {holds(usual), holds(late)}
    words = f"where they start at 10 s, it is {factors(late)}"
    return (Verdict.DEPENDS, WHEN, words) if answers == {YES, NO} else (verdict, "", words)


def command(scene: Scene, variant: str, added: int, *fields: str) -> str:
    """Give the command that makes one run with two kinds of client.

    Parameters
    ----------
    scene, variant, added
        As for `ackclock.papers.heterogeneous.experiment.scenario`.
    fields
        Further fields that differ, as ``PATH=VALUE``.

    """
    protocol, slash, gateway = variant.partition("/")
    thresholds = GATEWAYS[scene.buffer][slash + gateway]
    sets = [f"clients.0.count={scene.background}"] if scene.background != 40 else []
    sets += [f"clients.1.count={added}"] if added != 20 else []
    sets += ["clients.1.transport.variant=reno"] if protocol == "Reno" else []
    if thresholds is not None:
        low, high = thresholds
        queue = f'{{kind="red", packets={scene.buffer}, min_th={low}, max_th={high}, w_q={RED_WEIGHT:g}}}'
        sets.append(f"dumbbell.bottleneck.queue={queue}")
    elif scene.buffer != 50:
        sets.append(f"dumbbell.bottleneck.queue.packets={scene.buffer}")
    return run_command("examples/newcomers60.toml", [*sets, *fields])
