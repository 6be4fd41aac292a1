"""A fast start: a command loads only the packages that it uses."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import ackclock
from performance.front import SMALLEST

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = {"duckdb", "jinja2", "matplotlib", "numpy", "pandas", "polars", "pyarrow", "rich", "scipy"}
MOST_MODULES = 380
"""More than a run that prints JSON loads: 343, of which 74 are of Ackclock."""
MOST_MODULES_OF_A_CAPTURE = 480
"""More than a small capture that prints JSON loads: 445, of which 56 are of Ackclock."""

RUN = """
import ackclock as ac
ac.simulate(ac.Scenario.from_toml("examples/feng60.toml").changed({"duration": "1 s"}))
"""


def modules(root: Path, code: str) -> set[str]:
    """Run a Python process and return the modules that it has loaded at its end."""
    report = "import sys; print(); print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], cwd=root, capture_output=True, text=True, check=True
    )
    return set(ran.stdout.splitlines()[-1].split())


def loaded(root: Path, code: str) -> set[str]:
    """Run a Python process and return the packages that it has loaded at its end, without the standard library."""
    return {name.partition(".")[0] for name in modules(root, code)} - sys.stdlib_module_names


def command(*words: str) -> str:
    """Return the code that runs a command as its script does."""
    return (
        f"import sys\nfrom ackclock.__main__ import start\nsys.argv = {['ackclock', *words]}\n"
        "try: start()\nexcept SystemExit as ended: assert not ended.code"
    )


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


def test_a_run_that_prints_json_loads_little(root: Path, tmp_path: Path) -> None:
    (tmp_path / "smallest.toml").write_text(SMALLEST)
    there = modules(root, command("run", str(tmp_path / "smallest.toml"), "--json"))
    assert not {name.partition(".")[0] for name in there} & HEAVY
    assert not there & {"ackclock.drawing", "ackclock.papers", "ackclock.study"}
    assert len(there) < MOST_MODULES


def test_the_version_needs_no_pydantic(root: Path) -> None:
    assert "pydantic" not in loaded(root, command("--version"))
    assert "pydantic" not in loaded(root, "import ackclock\nackclock.__version__")


def test_a_run_does_not_read_its_own_source(root: Path) -> None:
    """The docstrings of fields are descriptions in the JSON Schema and in lists, where they are read when needed."""
    modules(
        root, f"{RUN}\nfrom ackclock.scenario import docstrings\nassert not docstrings._classes.cache_info().currsize"
    )


def test_a_small_capture_that_prints_json_loads_little(root: Path) -> None:
    there = modules(root, command("capture", "examples/lan.pcapng", "--bin", "10 s", "--json"))
    assert {name.partition(".")[0] for name in there} & HEAVY == {"numpy", "pyarrow", "scipy"}
    assert not there & {"ackclock.drawing", "ackclock.report", "ackclock.running.run", "ackclock.study"}
    assert not there & {"ackclock.scenario.whole", "pyarrow.parquet"}
    assert len(there) < MOST_MODULES_OF_A_CAPTURE


def test_a_short_capture_loads_no_part_of_scipy(root: Path) -> None:
    """Fewer bins than an estimator of the Hurst parameter needs."""
    there = modules(root, command("capture", "examples/lan.pcapng", "--bin", "10 s", "--json"))
    assert not there & {"scipy.fft", "scipy.linalg", "scipy.ndimage", "scipy.optimize", "scipy.special", "ssl"}


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
