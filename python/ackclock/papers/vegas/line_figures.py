"""Lines through the map: by application, by start, one against one, the buffer that each holds, and what swings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ackclock.papers.vegas.experiment import (
    APPLICATIONS,
    CLIENTS,
    GATEWAYS,
    GREEDY,
    OPEN,
    POISSON,
    SHARES,
    STARTS,
    TRACE,
    TRANSFERS,
    Gateway,
    Place,
)
from ackclock.papers.vegas.figures import RATIO, Line, lines_figure, start_words
from ackclock.papers.vegas.measures import HELD, KINDS
from ackclock.report.chart import Axis

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.papers.core.figure import Figure
    from ackclock.papers.vegas.figures import Look

_BY_APPLICATION: Mapping[str, Look] = {
    POISSON: ("blue", "circle", "solid"),
    GREEDY: ("red", "square", "solid"),
    OPEN: ("amber", "diamond", "solid"),
    TRANSFERS: ("green", "triangle", "solid"),
    TRACE: ("grey", "down", "solid"),
}
_BY_START: Mapping[int, Look] = {
    0: ("blue", "circle", "solid"),
    1: ("sky", "square", "solid"),
    10: ("orange", "triangle", "solid"),
    60: ("red", "diamond", "solid"),
}
_OF_PAIRS: Mapping[str, Look] = {
    POISSON: ("green", "pentagon", "dotted"),
    TRANSFERS: ("mint", "hexagon", "dotted"),
    TRACE: ("grey", "down", "dotted"),
}
_BY_KIND: Mapping[tuple[str, str], Look] = {
    ("FIFO", "reno"): ("red", "square", "solid"),
    ("FIFO", "vegas"): ("blue", "circle", "solid"),
    ("RED", "reno"): ("orange", "diamond", "dashed"),
    ("RED", "vegas"): ("sky", "triangle", "dashed"),
}
_BY_SHARE: Mapping[int, Look] = {
    SHARES[0]: ("red", "circle", "solid"),
    SHARES[1]: ("orange", "square", "solid"),
    SHARES[2]: ("grey", "triangle", "solid"),
    SHARES[3]: ("blue", "diamond", "solid"),
    SHARES[4]: ("sky", "down", "solid"),
}
_TICKS = [(0.02, "0.02"), (0.05, "0.05"), (0.1, "0.1"), (0.2, "0.2"), (0.5, "0.5"), (1, "1"), (2, "2")]
_LEVELS = f"Solid line: Vegas gets as much as Reno; dotted line: a ratio of {HELD}."


def _ratio_axis(low: float = 0.02) -> Axis:
    ticks = [tick for tick in _TICKS if tick[0] >= low]
    return Axis(label="Vegas / Reno", low=low, high=2.5, log=True, ticks=ticks)


def _line_figures() -> list[Figure]:
    """Describe the goodput ratio by application, start and pair, and the buffer that each kind holds."""
    applications: dict[str, list[Line]] = {
        gateway: [Line(name, Place(application=name, gateway=gateway), look) for name, look in _BY_APPLICATION.items()]
        for gateway in GATEWAYS
    }
    greedy = Place(application=OPEN, pair=True)
    pair: dict[str, list[Line]] = {
        gateway: [
            *(
                Line(f"{OPEN}, {start_words(start)}", replace(greedy, start=start, gateway=gateway), look)
                for start, look in _BY_START.items()
            ),
            *(
                Line(f"{name}, after 10 s", replace(greedy, application=name, gateway=gateway), look)
                for name, look in _OF_PAIRS.items()
            ),
        ]
        for gateway in GATEWAYS
    }
    held = {application: _kinds(application, "held") for application in (POISSON, GREEDY, OPEN)}
    ticks = [(10.0**power, f"{10.0**power:g}") for power in range(-1, 3)]
    small = [(0.002, "0.002"), (0.01, "0.01"), *_TICKS[2:]]
    return [
        lines_figure(
            applications,
            slug="applications",
            title="Figure F. Goodput ratio along the buffer, by application",
            caption=f"{RATIO}, 30 clients of each; Vegas starts 10 s after Reno. {_LEVELS}",
            axes=[_ratio_axis(0.07)] * 2,
            height=6.8,
        ),
        *(_starts(gateway, letter) for gateway, letter in zip(GATEWAYS, "GH", strict=True)),
        lines_figure(
            pair,
            slug="pair",
            title="Figure I. One against one",
            caption=f"{RATIO}: one of each on a bottleneck of 10 Mb/s, with an advertised window of 4,000 packets, "
            "which is more than pipe and buffer hold; below 0.002 points lie on the edge.",
            axes=[replace(_ratio_axis(0.002), ticks=small)] * 2,
            height=7.8,
        ),
        lines_figure(
            held,
            slug="held",
            title="Figure J. The buffer that each kind holds",
            caption="Packets of one client that wait at the gateway, on average over time. "
            "30 clients of each kind; Vegas starts "
            "10 s after Reno. Vegas aims at 1 to 3.",
            axes=[Axis(label="Packets of one client", low=0.03, high=150, log=True, ticks=ticks)] * len(held),
            height=9.5,
            ratios=False,
        ),
    ]


def _starts(gateway: Gateway, letter: str) -> Figure:
    panels = {
        application: [
            Line(start_words(start), Place(application=application, start=start, gateway=gateway), _BY_START[start])
            for start in STARTS
        ]
        for application in APPLICATIONS
    }
    return lines_figure(
        panels,
        slug=f"starts-{gateway.lower()}",
        title=f"Figure {letter}. Goodput ratio by the start of Vegas, {gateway}",
        caption=f"{RATIO}, 30 of each, one panel for each application. {_LEVELS}",
        axes=[_ratio_axis()] * len(panels),
        height=13.5,
    )


def _kinds(application: str, measure: str) -> list[Line]:
    """Give the lines of both kinds behind both gateways."""
    return [
        Line(
            f"{kind.capitalize()}, {gateway}",
            Place(application=application, gateway=gateway),
            _BY_KIND[gateway, kind],
            measure=f"{kind}_{measure}",
        )
        for gateway in GATEWAYS
        for kind in KINDS
    ]


def _swing_figures() -> list[Figure]:
    """Describe how queue and windows swing, and who loses how much."""
    queue = [
        Line(f"{100 * vegas // CLIENTS} % Vegas", Place(application=OPEN, vegas=vegas), look, measure="queue_sd")
        for vegas, look in _BY_SHARE.items()
    ]
    windows, loss, timeouts, jain = (_kinds(OPEN, name) for name in ("window_cov", "loss", "timeouts", "jain"))
    ticks = [(0.1, "0.1"), (1, "1"), (10, "10"), (100, "100")]
    return [
        lines_figure(
            {"(a) The queue": queue, "(b) The windows": windows},
            slug="swings",
            title="Figure K. Oscillations",
            caption="Endless data, open window; Vegas starts 10 s after Reno. (a) Standard deviation of the queue "
            "behind FIFO, sampled every 0.1 s; (b) coefficient of variation over time of the window of a client, "
            "sampled every second, 30 of each.",
            axes=[
                Axis(label="Packets", low=0.05, high=900, log=True, ticks=ticks),
                Axis(label="c.o.v. of the window", low=0, high=0.7),
            ],
            height=7.8,
            ratios=False,
        ),
        lines_figure(
            {"(a) Loss": loss, "(b) Timeouts": timeouts, "(c) Jain's index within a kind": jain},
            slug="losses",
            title="Figure L. Loss, timeouts and fairness of each kind",
            caption="Greedy sources, open window, 30 of each; Vegas starts 10 s after Reno. (a) Dropped share of "
            "arrivals; (b) timeouts of one client per second; (c) Jain's index of the goodputs of one kind's clients.",
            axes=[
                Axis(label="Dropped share", low=0, high=0.035),
                Axis(label="Timeouts per second", low=0, high=0.55),
                Axis(label="Jain's index", low=0.6, high=1.02),
            ],
            height=9.5,
            ratios=False,
        ),
    ]


LINES, SWINGS = _line_figures(), _swing_figures()
