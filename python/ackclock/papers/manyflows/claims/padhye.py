"""What the paper claims of the formulas of Padhye et al."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from ackclock.analysis import Interval, student_interval
from ackclock.papers.claims import BY_SHARE, Claim, Judgement, by_share
from ackclock.papers.manyflows.padhye import FACTORS, MODELS, PAPER, TOPOLOGIES, ns2_shares, predicted, shares
from ackclock.papers.reading import run_command
from ackclock.papers.truth import Truth, above, at_least, counted
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.papers.manyflows.padhye import Flows, Model, Padhye, Place

__all__ = ["PADHYE", "HasPadhye"]

TWO = FACTORS.index(2.0)
MOST = 50.0
"""Per cent of the flows beyond which one may speak of most."""
NO_WORSE = 1.0
"""Points by which a formula's share may be below the other's and is no worse."""
SETTING = "processing times"
_COMMAND = run_command(
    "examples/manyflows100.toml",
    ["clients.0.count=300", "dumbbell.bottleneck.queue.packets=260"],
    record="windows",
)


class HasPadhye(Protocol):
    """Evidence with the flows of the grid."""

    @property
    def padhye(self) -> Padhye:
        """Our flows."""


def _within_two(found: Padhye) -> dict[Place, float]:
    """Give the flows within a factor of 2 of the formulas, in per cent."""
    return {
        (busy, one, model): 100 * float(shares(flows, model).shares[TWO])
        for (busy, one), flows in found.flows.items()
        for model in MODELS
    }


def _share(flows: Flows, model: Model) -> Interval:
    """Give the per cent of flows within a factor of 2, with Wilson's interval."""
    found = shares(flows, model)
    share, low, high = (100 * float(ends[TWO]) for ends in (found.shares, found.low, found.high))
    return Interval(
        mean=share,
        half_width=(high - low) / 2,
        standard_error=float(np.sqrt(share * (100 - share) / found.count)),
        count=found.count,
        level=found.level,
        shift=(low + high) / 2 - share,
    )


def _difference(flows: Flows) -> Interval:
    """Give by how many per cent more flows the approximate formula is within a factor of 2, flow by flow."""
    usable = flows.chosen(flows.usable)
    approximate, full = (
        np.abs(np.log(predicted(usable, model) / usable.sent)) <= np.log(FACTORS[TWO])
        for model in ("approximate", "full")
    )
    return student_interval(100.0 * (approximate.astype(float) - full.astype(float)))


def _theirs() -> dict[Place, float]:
    return {place: found.percent[TWO] for place, found in ns2_shares().items()}


def _told(within: Mapping[Place, float]) -> str:
    words = []
    for busy in (False, True):
        cells = (f"{model} " + "/".join(f"{within[busy, one, model]:.0f}" for one in TOPOLOGIES) for model in MODELS)
        words.append(f"{'with' if busy else 'without'} processing times {', '.join(cells)} %")
    return "; ".join(words)


def _judge(
    places: Sequence[tuple[int, Model]],
    holds: Callable[[Flows, Model], Truth],
    say: Callable[[str], str],
    what: str,
) -> Callable[[HasPadhye], Judgement]:
    """Judge without and with processing times: what most places decide, unless the two part."""

    def judge(evidence: HasPadhye) -> Judgement:
        flows = evidence.padhye.flows
        plain, busy = ([holds(flows[times, one], model) for one, model in places] for times in (False, True))
        verdict, other = by_share(plain), by_share(busy)
        parts = Verdict.UNDECIDED not in {verdict, other} and (verdict is Verdict.NOT) is not (other is Verdict.NOT)
        return Judgement(
            verdict=Verdict.DEPENDS if parts else by_share([*plain, *busy]),
            setting=SETTING if parts else "",
            ours=_told(_within_two(evidence.padhye)),
            ns2=_told(_theirs()),
            why=f"{say(counted(plain, what))} without processing times and {counted(busy, what)} with them.",
        )

    return judge


_RULE = (
    f"Asked without processing times and with them. {BY_SHARE} It depends on them if it is not reproduced in one of "
    "the two cases, and at least partly in the other."
)

PADHYE: tuple[Claim[HasPadhye], ...] = (
    Claim(
        key="3-1",
        where="3; Tables 2, 3",
        text="Most of the estimates of the formulas of Padhye et al. are within a factor of 2.",
        paper=", ".join(
            f"{model} {'/'.join(f'{PAPER[one, model][TWO]:.0f}' for one in TOPOLOGIES)} %" for model in MODELS
        ),
        rule=f"The points are each topology with each formula: more than {MOST:g} % of the flows are within a factor "
        f"of 2. {_RULE}",
        judge=_judge(
            [(one, model) for one in TOPOLOGIES for model in MODELS],
            lambda flows, model: above(_share(flows, model), MOST),
            lambda points: f"More than {MOST:g} % are within a factor of 2 at {points}",
            "points",
        ),
        command=_COMMAND,
    ),
    Claim(
        key="3-2",
        where="3",
        text="The approximate formula, though simpler, is no worse than the full one.",
        paper="no worse",
        rule="The points are the topologies: as many flows are within a factor of 2 of the approximate formula as of "
        f"the full one, or {NO_WORSE:g} point less. {_RULE}",
        judge=_judge(
            [(one, "approximate") for one in TOPOLOGIES],
            lambda flows, _: at_least(_difference(flows), -NO_WORSE),
            lambda points: f"The approximate formula is no worse in {points}",
            "topologies",
        ),
        command=_COMMAND,
    ),
)
"""Of section 3."""
