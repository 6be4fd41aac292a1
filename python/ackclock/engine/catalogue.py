"""The engine's catalogue: its laws, queues and senders, with their parameters, its records and its measures.

Each congestion-control law (window law) and each queue discipline declares its parameters in its Rust file. Senders
declare their options in Rust as well, and so do records with their columns, and summaries with their measures. The
scenario's fields, its validation, the plan, the JSON Schema, the classes of summaries and ``ackclock list`` are derived
from these declarations, so that a new law, queue, option, record or measure needs no Python code.
"""

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ackclock.engine import core
from ackclock.values import kinds
from ackclock.values.kinds import Kind
from ackclock.values.quantity import RATE, TIME, Quantity


@dataclass(frozen=True)
class Parameter:
    """A parameter that a window law or a queue discipline declares."""

    name: str
    doc: str
    kind: Kind
    """The allowed values."""
    default: bool | float | str
    quantity: Quantity | None = None
    """Of a time or a rate, which is a text with a unit in a scenario and an integer (ps, bit/s) in the engine."""
    word: str | None = None
    """A word that is allowed instead of a time or a rate."""

    def for_engine(self, value: object) -> object:
        """Convert a valid value to the engine's form: times and rates to integers, and None for the word instead."""
        if self.quantity is None:
            return value
        return None if value == self.word else self.quantity.parse(str(value))


@dataclass(frozen=True)
class Entry:
    """A window law or a queue discipline, with its declared parameters."""

    doc: str
    parameters: Mapping[str, Parameter]


@dataclass(frozen=True)
class Gauge:
    """A quantity of the state of a queue discipline (record ``gauges``) or of a window law (record ``states``)."""

    doc: str
    unit: str
    """The unit; empty for numbers without a unit."""


@dataclass(frozen=True)
class LawState:
    """What a window law holds besides the window, which the record ``states`` contains."""

    phases: Sequence[str]
    variables: Mapping[str, Gauge]
    """The law's variables, by name; empty if the window is its whole state."""


@dataclass(frozen=True)
class Variant:
    """A named TCP sender: a window law, or Reno's law with a certain loss recovery."""

    doc: str
    recovery: str | None
    """The loss recovery that the name fixes; with None, the option ``recovery`` selects it."""
    congestion: str
    era: str
    """When the variant was published, or that it fixes a recovery; in the order of the texts."""


@dataclass(frozen=True)
class RecordKind:
    """A kind of recorded table, such as ``arrivals``."""

    doc: str
    of_links: bool
    """Whether the table records links rather than flows."""
    sampled: bool
    """Whether a request may give an interval."""
    columns: Mapping[str, str]
    """The unit of each column, by name; empty for numbers without a unit, and words."""
    engine_kind: str
    """Name of the record in the engine's plan."""
    engine_interval: str | None = None
    """Name of the interval in the engine's plan."""
    default_interval: bool = False
    """Whether the interval defaults to ``measure.bin``."""
    rows: int = 1
    """Maximum number of rows of a link or flow at one time."""
    empty: str = ""
    """Why a run has no rows; empty if the reason depends on the scenario."""
    engine_kind_of_links: str | None = None
    """The same name if a request names links, for a record of flows that allows them."""
    columns_of_links: Mapping[str, str] | None = None
    """The columns if a request of such a record names links."""


@dataclass(frozen=True)
class Measure:
    """A number of a summary, such as ``loss``."""

    name: str
    doc: str
    """The meaning, in Markdown."""
    details: Sequence[str]
    """Further paragraphs of the definition."""
    kind: type[int] | type[float]
    nullable: bool
    """Whether a value may be undefined."""
    unit: str
    """The unit of the values; empty for counts of events, ratios and shares."""
    shown: str
    """The unit in which values are displayed."""
    factor: float
    """The factor that converts to this unit."""
    levels: Sequence[str]
    """What has the measure: ``run``, ``link`` or ``group``."""
    title: str | None
    """The name in titles and on axes; a measure without a title is not printed and not drawn."""
    column: bool
    """Whether a printed table of groups has a column for it."""
    later: Mapping[str, int | None]
    """By level, the value in results of earlier versions that lack the measure."""

    @property
    def meaning(self) -> str:
        """The meaning, with the unit of times."""
        return f"{self.doc.removesuffix('.')}, s." if self.unit == "s" else self.doc


@dataclass(frozen=True)
class Catalogue:
    """The engine's variants, window laws with their states, queues, gauges, records, measures and options, by name."""

    version: str
    revision: str
    """A hash of the engine's sources: the same revision gives the same results."""
    variants: Mapping[str, Variant]
    congestion: Mapping[str, Entry]
    queues: Mapping[str, Entry]
    gauges: Mapping[str, Gauge]
    states: Mapping[str, LawState]
    """What each window law holds."""
    records: Mapping[str, RecordKind]
    measures: Mapping[str, Measure]
    """The numbers of summaries, in their order."""
    codepoints: Mapping[str, int]
    """Codepoints of differentiated services, by their names."""
    options: Mapping[str, Mapping[str, Parameter]]
    """The options of TCP: by section of the plan (``receiver``, ``sender`` or ``rtt``), then by name."""

    @property
    def tcp_options(self) -> dict[str, Parameter]:
        """The options of TCP from all sections of the plan, by name."""
        return {name: option for part in self.options.values() for name, option in part.items()}

    def measures_of(self, level: str) -> dict[str, Measure]:
        """Return the measures of a ``run``, ``link`` or ``group``, by name."""
        return {name: measure for name, measure in self.measures.items() if level in measure.levels}

    @property
    def queue_classes(self) -> dict[str, str]:
        """The queues by the name under which ``ackclock`` has them: ``FqCodel`` for ``fq_codel``.

        Examples
        --------
        >>> list(catalogue().queue_classes)[2:4]
        ['CoDel', 'DropTail']
        """
        return {_SPELLED.get(name, name.title().replace("_", "")): name for name in self.queues}

    def named(self, variant: str, recovery: str) -> str:
        """Return the variant that is named after a pair of law and recovery: ``sack`` for Reno with this recovery."""
        law = self.variants[variant].congestion
        same = (name for name, each in self.variants.items() if (each.congestion, each.recovery) == (law, recovery))
        return next(same, variant)

    def law_of(self, variant: str) -> Entry:
        """Return the window law of a TCP variant."""
        return self.congestion[self.variants[variant].congestion]


_SPELLED = {"codel": "CoDel", "droptail": "DropTail", "dualpi2": "DualPi2"}
"""Names of queues that have capitals within a word."""


@functools.cache
def catalogue() -> Catalogue:
    """Read the engine's catalogue, once.

    Examples
    --------
    >>> sorted(catalogue().queues)
    ['cake', 'cobalt', 'codel', 'droptail', 'dualpi2', 'fq', 'fq_codel', 'pie', 'priority', 'red']
    """
    described = json.loads(core.catalogue())
    return Catalogue(
        version=described["version"],
        revision=described["revision"],
        variants=MappingProxyType({name: Variant(**each) for name, each in described["variants"].items()}),
        congestion=_entries(described["congestion"]),
        queues=_entries(described["queues"]),
        gauges=MappingProxyType({name: Gauge(**each) for name, each in described["gauges"].items()}),
        states=MappingProxyType({name: _state(each) for name, each in described["states"].items()}),
        records=MappingProxyType(_records(described["records"])),
        measures=MappingProxyType({each["name"]: _measure(**each) for each in described["measures"]}),
        codepoints=MappingProxyType(described["codepoints"]),
        options=MappingProxyType(
            {part: _parameters(described["options"][part]) for part in ("receiver", "sender", "rtt")}
        ),
    )


def _entries(described: dict[str, Any]) -> Mapping[str, Entry]:
    return MappingProxyType({name: _entry(each) for name, each in described.items()})


def _state(described: dict[str, Any]) -> LawState:
    variables = {each["name"]: Gauge(doc=each["doc"], unit=each["unit"]) for each in described["variables"]}
    return LawState(phases=tuple(described["phases"]), variables=MappingProxyType(variables))


def _records(described: list[dict[str, Any]]) -> dict[str, RecordKind]:
    also_of_links = {each["name"]: each for each in described if each["of_another"]}
    records = {}
    for each in described:
        if each["of_another"]:
            continue
        interval, links = each["interval"], also_of_links.get(each["name"])
        records[each["name"]] = RecordKind(
            doc=each["doc"],
            of_links=each["of"] == "links",
            sampled=interval is not None,
            columns=_units(each),
            engine_kind=each["kind"],
            engine_interval=interval and interval["name"],
            default_interval=interval is not None and interval["required"],
            rows=each["rows"],
            empty=each["empty"],
            engine_kind_of_links=links["kind"] if links else None,
            columns_of_links=_units(links) if links else None,
        )
    return records


def _measure(*, doc: str, type: str, later: dict[str, Any] | None, **others: Any) -> Measure:  # noqa: A002  # the key
    meaning, *details = (" ".join(paragraph.split()) for paragraph in doc.split("\n\n"))
    kind = int if type == "integer" else float
    lacking = dict.fromkeys(later["levels"], later["value"]) if later else {}
    return Measure(doc=meaning, details=details, kind=kind, later=lacking, **others)


def _units(described: dict[str, Any]) -> Mapping[str, str]:
    return MappingProxyType({column["name"]: column["unit"] for column in described["columns"]})


def _entry(described: dict[str, Any]) -> Entry:
    return Entry(doc=described["doc"], parameters=_parameters(described["parameters"]))


def _parameters(described: list[dict[str, Any]]) -> Mapping[str, Parameter]:
    parameters = map(_parameter, described)
    return MappingProxyType({each.name: each for each in parameters})


def _parameter(described: dict[str, Any]) -> Parameter:
    name, doc, default = described["name"], described["doc"].strip(), described["default"]
    match described["kind"]:
        case "time" | "rate" as of:
            quantity = TIME if of == "time" else RATE
            kind = kinds.measured(quantity, quantity.format(described["min"]), quantity.format(described["max"]))
            word = described["or"]
            if word is not None:
                kind = kinds.word_or([word], kind)
            text = word if default is None else quantity.format(default)
            return Parameter(name, doc, kind, text, quantity=quantity, word=word)
        case "whole":
            kind = kinds.whole(described["min"], described["max"])
        case "flag":
            kind = kinds.flag()
        case "choice":
            kind = kinds.word(described["choices"])
        case _:
            kind = kinds.number(low=described["min"], high=described["max"], above=described["above"])
    return Parameter(name, doc, kind, default)
