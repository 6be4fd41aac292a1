"""A cluster that fails to start or dies gives an error of one line; finished runs stay stored. Ray is not needed."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from tests.study.small import write

from ackclock.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def fine(*_: Any, **__: Any) -> Any:
    """Do nothing."""
    return SimpleNamespace(remote=lambda _: object())


def dead(*_: Any, **__: Any) -> Any:
    """Fail like Ray without its daemon: with a plain exception whose message has several lines."""
    raise Exception("The raylet is gone\n  at some place\n")  # noqa: TRY002 - as Ray has it


def full(_: object) -> SimpleNamespace:
    """Wrap a function so that it accepts no tasks."""
    return SimpleNamespace(remote=dead)


def ray(**broken: Callable[..., Any]) -> ModuleType:
    """Return a substitute for Ray that accepts all tasks and has one processor, with some functions replaced."""
    module = ModuleType("ray")
    whole = {
        "init": fine,
        "shutdown": fine,
        "remote": lambda **_: fine,
        "cluster_resources": lambda: {"CPU": 1},
        "wait": lambda waiting, **_: (waiting, []),
        "get": fine,
    }
    for name, function in (whole | broken).items():
        setattr(module, name, function)
    return module


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        ({"init": dead}, "Ray does not start: The raylet is gone; "),
        ({"cluster_resources": dead}, "Ray does not answer: The raylet is gone; "),
        ({"wait": dead}, "Ray does not answer: The raylet is gone; "),
        (
            {"remote": lambda **_: full},
            "Ray takes no more tasks: The raylet is gone; ",
        ),
        ({"get": dead}, "Ray lost a run: The raylet is gone; "),
    ],
)
def test_a_cluster_that_fails_is_one_clear_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    broken: dict[str, Callable[..., Any]],
    expected: str,
) -> None:
    monkeypatch.setitem(sys.modules, "ray", ray(**broken))
    store = tmp_path / "store"
    with pytest.raises(SystemExit) as ended:
        main(["sweep", str(write(tmp_path / "study.toml")), "--store", str(store), "--engine", "ray"])
    assert ended.value.code == 1
    goes_on = f"completed runs are in {store}; the same command resumes the sweep\n"
    assert capsys.readouterr().err == expected + goes_on


def test_an_interrupt_behind_another_error_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python 3.11 raises a RuntimeError if an interrupt arrives while a class is created, as pydantic does."""

    class Interrupted:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    def show(_: object) -> None:
        try:
            type("Made", (), {"x": Interrupted()})
        except KeyboardInterrupt as error:  # from Python 3.12 on
            raise RuntimeError("Error calling __set_name__") from error

    monkeypatch.setattr("ackclock.cli.listing.show", show)
    with pytest.raises(SystemExit) as ended:
        main(["list"])
    assert ended.value.code == 130
    assert capsys.readouterr().err == "interrupted; no partial output was written\n"


def test_an_error_that_no_interrupt_is_behind_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def show(_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("ackclock.cli.listing.show", show)
    with pytest.raises(RuntimeError, match="broken"):
        main(["list"])
