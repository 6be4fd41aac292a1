"""Numbers of a run by a function of the user's own, in a sweep."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from ackclock.running.summary import MEASURES
from ackclock.values.errors import ScenarioError, refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.running.run import Run

__all__ = ["Taking"]

_OWN: Final = {"run_id", "scenario_id", "seed", "revision", "schema", "cpu_seconds", "warmup", *MEASURES}
"""Columns of the table of runs that a function's numbers cannot have."""


@dataclass(frozen=True, slots=True)
class Taking:
    """A function that takes numbers from a run, and the digest of its source.

    The digest is part of the ids of runs, as a law's is: a changed function is another one, so that a sweep makes its
    runs again.
    """

    function: Callable[[Run], Mapping[str, Any]]
    sha256: str

    @classmethod
    def of(cls, function: object) -> Taking:
        """Read the source of a function.

        Raises
        ------
        ScenarioError
            It is no function, its text is not available, or it uses something that its text does not tell.

        """
        from ackclock.laws.source import text_of_function  # noqa: PLC0415  # few sweeps have such a function

        if not isinstance(function, FunctionType):
            raise refuse("take", function, "must be a function of a run that returns numbers by name")
        try:
            text = text_of_function(function)
        except ScenarioError as error:
            raise refuse("take", function.__qualname__, f"must have a known source: {error}") from None
        return cls(function, hashlib.sha256(text.encode()).hexdigest())

    @property
    def key(self) -> str:
        """What the id of a run says of the function."""
        return f"take={self.sha256}"

    def numbers(self, run: Run) -> dict[str, float | None]:
        """Take the numbers of a run.

        Raises
        ------
        ValueError
            The function does not return finite numbers by name.

        """
        taken = self.function(run)
        if not isinstance(taken, Mapping):
            raise ValueError(f"take returns {taken!r}; must be a dictionary of numbers by name")  # noqa: TRY004
        return {self._name(name): self._number(name, value) for name, value in taken.items()}

    @staticmethod
    def _name(name: object) -> str:
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"take returns the name {name!r}; must be a word such as peak_queue")
        if name in _OWN:
            raise ValueError(f"take returns the name {name!r}; must not be one of the columns that every run has")
        return name

    @staticmethod
    def _number(name: str, value: object) -> float | None:
        if value is None:
            return None
        try:
            number = float(value)  # type: ignore[arg-type]  # also a number of NumPy or Arrow
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise ValueError(f"take returns {name} = {value!r}; must be a finite number or None")
        return number
