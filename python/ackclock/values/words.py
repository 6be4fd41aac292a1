"""Words of sentences: numbers of things, lists and first letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["capital", "counted", "listed"]


def counted(number: int, noun: str) -> str:
    """Write a number of things.

    >>> counted(1, "run"), counted(1200, "packet")
    ('1 run', '1,200 packets')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(parts: Sequence[str]) -> str:
    """Join parts with commas and "and".

    >>> listed(["Reno"]), listed(["Reno", "Vegas", "CUBIC"])
    ('Reno', 'Reno, Vegas and CUBIC')
    """
    return "".join(parts) if len(parts) < 2 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def capital(text: str) -> str:
    """Capitalize the first letter.

    >>> capital("loss of CUBIC")
    'Loss of CUBIC'
    """
    return text[:1].upper() + text[1:]
