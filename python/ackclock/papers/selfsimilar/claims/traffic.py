"""The claims on traffic itself: Table 1, the measures of section 2, and the background's Hurst parameter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce
from itertools import combinations
from operator import and_
from typing import Any, Final

import numpy as np

from ackclock.papers.core.evidence import Scalar
from ackclock.papers.core.folds import exponent
from ackclock.papers.core.measures import Profile
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.rules import AtPoints, Bars, Depends, Either
from ackclock.papers.selfsimilar import traffic as t
from ackclock.papers.selfsimilar.experiment import DEFINITION, SOURCES

claim = partial(DEFINITION.claim, __name__)
_INDEPENDENT: Final = -0.5  # exponent of the c.o.v. in bin length and number of sources, if independent
_HALF: Final = (
    _INDEPENDENT / 2
)  # with a lower exponent of the c.o.v. peaks are smoothed, with a higher exponent they remain
_NEAR: Final = 0.05  # largest difference between Hurst parameters that count as equal
_ENDS: Final = (t.LADDER[0], t.LADDER[-1])
_COMPARED: Final = (0.1, 1.0, 10.0)  # seconds: bins in which multiplexed traffic is compared
_OWN: Final = ("K = 1", "K = 50")  # the paper's method, with the numbers of lags that the paper may mean
_LONG_SCALES: Final = ("local Whittle", "Abry-Veitch")
_THE_BIN: Final = "the bin"


def _over_bins(profile: Profile, kind: str | tuple[str, ...], bins: tuple[float, ...] = t.LADDER) -> Quantity:
    """Fit the exponent of the power law of a measure in the length of the bins."""
    of = profile.at("times", kind=kind, bin=bins)
    return of.over("bin", exponent, f"exponent of the {of.words} with respect to the bin length", digits=3)


def _over_sources(profile: Profile, kind: str, bins: float | tuple[float, ...] = _COMPARED, **where: str) -> Quantity:
    """Fit the exponent of the power law of a measure in the number of sources."""
    of = profile.at("many", **where, kind=kind, bin=bins)
    return of.over("sources", exponent, f"exponent of the {of.words} with respect to the sources", digits=2)


def _growth(kind: str) -> Quantity:
    def spread(line: Mapping[Scalar, float]) -> float:
        return max(line.values()) / min(line.values())

    of = t.DISPERSION.at("times", kind=kind, bin=t.LADDER)
    return of.jackknife("bin", spread, f"ratio of the largest to the smallest {of.words}")


_poisson_bins = _over_bins(t.COV, t.POISSON)
_lasting = _over_bins(t.COV, (t.ON_OFF, t.NOISE)).above(_HALF)
_alike, _shared = (_over_sources(t.COV, t.ON_OFF, division=division) for division in (t.ALIKE, t.SHARED))
_packets, _poisson_packets = (_over_sources(t.VARIANCE, kind, 1.0, division=t.ALIKE) for kind in (t.ON_OFF, t.POISSON))
_grows = _packets.above(0).called("the variance of the packets in 1 s grows with the number of on/off sources")
_faster = _packets.above(_poisson_packets).called("with a larger exponent than with Poisson sources")
_memory, _no_memory = (
    t.H.at("many", division=t.ALIKE, kind=kind, method="local Whittle", bin=0.1) for kind in (t.ON_OFF, t.POISSON)
)
_apart = _memory.above(_no_memory, by=_NEAR).called(
    f"H of on/off sources is more than {_NEAR:g} above H of as many Poisson sources (local Whittle, bins of 0.1 s)"
)
_even = reduce(
    and_,
    (_memory.pick(sources=one).near(_memory.pick(sources=other), by=_NEAR) for one, other in combinations(t.COUNTS, 2)),
)
_on_off_growth, _poisson_growth = _growth(t.ON_OFF), _growth(t.POISSON)
_blind = (_on_off_growth.above(10) & _poisson_growth.below(10)).called(
    "over bins of 0.01 to 10 s the index of dispersion changes by a factor of more than 10 for on/off traffic, but of "
    "less than 10 for Poisson traffic"
)
# In theory the index of dispersion is proportional to the bin length to the power 2 H - 1.
_tells = (
    _over_bins(t.DISPERSION, t.ON_OFF, t.LADDER[t.LADDER.index(1.0) :])
    .near(2 * t.ASYMPTOTIC - 1, by=0.2)
    .called(
        f"the growth of the index over bins of 1 to 10 s gives H within 0.1 of {t.ASYMPTOTIC:g}",
        f"the growth of the index over bins of 1 to 10 s does not give H within 0.1 of {t.ASYMPTOTIC:g}",
    )
)
_gaps = t.GAP_COV.at("gaps", kind=(t.ON_OFF, t.NOISE)).near(t.GAP_COV.at("gaps", kind=t.POISSON), by=0.1)

_TABLE_1: Final = (
    claim(
        "T1-1",
        Bars(whole=_poisson_bins.near(_INDEPENDENT, by=0.02), part=_poisson_bins.below(_HALF)),
        shows={
            "covs": t.COV.at("times", kind=t.POISSON, bin=_ENDS),
            "peaks": t.PEAK.at("times", kind=t.POISSON, bin=_ENDS),
            "exponent": _poisson_bins,
        },
    ),
    claim(
        "T1-2",
        Bars(whole=_lasting, part=_lasting.some()),
        shows={"covs": t.COV.at("times", kind=(t.ON_OFF, t.NOISE), bin=_ENDS)},
    ),
    claim(
        "T1-3",
        Either(
            _over_sources(t.COV, t.POISSON).below(_HALF).every("bin"),
            on="the quantity that remains constant as sources are added",
            points="ways to add sources",
        ),
    ),
    claim("T1-4", Bars(whole=_alike.above(0), part=_alike.above(_HALF))),
    claim("T1-5", Bars(whole=_shared.above(0), part=_shared.above(_HALF))),
    claim("T1-6", Bars(whole=_grows & _faster, part=_grows)),
    claim(
        "T1-7",
        Bars(
            whole=_apart.every()
            & _even.called(f"values of H of any two numbers of on/off sources differ by at most {_NEAR:g}"),
            part=_apart,
        ),
        shows={"memory": _memory, "none": _no_memory},
        numbers=(_memory, _no_memory),
    ),
    claim(
        "2-1", Bars(whole=_blind & ~_tells, part=_blind), shows={"peak": t.PEAK.at("times", kind=t.ON_OFF, bin=_ENDS)}
    ),
    claim("2-2", Bars(whole=_gaps, part=_gaps.some())),
)
"""The claims on Table 1 and section 2."""


def _slope(line: Mapping[Scalar, float]) -> float | None:
    """Fit the change of H from an empty link to a full link; None for fewer than three loads."""
    return float(np.polyfit([float(at) / 100 for at in line], list(line.values()), 1)[0]) if len(line) > 2 else None


_usual = t.H.at("loads", background=t.USUAL, sources=SOURCES, method=_OWN)
_change = t.H.at("loads", background=t.USUAL).over("sources", _slope, "change of H from an empty link to a full one")
_full: dict[str, Any] = {"background": t.USUAL, "sources": t.LOADS[-1], "method": _OWN}
_behind = (t.H_OUT.at("loads", **_full) - t.H.at("loads", **_full)).called(
    f"H after the bottleneck minus H before it ({t.LOADS[-1]} sources)"
)
_long = t.H.at("times", kind=t.ON_OFF, method=_LONG_SCALES, bin=1.0)
_left_open, _long_bins = (
    t.H.at("loads", background=tuple(t.OTHERS), method=_OWN, bin=bins).near(_usual, by=_NEAR)
    for bins in (t.BINS, t.BINS[1:])
)

_BACKGROUND: Final = (
    claim("H-1", Either(_usual.near(0.8, by=_NEAR), on=_THE_BIN), shows={"h": _usual}),
    claim("H-2", AtPoints(_change.near(0, by=2 * _NEAR), points="methods and bins")),
    claim(
        "H-3",
        AtPoints(_behind.near(0, by=_NEAR)),
        shows={"loss": t.LOSS.at("loads", background=t.USUAL, sources=t.LOADS[-1])},
    ),
    claim("H-4", AtPoints(_long.near(0.8, by=_NEAR), points="methods"), shows={"h": _long}),
    claim(
        "H-5",
        Depends(
            AtPoints(_left_open),
            on=_THE_BIN,
            asked=_long_bins.every(),
            again=_left_open.every().called("it holds at every point", "it does not hold at every point"),
            words=f"If this holds in all bins above {t.BINS[0]:g} s and fails in shorter bins, it depends on the bin.",
        ),
    ),
)

TRAFFIC_CLAIMS: Final = (*_TABLE_1, *_BACKGROUND)
