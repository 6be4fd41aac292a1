"""The notebooks run, and print what they are stored with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
NOTEBOOKS = ("a_queue_of_your_own", "an_idea_in_ten_lines", "look_at_a_run")


def printed(notebook: Any) -> list[str]:
    """Return the texts that the cells of a notebook print."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    texts = ([output["text"] for output in cell["outputs"] if "text" in output] for cell in cells)
    return ["".join("".join(text) for text in each) for each in texts]


def test_every_notebook_is_tested_and_small() -> None:
    paths = sorted(FOLDER.glob("*.ipynb"))
    assert tuple(path.stem for path in paths) == NOTEBOOKS
    for path in paths:
        assert path.stat().st_size < 300_000
        assert any(printed(json.loads(path.read_text(encoding="utf-8"))))


@pytest.mark.needs("nbclient", "ipykernel")
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_prints_what_it_is_stored_with(name: str) -> None:
    """Run a notebook in a kernel of its own.

    Validates: the printed outputs of all cells.
    Source: the stored notebook.
    Tolerance: exact.
    """
    import nbclient  # noqa: PLC0415  # optional
    import nbformat  # noqa: PLC0415

    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    stored = printed(notebook)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(FOLDER)}}).execute()
    assert printed(notebook) == stored
