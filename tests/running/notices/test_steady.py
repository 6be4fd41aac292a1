"""Notices about the course of a run: its start-up phase, flows that start late or end, and shares that still change."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.noticed import noticed

import ackclock as ac
from ackclock.running.run import warmup_end

BOTTLENECK = ac.Link(rate="10 Mbps", delay="18 ms", queue=ac.DropTail(packets=33))


def dumbbell(*clients: dict[str, Any], **fields: Any) -> ac.Scenario:
    """Return an effective scenario of CUBIC flows in profile ``linux``: one group for each table, or a single flow."""
    tcp = {"transport": ac.Tcp("cubic"), "source": ac.Greedy()}
    return ac.Scenario(
        **({"profile": "linux", "duration": "30 s"} | fields),
        dumbbell=ac.Dumbbell(access=ac.Link(rate="1 Gbps", delay="1 ms"), bottleneck=BOTTLENECK),
        clients=[ac.Clients(**(tcp | each)) for each in clients or ({},)],
    ).effective()


MEASURE: Any = SimpleNamespace(measure=SimpleNamespace(from_="1 s", bin="500 ms"))


def test_the_end_of_a_warm_up() -> None:
    """Four bins of 500 ms after 1 s."""
    assert warmup_end(MEASURE, 4) == 3.0


@pytest.mark.parametrize(("bins", "expected"), [([], 1), ([5], 1), ([5, 5], 0)])
def test_two_bins_have_a_cov(bins: list[int], expected: int) -> None:
    assert len(noticed(dumbbell(), "cov is undefined", bins=bins)) == expected


@pytest.mark.parametrize(
    ("clients", "expected"),
    [
        ({}, True),
        ({"source": ac.Greedy(size="1 MB")}, False),
        ({"start": "1.5 s"}, True),  # 5 % of the measured time
        ({"start": "1 s", "spread": "600 ms"}, False),
        ({"start": "20 s"}, False),
    ],
)
def test_flows_that_start_or_end_are_events(clients: dict[str, Any], expected: bool) -> None:  # noqa: FBT001  # a case
    found = noticed(dumbbell({}, clients), "steady state: arrivals still drift", bins=range(1, 101))
    assert len(found) == expected


def test_no_advice_to_measure_nothing() -> None:
    """The only flow ends after 8.3 of 60 s, and later bins are empty."""
    run = ac.simulate(dumbbell({"source": ac.Greedy(size="10 MB")}, duration="60 s"))
    assert run.groups[0].completed == 1
    assert not [notice for notice in run.notices if "steady state" in notice]


@pytest.mark.parametrize(
    ("clients", "share"),
    [
        ({"start": "25 s"}, "80%"),  # from 5 s to 30 s
        ({"start": "17.5 s"}, "50%"),
        ({"start": "11.25 s"}, "25%"),
        ({"start": "11.2 s"}, None),
        ({"start": "11.2 s", "spread": "1 s"}, "27%"),  # starts at 11.7 s on average
        ({"start": "29 s"}, "96%"),
        ({}, None),
    ],
)
def test_flows_that_miss_a_quarter_of_the_measured_time(clients: dict[str, Any], share: str | None) -> None:
    scenario = dumbbell({}, clients | {"name": "late"}, measure=ac.Measure(from_="5 s"))
    found = noticed(scenario, "they have not started")
    assert len(found) == (share is not None)
    for each in found:
        assert each.startswith(f"The flows of group late start at {clients['start']}: rates and shares average over")
        assert f"in {share} of which they have not started. A later measure.from (now 5 s)" in each


@pytest.mark.parametrize(
    ("thirds", "expected"),
    [
        ([(0, 5000, 5499), (0, 5000, 4501)], ""),  # just below 5 points
        ([(0, 5000, 5501), (0, 5000, 4499)], "group a still changes: 50% of all arrivals in the second third of the"),
        ([(9, 0, 0), (0, 0, 0)], ""),
        # three standard errors of a difference of two shares of 100 packets are 21 points
        ([(0, 50, 70), (0, 50, 30)], ""),
        ([(0, 50, 73), (0, 50, 27)], "group a still changes: 50% of all arrivals in the second third of the"),
    ],
)
def test_shares_that_still_change(thirds: list[tuple[int, int, int]], expected: str) -> None:
    found = noticed(dumbbell({"name": "a"}, {"name": "b"}), "still changes", thirds=thirds)
    assert len(found) == bool(expected)
    assert expected in "".join(found)


def test_the_largest_change_is_reported_once() -> None:
    thirds = [(0, 4000, 3000), (0, 3000, 3000), (0, 3000, 4000)]
    groups = [{"name": name} for name in "abc"]
    (found,) = noticed(dumbbell(*groups), "still changes", thirds=thirds)
    assert "group a" in found
    late = dumbbell(*groups[:2], {"name": "c", "start": "9 s"})
    assert noticed(late, "still changes", thirds=thirds) == []


def test_cubic_beside_bbr_in_a_deep_buffer() -> None:
    """With a buffer of eight bandwidth-delay products, BBR's share grows for longer than a minute."""
    deep = {"dumbbell.bottleneck.queue.packets": 264, "duration": "60 s"}
    scenario = dumbbell({"name": "cubic"}, {"name": "bbr", "transport": ac.Tcp("bbr")}).changed(deep)
    (found,) = [notice for notice in ac.simulate(scenario).notices if "still changes" in notice]
    assert "Simulate a longer time." in found
