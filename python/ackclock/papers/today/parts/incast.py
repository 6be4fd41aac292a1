"""All-to-one in a cluster: many senders answer one receiver at once, each with a fixed amount of data.

Each answer has 64 kB on a connection of its own. All begin within one round-trip time of 100 us. The link of the
receiver has 10 Gb/s and a buffer of 250 packets, which marks above 65 packets (the threshold of the DCTCP paper for
10 Gb/s); only DCTCP and Prague can be marked. Half of the runs have fine timers: a smallest timeout of 1 ms in place of
200 ms, and ticks of 1 ms.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ackclock.papers.core.parts import Part, Spot, Taken
from ackclock.papers.today.parts.many import BITS
from ackclock.papers.today.senders import SENDERS, scenario
from ackclock.running.run import Run
from ackclock.scenario import Scenario
from ackclock.values.quantity import seconds

COUNTS: Final = (20, 50, 100, 200, 500)
"""Numbers of senders."""

ANSWER: Final = 64_000
"""Bytes of data of each answer."""

USUAL, FINE = "timeouts from 200 ms", "timeouts from 1 ms"
"""The usual and the fine timers."""

_DURATION: Final = 10


def everyone(sender: str, count: int, floor: str) -> Scenario:
    """Make a cluster in which `count` nodes answer at once, with usual or fine timers."""
    options = {"min_rto": "1 ms", "timer_tick": "1 ms"} if floor == FINE else {}
    return scenario(
        sender,
        [{"count": count, "spread": "100 us", "source": {"kind": "greedy", "size": f"{ANSWER} B"}}],
        options={"max_window": 100_000, **options},
        duration=f"{_DURATION} s",
        dumbbell={
            "access": {"rate": "10 Gbps", "delay": "5 us"},
            "bottleneck": {
                "rate": "10 Gbps",
                "delay": "45 us",
                "queue": {"kind": "droptail", "packets": 250, "mark_above": 65},
            },
        },
    )


def slowest(run: Run) -> Taken:
    """Return the median and the slowest completion in ms, and timeouts per sender.

    An answer that is not complete at the end of the run counts with the time until then.
    """
    answers = run.table("transfers")
    start = answers["start"].to_numpy()
    completion = answers["completion"].to_numpy(zero_copy_only=False).astype(np.float64)
    took = 1e3 * np.where(np.isnan(completion), seconds(run.scenario.duration) - start, completion)
    return {
        "median": float(np.median(took)),
        "slowest": float(took.max()),
        "timeouts": (run.summary.timeouts or 0) / took.size,
    }


def parts() -> list[Part]:
    """Return the part."""
    return [
        Part(
            name="incast",
            spots=[
                Spot(
                    where={"sender": each, "nodes": count, "floor": floor},
                    scenario=everyone(each, count, floor),
                )
                for each in SENDERS
                for floor in (USUAL, FINE)
                for count in COUNTS
            ],
            take=slowest,
            record=("transfers",),
            work=lambda made: made.groups[0].count * 8 * ANSWER / BITS,
        )
    ]
