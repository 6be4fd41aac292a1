"""Programs at the hosts of a scenario: their network, what is refused, and real ones where namespaces can be made."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.live.test_refusing import BASE

import ackclock as ac
from ackclock.engine import core
from ackclock.live import namespaces, shell
from ackclock.live.hosts import MOST_FLOWS, Network, most_connections
from ackclock.live.session import _is_served
from ackclock.values.quantity import seconds

WHY = namespaces.missing() or (None if os.geteuid() == 0 else "these tests run as root only")
live = pytest.mark.skipif(WHY is not None, reason=f"no live sessions: {WHY}")

SLOW = BASE.changed({"dumbbell.bottleneck.rate": "5 Mbps", "dumbbell.bottleneck.delay": "15 ms"})
PARKING_LOT = ac.Scenario.from_toml("examples/parking_lot.toml")


def test_a_dumbbell_has_two_hosts_and_the_names_of_its_links() -> None:
    network = Network.of(SLOW)
    assert (network.hosts, network.addresses) == (("sender", "receiver"), ("10.9.0.1", "10.9.0.2"))
    assert [link.name for link in network.scenario.links] == [
        "bottleneck",
        "bottleneck.reverse",
        "access.0",
        "access.0.reverse",
    ]
    assert (network.law, network.ecn, network.gso, network.mtu) == ("cubic", False, False, 1500)
    assert network.least_rtt() == pytest.approx(0.04)
    assert network.packet_time() == pytest.approx(2.4e-3)
    assert len(network.plan["groups"]) == MOST_FLOWS
    assert network.plan["measure"]["link"] == 0


def test_the_hosts_of_a_graph_are_the_ends_of_its_flows() -> None:
    network = Network.of(PARKING_LOT)
    assert network.hosts == ("a", "d", "b", "c")
    assert len(network.plan["groups"]) == most_connections(4) * 12
    assert network.least_rtt() == pytest.approx(0.02)


def test_links_keep_their_two_directions_and_their_changes() -> None:
    changes = [
        {"at": "1 s", "links": ["bottleneck"], "rate": "1 Mbps"},
        {"at": "9 s", "links": ["bottleneck"], "rate": "5 Mbps"},
    ]
    given = SLOW.changed(
        {
            "dumbbell.reverse": {"rate": "3 Mbps", "delay": "1 ms"},
            "clients.0.access": {"rate": "9 Mbps", "delay": "2 ms"},
            "changes": changes,
        }
    )
    network = Network.of(given)
    assert [link.rate for link in network.scenario.links] == ["5 Mbps", "3 Mbps", "9 Mbps", "9 Mbps"]
    facts = {"end": 2 * 10**12, "flows": [{"flow": 0, "protocol": 6, "ends": [["10.9.0.1", 5], ["10.9.0.2", 80]]}]}
    measured = network.measured(facts, ()).scenario
    assert [change.at for change in measured.changes] == ["1 s"]
    assert measured.duration == "2 s"
    assert [flow.name for flow in measured.flows] == ["tcp.sender.5>receiver.80"]


def test_packets_that_were_noted_are_measured_as_a_run() -> None:
    network = Network.of(SLOW)
    ends = [["10.9.0.1", 4000], ["10.9.0.2", 53]]
    flows = [{"flow": flow, "protocol": 17, "ends": ends} for flow in (0, 1)]
    prepared = network.measured({"end": 10**12, "flows": flows}, ["arrivals/100ms"])
    # one in ten milliseconds from the sender, and half as many back
    sent = [(10**10 * place, 0) for place in range(90)] + [(2 * 10**10 * place, 1) for place in range(45)]
    packets = b"".join(struct.pack("<QHHB", at, flow, 1000, 0) for at, flow in sorted(sent))
    run = prepared.run_of(1, prepared.read(*core.replay(prepared.plan, 1, packets), ()))
    assert (run.arrivals, run.drops) == (90, 0)
    assert [group.name for group in run.groups] == ["udp.sender.4000>receiver.53", "udp.receiver.53>sender.4000"]
    assert run.groups[0].goodput_bps == pytest.approx(8 * 90 * 1000)
    with pytest.raises(core.PlanError, match="those of a session"):
        core.replay(prepared.plan, 1, packets[::-1])


CUBIC = {"kind": "tcp", "variant": "cubic"}
HOSTILE: dict[str, dict[str, Any]] = {
    "250 Mb/s": {"dumbbell.bottleneck.rate": "250 Mbps", "dumbbell.access.rate": "1 Gbps"},
    "100 Gb/s": {"dumbbell.bottleneck.rate": "100 Gbps", "dumbbell.access.rate": "100 Gbps"},
    "a fast way back": {
        "dumbbell.reverse": {"rate": "1 Gbps", "delay": "1 ms"},
        "dumbbell.access.rate": "1 Gbps",
    },
    "giant packets": {"clients.0.packet_size": 20_000},
    "a queue in Python": {"dumbbell.bottleneck.queue": {"kind": "python", "discipline": "own.py:Own"}},
    "a law in Python": {"clients.0.transport": {"kind": "tcp", "law": "own.py:Own"}},
    "a filter of ACKs": {"dumbbell.bottleneck.queue": {"kind": "cake", "ack_filter": "on"}},
    "a medium": {
        "media": [{"name": "air", "kind": "wifi"}],
        "dumbbell.bottleneck.medium": "air",
    },
    "another link": {"measure": {"link": "nowhere"}},
    "a client's link": {"clients.0.count": 9, "measure": {"link": "access.7"}},
    "a change of a client's link": {
        "clients.0.count": 9,
        "changes": [{"at": "1 s", "links": ["access.7"], "rate": "1 Mbps"}],
    },
    "a trace that does not exist": {
        "dumbbell.bottleneck": {"rate_trace": {"path": "/nowhere.csv"}, "delay": "5 ms"},
    },
}


@pytest.mark.parametrize("name", HOSTILE)
def test_scenarios_that_a_session_cannot_have_are_refused_in_one_line(name: str) -> None:
    with pytest.raises(ac.ScenarioError) as error:
        shell(SLOW.changed(HOSTILE[name]), ["true"])
    assert "\n" not in error.value.headline
    assert len(error.value.headline) < 300


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"command": ["no-such-program"]}, "command: 'no-such-program'"),
        ({"command": [""]}, "command: ''"),
        ({"command": ["/etc/passwd"]}, "command: '/etc/passwd'"),
        ({"at": "nowhere"}, "at: unknown host 'nowhere'"),
        ({"at": "gateway"}, "at: unknown host 'gateway'"),
        ({"serve": {"nowhere": ["true"]}}, "serve: unknown host"),
        ({"serve": {"sender": ["true"]}}, "another host"),
        ({"serve": {"receiver": ["no-such-program"]}}, "serve: 'no-such-program'"),
        ({"record": ["windows"]}, "record: 'windows'"),
        ({"record": ["states"]}, "record: 'states'"),
        ({"seed": -1}, "seed"),
    ],
)
def test_arguments_are_refused_in_one_line(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ac.ScenarioError) as error:
        shell(SLOW, **{"command": ["true"], **arguments})
    assert words in error.value.headline
    assert "\n" not in error.value.headline


def test_too_many_hosts_are_refused() -> None:
    star = ac.Star(hosts=20, access=ac.Link(rate="10 Mbps", delay="1 ms"))
    flows = [
        {"from": f"h{place}", "to": "h19", "transport": CUBIC, "source": {"kind": "greedy"}} for place in range(19)
    ]
    given = {"duration": "1 s", "topology": star.model_dump(exclude_none=True), "flows": flows}
    given["measure"] = {"link": "h19->switch"}
    with pytest.raises(ac.ScenarioError, match="20 hosts with flows"):
        Network.of(ac.Scenario.from_dict(given))


def ackclock(folder: Path, *arguments: str, scenario: ac.Scenario = SLOW) -> subprocess.CompletedProcess[str]:
    """Run ``ackclock live shell`` in a folder."""
    (folder / "run.toml").write_text(scenario.to_toml(), encoding="utf-8")
    line = [sys.executable, "-m", "ackclock", "live", "shell", "run.toml", *arguments]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


ECHO = "import socket as s; u = s.socket(s.AF_INET, s.SOCK_DGRAM); u.bind(('', 7))\nwhile 1: u.sendto(*u.recvfrom(9))"
ASK = """
import socket, sys, time
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
    asking.settimeout(5)
    for _ in range(5):
        begin = time.monotonic()
        asking.sendto(b"?", (sys.argv[1], 7))
        asking.recvfrom(9)
        print(time.monotonic() - begin)
"""


@live
def test_datagrams_take_the_time_of_the_links(tmp_path: Path) -> None:
    (tmp_path / "echo.py").write_text(ECHO, encoding="utf-8")
    (tmp_path / "ask.py").write_text(ASK, encoding="utf-8")
    done = ackclock(
        tmp_path, "--serve", f"receiver={sys.executable} echo.py", "--", sys.executable, "ask.py", "receiver"
    )
    times = [float(line) for line in done.stdout.split()]
    assert done.returncode == 0, done.stderr
    assert len(times) == 5
    assert all(0.04 < time < 0.2 for time in times)
    assert "at sender (10.9.0.1); receiver 10.9.0.2" in done.stderr


FETCH = "import urllib.request as r, sys; sys.stdout.write(str(len(r.urlopen(sys.argv[1]).read())))"


@live
def test_a_download_crosses_the_bottleneck_and_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(bytes(400_000))
    (tmp_path / "fetch.py").write_text(FETCH, encoding="utf-8")
    options = ["--at", "receiver", "--serve", f"sender={sys.executable} -m http.server", "--pcap", "c.pcapng"]
    fetch = ["--", sys.executable, "fetch.py", "http://sender:8000/data"]
    done = ackclock(tmp_path, *options, "--record", "queue/10ms", "--out", "result", *fetch)
    assert (done.returncode, done.stdout) == (0, "400000"), done.stderr
    record = json.loads((tmp_path / "result" / "record.json").read_text(encoding="utf-8"))
    names = [group["name"] for group in record["summary"]["groups"]]
    assert len(names) == 2
    assert all(name.startswith(("tcp.sender.8000>receiver.", "tcp.receiver.")) for name in names)
    assert record["summary"]["arrivals"] >= 400_000 // 1448
    least = 400_000 * 8 * 1500 / 1448 / 5e6
    assert least < seconds(record["scenario"]["duration"]) < 10 * least
    assert (tmp_path / "result" / "queue.parquet").exists()
    line = [sys.executable, "-m", "ackclock", "capture", "c.pcapng", "--json"]
    read = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert read.returncode == 0, read.stderr
    assert json.loads(read.stdout)["packets"] > 400_000 // 1448


@live
@pytest.mark.parametrize(
    ("script", "status"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("no-such-one", 127)]
)
def test_the_exit_status_is_that_of_the_command(tmp_path: Path, script: str, status: int) -> None:
    assert ackclock(tmp_path, "--", "sh", "-c", script).returncode == status


@live
def test_a_command_has_no_capabilities_and_no_other_network(tmp_path: Path) -> None:
    script = (
        "grep -c 'Cap[IPE][a-z]*:.0*$' /proc/self/status; tail -n +3 /proc/net/dev | wc -l; cat /etc/hosts; sleep 99 &"
    )
    hosts = Path("/etc/hosts").read_bytes()
    done = ackclock(tmp_path, "--", "sh", "-c", script)
    assert done.stdout.split() == ["3", "2", "10.9.0.1", "sender", "10.9.0.2", "receiver", "127.0.0.1", "localhost"]
    assert Path("/etc/hosts").read_bytes() == hosts
    assert done.returncode == 0


@live
def test_a_command_cannot_change_the_settings_of_the_system(tmp_path: Path) -> None:
    script = "for each in kernel/core_pattern net/ipv4/ip_forward; do test -w /proc/sys/$each && echo $each; done; true"
    assert ackclock(tmp_path, "--", "sh", "-c", script).stdout == ""


@live
def test_a_command_may_be_as_long_as_the_kernel_allows(tmp_path: Path) -> None:
    words = [str(number) for number in range(30_000)]  # together longer than a single argument may be
    done = ackclock(tmp_path, "--", "echo", *words)
    assert (done.returncode, done.stdout.split()) == (0, words), done.stderr


SERVERS = {
    "connections of IPv4": ("tcp", "0: 00000000:1F90 00000000:0000 0A", True),
    "connections of all addresses": ("tcp6", "0: 0000:1F90 0000:0000 0A", True),
    "an open connection": ("tcp", "0: 0100007F:1F90 0100007F:1F91 01", False),
    "datagrams of anybody": ("udp6", "0: 0000:0007 0000:0000 07", True),
    "datagrams of one, as of a question to a name server": ("udp", "0: 0109000A:9C40 0209000A:0035 01", False),
}


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_waits_for_others(name: str, tmp_path: Path) -> None:
    table, row, expected = SERVERS[name]
    for each in ("tcp", "tcp6", "udp", "udp6"):
        (tmp_path / each).write_text(f"a heading\n{row if each == table else ''}\n".rstrip() + "\n", encoding="ascii")
    assert _is_served(tmp_path) is expected


@live
def test_the_hosts_of_a_graph_reach_each_other(tmp_path: Path) -> None:
    (tmp_path / "echo.py").write_text(ECHO, encoding="utf-8")
    (tmp_path / "ask.py").write_text(ASK, encoding="utf-8")
    echo = f"{sys.executable} echo.py"
    options = ["--at", "d", "--serve", f"a={echo}", "--serve", f"c={echo}"]
    script = f"{sys.executable} ask.py a; {sys.executable} ask.py c"
    done = ackclock(tmp_path, *options, "--", "sh", "-c", script, scenario=PARKING_LOT)
    times = [float(line) for line in done.stdout.split()]
    assert len(times) == 10, done.stderr
    assert min(times[:5]) > 0.06  # three hops of 10 ms, there and back
    assert 0.02 < min(times[5:]) < 0.06


@live
def test_a_capture_is_never_overwritten_and_an_unused_one_removed(tmp_path: Path) -> None:
    (tmp_path / "old.pcapng").write_bytes(b"old")
    done = ackclock(tmp_path, "--pcap", "old.pcapng", "--", "true")
    assert (done.returncode, (tmp_path / "old.pcapng").read_bytes()) == (2, b"old")
    assert done.stderr.count("\n") == 1
