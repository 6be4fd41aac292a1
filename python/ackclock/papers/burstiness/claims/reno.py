"""The claims of section 3.2.1, on Reno: losses, settling, and the dependence between clients."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from ackclock.papers.burstiness import measures as m
from ackclock.papers.burstiness.experiment import ADVERTISED_WINDOW, DEFINITION, PAPERS_CLIENTS
from ackclock.papers.core.claim import Said
from ackclock.papers.core.quantities import Quantity, computed
from ackclock.papers.core.rules import Bars, Holds

claim = partial(DEFINITION.claim, __name__)
_BUFFER = 50
_HIGHER = 1.1  # smallest ratio of two times, or of two dependence indices, that counts as a difference
_WINDOWS = "windows@0,9,19/0.1s"

_start_share = m.START_SHARE.at("grid", variant="Reno", clients=20)
_window = m.LARGEST_WINDOW.at("windows", variant="Reno", clients=20)
_first_loss = m.FIRST_LOSS.at("windows", variant="Reno", clients=(20, 30))
_together, _in_time = (one.at("windows", variant="Reno", clients=30) for one in (m.TOGETHER, m.TOGETHER_IN_TIME))
_steady = m.LAST_FALL.at("windows", variant="Reno", clients=30).at_most(20)
_settled = m.SETTLED.at("crossover", variant="Reno", clients=(37, 38, 39, 40))
_most = {clients: _settled.pick(clients=clients).above(50) for clients in (37, 38, 39, 40)}
_last_loss = m.LAST_LOSS.at("windows", variant="Reno", clients=(20, 30, 38))
_settle_time = m.SETTLE_TIME.at("crossover", variant="Reno", clients=38)
_cov = m.COV.at("grid", variant="Reno", clients=PAPERS_CLIENTS)
_dependence = m.DEPENDENCE.at("close", variant="Reno", clients=(39, 44, 50, 60))
_cutting = m.CUTTING.at("close", variant="Reno", clients=(39, 60))
_grows = _dependence.pick(clients=60).above(_dependence.pick(clients=39), times=_HIGHER)

_backlog, _burst = (measure.at("starts", variant="Reno", clients=20) for measure in (m.BACKLOG, m.BURST))
_fills, _leaves = _backlog.at_least(ADVERTISED_WINDOW), ~_window.above(_burst, times=1 / 0.9)
_ratio, _queue = (
    measure.at("close", variant="Reno", clients=(39, 44, 50, 60)) for measure in (m.WINDOW_RATIO, m.QUEUE_COV)
)
_swing, _wild = _ratio.above(1.5), _queue.above(0.5)


def _earlier(said: Said) -> str:
    few, many = (said.mean(_first_loss.pick(clients=clients)) for clients in (20, 30))
    return f"With 30 clients the first packet is lost {1000 * abs(few - many):.0f} ms {_order(many, few)}."


def _order(one: float, other: float) -> str:
    return "earlier" if one < other else "later"


def _rise(before: int, after: int) -> Quantity:
    """Compute the rise of Reno's c.o.v. per added client."""
    return computed(
        lambda late, early: (late - early) / (after - before),
        _cov.pick(clients=after),
        _cov.pick(clients=before),
        words=f"rise of Reno's c.o.v. per added client, from {before} to {after} clients",
        digits=4,
    )


_rises = {step: _rise(*step) for step in pairwise(clients for clients in PAPERS_CLIENTS if clients >= 10)}
_sharp = _rises[38, 39]
_sharpest = _sharp.above(0)
for _step, _other in _rises.items():
    if _step != (38, 39):
        _sharpest &= _sharp.above(_other)


def _steepest(said: Said) -> str:
    before, after = max(_rises, key=lambda step: said.mean(_rises[step]))
    return f"The rise of the c.o.v. per added client is largest from {before} to {after} clients."


CLAIMS = (
    claim(
        "3.2.1-1",
        Bars(whole=_start_share.at_least(95), part=_start_share.above(50)),
        shows={"share": _start_share, "last": m.LAST_LOSS.at("windows", variant="Reno", clients=20)},
    ),
    claim(
        "3.2.1-2",
        Bars(
            whole=_window.at_least(_BUFFER / 3).called("three bursts as large as the largest window fill the buffer"),
            part=_window.at_least(_BUFFER / 20).called("20 bursts as large as this fill the buffer"),
        ),
        why=lambda said: (
            f"The largest window before the first cut is {said.mean(_window):.1f} packets: "
            f"{_BUFFER / said.mean(_window):.1f} simultaneous bursts of this size fill the buffer of {_BUFFER} packets."
        ),
    ),
    claim("3.2.1-3", Holds(_first_loss.pick(clients=30).below(_first_loss.pick(clients=20))), why=_earlier),
    claim("3.2.1-4", Bars(whole=_steady & _in_time.above(50), part=_steady & _together.above(50))),
    claim("3.2.1-5", Bars(whole=_most[37] & _most[38] & ~_most[39] & ~_most[40], part=_most[37] & ~_most[40])),
    claim(
        "3.2.1-6",
        Bars(
            whole=_last_loss.rises("clients", times=_HIGHER),
            part=_last_loss.pick(clients=38).above(_last_loss.pick(clients=20), times=_HIGHER),
        ),
    ),
    claim(
        "3.2.1-7",
        Bars(
            whole=_settle_time.at_least(25 / 2) & _settle_time.at_most(2 * 25),
            part=_settle_time.at_least(25 / 10) & _settle_time.at_most(m.SETTLED_BY),
        ),
    ),
    claim(
        "3.2.1-8",
        Bars(whole=_settled.pick(clients=39).at_most(0), part=_settled.pick(clients=39).below(50)),
        shows={
            "settled": _settled.pick(clients=39),
            "cov": m.WARM_COV_OVER_POISSON.at("grid", variant="Reno", clients=39),
        },
    ),
    claim(
        "3.2.1-9",
        Bars(
            whole=_sharpest.called("the rise of Reno's c.o.v. per added client is largest from 38 to 39 clients"),
            part=_sharp.above(0),
        ),
        why=_steepest,
        numbers=(m.COV_OVER_POISSON.at("grid", variant="Reno", clients=(36, 38, 39)),),
    ),
    claim(
        "3.2.1-10",
        Bars(whole=_grows & ~_dependence.falls("clients", times=_HIGHER).some(), part=_grows),
        shows={"cutting": _cutting},
    ),
    claim("3.2.1-11", Bars(whole=_cutting.pick(clients=60).above(50), part=_cutting.pick(clients=60).above(25))),
    claim(
        "3.2.1-12",
        Bars(whole=_dependence.pick(clients=60).above(30), part=_dependence.pick(clients=60).above(1)),
        shows={"index": _dependence.pick(clients=60)},
    ),
    claim(
        "3.2.1-13",
        Bars(
            whole=_fills & _leaves.called("a burst has at least 90 % of the largest window before the first cut"),
            part=_fills | _leaves,
        ),
        shows={"backlog": _backlog, "burst": _burst, "window": _window},
    ),
    claim("3.2.1-14", Bars(whole=_swing & _wild, part=_swing.every() | _wild.every())),
)
