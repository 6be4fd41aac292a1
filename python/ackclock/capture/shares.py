"""The protocols of a capture as rows of text, for the terminal and for pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.capture.reading import Capture, Protocol

__all__ = ["SHARES", "percent", "shares"]

SHARES: Final = ("packets", "% of all", "% of IP", "bytes", "% of all", "% of IP")


def shares(capture: Capture) -> Iterator[tuple[Protocol, list[str]]]:
    """Tell each protocol's packets and bytes, and their parts of all and, for what IP carries, of IP."""
    for each in capture.mix:
        numbers: list[str] = []
        for part, whole, of_ip in (
            (each.packets, capture.packets, capture.ip_packets),
            (each.bytes, capture.bytes, capture.ip_bytes),
        ):
            numbers += [f"{part:,}", percent(part, whole), percent(part, of_ip) if each.layer == "transport" else ""]
        yield each, numbers


def percent(part: int, whole: int) -> str:
    """Write a part of a whole; a dash where there is no whole."""
    return f"{100 * part / whole:.2f}" if whole else "-"
