"""All estimators of the Hurst parameter, and the combined verdict on long-range dependence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ackclock.analysis.scaling.correlations import kettani_gubner, kettani_gubner_k1
from ackclock.analysis.scaling.disguises import cycle, trend
from ackclock.analysis.scaling.estimate import checked
from ackclock.analysis.scaling.ranges import rescaled_range
from ackclock.analysis.scaling.variances import variance_time
from ackclock.analysis.scaling.wavelets import abry_veitch
from ackclock.analysis.scaling.whittle import lasting, local_whittle

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ackclock.analysis.scaling.estimate import HurstEstimate

__all__ = ["LEAST", "Hurst", "hurst"]

LEAST: Final = 100
"""Fewest values for an estimate."""

_METHODS: Final = (
    abry_veitch,
    local_whittle,
    kettani_gubner_k1,
    kettani_gubner,
    variance_time,
    rescaled_range,
)
_MEMORYLESS: Final = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class Hurst:
    """Estimates of a series' Hurst parameter, with a verdict.

    Parameters
    ----------
    estimates
        The estimate of each method that gives one.
    long_range
        Whether the series shows long-range dependence.
    notices
        Reasons for the verdict, disagreements between methods, and methods without an estimate.

    """

    estimates: tuple[HurstEstimate, ...]
    long_range: bool
    notices: tuple[str, ...]

    def get(self, method: str) -> HurstEstimate | None:
        """Return the estimate of a method; None if the method has no estimate."""
        return next((each for each in self.estimates if each.method == method), None)


def hurst(series: ArrayLike) -> Hurst:
    """Estimate the Hurst parameter by every method, and judge whether the series is long-range dependent.

    Parameters
    ----------
    series
        Values at equally spaced times, such as packets per bin: at least 100, all finite, not all equal. Some methods
        need more.

    Returns
    -------
    Hurst
        The estimates, and whether long-range dependence is claimed.

    Raises
    ------
    ValueError
        The series does not meet the conditions above.

    Notes
    -----
    Long-range dependence is claimed if all of these tests pass; otherwise the first failed test is reported:

    1. There is no linear trend: the slope is within four standard errors of 0, for fractional Gaussian noise with the
       wavelet estimate of H.
    2. There is no cycle: no frequency has fifty times the power of its neighbours, and the wavelet energy has no
       maximum at an intermediate scale.
    3. `abry_veitch` and `local_whittle` find scales that fit a power law, and both intervals begin between 0.5 and 1.
    4. The dependence extends to the longest scales: the interval of local Whittle on the lowest eighth of these
       frequencies is still above 0.5. A finite memory resembles long-range dependence at shorter scales.

    Examples
    --------
    >>> from ackclock.analysis import fractional_gaussian_noise
    >>> found = hurst(fractional_gaussian_noise(16384, hurst=0.8, seed=1))
    >>> found.long_range
    True

    """
    values = checked(series, LEAST)
    estimates, silent = [], []
    for method in _METHODS:
        try:
            estimates.append(method(values))
        except ValueError as error:
            silent.append(f"{method.__name__} has no estimate: {str(error).removeprefix('series: ')}.")
    found = {each.method: each for each in estimates}
    why_not = next(_doubts(values, found), "")
    verdict = f"Long-range dependence is not claimed: {why_not}" if why_not else _claim(found)
    return Hurst(
        estimates=tuple(estimates),
        long_range=not why_not,
        notices=(verdict, *(_disagreement(estimates) if estimates else ()), *silent),
    )


def _claim(found: dict[str, HurstEstimate]) -> str:
    wavelets, whittle = found["abry_veitch"], found["local_whittle"]
    longest = min(wavelets.scales[1], whittle.scales[1])
    shortest = max(wavelets.scales[0], whittle.scales[0])
    return (
        f"Long-range dependence: from {shortest:.0f} to {longest:.0f} bins the series scales with H = {wavelets.h:.2f} "
        f"({wavelets.low:.2f} to {wavelets.high:.2f}), without a trend or a cycle."
    )


def _doubts(values: NDArray[np.float64], found: dict[str, HurstEstimate]) -> Iterator[str]:
    """Yield the reasons not to claim long-range dependence."""
    wavelets, whittle = found.get("abry_veitch"), found.get("local_whittle")
    share = trend(values, wavelets)
    if share is not None:
        yield (
            f"the series has a trend, which causes {share:.2%} of its variance. All methods except abry_veitch mistake "
            "it for memory: remove it first."
        )
    length = cycle(values)
    if length is not None:
        yield (
            f"the series has a cycle of about {length:.4g} bins, such as a sawtooth, which the methods mistake for "
            "memory up to that length."
        )
    if wavelets is None or whittle is None:
        yield "it requires both abry_veitch and local_whittle, and one of them has no estimate."
        return
    for each in (wavelets, whittle):
        if each.low <= _MEMORYLESS:
            yield f"the interval of {each.method} begins at {each.low:.2f}, not above 0.5, the value without memory."
        if each.low >= 1:
            yield f"{each.method} finds {each.h:.2f}, above 1: the series is not stationary."
    late = lasting(values, whittle)
    if late is None:
        yield "the power law fits too few scales to test whether the memory lasts."
    elif late.low <= _MEMORYLESS:
        yield (
            f"the lowest frequencies, with periods from {late.scales[0]:.0f} bins, give H = {late.h:.2f} "
            f"({late.low:.2f} to {late.high:.2f}). A finite memory would look like this."
        )


def _disagreement(estimates: list[HurstEstimate]) -> Iterator[str]:
    """Report the two methods that differ most, if their intervals do not overlap."""
    below, above = min(estimates, key=lambda each: each.high), max(estimates, key=lambda each: each.low)
    if below.high < above.low:
        yield (
            f"The intervals of {below.method} ({below.low:.2f} to {below.high:.2f}) and "
            f"{above.method} ({above.low:.2f} to {above.high:.2f}) do not overlap: over all scales the series is "
            "not fractional Gaussian noise, so each estimate is valid at most for the scales of its method."
        )
