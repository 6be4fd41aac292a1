"""What ns-2 measured with many connections; `data/README.md` says how the numbers were made."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from ackclock.papers.manyflows.experiment import LINKS, Setting, bias_setting, grid_setting
from ackclock.papers.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, kw_only=True, slots=True)
class Reference:
    """One run of ns-2: its network, as we simulate it, and its measures by our names."""

    setting: Setting
    run: Observation


def references(table: str, *, again: bool = False) -> list[Reference]:
    """Read a table of runs.

    Our links are detuned wherever there are no processing times; ns-2's only in the table that is called so.

    Parameters
    ----------
    table
        ``grid``, after a warm-up; ``whole``, from time 0 on; ``detuned``, both without processing times on links that
        one bit per second keeps from ties; ``rtt_bias``, two groups at unequal distances.
    again
        Read those of its points that missed once, with seeds that were not used before.

    """
    read = _bias if table == "rtt_bias" else _run
    return [read(row) for row in rows(f"again/{table}" if again else table)]


def rows(table: str) -> list[dict[str, str]]:
    """Read a table as it is."""
    path = files("ackclock.papers.manyflows").joinpath("data", *f"{table}.csv".split("/"))
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def _run(row: Mapping[str, str]) -> Reference:
    setting = grid_setting(
        LINKS[row["link"]],
        int(row["capacity"]),
        int(row["flows"]),
        fraction=int(row["overhead_percent"]) / 100,
        span=(int(row["from"]), int(row["to"])),
        spread=f"{row['spread']} s",
        max_rto=f"{row['max_rto']} s",
    )
    return _reference(setting, row, ("throughput", "goodput", "loss", "jain_index"))


def _bias(row: Mapping[str, str]) -> Reference:
    setting = bias_setting(
        int(row["group"]),
        int(row["buffer"]),
        int(row["ratio"]),
        overhead=float(row["overhead_ms"]) / 1000,
        span=(int(row["from"]), int(row["to"])),
    )
    return _reference(setting, row, ("goodput_ratio",))


def _reference(setting: Setting, row: Mapping[str, str], measures: Sequence[str]) -> Reference:
    values = {measure: float(row[measure]) for measure in measures}
    run = Observation(variant=setting.name, clients=setting.flows, seed=int(row["seed"]), values=values)
    return Reference(setting=setting, run=run)
