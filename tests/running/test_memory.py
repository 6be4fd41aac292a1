"""The memory limit of a run: the estimate before it starts, the limit while it runs, and interrupts at any time."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

import pytest
from tests.support.long import often

import ackclock as ac
import estimates
from ackclock.engine import core
from ackclock.engine.processors import cpu_time, memory_bound
from ackclock.running.run import Prepared
from ackclock.study.sweeping import fill

SCENARIO = """
duration = "1 s"
measure = { bin = "100 ms" }
[dumbbell]
access = { rate = "1000 Gbps", delay = "1 ms", queue = { kind = "droptail", packets = 1000000000000 } }
bottleneck = { rate = "1000 Gbps", delay = "100 ms", queue = { kind = "droptail", packets = 1000000000000 } }
[[clients]]
count = 2
transport = { kind = "tcp", variant = "reno", max_window = 1000000000, initial_window = 1000000000 }
source = { kind = "greedy" }
"""


def scenario(window: int, **changed: str) -> ac.Scenario:
    """Return two flows that send a whole window at once, over links that can hold it."""
    text = SCENARIO.replace(
        "max_window = 1000000000, initial_window = 1000000000", f"max_window = {window}, initial_window = {window}"
    )
    for old, new in changed.items():
        text = text.replace(f'{old} = "1 s"', f'{old} = "{new}"')
    return ac.Scenario.from_dict(_read(text))


def _read(text: str) -> dict[str, object]:
    return tomllib.loads(text)


def test_a_run_that_cannot_fit_is_refused_before_it_begins() -> None:
    wide = scenario(10).changed({"clients.0.count": 1_000_000})
    least = (
        r"memory: the run needs at least \d+(\.\d)? (MB|GB) \(.* of it for flows and links\), but the limit is 200 MB"
    )
    with pytest.raises(ac.ScenarioError, match=least):
        ac.simulate(wide, memory="200MB")


def test_windows_sent_ahead_of_the_clock_are_noticed_early() -> None:
    """The ACKs of 300 handshakes reach their senders ahead of the clock, which then send 18 million packets at once."""
    transport = {"kind": "tcp", "variant": "newreno", "delayed_ack": False, "handshake": True, "overhead": "0 s"}
    transport |= {"initial_window": 60_000, "max_window": 60_000}
    wide = ac.Scenario.from_dict(
        {
            "profile": "rfc",
            "duration": "3 s",
            "dumbbell": {
                "bottleneck": {"rate": "10 Mbps", "delay": "10 ms", "queue": {"kind": "droptail", "packets": 5000}},
                "access": {"rate": "100 Gbps", "delay": "100 ms", "queue": {"kind": "droptail", "packets": 100_000}},
            },
            "clients": [{"count": 300, "spread": "0 s", "transport": transport, "source": {"kind": "greedy"}}],
        }
    )
    with pytest.raises(ac.ScenarioError, match=r"the run takes \d+(\.\d)? MB \(.* in flight\)") as ended:
        ac.simulate(wide, memory="60MB")
    (used,) = re.findall(r"the run takes ([\d.]+) MB", str(ended.value))
    assert float(used) < 200


def test_a_run_that_could_take_much_and_takes_little_is_made() -> None:
    """Windows, links and queues allow a billion packets in flight, and the sources have ten each."""
    could = scenario(10**9).changed({"clients.0.source.size": "15 kB"})
    assert 20 <= ac.simulate(could, memory="10MB").summary.arrivals <= 24


def test_a_run_that_exceeds_its_limit_is_stopped_and_the_process_goes_on() -> None:
    """The error says when, how much, for what, and what to do."""
    text = (
        r"memory: at 0\.\d+ s the run takes \d+(\.\d)? MB \(.* of it for packets in flight\), but the limit is 50 MB; "
        r"lower max_window, the queue limits, or the sources' rates, shorten the run, or allow more memory"
    )
    with pytest.raises(ac.ScenarioError, match=text):
        ac.simulate(scenario(10**9), memory="50MB")
    with pytest.raises(
        ac.ScenarioError, match=r"of it for records with \d+ rows\), but the limit is 50 MB; record fewer"
    ):
        ac.simulate(scenario(1000, duration="30 s"), record=["packets@*"], memory="50MB")
    assert ac.simulate(scenario(10), memory="50MB").summary.arrivals > 20


def test_a_run_that_is_stopped_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "wide.toml"
    file.write_text(scenario(10**9).to_toml())
    command = ["run", str(file), "--memory", "50MB", "--out", str(tmp_path / "result")]
    ran = subprocess.run([sys.executable, "-m", "ackclock", *command], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "memory: at " in ran.stderr
    assert "Traceback" not in ran.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["wide.toml"]


def test_a_bound_is_a_size() -> None:
    assert memory_bound("1.5 GB") == 1_500_000_000
    with pytest.raises(ac.ScenarioError, match="memory: '8' is not allowed; must be a size with its unit"):
        ac.simulate(scenario(10), memory="8")


def test_by_default_half_of_what_there_is_may_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ackclock.engine.processors._present", lambda: 10_000)
    assert memory_bound(None) == 5_000


def test_what_a_process_may_use_is_no_more_than_its_limits() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_DATA, (10**9, 10**9));"
        "from ackclock.engine.processors import memory_bound; print(memory_bound(None))"
    )
    text = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(text) <= 5 * 10**8


def test_in_a_sweep_such_a_point_is_a_failure_and_the_others_are_made(tmp_path: Path) -> None:
    paths = ["clients.0.transport.max_window", "clients.0.transport.initial_window"]
    points = [dict.fromkeys(paths, window) for window in (10, 10**9, 20)]
    study = ac.Study.from_dict({"scenario": scenario(10), "points": points, "replications": 1})
    tally = fill(tmp_path / "store", study, jobs=1, memory="100MB")
    assert (tally.made, tally.failed) == (2, 1)
    with ac.Store.open(tmp_path / "store") as store:
        (failure,) = store.table("failures").to_arrow()["failure"].to_pylist()
    assert failure.startswith("ScenarioError: memory: at 0.")
    # on the next attempt again, and nothing else
    tally = fill(tmp_path / "store", study, jobs=1, memory="100MB")
    assert (tally.made, tally.there, tally.failed) == (0, 2, 1)


@pytest.fixture(scope="module")
def measured() -> dict[str, estimates.Measured]:
    """Return the estimates and the peaks of the runs with records, each in a process of its own."""
    command = [sys.executable, estimates.__file__, "--json", *CHOSEN]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {name: estimates.Measured(**values) for name, values in map(json.loads, lines)}


CHOSEN = [case.name for case in estimates.CASES[:: often(4, long=1)]]


@pytest.mark.parametrize("name", CHOSEN)
def test_the_estimate_is_near_what_a_run_takes(measured: dict[str, estimates.Measured], name: str) -> None:
    """Validates: the memory estimated before a run with records, compared with the growth of the resident set.
    Source: getrusage(2).
    Tolerance: within a factor of three. 8 MB are added to both sides: a process grows by so much for any run.
    """
    found = measured[name]
    assert 1 / 3 < found.ratio < 3, found


@pytest.mark.parametrize("name", CHOSEN)
def test_a_run_that_fits_is_made(measured: dict[str, estimates.Measured], name: str) -> None:
    """With a limit of one and a half times the measured peak, and never below 20 MB, no run is refused or stopped."""
    assert measured[name].refused == ""


def test_a_signal_is_answered_whatever_the_engine_is_at() -> None:
    """The main thread, which receives signals, leaves the engine to another thread and reports progress."""
    main, seen = threading.main_thread(), []

    def interrupt(share: float) -> None:
        seen.append((threading.current_thread() is main, share))
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            ac.simulate(scenario(20, duration="100000 s"), progress=interrupt)
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen[0][0]
    assert len(seen) == 1


def test_the_time_of_a_run_is_that_of_its_thread_wherever_it_is_made() -> None:
    """The CPU time includes the run, both in the main thread, where the engine uses another thread, and elsewhere."""
    prepared, spent = Prepared.of(scenario(200_000), ()), []

    def run() -> None:
        before = cpu_time()
        prepared.run(1)
        spent.append(cpu_time() - before)

    run()
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert min(spent) > 0.005


def test_the_footprint_is_reported_by_parts() -> None:
    found = json.loads(core.footprint(Prepared.of(scenario(1000), ()).plan))
    assert set(found) == {"likely", "certain"}
    for parts in found.values():
        assert set(parts) == {"flows", "packets", "windows", "records", "sources", "reading", "total"}
    assert found["likely"]["packets"] > 2000 * 32
    assert found["certain"]["packets"] == 0
