"""What the rules share: intervals at places, what becomes of Vegas there, words, and the command of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ackclock.papers.reading import listed, run_command, shown
from ackclock.papers.truth import Truth, count
from ackclock.papers.vegas.evidence import line
from ackclock.papers.vegas.experiment import GATEWAYS, Place, scenario
from ackclock.papers.vegas.measures import OUTCOMES, holds_its_own, interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.vegas.measures import Measure, Runs

__all__ = ["along", "at_each", "by_buffer", "by_gateway", "command", "outcomes", "tally", "told_along"]

TRACE_FILE = "python/ackclock/papers/vegas/data/trace.csv"
"""Where the trace lies, seen from where commands are given."""


def along(runs: Runs, where: Iterable[Place], measure: Measure = "ratio") -> dict[Place, Interval]:
    """Give the means of a measure at those of some places that were run.

    Raises
    ------
    LookupError
        If none was.

    """
    found = {place: interval(runs, place, measure) for place in where if place in runs}
    if not found:
        raise LookupError("none of these places was run")
    return found


def outcomes(runs: Runs, where: Iterable[Place]) -> dict[Place, Truth]:
    """Say at each of some places whether Vegas holds its own."""
    return {place: holds_its_own(ratio) for place, ratio in along(runs, where).items()}


def tally(found: Mapping[Place, Truth]) -> str:
    """Count the outcomes, in words."""
    counts = {words: count(found.values(), one) for one, words in OUTCOMES.items()}
    parts = [f"{words} at {number}" for words, number in counts.items() if number]
    return f"of {len(found)} points Vegas {listed(parts)}"


def by_buffer(points: Mapping[Place, Interval], digits: int = 2) -> str:
    """Write the means along the buffer, one kind of place."""
    return ", ".join(f"{place.buffer:,}: {shown(point, digits)}" for place, point in points.items())


def told_along(
    what: str, lines: Mapping[str, Sequence[Place]], *, measure: Measure = "ratio", digits: int = 2
) -> Callable[[Runs], str]:
    """Make the words on some lines of places, by their names: those lines that were run."""

    def say(runs: Runs) -> str:
        there = {name: where for name, where in lines.items() if any(place in runs for place in where)}
        if not there:
            raise LookupError("none of these places was run")
        parts = (f"{name} {by_buffer(along(runs, where, measure), digits)}" for name, where in there.items())
        return f"{what} by the buffer: " + "; ".join(part.strip() for part in parts)

    return say


def at_each(
    what: str, where: Mapping[str, Place], *, measure: Measure = "ratio", digits: int = 2
) -> Callable[[Runs], str]:
    """Make the words on single places, by their names: those that were run."""

    def say(runs: Runs) -> str:
        there = {name: interval(runs, place, measure) for name, place in where.items() if place in runs}
        if not there:
            raise LookupError("none of these places was run")
        return f"{what}: " + ", ".join(f"{name} {shown(point, digits)}" for name, point in there.items())

    return say


def by_gateway(place: Place) -> dict[str, list[Place]]:
    """Give a place at every buffer, behind each gateway, by their names."""
    return {gateway: line(replace(place, gateway=gateway)) for gateway in GATEWAYS}


def command(place: Place) -> str:
    """Give the command that makes one run of a place, from the repository's root."""
    usual, wanted = scenario(Place()).to_dict(), scenario(place).to_dict()
    return run_command("examples/vegas_beside_reno.toml", list(_differences(usual, wanted)))


def _differences(usual: Any, wanted: Any, path: str = "") -> Iterator[str]:
    """Give what differs between two tables as ``PATH=VALUE``: a source or a queue of another kind is told whole."""
    if isinstance(usual, dict) and isinstance(wanted, dict) and usual.get("kind") == wanted.get("kind"):
        for name, value in wanted.items():
            if value != usual.get(name):
                yield from _differences(usual.get(name), value, f"{path}.{name}".strip("."))
    elif isinstance(usual, list):
        for place, pair in enumerate(zip(usual, wanted, strict=True)):
            yield from _differences(*pair, f"{path}.{place}")
    elif usual != wanted:
        yield f"{path}={_written(wanted)}"


def _written(value: Any) -> str:
    """Write a value as TOML has it."""
    if isinstance(value, dict):
        fields = (f"{name}={_written(TRACE_FILE if name == 'path' else part)}" for name, part in value.items())
        return f"{{{', '.join(fields)}}}"
    return f'"{value}"' if isinstance(value, str) else f"{value:g}" if value == int(value) else repr(value)
