"""The claims of section 3.2.3, on RED gateways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.analysis import Interval
from ackclock.papers.burstiness.claims.heavy import heavy_penalty
from ackclock.papers.burstiness.claims.reading import WEIGHED, command
from ackclock.papers.burstiness.evidence import WEIGHTS
from ackclock.papers.burstiness.experiment import HEAVY, RED_WEIGHT
from ackclock.papers.burstiness.measures import (
    cov_over_poisson,
    loss_percent,
    thousand_departures,
)
from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim, Judgement, by_share, graded
from ackclock.papers.reading import (
    SETTING,
    along,
    at,
    listed,
    percent,
    shown,
    span,
    told,
    weighed,
)
from ackclock.papers.truth import NO, OPEN, Truth, above, at_least, counted, every
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.papers.burstiness.evidence import Evidence, Side
    from ackclock.papers.observation import Observation
    from ackclock.papers.reading import Measure

__all__ = ["CLAIMS"]

_PLAIN = ("Reno", "Reno/DelAck", "Vegas")

Points = dict[int, Interval]


def _harm(
    title: str, measure: Measure, worse: Callable[[Interval, Interval], Truth]
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
            worse(red, plain[clients])
            for name in _PLAIN
            for plain in [along(ours.grid, name, HEAVY, measure)]
            for clients, red in along(ours.grid, f"{name}/RED", HEAVY, measure).items()
        ]

        def at_weight(runs: Sequence[Observation]) -> Truth:
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
            why=f"At weight {RED_WEIGHT:g} RED clearly harms at {counted(holds, 'points')}; for Reno and "
            f"Vegas alike, {where}: RED multiplies Reno's {title} by {ends[0]:.2f} at {RED_WEIGHT:g} and by "
            f"{ends[1]:.2f} at {min(WEIGHTS):g}.",
            **told(evidence, factors),
        )

    return judge


def _smaller_buffer(evidence: Evidence) -> Judgement:
    counts = (39, 60)
    holds = [
        above(
            at(evidence.ours.queues, name, clients, "queue_mean"),
            at(evidence.ours.queues, f"{name}/RED", clients, "queue_mean"),
        )
        for name in _PLAIN
        for clients in counts
    ]

    def say(side: Side) -> str:
        return "waiting with 60 clients: " + ", ".join(
            f"{name} {at(side.queues, name, 60, 'queue_mean').mean:.1f} and "
            f"{at(side.queues, f'{name}/RED', 60, 'queue_mean').mean:.1f} with RED"
            for name in _PLAIN
        )

    return Judgement(
        verdict=by_share(holds),
        why=f"Clearly fewer packets wait with RED at {counted(holds, 'points')}, on average over the run.",
        **told(evidence, say),
    )


def _reno_suffers(evidence: Evidence) -> Judgement:
    def costs(side: Side) -> tuple[Points, Points]:
        return heavy_penalty(side, "Reno/RED", "Reno"), heavy_penalty(side, "Vegas/RED", "Vegas")

    def say(side: Side) -> str:
        reno, vegas = costs(side)
        return f"Reno {span(reno, 1, ' %')}, Vegas {span(vegas, 1, ' %')} of the throughput"

    reno, vegas = costs(evidence.ours)
    holds = [above(reno[clients], vegas[clients]) for clients in reno]

    def at_weight(runs: Sequence[Observation]) -> Truth:
        def lost(name: str) -> Interval:
            before = at(evidence.ours.grid, name, 60, "departures").mean
            return at(runs, f"{name}/RED", 60, lambda run: 1 - (run.values["departures"] or 0) / before)

        return above(lost("Reno"), lost("Vegas"))

    verdict, setting, where = weighed(by_share(holds), evidence.ours.weights, at_weight)
    return Judgement(
        verdict=verdict,
        setting=setting,
        why=f"At weight {RED_WEIGHT:g} RED clearly costs Reno more than Vegas at {counted(holds, 'client counts')}; "
        f"with 60, {reno[60].mean:.1f} against {vegas[60].mean:.1f} %; {where}.",
        **told(evidence, say),
    )


def _vegas_red_better(evidence: Evidence) -> Judgement:
    def both(side: Side, measure: Measure) -> list[Points]:
        return [along(side.grid, name, HEAVY, measure) for name in ("Vegas/RED", "Reno/RED")]

    (smooth, rough), (fast, slow) = (
        both(evidence.ours, measure) for measure in (cov_over_poisson, thousand_departures)
    )
    holds = [above(rough[n], smooth[n]) for n in rough] + [above(fast[n], slow[n]) for n in fast]

    def at_weight(runs: Sequence[Observation]) -> Truth:
        vegas, reno = (
            [at(runs, name, 60, measure) for measure in (cov_over_poisson, thousand_departures)]
            for name in ("Vegas/RED", "Reno/RED")
        )
        return above(reno[0], vegas[0]) & above(vegas[1], reno[1])

    verdict, setting, where = weighed(by_share(holds), evidence.ours.weights, at_weight)
    return Judgement(
        verdict=verdict,
        setting=setting,
        why=f"At weight {RED_WEIGHT:g} lower c.o.v. and higher throughput are clear at "
        f"{counted(holds, 'points')}; {where}.",
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
    holds = {n: every(above(mine[n], other[n]) for other in others.values()) for n in mine}
    failing = [str(n) for n, held in holds.items() if held is NO]

    def at_weight(runs: Sequence[Observation]) -> Truth:
        here = at(runs, "Vegas/RED", 60, loss_percent)
        there = [others["Vegas"][60], others["Reno"][60], at(runs, "Reno/RED", 60, loss_percent)]
        return every(above(here, other) for other in there)

    verdict, setting, where = weighed(by_share(list(holds.values())), evidence.ours.weights, at_weight)
    return Judgement(
        verdict=verdict,
        setting=setting,
        why=f"It clearly loses most at {counted(holds.values(), 'client counts')}"
        + (f", clearly not at {listed(failing)}; {where}." if failing else f"; {where}."),
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
    def share(runs: Sequence[Observation]) -> Interval:
        return at(runs, "Vegas/RED", 60, percent("above_max_th"))

    usual, others = share(evidence.ours.close), {w: share(runs) for w, runs in evidence.ours.close_weights.items()}
    always = at_least(usual, 95)
    flips = always is not OPEN and any(at_least(other, 95) is ~always for other in others.values())
    elsewhere = " and ".join(f"{other.mean:.2f} % at a weight of {weight:g}" for weight, other in others.items())
    return Judgement(
        verdict=Verdict.DEPENDS if flips else graded(whole=always, part=at_least(usual, 50)),
        setting=SETTING if flips else "",
        why=f"With 60 Vegas clients RED's average is above max_th for {usual.mean:.2f} % of the time; for {elsewhere}.",
        **told(
            evidence, lambda side: f"{shown(at(side.close, 'Vegas/RED', 60, percent('above_max_th')), 2)} % of the time"
        ),
    )


def _more_above(evidence: Evidence) -> Judgement:
    def both(side: Side) -> list[Interval]:
        return [at(side.close, name, 60, percent("above_max_th")) for name in ("Vegas/RED", "Reno/RED")]

    vegas, reno = both(evidence.ours)
    more = above(vegas, reno)
    others = [
        above(*(at(runs, name, 60, percent("above_max_th")) for name in ("Vegas/RED", "Reno/RED")))
        for runs in evidence.ours.close_weights.values()
    ]
    flips = more is not OPEN and ~more in others
    return Judgement(
        verdict=Verdict.DEPENDS if flips else graded(whole=more, part=more),
        setting=SETTING if flips else "",
        why=f"With 60 clients the average is above 40 packets for {vegas.mean:.2f} % of the time with Vegas and "
        f"{reno.mean:.2f} % with Reno.",
        **told(
            evidence,
            lambda side: "Vegas/RED {} %, Reno/RED {} % of the time".format(*(shown(one, 2) for one in both(side))),
        ),
    )


_HARM = (
    "The points are Reno, Reno with delayed ACKs and Vegas at every client count from 39 to 60: it is worse with RED "
    f"than without. {BY_SHARE}{WEIGHED}"
)

CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2.3-1",
        where="3.2.3; Figure 2",
        text="RED increases the modulation: with it the c.o.v. is significantly higher than without.",
        paper="significantly worse",
        rule=_HARM,
        judge=_harm("c.o.v.", cov_over_poisson, above),
        command=command("Reno/RED", 60, red_weight=8e-5),
    ),
    Claim(
        key="3.2.3-2",
        where="3.2.3; Figure 3",
        text="RED hurts performance: with it the throughput is significantly lower than without.",
        paper="significantly worse",
        rule=_HARM,
        judge=_harm("throughput", thousand_departures, lambda red, plain: above(plain, red)),
        command=command("Reno/RED", 60, red_weight=8e-5),
    ),
    Claim(
        key="3.2.3-3",
        where="3.2.3",
        text="RED's thresholds make the buffer look smaller to TCP.",
        paper="smaller",
        rule="The points are 39 and 60 clients and the three TCPs: fewer packets wait on average with RED than "
        f"without. {BY_SHARE}",
        judge=_smaller_buffer,
        command=command("Reno/RED", 60, record="queue/10ms"),
    ),
    Claim(
        key="3.2.3-4",
        where="3.2.3; Figure 3",
        text="Reno, which needs a large buffer, suffers severely; Vegas less.",
        paper="severely",
        rule="The points are the client counts from 39 to 60: RED takes a larger share of the throughput from Reno "
        f"than from Vegas, by the mean over the seeds. {BY_SHARE}{WEIGHED}",
        judge=_reno_suffers,
        command=command("Reno/RED", 60),
    ),
    Claim(
        key="3.2.3-5",
        where="3.2.3; Figures 2, 3",
        text="With a RED gateway Vegas makes smoother traffic than Reno and performs better.",
        paper="better",
        rule="The points are both measures at every client count from 39 to 60: its c.o.v. is lower, its throughput is "
        f"higher. {BY_SHARE}{WEIGHED}",
        judge=_vegas_red_better,
        command=command("Vegas/RED", 60),
    ),
    Claim(
        key="3.2.3-6",
        where="3.2.3; Figure 4",
        text="Vegas/RED loses a larger share than Vegas and than Reno with either gateway.",
        paper="highest",
        rule="The points are the client counts from 39 to 60: it loses the largest share of the four. "
        f"{BY_SHARE}{WEIGHED}",
        judge=_loses_most,
        command=command("Vegas/RED", 60),
    ),
    Claim(
        key="3.2.3-7",
        where="3.2.3",
        text="From 40 Vegas clients on RED always drops, its average above max_th.",
        paper="always",
        rule="By the share of the time from 20 s on with RED's average at 40 packets or more, with 60 clients: "
        f"reproduced from 95 %, partly from 50 %, otherwise not. {ELSE_UNDECIDED} Asked at weights of 8e-5 and 0.02 "
        "too: if it clearly reaches 95 % at one and clearly does not at another, it depends on the weight.",
        judge=_always_above,
        command=command("Vegas/RED", 60, record="queue/10ms"),
    ),
    Claim(
        key="3.2.3-8",
        where="3.2.3",
        text="Vegas' gateway spends more time above max_th than Reno's.",
        paper="more time",
        rule="Reproduced if with 60 clients that share is higher for Vegas/RED than for Reno/RED, otherwise not. "
        f"{ELSE_UNDECIDED} If it is clearly the opposite at weights of 8e-5 or 0.02, it depends on the weight.",
        judge=_more_above,
        command=command("Reno/RED", 60, record="queue/10ms"),
    ),
)
