"""The paper's network with two kinds of client: Reno in the background, and newcomers that run Reno or Vegas.

As in `ackclock.papers.burstiness.experiment`, each sender takes up to 12 µs of processing time, and settings that the
papers do not print come from the profile `ns2-2.35`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock.papers.burstiness.experiment import BOTTLENECK_RATE, DURATION, PACKET_SIZE, RATE, RED_WEIGHT
from ackclock.papers.core.definition import Definition
from ackclock.papers.observation import summary
from ackclock.running.run import Run
from ackclock.scenario import Scenario

DEFINITION = Definition("ackclock.papers.heterogeneous")

START = "1 s"  # of the newcomers: the paper says that they start right after the background
LATE_START = "10 s"  # of the newcomers: after the background's first slow start and the resulting queue
GREEDY = {f"clients.{group}.source": {"kind": "greedy"} for group in (0, 1)}
"""Changes that give every client data to send at any time."""

GATEWAYS: Mapping[int, Mapping[str, tuple[int, int] | None]] = {
    50: {"": None, "/RED": (10, 40)},
    1500: {"": None, "/RED1": (300, 1200), "/RED2": (75, 300)},
}
"""Gateways by buffer in packets: suffix of the names of curves, and RED's thresholds (None for FIFO)."""

NEWCOMERS: Mapping[int, Sequence[int]] = {20: (5, 10, 15, 20, 25, 30, 35, 40), 40: (2, 4, 8, 12, 16, 20)}
"""Numbers of added clients, by the number of clients in the background."""
MOST = 60  # clients of both kinds at the end of each curve
LATE = {20: (20, 40), 40: (8, 20)}
"""Numbers of added clients in runs in which they start late, by the number of clients in the background."""
SATURATED = BOTTLENECK_RATE / (8 * PACKET_SIZE) / RATE  # number of clients whose load fills the bottleneck: 41.7

CLASSES = ("added", "background")  # the two kinds of client, with which the names of their measures begin


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """The number of Reno clients in the background and the buffer of the gateway, in packets, of two figures."""

    background: int
    buffer: int

    @property
    def where(self) -> dict[str, int]:
        """Coordinates that all points of the scene share."""
        return {"background": self.background, "buffer": self.buffer}

    @property
    def slug(self) -> str:
        """Name of the scene in file names."""
        return f"{self.background}-{self.buffer}"

    @property
    def counts(self) -> Sequence[int]:
        """Numbers of added clients."""
        return NEWCOMERS[self.background]

    @property
    def most(self) -> int:
        return MOST - self.background

    @property
    def gateways(self) -> Sequence[str]:
        """Suffixes of the names of the curves, which name the gateways."""
        return tuple(GATEWAYS[self.buffer])


SCENES = tuple(Scene(background=background, buffer=buffer) for background in NEWCOMERS for buffer in GATEWAYS)
"""The scenes of Figures 5 and 6, 7 and 8, 9 and 10, and 11 and 12."""


def variants(scene: Scene) -> list[str]:
    """Name the curves of a scene, in the order of the legends: protocol of the added clients, and gateway."""
    return [f"{name}{gateway}" for gateway in scene.gateways for name in ("Reno", "Vegas")]


def gateway_name(buffer: int, gateway: str) -> str:
    """Name a gateway of `GATEWAYS` in words."""
    thresholds = GATEWAYS[buffer][gateway]
    kind = "FIFO" if thresholds is None else f"{gateway.removeprefix('/')} {thresholds[0]}/{thresholds[1]}"
    return f"{kind}, {buffer:,} packets"


def scenario(scene: Scene, variant: str, added: int, **fields: Any) -> Scenario:
    """Make the scenario with both kinds of client; its groups are ``background`` and ``added``.

    `variant` names the protocol of the added clients and the gateway, as in `variants`; `fields` are changes as for
    `Definition.scenario`, where ``base_rtt`` is ignored unless the added clients run Vegas.
    """
    protocol, slash, gateway = variant.partition("/")
    thresholds = GATEWAYS[scene.buffer][slash + gateway]
    queue: dict[str, Any] = {"kind": "droptail", "packets": scene.buffer}
    if thresholds is not None:
        queue |= {"kind": "red", "min_th": thresholds[0], "max_th": thresholds[1], "w_q": RED_WEIGHT}
    if protocol != "Vegas":
        fields.pop("base_rtt", None)
    return DEFINITION.scenario(protocol, queue=queue, background=scene.background, clients=added, **fields)


def class_summary(run: Run) -> Mapping[str, float | None]:
    """Take the summary of a run, and the packets, goodput and fairness of each kind of client.

    ``goodput_packets`` counts the packets that arrived for the first time and in order.
    """
    return {
        **summary(run),
        **{
            f"{group.name}_{name}": value
            for group in run.summary.groups
            for name, value in (
                ("arrivals", group.arrivals),
                ("departures", group.departures),
                ("drops", group.drops),
                ("goodput_packets", group.goodput_bps * DURATION / (8 * PACKET_SIZE)),
                ("timeouts", group.timeouts),
                ("jain_index", group.jain_index),
            )
        },
    }
