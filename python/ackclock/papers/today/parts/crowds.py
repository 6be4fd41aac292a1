"""Crowds of 10,000 and of 100,000 connections over 10 Gb/s: for a figure only.

They start within a second, and are measured in the last quarter of a short run, in which rates are not settled yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from ackclock.papers.core.parts import Part, Spot, Taken
from ackclock.papers.today.senders import scenario
from ackclock.running.run import Run
from ackclock.scenario import Scenario

CROWDS: Final[Mapping[tuple[str, int], int]] = {
    ("Reno", 10_000): 8,
    ("CUBIC", 10_000): 8,
    ("BBRv3", 10_000): 8,
    ("Prague", 10_000): 8,
    ("CUBIC", 100_000): 3,
}
"""Seconds of the run of a number of connections of one sender."""

SEED: Final = 11
"""The only seed."""

SHARES: Final = tuple(range(1, 100))
"""Percentages of connections at which their rates are taken."""

_RATE: Final = 10e9


def crowd(sender: str, count: int) -> Scenario:
    """Make a link of 10 Gb/s for 40 ms; its buffer is the bandwidth-delay product over the root of the count."""
    duration = CROWDS[sender, count]
    buffer = round(_RATE * 0.04 / 8 / 1500 / count**0.5)
    return scenario(
        sender,
        [{"count": count, "spread": "1 s", "source": {"kind": "greedy"}}],
        duration=f"{duration} s",
        measure={"from": f"{0.75 * duration:g} s"},
        dumbbell={
            "access": {"rate": "1 Gbps", "delay": "1 ms"},
            "bottleneck": {"rate": "10 Gbps", "delay": "19 ms", "queue": {"kind": "droptail", "packets": buffer}},
        },
    )


def rates(run: Run) -> Taken:
    """Return utilization and loss, and the quantiles `SHARES` of the goodput over the fair share."""
    goodput, found = run.table("flows")["goodput_bps"].to_numpy(), run.summary
    return {
        "utilization": found.utilization,
        "loss": found.loss or 0.0,
        "rates": np.percentile(goodput * goodput.size / _RATE, SHARES),
    }


def parts() -> list[Part]:
    """Return the part."""
    return [
        Part(
            name="crowds",
            spots=[
                Spot(where={"crowd": f"{sender}, {count:,}"}, scenario=crowd(sender, count)) for sender, count in CROWDS
            ],
            take=rates,
            seeds=(SEED,),
            work=lambda made: float(made.groups[0].count),
        )
    ]
