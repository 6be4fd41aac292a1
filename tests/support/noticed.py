"""Notices of runs with chosen results, instead of those of the engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ackclock.running.notices import Notices
from ackclock.running.plan import plan
from ackclock.running.summary import LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import ackclock as ac

QUIET: dict[str, Any] = {
    "completed": 0,
    "departures": 0,
    "throughput_bps": 0.0,
    "queue_mean": 0.0,
    "delay_mean": None,
    "rtt_mean": None,
    **dict.fromkeys(LIMITS),
}
"""The results of a group that give no notice."""


def noticed(
    scenario: ac.Scenario,
    about: str = "",
    *,
    groups: Sequence[Mapping[str, Any]] = (),
    utilization: float = 1.0,
    bins: Iterable[int] = (100,) * 100,
    **facts: object,
) -> list[str]:
    """Return the notices that contain a text, for a run with these results; those of groups are `QUIET` by default."""
    whole = scenario.effective()
    count = len(whole.groups)
    quiet = {
        "red_avg_max": None,
        "unfinished": [0] * count,
        "waited": [0] * count,
        "thirds": [(0, 0, 0)] * count,
        "crossed_before": 0,
        "unused": {"flows": 0, "links": 0, "idle": []},
    }
    outcome = {
        "summary": {"utilization": utilization, "goodput_bps": 0.0},
        "groups": [QUIET | dict(each) for each in groups or [{}] * count],
        "facts": quiet | {"bins": list(bins)} | facts,
    }
    return [notice for notice in Notices(whole, plan(whole)).of(json.dumps(outcome)) if about in notice]
