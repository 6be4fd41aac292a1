"""Runs on a Ray cluster: the same bytes as on threads, each run once, despite failing machines."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.study.small import found, write

import ackclock as ac
from ackclock.study.sweeping import fill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [pytest.mark.slow, pytest.mark.needs("ray")]

# A separate cluster, which no other process can join.
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(sys.path),
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
    "RAY_USAGE_STATS_ENABLED": "0",
}
PATIENCE = 120
"""Time limit of each wait for Ray, in seconds."""


def wait_until(there: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait for an effect of a process, which may end first."""
    end = time.monotonic() + PATIENCE
    while not there() and process.poll() is None:
        assert time.monotonic() < end, "Ray takes too long"
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.05)


@contextmanager
def node(log: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a machine of a cluster with one processor, as ``ray start`` does."""
    command = [str(Path(sys.executable).with_name("ray")), "start", "--block", "--num-cpus=1", *arguments]
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*command, "--object-store-memory=100000000"],
            env=ENVIRONMENT,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_until(lambda: "Ray runtime started" in log.read_text(), process)
        assert process.poll() is None, log.read_text()
        yield process
    finally:
        take_away(process)


def take_away(process: subprocess.Popen[bytes]) -> None:
    """Kill a machine with all its processes at once."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def sweep(file: Path, store: Path, *options: str) -> subprocess.Popen[bytes]:
    """Start a sweep on a cluster."""
    command = [sys.executable, "-m", "ackclock", "sweep", str(file), "--store", str(store), "--engine", "ray", *options]
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def done(store: Path) -> int:
    if not (store / "store.json").exists():
        return 0
    with ac.open(store) as opened:
        return len(opened.done())


def test_a_cluster_of_its_own_makes_the_same_bytes(tmp_path: Path) -> None:
    file = write(tmp_path / "some.toml", clients=3, seeds=4)
    fill(tmp_path / "threads", ac.Study.from_toml(file))
    ended = sweep(file, tmp_path / "ray", "--jobs", "2")
    out, error = ended.communicate(timeout=PATIENCE)
    assert ended.returncode == 0, error.decode()
    assert out.decode().endswith("12 runs made, 0 already in the store\n")
    threads, ray = found(tmp_path / "threads"), found(tmp_path / "ray")
    assert all(ray[name].equals(threads[name]) for name in threads)


def test_a_machine_is_taken_away_half_way(tmp_path: Path) -> None:
    """A sweep of 400 runs uses a head and a worker with one processor each; the worker is killed."""
    file, store = write(tmp_path / "some.toml", clients=10, seeds=40, seconds=200), tmp_path / "ray"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    head = node(tmp_path / "head.log", "--head", f"--port={port}", "--include-dashboard=false")
    with head, node(tmp_path / "worker.log", f"--address=127.0.0.1:{port}") as worker:
        ended = sweep(file, store, "--address", f"127.0.0.1:{port}")
        wait_until(lambda: done(store) >= 200, ended)
        take_away(worker)
        half = done(store)
        out, error = ended.communicate(timeout=PATIENCE)
    assert ended.returncode == 0, error.decode()
    assert 200 <= half < 400
    assert out.decode().endswith("400 runs made, 0 already in the store\n")
    fill(tmp_path / "threads", ac.Study.from_toml(file))
    threads, ray = found(tmp_path / "threads"), found(store)
    assert len(ray["runs"]) == 400
    assert all(ray[name].equals(threads[name]) for name in threads)


def test_a_cluster_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ac.ScenarioError, match="address: .* must be the address of a Ray cluster"):
        fill(
            tmp_path / "store",
            ac.Study.from_toml(write(tmp_path / "some.toml")),
            engine="ray",
            address=f"127.0.0.1:{port}",
        )
    assert not (tmp_path / "store").exists()
