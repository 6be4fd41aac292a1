"""The allowed values of a study's fields."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import BeforeValidator

from ackclock.running.run import SEED
from ackclock.study.sampling import Range, range_of
from ackclock.study.wanted import Scalar
from ackclock.values.errors import not_allowed
from ackclock.values.kinds import Kind, whole, word

MOST: Final = 1_000_000
"""Maximum number of values of a field, points of a sample and replications of a point."""
FIRST_BLOCK: Final = 5
"""Number of replications before the number of further replications is estimated."""

_QUOTED: Final = 'a path is quoted, as in "clients.0.count" = '


def _scalar() -> Kind:
    allowed = f"must be a text, a number, true or false; {_QUOTED}40"

    def check(value: object) -> Scalar:
        if not isinstance(value, bool | int | float | str) or (isinstance(value, float) and not math.isfinite(value)):
            raise ValueError(allowed)
        return value

    return Kind(allowed, check, {"type": ["string", "number", "boolean"]})


def _scalars() -> Kind:
    allowed = f"must be an array of different texts, numbers, true or false; {_QUOTED}[38, 44, 60]"
    one = _scalar()

    def check(values: object) -> tuple[object, ...]:
        if isinstance(values, str) or not isinstance(values, Sequence) or not 1 <= len(values) <= MOST:
            raise ValueError(allowed)
        try:
            checked = tuple(one.check(value) for value in values)
        except ValueError:
            raise ValueError(allowed) from None
        if len({(type(value), value) for value in checked}) < len(checked):
            raise ValueError(allowed)
        return checked

    return Kind(allowed, check, {"type": "array", "items": dict(one.schema), "minItems": 1, "uniqueItems": True})


def _range() -> Kind:
    allowed = "must be an array of two ends, the lower one first: integers, numbers, times, rates or sizes"

    def check(value: object) -> object:
        if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
            raise ValueError(allowed)
        try:
            return range_of(*value)
        except ValueError:
            raise ValueError(allowed) from None

    return Kind(allowed, check, {"type": "array", "minItems": 2, "maxItems": 2})


def _percentage() -> Kind:
    allowed = "must be a percentage above 0 up to 100, such as '5 %'"

    def check(value: object) -> str:
        written = re.fullmatch(r"\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*%\s*", value) if isinstance(value, str) else None
        if written is None or not 0 < float(written[1]) <= 100:
            raise ValueError(allowed)
        return f"{written[1]} %"

    return Kind(allowed, check, {"type": "string", "examples": ["5 %"]})


def _requests() -> Kind:
    allowed = "must be an array of records, such as ['arrivals', 'queue/10ms']"

    def check(value: object) -> tuple[str, ...]:
        if (
            isinstance(value, str)
            or not isinstance(value, Sequence)
            or not all(isinstance(each, str) for each in value)
        ):
            raise ValueError(allowed)
        return tuple(value)

    return Kind(allowed, check, {"type": "array", "items": {"type": "string"}})


def seeds() -> Kind:
    """Allow the number of seeds, or the seeds themselves."""
    allowed = "must be the number of seeds, at least 1, an array of different seeds, or { until, measure, most }"
    count = whole(1, MOST)

    def check(value: object) -> Sequence[int]:
        try:
            if isinstance(value, Sequence) and not isinstance(value, str) and 1 <= len(value) <= MOST:
                given = tuple(int(str(SEED.check(seed))) for seed in value)
                if len(set(given)) == len(given):
                    return given
            else:
                return range(1, int(str(count.check(value))) + 1)
        except ValueError:
            pass
        raise ValueError(allowed)

    return Kind(allowed, check, {"anyOf": [dict(count.schema), {"type": "array", "items": dict(SEED.schema)}]})


def _table(example: str, *, least: int = 1) -> BeforeValidator:
    def check(given: object) -> dict[Any, Any]:
        if not isinstance(given, Mapping) or len(given) < least:
            raise not_allowed(f"must be a table{' with an entry' if least else ''}, such as {example}")
        return dict(given)

    return BeforeValidator(check)


def _tables(given: object) -> tuple[object, ...]:
    if isinstance(given, Mapping | str) or not isinstance(given, Sequence) or not given:
        raise not_allowed("must be an array of tables, each under [[points]]")
    return tuple(given)


Value = Annotated[Scalar, _scalar()]
Grid = Annotated[dict[str, Annotated[tuple[Scalar, ...], _scalars()]], _table('"clients.0.count" = [38, 44, 60]')]
Listed = Annotated[tuple[Annotated[dict[str, Value], _table('"clients.0.count" = 38')], ...], BeforeValidator(_tables)]
Fields = Annotated[dict[str, Any], _table('"clients.0.transport.variant" = "vegas"', least=0)]
Variants = Annotated[dict[str, Fields], _table('variants.vegas = { "clients.0.transport.variant" = "vegas" }')]
Ranges = Annotated[dict[str, Annotated[Range, _range()]], _table('"clients.0.count" = [10, 60]')]
Percentage = Annotated[str, _percentage()]
Warmup = Annotated[str, word(["mser-5"])]
Requests = Annotated[tuple[str, ...], _requests()]
