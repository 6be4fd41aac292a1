"""What the paper claims of the formulas of Padhye et al."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ackclock.experiments.claims import Claim, Judgement, by_share
from ackclock.experiments.manyflows.padhye import FACTORS, MODELS, PAPER, TOPOLOGIES, ns2_shares, shares
from ackclock.experiments.reading import run_command
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.experiments.manyflows.padhye import Model, Padhye, Place

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
    holds: Callable[[Mapping[Place, float], bool, int, Model], bool],
    say: Callable[[int, int], str],
) -> Callable[[HasPadhye], Judgement]:
    """Judge without and with processing times: what most places decide, unless the two part."""

    def judge(evidence: HasPadhye) -> Judgement:
        within = _within_two(evidence.padhye)
        plain, busy = ([holds(within, times, *place) for place in places] for times in (False, True))
        verdict, other = by_share(plain), by_share(busy)
        parts = (verdict is Verdict.NOT) is not (other is Verdict.NOT)
        return Judgement(
            verdict=Verdict.DEPENDS if parts else by_share([*plain, *busy]),
            setting=SETTING if parts else "",
            ours=_told(within),
            ns2=_told(_theirs()),
            why=f"{say(sum(plain), len(plain))} without processing times and {sum(busy)} of {len(busy)} with them.",
        )

    return judge


_RULE = (
    "Asked without processing times and with them: reproduced if it holds everywhere, partly if at most places, else "
    "not; depends on them if it holds at most places with one of the two alone."
)

PADHYE: tuple[Claim[HasPadhye], ...] = (
    Claim(
        key="3-1",
        where="3; Tables 2, 3",
        text="Most of the estimates of the formulas of Padhye et al. are within a factor of 2.",
        paper=", ".join(
            f"{model} {'/'.join(f'{PAPER[one, model][TWO]:.0f}' for one in TOPOLOGIES)} %" for model in MODELS
        ),
        rule=f"Holds for a topology and a formula if more than {MOST:g} % of the flows are within a factor 2. {_RULE}",
        judge=_judge(
            [(one, model) for one in TOPOLOGIES for model in MODELS],
            lambda within, busy, one, model: within[busy, one, model] > MOST,
            lambda yes, of: f"More than {MOST:g} % are within a factor of 2 at {yes} of {of} places",
        ),
        command=_COMMAND,
    ),
    Claim(
        key="3-2",
        where="3",
        text="The approximate formula, though simpler, is no worse than the full one.",
        paper="no worse",
        rule="Holds in a topology if as many flows are within a factor of 2 of the approximate formula as of the full "
        f"one, or {NO_WORSE:g} point less. {_RULE}",
        judge=_judge(
            [(one, "approximate") for one in TOPOLOGIES],
            lambda within, busy, one, model: within[busy, one, model] >= within[busy, one, "full"] - NO_WORSE,
            lambda yes, of: f"The approximate formula is no worse in {yes} of {of} topologies",
        ),
        command=_COMMAND,
    ),
)
"""Of section 3."""
