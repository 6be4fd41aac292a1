"""Estimates the cost of a study before it begins."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ackclock.engine.processors import cpu_time
from ackclock.study.design import Until
from ackclock.study.execute import StoppedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.study.survey import Survey

__all__ = ["Outlook"]

_PILOT: Final = 1.0
"""Seconds after which the pilot run for the estimate is stopped."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outlook:
    """The runs that a sweep would make, and their estimated cost.

    Parameters
    ----------
    points
        Name of each point, and number of runs that the point still needs.
    runs, most
        Number of runs to make now, and maximum number of runs if replications continue until a precision is reached.
    there
        Number of runs that the store already has.
    cpu_seconds
        Estimated CPU time of the runs, in seconds, extrapolated from the start of the first run by number of flows and
        simulated time. None if there are no runs to make, if the first run fails, or if points are `unread`.
    unread
        Number of points that name a law or a discipline in Python, whose files are not executed. All of their runs
        count as runs to make.

    """

    points: list[tuple[str, int]]
    runs: int
    most: int
    there: int
    cpu_seconds: float | None
    unread: int = 0

    @classmethod
    def of(cls, survey: Survey, there: Mapping[str, float | None]) -> Outlook:
        """Count the missing runs of each point, and start the first missing run to measure its cost."""
        study = survey.study
        courses = [survey.course(number, there) for number in range(len(survey.works))]
        runs = [len(course.due) for course in courses]
        known = sum(len(course.values) for course in courses)
        rule = study.replications
        work = sum(count * each for count, each in zip(runs, survey.works, strict=True))
        first = next((number for number, count in enumerate(runs) if count), None)
        return cls(
            points=[(place.name, count) for place, count in zip(study.places(), runs, strict=True)],
            runs=sum(runs),
            most=len(runs) * rule.most - known if isinstance(rule, Until) else sum(runs),
            there=known,
            cpu_seconds=None
            if first is None or survey.unread
            else _scaled(work, _cost(survey, first, courses[first].due[0])),
            unread=survey.unread,
        )


def _scaled(work: float, cost: float | None) -> float | None:
    return None if cost is None else work * cost


def _cost(survey: Survey, number: int, seed: int) -> float | None:
    """Start a run to measure its CPU seconds per unit of work; None if the run fails."""
    study = survey.study
    site = survey.site(number, next(place for at, place in enumerate(study.places()) if at == number))
    began, done = cpu_time(), 1.0

    def report(share: float) -> None:
        nonlocal done
        if cpu_time() - began > _PILOT:
            done = share
            raise StoppedError

    try:
        with suppress(StoppedError):
            site.prepared.run(seed, report)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - as in `ackclock.study.making`; a sweep records failures
        return None
    return (cpu_time() - began) / done / site.work * (2 if study.warmup else 1)
