"""The usual figures of runs: each record has at least one.

A figure is made from one run. Some can also be made from runs of one scenario with several seeds: then they show the
means, with 95 % confidence intervals (Student's t) at each point.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.running.figures import events, of_flows, of_links
from ackclock.running.figures.asked import Asked
from ackclock.running.figures.durations import durations
from ackclock.running.figures.fairness import fairness
from ackclock.running.figures.gauges import gauge_chart
from ackclock.running.figures.network import has_network, network
from ackclock.running.figures.states import phase_diagram, state_chart
from ackclock.running.records import KINDS
from ackclock.scenario.links import links_of
from ackclock.values.columns import words
from ackclock.values.errors import impossible, listed, one_of, refuse
from ackclock.values.quantity import TIME, QuantityError, seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from matplotlib.figure import Figure

    from ackclock.drawing.chart import Chart
    from ackclock.engine.catalogue import RecordKind
    from ackclock.running.run import Run

__all__ = ["FIGURES", "FigureKind", "chart", "figure", "figures_of", "time_of"]


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure: its name, the record that it is made from (none: the summary), and how it is made."""

    name: str
    record: str | None
    chart: Callable[[Asked], Chart]
    doc: str
    several: bool = False
    """Whether the figure can be made from several runs."""
    measured: bool = False
    """Whether the figure shows only the measured time by default, as the summary does."""

    def is_kept(self, run: Run) -> bool:
        """Whether the run has kept what the figure needs."""
        return has_network(run.scenario) if self.record is None else self.record in run.tables

    def of_link(self, run: Run) -> bool:
        """Whether the figure shows a link rather than flows."""
        if self.record is None:
            return False
        kind = KINDS[self.record]
        of_either = kind.engine_kind_of_links is not None
        return kind.of_links or (of_either and "link" in run.table(self.record).column_names)


_OWN: Final = (
    FigureKind("cwnd", "windows", of_flows.windows, "congestion window of each flow over time", several=True),
    FigureKind(
        "throughput",
        "throughput",
        lambda asked: (of_flows if asked.link is None else of_links).rates(asked),
        "bits per second that reach the application of each flow, or leave a link, over time",
        several=True,
    ),
    FigureKind(
        "throughput",
        "packets",
        of_links.throughput,
        "bits per second on the wire of a link, also of each group, from its packets",
        several=True,
    ),
    FigureKind(
        "jain",
        "throughput",
        fairness,
        "Jain's fairness index of the active flows over time",
        several=True,
    ),
    FigureKind("queue", "queue", of_links.queue, "packets that wait at a link over time", several=True),
    FigureKind(
        "completion",
        "transfers",
        functools.partial(durations, name="completion"),
        "distribution function of the completion times of transfers",
        several=True,
        measured=True,
    ),
    FigureKind(
        "load_times",
        "pages",
        functools.partial(durations, name="load_times"),
        "distribution function of the load times of pages",
        several=True,
        measured=True,
    ),
    FigureKind("control", "control", of_flows.control, "bitrate of each call that adapts, and of one call why"),
    FigureKind("bitrates", "chunks", of_flows.bitrates, "bitrate of the chunks of adaptive video over time"),
    FigureKind(
        "arrivals", "arrivals", of_links.arrivals, "packets that arrive at a link's queue in each bin", several=True
    ),
    FigureKind("acks", "acks", of_flows.acks, "highest acknowledged segment of each flow over time"),
    FigureKind(
        "states",
        "states",
        lambda asked: state_chart(asked.run, flow=asked.flow, variables=asked.names, start=asked.start, end=asked.end),
        "state variables of a flow's window law over time, with its phases",
    ),
    FigureKind(
        "gauges",
        "gauges",
        lambda asked: gauge_chart(
            asked.run.table("gauges"), link=asked.link, gauges=asked.names, start=asked.start, end=asked.end
        ),
        "state of a link's queue discipline over time",
    ),
    FigureKind("phases", "phases", of_flows.phases, "phase of each sender over time"),
    FigureKind("drops", "drops", events.drops, "each packet that a link drops, by flow"),
    FigureKind("marks", "marks", events.marks, "each packet that a link marks (ECN), by flow"),
    FigureKind(
        "delay",
        "packets",
        of_links.delay,
        "distribution function of the time in the queue of a link",
        several=True,
        measured=True,
    ),
    FigureKind(
        "cov",
        "arrivals",
        of_links.ladder,
        "coefficient of variation of the arrivals at a link over the width of bins",
        several=True,
        measured=True,
    ),
    FigureKind("ack_times", "acks", of_flows.ack_times, "arrival of each ACK, with a row for each flow"),
    FigureKind(
        "diagram",
        "states",
        lambda asked: phase_diagram(asked.run, flow=asked.flow, start=asked.start, end=asked.end),
        "round-trip time and delivery rate over what is in flight, as points by phase",
    ),
    FigureKind("network", None, network, "nodes of a graph in rows, with the load of each link"),
)


def plain(records: Mapping[str, RecordKind], drawn: Iterable[str]) -> Iterator[FigureKind]:
    """Yield a figure of the rows of each record of events of flows that has no figure of its own."""
    known = set(drawn)
    for name, kind in records.items():
        if name not in known and {"time", "flow"} <= kind.columns.keys():
            yield FigureKind(name, name, functools.partial(events.rows, record=name), kind.doc)


FIGURES: Final = (*_OWN, *plain(KINDS, (kind.record for kind in _OWN if kind.record)))
"""All figures, the most usual first. The first figure of a record is its default."""


def figures_of(run: Run) -> list[FigureKind]:
    """Return the default figure of each record of a run, the most usual first."""
    chosen: dict[str | None, FigureKind] = {}
    for kind in FIGURES:
        if kind.is_kept(run) and kind.record not in chosen and kind.name not in {c.name for c in chosen.values()}:
            chosen[kind.record] = kind
    return list(chosen.values())


def figure(
    runs: Sequence[Run],
    name: str | None = None,
    *,
    link: str | None = None,
    flow: int | None = None,
    start: float | str | None = None,
    end: float | str | None = None,
) -> Figure:
    """Draw a usual figure of one run, or of runs of one scenario; the arguments are those of `chart`."""
    from ackclock.drawing.paper import draw  # noqa: PLC0415  # it loads Matplotlib

    return draw(chart(runs, name, link=link, flow=flow, start=start, end=end))


def chart(
    runs: Sequence[Run],
    name: str | None = None,
    *,
    link: str | None = None,
    flow: int | None = None,
    start: float | str | None = None,
    end: float | str | None = None,
    names: Sequence[str] = (),
) -> Chart:
    """Make a usual figure of one run, or of runs of one scenario, as a chart.

    Parameters
    ----------
    runs
        The runs, at least one.
    name
        Name of one of `FIGURES` (default: the first one whose record the runs have kept).
    link
        Name of the link, for a figure of a link (default: the measured link, or the first recorded link).
    flow
        Number of the flow, for a figure of flows (default: all recorded flows; for ``states`` and ``diagram``, the
        first one).
    start, end
        Time range, in seconds or as a text with a unit (default: the whole run; for ``cov`` and ``delay``, the
        measured time).
    names
        Gauges of the figure ``gauges``, or variables of the figure ``states`` (default: the usual ones).

    Raises
    ------
    ScenarioError
        There is no such figure, link or flow, a time is not allowed, the runs have not kept the record that the figure
        needs, or there are no rows to draw.

    Examples
    --------
    >>> import ackclock as ac
    >>> scenario = ac.Scenario.from_toml("examples/codel.toml").changed({"duration": "12 s"})
    >>> run = ac.simulate(scenario, record=["queue/10ms"])
    >>> chart([run]).panels[0].y.label
    'Queue at bottleneck, packets'

    """
    if not runs:
        raise refuse("runs", 0, "must be at least one run")
    kind = _kind(runs, name, link)
    if len(runs) > 1 and not kind.several:
        raise impossible(f"plot: the figure {kind.name} shows one run; draw each run alone, such as runs[0].plot()")
    if link is not None and not kind.of_link(runs[0]):
        raise refuse("link", link, f"must be absent: the figure {kind.name} shows flows")
    if flow is not None and kind.of_link(runs[0]):
        raise refuse("flow", flow, f"must be absent: the figure {kind.name} shows a link")
    scenario = runs[0].scenario
    first, last = seconds(scenario.measure.from_ or "") if kind.measured else 0.0, seconds(scenario.duration)
    begin, stop = time_of("start", start, first), min(time_of("end", end, last), last)
    asked = Asked(runs, _link(runs, kind, link), flow, begin, stop, names)
    if not asked.start < asked.end:
        raise refuse("start", asked.start, f"must be less than the end, {asked.end:g} s")
    return kind.chart(asked)


def _kind(runs: Sequence[Run], name: str | None, link: str | None) -> FigureKind:
    """Return the kind of figure with a name, made from a record that all runs have kept."""
    kept = [kind for kind in FIGURES if all(kind.is_kept(run) for run in runs)]
    known = list(dict.fromkeys(kind.name for kind in FIGURES))
    if name is not None and name not in known:
        raise refuse("figure", name, one_of(name, known), noun="figure")
    found = [kind for kind in kept if name in (None, kind.name) and (link is None or name or kind.of_link(runs[0]))]
    if found:
        return found[0]
    if name is None:
        raise impossible(
            "plot: the run has kept no record to draw"
            + (" of a link" if link else "")
            + ': ask for some with simulate(..., record=["windows", "queue"]), or see `ackclock list figures`'
        )
    needed = next(kind.record for kind in FIGURES if kind.name == name)
    if needed is None:
        raise impossible(f'plot: the figure {name} shows the measured links of a graph: set measure.links, as to "all"')
    place = runs[0].scenario.measure.link if link is None else link
    request = f"{needed}@{place}" if KINDS[needed].of_links else needed
    drawn = listed(dict.fromkeys(kind.name for kind in kept))
    raise impossible(
        f"plot: the figure {name} needs the record {needed}, which was not kept: "
        f'ask for it with simulate(..., record=["{request}"]); replicate takes the same argument'
        + (f". These figures can be drawn: {drawn}" if drawn else "")
    )


def _link(runs: Sequence[Run], kind: FigureKind, link: str | None) -> str | None:
    """Return the link to draw: by default the measured link, or the first recorded link if that has no rows.

    It is ``None`` for a figure of flows.
    """
    scenario = runs[0].scenario
    measured = scenario.measure.link or ""
    if kind.record is None or not kind.of_link(runs[0]):
        return None
    links = links_of(scenario)
    if link is not None and links.number(str(link)) is None:
        raise refuse("link", link, one_of(link, links.names()), noun="link")
    recorded = list(dict.fromkeys(words(runs[0].table(kind.record)["link"]).tolist()))
    return link or (measured if measured in recorded or not recorded else recorded[0])


def time_of(field: str, given: Any, default: float) -> float:
    """Return a time in seconds."""
    if given is None:
        return default
    if isinstance(given, str):
        try:
            return seconds(given)
        except QuantityError as error:
            raise refuse(field, given, str(error)) from None
    is_number = isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)
    if not is_number or not given >= 0:
        raise refuse(field, given, f"must be a number of seconds that is not negative, or {TIME.allowed}")
    time: float = given
    return time
