"""The runs of a store as points: their swept fields and the measures of each replication."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from ackclock.analysis import Interval, mean_interval
from ackclock.running.summary import GROUP_MEASURES, MEASURES
from ackclock.study.figures.measuring import displayed
from ackclock.values.quantity import RATE, SIZE, TIME, QuantityError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa

__all__ = ["Field", "Point", "Points"]

_KNOWN: Final = ("run_id", "scenario_id", "seed", *MEASURES, "warmup")
"""Known columns of the view ``runs``; all other columns are swept fields."""

_QUANTITIES: Final = (
    (TIME, (("ms", 1e-9), ("s", 1e-12))),
    (RATE, (("Mbps", 1e-6),)),
    (SIZE, (("kB", 1e-3),)),
)
"""Kinds of quantity, each with its units on axes and the factors from the base unit."""

_MOST: Final = 1000
"""Value from which numbers are shown in the next larger unit."""

_UNITS: Final = {
    "packets": "packets",
    "bytes": "bytes",
    "packet_size": "bytes",
    "rate": "packets/s",
    "max_window": "packets",
    "initial_window": "packets",
}
"""Units of fields with plain numbers, by the last word of the field's path; other fields have no unit."""

_UNSAID: Final = ("dumbbell", "transport")
"""Words of a path that labels omit."""

_ENDS: Final = {"packets": "size", "bytes": "size"}
"""Labels of fields that are named after their unit, by the last word of the field's path."""

_NUMBER_OF: Final = "number of "

SCENARIO: Final = "scenario"
"""The field that distinguishes points with equal swept fields but different scenarios."""

Value = str | float | bool | None


@dataclass(frozen=True)
class Field:
    """A swept field.

    Parameters
    ----------
    path
        Path of the field in a scenario.
    values
        The field's values: numbers in increasing order, texts in the order of the store. None stands for runs without
        the field.
    group
        Name of the group to which the field belongs; empty if it has none.

    """

    path: str
    values: tuple[Value, ...]
    group: str = ""

    @classmethod
    def of(cls, path: str, values: Sequence[Value], group: str = "") -> Field:
        """Create a field from its values, which are sorted and deduplicated."""
        different = cls(path, tuple(dict.fromkeys(values)), group)
        if not different.numeric:
            return different
        return cls(path, tuple(sorted(different.values, key=different.number)), group)

    @cached_property
    def numeric(self) -> bool:
        """Whether every value is a number, or a quantity of one kind."""
        return all(isinstance(value, int | float) and not isinstance(value, bool) for value in self.values) or (
            self._quantity is not None
        )

    def number(self, value: Value) -> float:
        """Convert a value to a number in `unit`; a text is converted to its index."""
        if not self.numeric:
            return self.values.index(value)
        if isinstance(value, str) and self._quantity is not None:
            kind, _, factor = self._quantity
            return kind(value) * factor
        return float(value or 0)

    @property
    def unit(self) -> str:
        """Unit of the axis; empty for texts and plain numbers."""
        if self._quantity is not None:
            return self._quantity[1]
        return _UNITS.get(self.path.rpartition(".")[2], "") if self.numeric else ""

    @property
    def words(self) -> str:
        """Description of the field: its name and the object to which it belongs."""
        *owners, end = [step for step in self.path.split(".") if step not in _UNSAID]
        owner = " ".join([self.group, *owners[2:]] if self.group else _numbered(owners)).replace("_", " ")
        end = end.replace("_", " ")
        if end == "count":
            return f"number of {owner or 'flows'}"
        if end == "variant" and owner:
            return f"congestion control of {owner}"
        return f"{owner} {_ENDS.get(end, end)}".strip()

    @property
    def label(self) -> str:
        """Label of the axis."""
        words = self.words[0].upper() + self.words[1:]
        return f"{words}, {self.unit}" if self.unit else words

    def named(self, value: Value) -> str:
        """Format a value for a legend; numbers include the field's name."""
        word = self.shown(value)
        if not self.numeric and not isinstance(value, bool):
            return word
        if self.words.startswith(_NUMBER_OF):
            counted = self.words.removeprefix(_NUMBER_OF)
            return f"{word} {counted.removesuffix('s') if word == '1' else counted}"
        plain = self._quantity is None and self.unit
        return f"{self.words} {word} {self.unit}" if plain else f"{self.words} {word}"

    @staticmethod
    def shown(value: Value) -> str:
        """Format a value as in the scenario."""
        if isinstance(value, bool):
            return str(value).lower()
        return f"{value:g}" if isinstance(value, float) else "-" if value is None else str(value)

    @cached_property
    def _quantity(self) -> tuple[Callable[[str], int], str, float] | None:
        texts = [value for value in self.values if isinstance(value, str)]
        if len(texts) < len(self.values):
            return None
        for kind, units in _QUANTITIES:
            try:
                most = max(map(kind.parse, texts))
            except QuantityError:
                continue
            unit, factor = next((each for each in units if most * each[1] < _MOST), units[-1])
            return kind.parse, unit, factor
        return None


def _numbered(steps: Sequence[str]) -> Iterator[str]:
    """Yield the words of a path, with list indices counted from 1 and the first index omitted."""
    for step in steps:
        if not step.isdigit():
            yield step
        elif int(step):
            yield str(int(step) + 1)


@dataclass(frozen=True, kw_only=True)
class Point:
    """One point of a study, with its replications.

    Parameters
    ----------
    place
        Value of each field, by path.
    seeds
        Seeds of the runs.
    values
        For each measure, one number per seed, in the unit of the summary; None if undefined.

    """

    place: Mapping[str, Value]
    seeds: Sequence[int]
    values: Mapping[str, Sequence[float | None]]
    _intervals: dict[str, Interval | None] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Cache of intervals: a bootstrap is slow, and figures, tables and texts use the same intervals."""

    def interval(self, measure: str) -> Interval | None:
        """Compute the mean and its interval in the display unit (`ackclock.running.summary.UNITS`)."""
        if measure not in self._intervals:
            factor = displayed(measure)[1]
            there = [value * factor for value in self.values.get(measure, ()) if value is not None]
            self._intervals[measure] = mean_interval(there) if there else None
        return self._intervals[measure]


@dataclass(frozen=True, kw_only=True)
class Points:
    """All points of a store.

    Parameters
    ----------
    fields
        The fields that differ between points, in the order of the store.
    points
        The points, in the order of the fields' values.
    repeated
        Number of omitted runs with the scenario and seed of another run.

    """

    fields: Sequence[Field]
    points: Sequence[Point]
    repeated: int

    @classmethod
    def of(
        cls, runs: pa.Table, groups: pa.Table | None = None, names: Mapping[str, str] = MappingProxyType({})
    ) -> Points:
        """Create the points from the views ``runs`` and ``groups`` of a store, and the names of groups by their paths.

        A path of a group is such as ``clients.1``.
        """
        swept = [name for name in runs.column_names if name not in _KNOWN]
        measures = [name for name in (*MEASURES, "warmup") if name in runs.column_names]
        by_scenario: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
        for run in runs.select(["run_id", "scenario_id", "seed", *swept, *measures]).to_pylist():
            by_scenario[run["scenario_id"]].setdefault(run["seed"], run)
        of_groups = _of_groups(groups)
        made = {name: list(those.values()) for name, those in by_scenario.items()}
        places = {name: {path: those[0][path] for path in swept} for name, those in made.items()}
        if len({tuple(place.values()) for place in places.values()}) < len(places):
            for name, place in places.items():
                place[SCENARIO] = name[:6]
        paths = [*swept, SCENARIO]
        fields = [
            Field.of(path, [place[path] for place in places.values() if path in place], _group(path, names))
            for path in paths
        ]
        fields = [each for each in fields if len(each.values) > 1]
        points = [
            Point(
                place={each.path: places[name][each.path] for each in fields},
                seeds=[run["seed"] for run in those],
                values={measure: [run[measure] for run in those] for measure in measures}
                | {measure: [each.get(run["run_id"]) for run in those] for measure, each in of_groups.items()},
            )
            for name, those in made.items()
        ]
        order = {each.path: {value: at for at, value in enumerate(each.values)} for each in fields}
        points.sort(key=lambda point: [order[path][value] for path, value in point.place.items()])
        return cls(fields=fields, points=points, repeated=len(runs) - sum(len(those) for those in made.values()))

    @property
    def measures(self) -> list[str]:
        """The measures that are defined in any run."""
        names = dict.fromkeys(name for point in self.points for name in point.values)
        return [each for each in names if any(v is not None for point in self.points for v in point.values[each])]

    def field(self, path: str) -> Field:
        """Return a field by path."""
        return next(each for each in self.fields if each.path == path)


def _of_groups(groups: pa.Table | None) -> dict[str, dict[str, float | None]]:
    """Return the measures of groups, named ``GROUP.MEASURE``, by run."""
    found: dict[str, dict[str, float | None]] = defaultdict(dict)
    if groups is None:
        return found
    names = [each for each in GROUP_MEASURES if each in groups.column_names]
    for row in groups.select(["run_id", "name", *names]).to_pylist():
        for measure in names:
            if row[measure] is not None:
                found[f"{row['name']}.{measure}"][row["run_id"]] = row[measure]
    return found


def _group(path: str, names: Mapping[str, str]) -> str:
    """Return the name of the group to which a field belongs, except for the number of its flows."""
    return "" if path.endswith(".count") and len(names) < 2 else names.get(".".join(path.split(".")[:2]), "")
