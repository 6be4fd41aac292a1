"""Rates, times and sizes as texts with units: ``"10 Mbps"``, ``"25 ms"``, ``"1 MB"``.

Each text is converted exactly (as a fraction, never through binary floating point) to an integer: times to picoseconds,
rates to bits per second, sizes to bytes. Numbers without a unit are rejected, since ``delay = 25`` is ambiguous.
"""

import functools
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

PICOSECONDS_PER_SECOND: Final = 10**12

_WRITTEN = re.compile(r"([+-]?)([0-9]+(?:\.[0-9]*)?|\.[0-9]+)((?:[eE][+-]?[0-9]{1,3})?)\s*([A-Za-z/]*)", re.ASCII)
_LONGEST = 64


class QuantityError(ValueError):
    """A text that is not a quantity of the expected kind. The message says what is allowed."""


class NegativeError(QuantityError):
    """A negative quantity."""


@dataclass(frozen=True, eq=False)
class Quantity:
    """One kind of quantity, with its units as multiples of the base unit.

    Parameters
    ----------
    noun
        Name of the quantity in messages.
    example
        A valid text.
    units
        The units by name, as multiples of the base unit, smallest first. The first is the base unit itself.
    spoken
        The units from which `format` chooses, smallest first.
    plain
        The unit in which zero is written.
    also
        Other names of the units, for suggestions in messages.
    accepted
        Further units, as multiples of the base unit. They are read, but never written.
    """

    noun: str
    example: str
    units: dict[str, int]
    spoken: tuple[str, ...]
    plain: str
    also: dict[str, str]
    accepted: dict[str, int] = field(default_factory=dict)

    @property
    def known(self) -> dict[str, int]:
        """All units that are read."""
        return self.units | self.accepted

    @property
    def allowed(self) -> str:
        """What is allowed, for messages."""
        others = " ".join(unit for unit in self.accepted if unit.startswith(self.example.split()[1][0]))
        further = f"; also such as {others}" if others else ""
        return f"a {self.noun} with its unit ({' '.join(self.units)}{further}), such as '{self.example}'"

    def parse(self, text: str) -> int:
        """Convert a text to the base unit, exactly.

        Parameters
        ----------
        text
            A decimal number and a unit, with or without a space between them.

        Returns
        -------
        int
            The value in the base unit.

        Raises
        ------
        QuantityError
            The text is not a number with a known unit, is negative, or is finer than the base unit.

        Examples
        --------
        >>> TIME.parse("1.5 ms")
        1500000000
        >>> RATE.parse("10 Mbps"), RATE.parse("10 Mb/s"), RATE.parse("1.25 MB/s")
        (10000000, 10000000, 10000000)
        >>> TIME.parse("25")
        Traceback (most recent call last):
        ackclock.values.quantity.QuantityError: must be a time with its unit (ps ns us ms s min h), such as '25 ms'
        """
        return _read(self, text)

    def unknown_unit(self, text: str) -> str:
        """Return the unknown unit of a text with a valid number; an empty text if the unit is not the problem.

        Examples
        --------
        >>> RATE.unknown_unit("10 mbps"), RATE.unknown_unit("-10 mbps"), RATE.unknown_unit("1.0.0 Mbps")
        ('mbps', '', '')
        """
        written = _WRITTEN.fullmatch(text.strip()) if len(text) <= _LONGEST else None
        return written[4] if written is not None and written[1] != "-" and written[4] not in self.known else ""

    def format(self, value: int) -> str:
        """Format a value in the largest unit that keeps it an integer, so that equal values have equal texts.

        Examples
        --------
        >>> TIME.format(100_000_000_000), TIME.format(2_500_000_000), RATE.format(50_000_000)
        ('100 ms', '2500 us', '50 Mbps')
        """
        if value == 0:  # an integer in every unit
            return f"0 {self.plain}"
        unit = next(unit for unit in reversed(self.spoken) if value % self.units[unit] == 0)
        return f"{value // self.units[unit]} {unit}"


@functools.lru_cache(maxsize=4096)  # a study parses the same few texts for each of its points
def _read(quantity: Quantity, text: str) -> int:
    written = _WRITTEN.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if written is None or written[4] not in quantity.known:
        raise QuantityError(f"must be {quantity.allowed}")
    sign, digits, exponent, unit = written.groups()
    value = Fraction(digits + exponent) * quantity.known[unit]
    if sign == "-" and value:
        raise NegativeError(f"must be {quantity.allowed}, and not negative")
    if value.denominator != 1:
        raise QuantityError(f"must be a whole number of {quantity.spoken[0]}")
    return int(value)


TIME: Final = Quantity(
    noun="time",
    example="25 ms",
    units={
        "ps": 1,
        "ns": 10**3,
        "us": 10**6,
        "ms": 10**9,
        "s": 10**12,
        "min": 60 * 10**12,
        "h": 3600 * 10**12,
    },
    spoken=("ps", "ns", "us", "ms", "s"),
    plain="s",
    also={
        **{f"{part}sec{end}": f"{part}s" for part in ("n", "u", "m", "") for end in ("", "s", "ond", "onds")},
        **dict.fromkeys(("mins", "minute", "minutes"), "min"),
        **dict.fromkeys(("hr", "hrs", "hour", "hours"), "h"),
    },
)
RATE: Final = Quantity(
    noun="rate",
    example="10 Mbps",
    units={"bps": 1, "kbps": 10**3, "Mbps": 10**6, "Gbps": 10**9},
    spoken=("bps", "kbps", "Mbps", "Gbps"),
    plain="bps",
    also={f"{part}{unit}": f"{part}bps" for part in ("", "k", "M", "G") for unit in ("b", "bit", "bits", "bits/s")}
    | {part: f"{part}bps" for part in ("k", "M", "G")},
    accepted={
        f"{prefix}{unit}": times * bits
        for unit, bits in (("b/s", 1), ("bit/s", 1), ("B/s", 8))
        for prefix, times in (("", 1), ("k", 10**3), ("M", 10**6), ("G", 10**9))
    },
)
SIZE: Final = Quantity(
    noun="size",
    example="1 MB",
    units={"B": 1, "kB": 10**3, "KiB": 2**10, "MB": 10**6, "MiB": 2**20, "GB": 10**9},
    spoken=("B", "kB", "MB", "GB"),
    plain="B",
    also={"byte": "B", "bytes": "B", "k": "kB", "M": "MB", "G": "GB"},
)


def seconds(text: str) -> float:
    """Convert a time to seconds, for arithmetic that need not be exact.

    Examples
    --------
    >>> seconds("25 ms")
    0.025
    """
    return TIME.parse(text) / PICOSECONDS_PER_SECOND
