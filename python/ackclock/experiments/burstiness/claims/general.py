"""The claims of the abstract and of sections 2.2 and 3.1: about TCP, burstiness and the experiment as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.experiments.burstiness.claims.reading import TCPS, command
from ackclock.experiments.burstiness.experiment import HEAVY
from ackclock.experiments.burstiness.measures import (
    cov_over_poisson,
    loss_percent,
    thousand_departures,
)
from ackclock.experiments.claims import Claim, Judgement, by_share, graded
from ackclock.experiments.reading import along, at, high, listed, low, shown, told
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from ackclock.experiments.burstiness.evidence import Evidence, Side
    from ackclock.experiments.reading import Measure

__all__ = ["CLAIMS"]

_MOST = max(HEAVY)


def _performance(evidence: Evidence) -> Judgement:
    from scipy.stats import kendalltau  # noqa: PLC0415 - slow to load

    def ranks(side: Side) -> tuple[float, float]:
        rough, carried, lost = (
            [at(side.grid, variant, _MOST, measure).mean for variant in TCPS]
            for measure in (cov_over_poisson, thousand_departures, loss_percent)
        )
        return float(kendalltau(rough, carried).statistic), float(kendalltau(rough, lost).statistic)

    def say(side: Side) -> str:
        carried, lost = ranks(side)
        return f"rank correlation of c.o.v. with throughput {carried:+.2f}, with loss {lost:+.2f}"

    carried, lost = ranks(evidence.ours)
    holds = [carried <= -0.5, lost >= 0.5]
    verdict = graded(whole=all(holds), part=any(holds))
    lossiest = max(TCPS, key=lambda variant: at(evidence.ours.grid, variant, _MOST, loss_percent).mean)
    why = (
        f"With {_MOST} clients a rougher TCP {'mostly carries less' if holds[0] else 'does not mostly carry less'} "
        f"and {'mostly loses more' if holds[1] else 'does not mostly lose more'}; {lossiest} loses most."
    )
    return Judgement(verdict=verdict, why=why, **told(evidence, say))


def _table_suffices(evidence: Evidence) -> Judgement:
    ours = evidence.ours

    def moved(measure: Measure, digits: int) -> list[str]:
        found = []
        for variant in ("Reno", "Vegas"):
            for clients, tied in along(ours.ties, variant, HEAVY, measure).items():
                free = at(ours.grid, variant, clients, measure)
                if low(tied) > high(free) or low(free) > high(tied):
                    found.append(f"{variant} at {clients}: {free.mean:.{digits}f} becomes {tied.mean:.{digits}f}")
        return found

    named: tuple[tuple[str, Measure, int], ...] = (
        ("c.o.v.", "cov", 4),
        ("thousand packets", thousand_departures, 1),
        ("Jain's index", "jain_index", 3),
    )
    moves = [f"{title} of {words}" for title, measure, digits in named for words in moved(measure, digits)]
    weights = [at(runs, "Reno/RED", 60, cov_over_poisson).mean for runs in ours.weights.values()]
    red = max(weights) / min(weights) >= 1.25
    settings = [
        *(["who wins exact ties"] if moves else []),
        *(["RED's averaging weight"] if red else []),
    ]
    verdict = Verdict.DEPENDS if settings else Verdict.REPRODUCED

    def say(side: Side) -> str:
        clients = 60
        free, tied = (
            [at(runs, "Reno", clients, name) for name in ("cov", "jain_index")] for runs in (side.grid, side.ties)
        )
        return (
            f"Reno at {clients}, without and with ties: c.o.v. {shown(free[0], 4)} and {shown(tied[0], 4)}, Jain's "
            f"index {shown(free[1], 3)} and {shown(tied[1], 3)}"
        )

    ties = listed(moves[:3]) if moves else "nothing moves by more than chance"
    return Judgement(
        verdict=verdict,
        setting=listed(settings),
        why=f"Without processing time, where exact ties decide who goes first: {ties}. RED's weight moves Reno/RED at "
        f"60 clients from {min(weights):.2f} to {max(weights):.2f} times Poisson.",
        **told(evidence, say),
    )


def _tcp_is_rougher(evidence: Evidence) -> Judgement:
    points = [
        (variant, clients, point)
        for variant in TCPS
        for clients, point in along(evidence.ours.grid, variant, HEAVY, cov_over_poisson).items()
    ]
    smooth = sorted({variant for variant, _, point in points if low(point) <= 1}, key=TCPS.index)
    holds = [low(point) > 1 for *_, point in points]
    return Judgement(
        verdict=by_share(holds),
        why=f"At {sum(holds)} of {len(holds)} places from {HEAVY[0]} clients on, the c.o.v. is clearly above Poisson's"
        + (f"; not always that of {listed(smooth)}." if smooth else "."),
        **told(
            evidence,
            lambda side: (
                f"at {_MOST} clients "
                + ", ".join(f"{name} {at(side.grid, name, _MOST, cov_over_poisson).mean:.2f}" for name in TCPS)
                + " times Poisson"
            ),
        ),
    )


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="0-1",
        where="abstract, 1, 4; Figure 2",
        text="Even where the applications' traffic grows smoother as more of it is added up, TCP makes the sum bursty.",
        paper="shown",
        rule="Reproduced if, for every TCP and gateway at every client count from 39 to 60, the interval of the c.o.v. "
        "lies above the Poisson value; partly if at most places; else not.",
        judge=_tcp_is_rougher,
        command=command("Reno", 60),
    ),
    Claim(
        key="2.2-1",
        where="2.2, 3.1",
        text="The smaller the c.o.v. of the traffic, the better the gateway performs: more throughput, less loss.",
        paper="expected",
        rule="Kendall's rank correlation over the six TCPs at 60 clients. Reproduced if it is at most -0.5 between "
        "c.o.v. and throughput and at least 0.5 between c.o.v. and loss; partly if one of them; else not.",
        judge=_performance,
        command=command("Vegas/RED", 60),
    ),
    Claim(
        key="3.1-1",
        where="3.1; Table 1",
        text="Table 1 lists the parameters of the simulation: with them, the experiment is fixed.",
        paper="Table 1",
        rule="Reproduced if neither a processing time of up to 12 µs (intervals of c.o.v., throughput and Jain's index "
        "of Reno and Vegas at 44 and 60 clients) nor RED's weight (c.o.v. of Reno/RED at 60 clients, within 25 %) "
        "moves the results; otherwise it depends on what moves them.",
        judge=_table_suffices,
        command=command("Reno", 60, "clients.0.transport.overhead=0 s"),
    ),
)
