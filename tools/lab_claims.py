"""Conditions on runs: what the lab's stories say, and what its exercises ask for. The page reads them in the same form.

A condition compares a measure with another one times a factor, or with a value times a factor. A measure is written
``RUN.MEASURE`` or ``RUN.GROUP.MEASURE``.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from ackclock import Scenario, simulate
from lab_parts import STORIES, stories

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock import Run

SEEDS: Final = range(11, 16)
"""The seeds for which each claim must hold. The stories were written with the seeds 1 to 5."""

LONGER: Final = 4
"""Each claim must also hold in runs that are longer by this factor."""


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A measure of a run that must be at least or at most something."""

    measure: str
    bound: Literal["at least", "at most"]
    factor: float = 1.0
    of: str = ""
    value: float = 0.0

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> Condition:
        """Read a condition from a table of TOML, which has either ``of`` or ``value``."""
        named = {name: table[name] for name in ("measure", "factor", "of", "value") if name in table}
        if ("of" in named) == ("value" in named) or table["is"] not in {"at least", "at most"}:
            raise ValueError(f"not a condition: {table}")
        return cls(bound=table["is"], **named)

    def sides(self, runs: Mapping[str, Run]) -> tuple[float, float]:
        """Return the measure and what it is compared with."""
        return measured(runs, self.measure), self.factor * (measured(runs, self.of) if self.of else self.value)

    def holds(self, runs: Mapping[str, Run]) -> bool:
        """Judge the condition for some runs, by their names."""
        found, bound = self.sides(runs)
        return found >= bound if self.bound == "at least" else found <= bound


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Something that a story says."""

    story: str
    says: str
    condition: Condition
    changed: Mapping[str, Any] = field(default_factory=dict)
    """Changes of the third run, C."""
    everywhere: Mapping[str, Any] = field(default_factory=dict)
    """Changes of all runs."""

    def scenarios(self, longer: int) -> dict[str, Scenario]:
        """Return the scenarios that the claim is about, by their names, each longer by a factor."""
        story = next(each for each in stories() if each["name"] == self.story)
        own = Scenario.from_dict(tomllib.loads(story["toml"]))
        number, unit = own.duration.split()
        base = own.changed({"duration": f"{longer * int(number)} {unit}"} | dict(self.everywhere))
        beside = {path: tomllib.loads(f"value = {text}")["value"] for path, text in story.get("beside", {}).items()}
        runs = {"A": base, "B": base.changed(beside), "C": base.changed(self.changed)}
        return {name: runs[name] for name in sorted({self.condition.measure[0], *self.condition.of[:1]})}


def claims() -> list[Claim]:
    """Read what the stories say."""
    tables = tomllib.loads((STORIES / "claims.toml").read_text(encoding="utf-8"))["claims"]
    return [
        Claim(
            story=each["story"],
            says=each["says"],
            condition=Condition.read(each),
            changed=each.get("with", {}),
            everywhere=each.get("set", {}),
        )
        for each in tables
    ]


def measured(runs: Mapping[str, Run], name: str) -> float:
    """Return a measure of one of some runs."""
    run, *group, measure = name.split(".")
    of = runs[run].groups[group[0]] if group else runs[run].summary
    return float(getattr(of, measure))


def simulated(scenarios: Mapping[str, Scenario], seed: int) -> dict[str, Run]:
    """Run some scenarios."""
    return {name: simulate(scenario, seed=seed) for name, scenario in scenarios.items()}
