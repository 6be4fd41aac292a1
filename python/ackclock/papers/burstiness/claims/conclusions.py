"""The claims of section 4 that no other section makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.burstiness.claims.reading import command
from ackclock.papers.burstiness.experiment import CLIENTS, HEAVY
from ackclock.papers.burstiness.measures import (
    loss_percent,
    thousand_departures,
)
from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim, Judgement, by_share, graded
from ackclock.papers.reading import along, at, per_seed, shown, span, told
from ackclock.papers.truth import above, at_least, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.papers.burstiness.evidence import Evidence, Side
    from ackclock.papers.observation import Observation

__all__ = ["CLAIMS"]


def _fluctuates(evidence: Evidence) -> Judgement:
    seconds = 200 * 3

    def rates(side: Side) -> list[float]:
        return [at(side.windows, name, 60, "falls").mean / seconds for name in ("Reno", "Vegas")]

    reno, vegas = rates(evidence.ours)
    last = at(evidence.ours.windows, "Reno", 60, "last_fall")
    often = at_least(at(evidence.ours.windows, "Reno", 60, "falls"), 0.5 * seconds)
    long = at_least(last, 190)
    return Judgement(
        verdict=graded(whole=often & long, part=often | long),
        why=f"With 60 clients a Reno window falls {reno:.2f} times a second, for the last time at {last.mean:.0f} s; a "
        f"Vegas window falls {vegas:.2f} times a second.",
        **told(evidence, lambda side: "{:.2f} falls a second; Vegas {:.2f}".format(*rates(side))),
    )


def _does_not_smooth(evidence: Evidence) -> Judgement:
    counts = tuple(clients for clients in CLIENTS if clients >= 39)

    def exponent(runs: Sequence[Observation]) -> float:
        points = along(runs, "Reno", counts, "cov")
        return float(np.polyfit(np.log(list(points)), np.log([point.mean for point in points.values()]), 1)[0])

    def say(side: Side) -> str:
        ends = along(side.grid, "Reno", (39, 60, 100), "cov")
        return "c.o.v. " + ", ".join(f"{shown(end, 4)} ({clients})" for clients, end in ends.items())

    slope = per_seed((run for run in evidence.ours.grid if run.variant == "Reno"), exponent)
    return Judgement(
        verdict=graded(whole=above(slope, -0.25), part=above(slope, -0.5)),
        why=f"From {counts[0]} to {counts[-1]} clients a power-law fit gives a c.o.v. of Reno proportional to "
        f"n^({shown(slope, 2)}); for Poisson traffic the exponent is -0.5.",
        **told(evidence, say),
    )


def _vegas_better(evidence: Evidence) -> Judgement:
    grid = evidence.ours.grid
    vegas, reno = (along(grid, name, HEAVY, thousand_departures) for name in ("Vegas", "Reno"))
    less, more = (along(grid, name, HEAVY, loss_percent) for name in ("Vegas", "Reno"))
    holds = [above(vegas[n], reno[n]) & above(more[n], less[n]) for n in vegas]
    return Judgement(
        verdict=by_share(holds),
        why=f"Vegas clearly carries more and loses less at {counted(holds, 'client counts')} from 39 on; "
        f"with 60, {vegas[60].mean:.0f} against {reno[60].mean:.0f} thousand packets.",
        **told(
            evidence,
            lambda side: (
                ", ".join(
                    f"{name} {span(along(side.grid, name, HEAVY, thousand_departures), 1)}"
                    for name in ("Vegas", "Reno")
                )
                + " thousand packets"
            ),
        ),
    )


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="4-1",
        where="1, 4; Figures 8, 9",
        text="Reno's probing makes its windows fluctuate rapidly and continually.",
        paper="rapid",
        rule="With 60 clients: reproduced if each window falls at least every other second and still falls in the last "
        f"10 s; partly if one of the two; otherwise not. {ELSE_UNDECIDED}",
        judge=_fluctuates,
        command=command("Reno", 60, record="windows@0,9,19/0.1s"),
    ),
    Claim(
        key="4-2",
        where="4; Figure 2",
        text="Reno's traffic does not smooth out much even when many streams are added up.",
        paper="not significantly",
        rule="By the slope of log c.o.v. against log n from 39 to 100 clients, fitted for each seed; it is -0.5 for "
        f"Poisson traffic. Reproduced above -0.25, partly above -0.5, otherwise not. {ELSE_UNDECIDED}",
        judge=_does_not_smooth,
        command=command("Reno", 100),
    ),
    Claim(
        key="4-3",
        where="4; Figures 3, 4",
        text="Vegas' smoother traffic means better overall network performance than Reno's.",
        paper="better",
        rule=f"The points are the client counts from 39 to 60: Vegas carries more and loses less. {BY_SHARE}",
        judge=_vegas_better,
        command=command("Vegas", 60),
    ),
)
