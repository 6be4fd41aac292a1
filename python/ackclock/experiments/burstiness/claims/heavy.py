"""The claims of section 3.2 on heavy load: how much rougher TCP makes the traffic, and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.experiments.burstiness.claims.reading import RENOS, TCPS, WEIGHED, command
from ackclock.experiments.burstiness.experiment import HEAVY
from ackclock.experiments.burstiness.measures import (
    loss_percent,
    percent_above_poisson,
)
from ackclock.experiments.claims import Claim, Judgement, by_share, graded
from ackclock.experiments.reading import above, along, at, high, listed, low, shown, span, told, weighed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.experiments.burstiness.evidence import Evidence, Side
    from ackclock.experiments.observation import Observation

__all__ = ["CLAIMS", "heavy_penalty"]

_MOST = max(HEAVY)


def _sharp_rise(evidence: Evidence) -> Judgement:
    before, after = 36, 44

    def factor(side: Side, variant: str) -> float:
        return at(side.grid, variant, after, "cov").mean / at(side.grid, variant, before, "cov").mean

    def rises(variant: str) -> bool:
        grid = evidence.ours.grid
        return factor(evidence.ours, variant) >= 1.25 and low(at(grid, variant, after, "cov")) > high(
            at(grid, variant, before, "cov")
        )

    rising = [variant for variant in TCPS if rises(variant)]
    renos = all(variant in rising for variant in RENOS)
    calm = "Vegas" not in rising
    verdict = graded(whole=renos and calm, part=bool(rising) and calm)
    flat = [variant for variant in TCPS if variant not in rising]
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
        sure = sum(low(point) > bar for point in points.values())
        most = sum(point.mean > bar for point in points.values())
        verdict, setting, where = graded(whole=sure == len(points), part=2 * most > len(points)), "", ""
        if variant.endswith("/RED"):

            def at_weight(runs: Sequence[Observation]) -> bool | None:
                point = at(runs, variant, _MOST, percent_above_poisson)
                return True if low(point) > bar else False if high(point) < bar else None

            verdict, setting, where = weighed(verdict, evidence.ours.weights, at_weight)
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"The c.o.v. of {variant} is clearly over +{bar} % at {sure} of {len(points)} client counts from "
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


def heavy_penalty(side: Side, variant: str, reference: str = "UDP") -> dict[int, float]:
    """Give by how many per cent a variant's throughput stays behind another's under heavy load."""
    mine, best = (along(side.grid, name, HEAVY, "departures") for name in (variant, reference))
    return {clients: 100 * (1 - mine[clients].mean / best[clients].mean) for clients in mine if clients in best}


def _performance_hurt(evidence: Evidence) -> Judgement:
    ours = evidence.ours.grid
    pair = ("Reno", "Reno/RED")
    holds = []
    for variant in pair:
        slower = heavy_penalty(evidence.ours, variant)
        before = at(ours, variant, 36, loss_percent)
        after = along(ours, variant, HEAVY, loss_percent)
        surely = above(along(ours, "UDP", HEAVY, "departures"), along(ours, variant, HEAVY, "departures"))
        holds += [
            sure and slower[clients] >= 1 and low(after[clients]) > high(before)
            for sure, clients in zip(surely, after, strict=True)
        ]

    def say(side: Side) -> str:
        return "; ".join(
            f"{variant} {min(behind):.1f} to {max(behind):.1f} % behind UDP, "
            f"{span(along(side.grid, variant, HEAVY, loss_percent), 2)} % lost"
            for variant in pair
            for behind in [list(heavy_penalty(side, variant).values())]
        )

    return Judgement(
        verdict=by_share(holds),
        why=f"At {sum(holds)} of {len(holds)} places from {HEAVY[0]} clients on, throughput is 1 % or more below what "
        "UDP gets through and loss is clearly above that with 36 clients.",
        **told(evidence, say),
    )


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2-9",
        where="3.2; Figure 2",
        text="Under heavy congestion the c.o.v. rises sharply for every TCP except Vegas.",
        paper="sharply",
        rule="A sharp rise: from 36 to 44 clients, by a quarter or more, and intervals apart (Poisson falls by a "
        "tenth). Reproduced if all four Renos rise so and Vegas over FIFO does not; partly if some rise and Vegas does "
        "not; else not.",
        judge=_sharp_rise,
        command=command("Reno", 44),
    ),
    Claim(
        key="3.2-10",
        where="3.2; Figure 2",
        text="The c.o.v. of Reno is over 140 % larger than Poisson's.",
        paper="over +140 %",
        rule="Reproduced if at every count from 39 to 60 the interval lies above +140 %; partly if at most of them the "
        "mean does; else not.",
        judge=_over("Reno", 140),
        command=command("Reno", 60),
    ),
    Claim(
        key="3.2-11",
        where="3.2; Figure 2",
        text="The c.o.v. of Reno/RED is over 200 % larger than Poisson's.",
        paper="over +200 %",
        rule="Reproduced if at every count from 39 to 60 the interval lies above +200 %; partly if at most of them the "
        "mean does; else not." + WEIGHED,
        judge=_over("Reno/RED", 200),
        command=command("Reno/RED", 60),
    ),
    Claim(
        key="3.2-12",
        where="abstract, 3.2; Figures 3, 4",
        text="This modulation costs Reno and Reno/RED throughput and packets.",
        paper="adverse enough",
        rule="Holds at a place if throughput is clearly below UDP's, by 1 % or more, and loss clearly above that with "
        "36 clients. Reproduced if it holds for both at every count from 39 to 60; partly if at most places; else not.",
        judge=_performance_hurt,
        command=command("Reno/RED", 50),
    ),
)
