"""The claims of section 4, on the stochastic model of Reno."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import combinations, pairwise

from ackclock.analysis import Interval
from ackclock.papers.burstiness.experiment import HEAVY, PAPERS_CLIENTS
from ackclock.papers.burstiness.measures import COV
from ackclock.papers.core.evidence import Scalar, Side
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.rules import AtPoints, Bars, Custom, Outcome
from ackclock.papers.heterogeneous.experiment import DEFINITION
from ackclock.papers.heterogeneous.measures import DEPENDENCE, TIMED_OUT, WARM_COV
from ackclock.papers.heterogeneous.stochastic import OPEN as FROM_20
from ackclock.papers.heterogeneous.stochastic import SMALL
from ackclock.papers.truth import ELSE_UNDECIDED, NO, OPEN, YES, Truth, above, count, every, exactly, graded, some

Line = Mapping[Scalar, Interval]

claim = partial(DEFINITION.claim, __name__)
_NEAR = 0.25  # largest relative error of a reasonable prediction
_RANK = 0.5  # smallest rank correlation (Kendall) at which one curve follows the trend of another
_LOADS = (39, 44, 50, 60)  # numbers of clients at which runs record windows

_reno = COV.at("grid", variant="Reno", clients=PAPERS_CLIENTS)
_heavy = COV.at("grid", variant="Reno", clients=HEAVY)


def _model(start: str, clients: tuple[int, ...] = PAPERS_CLIENTS) -> Quantity:
    return COV.at("model", variant=start, clients=clients)


def _follows(side: Side) -> Outcome:
    """Judge by the rank correlation of the model's and Reno's curves, and by their steepest steps."""
    from scipy.stats import kendalltau  # noqa: PLC0415 - slow to load

    reno, model, opened = (of.points(side).along("clients").only for of in (_reno, _model(SMALL), _model(FROM_20)))
    rank = kendalltau([point.mean for point in reno.values()], [point.mean for point in model.values()]).statistic
    steps = [
        max(pairwise(line), key=lambda step: line[step[1]].mean / line[step[0]].mean) for line in (reno, model, opened)
    ]
    (few, many), (low, high), (least, most) = steps
    holds = _correlated(reno, model), _rise_together(reno, model)
    return Outcome(
        verdict=graded(whole=every(holds), part=some(holds)),
        why=f"The rank correlation of the two curves is {rank:.2f}. The c.o.v. of Reno rises most from {few} to {many} "
        f"clients, the model's from {low} to {high} clients with W = 1, and from {least} to {most} with W = 20.",
    )


def _correlated(one: Line, other: Line) -> Truth:
    """Answer whether Kendall's rank correlation is at least `_RANK`; undecided orders of points may leave it open."""
    pairs = list(combinations(one, 2))
    rises = [tuple(above(points[later], points[earlier]) for points in (one, other)) for earlier, later in pairs]
    agree = [OPEN if OPEN in answers else exactly(answers[0] is answers[1]) for answers in rises]
    if (2 * count(agree) - len(pairs)) / len(pairs) >= _RANK:
        return YES
    return NO if (len(pairs) - 2 * count(agree, NO)) / len(pairs) < _RANK else OPEN


def _rise_together(one: Line, other: Line) -> Truth:
    """Answer whether the steepest steps of two curves are the same or adjacent; all candidates count."""

    def steepest(points: Line) -> list[tuple[float, float]]:
        steps = list(pairwise(points))
        bar = max(max(points[later].low, 0) / points[earlier].high for earlier, later in steps)
        return [
            (float(earlier), float(later))
            for earlier, later in steps
            if points[later].high >= bar * max(points[earlier].low, 0)
        ]

    touch = [first[0] <= second[1] and second[0] <= first[1] for first in steepest(one) for second in steepest(other)]
    return exactly(all(touch)) if all(touch) or not any(touch) else OPEN


_loose = DEPENDENCE.at("close", variant="Reno", clients=_LOADS).below(50).every()
_timed = TIMED_OUT.at("grid", variant="Reno", clients=_LOADS).at_least(10).every()

CLAIMS = (
    claim(
        "4-1",
        AtPoints(_model(SMALL).within(_NEAR, of=_reno), points="client counts"),
        shows={"opened": _model(FROM_20), "warm": WARM_COV.at("grid", variant="Reno", clients=PAPERS_CLIENTS)},
    ),
    claim(
        "4-2",
        Custom(
            _follows,
            "Tested over the client counts up to 60. Reproduced if Kendall's rank correlation of the two curves of the "
            f"c.o.v. is at least {_RANK:g}, and if the steps between counts at which the two rise most are the same or "
            "adjacent; partly if only one of these conditions holds; "
            f"otherwise not reproduced. {ELSE_UNDECIDED}",
            _model(SMALL),
            _reno,
        ),
    ),
    claim(
        "4-3",
        AtPoints(_model(SMALL, HEAVY).above(_heavy), points="client counts"),
        shows={"opened": _model(FROM_20, HEAVY)},
    ),
    claim("4-4", Bars(whole=_loose & _timed, part=_loose | _timed)),
)
