"""Converts the changes of a group of flows into the engine's form."""

from collections.abc import Mapping, Sequence
from typing import Any

from ackclock.scenario import Clients, Flow, Tcp
from ackclock.scenario.changes import Change
from ackclock.values.quantity import TIME


def flow_changes_for_engine(
    group: Clients | Flow, changes: Sequence[Change], nodes: Mapping[str, int]
) -> dict[str, Any]:
    """Convert the changes of a group of an effective scenario, in order; `nodes` numbers the nodes of a graph."""
    found: list[dict[str, Any]] = []
    transport = group.transport
    for change in changes:
        if group.name not in (change.groups or ()):
            continue
        each: dict[str, Any] = {"at": TIME.parse(change.at)}
        if change.transport is not None and isinstance(transport, Tcp):
            transport = transport.with_parameters(change.transport)
            each["congestion"] = transport.law_for_engine()
        if change.via is not None:
            each["via"] = [nodes[name] for name in change.via]
        found.append(each)
    return {"changes": found} if found else {}
