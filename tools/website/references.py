"""Write the generated references into ``docs/reference``: ``python -m website.references``.

They are files of the repository, since the guides link to them and readers open them on the forge too. A test fails if
they differ from what the program declares.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from website import commands, measures, records, scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FOLDER: Final = Path(__file__).resolve().parents[2] / "docs" / "reference"
PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "commands.md": commands.text,
    "scenario.md": scenario.text,
    "records.md": records.text,
    "measures.md": measures.text,
}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in PAGES.items():
        (FOLDER / name).write_text(text(), encoding="utf-8")
