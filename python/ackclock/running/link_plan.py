"""Converts a link with its traces and changes into the engine's form."""

from collections.abc import Sequence
from typing import Any, Final

from ackclock.scenario import GraphLink, Link, Queue
from ackclock.scenario.changes import Change
from ackclock.scenario.fields import LONGEST_RUN
from ackclock.scenario.law_fields import PYTHON
from ackclock.scenario.media import Medium
from ackclock.scenario.network import Loss
from ackclock.scenario.step_trace import LossTrace
from ackclock.values.quantity import RATE, TIME

_TIMES: Final = ("good_time", "bad_time")
_TIMES_OF_MEDIUM: Final = ("slot", "sifs", "aifs", "preamble", "symbol", "ack", "block_ack", "aggregate_time")
_NEVER: Final = TIME.parse(LONGEST_RUN)
"""The end of the longest run. JavaScript counts it exactly, so that the page of the lab has the same plan."""


def link_for_engine(link: Link | GraphLink, changes: Sequence[Change], own: Sequence[Queue]) -> dict[str, Any]:
    """Convert a link of an effective scenario.

    Parameters
    ----------
    link
        The link.
    changes
        The changes of its direction, in order.
    own
        The queues whose disciplines are written in Python.
    """
    assert link.queue is not None  # noqa: S101  # the scenario is effective
    queue = link.queue.for_engine(own.index(link.queue) if link.queue.kind == PYTHON else 0)
    return {
        "rate": rate_for_engine(link, changes),
        **_delay(link, changes),
        "queue": queue,
        **_queue_changes(link.queue, changes),
        **_losses(link, changes),
        **_impairments(link),
    }


def medium_for_engine(medium: Medium) -> dict[str, Any]:
    """Convert a medium that links share."""
    fields = medium.model_dump(exclude={"name"})
    return {name: TIME.parse(value) if name in _TIMES_OF_MEDIUM else value for name, value in fields.items()}


def rate_for_engine(link: Link | GraphLink, changes: Sequence[Change]) -> int | dict[str, Any]:
    """Return the rate, or its steps and the times in which the link loses its packets."""
    if link.rate_trace is not None:
        course = link.rate_trace.for_engine()
    else:
        course = {"times": [0], "rates": [RATE.parse(link.rate or "")], "period": None}
        if not any(change.rate is not None or change.up is not None for change in changes):
            return int(course["rates"][0])
    times, rates = course["times"], course["rates"]
    rate, since = rates[0], 0
    outages: list[list[int]] = []
    down: str | None = None  # what happens to packets while the link is down
    for change in changes:
        at = TIME.parse(change.at)
        rate = rate if change.rate is None else RATE.parse(change.rate)
        if change.up is not None:
            now = None if change.up else change.waiting or "kept"
            if now != down:
                outages += [[since, at]] if down == "lost" and at > since else []
                down, since = now, at
        if link.rate_trace is None:
            _step(times, rates, at, 0 if down == "kept" else rate)
    if down == "lost":
        outages.append([since, _NEVER])
    elif down == "kept":
        _step(times, rates, _NEVER, rate)  # after any run, since the engine lets every rate of 0 end
    return {**course, **({"outages": outages} if outages else {})}


def _step(times: list[int], values: list[int], at: int, value: int) -> None:
    if times[-1] == at:
        values[-1] = value
    elif values[-1] != value:
        times.append(at)
        values.append(value)


def _delay(link: Link | GraphLink, changes: Sequence[Change]) -> dict[str, Any]:
    """Return the delay, or the least one and what is added to it in steps."""
    trace = link.delay_trace
    if trace is None:
        changed = [change for change in changes if change.delay is not None]
        first = TIME.parse(link.delay or "")
        if not changed:
            return {"delay": first}
        times, delays, period = [0], [first], None
        for change in changed:
            _step(times, delays, TIME.parse(change.at), TIME.parse(change.delay or ""))
        reorders = any(change.reorders for change in changed)
    else:
        course = trace.course()
        times, delays = course.times.tolist(), [round(delay) for delay in course.values.tolist()]
        period, reorders = course.period, trace.reorders
    least = min(delays)
    extra = [delay - least for delay in delays]
    return {
        "delay": least,
        "delay_trace": {"times": times, "extra": extra, "period": period, "reorders": reorders},
    }


def _queue_changes(queue: Queue, changes: Sequence[Change]) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    for change in changes:
        if change.queue is not None:
            queue = queue.with_given(change.queue)
            found.append({"at": TIME.parse(change.at), "queue": queue.for_engine()})
    return {"queue_changes": found} if found else {}


def _losses(link: Link | GraphLink, changes: Sequence[Change]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    first = link.loss or link.loss_trace
    later = [(change.at, change.loss) for change in changes if change.loss is not None]
    if first is not None:
        found["loss"] = _loss(first)
    if later:
        found["loss_changes"] = [{"at": TIME.parse(at), "loss": _loss(loss)} for at, loss in later]
    if found and (place := (first or later[0][1]).place) != "before":
        found["loss_place"] = place
    return found


def _loss(loss: Loss | LossTrace) -> dict[str, Any]:
    if isinstance(loss, LossTrace):
        course = loss.course()
        return {
            "kind": "trace",
            "times": course.times.tolist(),
            "probabilities": course.values.tolist(),
            "period": course.period,
        }
    fields = loss.model_dump(exclude={"place"}, exclude_none=True)
    return {name: TIME.parse(value) if name in _TIMES else value for name, value in fields.items()}


def _impairments(link: Link | GraphLink) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, bucket in (("policer", link.policer), ("shaper", link.shaper)):
        if bucket is not None:
            found[name] = {"rate": RATE.parse(bucket.rate), "burst": bucket.burst}
    if link.framing is not None:
        found["framing"] = link.framing.model_dump()
    if link.jitter is not None:
        found["jitter"] = {"max": TIME.parse(link.jitter.max), "reorders": link.jitter.reorders}
    if isinstance(link, GraphLink) and link.weight is not None:
        found["weight"] = link.weight
    if link.reorder is not None:
        found["reorder"] = {"probability": link.reorder.probability, "delay": TIME.parse(link.reorder.delay)}
    return found
