"""The fields of a transport that name a law written in Python.

A transport is plain data, also with such a law: the text and the digest that identify the class, and the values of its
parameters. The class is looked up when it is needed, so that a result can be read without it.
"""

from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import InitErrorDetails

from ackclock.running.catalogue import Parameter, catalogue
from ackclock.scenario.errors import ScenarioError, one_of, raised, wrong
from ackclock.scenario.kinds import law_name

LAW_FIELDS: Final = ("law", "law_sha256", "compiled")


def with_law(given: Mapping[str, Any]) -> dict[str, Any]:
    """Replace a law that is given as an object, and ``recovery``, by the fields that name them."""
    if given.get("law") is None and isinstance(given.get("variant", ""), str):
        return dict(given)
    from ackclock.laws.law import Law  # noqa: PLC0415  # few scenarios have such laws

    fields = dict(given)
    variant = fields.get("variant")
    if isinstance(variant, Law) or (isinstance(variant, type) and issubclass(variant, Law)):
        fields["law"] = fields.pop("variant")
    law = fields.get("law")
    if law is None:
        return fields
    if isinstance(law, Law) or (isinstance(law, type) and issubclass(law, Law)):
        fields = _named(law) | {name: value for name, value in fields.items() if name != "law"}
    elif isinstance(law, str) and fields.get("law_sha256") is None:
        digest = _digest(law)
        fields |= {} if digest is None else {"law_sha256": digest}
    if fields.get("recovery") in recoveries() and "variant" not in fields:
        fields["variant"] = fields.pop("recovery")
    fields.setdefault("variant", "rack")
    return fields


def recoveries() -> list[str]:
    """Return the variants that stand for a loss recovery alone."""
    known = catalogue().variants
    return [name for name, variant in known.items() if variant.recovery == name]


def _named(law: Any) -> dict[str, Any]:
    from ackclock.laws.compiling import is_compiled, plain  # noqa: PLC0415
    from ackclock.laws.finding import use  # noqa: PLC0415

    try:
        law = law() if isinstance(law, type) else law
        told = use(plain(type(law)))
    except ScenarioError as error:
        name = law.__name__ if isinstance(law, type) else type(law).__name__
        raise raised([wrong(("law",), name, f"must be a complete law: {error.headline}")]) from None
    compiled = {"compiled": True} if is_compiled(type(law)) else {}
    return {"law": told.law, "law_sha256": told.sha256, **compiled, **law.parameters}


def _digest(law: str) -> str | None:
    """Return the digest of a law that a scenario names without it; None if there is no such law."""
    from ackclock.laws.finding import UnknownLawError, find  # noqa: PLC0415
    from ackclock.laws.source import source  # noqa: PLC0415

    try:
        return source(find(str(law_name().check(law)))).sha256
    except (UnknownLawError, ScenarioError, ValueError):
        return None  # `law_problems` reports it


def of_law(data: Mapping[str, Any]) -> Mapping[str, Parameter] | None:
    """Return the parameters of the law of a transport; None if its class is not there."""
    from ackclock.laws.finding import UnknownLawError, find  # noqa: PLC0415
    from ackclock.laws.law import declared  # noqa: PLC0415

    law, sha256 = data.get("law"), data.get("law_sha256")
    if not isinstance(law, str) or not isinstance(sha256, str):
        return None
    try:
        return declared(find(str(law_name().check(law)), sha256))
    except (UnknownLawError, ScenarioError, ValueError):
        return None


def law_problems(data: Mapping[str, Any]) -> list[InitErrorDetails]:
    """Check the fields that name a law. A law with a digest may be lost: the scenario can be read, but not run."""
    law = data.get("law")
    if law is None:
        needless = [name for name in ("law_sha256", "compiled") if data.get(name) is not None]
        return [wrong((name,), data[name], "must be absent without law") for name in needless]
    from ackclock.laws.finding import find  # noqa: PLC0415  # few scenarios have such laws

    problems = []
    if "recovery" in data:
        known = recoveries()
        allowed = "must be absent if variant is given" if data["recovery"] in known else one_of(data["recovery"], known)
        problems.append(wrong(("recovery",), data["recovery"], allowed))
    if isinstance(law, str) and data.get("law_sha256") is None:
        try:
            find(str(law_name().check(law)))
        except ScenarioError as error:
            problems.append(wrong(("law",), law, f"must be a complete law: {error.headline}"))
        except ValueError as error:
            problems.append(wrong(("law",), law, str(error)))
    return problems


def for_engine(law: str, sha256: str | None, number: int) -> dict[str, Any]:
    """Convert a law to the engine's form. A law that is not there has no needs; its run is refused elsewhere."""
    from ackclock.laws.finding import UnknownLawError, find  # noqa: PLC0415
    from ackclock.laws.running import needs  # noqa: PLC0415

    name = law.rpartition(":")[2]
    try:
        wanted = needs(find(law, sha256))
    except (UnknownLawError, ScenarioError):
        wanted = {}
    return {"kind": "foreign", "name": name, "number": number, "needs": wanted}
