"""The claims of section 3.2.3, on RED gateways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.experiments.burstiness.claims.heavy import heavy_penalty
from ackclock.experiments.burstiness.claims.reading import (
    HEAVY,
    above,
    along,
    at,
    command,
    high,
    low,
    percent,
    shown,
    span,
    told,
)
from ackclock.experiments.burstiness.evidence import WEIGHTS
from ackclock.experiments.burstiness.experiment import RED_WEIGHT
from ackclock.experiments.burstiness.measures import (
    cov_over_poisson,
    loss_percent,
    thousand_departures,
)
from ackclock.experiments.claims import Claim, Judgement, Verdict, by_share, graded

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
    verdict = graded(whole=share.mean >= 95, part=share.mean >= 50)
    return Judgement(
        verdict=verdict,
        why=f"Even with 60 clients RED's average is above 40 packets for {share.mean:.2f} % of the time: drops between "
        "the thresholds keep it down.",
        **told(
            evidence, lambda side: f"{shown(at(side.close, 'Vegas/RED', 60, percent('above_max_th')), 2)} % of the time"
        ),
    )


def _more_above(evidence: Evidence) -> Judgement:
    def both(side: Side) -> tuple:  # type: ignore[type-arg]
        return tuple(at(side.close, name, 60, percent("above_max_th")) for name in ("Vegas/RED", "Reno/RED"))

    vegas, reno = both(evidence.ours)
    verdict = graded(whole=low(vegas) > high(reno), part=vegas.mean > reno.mean)
    return Judgement(
        verdict=verdict,
        why=f"With 60 clients the average is above 40 packets for {vegas.mean:.2f} % of the time with Vegas and "
        f"{reno.mean:.2f} % with Reno.",
        **told(
            evidence,
            lambda side: "Vegas/RED {} %, Reno/RED {} % of the time".format(*(shown(one, 2) for one in both(side))),
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
        command=command("Reno/RED", 60, red_weight=8e-5),
    ),
    Claim(
        key="3.2.3-2",
        where="3.2.3; Figure 3",
        text="RED hurts performance: with it the throughput is significantly lower than without.",
        paper="significantly worse",
        rule=_HARM,
        judge=_slower,
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
)
