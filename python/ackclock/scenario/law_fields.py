"""The names of the fields by which a transport or a queue names a law or a discipline written in Python.

A transport or queue is plain data, also then: the text and the digest that identify the class, and the values of its
parameters. Nothing here executes a file: the parameters of a class that this process does not know yet are checked
before its run (`ackclock.laws.loading`). Scenarios and results can therefore be read without the class.
"""

from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import InitErrorDetails

from ackclock.values.errors import wrong

LAW_FIELDS: Final = ("law", "law_sha256", "law_files_sha256", "compiled")
DISCIPLINE_FIELDS: Final = ("discipline", "discipline_sha256", "discipline_files_sha256")
PYTHON: Final = "python"
"""The kind of a queue whose discipline is written in Python."""


def law_problems(data: Mapping[str, Any]) -> list[InitErrorDetails]:
    """Check the fields that name a law. The law may be lost: the scenario can be read, but not run."""
    if data.get("law") is None:
        needless = [name for name in LAW_FIELDS[1:] if data.get(name) is not None]
        return [wrong((name,), data[name], "must be absent without law") for name in needless]
    return []


def discipline_problems(data: Mapping[str, Any]) -> list[InitErrorDetails]:
    """Check the fields that name a discipline, which may be absent as a law may."""
    if data.get("kind") != PYTHON:
        needless = [name for name in DISCIPLINE_FIELDS if data.get(name) is not None]
        return [wrong((name,), data[name], f"must be absent unless kind is {PYTHON!r}") for name in needless]
    if data.get("discipline") is None:
        return [wrong(("discipline",), None, f"must be given with kind {PYTHON!r}: FILE.py:CLASS")]
    return []
