"""Files and folders appear whole or not at all, and what killed processes leave is removed by the next one."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.long import often

import ackclock as ac
from ackclock.cli import main
from ackclock.files.making import beside, new_file, new_folder, replace_folder


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_files_and_folders_are_whole(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "page.html"
    with new_file(out, allowed="a file") as made:
        made.write_text("1")
        assert not out.exists()
    assert (out.read_text(), names(out.parent)) == ("1", ["page.html"])
    with pytest.raises(RuntimeError), new_file(out, allowed="a file", replaces=True):
        raise RuntimeError
    assert (out.read_text(), names(out.parent)) == ("1", ["page.html"])
    folder = tmp_path / "report"
    for text in "ab":
        with new_folder(folder, lambda made: replace_folder(made, folder), allowed="a folder") as made:
            (made / "x").write_text(text)
        assert ((folder / "x").read_text(), names(tmp_path)) == (text, ["deep", "report"])


def test_only_leftovers_of_ended_processes_are_removed(tmp_path: Path) -> None:
    out, victim = tmp_path / "out", tmp_path / "victim"
    victim.mkdir()
    (victim / "kept").write_text("")
    left, link, other, pipe = beside(out), beside(out), tmp_path / ".out.making-1", beside(out)
    left.mkdir()
    (left / "half").write_text("")
    link.symlink_to(victim)
    other.mkdir()
    os.mkfifo(pipe)
    with new_file(out, allowed="a file") as made, new_file(tmp_path / "out2", allowed="a file") as beside_it:
        assert not left.exists()
        with new_file(out, allowed="a file", replaces=True) as second:
            assert made.exists(), "it is locked"
            assert second.exists()
        assert beside_it.exists()
        out.unlink()
    assert names(tmp_path) == sorted([link.name, other.name, pipe.name, "out", "out2", "victim"])
    assert names(victim) == ["kept"]


def test_a_folder_that_was_being_replaced_comes_back(tmp_path: Path) -> None:
    out = tmp_path / "report"
    earlier = beside(out, "replaced")
    earlier.mkdir()
    (earlier / "x").write_text("earlier")
    with pytest.raises(RuntimeError), new_folder(out, lambda made: replace_folder(made, out), allowed="a folder"):
        raise RuntimeError
    assert (out / "x").read_text() == "earlier"


def full(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("arguments", "fails"),
    [
        (["init", "dumbbell", "new"], "write_text"),
        (["report", "store", "--out", "new.html"], "write_text"),
        (["plot", "result", "--out", "new.png"], "write_bytes"),
        (["run", "small.toml", "--out", "new"], "write_text"),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_a_full_disk(
    arguments: list[str],
    fails: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The exit status is 1, one line names the file, and nothing is left."""
    monkeypatch.chdir(tmp_path)
    scenario = small()
    (tmp_path / "small.toml").write_text(scenario.to_toml())
    ac.simulate(scenario, record=["packets"]).save("result")
    with pytest.warns(UserWarning, match="fewer than 3"):
        ac.sweep(scenario, replications=2, store="store", jobs=1)
    before = names(tmp_path)
    monkeypatch.setattr(Path, fails, full)
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 1
    assert capsys.readouterr().err.endswith(f"{arguments[-1]}: cannot be written: No space left on device\n")
    assert names(tmp_path) == before


def small() -> ac.Scenario:
    return ac.Scenario(
        duration="1 s",
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="5 ms"), bottleneck=ac.Link(rate="1 Mbps", delay="5 ms")
        ),
        clients=[ac.Clients(transport=ac.Tcp("reno"), source=ac.Greedy())],
    )


def commands(folder: Path) -> dict[str, list[str]]:
    """Write what the commands read, and return those that make folders."""
    ac.simulate(small(), capture=["bottleneck"]).write_pcapng("bottleneck", folder / "in.pcapng")
    return {
        "capture": ["capture", "in.pcapng", "--out", "made"],
        "reproduce": ["reproduce", "buffers", "--seeds", "1", "--out", "made"],
    }


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "term"])
@pytest.mark.parametrize("name", ["capture", "reproduce"])
def test_killed_commands_leave_nothing_after_the_next_run(name: str, kind: int, tmp_path: Path) -> None:
    """Each process is stopped as soon as its folder has content; `bench/kills.py` stops 100 at random moments."""
    arguments = commands(tmp_path)[name]
    for _ in range(often(1, long=10)):
        with start(tmp_path, arguments) as process:
            while process.poll() is None and not any(tmp_path.glob(".made.making-*")):
                pass
            process.send_signal(kind)
            _, err = process.communicate()
        if kind == signal.SIGTERM and process.returncode != 0:
            assert process.returncode == 130, err
            last = err.splitlines()[-1]
            assert last.startswith(("interrupted; no partial output was written", "interrupted; no report was written"))
            assert not list(tmp_path.glob(".made*"))
    if name == "capture":
        with start(tmp_path, arguments) as process:
            assert process.wait() == 0
        assert names(tmp_path) == ["in.pcapng", "made"]


def start(folder: Path, arguments: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "ackclock", *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
