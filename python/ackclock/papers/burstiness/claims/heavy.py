"""The claims of section 3.2 on heavy load: how much rougher TCP makes the traffic, and what that costs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ackclock.papers.burstiness.claims.reading import RENOS, TCPS, WEIGHED, command
from ackclock.papers.burstiness.experiment import HEAVY
from ackclock.papers.burstiness.measures import (
    loss_percent,
    percent_above_poisson,
)
from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim, Judgement, by_share, graded
from ackclock.papers.reading import along, at, listed, per_seed, shown, span, told, weighed
from ackclock.papers.truth import NO, YES, Truth, above, at_least, counted, every, some

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.burstiness.evidence import Evidence, Side
    from ackclock.papers.observation import Observation

__all__ = ["CLAIMS", "heavy_penalty"]

_MOST = max(HEAVY)


def _sharp_rise(evidence: Evidence) -> Judgement:
    before, after = 36, 44

    def factor(side: Side, variant: str) -> float:
        return at(side.grid, variant, after, "cov").mean / at(side.grid, variant, before, "cov").mean

    grid = evidence.ours.grid
    rises = {
        variant: ~above(at(grid, variant, before, "cov"), at(grid, variant, after, "cov"), times=1 / 1.25)
        for variant in TCPS
    }
    calm = ~rises["Vegas"]
    verdict = graded(whole=every(rises[name] for name in RENOS) & calm, part=some(rises.values()) & calm)
    rising, flat = ([variant for variant, answer in rises.items() if answer is one] for one in (YES, NO))
    return Judgement(
        verdict=verdict,
        why=f"From {before} to {after} clients the c.o.v. of {listed(rising) or 'no TCP'} rises by a quarter or more"
        + (f", that of {listed(flat)} does not" if rising and flat else "")
        + ("; the text does not name Vegas/RED." if "Vegas/RED" in rising else "."),
        **told(
            evidence,
            lambda side: (
                f"c.o.v. from {before} to {after} clients: "
                + ", ".join(f"{variant} x{factor(side, variant):.2f}" for variant in TCPS)
            ),
        ),
    )


def _over(variant: str, bar: int) -> Callable[[Evidence], Judgement]:
    """Make the judge of "the c.o.v. of a variant is over so many per cent larger than Poisson's"."""

    def judge(evidence: Evidence) -> Judgement:
        points = along(evidence.ours.grid, variant, HEAVY, percent_above_poisson)
        holds = [above(point, bar) for point in points.values()]
        verdict, setting, where = by_share(holds), "", ""
        if variant.endswith("/RED"):

            def at_weight(runs: Sequence[Observation]) -> Truth:
                return above(at(runs, variant, _MOST, percent_above_poisson), bar)

            verdict, setting, where = weighed(verdict, evidence.ours.weights, at_weight)
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"The c.o.v. of {variant} is clearly over +{bar} % at {counted(holds, 'client counts')} from "
            f"{HEAVY[0]} to {_MOST}, and {shown(points[_MOST], 0, ' %')} with {_MOST}{where and f'; {where}'}.",
            **told(
                evidence,
                lambda side: (
                    f"+{span(along(side.grid, variant, HEAVY, percent_above_poisson), 0, ' %')} "
                    f"({HEAVY[0]} to {_MOST} clients)"
                ),
            ),
        )

    return judge


def heavy_penalty(side: Side, variant: str, reference: str = "UDP") -> dict[int, Interval]:
    """Give by how many per cent a variant's throughput is below another's under heavy load, seed by seed."""
    runs: dict[int, list[Observation]] = {}
    for run in side.grid:
        if run.variant in {variant, reference} and run.clients in HEAVY:
            runs.setdefault(run.clients, []).append(run)

    def behind(clients: int, those: Sequence[Observation]) -> float:
        mine, best = (at(those, name, clients, "departures").mean for name in (variant, reference))
        return 100 * (1 - mine / best)

    return {clients: per_seed(there, partial(behind, clients)) for clients, there in sorted(runs.items())}


def _performance_hurt(evidence: Evidence) -> Judgement:
    ours = evidence.ours.grid
    pair = ("Reno", "Reno/RED")
    holds: list[Truth] = []
    for variant in pair:
        slower = heavy_penalty(evidence.ours, variant)
        before = at(ours, variant, 36, loss_percent)
        after = along(ours, variant, HEAVY, loss_percent)
        holds += [at_least(slower[clients], 1) & above(loss, before) for clients, loss in after.items()]

    def say(side: Side) -> str:
        return "; ".join(
            f"{variant} {min(behind):.1f} to {max(behind):.1f} % behind UDP, "
            f"{span(along(side.grid, variant, HEAVY, loss_percent), 2)} % lost"
            for variant in pair
            for behind in [[penalty.mean for penalty in heavy_penalty(side, variant).values()]]
        )

    return Judgement(
        verdict=by_share(holds),
        why=f"At {counted(holds, 'points')} from {HEAVY[0]} clients on, throughput is clearly 1 % or more below UDP's, "
        "and loss is clearly higher than with 36 clients.",
        **told(evidence, say),
    )


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2-9",
        where="3.2; Figure 2",
        text="Under heavy congestion the c.o.v. rises sharply for every TCP except Vegas.",
        paper="sharply",
        rule="A sharp rise: from 36 to 44 clients, by a quarter or more (Poisson's falls by a tenth). Reproduced if "
        "the c.o.v. of all four Renos rises sharply and that of Vegas over FIFO does not; partly if some rise sharply "
        f"and Vegas' does not; otherwise not. {ELSE_UNDECIDED}",
        judge=_sharp_rise,
        command=command("Reno", 44),
    ),
    Claim(
        key="3.2-10",
        where="3.2; Figure 2",
        text="The c.o.v. of Reno is over 140 % larger than Poisson's.",
        paper="over +140 %",
        rule=f"The points are the client counts from 39 to 60: the excess is above 140 %. {BY_SHARE}",
        judge=_over("Reno", 140),
        command=command("Reno", 60),
    ),
    Claim(
        key="3.2-11",
        where="3.2; Figure 2",
        text="The c.o.v. of Reno/RED is over 200 % larger than Poisson's.",
        paper="over +200 %",
        rule=f"The points are the client counts from 39 to 60: the excess is above 200 %. {BY_SHARE}{WEIGHED}",
        judge=_over("Reno/RED", 200),
        command=command("Reno/RED", 60),
    ),
    Claim(
        key="3.2-12",
        where="abstract, 3.2; Figures 3, 4",
        text="This modulation costs Reno and Reno/RED throughput and packets.",
        paper="adverse enough",
        rule="The points are both variants at every client count from 39 to 60: throughput is 1 % or more below UDP's, "
        f"and loss is higher than with 36 clients. {BY_SHARE}",
        judge=_performance_hurt,
        command=command("Reno/RED", 50),
    ),
)
