"""When a live run is to be trusted, and how it is compared: rules, tested with made-up numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ackclock.live.comparing import EQUAL, TOO_LATE, row
from ackclock.live.lateness import Lateness

PUNCTUAL = Lateness(
    packets=10_000,
    p50=30e-6,
    p90=60e-6,
    p99=300e-6,
    p999=900e-6,
    longest=4e-3,
    late=3,
    refused=0,
    rtt=40e-3,
    packet=600e-6,
    realtime=True,
)


def test_a_punctual_run_is_trusted() -> None:
    assert PUNCTUAL.trusted
    assert PUNCTUAL.to_dict()["reasons"] == []
    late = "emulator late by 30 us (median), 300 us (99 %), 4.00 ms (longest) over 10,000 packets"
    assert PUNCTUAL.brief() == f"{late}: within the limits of a run that can be trusted"


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"p99": 2.1e-3}, "shortest round-trip time of 40 ms"),
        ({"p50": 700e-6}, "longer than a packet takes"),
        ({"packets": 0}, "no packet"),
        ({"refused": 11}, "refused 11"),
    ],
)
def test_each_reason_is_given(changes: dict[str, float], word: str) -> None:
    late = replace(PUNCTUAL, **changes)  # type: ignore[arg-type]
    assert not late.trusted
    assert word in late.reasons[0]
    assert len(late.reasons) == 1


def test_causes_are_added_to_reasons_only() -> None:
    assert replace(PUNCTUAL, longest=0.2, realtime=False).trusted
    late = replace(PUNCTUAL, longest=0.2, realtime=False, p99=0.1)
    assert "stood still for up to 200 ms" in late.reasons[1]
    assert "no real-time priority" in late.reasons[2]


def test_verdicts_follow_the_interval_of_the_differences() -> None:
    same = row("goodput_bps", [9.4e6, 9.6e6, 9.5e6], [9.5e6, 9.5e6, 9.5e6], late=False)
    assert same is not None
    assert (same.verdict, same.unit) == (EQUAL, "Mbps")
    other = row("goodput_bps", [4.7e6, 4.8e6, 4.75e6], [9.5e6, 9.5e6, 9.5e6], late=False)
    assert other is not None
    assert other.verdict == "differs by -50 %"
    late = row("goodput_bps", [4.7e6, 4.8e6], [9.5e6, 9.5e6], late=True)
    assert late is not None
    assert late.verdict == TOO_LATE
    assert row("loss", [0.1, None], [0.1, 0.1], late=False) is None
    nothing = row("loss", [0.02, 0.02, 0.02], [0.0, 0.0, 0.0], late=False)
    assert nothing is not None
    assert nothing.verdict == "differs by +2 %"
