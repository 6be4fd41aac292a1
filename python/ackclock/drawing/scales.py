"""Computes the axes of charts on a screen: ends, positions of values, and ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ackclock.drawing.chart import Axis

__all__ = ["Span", "span", "ticks"]

_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
_WITHIN_DECADES: Final = (1, 2, 5)
_FEW_DECADES: Final = 2
"""Number of decades up to which a logarithmic axis also has ticks at 2 and 5."""
_MARGIN: Final = 0.04
"""Margin at an end that is chosen from the data, as a share of the range."""
_PLAIN: Final = (-4, 5)
"""Range of powers of ten whose labels are plain numbers."""
_SUPERSCRIPT: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """The values between the ends of an axis.

    Parameters
    ----------
    low, high
        The ends; `low` is less than `high`, and above 0 on a logarithmic axis.
    log
        Whether the axis is logarithmic.

    """

    low: float
    high: float
    log: bool = False

    def share(self, values: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Convert values to positions on the axis: 0 at its low end, 1 at its high end.

        Values that a logarithmic axis cannot show get a position far below its low end.
        """
        numbers = np.asarray(values, dtype=np.float64)
        if not self.log:
            return (numbers - self.low) / (self.high - self.low)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.log(numbers / self.low) / math.log(self.high / self.low)
        return np.where(numbers <= 0, -1.0, shares)


def span(axis: Axis, values: Iterable[NDArray[np.float64]]) -> Span:
    """Choose the ends of an axis: its own ends, or the range of the values.

    Parameters
    ----------
    axis
        The axis.
    values
        All values along the axis. Non-finite values are ignored, as are values up to 0 on a logarithmic axis.

    """
    numbers = np.concatenate([np.empty(0), *(np.ravel(each) for each in values)])
    numbers = numbers[np.isfinite(numbers) & ((numbers > 0) | (not axis.log))]
    if not numbers.size:
        numbers = np.array([1.0, 10.0])
    low, high = float(numbers.min()), float(numbers.max())
    if axis.log:
        free = (high / low) ** _MARGIN if high > low else 2.0
        ends = (low / free, high * free)
    else:
        free = _MARGIN * (high - low) or 0.5 * (abs(high) or 1.0)
        ends = (low - free, high + free)
    low, high = (own if own is not None else found for own, found in zip((axis.low, axis.high), ends, strict=True))
    if not low < high:
        high = low * 10 if axis.log else low + 1
    return Span(low=low, high=high, log=axis.log)


def ticks(axis: Axis, ends: Span, *, most: int) -> Sequence[tuple[float, str]]:
    """Choose the ticks of an axis with their labels: its own ticks, or about `most` round numbers.

    >>> from ackclock.drawing.chart import Axis
    >>> ticks(Axis(), Span(low=0, high=1.1), most=4)
    [(0.0, '0'), (0.5, '0.5'), (1.0, '1.0')]
    >>> [words for _, words in ticks(Axis(), Span(low=0.15, high=7, log=True), most=5)]
    ['0.2', '0.5', '1', '2', '5']

    """
    if axis.ticks is not None:
        return [(at, words) for at, words in axis.ticks if -1e-9 <= float(ends.share(at)) <= 1 + 1e-9]
    return _logarithmic(ends, most) if ends.log else _linear(ends, most)


def _linear(ends: Span, most: int) -> list[tuple[float, str]]:
    rough = (ends.high - ends.low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in _STEPS if each * power >= rough * (1 - 1e-9))
    first, last = math.ceil(ends.low / step - 1e-9), math.floor(ends.high / step + 1e-9)
    decimals = next(count for count in range(20) if math.isclose(step, round(step, count)))
    return [(number * step, f"{number * step:,.{decimals}f}" if number else "0") for number in range(first, last + 1)]


def _logarithmic(ends: Span, most: int) -> list[tuple[float, str]]:
    lowest, highest = math.log10(ends.low), math.log10(ends.high)
    if highest - lowest < _MARGIN:
        return _linear(ends, most)
    digits = _WITHIN_DECADES if highest - lowest <= _FEW_DECADES else (1,)
    every = max(1, math.ceil((highest - lowest) / most))
    powers = range(math.floor(lowest), math.ceil(highest) + 1)
    marks = [(digit, power) for power in powers if power % every == 0 for digit in digits]
    return [
        (digit * 10.0**power, _power(digit, power))
        for digit, power in marks
        if lowest - 1e-9 <= math.log10(digit) + power <= highest + 1e-9
    ]


def _power(digit: int, power: int) -> str:
    if _PLAIN[0] <= power <= _PLAIN[1]:
        return f"{digit * 10.0**power:,.{max(0, -power)}f}"
    return (f"{digit} x 10" if digit > 1 else "10") + str(power).translate(_SUPERSCRIPT)
