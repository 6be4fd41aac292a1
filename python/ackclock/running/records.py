"""Records: optional tables of a run.

A request is ``KIND[@WHERE][/INTERVAL]``: ``arrivals``, ``queue@bottleneck.reverse/10ms``, ``windows@clients-0/100ms``,
``acks@0,9,19``, ``packets@*``. A record of links covers the measured link if none is named, and every link with ``*``;
a record of flows covers all flows if none is named. Record requests never change the behaviour of a run, so they are
not part of the scenario.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ackclock.engine.catalogue import catalogue
from ackclock.scenario import Scenario
from ackclock.scenario.links import links_of
from ackclock.values.errors import ScenarioError, listed, one_of, refuse
from ackclock.values.quantity import TIME, QuantityError

MOST_ROWS: Final = 50_000_000

EVERY_LINK: Final = "*"
"""Stands for all links in a request; without names, a record of links covers the measured link."""


KINDS: Final = catalogue().records
"""The kinds of records, which the engine declares."""


_OF_SOURCES: Final = {
    "pages": ("pages", "web pages"),
    "chunks": ("video", "adaptive video"),
    "control": ("call", "calls that adapt"),
}
"""The kind of source that a record needs, and what such sources make."""


@dataclass(frozen=True)
class Record:
    """A parsed record request."""

    kind: str
    of_links: bool
    """Whether the request names links rather than flows."""
    numbers: tuple[int, ...]
    """The engine's ids of the links or flows."""
    interval: int | None
    """The interval in picoseconds; ``None`` records every change."""

    def for_engine(self) -> dict[str, Any]:
        """Return the request in the engine's form."""
        kind = KINDS[self.kind]
        request: dict[str, Any] = {
            "kind": (kind.engine_kind_of_links if self.of_links else None) or kind.engine_kind,
            "links" if self.of_links else "flows": list(self.numbers),
        }
        return request | ({kind.engine_interval: self.interval} if kind.engine_interval else {})


def understand(requests: Iterable[str], scenario: Scenario) -> list[Record]:
    """Parse record requests for an effective scenario.

    Raises
    ------
    ScenarioError
        A request names something that does not exist, is repeated, or would give more than `MOST_ROWS` rows.
    """
    requests = [requests] if isinstance(requests, str) else list(requests)
    records = [_understand(request, scenario) for request in requests]
    for place, record in enumerate(records):
        if record.kind in (earlier.kind for earlier in records[:place]):
            raise refuse(
                "record",
                requests[place],
                f"must not request {record.kind} twice: separate several links or flows with commas",
            )
    return records


def kind_of(request: str) -> str:
    """Return the kind that a request names, even if there is no such kind.

    Examples
    --------
    >>> kind_of("queue@bottleneck/10ms"), kind_of("arrivals/1s"), kind_of("drops")
    ('queue', 'arrivals', 'drops')
    """
    return request.partition("/")[0].partition("@")[0]


def _understand(request: object, scenario: Scenario) -> Record:
    if not isinstance(request, str):
        raise refuse("record", request, "must be a text such as 'queue@bottleneck/10ms'")
    head, slash, interval_text = request.partition("/")
    name, at, where = head.partition("@")
    if name not in KINDS:
        raise refuse("record", request, f"{one_of(name, KINDS)}, as in queue@bottleneck/10ms")
    kind = KINDS[name]
    if slash and not kind.sampled:
        raise refuse("record", request, f"must not have an interval: {name} records every event")
    interval = _interval(request, interval_text) if slash else None
    if interval is None and kind.default_interval:
        interval = TIME.parse(scenario.measure.bin or "")
    places = where.split(",") if at else None
    of_links = kind.of_links or (kind.engine_kind_of_links is not None and _name_links(places or (), scenario))
    numbers = _links(request, places, scenario) if of_links else _flows(request, places, scenario)
    if name == "transfers" and not any(group.has_transfers for group in scenario.groups):
        raise refuse(
            "record",
            request,
            "requires transfers that end: a source of kind transfers, requests, connections, pages or video, or greedy "
            "with a size",
        )
    if name in _OF_SOURCES:
        source, things = _OF_SOURCES[name]
        if not any(group.source.kind == source for group in scenario.groups):
            raise refuse("record", request, f"requires {things}: a source of kind {source}")
    record = Record(name, of_links, tuple(dict.fromkeys(numbers)), interval)
    _bounded(request, record, scenario)
    return record


def _interval(request: str, text: str) -> int:
    try:
        interval = TIME.parse(text)
    except QuantityError as error:
        raise refuse("record", request, f"the interval {error}") from None
    if interval == 0:
        raise refuse("record", request, "the interval must be above 0 s")
    return interval


def _name_links(places: Sequence[str], scenario: Scenario) -> bool:
    """Return whether a request names links, and no group of the same name."""
    if places == [EVERY_LINK]:
        return True
    links, groups = links_of(scenario), {group.name for group in scenario.groups}
    return bool(places) and all(links.number(place) is not None and place not in groups for place in places)


def _links(request: str, places: Sequence[str] | None, scenario: Scenario) -> list[int]:
    links = links_of(scenario)
    if places == [EVERY_LINK]:
        return list(range(len(links)))
    numbers = []
    for name in [scenario.measure.link or ""] if places is None else places:
        number = links.number(name)
        if number is None:
            raise refuse("record", request, f"there is no link {name!r}: {one_of(name, links.names())}")
        numbers.append(number)
    return numbers


def flows_of_groups(scenario: Scenario) -> dict[str, range]:
    """Return the numbers of the flows of each group, by its name."""
    ends = list(itertools.accumulate((group.flows for group in scenario.groups), initial=0))
    return {
        group.name or "": range(*place) for group, place in zip(scenario.groups, itertools.pairwise(ends), strict=True)
    }


def _flows(request: str, places: Sequence[str] | None, scenario: Scenario) -> list[int]:
    flows, total = flows_of_groups(scenario), sum(group.flows for group in scenario.groups)
    if places is None:
        return list(range(total))
    numbers: list[int] = []
    for place in places:
        if place in flows:
            numbers += flows[place]
        elif place.isascii() and place.isdecimal() and len(place) < 10 and int(place) < total:
            numbers.append(int(place))
        else:
            raise _no_flow(request, place, flows, scenario)
    return numbers


def _no_flow(request: str, place: str, flows: Mapping[str, range], scenario: Scenario) -> ScenarioError:
    last = sum(map(len, flows.values())) - 1
    allowed = f"there is no group or flow {place!r}: must be one of {listed(flows)}, or flow numbers from 0 to {last}"
    if KINDS[kind_of(request)].engine_kind_of_links:
        allowed += f"; or only links: {one_of(place, links_of(scenario).names())}"
    return refuse("record", request, allowed)


def _bounded(request: str, record: Record, scenario: Scenario) -> None:
    if record.interval is None:
        return
    rows = TIME.parse(scenario.duration) // record.interval * len(record.numbers) * KINDS[record.kind].rows
    if rows > MOST_ROWS:
        raise refuse(
            "record",
            request,
            f"must fill at most {MOST_ROWS} rows: this would be {rows}; use a longer interval",
        )
