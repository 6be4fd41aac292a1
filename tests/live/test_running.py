"""Real connections through our links. These tests need Linux, TUN devices and the right to make namespaces.

None of them depends on how punctual the machine is.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.live.test_refusing import BASE

import ackclock as ac
from ackclock.cli.runner import request_of
from ackclock.live import live, namespaces

WHY = namespaces.missing() or (None if os.geteuid() == 0 else "these tests run as root only")
pytestmark = pytest.mark.skipif(WHY is not None, reason=f"no live runs: {WHY}")

SMALL = BASE.changed({"duration": "1500 ms", "measure": {"from": "200 ms", "bin": "100 ms"}, "clients.0.count": 1})
CUBIC = {"transport": {"kind": "tcp", "variant": "cubic"}}
RENO = SMALL.changed({"clients.0.transport": {"kind": "tcp", "variant": "reno"}})


def test_a_run_has_the_tables_and_measures_of_a_simulated_one() -> None:
    record = ["arrivals", "drops", "queue/10ms", "throughput/100ms", "packets", "windows/20ms"]
    result = live(RENO, record=record)
    run, simulated = result.run, ac.simulate(result.run.scenario, record=record)
    assert set(run.tables) == set(simulated.tables)
    for name in run.tables:
        assert run.table(name).schema == simulated.table(name).schema
    assert run.groups[0].goodput_bps > 0
    assert run.rtt_min is not None
    assert run.rtt_min >= 0.02  # the links' delay
    assert run.table("windows")["cwnd"].to_pylist()[-1] >= 1
    offered = [event for event in run.table("packets")["event"].to_pylist() if event in {"enqueue", "drop"}]
    assert len(offered) == sum(run.table("arrivals")["packets"].to_pylist())
    assert result.lateness.packets > 0
    live_in = result.to_dict()["live"]
    assert live_in["kernel"] == os.uname().release
    assert live_in["congestion_controls"] == ["reno"]
    assert live_in["settings"]["net.ipv4.tcp_ecn"] == "0"
    assert run.fast_retransmits is None
    assert run.dup_acks is None
    assert run.table("flows")["dup_acks"].null_count == 1
    assert "live" not in simulated.to_dict()


def test_a_saved_live_run_says_that_it_was_live(tmp_path: Path) -> None:
    live(RENO.changed({"duration": "400 ms"})).run.save(tmp_path / "result")
    again = ac.load(tmp_path / "result")
    assert again.live is not None
    assert again.live["kernel"] == os.uname().release
    assert request_of(tmp_path / "result").kernel == os.uname().release


def test_transfers_are_recorded_as_in_a_simulated_run() -> None:
    source = {
        "kind": "transfers",
        "size": {"kind": "fixed", "mean": "58 kB"},
        "think": {"kind": "fixed", "mean": "100 ms"},
    }
    changes = {"clients.0.source": source, "duration": "2500 ms", "clients.0.transport": CUBIC["transport"]}
    run = live(SMALL.changed(changes), record=["transfers"]).run
    simulated = ac.simulate(run.scenario, record=["transfers"])
    ours, theirs = (each.table("transfers") for each in (run, simulated))
    assert ours.schema == theirs.schema
    assert len(ours) >= 3
    assert ours["packets"].to_pylist()[:3] == theirs["packets"].to_pylist()[:3]
    assert ours["start"][0].as_py() == pytest.approx(theirs["start"][0].as_py(), abs=1e-9)
    done = [took for took in ours["completion"].to_pylist() if took is not None]
    assert min(done) >= 0.04  # two round trips of 20 ms at least
    assert run.groups[0].completed >= 1


def test_requests_do_not_wait_for_the_network() -> None:
    size, every = {"kind": "fixed", "mean": "20 kB"}, {"kind": "fixed", "mean": "300 ms"}
    source = {"kind": "requests", "size": size, "every": every}
    run = live(SMALL.changed({"clients.0.source": source}), record=["transfers"]).run
    starts = run.table("transfers")["start"].to_pylist()
    assert starts == pytest.approx([0.3 * place for place in range(5)], abs=1e-6)


def test_modules_in_the_current_directory_do_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "executed"
    (tmp_path / "heapq.py").write_text(f"open({str(mark)!r}, 'w')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    run = live(RENO.changed({"duration": "300 ms"})).run
    assert not mark.exists()
    assert any("a live run with kernel" in notice for notice in run.notices)


def test_datagrams_cross_at_the_rate_of_their_source() -> None:
    source = {"kind": "constant", "rate": 200}
    run = live(SMALL.changed({"clients.0.transport": {"kind": "udp"}, "clients.0.source": source})).run
    assert run.arrivals == pytest.approx(260, abs=60)
    assert run.drops == 0


def test_a_law_that_the_kernel_lacks_is_named() -> None:
    with pytest.raises(ac.ScenarioError, match=r"copa is not available in this kernel; it has .*reno"):
        live(SMALL.changed({"clients.0.transport": {"kind": "tcp", "variant": "copa"}}))


def networks() -> set[str]:
    """The network namespaces of all threads."""
    found = set()
    for place in Path("/proc").glob("[0-9]*/task/[0-9]*/ns/net"):
        try:
            found.add(str(place.readlink()))
        except OSError:
            continue
    return found


def workers() -> list[str]:
    """The processes of live runs that have no parent any more."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command = (place / "cmdline").read_bytes().split(b"\0")
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if b"ackclock.live.worker" in command and parent == 1:
            found.append(place.name)
    return found


@pytest.mark.parametrize("after", [0.3, 1.2, 1.9])
def test_nothing_is_left_of_a_run_that_is_killed(after: float, tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(RENO.changed({"duration": "20 s"}).to_toml())
    before = networks()
    process = subprocess.Popen([sys.executable, "-m", "ackclock", "live", str(file)], cwd=tmp_path)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()
    for _ in range(100):
        if networks() <= before and not workers():
            break
        time.sleep(0.05)
    assert networks() <= before
    assert not workers()
    assert [path.name for path in tmp_path.iterdir()] == ["run.toml"]
