"""The order in which a study's runs are made, and their statistics."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.study.replications import FEWEST, Course

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ackclock.study.design import Place
    from ackclock.study.making import Job, Site
    from ackclock.study.store import Row
    from ackclock.study.survey import Survey

__all__ = ["Schedule", "Tally"]


@dataclass(slots=True)
class Tally:
    """Statistics of a sweep.

    Parameters
    ----------
    made, there, failed
        Number of runs made by this sweep, of runs that the store already had, and of runs that failed.
    points
        Number of points that have all their replications.
    few, wide
        Number of complete points with fewer than `FEWEST` values of the measure, and number of complete points at which
        the half-width of the 95 % interval exceeds the mean.
    repeats
        A notice if runs of a point have equal results although their seeds differ.
    interrupted
        Whether Ctrl-C ended the sweep.
    notices
        Messages about unusable files in the store.

    """

    made: int = 0
    there: int = 0
    failed: int = 0
    points: int = 0
    few: int = 0
    wide: int = 0
    repeats: tuple[str, ...] = ()
    interrupted: bool = False
    notices: tuple[str, ...] = ()

    def close(self, values: Iterable[float | None]) -> None:
        """Count a point whose replications are complete."""
        from ackclock.analysis import student_interval  # noqa: PLC0415 - it loads NumPy

        self.points += 1
        found = [value for value in values if value is not None]
        if len(found) < FEWEST:
            self.few += 1
        elif (interval := student_interval(found)).half_width > abs(interval.mean):
            self.wide += 1

    def warnings(self, measure: str) -> list[str]:
        """Report points with too few replications, or with replications that repeat each other."""
        lines = [*self.repeats]
        if self.few:
            lines.append(
                f"{self.few:,} of {self.points:,} points have fewer than {FEWEST} values of {measure}: "
                "their intervals are too wide to be useful."
            )
        if self.wide:
            lines.append(
                f"At {self.wide:,} of {self.points:,} points the half-width of the 95 % interval of {measure} exceeds "
                "the mean: they have too few replications."
            )
        return lines


@dataclass(frozen=True, slots=True)
class _Open:
    """A point with runs in progress."""

    site: Site
    course: Course


class Schedule:
    """Yields the runs to make, point by point; only points with runs in progress are in memory.

    Parameters
    ----------
    survey
        The points of the study.
    there
        Value of the measure in each run that the store already has, by the run's id.

    """

    def __init__(self, survey: Survey, there: Mapping[str, float | None]) -> None:
        self._survey = survey
        self._there = there
        self._places = enumerate(survey.study.places())
        self._open: dict[str, _Open] = {}
        self._ready: deque[_Open] = deque()
        self.tally = Tally()
        self.worked = 0.0
        """The cost of the runs that have ended."""
        self.due, self.work = 0, 0.0
        """Number of runs known to be needed, and their cost; sequential replications may add more."""
        self.latest: Course | None = None
        """The replications of the point whose run ended last."""
        for number, work in enumerate(survey.works):
            course = survey.course(number, there)
            self.tally.there += len(course.values)
            self.due += len(course.due)
            self.work += len(course.due) * work

    def __iter__(self) -> Iterator[Job | None]:
        return self

    def __next__(self) -> Job | None:
        """Return the next run; None if no run is due until another run ends."""
        while not self._ready:
            number, place = next(self._places, (None, None))
            if number is None or place is None:
                if self._open:
                    return None
                raise StopIteration
            self._begin(number, place)
        opened = self._ready[0]
        seed = opened.course.due.popleft()
        if not opened.course.due:
            self._ready.popleft()
        return opened.site.job(seed)

    def took(self, job: Job, row: Row) -> None:
        """Record a run that has ended."""
        opened = self._open[job.site.scenario_id]
        course = opened.course
        waiting = len(course.due)
        course.took(job.seed, row.summary.get(self._survey.study.measure))
        self.tally.made += row.failure is None
        self.tally.failed += row.failure is not None
        self.worked += opened.site.work
        more = len(course.due) - waiting
        self.due += more
        self.work += more * opened.site.work
        self.latest = course
        if more:  # the next stage of replications is now due
            self._ready.append(opened)
        elif course.ended:
            self.tally.close(course.values.values())
            del self._open[job.site.scenario_id]

    def _begin(self, number: int, place: Place) -> None:
        course = self._survey.course(number, self._there)
        if course.ended:
            self.tally.close(course.values.values())
            return
        site = self._survey.site(number, place)
        opened = _Open(site, course)
        self._open[site.scenario_id] = opened
        self._ready.append(opened)
