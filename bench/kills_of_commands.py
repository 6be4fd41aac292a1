"""Kills ``ackclock reproduce`` and ``ackclock capture --out`` at random moments; the next run must remove what is left.

``python bench/kills_of_commands.py --kills 100 --seed 1`` kills (SIGKILL) each command so often. There is then at most
one partial folder, since each run first removes what the one before left. A run that ends by SIGTERM leaves none.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import ackclock as ac

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "capture": (["capture", "in.pcapng", "--out", "made"], 6.0),
    "reproduce": (["reproduce", "buffers", "--seeds", "1", "--out", "made"], 6.0),
}
"""Arguments of each command, and the longest time until it is killed, in seconds."""


def capture(file: Path) -> None:
    """Write a capture that takes some seconds to analyse."""
    scenario = ac.Scenario(
        duration="60 s",
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="100 Mbps", delay="5 ms"), bottleneck=ac.Link(rate="10 Mbps", delay="5 ms")
        ),
        clients=[ac.Clients(count=3, transport=ac.Tcp("reno"), source=ac.Greedy())],
    )
    ac.simulate(scenario, capture=["bottleneck"]).write_pcapng("bottleneck", file)


def end(folder: Path, arguments: Sequence[str], *, by: signal.Signals, after: float) -> bool:
    """Start a command, and stop it once it makes its folder and some time has passed; return whether it was stopped."""
    command = [sys.executable, "-m", "ackclock", *arguments]
    before = set(folder.glob(".made.*"))
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        began = time.monotonic()
        while process.poll() is None:
            there = set(folder.glob(".made.*"))
            if there - before and time.monotonic() - began > after:
                break
            time.sleep(0.01)
        stopped = process.poll() is None
        process.send_signal(by)
    return stopped


def main() -> None:
    """Run the test given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    draw = random.Random(asked.seed)  # noqa: S311  # repeats itself
    for name, (arguments, longest) in COMMANDS.items():
        with tempfile.TemporaryDirectory(prefix="ackclock-kills-") as scratch:
            folder, left = Path(scratch), 0
            capture(folder / "in.pcapng")
            for _ in range(asked.kills):
                end(folder, arguments, by=signal.SIGKILL, after=draw.uniform(0, longest))
                found = list(folder.glob(".made*"))
                left += len(found)
                if len(found) > 1:
                    sys.exit(f"{name}: the next run has not removed {found}")
            end(folder, arguments, by=signal.SIGTERM, after=0.0)
            if list(folder.glob(".made*")):
                sys.exit(f"{name}: something is left after the last run")
            sys.stdout.write(f"{name}: {asked.kills} kills, {left} leftovers, each removed by the next run\n")


if __name__ == "__main__":
    main()
