"""The largest conversations of a capture as rows of text, for the terminal and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.capture.reading import Capture

__all__ = ["HEAD", "TOP", "conversations", "known", "largest"]

TOP: Final = 10
"""Number of listed conversations."""
HEAD: Final = ("conversation", "packets", "back", "bytes", "back", "sent again", "back", "RTT, ms", "back")


def largest(capture: Capture) -> list[dict[str, Any]]:
    """Return the largest conversations as rows of the table of conversations, with times in ns since 1970."""
    flows = capture.flows.slice(0, TOP)
    for name in ("first", "last"):  # Python's own times have no nanoseconds
        flows = flows.set_column(flows.column_names.index(name), name, flows[name].cast("int64"))
    rows: list[dict[str, Any]] = flows.to_pylist()
    return rows


def conversations(capture: Capture) -> Iterator[list[str]]:
    """Yield a row for each of the largest conversations: endpoints, first sender first, and numbers by direction."""
    for row in largest(capture):
        ends = [_end(row[end], row[f"{end}_port"]) for end in ("source", "destination")]
        tcp = row["protocol"] == "tcp"
        yield [
            f"{row['protocol']} {ends[0]} > {ends[1]}",
            *(f"{row[name]:,}" for name in ("packets", "packets_back", "bytes", "bytes_back")),
            *(known(row[name]) if tcp else "-" for name in ("retransmissions", "retransmissions_back")),
            *("-" if row[name] is None else f"{1e3 * row[name]:.3g}" for name in ("rtt_mean", "rtt_mean_back")),
        ]


def known(number: int | None) -> str:
    """Format a count, or say that it is unknown."""
    return "unknown" if number is None else f"{number:,}"


def _end(address: str, port: int | None) -> str:
    if port is None:
        return address
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
