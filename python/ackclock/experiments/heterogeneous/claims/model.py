"""The claims of section 4, on the stochastic model of Reno."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ackclock.experiments.burstiness.experiment import HEAVY, PAPERS_CLIENTS
from ackclock.experiments.claims import Claim, Judgement, by_share, graded
from ackclock.experiments.heterogeneous.stochastic import OPEN, SMALL
from ackclock.experiments.reading import above, along, at, high, shown, told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.analysis import Interval
    from ackclock.experiments.heterogeneous.evidence import Evidence, Side

__all__ = ["CLAIMS"]

_NEAR = 0.25
"""The part by which a reasonable prediction may miss."""
_LOADS = (39, 44, 50, 60)
"""Clients whose windows are looked at closely."""

COMMAND = (
    'ackclock model stochastic-reno --clients 60 --rate 100 --bandwidth "50 Mbps" --packet-size 1500 --buffer 50 '
    '--rtt "100 ms" --initial-window 1'
)


def _means(side: Side, name: str) -> Mapping[int, Interval]:
    return along(side.model if name in {SMALL, OPEN} else side.alone.grid, name, PAPERS_CLIENTS, "cov")


def _over(side: Side, name: str, clients: int) -> float:
    return _means(side, name)[clients].mean / _means(side, "Reno")[clients].mean


def _predicts(evidence: Evidence) -> Judgement:
    def near(name: str, measure: str) -> list[bool]:
        model, reno = _means(evidence.ours, name), along(evidence.ours.alone.grid, "Reno", PAPERS_CLIENTS, measure)
        return [abs(model[clients].mean / reno[clients].mean - 1) <= _NEAR for clients in PAPERS_CLIENTS]

    holds, opened, warm = near(SMALL, "cov"), near(OPEN, "cov"), near(SMALL, "cov_warm")
    return Judgement(
        verdict=by_share(holds),
        why=f"From W = 1 the model is within {100 * _NEAR:g} % of simulated Reno at {sum(holds)} of {len(holds)} "
        f"client counts, from W = 20 at {sum(opened)}, and of Reno without its first 20 s at {sum(warm)}; with 60 "
        f"clients it gives {_over(evidence.ours, SMALL, 60):.2f} times Reno's.",
        **told(
            evidence,
            lambda side: (
                "model over Reno: "
                + ", ".join(f"{_over(side, SMALL, clients):.2f} ({clients})" for clients in (10, 30, 36, 38, 40, 60))
            ),
        ),
    )


def _follows(evidence: Evidence) -> Judgement:
    from scipy.stats import kendalltau  # noqa: PLC0415 - slow to load

    def steepest(points: Mapping[int, Interval]) -> tuple[int, int]:
        return max(pairwise(points), key=lambda step: points[step[1]].mean / points[step[0]].mean)

    def say(side: Side) -> tuple[float, tuple[int, int], tuple[int, int]]:
        reno, model = (_means(side, name) for name in ("Reno", SMALL))
        rank = kendalltau([point.mean for point in reno.values()], [point.mean for point in model.values()]).statistic
        return float(rank), steepest(reno), steepest(model)

    rank, reno, model = say(evidence.ours)
    holds = [rank >= 0.5, reno[0] <= model[1] and model[0] <= reno[1]]
    opened = steepest(_means(evidence.ours, OPEN))
    return Judgement(
        verdict=graded(whole=all(holds), part=any(holds)),
        why=f"The rank correlation of the two is {rank:.2f}; Reno rises most from {reno[0]} to {reno[1]} clients, the "
        f"model from {model[0]} to {model[1]} and, from W = 20, from {opened[0]} to {opened[1]}.",
        **told(evidence, lambda side: "rank correlation {:.2f}; steepest from {} and {}".format(*say(side))),
    )


def _overestimates(evidence: Evidence) -> Judgement:
    def holds(name: str) -> list[bool]:
        reno = {clients: point for clients, point in _means(evidence.ours, "Reno").items() if clients in HEAVY}
        return above(_means(evidence.ours, name), reno)

    def say(side: Side) -> str:
        ratios = [_over(side, SMALL, clients) for clients in HEAVY]
        return f"model over Reno from 39 to 60 clients: {min(ratios):.2f} to {max(ratios):.2f}"

    small, opened = holds(SMALL), holds(OPEN)
    return Judgement(
        verdict=by_share(small),
        why=f"From W = 1 the model is clearly above Reno at {sum(small)} of {len(small)} client counts from 39 on; "
        f"from W = 20 at {sum(opened)}.",
        **told(evidence, say),
    )


def _reasons(evidence: Evidence) -> Judgement:
    def share(side: Side, clients: int) -> float:
        timeouts, cuts = (at(side.alone.grid, "Reno", clients, name).mean for name in ("timeouts", "fast_retransmits"))
        return timeouts / (timeouts + cuts)

    def say(side: Side) -> str:
        index = at(side.alone.close, "Reno", 60, "dependence")
        return (
            f"with 60 clients a dependence index of {shown(index, 1)}, in the model 60; timeouts are "
            f"{100 * share(side, 60):.0f} % of the cuts, in the model none"
        )

    loose = [high(at(evidence.ours.alone.close, "Reno", clients, "dependence")) < clients / 2 for clients in _LOADS]
    timed = [share(evidence.ours, clients) >= 0.1 for clients in _LOADS]
    return Judgement(
        verdict=graded(whole=all([*loose, *timed]), part=all(loose) or all(timed)),
        why=f"Reno's dependence index is less than half of the model's at {sum(loose)} of {len(_LOADS)} loads, and "
        f"timeouts are a tenth of its cuts or more at {sum(timed)}.",
        **told(evidence, say),
    )


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="4-1",
        where="4",
        text="A stochastic model can reasonably predict the c.o.v. of aggregated Reno traffic.",
        paper="reasonably",
        rule=f"Reproduced if the model, from windows of 1, is within {100 * _NEAR:g} % of simulated Reno at every "
        "client count up to 60; partly if at most; else not.",
        judge=_predicts,
        command=COMMAND,
    ),
    Claim(
        key="4-2",
        where="4; Figure 13",
        text="The trend of the model's c.o.v. closely follows that of Reno.",
        paper="closely",
        rule="Over the client counts up to 60: reproduced if Kendall's rank correlation of the two is at least 0.5 and "
        "the steps between counts at which each rises most touch; partly if one of them; else not.",
        judge=_follows,
        command=COMMAND,
    ),
    Claim(
        key="4-3",
        where="4; Figure 13",
        text="The model overestimates the burstiness when heavily loaded.",
        paper="overestimates",
        rule="Reproduced if the model, from windows of 1, is clearly above simulated Reno at every count from 39 to "
        "60; partly if at most; else not.",
        judge=_overestimates,
        command=COMMAND,
    ),
    Claim(
        key="4-4",
        where="4",
        text="It does since it assumes very strong dependencies between streams and has no timeouts.",
        paper="because",
        rule=f"With {', '.join(map(str, _LOADS))} clients: reproduced if at all the dependence index of Reno's cuts is "
        "clearly below half the number of clients, which is the model's, and at least a tenth of the cuts are "
        "timeouts; partly if one of the two; else not.",
        judge=_reasons,
        command=COMMAND,
    ),
)
