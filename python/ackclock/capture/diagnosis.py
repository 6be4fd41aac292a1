"""Diagnoses the busiest TCP connection of a capture in one sentence. The guide on captures states the rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.values.columns import numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from ackclock.capture.reading import Capture

__all__ = ["Diagnosis", "busiest", "chosen", "diagnose", "is_single", "of_connection"]


LEAST_SAMPLES: Final = 10
"""Fewest round-trip times for a diagnosis of a transfer."""
LEAST_BYTES: Final = 20_000
"""Smallest transfer that is diagnosed."""
LONG_QUEUE: Final = 0.030
"""Mean queueing delay in s from which a transfer waits."""
LOSSY: Final = 0.01
"""Share of segments that were sent again, from which losses limit a transfer."""
MARKED: Final = 0.01
"""Share of marked packets or of ACKs that echo marks, from which marks are reported."""
NEAR: Final = 0.1
"""Share of the round-trip time beyond the point of capture, below which the receiver is near."""
SHORT: Final = 1e-3
"""Round-trip time in s beyond the point of capture below which the receiver is near, if the rest is unknown."""
ALONE: Final = 0.9
"""Share of a capture's bytes from which a connection is its only subject."""
MOST_CLOSED: Final = 3
"""Segments with a closed window from which the receiver is the limit wherever the capture was made."""
MOST: Final = 0.5
"""Share of the time from which something limits a transfer."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a connection suffers from."""

    kind: str
    """``bufferbloat``, ``loss``, ``receiver``, ``application``, ``refused``, ``reset``, ``marked``, ``healthy``,
    or ``unclear`` if the capture shows too little."""
    text: str
    """One sentence with numbers."""
    connection: int | None = None
    """The number of the connection."""


def busiest(flows: pa.Table) -> dict[str, Any] | None:
    """Return the row of the connection with the most data in one direction; None without a TCP connection."""
    places = np.flatnonzero(~np.isnan(numbers(flows["connection"])))
    if not places.size:
        return None
    most = np.nan_to_num(np.fmax(numbers(flows["payload"]), numbers(flows["payload_back"])))
    return _row(flows, int(places[np.argmax(most[places])]))


def of_connection(flows: pa.Table, connection: int) -> dict[str, Any] | None:
    """Return the row of a connection; None if the table has no such row."""
    places = np.flatnonzero(numbers(flows["connection"]) == connection)
    return _row(flows, int(places[0])) if places.size else None


def chosen(flows: pa.Table, connection: int | None) -> dict[str, Any] | None:
    """Return the row of a connection, or of the busiest one."""
    return busiest(flows) if connection is None else of_connection(flows, connection)


def is_single(capture: Capture) -> bool:
    """Return whether one TCP connection has most of a capture's bytes: its arrivals follow its window."""
    row = busiest(capture.flows)
    return row is not None and row["bytes"] + row["bytes_back"] >= ALONE * capture.bytes


def _row(flows: pa.Table, place: int) -> dict[str, Any]:
    # Python's own times have no nanoseconds
    rows: list[dict[str, Any]] = flows.drop_columns(["first", "last"]).slice(place, 1).to_pylist()
    return rows[0]


def diagnose(row: Mapping[str, Any] | None) -> Diagnosis:
    """Diagnose a connection from its row of the table of flows."""
    if row is None:
        return Diagnosis("unclear", "Too little to diagnose: there is no TCP connection.")
    kind, text = _of_connection(row)
    return Diagnosis(kind, text, row["connection"])


def _of_connection(row: Mapping[str, Any]) -> tuple[str, str]:
    back = "_back" if row["payload_back"] > row["payload"] else ""
    other = "" if back else "_back"
    sent = row[f"payload{back}"]
    if row[f"retransmissions{back}"] is None:
        return "unclear", "Too little to diagnose: TCP's headers were not captured."
    is_begun = row["sack_permitted"] is not None
    if is_begun and not sent and row["sack_permitted_back"] is None and row["resets_back"]:
        return "refused", (
            f"This connection was refused: {row['destination']} port {row['destination_port']} answered "
            "the SYN with a reset."
        )
    transfer = "download" if back else "upload"
    resets = {"sender": row[f"resets{back}"], "receiver": row[f"resets{other}"]}
    if any(resets.values()) and not row["fins"] + row["fins_back"]:
        who = max(resets, key=lambda end: resets[end])
        return "reset", f"This {transfer} was reset: its {who} ended it after {_bytes(sent)} without a FIN."
    if not row["packets"] or not row["packets_back"]:
        return "unclear", (
            "Too little to diagnose: the capture has packets of one direction of this connection only; capture both "
            "directions."
        )
    if sent < LEAST_BYTES or row[f"rtt_samples{back}"] < LEAST_SAMPLES:
        samples = row[f"rtt_samples{back}"]
        return "unclear", (
            f"Too little to diagnose: the largest transfer has {_bytes(sent)} and {samples} round-trip times, "
            f"and {_bytes(LEAST_BYTES)} and {LEAST_SAMPLES} are needed."
        )
    return _of_transfer(row, back, other, f"This {transfer}")


def _of_transfer(row: Mapping[str, Any], back: str, other: str, this: str) -> tuple[str, str]:
    shortest = row[f"rtt_min{back}"] + (row[f"rtt_min{other}"] or 0.0)
    queue = row[f"queue_mean{back}"]
    lost = max(row[f"retransmissions{back}"] - row[f"spurious{back}"], 0) / row[f"packets{back}"]
    marked, echoed = row[f"ce{back}"] / row[f"packets{back}"], row[f"ece{other}"] / max(row[f"packets{other}"], 1)
    if not row[f"cwr{back}"]:  # with accurate feedback (RFC 9768), the flag is part of a counter
        echoed = 0.0
    longest = row[f"queue_p95{back}"]
    too_large = "; the buffer there is too large (bufferbloat)" if longest > shortest else ""
    rate = f"{row[f'goodput{back}'] / 1e6:.3g} Mb/s" if row[f"goodput{back}"] else "no rate"
    delays = f"RTT {_ms(shortest)} at least, {_ms(shortest + queue)} on average"
    needless = row[f"spurious{back}"]
    again = f"{100 * row[f'retransmissions{back}'] / row[f'packets{back}']:.2g} % of segments sent again"
    again += f" ({needless:,} without need)" if needless else ""
    # without the other half of the round trip, a tap beside the receiver shows nothing but a very short one
    is_near = row[f"rtt_min{back}"] < (NEAR * shortest if row[f"rtt_min{other}"] is not None else SHORT)
    causes = ", ".join(
        f"{row[name + back]} {words}"
        for name, words in (("fast", "fast"), ("timeouts", "by timeouts"), ("tail_probes", "as tail probes"))
        if row[name + back]
    )
    receiver, application = (row[f"{name}_limited{back}"] or 0.0 for name in ("receiver", "application"))
    summary = f"{rate}, {delays}, {again}"
    rules = (
        (
            "receiver",
            receiver >= MOST and (not is_near or row[f"zero_windows{other}"] >= MOST_CLOSED),
            f"is limited by its receiver: the window is full for {_share(receiver)} of the time; {summary}",
        ),
        (
            "application",
            application >= MOST and not is_near,
            (
                f"is limited by its application: it has too little to send for {_share(application)} of the time; "
                f"{summary}"
            ),
        ),
        (
            "bufferbloat",
            queue >= LONG_QUEUE and not is_near,
            (
                f"waits: {delays}; {_ms(queue)} of queue between the point of capture and the receiver "
                f"(95th percentile {_ms(longest)}){too_large}; {rate}, {again}"
            ),
        ),
        ("marked", max(marked, echoed) >= MARKED, f"is slowed by ECN: {_marks(row, back, marked, echoed)}; {summary}"),
        ("loss", lost >= LOSSY, f"is limited by losses: {again} ({causes or 'cause unknown'}); {rate}, {delays}"),
        (
            "unclear",
            is_near,
            (
                f"has {rate} and {again}, but it was captured near its receiver, where the queue does not show: "
                "capture near the sender"
            ),
        ),
    )
    healthy = ("healthy", f"has {rate}, {delays}, {again}: neither queue, losses nor windows stand out")
    kind, text = next(((kind, text) for kind, holds, text in rules if holds), healthy)
    return kind, f"{this} {text}."


def _marks(row: Mapping[str, Any], back: str, marked: float, echoed: float) -> str:
    """Say how many packets were marked. With classic feedback, ACKs echo a mark until the sender has answered it."""
    if marked >= MARKED:
        return f"{_share(marked)} of packets have a mark"
    answered = row[f"cwr{back}"]
    return f"{_share(echoed)} of ACKs echo a mark" + (
        f", which the sender answered {answered:,} times" if answered else ""
    )


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"


def _share(share: float) -> str:
    return f"{100 * share:.3g} %"


def _bytes(count: int) -> str:
    return f"{count:,} bytes"
