"""Adaptive video: buffer, stalls and bitrates on links whose downloads can be computed by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.scenario.video import LADDER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Note = Callable[[str, object], None]
    """pytest's ``record_property``."""

DELAY = 0.04
WIRE = 12_000
"""Bits of a packet on the wire; its data are 1460 bytes."""
CHUNK = 4.0


def run(
    rate: float,
    source: dict[str, Any],
    duration: float = 200,
    begin: float = 0,
    changes: Sequence[dict[str, Any]] = (),
    **more: Any,
) -> ac.Run:
    """Play a video over a link of 40 ms, with a window that always fills it and no slow start."""
    transport = {"kind": "tcp", "handshake": False, "delayed_ack": False, "idle_restart": "off"}
    window = {"initial_window": 150, "max_window": 150}
    scenario = {
        "duration": f"{duration:g} s",
        "measure": {"from": f"{begin:g} s"},
        "dumbbell": {
            "access": {"rate": "1000 Gbps", "delay": "0 s"},
            "bottleneck": {"rate": f"{rate:.0f} bps", "delay": "40 ms"},
        },
        "clients": [
            {"name": "video", "transport": transport | window, "source": {"kind": "video"} | source} | more,
        ],
        "changes": list(changes),
    }
    return ac.simulate(ac.Scenario.from_dict(scenario), record=["chunks"])


def packets(bitrate: float) -> int:
    """Compute the packets of a chunk."""
    return -(-int(bitrate * CHUNK) // (8 * 1460))


def bits_per_second(text: str) -> float:
    """Read a bitrate."""
    number, unit = text.split()
    return float(number) * {"kbps": 1e3, "Mbps": 1e6}[unit]


LEVELS = [bits_per_second(text) for text in LADDER]


def on_a_constant_link(rate: float) -> Callable[[float, int], float]:
    """Return the time that a chunk takes from its request to the next one: transmissions, and both ways."""
    return lambda _, count: count * WIRE / rate + 2 * DELAY + 320 / rate


def player(
    download: Callable[[float, int], float],
    choose: Callable[[float, int, list[tuple[float, float]]], int],
    levels: Sequence[float],
    buffer: float,
    duration: float,
) -> list[tuple[float, int, float, float]]:
    """Play a video by the definition: request, level, buffer at the request and stall of each chunk."""
    now, left, begun, level = 0.0, 0.0, False, 0
    done: list[tuple[float, float]] = []
    rows = []
    while now < duration:
        level = choose(left, level, done)
        took = download(now, packets(levels[level]))
        stalled = max(0.0, took - left) if begun else 0.0
        rows.append((now, level, left, stalled))
        done.append((levels[level] * CHUNK, took))
        left = (max(0.0, left - took) if begun else left) + CHUNK
        begun = True
        wait = max(0.0, left - (buffer - CHUNK))
        now, left = now + took + wait, left - wait
    return rows


def by_throughput(_: float, __: int, done: list[tuple[float, float]]) -> int:
    """Choose a level by the two averages, each computed from all downloads at once."""
    estimates = []
    for half_life in (3.0, 8.0):
        total = weights = 0.0
        age = 0.0
        for bits, took in reversed(done):
            weight = 0.5 ** (age / half_life) * (1 - 0.5 ** (took / half_life))
            total, weights, age = total + weight * bits / took, weights + weight, age + took
        estimates.append(total / weights if weights else 0.0)
    return max((level for level, rate in enumerate(LEVELS) if rate <= 0.9 * min(estimates)), default=0)


@pytest.mark.parametrize(("rate", "level"), [(1e6, 3), (3e6, 6), (10e6, 9)])
def test_a_constant_link_plays_the_highest_bitrate_below_the_throughput(rate: float, level: int) -> None:
    """A video with the rule of throughput on links of 1, 3 and 10 Mb/s.

    Validates: times of requests, levels and the buffer at each request, and the steady level: the highest of the ladder
        below 0.9 of the throughput, which is 0.97 of the link's rate less the round trip of a request.
    Source: the definition, by hand: a chunk of n packets takes n transmissions and a round trip. 0.9 * 0.97 * 3 Mb/s =
        2.6 Mb/s is above 2,350 and below 3,000 kb/s.
    Tolerance: 2 us, for the access links.
    """
    done = run(rate, {})
    chunks = done.table("chunks").to_pandas()
    expected = player(on_a_constant_link(rate), by_throughput, LEVELS, 60, 200)
    assert len(chunks) == len(expected)
    starts, levels, buffers, _ = (np.array(column) for column in zip(*expected, strict=True))
    assert chunks["start"].to_numpy() == pytest.approx(starts, abs=2e-6 * len(chunks))
    assert chunks["level"].tolist() == levels.tolist()
    assert chunks["buffer"].to_numpy() == pytest.approx(buffers, abs=2e-6 * len(chunks))
    assert chunks["level"].iloc[-1] == level
    group = done.groups["video"]
    assert (group.stalls, group.stall_time, group.stall_share) == (0, 0, 0)
    assert group.startup_mean == pytest.approx(on_a_constant_link(rate)(0, packets(LEVELS[0])), abs=2e-6)


def test_a_step_of_the_rate_stalls_the_video_for_a_computed_time(record_property: Note) -> None:
    """A video of one bitrate, 4 Mb/s, whose link has 8 Mb/s and from 30 s on 2 Mb/s.

    Validates: the buffer, the number of stalls and the length of each.
    Source: the definition, by hand: a chunk is complete when the link has transmitted its bits, each at the rate of its
        time; at 2 Mb/s a chunk of 4 s takes 8.3 s.
    Tolerance: a packet's time at 2 Mb/s for each chunk, and as much per chunk for sums.
    """
    high, low, step = 8e6, 2e6, 30.0

    def download(asked: float, count: int) -> float:
        bits, before = count * WIRE, max(0.0, step - asked) * high
        sent = bits / high if bits <= before else before / high + (bits - before) / low
        return sent + 2 * DELAY + 320 / low

    source = {"bitrates": ["4 Mbps"], "buffer": "20 s"}
    changes = [{"at": f"{step:g} s", "links": ["bottleneck"], "rate": f"{low:.0f} bps"}]
    done = run(high, source, duration=120, changes=changes)
    chunks = done.table("chunks").to_pandas()
    expected = player(download, lambda *_: 0, [4e6], 20, 120)
    assert len(chunks) == len(expected)
    stalls = np.array([row[3] for row in expected])[:-1]
    packet = WIRE / low
    error = np.abs(chunks["stalled"].to_numpy()[:-1] - stalls).max()
    record_property("measured", f"at most {1e3 * error:.2f} ms beside the computed stalls")
    assert chunks["stalled"].to_numpy()[:-1] == pytest.approx(stalls, abs=packet)
    assert chunks["buffer"].to_numpy() == pytest.approx([row[2] for row in expected], abs=packet * len(chunks))
    group = done.groups["video"]
    assert group.stalls == (chunks["stalled"] > 0).sum() >= 5
    assert group.stall_time == pytest.approx(chunks["stalled"].sum(), abs=1e-9)
    began = float(chunks["end"][0])
    assert group.stall_time is not None
    assert group.stall_share == pytest.approx(group.stall_time / (120 - began), rel=1e-9)


@pytest.mark.parametrize("rate", [1e6, 3e6])
def test_the_buffer_based_rule_plays_the_rate_of_the_link(rate: float, record_property: Note) -> None:
    """BBA-0 with the buffer of its paper, 240 s, on constant links.

    Validates: without estimates, the mean bitrate after the first 300 s is the rate of the link, the buffer never
        empties, and it stays in the cushion.
    Source: Huang et al. 2014, section 3: while the rate is between the lowest and the highest bitrate, a rate map that
        rises from one to the other avoids unnecessary stalls, and the average bitrate is the average capacity.
    Tolerance: 5 %, fixed beforehand: bitrates are steps.
    """
    done = run(rate, {"rule": "buffer", "buffer": "240 s"}, duration=2_000)
    chunks = done.table("chunks").to_pandas()
    steady = chunks[chunks["start"] > 300]
    record_property("measured", f"{steady['bitrate'].mean() / rate / 1460 * 1500 - 1:+.1%} at {rate / 1e6:g} Mb/s")
    assert steady["bitrate"].mean() == pytest.approx(rate * 1460 / 1500, rel=0.05)
    assert done.groups["video"].stalls == 0
    assert steady["buffer"].between(90, 216).all()


def test_measures_are_those_of_the_chunks() -> None:
    """A link whose rate changes every 40 s.

    Validates: the number of chunks, the mean bitrate and the number of changes are those of the chunks that were loaded
        in the measured time.
    Source: the definitions.
    Tolerance: rounding.
    """
    rates = ["3 Mbps", "1 Mbps"] * 2
    changes = [
        {"at": f"{40 * (place + 1)} s", "links": ["bottleneck"], "rate": rate} for place, rate in enumerate(rates)
    ]
    done = run(6e6, {}, begin=20, changes=changes)
    chunks, group = done.table("chunks").to_pandas(), done.groups["video"]
    counted = (chunks["end"] >= 20) & (chunks["end"] < 200)
    assert group.chunks == counted.sum() == group.completed
    assert group.video_bitrate == pytest.approx(chunks["bitrate"][counted].mean())
    assert group.switches == (chunks["level"].diff().fillna(0) != 0)[counted].sum() > 3
    packets_of_rows = [packets(bitrate) for bitrate in chunks["bitrate"]]
    assert (chunks["bytes"] == np.array(packets_of_rows) * 1460).all()


def test_each_period_is_another_video() -> None:
    done = run(3e6, {}, active=[["0 s", "50 s"], ["100 s", "150 s"]])
    chunks = done.table("chunks").to_pandas()
    again = chunks[chunks["start"] >= 50]
    assert again["start"].iloc[0] == pytest.approx(100, abs=1e-9)
    assert (again["buffer"].iloc[0], again["level"].iloc[0]) == (0, 0)
    assert (again["start"] < 150).all()
    assert done.groups["video"].startup_mean == pytest.approx(chunks["download"].iloc[0], rel=1e-6)


def test_a_record_needs_a_video() -> None:
    with pytest.raises(ac.ScenarioError, match="requires adaptive video"):
        ac.simulate(
            ac.Scenario.from_toml("examples/applications.toml").changed({"duration": "11 s"}), record=["chunks"]
        )
