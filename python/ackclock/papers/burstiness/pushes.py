"""What Vegas sends when duplicate ACKs tell it that the gateway dropped a packet."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.running.run import Run

_WARM = 20
_AT_ONCE = 13e-6
"""Seconds after an ACK within which what leaves was let out by it: the longest processing time, and a little."""


def push(run: Run) -> Mapping[str, float | None]:
    """Take what leaves from `_WARM` seconds on.

    `pushed` are the packets of new data that leave at once for each duplicate ACK; `pushed_loss` and `loss` the
    percentages that the gateway drops of these and of all data sent for the first time.
    """
    import pandas as pd  # noqa: PLC0415 - slow to load

    packets, acks, drops = (run.table(name).to_pandas() for name in ("packets", "acks", "drops"))
    new = (packets["event"] == "enqueue") & (packets["kind"] == "data") & ~packets["retransmission"]
    sent = packets.loc[new & (packets["time"] >= _WARM), ["time", "flow", "segment"]]
    acks = acks.sort_values("time", kind="stable")[["time", "flow", "duplicate"]]
    sent = pd.merge_asof(sent.sort_values("time", kind="stable"), acks, on="time", by="flow", tolerance=_AT_ONCE)
    # The first drop of a segment is that of its first transmission, if it was the first transmission that was dropped.
    first = drops.drop_duplicates(["flow", "segment"]).rename(columns={"time": "dropped"})[
        ["flow", "segment", "dropped"]
    ]
    sent = sent.merge(first, on=["flow", "segment"], how="left")
    lost = sent["dropped"] - sent["time"] < 0.05
    pushed = sent["duplicate"].fillna(value=False).astype(bool)
    heard = int((acks["duplicate"] & (acks["time"] >= _WARM)).sum())
    return {
        "pushed": float(pushed.sum() / heard) if heard else None,
        "pushed_loss": float(100 * lost[pushed].mean()) if pushed.any() else None,
        "loss": float(100 * lost.mean()),
    }
