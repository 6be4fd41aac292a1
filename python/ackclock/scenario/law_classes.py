"""Laws and disciplines written in Python, as a scenario sees them: the fields that name a class, and its declaration.

The package `ackclock.laws` registers both: how its objects name themselves (`fields_of`), and what a class that this
process has used declares (`declare`).
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, Literal

from ackclock.engine.catalogue import Parameter
from ackclock.scenario.law_fields import PYTHON
from ackclock.values.kinds import class_name

Field = Literal["law", "discipline"]


@dataclass(frozen=True)
class Declaration:
    """What a class declares to the scenarios that name it."""

    field: Field
    """The field that names the class."""
    parameters: Mapping[str, Parameter]
    needs: Mapping[str, bool]
    """What a law needs from its sender, in the engine's form."""


_declarations: dict[tuple[str, str], Declaration] = {}


def declare(algorithm: str, sha256: str, declaration: Declaration) -> None:
    """Register the declaration of a class, by its name in a scenario and the digest of its source."""
    _declarations[algorithm, sha256] = declaration


@singledispatch
def fields_of(one: object, field: Field) -> dict[str, Any] | None:  # noqa: ARG001  # for the registered functions
    """Return the fields that name an object or a class; None if it is no law or discipline, as `field` requires.

    Raises
    ------
    ScenarioError
        It is not a complete law or discipline.
    """
    return None


def with_law(given: Mapping[str, Any]) -> dict[str, Any]:
    """Replace a law that is given as an object by the fields that name it; its recovery is ``rack`` by default."""
    if given.get("law") is None and isinstance(given.get("variant", ""), str):
        return dict(given)
    fields = _with(given, "law", "variant")
    if fields.get("law") is not None and "variant" not in fields:
        fields.setdefault("recovery", "rack")
    return fields


def with_discipline(given: Mapping[str, Any]) -> dict[str, Any]:
    """Replace a discipline that is given as an object by the fields that name it."""
    if given.get("discipline") is None and isinstance(given.get("kind", ""), str):
        return dict(given)
    fields = _with(given, "discipline", "kind")
    if fields.get("discipline") is not None:
        fields.setdefault("kind", PYTHON)
    return fields


def _with(given: Mapping[str, Any], field: Field, subject: str) -> dict[str, Any]:
    """Replace an object, as the subject of the table or in its field, by the fields that name it."""
    for place in (subject, field):
        named = fields_of(given.get(place), field)
        if named is not None:
            return named | {name: value for name, value in given.items() if name not in {place, field}}
    return dict(given)


def of_python(data: Mapping[str, Any], field: Field) -> Mapping[str, Parameter] | None:
    """Return the parameters of the law or discipline of a table; None if its class is not known in this process."""
    algorithm, sha256 = data.get(field), data.get(f"{field}_sha256")
    if not isinstance(algorithm, str) or not isinstance(sha256, str):
        return None
    with suppress(ValueError):
        found = _declarations.get((str(class_name(field.capitalize()).check(algorithm)), sha256))
        if found is not None and found.field == field:
            return found.parameters
    return None


def for_engine(law: str, sha256: str | None, number: int) -> dict[str, Any]:
    """Convert a law to the engine's form. A law that is not known here has no needs; such a plan does not run."""
    found = _declarations.get((law, sha256 or ""))
    needs = {} if found is None else dict(found.needs)
    return {"kind": "foreign", "name": law.rpartition(":")[2], "number": number, "needs": needs}
