"""Runs a twin, captures its packets, and measures them like those of the capture."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.analysis import mean_interval
from ackclock.capture.reading import read_capture
from ackclock.capture.twin.seen import seen
from ackclock.capture.twin.twinning import SCENARIO, USUAL, toml
from ackclock.running.run import simulate
from ackclock.scenario import Scenario
from ackclock.values.errors import ScenarioError, impossible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.analysis import Interval
    from ackclock.capture.twin.twinning import Law, Twin

SEEDS: Final = 5
WITHIN: Final = 0.10
"""The twin fits if the means of goodput and round-trip time are within this part of the capture's."""
_TAP: Final = "access.0,access.0.reverse@receive"


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Measures of a transfer over several seeds."""

    goodput: Interval
    """Acknowledged data in b/s, from the first data to the last ACK."""
    trip: Interval
    """Mean round-trip time in s."""
    wait: Interval
    """Mean round-trip time less that without queues, in s."""
    lost: float
    """Mean share of the segments that were sent again."""
    duration: float
    """Mean time of the transfer in s."""


def measured(scenario: Scenario, unloaded: float, *, seeds: int = SEEDS) -> Measured:
    """Simulate a scenario with several seeds, and measure its first connection by its packets."""
    found = [_once(scenario, seed) for seed in range(1, seeds + 1)]
    goodput, trip, lost, duration = (list(column) for column in zip(*found, strict=True))
    return Measured(
        goodput=mean_interval(goodput),
        trip=mean_interval(trip),
        wait=mean_interval([max(each - unloaded, 0.0) for each in trip]),
        lost=float(np.mean(lost)),
        duration=float(np.mean(duration)),
    )


def _once(scenario: Scenario, seed: int) -> tuple[float, float, float, float]:
    run = simulate(scenario, seed=seed, capture=[_TAP])
    with TemporaryDirectory() as folder:
        file, packets = Path(folder) / "twin.pcapng", Path(folder) / "packets.parquet"
        run.write_pcapng(_TAP, file)
        read_capture(file, packets=packets)
        try:
            found = seen(packets, 0, links=[101])
        except ScenarioError:
            raise impossible("this connection cannot be twinned: its twin hardly sends anything") from None
    return found.goodput, found.mean_trip, float(np.mean(found.is_again)), found.duration


def settled(twin: Twin, folder: Path) -> Twin:
    """Return a twin whose law is the one of `USUAL` with which it is closest to the capture, if none was identified.

    The folder has the twin's traces.
    """
    if twin.law.is_identified:
        return twin
    others = [replace(twin.law, name=name, stack="linux") for name in USUAL if name != twin.law.name]
    return replace(twin, law=min([twin.law, *others], key=lambda law: _away(twin, law, folder)))


def _away(twin: Twin, law: Law, folder: Path) -> float:
    own = measured(scenario_in(folder, twin.tables(law=law)), 0.0, seeds=1)
    trip = 0.0 if twin.seen.place == "receiver" else abs(math.log(own.trip.mean / twin.seen.mean_trip))
    return trip + abs(math.log(max(own.goodput.mean, 1.0) / max(twin.seen.goodput, 1.0)))


def scenario_in(folder: Path, tables: Mapping[str, Any]) -> Scenario:
    """Read a scenario whose traces are in the folder."""
    file = folder / f".{SCENARIO}"
    file.write_text(toml(tables), encoding="utf-8")
    try:
        return Scenario.from_toml(file)
    finally:
        file.unlink()


def fits(twin: Twin, measured: Measured) -> bool:
    """Whether a twin fits by the rule; beside the receiver, by the goodput alone."""
    pairs = [(measured.goodput.mean, twin.seen.goodput)]
    if twin.seen.place != "receiver":
        pairs.append((measured.trip.mean, twin.seen.mean_trip))
    return all(abs(own - captured) <= WITHIN * captured for own, captured in pairs)
