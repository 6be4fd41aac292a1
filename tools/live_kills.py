"""Kill live runs and sessions at random moments, and look for what is left.

Every second one is a session of ``live shell``, with a server and with processes in the background. What could be left
are namespaces, devices, processes, mounts and files.

Usage: ``python tools/live_kills.py NUMBER [SEED]``, as root on Linux.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

SCENARIO: Final = """
duration = "20 s"
measure = { from = "0 s", bin = "100 ms" }

[dumbbell]
access = { rate = "100 Mbps", delay = "5 ms" }
bottleneck = { rate = "10 Mbps", delay = "5 ms", queue = { kind = "droptail", packets = 50 } }

[[clients]]
count = 2
transport = { kind = "tcp", variant = "cubic" }
source = { kind = "greedy" }
"""
LONGEST: Final = 3.0
"""Latest kill in seconds: of three runs in four after their worker has started, and of the others after the command."""


MARK: Final = f"{86_400 + os.getpid()}"
"""Argument of the processes of a session's command."""
COMMAND: Final = ("sh", "-c", f"sleep {MARK} & setsid sleep {MARK} & ping -q -i 0.2 receiver; sleep {MARK}")
SERVER: Final = f"receiver=sh -c 'sleep {MARK} & exec python3 -m http.server'"
WORKERS: Final = (b"ackclock.live.worker", b"ackclock.live.session")


def processes(*marks: bytes) -> dict[str, int]:
    """Return the processes whose command has one of these marks, each with its parent."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            line = (place / "cmdline").read_bytes()
            if any(mark in line for mark in marks):
                found[place.name] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    return found


def workers() -> dict[str, int]:
    """Return the processes of live runs and sessions, each with its parent."""
    return processes(*WORKERS)


def below(worker: str) -> list[int]:
    """Return the processes of a session: its own, those at the hosts, and those that wait for the commands."""
    family = {int(worker)}
    for _ in range(3):
        family |= {int(process) for process, parent in processes(b"ackclock.live.host").items() if parent in family}
    return sorted(family)


def orphans() -> set[str]:
    """Return the processes of live runs whose parent is not the command."""
    found = set()
    for process, parent in processes(*WORKERS, b"ackclock.live.host").items():
        try:
            command = Path(f"/proc/{parent}/cmdline").read_bytes()
        except OSError:
            command = b""
        if b"python" not in command:
            found.add(process)
    return found


def left(folder: Path) -> dict[str, set[str]]:
    """Return what a run could leave behind."""
    networks = set()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            networks |= {str((thread / "ns" / "net").readlink()) for thread in (place / "task").iterdir()}
        except OSError:
            continue
    named = Path("/run/netns")
    return {
        "namespaces": networks,
        "named namespaces": {path.name for path in named.iterdir()} if named.exists() else set(),
        "devices": {path.name for path in Path("/sys/class/net").iterdir()},
        "processes": orphans() | set(processes(MARK.encode())),
        "mounts": set(Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()),
        "files": {path.name for path in folder.iterdir()},
    }


def settled(folder: Path, before: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return what is there beside what was there before, once nothing is, or after 5 s."""
    for _ in range(100):
        if not any(found - before[kind] for kind, found in left(folder).items()):
            break
        time.sleep(0.05)
    return {kind: found - before[kind] for kind, found in left(folder).items()}


def main() -> None:
    """Kill runs, alternately the command and its worker, and report what is left after each."""
    number, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    draw = random.Random(seed)  # noqa: S311
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "run.toml"
        file.write_text(SCENARIO, encoding="ascii")
        before = left(folder)
        running = 0
        for place in range(number):
            is_session = place // 2 % 2 == 1
            command = [sys.executable, "-m", "ackclock", "live"]
            command += ["shell", str(file), "--serve", SERVER, "--", *COMMAND] if is_session else [str(file)]
            process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while place % 4 and process.poll() is None and process.pid not in workers().values():
                time.sleep(0.01)
            time.sleep(draw.uniform(0.0, LONGEST))
            own = [worker for worker, parent in workers().items() if parent == process.pid]
            running += bool(own)
            if place % 2 and own:
                os.kill(draw.choice(below(own[0])), signal.SIGKILL)
            else:
                process.send_signal(draw.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:  # a session goes on without its server, and leaves SIGINT to the command
                process.kill()
                process.wait(30)
            more = settled(folder, before)
            if any(more.values()):
                bad += 1
                print(f"run {place}: left behind: {more}")
    print(f"{number} kills, {running} of them while the worker ran: {bad} left something behind")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
