"""Draws the state of a window law: the record ``states`` of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.drawing.chart import Axis, Band, Chart, Note, Panel, Series
from ackclock.engine.catalogue import catalogue
from ackclock.running.records import flows_of_groups
from ackclock.scenario.bottleneck import find_measured
from ackclock.values.errors import impossible, one_of, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.running.run import Run
    from ackclock.scenario import Clients, Flow

    _Numbers = NDArray[np.float64]

__all__ = ["PHASES", "phase_diagram", "state_chart"]

_DELIVERY_RATE: Final = "delivery_rate"

_TOGETHER: Final[Sequence[tuple[tuple[str, ...], str]]] = (
    ((_DELIVERY_RATE, "pacing_rate", "max_bw", "bw", "bw_shortterm", "target_rate"), "Rate"),
    (("rtt", "min_rtt", "standing_rtt", "base_rtt"), "Round-trip time"),
    (("inflight", "inflight_longterm", "inflight_shortterm"), "In flight"),
    (("fractional_cwnd", "w_max", "w_est"), "Window"),
    (("pacing_gain",), "Gain"),
    (("alpha",), "alpha"),
    (("diff",), "diff"),
    (("delta",), "delta"),
    (("velocity",), "velocity"),
)
"""Variables that share a panel by default, and the label of its axis. Other variables are drawn on request, one per
panel. A panel has at most as many lines as there are colours."""
_BOUNDED: Final[Mapping[str, str]] = {"max_bw": "bw_shortterm"}
"""Variables that are drawn only if another one, a bound, was ever set: without it, `max_bw` equals `bw`."""

_LINES: Final = ("ink", "blue", "red", "green", "amber", "grey")
PHASES: Final[Mapping[str, str]] = {
    "startup": "red",
    "slow_start": "red",
    "drain": "amber",
    "recovery": "amber",
    "return": "amber",
    "slowdown": "blue",
    "probe_bw:down": "orange",
    "probe_bw:cruise": "grey",
    "congestion_avoidance": "grey",
    "default": "grey",
    "probe_bw:refill": "sky",
    "competitive": "sky",
    "probe_bw:up": "green",
    "probe_rtt": "blue",
    "timeout": "ink",
}
"""The colour of each phase."""

_PANEL: Final = 1.7
_FRAME: Final = 0.9
_DIAGRAM: Final = 5.6
"""Heights of a panel, of the rest of the figure, and of a phase diagram, in inches."""
_ABOVE: Final = 1.06
_BESIDE: Final = 1.2
"""Room above the highest value, and beside a line with a note."""
_MILLI: Final = 1e3
_MEGA: Final = 1e6
_ROUNDING: Final = 1e-9
"""Times, in seconds, differ by less than this because of rounding."""


@dataclass(frozen=True)
class _Course:
    """What the record says of one flow: steps, from each time to the next."""

    steps: Mapping[str, tuple[_Numbers, _Numbers]]
    """The times and the values of each variable."""
    begins: _Numbers
    phases: Sequence[str]
    """The phases, and when each begins."""
    bits: float
    """Size of a segment on the wire, in bits."""

    def at(self, name: str, times: _Numbers) -> _Numbers:
        """Return the values of a variable at the given times; NaN before the first one."""
        own, values = self.steps[name]
        place = np.searchsorted(own, times + _ROUNDING, side="right") - 1
        return np.where(place < 0, np.nan, values[np.maximum(place, 0)])

    def samples(self) -> dict[str, _Numbers]:
        """Return a sample for each ACK that delivers data.

        The delivery rate, in bit/s, is that since the last delivery before the segment was sent that the ACK delivers
        (draft-ietf-ccwg-bbr, section 4.1.1.1), and ``inflight`` is what was in flight then.
        """
        all_times, all_delivered = self.steps["delivered"]
        times, delivered = all_times[all_delivered > 0], all_delivered[all_delivered > 0]
        rtt = self.at("rtt", times)
        there = np.isfinite(rtt) & (rtt > 0)
        times, delivered, rtt = times[there], delivered[there], rtt[there]
        sent = times - rtt
        place = np.searchsorted(all_times, sent + _ROUNDING, side="right") - 1
        before = np.where(place < 0, 0.0, all_delivered[np.maximum(place, 0)])
        since = np.where(before > 0, all_times[np.maximum(place, 0)], sent)
        return {
            "time": times,
            "sent": sent,
            "rtt": rtt,
            "inflight": self.at("inflight", sent),
            _DELIVERY_RATE: (delivered - before) / (times - since) * self.bits,
        }


def _course(run: Run, flow: int | None) -> _Course:
    table = run.table("states")
    column = {name: table.column(name).to_numpy() for name in ("flow", "time", "value")}
    flows = list(dict.fromkeys(column["flow"].tolist()))
    if not flows:
        laws = ", ".join(name for name, state in catalogue().states.items() if state.variables)
        raise impossible(
            "states: the table has no rows, because the window laws of its flows have no state but the window "
            f"(record windows or phases instead); only these laws have state variables: {laws}"
        )
    if flow is not None and flow not in flows:
        raise refuse("flow", flow, "must be one of the recorded flows: " + ", ".join(map(str, flows)))
    number = flows[0] if flow is None else flow
    rows = column["flow"] == number
    times, values = (column[name][rows].astype(np.float64) for name in ("time", "value"))
    variables, phases = (np.array(table.column(name).to_pylist(), dtype=str)[rows] for name in ("variable", "phase"))
    steps = {str(name): (times[variables == name], values[variables == name]) for name in np.unique(variables)}
    begins = np.flatnonzero(np.append(True, phases[1:] != phases[:-1]))
    bits = 8.0 * (_group_of(run, int(number)).packet_size or 0)
    return _Course(steps, times[begins], [str(each) for each in phases[begins]], bits)


def _group_of(run: Run, flow: int) -> Clients | Flow:
    flows = flows_of_groups(run.scenario).values()
    return next(group for group, own in zip(run.scenario.groups, flows, strict=True) if flow in own)


def state_chart(
    run: Run, *, flow: int | None = None, variables: Sequence[str] = (), start: float = 0.0, end: float = np.inf
) -> Chart:
    """Draw the state variables of a flow's window law over time, with its phases as coloured areas.

    Parameters
    ----------
    run
        A run with the record ``states``.
    flow
        Number of the flow (default: the first recorded flow).
    variables
        Variables to draw, each in its own panel (default: the ones by which a law is usually described). For laws that
        sample delivery rates, ``delivery_rate`` is the rate since the last delivery before a segment was sent, at
        its delivery.
    start, end
        Time range to draw, in seconds.

    Returns
    -------
    Chart
        Steps from each change to the next. Gaps are times at which a variable has no value. Rates are of bits on the
        wire.

    Raises
    ------
    ScenarioError
        The record has no such flow or variable, or no rows in this time.

    Examples
    --------
    >>> import ackclock as ac
    >>> run = ac.simulate(ac.Scenario.from_toml("examples/bbr.toml"), record=["states"])
    >>> [panel.y.label for panel in state_chart(run).panels]
    ['Rate, Mb/s', 'Round-trip time, ms', 'In flight, segments', 'Gain']

    """
    course = _course(run, flow)
    known = [*course.steps, *([_DELIVERY_RATE] if "delivered" in course.steps else [])]
    for name in variables:
        if name not in known:
            raise refuse("variable", name, one_of(name, known), noun="variable")
    changes = np.concatenate([times for times, _ in course.steps.values()])
    if not ((changes >= start) & (changes < end)).any():
        raise impossible(f"states: the table has no rows from {start:g} s to {end:g} s")
    drawn = {name: line for name in known if (line := _line(course, name, start, end)) is not None}
    last = max(times[-1] for times, _ in drawn.values())
    usual = [(_with_values(group, drawn), words) for group, words in _TOGETHER]
    wanted = (
        [([name], name) for name in variables]
        or [(some, words) for some, words in usual if any(np.unique(drawn[name][1]).size > 1 for name in some)]
        or [(some, words) for some, words in usual if some]
    )
    panels = []
    for place, (group, words) in enumerate(wanted, start=1):
        is_last = place == len(wanted)
        factor, unit = _scale(course, group[0])
        drawn_here = [(name, *drawn[name]) for name in group]
        series = [
            Series(
                name=name,
                x=np.repeat(np.append(times, last), 2)[1:-1],
                y=np.repeat(values * factor, 2),
                colour=colour,
                width=1.0,
                listed=len(group) > 1,
            )
            for (name, times, values), colour in zip(drawn_here, _LINES, strict=False)
        ]
        low, high = (
            factor
            * (float(extreme([extreme(values[np.isfinite(values)], initial=0.0) for _, _, values in drawn_here])))
            for extreme in (np.min, np.max)
        )
        low, high = _ABOVE * low, _ABOVE * high or 1.0
        panels.append(
            Panel(
                x=Axis(label="Time, s" if is_last else "", low=start, high=last if last > start else None),
                y=Axis(label=f"{words}, {unit}" if unit else words, low=low, high=high),
                series=series,
                bands=list(_bands(course, (start, last), (low, high), listed=is_last)),
            )
        )
    return Chart(panels=panels, height=_FRAME + _PANEL * len(panels))


def _scale(course: _Course, name: str) -> tuple[float, str]:
    """Return the factor and the unit in which a variable is drawn."""
    units = {each: variable.unit for state in catalogue().states.values() for each, variable in state.variables.items()}
    unit = units.get(name, units["pacing_rate"])
    return {"s": (_MILLI, "ms"), "segments/s": (course.bits / _MEGA, "Mb/s")}.get(unit, (1.0, unit))


def _with_values(group: Sequence[str], drawn: Mapping[str, tuple[_Numbers, _Numbers]]) -> list[str]:
    """Choose the variables of a panel that have values."""

    def has_values(name: str) -> bool:
        return name in drawn and bool(np.isfinite(drawn[name][1]).any())

    return [name for name in group if has_values(name) and has_values(_BOUNDED.get(name, name))]


def _line(course: _Course, name: str, start: float, end: float) -> tuple[_Numbers, _Numbers] | None:
    """Return the steps of a variable in a time range, from the value that it has at its start."""
    if name == _DELIVERY_RATE:
        samples = course.samples()
        times, values = samples["time"], samples[name] / course.bits
    else:
        times, values = course.steps[name]
    times, values = times[times < end], values[times < end]
    first = max(int(np.searchsorted(times, start, side="right")) - 1, 0)
    times, values = np.maximum(times[first:], start), values[first:]
    return (times, values) if times.size else None


def _bands(course: _Course, span: tuple[float, float], height: tuple[float, float], *, listed: bool) -> Iterator[Band]:
    (start, end), (low, high) = span, height
    ends = np.append(course.begins[1:], np.inf)
    for phase, colour in PHASES.items():
        x: list[float] = []
        for begin, stop, name in zip(course.begins, ends, course.phases, strict=True):
            if name == phase and begin < end and stop > start:
                x += [max(begin, start), min(stop, end), np.nan]
        if x:
            gaps = 0.0 * np.array(x)
            yield Band(name=phase, x=x, low=gaps + low, high=gaps + high, colour=colour, listed=listed)


def phase_diagram(run: Run, *, flow: int | None = None, start: float = 0.0, end: float = np.inf) -> Chart:
    """Draw round-trip time and delivery rate over what is in flight, in the colours of the phases.

    Parameters
    ----------
    run
        A run with the record ``states``, at each change, of a law that samples delivery rates.
    flow
        Number of the flow (default: the first recorded flow).
    start, end
        Range of times at which the segments were sent, in seconds.

    Returns
    -------
    Chart
        A point for each ACK that delivers data: its delivery rate is that of its round trip, and the flight is the one
        in which its segment was sent. Dashed lines show the path: its smallest round-trip time, the rate of the
        measured link, and the round-trip time that a flight beyond their product, the BDP, adds.

    Raises
    ------
    ScenarioError
        The record has no such flow, its law does not sample delivery rates, or nothing was delivered in this time.

    Notes
    -----
    Cardwell et al., "BBR: Congestion-Based Congestion Control" (ACM Queue 14(5), 2016), Figure 1.

    Examples
    --------
    >>> import ackclock as ac
    >>> run = ac.simulate(ac.Scenario.from_toml("examples/bbr.toml"), record=["states"])
    >>> [panel.y.label for panel in phase_diagram(run).panels]
    ['Round-trip time, ms', 'Delivery rate, Mb/s']

    """
    course = _course(run, flow)
    if "delivered" not in course.steps:
        raise impossible("states: a phase diagram needs a window law that samples delivery rates, such as bbr")
    samples = course.samples()
    there = (samples["sent"] >= start) & (samples["sent"] < end) & np.isfinite(samples["inflight"])
    if not there.any():
        raise impossible(f"states: no segment that was sent from {start:g} s to {end:g} s was delivered")
    measured = find_measured(run.scenario)
    rate, least = measured.rate, float(samples["rtt"].min())
    product = rate * least / course.bits
    queue = measured.link.queue
    buffer = 0.0
    if queue is not None:
        buffer = float(queue.packets or 0) if queue.bytes is None else 8.0 * queue.bytes / course.bits
    flight = samples["inflight"][there]
    marks = [(product, "BDP")]
    right = _ABOVE * max(float(flight.max()), product)
    if product + buffer < 2 * right:
        marks.append((product + buffer, "BDP + buffer"))
        right = max(right, _BESIDE * (product + buffer))
    place = np.searchsorted(course.begins, samples["sent"][there] + _ROUNDING, side="right") - 1
    phases = np.array(course.phases)[np.maximum(place, 0)]
    ends = np.array([0.0, product, right])
    of_path = {
        "rtt": np.maximum(least, ends * course.bits / rate),
        _DELIVERY_RATE: np.minimum(ends / product, 1) * rate,
    }
    panels = []
    for name, label, factor in (
        ("rtt", "Round-trip time, ms", _MILLI),
        (_DELIVERY_RATE, "Delivery rate, Mb/s", 1 / _MEGA),
    ):
        is_last = name == _DELIVERY_RATE
        ys, limits = samples[name][there] * factor, of_path[name] * factor
        top = _ABOVE * max(float(ys.max()), float(limits[1]))
        series = [
            Series(name=phase, x=flight[here], y=ys[here], colour=colour, dash="none", marker="circle", size=2.0)
            for phase, colour in PHASES.items()
            if (here := phases == phase).any()
        ]
        series.append(Series(name="path", x=ends, y=limits, colour="ink", dash="dashed", width=0.9))
        series += [
            Series(name=words, x=[x, x], y=[0, top], colour="faint", dash="dotted", width=0.9, listed=False)
            for x, words in marks
        ]
        panels.append(
            Panel(
                x=Axis(label="In flight, segments" if is_last else "", low=0.0, high=right),
                y=Axis(label=label, low=0.0, high=top),
                series=series,
                notes=[] if is_last else [Note(x=x, y=top, text=f" {words}") for x, words in marks],
            )
        )
    return Chart(panels=panels, height=_DIAGRAM)
