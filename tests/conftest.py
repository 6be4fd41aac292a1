"""Settings that every test shares: the same inputs, the same width of terminal, no display."""

from __future__ import annotations

import dataclasses
import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from tests.long import LONG

from guides import SETTINGS

if TYPE_CHECKING:
    from ackclock.papers.burstiness.study import Runs

# Before anything draws or prints: both are read once, when the libraries are first loaded.
os.environ.update(SETTINGS)

# No deadline, for machines differ; the same examples each time, for a failure must be there again tomorrow.
settings.register_profile("ackclock", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ackclock")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose optional programs or packages are missing; ``make extras`` runs these tests."""
    for marker in item.iter_markers("needs"):
        missing = [name for name in marker.args if shutil.which(name) is None and find_spec(name) is None]
        if missing:
            pytest.skip(f"not installed: {', '.join(missing)}")


@pytest.fixture(scope="session")
def root() -> Path:
    """Give the checkout."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def their_runs() -> Runs:
    """Give ns-2's runs in the place of ours, for tests of the way from runs to words and figures.

    What ns-2 has no runs of, those of its grid stand for; the second look is ours, with one seed.
    """
    from ackclock.papers.burstiness import ns2  # noqa: PLC0415  # after the settings above
    from ackclock.papers.burstiness.close import looks_wanted  # noqa: PLC0415
    from ackclock.papers.burstiness.evidence import from_ns2  # noqa: PLC0415
    from ackclock.papers.burstiness.experiment import CLIENTS  # noqa: PLC0415
    from ackclock.papers.burstiness.pushes import pushes_wanted  # noqa: PLC0415
    from ackclock.papers.burstiness.starts import starts_wanted  # noqa: PLC0415
    from ackclock.papers.burstiness.study import Runs  # noqa: PLC0415
    from ackclock.papers.burstiness.window_figures import WINDOW_FIGURES  # noqa: PLC0415
    from ackclock.study import observe  # noqa: PLC0415

    windows = [ns2.courses(figure.variant, figure.clients) for figure in WINDOW_FIGURES]
    looks = observe(looks_wanted(seeds=[1]))
    side = from_ns2()
    grid = [
        dataclasses.replace(run, values={**run.values, "drops_start": run.values["drops"]})
        for run in side.grid
        if run.clients in CLIENTS
    ]
    vegas = [run for run in grid if run.variant == "Vegas"]
    plain = [run for run in grid if run.variant in {"Reno", "Vegas"}]
    return Runs(
        ours=dataclasses.replace(
            side,
            grid=grid,
            minimum=vegas,
            roomy=plain,
            close=looks,
            starts=observe(starts_wanted(seeds=[1])),
            pushes=observe(pushes_wanted(seeds=[1])),
            close_weights=dict.fromkeys((8e-05, 0.02), looks),
        ),
        windows=windows,
        looks=looks,
    )


@pytest.fixture
def placeholders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write empty PNG and SVG files beside a report, except in the long form: drawing takes most of the time."""
    from ackclock.report.html import Drawing  # noqa: PLC0415  # after the settings above

    def files(drawing: Drawing) -> dict[str, bytes]:
        return {f"{drawing.slug}.png": b"", f"{drawing.slug}.svg": b"", f"{drawing.slug}.csv": drawing.csv.encode()}

    if not LONG:
        monkeypatch.setattr(Drawing, "files", property(files))
