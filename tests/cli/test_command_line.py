"""The end of a command: its exit status, and the line that it prints on standard error."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import typer

from ackclock import cli
from ackclock.cli import sweeper
from ackclock.engine.catalogue import catalogue
from ackclock.engine.core import PlanError
from ackclock.study.outlook import Outlook
from ackclock.study.schedule import Tally
from ackclock.values.errors import LostError, damaged, refuse

if TYPE_CHECKING:
    from collections.abc import Callable


def failed(cause: BaseException | None = None, context: BaseException | None = None) -> RuntimeError:
    error = RuntimeError("it broke")
    error.__cause__, error.__context__ = cause, context
    return error


@pytest.fixture
def silenced(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    found: list[bool] = []
    monkeypatch.setattr(cli, "_silence", lambda: found.append(True))
    return found


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[Any], tuple[Any, str]]:
    """Return a function that gives status and standard error of a command that returns, or raises, the given value."""

    def main(outcome: Any) -> tuple[Any, str]:
        def app(**given: object) -> Any:
            assert given == {"args": ["run"], "prog_name": "ackclock", "standalone_mode": False}
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome

        monkeypatch.setattr(cli, "_needed", lambda _arguments: app)
        with pytest.raises(SystemExit) as stopped:
            cli.main(["run"])
        return stopped.value.code, capsys.readouterr().err

    return main


INTERRUPTED = (130, "interrupted; no partial output was written\n")


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (None, (0, "")),
        (0, (0, "")),
        (3, (3, "")),
        (130, INTERRUPTED),
        (KeyboardInterrupt(), INTERRUPTED),
        (failed(cause=KeyboardInterrupt()), INTERRUPTED),
        (failed(context=failed(cause=KeyboardInterrupt(), context=ValueError())), INTERRUPTED),
        (typer.BadParameter("No such thing."), (2, "Invalid value: No such thing.\n")),
        (
            typer.BadParameter("No.", ctx=SimpleNamespace(command_path="ackclock run", command=None, get_help=str)),  # type: ignore[arg-type]
            (2, "Invalid value: No. (see ackclock run --help)\n"),
        ),
        (refuse("seed", "x\ny", "must be a number"), (2, "seed: 'x?y' is not allowed; must be a number\n")),
        (PlanError("two\nlines \n"), (2, "two?lines\n")),
    ],
)
def test_ends(ended: Callable[[Any], tuple[Any, str]], outcome: Any, expected: tuple[int, str]) -> None:
    assert ended(outcome) == expected


def test_a_damaged_file_is_no_error_of_input(ended: Callable[[Any], tuple[Any, str]], tmp_path: Path) -> None:
    code, line = ended(damaged(tmp_path / "x.parquet", "it has changed", "nothing makes it again"))
    assert code == 1
    assert line.startswith(f"{tmp_path / 'x.parquet'}: ")


@pytest.mark.parametrize("error", [failed(), failed(cause=OSError()), ValueError("an error of the program")])
def test_errors_of_the_program_are_not_hidden(ended: Callable[[Any], tuple[Any, str]], error: Exception) -> None:
    with pytest.raises(type(error), match=str(error)):
        ended(error)


def test_output_that_cannot_be_written(ended: Callable[[Any], tuple[Any, str]], silenced: list[bool]) -> None:
    full = OSError(28, "No space left on device")
    assert ended(full) == (1, "standard output: cannot be written: No space left on device\n")
    assert ended(OSError(28, "No space left on device", "a.csv"))[1].startswith("a.csv: cannot be written: No space")
    assert ended(OSError("odd")) == (1, "standard output: cannot be written: odd\n")
    assert len(silenced) == 3
    assert ended(BrokenPipeError()) == (1, "")
    assert len(silenced) == 4


def test_a_closed_standard_output(ended: Callable[[Any], tuple[Any, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "__stdout__", None)
    assert ended(None) == (1, "standard output: cannot be written: it is closed\n")


def test_output_after_an_error_is_discarded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as file:
        monkeypatch.setattr(sys, "stdout", file)
        file.write("before")
        file.flush()
        cli._silence()
        file.write("after")
        file.flush()
    assert (tmp_path / "out").read_text() == "before"


def test_the_version_ends_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    cli._print_version(wanted=False)
    assert capsys.readouterr().out == ""
    with pytest.raises(typer.Exit):
        cli._print_version(wanted=True)
    assert capsys.readouterr().out == f"ackclock {catalogue().version}\n"


@pytest.mark.parametrize(
    ("outcome", "code", "lines", "error"),
    [
        (KeyboardInterrupt(), 130, [], "stopped; {resumes}"),
        (LostError("the cluster is gone"), 1, [], "the cluster is gone; {resumes}"),
        (Tally(made=1, there=2), 0, ["{store}: 1 run made, 2 already in the store"], ""),
        (
            Tally(made=1200, there=2000, points=3, few=1, notices=("It is odd.",)),
            0,
            [
                "{store}: 1,200 runs made, 2,000 already in the store",
                "Note: It is odd.",
                "Note: 1 of 3 points have fewer than 3 values of loss: their intervals are too wide to be useful.",
            ],
            "",
        ),
        (
            Tally(made=2, failed=1500),
            1,
            ["{store}: 2 runs made, 0 already in the store, 1,500 failed"],
            "1,500 runs failed: see the table `failures` in {store}; the same command retries them\n",
        ),
        (
            Tally(made=2, failed=1, interrupted=True),
            130,
            ["{store}: 2 runs made, 0 already in the store, 1 failed"],
            "interrupted; {resumes}",
        ),
    ],
)
def test_a_sweep_reports_its_statistics(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    outcome: Any,
    code: int,
    lines: list[str],
    error: str,
) -> None:
    """The statistics are made up."""
    study, store = SimpleNamespace(measure="loss"), Path("some") / "store"
    chosen: dict[str, Any] = {"engine": "ray", "address": "x:1", "jobs": 3, "memory": "1 GB", "allow_paths": True}

    def fill(*given: object, **options: object) -> Any:
        assert (given, options) == ((store, study), chosen)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    monkeypatch.setattr(sweeper, "fill", fill)
    monkeypatch.setattr(sweeper, "Study", SimpleNamespace(from_toml=lambda _: study))
    status: Any = 0
    try:
        sweeper.sweep(Path("a.toml"), store=store, dry_run=False, **chosen)
    except SystemExit as stopped:
        status = stopped.code
    words = {"store": store, "resumes": f"completed runs are in {store}; the same command resumes the sweep\n"}
    printed = capsys.readouterr()
    assert status == code
    assert printed.out.splitlines() == [line.format(**words) for line in lines]
    assert printed.err == error.format(**words)


@pytest.mark.parametrize(("engine", "jobs", "cores"), [("threads", 5, 5), ("ray", 7, 7), ("ray", None, 1)])
def test_a_dry_run_counts_cores(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], engine: str, jobs: int | None, cores: int
) -> None:
    """An hour of CPU time; the folder of the store has the name of the study."""
    study = SimpleNamespace(measure="loss")
    chosen: dict[str, Any] = {"engine": engine, "address": None, "jobs": jobs, "allow_paths": False}

    def preview(*given: object, **options: object) -> Outlook:
        assert (given, options) == ((Path("out") / "a", study), chosen)
        return Outlook(points=[("p", 2)], runs=2, most=2, there=0, cpu_seconds=3500.0)

    monkeypatch.setattr(sweeper, "preview", preview)
    monkeypatch.setattr(sweeper, "Study", SimpleNamespace(from_toml=lambda _: study))
    sweeper.sweep(Path("a.toml"), store=None, memory=None, dry_run=True, **chosen)
    minutes = {1: "58 min on 1 core:", 5: "12 min on 5 cores:", 7: "8 min on 7 cores:"}[cores]
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"about {minutes}")
