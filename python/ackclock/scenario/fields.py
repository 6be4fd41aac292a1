"""The kinds of value that a field can have: each checks, says what it allows, and describes itself in JSON Schema.

A kind stands in a field's annotation, ``count: Annotated[int, Whole(1, 10)]``. Quantities stay texts (``"25 ms"``), rewritten in
one canonical unit so that equal scenarios compare equal; :mod:`ackclock.quantity` turns them into numbers.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from ackclock import quantity
from ackclock.catalogue import catalogue
from ackclock.errors import near, one_of
from ackclock.quantity import Quantity, QuantityError

MOST_FLOWS: Final = 1_000_000
MOST_BINS: Final = 10_000_000
HEADER_BYTES: Final = 40
"""What TCP and IP headers take of a packet on the wire; also the size of an ACK."""


class Kind(ABC):
    """A kind of value."""

    @property
    @abstractmethod
    def allowed(self) -> str:
        """What a message says is allowed: the end of a sentence."""

    @abstractmethod
    def check(self, value: object) -> Any:
        """Return the value, canonical, or raise ``ValueError`` saying what is allowed."""

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """The kind in JSON Schema."""

    def refuse(self) -> ValueError:
        """Make the error for a value that is not of this kind."""
        return ValueError(self.allowed)

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        def validate(value: object) -> Any:
            try:
                return self.check(value)
            except ValueError as error:
                raise PydanticCustomError("ackclock", "{allowed}", {"allowed": str(error), "rank": 1}) from None

        return core_schema.no_info_plain_validator_function(validate)

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return self.schema()


@dataclass(frozen=True)
class Whole(Kind):
    """An integer from ``low`` to ``high``; ``true`` is not one."""

    low: int
    high: int

    @property
    def allowed(self) -> str:
        return f"must be an integer from {self.low} to {self.high}"

    def check(self, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            raise self.refuse()
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Number(Kind):
    """A real number from ``low`` to ``high``."""

    low: float
    high: float

    @property
    def allowed(self) -> str:
        return f"must be a number from {self.low:g} to {self.high:g}"

    def check(self, value: object) -> float:
        right = isinstance(value, int | float) and not isinstance(value, bool)
        if not right or not self.low <= value <= self.high:  # nan fails every comparison
            raise self.refuse()
        return float(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Switch(Kind):
    """``true`` or ``false``; 0 and 1 are neither."""

    @property
    def allowed(self) -> str:
        return "must be true or false"

    def check(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise self.refuse()
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Word(Kind):
    """One of a few words; ``words`` is called when it is needed, since the engine knows some of them."""

    words: Callable[[], Iterable[str]]

    @property
    def allowed(self) -> str:
        return one_of(None, self.words())

    def check(self, value: object) -> str:
        if not isinstance(value, str) or value not in self.words():
            raise ValueError(one_of(value, self.words()))
        return value

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.words())}


@dataclass(frozen=True)
class Measured(Kind):
    """A time, a rate or a size, from ``low`` to ``high``, both as texts."""

    quantity: Quantity
    low: str
    high: str

    @property
    def allowed(self) -> str:
        return f"must be {self.quantity.allowed}, from {self.low} to {self.high}"

    def check(self, value: object) -> str:
        if not isinstance(value, str):
            raise self.refuse()
        try:
            base = self.quantity.parse(value)
        except QuantityError as error:
            unit = value.strip(" 0123456789.eE+-")
            raise ValueError(f"{near(unit, self.quantity.units) if unit else ''}{error}") from None
        if not self.quantity.parse(self.low) <= base <= self.quantity.parse(self.high):
            raise ValueError(f"must be from {self.low} to {self.high}")
        return self.quantity.format(base)

    def schema(self) -> dict[str, Any]:
        units = "|".join(self.quantity.units)
        return {"type": "string", "pattern": rf"^\s*[0-9.]+([eE][+-]?[0-9]+)?\s*({units})\s*$", "examples": [self.low]}


@dataclass(frozen=True)
class Phase(Kind):
    """The word ``random``, or a time."""

    time: Measured

    @property
    def allowed(self) -> str:
        return f"must be 'random' or a time, such as '{self.time.quantity.example}'"

    def check(self, value: object) -> str:
        if value == "random":
            return "random"
        try:
            return self.time.check(value)
        except ValueError:
            raise self.refuse() from None

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"const": "random"}, self.time.schema()]}


@dataclass(frozen=True)
class Name(Kind):
    """A name that can stand in a record request, where ``@``, ``/`` and ``,`` have a meaning."""

    starts_with_letter: bool = False

    @property
    def allowed(self) -> str:
        start = ", beginning with a letter" if self.starts_with_letter else ""
        return f"must be a name of 1 to 64 letters, digits and _ . - >{start}"

    @property
    def _pattern(self) -> str:
        return r"[^\W\d][\w.>-]{0,63}" if self.starts_with_letter else r"[\w.>-]{1,64}"

    def check(self, value: object) -> str:
        if not isinstance(value, str) or not re.fullmatch(self._pattern, value):
            raise self.refuse()
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{self._pattern}$"}


# Times add up inside the engine, whose clock ends after 213 days: what a run can wait for stays well below its length.
Span = Measured(quantity.TIME, "0 s", "1000000 s")
Duration = Annotated[str, Measured(quantity.TIME, "1 ps", "17280000 s")]
Instant = Annotated[str, Measured(quantity.TIME, "0 s", "17280000 s")]
Interval = Annotated[str, Measured(quantity.TIME, "1 ps", "17280000 s")]
Delay = Annotated[str, Measured(quantity.TIME, "0 s", "3600 s")]
Wait = Annotated[str, Span]
Timer = Annotated[str, Measured(quantity.TIME, "1 us", "1000000 s")]
ClockPhase = Annotated[str, Phase(Span)]
Rate = Annotated[str, Measured(quantity.RATE, "1 bps", "1000 Gbps")]
Size = Annotated[str, Measured(quantity.SIZE, "1 B", "1000000 GB")]
Count = Annotated[int, Whole(1, MOST_FLOWS)]
PacketSize = Annotated[int, Whole(1, 65535)]
Window = Annotated[int, Whole(1, 1_000_000_000)]
Capacity = Annotated[int, Whole(1, 10**15)]
PacketRate = Annotated[float, Number(1e-6, 1e9)]
Flag = Annotated[bool, Switch()]
GroupName = Annotated[str, Name(starts_with_letter=True)]
PlainName = Annotated[str, Name()]




def variants() -> Iterable[str]:
    """The senders that the engine has."""
    return catalogue().variants


def queues() -> Iterable[str]:
    """The queue disciplines that the engine has."""
    return catalogue().queues
