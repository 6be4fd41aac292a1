"""The folder of a study: written completely or not at all, and replacing only an earlier folder of the same study."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ackclock.files.checksum import checksum, sealed
from ackclock.files.inside import file_in
from ackclock.files.making import check_name, new_folder, replace_folder
from ackclock.scenario.files import read_json
from ackclock.values.errors import ScenarioError, refuse

_RECORD = "record.json"


def check_replaceable(out: Path, *, study: str) -> None:
    """Check that a path may be replaced by the folder of a study.

    Raises
    ------
    ScenarioError
        The path exists and is not an earlier folder of the study, or contains other files.

    """
    check_name(out)
    if out.is_dir() and not out.is_symlink():
        there = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_symlink() or not path.is_dir()}
        record = _read_record(out)
        if not there or (record.get("study") == study and there <= {_RECORD, *map(str, record.get("files", []))}):
            return
    elif not out.exists() and not out.is_symlink():
        return
    raise refuse("--out", str(out), f"must be a new folder, or one that contains only an earlier report of {study}")


@contextmanager
def write_whole(out: Path, *, study: str, record: Mapping[str, Any], checksums: bool = False) -> Iterator[Path]:
    """Write a folder under a temporary name, and rename it once it is complete.

    Parameters
    ----------
    record
        Provenance of the folder, written as ``record.json`` together with the name of the study and the list of files.
    checksums
        Add the checksums of the files and of the record.

    Yields
    ------
    pathlib.Path
        An empty folder to write into. It is removed if the body fails or is interrupted.

    Raises
    ------
    ScenarioError
        As for `check_replaceable`, at the start and at the end; or the folder cannot be written.

    """
    check_replaceable(out, study=study)

    def place(folder: Path) -> None:
        check_replaceable(out, study=study)
        replace_folder(folder, out)

    with new_folder(out, place, allowed="a folder that can be written") as making:
        yield making
        files = sorted(path.relative_to(making).as_posix() for path in making.rglob("*") if not path.is_dir())
        whole = {"study": study, **record, "files": files}
        if checksums:
            whole = sealed({**whole, "files": {name: checksum(making / name) for name in files}})
        (making / _RECORD).write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _read_record(folder: Path) -> dict[str, Any]:
    try:
        return read_json(file_in(folder, _RECORD))
    except (OSError, ScenarioError):
        return {}
