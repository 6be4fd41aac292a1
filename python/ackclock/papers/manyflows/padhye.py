"""Tables 2 and 3: rates of flows, and the rates that the formulas of Padhye et al. predict from losses and delays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ackclock.analysis.models import pftk, within_factors
from ackclock.papers.core.evidence import Row, Runs, Scalar, grouped
from ackclock.papers.core.evidence import Run as Observed
from ackclock.papers.core.parts import Part, Taken
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.manyflows.experiment import T1, Setting, part, scenario
from ackclock.papers.manyflows.places import DEFINITION, WITH, WITHOUT, Cell, setting_of
from ackclock.running.run import Run
from ackclock.scenario import Scenario
from ackclock.scenario.network import mean_delay, mean_rate
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, seconds

Reals = NDArray[np.float64]

Model = Literal["approximate", "full"]
MODELS: tuple[Model, ...] = ("approximate", "full")
FACTORS = (1.5, 2.0, 3.0, 4.0)  # factors of the tables
TOPOLOGIES = (1, 2, 3, 4)  # ISDN with few and with many connections, T1 with few and with many
FEW = 100  # largest number of connections in topologies 1 and 3

PAPER: Mapping[tuple[int, Model], tuple[float, ...]] = {
    (one, model): tuple(DEFINITION.table(table)[str(one)])
    for table, model in zip(("table2", "table3"), MODELS, strict=True)
    for one in range(1, 6)
}  # per cent of the flows within each of `FACTORS`, by topology and formula

RECORD = ("drops", "windows")  # records that `flows_of` reads
_SAMPLES = 40  # samples of the timeout of each flow, as in the reference runs
UNTIMED = 6.0  # timeout in seconds of a flow without a measured round-trip time: the initial one
_LONGEST = 64.0  # largest timeout, in seconds
_ACK = 40  # bytes of an ACK


@dataclass(frozen=True, kw_only=True, slots=True)
class Flows:
    """Rates of the flows of a run and inputs of the formulas, one number per flow."""

    sent: Reals  # packets per second, retransmissions included
    goodput: Reals  # packets per second that arrived for the first time and in order
    loss: Reals  # drops over packets sent
    rtt: Reals  # mean round-trip time of the run, in seconds
    timeout: Reals  # mean timeout without back-off, in seconds

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Flows to which the formulas apply: they lost some packets, but not all."""
        return (self.loss > 0) & (self.loss < 1) & (self.sent > 0)

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Flows:
        return Flows(**{name: getattr(self, name)[which] for name in self.__slots__})


def cells() -> list[Cell]:
    """Return the points of Table 1 that ns-2 ran."""
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
    """Return the ratio of predicted to sent packets of each usable flow, by formula."""
    return ratios_of(flows_of(run))


def ratios_of(flows: Flows) -> Taken:
    usable = flows.chosen(flows.usable)
    return {model: predicted(usable, model) / usable.sent for model in MODELS}


def flows_of(run: Run) -> Flows:
    """Return the flows of a run over one bottleneck after its warm-up; the run needs the records `RECORD`."""
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
    """Return the mean round-trip time of each flow of a dumbbell, in seconds.

    It is the round-trip time of the empty network plus the mean wait at the bottleneck, which by Little's law is the
    mean queue divided by the departures per second.
    """
    found, length = run.summary, seconds(run.scenario.duration) - seconds(run.scenario.measure.from_ or "")
    return found.queue_mean * length / found.departures + empty_round_trips(run.scenario)


def empty_round_trips(effective: Scenario) -> Reals:
    """Return the round-trip time of each flow in an empty dumbbell with all defaults written out, in seconds."""
    dumbbell = effective.dumbbell
    if dumbbell is None or dumbbell.reverse is None:
        raise ValueError("effective: must be a dumbbell with every default written out")
    ways = [(dumbbell.bottleneck, effective.packet_size), (dumbbell.reverse, _ACK)]
    trips = []
    for group in effective.clients:
        own = group.access or dumbbell.access
        there_and_back = [*ways, (own, effective.packet_size), (own, _ACK)]
        trip = sum(
            mean_delay(link, effective.duration) / PICOSECONDS_PER_SECOND
            + 8 * size / mean_rate(link, effective.duration)
            for link, size in there_and_back
            if link
        )
        trips += [trip] * group.count
    return np.array(trips)


def unbacked_timeouts(windows: pa.Table, *, count: int, at: Reals) -> Reals:
    """Return the timeouts of flows without back-off, in seconds: one row per time, one column per flow.

    The record has the current timeout. A timer that expires doubles the timeout, up to its maximum, and sets the window
    to one packet. Every other change of the timeout or of the smoothed round-trip time is a new sample, which ends the
    back-off. The timeout of a flow whose round-trip time is unknown, or was discarded after too many timeouts, is
    `UNTIMED`, as in the reference runs.
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
    """Return the rates that a formula predicts for usable flows, in packets per second."""
    rates = pftk(p=flows.loss, rtt=flows.rtt, t0=flows.timeout)
    return rates.full if model == "full" else rates.approximate


def pooled(rows: Iterable[Row], model: Model) -> Reals:
    return np.concatenate([np.asarray(row.values[model], dtype=np.float64) for row in rows])


def tables(runs: Runs) -> list[Observed]:
    """Make the rows of Tables 2 and 3 from all flows.

    The values are, for each formula, the percentage of flows within each factor, the median ratio of predicted to sent
    packets and the number of flows.
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


# Topology 5 of Table 1: its figure is lost, except for the rate of unlabelled links, 28.8 kb/s. We assume that they are
# modems of the sources before the T1 link of topologies 3 and 4, and that all links have the same buffer. Up to some 50
# connections then queue at their own modems, and more connections at the T1 link.
MODEM_BUFFERS = (100, 300, 500)  # buffer size of every link, in packets
MODEM_CONNECTIONS = (10, 60, 150, 300, 600)
_MODEM_SPAN = (250, 1000)


def fifth_parts() -> list[Part]:
    """Return the parts of topology 5: one per number of connections, since each connection's modem is recorded."""
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
    """Return the mean smoothed round-trip time of each flow over all samples, in seconds; 0 without a sample."""
    windows, count = run.table("windows"), run.table("flows").num_rows
    srtt = windows["srtt"].to_numpy(zero_copy_only=False)
    known = ~np.isnan(srtt) & (windows["time"].to_numpy() >= seconds(run.scenario.measure.from_ or ""))
    flow = windows["flow"].to_numpy()[known]
    times = np.bincount(flow, minlength=count)
    return np.asarray(np.bincount(flow, srtt[known], minlength=count) / np.maximum(times, 1))


def fifth_ratios(run: Run) -> Taken:
    """Return the ratios of `ratios`, with smoothed round-trip times, since flows wait at two links."""
    flows, rtt = flows_of(run), smoothed_round_trips(run)
    # formulas do not apply to a flow without a round-trip time
    return ratios_of(replace(flows, rtt=rtt, loss=np.where(rtt > 0, flows.loss, 0)))
