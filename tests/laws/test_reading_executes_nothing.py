"""Only a run executes a law's file: every other command and function reads what is recorded.

The file writes to a file `mark` when it is executed. It is named in every place that a scenario has for it.
"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest
import tomli_w
import typer
from tests.cli.test_options import commands

import ackclock as ac
from ackclock.cli import app, main
from ackclock.laws import finding
from ackclock.laws.files import Files
from ackclock.running.result import load

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """
{mark}
import ackclock as ac
from helper import STEP

class Own(ac.Law):
    gain: float = 0.5

    def on_ack(self, window, ack):
        window.cwnd += STEP * self.gain / window.cwnd

class Tail(ac.Discipline):
    most: int = 30

    def on_arrival(self, queue, packet):
        return "accept" if queue.packets < self.most else "drop"
"""
MARK = 'from pathlib import Path; Path({path!r}).write_text("executed")'

LAW: dict[str, Any] = {"kind": "tcp", "law": "own.py:Own", "gain": 0.7}
TAIL: dict[str, Any] = {"kind": "python", "discipline": "own.py:Tail"}
GREEDY = {"kind": "greedy"}


def dumbbell(*, law: bool = False, queue: str = "") -> dict[str, Any]:
    """Return a small scenario with a law or a discipline in one place."""
    links: dict[str, dict[str, Any]] = {
        "access": {"rate": "10 Mbps", "delay": "5 ms"},
        "bottleneck": {"rate": "1 Mbps", "delay": "5 ms"},
        "reverse": {"rate": "1 Mbps", "delay": "5 ms"},
    }
    group = {"transport": LAW if law else {"kind": "tcp"}, "source": GREEDY}
    if queue in links:
        links[queue]["queue"] = TAIL
    elif queue:
        group["access"] = links["access"] | {"queue": TAIL}
    return {"duration": "1 s", "dumbbell": links, "clients": [group]}


def graph(*, law: bool, queue: bool) -> dict[str, Any]:
    """Return a small network with a law or a discipline in one place."""
    link = {"name": "l", "from": "a", "to": "b", "rate": "1 Mbps", "delay": "5 ms"}
    return {
        "duration": "1 s",
        "measure": {"link": "l"},
        "nodes": [{"name": "a"}, {"name": "b"}],
        "links": [link | ({"queue": TAIL} if queue else {})],
        "flows": [{"from": "a", "to": "b", "transport": LAW if law else {"kind": "tcp"}, "source": GREEDY}],
    }


SCENARIOS = {
    "clients": dumbbell(law=True),
    "bottleneck": dumbbell(queue="bottleneck"),
    "reverse": dumbbell(queue="reverse"),
    "access": dumbbell(queue="access"),
    "group": dumbbell(queue="group"),
    "flows": graph(law=True, queue=False),
    "link": graph(law=False, queue=True),
}
STUDIES = {
    "one": {"scenario": "clients.toml", "replications": 2},
    "over": {"scenario": "clients.toml", "replications": 2, "over": {"clients.0.transport.gain": [0.5, 0.7]}},
    "laws": {
        "scenario": dumbbell(),
        "replications": 2,
        "variants": {"own": {"clients.0.transport": LAW}, "reno": {"clients.0.transport.variant": "reno"}},
    },
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with scenarios, studies, results and a store, all made before the file would leave a mark."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "helper.py").write_text("STEP = 1\n")
    (tmp_path / "own.py").write_text(SOURCE.format(mark=""))
    for name, tables in (SCENARIOS | STUDIES).items():
        (tmp_path / f"{name}.toml").write_text(tomli_w.dumps(tables))
    for name in SCENARIOS:
        record = ["packets@*", "states" if name in {"clients", "flows"} else "gauges/10ms"]
        ac.simulate(ac.Scenario.from_toml(f"{name}.toml"), record=record).save(f"{name}.result")
    with pytest.warns(UserWarning, match="fewer than 3 values"):
        ac.sweep(ac.Study.from_toml("over.toml"), store="store", jobs=1)
    (tmp_path / "own.py").write_text(SOURCE.format(mark=MARK.format(path=str(tmp_path / "mark"))))
    monkeypatch.setattr(finding, "_known", {})  # as in another process
    return tmp_path


def call(*arguments: str) -> int:
    """Run a command, and return its exit status."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert isinstance(end.value.code, int)
    return end.value.code


def held(folder: Path, *arguments: str) -> int:
    """Run a command that must not execute the file."""
    code = call(*arguments)
    assert not (folder / "mark").exists(), f"ackclock {' '.join(arguments)} executes the file"
    return code


FILES = [f"{name}.{kind}" for name in SCENARIOS for kind in ("toml", "result")]
READS: dict[str, list[list[str]]] = {
    "sweep": [[f"{name}.toml", "--dry-run", *more] for name in STUDIES for more in ([], ["--store", "store"])],
    "plot": [[f"{name}.result", "--out", f"{name}.svg"] for name in SCENARIOS],
    "lab": [[file, "--no-open", "--out", f"{file}.html"] for file in FILES],
    "query": [["store", "select * from runs"], ["clients.result", "show tables"], ["store", "from scenarios"]],
    "report": [["store"], ["clients.result"]],
    "store check": [["store"], ["clients.result"]],
    "burstiness": [["clients.result"], ["clients.toml"]],
    "capture": [["own.py"], ["clients.toml"], ["own.py", "clients.toml", "--filter", "own.py"]],
    "law": [["own.py"], ["clients.toml"]],
    "twin": [["own.py"], ["clients.toml"]],
    "conform": [["own.py"], ["clients.toml"]],
    "live": [["own.py"], ["clients.toml"]],
    "live shell": [["own.py", "--", "true"], ["clients.toml", "--", "true"]],
    "controllers": [["clients.toml"], ["own.py"]],
    "reproduce": [["selfsimilar", "--capture", "own.py"]],
    "advise": [["clients.toml"], ["own.py"]],
    "init": [["dumbbell", "new.toml"]],
    "schema": [[]],
}
"""Arguments of commands that read files, beside those of `run` and `sweep` that make runs."""
RUNS = ("run", "evaluate", "evaluate-queue")
"""Commands that execute the file of a law that is to run."""
NO_FILES = ("list", "live calibrate", "model", "profile", "")
"""Commands, and groups of them, that take no files."""


def test_each_command_reads_without_executing(folder: Path) -> None:
    for name, lists in READS.items():
        for arguments in lists:
            assert held(folder, *name.split(), *arguments) == 0 or name != "sweep", arguments


def test_all_commands_are_covered() -> None:
    for name, command in commands(typer.main.get_command(app)):
        if not hasattr(command, "commands"):
            assert name in READS or name in RUNS or {name, name.split()[0]} & {*NO_FILES}, (
                f"add the command {name} here"
            )


def test_a_dry_run_says_what_it_does_not_know(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held(folder, "sweep", "laws.toml", "--dry-run")
    assert (
        "1 of the points name a law or a discipline in Python, whose file only a sweep exec" in capsys.readouterr().out
    )


def test_each_function_reads_without_executing(folder: Path) -> None:
    for name, tables in SCENARIOS.items():
        run = load(folder / f"{name}.result")
        for scenario in (ac.Scenario.from_toml(f"{name}.toml"), ac.Scenario.from_dict(tables), run.scenario):
            whole = scenario.changed({"duration": "2 s"}).effective()
            assert ac.Scenario.from_dict(whole.to_dict()) == whole
            assert scenario.to_json()
            assert scenario.to_toml()
            ac.components(scenario)
            if name not in {"flows", "link"}:
                ac.pipe(scenario)
        run.plot()
        assert run.to_dict()
        assert repr(run)
    for name in STUDIES:
        assert list(ac.Study.from_toml(f"{name}.toml").each())
    assert ac.open("store").runs.to_arrow().num_rows == 4
    ac.Tcp(law="own.py:Own", mode="fast")  # type: ignore[call-arg]
    ac.Queue("python", discipline="own.py:Tail")
    assert not (folder / "mark").exists()


def test_another_digest_is_refused_before_the_first_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A result names the files that made it: other ones are not executed, not even those around the law."""
    for name in SCENARIOS:
        assert held(folder, "run", f"{name}.result") == 2
        assert "and were not executed" in capsys.readouterr().err
        with pytest.raises(ac.ScenarioError, match="and were not executed"):
            ac.simulate(load(folder / f"{name}.result").scenario)
    (folder / "own.py").write_text(SOURCE.format(mark=""))
    assert held(folder, "run", "clients.result") == 0
    finding._known.clear()  # as in another process
    (folder / "helper.py").write_text(MARK.format(path=str(folder / "mark")) + "\nSTEP = 1\n")
    assert held(folder, "run", "clients.result") == 2


def test_a_digest_of_an_earlier_version_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = load(folder / "clients.result").scenario.to_dict()
    del old["clients"][0]["transport"]["law_files_sha256"]
    (folder / "old.toml").write_text(tomli_w.dumps(old))
    assert held(folder, "run", "old.toml") == 2
    assert "cannot be checked before the file is executed" in capsys.readouterr().err


def test_runs_execute(folder: Path) -> None:
    for arguments in (["run", "clients.toml"], ["sweep", "one.toml", "--store", "other"]):
        (folder / "mark").unlink(missing_ok=True)
        finding._known.clear()  # as in another process
        for name in [name for name in sys.modules if name.startswith("ackclock_law_")]:
            del sys.modules[name]
        assert call(*arguments) == 0
        assert (folder / "mark").exists()


def test_what_was_read_is_executed(folder: Path) -> None:
    """A module that changes after the digest was compared is not read a second time, nor from compiled bytes."""
    (folder / "own.py").write_text(SOURCE.format(mark="from pack import inner\nimport pack.other"))
    (folder / "pack").mkdir()
    (folder / "pack" / "__init__.py").write_text("")
    (folder / "pack" / "inner.py").write_text("from .other import VALUE\n")
    (folder / "pack" / "other.py").write_text("VALUE = 5\n")
    files = Files.read(folder / "own.py")
    assert sorted(files.texts) == ["", "helper", "pack", "pack.inner", "pack.other"]
    shutil.rmtree(folder / "pack")
    (folder / "helper.py").write_text(MARK.format(path=str(folder / "mark")))
    module = files.module()
    assert module.pack.inner.VALUE == module.pack.other.VALUE == 5
    assert "helper" not in sys.modules
    assert not (folder / "mark").exists()
