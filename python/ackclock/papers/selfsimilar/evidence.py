"""What is run for Table 2 and Figures 4 to 7, and what the claims are judged by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackclock.papers.claims import Sides
from ackclock.papers.observation import Observation, cells_wanted
from ackclock.papers.selfsimilar import ns2
from ackclock.papers.selfsimilar.experiment import (
    READINGS,
    SOURCES,
    VARIANTS,
    Reading,
    Setting,
    Variant,
    scenario,
    unresponsive,
)
from ackclock.papers.selfsimilar.looks import RECORD, Look, look, unresponsive_values
from ackclock.papers.selfsimilar.memory import LONG, memory_wanted
from ackclock.papers.selfsimilar.methods import Method, methods
from ackclock.papers.selfsimilar.paper import SHARES
from ackclock.study import Point, Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.papers.selfsimilar.looks import Values
    from ackclock.papers.selfsimilar.trace import Trace
    from ackclock.study import Batch

__all__ = ["Evidence", "Side", "from_ns2", "gather", "settings"]

Runs = list[Look]


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """What one simulator showed.

    Parameters
    ----------
    looks
        Runs by the names of their settings, each with those of all seeds in order: of one seed all have the same
        background.
    unresponsive
        What the source of constant rate showed over UDP, seed by seed.
    memory
        What `ackclock.papers.selfsimilar.memory` found in long runs, by the names of the settings.

    """

    looks: Mapping[str, Sequence[Look]]
    unresponsive: Sequence[Values] = ()
    memory: Mapping[str, Sequence[Values]] = field(default_factory=dict)

    def of(self, reading: Reading, variant: Variant) -> Sequence[Look]:
        """Give the runs of a setting; none if there are none."""
        return self.looks.get(Setting(reading=reading, variant=variant).name, ())

    def values(self, reading: Reading, variant: Variant, measure: str) -> list[float]:
        """Give a measure, run by run; runs without it are left out.

        Raises
        ------
        LookupError
            If no run has it.

        """
        found = [each.values.get(measure) for each in self.of(reading, variant)]
        numbers = [number for number in found if number is not None]
        if not numbers:
            raise LookupError(f"no run of {VARIANTS[variant]} has {measure}")
        return numbers

    @property
    def observations(self) -> list[Observation]:
        """The runs as rows of a table."""
        return [
            Observation(variant=name, clients=SOURCES, seed=each.seed, values=each.values)
            for name, runs in self.looks.items()
            for each in runs
        ]


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence(Sides[Side]):
    """What the claims on Table 2 and Figures 4 to 7 are judged by.

    Parameters
    ----------
    methods
        What estimators say of noise whose Hurst parameter is known.
    shares
        What the paper prints of its trace's protocols.
    trace
        The capture at hand; None where there is not even a stand-in.

    """

    methods: Mapping[str, Method] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=lambda: SHARES)
    trace: Trace | None = None

    @property
    def runs(self) -> Mapping[str, Sequence[Observation]]:
        """Runs beside those of Table 2, by what is chosen otherwise in them."""
        return {
            "constant rate over UDP": [
                Observation(variant="UDP, constant rate", clients=SOURCES, seed=seed, values=values)
                for seed, values in enumerate(self.ours.unresponsive, start=1)
            ],
            f"long-range dependence in {LONG} s": [
                Observation(variant=name, clients=SOURCES, seed=seed, values=values)
                for name, runs in self.ours.memory.items()
                for seed, values in enumerate(runs, start=1)
            ],
        }


def settings() -> dict[str, Setting]:
    """Give every setting by its name, reading by reading."""
    made = [Setting(reading=reading, variant=variant) for reading in READINGS.values() for variant in VARIANTS]
    return {setting.name: setting for setting in made}


def gather(batch: Batch, *, seeds: Sequence[int]) -> Callable[[], Evidence]:
    """Ask for all runs.

    Parameters
    ----------
    batch
        Where to ask.
    seeds
        The seeds of the runs.

    Returns
    -------
    Callable
        Gives the evidence once the batch has run, with ns-2's beside it.

    """
    looked = batch.add(
        cells_wanted(
            list(settings().values()),
            point=lambda setting: Point(name=setting.name, scenario=scenario(setting), work=setting.sources),
            seeds=seeds,
            take=look,
            make=lambda ran: {setting.name: [run.value for run in runs] for setting, runs in ran},
            record=RECORD,
        )
    )
    udp = batch.add(
        Wanted(
            points=[Point(name="UDP, constant rate", scenario=unresponsive(), work=SOURCES)],
            seeds=seeds,
            take=unresponsive_values,
            record=[request for request in RECORD if not request.startswith("windows")],
            make=lambda runs: [run.value for run in runs],
        )
    )
    memory = batch.add(memory_wanted(list(settings().values()), seeds=seeds))
    return lambda: Evidence(
        ours=Side(looks=looked(), unresponsive=udp(), memory=memory()), ns2=from_ns2(), methods=methods()
    )


def from_ns2() -> Side:
    """Give what ns-2 measured of the same."""
    return Side(looks=ns2.looks(), unresponsive=ns2.unresponsive())
