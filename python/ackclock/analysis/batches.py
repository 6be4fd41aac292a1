"""A confidence interval from one long run, computed from batch means instead of replications."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis.interval import Interval, student_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["BatchMeans", "batch_means"]

BATCHES: Final = 40
_PARTS: Final = 10
"""Number of parts of a batch. The correlation of neighbouring parts is tested."""

_MOST_CORRELATION: Final = 0.4


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchMeans:
    """The mean of one long run, with a confidence interval.

    Parameters
    ----------
    interval
        Interval of the mean, from 40 batches.
    correlation
        Correlation between neighbouring parts, from -1 to 1, with ten parts per batch; 0 if all parts are equal.

    """

    interval: Interval
    correlation: float

    @property
    def warning(self) -> str:
        """Why the interval is unreliable; empty if it is reliable."""
        if self.correlation < _MOST_CORRELATION:
            return self.interval.warning
        return (
            f"the interval is too narrow: neighbouring parts of the series are correlated ({self.correlation:.2f}), "
            f"and {BATCHES} batches need less than {_MOST_CORRELATION} to be independent; use a longer run"
        )


def batch_means(series: ArrayLike, *, level: float = 0.95) -> BatchMeans:
    """Compute a confidence interval for the mean of one long series of correlated values.

    Parameters
    ----------
    series
        Values at equally spaced times, without the warm-up (see `mser5`): at least 400, all finite.
    level
        Probability that the interval covers the true mean, between 0 and 1.

    Returns
    -------
    BatchMeans
        The interval, with a warning if it is unreliable.

    Raises
    ------
    ValueError
        There are too few values, one is not finite, or the level is not between 0 and 1.

    Notes
    -----
    The fixed form of the procedure of Law and Carson (Operations Research 27, 1979; Law, "Simulation Modeling and
    Analysis", 5th ed. 2015, section 9.5.3): Student's interval for the means of 40 batches. The correlation between 40
    batches is too uncertain for a test. Instead, the correlation between 400 parts, each a tenth of a batch, must be
    below 0.4. If the correlation decays with the distance, the batches are then nearly uncorrelated. All batches have
    the same length; surplus values at the start of the series are omitted.

    Examples
    --------
    >>> steady = np.random.default_rng(1).normal(10, 1, 4000)
    >>> found = batch_means(steady)
    >>> print(found.interval, found.warning or "and no warning")
    9.990 ± 0.035 and no warning

    """
    values = np.asarray(series, dtype=np.float64).ravel()
    parts = BATCHES * _PARTS
    if values.size < parts:
        raise ValueError(f"series: {values.size} values are not allowed: must be at least {parts}")
    means = values[values.size % parts :].reshape(parts, -1).mean(axis=1)
    interval = student_interval(means.reshape(BATCHES, _PARTS).mean(axis=1), level=level)
    apart = means - means.mean()
    spread = float(apart @ apart)
    correlation = float(apart[:-1] @ apart[1:]) / spread if spread else 0.0
    return BatchMeans(interval=interval, correlation=correlation)
