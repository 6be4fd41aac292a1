"""Sweeps that end before they are complete, and sweeps that share a store."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from tests.study.small import found, study, write
from tests.support.long import often

import ackclock as ac
from ackclock.study.sweeping import fill

if TYPE_CHECKING:
    from pathlib import Path

TIMES = often(2, long=50)
"""Number of kills of a sweep; two simultaneous sweeps are tested half as often."""


def sweep(file: Path, store: Path) -> subprocess.Popen[bytes]:
    """Start a sweep in a separate process."""
    command = [sys.executable, "-m", "ackclock", "sweep", str(file), "--store", str(store), "--jobs", "2"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def rows(store: Path) -> int:
    return len(found(store)["runs"]) if (store / "store.json").exists() else 0


@pytest.mark.slow
def test_a_sweep_killed_at_any_moment_goes_on(tmp_path: Path) -> None:
    """A sweep of 200 runs is killed when a number of them is stored: from none to three quarters."""
    file = write(tmp_path / "some.toml", clients=5, seeds=40, seconds=100)
    assert sweep(file, tmp_path / "whole").wait() == 0
    whole = found(tmp_path / "whole")
    assert len(whole["runs"]) == 200
    moments = random.Random(6)  # noqa: S311 - not for secrets
    left: list[int] = []
    # on a busy machine a sweep may end before its start is noticed; then others are killed
    while len(left) < TIMES or not any(0 < count < 200 for count in left):
        assert len(left) < TIMES + 20
        store = tmp_path / f"killed-{len(left)}"
        killed, enough = sweep(file, store), moments.randint(0, 150)
        while killed.poll() is None and rows(store) < enough:
            time.sleep(0.01)  # the sweep needs the processors
        killed.kill()
        killed.wait()
        left.append(rows(store))
        assert sweep(file, store).wait() == 0
        again = found(store)
        assert all(again[name].equals(whole[name]) for name in whole)
        assert not list(store.glob("aside/*"))
        assert not list(store.glob("journal/*"))
        assert not [path for path in store.rglob("*") if path.name.startswith(".")]


@pytest.mark.slow
def test_two_sweeps_at_once_make_the_union(tmp_path: Path) -> None:
    """The two sweeps have half of their runs in common."""
    first = write(tmp_path / "first.toml", clients=4, seeds=20)
    second = write(tmp_path / "second.toml", clients=2, seeds=40)
    for turn in range(TIMES // 2):
        store = tmp_path / f"store-{turn}"
        both = [sweep(file, store) for file in (first, second)]
        assert [one.wait() for one in both] == [0, 0]
        runs = found(store)["runs"].to_pylist()
        places = [(row["clients.0.count"], row["seed"]) for row in runs]
        assert sorted(places) == sorted(
            {(n, s) for n in range(1, 5) for s in range(1, 21)} | {(n, s) for n in (1, 2) for s in range(1, 41)}
        )


def test_a_store_in_the_way_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(ac.ScenarioError, match="must be a new or empty folder, or the folder of a store"):
        fill(tmp_path / "mine", study())
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_a_full_disk_ends_a_sweep_that_goes_on_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ackclock.study.store import Store  # noqa: PLC0415

    keep, added = Store.add, 0

    def full(self: Store, row: object) -> None:
        nonlocal added
        added += 1
        if added > 5:
            raise OSError(28, "No space left on device", "journal")
        keep(self, row)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Store, "add", full)
        with pytest.raises(OSError, match="No space left"):
            fill(tmp_path / "store", study())
    assert rows(tmp_path / "store") == 5
    tally = fill(tmp_path / "store", study())
    assert (tally.made, tally.there) == (7, 5)
