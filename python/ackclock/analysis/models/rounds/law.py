"""What the round model asks of a congestion-control law."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]
    Counts = NDArray[np.int64]
    Flags = NDArray[np.bool_]


class Windows(Protocol):
    """Congestion windows of the flows of a group, in packets, with one row per replication."""

    window: Reals

    def acknowledge(self, new: Counts, flight: Counts, round_trip: Reals) -> None:
        """Change the windows for a step's new ACKs.

        Parameters
        ----------
        new
            Number of packets that each flow's new ACKs acknowledge.
        flight
            Packets that each flow had in flight before these ACKs.
        round_trip
            Round-trip time of the acknowledged packets in each replication, in seconds.

        """

    def lose(self, which: Flags) -> None:
        """Reduce the windows of flows that have detected a loss by duplicate ACKs."""

    def expire(self, which: Flags) -> None:
        """Reduce the windows of flows whose timer has expired."""


class Law(Protocol):
    """A congestion-control law: its parameters, and how its flows detect and repair losses."""

    @property
    def duplicates(self) -> int:
        """Number of duplicate ACKs by which a loss is detected."""

    @property
    def repairs_all(self) -> bool:
        """Whether further losses of a window are repaired without a timeout."""

    def windows(self, shape: tuple[int, int], initial_window: float, max_window: float) -> Windows:
        """Make the initial windows of a group."""
