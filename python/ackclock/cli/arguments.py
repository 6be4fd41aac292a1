"""Reading what options hold, so that what is wrong is told in our words."""

from ackclock.errors import refuse


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
