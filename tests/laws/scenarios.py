"""Random scenarios in which a law written in Python stands in for a built-in one."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import ackclock as ac
from ackclock.cli.runner import replace_law

EXAMPLES = Path(__file__).parents[2] / "examples"


def drawn(number: int, variants: tuple[str, ...]) -> dict[str, Any]:
    """Draw the tables of a scenario: a dumbbell whose flows use these variants."""
    draw = random.Random(number)  # noqa: S311  # repeats itself
    rate = draw.choice([1, 2, 5, 10])
    packets = draw.choice([5, 12, 30, 100])
    ecn = draw.choice(["off", "off", "classic"])
    red = {"kind": "red", "min_th": 3, "max_th": 10, "ecn": True, "packets": packets}
    queue = red if ecn == "classic" else {"kind": "droptail", "packets": packets}
    period = {"kind": "exponential", "mean": "600 ms"}
    sources = [
        {"kind": "greedy"},
        {"kind": "greedy", "size": "300 kB"},
        {"kind": "poisson", "rate": draw.choice([50, 200])},
        {"kind": "onoff", "rate": 150, "on": period, "off": period},
        {"kind": "connections", "load": 0.4, "size": {"kind": "exponential", "mean": "40 kB"}, "connections": 3},
    ]

    def group() -> dict[str, Any]:
        transport = {
            "kind": "tcp",
            "variant": draw.choice(variants),
            "max_window": draw.choice([20, 64, 1000]),
            "slow_start": draw.choice(["standard", "limited", "hystart++", "hystart"]),
            "byte_counting": draw.choice([0, 0, 2, 10]),
            "delayed_ack": draw.random() < 0.5,
            "whole_growth": draw.random() < 0.3,
            "decrease_from": draw.choice(["flight_size", "window", "whole_window"]),
            "pacing": draw.choice(["off", "off", "window"]),
            "undo": draw.choice(["off", "both"]),
            "prr": draw.choice(["off", "rfc9937", "linux"]),
            "idle_restart": draw.choice(["rfc5681", "rfc2861", "off", "timeout"]),
            "abe": draw.random() < 0.5,
            "ecn": ecn,
            "overhead": draw.choice(["0 s", "12 us"]),
        }
        delay = f"{draw.choice([1, 10, 30])} ms"
        access = {"rate": f"{draw.choice([10, 100])} Mbps", "delay": delay}
        source = draw.choice(sources)
        return {"count": draw.choice([1, 3]), "transport": transport, "source": source, "access": access}

    loss = {"loss": {"kind": "random", "probability": 0.01}} if draw.random() < 0.3 else {}
    return {
        "profile": draw.choice(["rfc", "rfc", "ns2-2.35"]),
        "duration": "12 s",
        "dumbbell": {"bottleneck": {"rate": f"{rate} Mbps", "delay": "10 ms", "queue": queue, **loss}},
        "clients": [group() for _ in range(draw.choice([1, 2]))],
    }


def with_law(tables: dict[str, Any], law: str) -> ac.Scenario:
    """Return the scenario of tables with a law of the examples, such as ``reno.py:Reno``, for all flows."""
    whole = ac.Scenario.from_dict(tables).effective().to_dict()
    replace_law(whole, str(EXAMPLES / law))
    return ac.Scenario.from_dict(whole)


def results(scenario: ac.Scenario, seed: int) -> tuple[Any, ...]:
    """Return the results of a run: its summary, and the tables of windows and drops as bytes."""
    run = ac.simulate(scenario, seed=seed, record=["windows", "drops"], jobs=1)
    tables = {name: run.table(name) for name in run.tables}
    columns = tuple(
        (name, column, repr(table[column].to_pylist()))
        for name, table in tables.items()
        for column in table.column_names
    )
    return run.summary, columns
