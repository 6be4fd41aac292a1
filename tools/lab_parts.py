"""Write what the lab's page needs of Python, as part of ``make lab``: ``python tools/lab_parts.py FILE``.

The file has the engine's catalogue, the parts of plans, the stories of ``web/stories``, and the scripts of
``examples/conformance``. ``quantities.json`` beside
it has the units, which are compiled into the page. A story is a scenario. The comments at its head give its title,
three sentences, the seed, and what is shown: a span of time in seconds (``zoom FROM UNTIL``) or a second run with one
field changed (``beside FIELD = VALUE``).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from ackclock.lab.catalogue import page_catalogue
from ackclock.values.quantity import RATE, SIZE, TIME

ROOT = Path(__file__).resolve().parent.parent
STORIES = ROOT / "web" / "stories"
SCRIPTS = ROOT / "examples" / "conformance"


def story(path: Path) -> dict[str, Any]:
    """Read a story."""
    lines = path.read_text(encoding="utf-8").splitlines()
    head = [line.removeprefix("# ") for line in lines if line.startswith("# ")]
    made: dict[str, Any] = {"name": path.stem[3:], "title": head[0], "seed": "1", "toml": "\n".join(lines[len(head) :])}
    sentences = []
    for line in head[1:]:
        word, _, rest = line.partition(" ")
        match word:
            case "seed":
                made["seed"] = rest
            case "zoom":
                made["zoom"] = [float(each) for each in rest.split()]
            case "beside":
                field, _, value = rest.partition(" = ")
                made["beside"] = {field: value}
            case _:
                sentences.append(line)
    return made | {"text": " ".join(sentences)}


def quantities() -> dict[str, Any]:
    """Describe the kinds of quantities, with all units that are read."""
    return {each.noun: {"units": each.known, "spoken": each.spoken, "plain": each.plain} for each in (TIME, RATE, SIZE)}


def stories() -> list[dict[str, Any]]:
    """Read all stories, in order."""
    return [story(path) for path in sorted(STORIES.glob("[0-9]*.toml"))]


def scripts() -> list[dict[str, str]]:
    """Read all scripts, in order, each with its folder and name."""
    return [
        {"name": path.relative_to(SCRIPTS).with_suffix("").as_posix(), "text": path.read_text(encoding="utf-8")}
        for path in sorted(SCRIPTS.rglob("*.pkt"))
    ]


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        json.dumps(page_catalogue() | {"stories": stories(), "scripts": scripts()}, separators=(",", ":")),
        encoding="utf-8",
    )
    file.with_name("quantities.json").write_text(json.dumps(quantities()), encoding="utf-8")
