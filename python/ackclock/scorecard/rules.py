"""Rules of an experiment: a limit for a law's own number, or for its distance from the yardstick's.

The *yardstick* is the law that the evaluated one is compared with, in its place, in the same network and with the same
seeds. A rule passes if the whole 95 % confidence interval is within the limit, fails if the whole interval is beyond
it, and is undecided otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ackclock.scorecard.measures import Measure

__all__ = ["Beside", "Limit", "Rule", "Value", "Verdict", "combined"]

Worse = Literal["higher", "lower"]
"""Which numbers of a measure are worse."""
_BOUND: Final[dict[Worse, str]] = {"higher": "at most", "lower": "at least"}
_SIGN: Final[dict[Worse, int]] = {"higher": 1, "lower": -1}

Value = float | None
"""A number of a run; None if the run has none, such as the completion time where no transfer ended."""


class Verdict(StrEnum):
    """What the runs say of a rule."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    UNDECIDED = "undecided"


def combined(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict of several rules together: one that fails decides, then one that is undecided.

    Examples
    --------
    >>> str(combined([Verdict.PASS, Verdict.UNDECIDED])), str(combined([Verdict.UNDECIDED, Verdict.FAIL]))
    ('undecided', 'fail')
    """
    found = set(verdicts)
    return next((each for each in (Verdict.FAIL, Verdict.UNDECIDED) if each in found), Verdict.PASS)


class Rule(Protocol):
    """A question about one measure, with an answer by its values."""

    @property
    def measure(self) -> Measure:
        """The measure."""

    def words(self, against: str) -> str:
        """Return the rule in words; `against` is the name of the yardstick."""

    def judge(self, values: Sequence[Value], yardstick: Sequence[Value]) -> Verdict:
        """Judge the values of the law, with those of the yardstick for the same seeds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Limit:
    """A limit for the law's own number.

    Parameters
    ----------
    measure
        The measure.
    worse
        Which numbers are worse: those above the limit or those below it.
    than
        The limit, in the measure's unit.

    Examples
    --------
    >>> from ackclock.scorecard.measures import UTILIZATION
    >>> rule = Limit(measure=UTILIZATION, worse="lower", than=90)
    >>> rule.words("cubic")
    'utilization at least 90 %'
    >>> [str(rule.judge(values, ())) for values in ([97, 98, 97], [80, 81, 80], [85, 90, 96])]
    ['pass', 'fail', 'undecided']
    """

    measure: Measure
    worse: Worse
    than: float

    def words(self, against: str) -> str:  # noqa: ARG002 - as for every rule
        """Return the rule in words."""
        return f"{self.measure.name} {_BOUND[self.worse]} {self.than:g} {self.measure.unit}".strip()

    def judge(self, values: Sequence[Value], yardstick: Sequence[Value]) -> Verdict:  # noqa: ARG002
        """Judge the law's values."""
        known = [_SIGN[self.worse] * (value - self.than) for value in values if value is not None]
        return _verdict(known) if len(known) == len(values) else Verdict.UNDECIDED


@dataclass(frozen=True, kw_only=True, slots=True)
class Beside:
    """A limit for how much worse the law's number may be than the yardstick's, seed by seed.

    Parameters
    ----------
    measure
        The measure.
    worse
        Which numbers are worse.
    part
        Allowed distance as a part of the yardstick's number; a negative one asks for a number that is better by as
        much.
    by
        Allowed distance, in the measure's unit. It adds to `part`.

    Notes
    -----
    This is the harm of a law in place of the yardstick, with a bound by what the yardstick itself does there (Ware et
    al., "Beyond Jain's Fairness Index", HotNets 2019, section 4). A run of the law without a number fails where the
    yardstick's run has one: no transfer of its ended, for example.

    Examples
    --------
    >>> from ackclock.scorecard.measures import LOSS
    >>> rule = Beside(measure=LOSS, worse="higher", by=1.0)
    >>> rule.words("cubic")
    "loss at most cubic's + 1 percentage points"
    >>> [str(rule.judge(values, [0.1, 0.2, 0.1])) for values in ([0.9, 1.0, 0.9], [4, 5, 4], [0.2, 1.1, 2.2])]
    ['pass', 'fail', 'undecided']
    """

    measure: Measure
    worse: Worse
    part: float = 0.0
    by: float = 0.0

    def words(self, against: str) -> str:
        """Return the rule in words."""
        unit = {"": "", "%": " percentage points"}.get(self.measure.unit, f" {self.measure.unit}")
        amounts = [(self.part, f"{abs(self.part):.0%}"), (self.by, f"{self.by:g}{unit}")]
        limits = [
            f"{'+' if (size > 0) == (self.worse == 'higher') else '-'} {words}" for size, words in amounts if size
        ]
        return " ".join([f"{self.measure.name} {_BOUND[self.worse]} {against}'s", *limits])

    def judge(self, values: Sequence[Value], yardstick: Sequence[Value]) -> Verdict:
        """Judge the law's values beside the yardstick's."""
        pairs = list(zip(values, yardstick, strict=True))
        if any(value is None and other is not None for value, other in pairs):
            return Verdict.FAIL
        sign = _SIGN[self.worse]
        known = [
            sign * (value - other) - self.part * abs(other) - self.by
            for value, other in pairs
            if value is not None and other is not None
        ]
        return _verdict(known) if len(known) == len(pairs) else Verdict.UNDECIDED


def _verdict(excess: Sequence[float]) -> Verdict:
    """Judge by the distance beyond the limit in each run: the whole interval decides."""
    from ackclock.analysis import student_interval  # noqa: PLC0415  # it loads NumPy

    interval = student_interval(excess)
    if interval.high <= 0:
        return Verdict.PASS
    return Verdict.FAIL if interval.low > 0 else Verdict.UNDECIDED
