"""What the rules on newcomers share: gateways, loads, weights of RED, late starts, and the command of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.burstiness.experiment import RED_WEIGHT
from ackclock.papers.core.evidence import Named
from ackclock.papers.core.rules import Bars, Depends
from ackclock.papers.heterogeneous.experiment import (
    GATEWAYS,
    LATE,
    MOST,
    NEWCOMERS,
    SATURATED,
    START,
    gateway_name,
)
from ackclock.papers.heterogeneous.measures import RATIO
from ackclock.papers.reading import run_command

if TYPE_CHECKING:
    from ackclock.papers.core.answers import Answers
    from ackclock.papers.core.rules import Rule
    from ackclock.papers.heterogeneous.experiment import Scene

EFFECT = 0.02
"""The smallest difference of two ratios of goodput that counts."""

WEIGHT = "RED's averaging weight"
WHEN = "when the newcomers start"

SMALL, LARGE = (
    Named(f"a buffer of {buffer:,}", [gateway_name(buffer, gateway) for gateway in gateways])
    for buffer, gateways in GATEWAYS.items()
)
SMALL_RED, LARGE_RED = (Named(f"RED with {gateways.name}", gateways[1:]) for gateways in (SMALL, LARGE))
EVERY_RED = Named("every RED gateway", (*SMALL_RED, *LARGE_RED))

FULL, LIGHT = (
    {
        background: Named(words, [added for added in counts if (background + added > SATURATED) is full])
        for background, counts in NEWCOMERS.items()
    }
    for words, full in (("a full link", True), ("a link that is not full", False))
)
"""Numbers of added clients with which all together offer more than the bottleneck carries, and others."""

END = {background: MOST - background for background in NEWCOMERS}
"""The largest number of added clients."""


def weighed(rule: Rule, again: Answers) -> Rule:
    """Ask a question about RED again at its other weights."""
    return Depends(rule, on=WEIGHT, again=again, named="weights with 60 clients")


def close(background: int, margin: float) -> Rule:
    """Judge whether added Vegas and Reno clients get the same behind the large buffer; again with a late start."""

    def asked(part: str, added: tuple[int, ...]) -> Answers:
        ratio = RATIO.at(part, background=background, gateway=LARGE, added=added)
        return ratio.near(1, by=margin).every().called(f"the ratio is within {margin:g} of 1 at every point")

    usual = RATIO.at("pairs", background=background, gateway=LARGE).near(1, by=margin)
    part = usual.most()
    if LIGHT[background]:
        light = RATIO.at("pairs", background=background, gateway=LARGE, added=LIGHT[background])
        part |= light.near(1, by=margin).every()
    late = LATE[background]
    return Depends(
        Bars(whole=usual, part=part),
        on=WHEN,
        asked=asked("pairs", late),
        again=asked("late", late).called(
            f"with a start at 10 s the ratio is within {margin:g} of 1 at every point",
            f"with a start at 10 s the ratio is not within {margin:g} of 1 at every point",
        ),
        words=f"Asked again where the newcomers start at 10 s, not {START}, of which the paper says only right after "
        "the background: if the answer at the same points is clearly the opposite, the claim depends on that.",
    )


def command(scene: Scene, variant: str, added: int, *fields: str) -> str:
    """Give the command that makes one run with two kinds of client; `fields` are further ``PATH=VALUE``."""
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
