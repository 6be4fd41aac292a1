"""A made-up world in which the claims of the paper on many flows hold, and the ways to change it."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from tests import test_distances, test_internet, test_padhye, test_reasons

from ackclock.analysis.models import large_pipe_loss
from ackclock.papers.manyflows import places
from ackclock.papers.manyflows.evidence import SPREADS, Evidence, Side, from_ns2
from ackclock.papers.manyflows.experiment import FRACTIONS
from ackclock.papers.manyflows.flow_studies import FlowStudies
from ackclock.papers.manyflows.hyperbolas import printed
from ackclock.papers.manyflows.looks import PIPES, Course, Look
from ackclock.papers.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ackclock.papers.manyflows.experiment import Setting
    from ackclock.papers.manyflows.places import Curves

    Values = dict[str, float]
    Change = Callable[[Side], Side]
    New = Callable[[float, Any], float]

SEEDS = (1, 2, 3)


def grid(fraction: float) -> Callable[[str, Setting], Values]:
    """Make runs of the grid: loss is the paper's, and what is sent needlessly is little below a loss of 20 %."""

    def values(name: str, setting: Setting) -> Values:
        loss = float(printed(fraction, name, setting.flows))
        return {
            "loss": loss,
            "throughput": 1.0,
            "goodput": 1 - (0.026 if loss >= 0.2 else 0.02),
            "shut_off": 0.0,
        }

    return values


def predicted(_name: str, setting: Setting) -> Values:
    return {"loss": float(large_pipe_loss(window=setting.window, smooth=True).printed)}


def far(_name: str, setting: Setting) -> Values:
    least = {20: 0.84, 60: 0.89, 110: 0.92}.get(setting.buffer)
    return {"throughput": 1.0 if least is None else least + 0.01 * math.log2(setting.flows)}


def few(power: int) -> Callable[[str, Setting], Values]:
    return lambda _name, setting: {"loss": 1e-5 * setting.flows**power}


def amounts(name: str, setting: Setting) -> Values:
    raised = name in {"10 %", "30 %"} and setting.flows >= 100
    return {"loss": (0.06 if raised else 0.04) + 1e-5 * setting.flows}


def starts(_name: str, setting: Setting) -> Values:
    return {"shut_off": float(setting.flows - setting.capacity)}


EVERY = {"loss": 0.01, "throughput": 1.0, "goodput": 1.0, "shut_off": 0.0}


def made(curves: Curves, values: Callable[[str, Setting], Values]) -> list[Observation]:
    """Make the runs of curves, which differ by a millionth from seed to seed."""
    return [
        Observation(
            variant=name, clients=setting.flows, seed=seed, values=scattered(EVERY | values(name, setting), seed)
        )
        for name, settings in curves.items()
        for setting in settings
        for seed in SEEDS
    ]


def scattered(values: Mapping[str, float], seed: int) -> dict[str, float | None]:
    return {name: value * (1 + 1e-6 * seed) for name, value in values.items()}


LOOKS: Mapping[tuple[str, float], Values] = {
    ("large", 0.0): {"correlation": 0.5, "share": 1.0, "low": 0.5, "middle": 0.85, "jain_index": 0.98, "loss": 0.044},
    ("large", 0.1): {"correlation": 0.03, "share": 0.3, "low": 0.9, "middle": 0.97, "jain_index": 0.9, "loss": 0.06},
    ("small", 0.0): {"correlation": 0.04, "share": 0.3, "low": 0.2, "middle": 0.5, "jain_index": 0.5, "loss": 0.2},
    ("small", 0.1): {"correlation": 0.0, "share": 0.9, "low": 0.9, "middle": 0.97, "jain_index": 0.8, "loss": 0.3},
    ("medium", 0.0): {"correlation": 0.3, "share": 0.5, "low": 0.5, "middle": 0.8, "jain_index": 0.9, "loss": 0.09},
    ("medium", 0.1): {"correlation": 0.02, "share": 0.6, "low": 0.9, "middle": 0.97, "jain_index": 0.95, "loss": 0.13},
}


def looks(fraction: float) -> list[Look]:
    """Make a world of synchronised large pipes, small ones with many shut off, and medium ones between."""
    found: list[Look] = []
    for pipe in PIPES.values():
        start, end = places.WINDOWS[pipe.link.name]
        small, isdn = pipe.size == "small", pipe.link.name == "ISDN"
        values = LOOKS[pipe.size, fraction] | {
            "high": 0.98 * pipe.buffer,
            "quiet": 0.5,
            "epochs": 30.0,
            "shut_off": 0.0,
            "least": 60.0 if isdn else 180.0,
            "most": 110.0 if isdn else 240.0,
            "starved": (20.0 if fraction else 100.0) if small else 0.0,
        }
        values |= {name: values[name] * pipe.buffer for name in ("low", "middle")}
        times = np.linspace(start, end, 50, endpoint=False, dtype=np.float32)
        course = Course(
            times=times,
            packets=np.full(50, pipe.buffer // 2, dtype=np.uint16),
            acks=times,
            flows=np.arange(50, dtype=np.uint16),
        )
        found += [
            Look(
                pipe=pipe.name,
                seed=seed,
                values=scattered(values, seed),
                received=np.arange(pipe.flows) + seed,
                course=course,
            )
            for seed in SEEDS
        ]
    return found


SIDE = Side(
    grid={
        (reading.key, fraction): made(places.grid(reading, fraction), grid(fraction))
        for reading in places.READINGS
        for fraction in FRACTIONS
    },
    predicted=made(places.predicted(), predicted),
    far={fraction: made(places.far(fraction), far) for fraction in FRACTIONS},
    few={fraction: made(places.few(fraction), few(1 if fraction else 2)) for fraction in FRACTIONS},
    amounts=made(places.amounts(), amounts),
    starts={
        (spread, fraction): made(places.starts(spread, fraction), starts)
        for spread in SPREADS
        for fraction in FRACTIONS
    },
    modern=made(places.modern(), grid(0.0)),
    looks={fraction: looks(fraction) for fraction in FRACTIONS},
)
PAPER = Evidence(ours=SIDE, ns2=from_ns2())


def put(part: str, name: str, new: float | New, *keys: object, among: Callable[[Any], bool] = lambda _: True) -> Change:
    """Make the change of one number in a part of the evidence.

    Parameters
    ----------
    part, name
        Field of the side, and the number.
    new
        What it is multiplied by, or a function of it and its run.
    keys
        Of a part that is a mapping: which of its entries; all by default.
    among
        Chooses the runs.

    """

    def changed(run: Any) -> Any:
        if name not in run.values or not among(run):
            return run
        old = run.values[name]
        value = new(old, run) if callable(new) else new * old
        return dataclasses.replace(run, values={**run.values, name: value})

    def change(side: Side) -> Side:
        before = getattr(side, part)
        after: Any = (
            {key: [changed(run) for run in runs] if not keys or key in keys else runs for key, runs in before.items()}
            if isinstance(before, dict)
            else [changed(run) for run in before]
        )
        return dataclasses.replace(side, **{part: after})

    return change


def changed(side: Side, changes: list[Change]) -> Side:
    """Make several changes, one after the other."""
    for change in changes:
        side = change(side)
    return side


def size(*sizes: str) -> Callable[[Any], bool]:
    """Choose pipes by their size."""
    return lambda look: PIPES[look.pipe].size in sizes


FLOWS = FlowStudies(
    padhye=test_padhye.made_up(dict.fromkeys(test_padhye.EVERYWHERE, (40, 40))),
    fifth=test_padhye.made_up({(False, 1): (40, 40)}).flows[False, 1],
    reasons=test_reasons.made_up({}),
    distances=test_distances.made_up(),
    internet=test_internet.made_up(),
)
"""Evidence for the other sections, made up as well."""
