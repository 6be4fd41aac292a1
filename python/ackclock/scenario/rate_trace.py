"""Rate traces: link rates that change in steps, listed in the scenario or in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from pydantic_core import InitErrorDetails

from ackclock.scenario import trace_file
from ackclock.scenario.fields import Digest, Duration, FilePath, RateSteps
from ackclock.scenario.model import Part
from ackclock.values import errors
from ackclock.values.quantity import RATE, TIME

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NEVER: Final = "must end with a rate above 0, or contain such a rate if there is a period, so that every outage ends"


@dataclass(frozen=True, eq=False)
class RateCourse:
    """A rate trace in the engine's units."""

    times: NDArray[np.uint64]
    """Time from which each rate applies, in picoseconds: increasing from 0."""
    rates: NDArray[np.int64]
    """The rates, bit/s; 0 is an outage."""
    period: int | None
    """Period after which the trace repeats, in picoseconds; ``None`` keeps the last rate."""
    sha256: str | None = None
    """Digest of the file's content, if there is a file."""

    def mean(self, duration: int) -> float:
        """Compute the mean rate from time 0 over ``duration`` picoseconds, in bit/s."""
        rounds, rest = (0, duration) if self.period is None else divmod(duration, self.period)
        whole = self._sent(self.period or 0) if rounds else 0.0
        return (rounds * whole + self._sent(rest)) / duration

    def _sent(self, until: int) -> float:
        """Integrate the rate from 0 to a time within the first period, in bits times 10^12."""
        import numpy as np  # noqa: PLC0415  # slow to load

        begun = self.times[self.times < until]
        return float(self.rates[: begun.size].astype(np.float64) @ np.diff(begun, append=np.uint64(until)))


class RateTrace(Part):
    """A rate that changes in steps. A change takes effect immediately, also for the packet in transmission.

    A transmission ends when the integral of the rate reaches the bits of the packet; at a rate of 0 the transmission
    waits. The steps are given here or in a file: CSV with a header or Parquet, with the columns ``time`` (seconds) and
    ``rate`` (bit/s), or a mahimahi trace, in which each line is a millisecond at which 1500 bytes can leave
    (`ackclock.scenario.mahimahi`). A result stores the file's path and digest, and can be rerun only with the same
    content. Both directions of a link follow the trace, unless ``reverse_rate_trace`` is given.

    Examples
    --------
    >>> trace = RateTrace(steps=[("0 s", "10000 kbps"), ("2 s", "0 bps"), ("2.5 s", "1 Mbps")], period="5 s")
    >>> trace.steps
    (('0 s', '10 Mbps'), ('2 s', '0 bps'), ('2500 ms', '1 Mbps'))
    >>> trace.course().mean(10 * 10**12)
    4500000.0
    """

    steps: RateSteps | None = None
    """Pairs of a time and the rate from then on, such as ``[["0 s", "10 Mbps"], ["5 s", "2 Mbps"]]``. The first time is
    0 s; a rate of ``"0 bps"`` is an outage."""

    path: FilePath | None = None
    """Path of a file, instead of ``steps``, relative to the scenario's file or else to the current directory."""

    sha256: Digest | None = None
    """SHA-256 digest that the file's content must have (default: any content). Results store the digest."""

    period: Duration | None = None
    """Time after which the trace repeats (default: the last rate holds). Must be absent for a mahimahi trace, which
    repeats after its last millisecond."""

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that there are steps or a file, and that given steps end before the period and not in an outage."""
        if data.get("path") is not None:
            names = [name for name in ("steps",) if data.get(name) is not None]
            return [errors.wrong((name,), data[name], "must be absent when path is given") for name in names]
        if data.get("sha256") is not None:
            return [errors.wrong(("sha256",), data["sha256"], "must be absent when there is no path")]
        if part is None:
            return []
        if part.steps is None:
            return [errors.missing(("steps",), "must be given unless path is given")]
        last = part.steps[-1][0]
        if part.period is not None and TIME.parse(part.period) <= TIME.parse(last):
            return [errors.wrong(("period",), part.period, f"must be later than the last step, at {last}")]
        return [] if _ends(part.course()) else [errors.wrong(("steps",), part.steps, _NEVER)]

    def course(self) -> RateCourse:
        """Convert the steps to the engine's units.

        Raises
        ------
        ScenarioError
            The file cannot be read, contains no trace, or has a different digest.
        """
        import numpy as np  # noqa: PLC0415  # slow to load

        period = None if self.period is None else TIME.parse(self.period)
        if self.path is None:
            steps = self.steps or ()
            times = np.array([TIME.parse(time) for time, _ in steps], dtype=np.uint64)
            rates = np.array([RATE.parse(rate) for _, rate in steps], dtype=np.int64)
            return RateCourse(times=times, rates=rates, period=period)
        found = trace_file.read_rates(self.path)
        if self.sha256 not in (None, found.sha256):
            raise trace_file.other_digest(self.path, self.sha256)
        if found.period is not None:
            if period is not None:
                limit = "a trace with a header when period is given: mahimahi traces repeat by themselves"
                raise errors.unreadable(self.path, "it is a mahimahi trace", limit)
            period = found.period
        if period is not None and period <= found.times[-1]:
            raise errors.unreadable(self.path, "it is too long", f"a trace that ends before its period, {self.period}")
        course = RateCourse(times=found.times, rates=found.rates, period=period, sha256=found.sha256)
        if not _ends(course):
            raise errors.unreadable(self.path, "it ends in an outage", f"a trace that {_NEVER.removeprefix('must ')}")
        return course

    def for_engine(self) -> dict[str, Any]:
        """Convert the trace into the engine's form."""
        course = self.course()
        return {"times": course.times.tolist(), "rates": course.rates.tolist(), "period": course.period}


def _ends(course: RateCourse) -> bool:
    """Return whether every outage (rate 0) ends."""
    return bool(course.rates.any() if course.period is not None else course.rates[-1] > 0)
