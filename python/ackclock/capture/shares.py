"""The protocols of a capture as rows of text, for the terminal and for pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.capture.reading import Capture, Protocol

__all__ = ["SHARES", "percent", "shares"]

SHARES: Final = ("packets", "% of all", "% of IP", "bytes", "% of all", "% of IP")


def shares(capture: Capture) -> Iterator[tuple[Protocol, list[str]]]:
    """Yield each protocol's packets and bytes, and their shares of all packets and of IP packets."""
    for each in capture.mix:
        numbers: list[str] = []
        for part, whole, of_ip in (
            (each.packets, capture.packets, capture.ip_packets),
            (each.bytes, capture.bytes, capture.ip_bytes),
        ):
            numbers += [f"{part:,}", percent(part, whole), percent(part, of_ip) if each.layer == "transport" else ""]
        yield each, numbers


def percent(part: int, whole: int) -> str:
    """Format a share in percent; a dash if the whole is zero."""
    return f"{100 * part / whole:.2f}" if whole else "-"
