"""Figure 3 and the protocols of a capture: reading, figures, judgement, and the substitute for the authors' capture."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shlex
import struct
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.papers.selfsimilar.selfsimilar_world import WORLD
from tests.support.few import few

import ackclock as ac
from ackclock.cli import main
from ackclock.papers.core.evidence import Runs
from ackclock.papers.core.paper import Paper
from ackclock.papers.selfsimilar import study, trace
from ackclock.papers.selfsimilar.claims import CLAIMS
from ackclock.papers.selfsimilar.experiment import TRACE
from ackclock.papers.selfsimilar.trace import STAND_IN, Memory, PacketSizes, memory, read_trace, stand_in
from ackclock.papers.selfsimilar.trace_figures import METHODS
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.papers.selfsimilar.trace import Trace
    from ackclock.report.html import Section

(TRACE_CLAIM,) = (claim for claim in CLAIMS if claim.key == "5-1")
(CHAPTER,) = (chapter for chapter in study.PAPER.chapters if chapter.title.startswith("Figure 3"))
HEAD = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 0, 1)


OTHERS = ("Table 1, and the background's Hurst parameter", "The authors' future work")


def record(time: int, length: int) -> bytes:
    return struct.pack("<IIII", time, 0, 0, length)


def section_of(capture: Trace) -> Section:
    evidence = dataclasses.replace(WORLD.evidence(), capture=capture)
    return CHAPTER.section(evidence, command="ackclock reproduce selfsimilar")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """Return the substitute for the authors' capture."""
    return stand_in(tmp_path_factory.mktemp("made") / STAND_IN, seed=1)


@pytest.fixture(scope="module")
def real(root: Path) -> Trace:
    """Return a capture from an Ethernet."""
    return read_trace(root / "tests/data/captures/ethernet.pcap")


class TestPacketSizes:
    def test_bins_by_hand(self) -> None:
        sizes = PacketSizes(time=np.array([5.0, 7.5, 5.2, 9.0]), size=np.array([40.0, 1500, 100, 60]))
        assert (sizes.length, sizes.bin) == (4.0, 0.001)
        packets, carried = sizes.per_bin(2.0)
        assert (packets.tolist(), carried.tolist()) == ([2, 1], [140, 1500])
        assert [len(part) for part in sizes.per_bin(10.0)] == [1, 1]

    @pytest.mark.parametrize(("length", "width"), [(300, 0.1), (1e-3, 1e-7), (1e8, 1e4)])
    def test_bins_are_few_however_long_it_is(self, length: float, width: float) -> None:
        sizes = PacketSizes(time=np.array([0.0, length]), size=np.ones(2))
        assert sizes.bin == pytest.approx(width)
        assert len(sizes.per_bin(sizes.bin)[0]) <= 10_000

    @pytest.mark.parametrize(
        ("time", "size", "message"),
        [
            ([0.0, 1.0], [1.0], "size: must have the shape of time"),
            ([0.0], [1.0], "time: must be"),
            ([1.0, 1.0], [1.0, 1.0], "time: must be"),
            ([0.0, np.nan], [1.0, 1.0], "time: must be"),
            ([0.0, 1.0], [1.0, -1.0], "size: must be finite"),
        ],
    )
    def test_refuses(self, time: list[float], size: list[float], message: str) -> None:
        with pytest.raises(ValueError, match=f"^{message}"):
            PacketSizes(time=np.array(time), size=np.array(size))

    def test_series_are_in_order_of_time(self) -> None:
        sizes = PacketSizes(time=np.array([5.0, 7.5, 5.2, 9.0]), size=np.array([40.0, 1500, 100, 60]))
        one, *bins = memory(sizes)
        assert one.values.tolist() == [40, 100, 1500, 60]
        assert [each.name for each in bins] == ["bytes in 0.001 s", "bytes in 0.01 s"]
        assert one.found is None
        assert not one.long_range

    def test_noise_has_long_range_dependence_and_a_cycle_has_not(self) -> None:
        """Packet sizes, one per bin, are fractional Gaussian noise with H = 0.8, or alternate."""
        time = np.arange(10_000.0)
        noise = 700 + 100 * ac.analysis.fractional_gaussian_noise(10_000, hurst=0.8, seed=1)
        assert memory(PacketSizes(time=time, size=noise))[0].long_range
        assert not memory(PacketSizes(time=time, size=np.tile([40.0, 1500.0], 5000)))[0].long_range


class TestStandIn:
    def test_it_is_much_like_the_capture(self, made: Trace) -> None:
        """The authors' capture of five minutes has 4880 packets with 3,018,692 bytes, 91 % of them TCP."""
        assert made.capture.packets == pytest.approx(TRACE["packets"], rel=0.25)
        assert made.capture.bytes == pytest.approx(TRACE["bytes"], rel=0.25)
        assert made.capture.duration == pytest.approx(300, abs=2)
        assert made.shares == pytest.approx({"ARP": 0, "IP": 100, "LLC": 0, "TCP": 90.7, "UDP": 5.84}, abs=5)
        assert {40, 1500} < set(made.sizes.size.tolist())

    def test_it_is_what_the_run_recorded(self, made: Trace, tmp_path: Path) -> None:
        """Validates: the file has each packet of the run, at its time, with its size except for longer headers.
        Source: the record of packets of the same run.
        Tolerance: a nanosecond, the file's resolution; sizes are exact except for bytes that the writer adds.
        """
        place = "bottleneck,bottleneck.reverse"
        run = ac.simulate(trace.mix(), seed=1, record=[f"packets@{place}"], capture=[place])
        shown = run.write_pcapng(place, tmp_path / "again.pcapng")
        rows = run.table("packets").to_pandas()
        rows = rows[rows["event"].isin(["enqueue", "drop"])].sort_values("time", kind="stable")
        assert made.sizes.time + rows["time"].iloc[0] == pytest.approx(rows["time"].to_numpy(), abs=2e-9)
        more = made.sizes.size - rows["bytes"].to_numpy()
        assert (more.min(), (more > 0).sum(), more.sum()) == (0, shown.longer, shown.longer_by)

    def test_the_same_seed_gives_the_same_file(self, made: Trace, tmp_path: Path) -> None:
        again = stand_in(tmp_path / STAND_IN, seed=1)
        assert again.sha256 == made.sha256
        assert again.simulated

    def test_the_run_has_the_given_seed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def simulate(_: object, *, seed: int, jobs: int, **__: object) -> None:
            raise LookupError(seed, jobs)

        monkeypatch.setattr(trace, "simulate", simulate)
        with pytest.raises(LookupError, match=r"\(7, 1\)"):
            stand_in(tmp_path / STAND_IN, seed=7)


class TestFigures:
    def test_a_capture_is_beside_the_papers_numbers(self, real: Trace) -> None:
        section = section_of(real)
        figure, protocols = section.drawings
        assert "simulated" not in section.text + figure.title
        assert f"{real.capture.packets:,} packets, {real.capture.bytes:,} bytes" in figure.caption
        assert "4,880 packets, 3,018,692 bytes in 300 s" in figure.caption
        assert [row[0] for row in figure.numbers.rows[: len(METHODS)]] == list(METHODS.values())
        assert "[" in figure.numbers.rows[0][1]
        rows = {row[0]: row for row in protocols.numbers.rows}
        assert [rows[name][5] for name in ("arp", "llc", "tcp", "udp")] == ["0.94", "2.5", "90.7", "5.84"]
        assert rows["IP of both versions"][3:6] == [f"{real.shares['IP']:.2f}", "", "96.54"]
        assert rows["all"][2] == f"{real.capture.packets:,}"
        assert real.shares["IP"] > real.shares["TCP"] > 0

    def test_the_stand_in_says_what_it_is(self, made: Trace) -> None:
        section = section_of(made)
        assert "not public" in section.text
        assert "simulated" in section.text
        assert section.drawings[0].title.endswith("(simulated packets)")
        assert len(section.drawings[0].csv.splitlines()) == 1 + len(made.memory[1].values)

    def test_a_capture_too_small_for_any_method_is_drawn(self, tmp_path: Path) -> None:
        (tmp_path / "tiny.pcap").write_bytes(HEAD + record(0, 60) + record(1, 60))
        section = section_of(read_trace(tmp_path / "tiny.pcap"))
        assert section.drawings[0].svg.startswith("<")
        assert section.drawings[1].svg.startswith("<")
        assert {row[1] for row in section.drawings[0].numbers.rows[:6]} == {"–"}  # noqa: RUF001

    def test_times_far_apart_and_backwards_are_drawn(self, tmp_path: Path) -> None:
        (tmp_path / "years.pcap").write_bytes(HEAD + record(5, 60) + record(2**32 - 1, 1500) + record(0, 60))
        made = read_trace(tmp_path / "years.pcap")
        assert made.sizes.length == 2**32 - 1
        section = section_of(made)
        assert "The clock jumps 2 times" in section.text
        assert section.drawings[0].svg.startswith("<")

    def test_damage_is_reported(self, tmp_path: Path) -> None:
        (tmp_path / "cut.pcap").write_bytes(HEAD + record(0, 60) + record(1, 60) + record(2, 60)[:9])
        assert "damaged or truncated" in section_of(read_trace(tmp_path / "cut.pcap")).text


def dependent(series: tuple[Memory, ...], *holds: bool) -> tuple[Memory, ...]:
    """Return series for which long-range dependence is claimed, or not."""
    noise = ac.analysis.hurst(ac.analysis.fractional_gaussian_noise(4096, hurst=0.8, seed=1))
    return tuple(
        dataclasses.replace(each, found=dataclasses.replace(noise, long_range=claimed))
        for each, claimed in zip(series, (*holds, False), strict=True)
    )


class TestClaim:
    @pytest.mark.parametrize(
        ("tcp", "holds", "verdict"),
        [
            (0.95, (True, True), Verdict.REPRODUCED),
            (0.95, (True, False), Verdict.PARTLY),
            (0.85, (True, True), Verdict.PARTLY),
            (0.85, (False, True), Verdict.NOT),
            (0.95, (False, False), Verdict.NOT),
        ],
    )
    def test_a_capture_is_judged(self, real: Trace, tcp: float, holds: tuple[bool, bool], verdict: Verdict) -> None:
        mix = tuple(
            dataclasses.replace(each, packets=round(tcp * real.capture.packets)) if each.name == "tcp" else each
            for each in real.capture.mix
        )
        capture = dataclasses.replace(real.capture, mix=mix)
        other = dataclasses.replace(real, capture=capture, memory=dependent(real.memory, *holds))
        usual = WORLD.evidence()
        found = TRACE_CLAIM.judge(dataclasses.replace(usual, ours=Runs({**usual.ours.parts, "capture": [other.row]})))
        assert found.verdict is verdict, found.why
        assert found.command == f"ackclock capture {shlex.quote(str(real.capture.path))}"
        assert f"{other.shares['TCP']:.1f} % of its packets are TCP" in found.why
        assert "refer to all packets" in found.why

    def test_a_stand_in_decides_nothing(self, made: Trace) -> None:
        found = TRACE_CLAIM.judge(dataclasses.replace(WORLD.evidence(), capture=made))
        assert found.verdict is Verdict.NOT_TESTABLE
        assert "not public" in found.why


class TestCommand:
    @pytest.fixture(autouse=True)
    def _without_runs(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        own = [chapter for chapter in study.PAPER.chapters if chapter.title not in OTHERS]
        monkeypatch.setattr(study, "PAPER", few(study.PAPER, CLAIMS, chapters=own))
        monkeypatch.setattr(Paper, "evidence", lambda *_, **__: WORLD.evidence())
        monkeypatch.chdir(tmp_path)

    def test_a_capture_is_analysed_alone(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.delattr(Paper, "evidence")
        monkeypatch.delattr(Paper, "write")
        file = tmp_path / "our lan.pcap"
        file.write_bytes((root / "tests/data/captures/ethernet.pcap").read_bytes())
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", "selfsimilar", "--capture", "our lan.pcap"])
        assert ended.value.code == 0
        out = tmp_path / "out" / "selfsimilar-capture"
        shown = json.loads((out / "record.json").read_text(encoding="utf-8"))
        assert shown["command"] == "ackclock reproduce selfsimilar --capture 'our lan.pcap'"
        assert "seeds" not in shown
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        packets = ac.read_capture(file).packets
        assert shown["capture"] == {"file": "our lan.pcap", "sha256": digest, "packets": packets}
        page = (out / "report.html").read_text(encoding="utf-8")
        assert digest in page
        assert "ackclock capture" in page
        assert {"figure3.png", "protocols.csv"} <= {path.name for path in out.iterdir()}
        assert len((out / "claims.csv").read_text(encoding="utf-8").splitlines()) == 2
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", "selfsimilar", "--capture", "our lan.pcap", "--seeds", "2"])
        assert ended.value.code == 2
        assert "--seeds: 2 is not allowed; must be absent with --capture" in capsys.readouterr().err

    @pytest.mark.slow
    @pytest.mark.usefixtures("placeholders")
    def test_without_one_the_stand_in_is_there_to_be_read(self, tmp_path: Path) -> None:
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", "selfsimilar", "--seeds", "1"])
        assert ended.value.code == 0
        out = tmp_path / "out" / "selfsimilar"
        shown = json.loads((out / "record.json").read_text(encoding="utf-8"))
        assert "capture" not in shown
        assert STAND_IN in shown["files"]
        read = ac.read_capture(out / STAND_IN)
        assert f"{read.packets:,} packets" in (out / "report.html").read_text(encoding="utf-8")
        # Replacing a page also removes the files of the old one.
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", "selfsimilar", "--capture", f"out/selfsimilar/{STAND_IN}", "--out", "out/selfsimilar"])
        assert ended.value.code == 2

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["vegas", "--capture", "two.pcap"], "--capture: 'two.pcap' is not allowed; vegas reads no capture"),
            (["selfsimilar", "--capture", "none.pcap"], "none.pcap: cannot be used: No such file"),
            (["selfsimilar", "--capture", "."], ".: cannot be used: it is not a file"),
            (["selfsimilar", "--capture", "text"], "not a capture"),
            (["selfsimilar", "--capture", "empty.pcap"], "it has fewer than two packets"),
            (["selfsimilar", "--capture", "one.pcap"], "it has fewer than two packets"),
        ],
    )
    def test_refuses_before_any_run(
        self,
        words: list[str],
        message: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.delattr(Paper, "write")
        (tmp_path / "text").write_text("hello, this is no capture")
        (tmp_path / "empty.pcap").write_bytes(HEAD)
        (tmp_path / "one.pcap").write_bytes(HEAD + record(0, 60))
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", *words])
        assert ended.value.code == 2
        assert message in capsys.readouterr().err
        assert not (tmp_path / "out").exists()

    def test_refuses_more_packets_than_fit(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(trace, "_MOST", 2)
        (tmp_path / "three.pcap").write_bytes(HEAD + b"".join(record(time, 60) for time in range(3)))
        with pytest.raises(ac.ScenarioError, match="more than 2 packets"):
            read_trace(tmp_path / "three.pcap")
