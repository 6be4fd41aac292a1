"""Writing a run to disk: a directory with ``record.json`` and one Parquet file per table.

``record.json`` holds the whole effective scenario, the seed, the program that ran it, the records asked for, the
summary and the notices: enough to run it again to the same bytes.
"""

import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ackclock.scenario.errors import refuse, unreadable

if TYPE_CHECKING:
    import pyarrow as pa

RECORD: Final = "record.json"


def refuse_existing(directory: Path) -> None:
    """Refuse to write where there is something."""
    if directory.exists() or directory.is_symlink():
        raise refuse("out", str(directory), "must not exist yet: results are never overwritten")


def save(directory: Path, record: Mapping[str, Any], tables: "Iterable[tuple[str, pa.Table]]") -> None:
    """Write a run, whole or not at all: the directory takes its name when everything is there.

    Parameters
    ----------
    directory
        Where to; it must not exist yet.
    record
        What ``record.json`` holds.
    tables
        Name and content of each table.

    Raises
    ------
    ScenarioError
        The directory exists already, or cannot be made.
    """
    import pyarrow.parquet  # noqa: PLC0415  # slow to load

    refuse_existing(directory)
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
    except OSError as error:
        raise unreadable(directory, str(error.strerror), "a new directory that can be written") from None
    try:
        for name, table in tables:
            pyarrow.parquet.write_table(table, (beside / f"{name}.parquet").absolute())
        (beside / RECORD).write_text(json.dumps(record, indent=2, allow_nan=False) + "\n")
        beside.chmod(0o755)
        refuse_existing(directory)
        beside.rename(directory)
    except OSError as error:
        raise unreadable(directory, str(error.strerror or error), "a new directory that can be written") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
