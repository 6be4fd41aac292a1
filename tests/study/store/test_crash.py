"""Writing processes: killed at any time, and several at once."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.study.store.made_up import expected, files, row, stored, strays
from tests.support.long import often

from ackclock.study.store import Store

if TYPE_CHECKING:
    from pathlib import Path

# Tells the number of each run once the store has taken it. Journals are short: most of the time goes into parts.
WRITER = """
import sys
from pathlib import Path
from ackclock.study.store import Store, store
from tests.study.store.made_up import row

store._LONGEST_JOURNAL = 20_000
with Store.open(Path(sys.argv[1]), create=True) as opened:
    done = opened.done()
    for number in range(int(sys.argv[2]), int(sys.argv[3])):
        if row(number).run_id not in done:
            opened.add(row(number))
            print(number, flush=True)
"""


def start(root: Path, folder: Path, numbers: range) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(folder), str(numbers.start), str(numbers.stop)]
    return subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_processes_killed_at_random_moments_lose_nothing(tmp_path: Path, root: Path) -> None:
    """Each process continues from the state its predecessors left; every reported run is in the store."""
    choice = random.Random(6)  # noqa: S311 - moments, not secrets
    taken: set[int] = set()
    for kills in range(1, 1 + often(8, long=50)):
        # more than any could write before it is killed
        writer = start(root, tmp_path / "store", range(10**9))
        assert writer.stdout is not None
        for _ in range(choice.randint(0, 60)):
            taken.add(int(writer.stdout.readline()))
        writer.kill()
        taken.update(int(line) for line in writer.stdout if line.endswith("\n"))
        writer.stdout.close()
        assert writer.wait() == -9
        there = stored(tmp_path / "store") if (tmp_path / "store" / "store.json").exists() else []
        assert {row(number).run_id for number in taken} <= {run for run, _ in there}
        assert len(there) <= len(taken) + kills  # the last one of each may be stored but not reported
    everything = range(max(taken) + 50)
    last = start(root, tmp_path / "store", everything)
    last.communicate()
    assert last.returncode == 0
    assert stored(tmp_path / "store") == expected(map(row, everything))
    assert strays(tmp_path / "store") == []
    assert files(tmp_path / "store") < 50
    assert Store.open(tmp_path / "store").notices == ()


@pytest.mark.slow
def test_two_processes_write_at_once(tmp_path: Path, root: Path) -> None:
    """Half of what each writes is the other's too."""
    for time_number in range(often(2, long=20)):
        folder = tmp_path / str(time_number)
        writers = [start(root, folder, numbers) for numbers in (range(120), range(60, 180))]
        for writer in writers:
            writer.communicate()
        assert [writer.returncode for writer in writers] == [0, 0]
        assert stored(folder) == expected(map(row, range(180)))
        assert Store.open(folder).sql("select count(*) as n from groups").to_pylist() == [{"n": 180}]
        assert strays(folder) == []


def test_a_reader_sees_whole_runs_while_another_process_writes(tmp_path: Path, root: Path) -> None:
    writer = start(root, tmp_path, range(600))
    assert writer.stdout is not None
    writer.stdout.readline()
    seen = 0
    whole = dict(expected(map(row, range(600))))
    while writer.poll() is None and seen < 600:
        there = stored(tmp_path)
        assert len(there) >= seen
        assert all(whole[run] == cov for run, cov in there)
        seen = len(there)
        for _ in range(seen // 50):  # its pipe must not fill up
            writer.stdout.readline()
    writer.communicate()
    assert stored(tmp_path) == expected(map(row, range(600)))
