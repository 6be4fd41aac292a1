"""Write what the lab's page needs of Python, as part of ``make lab``: ``python tools/lab_parts.py FILE``.

The file has the engine's catalogue, the parts of plans, the stories of ``web/stories``, the exercises of
``web/exercises.toml`` and the scripts of ``examples/conformance``. ``quantities.json`` beside
it has the units, which are compiled into the page. A story is a scenario. The comments at its head give its title,
three sentences, the seed, and what is shown: a span of time in seconds (``zoom FROM UNTIL``) or a second run with one
field changed (``beside FIELD = VALUE``).
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from ackclock import Scenario
from ackclock.lab.catalogue import page_catalogue
from ackclock.values.quantity import RATE, SIZE, TIME

ROOT = Path(__file__).resolve().parent.parent
STORIES = ROOT / "web" / "stories"
EXERCISES = ROOT / "web" / "exercises.toml"
TEACHING = ("minutes", "needs", "right", "wrong", "teachers")
"""What of an exercise is for teachers and tests, not for the page."""
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


def exercises() -> list[dict[str, Any]]:
    """Read all exercises, each with its number and its scenario as TOML."""
    tables = tomllib.loads(EXERCISES.read_text(encoding="utf-8"))["exercises"]
    own = {each["name"]: each for each in stories()}
    made = []
    for number, exercise in enumerate(tables, 1):
        given = dict(exercise)
        toml = given.pop("scenario", None) or own[given.pop("story")]["toml"]
        scenario = Scenario.from_dict(tomllib.loads(toml))
        changed = scenario.changed(given.pop("set", {}))
        whole = given | {"number": number, "seed": "1", "toml": toml if changed == scenario else changed.to_toml()}
        made.append({"with": {}} | whole if whole["kind"] == "number" else whole)
    return made


def scripts() -> list[dict[str, str]]:
    """Read all scripts, in order, each with its folder and name."""
    return [
        {"name": path.relative_to(SCRIPTS).with_suffix("").as_posix(), "text": path.read_text(encoding="utf-8")}
        for path in sorted(SCRIPTS.rglob("*.pkt"))
    ]


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.parent.mkdir(parents=True, exist_ok=True)
    asked = [{name: value for name, value in each.items() if name not in TEACHING} for each in exercises()]
    catalogue = page_catalogue() | {"stories": stories(), "exercises": asked, "scripts": scripts()}
    file.write_text(json.dumps(catalogue, separators=(",", ":")), encoding="utf-8")
    file.with_name("quantities.json").write_text(json.dumps(quantities()), encoding="utf-8")
