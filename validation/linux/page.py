"""Writes the page: its tables and verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from textwrap import fill
from typing import TYPE_CHECKING

from linux.cells import COMPETITION, GRID, PARTS, RANDOM, Compared
from linux.data import traces
from linux.explained import grouped
from linux.markdown import table
from linux.more.compared import BAR
from linux.more.section import section
from linux.replay import LEFT_OUT
from linux.rules import (
    BBR_GOODPUT,
    BBR_SHARE,
    GOODPUT,
    LOSS,
    ORDER_BAR,
    PERIOD,
    RANDOM_LOSS,
    ROUND_TRIP,
    SHARE,
    TIMES_BAR,
    WAITING,
    Tolerance,
)
from linux.scripts import scripts
from linux.senders import BBR
from linux.texts import INTRODUCTION, MEASURED, RULES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from linux.divergence import Order
    from linux.more.compared import Measured

_TRACES, _BBR_TRACES = "Scripted losses", "Scripted losses with BBR"
_MORE = "More of the kernel"


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """A required share, and the result."""

    part: str
    measure: str
    agreeing: int
    total: int
    required: float

    @property
    def met(self) -> bool:
        """Whether enough comparisons agree."""
        return self.agreeing >= self.required * self.total

    @property
    def row(self) -> list[str]:
        """The row of the summary."""
        share = f"{100 * self.agreeing / self.total:.0f} %" if self.total else "-"
        verdict = "met" if self.met else "missed"
        return [
            self.part,
            self.measure,
            f"{self.agreeing} of {self.total}",
            share,
            f"{100 * self.required:g} %",
            verdict,
        ]


def bars(cells: Sequence[Compared], orders: Mapping[str, Order], measured: Sequence[Measured]) -> list[Bar]:
    """Compare the shares of agreeing cells, traces and measures of the second set with the required shares."""
    found = []
    for part in PARTS:
        judged = [one for one in cells if one.cell.part == part and not one.cell.small]
        for tolerance in dict.fromkeys(one.tolerance for one in judged):
            agreeing = [one.agrees for one in judged if one.tolerance is tolerance]
            found.append(
                Bar(
                    part=part,
                    measure=tolerance.title,
                    agreeing=sum(agreeing),
                    total=len(agreeing),
                    required=tolerance.bar,
                )
            )
    for part in (_TRACES, _BBR_TRACES):
        group = [order for name, order in orders.items() if _trace_part(name) == part]
        for measure, agreeing, required in (
            ("order of segments", [order.in_order for order in group], ORDER_BAR),
            ("order and times", [order.in_time for order in group], TIMES_BAR),
        ):
            found.append(
                Bar(part=part, measure=measure, agreeing=sum(agreeing), total=len(agreeing), required=required)
            )
    number = sum(one.agrees for one in measured)
    found.append(Bar(part=_MORE, measure="all measures", agreeing=number, total=len(measured), required=BAR))
    return found


def page(
    cells: Sequence[Compared], orders: Mapping[str, Order], measured: Sequence[Measured], images: Mapping[str, str]
) -> str:
    """Return the page.

    Parameters
    ----------
    cells
        The comparisons of cells.
    orders
        The comparisons of traces, by name.
    measured
        The comparisons of the second set.
    images
        Caption of each image in `docs/images`, by its name.
    """
    judged = [one for one in cells if not one.cell.small]
    small = [one for one in cells if one.cell.small]
    summary = [bar.row for bar in bars(cells, orders, measured)]
    missed = [one.key for one in judged if not one.agrees]
    missed += [trace_key(name) for name, order in orders.items() if not order.in_time]
    agreeing = sum(one.agrees for one in small)
    small_title = f"{agreeing} of {len(small)} numbers agree. They are not judged."
    parts = [
        INTRODUCTION,
        table(["part", "measure", "agree", "share", "bar", "result"], summary),
        *(f"![{caption}](images/{name})\n" for name, caption in images.items()),
        MEASURED,
        RULES.format(rules=_tolerances()),
        *(f"## {part}\n\n{_cells([one for one in judged if one.cell.part == part])}" for part in PARTS),
        f"## Single flows with small buffers\n\n{small_title}\n\n{_cells(small)}",
        f"## {_TRACES}\n\n{_orders(orders)}",
        "These traces are not replayed:\n",
        table(["trace", "reason"], [[f"`{name}`", reason] for name, reason in LEFT_OUT.items()]),
        section(measured),
        scripts(),
        _misses(missed),
    ]
    return "\n".join(parts)


def trace_key(name: str) -> str:
    """Name of a trace, as in `linux.explained`."""
    return f"{_trace_part(name)}: {name}"


def _trace_part(name: str) -> str:
    return _BBR_TRACES if traces()[name].kernel == BBR else _TRACES


def _tolerances() -> str:
    tolerances = [(GRID, tolerance) for tolerance in (GOODPUT, WAITING, LOSS, PERIOD, BBR_GOODPUT, ROUND_TRIP)]
    tolerances += [(RANDOM, RANDOM_LOSS), (COMPETITION, SHARE), (COMPETITION, BBR_SHARE)]
    rows = [
        [part, tolerance.title, tolerance.allowed, f"{100 * tolerance.bar:.0f} %"] for part, tolerance in tolerances
    ]
    return table(["part", "measure", "allowed difference", "bar"], rows).rstrip()


def _cells(found: Sequence[Compared]) -> str:
    """Format a table for each measure."""
    text = []
    for tolerance in dict.fromkeys(one.tolerance for one in found):
        columns = ["cell", f"kernel, {tolerance.unit}", "Ackclock", "ratio", "verdict"]
        rows = [_cell(one) for one in found if one.tolerance is tolerance]
        text.append(f"### {tolerance.title.capitalize()}\n\n{table(columns, rows)}")
    return "\n".join(text)


def _cell(one: Compared) -> list[str]:
    ours = "-" if one.ours is None else _number(one.tolerance, one.ours)
    ratio = "-" if one.ratio is None else f"{one.ratio:.3f}"
    return [one.cell.name, _kernel(one), ours, ratio, "agrees" if one.agrees else "differs"]


def _kernel(one: Compared) -> str:
    """Format the kernel's mean, and the range of its repetitions."""
    mean = _number(one.tolerance, fmean(one.kernel))
    low, high = _number(one.tolerance, min(one.kernel)), _number(one.tolerance, max(one.kernel))
    return mean if low == high else f"{mean} ({low} to {high})"


def _number(tolerance: Tolerance, value: float) -> str:
    return f"{value:.{tolerance.digits}f}"


def _orders(orders: Mapping[str, Order]) -> str:
    rows = []
    for name, order in orders.items():
        differs = "-" if order.differs is None else f"{order.differs + 1}"
        verdict = "order differs" if not order.in_order else "agrees" if order.in_time else "times differ"
        punctual, median = f"{100 * order.punctual:.1f} %", f"{order.median_ms:.2f}"
        rows.append([f"`{name}`", str(order.segments), differs, punctual, median, verdict])
    columns = ["trace", "segments", "first in another order", "in time before it", "median difference, ms", "verdict"]
    return table(columns, rows)


def _misses(names: Sequence[str]) -> str:
    text = "## Differences\n\n"
    if not names:
        return text + "There are none.\n"
    for words, group in grouped(names).items():
        text += f"{fill(words, 120, break_on_hyphens=False)}\n\n" + "".join(f"- {name}\n" for name in group) + "\n"
    return text.rstrip() + "\n"
