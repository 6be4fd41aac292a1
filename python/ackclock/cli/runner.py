"""Implements ``ackclock run``: runs a scenario or repeats a result, and prints the summary."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ackclock.cli.arguments import integer
from ackclock.cli.capture_writing import CaptureFiles
from ackclock.cli.console import console
from ackclock.engine.catalogue import catalogue
from ackclock.running.origin import Origin
from ackclock.running.progress import progress_bar
from ackclock.running.result import UNSEALED, Request, read_request
from ackclock.running.run import SEED, Run, simulate
from ackclock.running.saving import refuse_existing
from ackclock.running.summary import GroupSummary, as_text, group_columns, limited_by, summary_rows
from ackclock.scenario import Scenario
from ackclock.scenario.files import read_scenario, transports
from ackclock.scenario.overrides import override
from ackclock.values.errors import refuse

_ANY_WIDTH: Final = 1_000_000


def run(
    file: Path,
    *,
    seed: str | None,
    as_json: bool,
    law: str | None,
    overrides: Sequence[str],
    record: Sequence[str] | None,
    captures: CaptureFiles,
    out: Path | None,
    memory: str | None,
) -> None:
    """Run a scenario, or repeat a saved result."""
    if out is not None:
        refuse_existing(out)
    request = request_of(file)
    if law is not None:
        replace_law(request.scenario, law)
    override(request.scenario, overrides)
    scenario = Scenario.from_dict(request.scenario)
    chosen = request.seed if seed is None else integer("seed", seed, SEED.allowed)
    records = request.record if record is None else tuple(record)
    _tell_origin(file, request.origin)
    if file.is_dir() and not request.sealed:
        sys.stderr.write(f"{file}: {UNSEALED}\n")
    with progress_bar("1 run", 1) as show:
        result = simulate(
            scenario,
            seed=chosen,
            record=records,
            capture=tuple(captures.files),
            progress=lambda share: show(share, f"{share:4.0%}"),
            memory=memory,
        )
    if record and out is None:
        sys.stderr.write("--record: tables are only written with --out\n")
    if out is not None:
        result.save(out)
    if as_json:
        sys.stdout.write(json.dumps(result.to_dict(), indent=2, allow_nan=False) + "\n")
    else:
        _show(result)
    # The captures are written last, so that the summary is printed even if a file cannot be written.
    captures.write(result)


def request_of(file: Path) -> Request:
    """Read what to run: a scenario, with seed 1, or the inputs of a result."""
    if not file.is_dir() and file.suffix != ".json":
        return Request(scenario=read_scenario(file), seed=1, origin=Origin.here(), record=())
    return read_request(file)


def replace_law(tables: Mapping[str, Any], law: str) -> None:
    """Set the law of all TCP transports in the tables of a scenario, without the parameters of the law before it."""
    found = [each for each in transports(tables) if each.get("kind") == "tcp"]
    if not found:
        raise refuse("law", law, "must be absent: the scenario has no TCP transport")
    options = catalogue().tcp_options
    for transport in found:
        kept = {name: value for name, value in transport.items() if name in {"kind", "variant"} or name in options}
        transport.clear()
        transport.update(kept, law=law)


def _tell_origin(file: Path, origin: Origin) -> None:
    """Warn if another version of Ackclock or of its engine made a result."""
    here = Origin.here()
    if origin != here:
        sys.stderr.write(f"{file}: made by {origin}; this is {here}, and results may differ\n")


def _show(result: Run) -> None:
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
