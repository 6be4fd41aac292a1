"""Notebooks as Markdown: text, code, what the code printed, and its figures."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def markdown(notebook: Path, page: Path) -> str:
    """Return the text of a notebook as a page, and write its figures beside the page."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(part for number, cell in enumerate(cells) for part in _parts(cell, number, page)) + "\n"


def _parts(cell: dict[str, Any], number: int, page: Path) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for place, output in enumerate(cell["outputs"]):
        data = output.get("data", {"text/plain": output.get("text", "")})
        if "image/png" in data:
            figure = page.with_name(f"{page.stem}_{number}_{place}.png")
            figure.write_bytes(base64.b64decode("".join(data["image/png"])))
            yield f"![Figure of the code above]({figure.name})"
        else:
            yield f"```text\n{''.join(data['text/plain']).rstrip()}\n```"
