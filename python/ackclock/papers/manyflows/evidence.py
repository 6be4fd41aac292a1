"""All that the claims are judged by: the runs behind the figures, and ns-2's in the same shape."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ackclock.papers.claims import Sides
from ackclock.papers.manyflows import places
from ackclock.papers.manyflows.experiment import FRACTIONS, flow_summary, scenario, settings_wanted
from ackclock.papers.manyflows.looks import looks_wanted
from ackclock.papers.manyflows.reference import known, looks, modern_runs
from ackclock.papers.observation import Observation, observations_wanted
from ackclock.scenario import Scenario
from ackclock.study import Point

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.papers.manyflows.experiment import Setting
    from ackclock.papers.manyflows.looks import Look
    from ackclock.papers.manyflows.places import Curves, Reading
    from ackclock.study import Batch

    Runs = Sequence[Observation]

__all__ = ["MODERN", "SPREADS", "Evidence", "Side", "from_ns2", "gather"]

MODERN = "ns2-2.35"
"""The profile of today's ns-2, for what depends on the TCP's timers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """The runs of one simulator; the variant of each is its curve, its clients are the connections.

    Parameters
    ----------
    grid
        Links, W_c and connections, by how loss is counted (`READINGS`) and by the processing time (`FRACTIONS`).
    predicted
        Figure 7: the buffer grows with the connections.
    far
        Figures 11 (a) and 19: a satellite's delay, by the processing time.
    few
        Figures 13 and 21, by the processing time.
    amounts
        Figure 16.
    starts
        In the seconds that the paper shows, by the time within which connections start and the processing time.
    modern
        A part of the grid with the TCP of ns-2.35.
    looks
        Pipes looked at closely, by the processing time.

    """

    grid: Mapping[tuple[str, float], Runs]
    predicted: Runs = ()
    far: Mapping[float, Runs] = field(default_factory=dict)
    few: Mapping[float, Runs] = field(default_factory=dict)
    amounts: Runs = ()
    starts: Mapping[tuple[str, float], Runs] = field(default_factory=dict)
    modern: Runs = ()
    looks: Mapping[float, Sequence[Look]] = field(default_factory=dict)

    def counted(self, reading: Reading, fraction: float = 0.0) -> Runs:
        """Give the grid by how loss is counted and the processing time."""
        return self.grid[reading.key, fraction]


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence(Sides[Side]):
    """What the claims of sections 5.1 and 5.2 are judged by."""


SPREADS = ("0 s", "1 s")
"""Both kinds of start: all at once, and within a second."""


def gather(batch: Batch, *, seeds: Sequence[int]) -> Callable[[], Side]:
    """Ask for all that the claims need.

    Parameters
    ----------
    batch
        Where to ask.
    seeds
        The seeds of the runs.

    Returns
    -------
    Callable
        Gives the side once the batch has run.

    """

    def ask(curves: Curves) -> Callable[[], Runs]:
        made = {name: batch.add(settings_wanted(settings, seeds=seeds)) for name, settings in curves.items()}
        return lambda: [dataclasses.replace(run, variant=name) for name, runs in made.items() for run in runs()]

    grid = {
        (reading.key, fraction): ask(places.grid(reading, fraction))
        for reading in places.READINGS
        for fraction in FRACTIONS
    }
    predicted, amounts = ask(places.predicted()), ask(places.amounts())
    far = {fraction: ask(places.far(fraction)) for fraction in FRACTIONS}
    few = {fraction: ask(places.few(fraction)) for fraction in FRACTIONS}
    starts = {(spread, fraction): ask(places.starts(spread, fraction)) for spread in SPREADS for fraction in FRACTIONS}
    modern = batch.add(_modern_wanted(seeds))
    looked = {fraction: [batch.add(each) for each in looks_wanted(fraction, seeds=seeds)] for fraction in FRACTIONS}
    return lambda: Side(
        grid={place: runs() for place, runs in grid.items()},
        predicted=predicted(),
        far={fraction: runs() for fraction, runs in far.items()},
        few={fraction: runs() for fraction, runs in few.items()},
        amounts=amounts(),
        starts={place: runs() for place, runs in starts.items()},
        modern=modern(),
        looks={fraction: [look for each in some for look in each()] for fraction, some in looked.items()},
    )


def from_ns2() -> Side:
    """Give what ns-2 measured at the same places, as far as it was asked."""
    return Side(
        grid={
            (reading.key, fraction): known(places.grid(reading, fraction))
            for reading in places.READINGS
            for fraction in FRACTIONS
        },
        predicted=known(places.predicted()),
        far={fraction: known(places.far(fraction)) for fraction in FRACTIONS},
        few={fraction: known(places.few(fraction)) for fraction in FRACTIONS},
        amounts=known(places.amounts()),
        starts={
            (spread, fraction): known(places.starts(spread, fraction)) for spread in SPREADS for fraction in FRACTIONS
        },
        modern=modern_runs(),
        looks={fraction: looks(fraction) for fraction in FRACTIONS},
    )


def modern_scenario(setting: Setting) -> Scenario:
    """Give the network of a setting with the TCP of ns-2.35."""
    return Scenario.from_dict(scenario(setting).to_dict() | {"profile": MODERN})


def _modern_wanted(seeds: Sequence[int]) -> Any:
    cells = [(name, setting) for name, settings in places.modern().items() for setting in settings]
    return observations_wanted(
        cells,
        where=lambda cell: (cell[0], cell[1].flows),
        point=lambda cell: Point(
            name=f"{cell[1].flows} connections, {cell[1].name}, {MODERN}",
            scenario=modern_scenario(cell[1]),
            work=cell[1].duration * cell[1].link.bps,
        ),
        seeds=seeds,
        take=flow_summary,
    )
