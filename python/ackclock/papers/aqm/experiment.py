"""The runs of the study: grids from `study.toml`, and a link whose rate varies."""

from __future__ import annotations

from ackclock.papers.aqm.measures import link
from ackclock.papers.core.definition import Definition
from ackclock.papers.core.parts import Part, Spot
from ackclock.scenario import Scenario

DEFINITION = Definition("ackclock.papers.aqm")

TAIL_DROP = "tail drop"
ACTIVE = ("Adaptive RED", "CoDel", "PIE", "FQ-CoDel", "DualPI2")
"""The disciplines that act before the queue is full."""
ALL = (TAIL_DROP, *ACTIVE)

STEPS = [["0 s", "10 Mbps"], ["10 s", "2 Mbps"]]
"""Rates of the link (RFC 7928, section 8.2.6), repeated every 20 s."""


def varying() -> Part:
    """Return the part `capacity`: four flows on a link whose rate changes every 10 s."""
    return Part(
        name="capacity",
        spots=[Spot(where={"variant": name}, scenario=_varying(DEFINITION.scenario(name))) for name in ALL],
        take=link,
    )


def _varying(scenario: Scenario) -> Scenario:
    tables = scenario.to_dict()
    bottleneck = tables["dumbbell"]["bottleneck"]
    del bottleneck["rate"]
    bottleneck["rate_trace"] = {"steps": STEPS, "period": "20 s"}
    return Scenario.from_dict(tables)
