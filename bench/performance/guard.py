"""Guard the engine's speed by its instructions per packet, which are equal on all machines of a kind.

``python -m performance.guard`` compares them with `instructions.json`, ``--record`` rewrites it. Time is not measured:
it differs between machines, and varies by a tenth on one machine.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from performance.measure import has_valgrind
from performance.workloads import count_all

RECORDED = Path(__file__).with_name("instructions.json")
ALLOWED = 0.03


@dataclass(frozen=True)
class Count:
    """Instructions per packet of a workload. They depend on the compiler's version and the instruction set."""

    instructions_per_packet: float
    rustc: str
    machine: str


def count() -> dict[str, Count]:
    """Count the instructions of all workloads."""
    rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    return {name: Count(round(found, 1), rustc, platform.machine()) for name, found in count_all().items()}


def read() -> dict[str, Count]:
    """Read the recorded counts, by workload."""
    return {name: Count(**count) for name, count in json.loads(RECORDED.read_text(encoding="utf-8")).items()}


def judge(name: str, recorded: Count, now: Count) -> tuple[bool, str]:
    """Check that a count is not higher than recorded, and return a message.

    Examples
    --------
    >>> judge("cubic", Count(1000, "1.95.0", "x86_64"), Count(1020, "1.95.0", "x86_64"))
    (True, 'cubic: 1020 instructions per packet, +2.0 % from 1000 recorded')
    """
    change = now.instructions_per_packet / recorded.instructions_per_packet - 1
    words = (
        f"{name}: {now.instructions_per_packet:.0f} instructions per packet, {100 * change:+.1f} % from "
        f"{recorded.instructions_per_packet:.0f} recorded"
    )
    if (now.machine, now.rustc) != (recorded.machine, recorded.rustc):
        return (
            True,
            f"{words} with rustc {recorded.rustc} on {recorded.machine}: different compilers are not comparable",
        )
    if change > ALLOWED:
        return (
            False,
            f"{words}: more than {100 * ALLOWED:.0f} %; if intended, record it with `make guard RECORD=1`",
        )
    if change < -ALLOWED:
        words += ": `make guard RECORD=1` records the gain"
    return True, words


def main() -> None:
    """Compare or record."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="record the current count")
    record = parser.parse_args().record
    if not has_valgrind():
        print("no valgrind on this machine: instructions are not counted")
        return
    counts = count()
    if record:
        written = {name: asdict(count) for name, count in counts.items()}
        RECORDED.write_text(f"{json.dumps(written, indent=2)}\n", encoding="utf-8")
        print("".join(f"{name}: {count.instructions_per_packet:.0f}\n" for name, count in counts.items()), end="")
        return
    recorded = read()
    judged = [judge(name, recorded[name], count) for name, count in counts.items()]
    for _, words in judged:
        print(words)
    sys.exit(0 if all(good for good, _ in judged) else 1)


if __name__ == "__main__":
    main()
