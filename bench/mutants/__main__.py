"""Insert random faults into the sources one by one and list the undetected ones: ``make mutants``.

The faults are inserted into a copy of the committed sources. Each outcome is a line of a log next to it, so that an
interrupted run can continue.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import resource
import subprocess
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from scipy.stats import binomtest

from mutants import changes, edits, net
from mutants.judging import PACKAGE, ROOT, Judge, Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mutants.judging import Outcome

    _Judge = Callable[[dict[str, Any]], Outcome]


def _read(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []


_MEMORY = 8 << 30
"""Largest address space of a process, in bytes."""


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout.strip()


def go_on(log: Path, mutants: Iterable[dict[str, Any]], judges: Sequence[_Judge]) -> None:
    """Judge the mutants that are not in the log yet, and append the outcomes; each judge takes the next mutant."""
    done = {one["name"] for one in _read(log)}
    free: SimpleQueue[_Judge] = SimpleQueue()
    for judge in judges:
        free.put(judge)

    def judged(mutant: dict[str, Any]) -> tuple[str, Outcome]:
        judge = free.get()
        try:
            return mutant["name"], judge(mutant)
        finally:
            free.put(judge)

    with ThreadPoolExecutor(len(judges)) as threads:
        left = [threads.submit(judged, mutant) for mutant in mutants if mutant["name"] not in done]
        for ended in as_completed(left):
            name, outcome = ended.result()
            with log.open("a", encoding="utf-8") as out:
                out.write(json.dumps({"name": name, **dataclasses.asdict(outcome)}) + "\n")
            print(f"{outcome.outcome:9} {name}  {outcome.test}", flush=True)


def _python(folder: Path, *, count: int, seed: int, patch: str | None) -> None:
    tree = Tree(folder)
    tree.copy()
    lines = None if patch is None else changes.changed_lines(patch)
    drawn = {mutant.name: mutant for mutant in edits.sample(tree.root, PACKAGE, count=count, seed=seed, lines=lines)}
    if not drawn:
        return
    tree.learn()
    judges = [Judge(tree, number) for number in range(os.cpu_count() or 1)]
    for judge in judges:
        tree.copy_to(judge.root)
    each = [lambda one, judge=judge: judge.judge(drawn[one["name"]]) for judge in judges]
    go_on(folder / "python.jsonl", ({"name": name} for name in drawn), each)


def _net(folder: Path, *, count: int, seed: int, patch: str | None) -> None:
    tree = Tree(folder)
    tree.copy()
    file = None
    if patch is not None:
        if not any(name.startswith("crates/net/src/") for name in changes.changed_lines(patch)):
            return
        file = folder / "changes.patch"
        file.write_text(patch, encoding="utf-8")
    drawn = net.sample(tree.root, count=count, seed=seed, patch=file)
    go_on(folder / "net.jsonl", drawn, [lambda one: net.judge(tree.root, folder, one)])


def _summary(log: Path) -> str:
    """Report the share of caught mutants, and list the survivors."""
    found = _read(log)
    viable = [one for one in found if one["outcome"] != "unviable"]
    if not viable:
        return ""
    survivors = [one["name"] for one in viable if one["outcome"] == "survived"]
    caught = binomtest(len(viable) - len(survivors), len(viable))
    between = caught.proportion_ci()
    return (
        f"{log.stem}: {caught.k} of {caught.n} viable mutants caught, {caught.k / caught.n:.1%} "
        f"(95 % interval {between.low:.1%} to {between.high:.1%}); {len(found) - len(viable)} not viable\n"
    ) + "".join(f"  survived: {name}\n" for name in survivors)


def main() -> None:
    """Judge mutants and print a summary."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("--python", type=int, default=0, metavar="N", help="random mutants of the Python package")
    parser.add_argument("--net", type=int, default=0, metavar="N", help="random mutants of the engine")
    parser.add_argument("--seed", type=int, default=1, help="which ones are drawn")
    parser.add_argument("--diff", metavar="REVISION", help="mutate only lines that differ from this revision")
    parser.add_argument("--out", type=Path, help="the folder for the copy and the logs; one for each commit by default")
    given = parser.parse_args()
    patch = None if given.diff is None else changes.patch_since(ROOT, given.diff)
    kind = _commit() if patch is None else f"{_commit()}-diff"
    given.out = given.out or ROOT / "out" / "mutants" / kind
    given.out.mkdir(parents=True, exist_ok=True)
    # Child processes inherit this limit: a mutant that allocates without end fails and counts as caught.
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    if given.python:
        _python(given.out, count=given.python, seed=given.seed, patch=patch)
    if given.net:
        _net(given.out, count=given.net, seed=given.seed, patch=patch)
    print(*(_summary(given.out / name) for name in ("python.jsonl", "net.jsonl")), sep="\n", end="")


if __name__ == "__main__":
    main()
