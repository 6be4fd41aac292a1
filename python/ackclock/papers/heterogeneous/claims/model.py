"""The claims of section 4, on the stochastic model of Reno."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from ackclock.papers.burstiness.experiment import HEAVY, PAPERS_CLIENTS
from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim, Judgement, by_share, graded
from ackclock.papers.heterogeneous.stochastic import OPEN as FROM_20
from ackclock.papers.heterogeneous.stochastic import SMALL
from ackclock.papers.reading import along, at, each_above, shown, told, within
from ackclock.papers.truth import (
    NO,
    OPEN,
    YES,
    Truth,
    above,
    at_least,
    below,
    count,
    counted,
    every,
    exactly,
    some,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.analysis import Interval
    from ackclock.papers.heterogeneous.evidence import Evidence, Side
    from ackclock.papers.observation import Observation

__all__ = ["CLAIMS"]

_NEAR = 0.25
"""The part by which a reasonable prediction may miss."""
_RANK = 0.5
"""Kendall's rank correlation from which on a trend is followed."""
_LOADS = (39, 44, 50, 60)
"""Clients whose windows are looked at closely."""

COMMAND = (
    'ackclock model stochastic-reno --clients 60 --rate 100 --bandwidth "50 Mbps" --packet-size 1500 --buffer 50 '
    '--rtt "100 ms" --initial-window 1'
)


def _means(side: Side, name: str) -> Mapping[int, Interval]:
    return along(side.model if name in {SMALL, FROM_20} else side.alone.grid, name, PAPERS_CLIENTS, "cov")


def _over(side: Side, name: str, clients: int) -> float:
    return _means(side, name)[clients].mean / _means(side, "Reno")[clients].mean


def _predicts(evidence: Evidence) -> Judgement:
    def near(name: str, measure: str) -> list[Truth]:
        model, reno = _means(evidence.ours, name), along(evidence.ours.alone.grid, "Reno", PAPERS_CLIENTS, measure)
        return [within(model[clients], reno[clients], part=_NEAR) for clients in PAPERS_CLIENTS]

    holds, opened, warm = near(SMALL, "cov"), near(FROM_20, "cov"), near(SMALL, "cov_warm")
    return Judgement(
        verdict=by_share(holds),
        why=f"From W = 1 the model is within {100 * _NEAR:g} % of simulated Reno at {counted(holds, 'client counts')}, "
        f"from W = 20 at {count(opened)}, and of Reno without its first 20 s at {count(warm)}; with 60 clients it "
        f"gives {_over(evidence.ours, SMALL, 60):.2f} times Reno's.",
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

    def both(side: Side) -> tuple[Mapping[int, Interval], Mapping[int, Interval]]:
        return _means(side, "Reno"), _means(side, SMALL)

    def say(side: Side) -> tuple[float, tuple[int, int], tuple[int, int]]:
        reno, model = both(side)
        rank = kendalltau([point.mean for point in reno.values()], [point.mean for point in model.values()]).statistic
        return float(rank), steepest(reno), steepest(model)

    rank, reno, model = say(evidence.ours)
    holds = _correlated(*both(evidence.ours)), _rise_together(*both(evidence.ours))
    opened = steepest(_means(evidence.ours, FROM_20))
    return Judgement(
        verdict=graded(whole=every(holds), part=some(holds)),
        why=f"The rank correlation of the two is {rank:.2f}; Reno rises most from {reno[0]} to {reno[1]} clients, the "
        f"model from {model[0]} to {model[1]} and, from W = 20, from {opened[0]} to {opened[1]}.",
        **told(evidence, lambda side: "rank correlation {:.2f}; steepest from {} and {}".format(*say(side))),
    )


def _correlated(one: Mapping[int, Interval], other: Mapping[int, Interval]) -> Truth:
    """Say whether Kendall's rank correlation is at least `_RANK`, whatever the order of points that chance decides."""
    pairs = list(combinations(one, 2))
    rises = [(above(points[later], points[earlier]) for points in (one, other)) for earlier, later in pairs]
    agree = [OPEN if OPEN in answers else exactly(answers[0] is answers[1]) for answers in map(tuple, rises)]
    if (2 * count(agree) - len(pairs)) / len(pairs) >= _RANK:
        return YES
    return NO if (len(pairs) - 2 * count(agree, NO)) / len(pairs) < _RANK else OPEN


def _rise_together(one: Mapping[int, Interval], other: Mapping[int, Interval]) -> Truth:
    """Say whether the steps at which each rises most touch: any step that may be the steepest counts."""

    def steepest(points: Mapping[int, Interval]) -> list[tuple[int, int]]:
        steps = list(pairwise(points))
        bar = max(max(points[later].low, 0) / points[earlier].high for earlier, later in steps)
        return [step for step in steps if points[step[1]].high >= bar * max(points[step[0]].low, 0)]

    touch = [first[0] <= second[1] and second[0] <= first[1] for first in steepest(one) for second in steepest(other)]
    return exactly(all(touch)) if all(touch) or not any(touch) else OPEN


def _overestimates(evidence: Evidence) -> Judgement:
    def holds(name: str) -> list[Truth]:
        reno = {clients: point for clients, point in _means(evidence.ours, "Reno").items() if clients in HEAVY}
        return each_above(_means(evidence.ours, name), reno)

    def say(side: Side) -> str:
        ratios = [_over(side, SMALL, clients) for clients in HEAVY]
        return f"model over Reno from 39 to 60 clients: {min(ratios):.2f} to {max(ratios):.2f}"

    small, opened = holds(SMALL), holds(FROM_20)
    return Judgement(
        verdict=by_share(small),
        why=f"From W = 1 the model is clearly above Reno at {counted(small, 'client counts')} from 39 on; from "
        f"W = 20 at {count(opened)}.",
        **told(evidence, say),
    )


def _reasons(evidence: Evidence) -> Judgement:
    def timed_out(run: Observation) -> float | None:
        timeouts, cuts = run.values["timeouts"] or 0, run.values["fast_retransmits"] or 0
        return timeouts / (timeouts + cuts) if timeouts + cuts else None

    def share(side: Side, clients: int) -> Interval:
        return at(side.alone.grid, "Reno", clients, timed_out)

    def say(side: Side) -> str:
        index = at(side.alone.close, "Reno", 60, "dependence")
        return (
            f"with 60 clients a dependence index of {shown(index, 1)}, in the model 60; timeouts are "
            f"{100 * share(side, 60).mean:.0f} % of the cuts, in the model none"
        )

    loose = [below(at(evidence.ours.alone.close, "Reno", clients, "dependence"), clients / 2) for clients in _LOADS]
    timed = [at_least(share(evidence.ours, clients), 0.1) for clients in _LOADS]
    return Judgement(
        verdict=graded(whole=every([*loose, *timed]), part=every(loose) | every(timed)),
        why=f"Reno's dependence index is less than half of the model's at {counted(loose, 'loads')}, and timeouts "
        f"are a tenth of its cuts or more at {counted(timed, 'loads')}.",
        **told(evidence, say),
    )


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="4-1",
        where="4",
        text="A stochastic model can reasonably predict the c.o.v. of aggregated Reno traffic.",
        paper="reasonably",
        rule=f"The points are the client counts up to 60: the model, from windows of 1, is within {100 * _NEAR:g} % "
        f"of simulated Reno. {BY_SHARE}",
        judge=_predicts,
        command=COMMAND,
    ),
    Claim(
        key="4-2",
        where="4; Figure 13",
        text="The trend of the model's c.o.v. closely follows that of Reno.",
        paper="closely",
        rule="Over the client counts up to 60: reproduced if Kendall's rank correlation of the two is at least "
        f"{_RANK:g} and the steps between counts at which each rises most touch; partly if one of the two; otherwise "
        f"not reproduced. {ELSE_UNDECIDED}",
        judge=_follows,
        command=COMMAND,
    ),
    Claim(
        key="4-3",
        where="4; Figure 13",
        text="The model overestimates the burstiness when heavily loaded.",
        paper="overestimates",
        rule="The points are the client counts from 39 to 60: the model, from windows of 1, is clearly above "
        f"simulated Reno. {BY_SHARE}",
        judge=_overestimates,
        command=COMMAND,
    ),
    Claim(
        key="4-4",
        where="4",
        text="It does since it assumes very strong dependencies between streams and has no timeouts.",
        paper="because",
        rule=f"With {', '.join(map(str, _LOADS))} clients: reproduced if at each load the dependence index of Reno's "
        "cuts is clearly below half the number of clients, which is the model's, and at least a tenth of the cuts are "
        f"timeouts; partly if one of the two holds at each load; otherwise not reproduced. {ELSE_UNDECIDED}",
        judge=_reasons,
        command=COMMAND,
    ),
)
