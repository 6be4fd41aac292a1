"""Reading what options hold, so that what is wrong is told in our words."""

from collections.abc import Callable
from typing import TypeVar

from ackclock.scenario.errors import refuse
from ackclock.scenario.kinds import Kind

T = TypeVar("T")


def integer(name: str, text: str, allowed: str) -> int:
    """Read an integer; whether it is in range is for its user to say.

    Raises
    ------
    ScenarioError
        The text is none.
    """
    try:
        return int(text)
    except ValueError:
        raise refuse(name, text, allowed) from None


def option(name: str, text: str, kind: Kind, read: Callable[[str], T]) -> T:
    """Read an option that must be of a kind.

    Parameters
    ----------
    name
        The option.
    text
        What it holds.
    kind
        What it may hold.
    read
        Turns the text into what the kind checks; a ``ValueError`` says that it cannot.

    Raises
    ------
    ScenarioError
        The text is not of that kind.

    Examples
    --------
    >>> from ackclock.scenario.kinds import whole
    >>> option("--clients", "sixty", whole(1, 100), int)
    Traceback (most recent call last):
    ackclock.scenario.errors.ScenarioError: --clients: 'sixty' is not allowed; must be an integer from 1 to 100
    """
    try:
        value = read(text)
    except ValueError:
        raise refuse(name, text, kind.allowed) from None
    return kind.require(name, value)
