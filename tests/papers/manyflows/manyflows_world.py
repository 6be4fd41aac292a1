"""Synthetic runs in which the claims of the paper on many flows hold, and functions that change them."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.papers.manyflows import test_distances, test_internet, test_padhye, test_reasons

from ackclock.analysis.models import large_pipe_loss
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both
from ackclock.papers.manyflows import places
from ackclock.papers.manyflows.looks import PIPES
from ackclock.papers.manyflows.places import (
    CAPPED,
    PARTS,
    PROCESSING,
    STEADY,
    TOGETHER,
    WITH,
    WITHOUT,
    printed,
)
from ackclock.papers.manyflows.study import PAPER as STUDY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ackclock.papers.core.evidence import Row
    from ackclock.papers.manyflows.experiment import Setting
    from ackclock.papers.manyflows.looks import Pipe
    from ackclock.papers.manyflows.places import Cell

    Values = dict[str, float]
    Where = Mapping[str, Any]
    Change = Callable[[Runs], Runs]
    New = Callable[[float, Row], float]

SEEDS = (1, 2, 3)


def grid(where: Where, setting: Setting) -> Values:
    """Make runs of the grid with the paper's loss, and few unnecessary retransmissions below a loss of 20 %."""
    loss = float(printed(where.get("processing", WITHOUT), where["curve"], setting.flows))
    return {"loss": loss, "goodput": 1 - (0.026 if loss >= 0.2 else 0.02)}


def predicted(_: Where, setting: Setting) -> Values:
    return {"loss": float(large_pipe_loss(window=setting.capacity / setting.flows, smooth=True).printed)}


def far(_: Where, setting: Setting) -> Values:
    least = {20: 0.84, 60: 0.89, 110: 0.92}.get(setting.buffer)
    return {"throughput": 1.0 if least is None else least + 0.01 * math.log2(setting.flows)}


def few(where: Where, setting: Setting) -> Values:
    return {"loss": 1e-5 * setting.flows ** (1 if where["processing"] == WITH else 2)}


def amounts(where: Where, setting: Setting) -> Values:
    raised = where["amount"] in {"10 %", "30 %"} and setting.flows >= 100
    return {"loss": (0.06 if raised else 0.04) + 1e-5 * setting.flows}


def starts(_: Where, setting: Setting) -> Values:
    return {"shut_off": float(setting.flows - setting.capacity)}


EVERY = {"loss": 0.01, "throughput": 1.0, "goodput": 1.0, "shut_off": 0.0}


def made(cells: Iterable[Cell], values: Callable[[Where, Setting], Values]) -> list[Run]:
    """Make the runs of a part, which differ by a millionth between seeds."""
    return [
        Run(where=where, seed=seed, values=scattered(EVERY | values(where, setting), seed))
        for where, setting in cells
        for seed in SEEDS
    ]


def scattered(values: Mapping[str, float], seed: int) -> dict[str, Any]:
    return {name: value * (1 + 1e-6 * seed) for name, value in values.items()}


LOOKS: Mapping[tuple[str, str], Values] = {
    ("large", WITHOUT): {
        "correlation": 0.5,
        "share": 1.0,
        "low": 0.5,
        "middle": 0.85,
        "jain_index": 0.98,
        "loss": 0.044,
    },
    ("large", WITH): {"correlation": 0.03, "share": 0.3, "low": 0.9, "middle": 0.97, "jain_index": 0.9, "loss": 0.06},
    ("small", WITHOUT): {"correlation": 0.04, "share": 0.3, "low": 0.2, "middle": 0.5, "jain_index": 0.5, "loss": 0.2},
    ("small", WITH): {"correlation": 0.0, "share": 0.9, "low": 0.9, "middle": 0.97, "jain_index": 0.8, "loss": 0.3},
    ("medium", WITHOUT): {"correlation": 0.3, "share": 0.5, "low": 0.5, "middle": 0.8, "jain_index": 0.9, "loss": 0.09},
    ("medium", WITH): {"correlation": 0.02, "share": 0.6, "low": 0.9, "middle": 0.97, "jain_index": 0.95, "loss": 0.13},
}


def looks(processing: str) -> list[Run]:
    """Make runs with synchronised large pipes, small pipes with many flows shut off, and medium pipes in between."""
    found: list[Run] = []
    for pipe in PIPES.values():
        small, isdn = pipe.size == "small", pipe.link.name == "ISDN"
        values = LOOKS[pipe.size, processing] | {
            "high": 0.98 * pipe.buffer,
            "quiet": 0.5,
            "epochs": 30.0,
            "shut_off": 0.0,
            "least": 60.0 if isdn else 180.0,
            "most": 110.0 if isdn else 240.0,
            "starved": (20.0 if processing == WITH else 100.0) if small else 0.0,
        }
        values |= {name: values[name] * pipe.buffer for name in ("low", "middle")}
        found += [
            Run(
                where={"processing": processing, "pipe": pipe.name},
                seed=seed,
                values={**scattered(values, seed), "received": np.arange(pipe.flows) + seed},
            )
            for seed in SEEDS
        ]
    return found


def course(pipe: Pipe, processing: str) -> Run:
    times = np.linspace(*places.WINDOWS[pipe.link.name], 50, endpoint=False)
    values = {"times": times, "packets": np.full(50, pipe.buffer // 2), "acks": times, "flows": np.arange(50)}
    return Run(where={"processing": processing, "pipe": pipe.name}, seed=1, values=values)


_MADE = {
    "grid": grid,
    "predicted": predicted,
    "far": far,
    "few": few,
    "amounts": amounts,
    "starts": starts,
    "modern": grid,
}
SIDE = Runs(
    {
        **{name: made(PARTS[name], values) for name, values in _MADE.items()},
        "looks": [look for processing in PROCESSING for look in looks(processing)],
        "courses": [course(pipe, processing) for processing in PROCESSING for pipe in PIPES.values()],
        **test_padhye.made_up(dict.fromkeys(test_padhye.EVERYWHERE, (40, 40))).parts,
        **test_reasons.made_up({}).parts,
        **test_distances.made_up().parts,
        **test_internet.made_up().parts,
    }
)
PAPER = Both(ours=SIDE, ns2=STUDY.ns2())

KEYS = {
    "steady": STEADY.title,
    "capped": CAPPED.title,
    "together": TOGETHER.title,
    "0 s": "all start at once",
    "1 s": "all start within a second",
    0.0: WITHOUT,
    0.1: WITH,
}
"""Short names of coordinates."""


def curve(row: Row) -> str:
    """Return the name of a run's curve."""
    if "buffer" in row.where:
        return f"B = {row.where['buffer']}"
    return str(row.where["curve" if "curve" in row.where else "amount"])


def clients(row: Row) -> int:
    return int(row.where["connections"])


def put(part: str, name: str, new: float | New, *keys: Any, among: Callable[[Row], bool] = lambda _: True) -> Change:
    """Return a function that changes one number in a part of the evidence.

    Parameters
    ----------
    part, name
        Names of the part and of the number.
    new
        A factor, or a function of the number and its run.
    keys
        Coordinates of the runs, by their names in `KEYS`; all runs by default.
    among
        Chooses the runs.

    """
    chosen = [{KEYS[one] for one in (key if isinstance(key, tuple) else (key,))} for key in keys]

    def changed(run: Any) -> Any:
        here = set(run.where.values())
        if name not in run.values or not among(run) or (chosen and not any(key <= here for key in chosen)):
            return run
        old = run.values[name]
        return dataclasses.replace(run, values={**run.values, name: new(old, run) if callable(new) else new * old})

    return lambda side: Runs({**side.parts, part: [changed(run) for run in side.part(part)]})


def changed(side: Runs, changes: list[Change]) -> Runs:
    """Make several changes, one after the other."""
    for change in changes:
        side = change(side)
    return side


def size(*sizes: str) -> Callable[[Row], bool]:
    """Select pipes by their size."""
    return lambda look: PIPES[str(look.where["pipe"])].size in sizes
