"""Run hostile cases and judge how they end. Each runs in a fork of this process, which has all modules loaded."""

import argparse
import contextlib
import os
import resource
import select
import shlex
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ackclock.cli import main
from ackclock.engine.processors import memory_bound
from ackclock.running.run import simulate
from ackclock.scenario import Scenario
from hostile.generate import MEMORY, Case, case
from hostile.tally import Verdicts

ADDRESSES: Final = 4 * 10**9
"""Bytes that a child may allocate."""
ANSWER: Final = 0.5
"""Maximum seconds between an interrupt and the end of the process."""
PATIENCE: Final = 10.0
"""Seconds after which a child that does not end is killed."""
MARGIN: Final = 0.3e9
"""Bytes of memory for everything except the run: Python objects, files, Arrow."""
INTERRUPTED: Final = 128 + signal.SIGINT

WARM: Final = """
duration = "1 s"
measure = { bin = "100 ms" }
dumbbell = { access = { rate = "1 Mbps", delay = "1 ms" }, bottleneck = { rate = "1 Mbps", delay = "1 ms" } }
clients = [{ transport = { kind = "tcp" }, source = { kind = "greedy" } }]
"""


@dataclass(frozen=True, kw_only=True)
class End:
    """How a child ended."""

    status: int
    """Its exit status; negative for a signal."""
    interrupted: bool
    """Whether it was interrupted."""
    answer: float
    """Seconds from the interrupt to the end: wall time or CPU time, whichever is less."""
    grown: int
    """Bytes by which it grew beyond its parent."""
    errors: str
    """Its output on standard error."""


def judge(end: End, bound: int) -> str:
    r"""Classify the end of a case; failures start with an exclamation mark.

    >>> fine = End(status=2, interrupted=False, answer=0.0, grown=0, errors="count: 0 is not allowed\n")
    >>> judge(fine, 10**9), judge(End(**{**vars(fine), "errors": "Traceback (most recent ...\n"}), 10**9)
    ('exit 2', '! traceback')
    """
    for sign, what in (("Traceback", "traceback"), ("panicked", "panic"), ("Fatal", "fatal")):
        if sign in end.errors:
            return f"! {what}"
    if end.grown > bound + MARGIN:
        return "! memory"
    if end.status == INTERRUPTED and end.interrupted:
        return "interrupted" if end.answer <= ANSWER else "! slow answer"
    if end.status not in (0, 1, 2):
        return f"! status {end.status}"
    if end.status and len(end.errors.splitlines()) != 1:
        return "! not one line"
    return f"exit {end.status}" if not end.interrupted else f"exit {end.status}, late"


def run(given: Case, folder: Path, seconds: float) -> End:
    """Run a case in a child, in a folder of its own."""
    for name, text in given.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "stderr").touch()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    child = os.fork()
    if child == 0:
        _be_the_command(given, folder)
    ends = os.pidfd_open(child)
    try:
        interrupted = not select.select([ends], [], [], seconds)[0]
        asked, spent = time.monotonic(), _processor_time(child)
        if interrupted:
            os.kill(child, signal.SIGINT)
            if not select.select([ends], [], [], PATIENCE)[0]:
                os.kill(child, signal.SIGKILL)
        _, status, used = os.wait4(child, 0)
    finally:
        os.close(ends)
    return End(
        status=os.waitstatus_to_exitcode(status),
        interrupted=interrupted,
        answer=min(time.monotonic() - asked, max(0.0, used.ru_utime + used.ru_stime - spent)) if interrupted else 0.0,
        grown=(used.ru_maxrss - before) * 1024,
        errors=(folder / "stderr").read_text(encoding="utf-8", errors="replace"),
    )


def _processor_time(child: int) -> float:
    """Read the CPU seconds of a child that is running or has not been waited for."""
    fields = Path(f"/proc/{child}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _be_the_command(given: Case, folder: Path) -> None:
    """Run the command in this process; never returns."""
    status = 99
    try:
        os.chdir(folder)
        resource.setrlimit(resource.RLIMIT_DATA, (ADDRESSES, ADDRESSES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for name, stream in (("stdout", 1), ("stderr", 2)):
            os.dup2(os.open(name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), stream)
        main(given.arguments)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 98
    except BaseException:  # noqa: BLE001 - it is what the exam looks for
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def exam() -> int:
    """Run the cases given on the command line."""
    parser = argparse.ArgumentParser(prog="hostile", description=__doc__)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=6.0, help="after which a case is interrupted")
    parser.add_argument("--out", type=Path, default=Path("out/hostile"), help="folder for the failed cases")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as warm:
        file = Path(warm) / "warm.toml"
        file.write_text(WARM, encoding="utf-8")
        simulate(Scenario.from_toml(file), record=["packets@*"]).table("packets").to_pandas()
        run(Case(-1, ("run", "warm.toml", "--out", "result"), {"warm.toml": WARM}), Path(warm), asked.seconds)
    verdicts = Verdicts(step=100)
    slowest, largest, bound = 0.0, 0, memory_bound(MEMORY)
    for number in range(asked.first, asked.first + asked.cases):
        given = case(number, asked.seed)
        with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
            end = run(given, Path(folder), asked.seconds)
        verdict = judge(end, bound)
        slowest, largest = max(slowest, end.answer), max(largest, end.grown)
        if verdict.startswith("!"):
            kept = asked.out / f"{number}"
            kept.mkdir(parents=True, exist_ok=True)
            for name, text in given.files.items():
                (kept / name).write_text(text, encoding="utf-8")
            command = shlex.join(("ackclock", *given.arguments))
            report = f"{command}\n{verdict}: {end}\n"
            (kept / "report").write_text(report, encoding="utf-8")
            print(f"{number}: {verdict}, after {command}: {end.errors.strip()[-300:]!r}", flush=True)
        verdicts.add(verdict)
    print(f"slowest answer to an interrupt {slowest:.2f} s, most memory {largest / 1e6:.0f} MB")
    return verdicts.end()


if __name__ == "__main__":
    sys.exit(exam())
