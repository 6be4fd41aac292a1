"""Inputs that gave a traceback, no answer or a misleading name: each gives one line, and the documented exit status."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import tomli_w
from tests.laws.test_law_fields import scenario as with_transport

import ackclock as ac
from ackclock.cli import main

if TYPE_CHECKING:
    from pathlib import Path

TABLES: dict[str, Any] = {
    "duration": "2 s",
    "dumbbell": {
        "access": {"rate": "10 Mbps", "delay": "5 ms"},
        "bottleneck": {"rate": "1 Mbps", "delay": "5 ms"},
    },
    "clients": [{"transport": {"kind": "udp"}, "source": {"kind": "constant", "rate": 10}}],
}


def source(**fields: Any) -> dict[str, Any]:
    """Return a scenario with another source."""
    return TABLES | {"clients": [{"transport": {"kind": "udp"}, "source": fields}]}


def line(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 2) -> str:
    """Run a command that fails, and return its only line."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    out, err = capsys.readouterr()
    assert (end.value.code, out, err.count("\n")) == (code, "", 1), err
    return err


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.toml").write_text(tomli_w.dumps(TABLES))
    return tmp_path


def test_tables_that_are_not_utf_8(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "t.csv").write_bytes("time,packets\n0.5,1\n1.5,2\n".encode("utf-16"))
    (here / "latin.csv").write_bytes(b"time,gr\xf6\xdfe\n0.5,1\n")
    for name, why in (("t", "it is UTF-16, not UTF-8; save it as UTF-8"), ("latin", "byte 7 is not UTF-8")):
        (here / "t.toml").write_text(tomli_w.dumps(source(kind="trace", path=f"{name}.csv")))
        assert f"{name}.csv: cannot be used: {why}; must be CSV" in line(capsys, "run", "t.toml")
        assert f"{name}.csv: cannot be used: {why}; must be text" in line(capsys, "burstiness", f"{name}.csv")
    (here / "wide.toml").write_bytes((here / "good.toml").read_text().encode("utf-16"))
    assert "it is UTF-16, not UTF-8" in line(capsys, "run", "wide.toml")


@pytest.mark.skipif(sys.platform == "win32", reason="names are texts on Windows")
def test_names_of_other_bytes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "study.toml").write_text(tomli_w.dumps({"replications": 1, "scenario": TABLES}))
    os.mkdir(b"%s/st\xff" % os.fsencode(here))  # noqa: PTH102  # its name is no text
    whole: list[str | bytes] = [sys.executable, "-m", "ackclock", "run", "good.toml", "--out", b"out\xff"]
    ended = subprocess.run(whole, cwd=here, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1), ended.stderr
    assert "cannot be used: " in ended.stderr
    commands: list[list[str | bytes]] = [
        ["plot", b"st\xff", "--out", "p.png"],
        ["sweep", "study.toml", "--store", b"st\xff"],
        ["query", b"st\xff", "select count(*) from runs"],
        ["report", b"st\xff"],
        ["init", "dumbbell", b"i\xff.toml"],
    ]
    for arguments in commands:
        assert "cannot be used: " in line(capsys, *map(os.fsdecode, arguments))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes")
def test_pipes_and_devices_are_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = str(here / "pipe")
    os.mkfifo(pipe)
    for name in ("t.csv", "law.py", "p.pcap", "p.toml", "p.json"):
        os.mkfifo(here / name)
    (here / "t.toml").write_text(tomli_w.dumps(source(kind="trace", path="t.csv")))
    law = with_transport(ac.Tcp("reno")).to_dict()
    law["clients"][0]["transport"] = {"kind": "tcp", "law": f"{here}/law.py:L"}
    (here / "law.toml").write_text(tomli_w.dumps(law))
    for arguments in (
        ["run", "p.toml"],
        ["run", "p.json"],
        ["run", "t.toml"],
        ["run", "law.toml"],
        ["sweep", "p.toml"],
        ["lab", "p.toml", "--no-open"],
        ["burstiness", pipe],
        ["burstiness", "t.csv"],
        ["capture", "p.pcap"],
        ["controllers", "p.json"],
    ):
        assert "not a regular file" in line(capsys, *arguments), arguments
    assert "it is a device, not a regular file" in line(capsys, "run", "/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s.toml")
        assert "it is a socket, not a regular file" in line(capsys, "run", "s.toml")


class Odd(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


class Leaves(ac.Law):
    def on_ack(self, window: Any, ack: Any) -> None:
        del window, ack
        raise SystemExit(7)


class Unspeakable(ac.Law):
    def on_ack(self, window: Any, ack: Any) -> None:
        del window, ack
        raise Odd


def test_laws_that_leave_or_raise_what_has_no_text() -> None:
    for law, words in ((Leaves, "SystemExit: 7"), (Unspeakable, "Odd: its text fails with ValueError")):
        with pytest.raises(ac.LawError) as caught:
            ac.simulate(with_transport(ac.Tcp(law)))
        assert words in str(caught.value)


def test_a_law_that_leaves_when_it_is_loaded(here: Path) -> None:
    (here / "law.py").write_text("raise SystemExit(7)")
    with pytest.raises(ac.ScenarioError, match=r"running the file fails: SystemExit: 7 \(law.py, line 1\)"):
        ac.simulate(with_transport({"kind": "tcp", "law": f"{here}/law.py:L"}))


def test_errors_name_the_scenarios_fields(here: Path) -> None:
    noise = {"kind": "fgn", "rate": 100, "hurst": 0.8, "cov": 0.3, "bin": "1 us"}
    long = source(**noise) | {"duration": "5 s"}
    with pytest.raises(ac.ScenarioError, match=r"^clients\.0\.source\.bin: '1 us' .*at most 4,194,304 bins of a flow"):
        ac.simulate(ac.Scenario.from_dict(long))
    (here / "t.csv").write_text("time\n1\n1e300\n")
    with pytest.raises(ac.ScenarioError, match=r"t\.csv: cannot be used: its last time is after"):
        ac.simulate(ac.Scenario.from_dict(source(kind="trace", path="t.csv")))


def test_a_wrong_pair_is_the_only_cause() -> None:
    def message_of(**trace: Any) -> str:
        tables = TABLES | {
            "dumbbell": TABLES["dumbbell"] | {"bottleneck": {"delay": "5 ms", "rate_trace": trace}},
        }
        with pytest.raises(ac.ScenarioError) as caught:
            ac.Scenario.from_dict(tables)
        return str(caught.value)

    at = "dumbbell.bottleneck.rate_trace.steps"
    assert message_of(steps=[["1 s", "1 Mbps"]], period="5 s") == f"{at}: in the pair at 0, '1 s' must be 0 s"
    assert message_of(steps=[["0 s", "x"]], period="5 s").startswith(f"{at}: in the pair at 0, 'x' must be")
    assert message_of(steps=[["0 s"]], period="5 s").endswith("entry 0 is not a pair")


LONG = """
from pathlib import Path
import ackclock as ac

class L(ac.Law):
    def on_ack(self, window, ack):
        Path("began").touch()
        sum(range(10**13))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs glibc")
@pytest.mark.parametrize("command", ["run", "sweep"])
def test_a_second_interrupt_ends_a_call_that_never_returns(command: str, here: Path) -> None:
    (here / "law.py").write_text(LONG)
    law = with_transport(ac.Tcp("reno")).to_dict()
    law["clients"][0]["transport"] = {"kind": "tcp", "law": f"{here}/law.py:L"}
    tables = law if command == "run" else {"replications": 2, "scenario": law}
    (here / "law.toml").write_text(tomli_w.dumps(tables))
    words = [sys.executable, "-m", "ackclock", command, "law.toml"]
    # jobs in the background may ignore interrupts, and so would the command
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(words, cwd=here, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        while process.poll() is None and not (here / "began").exists():
            pass
        process.send_signal(signal.SIGINT)
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == -signal.SIGINT, err
    assert b"Traceback" not in err
