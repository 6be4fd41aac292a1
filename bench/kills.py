"""Long crash tests: sweeps are killed many times, on this machine and on a Ray cluster.

``make kills`` runs ``python bench/kills.py --kills 1000 --ray 50 --seed 1``. A sweep of small runs is killed (SIGKILL)
at a random time after it stored some runs, and the next process continues, until the study is complete; then a new
store begins. Journals are short, so that most kills occur while a part is being written. Three properties must hold:
the next sweep finds each run that a killed sweep had stored; the complete store has each run once; and all of its
tables are identical to the tables of an undisturbed sweep.

On Ray, a worker is killed during its runs, or every fifth time the raylet of a machine, which is then replaced. The
sweep must complete without help and give the same tables.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tests.study.small import write
from tests.study.store.made_up import everything, strays

import ackclock as ac
import ackclock.study.store.contents
import ackclock.study.store.sql  # loaded once, before the first fork
from ackclock.study import execute, sweeping
from ackclock.study.store import Store, store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ackclock.study.store import Row

RUNS, ON_RAY = 60, 200
"""Number of runs of a study on this machine, and on the cluster, where a run takes longer."""
MOMENT = 0.05
"""Mean time between a run and the kill, in seconds."""
LOST, BROKEN = 3, 4
"""Exit codes of a process that misses a run, and of one that raises an error."""


def fill(file: Path, folder: Path, taken: set[str], pipe: int) -> None:
    """Sweep as ``ackclock sweep`` does; report each stored run, and check that no reported run is missing."""
    add, there = Store.add, sweeping._there  # noqa: SLF001

    def added(self: Store, row: Row) -> None:
        add(self, row)
        os.write(pipe, f"{row.run_id}\n".encode())

    def looked(opened: Store, measure: str) -> object:
        found = there(opened, measure)
        if not taken <= found.keys():
            os._exit(LOST)
        return found

    Store.add, sweeping._there = added, looked  # type: ignore[assignment,method-assign]  # noqa: SLF001
    store._LONGEST_JOURNAL = 20_000  # type: ignore[misc]  # noqa: SLF001
    execute._TOGETHER = 0.005  # noqa: SLF001
    sweeping.fill(folder, ac.Study.from_toml(file), jobs=1)


def child(work: Callable[[], object]) -> int:
    """Run a function in a forked process, which has all modules and no threads."""
    pid = os.fork()
    if not pid:
        code = BROKEN
        try:
            work()
            code = 0
        except BaseException as error:  # noqa: BLE001 - every error is reported
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
        finally:
            os._exit(code)
    return pid


def shown(folder: Path) -> str:
    """Summarise the content of a store in a line, in a separate process, since DuckDB starts threads."""
    read, write_end = os.pipe()
    pid = child(lambda: os.write(write_end, everything(folder).encode()))
    os.close(write_end)
    with os.fdopen(read) as file:
        line = file.read()
    os.waitpid(pid, 0)
    return line


def where(folder: Path) -> str:
    """Describe the state of the store at a kill."""
    if not (folder / "store.json").exists():
        return "no store yet"
    parts = list((folder / "parts").glob("*")) if (folder / "parts").exists() else []
    journals = {path.name for path in (folder / "journal").glob("[!.]*")}
    if any(path.name.startswith(".") for path in parts):
        return "a part half written or half removed"
    replaced = {name for path in parts for name in json.loads((path / "part.json").read_text())["replaces"]}
    if replaced & (journals | {path.name for path in parts}):
        return "a part beside what it was made of"
    return "a journal" if journals else "an empty store" if not parts else "parts alone"


def fail(why: str, folder: Path) -> NoReturn:
    """Stop all processes, and keep the store for inspection."""
    kept = shutil.copytree(folder, tempfile.mkdtemp(prefix="ackclock-killed-"), dirs_exist_ok=True)
    sys.exit(f"FAILED: {why}; the store is kept in {kept}")


def compare(folder: Path, whole: str) -> None:
    """Compare a complete store with an undisturbed one."""
    if shown(folder) != whole:
        fail("its tables differ from those of the undisturbed sweep", folder)
    if strays(folder):
        fail(f"it holds {strays(folder)}", folder)


def kill_one(file: Path, folder: Path, taken: set[str], choice: random.Random) -> int:
    """Start a sweep, kill it shortly after it stored some runs, record these runs and return the exit code."""
    read, write_end = os.pipe()
    pid = child(lambda: fill(file, folder, taken, write_end))
    os.close(write_end)
    enough = choice.choice([0, choice.randint(0, RUNS)])
    spared = len(taken) == RUNS and choice.random() < 0.5
    with os.fdopen(read) as pipe:
        while enough > 0 and len(taken) < RUNS and (line := pipe.readline()).endswith("\n"):
            taken.add(line[:-1])
            enough -= 1
        time.sleep(choice.expovariate(1 / MOMENT))
        ended, status = os.waitpid(pid, 0 if spared else os.WNOHANG)
        if not ended:
            os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
        taken |= {line[:-1] for line in pipe if line.endswith("\n")}
    return status


def kill_sweeps(kills: int, choice: random.Random, scratch: Path) -> None:
    """Kill sweeps of one study."""
    file = write(scratch / "study.toml", clients=3, seeds=RUNS // 3)
    file.write_text('record = ["arrivals"]\n' + file.read_text())
    sink = os.open(os.devnull, os.O_WRONLY)
    os.waitpid(child(lambda: fill(file, scratch / "whole", set(), sink)), 0)
    whole = shown(scratch / "whole")
    if f"runs: {RUNS} rows" not in whole:
        fail("the undisturbed sweep is not whole", scratch / "whole")
    met: Counter[str] = Counter()
    stores = 0
    begin = time.monotonic()
    while sum(met.values()) < kills:
        stores += 1
        folder, taken = scratch / f"store-{stores}", set[str]()
        while os.WIFSIGNALED(status := kill_one(file, folder, taken, choice)):
            met[where(folder)] += 1
            if sum(met.values()) % 100 == 0:
                print(f"{sum(met.values())} kills, {stores} stores, {time.monotonic() - begin:.0f} s", flush=True)
        if code := os.waitstatus_to_exitcode(status):
            fail("a run that was taken is missing" if code == LOST else f"a sweep ended with {code}", folder)
        compare(folder, whole)
    print(f"{sum(met.values())} kills in {stores} stores of {RUNS} runs: none lost, none twice, all equal")
    for name, count in met.most_common():
        print(f"{count:6} met {name}")


def descendants(pid: int) -> Iterator[tuple[int, str]]:
    """List the processes below one, with their command lines."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parents.setdefault(int((path / "stat").read_text().rpartition(")")[2].split()[1]), []).append(
                int(path.name)
            )
        except OSError:  # the process has ended
            continue
    waiting = [pid]
    while waiting:
        for each in parents.get(waiting.pop(), []):
            waiting.append(each)
            try:
                yield each, Path(f"/proc/{each}/cmdline").read_text(encoding="utf-8").replace("\0", " ")
            except OSError:
                continue


def kill_ray(kills: int, choice: random.Random, scratch: Path) -> None:
    """Kill workers and raylets of a cluster while sweeps are made on it."""
    from tests.study.test_ray import done, node, sweep, take_away  # noqa: PLC0415 - an extra

    file = write(scratch / "long.toml", clients=10, seeds=ON_RAY // 10, seconds=2000)
    os.waitpid(child(lambda: sweeping.fill(scratch / "threads", ac.Study.from_toml(file))), 0)
    whole = shown(scratch / "threads")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    met: Counter[str] = Counter()
    stores = machines = 0
    with ExitStack() as cluster:
        cluster.enter_context(node(scratch / "head.log", "--head", f"--port={port}", "--include-dashboard=false"))

        def join() -> object:
            nonlocal machines
            for _ in range(5):  # on a busy machine, Ray may time out
                machines += 1
                with suppress(AssertionError):
                    log = scratch / f"machine-{machines}.log"
                    return cluster.enter_context(node(log, f"--address=127.0.0.1:{port}"))
            return sys.exit("FAILED: no machine of Ray starts")

        machine = join()
        while sum(met.values()) < kills:
            stores += 1
            folder = scratch / f"ray-{stores}"
            ended = sweep(file, folder, "--address", f"127.0.0.1:{port}")
            while ended.poll() is None:
                time.sleep(choice.uniform(0.2, 2))
                if sum(met.values()) >= kills or done(folder) == 0:
                    continue
                below = list(descendants(machine.pid))  # type: ignore[attr-defined]
                if sum(met.values()) % 5 == 4:
                    victims = [pid for pid, command in below if "/raylet " in command]
                else:
                    own = ("ray::DashboardAgent", "ray::RuntimeEnvAgent")
                    victims = [pid for pid, title in below if title.startswith("ray::") and not title.startswith(own)]
                if victims:
                    os.kill(choice.choice(victims), signal.SIGKILL)
                    met["raylet" if sum(met.values()) % 5 == 4 else "worker"] += 1
                    print(f"{dict(met)} at {done(folder)} runs", flush=True)
                    if sum(met.values()) % 5 == 0:
                        take_away(machine)  # type: ignore[arg-type]
                        machine = join()
            out, error = ended.communicate()
            if ended.returncode:
                fail(f"the sweep ended with {ended.returncode}: {error.decode()}", folder)
            compare(folder, whole)
            print(out.decode().splitlines()[-1], flush=True)
    killed = f"{met['worker']} workers and {met['raylet']} raylets killed in {stores} stores of {ON_RAY} runs"
    print(f"{killed}: none lost, none twice, all equal")


def main() -> None:
    """Run the tests given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--ray", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ackclock-kills-") as scratch:
        if asked.kills:
            kill_sweeps(asked.kills, random.Random(asked.seed), Path(scratch))  # noqa: S311 - moments, not secrets
        if asked.ray:
            kill_ray(asked.ray, random.Random(asked.seed), Path(scratch))  # noqa: S311


if __name__ == "__main__":
    main()
