"""Checks of changes against the links that they change."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic_core import InitErrorDetails

from ackclock.engine import core
from ackclock.scenario import effective
from ackclock.scenario.changes import Change, link_of
from ackclock.scenario.declared import Queue
from ackclock.scenario.links import links_of
from ackclock.scenario.network import BOTTLENECK, GraphLink, Link
from ackclock.values.errors import Location, one_of, wrong
from ackclock.values.quantity import TIME

if TYPE_CHECKING:
    from ackclock.scenario.whole import Scenario


@dataclass
class _State:
    """What the changes so far have made of a link."""

    link: Link | GraphLink
    queue: Queue
    """With all defaults."""
    place: str | None
    """Where packets are lost; ``None`` before the first losses."""


def problems(scenario: "Scenario") -> Iterator[InitErrorDetails]:
    """Check each change: its time, its links, and what changes there."""
    if not scenario.changes:
        return
    names, end = links_of(scenario), TIME.parse(scenario.duration)
    measured = scenario.measure.link or BOTTLENECK
    states: dict[str, _State | None] = {}
    in_order = sorted(enumerate(scenario.changes), key=lambda change: TIME.parse(change[1].at))
    for place, change in in_order:
        at: Location = ("changes", place)
        if TIME.parse(change.at) >= end:
            yield wrong((*at, "at"), change.at, f"must be before the end, at {scenario.duration}")
        for index, name in enumerate(change.links or ((measured,) if change.changes_links else ())):
            where = (*at, "links", index) if change.links else (*at, "links")
            if names.number(name) is None:
                yield wrong(where, name, one_of(name, names.names()), noun="link")
                continue
            if name not in states:
                states[name] = _state(scenario, name)
            state = states[name]
            if state is None:
                yield wrong(where, name, "must not be the link of one of several clients in a group")
            else:
                yield from _fields(at, change, state)


def _state(scenario: "Scenario", name: str) -> _State | None:
    link = link_of(scenario, name)
    if link is None:
        return None
    losses = link.loss or link.loss_trace
    queue = effective.queue(scenario.profile, link.queue or Queue("droptail"), scenario.packet_size)
    return _State(link, queue, losses.place if losses is not None else None)


def _fields(at: Location, change: Change, state: _State) -> Iterator[InitErrorDetails]:
    """Check that each field that changes is not given by a trace, and fits the link."""
    link = state.link
    for name in ("rate", "delay", "loss"):
        if getattr(change, name) is not None and getattr(link, f"{name}_trace") is not None:
            yield wrong((*at, name), getattr(change, name), f"must be absent: the link has a {name}_trace")
    yield from _constant(at, change, link)
    if change.up is False and change.waiting == "lost" and link.shaper is not None:
        yield wrong((*at, "waiting"), change.waiting, "must be kept: packets of a link with a shaper wait for tokens")
    if change.up is False and change.waiting != "lost" and link.rate_trace is not None:
        allowed = "must be lost: the link has a rate_trace, in which a rate of 0 keeps the packets"
        yield wrong((*at, "waiting"), change.waiting or "kept", allowed)
    if change.delay is not None and link.jitter is not None and link.jitter.reorders != bool(change.reorders):
        allowed = f"must be {str(link.jitter.reorders).lower()} as jitter.reorders: a link has one order"
        yield wrong((*at, "reorders"), bool(change.reorders), allowed)
    if change.loss is not None:
        if "place" in change.loss.model_fields_set and state.place not in (None, change.loss.place):
            yield wrong((*at, "loss", "place"), change.loss.place, f"must be {state.place}, as before")
        state.place = state.place or change.loss.place
    if change.queue is not None:
        yield from _queue(at, change.queue, state)


def _constant(at: Location, change: Change, link: Link | GraphLink) -> Iterator[InitErrorDetails]:
    """Check that a link that shares a medium keeps its rate."""
    for name in ("rate", "up") if link.medium is not None else ():
        if getattr(change, name) is not None:
            yield wrong((*at, name), getattr(change, name), "must be absent: a link with a medium has a constant rate")


def _queue(at: Location, given: Queue, state: _State) -> Iterator[InitErrorDetails]:
    """Check that the parameters can change."""
    if given.kind != state.queue.kind:
        yield wrong((*at, "queue", "kind"), given.kind, f"must be {state.queue.kind}, as before")
        return
    after = state.queue.with_given(given)
    found = core.check_queue_change(*(json.dumps(queue.for_engine()) for queue in (state.queue, after)))
    state.queue = after
    if found is not None:
        name, message = found
        # a value that is wrong beside the new ones may be an old one
        yield wrong((*at, "queue", name), getattr(after, name), message.partition("; ")[2] or message)
