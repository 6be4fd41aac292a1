"""Defines ``ackclock store``: maintenance of the folders of sweeps and captures."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

stores = typer.Typer(help="Maintain the folders of sweeps and captures.", no_args_is_help=True)


@stores.callback()
def store() -> None:
    """Maintain the folders of sweeps and captures."""


@stores.command()
def check(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder of a sweep or of a capture.", show_default=False)
    ],
) -> None:
    """Verify every file against its checksum.

    The exit status is 0 if all files are intact. Otherwise it is 1, and the output names the lost data and the command
    that restores it. No file is changed or moved.
    """
    from ackclock.capture.folder import is_capture  # noqa: PLC0415

    if not (_check_capture(folder) if is_capture(folder) else _check_store(folder)):
        raise typer.Exit(1)


def _check_store(folder: Path) -> bool:
    from ackclock.study.store import Store  # noqa: PLC0415

    with Store.open(folder) as opened:
        states = opened.check()
        rows = [
            (str(each.place.relative_to(folder)), f"{each.runs:,}", f"{each.bytes:,}", each.state) for each in states
        ]
        _show(("part or journal", "runs", "bytes", "state"), rows)
        sys.stdout.writelines(f"{notice}\n" for notice in opened.notices)
        return opened.intact


def _check_capture(folder: Path) -> bool:
    from ackclock.capture.folder import check as hold  # noqa: PLC0415
    from ackclock.capture.folder import files_of  # noqa: PLC0415

    files = files_of(folder)
    _show(("file", "state"), list(files.items()))
    hold(folder, files)
    return True


def _show(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from ackclock.cli.console import console  # noqa: PLC0415

    table = Table(box=None, pad_edge=False)
    for head in heads:
        table.add_column(head, justify="right" if head in {"runs", "bytes"} else "left", no_wrap=head != "state")
    for row in rows:
        table.add_row(*map(Text, row))
    console().print(table)
