"""Prints the summary of a run, for ``ackclock run``."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ackclock.cli.console import console
from ackclock.running.run import Run
from ackclock.running.summary import GroupSummary, as_text, group_columns, limited_by, summary_rows

_ANY_WIDTH: Final = 1_000_000


def show(result: Run) -> None:
    """Print the summary of a run, with a table of its groups if they add something."""
    out, scenario = console(), result.scenario
    measured = f"measured from {scenario.measure.from_} to {scenario.duration} at {scenario.measure.link}"
    out.print(Text(f"Profile {scenario.profile}, seed {result.seed}; {measured}, in bins of {scenario.measure.bin}"))
    out.print()
    out.print(_summary_table(result))
    groups = result.summary.groups
    if len(groups) > 1 or any(group.completed for group in groups):
        out.print()
        for table in _tables_of_groups(groups, out):
            _print(table, out)
    limits = [(group.name, text) for group in groups if (text := limited_by(group)) is not None]
    if limits:
        out.print()
    for name, text in limits:
        out.print(Text(f"{name} limited by: {text}" if len(groups) > 1 else f"limited by: {text}"))
    for notice in result.notices:
        out.print()
        out.print(Text(f"Note: {notice}", style="yellow"))


def _summary_table(result: Run) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    for row in (*summary_rows(result.summary), ("warmup", as_text(result.warmup, 1), "s")):
        table.add_row(*row)
    return table


# Names that are too long for a column, with line breaks.
_BROKEN = {
    "throughput_bps": "through-\nput",
    "fast_retransmits": "fast re-\ntransmits",
    "retransmissions": "retrans-\nmissions",
    "completed": "com-\npleted",
    "completion_mean": "comple-\ntion\nmean",
}


def _tables_of_groups(groups: Sequence[GroupSummary], out: Console) -> Iterator[Table]:
    """Yield a table with a row for each group, or tables with a column for each group on a narrow terminal."""
    wide = _groups_table(groups)
    if not out.is_terminal or _width(wide, out) <= out.width:
        yield wide
        return
    columns = group_columns(groups)
    each = max(_width(_measures_table([group], columns), out) for group in groups)
    shared = _width(_measures_table([], columns), out)
    number = max(1, (out.width - shared) // (each - shared))
    for start in range(0, len(groups), number):
        yield _measures_table(groups[start : start + number], columns)


def _print(table: Table, out: Console) -> None:
    """Print a table; a file is as wide as the table."""
    width = out.width
    if not out.is_terminal:
        out.width = max(width, _width(table, out))
    out.print(table)
    out.width = width


def _width(table: Table, out: Console) -> int:
    """Return the width that a table needs, on a terminal of any width."""
    return out.measure(table, options=out.options.update(max_width=_ANY_WIDTH)).maximum


def _measures_table(groups: Sequence[GroupSummary], columns: Sequence[tuple[str, str, float]]) -> Table:
    """Make a table with a row for each measure and a column for each group."""
    table = Table(box=None, pad_edge=False)
    table.add_column("group", no_wrap=True)
    for group in groups:
        table.add_column(Text(group.name), justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for name, unit, factor in columns:
        cells = (as_text(getattr(group, name), factor) for group in groups)
        table.add_row(name.removesuffix("_bps"), *cells, unit)
    return table


def _groups_table(groups: Sequence[GroupSummary]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("group")
    shown = group_columns(groups)
    for name, unit, _ in shown:
        words = _BROKEN.get(name, name.removesuffix("_bps").replace("_", "\n"))
        table.add_column(Text(f"{words}\n{unit}" if unit else words), justify="right", no_wrap=True)
    for group in groups:
        cells = (as_text(getattr(group, name), factor) for name, _, factor in shown)
        table.add_row(Text(group.name), *cells)
    return table
