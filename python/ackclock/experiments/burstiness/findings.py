"""What the runs say about the paper's Figures 2, 3 and 4, in words that the numbers choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.experiments.burstiness.comparison import RULES, compare
from ackclock.experiments.burstiness.curves import curves
from ackclock.experiments.burstiness.experiment import CAPACITY, RED_WEIGHT
from ackclock.experiments.burstiness.measures import cov_over_poisson, loss_percent, thousand_departures
from ackclock.report.html import Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ackclock.experiments.burstiness.experiment import Observation

__all__ = ["findings"]

Means = dict[str, dict[int, float]]

_TCP = ("Reno", "Reno/DelAck", "Vegas", "Reno/RED", "Reno/DelAck/RED", "Vegas/RED")
_MOST = 60
_MODERATE = range(10, 37)
"""Up to 36 clients, for at 37 and 38 chance decides how long the start-up's congestion lasts."""
_HEAVY = range(39, _MOST + 1)


def findings(ours: Sequence[Observation], ns2: Sequence[Observation]) -> list[Statement]:
    """Say in a few sentences what the figures show, most important first.

    Parameters
    ----------
    ours
        Our runs, all variants and client counts of the figures.
    ns2
        The same runs of ns-2.

    Returns
    -------
    list of Statement
        Every number and every verdict in them is computed from the runs.

    """
    ratio = _means(ours, cov_over_poisson)
    loss = _means(ours, loss_percent)
    carried = {
        variant: {clients: 1e5 * mean / CAPACITY for clients, mean in along.items()}
        for variant, along in _means(ours, thousand_departures).items()
    }
    return [
        _source(ratio["UDP"]),
        _moderate(ratio, loss),
        _heavy(ratio),
        _price(ratio, carried),
        _red(ratio, carried, loss),
        _agreement(ours, ns2),
    ]


def _means(runs: Iterable[Observation], measure: Callable[[Observation], float | None]) -> Means:
    return {
        curve.variant: {clients: interval.mean for clients, interval in curve.points.items()}
        for curve in curves(runs, measure)
    }


def _source(udp: Mapping[int, float]) -> Statement:
    gap = max(abs(mean - 1) for mean in udp.values())
    lead = (
        "UDP passes on the clients' traffic as it is."
        if gap < 0.05
        else "UDP does not pass on the clients' traffic as it is."
    )
    return Statement(
        lead=lead,
        text=f"Its coefficient of variation (c.o.v.) stays within {100 * gap:.1f} % of the Poisson value "
        f"1/√(λτn) from {min(udp)} to {max(udp)} clients: the sum grows smoother as clients are added.",
    )


def _moderate(ratio: Means, loss: Means) -> Statement:
    places = [(variant, clients) for variant in _TCP for clients in ratio[variant] if clients in _MODERATE]
    variant, clients = max(places, key=lambda place: ratio[place[0]][place[1]])
    most, lost = ratio[variant][clients], max(loss[variant][clients] for variant, clients in places)
    light = max(mean for variant in _TCP for clients, mean in ratio[variant].items() if clients < _MODERATE[0])
    effect = "leaves the traffic alone" if most <= 1.1 else "roughens the traffic" + (" a little" if most < 2 else "")
    return Statement(
        lead=f"Under moderate load, TCP {effect}.",
        text=f"Below {_MODERATE[0]} clients the c.o.v. of every TCP is at most {light:.2f} times the Poisson "
        f"value; from {_MODERATE[0]} to {_MODERATE[-1]} clients it rises to {most:.2f} times ({variant} at "
        f"{clients} clients, start-up included), while no variant loses more than {lost:.2f} % of its "
        "packets.",
    )


def _heavy(ratio: Means) -> Statement:
    spans = {
        variant: _span([mean for clients, mean in ratio[variant].items() if clients in _HEAVY])
        for variant in ("Reno", "Reno/RED", "Vegas")
    }
    calm = [variant for variant in _TCP if ratio[variant][_MOST] <= 1.5]
    spared = f", except {_listed(calm)}" if calm else ""
    return Statement(
        lead=f"Congestion makes TCP bursty{spared}.",
        text=f"From {_HEAVY[0]} clients on, the c.o.v. is {spans['Reno']} times the Poisson value for Reno "
        f"and {spans['Reno/RED']} times for Reno/RED; for Vegas it is {spans['Vegas']} times, and "
        f"{ratio['Vegas'][_MOST]:.3g} at {_MOST} clients.",
    )


def _price(ratio: Means, carried: Means) -> Statement:
    roughest_first = sorted(("Reno", "Reno/DelAck", "Vegas"), key=lambda variant: -ratio[variant][_MOST])
    shares = [carried[variant][_MOST] for variant in roughest_first]
    carries = "carries less" if shares == sorted(shares) else "does not always carry less"
    parts = [
        f"{variant} (c.o.v. {ratio[variant][_MOST]:.1f} times Poisson's) fills {share:.1f} %"
        for variant, share in zip(roughest_first, shares, strict=True)
    ]
    return Statement(
        lead=f"Behind a FIFO gateway, the burstier TCP {carries}.",
        text=f"At {_MOST} clients, {_listed(parts)} of the bottleneck.",
    )


def _red(ratio: Means, carried: Means, loss: Means) -> Statement:
    def factors(of: Means) -> list[float]:
        return [of[f"{plain}/RED"][_MOST] / of[plain][_MOST] for plain in ("Reno", "Reno/DelAck", "Vegas")]

    rougher, faster, lossier = factors(ratio), factors(carried), factors(loss)
    worse = [factor > 1 for factor in (*rougher, *lossier)] + [factor < 1 for factor in faster]
    verdict = "makes every TCP worse" if all(worse) else "makes some things worse" if any(worse) else "helps"
    return Statement(
        lead=f"RED, as set here, {verdict}.",
        text=f"At {_MOST} clients it multiplies the c.o.v. by {_span(rougher)}, the throughput by "
        f"{_span(faster)} and the loss by {_span(lossier)}. The paper does not print RED's averaging weight; "
        f"{RED_WEIGHT} is the customary one.",
    )


def _agreement(ours: Sequence[Observation], ns2: Sequence[Observation]) -> Statement:
    shown = [rule for rule in RULES if rule.title in {"c.o.v. from 0 s", "departures", "loss from 0 s"}]
    places = compare(ours, ns2, shown)
    if not places:
        return Statement(lead="A single seed has no error bars.", text="Agreement with ns-2 needs at least two seeds.")
    agreeing = sum(place.agrees for place in places)
    share = agreeing / len(places)
    words = "agree" if share >= 0.95 else "mostly agree" if share >= 0.8 else "do not agree"
    return Statement(
        lead=f"Ackclock and ns-2.35 {words}.",
        text=f"Of {len(places)} means of c.o.v., throughput and loss, {agreeing} ({100 * share:.1f} %) lie "
        "within the wider of three standard errors and a fixed margin (4 % of the c.o.v., 0.5 % of the "
        "throughput, 8 % of the loss or 0.05 points).",
    )


def _span(values: Sequence[float]) -> str:
    low, high = f"{min(values):.3g}", f"{max(values):.3g}"
    return low if low == high else f"{low} to {high}"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
