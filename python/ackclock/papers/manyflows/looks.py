"""A pipe looked at closely: who loses together, what waits in the buffer, and what each connection receives.

Qiu, Zhang and Keshav show the large pipe in Figures 6 and 15, the small one in 8 and 17, the medium one in 10 and 18.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import loss_correlation, loss_epochs
from ackclock.papers.manyflows.experiment import ISDN, PACKET_SIZE, T1, grid_setting, scenario
from ackclock.papers.manyflows.places import WINDOWS
from ackclock.papers.observation import Observation, cells_wanted
from ackclock.study import Point

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from ackclock.papers.manyflows.experiment import Bottleneck, Setting
    from ackclock.running.run import Run
    from ackclock.study import Wanted

__all__ = ["PIPES", "Course", "Look", "Pipe", "looks_wanted", "observations"]

_ACK_BITS = 8 * 40


@dataclass(frozen=True, kw_only=True, slots=True)
class Pipe:
    """A bottleneck that the paper looks at closely.

    Parameters
    ----------
    link
        The bottleneck.
    buffer
        Packets that its gateway has room for.
    flows
        Connections that share it.
    size
        Large, medium or small.

    """

    link: Bottleneck
    buffer: int
    flows: int
    size: str

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.link.name}, n = {self.flows}, B = {self.buffer}"

    def setting(self, fraction: float) -> Setting:
        """Give its setting, with processing times up to a part of the round-trip time with a full buffer."""
        span = (ISDN.warm, 1500) if self.link is ISDN else (T1.warm, T1.duration)
        return grid_setting(self.link, self.buffer + self.link.pipe, self.flows, fraction=fraction, span=span)


PIPES = {
    pipe.name: pipe
    for pipe in (
        Pipe(link=ISDN, buffer=400, flows=100, size="large"),
        Pipe(link=T1, buffer=400, flows=100, size="large"),
        Pipe(link=T1, buffer=60, flows=300, size="small"),
        Pipe(link=T1, buffer=160, flows=300, size="small"),
        Pipe(link=T1, buffer=160, flows=100, size="medium"),
    )
}
"""The pipes of Figures 6, 8 and 10."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """What one run shows over time, in the seconds that the paper shows.

    Parameters
    ----------
    times, packets
        When the buffer was looked at, in seconds from the start of the run, and how many packets waited.
    acks, flows
        When ACKs arrived, and of which connections.

    """

    times: NDArray[np.float32]
    packets: NDArray[np.uint16]
    acks: NDArray[np.float32]
    flows: NDArray[np.uint16]


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """One run of a pipe.

    Parameters
    ----------
    pipe
        Its name.
    seed
        Seed of the run.
    values
        ``correlation`` of losses and the part of ``quiet`` round trips; ``epochs`` and the ``share`` of connections
        that lose in one; the buffer's percentiles ``low``, ``middle`` and ``high`` (5, 50, 95) in packets; ``loss``,
        ``jain_index`` and connections that are ``shut_off``; of packets received in the seconds that the paper shows
        the ``least``, the ``most`` and connections that are ``starved`` of nine tenths of their fair share.
    received
        Packets that each connection received in those seconds, ascending.
    course
        What was seen over time; None of ns-2.

    """

    pipe: str
    seed: int
    values: Mapping[str, float | None]
    received: NDArray[np.int64]
    course: Course | None = None


def fair_share(pipe: Pipe) -> float:
    """Give the packets that each connection would receive in the seconds that the paper shows."""
    start, end = WINDOWS[pipe.link.name]
    return (end - start) / pipe.link.service / pipe.flows


def looks_wanted(fraction: float, *, seeds: Iterable[int]) -> list[Wanted[Look, list[Look]]]:
    """Ask for runs of all pipes.

    Parameters
    ----------
    fraction
        Processing time, as for `grid_setting`.
    seeds
        As for `ackclock.study.Wanted`.

    """
    seeds = list(seeds)
    return [
        cells_wanted(
            [pipe],
            point=lambda pipe: Point(
                name=f"{pipe.flows} connections, {pipe.setting(fraction).name}",
                scenario=scenario(pipe.setting(fraction)),
                work=pipe.setting(fraction).duration * pipe.link.bps,
            ),
            seeds=seeds,
            take=_taker(pipe, pipe.setting(fraction)),
            make=lambda ran: [run.value for _, runs in ran for run in runs],
            record=("drops", "acks", f"queue@bottleneck/{'1s' if pipe.link is ISDN else '100ms'}"),
        )
        for pipe in PIPES.values()
    ]


def observations(looks: Iterable[Look]) -> list[Observation]:
    """Give what was measured as observations, the pipe as the variant."""
    return [
        Observation(variant=look.pipe, clients=PIPES[look.pipe].flows, seed=look.seed, values=look.values)
        for look in looks
    ]


def _taker(pipe: Pipe, setting: Setting) -> Callable[[Run], Look]:
    """Take a run of a pipe down to a few thousand numbers."""
    start, end = WINDOWS[pipe.link.name]

    def take(run: Run) -> Look:
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
        arrived, flows = acks["time"].to_numpy(), acks["flow"].to_numpy()
        seen = (start <= arrived) & (arrived < end)
        received = np.sort(np.bincount(flows[seen], minlength=count))
        return Look(
            pipe=pipe.name,
            seed=run.seed,
            values={
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
                "starved": int(np.sum(received < 0.1 * fair_share(pipe))),
            },
            received=received,
            course=Course(
                times=times[times <= end].astype(np.float32),
                packets=packets[times <= end].astype(np.uint16),
                acks=arrived[seen].astype(np.float32),
                flows=flows[seen].astype(np.uint16),
            ),
        )

    return take
