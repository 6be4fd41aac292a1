"""The claims of section 3.2.2, on Vegas."""

from __future__ import annotations

from functools import partial

from ackclock.papers.burstiness import measures as m
from ackclock.papers.burstiness.claims.reading import MOST
from ackclock.papers.burstiness.experiment import DEFINITION, HEAVY
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.repeating import Varied
from ackclock.papers.core.rules import AtPoints, Bars

claim = partial(DEFINITION.claim, __name__)


def _both(measure: Measure, part: str, clients: int | tuple[int, ...]) -> tuple[Quantity, Quantity]:
    """Return a measure of Vegas and the same measure of Reno."""
    vegas, reno = (measure.at(part, variant=name, clients=clients) for name in ("Vegas", "Reno"))
    return vegas, reno


_SHOWN = (20, 30, 60)
_ROOM, _ROOMY = 3, 50  # packets of buffer per client, and clients, in the part `roomy` of study.toml
_cuts, _renos_cuts = _both(m.CUTS, "windows", _SHOWN)
_lowest, _renos_lowest = _both(m.LOWEST_WINDOW, "windows", _SHOWN)
_near_optimum = (_cuts.below(_renos_cuts) & _lowest.at_least(_renos_lowest)).called(
    "with 20, 30 and 60 clients Vegas' windows (clients 1, 10 and 20) are cut less often than Reno's, and to "
    "values that are not lower"
)
_loss, _renos_loss = _both(m.LOSS, "grid", HEAVY)
_dependence, _renos_dependence = _both(m.DEPENDENCE, "close", MOST)
_cutting, _renos_cutting = _both(m.CUTTING, "close", MOST)
_cov, _renos_cov = _both(m.COV_OVER_POISSON, "grid", HEAVY)
_jain, _renos_jain = _both(m.JAIN, "grid", HEAVY)
_with_minimum = m.JAIN.at("minimum", variant="Vegas", clients=HEAVY).called(
    "Jain's index of Vegas with its smallest round-trip time as base"
)
_tied, _renos_tied = (
    one.called(f"Jain's index of {name} without processing time")
    for one, name in zip(_both(m.JAIN, "ties", (44, 60)), ("Vegas", "Reno"), strict=True)
)
_roomy, _renos_roomy = (
    one.called(f"{m.WARM_LOSS.label} of {name} with a buffer of {_ROOM * _ROOMY} packets")
    for one, name in zip(_both(m.WARM_LOSS, "roomy", _ROOMY), ("Vegas", "Reno"), strict=True)
)
_small, _renos_small = _both(m.WARM_LOSS, "grid", _ROOMY)
_waiting = m.QUEUE_PER_CLIENT.at("queues", variant="Vegas", clients=(39, 44, 50, 60))

CLAIMS = (
    claim(
        "3.2.2-1", Bars(whole=_near_optimum, part=_near_optimum.some().called("this holds at one of the three loads"))
    ),
    claim(
        "3.2.2-2",
        AtPoints(
            _loss.below(_renos_loss).called("with 39 to 60 clients Vegas has a lower loss than Reno"),
            points="client counts",
        ),
    ),
    claim("3.2.2-3", Bars(whole=_dependence.below(_renos_dependence), part=_cutting.below(_renos_cutting))),
    claim(
        "3.2.2-4",
        AtPoints(
            _cov.below(_renos_cov).called("with 39 to 60 clients the c.o.v. of Vegas is below Reno's"),
            points="client counts",
        ),
    ),
    claim(
        "3.2.2-5",
        Varied(
            AtPoints(
                _jain.above(_renos_jain).called("with 39 to 60 clients Jain's index of Vegas is above Reno's"),
                points="client counts",
            ),
            {
                "Vegas' base round-trip time": AtPoints(
                    _with_minimum.above(_renos_jain).called(
                        "with the smallest round-trip time as base, Jain's index of Vegas is above Reno's"
                    ),
                    points="client counts",
                ),
                "the order of simultaneous events": AtPoints(
                    _tied.above(_renos_tied).called("without processing time Jain's index of Vegas is above Reno's"),
                    points="client counts",
                ),
            },
            words="The test is repeated with the smallest round-trip time as Vegas' base round-trip time, and without "
            "processing time (44 and 60 clients).",
        ),
    ),
    claim(
        "3.2.2-6",
        Bars(whole=_roomy.at_most(0.05) & _renos_roomy.above(0.1), part=_renos_roomy.above(_roomy, times=1.1)),
        shows={"vegas": _roomy, "reno": _renos_roomy, "few": _small, "renos_few": _renos_small},
    ),
    claim(
        "3.2.2-7",
        AtPoints(
            (_waiting.at_least(1) & _waiting.at_most(3)).called(
                "with 39, 44, 50 and 60 clients the mean queue has one to three packets per client"
            ),
            points="client counts",
        ),
    ),
)
