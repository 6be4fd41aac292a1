"""The fields by which a scenario names a law or a discipline that is given as an object or a class."""

from typing import Any, Final

from ackclock.laws.algorithm import Algorithm
from ackclock.laws.discipline import Discipline
from ackclock.laws.law import Law
from ackclock.scenario.law_classes import Field
from ackclock.values.errors import ScenarioError, raised, wrong

__all__ = ["named"]

_BASES: Final[dict[Field, type[Algorithm]]] = {"law": Law, "discipline": Discipline}


def named(one: Algorithm | type[Algorithm], field: Field) -> dict[str, Any] | None:
    """Return the fields that name an algorithm: its text, digests and parameters; None if another field names it.

    Raises
    ------
    ScenarioError
        The class is not a complete law or discipline.
    """
    kind = one if isinstance(one, type) else type(one)
    if not issubclass(kind, _BASES[field]):
        return None
    from ackclock.laws.compiling import is_compiled, plain  # noqa: PLC0415  # few scenarios have such objects
    from ackclock.laws.finding import use  # noqa: PLC0415

    is_machine_code = issubclass(kind, Law) and is_compiled(kind)
    try:
        parameters = (one() if isinstance(one, type) else one).parameters
        used = use(plain(kind) if issubclass(kind, Law) else kind)
    except ScenarioError as error:
        raise raised([wrong((field,), kind.__name__, f"must be a complete {field}: {error.headline}")]) from None
    files = {} if used.files_sha256 is None else {f"{field}_files_sha256": used.files_sha256}
    compiled = {"compiled": True} if is_machine_code else {}
    return {field: used.law, f"{field}_sha256": used.sha256, **files, **compiled, **parameters}
