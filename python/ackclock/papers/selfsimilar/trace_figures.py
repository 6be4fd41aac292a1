"""Figure 3 and the protocols of section 5, with the numbers of the capture and of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ackclock.capture.report import sizes_panel
from ackclock.capture.shares import percent, shares
from ackclock.drawing.chart import Axis, Chart, Panel, Series
from ackclock.papers.core.figure import Pen, csv_text, dots
from ackclock.papers.core.paper import Both
from ackclock.papers.core.words import DASH
from ackclock.papers.selfsimilar.experiment import DEFINITION, TRACE
from ackclock.papers.selfsimilar.figures import CAPTIONS
from ackclock.papers.selfsimilar.trace import LAYERS, Memory, Trace
from ackclock.report.html import Drawing, Table

METHODS: Final[Mapping[str, str]] = DEFINITION.table("methods")
"""Displayed names of the methods for the Hurst parameter."""

_SHARES: Final[Mapping[str, float]] = TRACE["shares"]


def words(both: Both) -> str:
    """Describe the packets that are drawn."""
    trace: Trace = both.capture
    what = CAPTIONS["simulated"] if trace.simulated else CAPTIONS["captured"].format(file=trace.capture.path.name)
    return " ".join([what, *trace.capture.notices])


def _estimate(series: Memory, method: str) -> str:
    """Format the Hurst parameter by a method with its 95 % interval; a dash if the method has no estimate."""
    found = None if series.found is None else series.found.get(method)
    return DASH if found is None else f"{found.h:.2f} [{found.low:.2f}, {found.high:.2f}]"


def _titled(name: str, **fields: Any) -> dict[str, str]:
    words = DEFINITION.figure(name, **fields)
    return {"slug": name, "title": words["title"], "caption": words["what"]}


def figure_3(both: Both, command: str) -> Drawing:
    """Draw Figure 3."""
    trace: Trace = both.capture
    sizes = trace.sizes
    width = sizes.bin
    packets, carried = sizes.per_bin(width)
    end = max(sizes.length, width)
    return Drawing(
        chart=Chart(
            height=6.4,
            panels=[
                replace(
                    sizes_panel(
                        sizes.time - sizes.time.min(),
                        sizes.size,
                        end=end,
                        largest=1.05 * max(float(sizes.size.max()), 1.0),
                    ),
                    title="(a) f(t): the size of each packet",
                    x=Axis(low=0, high=end),
                ),
                Panel(
                    title=f"(b) data per {width:g} s",
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
        **_titled(
            "figure3",
            kind=" (simulated packets)" if trace.simulated else "",
            packets=sizes.size.size,
            bytes=sizes.size.sum(),
            seconds=sizes.length,
            paper=TRACE,
        ),
        csv=csv_text(
            ["time", "packets", "bytes"],
            (
                (f"{width * place:.10g}", f"{some:.0f}", f"{size:.0f}")
                for place, (some, size) in enumerate(zip(packets, carried, strict=True))
            ),
        ),
        numbers=Table(
            caption="Hurst parameter with its 95 % interval; a dash where a method gives no estimate",
            head=["Method", *(each.name for each in trace.memory)],
            rows=[
                *([name, *(_estimate(each, method) for each in trace.memory)] for method, name in METHODS.items()),
                ["values", *(f"{each.values.size:,}" for each in trace.memory)],
                ["long-range dependence", *("claimed" if each.long_range else "not claimed" for each in trace.memory)],
            ],
        ),
        command=command,
    )


def protocols(both: Both, command: str) -> Drawing:
    """Draw the shares of protocols."""
    trace: Trace = both.capture
    ours, places = trace.shares, list(enumerate(LAYERS))
    drawn = [
        dots(
            name,
            [place + shift for place, _ in places],
            [shares[layer] for _, layer in places],
            Pen(colour=colour, marker="circle"),
            filled=name != "the paper",
            size=6,
        )
        for name, shares, shift, colour in (
            ("simulated" if trace.simulated else "the capture", ours, -0.1, "blue"),
            ("the paper", _SHARES, 0.1, "ink"),
        )
    ]
    return Drawing(
        chart=Chart(
            height=3.2,
            panels=[
                Panel(
                    x=Axis(low=-0.6, high=len(LAYERS) - 0.4, ticks=places),
                    y=Axis(label="Packets (%)", low=-4, high=104),
                    series=drawn,
                )
            ],
        ),
        **_titled("protocols"),
        csv=csv_text(
            ["protocol", "layer", "packets", "bytes"],
            ([each.name, each.layer, each.packets, each.bytes] for each in trace.capture.mix),
        ),
        numbers=_mix(trace),
        command=command,
    )


def _mix(trace: Trace) -> Table:
    capture = trace.capture
    printed = {name.lower(): f"{share:g}" for name, share in _SHARES.items() if name != "IP"}
    rows = [
        [each.name, each.layer, *numbers[:3], printed.get(each.name, ""), *numbers[3:5]]
        for each, numbers in shares(capture)
    ]
    both = [
        "IP of both versions",
        "network",
        f"{capture.ip_packets:,}",
        percent(capture.ip_packets, capture.packets),
        "",
        f"{_SHARES['IP']:g}",
        f"{capture.ip_bytes:,}",
        percent(capture.ip_bytes, capture.bytes),
    ]
    whole = ["all", "", f"{capture.packets:,}", "100", "", "100", f"{capture.bytes:,}", "100"]
    return Table(
        caption="Protocols: a packet counts once in each layer. The paper prints shares of all packets.",
        head=["Protocol", "layer", "packets", "% of all", "% of IP", "paper, % of all", "bytes", "% of all bytes"],
        rows=[*rows, both, whole],
    )
