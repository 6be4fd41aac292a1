"""Writes a run to disk: a directory with ``record.json`` and one Parquet file per table.

``record.json`` contains the complete effective scenario, the seed, the program that made the run, the requested
records, the summary and the notices. This is enough to reproduce the run byte for byte. It also contains the checksums
of all tables, and its own.
"""

import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ackclock.running.checksum import checksum, sealed
from ackclock.scenario.errors import refuse, unreadable

if TYPE_CHECKING:
    import pyarrow as pa

RECORD: Final = "record.json"


def refuse_existing(directory: Path) -> None:
    """Refuse to write to an existing path."""
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
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
    except OSError as error:
        raise unreadable(directory, str(error.strerror), "a new directory that can be written") from None
    try:
        files = {}
        for name, table in tables:
            file = beside / f"{name}.parquet"
            pyarrow.parquet.write_table(table, file.absolute())
            files[file.name] = checksum(file)
        text = json.dumps(sealed({**record, "files": files}), indent=2, allow_nan=False) + "\n"
        (beside / RECORD).write_text(text, encoding="utf-8", newline="\n")
        beside.chmod(0o755)
        refuse_existing(directory)
        beside.rename(directory)
    except OSError as error:
        raise unreadable(directory, str(error.strerror or error), "a new directory that can be written") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
