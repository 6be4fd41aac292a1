"""The claims of section 3.2 on all protocols, up to moderate load: what each kind of traffic looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.burstiness.claims.reading import MODERATE, SURE, TCPS, command
from ackclock.papers.burstiness.experiment import CAPACITY, DURATION, HEAVY, PAPERS_CLIENTS
from ackclock.papers.burstiness.measures import (
    cov_over_poisson,
    loss_percent,
    percent_above_poisson,
    warm_cov_over_poisson,
)
from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim, Judgement, by_share, graded
from ackclock.papers.reading import along, at, listed, per_seed, shown, span, told
from ackclock.papers.truth import (
    NO,
    OPEN,
    YES,
    Truth,
    above,
    at_least,
    at_most,
    below,
    counted,
    every,
    near,
    some,
)
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.burstiness.evidence import Evidence, Side
    from ackclock.papers.observation import Observation

__all__ = ["CLAIMS"]

_LIGHT = tuple(clients for clients in PAPERS_CLIENTS if clients < 10)
_MOST = max(HEAVY)
_SAID = {YES: "yes", NO: "no", OPEN: "undecided"}


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


def _all_points(side: Side, counts: Sequence[int], measure: Callable[[Observation], float | None]) -> list[Interval]:
    """Give the means of all TCPs at some client counts."""
    return [point for variant in TCPS for point in along(side.grid, variant, counts, measure).values()]


def _source_smooths(evidence: Evidence) -> Judgement:
    def fitted(runs: Sequence[Observation]) -> float:
        points = along(runs, "UDP", PAPERS_CLIENTS, "cov")
        return float(np.polyfit(np.log(list(points)), np.log([point.mean for point in points.values()]), 1)[0])

    def slope(side: Side) -> Interval:
        return per_seed((run for run in side.grid if run.variant == "UDP"), fitted)

    exponent = slope(evidence.ours)
    return Judgement(
        verdict=graded(whole=near(exponent, -0.5, by=0.02), part=below(exponent, 0)),
        why=f"A power-law fit over {len(PAPERS_CLIENTS)} client counts gives c.o.v. proportional to "
        f"n^({shown(exponent, 3)}).",
        **told(evidence, lambda side: f"c.o.v. ~ n^({shown(slope(side), 3)})"),
    )


def _udp_is_poisson(evidence: Evidence) -> Judgement:
    points = along(evidence.ours.grid, "UDP", PAPERS_CLIENTS, cov_over_poisson)
    holds = [near(point, 1, by=0.05) for point in points.values()]
    gap = max(abs(point.mean - 1) for point in points.values())
    return Judgement(
        verdict=by_share(holds),
        why=f"The mean c.o.v. of UDP is never further than {100 * gap:.1f} % from 1/√(λτn): UDP sends packets as "
        "they are generated.",
        **told(
            evidence, lambda side: f"{span(along(side.grid, 'UDP', PAPERS_CLIENTS, cov_over_poisson), 3)} times Poisson"
        ),
    )


def _regimes(evidence: Evidence) -> Judgement:
    def lost(side: Side, variant: str, counts: Sequence[int]) -> dict[int, Interval]:
        return along(side.grid, variant, counts, loss_percent)

    ours = evidence.ours
    none = every(at_most(point, 0) for variant in TCPS for point in lost(ours, variant, _LIGHT).values())
    little = every(at_most(point, 1) for variant in TCPS for point in lost(ours, variant, SURE).values())
    over = lost(ours, "UDP", HEAVY)
    heavy = every(above(point, 0.1) for point in over.values())
    parts = [none, little, heavy]
    first = min((clients for clients, point in over.items() if above(point, 0.1) is YES), default=None)
    return Judgement(
        verdict=graded(whole=every(parts), part=some(parts)),
        why=f"No loss below 10 clients: {_SAID[none]}; at most 1 % up to {SURE[-1]}: {_SAID[little]}; UDP clearly "
        f"loses more than 0.1 % {f'from {first} on' if first else 'nowhere'}. The capacity is "
        f"{CAPACITY / DURATION / 100:.1f} clients.",
        **told(
            evidence,
            lambda side: (
                f"UDP's loss: {shown(at(side.grid, 'UDP', 39, loss_percent), 2)} % at 39, "
                f"{shown(at(side.grid, 'UDP', 44, loss_percent), 2, ' %')} at 44 clients"
            ),
        ),
    )


def _light_is_source(evidence: Evidence) -> Judgement:
    points = [
        (variant, clients, point)
        for variant in TCPS
        for clients, point in along(evidence.ours.grid, variant, _LIGHT, cov_over_poisson).items()
    ]
    variant, clients, furthest = max(points, key=lambda point: abs(point[2].mean - 1))

    def say(side: Side) -> str:
        means = [point.mean for tcp in TCPS for point in along(side.grid, tcp, _LIGHT, cov_over_poisson).values()]
        return f"{min(means):.3f} to {max(means):.3f} times Poisson"

    warm = max(
        abs(point.mean - 1)
        for tcp in TCPS
        for point in along(evidence.ours.grid, tcp, _LIGHT, warm_cov_over_poisson).values()
    )
    return Judgement(
        verdict=by_share([near(point, 1, by=0.1) for *_, point in points]),
        why=f"The furthest from Poisson is {variant} with {clients} clients, {100 * (furthest.mean - 1):+.1f} %; "
        f"without the first 20 s no TCP is further than {100 * warm:.1f} %.",
        **told(evidence, say),
    )


def _up_to_half(evidence: Evidence) -> Judgement:
    def fits(counts: Sequence[int]) -> Truth:
        points = _all_points(evidence.ours, counts, cov_over_poisson)
        return some(at_least(point, 1.25) for point in points) & every(at_most(point, 1.75) for point in points)

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
        f"{more.mean:+.0f} % up to {MODERATE[-1]} ({late} at {many}), where congestion does not end in some runs.",
        **told(evidence, say),
    )


def _moderate_modulates(evidence: Evidence) -> Judgement:
    *_, whole = _largest(evidence.ours, SURE, cov_over_poisson)
    variant, clients, warm = _largest(evidence.ours, SURE, warm_cov_over_poisson)
    noticed, stays = (
        some(above(point, 1.1) for point in _all_points(evidence.ours, SURE, measure))
        for measure in (cov_over_poisson, warm_cov_over_poisson)
    )
    verdict = Verdict.DEPENDS if noticed is YES and stays is NO else graded(whole=noticed & stays, part=noticed & stays)
    return Judgement(
        verdict=verdict,
        setting="whether the start-up counts" if verdict is Verdict.DEPENDS else "",
        why=f"With the first 20 s the c.o.v. is up to {whole.mean:.2f} times Poisson's, without them at most "
        f"{warm.mean:.2f} times ({variant} at {clients})"
        + (": the excess comes from slow start." if verdict is Verdict.DEPENDS else "."),
        **told(
            evidence,
            lambda side: (
                f"at most {shown(_largest(side, SURE, cov_over_poisson)[2], 2)} times Poisson from 0 s, "
                f"{shown(_largest(side, SURE, warm_cov_over_poisson)[2], 2)} from 20 s"
            ),
        ),
    )


def _ratio_to_udp(side: Side, variant: str, clients: int) -> Interval:
    """Give a TCP's throughput as a percentage of UDP's, which has the same packets to send with the same seed."""
    return per_seed(
        (run for run in side.grid if run.variant in {variant, "UDP"} and run.clients == clients),
        lambda runs: 100 * at(runs, variant, clients, "departures").mean / at(runs, "UDP", clients, "departures").mean,
    )


def _moderate_is_harmless(evidence: Evidence) -> Judgement:
    def points(side: Side) -> list[tuple[Interval, Interval, str]]:
        """Give throughput as a percentage of UDP's with the same seed, loss in per cent, and the point."""
        return [
            (_ratio_to_udp(side, variant, clients), point, f"{variant} at {clients}")
            for variant in TCPS
            for clients, point in along(side.grid, variant, MODERATE, loss_percent).items()
        ]

    def say(side: Side) -> str:
        carried, slowest = min((carried.mean, name) for carried, _, name in points(side))
        lost, lossiest = max((lost.mean, name) for _, lost, name in points(side))
        return f"at least {carried:.1f} % of UDP's throughput ({slowest}), at most {lost:.2f} % lost ({lossiest})"

    holds = {name: at_least(carried, 99) & at_most(lost, 0.5) for carried, lost, name in points(evidence.ours)}
    failing = [name for name, held in holds.items() if held is NO]
    return Judgement(
        verdict=by_share(list(holds.values())),
        why=f"Throughput and loss are unharmed at {counted(holds.values(), 'points')}"
        + (f"; clearly not for {listed(failing)}." if failing else "."),
        **told(evidence, say),
    )


def _identical_below_30(evidence: Evidence) -> Judgement:
    counts = tuple(clients for clients in PAPERS_CLIENTS if clients < 30)

    def gaps(side: Side, clients: int) -> tuple[Interval, Interval]:
        """Give how far apart throughputs are in per cent and losses in points, seed by seed."""
        runs = [run for run in side.grid if run.clients == clients]

        def carried(those: Sequence[Observation]) -> float:
            each = [at(those, variant, clients, "departures").mean for variant in TCPS]
            return 100 * (max(each) / min(each) - 1)

        def lost(those: Sequence[Observation]) -> float:
            each = [at(those, variant, clients, loss_percent).mean for variant in TCPS]
            return max(each) - min(each)

        return per_seed(runs, carried), per_seed(runs, lost)

    def say(side: Side) -> str:
        apart = [gaps(side, clients) for clients in counts]
        return (
            f"throughputs within {max(gap.mean for gap, _ in apart):.2f} %, losses within "
            f"{max(gap.mean for _, gap in apart):.3f} points"
        )

    holds = [
        at_most(carried, 1) & at_most(lost, 0.1)
        for carried, lost in (gaps(evidence.ours, clients) for clients in counts)
    ]
    return Judgement(
        verdict=by_share(holds),
        why=f"Throughput differs by no more than 1 % and loss by no more than 0.1 points at "
        f"{counted(holds, 'client counts')} below 30.",
        **told(evidence, say),
    )


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2-1",
        where="3.2; Figure 2",
        text="The sum of n Poisson sources grows smoother with n: its c.o.v. is 1/√(λτn).",
        paper="n^-0.5",
        rule="By the slope of log c.o.v. of UDP against log n, fitted for each seed: reproduced if it is within 0.02 "
        f"of -0.5, partly if it is negative, otherwise not. {ELSE_UNDECIDED}",
        judge=_source_smooths,
        command=command("UDP", 20),
    ),
    Claim(
        key="3.2-2",
        where="3.2; Figure 2",
        text="UDP does not modulate the traffic: its c.o.v. is very close to that of the Poisson process.",
        paper="very close",
        rule="The points are the client counts up to 60: the c.o.v. of UDP is within 5 % of the Poisson value. "
        f"{BY_SHARE}",
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
        "sends what the clients generate, loses more than 0.1 % at every count above 38. Reproduced if all three hold, "
        f"partly if one of them does, otherwise not. {ELSE_UNDECIDED}",
        judge=_regimes,
        command=command("UDP", 40),
    ),
    Claim(
        key="3.2-4",
        where="3.2; Figure 2",
        text="Uncongested, the traffic that enters the gateway is very similar to what the clients generate, for every "
        "TCP.",
        paper="very similar",
        rule="The points are every TCP at every client count below 10: the c.o.v. is within 10 % of the Poisson value. "
        f"{BY_SHARE}",
        judge=_light_is_source,
        command=command("Reno", 4),
    ),
    Claim(
        key="3.2-5",
        where="3.2; Figure 2",
        text="From 10 to 38 clients the c.o.v. of the TCPs is up to 50 % above the Poisson value.",
        paper="up to +50 %",
        rule="Reproduced if the largest excess of any TCP from 10 to 38 clients lies between 25 and 75 %; partly if "
        f"that holds up to 36 clients; otherwise not. {ELSE_UNDECIDED}",
        judge=_up_to_half,
        command=command("Reno", 30),
    ),
    Claim(
        key="3.2-6",
        where="3.2; Figure 2",
        text="So congestion control noticeably modulates the traffic when the network is moderately congested.",
        paper="noticeably",
        rule="Reproduced if the largest c.o.v. of any TCP from 10 to 36 clients is above 1.1 times Poisson's with and "
        "without the first 20 s of the runs; it depends on the start-up if only with them; otherwise not. "
        f"{ELSE_UNDECIDED}",
        judge=_moderate_modulates,
        command=command("Reno", 30, "measure.from=20 s"),
    ),
    Claim(
        key="3.2-7",
        where="3.2; Figures 3, 4",
        text="This burstiness is not strong enough to harm throughput and loss.",
        paper="no harm",
        rule="The points are every TCP at every client count from 10 to 38: it carries at least 99 % of what UDP does "
        f"and loses at most 0.5 % of its packets. {BY_SHARE}",
        judge=_moderate_is_harmless,
        command=command("Vegas", 34),
    ),
    Claim(
        key="3.2-8",
        where="3.2; Figures 3, 4",
        text="Below 30 clients the TCPs behave nearly identically.",
        paper="nearly identical",
        rule="The points are the client counts below 30: all throughputs lie within 1 % of each other and all losses "
        f"within 0.1 points. {BY_SHARE}",
        judge=_identical_below_30,
        command=command("Vegas", 25),
    ),
)
