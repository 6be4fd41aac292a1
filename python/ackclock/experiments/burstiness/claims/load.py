"""The claims of sections 2.2 to 3.2, before it turns to single protocols: what load does to each kind of traffic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ackclock.experiments.burstiness.claims.reading import (
    HEAVY,
    MODERATE,
    RENOS,
    SURE,
    TCPS,
    above,
    along,
    at,
    command,
    high,
    listed,
    low,
    shown,
    span,
    told,
)
from ackclock.experiments.burstiness.experiment import PAPERS_CLIENTS
from ackclock.experiments.burstiness.measures import (
    cov_over_poisson,
    loss_percent,
    thousand_departures,
    warm_cov_over_poisson,
)
from ackclock.experiments.claims import Claim, Judgement, Verdict, by_share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.analysis import Interval
    from ackclock.experiments.burstiness.evidence import Evidence, Side
    from ackclock.experiments.burstiness.experiment import Observation

__all__ = ["CLAIMS", "heavy_penalty"]

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
    holds = [carried <= -0.6, lost >= 0.6]
    verdict = Verdict.REPRODUCED if all(holds) else Verdict.PARTLY if any(holds) else Verdict.NOT
    lossiest = max(TCPS, key=lambda variant: at(evidence.ours.grid, variant, _MOST, loss_percent).mean)
    why = (
        f"With {_MOST} clients a rougher TCP {'carries less' if holds[0] else 'does not always carry less'} "
        f"and {'loses more' if holds[1] else 'does not always lose more'}; {lossiest} loses most."
    )
    return Judgement(verdict=verdict, why=why, **told(evidence, say))


def _source_smooths(evidence: Evidence) -> Judgement:
    def slope(side: Side) -> tuple[float, float]:
        points = along(side.grid, "UDP", PAPERS_CLIENTS, "cov")
        x, y = np.log(list(points)), np.log([point.mean for point in points.values()])
        fit, covariance = np.polyfit(x, y, 1, cov=True)
        return float(fit[0]), float(math.sqrt(covariance[0, 0]))

    exponent, error = slope(evidence.ours)
    gap = abs(exponent + 0.5)
    verdict = Verdict.REPRODUCED if gap <= 0.02 else Verdict.PARTLY if exponent < 0 else Verdict.NOT
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
    verdict = Verdict.REPRODUCED if all(parts) else Verdict.PARTLY if any(parts) else Verdict.NOT
    first = min((clients for clients, point in over.items() if point.mean > 0.1), default=None)
    edge = f"only from {first} clients on" if first and first > HEAVY[0] else f"from {first} on" if first else "nowhere"
    return Judgement(
        verdict=verdict,
        why=f"No loss below 10 clients: {_yes(light)}; at most 1 % up to {SURE[-1]}: {_yes(some)}; but what the "
        f"clients generate exceeds the bottleneck (UDP loses more than 0.1 %) {edge}: the capacity is 41.7 clients, "
        f"and what changes at 39 is TCP."
        if not heavy
        else f"No loss below 10 clients: {_yes(light)}; at most 1 % up to {SURE[-1]}: {_yes(some)}; UDP, which sends "
        f"what the clients generate, loses more than 0.1 % {edge}.",
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
            f"{100 * (most.mean - 1):+.0f} ± {100 * most.half_width:.0f} % up to {counts[-1]} ({variant} at {clients})"
            for counts in (SURE, MODERATE)
            for variant, clients, most in [_largest(side, counts, cov_over_poisson)]
        )

    variant, clients, most = _largest(evidence.ours, MODERATE, cov_over_poisson)
    verdict = Verdict.REPRODUCED if fits(MODERATE) else Verdict.PARTLY if fits(SURE) else Verdict.NOT
    return Judgement(
        verdict=verdict,
        why=f"The largest excess up to {SURE[-1]} clients is {_excess(evidence.ours, SURE)}; with 38, "
        f"{variant if clients == 38 else 'no TCP'} {'is already' if clients == 38 else 'is'} at "
        f"{100 * (most.mean - 1):+.0f} %, for some runs have not settled by the end.",
        **told(evidence, say),
    )


def _excess(side: Side, counts: Sequence[int]) -> str:
    variant, clients, most = _largest(side, counts, cov_over_poisson)
    return f"{100 * (most.mean - 1):+.0f} % ({variant} at {clients})"


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
    def worst(side: Side, counts: Sequence[int]) -> tuple[float, str, float, str]:
        carried, lost = [], []
        offered = along(side.grid, "UDP", counts, "departures")
        for variant in TCPS:
            for clients, point in along(side.grid, variant, counts, "departures").items():
                carried.append((100 * point.mean / offered[clients].mean, f"{variant} at {clients}"))
            for clients, point in along(side.grid, variant, counts, loss_percent).items():
                lost.append((point.mean, f"{variant} at {clients}"))
        return *min(carried), *max(lost)

    def fits(counts: Sequence[int]) -> bool:
        carried, _, lost, _ = worst(evidence.ours, counts)
        return carried >= 99 and lost <= 0.5

    def say(side: Side) -> str:
        carried, who, lost, loser = worst(side, MODERATE)
        return f"at least {carried:.1f} % of UDP's throughput ({who}), at most {lost:.2f} % lost ({loser})"

    verdict = Verdict.REPRODUCED if fits(MODERATE) else Verdict.PARTLY if fits(SURE) else Verdict.NOT
    carried, who, lost, loser = worst(evidence.ours, SURE)
    return Judgement(
        verdict=verdict,
        why=f"Up to {SURE[-1]} clients every TCP carries at least {carried:.1f} % of what UDP does ({who}) and loses "
        f"at most {lost:.2f} % ({loser}).",
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
    verdict = Verdict.REPRODUCED if renos and calm else Verdict.PARTLY if rising and calm else Verdict.NOT
    red = "Vegas/RED rises too, which the text does not say" if "Vegas/RED" in rising else "nor does Vegas/RED"
    return Judgement(
        verdict=verdict,
        why=f"From {before} to {after} clients the c.o.v. of {listed(rising) or 'no TCP'} rises by a quarter or more; "
        f"{'Vegas does not, ' + red if calm else 'Vegas is among them'}.",
        **told(
            evidence,
            lambda side: (
                f"c.o.v. from {before} to {after} clients: "
                + ", ".join(f"{variant} x{factor(side, variant):.2f}" for variant in TCPS)
            ),
        ),
    )


def _percent_above(run: Observation) -> float | None:
    ratio = cov_over_poisson(run)
    return None if ratio is None else 100 * (ratio - 1)


def _over(variant: str, bar: int) -> Callable[[Evidence], Judgement]:
    """Make the judge of "the c.o.v. of a variant is over so many per cent larger than Poisson's"."""

    def judge(evidence: Evidence) -> Judgement:
        points = along(evidence.ours.grid, variant, HEAVY, _percent_above)
        sure = sum(low(point) > bar for point in points.values())
        most = sum(point.mean > bar for point in points.values())
        verdict = (
            Verdict.REPRODUCED if sure == len(points) else Verdict.PARTLY if 2 * most > len(points) else Verdict.NOT
        )
        return Judgement(
            verdict=verdict,
            why=f"At {sure} of {len(points)} client counts from {HEAVY[0]} to {_MOST} the whole interval lies above "
            f"+{bar} %; with {_MOST} clients it is {shown(points[_MOST], 0)} %.",
            **told(
                evidence,
                lambda side: (
                    f"+{span(along(side.grid, variant, HEAVY, _percent_above), 0, ' %')} "
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


def _table_suffices(evidence: Evidence) -> Judgement:
    ours = evidence.ours

    def moved(measure: str) -> list[str]:
        found = []
        for variant in ("Reno", "Vegas"):
            for clients, tied in along(ours.ties, variant, HEAVY, measure).items():
                free = at(ours.grid, variant, clients, measure)
                if low(tied) > high(free) or low(free) > high(tied):
                    found.append(f"{variant} at {clients}: {free.mean:.4g} becomes {tied.mean:.4g}")
        return found

    named = (("c.o.v.", "cov"), ("throughput", "departures"), ("Jain's index", "jain_index"))
    moves = [f"{title} of {words}" for title, measure in named for words in moved(measure)]
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

    moves_told = listed(moves[:3]) if moves else "no number moves by more than chance"
    return Judgement(
        verdict=verdict,
        setting=listed(settings),
        why=f"Without processing time exact ties decide who goes first ({moves_told}); RED's weight moves Reno/RED at "
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
        rule="Kendall's rank correlation over the six TCPs at 60 clients. Reproduced if it is at most -0.6 between "
        "c.o.v. and throughput and at least 0.6 between c.o.v. and loss; partly if one of them; else not.",
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
        rule="Reproduced if every TCP carries at least 99 % of what UDP does and loses at most 0.5 % of its packets at "
        "every count from 10 to 38; partly if that holds up to 36; else not.",
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
        "mean does; else not.",
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
