"""Figures over the size of the buffer: goodput ratios, packets in the queue, oscillations and losses."""

from __future__ import annotations

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
from ackclock.papers.vegas.figures import Line, lines_figure, start_words
from ackclock.papers.vegas.measures import HELD, KINDS

if TYPE_CHECKING:
    from ackclock.papers.core.figure import Figure


def _line_figures() -> list[Figure]:
    """Describe the goodput ratio by application, start and pair, and the packets of each kind in the queue."""
    applications: dict[str, list[Line]] = {
        gateway: [Line(name, Place(application=name, gateway=gateway)) for name in APPLICATIONS] for gateway in GATEWAYS
    }
    pair: dict[str, list[Line]] = {
        gateway: [
            Line(f"{name}, {start_words(start)}", Place(application=name, pair=True, start=start, gateway=gateway))
            for name, start in [*((OPEN, start) for start in STARTS), (POISSON, 10), (TRANSFERS, 10), (TRACE, 10)]
        ]
        for gateway in GATEWAYS
    }
    held = {application: _kinds(application, "held") for application in (POISSON, GREEDY, OPEN)}
    return [
        lines_figure(applications, "applications", height=6.8, held=HELD),
        *(_starts(gateway, letter) for gateway, letter in zip(GATEWAYS, "GH", strict=True)),
        lines_figure(pair, "pair", height=7.8),
        lines_figure(held, "held", height=9.5, ratios=False),
    ]


def _starts(gateway: Gateway, letter: str) -> Figure:
    panels = {
        application: [
            Line(start_words(start), Place(application=application, start=start, gateway=gateway)) for start in STARTS
        ]
        for application in APPLICATIONS
    }
    slug = f"starts-{gateway.lower()}"
    return lines_figure(panels, "starts", slug=slug, height=13.5, letter=letter, gateway=gateway, held=HELD)


def _kinds(application: str, measure: str) -> list[Line]:
    """Return the lines of both kinds of client behind both gateways."""
    return [
        Line(f"{kind.capitalize()}, {gateway}", Place(application=application, gateway=gateway), f"{kind}_{measure}")
        for gateway in GATEWAYS
        for kind in KINDS
    ]


def _swing_figures() -> list[Figure]:
    """Describe the oscillations of queue and windows, and the losses of each kind."""
    queue = [
        Line(f"{100 * vegas // CLIENTS} % Vegas", Place(application=OPEN, vegas=vegas), "queue_sd") for vegas in SHARES
    ]
    windows, loss, timeouts, jain = (_kinds(OPEN, name) for name in ("window_cov", "loss", "timeouts", "jain"))
    swings = {"(a) The queue": queue, "(b) The windows": windows}
    losses = {"(a) Loss": loss, "(b) Timeouts": timeouts, "(c) Jain's index of one variant's clients": jain}
    return [
        lines_figure(swings, "swings", height=7.8, ratios=False),
        lines_figure(losses, "losses", height=9.5, ratios=False),
    ]


LINES, SWINGS = _line_figures(), _swing_figures()
