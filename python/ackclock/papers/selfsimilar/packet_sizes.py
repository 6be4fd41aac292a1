"""Packet size against time, f(t), of any table of times and sizes, and its Hurst parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis import hurst

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.analysis import Hurst

    Reals = NDArray[np.float64]

__all__ = ["Memory", "PacketSizes", "memory"]

_MOST_BINS: Final = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class PacketSizes:
    """The packets of a capture, real or simulated.

    Parameters
    ----------
    time
        When each was seen, in seconds, in any order; two or more, not all at once.
    size
        Its bytes.

    Raises
    ------
    ValueError
        If there are not as many times as sizes, or one of them is not allowed.

    """

    time: Reals
    size: Reals

    def __post_init__(self) -> None:
        if self.time.ndim != 1 or self.time.shape != self.size.shape:
            raise ValueError(f"size: must be as many as times, {self.time.shape}, not {self.size.shape}")
        if not (np.isfinite(self.time).all() and self.time.size > 1 and np.ptp(self.time) > 0):
            raise ValueError("time: must be finite, of two packets or more, and not all the same")
        if not np.isfinite(self.size).all() or self.size.min() < 0:
            raise ValueError("size: must be finite and not below 0")

    @property
    def length(self) -> float:
        """Seconds from the first packet to the last."""
        return float(np.ptp(self.time))

    @property
    def bin(self) -> float:
        """The shortest power of ten, in seconds, of which 10,000 or fewer cover the length."""
        return 10.0 ** math.ceil(math.log10(self.length / _MOST_BINS))

    def per_bin(self, width: float) -> tuple[Reals, Reals]:
        """Give the packets and the bytes in each whole bin of so many seconds from the first packet on.

        Of less than one bin, that one.
        """
        place = ((self.time - self.time.min()) / width).astype(np.int64)
        count = max(int(self.length / width), 1)
        packets = np.bincount(place, minlength=count)[:count].astype(np.float64)
        return packets, np.asarray(np.bincount(place, self.size, minlength=count)[:count], dtype=np.float64)


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """A series of packet sizes, and what is known of its Hurst parameter.

    Parameters
    ----------
    name
        What its values are.
    values
        Bytes.
    found
        None where it has too few values, or all are the same.

    """

    name: str
    values: Reals
    found: Hurst | None

    @property
    def long_range(self) -> bool:
        """Whether long-range dependence can be claimed."""
        return self.found is not None and self.found.long_range


def memory(sizes: PacketSizes) -> tuple[Memory, ...]:
    """Look at packet sizes one by one, in order of time, and at bytes in `PacketSizes.bin` and in ten times that."""
    series = {"f(t), packet by packet": sizes.size[np.argsort(sizes.time, kind="stable")]}
    for width in (sizes.bin, 10 * sizes.bin):
        series[f"bytes in {width:g} s"] = sizes.per_bin(width)[1]
    return tuple(Memory(name=name, values=values, found=_hurst(values)) for name, values in series.items())


def _hurst(values: Reals) -> Hurst | None:
    try:
        return hurst(values)
    except ValueError:
        return None
