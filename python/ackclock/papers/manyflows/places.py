"""Where the paper looks: the settings behind its figures, curve by curve, and ways of reading what it leaves open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ackclock.papers.manyflows.experiment import CAPACITIES, FLOWS, ISDN, LINKS, T1, Setting, grid_setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.papers.manyflows.experiment import Bottleneck

    Curves = Mapping[str, Sequence[Setting]]

__all__ = [
    "AMOUNTS",
    "BUFFERS",
    "CAPPED",
    "FAR",
    "FAR_PIPE",
    "FEW",
    "MODERN_CAPACITIES",
    "PACKETS_EACH",
    "READINGS",
    "STARTS",
    "STEADY",
    "TABLED",
    "TOGETHER",
    "UNCAPPED",
    "WINDOWS",
    "Reading",
    "amounts",
    "curve",
    "far",
    "far_setting",
    "few",
    "grid",
    "modern",
    "predicted",
    "starts",
    "tabled",
]

WINDOWS = {"T1": (50, 100), "ISDN": (500, 1000)}
"""The seconds that the paper's figures show of a run; runs that are counted from 0 end with them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """One way of reading what the paper does not say of its runs.

    Parameters
    ----------
    key
        A word for it.
    title
        What it means.
    steady
        Whether a warm-up is left out; the paper's run is otherwise counted from its start.
    spread
        The time within which connections start.
    max_rto
        The largest retransmission timeout.

    """

    key: str
    title: str
    steady: bool = False
    spread: str = "1 s"
    max_rto: str = "64 s"

    def span(self, link: Bottleneck) -> tuple[int, int]:
        """Give from when to when is measured, in seconds."""
        return (link.warm, link.duration) if self.steady else (0, WINDOWS[link.name][1])


STEADY = Reading(key="steady", title="after a warm-up", steady=True)
CAPPED = Reading(key="capped", title="from 0 s, timeouts up to 64 s")
UNCAPPED = Reading(key="uncapped", title="from 0 s, timeouts without a limit", max_rto="100000 s")
TOGETHER = Reading(key="together", title="from 0 s, all start at once", spread="0 s")

READINGS = (STEADY, CAPPED, UNCAPPED, TOGETHER)
"""How loss is counted: as later studies do, as the paper most likely did, and two ways in which that may differ."""

TABLED = tuple(flows for flows in FLOWS if flows >= 60)
"""Numbers of connections that hyperbolas are laid through, from a third of W_c on."""

FAR_PIPE = replace(T1, name="T1, 200 ms", pipe=160)
"""The T1 link by way of a satellite."""

BUFFERS = (20, 60, 110, 160, 260)
"""Packets that its gateway has room for, in Figure 11."""

FAR = (1, 2, 5, 10, 30, 100)
"""Its connections."""

PACKETS_EACH = (4, 6)
"""Packets of buffer for each connection, in Figure 7."""

FEW = {100: (3, 4, 5, 6, 8, 10, 12, 16, 20), 300: (10, 15, 20, 25, 30, 35, 40, 50)}
"""Few connections, by W_c: Figures 13 and 21."""

AMOUNTS = (0.0, 0.02, 0.1, 0.3)
"""The longest processing times of Figure 16, as parts of the round-trip time with a full buffer."""

STARTS = {100: (150, 200, 300, 450, 600), 200: (300,)}
"""More connections than W_c, by W_c: who is shut off in the seconds that the paper shows."""

MODERN_CAPACITIES = (100, 300, 500)
"""W_c of the runs with the TCP of ns-2.35."""


def curve(link: Bottleneck, capacity: int) -> str:
    """Name the curve of a link and W_c."""
    return f"{link.name}, W_c {capacity}"


def tabled(capacity: int) -> tuple[int, ...]:
    """Give the numbers of connections that the hyperbola of a W_c is for."""
    return tuple(flows for flows in TABLED if flows >= capacity / 3)


def grid(reading: Reading, fraction: float) -> Curves:
    """Give the grid of links, W_c and connections: whole after a warm-up, where the tables are otherwise.

    Parameters
    ----------
    reading
        How it is counted.
    fraction
        Processing time, as for `grid_setting`.

    """
    return {
        curve(link, capacity): [
            grid_setting(
                link,
                capacity,
                flows,
                fraction=fraction,
                span=reading.span(link),
                spread=reading.spread,
                max_rto=reading.max_rto,
            )
            for flows in (FLOWS if reading.steady else tabled(capacity))
        ]
        for link in LINKS.values()
        for capacity in CAPACITIES
    }


def predicted() -> Curves:
    """Give the runs of Figure 7: a buffer that grows with the connections."""
    return {
        f"B = {each} n": [grid_setting(T1, each * flows + T1.pipe, flows) for flows in (10, 20, 40, *TABLED[:5])]
        for each in PACKETS_EACH
    }


def far_setting(buffer: int, flows: int, *, fraction: float = 0.0) -> Setting:
    """Give a place of the satellite's link, by the packets that the gateway has room for."""
    setting = grid_setting(FAR_PIPE, buffer + FAR_PIPE.pipe, flows, fraction=fraction, span=(100, 250))
    return replace(setting, delay=200)


def far(fraction: float) -> Curves:
    """Give the runs of Figures 11 (a) and 19."""
    return {f"B = {buffer}": [far_setting(buffer, flows, fraction=fraction) for flows in FAR] for buffer in BUFFERS}


def few(fraction: float) -> Curves:
    """Give the runs of Figures 13 and 21."""
    return {
        curve(T1, capacity): [grid_setting(T1, capacity, flows, fraction=fraction) for flows in counts]
        for capacity, counts in FEW.items()
    }


def amounts() -> Curves:
    """Give the runs of Figure 16: four packets of buffer for each connection."""
    return {
        f"{100 * fraction:g} %": [
            grid_setting(T1, 4 * flows + T1.pipe, flows, fraction=fraction) for flows in (20, 60, 100, 150)
        ]
        for fraction in AMOUNTS
    }


def starts(spread: str, fraction: float) -> Curves:
    """Give the runs that tell who is shut off in the seconds that the paper shows."""
    return {
        curve(T1, capacity): [
            grid_setting(T1, capacity, flows, fraction=fraction, span=WINDOWS["T1"], spread=spread) for flows in counts
        ]
        for capacity, counts in STARTS.items()
    }


def modern() -> Curves:
    """Give the runs that are made with the TCP of ns-2.35 too."""
    return {
        curve(link, capacity): [grid_setting(link, capacity, flows) for flows in (20, 100, 300, 600)]
        for link in (T1, ISDN)
        for capacity in MODERN_CAPACITIES
    }
