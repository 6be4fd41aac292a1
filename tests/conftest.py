"""Settings for all tests: fixed random inputs, a fixed terminal width, and no display."""

from __future__ import annotations

import gc
import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from tests.support.long import LONG

from guides import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from ackclock.papers.core.paper import Both

# Set before anything draws or prints, since the libraries read both variables only when they are loaded.
os.environ.update(SETTINGS)

# There is no deadline, since machines differ in speed. Examples are always the same, so that failures are reproducible.
settings.register_profile("ackclock", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ackclock")


WHOLE = (
    *("papers/", "docs/", "tools/test_project.py", "capture/test_capture_round_trip.py", "analysis/test_scaling.py"),
    *("bench/test_hostile.py", "report/test_figures.py", "report/test_page.py", "running/test_making.py"),
    *("lab/test_serving.py", "laws/test_reading_executes_nothing.py", "study/store/test_crash.py"),
    *("analysis/test_long_range.py", "analysis/test_honest.py", "analysis/models/test_stochastic_reno.py"),
    *("cli/test_burstiness_command.py", "cli/test_cli.py", "cli/test_one_line.py", "cli/test_options.py"),
    *("engine/test_exact_laws.py", "engine/test_queue_claims.py", "engine/test_sources.py", "running/test_memory.py"),
    *("running/test_memory_of_readers.py", "scenario/test_round_trip.py", "study/test_making.py"),
    *(
        "study/test_sweep.py",
        "study/store/test_compaction.py",
        "study/store/test_damage.py",
        "study/store/test_folder.py",
    ),
    *("study/store/test_mixed.py", "study/store/test_outside.py"),
)
"""Folders and files of tests that run whole commands, studies or guides, or need much statistics. They take three
quarters of the time of all."""


def _is_whole(path: Path) -> bool:
    here = Path(__file__).resolve().parent
    return path.is_relative_to(here) and path.relative_to(here).as_posix().startswith(WHOLE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import what ``make quick`` leaves out: 2,800 of 6,800 tests, which would take 8 s in each process."""
    left_out = "not whole" in config.option.markexpr and collection_path.suffix == ".py" and _is_whole(collection_path)
    return True if left_out else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let the garbage collector ignore what collection makes: it stays, and to visit it takes a tenth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that ``make quick`` leaves out."""
    for item in items:
        if _is_whole(item.path):
            item.add_marker("whole")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose optional programs or packages are missing; ``make extras`` runs these tests."""
    for marker in item.iter_markers("needs"):
        missing = [name for name in marker.args if shutil.which(name) is None and find_spec(name) is None]
        if missing:
            pytest.skip(f"not installed: {', '.join(missing)}")


@pytest.fixture(scope="session", autouse=True)
def _do_not_wait_for_the_disk() -> Iterator[None]:
    """Let stores skip ``fsync``: no test cuts the power. Commands in processes of their own do wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the folder of the checkout."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def their_runs() -> Both:
    """Return ns-2's runs in place of ours, for tests of the texts and figures that are made from runs.

    Parts without ns-2 runs use the runs of ns-2's grid. Detailed records are ours, with one seed.
    """
    from ackclock.papers.burstiness.experiment import CLIENTS  # noqa: PLC0415  # after the settings above
    from ackclock.papers.burstiness.study import derived, parts  # noqa: PLC0415
    from ackclock.papers.core.evidence import Run, Runs  # noqa: PLC0415
    from ackclock.papers.core.paper import Both  # noqa: PLC0415
    from ackclock.papers.core.parts import gather  # noqa: PLC0415
    from ackclock.papers.core.table import ns2_runs  # noqa: PLC0415

    made = gather([part for part in parts() if part.name != "windows"], seeds=[1])
    side = ns2_runs("burstiness")
    grid = [
        Run(where=run.where, seed=run.seed, values={**run.values, "drops_start": run.values["drops"]})
        for run in side.part("grid")
        if run.where["clients"] in CLIENTS
    ]
    reds = [row for row in made.part("close") if str(row.where["variant"]).endswith("/RED")]
    whole = Runs(
        {
            **side.parts,
            **made.parts,
            "grid": grid,
            "minimum": [run for run in grid if run.where["variant"] == "Vegas"],
            "roomy": [run for run in grid if run.where["variant"] in {"Reno", "Vegas"}],
            "close_weights": [
                Run(where={**row.where, "weight": weight}, seed=row.seed, values=row.values)
                for row in reds
                for weight in (8e-5, 2e-2)
            ],
        }
    )
    return Both(ours=derived(whole), ns2=side)


@pytest.fixture
def placeholders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write empty PNG and SVG files beside a report, except in the long form: drawing takes most of the time."""
    from ackclock.report.html import Drawing  # noqa: PLC0415  # after the settings above

    def files(drawing: Drawing) -> dict[str, bytes]:
        return {f"{drawing.slug}.png": b"", f"{drawing.slug}.svg": b"", f"{drawing.slug}.csv": drawing.csv.encode()}

    if not LONG:
        monkeypatch.setattr(Drawing, "files", property(files))
