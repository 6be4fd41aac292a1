"""Tables 2 and 3, Figures 23 and 24, the errors of formulas, and groups that the authors left for later."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ackclock.analysis.models import rtt_bias_band
from ackclock.drawing.chart import Axis, Band, Level, Panel
from ackclock.papers.core.evidence import Evidence, Key, grouped
from ackclock.papers.core.figure import Course, Figure, Lines, Pen, Plot, Scatter, dots, powers
from ackclock.papers.core.measures import Measure, Profile
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.manyflows import measures as m
from ackclock.papers.manyflows.distances import GROUPS, OVERHEADS, SEVERAL, UNEQUAL, pair_spread, split_name, spread
from ackclock.papers.manyflows.padhye import FACTORS, MODELS, PAPER, TOPOLOGIES, Model
from ackclock.papers.manyflows.places import DEFINITION, PROCESSING, WITH, WITHOUT
from ackclock.papers.manyflows.reasons import ACKS_LOST, WAYS
from ackclock.report.html import Table
from ackclock.report.rows import rows_csv

_PENS = DEFINITION.pens("topologies")
_NAMES = dict(enumerate(_PENS, start=1))


def tables2and3(processing: str) -> Figure:
    """Make the figure of Tables 2 and 3; topology 5 has no runs with processing times and no runs of ns-2."""
    busy = processing == WITH
    return Figure(
        **DEFINITION.figure("tables2and3-busy" if busy else "tables2and3"),
        plots=[_within(model, processing) for model in MODELS],
        numbers=partial(_shares, processing),
    )


def _within(model: Model, processing: str) -> Plot:
    shares = m.WITHIN.at("padhye", processing=processing, formula=model)
    paper = [
        dots(f"{name}, paper", FACTORS, PAPER[one, model], _PENS[name], listed=False, group=name)
        for one, name in _NAMES.items()
        if one in TOPOLOGIES or processing == WITHOUT
    ]
    named = shares.relabel("topology", {str(one): name for one, name in _NAMES.items()})
    return Plot(
        title="Table 3: full" if model == "full" else "Table 2: approximate",
        x=powers("Factor, above or below", 1.4, 4.3, FACTORS),
        y=Axis(label="Flows within the factor (%)", low=0, high=103),
        marks=[
            Lines(of=named, x="factor", by="topology", pens=_PENS, plain=True),
            *paper,
            dots("full: paper", [np.nan], [np.nan], Pen(colour="ink", marker="circle")),
        ],
    )


def _shares(processing: str, evidence: Evidence) -> Table:
    names, rows = [f"within_{factor:g}" for factor in FACTORS], []
    ours, theirs = (
        {
            (model, int(row.where["topology"])): row.values
            for model in MODELS
            for row in side.part("padhye")
            if (row.where["processing"], row.where["formula"]) == (processing, model)
        }
        for side in (evidence.ours, evidence.ns2)
    )
    for at, values in sorted(ours.items()):
        shares = [f"{values[name]:.2f}" for name in names]
        rows.append(["ackclock", *at, values["flows"], *shares, f"{values['median']:.3f}"])
        if ns2 := theirs.get(at):
            rows.append(["ns-2.35", *at, int(ns2["flows"]), *(ns2[name] for name in (*names, "median"))])
        rows.append(["paper", *at, "", *PAPER[at[::-1]], ""])
    return DEFINITION.laid_out("tables2and3", [[str(cell) for cell in row] for row in rows])


def _ratio(model: str, way: str) -> Quantity:
    return Measure(name=f"{model}, {way}", label=way).at("narrow" if way == ACKS_LOST else "reasons")


def _reasons(letter: str, processing: str, evidence: Evidence) -> Panel:
    found = {way: _ratio("full", way).points(evidence.ours).cells for way in WAYS}
    label = "Median ratio of predicted (full formula) to sent packets" if letter == "b" else ""
    return Panel(
        title=f"({letter}) {processing}",
        x=powers(label, 0.7, 2.1, (0.7, 0.8, 0.9, 1, 1.2, 1.5, 2)),
        y=Axis(low=-len(WAYS) + 0.4, high=0.6, ticks=[(-place, way) for place, way in enumerate(WAYS)]),
        series=[
            dots(
                f"topology {one}",
                [found[way][processing, one].mean for way in WAYS],
                [-place + 0.12 * (2.5 - one) for place in range(len(WAYS))],
                _PENS[_NAMES[one]],
                size=5,
            )
            for one in TOPOLOGIES
        ],
    )


def _reasons_table(evidence: Evidence) -> Table:
    found = {(model, way): _ratio(model, way).points(evidence.ours).cells for model in MODELS for way in WAYS}
    return Table(
        caption="Median ratio of predicted to sent packets: mean ± half-width of the 95 % interval",
        head=["Formula, topology", *WAYS],
        rows=[
            [f"{model}, {one}, {processing}", *(found[model, way][processing, one].shown(2) for way in WAYS)]
            for model in MODELS
            for processing in PROCESSING
            for one in TOPOLOGIES
        ],
    )


REASONS = Figure(
    **DEFINITION.figure("reasons"),
    plots=[partial(_reasons, letter, processing) for letter, processing in zip("ab", PROCESSING, strict=True)],
    numbers=_reasons_table,
)

_BUFFERS = {int(size): pen for size, pen in DEFINITION.pens("buffers").items()}
_TITLES = {WITH: "(a) processing times up to one transmission (2.5 ms)", WITHOUT: "(b) no processing times"}
_ALONG = np.geomspace(1, 20, 60)
_BAND = rtt_bias_band(rtt_1=1.0, rtt_2=_ALONG)


def _point(processing: str, buffer: str, size: str, far: str) -> str:
    overhead = 1000 * OVERHEADS[processing]
    return f"{size} at 1 and {size} at {float(far):g}, buffer {buffer}, processing times to {overhead:g} ms"


def _figure23(evidence: Evidence) -> Table:
    (rtt, _), (ratio, theirs) = (
        [one.at("figure23").points(side).cells for side in (evidence.ours, evidence.ns2)]
        for one in (m.RTT_RATIO, m.GOODPUT_RATIO)
    )

    def inside(key: Key) -> str:
        point, band = ratio[key], rtt_bias_band(rtt_1=1.0, rtt_2=rtt[key].mean)
        reach = point.half_width if math.isfinite(point.half_width) else 0.0  # a single run has no interval
        meets = point.mean - reach <= float(band.high) and point.mean + reach >= float(band.low)
        return "inside" if meets else "outside"

    rows = [
        [
            _point(*map(str, key)),
            f"{rtt[key].mean:.2f}",
            ratio[key].shown(2),
            f"{theirs[key].mean:.2f}",
            f"{ratio[key].mean / rtt[key].mean ** 2:.2f}",
            inside(key),
        ]
        for key in ratio
    ]
    return DEFINITION.laid_out("figure23", rows)


FIGURE23 = Figure(
    **DEFINITION.figure("figure23"),
    plots=[
        Plot(
            title=title,
            x=powers("Round-trip time, far over near" if processing == WITHOUT else "", 0.93, 20, (1, 2, 4, 8, 16)),
            y=powers("Goodput, near over far", 0.08, 400, (0.125, 0.5, 1, 2, 8, 32, 128)),
            marks=[
                Scatter(
                    x=m.RTT_RATIO.at("figure23", processing=processing),
                    y=m.GOODPUT_RATIO.at("figure23", processing=processing),
                    by="buffer",
                    pens=_BUFFERS,
                    names="buffer {}",
                )
            ],
            bands=[Band(name="the paper's band", x=_ALONG, low=_BAND.low, high=_BAND.high, colour="grey")],
        )
        for processing, title in _TITLES.items()
    ],
    numbers=_figure23,
)


_COURSES = [
    Course(part="figure24", x=f"{name} time", y=f"{name} cwnd", name=words, pen=_BUFFERS[buffer], held=True)
    for name, words, buffer in (("near", "near: 102 ms away", 60), ("far", "far: 204 ms away", 160))
]


def _windows(evidence: Evidence) -> Table:
    rows = []
    for course in _COURSES:
        time, cwnd = course.arrays(evidence)
        sizes = (cwnd.min(), np.average(cwnd[:-1], weights=np.diff(time)), cwnd.max())
        halvings = int((np.diff(cwnd) < -0.3 * cwnd[:-1]).sum())
        rows.append([course.name, *(f"{size:.1f}" for size in sizes), str(halvings)])
    return DEFINITION.laid_out("figure24", rows)


def _windows_csv(evidence: Evidence) -> str:
    rows = [
        (course.name.partition(":")[0], f"{at:.4f}", f"{window:.3f}")
        for course in _COURSES
        for at, window in zip(*course.arrays(evidence), strict=True)
    ]
    return rows_csv([("connection", "time", "cwnd"), *rows])


FIGURE24 = Figure(
    **DEFINITION.figure("figure24"),
    plots=[Plot(x=Axis(label="Time (s)"), y=Axis(label="cwnd (packets)", low=0), marks=_COURSES)],
    numbers=_windows,
    csv=_windows_csv,
)


def _each_group(processing: str, evidence: Evidence) -> Panel:
    drawn: list[tuple[float, float]] = []
    found = grouped(evidence.ours.part("groups"), "processing", "connections").cells
    for size in GROUPS:
        ratios = [row.values["goodput_ratio"] for row in found[processing, size]]
        drawn += zip(size * np.geomspace(0.9, 1.11, len(ratios)), ratios, strict=True)
    x, y = zip(*drawn, strict=True)
    return Panel(
        title=_TITLES[processing],
        x=powers("Connections in each group" if processing == WITHOUT else "", 0.8, 32, GROUPS),
        y=powers("Goodput, near over far", 0.125, 64, (0.25, 1, 4, 16, 64)),
        series=[dots("one run", x, y, Pen(colour="blue", marker="circle"), size=3.2)],
        levels=[Level(y=1, dotted=False)],
    )


def _sizes(evidence: Evidence) -> Table:
    rows = []
    found = grouped(evidence.ours.part("groups"), "processing", "connections").cells
    for (processing, size), here in found.items():
        mean = 2 ** np.mean(np.log2([row.values["goodput_ratio"] for row in here]))
        spreads = (f"{2**each:.2f}" for each in (spread(here), pair_spread(here)))
        rows.append([f"{size}, {_TITLES[str(processing)][4:]}", f"{mean:.2f}", *spreads])
    return DEFINITION.laid_out("group-sizes", rows)


SIZES = Figure(
    **DEFINITION.figure("group-sizes"),
    plots=[partial(_each_group, processing) for processing in OVERHEADS],
    numbers=_sizes,
)

_BY_PROCESSING = DEFINITION.pens("processing")
_WORDS = dict(zip(OVERHEADS, _BY_PROCESSING, strict=True))
_power = m.POWER.at("unequal").relabel("processing", _WORDS)
_near = {split_name(counts): f"{100 * counts[0] / sum(counts):g}" for counts in UNEQUAL}


def _five(name: str) -> Quantity:
    each = Profile(name=name, label=name, axes={"group": SEVERAL}, of=lambda row: row.values[name])
    return each.at("several").relabel("processing", _WORDS)


def _unequal(evidence: Evidence) -> Table:
    two, five = (m.POWER.at(part).points(evidence.ours).cells for part in ("unequal", "several"))
    rows = [
        [f"{counts[0]} and {counts[1]}", *(two[processing, split_name(counts)].shown(2) for processing in OVERHEADS)]
        for counts in UNEQUAL
    ]
    rows += [[f"10 connections at each of {len(SEVERAL)} distances", *(point.shown(2) for point in five.values())]]
    return DEFINITION.laid_out("unequal-groups", rows)


OTHERWISE = Figure(
    **DEFINITION.figure("unequal-groups"),
    plots=[
        Plot(
            title="(a) 50 connections in two groups of unequal size",
            x=Axis(label="Connections in the near group (%)", low=0, high=100),
            y=Axis(label="Exponent k", low=0),
            marks=[Lines(of=_power.relabel("groups", _near), x="groups", by="processing", pens=_BY_PROCESSING)],
            levels=[Level(y=2, text="equally long epochs"), Level(y=1, text="equal loss")],
        ),
        Plot(
            title="(b) five groups of 10",
            x=powers("Round-trip time (s)", 0.38, 2.4, (0.4, 0.6, 0.8, 1.2, 1.6, 2.4)),
            y=powers("Goodput of a connection (packets/s)", 1, 40, (1, 2, 4, 8, 16, 32)),
            marks=[Scatter(x=_five("rtt"), y=_five("goodput"), by="processing", pens=_BY_PROCESSING)],
        ),
    ],
    numbers=_unequal,
)
