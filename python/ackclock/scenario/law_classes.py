"""From classes of laws and disciplines to the fields that name them, and back where this process knows the class."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from ackclock.engine.catalogue import Parameter
from ackclock.scenario.law_fields import PYTHON
from ackclock.values.errors import ScenarioError, raised, wrong
from ackclock.values.kinds import class_name

if TYPE_CHECKING:
    from ackclock.laws.algorithm import Algorithm

Field = Literal["law", "discipline"]


def _base(field: Field) -> "type[Algorithm]":
    # few scenarios have such algorithms
    if field == "law":
        from ackclock.laws.law import Law  # noqa: PLC0415

        return Law
    from ackclock.laws.discipline import Discipline  # noqa: PLC0415

    return Discipline


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
    """Replace an object, in its field or as the subject of the table, by the fields that name it."""
    base, fields = _base(field), dict(given)
    first = fields.get(subject)
    if isinstance(first, base) or (isinstance(first, type) and issubclass(first, base)):
        fields[field] = fields.pop(subject)
    one = fields.get(field)
    if isinstance(one, base) or (isinstance(one, type) and issubclass(one, base)):
        fields = _named(one, field) | {name: value for name, value in fields.items() if name != field}
    return fields


def _named(one: "Algorithm | type[Algorithm]", field: Field) -> dict[str, Any]:
    from ackclock.laws.compiling import is_compiled, plain  # noqa: PLC0415
    from ackclock.laws.finding import use  # noqa: PLC0415
    from ackclock.laws.law import Law  # noqa: PLC0415

    kind = one if isinstance(one, type) else type(one)
    is_machine_code = issubclass(kind, Law) and is_compiled(kind)
    try:
        parameters = (one() if isinstance(one, type) else one).parameters
        told = use(plain(kind) if issubclass(kind, Law) else kind)
    except ScenarioError as error:
        raise raised([wrong((field,), kind.__name__, f"must be a complete {field}: {error.headline}")]) from None
    files = {} if told.files_sha256 is None else {f"{field}_files_sha256": told.files_sha256}
    compiled = {"compiled": True} if is_machine_code else {}
    return {field: told.law, f"{field}_sha256": told.sha256, **files, **compiled, **parameters}


def of_python(data: Mapping[str, Any], field: Field) -> Mapping[str, Parameter] | None:
    """Return the parameters of the law or discipline of a table; None if its class is not known in this process."""
    from ackclock.laws.algorithm import declared  # noqa: PLC0415
    from ackclock.laws.finding import known  # noqa: PLC0415

    law, sha256, base = data.get(field), data.get(f"{field}_sha256"), _base(field)
    if not isinstance(law, str) or not isinstance(sha256, str):
        return None
    with suppress(ValueError):
        found = known(str(class_name(base.__name__).check(law)), sha256)
        if found is not None and issubclass(found, base):
            return declared(found)
    return None


def for_engine(law: str, sha256: str | None, number: int) -> dict[str, Any]:
    """Convert a law to the engine's form. A law that is not known here has no needs; such a plan does not run."""
    from ackclock.laws.adapter import needs  # noqa: PLC0415
    from ackclock.laws.finding import known  # noqa: PLC0415
    from ackclock.laws.law import Law  # noqa: PLC0415

    found = known(law, sha256 or "")
    wanted = needs(found) if found is not None and issubclass(found, Law) else {}
    return {"kind": "foreign", "name": law.rpartition(":")[2], "number": number, "needs": wanted}
