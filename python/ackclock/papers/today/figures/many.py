"""Figures on many connections: the T1 link, pipes, distances, 1 Gb/s, and crowds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from ackclock.drawing.chart import Axis, Level, Panel
from ackclock.papers.core.evidence import Evidence
from ackclock.papers.core.figure import Figure, Lines, Numbers, Plot, powers
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.today.claims.many import EQUAL, NEARLY, SHUT_OFF, TOGETHER
from ackclock.papers.today.figures.drawing import PENS, SHOWN, dots
from ackclock.papers.today.many_measures import CORRELATION, EXPONENT, GOODPUT, RATES, STARVED, WITHIN
from ackclock.papers.today.measures import JAIN, LOSS, UTILIZATION
from ackclock.papers.today.parts.many import FULL, NONE, PROCESSING, ROOT
from ackclock.papers.today.senders import DEFINITION

_SHORT_TIMEOUTS = "longest timeout"
_CHANGES = {NONE: NONE, PROCESSING: PROCESSING, _SHORT_TIMEOUTS: "timeouts to 2 s"}
_FLOWS = powers("Connections", 4, 750, (5, 10, 20, 60, 200, 600))
_FAST_FLOWS = powers("Connections", 8, 1250, (10, 100, 300, 1000))
_HUNDRED = 100


def _lines(measure: Measure, part: str, **where: str) -> Lines:
    return Lines(of=measure.at(part, sender=SHOWN, **where), x="connections", by="sender", pens=PENS)


def _lossy(part: str, **where: str) -> Lines:
    """Draw loss where there is some, on a logarithmic axis."""
    lines = _lines(LOSS, part, **where)
    return replace(lines, of=lines.of.given(lines.of, lambda loss: loss > 0, "there is loss"))


def _signed(evidence: Evidence, *, of: Mapping[str, Quantity], label: str, levels: Sequence[Level]) -> Panel:
    """Draw dots on an axis that does not begin at 0."""
    return replace(dots(evidence, of=of, label=label, levels=levels), y=Axis(label=label))


def _pipe(measure: Measure, pipe: str) -> dict[str, Quantity]:
    return {name: measure.at("pipes", pipe=pipe, change=change) for change, name in _CHANGES.items()}


def _fast(measure: Measure) -> Quantity:
    return measure.at("gigabit", buffer=FULL, connections=_HUNDRED)


LOSS_LAW = Figure(
    **DEFINITION.figure("many-loss"),
    plots=[Plot(x=_FLOWS, y=powers("Loss (%)", 0.05, 100, (0.1, 1, 10, 100)), marks=[_lossy("many")])],
    data={"loss_percent": LOSS.at("many")},
    numbers=Numbers(of=LOSS.at("many"), rows="sender", columns="connections", head="Connections", caption="Loss, %"),
)
SHARES = Figure(
    **DEFINITION.figure("many-shares"),
    plots=[
        *(
            Plot(title=title, x=_FLOWS, y=Axis(label=label, low=0), marks=[_lines(of, "many")], levels=levels)
            for title, label, of, levels in (
                ("(a)", "Below a tenth of the share (%)", STARVED, ()),
                ("(b)", "Goodput (%)", GOODPUT, ()),
                ("(c)", "Near the formula (%)", WITHIN, (Level(y=50),)),
            )
        ),
        partial(
            dots,
            of={"20 packets": UTILIZATION.at("short buffer")},
            label="Utilization (%)",
            title="(d)",
            levels=(Level(y=NEARLY),),
        ),
    ],
    height=11,
    data={
        "starved_percent": STARVED.at("many"),
        "goodput_percent": GOODPUT.at("many"),
        "jain_index": JAIN.at("many"),
    },
    numbers=Numbers(
        of=WITHIN.at("many"), rows="sender", columns="connections", head="Connections", caption="Near the formula, %"
    ),
)
PIPES = Figure(
    **DEFINITION.figure("pipes"),
    plots=[
        partial(dots, of=_pipe(of, pipe), label=label, title=title, levels=(Level(y=level),))
        for title, label, of, pipe, level in (
            ("(a)", "Correlation of losses", CORRELATION, "large pipe", TOGETHER),
            ("(b)", "Jain's index", JAIN, "large pipe", EQUAL),
            ("(c)", "Below a tenth of the share (%)", STARVED, "small pipe", SHUT_OFF),
        )
    ],
    height=10,
    data={"correlation": CORRELATION.at("pipes"), "jain_index": JAIN.at("pipes"), "starved": STARVED.at("pipes")},
    numbers=Numbers(
        of={
            "correlation": CORRELATION.at("pipes", pipe="large pipe"),
            "Jain": JAIN.at("pipes", pipe="large pipe"),
            "starved, %": STARVED.at("pipes", pipe="small pipe"),
        },
        rows="sender",
        columns="change",
        head="Sender",
        caption="Large pipe: correlation of losses and Jain's index; small pipe: starved connections",
    ),
)
DISTANCES = Figure(
    **DEFINITION.figure("distances"),
    plots=[
        partial(
            _signed,
            of={
                "T1": EXPONENT.at("distances", network="T1", change=NONE),
                f"T1, {PROCESSING}": EXPONENT.at("distances", network="T1", change=PROCESSING),
                "1 Gb/s": EXPONENT.at("distances", network="1 Gb/s", change=NONE),
            },
            label="Exponent of the RTT",
            levels=(Level(y=1), Level(y=2)),
        )
    ],
    data={"exponent": EXPONENT.at("distances")},
    numbers=Numbers(
        of=EXPONENT.at("distances"), rows="sender", columns=("network", "change"), head="Sender", caption="Exponent"
    ),
)
GIGABIT = Figure(
    **DEFINITION.figure("gigabit"),
    plots=[
        Plot(
            title="(a)",
            x=_FAST_FLOWS,
            y=powers("Loss (%)", 0.001, 100, (0.001, 0.01, 0.1, 1, 10)),
            marks=[_lossy("gigabit", buffer=FULL)],
        ),
        Plot(
            title="(b)",
            x=_FAST_FLOWS,
            y=Axis(label="Utilization (%)"),
            marks=[_lines(UTILIZATION, "gigabit", buffer=ROOT)],
            levels=[Level(y=NEARLY)],
        ),
        *(
            partial(dots, of={"100 connections": _fast(of)}, label=label, title=title, levels=(Level(y=level),))
            for title, label, of, level in (
                ("(c)", "Correlation of losses", CORRELATION, TOGETHER),
                ("(d)", "Jain's index", JAIN, EQUAL),
                ("(e)", "Near the formula (%)", WITHIN, 50),
            )
        ),
    ],
    height=15,
    data={
        "loss_percent": LOSS.at("gigabit"),
        "utilization_percent": UTILIZATION.at("gigabit"),
        "goodput_percent": GOODPUT.at("gigabit"),
        "jain_index": JAIN.at("gigabit"),
    },
    numbers=Numbers(
        of={
            "loss, %": LOSS.at("gigabit", buffer=FULL),
            "goodput, %": GOODPUT.at("gigabit", buffer=FULL),
        },
        rows="sender",
        columns="connections",
        head="Sender",
        caption="Buffer of a BDP",
    ),
)
_rates = RATES.at("crowds")
CROWDS = Figure(
    **DEFINITION.figure("crowds"),
    plots=[
        Plot(
            x=Axis(label="Connections that get less (%)", low=0, high=100),
            y=powers("Goodput / fair share", 0.01, 30, (0.01, 0.1, 1, 10)),
            marks=[Lines(of=_rates, x="share", by="crowd", pens=DEFINITION.pens("crowds"), plain=True)],
            levels=[Level(y=1)],
        )
    ],
    data={"goodput_over_fair_share": _rates},
    numbers=Numbers(
        of={"utilization, %": UTILIZATION.at("crowds"), "loss, %": LOSS.at("crowds")},
        rows="crowd",
        head="Crowd",
        caption="Not settled",
    ),
)

FIGURES = [LOSS_LAW, SHARES, PIPES, DISTANCES, GIGABIT, CROWDS]
