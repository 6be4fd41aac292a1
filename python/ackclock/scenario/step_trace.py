"""Delays and losses of a link that change in steps, listed in the scenario or in a file, and what all steps share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic_core import InitErrorDetails

from ackclock.scenario import trace_file
from ackclock.scenario.fields import DelaySteps, Digest, Duration, FilePath, Flag, LossPlace, LossSteps
from ackclock.scenario.model import Part
from ackclock.values import errors
from ackclock.values.quantity import TIME

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Course:
    """Steps in the engine's units."""

    times: NDArray[np.uint64]
    """Time from which each value applies, in picoseconds: increasing from 0."""
    values: NDArray[np.float64]
    """The values, in the engine's unit."""
    period: int | None
    """Period after which the steps repeat, in picoseconds; ``None`` keeps the last value."""
    sha256: str | None = None
    """Digest of the file's content, if there is a file."""

    def mean(self, duration: int) -> float:
        """Compute the mean value from time 0 over ``duration`` picoseconds."""
        rounds, rest = (0, duration) if self.period is None else divmod(duration, self.period)
        whole = self._sum(self.period or 0) if rounds else 0.0
        return (rounds * whole + self._sum(rest)) / duration

    def _sum(self, until: int) -> float:
        """Integrate the value from 0 to a time within the first period, times 10^12."""
        import numpy as np  # noqa: PLC0415  # slow to load

        begun = self.times[self.times < until]
        return float(self.values[: begun.size] @ np.diff(begun, append=np.uint64(until)))


class StepTrace(Part):
    """A property of a link that changes in steps."""

    column: ClassVar[trace_file.Column]
    """The column of a file."""

    steps: Sequence[tuple[str, Any]] | None = None

    path: FilePath | None = None
    """Path of a file, instead of ``steps``, relative to the scenario's file or else to the current directory."""

    sha256: Digest | None = None
    """SHA-256 digest that the file's content must have (default: any content). Results store the digest."""

    period: Duration | None = None
    """Time after which the trace repeats (default: the last value holds)."""

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that there are steps or a file, and that given steps end before the period."""
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
        return []

    @classmethod
    def value(cls, text: Any) -> float:
        """Convert a value of ``steps`` to the engine's unit."""
        raise NotImplementedError

    def read(self, path: str) -> trace_file.StepFile:
        """Read the steps from a file."""
        return trace_file.read_steps(path, self.column)

    def course(self) -> Course:
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
            return Course(times=times, values=np.array([float(self.value(value)) for _, value in steps]), period=period)
        found = self.read(self.path)
        if self.sha256 not in (None, found.sha256):
            raise trace_file.other_digest(self.path, self.sha256)
        if found.period is not None:
            if period is not None:
                limit = "another trace when period is given: those of mahimahi and Pensieve repeat by themselves"
                raise errors.unreadable(self.path, "it has a period of its own", limit)
            period = found.period
        elif period is None and found.end is not None and found.values[-1] == 0:
            period = found.end
        if period is not None and period <= found.times[-1]:
            raise errors.unreadable(self.path, "it is too long", f"a trace that ends before its period, {self.period}")
        return Course(times=found.times, values=found.values, period=period, sha256=found.sha256)


class DelayTrace(StepTrace):
    """A propagation delay that changes in steps. A packet has the delay at the end of its transmission, and keeps it.

    The steps are given here or in a file: CSV with a header or Parquet, with the columns ``time`` and ``delay``, both
    in seconds. Other columns are ignored, so that one file can give the rate, the delay and the losses of a link. A
    result stores the file's path and digest, and can be rerun only with the same content.

    Examples
    --------
    >>> trace = DelayTrace(steps=[("0 s", "20 ms"), ("15 s", "0.035 s")], period="30 s")
    >>> trace.steps
    (('0 s', '20 ms'), ('15 s', '35 ms'))
    >>> trace.course().mean(30 * 10**12) / 10**9
    27.5
    """

    column = trace_file.DELAY

    steps: DelaySteps | None = None
    """Pairs of a time and the delay from then on, such as ``[["0 s", "20 ms"], ["15 s", "35 ms"]]``. The first time is
    0 s."""

    reorders: Flag = False
    """Whether packets overtake each other when the delay falls (default: false). If not, a packet that would arrive
    before its predecessor arrives just after it, as from a radio bearer that delivers in order (3GPP TS 38.323). In
    ns-2, ns-3 and Linux's netem, packets overtake each other."""

    @classmethod
    def value(cls, text: Any) -> float:
        """Convert a delay to picoseconds."""
        return TIME.parse(text)


class LossTrace(StepTrace):
    """Independent losses, of all packets, with a probability that changes in steps.

    The steps are given here or in a file: CSV with a header or Parquet, with the columns ``time`` (seconds) and
    ``loss`` (probability). Other columns are ignored. A result stores the file's path and digest, and can be rerun only
    with the same content.

    Examples
    --------
    >>> LossTrace(steps=[("0 s", 0), ("10 s", 0.02)]).course().mean(20 * 10**12)
    0.01
    """

    column = trace_file.LOSS

    steps: LossSteps | None = None
    """Pairs of a time and the loss probability from then on, such as ``[["0 s", 0.0], ["10 s", 0.02]]``. The first time
    is 0 s."""

    place: LossPlace = "before"
    """Where packets are lost: ``"before"`` the queue, so that they take no transmission time, or ``"after"`` their
    transmission, as on a wireless link (default: before)."""

    @classmethod
    def value(cls, text: Any) -> float:
        """Return a probability."""
        return float(text)
