"""Topology 5 of Table 1, as far as it can be told: its figure is lost but for what it says of unlabelled links.

They have 28.8 kb/s. We take them for the modems of the sources, before the T1 link of topologies 3 and 4, all with the
same buffer: up to some 50 connections wait at their own modem, more of them at the T1 link.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.manyflows.experiment import T1, Setting, scenario
from ackclock.papers.manyflows.padhye import RECORD, Flows, flows_of, point_of
from ackclock.scenario import DropTail, Link
from ackclock.scenario.quantity import seconds
from ackclock.study import Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.running.run import Run
    from ackclock.scenario import Scenario
    from ackclock.study import Batch

__all__ = ["BUFFERS", "CONNECTIONS", "fifth_scenario", "gather_fifth"]

BUFFERS = (100, 300, 500)
"""Packets that find room before every link."""
CONNECTIONS = (10, 60, 150, 300, 600)
_MODEM = "28.8 kbps"
_SPAN = (250, 1000)


def gather_fifth(batch: Batch, *, seeds: Sequence[int]) -> Callable[[], Flows]:
    """Ask for the flows of topology 5.

    Parameters
    ----------
    batch
        Where to ask.
    seeds
        The seeds of the runs.

    Returns
    -------
    Callable
        Gives the flows once the batch has run. Their round trips are the means of what they smooth, with ticks of
        0.1 s: they wait at more than one link.

    """
    made = [batch.add(_wanted(connections, seeds=seeds)) for connections in CONNECTIONS]
    return lambda: Flows.joined(flows() for flows in made)


def fifth_scenario(connections: int, buffer: int) -> Scenario:
    """Give the network."""
    made = scenario(_setting(connections, buffer))
    modem = Link(rate=_MODEM, delay="1 us", queue=DropTail(packets=buffer))
    return made.model_copy(
        update={"clients": tuple(group.model_copy(update={"access": modem}) for group in made.clients)}
    )


def _setting(connections: int, buffer: int) -> Setting:
    warm, duration = _SPAN
    return Setting(link=T1, flows=connections, capacity=buffer + T1.pipe, duration=duration, warm=warm)


def _wanted(connections: int, *, seeds: Sequence[int]) -> Wanted[Flows, Flows]:
    links = ",".join(["bottleneck", *(f"access.{number}" for number in range(connections))])
    return Wanted(
        points=[
            replace(
                point_of(_setting(connections, buffer)),
                name=f"topology 5, {connections} connections, buffers of {buffer}",
                scenario=fifth_scenario(connections, buffer),
            )
            for buffer in BUFFERS
        ],
        seeds=seeds,
        take=_take,
        record=(f"drops@{links}", *(one for one in RECORD if one != "drops")),
        make=lambda ran: Flows.joined(run.value for run in ran),
    )


def _take(run: Run) -> Flows:
    flows, windows = flows_of(run), run.table("windows")
    srtt = windows["srtt"].to_numpy(zero_copy_only=False)
    known = ~np.isnan(srtt) & (windows["time"].to_numpy() >= seconds(run.scenario.measure.from_ or ""))
    flow, count = windows["flow"].to_numpy()[known], flows.sent.size
    times = np.bincount(flow, minlength=count)
    rtt = np.bincount(flow, srtt[known], minlength=count) / np.maximum(times, 1)
    # one that was never timed has no round trip to put into a formula
    return replace(flows, rtt=rtt, loss=np.where(times > 0, flows.loss, 0))
