"""The reasons that the paper gives why the formulas of Padhye et al. are off, and how much each explains."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Protocol

from ackclock.papers.claims import BY_SHARE, Claim, Judgement, by_share
from ackclock.papers.figures import Pen
from ackclock.papers.manyflows.padhye import MODELS, TOPOLOGIES
from ackclock.papers.manyflows.reasons import (
    ACKS_LOST,
    ALONE,
    AS_IT_IS,
    EXACT,
    INDEPENDENT,
    NO_SLOW_START,
    WAYS,
)
from ackclock.papers.observation import seeds_of
from ackclock.papers.reading import DASH, at, run_command
from ackclock.papers.truth import NO, above, below, counted
from ackclock.report.chart import Axis, Chart, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.observation import Observation

__all__ = ["REASONS", "HasReasons", "reasons_drawing"]

MATTERS = 1.1
"""The factor from which on a reason contributes."""

_PLACES = tuple((variant, one) for variant in ("without", "with") for one in TOPOLOGIES)
_PENS: Mapping[int, Pen] = {
    1: Pen(colour="blue", marker="square"),
    2: Pen(colour="sky", marker="diamond"),
    3: Pen(colour="red", marker="circle"),
    4: Pen(colour="orange", marker="triangle"),
}


class HasReasons(Protocol):
    """Evidence with the runs in which the reasons are switched off."""

    @property
    def reasons(self) -> Sequence[Observation]:
        """As `gather_reasons` gives them."""


def reasons_drawing(runs: Sequence[Observation], *, command: str) -> Drawing:
    """Draw what each reason explains.

    Parameters
    ----------
    runs
        As `gather_reasons` gives them.
    command
        What a person types to make them.

    """
    head = ["Formula, topology", *WAYS]
    rows = [
        [
            f"{model}, {one}, {variant} processing times",
            *(at(runs, variant, one, f"{model}, {way}").shown(2) for way in WAYS),
        ]
        for model in MODELS
        for variant, one in _PLACES
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    ticks = [(-place, way) for place, way in enumerate(WAYS)]
    panels = [
        Panel(
            title=f"({letter}) {variant} processing times",
            x=Axis(
                label="Predicted by the full formula over sent, median" if letter == "b" else "",
                low=0.7,
                high=2.1,
                log=True,
                ticks=[(ratio, f"{ratio:g}") for ratio in (0.7, 0.8, 0.9, 1, 1.2, 1.5, 2)],
            ),
            y=Axis(low=-len(WAYS) + 0.4, high=0.6, ticks=ticks),
            series=[
                Series(
                    name=f"topology {one}",
                    x=[at(runs, variant, one, f"full, {way}").mean for way in WAYS],
                    y=[place + 0.12 * (2.5 - one) for place, _ in ticks],
                    colour=pen.colour,
                    marker=pen.marker,
                    dash="none",
                    size=5,
                )
                for one, pen in _PENS.items()
            ],
        )
        for letter, variant in zip("ab", ("without", "with"), strict=True)
    ]
    return Drawing(
        chart=Chart(height=7.6, panels=panels),
        slug="reasons",
        title="Figure D. Why the formulas of Padhye et al. are off",
        caption="Median over the flows of predicted over sent, at W_c = 300 with 60 connections (topologies 1 and "
        f"3) and 300 (2 and 4), of {seeds_of(runs)} seeds: as it is; with p counted as the model has it, first "
        "losses of a round trip; flows run again alone, with the same losses and a constant round trip; the same "
        "with as many losses at random places; without what is sent in slow start and the time for it; with the "
        "model's own process simulated in place of its means; all three together; and with a way back that carries "
        "nine tenths of the ACKs.",
        csv=text.getvalue(),
        numbers=Table(
            caption="Predicted over sent, median: mean ± half-width of the 95 % interval", head=head, rows=rows
        ),
        command=command,
    )


def _changes(runs: Sequence[Observation], one: str, other: str) -> list[Interval]:
    """Give the logarithm of the factor by which the full formula's median changes from one way to the other."""

    def change(run: Observation) -> float | None:
        before, after = run.values[f"full, {other}"], run.values[f"full, {one}"]
        return math.log(after / before) if before and after else None

    return [at(runs, variant, topology, change) for variant, topology in _PLACES]


def _contributes(one: str, other: str, what: str) -> Callable[[HasReasons], Judgement]:
    """Judge "this contributes" by what happens where it is switched off."""

    def judge(evidence: HasReasons) -> Judgement:
        changes = _changes(evidence.reasons, one, other)
        holds = [above(change, math.log(MATTERS)) | below(change, -math.log(MATTERS)) for change in changes]
        shown = [f"{math.exp(change.mean):.2f}" for change in changes]
        return Judgement(
            verdict=by_share(holds),
            ours=f"{what} changes predicted over sent by {', '.join(shown[:4])} without processing times, "
            f"{', '.join(shown[4:])} with them (topologies 1 to 4)",
            ns2=DASH,
            why=f"The factor is clearly more than {MATTERS:g}, or less than 1/{MATTERS:g}, at "
            f"{counted(holds, 'points')}: from {min(shown)} to {max(shown)}.",
        )

    return judge


def _acks(evidence: HasReasons) -> Judgement:
    runs = evidence.reasons
    happened = sum((run.values["acks_lost"] or 0) + (run.values["reordered"] or 0) for run in runs)
    judged = _contributes(ACKS_LOST, AS_IT_IS, "losing a tenth of the ACKs")(evidence)
    return Judgement(
        verdict=judged.verdict if happened else by_share([NO]),
        ours=f"{happened:.0f} ACKs lost or reordered; {judged.ours}",
        ns2=DASH,
        why="ACKs have a way back of their own with room for all, and nothing overtakes: in these networks it does "
        "not occur."
        if not happened
        else judged.why,
    )


_RULE = (
    "The points are the four topologies without processing times and with them: it changes the median of predicted "
    f"over sent, by the full formula, by a factor of more than {MATTERS:g}. {BY_SHARE} "
)
_PLACE = ("examples/manyflows100.toml", ["clients.0.count=300", "dumbbell.bottleneck.queue.packets=260"])
_COMMAND = run_command(*_PLACE, record="drops")

REASONS: tuple[Claim[HasReasons], ...] = (
    Claim(
        key="3-3",
        where="3, first reason",
        text="The assumption that losses in a round are correlated contributes to the divergence.",
        paper="contributes",
        rule=_RULE
        + "Switched off: lone flows with constant round trips lose as many packets at random as at the queue.",
        judge=_contributes(INDEPENDENT, ALONE, "losing at random"),
        command=_COMMAND,
    ),
    Claim(
        key="3-4",
        where="3, second reason",
        text="Ignoring the packets sent in slow start contributes to the divergence.",
        paper="contributes",
        rule=_RULE
        + "Switched off: what is sent in slow start after a timeout and the time for it are left out; the start is "
        "before the measured time.",
        judge=_contributes(NO_SLOW_START, AS_IT_IS, "leaving slow start out"),
        command=_COMMAND,
    ),
    Claim(
        key="3-5",
        where="3, third reason",
        text="Mathematical simplifications such as f(E[x]) for E[f(x)] contribute to the divergence.",
        paper="contributes",
        rule=_RULE + "Switched off: the model's process of windows, losses and timeouts is simulated.",
        judge=_contributes(EXACT, AS_IT_IS, "the process in place of its means"),
        command=_COMMAND,
    ),
    Claim(
        key="3-6",
        where="3, fourth reason",
        text="Lost ACKs and reordered packets contribute to the divergence.",
        paper="contributes",
        rule=_RULE
        + "It must occur: ACKs are lost or reordered in the plain runs. A tenth of them lost shows what it would do.",
        judge=_acks,
        command=run_command(*_PLACE, record="packets@bottleneck.reverse"),
    ),
)
"""Of section 3, after its tables."""
