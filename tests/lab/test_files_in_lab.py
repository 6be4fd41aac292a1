"""Every example and every scenario of ``ackclock init`` opens in the lab, runs there, and is drawn."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from ackclock.cli.starting import KINDS, QUESTIONS, start
from ackclock.lab.document import document
from ackclock.lab.page import built_page, page_with
from ackclock.scenario import Scenario

pytestmark = pytest.mark.needs("chromium", "node")

EXAMPLES: Final = Path(__file__).parents[2] / "examples"

STUDIES: Final = {"study", "uplink_study", "vegas_regimes"}
"""Files of many scenarios, which `ackclock sweep` runs and the lab does not open."""

SCENARIOS: Final = [kind for kind in KINDS if kind not in QUESTIONS]

FILES: Final = sorted({file.stem for file in EXAMPLES.glob("*.toml")} - STUDIES)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what each page shows, by the name of its scenario."""
    root = EXAMPLES.parent
    if built_page() is None or not (root / "web" / "node_modules").exists():
        pytest.skip("not built: run `make lab`")
    folder = tmp_path_factory.mktemp("lab")
    files = {name: EXAMPLES / f"{name}.toml" for name in FILES}
    for kind in SCENARIOS:
        files[f"init {kind}"] = folder / f"{kind}.toml"
        start(kind, folder / f"{kind}.toml")
    pages = []
    for name, file in files.items():
        page = folder / f"{name}.html"
        page.write_text(page_with(document(Scenario.from_toml(file), seed=1, name=name)), encoding="utf-8")
        pages.append(page)
    command: list[str | Path] = ["node", root / "web" / "test" / "files.mjs", *pages]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(zip(files, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("name", [*FILES, *(f"init {kind}" for kind in SCENARIOS)])
def test_is_drawn(shown: dict[str, Any], name: str) -> None:
    found = shown[name]
    assert found["error"] == ""
    assert found["log"] == []
    assert found["numbers"] != ""
    assert found["plots"] >= 3, "the windows, the queue and the goodput"


@pytest.mark.parametrize("name", sorted(STUDIES))
def test_other_files_are_studies(name: str) -> None:
    assert "scenario" in tomllib.loads((EXAMPLES / f"{name}.toml").read_text(encoding="utf-8"))
