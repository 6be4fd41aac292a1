"""Lines of ``ackclock sweep --dry-run``."""

from __future__ import annotations

import pytest

from ackclock.cli.sweeper import _duration, _outlook
from ackclock.study.outlook import Outlook

POINTS = [("a = 1", 1), ("a = 2", 1200)]


def outlook(**changes: float | None) -> list[str]:
    given = {"runs": 1201, "most": 1201, "there": 3, "cpu_seconds": 300.0} | changes
    return list(_outlook(Outlook(points=POINTS, **given), cores=2))  # type: ignore[arg-type]


def test_points_and_time() -> None:
    lines = ["    1 run   a = 1", "1,200 runs  a = 2", "2 points: 1,201 runs to make, 3 already in the store"]
    time = "about 2 min on 2 cores: estimated from the beginning of the first run, scaled by flows and simulated time"
    assert outlook() == [*lines, time]
    assert outlook(cpu_seconds=None) == lines


def test_replications_until_precise_have_a_maximum() -> None:
    assert (
        outlook(most=1202, cpu_seconds=None)[2] == "2 points: 1,201 runs to make, at most 1,202, 3 already in the store"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.314, "0.31 s"),
        (9.96, "10 s"),
        (10, "10 s"),
        (119.4, "119 s"),
        (120, "2 min"),
        (7199, "120 min"),
        (7200, "2 h"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert _duration(seconds) == text
