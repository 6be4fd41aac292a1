"""Kinds of values. A kind checks values, and has a text for error messages and a JSON Schema.

A kind annotates a field of a scenario, ``count: Annotated[int, whole(1, 10)]``, or a parameter that the engine
declares. Quantities remain texts (``"25 ms"``), rewritten in a canonical unit so that equal scenarios compare equal;
`ackclock.values.quantity` converts them to numbers.
"""

import itertools
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from ackclock.values.errors import near, not_allowed, one_of, refuse, shown
from ackclock.values.quantity import SIZE, TIME, NegativeError, Quantity, QuantityError

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of value, such as integers from 1 to 10."""

    allowed: str
    """What is allowed, as the end of a sentence in error messages."""
    check: Callable[[object], object]
    """Returns the value in canonical form, or raises ``ValueError`` with what is allowed."""
    schema: Mapping[str, Any]
    """The JSON Schema of the kind. Words that begin with ``x-`` are extensions, for the page of the lab."""
    noun: str = ""
    """Category of the names that are allowed, such as ``variant``, for messages about unknown names."""

    def require(self, field: str, given: T) -> T:
        """Return the value, or raise an error that names its field.

        Raises
        ------
        ScenarioError
            The value is not of this kind.

        Examples
        --------
        >>> whole(1, 10).require("seeds", 11)
        Traceback (most recent call last):
        ackclock.values.errors.ScenarioError: seeds: 11 is not allowed; must be an integer from 1 to 10
        """
        try:
            self.check(given)
        except ValueError as error:
            raise refuse(field, given, str(error), noun=self.noun) from None
        return given

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        def validate(value: object) -> object:
            try:
                return self.check(value)
            except ValueError as error:
                raise not_allowed(str(error), noun=self.noun) from None

        return core_schema.no_info_plain_validator_function(validate)

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**self.schema, "x-allowed": self.allowed}


def whole(low: int, high: int) -> Kind:
    """Allow integers from ``low`` to ``high``; ``true`` is not an integer.

    Examples
    --------
    >>> whole(1, 10).allowed
    'must be an integer from 1 to 10'
    """
    allowed = f"must be an integer from {low} to {high}"

    def check(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(allowed)
        return value

    return Kind(allowed, check, {"type": "integer", "minimum": low, "maximum": high})


def number(*, low: float | None = None, high: float | None = None, above: float | None = None) -> Kind:
    """Allow finite real numbers within bounds.

    Parameters
    ----------
    low, high
        The least and the greatest number.
    above
        Numbers must be greater than this.

    Examples
    --------
    >>> number(above=0, high=1).allowed
    'must be a number above 0 up to 1'
    """
    bounds = [f"above {above:g}"] if above is not None else []
    bounds += [f"from {low:g}"] if low is not None else []
    bounds += [f"to {high:g}" if low is not None else f"up to {high:g}"] if high is not None else []
    allowed = " ".join(["must be a number", *bounds])

    def check(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(allowed)  # noqa: TRY004  # reported as a wrong value, not as a wrong type
        # NaN fails every comparison. Infinity and integers beyond the range of floats fail the first one.
        right = (
            abs(value) < 1e308
            and (low is None or value >= low)
            and (high is None or value <= high)
            and (above is None or value > above)
        )
        if not right:
            raise ValueError(allowed)
        return float(value)

    limits = {"minimum": low, "maximum": high, "exclusiveMinimum": above}
    return Kind(
        allowed, check, {"type": "number", **{word: limit for word, limit in limits.items() if limit is not None}}
    )


def places(high: int, *, most: int) -> Kind:
    """Allow arrays of different integers from 1 to ``high`` in any order; the canonical form is sorted.

    Examples
    --------
    >>> places(100, most=10).check([40, 24])
    (24, 40)
    """
    allowed = f"must be an array of 1 to {most} different integers from 1 to {high}"
    one = whole(1, high)

    def check(value: object) -> tuple[int, ...]:
        if not isinstance(value, list | tuple) or not 1 <= len(value) <= most:
            raise ValueError(allowed)
        try:
            numbers = {int(str(one.check(each))) for each in value}
        except ValueError:
            raise ValueError(allowed) from None
        if len(numbers) < len(value):
            raise ValueError(allowed)
        return tuple(sorted(numbers))

    items = {"type": "integer", "minimum": 1, "maximum": high}
    schema = {"type": "array", "items": items, "minItems": 1, "maxItems": most, "uniqueItems": True}
    return Kind(allowed, check, schema)


def _checked_pair(given: object, kinds: tuple[Kind, Kind], allowed: str, place: int) -> list[object]:
    """Check both values of a pair; an error gives the index of the pair in the array."""
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise ValueError(f"{allowed}: entry {place} is not a pair")
    both = []
    for kind, part in zip(kinds, given, strict=True):
        try:
            both.append(kind.check(part))
        except ValueError as error:
            raise ValueError(f"in the pair at {place}, {shown(part)} {error}") from None
    return both


def steps(time: Kind, value: Kind, *, most: int) -> Kind:
    """Allow arrays of pairs of a time and the value from that time on. Times start at 0 and increase.

    Parameters
    ----------
    time, value
        Kinds of the two values of a pair: `measured` for the time, and any kind.
    most
        Maximum number of pairs.

    Examples
    --------
    >>> from ackclock.values.quantity import RATE
    >>> rates = steps(measured(TIME, "0 s", "1 h"), measured(RATE, "0 bps", "1 Gbps"), most=10)
    >>> rates.check([["0 s", "1 Mbps"], ["500 ms", "0 bps"]])
    (('0 s', '1 Mbps'), ('500 ms', '0 bps'))
    """
    allowed = (
        f"must be an array of 1 to {most} pairs of a time and the value from this time on, with 0 s as the first time"
    )

    def pair(given: object, before: int | None, place: int) -> tuple[str, object]:
        both = _checked_pair(given, (time, value), allowed, place)
        at = TIME.parse(str(both[0]))
        if (at != 0) if before is None else (at <= before):
            rule = "must be 0 s" if before is None else "must be later than the time in the pair before"
            raise ValueError(f"in the pair at {place}, {shown(both[0])} {rule}")
        return str(both[0]), both[1]

    def check(given: object) -> tuple[tuple[str, object], ...]:
        if not isinstance(given, list | tuple) or not 1 <= len(given) <= most:
            raise ValueError(allowed)
        pairs: list[tuple[str, object]] = []
        for place, each in enumerate(given):
            pairs.append(pair(each, TIME.parse(pairs[-1][0]) if pairs else None, place))
        return tuple(pairs)

    item = {"type": "array", "prefixItems": [dict(time.schema), dict(value.schema)], "minItems": 2, "maxItems": 2}
    return Kind(allowed, check, {"type": "array", "items": item, "minItems": 1, "maxItems": most})


def periods(time: Kind, *, most: int) -> Kind:
    """Allow arrays of periods: pairs of a beginning and a later end, in order and without overlap.

    Parameters
    ----------
    time
        Kind of the times: `measured`.
    most
        Maximum number of periods.

    Examples
    --------
    >>> kind = periods(measured(TIME, "0 s", "1 h"), most=10)
    >>> kind.check([["0 s", "20 s"], ["40000 ms", "60 s"]])
    (('0 s', '20 s'), ('40 s', '60 s'))
    >>> kind.check([["0 s", "20 s"], ["10 s", "60 s"]])
    Traceback (most recent call last):
    ValueError: in the pair at 1, '10 s' must not be before the end of the period before, at 20 s
    """
    allowed = f"must be an array of 1 to {most} pairs of a beginning and an end"

    def check(given: object) -> tuple[tuple[str, str], ...]:
        if not isinstance(given, list | tuple) or not 1 <= len(given) <= most:
            raise ValueError(allowed)
        pairs: list[tuple[str, str]] = []
        for place, each in enumerate(given):
            begin, end = (str(time) for time in _checked_pair(each, (time, time), allowed, place))
            if pairs and TIME.parse(begin) < TIME.parse(pairs[-1][1]):
                rule = f"must not be before the end of the period before, at {pairs[-1][1]}"
                raise ValueError(f"in the pair at {place}, {shown(begin)} {rule}")
            if TIME.parse(end) <= TIME.parse(begin):
                raise ValueError(f"in the pair at {place}, {shown(end)} must be later than the beginning, {begin}")
            pairs.append((begin, end))
        return tuple(pairs)

    item = {"type": "array", "prefixItems": [dict(time.schema)] * 2, "minItems": 2, "maxItems": 2}
    return Kind(allowed, check, {"type": "array", "items": item, "minItems": 1, "maxItems": most})


def rising(value: Kind, quantity: Quantity, *, most: int) -> Kind:
    """Allow arrays of rising quantities.

    Examples
    --------
    >>> from ackclock.values.quantity import RATE
    >>> kind = rising(measured(RATE, "1 kbps", "1 Gbps"), RATE, most=10)
    >>> kind.check(["500 kbps", "0.001 Gbps"])
    ('500 kbps', '1 Mbps')
    >>> kind.check(["2 Mbps", "1 Mbps"])
    Traceback (most recent call last):
    ValueError: must rise: '1 Mbps' is not above '2 Mbps'
    """
    allowed = f"must be an array of 1 to {most} rising values, each {quantity.allowed}"

    def check(given: object) -> tuple[str, ...]:
        if not isinstance(given, list | tuple) or not 1 <= len(given) <= most:
            raise ValueError(allowed)
        values: list[str] = []
        for place, each in enumerate(given):
            try:
                values.append(str(value.check(each)))
            except ValueError as error:
                raise ValueError(f"in the value at {place}, {shown(each)} {error}") from None
        for low, high in itertools.pairwise(values):
            if quantity.parse(high) <= quantity.parse(low):
                raise ValueError(f"must rise: {shown(high)} is not above {shown(low)}")
        return tuple(values)

    return Kind(allowed, check, {"type": "array", "items": dict(value.schema), "minItems": 1, "maxItems": most})


def points(value: Kind, quantity: Quantity, *, most: int) -> Kind:
    """Allow arrays of points of a distribution function: pairs of a value and the share of all values up to it.

    Parameters
    ----------
    value
        Kind of a value: `measured` in the quantity.
    quantity
        The quantity of the values, which must not decrease.
    most
        Maximum number of pairs.

    Examples
    --------
    >>> from ackclock.values.quantity import SIZE
    >>> sizes = points(measured(SIZE, "1 B", "1 GB"), SIZE, most=10)
    >>> sizes.check([["1 kB", 0.5], ["5000 B", 1]])
    (('1 kB', 0.5), ('5 kB', 1.0))
    """
    allowed = (
        f"must be an array of 1 to {most} pairs of a value and the share of values up to it, with 1 as the last share"
    )
    share = number(low=0, high=1)

    def pair(given: object, before: tuple[str, float] | None, place: int) -> tuple[str, float]:
        both = _checked_pair(given, (value, share), allowed, place)
        text, part = str(both[0]), float(str(both[1]))
        least, below = before or (text, -1.0)
        if quantity.parse(text) < quantity.parse(least):
            raise ValueError(f"in the pair at {place}, {shown(text)} must not be below the value in the pair before")
        if part <= below:
            raise ValueError(f"in the pair at {place}, {shown(part)} must be above the share in the pair before")
        return text, part

    def check(given: object) -> tuple[tuple[str, float], ...]:
        pairs: list[tuple[str, float]] = []
        if isinstance(given, list | tuple) and len(given) <= most:
            for place, each in enumerate(given):
                pairs.append(pair(each, pairs[-1] if pairs else None, place))
        if not pairs or pairs[-1][1] != 1:
            raise ValueError(allowed)
        return tuple(pairs)

    item = {"type": "array", "prefixItems": [dict(value.schema), dict(share.schema)], "minItems": 2, "maxItems": 2}
    return Kind(allowed, check, {"type": "array", "items": item, "minItems": 1, "maxItems": most})


def flag() -> Kind:
    """Allow ``true`` and ``false``, but not 0 and 1."""
    allowed = "must be true or false"

    def check(value: object) -> bool:
        if not isinstance(value, bool):
            raise ValueError(allowed)  # noqa: TRY004  # reported as a wrong value, not as a wrong type
        return value

    return Kind(allowed, check, {"type": "boolean"})


def word(words: Iterable[str], *, noun: str = "") -> Kind:
    """Allow some words, such as the names of all queues.

    Examples
    --------
    >>> word(["droptail", "red"], noun="queue").require("kind", "fifo")
    Traceback (most recent call last):
    ackclock.values.errors.ScenarioError: kind: unknown queue 'fifo'; did you mean 'droptail'? must be one of ...
    """
    words = tuple(words)

    def check(value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise ValueError(one_of(value, words))
        return value

    return Kind(one_of(None, words), check, {"enum": list(words)}, noun)


def measured(quantity: Quantity, low: str, high: str) -> Kind:
    """Allow a time, a rate or a size, from ``low`` to ``high``.

    Examples
    --------
    >>> from ackclock.values.quantity import TIME
    >>> measured(TIME, "0 s", "1 h").check("0.1 s")
    '100 ms'
    """
    least, greatest = quantity.parse(low), quantity.parse(high)

    def check(value: object) -> str:
        if not isinstance(value, str):
            raise ValueError(f"must be {quantity.allowed}")  # noqa: TRY004  # reported as a wrong value, not as a wrong type
        try:
            base = quantity.parse(value)
        except NegativeError:
            bound = "above 0" if least else "0 or more"
            raise ValueError(f"must be {bound}: a {quantity.noun} from {low} to {high}") from None
        except QuantityError as error:
            raise ValueError(f"{near(quantity.unknown_unit(value), quantity.known, quantity.also)}{error}") from None
        if not least <= base <= greatest:
            raise ValueError(f"must be a {quantity.noun} from {low} to {high}")
        return quantity.format(base)

    pattern = rf"^\s*[0-9.]+([eE][+-]?[0-9]+)?\s*({'|'.join(quantity.known)})\s*$"
    schema = {"type": "string", "pattern": pattern, "examples": [quantity.example]}
    bounds = {"x-quantity": quantity.noun, "x-least": low, "x-most": high}
    return Kind(f"must be {quantity.allowed}", check, schema | bounds)


def octets(low: int, high: int) -> Kind:
    """Allow a number of bytes, as an integer or as a size with its unit. The canonical form is the integer.

    Examples
    --------
    >>> octets(1, 10**6).check("150 kB"), octets(1, 10**6).check(1500)
    (150000, 1500)
    """
    number = whole(low, high)
    allowed = f"{number.allowed}, or {SIZE.allowed}"

    def check(value: object) -> object:
        try:
            return number.check(SIZE.parse(value) if isinstance(value, str) else value)
        except QuantityError as error:
            unit = SIZE.unknown_unit(str(value))
            hint = near(unit, SIZE.known, SIZE.also) if unit else ""
            raise ValueError(f"{hint}{allowed}" if str(error).endswith(SIZE.allowed) else str(error)) from None
        except ValueError:
            raise ValueError(allowed) from None

    return Kind(allowed, check, {"anyOf": [dict(number.schema), dict(measured(SIZE, f"{low} B", f"{high} B").schema)]})


def word_or(words: Iterable[str], other: Kind) -> Kind:
    """Allow some words in addition to another kind."""
    words = tuple(words)
    allowed = f"{one_of(None, words)}, or {other.allowed.removeprefix('must be ')}"

    def check(value: object) -> object:
        if value in words:
            return value
        try:
            return other.check(value)
        except ValueError:
            raise ValueError(allowed) from None

    return Kind(allowed, check, {"anyOf": [{"enum": list(words)}, dict(other.schema)]})


def numbered(names: Mapping[str, int], other: Kind) -> Kind:
    """Allow names for some values of another kind. The canonical form is the value.

    Examples
    --------
    >>> numbered({"EF": 46}, whole(0, 63)).check("EF"), numbered({"EF": 46}, whole(0, 63)).check(46)
    (46, 46)
    """
    allowed = f"must be one of {', '.join(names)}, or {other.allowed.removeprefix('must be ')}"

    def check(value: object) -> object:
        try:
            return other.check(names.get(value, value) if isinstance(value, str) else value)
        except ValueError:
            raise ValueError((near(value, names) if isinstance(value, str) else "") + allowed) from None

    return Kind(allowed, check, {"anyOf": [dict(other.schema), {"enum": list(names)}]})


def either(*kinds: Kind) -> Kind:
    """Allow a value of any of several kinds, such as a time or a size.

    Examples
    --------
    >>> from ackclock.values.quantity import SIZE, TIME
    >>> amount = either(measured(TIME, "1 us", "1 h"), measured(SIZE, "1 B", "1 GB"))
    >>> amount.check("0.1 s"), amount.check("1000 B")
    ('100 ms', '1 kB')
    """
    allowed = ", or ".join([kinds[0].allowed, *(kind.allowed.removeprefix("must be ") for kind in kinds[1:])])

    def check(value: object) -> object:
        wrong = allowed
        for kind in kinds:
            try:
                return kind.check(value)
            except ValueError as error:
                # A kind with a specific message recognized the value, but found it out of bounds: this message is the
                # useful one.
                wrong = wrong if str(error).endswith(kind.allowed) else str(error)
        raise ValueError(wrong)

    return Kind(allowed, check, {"anyOf": [dict(kind.schema) for kind in kinds]})


def name(*, letter_first: bool = False) -> Kind:
    """Allow names without ``@``, ``/`` and ``,``, which have a meaning in record requests."""
    pattern = r"[^\W\d][\w.>-]{0,63}" if letter_first else r"[\w.>-]{1,64}"
    allowed = "must be a name of 1 to 64 letters, digits and _ . - >"
    allowed += ", beginning with a letter" if letter_first else ""

    def check(value: object) -> str:
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise ValueError(allowed)
        return value

    return Kind(allowed, check, {"type": "string", "pattern": f"^{pattern}$"})


def names(*, most: int, least: int = 1) -> Kind:
    """Allow arrays of different names.

    Examples
    --------
    >>> names(most=2).check(["hop1", "hop2"])
    ('hop1', 'hop2')
    """
    allowed = f"must be an array of {least} to {most} different names"
    one = name()

    def check(value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not least <= len(value) <= most:
            raise ValueError(allowed)
        checked = tuple(str(one.check(each)) for each in value)
        if len(set(checked)) < len(checked):
            raise ValueError(allowed)
        return checked

    schema = {"type": "array", "items": dict(one.schema), "minItems": least, "maxItems": most, "uniqueItems": True}
    return Kind(allowed, check, schema)


def file_path() -> Kind:
    """Allow paths of files. A relative path is resolved against the current directory and stored as an absolute path.

    Examples
    --------
    >>> file_path().check("/data/./trace.csv")
    '/data/trace.csv'
    """
    allowed = "must be the path of a file"

    def check(value: object) -> str:
        if not isinstance(value, str) or not value or "\0" in value:
            raise ValueError(allowed)
        return os.path.abspath(value)  # noqa: PTH100  # resolve() would access the file system

    return Kind(allowed, check, {"type": "string", "minLength": 1})


def class_name(base: str) -> Kind:
    """Allow names of classes derived from a base: ``FILE.py:CLASS``, or a class alone. The path becomes absolute.

    Examples
    --------
    >>> class_name("Law").check("/laws/../mine.py:Gentle")
    '/mine.py:Gentle'
    """
    allowed = f"must be FILE.py:CLASS, the file and the name of a class derived from ackclock.{base}"
    pattern = r"(.+\.py:)?[^\W\d][\w.<>]*"

    def check(value: object) -> str:
        if not isinstance(value, str) or "\0" in value or not re.fullmatch(pattern, value):
            raise ValueError(allowed)
        file, colon, name = value.rpartition(":")
        return f"{os.path.abspath(file)}:{name}" if colon else name  # noqa: PTH100  # resolve() would access the file system

    return Kind(allowed, check, {"type": "string", "pattern": f"^{pattern}$"})


def digest() -> Kind:
    """Allow SHA-256 digests."""
    allowed = "must be a SHA-256 digest: 64 digits and letters from a to f"

    def check(value: object) -> str:
        if not isinstance(value, str) or not re.fullmatch("[0-9a-f]{64}", value):
            raise ValueError(allowed)
        return value

    return Kind(allowed, check, {"type": "string", "pattern": "^[0-9a-f]{64}$"})
