"""Draws mutants of the engine, which cargo-mutants creates, and judges them by the tests of `ackclock-net`."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from typing import TYPE_CHECKING, Any

from mutants.judging import Outcome

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = "ackclock-net"

_LIMIT = 900
"""Time limit of all tests of one mutant, in seconds."""
_OUTCOMES = {"CaughtMutant": "caught", "MissedMutant": "survived", "Timeout": "caught", "Unviable": "unviable"}


def _cargo_mutants(*arguments: str, root: Path) -> subprocess.CompletedProcess[str]:
    # Keeps assertions, runs the tests of queueing laws ten times as fast, and links faster without debug information
    # and LTO.
    fast = {"OPT_LEVEL": "1", "DEBUG": "0", "LTO": "off"}
    environment = {**os.environ, **{f"CARGO_PROFILE_DEV_{name}": value for name, value in fast.items()}}
    command = ["cargo", "mutants", "--package", PACKAGE, *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def sample(root: Path, *, count: int, seed: int, patch: Path | None = None) -> list[dict[str, Any]]:
    """Draw random mutants; a smaller sample with the same seed is a prefix of a larger one.

    With `patch`, only the lines that this file changes are mutated.
    """
    inside = [] if patch is None else ["--in-diff", str(patch)]
    listed = _cargo_mutants("--list", "--json", *inside, root=root)
    if listed.returncode:
        raise SystemExit(f"cargo mutants: {listed.stderr.strip()}")
    found: list[dict[str, Any]] = json.loads(listed.stdout)
    # With as many shards as mutants, each shard is a single mutant.
    order = [{**mutant, "shard": f"{place}/{len(found)}", "inside": inside} for place, mutant in enumerate(found)]
    random.Random(seed).shuffle(order)  # noqa: S311  # not used for cryptography
    return order[:count]


def judge(root: Path, folder: Path, mutant: dict[str, Any]) -> Outcome:
    """Judge one mutant in a copy of the sources, which keeps compiled code: by the unit tests, then by all tests."""
    began = time.monotonic()
    outcome = _judged(root, folder, mutant, "--cargo-arg=--lib")
    if outcome == "survived":
        outcome = _judged(root, folder, mutant)
    return Outcome(outcome=outcome, test="", tests=0, seconds=round(time.monotonic() - began, 1))


def _judged(root: Path, folder: Path, mutant: dict[str, Any], *which: str) -> str:
    chosen = [*mutant["inside"], "--shard", mutant["shard"], "--sharding", "round-robin"]
    options = ["--in-place", "--baseline", "skip", "--timeout", str(_LIMIT), "--output", str(folder)]
    _cargo_mutants(*chosen, *options, *which, root=root)
    found = json.loads((folder / "mutants.out" / "outcomes.json").read_text(encoding="utf-8"))
    (outcome,) = (each["summary"] for each in found["outcomes"] if each["scenario"] != "Baseline")
    return _OUTCOMES[outcome]
