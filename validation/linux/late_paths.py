"""Paths as late as the measurement's: the lateness of packets in the traces, as delays for networks without a trace."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import ackclock as ac
from linux.data import traces
from linux.lateness import RTT_MS, delays
from linux.replay import RATE_MBPS, SCRIPTS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from ackclock import Scenario

_APART_MS: Final = 1e-3
"""Changes of a delay are at least this far apart."""

Course = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""Times and lateness, in ms."""


@cache
def record() -> tuple[Course, Course]:
    """Return the lateness of data and of ACKs, one trace after the other: all in which data is sent all the time."""
    found: tuple[list[Course], list[Course]] = ([], [])
    end = 0.0
    for trace in traces().values():
        if trace.script not in SCRIPTS or SCRIPTS[trace.script].burst is not None:
            continue
        ways = delays(trace, RATE_MBPS)
        length = min(float(way.times[-1]) for way in ways)
        for way, course in zip(ways, found, strict=True):
            inside = (way.times >= 0) & (way.times < length)
            course.append((end + way.times[inside], way.delays[inside] - RTT_MS / 2))
        end += length
    data, acks = (tuple(map(np.concatenate, zip(*course, strict=True))) for course in found)
    return (data[0], data[1]), (acks[0], acks[1])


def late(asked: Scenario, seed: int, folder: Path) -> Scenario:
    """Return a scenario with a late path. The record begins at a random time.

    Parameters
    ----------
    asked
        A dumbbell with the links ``bottleneck`` and ``reverse``, whose delays are in ms, and a duration in s.
    seed
        Chooses where the record begins.
    folder
        Where the files with the delays are written.
    """
    end = record()[0][0][-1]
    shift = float(np.random.default_rng(seed).uniform(0, end))
    tables: dict[str, Any] = asked.to_dict()
    for name, course in zip(("bottleneck", "reverse"), record(), strict=True):
        link = tables["dumbbell"][name]
        length, second = tables["duration"].split()
        number, unit = link.pop("delay").split()
        if (second, unit) != ("s", "ms"):
            msg = f"{name}.delay must be in ms, not in {unit}, and the duration in s, not in {second}"
            raise ValueError(msg)
        file = folder / f"{name}-{number}-{length}-{seed}.parquet"
        if not file.exists():
            _write(file, float(number), course, (shift, float(length) * 1e3))
        link["delay_trace"] = {"path": str(file)}
    return ac.Scenario.from_dict(tables)


def _write(file: Path, least_ms: float, course: Course, part: tuple[float, float]) -> None:
    """Write a delay trace whose delay is a number of ms and the lateness of a part of its course: start and length."""
    (times, lateness), (shift, length) = course, part
    moved = (times - shift) % times[-1]
    order = np.argsort(moved, kind="stable")
    order = order[moved[order] < length]
    kept = order[np.diff(moved[order], prepend=-np.inf) > _APART_MS]
    starts = np.concatenate(([0.0], moved[kept][1:]))
    table = pa.table({"time": starts / 1e3, "delay": (least_ms + lateness[kept]) / 1e3})
    pq.write_table(table, file)
