"""Generates notices about a capture: facts that a user of its numbers must know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["notices_of"]


def notices_of(facts: Mapping[str, Any], *, asked: int) -> Iterator[str]:
    """Yield a sentence for each irregularity of a capture; ``asked`` is the requested bin width in ns."""
    odd = facts["oddities"]
    if facts["stopped"]:
        where = "of the decompressed data" if facts["gzip"] else "of the file"
        yield (
            f"The file is damaged or truncated: at byte {facts['stopped']['offset']} {where}, "
            f"{facts['stopped']['problem']}. The {facts['packets']} packets before this byte were read."
        )
    if facts["bin"] != asked:
        yield (
            f"The requested bin width is {asked / 1e9:g} s, but the capture is so long that "
            f"{facts['bin'] / 1e9:g} s is used."
        )
    if odd["backwards"]:
        yield (
            f"Time goes backwards at {odd['backwards']} packets: merged interfaces, or a clock that was set. "
            f"{odd['before']} packets are earlier than the first packet and count in no bin."
        )
    if odd["timeless"]:
        yield f"{odd['timeless']} packets have no time in the file: each gets the time of the packet before it."
    if odd["headless"]:
        yield (
            f"{odd['headless']} IP packets have a damaged or truncated header: they count as IP, "
            "but their content is unknown."
        )
    if odd["fragments"]:
        yield (
            f"{odd['fragments']} packets are fragments: each counts separately, and fragments after the first of a "
            "packet have no ports. Retransmitted fragments are not detected."
        )
    if odd["forgotten"]:
        yield (
            f"There were more simultaneous conversations than the limit: {odd['forgotten']} of them were ended early. "
            "Later packets of these conversations count as new conversations."
        )
    unknown = sorted({each["number"] for each in facts["interfaces"] if each["link"] is None})
    if unknown:
        numbers = ", ".join(map(str, unknown))
        yield f"Link type {numbers} is unknown: its packets are counted but not decoded."
