"""Parses option values. Errors name the option, its value and the allowed values."""

from collections.abc import Callable
from typing import TypeVar

from ackclock.values.errors import refuse
from ackclock.values.kinds import Kind

T = TypeVar("T")


def integer(name: str, text: str, allowed: str) -> int:
    """Parse an integer; the caller checks its range.

    Raises
    ------
    ScenarioError
        The text is not an integer.
    """
    try:
        return int(text)
    except ValueError:
        raise refuse(name, text, allowed) from None


def option(name: str, text: str, kind: Kind, read: Callable[[str], T]) -> T:
    """Parse and validate an option value.

    Parameters
    ----------
    name
        Name of the option.
    text
        Value of the option.
    kind
        The allowed values.
    read
        Converts the text to the type that `kind` checks; raises ``ValueError`` for an invalid text.

    Raises
    ------
    ScenarioError
        The value is not allowed.

    Examples
    --------
    >>> from ackclock.values.kinds import whole
    >>> option("--clients", "sixty", whole(1, 100), int)
    Traceback (most recent call last):
    ackclock.values.errors.ScenarioError: --clients: 'sixty' is not allowed; must be an integer from 1 to 100
    """
    try:
        value = read(text)
    except ValueError:
        raise refuse(name, text, kind.allowed) from None
    return kind.require(name, value)
