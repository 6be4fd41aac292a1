"""Topology 5 of Table 1, as we take it: its figure is lost, except the rate of its unlabelled links.

They have 28.8 kb/s. We take them for the modems of the sources, before the T1 link of topologies 3 and 4, all with the
same buffer: up to some 50 connections wait at their own modem, more of them at the T1 link.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.core.parts import Part, Spot
from ackclock.papers.manyflows.experiment import T1, Setting, scenario, work
from ackclock.papers.manyflows.padhye import RECORD, flows_of, ratios_of
from ackclock.papers.manyflows.places import WITHOUT
from ackclock.scenario import DropTail, Link
from ackclock.scenario.quantity import seconds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.papers.core.parts import Taken
    from ackclock.running.run import Run
    from ackclock.scenario import Scenario

BUFFERS = (100, 300, 500)  # buffer size of every link, in packets
CONNECTIONS = (10, 60, 150, 300, 600)
_MODEM = "28.8 kbps"
_SPAN = (250, 1000)


def fifth_parts() -> list[Part]:
    """Give the runs of topology 5, by the number of connections: each has a modem link of its own to record."""
    return [
        Part(
            name="fifth",
            spots=[
                Spot(
                    where={
                        "processing": WITHOUT,
                        "topology": 5,
                        "setting": f"buffers of {buffer}",
                        "connections": connections,
                    },
                    scenario=fifth_scenario(connections, buffer),
                )
                for buffer in BUFFERS
            ],
            take=take,
            record=(f"drops@{_links(connections)}", *(one for one in RECORD if one != "drops")),
            work=work,
        )
        for connections in CONNECTIONS
    ]


def _links(connections: int) -> str:
    return ",".join(["bottleneck", *(f"access.{number}" for number in range(connections))])


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


def smoothed_round_trips(run: Run) -> NDArray[np.float64]:
    """Give the mean of what each flow smooths, in ticks of 0.1 s: flows wait at two links; 0 for one never timed."""
    windows, count = run.table("windows"), run.table("flows").num_rows
    srtt = windows["srtt"].to_numpy(zero_copy_only=False)
    known = ~np.isnan(srtt) & (windows["time"].to_numpy() >= seconds(run.scenario.measure.from_ or ""))
    flow = windows["flow"].to_numpy()[known]
    times = np.bincount(flow, minlength=count)
    return np.asarray(np.bincount(flow, srtt[known], minlength=count) / np.maximum(times, 1))


def take(run: Run) -> Taken:
    """Take the ratios of `ackclock.papers.manyflows.padhye.ratios`, with these round trips."""
    flows, rtt = flows_of(run), smoothed_round_trips(run)
    # one that was never timed has no round trip to put into a formula
    return ratios_of(replace(flows, rtt=rtt, loss=np.where(rtt > 0, flows.loss, 0)))
