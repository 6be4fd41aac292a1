"""Rate traces: link rates that change in steps, listed in the scenario or in a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

from pydantic_core import InitErrorDetails

from ackclock.scenario import trace_file
from ackclock.scenario.fields import Cellular, Duration, RateSteps
from ackclock.scenario.step_trace import Course, StepTrace
from ackclock.values import errors
from ackclock.values.quantity import RATE

_NEVER: Final = "must end with a rate above 0, or contain such a rate if there is a period, so that every outage ends"


class RateTrace(StepTrace):
    """A rate that changes in steps. A change takes effect immediately, also for the packet in transmission.

    A transmission ends when the integral of the rate reaches the bits of the packet; at a rate of 0 the transmission
    waits. The steps are given here or in a file: CSV with a header or Parquet, with the columns ``time`` (seconds) and
    ``rate`` (bit/s); a mahimahi trace, in which each line is a millisecond at which 1500 bytes can leave
    (`ackclock.scenario.mahimahi`); or a measurement of a mobile network in one of the published forms
    (`ackclock.scenario.published_traces`). A result stores the file's path and digest, and can be rerun only with the
    same content. Both directions of a link follow the trace, unless ``reverse_rate_trace`` is given.

    Examples
    --------
    >>> trace = RateTrace(steps=[("0 s", "10000 kbps"), ("2 s", "0 bps"), ("2.5 s", "1 Mbps")], period="5 s")
    >>> trace.steps
    (('0 s', '10 Mbps'), ('2 s', '0 bps'), ('2500 ms', '1 Mbps'))
    >>> trace.course().mean(10 * 10**12)
    4500000.0
    """

    column = trace_file.RATE

    steps: RateSteps | None = None
    """Pairs of a time and the rate from then on, such as ``[["0 s", "10 Mbps"], ["5 s", "2 Mbps"]]``. The first time is
    0 s; a rate of ``"0 bps"`` is an outage."""

    period: Duration | None = None
    """Time after which the trace repeats (default: the last rate holds). Must be absent for traces of mahimahi and
    Pensieve, which repeat by themselves. A published log that ends with a rate of 0 repeats from its end by default."""

    direction: Cellular | None = None
    """Which rate of a log of G-NetTrack the link has: ``"downlink"`` (default) or ``"uplink"``."""

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check the same as other traces, and that the last step is no outage."""
        found = super().own_problems(data, part)
        if data.get("direction") is not None and data.get("path") is None:
            found = [*found, errors.wrong(("direction",), data["direction"], "must be absent when there is no path")]
        if found or part is None or part.path is not None or _ends(part.course()):
            return found
        return [errors.wrong(("steps",), part.steps, _NEVER)]

    @classmethod
    def value(cls, text: Any) -> float:
        """Convert a rate to bit/s."""
        return RATE.parse(text)

    def read(self, path: str) -> trace_file.StepFile:
        """Read the steps from a file, in the chosen direction."""
        return trace_file.read_steps(path, self.column, self.direction or "downlink")

    def course(self) -> Course:
        """Convert the steps to the engine's units.

        Raises
        ------
        ScenarioError
            The file cannot be read, contains no trace, or has a different digest.
        """
        course = super().course()
        if self.path is not None and not _ends(course):
            raise errors.unreadable(
                self.path,
                "it ends in an outage",
                "a trace that ends with a rate above 0, or has one if there is a period",
            )
        return course

    def for_engine(self) -> dict[str, Any]:
        """Convert the trace into the engine's form."""
        course = self.course()
        rates = [round(rate) for rate in course.values.tolist()]
        return {"times": course.times.tolist(), "rates": rates, "period": course.period}


def _ends(course: Course) -> bool:
    """Return whether every outage (rate 0) ends."""
    return bool(course.values.any() if course.period is not None else course.values[-1] > 0)
