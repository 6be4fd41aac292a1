"""The command that makes one run of a place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.papers.core.claim import run_command
from ackclock.papers.vegas.experiment import Place, scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

_TRACE_FILE = "python/ackclock/papers/vegas/data/trace.csv"
"""Path of the trace from the repository's root, where commands are given."""


def command(place: Place) -> str:
    """Give the command that makes one run of a place, from the repository's root."""
    usual, wanted = scenario(Place()).to_dict(), scenario(place).to_dict()
    return run_command("examples/vegas_beside_reno.toml", list(_differences(usual, wanted)))


def _differences(usual: Any, wanted: Any, path: str = "") -> Iterator[str]:
    """Give what differs between two tables as ``PATH=VALUE``; a source or queue of another kind is given whole."""
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
        fields = (f"{name}={_written(_TRACE_FILE if name == 'path' else part)}" for name, part in value.items())
        return f"{{{', '.join(fields)}}}"
    return f'"{value}"' if isinstance(value, str) else f"{value:g}" if value == int(value) else repr(value)
