"""Figures A, B and C: burstiness at every time scale, autocorrelation of arrivals, and the queue, with findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ackclock.analysis import Interval, poisson_cov, student_interval
from ackclock.drawing.chart import Axis, Band, Level, Series
from ackclock.papers.burstiness.close import LAGS, SCALES
from ackclock.papers.burstiness.experiment import ARRIVALS_PER_RTT, DEFINITION, FINE, VARIANTS, WARM
from ackclock.papers.burstiness.grid_figures import PENS
from ackclock.papers.burstiness.measures import QUEUE
from ackclock.papers.burstiness.windows import UNIT
from ackclock.papers.core.evidence import Evidence, Row
from ackclock.papers.core.figure import Figure, Lines, Numbers, Plot, curves_csv
from ackclock.papers.core.measures import Measure, Profile
from ackclock.papers.core.quantities import Quantity
from ackclock.values.words import listed

_MOST = 60  # number of clients with which all variants are compared

_OF_LOADS = DEFINITION.pens("loads")
_LOADS = (30, 38, 39, 44, 50, _MOST)
_TICKS = (10, 20, 30, 40)  # queue lengths in the table
_LENGTHS = tuple(range(51))
_SHOWN_LAGS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50)


def _array(name: str) -> Callable[[Row], NDArray[np.float64] | None]:
    """Make a function that returns an array of a run by name."""
    return lambda run: run.values.get(name)


def _relative(run: Row) -> NDArray[np.float64] | None:
    ladder, poisson = _array("ladder")(run), _array("ladder_poisson")(run)
    return None if ladder is None or poisson is None else ladder / poisson


def _at_least(run: Row) -> NDArray[np.float64] | None:
    """Return the share of the time with at least 0, 1, 2, ... packets waiting."""
    occupancy = _array("occupancy")(run)
    if occupancy is None:
        return None
    # FIFO's limit counts the packet in transmission and RED's does not, so the lengths of their arrays differ.
    padded = np.pad(occupancy, (0, len(_LENGTHS) - occupancy.size))
    return np.cumsum(padded[::-1])[::-1]


LADDER = Profile("cov", "c.o.v.", axes={"bin": SCALES}, of=_array("ladder"))
RELATIVE = Profile("cov_over_poisson", "c.o.v. relative to Poisson", axes={"bin": SCALES}, of=_relative)
SHORT, LONG = (
    Profile(
        f"autocorrelation_{round(1000 * width)}ms_bins",
        "autocorrelation",
        axes={"lag": tuple(round(width * lag, 9) for lag in range(LAGS + 1))},
        of=_array(name),
    )
    for name, width in (("short", FINE), ("long", UNIT))
)
AT_LEAST = Profile(
    "share_of_time_with_at_least", "share of the time", digits=3, axes={"packets": _LENGTHS}, of=_at_least
)
QUEUE_FULL = Measure("queue_full", "share of the time with a full queue", digits=4)


def _by_variant(profile: Profile) -> Quantity:
    return profile.at("close", variant=VARIANTS, clients=_MOST)


def _by_load(profile: Profile) -> Quantity:
    of = profile.at("close", variant="Reno", clients=_LOADS)
    return of.relabel("clients", {str(load): f"Reno, {load} clients" for load in _LOADS})


def _above(of: Quantity) -> Callable[[Evidence], Axis]:
    """Make an axis that ends above the highest mean, without regard to the error bars."""

    def axis(evidence: Evidence) -> Axis:
        top = 1.25 * max(point.mean for point in of.points(evidence.ours).cells.values())
        return Axis(label="c.o.v. relative to Poisson", low=0, high=top)

    return axis


_ladder, _ratio, _loads = _by_variant(LADDER), _by_variant(RELATIVE), _by_load(RELATIVE)
_poisson = Series(
    name=f"Poisson, {_MOST} clients",
    x=list(SCALES),
    y=poisson_cov(ARRIVALS_PER_RTT / UNIT * _MOST * np.array(SCALES)),
    colour="ink",
    width=1.0,
)
_bins, _last_bins = (Axis(label=label, low=0.008, high=12.5, log=True) for label in ("", "Length of a bin (s)"))
SCALES_FIGURE = Figure(
    **DEFINITION.figure("scales"),
    plots=[
        Plot(
            title=f"(a) {_MOST} clients",
            x=_bins,
            y=Axis(label="c.o.v.", low=4e-4, high=0.4, log=True),
            marks=[Lines(of=_ladder, x="bin", by="variant", pens=PENS), _poisson],
        ),
        Plot(
            title=f"(b) {_MOST} clients",
            x=_bins,
            y=_above(_ratio),
            marks=[Lines(of=_ratio, x="bin", by="variant", pens=PENS)],
            levels=[Level(y=1, dotted=False)],
        ),
        Plot(
            title="(c) Reno",
            x=_last_bins,
            y=_above(_loads),
            marks=[Lines(of=_loads, x="bin", by="clients", pens=_OF_LOADS)],
            levels=[Level(y=1, dotted=False)],
        ),
    ],
    height=8.6,
    csv=curves_csv("bin_s", ("cov", _ladder), ("cov_over_poisson", _ratio), ("cov_over_poisson", _loads)),
    numbers=Numbers(of=_ratio, rows="bin", columns="variant", head="Bin, s", caption="c.o.v. relative to Poisson"),
)


def _noise(width: float) -> Callable[[Evidence], list[Band]]:
    """Draw the range of 95 % of the autocorrelations of white noise."""

    def bands(evidence: Evidence) -> list[Band]:
        (run, *_) = evidence.ours.part("close")
        last, noise = LAGS * width, 1.96 * float(run.values["short_error" if width == FINE else "long_error"] or 0)
        return [Band(name="95 % of white noise", x=[0, last], low=[-noise] * 2, high=[noise] * 2, colour="grey")]

    return bands


_short, _long = _by_variant(SHORT), _by_variant(LONG)

MEMORY_FIGURE = Figure(
    **DEFINITION.figure("memory"),
    plots=[
        Plot(
            title=f"({place}) bins of {width:g} s",
            x=Axis(label="Lag (s)", low=0, high=LAGS * width),
            y=Axis(label="Autocorrelation", low=-0.9, high=1),
            marks=[Lines(of=of, x="lag", by="variant", pens=PENS, plain=True)],
            bands=_noise(width),
        )
        for place, width, of in (("a", FINE, _short), ("b", UNIT, _long))
    ],
    height=6.6,
    csv=curves_csv("lag_s", (SHORT.name, _short), (LONG.name, _long)),
    numbers=Numbers(
        of=LONG.at("close", variant=VARIANTS, clients=_MOST, lag=[LONG.axes["lag"][lag] for lag in _SHOWN_LAGS]),
        rows="lag",
        columns="variant",
        head="Lag, s",
        caption=f"Autocorrelation in bins of {UNIT:g} s",
    ),
)

_share = _by_variant(AT_LEAST)

QUEUE_FIGURE = Figure(
    **DEFINITION.figure("queue"),
    plots=[
        Plot(
            x=Axis(label="Packets waiting, at least", low=0, high=_LENGTHS[-1]),
            y=Axis(label="Share of the time", low=0, high=1.02),
            marks=[Lines(of=_share, x="packets", by="variant", pens=PENS, plain=True)],
        )
    ],
    csv=curves_csv("packets", (AT_LEAST.name, _share)),
    numbers=Numbers(
        of={
            "mean": QUEUE.at("close", variant=VARIANTS, clients=_MOST),
            **{f"≥ {length}": _share.pick(packets=length) for length in _TICKS},
            "full": QUEUE_FULL.at("close", variant=VARIANTS, clients=_MOST),
        },
        rows="variant",
        head="",
        caption="Mean number of waiting packets, share of the time with at least the given number waiting, and share "
        "of the time with a full queue",
    ),
)

FIGURES = (SCALES_FIGURE, MEMORY_FIGURE, QUEUE_FIGURE)

_FIRST = 39  # the first client count at which Reno does not settle
_CLEAR = 0.3  # smallest autocorrelation at which arrivals count as periodic


def close_findings(rows: Sequence[Row]) -> list[str]:
    """Write a finding each on time scales, periodicity, dependence between clients, and RED."""
    return [_scales(rows), _sawtooth(rows), _dependence(rows), _red(rows)]


def _scales(rows: Sequence[Row]) -> str:
    reno, vegas = (_over_poisson(rows, variant) for variant in ("Reno", "Vegas"))
    peak, paper = int(reno.argmax()), SCALES.index(UNIT)
    least, most = vegas.min(), vegas.max()
    lasts = "gone" if reno[-1] <= 1.25 else "not gone"
    smooth = (
        "smoother than a Poisson process at every scale"
        if most < 1
        else "burstier than a Poisson process at every scale"
        if least > 1
        else "smoother than a Poisson process at some scales and burstier at others"
    )
    return (
        f"From {WARM} s on, Reno is burstiest in bins of {SCALES[peak]:g} s: with {_MOST} clients its c.o.v. is "
        f"{reno[peak]:.2f} times the c.o.v. of a Poisson process with the same rate ({reno[paper]:.2f} times in the "
        f"paper's bins of {UNIT:g} s). In bins of {SCALES[-1]:g} s the excess is {lasts} ({reno[-1]:.2f} times). "
        f"Vegas is {smooth} ({least:.2f} to {most:.2f} times)."
    )


def _sawtooth(rows: Sequence[Row]) -> str:
    parts = []
    for variant in ("Reno", "Reno/RED", "Vegas"):
        values = np.mean([_values(row, "long") for row in _of(rows, variant)], axis=0)
        lag = _return(values)
        parts.append(
            f"{variant} after {lag * UNIT:.1f} s (autocorrelation {values[lag]:.2f})"
            if lag is not None
            else f"{variant} not at all"
        )
    return f"Windows that fall together make arrivals periodic. With {_MOST} clients arrivals repeat: {listed(parts)}."


def _return(values: NDArray[np.float64]) -> int | None:
    """Return the first lag with a clear peak after the autocorrelation has fallen below zero, or None."""
    below = np.flatnonzero(values < 0)
    first = int(below[0]) if below.size else values.size
    peaks = (
        lag
        for lag in range(first + 1, values.size - 1)
        if values[lag] >= _CLEAR and values[lag - 1] < values[lag] >= values[lag + 1]
    )
    return next(peaks, None)


def _dependence(rows: Sequence[Row]) -> str:
    few, many = (_value(rows, "Reno", "dependence", clients) for clients in (_FIRST, _MOST))
    share = _value(rows, "Reno", "cutting").mean
    verdict = (
        "grows with the load"
        if many.low > few.high
        else "falls as the load grows"
        if many.high < few.low
        else "does not change significantly with the load"
    )
    return (
        f"The dependence between Reno's clients {verdict}: the variance of the number of clients that cut their "
        f"windows at once is {few.shown(1)} times its value for independent clients with {_FIRST} clients, and "
        f"{many.shown(1)} times with {_MOST}. When any client cuts, on average {100 * share:.0f} % of the clients do."
    )


def _red(rows: Sequence[Row]) -> str:
    reno, vegas = (_value(rows, variant, "above_max_th").mean for variant in ("Reno/RED", "Vegas/RED"))
    longest = {variant: _value(rows, variant, "longest_sequence") for variant in ("Reno/RED", "Vegas/RED")}
    order = "more than" if vegas > reno else "less than" if vegas < reno else "equal to"
    seldom = "hardly ever" if max(reno, vegas) < 0.01 else "at times"
    longer = max(longest, key=lambda variant: longest[variant].mean)
    return (
        f"RED's average queue is {seldom} above max_th: {100 * vegas:.2g} % of the time with Vegas, {order} the "
        f"{100 * reno:.2g} % with Reno. The longest sequence of losses occurs with {longer}: "
        f"{longest['Reno/RED'].shown(0)} packets with Reno, {longest['Vegas/RED'].shown(0)} with Vegas."
    )


def _of(rows: Sequence[Row], variant: str, clients: int = _MOST) -> list[Row]:
    return [row for row in rows if (row.where["variant"], row.where["clients"]) == (variant, clients)]


def _over_poisson(rows: Sequence[Row], variant: str) -> NDArray[np.float64]:
    return np.asarray(
        np.mean([_values(row, "ladder") / _values(row, "ladder_poisson") for row in _of(rows, variant)], axis=0)
    )


def _values(row: Row, name: str) -> NDArray[np.float64]:
    return np.asarray(row.values[name], dtype=float)


def _value(rows: Sequence[Row], variant: str, name: str, clients: int = _MOST) -> Interval:
    values = (row.values[name] for row in _of(rows, variant, clients))
    return student_interval([value for value in values if value is not None])
