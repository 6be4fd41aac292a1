"""What a reader of a capture's numbers must know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["notices_of"]


def notices_of(facts: Mapping[str, Any], *, asked: int) -> Iterator[str]:
    """Tell what is odd about a capture; ``asked`` is the length of a bin as asked for, in ns."""
    odd = facts["oddities"]
    if facts["stopped"]:
        where = "of what gzip holds" if facts["gzip"] else "of the file"
        yield (
            f"The file is damaged or cut: at byte {facts['stopped']['offset']} {where}, {facts['stopped']['problem']}. "
            f"What stands before it was read: {facts['packets']} packets."
        )
    if facts["bin"] != asked:
        yield (
            f"Bins of {asked / 1e9:g} s were asked for: the capture is so long that they are {facts['bin'] / 1e9:g} s."
        )
    if odd["backwards"]:
        yield (
            f"Time runs backwards at {odd['backwards']} packets: interfaces that were merged, or a clock that was set. "
            f"{odd['before']} of all packets are earlier than the first one and in no bin."
        )
    if odd["timeless"]:
        yield f"{odd['timeless']} packets have no time in the file: each was given that of the packet before it."
    if odd["headless"]:
        yield (
            f"{odd['headless']} packets of IP have a damaged header, or too little of it is there: they count as IP, "
            "and what they carry is not known."
        )
    if odd["fragments"]:
        yield (
            f"{odd['fragments']} packets are fragments: each counts for itself, and those after the first of a packet "
            "have no ports. Retransmissions within them are not seen."
        )
    if odd["forgotten"]:
        yield (
            f"There were more conversations than are followed at once: {odd['forgotten']} were ended early, and what "
            "continued after that counts as another one."
        )
    unknown = sorted({each["number"] for each in facts["interfaces"] if each["link"] is None})
    if unknown:
        numbers = ", ".join(map(str, unknown))
        yield f"Link type {numbers} is not known here: its packets are counted, and not looked into."
