"""Measures as attributes: the numbers of a run, and for several runs their means with intervals.

``measured.pyi``, which ``make signatures`` writes, declares each attribute for type checkers and editors.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from ackclock.running.estimate import Estimate
from ackclock.running.summary import GROUP_MEASURES, LINK_MEASURES, MEASURES
from ackclock.values.errors import no_attribute


class Measured:
    """An object with an attribute for each of some measures."""

    _measures: ClassVar[Sequence[str]]

    def _measure(self, name: str) -> object:
        raise NotImplementedError

    def __getattr__(self, name: str) -> object:
        if name not in self._measures:
            own = (each for each in dir(type(self)) if not each.startswith("_"))
            raise no_attribute(self, name, [*self._measures, *own, *vars(self)])
        return self._measure(name)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._measures]


class RunNumbers(Measured):
    """The numbers of a ``Summary``."""

    _measures = MEASURES


class _Estimates(Measured):
    """The numbers of several summaries: each one is an ``Estimate``."""

    def _each(self) -> Iterable[object]:
        raise NotImplementedError

    def _measure(self, name: str) -> Estimate:
        return Estimate.of((getattr(summary, name) for summary in self._each()), measure=name)


class RunEstimates(_Estimates):
    """An ``Estimate`` for each number of a ``Summary``."""

    _measures = MEASURES


class GroupEstimates(_Estimates):
    """An ``Estimate`` for each number of a ``GroupSummary``."""

    _measures = GROUP_MEASURES


class LinkEstimates(_Estimates):
    """An ``Estimate`` for each number of a ``LinkSummary``."""

    _measures = LINK_MEASURES
