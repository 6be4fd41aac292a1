"""The numbers that each study computes from a run equal the stored ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.support.kept import hold_numbers
from tests.support.papers import PAPERS

from ackclock.running.run import simulate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.papers.core.parts import Part, Taken


def numbers(taken: Taken) -> dict[str, float | None]:
    """Return the numbers of a run; for an array its size, mean, last number, and mean weighted by the index."""
    found: dict[str, float | None] = {}
    for name, value in taken.items():
        if value is None or not np.ndim(value):
            found[name] = value if value is None else float(value)
            continue
        array = np.asarray(value, dtype=np.float64)
        found[f"{name}, size"] = array.size
        if array.size:
            weighted = float(np.mean(array * np.arange(1, array.size + 1)))
            found |= {
                f"{name}, mean": float(array.mean()),
                f"{name}, last": float(array[-1]),
                f"{name}, by place": weighted,
            }
    return found


def of_one_run(part: Part) -> Mapping[str, float | None]:
    """Run the middle point of a part."""
    spot = part.spots[len(part.spots) // 2]
    scenario = spot.drawn(1) if spot.drawn else spot.scenario
    return numbers(part.take(simulate(scenario, seed=1, record=list(part.record), jobs=1)))


@pytest.mark.parametrize("name", PAPERS)
def test_numbers_of_a_run_are_those_that_were_kept(name: str) -> None:
    """There is one run for each function that computes numbers."""
    parts = [*PAPERS[name].definition.parts(), *PAPERS[name].parts()]
    first = {part.take: part for part in reversed(parts)}
    hold_numbers(f"{name}-takes", {part.name: of_one_run(part) for part in reversed(first.values())})
