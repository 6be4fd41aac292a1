"""The claims of section 3.2.3, on RED gateways and timeouts."""

from __future__ import annotations

from functools import partial

from ackclock.papers.burstiness import measures as m
from ackclock.papers.burstiness.claims.reading import MOST, PLAIN, REDS, WEIGHT, WEIGHTS, WITHOUT_RED
from ackclock.papers.burstiness.claims.traffic import penalty, rank_correlation, six_points
from ackclock.papers.burstiness.experiment import DEFINITION, HEAVY
from ackclock.papers.core.answers import Answers
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.quantities import Quantity, computed
from ackclock.papers.core.rules import AtPoints, Bars, Depends, Holds

claim = partial(DEFINITION.claim, __name__)
_GATEWAYS = {"Reno": "FIFO", "Vegas": "FIFO", "Reno/RED": "RED", "Vegas/RED": "RED"}


def _at(measure: Measure, variant: str) -> Quantity:
    """Return a measure of one variant under heavy load."""
    return measure.at("grid", variant=variant, clients=HEAVY)


def _at_weights(measure: Measure, variant: str) -> Quantity:
    """Return a measure of one variant at each of RED's weights, at the highest load."""
    return measure.at("weights", variant=variant, clients=MOST)


def _by_gateway(measure: Measure, part: str, protocol: str, clients: int | tuple[int, ...] = MOST) -> Quantity:
    """Return a measure of one TCP behind each gateway; its axis of variants has the gateways as values."""
    of = measure.at(part, variant=(protocol, f"{protocol}/RED"), clients=clients)
    return of.relabel("variant", _GATEWAYS).called(f"{measure.label} of {protocol}")


def _worse(measure: Measure, *, higher: bool) -> Depends:
    """Judge whether a measure is worse with RED than without; at other weights, only Reno and Vegas are compared."""

    def compare(red: Quantity, plain: Quantity) -> Answers:
        return red.above(plain) if higher else red.below(plain)

    plain, red = (measure.at("grid", variant=variants, clients=HEAVY) for variants in (PLAIN, REDS))
    reno, vegas = (
        compare(_at_weights(measure, f"{name}/RED"), measure.at("grid", variant=name, clients=MOST))
        for name in ("Reno", "Vegas")
    )
    return Depends(
        AtPoints(
            compare(red.relabel("variant", WITHOUT_RED), plain).called(
                f"with 39 to 60 clients the {measure.label} is {'higher' if higher else 'lower'} with RED than without"
            )
        ),
        on=WEIGHT,
        again=(reno & vegas).called("RED has this effect on both Reno and Vegas"),
        named=WEIGHTS,
    )


def _cost_at_weights(protocol: str) -> Quantity:
    return computed(
        lambda red, plain: 100 * (1 - red / plain),
        _at_weights(m.THROUGHPUT, f"{protocol}/RED"),
        m.THROUGHPUT.at("grid", variant=protocol, clients=MOST),
        words=f"reduction of the throughput of {protocol} by RED",
        unit="%",
    )


_queues, _red_queues = (m.QUEUE.at("queues", variant=variants, clients=(39, 60)) for variants in (PLAIN, REDS))
_renos_cost, _vegas_cost = (
    penalty(f"{name}/RED", name).called(f"reduction of the throughput of {name} by RED") for name in ("Reno", "Vegas")
)
_smoother = _at(m.COV_OVER_POISSON, "Vegas/RED").below(_at(m.COV_OVER_POISSON, "Reno/RED"))
_faster = _at(m.THROUGHPUT, "Vegas/RED").above(_at(m.THROUGHPUT, "Reno/RED"))
_better_at_weights = _at_weights(m.COV_OVER_POISSON, "Vegas/RED").below(
    _at_weights(m.COV_OVER_POISSON, "Reno/RED")
) & _at_weights(m.THROUGHPUT, "Vegas/RED").above(_at_weights(m.THROUGHPUT, "Reno/RED"))
_lost_at_weights = _at_weights(m.LOSS, "Vegas/RED")
_full = {name: m.ABOVE_MAX_TH.at("close", variant=f"{name}/RED", clients=MOST) for name in ("Vegas", "Reno")}
_full_at_weights = {
    name: m.ABOVE_MAX_TH.at("close_weights", variant=f"{name}/RED", clients=MOST) for name in ("Vegas", "Reno")
}
_CLOSE_WEIGHTS = f"{WEIGHTS} with detailed records"
_renos_timeouts, _vegas_timeouts = (_by_gateway(m.TIMEOUTS, "grid", name) for name in ("Reno", "Vegas"))
_sequences = [
    _by_gateway(measure, "close", "Reno").above(_by_gateway(measure, "close", "Vegas"))
    for measure in (m.LONGEST_SEQUENCE, m.LOSSES_PER_EVENT, m.MULTIPLE_LOSSES)
]
_rough, _carried = (rank_correlation(m.TIMEOUTS, measure) for measure in (m.COV_OVER_POISSON, m.THROUGHPUT))
_pushed, _pushed_loss, _new_loss = (
    measure.at("pushes", variant="Vegas/RED", clients=MOST) for measure in (m.PUSHED, m.PUSHED_LOSS, m.NEW_LOSS)
)
_pushes, _loses = _pushed.at_least(0.5), _pushed_loss.above(_new_loss)

CLAIMS = (
    claim("3.2.3-1", _worse(m.COV_OVER_POISSON, higher=True)),
    claim("3.2.3-2", _worse(m.THROUGHPUT, higher=False)),
    claim(
        "3.2.3-3",
        AtPoints(
            _red_queues.relabel("variant", WITHOUT_RED)
            .below(_queues)
            .called("with 39 and 60 clients fewer packets wait on average with RED than without")
        ),
    ),
    claim(
        "3.2.3-4",
        Depends(
            AtPoints(
                _renos_cost.above(_vegas_cost).called(
                    "with 39 to 60 clients RED reduces Reno's throughput by a larger share than Vegas'"
                ),
                points="client counts",
            ),
            on=WEIGHT,
            again=_cost_at_weights("Reno").above(_cost_at_weights("Vegas")).called("RED harms Reno more than Vegas"),
            named=WEIGHTS,
        ),
    ),
    claim(
        "3.2.3-5",
        Depends(
            AtPoints(
                _smoother.called("with 39 to 60 clients the c.o.v. of Vegas/RED is below Reno/RED's"),
                _faster.called("the throughput of Vegas/RED is above Reno/RED's"),
            ),
            on=WEIGHT,
            again=_better_at_weights.called("Vegas/RED has a lower c.o.v. and a higher throughput than Reno/RED"),
            named=WEIGHTS,
        ),
    ),
    claim(
        "3.2.3-6",
        Depends(
            AtPoints(
                _at(m.LOSS, "Vegas/RED")
                .above(m.LOSS.at("grid", variant=("Vegas", "Reno/RED", "Reno"), clients=HEAVY))
                .every("variant")
                .called("with 39 to 60 clients Vegas/RED has a higher loss than Vegas, Reno and Reno/RED"),
                points="client counts",
            ),
            on=WEIGHT,
            again=(
                _lost_at_weights.above(m.LOSS.at("grid", variant=("Vegas", "Reno"), clients=MOST)).every("variant")
                & _lost_at_weights.above(_at_weights(m.LOSS, "Reno/RED"))
            ).called("Vegas/RED has the highest loss"),
            named=WEIGHTS,
        ),
    ),
    claim(
        "3.2.3-7",
        Depends(
            Bars(whole=_full["Vegas"].at_least(95), part=_full["Vegas"].at_least(50)),
            on=WEIGHT,
            again=_full_at_weights["Vegas"].at_least(95).called("this share of the time is at least 95 %"),
            named=_CLOSE_WEIGHTS,
            asked=_full["Vegas"].at_least(95),
        ),
    ),
    claim(
        "3.2.3-8",
        Depends(
            Holds(_full["Vegas"].above(_full["Reno"])),
            on=WEIGHT,
            again=_full_at_weights["Vegas"].above(_full_at_weights["Reno"]).called("this share is larger with Vegas"),
            named=_CLOSE_WEIGHTS,
        ),
    ),
    claim(
        "3.2.3-9",
        AtPoints(
            _by_gateway(m.TIMEOUTS_PER_DUP_ACK, "grid", "Vegas", HEAVY)
            .below(_by_gateway(m.TIMEOUTS_PER_DUP_ACK, "grid", "Reno", HEAVY), times=2)
            .called("with 39 to 60 clients Vegas' timeouts per duplicate ACK are below half of Reno's")
        ),
    ),
    claim(
        "3.2.3-10",
        Bars(
            whole=_sequences[0] & _sequences[1] & _sequences[2],
            part=(_sequences[0] | _sequences[1] | _sequences[2]).some().called("at least one of these is true"),
        ),
    ),
    claim(
        "3.2.3-11",
        Bars(
            whole=(
                _renos_timeouts.above(_vegas_timeouts, times=3) & ~_renos_timeouts.above(_vegas_timeouts, times=4.5)
            ).some(),
            part=_renos_timeouts.above(_vegas_timeouts),
        ),
    ),
    claim("3.2.3-12", six_points(_rough.at_least(0.5) | _carried.at_most(-0.5))),
    claim(
        "3.2.3-13",
        Bars(whole=_pushes & _loses, part=_pushes | _loses),
        shows={"pushed": _pushed, "lost": _pushed_loss, "usual": _new_loss},
    ),
)
