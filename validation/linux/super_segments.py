"""Sizes of super-segments of one flow with segmentation offload, measured on the kernel and simulated."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import ackclock as ac
from linux.data import rows
from linux.senders import bottleneck, scenario, transport

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

DURATION_S, FROM_S = 6.0, 2.1
"""Duration of a run, and the time from which super-segments count, 2 s after the first one."""
_ARRIVALS = pa.array(["enqueue", "drop"])
_TOGETHER_S = 2e-6
"""Packets of one super-segment follow each other in less than this time on a link without a limit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """A flow on a path, with the kernel's measurements of it.

    Parameters
    ----------
    cc, pacing, rate_mbps, rtt_ms, buffer
        Congestion control, value of the option `pacing`, and the path.
    means, larges
        Mean number of packets in a super-segment, and the 90th percentile, one per repetition.
    """

    cc: str
    pacing: str
    rate_mbps: float
    rtt_ms: float
    buffer: int
    means: tuple[float, ...]
    larges: tuple[int, ...]

    @property
    def name(self) -> str:
        """Name of the cell."""
        return f"{self.cc}, pacing {self.pacing}, {self.rate_mbps:g} Mb/s, {self.rtt_ms:g} ms"

    def simulate(self, **options: Any) -> NDArray[np.int64]:
        """Return the sizes of our super-segments, with further options of the transport."""
        flow = {
            "start": "100 ms",
            "transport": transport(self.cc, pacing=self.pacing, **{"gso": "autosize", **options}),
            "source": {"kind": "greedy"},
        }
        network = bottleneck(self.rate_mbps, self.rtt_ms / 2, self.buffer)
        run = ac.simulate(scenario(DURATION_S, network, [flow]), record=["packets@bottleneck"], jobs=1)
        packets = run.table("packets")
        arrived = pc.and_(
            pc.is_in(packets["event"].cast("string"), _ARRIVALS),
            pc.equal(packets["kind"].cast("string"), "data"),
        )
        times = np.sort(packets.filter(arrived)["time"].to_numpy())
        times = times[times > FROM_S]
        return np.diff(np.flatnonzero(np.diff(times, prepend=-1.0, append=np.inf) > _TOGETHER_S))

    def agrees(self, sizes: NDArray[np.int64]) -> bool:
        """Whether whole super-segments, the 90th percentile, differ by at most a tenth or one packet from a repetition.

        The mean also depends on how many packets leave one by one in recoveries: see `data/README.md`.
        """
        ours = float(np.percentile(sizes, 90))
        return any(abs(ours - each) <= max(1.0, each / 10) for each in self.larges)


def cells() -> list[Cell]:
    """Return all cells."""
    found: defaultdict[tuple[str, ...], list[Mapping[str, str]]] = defaultdict(list)
    for row in rows("super_segments"):
        found[row["cc"], row["pacing"], row["rate_mbps"], row["rtt_ms"], row["buffer"]].append(row)
    return [
        Cell(
            cc=cc,
            pacing=pacing,
            rate_mbps=float(rate),
            rtt_ms=float(rtt),
            buffer=int(buffer),
            means=tuple(float(row["mean"]) for row in measured),
            larges=tuple(int(row["p90"]) for row in measured),
        )
        for (cc, pacing, rate, rtt, buffer), measured in found.items()
    ]
