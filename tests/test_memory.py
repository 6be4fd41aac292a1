"""The memory limit of a run: the estimate before it starts, the limit while it runs, and interrupts at any time."""

import json
import os
import signal
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

import pytest

import ackclock as ac
from ackclock.running import engine
from ackclock.running.processors import cpu_time, memory_bound
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

# Memory of runs, each in a separate process that has already loaded everything: the estimate and the growth of the
# resident set, in bytes.
MEASURED = """
import json, os, resource, sys
import ackclock as ac
from ackclock.running import engine
from ackclock.running.run import Prepared

def grown(scenario, record):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    prepared = Prepared.of(scenario, record)
    run = prepared.run(1)
    for name in record:
        run.table(name.partition("@")[0])
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    estimate = sum(json.loads(engine.footprint(prepared.plan)).values())
    print(json.dumps([estimate, (after - before) * 1024]), flush=True)

ac.simulate(ac.Scenario.from_toml(sys.argv[1])).table("flows")
for file in sys.argv[2:]:
    if not os.fork():
        grown(ac.Scenario.from_toml(file), ["packets@bottleneck"] if "records" in file else [])
        os._exit(0)
    os.wait()
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a scenario of two flows and a few packets."""
    file = tmp_path_factory.mktemp("small") / "small.toml"
    file.write_text(
        SCENARIO.replace("1000 Gbps", "1 Mbps").replace("= 1000000000,", "= 20,").replace("1000000000 }", "4 }")
    )
    return file


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
    with pytest.raises(ac.ScenarioError, match=r"memory: the run needs about 1\d\d\.\d GB .*, but the limit is 8 GB"):
        ac.simulate(scenario(10**9), memory="8GB")


def test_a_bound_is_a_size() -> None:
    assert memory_bound("1.5 GB") == 1_500_000_000
    with pytest.raises(ac.ScenarioError, match="memory: '8' is not allowed; must be a size with its unit"):
        ac.simulate(scenario(10), memory="8")


def test_by_default_half_of_what_there_is_may_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ackclock.running.processors._present", lambda: 10_000)
    assert memory_bound(None) == 5_000


def test_what_a_process_may_use_is_no_more_than_its_limits() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_DATA, (10**9, 10**9));"
        "from ackclock.running.processors import memory_bound; print(memory_bound(None))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(told) <= 5 * 10**8


def test_in_a_sweep_such_a_point_is_a_failure_and_the_others_are_made(tmp_path: Path) -> None:
    paths = ["clients.0.transport.max_window", "clients.0.transport.initial_window"]
    points = [dict.fromkeys(paths, window) for window in (10, 10**9, 20)]
    study = ac.Study.from_dict({"scenario": scenario(10), "points": points, "replications": 1})
    tally = fill(tmp_path / "store", study, jobs=1, memory="1GB")
    assert (tally.made, tally.failed) == (2, 1)
    with ac.Store.open(tmp_path / "store") as store:
        (failure,) = store.table("failures").to_arrow()["failure"].to_pylist()
    assert failure.startswith("ScenarioError: memory: the run needs about")
    # on the next attempt again, and nothing else
    tally = fill(tmp_path / "store", study, jobs=1, memory="1GB")
    assert (tally.made, tally.there, tally.failed) == (0, 2, 1)


def test_the_estimate_is_near_what_a_run_takes(small: Path, tmp_path: Path) -> None:
    """Validates: the memory estimated before a run, compared with the growth of the resident set.
    Source: getrusage(2).
    Tolerance: from 0.8 to 4 times the measured growth. The estimate is an upper bound in packets; the measured growth
        includes some megabytes of the process.
    """
    kinds = {
        "windows": SCENARIO.replace("1000000000,", "1000000,").replace("1000000000 }", "1000000 }"),
        "stale": 'profile = "ns2-2.35"\n'
        + SCENARIO.replace(
            'variant = "reno", max_window = 1000000000, initial_window = 1000000000',
            'variant = "vegas", max_window = 3000000',
        ).replace("1000 Gbps", "10 Mbps"),
        "sizes": SCENARIO.replace('bottleneck = { rate = "1000 Gbps"', 'bottleneck = { rate = "10 Mbps"')
        .replace("[[clients]]\ncount = 2", "[[clients]]\ncount = 2")
        .replace(
            'transport = { kind = "tcp", variant = "reno", max_window = 1000000000, initial_window = 1000000000 }',
            'transport = { kind = "udp", packet_sizes = "exponential" }',
        )
        .replace('source = { kind = "greedy" }', 'source = { kind = "constant", rate = 500000 }'),
        "records": SCENARIO.replace("1000 Gbps", "10 Gbps")
        .replace("= 1000000000,", "= 20000,")
        .replace("1000000000 }", "20000 }"),
    }
    files = []
    for name, text in kinds.items():
        files.append(tmp_path / f"{name}.toml")
        files[-1].write_text(text)
    command = [sys.executable, "-c", MEASURED, str(small), *map(str, files)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(lines) == len(files)
    for file, line in zip(files, lines, strict=True):
        estimate, grown = json.loads(line)
        print(f"measured: {file.stem}: {estimate / 1e6:.0f} MB estimated, {grown / 1e6:.0f} MB grown")
        assert grown > 30e6, "large beside what a process takes anyway"
        assert 0.8 < estimate / grown < 4, file.stem


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
    parts = json.loads(engine.footprint(Prepared.of(scenario(1000), ()).plan))
    assert set(parts) == {"flows", "packets", "windows", "records", "sources"}
    assert parts["packets"] > 2000 * 48
