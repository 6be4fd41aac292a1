"""Our claims on the authors' future work: low to high load, and a wireless last hop.

The paper prints no numbers on these topics. The claims extend its conclusion and test theory: the formula of Mathis et
al. for independent losses, and the effect of each recovery algorithm on several losses in one window. All runs with the
same seed have the same background.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from ackclock.papers.core.evidence import Named, Scalar
from ackclock.papers.core.folds import exponent
from ackclock.papers.core.paired import lead
from ackclock.papers.core.quantities import folded
from ackclock.papers.core.rules import AtPoints
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.selfsimilar import last_hop as hop
from ackclock.papers.selfsimilar.experiment import CONSTANT, DEFINITION, GREEDY, RATE

claim = partial(DEFINITION.claim, __name__)
_LOW, _HIGH = hop.LOADS[:3], hop.LOADS[5:]  # numbers of sources that leave the connection 6.2 Mb/s, and that do not
_CLUSTERED: Final = hop.LOADS[1:6]  # numbers of sources that cause losses, but leave the connection a usable window
MODERATE: Final = hop.LOSSES[2:5]  # loss rates above the background's, but low enough for recovery without timeouts
_BOTH: Final = ("NewReno", "SACK")
_WHOLE: Final = 0.99 * RATE * 8000 / hop.MILLION  # Mb/s: 99 % of the constant rate


def _fit(losses: Mapping[Scalar, float], goodputs: Mapping[Scalar, float]) -> float:
    return exponent(dict(zip(losses.values(), goodputs.values(), strict=True)))


_greedy, _constant = (hop.GOODPUT.at("load", reading=reading.name) for reading in (GREEDY, CONSTANT))
_newreno, _efficient = (
    lead(measure.at("load", reading=GREEDY.name), "variant", "NewReno", relative=True, digits=digits)
    for measure, digits in ((hop.GOODPUT, 1), (hop.EFFICIENCY, 2))
)
_carried = hop.GOODPUT.at("load", reading=CONSTANT.name, sources=Named(f"up to {_LOW[-1]} sources", _LOW))
_cut = hop.GOODPUT.at("load", reading=CONSTANT.name, sources=Named(f"{_HIGH[0]} sources and more", _HIGH))
_whatever = lead(hop.GOODPUT.at("load", sources=_HIGH), "reading", CONSTANT.name, relative=True).called(
    f"lead of the constant rate over the greedy source in goodput ({_HIGH[0]} sources and more)"
)
_clustered = hop.TO_MATHIS.at("load", reading=GREEDY.name, variant="SACK", sources=_CLUSTERED)
_independent = hop.TO_MATHIS.at("losses", kind=hop.RANDOM, variant="SACK", lost_of_a_million=MODERATE[-1])
_moderate = {"kind": hop.RANDOM, "lost_of_a_million": MODERATE}
_exponents = folded(
    _fit,
    "lost_of_a_million",
    hop.LOSS.at("losses", **_moderate),
    hop.GOODPUT.at("losses", **_moderate),
    words="exponent b of the power law goodput ∝ (loss rate of the run)^b (random losses)",
    unit="",
    digits=2,
)
_alone = hop.GOODPUT.at("losses", **_moderate).over(
    "lost_of_a_million", exponent, "exponent for the last hop's own loss rate", unit=""
)
_gain = lead(hop.GOODPUT.at("losses", lost_of_a_million=MODERATE[:2]), "kind", hop.BURSTS).called(
    "goodput with losses in bursts minus goodput with as many random losses"
)
_harm = lead(hop.GOODPUT.at("losses", lost_of_a_million=hop.LOSSES[-1]), "kind", hop.RANDOM).called(
    f"goodput with {hop.LOSSES[-1]:,} random losses in a million minus goodput with as many losses in bursts"
)
_sack_random, _sack_bursts = (
    lead(
        hop.GOODPUT.at("losses", kind=kind, variant=_BOTH, lost_of_a_million=MODERATE),
        "variant",
        "SACK",
        relative=True,
        digits=1,
    )
    for kind in (hop.RANDOM, hop.BURSTS)
)
_vegas = lead(hop.GOODPUT.at("losses", kind=hop.RANDOM, lost_of_a_million=hop.LOSSES[2:]), "variant", "Vegas")
_held = lead(hop.GOODPUT.at("rates"), "stay_ms", hop.DWELLS[0]).called(
    "goodput with a constant rate minus goodput with a changing rate"
)
_slow = lead(hop.GOODPUT.at("rates"), "stay_ms", hop.DWELLS[-1], others=hop.DWELLS[1:-1]).called(
    f"goodput with mean stays of {hop.DWELLS[-1] / 1000:g} s at a rate minus goodput with shorter stays"
)
_vegas_held = lead(hop.GOODPUT.at("rates", stay_ms=Named("constant rate", hop.DWELLS[:1])), "variant", "Vegas")
_vegas_changing = lead(hop.GOODPUT.at("rates", stay_ms=Named("rates that change", hop.DWELLS[1:])), "variant", "Vegas")
_ns2 = partial(ns2_runs, "selfsimilar")
_arrived = (
    hop.ARRIVALS.at("losses", kind=hop.RANDOM, variant=_BOTH, lost_of_a_million=(MODERATE[0], MODERATE[-1])),
    hop.ARRIVALS.at("steps", variant=_BOTH),
)


LAST_HOP_CLAIMS: Final = (
    claim("F-1", AtPoints(_greedy.changes("sources").below(0), points="steps of the variants"), numbers=(_greedy,)),
    claim("F-2", AtPoints(_newreno.at_least(-1).every("variant"), points="loads"), numbers=(_greedy,)),
    claim(
        "F-3",
        AtPoints(_efficient.at_least(-0.02).every("variant"), points="loads"),
        numbers=(hop.EFFICIENCY.at("load", reading=GREEDY.name),),
    ),
    claim("F-4", AtPoints(_carried.above(_WHOLE), _cut.below(_WHOLE)), numbers=(_constant,)),
    claim("F-5", AtPoints(_whatever.near(0, by=1))),
    claim("F-6", AtPoints(_clustered.above(_independent), points="loads")),
    claim("F-7", AtPoints(hop.TO_MATHIS.at("losses", **_moderate, variant=_BOTH).near(1, by=0.2))),
    claim("F-8", AtPoints(_exponents.near(-0.5, by=0.1), points="variants"), shows={"alone": _alone}),
    claim("F-9", AtPoints(_gain.above(0), by="variant")),
    claim("F-10", AtPoints(_harm.above(0), points="variants")),
    claim("F-11", AtPoints(_sack_random.at_most(5), _sack_bursts.above(0), points="losses")),
    claim("F-12", AtPoints(_vegas.above(0).every("variant"), points="losses")),
    claim("F-13", AtPoints(_held.above(0)), numbers=(hop.GOODPUT.at("rates"),)),
    claim("F-14", AtPoints(_slow.above(0)), numbers=(hop.GOODPUT.at("rates"),)),
    claim("F-15", AtPoints(_vegas_held.above(0), _vegas_changing.below(0)), numbers=(hop.GOODPUT.at("rates"),)),
    claim("F-16", AtPoints(*(one.within(0.05, of=one.measured_by("ns-2.35", _ns2)) for one in _arrived))),
)
