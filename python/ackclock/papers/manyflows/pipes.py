"""Detailed measures of a pipe: synchronised losses, buffer occupancy, and packets that each connection receives.

Qiu, Zhang and Keshav show large pipes in Figures 6 and 15, small ones in 8 and 17, and a medium one in 10 and 18. A row
of the part "looks" has these values: ``correlation`` of losses between connections, share of ``quiet`` round trips
without a loss, number of loss ``epochs``, and mean ``share`` of the connections that lose in an epoch; ``low``,
``middle`` and ``high``, the 5th, 50th and 95th percentiles of the packets in the buffer; ``loss``, ``jain_index`` and
number of connections ``shut_off``. For the interval that the paper shows: ``received``, an ascending array of the
packets that each connection received, their minimum ``least`` and maximum ``most``, and the number of ``starved``
connections below a tenth of their fair share. Rows of the part "courses" have arrays: ``times`` and ``packets`` of the
buffer's samples, and ``acks`` and ``flows``, the times and connections of arriving ACKs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ackclock.analysis import loss_correlation, loss_epochs
from ackclock.papers.core.parts import Part, Taken
from ackclock.papers.manyflows.experiment import ISDN, PACKET_SIZE, T1, Bottleneck, Setting, grid_setting, part
from ackclock.papers.manyflows.places import PROCESSING, WINDOWS, WITHOUT
from ackclock.running.run import Run
from ackclock.scenario import Scenario
from ackclock.scenario.network import mean_rate

_ACK_BITS = 8 * 40


@dataclass(frozen=True, kw_only=True, slots=True)
class Pipe:
    """A bottleneck that the paper shows in detail: its buffer in packets, and its size, large, medium or small."""

    link: Bottleneck
    buffer: int
    flows: int
    size: str

    @property
    def name(self) -> str:
        return f"{self.link.name}, n = {self.flows}, B = {self.buffer}"

    @property
    def fair_share(self) -> float:
        """The packets per connection that the link can carry in the interval that the paper shows."""
        start, end = WINDOWS[self.link.name]
        return (end - start) / self.link.service / self.flows

    def setting(self, processing: str) -> Setting:
        span = (ISDN.warm, 1500) if self.link is ISDN else (T1.warm, T1.duration)
        capacity = self.buffer + self.link.pipe
        return grid_setting(self.link, capacity, self.flows, fraction=PROCESSING[processing], span=span)


PIPES = {
    pipe.name: pipe
    for pipe in (
        Pipe(link=ISDN, buffer=400, flows=100, size="large"),
        Pipe(link=T1, buffer=400, flows=100, size="large"),
        Pipe(link=T1, buffer=60, flows=300, size="small"),
        Pipe(link=T1, buffer=160, flows=300, size="small"),
        Pipe(link=T1, buffer=160, flows=100, size="medium"),
    )
}  # the pipes of Figures 6, 8 and 10


def pipe_parts() -> list[Part]:
    """Return the parts of all pipes, with time courses for one seed; ISDN's buffer is sampled less often."""
    parts = []
    for link, step in ((ISDN, "1s"), (T1, "100ms")):
        pipes = [(processing, pipe) for processing in PROCESSING for pipe in PIPES.values() if pipe.link is link]
        cells = [({"processing": words, "pipe": pipe.name}, pipe.setting(words)) for words, pipe in pipes]
        record = ("drops", "acks", f"queue@bottleneck/{step}")
        parts += [part("looks", cells, pipe_measures, record=record)]
        parts += [replace(part("courses", cells, course, record=record), seeds=(1,))]
    return parts


def pipe_of(made: Scenario) -> Pipe:
    bottleneck = made.dumbbell and made.dumbbell.bottleneck
    for pipe in PIPES.values():
        if bottleneck and bottleneck.queue and bottleneck.queue.packets == pipe.buffer:
            near = abs(mean_rate(bottleneck, made.duration) - pipe.link.bps) <= 1
            if near and made.groups[0].count == pipe.flows:
                return pipe
    raise ValueError("made: must be one of the pipes")


def pipe_measures(run: Run) -> Taken:
    pipe = pipe_of(run.scenario)
    setting = pipe.setting(WITHOUT)
    start, end = WINDOWS[pipe.link.name]
    count, found = setting.flows, run.summary
    drops, queue, acks = run.table("drops"), run.table("queue"), run.table("acks")
    lost, losers = drops["time"].to_numpy(), drops["flow"].to_numpy()
    bits = 8 * PACKET_SIZE + _ACK_BITS
    round_trip = 2 * setting.delay / 1e3 + found.queue_mean * setting.link.service + bits / setting.link.bps
    together = loss_correlation(
        lost, losers, count=count, round_trip=round_trip, start=setting.warm, end=setting.duration
    )
    late = lost >= setting.warm
    epochs = loss_epochs(lost[late], losers[late], count=count, gap=round_trip / 2)
    times, packets = queue["time"].to_numpy(), queue["packets"].to_numpy()
    low, middle, high = np.percentile(packets[times >= setting.warm], (5, 50, 95)).tolist()
    arrived = acks["time"].to_numpy()
    seen = (start <= arrived) & (arrived < end)
    received = np.sort(np.bincount(acks["flow"].to_numpy()[seen], minlength=count))
    return {
        "correlation": together.value,
        "quiet": together.quiet,
        "epochs": epochs.count,
        "share": epochs.mean_share,
        "low": low,
        "middle": middle,
        "high": high,
        "loss": found.loss,
        "jain_index": found.jain_index,
        "shut_off": found.shut_off,
        "least": int(received[0]),
        "most": int(received[-1]),
        "starved": int(np.sum(received < 0.1 * pipe.fair_share)),
        "received": received,
    }


def course(run: Run) -> Taken:
    """Return the time courses of a run of a pipe for the interval that the paper shows."""
    start, end = WINDOWS[pipe_of(run.scenario).link.name]
    queue, acks = run.table("queue"), run.table("acks")
    times, arrived = queue["time"].to_numpy(), acks["time"].to_numpy()
    seen = (start <= arrived) & (arrived < end)
    return {
        "times": times[times <= end],
        "packets": queue["packets"].to_numpy()[times <= end],
        "acks": arrived[seen],
        "flows": acks["flow"].to_numpy()[seen],
    }
