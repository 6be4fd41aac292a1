"""Writes a run to disk: a directory with ``record.json`` and one Parquet file per table.

``record.json`` contains the complete effective scenario, the seed, the program that made the run, the requested
records, the summary and the notices. This is enough to reproduce the run byte for byte. It also contains the checksums
of all tables, and its own.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.files.checksum import checksum, sealed
from ackclock.files.making import check_name, new_folder
from ackclock.files.recognised import RECORD
from ackclock.values.errors import refuse

if TYPE_CHECKING:
    import pyarrow as pa


def refuse_existing(directory: Path) -> None:
    """Refuse to write to an existing path, or to one that cannot be written."""
    check_name(directory)
    if directory.exists() or directory.is_symlink():
        raise refuse("out", str(directory), "must not exist yet: results are never overwritten")


def save(directory: Path, record: Mapping[str, Any], tables: "Iterable[tuple[str, pa.Table]]") -> None:
    """Write a run atomically: the directory appears only when all files are complete.

    Parameters
    ----------
    directory
        The new directory.
    record
        Content of ``record.json``.
    tables
        Name and content of each table.

    Raises
    ------
    ScenarioError
        The directory exists already, or cannot be created.
    """
    import pyarrow.parquet  # noqa: PLC0415  # slow to load

    refuse_existing(directory)

    def place(folder: Path) -> None:
        refuse_existing(directory)
        folder.rename(directory)

    with new_folder(directory, place, allowed="a new directory that can be written") as beside:
        files = {}
        for name, table in tables:
            file = beside / f"{name}.parquet"
            pyarrow.parquet.write_table(table, file.absolute())
            files[file.name] = checksum(file)
        text = json.dumps(sealed({**record, "files": files}), indent=2, allow_nan=False) + "\n"
        (beside / RECORD).write_text(text, encoding="utf-8", newline="\n")
