"""The numbers that the figures show of one class of clients or of both, in the figures' units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.burstiness.experiment import DURATION
from ackclock.papers.heterogeneous.experiment import CLASSES

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.papers.observation import Observation

__all__ = ["goodput", "loss", "loss_percent", "per_client", "queue_share", "throughput"]


def _sum(observation: Observation, name: str, classes: tuple[str, ...]) -> float | None:
    parts = [observation.values[f"{one}_{name}"] for one in classes]
    return None if None in parts else sum(part for part in parts if part is not None)


def throughput(*classes: str) -> Callable[[Observation], float | None]:
    """Make the measure of the packets of some classes, both by default, that the bottleneck carried, in thousands."""
    return _thousands("departures", classes or CLASSES)


def goodput(*classes: str) -> Callable[[Observation], float | None]:
    """Make the measure of those that reached the server for the first time and in order, in thousands."""
    return _thousands("goodput_packets", classes or CLASSES)


def _thousands(name: str, classes: tuple[str, ...]) -> Callable[[Observation], float | None]:
    def measure(observation: Observation) -> float | None:
        packets = _sum(observation, name, classes)
        return None if packets is None else packets / 1e3

    return measure


def loss(*classes: str) -> Callable[[Observation], float | None]:
    """Make the measure of the drops of some classes, both by default, as a part of their arrivals."""

    def measure(observation: Observation) -> float | None:
        drops, arrivals = (_sum(observation, name, classes or CLASSES) for name in ("drops", "arrivals"))
        return drops / arrivals if drops is not None and arrivals else None

    return measure


def loss_percent(*classes: str) -> Callable[[Observation], float | None]:
    """Make the same as a percentage."""

    def measure(observation: Observation) -> float | None:
        part = fraction(observation)
        return None if part is None else 100 * part

    fraction = loss(*classes)
    return measure


def per_client(clients: int | None = None, *, late: float = 1.0) -> Callable[[Observation], float | None]:
    """Make the measure of the goodput of one client, in packets a second of the time that it was there.

    Parameters
    ----------
    clients
        Clients of the background, whose goodput is wanted; by default that of the added ones is.
    late
        Seconds after which those started.

    """

    def measure(observation: Observation) -> float | None:
        packets = observation.values["background_goodput_packets" if clients else "added_goodput_packets"]
        seconds = DURATION if clients else DURATION - late
        return None if packets is None else packets / (clients or observation.clients) / seconds

    return measure


def queue_share(observation: Observation) -> float | None:
    """Give the packets that wait of one added client, on average over the run.

    All classes wait alike in a first-in, first-out queue, so each has the share of it that it has of what leaves.
    """
    waiting, own = observation.values["queue_mean"], observation.values["added_departures"]
    whole = _sum(observation, "departures", CLASSES)
    return waiting * own / whole / observation.clients if waiting is not None and own is not None and whole else None
