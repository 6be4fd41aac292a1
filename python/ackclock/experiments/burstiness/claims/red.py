"""The claims of section 3.2.3, on RED gateways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.analysis import Interval
from ackclock.experiments.burstiness.claims.heavy import heavy_penalty
from ackclock.experiments.burstiness.claims.reading import WEIGHED, command
from ackclock.experiments.burstiness.evidence import WEIGHTS
from ackclock.experiments.burstiness.experiment import HEAVY, RED_WEIGHT
from ackclock.experiments.burstiness.measures import (
    cov_over_poisson,
    loss_percent,
    thousand_departures,
)
from ackclock.experiments.claims import Claim, Judgement, by_share, graded
from ackclock.experiments.reading import (
    SETTING,
    above,
    along,
    at,
    clearly,
    every,
    high,
    listed,
    low,
    percent,
    shown,
    span,
    told,
    weighed,
)
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.experiments.burstiness.evidence import Evidence, Side
    from ackclock.experiments.observation import Observation
    from ackclock.experiments.reading import Measure

__all__ = ["CLAIMS"]

_PLAIN = ("Reno", "Reno/DelAck", "Vegas")

Points = dict[int, Interval]


def _harm(
    title: str, measure: Measure, worse: Callable[[Interval, Interval], bool | None]
) -> Callable[[Evidence], Judgement]:
    """Make the judge of "with RED a measure is worse than without", at the usual weight and at others.

    Parameters
    ----------
    title
        What is measured.
    measure
        The measure.
    worse
        Says of the interval with RED and that without whether it is clearly worse.

    """

    def factors(side: Side) -> str:
        parts = []
        for name in _PLAIN:
            plain, red = (along(side.grid, variant, HEAVY, measure) for variant in (name, f"{name}/RED"))
            ratios = [red[clients].mean / plain[clients].mean for clients in plain]
            parts.append(f"{name} x{min(ratios):.2f} to x{max(ratios):.2f}")
        return f"{title} with RED over without: {', '.join(parts)}"

    def judge(evidence: Evidence) -> Judgement:
        ours = evidence.ours
        holds = [
            worse(red, plain[clients]) is True
            for name in _PLAIN
            for plain in [along(ours.grid, name, HEAVY, measure)]
            for clients, red in along(ours.grid, f"{name}/RED", HEAVY, measure).items()
        ]

        def at_weight(runs: Sequence[Observation]) -> bool | None:
            return every(
                worse(at(runs, f"{name}/RED", 60, measure), at(ours.grid, name, 60, measure))
                for name in ("Reno", "Vegas")
            )

        verdict, setting, where = weighed(by_share(holds), ours.weights, at_weight)
        usual = at(ours.grid, "Reno", 60, measure).mean
        ends = [at(ours.weights[weight], "Reno/RED", 60, measure).mean / usual for weight in (RED_WEIGHT, min(WEIGHTS))]
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"At weight {RED_WEIGHT:g} RED clearly harms at {sum(holds)} of {len(holds)} places; for Reno and "
            f"Vegas alike, {where}: RED multiplies Reno's {title} by {ends[0]:.2f} at {RED_WEIGHT:g} and by "
            f"{ends[1]:.2f} at {min(WEIGHTS):g}.",
            **told(evidence, factors),
        )

    return judge


def _smaller_buffer(evidence: Evidence) -> Judgement:
    counts = (39, 60)
    holds = [
        clear
        for name in _PLAIN
        for clear in above(
            along(evidence.ours.queues, name, counts, "queue_mean"),
            along(evidence.ours.queues, f"{name}/RED", counts, "queue_mean"),
        )
    ]

    def say(side: Side) -> str:
        return "waiting with 60 clients: " + ", ".join(
            f"{name} {at(side.queues, name, 60, 'queue_mean').mean:.1f} and "
            f"{at(side.queues, f'{name}/RED', 60, 'queue_mean').mean:.1f} with RED"
            for name in _PLAIN
        )

    return Judgement(
        verdict=by_share(holds),
        why=f"Fewer packets wait with RED at {sum(holds)} of {len(holds)} places, on average over the run.",
        **told(evidence, say),
    )


def _reno_suffers(evidence: Evidence) -> Judgement:
    def costs(side: Side) -> tuple[dict[int, float], dict[int, float]]:
        return heavy_penalty(side, "Reno/RED", "Reno"), heavy_penalty(side, "Vegas/RED", "Vegas")

    def say(side: Side) -> str:
        reno, vegas = costs(side)
        return (
            f"Reno {min(reno.values()):.1f} to {max(reno.values()):.1f} %, Vegas {min(vegas.values()):.1f} to "
            f"{max(vegas.values()):.1f} % of the throughput"
        )

    reno, vegas = costs(evidence.ours)
    holds = [reno[clients] > vegas[clients] for clients in reno]

    def at_weight(runs: Sequence[Observation]) -> bool | None:
        def lost(name: str) -> Interval:
            before = at(evidence.ours.grid, name, 60, "departures").mean
            return at(runs, f"{name}/RED", 60, lambda run: 1 - (run.values["departures"] or 0) / before)

        return clearly(lost("Reno"), lost("Vegas"))

    verdict, setting, where = weighed(by_share(holds), evidence.ours.weights, at_weight)
    return Judgement(
        verdict=verdict,
        setting=setting,
        why=f"At weight {RED_WEIGHT:g} RED costs Reno more than Vegas at {sum(holds)} of {len(holds)} client counts "
        f"(with 60, {reno[60]:.1f} against {vegas[60]:.1f} %); {where}.",
        **told(evidence, say),
    )


def _vegas_red_better(evidence: Evidence) -> Judgement:
    def both(side: Side, measure: Measure) -> list[Points]:
        return [along(side.grid, name, HEAVY, measure) for name in ("Vegas/RED", "Reno/RED")]

    (smooth, rough), (fast, slow) = (
        both(evidence.ours, measure) for measure in (cov_over_poisson, thousand_departures)
    )
    holds = [*above(rough, smooth), *above(fast, slow)]

    def at_weight(runs: Sequence[Observation]) -> bool | None:
        vegas, reno = (
            [at(runs, name, 60, measure) for measure in (cov_over_poisson, thousand_departures)]
            for name in ("Vegas/RED", "Reno/RED")
        )
        return every([clearly(reno[0], vegas[0]), clearly(vegas[1], reno[1])])

    verdict, setting, where = weighed(by_share(holds), evidence.ours.weights, at_weight)
    return Judgement(
        verdict=verdict,
        setting=setting,
        why=f"At weight {RED_WEIGHT:g} lower c.o.v. and higher throughput are clear at {sum(holds)} of {len(holds)} "
        f"places; {where}.",
        **told(
            evidence,
            lambda side: "c.o.v. {} and {} times Poisson".format(
                *(span(points, 2) for points in both(side, cov_over_poisson))
            ),
        ),
    )


def _loses_most(evidence: Evidence) -> Judgement:
    grid = evidence.ours.grid
    mine = along(grid, "Vegas/RED", HEAVY, loss_percent)
    others = {name: along(grid, name, HEAVY, loss_percent) for name in ("Vegas", "Reno", "Reno/RED")}
    holds = {n: all(low(mine[n]) > high(other[n]) for other in others.values()) for n in mine}
    failing = [str(n) for n, held in holds.items() if not held]

    def at_weight(runs: Sequence[Observation]) -> bool | None:
        here = at(runs, "Vegas/RED", 60, loss_percent)
        there = [others["Vegas"][60], others["Reno"][60], at(runs, "Reno/RED", 60, loss_percent)]
        return every(clearly(here, other) for other in there)

    verdict, setting, where = weighed(by_share(list(holds.values())), evidence.ours.weights, at_weight)
    return Judgement(
        verdict=verdict,
        setting=setting,
        why=f"It clearly loses most at {len(holds) - len(failing)} of {len(holds)} client counts"
        + (f", not at {listed(failing)}; {where}." if failing else f"; {where}."),
        **told(
            evidence,
            lambda side: (
                "with 60 clients "
                + ", ".join(
                    f"{name} {shown(at(side.grid, name, 60, loss_percent), 2)} %"
                    for name in ("Vegas/RED", "Vegas", "Reno/RED", "Reno")
                )
            ),
        ),
    )


def _always_above(evidence: Evidence) -> Judgement:
    def share(runs: Sequence[Observation]) -> float:
        return at(runs, "Vegas/RED", 60, percent("above_max_th")).mean

    usual, others = share(evidence.ours.close), {w: share(runs) for w, runs in evidence.ours.close_weights.items()}
    verdict = graded(whole=usual >= 95, part=usual >= 50)
    flips = any((other >= 95) is not (usual >= 95) for other in others.values())
    elsewhere = " and ".join(f"{other:.2f} % at a weight of {weight:g}" for weight, other in others.items())
    return Judgement(
        verdict=Verdict.DEPENDS if flips else verdict,
        setting=SETTING if flips else "",
        why=f"With 60 Vegas clients RED's average is above max_th for {usual:.2f} % of the time; for {elsewhere}.",
        **told(
            evidence, lambda side: f"{shown(at(side.close, 'Vegas/RED', 60, percent('above_max_th')), 2)} % of the time"
        ),
    )


def _more_above(evidence: Evidence) -> Judgement:
    def both(side: Side) -> list[Interval]:
        return [at(side.close, name, 60, percent("above_max_th")) for name in ("Vegas/RED", "Reno/RED")]

    vegas, reno = both(evidence.ours)
    verdict = graded(whole=low(vegas) > high(reno), part=vegas.mean > reno.mean)
    others = [
        clearly(*(at(runs, name, 60, percent("above_max_th")) for name in ("Vegas/RED", "Reno/RED")))
        for runs in evidence.ours.close_weights.values()
    ]
    flips = (verdict is not Verdict.REPRODUCED) in others
    return Judgement(
        verdict=Verdict.DEPENDS if flips else verdict,
        setting=SETTING if flips else "",
        why=f"With 60 clients the average is above 40 packets for {vegas.mean:.2f} % of the time with Vegas and "
        f"{reno.mean:.2f} % with Reno.",
        **told(
            evidence,
            lambda side: "Vegas/RED {} %, Reno/RED {} % of the time".format(*(shown(one, 2) for one in both(side))),
        ),
    )


_HARM = (
    "Asked for Reno, Reno with delayed ACKs and Vegas at every count from 39 to 60: holds at a place if the intervals "
    "say so. Reproduced if at all, partly if at most, else not." + WEIGHED
)

CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2.3-1",
        where="3.2.3; Figure 2",
        text="RED increases the modulation: with it the c.o.v. is significantly higher than without.",
        paper="significantly worse",
        rule=_HARM,
        judge=_harm("c.o.v.", cov_over_poisson, clearly),
        command=command("Reno/RED", 60, red_weight=8e-5),
    ),
    Claim(
        key="3.2.3-2",
        where="3.2.3; Figure 3",
        text="RED hurts performance: with it the throughput is significantly lower than without.",
        paper="significantly worse",
        rule=_HARM,
        judge=_harm("throughput", thousand_departures, lambda red, plain: clearly(plain, red)),
        command=command("Reno/RED", 60, red_weight=8e-5),
    ),
    Claim(
        key="3.2.3-3",
        where="3.2.3",
        text="RED's thresholds make the buffer look smaller to TCP.",
        paper="smaller",
        rule="Reproduced if with 39 and 60 clients clearly fewer packets wait on average with RED than without, for "
        "each of the three TCPs; partly if at most places; else not.",
        judge=_smaller_buffer,
        command=command("Reno/RED", 60, record="queue/10ms"),
    ),
    Claim(
        key="3.2.3-4",
        where="3.2.3; Figure 3",
        text="Reno, which needs a large buffer, suffers severely; Vegas less.",
        paper="severely",
        rule="Reproduced if at every count from 39 to 60 RED takes a larger share of the throughput from Reno than "
        "from Vegas; partly if at most; else not." + WEIGHED,
        judge=_reno_suffers,
        command=command("Reno/RED", 60),
    ),
    Claim(
        key="3.2.3-5",
        where="3.2.3; Figures 2, 3",
        text="With a RED gateway Vegas makes smoother traffic than Reno and performs better.",
        paper="better",
        rule="Reproduced if at every count from 39 to 60 its c.o.v. is clearly lower and its throughput clearly "
        "higher; partly if at most places; else not." + WEIGHED,
        judge=_vegas_red_better,
        command=command("Vegas/RED", 60),
    ),
    Claim(
        key="3.2.3-6",
        where="3.2.3; Figure 4",
        text="Vegas/RED loses a larger share than Vegas and than Reno with either gateway.",
        paper="highest",
        rule="Reproduced if the intervals say so at every count from 39 to 60; partly if at most; else not." + WEIGHED,
        judge=_loses_most,
        command=command("Vegas/RED", 60),
    ),
    Claim(
        key="3.2.3-7",
        where="3.2.3",
        text="From 40 Vegas clients on RED always drops, its average above max_th.",
        paper="always",
        rule="By the share of the time from 20 s on with RED's average at 40 packets or more, with 60 clients: "
        "reproduced from 95 %, partly from 50 %, else not. Asked at weights of 8e-5 and 0.02 too: if it reaches "
        "95 % at some and not at others, it depends on the weight.",
        judge=_always_above,
        command=command("Vegas/RED", 60, record="queue/10ms"),
    ),
    Claim(
        key="3.2.3-8",
        where="3.2.3",
        text="Vegas' gateway spends more time above max_th than Reno's.",
        paper="more time",
        rule="Reproduced if with 60 clients that share is clearly higher for Vegas/RED than for Reno/RED; partly if "
        "higher on average; else not. If it is clearly the opposite at weights of 8e-5 or 0.02, it depends on the "
        "weight.",
        judge=_more_above,
        command=command("Reno/RED", 60, record="queue/10ms"),
    ),
)
