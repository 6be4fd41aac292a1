"""Judges answers to the exercises of the lab with the engine, by the rules of the page (``web/src/exercise.ts``)."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, Literal

from ackclock import Scenario, simulate
from lab_claims import Condition, measured

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def is_right(exercise: Mapping[str, Any], answer: Any, seed: int = 1) -> bool:
    """Judge an answer: changed fields, a number, or what an option says."""
    start = Scenario.from_dict(tomllib.loads(exercise["toml"]))
    kind: Literal["run", "number", "choice"] = exercise["kind"]
    match kind:
        case "run":
            yours = start.changed(answer)
            changed = list(_differences(start.to_dict(), yours.to_dict()))
            allowed = all(any(f"{path}.".startswith(f"{each}.") for each in exercise["only"]) for path in changed)
            runs = {"start": simulate(start, seed=seed), "yours": simulate(yours, seed=seed)}
            return allowed and all(Condition.read(each).holds(runs) for each in exercise["conditions"])
        case "number":
            run = simulate(start.changed(exercise["with"]), seed=seed)
            found = measured({"run": run}, exercise["measure"]) / exercise["scale"]
            return bool(abs(answer / found - 1) <= exercise["tolerance"])
        case "choice":
            values = {
                each["says"]: measured({"run": simulate(start.changed(each["with"]), seed=seed)}, each["measure"])
                for each in exercise["options"]
            }
            best = max if exercise["best"] == "greatest" else min
            return bool(answer == best(values, key=values.__getitem__))


def _differences(a: Any, b: Any, at: str = "") -> Iterator[str]:
    """Find the paths of the fields in which two scenarios differ."""
    if isinstance(a, list) and isinstance(b, list):
        a, b = dict(enumerate(a)), dict(enumerate(b))
    if isinstance(a, dict) and isinstance(b, dict):
        for name in a.keys() | b.keys():
            yield from _differences(a.get(name), b.get(name), f"{at}.{name}" if at else str(name))
    elif a != b:
        yield at
