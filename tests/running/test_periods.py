"""The results of each period between changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ackclock as ac

RECORDS = ["throughput/100ms", "windows/10ms", "queue/10ms"]


def scenario(**fields: Any) -> ac.Scenario:
    """Return two groups at 8 Mb/s; the second one is active from 5 to 10 s, and the rate halves at 12 s."""
    transport = {"kind": "tcp", "variant": "reno"}
    first: dict[str, Any] = {"name": "first", "transport": transport, "source": {"kind": "greedy"}, "spread": "1 s"}
    return ac.Scenario.from_dict(
        {
            "duration": "16 s",
            "dumbbell": {
                "access": {"rate": "1 Gbps", "delay": "5 ms"},
                "bottleneck": {"rate": "8 Mbps", "delay": "15 ms", "queue": {"kind": "droptail", "packets": 30}},
            },
            "clients": [first, first | {"name": "second", "count": 2, "active": [["5 s", "10 s"]]}],
            "changes": [{"at": "12 s", "rate": "4 Mbps"}],
        }
        | fields
    )


def test_periods_lie_between_all_changes() -> None:
    """Changes, joins and leaves, and steps of a trace that does not repeat; what is simultaneous is one change."""
    run = ac.simulate(scenario(), record=RECORDS)
    assert [(each.start, each.end, each.change) for each in run.periods()] == [
        (0, 5, ""),
        (5, 10, "+ second"),
        (10, 12, "- second"),
        (12, 16, "rate 4 Mbps"),
    ]
    trace = {"steps": [["0 s", "8 Mbps"], ["5 s", "4 Mbps"], ["7 s", "8 Mbps"]]}
    link = {"delay": "15 ms", "queue": {"kind": "droptail", "packets": 30}}
    dumbbell = {"access": {"rate": "1 Gbps", "delay": "5 ms"}, "bottleneck": link | {"rate_trace": trace}}
    run = ac.simulate(scenario(changes=[], dumbbell=dumbbell), record=RECORDS)
    assert [each.change for each in run.periods()] == ["", "+ second, rate", "rate", "- second"]
    dumbbell["bottleneck"] = link | {"rate_trace": trace | {"period": "8 s"}}
    run = ac.simulate(scenario(changes=[], dumbbell=dumbbell), record=RECORDS)
    assert [each.change for each in run.periods()] == ["", "+ second", "- second"]


def test_a_period_has_the_goodput_of_its_time() -> None:
    """Validates: the goodput of each group equals that of a run whose measured time is the period.

    Source: `measure.from` and `duration` of runs with the same seeds, which are the same up to their ends.
    Tolerance: rounding.
    """
    whole = scenario()
    runs = ac.replicate(whole, seeds=3, record=RECORDS)
    for period in runs.periods()[1:]:
        times = {"measure.from": f"{period.start:g} s", "duration": f"{period.end:g} s"}
        later: dict[str, Any] = {} if period.end > 12 else {"changes": []}
        for group in ac.replicate(whole.changed(times | later), seeds=3).groups:
            found = period.groups[group.name].goodput_bps
            assert found.values == pytest.approx(group.goodput_bps.values, rel=1e-9)
            assert found.half_width == pytest.approx(group.goodput_bps.half_width, rel=1e-9)


def test_means_are_those_of_the_records() -> None:
    """Validates: the round-trip time is the mean over time of the flows that are active, the queue that of its samples.

    Source: by hand, from the rows.
    Tolerance: rounding.
    """
    run = ac.simulate(scenario(), seed=3, record=RECORDS)
    windows, queue = (run.table(name).to_pandas() for name in ("windows", "queue"))
    first, joined, left, slower = run.periods()
    for period in (first, joined, left, slower):
        there = queue[(queue["time"] >= period.start - 1e-9) & (queue["time"] < period.end - 1e-9)]
        assert period.queue.mean == pytest.approx(there["packets"].mean(), rel=1e-3)
        rows = windows[(windows["time"] >= period.start - 1e-9) & (windows["time"] < period.end - 1e-9)]
        own = rows[rows["flow"] == 0]["srtt"].dropna()
        assert period.groups["first"].rtt.mean == pytest.approx(own.mean(), rel=2e-3)
        both = [rows[rows["flow"] == flow]["srtt"].mean() for flow in (1, 2)]
        expected = np.mean(both) if period is joined else None
        assert period.groups["second"].rtt.mean == (expected and pytest.approx(expected, rel=2e-3))
    assert first.groups["second"].goodput_bps.mean == 0
    assert str(left.groups["second"].rtt) == "undefined"
    assert repr(slower).startswith("Period(12 to 16 s; rate 4 Mbps; goodput: first 3.")
    assert repr(slower.groups["first"]).startswith("GroupPeriod(first; goodput 3.")


def test_times_can_be_given_and_records_may_be_missing() -> None:
    run = ac.simulate(scenario(), record=["throughput/1s"])
    found = run.periods(at=["4 s", 8, 15.5])
    assert [(each.start, each.end, each.change) for each in found] == [
        (0, 4, ""),
        (4, 8, ""),
        (8, 15.5, ""),
        (15.5, 16, ""),
    ]
    assert run.periods(at="4 s")[1].end == run.periods(at=4)[1].end == 16
    assert found[-1].groups["first"].goodput_bps.mean is None, "no whole bin"
    assert (found[0].queue.mean, found[0].groups["first"].rtt.mean) == (None, None)
    of_link = ac.simulate(scenario(), record=["throughput@bottleneck/1s", "queue/1s"])
    assert of_link.periods()[0].groups["first"].goodput_bps.mean is None
    of_one = ac.simulate(scenario(), record=["throughput@first/1s"]).periods()[1]
    assert of_one.groups["first"].goodput_bps.mean
    assert of_one.groups["second"].goodput_bps.mean is None


@pytest.mark.parametrize(
    ("at", "says"),
    [
        (["x"], "at.0: 'x' is not allowed; must be a number of seconds, or a time"),
        ([None], "at.0: None is not allowed"),
        (["4 s", "3 s"], "at.1: '3 s' is not allowed; must be after 4 s and before the end, at 16 s"),
        ([16], "at.0: 16 is not allowed; must be after 0 s and before the end"),
        ([float("nan")], "at.0: nan is not allowed"),
        (np.arange(0.001, 2, 0.001), "at: '2000 times' is not allowed; must be at most 1000 times"),
    ],
)
def test_what_is_not_allowed(at: Any, says: str) -> None:
    run = ac.simulate(scenario(), record=["throughput/1s"])
    with pytest.raises(ac.ScenarioError, match=says):
        run.periods(at=at)
    with pytest.raises(ac.ScenarioError, match="periods: needs a record"):
        ac.simulate(scenario()).periods()


def test_a_single_bin_lasts_until_the_end() -> None:
    run = ac.simulate(scenario(changes=[]), record=["throughput/16s"])
    (period,) = run.periods(at=[])
    assert period.groups["first"].goodput_bps.mean == pytest.approx(run.groups["first"].goodput_bps, rel=1e-9)


def test_a_record_of_links_has_no_results_of_groups() -> None:
    run = ac.simulate(scenario(), record=["throughput@bottleneck/500ms"])
    with pytest.raises(ac.ScenarioError, match="periods: needs a record"):
        run.periods()
