"""Implements ``ackclock query``: runs SQL queries on a store or a capture."""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json
from rich.table import Table
from rich.text import Text

from ackclock.capture.folder import ask, ask_file, is_capture
from ackclock.cli.console import console
from ackclock.files.recognised import recognised
from ackclock.study.store import Store
from ackclock.values.errors import impossible, listed, refuse

if TYPE_CHECKING:
    import pyarrow as pa

_BETWEEN = 2
"""Number of spaces between two columns."""


def query(folder: Path, sql: str, *, as_json: bool, as_csv: bool, revision: str | None) -> None:
    """Run a query and print its result."""
    if as_json and as_csv:
        raise refuse("--csv", "--json", "must not be combined")
    is_file = folder.is_file() and recognised(folder) is None
    if is_file or is_capture(folder):
        if revision is not None:
            raise refuse("--revision", revision, "must be absent: a capture has no runs")
        answer = ask_file(folder, sql) if is_file else ask(folder, sql)
    else:
        with Store.open(folder, revision=revision) as store:
            answer = store.sql(sql)
            for notice in store.notices:
                sys.stderr.write(f"Note: {notice}\n")
    if as_json:
        _write_json(answer)
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(answer.column_names)
        writer.writerows(_rows(answer))
    else:
        _show(answer)


def _rows(answer: "pa.Table") -> Iterator[tuple[Any, ...]]:
    for batch in answer.to_batches():
        columns = zip(batch.schema.names, batch.columns, strict=True)
        yield from zip(*(_values(name, column) for name, column in columns), strict=True)


def _values(name: str, column: "pa.Array | pa.ChunkedArray") -> list[Any]:
    """Return the values of a column; reject times that Python cannot represent."""
    try:
        values: list[Any] = column.to_pylist()
    except (OverflowError, ValueError):
        problem = f"holds a {column.type} outside the years 1 to 9999, or with nanoseconds"
        raise impossible(f"column {name}: {problem}; cast the column to text, as in {name}::varchar") from None
    return values


def _write_json(answer: "pa.Table") -> None:
    """Write a JSON array with one object per line; NaN becomes null, and bytes become hexadecimal digits."""
    names = answer.column_names
    again = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if again is not None:
        raise refuse("--json", again, "columns must have different names: rename a column, as in a as b, or use --csv")
    before = "[\n"
    for row in _rows(answer):
        # Floating-point numbers keep all their digits.
        line = to_json(dict(zip(names, row, strict=True)), inf_nan_mode="null", bytes_mode="hex", fallback=str)
        sys.stdout.write(f"{before}{line.decode()}")
        before = ",\n"
    sys.stdout.write("[]\n" if before == "[\n" else "\n]\n")


def _show(answer: "pa.Table") -> None:
    out = console()
    table = Table(box=None, pad_edge=False, padding=(0, _BETWEEN, 0, 0))
    names = [_printable(name) for name in answer.column_names]
    given = zip(names, answer.columns, strict=True)
    columns = [[_text(value) for value in _values(name, column)] for name, column in given]
    widths = [max(map(len, [name, *texts])) for name, texts in zip(names, columns, strict=True)]
    shown = max(1, sum(sum(widths[: place + 1]) + _BETWEEN * place <= out.width for place in range(len(widths))))
    for name, field in list(zip(names, answer.schema, strict=True))[:shown]:
        numeric = not str(field.type).startswith(("string", "large_string"))
        table.add_column(Text(name), justify="right" if numeric else "left", no_wrap=True)
    for texts in zip(*columns[:shown], strict=True):
        table.add_row(*map(Text, texts))
    out.print(table)
    if shown < len(widths):
        rest = names[shown:]
        noun = "column" if len(rest) == 1 else "columns"
        out.print(Text(f"{len(rest)} more {noun} (--json and --csv print all columns): {listed(rest)}"))


def _text(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else _printable(str(value))


def _printable(text: str) -> str:
    """Replace characters that would break a line or control a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
