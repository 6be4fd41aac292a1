"""The claims of section 4 that no other section makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.experiments.burstiness.claims.reading import command
from ackclock.experiments.burstiness.experiment import CLIENTS, HEAVY
from ackclock.experiments.burstiness.measures import (
    loss_percent,
    thousand_departures,
)
from ackclock.experiments.claims import Claim, Judgement, by_share, graded
from ackclock.experiments.reading import above, along, at, shown, span, told

if TYPE_CHECKING:
    from ackclock.experiments.burstiness.evidence import Evidence, Side

__all__ = ["CLAIMS"]


def _fluctuates(evidence: Evidence) -> Judgement:
    seconds = 200 * 3

    def rates(side: Side) -> list[float]:
        return [at(side.windows, name, 60, "falls").mean / seconds for name in ("Reno", "Vegas")]

    reno, vegas = rates(evidence.ours)
    last = at(evidence.ours.windows, "Reno", 60, "last_fall").mean
    holds = [reno >= 0.5, last >= 190]
    verdict = graded(whole=all(holds), part=any(holds))
    return Judgement(
        verdict=verdict,
        why=f"A Reno window falls {reno:.2f} times a second with 60 clients and goes on so to {last:.0f} s; one of "
        f"Vegas {vegas:.2f} times.",
        **told(evidence, lambda side: "{:.2f} falls a second; Vegas {:.2f}".format(*rates(side))),
    )


def _does_not_smooth(evidence: Evidence) -> Judgement:
    counts = tuple(clients for clients in CLIENTS if clients >= 39)

    def exponent(side: Side) -> float:
        points = along(side.grid, "Reno", counts, "cov")
        return float(np.polyfit(np.log(list(points)), np.log([point.mean for point in points.values()]), 1)[0])

    def say(side: Side) -> str:
        ends = along(side.grid, "Reno", (39, 60, 100), "cov")
        return "c.o.v. " + ", ".join(f"{shown(end, 4)} ({clients})" for clients, end in ends.items())

    slope = exponent(evidence.ours)
    verdict = graded(whole=slope > -0.25, part=slope > -0.5)
    return Judgement(
        verdict=verdict,
        why=f"From {counts[0]} to {counts[-1]} clients Reno's c.o.v. goes with n to the {slope:+.2f}; that of Poisson "
        "with n to the -0.5.",
        **told(evidence, say),
    )


def _vegas_better(evidence: Evidence) -> Judgement:
    grid = evidence.ours.grid
    vegas, reno = (along(grid, name, HEAVY, thousand_departures) for name in ("Vegas", "Reno"))
    less, more = (along(grid, name, HEAVY, loss_percent) for name in ("Vegas", "Reno"))
    holds = [fast and clean for fast, clean in zip(above(vegas, reno), above(more, less), strict=True)]
    return Judgement(
        verdict=by_share(holds),
        why=f"Vegas clearly carries more and loses less at {sum(holds)} of {len(holds)} client counts from 39 on; with "
        f"60, {vegas[60].mean:.0f} against {reno[60].mean:.0f} thousand packets.",
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
        rule="With 60 clients: reproduced if each window falls at least every other second and still does in the last "
        "10 s; partly if one of them; else not.",
        judge=_fluctuates,
        command=command("Reno", 60, record="windows@0,9,19/0.1s"),
    ),
    Claim(
        key="4-2",
        where="4; Figure 2",
        text="Reno's traffic does not smooth out much even when many streams are added up.",
        paper="not significantly",
        rule="By the slope of log c.o.v. against log n from 39 to 100 clients, -0.5 for Poisson: reproduced above "
        "-0.25, partly above -0.5, else not.",
        judge=_does_not_smooth,
        command=command("Reno", 100),
    ),
    Claim(
        key="4-3",
        where="4; Figures 3, 4",
        text="Vegas' smoother traffic means better overall network performance than Reno's.",
        paper="better",
        rule="Reproduced if at every count from 39 to 60 Vegas clearly carries more and loses less; partly if at most; "
        "else not.",
        judge=_vegas_better,
        command=command("Vegas", 60),
    ),
)
