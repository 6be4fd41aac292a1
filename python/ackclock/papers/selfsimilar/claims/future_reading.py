"""What the rules on load and on last hops are written with: differences seed by seed, Mathis et al., words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.analysis import student_interval
from ackclock.analysis.models import mathis
from ackclock.papers.claims import Judgement, by_share
from ackclock.papers.reading import at, run_command, shown
from ackclock.papers.selfsimilar.experiment import CONSTANT, GREEDY, VARIANTS, Setting
from ackclock.papers.selfsimilar.future import BURSTS, LOSSES, MILLION, RANDOM, RATES, RTT, STEPS, Hop
from ackclock.papers.truth import Truth, above

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.observation import Observation

__all__ = [
    "BY_KIND",
    "DASH",
    "LATER",
    "LEFT",
    "MODERATE",
    "OVER_LOAD",
    "PAIRED",
    "clearly_above",
    "command",
    "judged",
    "paired",
    "to_mathis",
    "told_at",
]

DASH: Final = "–"  # noqa: RUF001 - for what was not measured

MODERATE: Final = LOSSES[2:5]
"""Losses that decide, other than those of the background, and leave a window large enough to be recovered."""

PAIRED: Final = "Clearly: the 95 % interval of the difference between runs over the same background leaves out 0."
LATER: Final = "6, future work"
LEFT: Final = "left for later"

_FILE, _FILE_OF_RATES = "examples/last_hop.toml", "examples/last_hop_rates.toml"


OVER_LOAD: Final = {
    reading.name: {variant: Setting(reading=reading, variant=variant).name for variant in VARIANTS}
    for reading in (GREEDY, CONSTANT)
}
"""What the runs over each load are called, by reading and variant."""

BY_KIND: Final = {
    kind: {variant: Hop(variant=variant, kind=kind, amount=0).name for variant in VARIANTS}
    for kind in (RANDOM, BURSTS, RATES, STEPS)
}
"""The same of each kind of last hop."""


def paired(runs: Iterable[Observation], first: tuple[str, int], second: tuple[str, int], measure: str) -> Interval:
    """Give the mean difference of a measure, seed by seed: that of the first variant and place less the second.

    Raises
    ------
    LookupError
        If no seed has both.

    """
    found: dict[tuple[str, int], dict[int, float]] = {first: {}, second: {}}
    for run in runs:
        value = run.values.get(measure)
        if (run.variant, run.clients) in found and value is not None:
            found[run.variant, run.clients][run.seed] = value
    differences = [value - found[second][seed] for seed, value in found[first].items() if seed in found[second]]
    if not differences:
        raise LookupError(f"no run of {first} and {second} has it")
    return student_interval(differences)


def to_mathis(run: Observation) -> float | None:
    """Give goodput over what Mathis et al. predict for the loss and the empty round trip; None without a loss."""
    loss, goodput = run.values["loss"], run.values["goodput"]
    if not loss or goodput is None:
        return None
    return goodput * MILLION / 8000 / float(mathis(p=loss, rtt=RTT).rate)


def clearly_above(
    runs: Sequence[Observation], first: tuple[str, int], second: tuple[str, int], measure: str, *, tie: float = 0.0
) -> Truth:
    """Say whether a measure of the first variant and place is above that of the second, seed by seed.

    Parameters
    ----------
    runs
        Ours.
    first, second
        Variants and places.
    measure
        What is compared.
    tie
        The part of the second's mean by which it must be above.

    """
    return above(paired(runs, first, second, measure), tie * at(runs, *second, measure).mean)


def told_at(runs: Sequence[Observation], names: Iterable[str], places: Sequence[int], measure: str, digits: int) -> str:
    """Tell a measure of some variants at some places."""
    return "; ".join(
        f"{name} " + ", ".join(shown(at(runs, name, place, measure), digits) for place in places) for name in names
    )


def judged(holds: Sequence[Truth], *, ours: str, why: str, ns2: str = DASH) -> Judgement:
    """Judge by at how many points something holds."""
    return Judgement(verdict=by_share(holds), ours=ours, ns2=ns2, why=why)


def command(kind: str, *fields: str) -> str:
    """Give the command that makes a run over a last hop of a kind, with some fields changed."""
    return run_command(_FILE_OF_RATES if kind in (RATES, STEPS) else _FILE, fields)
