"""Findings of the close look at runs, in sentences that depend on the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import student_interval
from ackclock.papers.burstiness.close import SCALES
from ackclock.papers.burstiness.experiment import WARM
from ackclock.papers.burstiness.windows import UNIT
from ackclock.papers.core.words import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ackclock.analysis import Interval
    from ackclock.papers.core.evidence import Row

_MOST = 60
_FIRST = 39  # the first client count at which Reno does not settle
_CLEAR = 0.3  # an autocorrelation from which on a return is worth a word


def close_findings(looks: Sequence[Row]) -> list[str]:
    """Say what the close look shows: on time scales, the sawtooth, dependence between clients, and RED."""
    return [_scales(looks), _sawtooth(looks), _dependence(looks), _red(looks)]


def _scales(looks: Sequence[Row]) -> str:
    reno, vegas = (_over_poisson(looks, variant) for variant in ("Reno", "Vegas"))
    peak, paper = int(reno.argmax()), SCALES.index(UNIT)
    least, most = vegas.min(), vegas.max()
    lasts = "gone" if reno[-1] <= 1.25 else "not gone"
    smooth = (
        "smoother than such a process at every scale"
        if most < 1
        else "burstier than such a process at every scale"
        if least > 1
        else "smoother than such a process at some scales and burstier at others"
    )
    return (
        f"From {WARM} s on, Reno is burstiest in bins of {SCALES[peak]:g} s: at {_MOST} clients its c.o.v. is "
        f"{reno[peak]:.2f} times that of a Poisson process of the same rate ({reno[paper]:.2f} times in the paper's "
        f"{UNIT:g} s). In bins of {SCALES[-1]:g} s the excess is {lasts} ({reno[-1]:.2f} times). Vegas is {smooth} "
        f"({least:.2f} to {most:.2f} times)."
    )


def _sawtooth(looks: Sequence[Row]) -> str:
    parts = []
    for variant in ("Reno", "Reno/RED", "Vegas"):
        values = np.mean([_array(look, "long") for look in _of(looks, variant)], axis=0)
        lag = _return(values)
        parts.append(
            f"{variant} after {lag * UNIT:.1f} s (autocorrelation {values[lag]:.2f})"
            if lag is not None
            else f"{variant} not at all"
        )
    return f"A common sawtooth makes arrivals periodic. At {_MOST} clients they repeat for {listed(parts)}."


def _return(values: NDArray[np.float64]) -> int | None:
    """Give the first lag after a fall below zero at which the autocorrelation has a clear peak, if there is one."""
    below = np.flatnonzero(values < 0)
    first = int(below[0]) if below.size else values.size
    peaks = (
        lag
        for lag in range(first + 1, values.size - 1)
        if values[lag] >= _CLEAR and values[lag - 1] < values[lag] >= values[lag + 1]
    )
    return next(peaks, None)


def _dependence(looks: Sequence[Row]) -> str:
    few, many = (_value(looks, "Reno", "dependence", clients) for clients in (_FIRST, _MOST))
    share = _value(looks, "Reno", "cutting").mean
    verdict = (
        "grows with the load"
        if many.low > few.high
        else "falls as the load grows"
        if many.high < few.low
        else "does not change with the load beyond chance"
    )
    return (
        f"The dependence between Reno's clients {verdict}: the variance of the number that cut their windows at "
        "once is "
        f"{few.shown(1)} times its value for independent clients with {_FIRST} clients, and {many.shown(1)} "
        f"times with {_MOST}. If any cut, {100 * share:.0f} % of them do."
    )


def _red(looks: Sequence[Row]) -> str:
    reno, vegas = (_value(looks, variant, "above_max_th").mean for variant in ("Reno/RED", "Vegas/RED"))
    longest = {variant: _value(looks, variant, "longest_sequence") for variant in ("Reno/RED", "Vegas/RED")}
    ahead = "more" if vegas > reno else "less"
    seldom = "hardly ever" if max(reno, vegas) < 0.01 else "at times"
    longer = max(longest, key=lambda variant: longest[variant].mean)
    return (
        f"RED's average is {seldom} above max_th: {100 * vegas:.2g} % of the time with Vegas, {ahead} than the "
        f"{100 * reno:.2g} % with Reno. The longest sequence of losses is {longer}'s: "
        f"{longest['Reno/RED'].shown(0)} packets with Reno, {longest['Vegas/RED'].shown(0)} with Vegas."
    )


def _of(looks: Sequence[Row], variant: str, clients: int = _MOST) -> list[Row]:
    return [look for look in looks if (look.where["variant"], look.where["clients"]) == (variant, clients)]


def _over_poisson(looks: Sequence[Row], variant: str) -> NDArray[np.float64]:
    return np.asarray(
        np.mean([_array(look, "ladder") / _array(look, "ladder_poisson") for look in _of(looks, variant)], axis=0)
    )


def _array(look: Row, name: str) -> NDArray[np.float64]:
    return np.asarray(look.values[name], dtype=float)


def _value(looks: Sequence[Row], variant: str, name: str, clients: int = _MOST) -> Interval:
    values = (look.values[name] for look in _of(looks, variant, clients))
    return student_interval([value for value in values if value is not None])
