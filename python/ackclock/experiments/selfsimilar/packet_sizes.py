"""Figure 3: packet size against time, f(t), and its Hurst parameter, of any table of times and sizes.

The capture that the authors drew is not public. In its place stands simulated traffic of mixed sizes: web pages and
short exchanges over TCP, and some UDP, with about as many packets and bytes in as many minutes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis import hurst
from ackclock.experiments.reading import DASH
from ackclock.experiments.selfsimilar.tables import csv_text
from ackclock.experiments.selfsimilar.traffic import ESTIMATORS
from ackclock.report.chart import Axis, Chart, Dots, Panel, Series
from ackclock.report.html import Drawing, Table
from ackclock.scenario import (
    Clients,
    DropTail,
    Dumbbell,
    Exponential,
    Link,
    OnOff,
    Pareto,
    Scenario,
    Tcp,
    Transfers,
    Udp,
)
from ackclock.study import Point, Wanted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.run import Run

    Reals = NDArray[np.float64]

__all__ = ["PacketSizes", "mix", "mix_wanted", "sizes_drawing"]

_DURATION: Final = 300
"""Seconds: the authors' five minutes."""

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


def mix() -> Scenario:
    """Give a small network whose packets stand in for the authors' capture."""
    return Scenario(
        profile="rfc",
        duration=f"{_DURATION} s",
        dumbbell=Dumbbell(
            access=Link(rate="10 Mbps", delay="1 ms"),
            bottleneck=Link(rate="2 Mbps", delay="20 ms", queue=DropTail(packets=50)),
        ),
        clients=[
            Clients(
                name="web",
                count=10,
                packet_size=1500,
                direction="reverse",
                transport=Tcp("newreno"),
                source=Transfers(size=Pareto(mean="12 kB", shape=1.2), think=Pareto(mean="18 s", shape=1.5)),
            ),
            Clients(
                name="exchanges",
                count=10,
                packet_size=576,
                transport=Tcp("newreno"),
                source=Transfers(size=Exponential(mean="800 B"), think=Exponential(mean="8 s")),
            ),
            Clients(
                name="calls",
                count=2,
                packet_size=200,
                transport=Udp(packet_sizes="exponential"),
                source=OnOff(rate=2, on=Pareto(mean="2 s", shape=1.5), off=Pareto(mean="6 s", shape=1.5)),
            ),
        ],
    )


def mix_wanted(seed: int) -> Wanted[PacketSizes, PacketSizes]:
    """Ask for the packets of `mix`, as they come to its bottleneck from either side."""

    def take(run: Run) -> PacketSizes:
        packets = run.table("packets")
        came = np.isin(packets["event"].to_numpy(), ["enqueue", "drop"])
        return PacketSizes(
            time=packets["time"].to_numpy()[came], size=packets["bytes"].to_numpy()[came].astype(np.float64)
        )

    return Wanted(
        points=[Point(name="packets of mixed sizes", scenario=mix())],
        seeds=[seed],
        take=take,
        record=("packets@bottleneck,bottleneck.reverse",),
        make=lambda ran: ran[0].value,
    )


def sizes_drawing(sizes: PacketSizes, *, slug: str, title: str, caption: str, command: str) -> Drawing:
    """Draw packet size against time and bytes per bin, with the Hurst parameter of both.

    Parameters
    ----------
    sizes
        The packets.
    slug, title, command
        As for `ackclock.report.html.Drawing`.
    caption
        What the packets are; what is drawn is told after it.

    """
    width = sizes.bin
    packets, carried = sizes.per_bin(width)
    begun = sizes.time - sizes.time.min()
    series = {
        "size, packet by packet": sizes.size[np.argsort(sizes.time, kind="stable")],
        f"bytes in {width:g} s": carried,
        f"bytes in {10 * width:g} s": sizes.per_bin(10 * width)[1],
    }
    end = max(sizes.length, width)
    return Drawing(
        chart=Chart(
            height=6.4,
            panels=[
                Panel(
                    title="(a) f(t): the size of each packet",
                    x=Axis(low=0, high=end),
                    y=Axis(label="Bytes", low=0, high=1.05 * max(float(sizes.size.max()), 1.0)),
                    series=[],
                    dots=Dots(name="a packet", x=begun, y=sizes.size, colour="blue", columns=300, rows=80),
                ),
                Panel(
                    title=f"(b) what comes in {width:g} s",
                    x=Axis(label="Time (s)", low=0, high=end),
                    y=Axis(label=f"kB in {width:g} s", low=0),
                    series=[
                        Series(
                            name="bytes",
                            x=width * np.arange(carried.size),
                            y=carried / 1000,
                            colour="blue",
                            width=0.7,
                            listed=False,
                        )
                    ],
                ),
            ],
        ),
        slug=slug,
        title=title,
        caption=f"{caption} {sizes.size.size:,} packets, {sizes.size.sum():,.0f} bytes in {sizes.length:.0f} s. The "
        "table has the Hurst parameter by the paper's method with one lag and with 50 and by two others, and whether "
        "long-range dependence can be claimed: no trend, no cycle, and scaling that lasts.",
        csv=csv_text(
            ["time", "packets", "bytes"],
            (
                (f"{width * place:.10g}", f"{some:.0f}", f"{size:.0f}")
                for place, (some, size) in enumerate(zip(packets, carried, strict=True))
            ),
        ),
        numbers=Table(
            caption="Hurst parameter; a dash where a method asks for more values, or for scaling",
            head=["Series", "values", *ESTIMATORS, "long-range dependence"],
            rows=[[name, f"{values.size:,}", *_estimates(values)] for name, values in series.items()],
        ),
        command=command,
    )


def _estimates(values: Reals) -> list[str]:
    """Write the Hurst parameter by each method, and whether there is long-range dependence."""
    cells = []
    for method in ESTIMATORS.values():
        try:
            cells.append(f"{method(values).h:.2f}")
        except ValueError:
            cells.append(DASH)
    try:
        claimed = "yes" if hurst(values).long_range else "not claimed"
    except ValueError:
        claimed = DASH
    return [*cells, claimed]
