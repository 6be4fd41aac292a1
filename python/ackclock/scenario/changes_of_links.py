"""Checks of changes against the links that they change."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic_core import InitErrorDetails

from ackclock.engine import core
from ackclock.scenario import effective
from ackclock.scenario.changes import Change
from ackclock.scenario.declared import Queue
from ackclock.scenario.links import links_of
from ackclock.scenario.network import GraphLink, Link
from ackclock.scenario.routes import directed
from ackclock.values.errors import Location, one_of, wrong
from ackclock.values.quantity import TIME

if TYPE_CHECKING:
    from ackclock.scenario.whole import Scenario


def problems(scenario: "Scenario") -> Iterator[InitErrorDetails]:
    """Check each change: its time, its links, and what changes there."""
    if not scenario.changes:
        return
    names, end = links_of(scenario), TIME.parse(scenario.duration)
    measured = scenario.measure.link or effective.BOTTLENECK
    for place, change in enumerate(scenario.changes):
        at: Location = ("changes", place)
        if TIME.parse(change.at) >= end:
            yield wrong((*at, "at"), change.at, f"must be before the end, at {scenario.duration}")
        for index, name in enumerate(change.links or (measured,)):
            where = (*at, "links", index) if change.links else (*at, "links")
            if names.number(name) is None:
                yield wrong(where, name, one_of(name, names.names()), noun="link")
                continue
            link = _link(scenario, name)
            if link is None:
                yield wrong(where, name, "must not be the link of one of several clients in a group")
            else:
                yield from _fields(scenario, at, change, link)


def _link(scenario: "Scenario", name: str) -> Link | GraphLink | None:
    """Find a directed link; ``None`` for the link of one of several clients in a group."""
    if scenario.dumbbell is None:
        return next(link.link for link in directed(scenario.links) if link.name == name)
    forward = name.removesuffix(".reverse")
    if forward == effective.BOTTLENECK:
        whole = scenario.dumbbell
        return whole.bottleneck if forward == name else whole.reverse or whole.bottleneck.back
    number = int(forward.removeprefix("access."))
    for group in scenario.clients:
        if number < group.count:
            access = group.access or scenario.dumbbell.access
            return access if group.count == 1 else None
        number -= group.count
    return None


def _fields(scenario: "Scenario", at: Location, change: Change, link: Link | GraphLink) -> Iterator[InitErrorDetails]:
    """Check that each field that changes is not given by a trace, and fits the link."""
    for name in ("rate", "delay", "loss"):
        if getattr(change, name) is not None and getattr(link, f"{name}_trace") is not None:
            yield wrong((*at, name), getattr(change, name), f"must be absent: the link has a {name}_trace")
    if change.up is not None and change.waiting == "lost" and link.shaper is not None:
        yield wrong((*at, "waiting"), change.waiting, "must be kept: packets of a link with a shaper wait for tokens")
    if change.loss is not None and link.loss is not None and change.loss.place != link.loss.place:
        yield wrong((*at, "loss", "place"), change.loss.place, f"must be {link.loss.place}, as before")
    if change.queue is not None:
        yield from _queue(scenario, at, change.queue, link.queue or Queue("droptail"))


def _queue(scenario: "Scenario", at: Location, given: Queue, before: Queue) -> Iterator[InitErrorDetails]:
    """Check that the parameters can change."""
    if given.kind != before.kind:
        yield wrong((*at, "queue", "kind"), given.kind, f"must be {before.kind}, as before")
        return
    whole = effective.queue(scenario.profile, before, scenario.packet_size)
    found = core.check_queue_change(*(json.dumps(queue.for_engine()) for queue in (whole, whole.with_given(given))))
    if found is not None:
        name, message = found
        yield wrong((*at, "queue", name), getattr(given, name), message.partition("; ")[2] or message)
