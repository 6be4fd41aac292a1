"""Twins of captured connections: each estimator on inputs worked out by hand, and twins of simulated captures."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ackclock as ac
from ackclock.capture.law.captured import Captured
from ackclock.capture.law.trace import MOST_EVENTS, Collector
from ackclock.capture.twin.beside import Beside, beside
from ackclock.capture.twin.findings import findings
from ackclock.capture.twin.path import lost, path_of, rate_of
from ackclock.capture.twin.pattern import pattern_of
from ackclock.capture.twin.reading import read_twin
from ackclock.capture.twin.seen import Seen, _cut
from ackclock.capture.twin.twinning import Twin, toml, twin_of
from ackclock.cli import main
from ackclock.values.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TAP = "access.0,access.0.reverse@receive"
FAR_TAP = "bottleneck@receive,bottleneck.reverse"
MSS, FULL = 1460, 1500
STEP = 8 * FULL / 10e6  # a packet at 10 Mb/s: 1.2 ms
BASE = 0.040


def link(times: Sequence[float], *, drops: Sequence[int] = (), step: float = STEP) -> Seen:
    """A connection whose packets are sent at given times into a link, one ACK for each; some are lost and sent again.

    A lost packet is sent again a round trip later.
    """
    rows: list[tuple[float, int, bool]] = [(time, number, False) for number, time in enumerate(times)]
    rows += [(times[number] + 2 * BASE, number, True) for number in drops]
    rows.sort()
    free, arrived, acks = 0.0, set(), []
    for time, number, again in rows:
        if number in drops and not again:
            continue
        free = max(free, time) + step
        acks.append((free + BASE, number))
    heard, numbers, trips, trip_times, calm = [], [], [], [], []
    sent_at = {number: time for time, number, again in rows if not again}
    following = 0
    for time, number in acks:
        arrived.add(number)
        moved = following
        while following in arrived:
            following += 1
        heard.append(time)
        numbers.append(1.0 + following * MSS)
        is_new = following == moved + 1
        calm.append(is_new)
        if is_new and number not in drops:
            trips.append(time - sent_at[number])
            trip_times.append(time)
    collector = Collector(MSS)
    for time, number, _ in rows:
        collector.sent(int(1e9 * time), number * MSS, (number + 1) * MSS)
    found = Captured(trace=collector.trace(), connection=0, back=False, mss=MSS, shift=0.0, is_whole=True, resent=0)
    starts = np.array([1.0 + number * MSS for _, number, _ in rows])
    return Seen(
        found=found,
        place="sender",
        full=FULL,
        sent=np.array([time for time, _, _ in rows]),
        starts=starts,
        ends=starts + MSS,
        is_again=np.array([again for _, _, again in rows]),
        heard=np.array(heard),
        acks=np.array(numbers),
        windows=np.full(len(heard), 1e6),
        is_calm=np.array(calm),
        echoes=np.zeros(len(heard), dtype=bool),
        repeated=frozenset(),
        trip_times=np.array(trip_times),
        trips=np.array(trips),
        has_syn=True,
    )


def bursts(count: int, size: int, every: float) -> list[float]:
    """Bursts of packets, ten microseconds apart."""
    return [each * every + 1e-5 * place for each in range(count) for place in range(size)]


def test_pairs_give_the_rate_and_the_shortest_round_trip_the_delay() -> None:
    """Validates: bursts of ten packets leave a link of 10 Mb/s 1.2 ms apart; the first one waits for nothing.
    Source: by hand: 40 ms and the transmission, and 9 transmissions of waiting.
    Tolerance: 10^-4 of the rate, 0.1 ms, 1 %.
    """
    seen = link(bursts(20, 10, 0.1))
    rate = rate_of(seen)
    assert rate.value == pytest.approx(10e6, rel=1e-4)
    assert not rate.is_bound
    path = path_of(seen)
    assert path.base == pytest.approx(BASE, abs=1e-4)
    assert path.queue.max() == pytest.approx(9 * STEP, rel=0.01)
    assert not path.is_filled


def test_without_a_busy_link_the_rate_is_only_a_bound() -> None:
    seen = link([0.01 * place for place in range(100)])
    rate = rate_of(seen)
    assert rate.is_bound
    assert rate.value < 10e6


def test_losses_at_the_longest_queue_fill_the_buffer() -> None:
    """Validates: of bursts of 12, the last two are lost: one is sent and nine wait.
    Source: by hand.
    Tolerance: exact.
    """
    drops = [12 * burst + place for burst in range(20) for place in (10, 11)]
    path = path_of(link(bursts(20, 12, 0.2), drops=drops))
    assert path.is_filled
    assert path.buffer == 9
    assert len(path.losses.places) == 40
    assert path.losses.random == ()


def test_losses_at_any_queue_are_random() -> None:
    """Validates: losses of the first packets of bursts, when the queue is short, are random.
    Source: by hand.
    Tolerance: exact.
    """
    drops = [12 * burst + burst % 5 for burst in range(0, 20, 2)]
    path = path_of(link(bursts(20, 12, 0.2), drops=drops))
    assert not path.is_filled
    assert len(path.losses.random) == 10


def test_a_segment_that_the_receiver_has_twice_was_not_lost() -> None:
    seen = link(bursts(4, 10, 0.1), drops=[5])
    assert lost(seen) == ([5], 0)
    assert lost(replace(seen, repeated=frozenset({int(1 + 5 * MSS)}))) == ([], 0)


def test_a_segment_that_fills_a_hole_was_lost_before_the_point_of_capture() -> None:
    seen = link(bursts(4, 10, 0.1))
    assert lost(replace(seen, is_again=np.arange(40) == 7)) == ([], 1)


def test_pauses_make_writes() -> None:
    """Validates: five bursts with pauses are five writes of ten packets.
    Source: by hand.
    Tolerance: exact.
    """
    seen = link(bursts(5, 10, 0.5))
    pattern = pattern_of(seen, path_of(seen), is_paced=False)
    assert pattern.kind == "writes"
    assert pattern.packets == (10, 10, 10, 10, 10)
    assert pattern.times == pytest.approx((0, 0.5, 1.0, 1.5, 2.0))


def test_packets_at_their_own_times_are_writes() -> None:
    """100 packets at 3 ms, in a link that needs 1.2 ms: neither ACKs nor queue decide when they leave."""
    seen = link(bursts(3, 10, 0.1) + [0.3 + 0.0031 * place for place in range(100)])
    pattern = pattern_of(seen, path_of(seen), is_paced=False)
    assert pattern.kind == "writes"
    assert len(pattern.times) == 103 - 1 + 1


def test_data_without_a_pause_is_a_transfer_or_greedy() -> None:
    """A window of 50 packets, sent by ACKs; the link needs 60 ms for it and never idles."""
    times = [1e-5 * place for place in range(50)]
    free = 0.0
    for number in range(1950):
        free = max(free, times[number]) + STEP
        times.append(free + BASE + 1e-6)
    seen = link(times)
    path = path_of(seen)
    whole = pattern_of(seen, path, is_paced=False)
    assert (whole.kind, whole.size) == ("transfer", 2000 * MSS)
    cut = replace(seen, acks=np.minimum(seen.acks, 1 + 1950 * MSS))
    assert pattern_of(cut, path, is_paced=False).kind == "greedy"
    assert beside(seen, path).known == "none"


def test_what_a_busy_link_does_not_carry_of_the_connection_is_other_traffic() -> None:
    """Validates: half of a busy link is other traffic.
    Source: by hand: packets leave 2.4 ms apart, and the link needs 1.2 ms.
    Tolerance: 5 %.
    """
    times = [1e-5 * place for place in range(50)]
    free = 0.0
    for number in range(1950):
        free = max(free, times[number]) + 2 * STEP
        times.append(free + BASE + 1e-6)
    seen = link(times, step=2 * STEP)
    path = path_of(seen)
    assert path.rate.value == pytest.approx(5e6, rel=0.01)  # no pair shows the link's rate
    known = replace(path, rate=replace(path.rate, value=10e6))
    other = beside(seen, known)
    assert other.known == "inferred"
    assert other.mean == pytest.approx(5e6, rel=0.05)
    assert other.times(FULL).size == pytest.approx(other.mean * other.bin * len(other.rates) / 8 / FULL, abs=2)


def test_beside_the_receiver_other_traffic_does_not_show() -> None:
    seen = replace(link(bursts(20, 10, 0.1)), place="receiver")
    assert beside(seen, path_of(seen)) == Beside(known="receiver")


def scenario(law: str = "cubic", *, duration: str = "10 s", **link: Any) -> ac.Scenario:
    bottleneck = {"rate": "8 Mbps", "delay": "19 ms", "queue": {"kind": "droptail", "packets": 40}, **link}
    tables = {
        "profile": "linux",
        "duration": duration,
        "dumbbell": {"bottleneck": bottleneck, "access": {"rate": "1 Gbps", "delay": "1 ms"}},
        "clients": [
            {
                "transport": {"kind": "tcp", "variant": law},
                "source": {"kind": "greedy"},
            }
        ],
    }
    return ac.Scenario.from_dict(tables)


@pytest.fixture(scope="module")
def uploaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Captures of an upload beside the sender, and beside the receiver."""
    folder = tmp_path_factory.mktemp("captures")
    run = ac.simulate(scenario(), seed=1, capture=[TAP, FAR_TAP])
    files = {"sender": folder / "sender.pcapng", "receiver": folder / "receiver.pcapng"}
    run.write_pcapng(TAP, files["sender"])
    run.write_pcapng(FAR_TAP, files["receiver"])
    return files


def test_a_twin_recovers_the_path(uploaded: dict[str, Path]) -> None:
    """Validates: rate, round-trip time, buffer and law of a simulated path.
    Source: the scenario.
    Tolerance: 1 % of the rate, 2 % of the delay, 2 packets.
    """
    twin = read_twin(uploaded["sender"])
    assert twin.path.rate.value == pytest.approx(8e6, rel=0.01)
    assert twin.path.base == pytest.approx(0.040, rel=0.02)
    assert twin.path.buffer == pytest.approx(40, abs=2)
    assert twin.law.name == "cubic"
    assert twin.law.is_identified
    assert twin.pattern.kind == "greedy"
    assert twin.beside.known == "none"
    assert twin.seen.place == "sender"


def succeeds(*words: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(list(words))
    assert stopped.value.code == 0


def test_the_command_answers_and_writes_a_scenario(
    uploaded: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "twin"
    succeeds("twin", str(uploaded["sender"]), "--json", "--out", str(out))
    found = json.loads(capsys.readouterr().out)
    assert found == json.loads((out / "twin.json").read_text(encoding="utf-8"))
    assert found["fits"]
    assert found["answer"].startswith("With FQ-CoDel at this bottleneck the same upload waits ")
    runs = {run["key"]: run for run in found["runs"]}
    assert list(runs) == ["twin", "fq_codel", "pie", "bbr", "reno"]
    assert runs["fq_codel"]["wait_s"]["mean"] < 0.3 * runs["twin"]["wait_s"]["mean"]
    assert ac.Scenario.from_toml(out / "scenario.toml").duration
    succeeds("twin", str(uploaded["sender"]), "--out", str(out))  # an earlier folder is replaced
    text = capsys.readouterr().out
    assert "The twin fits: goodput " in text
    assert "bottleneck rate" in text


def test_a_folder_of_something_else_is_kept(uploaded: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("", encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["twin", str(uploaded["sender"]), "--out", str(tmp_path)])
    assert (tmp_path / "mine").exists()


def test_beside_the_receiver_only_the_goodput_counts(uploaded: dict[str, Path]) -> None:
    twin = read_twin(uploaded["receiver"])
    assert twin.seen.place == "receiver"
    assert twin.path.rate.value == pytest.approx(8e6, rel=0.02)
    by_name = {each.what: each for each in findings(twin)}
    assert by_name["buffer"].certainty == "assumed"
    assert by_name["other traffic"].certainty == "unknown"
    assert "beside the receiver" in by_name["point of capture"].words


def test_marks_have_their_threshold(tmp_path: Path) -> None:
    """Validates: the queue at which marks begin.
    Source: the scenario.
    Tolerance: 2 packets.
    """
    queue = {"kind": "droptail", "packets": 100, "mark_above": 20}
    marking = scenario("reno", queue=queue).changed({"clients.0.transport.ecn": "classic"})
    ac.simulate(marking, seed=1, capture=[TAP]).write_pcapng(TAP, tmp_path / "marks.pcapng")
    assert read_twin(tmp_path / "marks.pcapng").mark_above == pytest.approx(20, abs=2)


def segment(back: int, sequence: int, ack: int, flags: int, size: int) -> bytes:
    ports = (80, 4000) if back else (4000, 80)
    tcp = struct.pack(">HHIIBBHHH", *ports, sequence & 0xFFFFFFFF, ack & 0xFFFFFFFF, 0x50, flags, 1000, 0, 0)
    ends = (b"\x0a\0\0\2", b"\x0a\0\0\1") if back else (b"\x0a\0\0\1", b"\x0a\0\0\2")
    return struct.pack(">BBHHHBBH", 0x45, 0, 40 + size, 0, 0, 64, 6, 0) + b"".join(ends) + tcp


def written(packets: Sequence[tuple[int, bytes, int]], file: Path) -> Path:
    rows = [
        struct.pack("<IIII", time // 10**6, time % 10**6, 40, 40 + size) + content for time, content, size in packets
    ]
    file.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101) + b"".join(rows))
    return file


def refused(packets: Sequence[tuple[int, bytes, int]], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    file = written(packets, folder / "capture.pcap")
    with pytest.raises(SystemExit) as stopped:
        main(["twin", str(file)])
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


def data(count: int, *, size: int = 1000, acked: bool = True) -> list[tuple[int, bytes, int]]:
    packets = []
    for number in range(count):
        at = 10_000 * number
        packets.append((at, segment(0, 1 + number * size, 1, 0x10, size), size))
        if acked:
            packets.append((at + 5000, segment(1, 1, 1 + (number + 1) * size, 0x10, 0), 0))
    return packets


def test_captures_that_show_too_little(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    acks = [(at, segment(0, 1, 1, 0x10, 0), 0) for at in range(5)]
    cannot = "this connection cannot be twinned: "
    assert refused(acks, tmp_path, capsys) == f"{cannot}it has no data\n"
    assert refused(data(80, acked=False), tmp_path, capsys).startswith(
        f"{cannot}the capture has packets of one direction"
    )
    assert refused(data(20), tmp_path, capsys) == f"{cannot}it has 20 segments with data, and 50 are needed\n"
    few = data(80, acked=False) + data(80)[1:6:2]
    assert "round-trip times, and 10 are needed" in refused(few, tmp_path, capsys)
    assert (
        refused([], tmp_path, capsys) == "the capture: 'capture.pcap' is not allowed; must contain a TCP connection\n"
    )


def test_times_that_cannot_be_simulated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cannot = "this connection cannot be twinned: "
    still = [(0, content, size) for _, content, size in data(80)]
    assert refused(still, tmp_path, capsys) == f"{cannot}its times do not advance\n"
    slow = [(10_000 * at, content, size) for at, content, size in data(80)]
    assert refused(slow, tmp_path, capsys) == f"{cannot}it lasts 7,950 s, and at most 3,600 s are simulated\n"


def test_a_path_without_delay_has_a_scenario(tmp_path: Path) -> None:
    """All but one round trip take no time, as with a clock of low resolution."""
    packets = [(at - at % 10_000, content, size) for at, content, size in data(80)]
    packets[-1] = (packets[-1][0] + 10_000, *packets[-1][1:])
    twin = read_twin(written(packets, tmp_path / "capture.pcap"))
    assert twin.write(tmp_path).dumbbell is not None


def test_a_connection_that_does_not_exist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(data(80), tmp_path / "capture.pcap")
    with pytest.raises(SystemExit):
        main(["twin", str(file), "--connection", "7"])
    assert capsys.readouterr().err == "--connection: 7 is not allowed; must be 0 to 0\n"


def test_a_connection_that_can_only_just_be_twinned(tmp_path: Path) -> None:
    twin = read_twin(written(data(80), tmp_path / "capture.pcap"))
    assert twin.path.rate.is_bound
    assert not twin.law.is_identified
    assert twin.law.why.endswith("the trace is too short.")
    twin.write(tmp_path)


@st.composite
def any_packets(draw: st.DrawFn) -> list[tuple[int, bytes, int]]:
    """Packets of two directions with any numbers, near those of a real connection or not."""
    number = st.one_of(st.integers(0, 400).map(lambda each: 1 + 1000 * each), st.integers(0, 2**32 - 1))
    at, packets = 0, []
    for _ in range(draw(st.integers(60, 140))):
        at += draw(st.sampled_from([0, 1, 100, 1200, 50_000, 3_000_000]))
        back = draw(st.integers(0, 1))
        size = draw(st.sampled_from([0, 1, 1000, 1000, 1000, 60_000]))
        flags = draw(st.sampled_from([0x10, 0x10, 0x10, 0x50, 0x02, 0x12, 0x11, 0x14]))
        packets.append((at, segment(back, draw(number), draw(number), flags, size), size))
    return packets


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(first=any_packets(), regular=st.integers(0, 120))
def test_any_capture_gives_a_scenario_or_a_clear_error(
    first: list[tuple[int, bytes, int]], regular: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    packets = sorted(data(regular) + first, key=lambda packet: packet[0])
    try:
        twin = read_twin(written(packets, folder / "capture.pcap"))
    except ScenarioError as error:
        lines = str(error).splitlines()
    else:
        lines = [findings(twin)[0].what]
        assert twin.write(folder).effective().duration
    assert len(lines) == 1


def test_the_scenario_has_what_the_receiver_does() -> None:
    seen = link(bursts(20, 10, 0.1))
    twin = twin_of(replace(seen, windows=np.full(200, 14_600.0)), 0.5)
    assert isinstance(twin, Twin)
    assert twin.window == 10
    transport = twin.tables()["clients"][0]["transport"]
    assert transport["max_window"] == 10
    assert transport["delayed_ack"] is False
    assert 'kind = "trace"' in toml(twin.tables())


def test_packets_of_several_segments_are_cut() -> None:
    """Validates: segments of a packet that a sender with offload has captured whole.

    Source: by hand. 2,500 bytes are segments of 1,000, 1,000 and 500 bytes, sent at the same time.
    Tolerance: exact.
    """
    sends = {
        "time": np.array([0.0, 1.0]),
        "sequence": np.array([1.0, 2501.0]),
        "payload": np.array([2500.0, 1000.0]),
        "retransmission": np.array([0.0, 1.0]),
    }
    cut = _cut(sends, 1000)
    assert {name: column.tolist() for name, column in cut.items()} == {
        "time": [0, 0, 0, 1],
        "sequence": [1, 1001, 2001, 2501],
        "payload": [1000, 1000, 500, 1000],
        "retransmission": [0, 0, 0, 1],
    }
    many = {name: np.full(MOST_EVENTS // 2, 65_000.0) for name in sends}
    assert _cut(many, 1)["time"].size <= MOST_EVENTS
