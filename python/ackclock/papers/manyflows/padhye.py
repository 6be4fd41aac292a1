"""Tables 2 and 3: what each flow sends, and what the formulas of Padhye et al. predict from its losses and delays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from ackclock.analysis.models import pftk, within_factors
from ackclock.papers.core.evidence import Row, Runs, Scalar, grouped
from ackclock.papers.core.evidence import Run as Observed
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.manyflows.experiment import T1, Setting, part, scenario
from ackclock.papers.manyflows.ns2 import setting_of
from ackclock.papers.manyflows.places import DEFINITION, WITH, WITHOUT
from ackclock.scenario.network import mean_rate
from ackclock.scenario.quantity import seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from ackclock.papers.core.parts import Part, Taken
    from ackclock.papers.manyflows.places import Cell
    from ackclock.running.run import Run
    from ackclock.scenario import Scenario

    Reals = NDArray[np.float64]

Model = Literal["approximate", "full"]
MODELS: tuple[Model, ...] = ("approximate", "full")
FACTORS = (1.5, 2.0, 3.0, 4.0)  # those of the tables
TOPOLOGIES = (1, 2, 3, 4)  # ISDN with few and with many connections, T1 with few and with many
FEW = 100  # the most connections of topologies 1 and 3

PAPER: Mapping[tuple[int, Model], tuple[float, ...]] = {
    (one, model): tuple(DEFINITION.table(table)[str(one)])
    for table, model in zip(("table2", "table3"), MODELS, strict=True)
    for one in range(1, 6)
}  # per cent of the flows within each of `FACTORS`, by topology and formula

RECORD = ("drops", "windows")  # what `flows_of` reads
_SAMPLES = 40  # how often the timeout of each flow is looked at, as in the reference runs
UNTIMED = 6.0  # seconds that count as the timeout of a flow that has no round-trip time: the first one
_LONGEST = 64.0  # seconds that no timeout exceeds
_ACK = 40  # bytes of an ACK


@dataclass(frozen=True, kw_only=True, slots=True)
class Flows:
    """What the flows of a run sent, and what the formulas take: one number a flow."""

    sent: Reals  # packets per second, retransmissions among them
    goodput: Reals  # packets per second that arrived for the first time and in order
    loss: Reals  # drops over packets sent; between the two there is only the flow's own link
    rtt: Reals  # mean round-trip time of the run, in seconds
    timeout: Reals  # mean timeout without back-off, in seconds

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Which flows the formulas have an answer for: they lost something, and not everything."""
        return (self.loss > 0) & (self.loss < 1) & (self.sent > 0)

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Flows:
        return Flows(**{name: getattr(self, name)[which] for name in self.__slots__})


def cells() -> list[Cell]:
    """Give the points of Table 1 at which ns-2 was run."""
    settings = [setting_of(row.where) for row in ns2_runs("manyflows").part("grid")]
    return [
        (
            {
                "processing": WITH if setting.overhead else WITHOUT,
                "topology": topology(setting),
                "setting": setting.name,
                "connections": setting.flows,
            },
            setting,
        )
        for setting in settings
    ]


def topology(setting: Setting) -> int:
    return (3 if setting.link is T1 else 1) + (setting.flows > FEW)


def ratios(run: Run) -> Taken:
    """Take of each flow for which the formulas have an answer what each predicts, over what was sent."""
    return ratios_of(flows_of(run))


def ratios_of(flows: Flows) -> Taken:
    usable = flows.chosen(flows.usable)
    return {model: predicted(usable, model) / usable.sent for model in MODELS}


def flows_of(run: Run) -> Flows:
    """Read the flows of a run over one bottleneck that has the records `RECORD`, from its warm-up on."""
    table = run.table("flows")
    begin, end = seconds(run.scenario.measure.from_ or ""), seconds(run.scenario.duration)
    count, length = table.num_rows, end - begin
    drops = run.table("drops")
    dropped = np.bincount(drops["flow"].to_numpy()[drops["time"].to_numpy() >= begin], minlength=count)
    sent = table["sent"].to_numpy()
    looked = begin + length * np.linspace(0, 1, _SAMPLES, endpoint=False)
    return Flows(
        sent=sent / length,
        goodput=table["goodput_packets"].to_numpy() / length,
        loss=np.divide(dropped, sent, out=np.zeros(count), where=sent > 0),
        rtt=mean_round_trips(run),
        timeout=unbacked_timeouts(run.table("windows"), count=count, at=looked).mean(axis=0),
    )


def mean_round_trips(run: Run) -> Reals:
    """Give the mean round-trip time of each flow of a dumbbell, in seconds.

    It is what an empty network takes, and by Little's law the packets that wait at the bottleneck over those that leave
    it in a second.
    """
    found, length = run.summary, seconds(run.scenario.duration) - seconds(run.scenario.measure.from_ or "")
    return found.queue_mean * length / found.departures + empty_round_trips(run.scenario)


def empty_round_trips(effective: Scenario) -> Reals:
    """Give the round-trip time of each flow of a dumbbell that has all defaults, in seconds, where nothing waits."""
    dumbbell = effective.dumbbell
    if dumbbell is None or dumbbell.reverse is None:
        raise ValueError("effective: must be a dumbbell with every default written out")
    ways = [(dumbbell.bottleneck, effective.packet_size), (dumbbell.reverse, _ACK)]
    trips = []
    for group in effective.clients:
        own = group.access or dumbbell.access
        there_and_back = [*ways, (own, effective.packet_size), (own, _ACK)]
        trip = sum(
            seconds(link.delay) + 8 * size / mean_rate(link, effective.duration)
            for link, size in there_and_back
            if link
        )
        trips += [trip] * group.count
    return np.array(trips)


def unbacked_timeouts(windows: pa.Table, *, count: int, at: Reals) -> Reals:
    """Read the timeouts that flows would have without back-off, in seconds: a row a time, a column a flow.

    The record has the timeout in force. A timer that expires doubles it, up to its maximum, and leaves a window of
    one packet; every other change of it, or of the smoothed round-trip time, is a sample, which ends the back-off. A
    flow whose round-trip time is unknown, or was forgotten after too many timeouts, counts as `UNTIMED`, as in the
    reference runs.
    """
    flow, time = windows["flow"].to_numpy(), windows["time"].to_numpy()
    order = np.lexsort((np.arange(flow.size), flow))
    flow, time = flow[order], time[order]
    rto, srtt, cwnd = (windows[name].to_numpy(zero_copy_only=False)[order] for name in ("rto", "srtt", "cwnd"))
    first = np.append(True, flow[1:] != flow[:-1])
    before, known = np.roll(rto, 1), ~np.isnan(srtt)
    doubled = (rto > before) & np.isclose(rto, np.minimum(2 * before, _LONGEST)) & (cwnd == 1)
    sampled = first | (~doubled & ((rto != before) | (known & (srtt != np.roll(srtt, 1)))))
    held = rto[np.maximum.accumulate(np.where(sampled, np.arange(flow.size), 0))]
    starts = np.searchsorted(flow, np.arange(count + 1))
    found = np.full((at.size, count), UNTIMED)
    for one, (begin, end) in enumerate(pairwise(starts.tolist())):
        place = begin + np.searchsorted(time[begin:end], at, side="right") - 1
        there = (place >= begin) & known[np.maximum(place, 0)]
        found[there, one] = held[place[there]]
    return found


def predicted(flows: Flows, model: Model) -> Reals:
    """Give what a formula says that usable flows send, in packets per second."""
    rates = pftk(p=flows.loss, rtt=flows.rtt, t0=flows.timeout)
    return rates.full if model == "full" else rates.approximate


def pooled(rows: Iterable[Row], model: Model) -> Reals:
    return np.concatenate([np.asarray(row.values[model], dtype=np.float64) for row in rows])


def tables(runs: Runs) -> list[Observed]:
    """Make the rows of Tables 2 and 3 from all flows.

    Values are, for each formula, the per cent of flows within each factor, the median of predicted over sent and the
    number of flows.
    """
    found = grouped([row for name in ("flows", "fifth") for row in runs.parts.get(name, ())], "processing", "topology")
    made = []
    for (processing, one), rows in found.cells.items():
        for model in MODELS:
            ratio = pooled(rows, model)
            within = within_factors(measured=np.ones(ratio.size), predicted=ratio, factors=FACTORS)
            values = {f"within_{factor:g}": 100 * share for factor, share in zip(FACTORS, within.shares, strict=True)}
            where = {"processing": processing, "topology": one, "formula": model}
            values |= {"median": within.median_ratio, "flows": within.count}
            made.append(Observed(where=where, seed=1, values=values))
    return made


# Topology 5 of Table 1, as we take it: its figure is lost, except the rate of its unlabelled links, 28.8 kb/s. We take
# them for the modems of the sources, before the T1 link of topologies 3 and 4, all with the same buffer: up to some 50
# connections wait at their own modem, more of them at the T1 link.
MODEM_BUFFERS = (100, 300, 500)  # buffer size of every link, in packets
MODEM_CONNECTIONS = (10, 60, 150, 300, 600)
_MODEM_SPAN = (250, 1000)


def fifth_parts() -> list[Part]:
    """Give the runs of topology 5, by the number of connections: each has a modem link of its own to record."""
    parts = []
    for connections in MODEM_CONNECTIONS:
        where: dict[str, Scalar] = {"processing": WITHOUT, "topology": 5}
        cells = [
            ({**where, "setting": f"buffers of {buffer}", "connections": connections}, fifth(connections, buffer))
            for buffer in MODEM_BUFFERS
        ]
        links = ",".join(["bottleneck", *(f"access.{number}" for number in range(connections))])
        parts.append(part("fifth", cells, fifth_ratios, record=(f"drops@{links}", "windows"), network=with_modems))
    return parts


def fifth(connections: int, buffer: int) -> Setting:
    warm, duration = _MODEM_SPAN
    return Setting(link=T1, flows=connections, capacity=buffer + T1.pipe, duration=duration, warm=warm)


def with_modems(setting: Setting) -> Scenario:
    queue = {"kind": "droptail", "packets": setting.buffer}
    return scenario(setting).changed({"clients.0.access": {"rate": "28.8 kbps", "delay": "1 us", "queue": queue}})


def smoothed_round_trips(run: Run) -> Reals:
    """Give the mean of what each flow smooths, in ticks of 0.1 s: flows wait at two links; 0 for one never timed."""
    windows, count = run.table("windows"), run.table("flows").num_rows
    srtt = windows["srtt"].to_numpy(zero_copy_only=False)
    known = ~np.isnan(srtt) & (windows["time"].to_numpy() >= seconds(run.scenario.measure.from_ or ""))
    flow = windows["flow"].to_numpy()[known]
    times = np.bincount(flow, minlength=count)
    return np.asarray(np.bincount(flow, srtt[known], minlength=count) / np.maximum(times, 1))


def fifth_ratios(run: Run) -> Taken:
    """Take the ratios of `ratios`, with these round trips."""
    flows, rtt = flows_of(run), smoothed_round_trips(run)
    # one that was never timed has no round trip to put into a formula
    return ratios_of(replace(flows, rtt=rtt, loss=np.where(rtt > 0, flows.loss, 0)))
