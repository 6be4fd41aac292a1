"""The command line: output, files and errors."""

import json
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from tests.support.forging import resealed

import ackclock
from ackclock.cli import app, main
from ackclock.engine.catalogue import catalogue
from ackclock.papers.core.definition import Definition
from ackclock.running.origin import Origin
from ackclock.study.figures.measuring import WORDS
from ackclock.study.store import Store

SCENARIO = """
profile = "ns2-2.35"
duration = "5 s"

[dumbbell]
access = { rate = "10 Mbps", delay = "10 ms" }
bottleneck = { rate = "5 Mbps", delay = "10 ms", queue = { kind = "droptail", packets = 10 } }

[[clients]]
count = 6
transport = { kind = "tcp", variant = "reno", overhead = "12 us" }
source = { kind = "poisson", rate = 100 }
"""

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs the command and returns its exit code and both output streams."""

    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return code, out, err

    return run


@pytest.fixture
def json_of(command: Command) -> Callable[..., dict[str, Any]]:
    """Return a function that runs the command and parses the JSON object that it prints."""

    def run(*arguments: object) -> dict[str, Any]:
        code, out, err = command("run", *arguments, "--json")
        assert (code, err) == (0, "")
        data: dict[str, Any] = json.loads(out)
        return data

    return run


def test_json_is_one_object_and_nothing_else(command: Command, scenario: Path) -> None:
    code, out, err = command("run", scenario, "--json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    origin = ["version", "revision", "schema"]
    assert list(data) == ["scenario", "profile", "seed", *origin, "notices", "warmup", "summary"]
    assert (data["profile"], data["seed"], data["version"]) == ("ns2-2.35", 1, ackclock.__version__)
    assert data["scenario"]["clients"][0]["transport"]["min_rto"] == "200 ms"
    assert data["summary"]["groups"][0]["name"] == "clients-0"
    assert str(scenario.parent) not in out
    # No JSON parser accepts these.
    assert "NaN" not in out
    assert "Infinity" not in out


def test_nothing_printed_depends_on_where_the_file_is(command: Command, scenario: Path) -> None:
    other = scenario.with_name("other.toml")
    other.write_text(SCENARIO)
    assert command("run", scenario, "--json") == command("run", other, "--json")
    assert command("run", scenario) == command("run", other)


def test_the_readable_summary(command: Command, scenario: Path) -> None:
    code, out, err = command("run", scenario)
    assert (code, err) == (0, "")
    assert out.startswith("Profile ns2-2.35, seed 1; measured from 0 s to 5 s at bottleneck, in bins of 40 ms\n")
    assert "throughput" in out
    assert "Note: The buffer of bottleneck (10 packets) is below one bandwidth-delay product" in out


def test_set_overrides_any_field(json_of: Callable[..., dict[str, Any]], scenario: Path) -> None:
    data = json_of(
        scenario,
        *("--set", "clients.0.count=2"),
        *("--set", "duration=2 s"),
        *("--set", "measure.bin='50 ms'"),
        *("--set", "clients.0.transport.variant=vegas"),
        *("--set", "clients.0.transport.alpha=2"),
        *("--set", "dumbbell.bottleneck.queue={kind='red', packets=20}"),
    )["scenario"]
    assert (data["clients"][0]["count"], data["duration"], data["measure"]["bin"]) == (2, "2 s", "50 ms")
    assert data["clients"][0]["transport"]["alpha"] == 2.0
    assert data["dumbbell"]["bottleneck"]["queue"]["kind"] == "red"


def test_a_result_runs_again_to_the_same_bytes(
    json_of: Callable[..., dict[str, Any]], scenario: Path, tmp_path: Path
) -> None:
    first, again, changed = tmp_path / "first", tmp_path / "again", tmp_path / "changed"
    records = ("--record", "arrivals", "--record", "windows@0/100ms")
    data = json_of(scenario, "--seed", 7, *records, "--out", first)
    assert json_of(first, "--out", again) == data
    assert json_of(first / "record.json") == data
    names = {path.name for path in first.iterdir()}
    assert names == {"record.json", "flows.parquet", "arrivals.parquet", "windows.parquet"}
    for name in names:
        assert (first / name).read_bytes() == (again / name).read_bytes()
    other = json_of(first, "--seed", 8, "--record", "drops", "--out", changed)
    assert other["seed"] == 8
    assert {path.name for path in changed.iterdir()} == {"record.json", "flows.parquet", "drops.parquet"}
    rows = pyarrow.parquet.read_table(first / "arrivals.parquet").num_rows
    assert rows == 125


def test_what_json_printed_runs_again(json_of: Callable[..., dict[str, Any]], scenario: Path, tmp_path: Path) -> None:
    data = json_of(scenario, "--seed", 7)
    printed = tmp_path / "printed.json"
    printed.write_text(json.dumps(data))
    assert json_of(printed) == data


def test_a_result_of_another_version_says_so(command: Command, scenario: Path, tmp_path: Path) -> None:
    command("run", scenario, "--out", tmp_path / "result")
    record = tmp_path / "result" / "record.json"
    record.write_text(resealed(json.loads(record.read_text()) | {"version": "0.0.1"}))
    code, _, err = command("run", tmp_path / "result", "--json")
    assert code == 0
    assert "made by Ackclock 0.0.1, engine revision" in err


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"revision": "0123456789abcdef"}, "engine revision 0123456789ab, scenario schema 3;"),
        ({"revision": None}, "engine revision unknown, scenario schema 3;"),
        ({"schema": 1}, f"engine revision {catalogue().revision[:12]}, scenario schema 1;"),
        ({}, None),
    ],
)
def test_a_result_of_another_engine_says_so(
    command: Command, scenario: Path, tmp_path: Path, changed: dict[str, Any], expected: str | None
) -> None:
    command("run", scenario, "--out", tmp_path / "result")
    record = tmp_path / "result" / "record.json"
    before = json.loads(record.read_text())
    assert (before["revision"], before["schema"]) == (catalogue().revision, 3)
    record.write_text(resealed(before | changed))
    code, _, err = command("run", tmp_path / "result", "--json")
    assert code == 0
    notice = f"{tmp_path / 'result'}: made by Ackclock {ackclock.__version__}, {expected} this is {Origin.here()}"
    assert (f"{notice}, and results may differ\n" in err) if expected else ("made by" not in err)


def test_an_existing_output_is_refused_before_anything_runs(command: Command, scenario: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    code, out, err = command("run", scenario, "--set", "duration=1000000 s", "--out", there)
    assert (code, out) == (2, "")
    assert err.startswith("out: ")
    assert err.endswith(" is not allowed; must not exist yet: results are never overwritten\n")
    assert list(there.iterdir()) == []


@pytest.mark.parametrize("what", ["studies", "variants", "queues", "sources", "records", "profiles"])
def test_list(command: Command, what: str) -> None:
    expected = {
        "studies": "burstiness",
        "variants": "base_rtt",
        "queues": "max_p",
        "sources": "poisson",
        "records": "queue[@LINK][/INTERVAL]",
        "profiles": "ns2-2.35",
    }
    code, out, _ = command("list", what)
    assert code == 0
    assert expected[what] in out
    _, everything, _ = command("list")
    assert expected[what] in everything


def test_the_fields_of_all_queues_are_listed_once_at_the_head(command: Command) -> None:
    lines = command("list", "queues")[1].splitlines()
    heads = [line.split()[0] for line in lines if not line.startswith("   ")]
    assert heads[:4] == ["all", "packets", "bytes", "count_in_service"]
    assert " ".join(lines[1].split()).startswith("packets Limit of the queue, in packets (an integer from 1 to ")
    assert " ".join(lines[1].split()).endswith("; default 100000)")
    shown = " ".join(" ".join(lines).split())
    assert "count_in_service Whether the limit counts the packet in transmission (true or false; default " in shown
    assert "Waiting time that packets may always have (a time; default 5 ms)" in shown
    assert "with its unit" not in shown
    assert sum(line.startswith("  packets ") for line in lines) == 1


def test_studies_state_how_long_they_take(command: Command) -> None:
    shown = " ".join(command("list", "studies")[1].split())
    assert "Queue disciplines in the scenarios of RFC 7928" in shown
    assert f"(about {Definition('ackclock.papers.aqm').takes} on two cores)" in shown


def test_the_measures_that_a_report_draws_are_listed(command: Command) -> None:
    lines = command("list", "measures")[1].splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == list(WORDS)
    assert " ".join(lines[7].split()) == "loss Drops divided by arrivals (% in figures)"


def test_variants_are_listed_by_era(command: Command) -> None:
    words = [line.split()[0] for line in command("list", "variants")[1].splitlines() if not line.startswith(" ")]
    eras = [words.index(name) for name in ("1988", "reno", "2003:", "scalable", "today:", "cubic", "with", "tahoe")]
    assert eras == sorted(eras)


def test_profiles(command: Command) -> None:
    assert command("profile", "list")[1].splitlines()[0].startswith("rfc ")
    shown = command("profile", "show", "ns2-2.35")[1]
    assert "tcp.handshake" in shown
    assert "true (vegas: false)" in shown
    differing = command("profile", "diff", "rfc", "ns2-2.35")[1]
    assert "tcp.min_rto" in differing
    assert "tcp.overhead" not in differing
    assert command("profile", "diff", "rfc", "rfc")[1] == "The profiles are equal.\n"


def test_version_and_schema(command: Command) -> None:
    assert command("--version")[:2] == (0, f"ackclock {ackclock.__version__}\n")
    assert json.loads(command("schema")[1])["title"] == "Scenario"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["runn"], "runn"),
        (["run"], "Missing argument"),
        (["run", "x.toml", "--sed", "1"], "--sed"),
        (["run"], "(see ackclock run --help)"),
        (["show"], "(see ackclock --help)"),
        (["run", "x.toml", "--profile", "linux"], "it is a field of the scenario"),
        (["run", "examples/codel.toml", "--set", "profile=linx"], "did you mean 'linux'?"),
        (["list", "queus"], "did you mean 'queues'?"),
        (["profile", "show", "rcf"], "did you mean 'rfc'?"),
        (["profile", "diff", "rfc", "ns2"], "must be one of rfc, linux, ns2-2.35, ns2-2000, ns2-1999-qiu"),
    ],
)
def test_a_wrong_command_line_is_reported_in_one_line(command: Command, arguments: list[str], message: str) -> None:
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_help_names_the_commands(command: Command) -> None:
    code, out, _ = command("--help")
    assert code == 0
    assert all(f"  {name} " in out for name in ("run", "reproduce", "model", "profile", "list", "schema"))


def test_tables_that_nobody_keeps_are_mentioned(command: Command, scenario: Path) -> None:
    bare = command("run", scenario, "--json")
    assert command("run", scenario, "--json", "--record", "arrivals") == (
        *bare[:2],
        "--record: tables are only written with --out\n",
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["schema"], ["list"], ["--help"], ["--version"]])
def test_output_that_cannot_be_written_is_reported_in_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "ackclock", *arguments], stdout=full, stderr=subprocess.PIPE, check=False, text=True
        )
    assert (ended.returncode, ended.stderr) == (1, "standard output: cannot be written: No space left on device\n")


def test_output_that_is_closed_is_reported_in_one_line() -> None:
    closed = ["sh", "-c", '"$0" -m ackclock schema >&-', sys.executable]
    ended = subprocess.run(closed, stderr=subprocess.PIPE, check=False, text=True)
    assert (ended.returncode, ended.stderr) == (1, "standard output: cannot be written: it is closed\n")


def test_whoever_closes_the_pipe_early_hears_no_complaint() -> None:
    read, write = os.pipe()
    os.close(read)
    ended = subprocess.run(
        [sys.executable, "-m", "ackclock", "schema"], stdout=write, stderr=subprocess.PIPE, check=False, text=True
    )
    os.close(write)
    assert ended.stderr == ""


# If the tests run in the background of a shell, interrupts are ignored, and child processes inherit this.
INTERRUPTIBLE = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("ackclock", run_name="__main__", alter_sys=True)
"""


@dataclass
class Interrupted:
    """The result of a command that was interrupted in a terminal."""

    code: int
    out: str
    seen: str
    """Text on the terminal."""
    there: list[str]
    """Files in the folder at the time of the interrupt."""


def interrupt(folder: Path, *arguments: str, sign: str) -> Interrupted:
    """Run the command in a terminal, and interrupt it as soon as the terminal shows that it runs."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-c", INTERRUPTIBLE, *arguments]
    seen = b""
    there: list[str] = []
    terminal = os.environ | {"TERM": "xterm"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, cwd=folder, env=terminal) as started:
        os.close(theirs)
        while select.select([ours], [], [], 60)[0]:
            try:
                seen += os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not there and re.search(sign, seen.decode(errors="replace")):
                there = [path.name for path in folder.iterdir()]
                started.send_signal(signal.SIGINT)
        else:
            started.kill()
        out, _ = started.communicate()
    os.close(ours)
    return Interrupted(started.returncode, out.decode(), seen.decode(), there)


REMAINING = r"0:\d\d:\d\d left"


def test_an_interrupt_ends_a_run_at_once_and_leaves_nothing(scenario: Path, tmp_path: Path) -> None:
    ended = interrupt(tmp_path, "run", scenario.name, "--set", "duration=100000 s", "--out", "result", sign=REMAINING)
    assert (ended.code, ended.out) == (130, "")
    assert ended.seen.endswith("interrupted; no partial output was written\r\n")
    assert "Traceback" not in ended.seen
    assert list(tmp_path.iterdir()) == [scenario]


def test_an_interrupt_ends_a_study_at_once_and_leaves_its_runs(tmp_path: Path) -> None:
    ended = interrupt(tmp_path, "reproduce", "burstiness", "--jobs", "1", "--out", "report", sign=REMAINING)
    making, store = sorted(ended.there)
    assert (making.startswith(".report.making-"), store) == (True, "report-runs")
    assert re.search(r"burstiness .* [\d,]+ of [\d,]{3,} runs", ended.seen)
    assert (ended.code, ended.out) == (130, "")
    line = "interrupted; no report was written; completed runs are in report-runs; the same command resumes the study"
    assert ended.seen.endswith(f"{line}\r\n")
    assert ended.seen.count("interrupted") == 1
    assert "Traceback" not in ended.seen
    assert [path.name for path in tmp_path.iterdir()] == ["report-runs"]
    assert Store.open(tmp_path / "report-runs").notices == ()


@pytest.mark.parametrize("group", [(), ("model",), ("profile",), ("store",)])
def test_a_command_group_alone_prints_its_help(command: Command, group: tuple[str, ...]) -> None:
    helped = command(*group, "--help")
    code, out, err = command(*group)
    assert (helped[0], helped[2]) == (0, "")
    assert (code, out) == (2, "")
    assert err == helped[1]
    assert err.startswith(f"Usage: {' '.join(('ackclock', *group))} [OPTIONS] COMMAND [ARGS]...\n")


def test_every_command_group_is_known() -> None:
    groups = {each.name for each in app.registered_groups if each.name}
    assert groups == {"model", "profile", "store"}
