"""Surveys a study: validates every point before anything runs, and finds the runs that a store already has."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ackclock.running.run import is_in_python
from ackclock.scenario.files import traces
from ackclock.study.making import Site, name_of_run
from ackclock.study.replications import Course
from ackclock.values.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.scenario import Scenario
    from ackclock.study.design import Place, Study

__all__ = ["Survey"]

_KEPT: Final = 4000
"""Number of prepared points that stay in memory, 7 KB each. Later points are prepared again just before they run."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The validated points of a study. Memory holds each point's id and cost, and `_KEPT` prepared points.

    Parameters
    ----------
    study
        The study.
    scenario_ids
        Id of each point's effective scenario.
    works
        Relative cost of a run of each point: simulated time times number of flows.
    unread
        Number of points that name a law or a discipline in Python whose file was not executed. Their ids are not those
        of their runs.

    """

    study: Study
    scenario_ids: list[str]
    works: array[float]
    unread: int
    _sites: dict[int, Site]

    @classmethod
    def of(cls, study: Study, *, inside: Sequence[Path] = (), executes: bool = True) -> Survey:
        """Check every point of a study.

        Parameters
        ----------
        study
            The study.
        inside
            Folders that must contain the files of the study, after symbolic links are resolved (default: files may be
            anywhere). Files outside these folders are not accessed.
        executes
            Whether files of laws and disciplines in Python may be executed, as before a run.

        Raises
        ------
        ScenarioError
            A point cannot run or equals another point. The message is about the first such point and begins with its
            coordinates.

        """
        seen: dict[str, int] = {}
        works = array("d")
        sites: dict[int, Site] = {}
        unread = 0
        for number, place in enumerate(study.places()):
            site = _site(study, place, inside, executes=executes)
            unread += not executes and is_in_python(site.prepared.scenario)
            with place.prefixing_errors():
                if site.scenario_id in seen:
                    other = next(each for at, each in enumerate(study.places()) if at == seen[site.scenario_id])
                    raise refuse("scenario", place.name, f"must differ from the scenario of the point {other.name}")
            seen[site.scenario_id] = number
            works.append(site.work)
            if number < _KEPT:
                sites[number] = site
        return cls(study, list(seen), works, unread, sites)

    def site(self, number: int, place: Place) -> Site:
        """Return a prepared point, and release it from memory."""
        return self._sites.pop(number, None) or _site(self.study, place)

    def course(self, number: int, there: Mapping[str, float | None]) -> Course:
        """Return the replications of a point; values that the store already has are filled in.

        Parameters
        ----------
        number
            Index of the point in the study.
        there
            Value of the measure in each run that the store already has, by the run's id.

        """
        rule = self.study.replications
        seeds = rule if isinstance(rule, Sequence) else range(1, rule.most + 1)
        ids = {seed: self._name_of_run(number, seed) for seed in seeds} if there else {}
        return Course(rule, {seed: there[name] for seed, name in ids.items() if name in there})

    def _name_of_run(self, number: int, seed: int) -> str:
        return name_of_run(self.scenario_ids[number], seed, self.study.record, self.study.warmup, self.study.taking)


def _site(study: Study, place: Place, inside: Sequence[Path] = (), *, executes: bool = True) -> Site:
    point = study.point(place)
    with place.prefixing_errors():
        if inside:
            _check_files(point.scenario, inside)
        return Site.of(point, record=study.record, warmup=study.warmup, taking=study.taking, executes=executes)


def _check_files(scenario: Scenario, inside: Sequence[Path]) -> None:
    """Refuse files outside the given folders before they are accessed."""
    folders = [folder.resolve() for folder in inside]
    for at, table in traces(scenario.to_dict()):
        path = table.get("path")
        if path is not None and not any(Path(path).resolve().is_relative_to(folder) for folder in folders):
            places = " or ".join(map(str, dict.fromkeys(folders)))
            allowed = f"must be in {places}, unless --allow-paths (allow_paths=True) lets a study on Ray read any file"
            raise refuse(f"{at}.path", path, allowed)
