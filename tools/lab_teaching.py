"""Write the exercises of the lab into ``docs/guide/teaching.md``, as part of ``make references``.

They come from ``web/exercises.toml``. Each has a section with its question, hint, answer and what students should find.
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any, Final

from lab_parts import exercises

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "guide" / "teaching.md"
BEGIN: Final = "<!-- exercises: written by `make references` from web/exercises.toml -->\n"
END: Final = "<!-- end of exercises -->\n"


def taught() -> str:
    """Describe all exercises for teachers: a table, then a section for each."""
    asked = exercises()
    rows = [f"| {each['number']} | {each['title']} | {each['minutes']} | {each['needs']} |" for each in asked]
    total = sum(each["minutes"] for each in asked)
    table = ["| | exercise | minutes | students know |", "| ---: | --- | ---: | --- |", *rows, f"| | all | {total} | |"]
    return "\n".join(table) + "\n\n" + "\n".join(_section(each) for each in asked)


def page() -> str:
    """Return the page with the exercises as they are now."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{taught()}\n{END}{rest.split(END)[1]}"


def _section(exercise: dict[str, Any]) -> str:
    parts = [
        exercise["question"],
        f"*Answer:* {_answer(exercise)}",
        f"*Hint:* {exercise['hint']}",
        f"*Students should find:* {exercise['finds']}",
    ]
    if "teachers" in exercise:
        parts.append(f"*Other answers:* {exercise['teachers']}")
    if exercise["kind"] == "choice":
        parts[0] += f" Choices: {', '.join(each['says'] for each in exercise['options'])}."
    wrapped = [textwrap.fill(each, 118, break_long_words=False, break_on_hyphens=False) for each in parts]
    return "\n\n".join([f"### {exercise['number']}. {exercise['title']}", *wrapped]) + "\n"


def _answer(exercise: dict[str, Any]) -> str:
    """Say which answers the page accepts, with an example."""
    right = exercise["right"]
    match exercise["kind"]:
        case "number":
            accepted = f"{100 * exercise['tolerance']:.0f} %"
            return f"{right} {exercise['unit']}; the page simulates the scenario and accepts {accepted} more or less."
        case "choice":
            return f"{right}. The page simulates all choices. It shows all values only after the right answer."
        case _:
            fields = ", ".join(f"`{path} = {_toml(value)}`" for path, value in right.items())
            return f"for example {fields}. The page compares the measures of the student's run with the question."


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {_toml(each)}' for name, each in value.items())} }}"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
