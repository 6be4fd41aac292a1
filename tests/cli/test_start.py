"""A fast start: a command loads only the packages that it uses."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import ackclock

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = {"jinja2", "matplotlib", "numpy", "pandas", "pyarrow", "rich", "scipy"}

RUN = """
import ackclock as ac
ac.simulate(ac.Scenario.from_toml("examples/feng60.toml").changed({"duration": "1 s"}))
"""


def loaded(root: Path, code: str) -> set[str]:
    """Run a Python process and return the packages that it has loaded at its end, without the standard library."""
    report = "import sys; print(*{name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names)"
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], cwd=root, capture_output=True, text=True, check=True
    )
    return set(ran.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("code", "but"),
    [
        ("import ackclock", {"pydantic", "typer"}),
        ("from ackclock.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass", {"pydantic"}),
        ("from ackclock import *", {"typer"}),
        (RUN, {"typer"}),
    ],
    ids=["import", "help", "all names", "run"],
)
def test_loads_no_package_that_it_does_not_use(root: Path, code: str, but: set[str]) -> None:
    assert not loaded(root, code) & (HEAVY | but)


def test_the_tables_of_a_run_load_no_pandas(root: Path) -> None:
    """Arrow's own conversion would load pandas if it is installed, which takes 2 s."""
    code = RUN.replace("ac.simulate", "run = ac.simulate").replace(
        "))\n", "), record=['arrivals', 'windows', 'drops'])\n"
    )
    there = loaded(root, f"{code}\nfor name in run.tables: run.table(name)")
    assert "pyarrow" in there
    assert "pandas" not in there


def test_every_name_is_there() -> None:
    for name in ackclock.__all__:
        assert getattr(ackclock, name).__module__.startswith("ackclock."), name
    assert set(ackclock.__all__) <= set(dir(ackclock))
    with pytest.raises(AttributeError, match="no attribute 'Simulation'"):
        _ = ackclock.Simulation  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Codel", "; use ac.CoDel(...)"),
        ("FQ_CoDel", "; use ac.FqCodel(...)"),
        ("Cubic", '; use ac.Tcp("cubic", ...)'),
        ("BBR", '; use ac.Tcp("bbr", ...)'),
        ("Simulation", ""),
        ("codel", ""),
    ],
)
def test_a_queue_or_a_sender_of_another_name_has_a_hint(name: str, hint: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(ackclock, name)
    assert str(caught.value) == f"module 'ackclock' has no attribute '{name}'{hint}"
