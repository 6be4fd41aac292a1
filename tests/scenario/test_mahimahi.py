"""Mahimahi traces: packets leave at the delivery opportunities, as in a model of mahimahi's queue."""

from __future__ import annotations

import itertools
import json
import random
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.running.plan import plan
from ackclock.scenario import mahimahi

if TYPE_CHECKING:
    from pathlib import Path

MILLISECOND = 10**9


def line(trace: Path, source: Any, *, size: int = 1500, duration: str = "100 ms") -> ac.Scenario:
    """Return a link that follows a trace, without a delay, and UDP over it."""
    return ac.Scenario(
        duration=duration,
        packet_size=size,
        measure=ac.Measure(link="a->b", bin="10 ms"),
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[ac.GraphLink(from_="a", to="b", rate_trace=ac.RateTrace(path=str(trace)), delay="0 s")],
        flows=[ac.Flow(from_="a", to="b", transport=ac.Udp(), source=source)],
    )


def received(scenario: ac.Scenario) -> list[float]:
    """Return when packets arrive, in milliseconds."""
    rows = ac.simulate(scenario, record=["packets@a->b"]).table("packets").to_pandas()
    return [1000 * time for time in rows[rows["event"] == "receive"]["time"]]


def written(path: Path, *milliseconds: int) -> Path:
    path.write_text("".join(f"{each}\n" for each in milliseconds))
    return path


@pytest.mark.parametrize(
    ("milliseconds", "size", "expected"),
    [
        # always a packet to send: one packet per opportunity, two at once, and a new period after the last millisecond
        ([3, 5, 5, 10], 1500, [3, 5, 5, 10, 13, 15, 15, 20, 23]),
        # a line of 0 is unused in the first period, and then coincides with the last line
        ([0, 4, 10], 1500, [4, 10, 10, 14, 20, 20, 24]),
        # three of 500 bytes share an opportunity
        ([3, 10], 500, [3, 3, 3, 10, 10, 10, 13]),
        # 1000 bytes: half of the second packet uses the next opportunity
        ([3, 10], 1000, [3, 10, 10, 13, 20, 20]),
        # a packet larger than an opportunity: the rest uses the next one
        ([3, 5, 10], 3000, [5, 13, 20]),
        ([1], 1500, [1, 2, 3, 4, 5]),
    ],
)
def test_hand_worked_traces(tmp_path: Path, milliseconds: list[int], size: int, expected: list[int]) -> None:
    """A burst of 100 packets at 0.5 ms keeps the queue non-empty."""
    burst = tmp_path / "burst.csv"
    burst.write_text("time,packets\n0.0005,100\n")
    trace = written(tmp_path / "some.up", *milliseconds)
    got = received(line(trace, ac.Trace(path=str(burst)), size=size))
    # the packets of one millisecond leave 12 ns apart, the last one at the millisecond
    assert got[: len(expected)] == pytest.approx(expected, abs=1e-4)
    assert np.ceil(np.round(got[: len(expected)], 9)).tolist() == expected


def test_an_opportunity_that_is_not_used_is_lost(tmp_path: Path) -> None:
    """Packets arrive at multiples of 7 ms; opportunities are at multiples of 5 ms. The packet at 0 misses the first."""
    trace = written(tmp_path / "some.up", 0, 5)
    got = received(line(trace, ac.Constant(rate=1000 / 7), duration="34 ms"))
    assert np.ceil(np.round(got, 9)).tolist() == [5, 10, 15, 25, 30]


def test_a_packet_that_comes_with_its_opportunity_is_late(tmp_path: Path) -> None:
    """As in mahimahi, an opportunity is used before packets that arrive in the same millisecond are queued."""
    trace = written(tmp_path / "some.up", 10)
    got = received(line(trace, ac.Constant(rate=100), duration="45 ms"))
    assert got == pytest.approx([10, 20, 30, 40], abs=1e-4)


def queue_of_mahimahi(arrivals: list[tuple[float, int]], schedule: list[int], until: int) -> list[int]:
    """Return when packets leave mahimahi's queue: `LinkQueue::rationalize`, with 1500 instead of 1504 bytes.

    `arrivals` contains the time of each packet, in milliseconds, and its bytes.
    """
    coming, queue, left, leaving = deque(arrivals), deque[int](), 0, list[int]()
    for base in itertools.count(0, schedule[-1]):
        for at in (base + each for each in schedule):
            if at > until:
                return leaving
            while coming and coming[0][0] < at:
                queue.append(coming.popleft()[1])
            room = 1500
            while room > 0:
                if left == 0:
                    if not queue:
                        break
                    left = queue.popleft()
                sent = min(room, left)
                left, room = left - sent, room - sent
                if left == 0:
                    leaving.append(at)
    raise AssertionError


@pytest.mark.parametrize("seed", range(12))
def test_a_queue_of_mahimahis_gives_the_same(tmp_path: Path, seed: int) -> None:
    """Validates: the milliseconds at which packets of several sizes leave, with and without idle times.
    Source: a model of mahimahi's queue, written from its source.
    Tolerance: exact, to the millisecond.
    """
    chance = random.Random(seed)  # noqa: S311
    trace = sorted(chance.randrange(200) for _ in range(chance.choice([5, 60, 300])))
    trace[-1] = max(trace[-1], 1)
    path = written(tmp_path / "some.down", *trace)
    sizes = [chance.randrange(1, 1501) for _ in range(3)]
    rate = chance.choice([0.5, 1.5, 4]) * 1000 * len(trace) / trace[-1]
    source = {"kind": "poisson", "rate": rate / 3}
    groups = [
        {"from": "a", "to": "b", "packet_size": size, "transport": {"kind": "udp"}, "source": source} for size in sizes
    ]
    scenario = line(path, ac.Poisson(rate=1), duration="1 s").changed({"flows": groups})
    rows = ac.simulate(scenario, seed=seed, record=["packets@a->b"]).table("packets").to_pandas()
    arrived = rows[rows["event"] == "enqueue"]
    arrivals = [(1000 * time, size) for time, size in zip(arrived["time"], arrived["bytes"], strict=True)]
    expected = queue_of_mahimahi(arrivals, trace, 999)
    got = np.ceil(np.round(1000 * rows[rows["event"] == "receive"]["time"].to_numpy(), 9))
    assert got[got <= 999].tolist() == expected
    assert len(expected) > 5


@pytest.mark.parametrize("seed", range(20))
def test_the_integral_is_that_of_the_opportunities(seed: int) -> None:
    """Validates: the capacity of a trace up to each whole millisecond.
    Source: a count of its lines; lines at 0 count a period later, with the last ones.
    Tolerance: exact.
    """
    chance = random.Random(seed)  # noqa: S311
    trace = sorted(chance.choices(range(50), k=chance.randrange(1, 200)))
    trace[-1] = max(trace[-1], 1)
    times, rates, period = mahimahi.steps(np.array(trace))
    assert period == trace[-1] * MILLISECOND
    assert times[0] == 0
    assert (np.diff(times, append=period) > 0).all()
    counts = np.bincount(trace, minlength=trace[-1] + 1)
    counts[-1] += counts[0]
    counts[0] = 0
    for millisecond in range(trace[-1] + 1):
        spans = np.diff(np.minimum(times, millisecond * MILLISECOND), append=millisecond * MILLISECOND)
        bits = sum(int(rate) * int(span) for rate, span in zip(rates, spans, strict=True))
        assert bits == counts[: millisecond + 1].sum() * mahimahi.OPPORTUNITY * 10**12


def test_tcp_gets_what_the_trace_gives(tmp_path: Path) -> None:
    """Validates: utilization and the mean rate of a trace.
    Source: 12 opportunities in 20 ms: 7.2 Mbit/s.
    Tolerance: 3 % of the goodput, including slow start and headers; the mean is exact.
    """
    path = written(tmp_path / "some.down", 0, 0, 3, 4, 4, 4, 9, 12, 13, 17, 18, 20)
    tcp = ac.Flow(from_="a", to="b", transport=ac.Tcp("sack", max_window=100), source=ac.Greedy())
    run = ac.simulate(line(path, ac.Poisson(rate=1), duration="20 s").model_copy(update={"flows": (tcp,)}))
    assert run.summary.throughput_bps / run.summary.utilization == pytest.approx(7.2e6, rel=1e-6)
    assert 0.97 < run.summary.utilization <= 1
    assert run.summary.goodput_bps == pytest.approx(7.2e6, rel=0.03)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "1\nx\n",
            "line 2 is not a valid whole number; must be a mahimahi trace: a whole number of milliseconds in each",
        ),
        ("1\n\n2\n", "line 2 is not a valid whole number"),
        ("1\n2,3\n", "it does not have one value for each column, in row 2"),
        ("1\n2.5\n", "line 2 is not a valid whole number"),
        ("3\n2\n", "line 2 is below the line before"),
        ("5\n-1\n", "line 2 is below the line before"),
        ("0\n0\n", "it ends at 0"),
        ("1\n99999999999999\n", "it is too long; must be a trace up to 17280000 s"),
        ("1\n99999999999999999999999\n", "line 2 is not a valid whole number"),
        ("7\n" * 83_334, "too many lines give the same millisecond; must be a trace with at most 83333 opportunities"),
        ("0\n" + "7\n" * 83_333, "too many lines give the same millisecond"),
    ],
)
def test_wrong_traces_are_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "some.up"
    path.write_text(content)
    with pytest.raises(ac.ScenarioError) as caught:
        ac.simulate(line(path, ac.Poisson(rate=1)))
    assert caught.value.field == str(path)
    assert message in str(caught.value)
    assert "9999" not in str(caught.value)


def test_the_fullest_millisecond(tmp_path: Path) -> None:
    path = tmp_path / "full.up"
    path.write_text("1\n" * 83_333)
    assert ac.simulate(line(path, ac.Poisson(rate=1e5), duration="10 ms")).summary.loss == 0


def test_a_period_of_its_own_is_refused(tmp_path: Path) -> None:
    trace = ac.RateTrace(path=str(written(tmp_path / "some.up", 1, 2)), period="1 s")
    with pytest.raises(ac.ScenarioError, match="it has a period of its own; must be another trace when period"):
        trace.course()


def test_a_result_knows_its_trace(tmp_path: Path) -> None:
    path = tmp_path / "some.up"
    path.write_bytes(b"1\r\n2\r\n4")  # line ends of other systems, and no line end at the end of the file
    run = ac.simulate(line(path, ac.Poisson(rate=100)))
    sealed = run.scenario.links[0].rate_trace
    assert sealed is not None
    assert sealed.sha256 is not None
    topology = json.loads(plan(run.scenario))["topology"]
    assert topology["links"][0]["link"]["rate"]["period"] == 4 * MILLISECOND
