"""Generates notices about a capture: facts that a user of its numbers must know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["notices_of"]


def notices_of(facts: Mapping[str, Any], sums: Mapping[str, int], *, asked: int, names: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each irregularity of a capture.

    Parameters
    ----------
    facts
        What the reader found.
    sums
        The counts of TCP in all conversations.
    asked
        The requested bin width in ns.
    names
        The names of the files.

    """
    odd = facts["oddities"]
    for stopped in facts["stopped"]:
        where = "of the decompressed data" if facts["files"][stopped["file"]]["packing"] else "of the file"
        file = names[stopped["file"]] if len(names) > 1 else "The file"
        yield (
            f"{file} is damaged or truncated: at byte {stopped['offset']} {where}, {stopped['problem']}. "
            "The packets before this byte were read."
        )
    if odd["filtered"]:
        read = facts["packets"] + odd["filtered"]
        yield f"The filter selects {facts['packets']} of {read} packets: all numbers are those of the selected ones."
    if facts["bin"] != asked:
        yield (
            f"The requested bin width is {asked / 1e9:g} s, but the capture is so long that "
            f"{facts['bin'] / 1e9:g} s is used."
        )
    yield from _of_times(odd)
    yield from _of_quality(odd, sums)
    if odd["fragments"]:
        yield (
            f"{odd['fragments']} packets are fragments: each counts separately, and fragments after the first of a "
            "packet have no ports. Retransmitted fragments are not detected."
        )
    if odd["forgotten"]:
        yield (
            f"There were more conversations than the reader keeps in memory: the {odd['forgotten']} that had been idle "
            "for longest were completed early. If one of them continued later, it counts as two."
        )
    yield from _of_protocols(facts)


def _counted(packets: int) -> str:
    return "1 packet is" if packets == 1 else f"{packets} packets are"


def _of_times(odd: Mapping[str, int]) -> Iterator[str]:
    if odd["jumps"]:
        times = "once" if odd["jumps"] == 1 else f"{odd['jumps']} times"
        yield (
            f"The clock jumps {times}, by a second or more back or by an hour or more ahead: it was set, or files were "
            f"merged. Duration and bins are those of the longest part without a jump; {_counted(odd['apart'])} outside "
            "of it."
        )
    if odd["backwards"] > odd["jumps"]:
        yield (
            f"Time goes backwards at {odd['backwards']} packets, as with merged interfaces. {_counted(odd['before'])} "
            "earlier than the first packet and in no bin."
        )
    if odd["timeless"]:
        yield f"{_counted(odd['timeless'])} without a time in the file: in no bin, and without round-trip times."


def _of_quality(odd: Mapping[str, int], sums: Mapping[str, int]) -> Iterator[str]:
    if odd["dropped"]:
        yield f"The file states that {odd['dropped']} packets were dropped before they were captured."
    if sums["missed"]:
        yield (
            f"The capture missed about {sums['missed']} TCP segments ({sums['missed_bytes']:,} bytes): they were "
            "acknowledged but are not in the file."
        )
    if odd["copies"]:
        routed = f" {odd['routed']} of them were captured on two sides of a router." if odd["routed"] else ""
        yield (
            f"{odd['copies']} packets were captured twice: they repeat addresses, header and identification within "
            f"100 ms. They count as packets, but not as retransmissions, duplicate ACKs or round-trip times.{routed}"
        )
    if odd["unread"]:
        yield (
            f"The TCP header of {odd['unread']} segments was not captured: retransmissions and round-trip times are "
            "unknown for them."
        )
    if sums["uncertain"]:
        yield (
            f"For {sums['uncertain']} of {sums['retransmissions'] + sums['overtaken']} segments, only the time tells "
            "whether they were sent again or overtaken by others: their packets have no timestamps and no "
            "identifications that count up."
        )
    if odd["short"]:
        yield (
            f"The file states for {odd['short']} packets that they are shorter than what it has captured of them: they "
            "count with the captured bytes."
        )
    if odd["headless"]:
        yield (
            f"{odd['headless']} IP packets have a damaged or truncated header: they count as IP, "
            "but their content is unknown."
        )


def _of_protocols(facts: Mapping[str, Any]) -> Iterator[str]:
    unknown = sorted({each["number"] for each in facts["interfaces"] if each["link"] is None})
    if unknown:
        numbers = ", ".join(map(str, unknown))
        yield f"Link type {numbers} is unknown: its packets are counted but not decoded."
    closed = {each["name"]: each["packets"] for each in facts["protocols"] if each["layer"] == "network"}
    unread = [(name, count) for name, count in closed.items() if name == "unknown" or name.startswith("type-")]
    if unread:
        names = ", ".join(f"{count} of {name}" for name, count in unread)
        yield f"The content of some packets is not decoded: {names}."
