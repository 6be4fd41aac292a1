"""The claims of section 3.2.3, on RED gateways, and those of section 4 that no other section makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.experiments.burstiness.claims.load import heavy_penalty
from ackclock.experiments.burstiness.claims.reading import (
    HEAVY,
    TCPS,
    above,
    along,
    at,
    command,
    high,
    low,
    percent,
    red_command,
    shown,
    span,
    told,
)
from ackclock.experiments.burstiness.evidence import WEIGHTS
from ackclock.experiments.burstiness.experiment import CLIENTS, RED_WEIGHT
from ackclock.experiments.burstiness.measures import (
    cov_over_poisson,
    loss_percent,
    thousand_departures,
    timeouts_per_dup_ack,
)
from ackclock.experiments.claims import Claim, Judgement, Verdict, by_share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.experiments.burstiness.evidence import Evidence, Side

__all__ = ["CLAIMS"]

_PLAIN = ("Reno", "Reno/DelAck", "Vegas")
_WEIGHT = "RED's averaging weight"


def _weighed(verdict: Verdict, holds: dict[float, bool]) -> tuple[Verdict, str]:
    """Turn a verdict into "depends on" if it does not hold at all weights alike; tell the setting."""
    if verdict is Verdict.NOT or all(holds.values()):
        return verdict, ""
    return Verdict.DEPENDS, _WEIGHT


def _at_weights(evidence: Evidence, worse: Callable[[Side, str, float], bool]) -> dict[float, bool]:
    """Ask at each weight, with 60 clients, whether RED is worse than FIFO for Reno and for Vegas."""
    return {weight: all(worse(evidence.ours, name, weight) for name in ("Reno", "Vegas")) for weight in WEIGHTS}


def _where(holds: dict[float, bool]) -> str:
    yes = [f"{weight:g}" for weight, held in holds.items() if held]
    return f"with 60 clients at the weights {', '.join(yes)} of {len(holds)} tried" if yes else "at no weight tried"


def _ratios(side: Side, measure: Callable, counts: Sequence[int]) -> dict[str, list[float]]:  # type: ignore[type-arg]
    return {
        name: [
            red.mean / plain[clients].mean
            for plain in [along(side.grid, name, counts, measure)]
            for clients, red in along(side.grid, f"{name}/RED", counts, measure).items()
            if clients in plain
        ]
        for name in _PLAIN
    }


def _factors(side: Side, measure: Callable) -> str:  # type: ignore[type-arg]
    return ", ".join(
        f"{name} x{min(ratios):.2f} to x{max(ratios):.2f}" for name, ratios in _ratios(side, measure, HEAVY).items()
    )


def _rougher(evidence: Evidence) -> Judgement:
    grid = evidence.ours.grid
    holds = [
        clear
        for name in _PLAIN
        for clear in above(
            along(grid, f"{name}/RED", HEAVY, cov_over_poisson), along(grid, name, HEAVY, cov_over_poisson)
        )
    ]

    def worse(side: Side, name: str, weight: float) -> bool:
        red = at(side.weights[weight], f"{name}/RED", 60, cov_over_poisson)
        return low(red) > high(at(side.grid, name, 60, cov_over_poisson))

    weights = _at_weights(evidence, worse)
    verdict, setting = _weighed(by_share(holds), weights)
    ends = [at(evidence.ours.weights[weight], "Reno/RED", 60, cov_over_poisson).mean for weight in (8e-5, RED_WEIGHT)]
    return Judgement(
        verdict=verdict,
        setting=setting,
        why=f"At weight {RED_WEIGHT:g} it holds at {sum(holds)} of {len(holds)} places; for Reno and Vegas alike "
        f"{_where(weights)}: Reno/RED has {ends[1]:.2f} times Poisson at {RED_WEIGHT:g} and {ends[0]:.2f} at 8e-05.",
        **told(evidence, lambda side: f"c.o.v. with RED over without: {_factors(side, cov_over_poisson)}"),
    )


def _slower(evidence: Evidence) -> Judgement:
    grid = evidence.ours.grid
    holds = [
        clear
        for name in _PLAIN
        for clear in above(
            along(grid, name, HEAVY, thousand_departures), along(grid, f"{name}/RED", HEAVY, thousand_departures)
        )
    ]

    def worse(side: Side, name: str, weight: float) -> bool:
        red = at(side.weights[weight], f"{name}/RED", 60, thousand_departures)
        return high(red) < low(at(side.grid, name, 60, thousand_departures))

    weights = _at_weights(evidence, worse)
    verdict, setting = _weighed(by_share(holds), weights)
    ends = [
        at(evidence.ours.weights[weight], "Reno/RED", 60, thousand_departures).mean for weight in (8e-5, RED_WEIGHT)
    ]
    plain = at(grid, "Reno", 60, thousand_departures).mean
    return Judgement(
        verdict=verdict,
        setting=setting,
        why=f"At weight {RED_WEIGHT:g} it holds at {sum(holds)} of {len(holds)} places; for Reno and Vegas alike "
        f"{_where(weights)}: of thousand packets, Reno carries {plain:.0f}, Reno/RED {ends[1]:.0f} at {RED_WEIGHT:g} "
        f"and {ends[0]:.0f} at 8e-05.",
        **told(evidence, lambda side: f"throughput with RED over without: {_factors(side, thousand_departures)}"),
    )


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
    return Judgement(
        verdict=by_share(holds),
        why=f"RED costs Reno more than Vegas at {sum(holds)} of {len(holds)} client counts; with 60, {reno[60]:.1f} "
        f"against {vegas[60]:.1f} %.",
        **told(evidence, say),
    )


def _vegas_red_better(evidence: Evidence) -> Judgement:
    def both(side: Side, measure: Callable) -> tuple:  # type: ignore[type-arg]
        return tuple(along(side.grid, name, HEAVY, measure) for name in ("Vegas/RED", "Reno/RED"))

    (smooth, rough), (fast, slow) = (
        both(evidence.ours, measure) for measure in (cov_over_poisson, thousand_departures)
    )
    holds = [*above(rough, smooth), *above(fast, slow)]
    return Judgement(
        verdict=by_share(holds),
        why=f"Both the lower c.o.v. and the higher throughput are clear at {sum(holds)} of {len(holds)} places; with "
        f"60 clients {smooth[60].mean:.2f} against {rough[60].mean:.2f} times Poisson and {fast[60].mean:.0f} against "
        f"{slow[60].mean:.0f} thousand packets.",
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
    holds = [all(low(mine[n]) > high(other[n]) for other in others.values()) for n in mine]
    first = next((n for n, _ in zip(mine, holds, strict=True) if all(holds[list(mine).index(n) :])), None)
    return Judgement(
        verdict=by_share(holds),
        why=f"It clearly loses most at {sum(holds)} of {len(holds)} client counts"
        + (f", from {first} on: with fewer Reno/RED loses more." if first and first > HEAVY[0] else "."),
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
    share = at(evidence.ours.close, "Vegas/RED", 60, percent("above_max_th"))
    verdict = Verdict.REPRODUCED if share.mean >= 95 else Verdict.PARTLY if share.mean >= 50 else Verdict.NOT
    return Judgement(
        verdict=verdict,
        why=f"Even with 60 clients RED's average is above 40 packets for {share.mean:.1f} % of the time: drops between "
        "the thresholds keep it down.",
        **told(
            evidence, lambda side: f"{shown(at(side.close, 'Vegas/RED', 60, percent('above_max_th')), 1)} % of the time"
        ),
    )


def _more_above(evidence: Evidence) -> Judgement:
    def both(side: Side) -> tuple:  # type: ignore[type-arg]
        return tuple(at(side.close, name, 60, percent("above_max_th")) for name in ("Vegas/RED", "Reno/RED"))

    vegas, reno = both(evidence.ours)
    verdict = (
        Verdict.REPRODUCED if low(vegas) > high(reno) else Verdict.PARTLY if vegas.mean > reno.mean else Verdict.NOT
    )
    return Judgement(
        verdict=verdict,
        why=f"With 60 clients the average is above 40 packets for {vegas.mean:.1f} % of the time with Vegas and "
        f"{reno.mean:.1f} % with Reno.",
        **told(
            evidence,
            lambda side: "Vegas/RED {} %, Reno/RED {} % of the time".format(*(shown(one, 1) for one in both(side))),
        ),
    )


def _few_timeouts(evidence: Evidence) -> Judgement:
    grid = evidence.ours.grid
    pairs = (("Vegas", "Reno"), ("Vegas/RED", "Reno/RED"))
    holds = []
    for vegas_name, reno_name in pairs:
        vegas, reno = (along(grid, name, HEAVY, timeouts_per_dup_ack) for name in (vegas_name, reno_name))
        holds += [high(vegas[n]) < low(reno[n]) and vegas[n].mean < reno[n].mean / 2 for n in reno if n in vegas]
    return Judgement(
        verdict=by_share(holds),
        why=f"It is clearly below half of Reno's at {sum(holds)} of {len(holds)} places.",
        **told(
            evidence,
            lambda side: ", ".join(
                f"{name} {span(along(side.grid, name, HEAVY, timeouts_per_dup_ack), 2, ' %')}"
                for pair in pairs
                for name in pair
            ),
        ),
    )


def _sequences(evidence: Evidence) -> Judgement:
    names = ("longest_sequence", "losses_per_event", "multiple_losses")

    def both(side: Side, name: str) -> tuple:  # type: ignore[type-arg]
        return tuple(at(side.close, variant, 60, name) for variant in ("Reno", "Vegas"))

    measured = {name: both(evidence.ours, name) for name in names}
    holds = [low(reno) > high(vegas) for reno, vegas in measured.values()]
    verdict = Verdict.REPRODUCED if all(holds) else Verdict.PARTLY if any(holds) else Verdict.NOT
    reno, vegas = measured["losses_per_event"]
    many_reno, many_vegas = measured["multiple_losses"]
    return Judgement(
        verdict=verdict,
        why=f"A flow that loses, loses {reno.mean:.2f} packets within a round trip with Reno and {vegas.mean:.2f} with "
        f"Vegas; {100 * many_reno.mean:.0f} and {100 * many_vegas.mean:.0f} % of these events are of two or more.",
        **told(
            evidence,
            lambda side: "longest run of drops with 60 clients: Reno {}, Vegas {}".format(
                *(shown(one, 0) for one in both(side, "longest_sequence"))
            ),
        ),
    )


def _more_timeouts(evidence: Evidence) -> Judgement:
    pairs = (("Reno", "Vegas"), ("Reno/RED", "Vegas/RED"))

    def excess(side: Side, reno: str, vegas: str) -> float:
        return 100 * (at(side.grid, reno, 60, "timeouts").mean / at(side.grid, vegas, 60, "timeouts").mean - 1)

    found = [excess(evidence.ours, *pair) for pair in pairs]
    verdict = (
        Verdict.REPRODUCED
        if any(200 <= more <= 350 for more in found)
        else Verdict.PARTLY
        if all(more > 0 for more in found)
        else Verdict.NOT
    )
    return Judgement(
        verdict=verdict,
        why=f"With 60 clients Reno has {found[0] / 100 + 1:.0f} times the timeouts of Vegas over FIFO and "
        f"{found[1] / 100 + 1:.1f} times with RED; the paper does not say which it compares, nor with how many "
        "clients.",
        **told(
            evidence,
            lambda side: ", ".join(f"{excess(side, *pair):+.0f} % ({pair[0]} over {pair[1]})" for pair in pairs),
        ),
    )


def _timeouts_and_cov(evidence: Evidence) -> Judgement:
    from scipy.stats import kendalltau  # noqa: PLC0415 - slow to load

    def ranks(side: Side) -> tuple[float, float]:
        timeouts, rough, carried = (
            [at(side.grid, variant, 60, measure).mean for variant in TCPS]
            for measure in ("timeouts", cov_over_poisson, thousand_departures)
        )
        return float(kendalltau(timeouts, rough).statistic), float(kendalltau(timeouts, carried).statistic)

    def say(side: Side) -> str:
        rough, carried = ranks(side)
        return f"rank correlation of timeouts with c.o.v. {rough:+.2f}, with throughput {carried:+.2f}"

    rough, carried = ranks(evidence.ours)
    holds = [rough >= 0.6, carried <= -0.6]
    verdict = Verdict.REPRODUCED if all(holds) else Verdict.PARTLY if any(holds) else Verdict.NOT
    return Judgement(
        verdict=verdict,
        why=f"Over the six TCPs with 60 clients, more timeouts {'go' if holds[0] else 'do not always go'} with a "
        f"higher c.o.v. and {'go' if holds[1] else 'do not always go'} with less throughput; that is no proof of a "
        "cause.",
        **told(evidence, say),
    )


def _fluctuates(evidence: Evidence) -> Judgement:
    seconds = 200 * 3

    def rates(side: Side) -> list[float]:
        return [at(side.windows, name, 60, "falls").mean / seconds for name in ("Reno", "Vegas")]

    reno, vegas = rates(evidence.ours)
    last = at(evidence.ours.windows, "Reno", 60, "last_fall").mean
    holds = [reno >= 0.5, last >= 190]
    verdict = Verdict.REPRODUCED if all(holds) else Verdict.PARTLY if any(holds) else Verdict.NOT
    return Judgement(
        verdict=verdict,
        why=f"A Reno window falls {reno:.2f} times a second with 60 clients, Vegas' {vegas:.2f} times, and goes on so "
        f"to {last:.0f} s.",
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
    verdict = Verdict.REPRODUCED if slope > -0.25 else Verdict.PARTLY if slope > -0.5 else Verdict.NOT
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


_HARM = (
    "Asked for Reno, Reno with delayed ACKs and Vegas at every count from 39 to 60: holds at a place if the intervals "
    "say so. Reproduced if at all, partly if at most, else not; but if for Reno or Vegas with 60 clients it does not "
    "hold at every one of seven weights from 8e-5 to 0.02, it depends on the weight, which the paper does not print."
)

CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2.3-1",
        where="3.2.3; Figure 2",
        text="RED increases the modulation: with it the c.o.v. is significantly higher than without.",
        paper="significantly worse",
        rule=_HARM,
        judge=_rougher,
        command=red_command("Reno/RED", 8e-5),
    ),
    Claim(
        key="3.2.3-2",
        where="3.2.3; Figure 3",
        text="RED hurts performance: with it the throughput is significantly lower than without.",
        paper="significantly worse",
        rule=_HARM,
        judge=_slower,
        command=red_command("Reno/RED", 0.002),
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
        "from Vegas; partly if at most; else not.",
        judge=_reno_suffers,
        command=command("Reno/RED", 60),
    ),
    Claim(
        key="3.2.3-5",
        where="3.2.3; Figures 2, 3",
        text="With a RED gateway Vegas makes smoother traffic than Reno and performs better.",
        paper="better",
        rule="Reproduced if at every count from 39 to 60 its c.o.v. is clearly lower and its throughput clearly "
        "higher; partly if at most places; else not.",
        judge=_vegas_red_better,
        command=command("Vegas/RED", 60),
    ),
    Claim(
        key="3.2.3-6",
        where="3.2.3; Figure 4",
        text="Vegas/RED loses a larger share than Vegas and than Reno with either gateway.",
        paper="highest",
        rule="Reproduced if the intervals say so at every count from 39 to 60; partly if at most; else not.",
        judge=_loses_most,
        command=command("Vegas/RED", 60),
    ),
    Claim(
        key="3.2.3-7",
        where="3.2.3",
        text="From 40 Vegas clients on RED always drops, for they keep its average above max_th.",
        paper="always",
        rule="By the share of the time from 20 s on with RED's average at 40 packets or more, with 60 clients: "
        "reproduced from 95 %, partly from 50 %, else not.",
        judge=_always_above,
        command=command("Vegas/RED", 60, record="queue/10ms"),
    ),
    Claim(
        key="3.2.3-8",
        where="3.2.3",
        text="Vegas' gateway spends more time above max_th than Reno's.",
        paper="more time",
        rule="Reproduced if with 60 clients that share is clearly higher for Vegas/RED than for Reno/RED; partly if "
        "higher on average; else not.",
        judge=_more_above,
        command=command("Reno/RED", 60, record="queue/10ms"),
    ),
    Claim(
        key="3.2.3-9",
        where="3.2.3; Figure 13",
        text="Vegas has very few timeouts for each duplicate ACK.",
        paper="very low",
        rule="Reproduced if with either gateway, at every count from 39 to 60, the ratio is clearly below Reno's and "
        "its mean below half of it; partly if at most places; else not.",
        judge=_few_timeouts,
        command=command("Vegas/RED", 60),
    ),
    Claim(
        key="3.2.3-10",
        where="3.2.3",
        text="Reno's bursts cause large sequences of losses, larger than Vegas' do.",
        paper="large",
        rule="With 60 clients over FIFO, three measures: longest run of drops no more than 10 ms apart, losses of a "
        "flow within a round trip, share of these with two or more. Reproduced if all are clearly larger for Reno; "
        "partly if any is; else not.",
        judge=_sequences,
        command=command("Reno", 60, record="drops"),
    ),
    Claim(
        key="3.2.3-11",
        where="3.2.3",
        text="Reno therefore has 250 to 300 % more timeouts than Vegas.",
        paper="+250 to +300 %",
        rule="With 60 clients, Reno over Vegas with either gateway: reproduced if one of the two is between +200 and "
        "+350 %; partly if Reno has more with both; else not.",
        judge=_more_timeouts,
        command=command("Vegas/RED", 60),
    ),
    Claim(
        key="3.2.3-12",
        where="3.2.3",
        text="The timeouts contribute to Reno's higher c.o.v. and lower throughput.",
        paper="contributes",
        rule="Kendall's rank correlation over the six TCPs at 60 clients. Reproduced if it is at least 0.6 between "
        "timeouts and c.o.v. and at most -0.6 between timeouts and throughput; partly if one of them; else not.",
        judge=_timeouts_and_cov,
        command=command("Reno/RED", 60),
    ),
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
