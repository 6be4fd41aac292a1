"""The claims of the abstract and of sections 2.2 and 3.1: about TCP, burstiness and the experiment as a whole."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from ackclock.papers.burstiness.claims.reading import TCPS, command
from ackclock.papers.burstiness.experiment import HEAVY
from ackclock.papers.burstiness.measures import (
    cov_over_poisson,
    loss_percent,
    thousand_departures,
)
from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim, Judgement, by_share, graded
from ackclock.papers.reading import along, at, listed, per_seed, shown, told
from ackclock.papers.truth import NO, OPEN, YES, Truth, above, apart, at_least, at_most, counted, every, some
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.burstiness.evidence import Evidence, Side
    from ackclock.papers.observation import Observation
    from ackclock.papers.reading import Measure

__all__ = ["CLAIMS"]

_MOST = max(HEAVY)
_LIKE = 1.25
"""The largest ratio of two c.o.v. that count as alike."""
_SAME = 0.01
"""By how much of its mean a measure may move without counting as another."""
_MOSTLY = {YES: "mostly", NO: "not mostly", OPEN: "perhaps"}


def _performance(evidence: Evidence) -> Judgement:
    from scipy.stats import kendalltau  # noqa: PLC0415 - slow to load

    def rank_correlation(side: Side, measure: Measure) -> Interval:
        def of_one_seed(runs: Sequence[Observation]) -> float:
            pair = ([at(runs, variant, _MOST, one).mean for variant in TCPS] for one in (cov_over_poisson, measure))
            return float(kendalltau(*pair).statistic)

        return per_seed((run for run in side.grid if run.clients == _MOST), of_one_seed)

    def ranks(side: Side) -> list[Interval]:
        return [rank_correlation(side, measure) for measure in (thousand_departures, loss_percent)]

    def say(side: Side) -> str:
        carried, lost = ranks(side)
        return f"rank correlation of c.o.v. with throughput {shown(carried, 2)}, with loss {shown(lost, 2)}"

    carried, lost = ranks(evidence.ours)
    less, more = at_most(carried, -0.5), at_least(lost, 0.5)
    lossiest = max(TCPS, key=lambda variant: at(evidence.ours.grid, variant, _MOST, loss_percent).mean)
    why = (
        f"With {_MOST} clients a burstier TCP {_MOSTLY[less]} carries less and {_MOSTLY[more]} loses more; {lossiest} "
        "loses most."
    )
    return Judgement(verdict=graded(whole=less & more, part=less | more), why=why, **told(evidence, say))


def _table_suffices(evidence: Evidence) -> Judgement:
    ours = evidence.ours

    def moved(measure: Measure, digits: int) -> dict[str, Truth]:
        found = {}
        for variant in ("Reno", "Vegas"):
            for clients, tied in along(ours.ties, variant, HEAVY, measure).items():
                free = at(ours.grid, variant, clients, measure)
                words = f"{variant} at {clients}: {free.mean:.{digits}f} becomes {tied.mean:.{digits}f}"
                found[words] = apart(tied, free, by=_SAME * free.mean)
        return found

    named: tuple[tuple[str, Measure, int], ...] = (
        ("c.o.v.", "cov", 4),
        ("thousand packets", thousand_departures, 1),
        ("Jain's index", "jain_index", 3),
    )
    answers = {
        f"{title} of {words}": answer
        for title, measure, digits in named
        for words, answer in moved(measure, digits).items()
    }
    moves = [words for words, answer in answers.items() if answer is YES]
    points = [at(runs, "Reno/RED", 60, cov_over_poisson) for runs in ours.weights.values()]
    weights = [point.mean for point in points]
    red = some(above(one, other, times=_LIKE) for one, other in product(points, points))
    settings = [
        *(["who wins exact ties"] if moves else []),
        *(["RED's averaging weight"] if red is YES else []),
    ]
    fixed = every([*(~answer for answer in answers.values()), ~red])
    verdict = Verdict.DEPENDS if settings else graded(whole=fixed, part=fixed)

    def say(side: Side) -> str:
        clients = 60
        free, tied = (
            [at(runs, "Reno", clients, name) for name in ("cov", "jain_index")] for runs in (side.grid, side.ties)
        )
        return (
            f"Reno at {clients}, without and with ties: c.o.v. {shown(free[0], 4)} and {shown(tied[0], 4)}, Jain's "
            f"index {shown(free[1], 3)} and {shown(tied[1], 3)}"
        )

    ties = listed(moves[:3]) if moves else f"nothing clearly moves by more than {100 * _SAME:.0f} %"
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
    holds = [above(point, 1) for *_, point in points]
    smooth = [
        name for name in TCPS if any(name == point[0] and x is not YES for point, x in zip(points, holds, strict=True))
    ]
    return Judgement(
        verdict=by_share(holds),
        why=f"At {counted(holds, 'points')} from {HEAVY[0]} clients on, the c.o.v. is clearly above Poisson's"
        + (f"; not always for {listed(smooth)}." if smooth else "."),
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
        rule="The points are every TCP and gateway at every client count from 39 to 60: the c.o.v. is above the "
        f"Poisson value. {BY_SHARE}",
        judge=_tcp_is_rougher,
        command=command("Reno", 60),
    ),
    Claim(
        key="2.2-1",
        where="2.2, 3.1",
        text="The smaller the c.o.v. of the traffic, the better the gateway performs: more throughput, less loss.",
        paper="expected",
        rule="Kendall's rank correlation over the six TCPs at 60 clients, of each seed. Reproduced if it is at most "
        "-0.5 between c.o.v. and throughput and at least 0.5 between c.o.v. and loss; partly if one of the two; "
        f"otherwise not. {ELSE_UNDECIDED}",
        judge=_performance,
        command=command("Vegas/RED", 60),
    ),
    Claim(
        key="3.1-1",
        where="3.1; Table 1",
        text="Table 1 lists the parameters of the simulation: with them, the experiment is fixed.",
        paper="Table 1",
        rule="Reproduced if neither a processing time of up to 12 µs (c.o.v., throughput and Jain's index of Reno and "
        f"Vegas at 44 and 60 clients, by more than {100 * _SAME:.0f} %) nor RED's weight (c.o.v. of Reno/RED at 60 "
        "clients, by more than 25 %) changes the results; if one of them clearly does, it depends on that. "
        f"{ELSE_UNDECIDED}",
        judge=_table_suffices,
        command=command("Reno", 60, "clients.0.transport.overhead=0 s"),
    ),
)
