"""Notices about records without rows: a table that could have rows has none for a reason, which these notices name."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ackclock.engine import core
from ackclock.running.records import EVERY_LINK, KINDS, Record, understand
from ackclock.scenario import Scenario, Tcp
from ackclock.scenario.links import links_of

_MOST_NAMED: Final = 3


def without_rows(requests: Sequence[str], tables: Mapping[str, core.Rows], scenario: Scenario) -> Iterator[str]:
    """Explain each requested table of a run that has no rows.

    Parameters
    ----------
    requests
        The requested records.
    tables
        The tables of the run, by kind.
    scenario
        The effective scenario.
    """
    empty = {name for name, rows in tables.items() if name in KINDS and rows.is_empty()}
    if not empty:
        return
    links = links_of(scenario)
    for record in understand(requests, scenario):
        if record.kind not in empty:
            continue
        kind = KINDS[record.kind]
        reason = kind.empty or ("nothing happened" if kind.of_links else _of_flows(record, scenario))
        if kind.of_links:
            names = [links.name(number) for number in record.numbers[:_MOST_NAMED]]
            more = len(record.numbers) - len(names)
            reason += f" at {', '.join(names)}" + (f" and {more} more links" if more else "")
            if len(record.numbers) < len(links):
                reason += f"; {record.kind}@{EVERY_LINK} covers every link"
        yield f"The record {record.kind} has no rows: {reason}."


def _of_flows(record: Record, scenario: Scenario) -> str:
    """Return why a record of flows has no rows."""
    tcp = [isinstance(group.transport, Tcp) for group in scenario.groups for _ in range(group.flows)]
    if not any(tcp[flow] for flow in record.numbers):
        return "none of these flows is TCP"
    if record.kind == "states":
        return "the window laws of these flows have no state variables (`ackclock list states`)"
    return "no sender of these flows received an ACK"
