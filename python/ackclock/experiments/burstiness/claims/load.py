"""The claims of section 3.2 on all protocols, up to moderate load: what each kind of traffic looks like."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ackclock.experiments.burstiness.claims.reading import MODERATE, SURE, TCPS, command
from ackclock.experiments.burstiness.experiment import CAPACITY, DURATION, HEAVY, PAPERS_CLIENTS
from ackclock.experiments.burstiness.measures import (
    cov_over_poisson,
    loss_percent,
    percent_above_poisson,
    warm_cov_over_poisson,
)
from ackclock.experiments.claims import Claim, Judgement, by_share, graded
from ackclock.experiments.reading import along, at, listed, low, shown, span, told
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.analysis import Interval
    from ackclock.experiments.burstiness.evidence import Evidence, Side
    from ackclock.experiments.observation import Observation

__all__ = ["CLAIMS"]

_LIGHT = tuple(clients for clients in PAPERS_CLIENTS if clients < 10)
_MOST = max(HEAVY)


def _largest(
    side: Side, counts: Sequence[int], measure: Callable[[Observation], float | None]
) -> tuple[str, int, Interval]:
    """Find the variant and client count with the largest mean among all TCPs."""
    points = [
        (variant, clients, interval)
        for variant in TCPS
        for clients, interval in along(side.grid, variant, counts, measure).items()
    ]
    return max(points, key=lambda point: point[2].mean)


def _source_smooths(evidence: Evidence) -> Judgement:
    def slope(side: Side) -> tuple[float, float]:
        points = along(side.grid, "UDP", PAPERS_CLIENTS, "cov")
        x, y = np.log(list(points)), np.log([point.mean for point in points.values()])
        fit, covariance = np.polyfit(x, y, 1, cov=True)
        return float(fit[0]), float(math.sqrt(covariance[0, 0]))

    exponent, error = slope(evidence.ours)
    gap = abs(exponent + 0.5)
    verdict = graded(whole=gap <= 0.02, part=exponent < 0)
    return Judgement(
        verdict=verdict,
        why=f"Fitted over {len(PAPERS_CLIENTS)} client counts, the c.o.v. goes with n to the {exponent:.3f} "
        f"± {2 * error:.3f}.",
        **told(evidence, lambda side: f"c.o.v. ~ n^{slope(side)[0]:.3f} (± {2 * slope(side)[1]:.3f})"),
    )


def _udp_is_poisson(evidence: Evidence) -> Judgement:
    points = along(evidence.ours.grid, "UDP", PAPERS_CLIENTS, cov_over_poisson)
    holds = [abs(point.mean - 1) <= 0.05 for point in points.values()]
    gap = max(abs(point.mean - 1) for point in points.values())
    return Judgement(
        verdict=by_share(holds),
        why=f"The mean c.o.v. of UDP is never further than {100 * gap:.1f} % from 1/√(λτn), for UDP sends what it "
        "is given.",
        **told(
            evidence, lambda side: f"{span(along(side.grid, 'UDP', PAPERS_CLIENTS, cov_over_poisson), 3)} times Poisson"
        ),
    )


def _regimes(evidence: Evidence) -> Judgement:
    def lost(side: Side, variant: str, counts: Sequence[int]) -> dict[int, Interval]:
        return along(side.grid, variant, counts, loss_percent)

    ours = evidence.ours
    light = all(point.mean == 0 for variant in TCPS for point in lost(ours, variant, _LIGHT).values())
    some = all(point.mean <= 1 for variant in TCPS for point in lost(ours, variant, SURE).values())
    over = lost(ours, "UDP", HEAVY)
    heavy = all(point.mean > 0.1 for point in over.values())
    parts = [light, some, heavy]
    first = min((clients for clients, point in over.items() if point.mean > 0.1), default=None)
    return Judgement(
        verdict=graded(whole=all(parts), part=any(parts)),
        why=f"No loss below 10 clients: {_yes(light)}; at most 1 % up to {SURE[-1]}: {_yes(some)}; UDP loses more than "
        f"0.1 % {f'from {first} on' if first else 'nowhere'}, for the capacity is {CAPACITY / DURATION / 100:.1f} "
        "clients.",
        **told(
            evidence,
            lambda side: (
                f"UDP's loss: {shown(at(side.grid, 'UDP', 39, loss_percent), 2)} % at 39, "
                f"{shown(at(side.grid, 'UDP', 44, loss_percent), 2, ' %')} at 44 clients"
            ),
        ),
    )


def _yes(holds: bool) -> str:  # noqa: FBT001 - it says the boolean
    return "yes" if holds else "no"


def _light_is_source(evidence: Evidence) -> Judgement:
    points = [
        (variant, clients, point.mean)
        for variant in TCPS
        for clients, point in along(evidence.ours.grid, variant, _LIGHT, cov_over_poisson).items()
    ]
    variant, clients, most = max(points, key=lambda point: abs(point[2] - 1))

    def say(side: Side) -> str:
        means = [point.mean for tcp in TCPS for point in along(side.grid, tcp, _LIGHT, cov_over_poisson).values()]
        return f"{min(means):.3f} to {max(means):.3f} times Poisson"

    warm = max(
        abs(point.mean - 1)
        for tcp in TCPS
        for point in along(evidence.ours.grid, tcp, _LIGHT, warm_cov_over_poisson).values()
    )
    return Judgement(
        verdict=by_share([abs(mean - 1) <= 0.1 for *_, mean in points]),
        why=f"The furthest from Poisson is {variant} with {clients} clients, {100 * (most - 1):+.1f} %; without the "
        f"first 20 s no TCP is further than {100 * warm:.1f} %.",
        **told(evidence, say),
    )


def _up_to_half(evidence: Evidence) -> Judgement:
    def fits(counts: Sequence[int]) -> bool:
        return 1.25 <= _largest(evidence.ours, counts, cov_over_poisson)[2].mean <= 1.75

    def say(side: Side) -> str:
        return "; ".join(
            f"+{shown(most, 0)} % up to {counts[-1]} ({variant} at {clients})"
            for counts in (SURE, MODERATE)
            for variant, clients, most in [_largest(side, counts, percent_above_poisson)]
        )

    (early, few, less), (late, many, more) = (
        _largest(evidence.ours, counts, percent_above_poisson) for counts in (SURE, MODERATE)
    )
    return Judgement(
        verdict=graded(whole=fits(MODERATE), part=fits(SURE)),
        why=f"The largest excess is {less.mean:+.0f} % up to {SURE[-1]} clients ({early} at {few}) and "
        f"{more.mean:+.0f} % up to {MODERATE[-1]} ({late} at {many}), where in some runs congestion does not end.",
        **told(evidence, say),
    )


def _moderate_modulates(evidence: Evidence) -> Judgement:
    *_, whole = _largest(evidence.ours, SURE, cov_over_poisson)
    variant, clients, warm = _largest(evidence.ours, SURE, warm_cov_over_poisson)
    noticed = low(whole) > 1.1
    verdict = Verdict.NOT if not noticed else Verdict.REPRODUCED if low(warm) > 1.1 else Verdict.DEPENDS
    return Judgement(
        verdict=verdict,
        setting="whether the start-up counts" if verdict is Verdict.DEPENDS else "",
        why=f"With the first 20 s the c.o.v. is up to {whole.mean:.2f} times Poisson's, without them at most "
        f"{warm.mean:.2f} times ({variant} at {clients})"
        + (": what is noticed is slow start." if verdict is Verdict.DEPENDS else "."),
        **told(
            evidence,
            lambda side: (
                f"at most {shown(_largest(side, SURE, cov_over_poisson)[2], 2)} times Poisson from 0 s, "
                f"{shown(_largest(side, SURE, warm_cov_over_poisson)[2], 2)} from 20 s"
            ),
        ),
    )


def _moderate_is_harmless(evidence: Evidence) -> Judgement:
    def places(side: Side) -> list[tuple[float, float, str]]:
        """Give throughput as a percentage of UDP's, loss in per cent, and the place."""
        offered = along(side.grid, "UDP", MODERATE, "departures")
        return [
            (100 * point.mean / offered[clients].mean, lost[clients].mean, f"{variant} at {clients}")
            for variant in TCPS
            for lost in [along(side.grid, variant, MODERATE, loss_percent)]
            for clients, point in along(side.grid, variant, MODERATE, "departures").items()
        ]

    def say(side: Side) -> str:
        carried, _, slowest = min(places(side))
        lost, lossiest = max((lost, name) for _, lost, name in places(side))
        return f"at least {carried:.1f} % of UDP's throughput ({slowest}), at most {lost:.2f} % lost ({lossiest})"

    holds = {name: carried >= 99 and lost <= 0.5 for carried, lost, name in places(evidence.ours)}
    failing = [name for name, held in holds.items() if not held]
    return Judgement(
        verdict=by_share(list(holds.values())),
        why=f"Throughput and loss are unharmed at {len(holds) - len(failing)} of {len(holds)} places"
        + (f"; not for {listed(failing)}." if failing else "."),
        **told(evidence, say),
    )


def _identical_below_30(evidence: Evidence) -> Judgement:
    counts = tuple(clients for clients in PAPERS_CLIENTS if clients < 30)

    def gaps(side: Side, clients: int) -> tuple[float, float]:
        carried = [at(side.grid, variant, clients, "departures").mean for variant in TCPS]
        lost = [at(side.grid, variant, clients, loss_percent).mean for variant in TCPS]
        return 100 * (max(carried) / min(carried) - 1), max(lost) - min(lost)

    def say(side: Side) -> str:
        apart = [gaps(side, clients) for clients in counts]
        return (
            f"throughputs within {max(gap for gap, _ in apart):.2f} %, losses within "
            f"{max(gap for _, gap in apart):.3f} points"
        )

    holds = [carried <= 1 and lost <= 0.1 for carried, lost in (gaps(evidence.ours, n) for n in counts)]
    return Judgement(
        verdict=by_share(holds),
        why=f"Throughput differs by no more than 1 % and loss by no more than 0.1 points at {sum(holds)} of "
        f"{len(holds)} client counts below 30.",
        **told(evidence, say),
    )


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2-1",
        where="3.2; Figure 2",
        text="The sum of n Poisson sources grows smoother with n: its c.o.v. is 1/√(λτn).",
        paper="n^-0.5",
        rule="Reproduced if a straight line through log c.o.v. of UDP against log n has a slope within 0.02 of -0.5; "
        "partly if it falls at all; else not.",
        judge=_source_smooths,
        command=command("UDP", 20),
    ),
    Claim(
        key="3.2-2",
        where="3.2; Figure 2",
        text="UDP does not modulate the traffic: its c.o.v. is very close to that of the Poisson process.",
        paper="very close",
        rule="Reproduced if the mean c.o.v. of UDP is within 5 % of the Poisson value at every client count up to 60; "
        "partly if at most; else not.",
        judge=_udp_is_poisson,
        command=command("UDP", 60),
    ),
    Claim(
        key="3.2-3",
        where="3.2",
        text="The network is uncongested below 10 clients, intermittently congested from 10 to 38, and above 38 the "
        "clients generate more than it can carry.",
        paper="10, 38 clients",
        rule="Three parts: no TCP loses a packet below 10 clients; none loses more than 1 % from 10 to 36; UDP, which "
        "sends what the clients generate, loses more than 0.1 % at every count above 38. Reproduced if all hold, "
        "partly if some, else not.",
        judge=_regimes,
        command=command("UDP", 40),
    ),
    Claim(
        key="3.2-4",
        where="3.2; Figure 2",
        text="Uncongested, the traffic that enters the gateway is very similar to what the clients generate, for every "
        "TCP.",
        paper="very similar",
        rule="Reproduced if below 10 clients the mean c.o.v. of every TCP is within 10 % of the Poisson value; partly "
        "if at most places; else not.",
        judge=_light_is_source,
        command=command("Reno", 4),
    ),
    Claim(
        key="3.2-5",
        where="3.2; Figure 2",
        text="From 10 to 38 clients the c.o.v. of the TCPs is up to 50 % above the Poisson value.",
        paper="up to +50 %",
        rule="Reproduced if the largest mean excess of any TCP from 10 to 38 clients lies between 25 and 75 %; partly "
        "if that holds up to 36 clients; else not.",
        judge=_up_to_half,
        command=command("Reno", 30),
    ),
    Claim(
        key="3.2-6",
        where="3.2; Figure 2",
        text="So congestion control noticeably modulates the traffic when the network is moderately congested.",
        paper="noticeably",
        rule="Reproduced if the largest c.o.v. of any TCP from 10 to 36 clients is clearly above 1.1 times Poisson's "
        "with and without the first 20 s of the runs; depends on the start-up if only with them; else not.",
        judge=_moderate_modulates,
        command=command("Reno", 30, "measure.from=20 s"),
    ),
    Claim(
        key="3.2-7",
        where="3.2; Figures 3, 4",
        text="This burstiness is not strong enough to harm throughput and loss.",
        paper="no harm",
        rule="Holds at a place if a TCP carries at least 99 % of what UDP does and loses at most 0.5 % of its packets. "
        "Reproduced if at every count from 10 to 38 for every TCP; partly if at most places; else not.",
        judge=_moderate_is_harmless,
        command=command("Vegas", 34),
    ),
    Claim(
        key="3.2-8",
        where="3.2; Figures 3, 4",
        text="Below 30 clients the TCPs behave nearly identically.",
        paper="nearly identical",
        rule="Reproduced if at every count below 30 their mean throughputs lie within 1 % of each other and their "
        "losses within 0.1 points; partly if at most counts; else not.",
        judge=_identical_below_30,
        command=command("Vegas", 25),
    ),
)
