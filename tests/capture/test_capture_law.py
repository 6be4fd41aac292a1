"""The congestion control of a captured sender: each law follows the trace."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ackclock as ac
from ackclock.capture.law.captured import _shift, captured
from ackclock.capture.law.following import LAWS, distance, fits, follow
from ackclock.capture.law.identifying import identify, idle_share, is_apart
from ackclock.capture.law.trace import ACK, ORIGINAL, Collector
from ackclock.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.capture.law.trace import Trace

TAP = "access.0,access.0.reverse@receive"
FAR_TAP = "access.0@receive,access.0.reverse"
LAST_TAP = "bottleneck@receive,bottleneck.reverse"
MS = 1_000_000


def run(law: str, *, duration: int = 12) -> ac.Run:
    scenario = {
        "duration": f"{duration} s",
        "dumbbell": {
            "bottleneck": {"rate": "8 Mbps", "delay": "10 ms", "queue": {"kind": "droptail", "packets": 30}},
            "access": {"rate": "1 Gbps", "delay": "5 ms"},
        },
        "clients": [
            {
                "transport": {"kind": "tcp", "variant": law, "recovery": "rack"},
                "source": {"kind": "greedy"},
            }
        ],
    }
    return ac.simulate(ac.Scenario.from_dict(scenario), seed=1, capture=[TAP, FAR_TAP, LAST_TAP])


def trace_of(law: str, folder: Path, *, tap: str = TAP, duration: int = 12) -> Trace:
    file = folder / f"{law}.pcapng"
    run(law, duration=duration).write_pcapng(tap, file)
    return captured(file)[1].trace


def slow_start() -> Trace:
    """Two rounds of slow start with a window of 2: 2 segments, then 4."""
    collector = Collector(1000)
    collector.opened(0, 10 * MS)
    for number in (0, 1):
        collector.sent(10 * MS, 1000 * number, 1000 * number + 1000)
    for number in (0, 1):
        collector.acknowledged((20 + number) * MS, 1000 * (number + 1))
        for new in (2 * number + 2, 2 * number + 3):
            collector.sent((20 + number) * MS, 1000 * new, 1000 * new + 1000)
    return collector.trace()


def test_bytes_become_segments() -> None:
    """Validates: bytes become numbers of segments after the SYN, ACKs the first number that they do not cover, and SACK
        blocks ranges of numbers; a short last segment counts as a whole one.
    Source: RFC 9293, section 3.4, and RFC 2018, section 3, by hand.
    Tolerance: exact.
    """
    collector = Collector(1000)
    collector.opened(5, 10)
    collector.sent(11, 0, 2500)
    collector.acknowledged(20, 1000, [(2000, 2500)], window=5000)
    collector.sent(21, 1000, 2000)
    collector.acknowledged(30, 2500)
    trace = collector.trace()
    assert trace.numbers.tolist() == [0, 1, 1, 2, 3, 2, 2, 4]
    assert trace.times.tolist() == [0, 5, 6, 6, 6, 15, 16, 25]
    assert (trace.kinds >= ACK).tolist() == [False, True, False, False, False, True, False, True]
    assert trace.blocks.tolist() == [3, 4]
    assert trace.windows[5] == 5.0
    assert trace.handshake
    assert trace.has_sack
    sent = trace.numbers[~trace.is_ack].tolist()
    assert len(sent) == len(set(sent)) + 1, "one segment was sent again"


def test_an_early_answer_is_for_the_original() -> None:
    """Validates: an ACK 2 ms after a retransmission answers the original if the shortest round trip is 10 ms; one after
        12 ms does not.
    Source: RFC 3522, section 3.1, with times instead of timestamps.
    Tolerance: exact.
    """
    for wait, is_original in ((2, True), (12, False)):
        collector = Collector(1000)
        collector.opened(0, 10 * MS)
        collector.sent(10 * MS, 0, 1000)
        collector.sent(30 * MS, 0, 1000)
        collector.acknowledged((30 + wait) * MS, 1000)
        assert bool(collector.trace().kinds[-1] & ORIGINAL) == is_original


def test_idle_time_by_hand() -> None:
    """Validates: nothing is in flight from 10 to 40 ms of a trace of 50 ms.
    Source: by hand.
    Tolerance: exact.
    """
    collector = Collector(1000)
    collector.sent(0, 0, 1000)
    collector.acknowledged(10 * MS, 1000)
    collector.sent(40 * MS, 1000, 2000)
    collector.acknowledged(50 * MS, 2000)
    assert idle_share(collector.trace()) == pytest.approx(0.6)


def test_what_slow_start_allows() -> None:
    """Validates: a law in slow start allows a segment more for each ACK, and the flight is that of the trace.
    Source: RFC 5681, section 3.1.
    Tolerance: exact.
    """
    followed = follow(slow_start(), "reno", "rfc")
    assert followed.flight.tolist() == [1, 2, 3]
    assert followed.allowed.tolist() == [1, 10, 11], "the SYN alone, and then RFC 6928's initial window"


@pytest.mark.parametrize("law", ["reno", "cubic", "vegas", "highspeed", "scalable", "bbr3"])
def test_a_capture_of_our_own_is_told(law: str, tmp_path: Path) -> None:
    found = identify(trace_of(law, tmp_path))
    assert found.law == law, found.sentence
    assert found.fits[0].distance < 0.05
    assert law in found.sentence


def test_a_tap_away_from_the_sender_is_allowed_for(tmp_path: Path) -> None:
    file = tmp_path / "far.pcapng"
    run("cubic").write_pcapng(FAR_TAP, file)
    found = captured(file)[1]
    assert found.shift == pytest.approx(0.01, rel=0.1)
    assert identify(found.trace).law == "cubic"


def test_beside_the_receiver_no_law_is_named(tmp_path: Path) -> None:
    """The queue of the bottleneck is before the tap: without this rule, CUBIC was called BBRv3."""
    file = tmp_path / "last.pcapng"
    run("cubic").write_pcapng(LAST_TAP, file)
    found = captured(file)[1]
    assert found.is_beside_receiver
    answer = identify(found.trace, is_beside_receiver=True)
    assert (answer.law, answer.reason, answer.fits) == (None, "receiver", ())


HANDSHAKES = {
    # the sender's packets are True; times in ms; the tap is 10 ms from the sender (there and back), the path has 40
    "from the middle": ([0, 30, 40], [True, False, True], [1, 1, 0], (10, False)),
    "beside the sender": ([0, 40, 40], [True, False, True], [1, 1, 0], (0, False)),
    "beside the receiver": ([0, 1, 40], [True, False, True], [1, 1, 0], (39, True)),
    "the SYN is lost behind the tap": ([0, 1000, 1030, 1040], [True, True, False, True], [1, 1, 1, 0], (10, False)),
    "the answer is lost before the sender": (
        [0, 30, 1000, 1030, 1040],
        [True, False, True, False, True],
        [1, 1, 1, 1, 0],
        (10, False),
    ),
    "the sender answers": ([0, 10, 40], [False, True, False], [1, 1, 0], (10, False)),
    "no answer": ([0, 5], [True, True], [1, 0], (0, False)),
}


@pytest.mark.parametrize("name", HANDSHAKES)
def test_the_handshake_tells_where_the_tap_is(name: str) -> None:
    """Validates: the round trip between tap and sender, and whether the tap is beside the receiver.

    Source: by hand.
    Tolerance: exact.
    """
    times, ours, syns, expected = HANDSHAKES[name]
    assert _shift(np.array(times), np.array(ours), np.array(syns, dtype=bool)) == expected


def test_a_segment_that_the_capture_missed_was_sent_before_the_next() -> None:
    collector = Collector(1000)
    for number in (0, 2, 3):
        collector.sent((5 + number) * MS, 1000 * number, 1000 * number + 1000)
    collector.acknowledged(20 * MS, 4000)
    trace = collector.trace()
    first = trace.first_sent()
    assert first.tolist() == [first[0], first[2], first[2], first[3]]
    assert np.isfinite(first).all()


def test_errors_of_times_do_not_hide_a_law(tmp_path: Path) -> None:
    trace = trace_of("reno", tmp_path)
    errors = np.random.default_rng(1).normal(0, 0.3 * MS, len(trace.times))  # 1 % of a round trip
    times = np.maximum.accumulate(np.maximum(trace.times.astype(float) + errors, 0)).astype(np.uint64)
    blurred = type(trace)(**{name: getattr(trace, name) for name in trace.__slots__} | {"times": times})
    assert identify(blurred).law == "reno"


def test_why_a_law_cannot_be_told(tmp_path: Path) -> None:
    assert identify(slow_start()).reason == "short"
    lone = Collector(1000)
    for number in range(400):
        lone.sent(100 * number * MS, 1000 * number, 1000 * number + 1000)
        lone.acknowledged((100 * number + 10) * MS, 1000 * number + 1000)
    assert identify(lone.trace()).reason == "application"
    found = fits(trace_of("reno", tmp_path))
    assert is_apart(found[0], found[1])
    assert not is_apart(found[0], found[0])
    assert {fit.law for fit in found} == set(LAWS) - {"dctcp", "prague"}, "no data can carry marks"


def test_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cubic.pcapng"
    run("cubic").write_pcapng(TAP, file)
    out = ""
    for more in ([], ["--json"]):
        with pytest.raises(SystemExit) as ended:
            main(["law", str(file), *more])
        assert ended.value.code == 0
        out = capfd.readouterr().out
        assert "congestion control is most like cubic" in " ".join(out.split())
    assert json.loads(out)["law"] == "cubic"
    with pytest.raises(SystemExit) as ended:
        main(["law", str(file), "--connection", "7"])
    assert ended.value.code == 2
    assert "7" in capfd.readouterr().err


BYTES = st.integers(0, 2**32)
EVENTS = st.lists(
    st.tuples(
        st.booleans(), st.integers(0, 2**32), st.integers(0, 5000), st.integers(0, 50 * MS), st.integers(0, 2**32)
    ),
    min_size=1,
    max_size=60,
)


@settings(max_examples=40, deadline=None)
@given(events=EVENTS, mss=st.sampled_from([1, 536, 1448]), is_opened=st.booleans())
def test_no_trace_is_refused(events: list[tuple[bool, int, int, int, int]], mss: int, *, is_opened: bool) -> None:
    """Any bytes and ACKs make a trace that laws can follow, in bounded time."""
    collector = Collector(mss, most=2000)
    if is_opened:
        collector.opened(0, MS)
    now = MS
    for is_sent, start, length, wait, block in events:
        now += wait
        if is_sent:
            collector.sent(now, start, start + length)
        else:
            collector.acknowledged(now, start, [(block, block + length)])
    trace = collector.trace()
    least, _ = distance(trace, "cubic", "linux")
    assert least >= 0
    assert 0 <= idle_share(trace) <= 1
