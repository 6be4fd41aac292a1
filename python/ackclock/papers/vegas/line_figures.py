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
from ackclock.papers.vegas.figures import RATIO, Line, drawing, start_words
from ackclock.papers.vegas.measures import HELD, KINDS
from ackclock.report.chart import Axis

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.papers.core.paper import Both
    from ackclock.report.chart import Dash, Marker
    from ackclock.report.html import Drawing

_BY_APPLICATION: Mapping[str, tuple[str, Marker]] = {
    POISSON: ("blue", "circle"),
    GREEDY: ("red", "square"),
    OPEN: ("amber", "diamond"),
    TRANSFERS: ("green", "triangle"),
    TRACE: ("grey", "down"),
}
_BY_START: Mapping[int, tuple[str, Marker]] = {
    0: ("blue", "circle"),
    1: ("sky", "square"),
    10: ("orange", "triangle"),
    60: ("red", "diamond"),
}


def _ratio_axis() -> Axis:
    return Axis(label="Vegas / Reno", low=0.02, high=2.5, log=True, ticks=_RATIO_TICKS)


_RATIO_TICKS = [(0.02, "0.02"), (0.05, "0.05"), (0.1, "0.1"), (0.2, "0.2"), (0.5, "0.5"), (1, "1"), (2, "2")]


def line_drawings(evidence: Both, command: str) -> list[Drawing]:
    """Draw the goodput ratio along the buffer, by application, start and pair, and the buffer that each kind holds."""
    applications: dict[str, list[Line]] = {
        gateway: [
            Line(name=name, place=Place(application=name, gateway=gateway), colour=colour, marker=marker)
            for name, (colour, marker) in _BY_APPLICATION.items()
        ]
        for gateway in GATEWAYS
    }
    others: tuple[tuple[str, str, Marker], ...] = (
        (POISSON, "green", "pentagon"),
        (TRANSFERS, "mint", "hexagon"),
        (TRACE, "grey", "down"),
    )
    pair: dict[str, list[Line]] = {
        gateway: [
            Line(
                name=f"{OPEN}, {start_words(start)}",
                place=Place(application=OPEN, pair=True, start=start, gateway=gateway),
                colour=colour,
                marker=marker,
            )
            for start, (colour, marker) in _BY_START.items()
        ]
        + [
            Line(
                name=f"{name}, after 10 s",
                place=Place(application=name, pair=True, gateway=gateway),
                colour=colour,
                marker=marker,
                dash="dotted",
            )
            for name, colour, marker in others
        ]
        for gateway in GATEWAYS
    }
    return [
        drawing(
            evidence,
            applications,
            slug="applications",
            title="Figure F. Goodput ratio along the buffer, by application",
            caption=f"{RATIO}, 30 of each; Vegas starts 10 s after Reno. Solid line: as much as Reno; dotted: {HELD}.",
            command=command,
            axes=[replace(_ratio_axis(), low=0.07, ticks=_RATIO_TICKS[2:])] * 2,
            height=6.8,
        ),
        *(_starts(evidence, gateway, letter, command) for gateway, letter in zip(GATEWAYS, "GH", strict=True)),
        drawing(
            evidence,
            pair,
            slug="pair",
            title="Figure I. One against one",
            caption=f"{RATIO}: one of each on a bottleneck of 10 Mb/s, with an advertised window of 4,000 packets, "
            "which is more than pipe and buffer hold; below 0.002 points lie on the edge.",
            command=command,
            axes=[replace(_ratio_axis(), low=0.002, ticks=[(0.002, "0.002"), (0.01, "0.01"), *_RATIO_TICKS[2:]])] * 2,
            height=7.8,
        ),
        _held(evidence, command),
    ]


def _starts(evidence: Both, gateway: Gateway, letter: str, command: str) -> Drawing:
    panels = {
        application: [
            Line(
                name=start_words(start),
                place=Place(application=application, start=start, gateway=gateway),
                colour=_BY_START[start][0],
                marker=_BY_START[start][1],
            )
            for start in STARTS
        ]
        for application in APPLICATIONS
    }
    return drawing(
        evidence,
        panels,
        slug=f"starts-{gateway.lower()}",
        title=f"Figure {letter}. Goodput ratio by the start of Vegas, {gateway}",
        caption=f"{RATIO}, 30 of each, a panel for what clients send. Solid line: as much as Reno; dotted: {HELD}.",
        command=command,
        axes=[_ratio_axis()] * len(panels),
        height=13.5,
    )


def _kinds(place: Place, measure: str) -> list[Line]:
    """Give the lines of both kinds behind both gateways."""
    looks: Mapping[tuple[str, str], tuple[str, Marker, Dash]] = {
        ("reno", "FIFO"): ("red", "square", "solid"),
        ("vegas", "FIFO"): ("blue", "circle", "solid"),
        ("reno", "RED"): ("orange", "diamond", "dashed"),
        ("vegas", "RED"): ("sky", "triangle", "dashed"),
    }
    return [
        Line(
            name=f"{kind.capitalize()}, {gateway}",
            place=replace(place, gateway=gateway),
            colour=looks[kind, gateway][0],
            marker=looks[kind, gateway][1],
            dash=looks[kind, gateway][2],
            measure=f"{kind}_{measure}",
        )
        for gateway in GATEWAYS
        for kind in KINDS
    ]


def _held(evidence: Both, command: str) -> Drawing:
    panels = {application: _kinds(Place(application=application), "held") for application in (POISSON, GREEDY, OPEN)}
    ticks = [(10.0**power, f"{10.0**power:g}") for power in range(-1, 3)]
    return drawing(
        evidence,
        panels,
        slug="held",
        title="Figure J. The buffer that each kind holds",
        caption="Packets of one client that wait at the gateway, on average over time; 30 of each, Vegas starts 10 s "
        "after Reno. Vegas means to keep 1 to 3.",
        command=command,
        axes=[Axis(label="Packets of one client", low=0.03, high=150, log=True, ticks=ticks)] * len(panels),
        height=9.5,
        ratios=False,
    )


def swing_drawings(evidence: Both, command: str) -> list[Drawing]:
    """Draw how queue and windows swing, and who loses how much."""
    hues = ("sky", "blue", "grey", "orange", "red")
    markers: tuple[Marker, ...] = ("circle", "square", "triangle", "diamond", "down")
    queue = [
        Line(
            name=f"{100 * vegas // CLIENTS} % Vegas",
            place=Place(application=OPEN, vegas=vegas),
            colour=colour,
            marker=marker,
            measure="queue_sd",
        )
        for vegas, colour, marker in zip(SHARES, reversed(hues), markers, strict=True)
    ]
    windows = _kinds(Place(application=OPEN), "window_cov")
    loss, timeouts, jain = (_kinds(Place(application=OPEN), name) for name in ("loss", "timeouts", "jain"))
    return [
        drawing(
            evidence,
            {"(a) The queue": queue, "(b) The windows": windows},
            slug="swings",
            title="Figure K. What swings",
            caption="Endless data, open window; Vegas starts 10 s after Reno. (a) Standard deviation of the queue "
            "behind FIFO, sampled every 0.1 s; (b) coefficient of variation over time of the window of a client, "
            "sampled every second, 30 of each.",
            command=command,
            axes=[
                Axis(
                    label="Packets",
                    low=0.05,
                    high=900,
                    log=True,
                    ticks=[(0.1, "0.1"), (1, "1"), (10, "10"), (100, "100")],
                ),
                Axis(label="c.o.v. of the window", low=0, high=0.7),
            ],
            height=7.8,
            ratios=False,
        ),
        drawing(
            evidence,
            {"(a) Loss": loss, "(b) Timeouts": timeouts, "(c) Jain's index within a kind": jain},
            slug="losses",
            title="Figure L. Loss, timeouts and fairness of each kind",
            caption="Greedy sources, open window, 30 of each; Vegas starts 10 s after Reno. (a) Dropped share of what "
            "arrives; (b) timeouts of one client in a second; (c) Jain's index of the goodputs of one kind's clients.",
            command=command,
            axes=[
                Axis(label="Dropped share", low=0, high=0.035),
                Axis(label="Timeouts a second", low=0, high=0.55),
                Axis(label="Jain's index", low=0.6, high=1.02),
            ],
            height=9.5,
            ratios=False,
        ),
    ]
