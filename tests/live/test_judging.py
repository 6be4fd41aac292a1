"""When a live run is to be trusted, and how it is compared: rules, tested with made-up numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ackclock.live.judging import EQUAL, MARGINS, TOO_LATE, row
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


def verdict(measure: str, kernel: list[float | None], simulator: list[float | None], *, late: bool = False) -> str:
    found = row(measure, "", kernel, simulator, late=late)
    assert found is not None
    return found.verdict


def test_verdicts_follow_the_interval_of_the_differences() -> None:
    assert verdict("loss", [0.94, 0.96, 0.95], [0.95, 0.95, 0.95]) == EQUAL
    assert verdict("goodput_bps", [4.7e6, 4.8e6, 4.75e6], [9.5e6, 9.5e6, 9.5e6]) == "differs by -50 %"
    assert verdict("goodput_bps", [4.7e6, 4.8e6], [9.5e6, 9.5e6], late=True) == TOO_LATE
    assert verdict("loss", [0.02, 0.02, 0.02], [0.0, 0.0, 0.0]) == "differs by +2 %"
    assert row("loss", "", [0.1, None], [0.1, 0.1], late=False) is None


def test_a_difference_inside_the_margin_is_no_finding() -> None:
    assert verdict("goodput_bps", [9.51e6, 9.511e6, 9.509e6], [9.5e6, 9.5e6, 9.5e6]) == "within 3 %"
    assert verdict("rtt_mean", [0.062, 0.063, 0.062], [0.06, 0.06, 0.06]) == "within 10 %"
    assert verdict("sojourn_p95", [0.0107, 0.0109, 0.0108], [0.01, 0.01, 0.01]) == "within 15 %"
    # the interval reaches beyond the margin: it may contain 0 or not
    assert verdict("goodput_bps", [9.9e6, 9.0e6, 9.6e6], [9.5e6, 9.5e6, 9.5e6]) == EQUAL
    assert verdict("goodput_bps", [9.78e6, 9.79e6, 9.785e6], [9.5e6, 9.5e6, 9.5e6]) == "differs by +3 %"
    assert all(0 < margin <= 0.15 for margin in MARGINS.values())
