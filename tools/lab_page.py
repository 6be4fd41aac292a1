"""Pack the lab's page for the package, as the last part of ``make lab``: ``python tools/lab_page.py FOLDER FILE``.

The page contains the engine and the catalogue, compressed with LZMA: `web/src/unpack.ts` unpacks them in the browser.
The file has them beside the page. `ackclock.lab.page` puts them together.
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from ackclock.lab.page import PARTS, built_page

_FILTER: Final[dict[str, Any]] = {
    "id": lzma.FILTER_LZMA1,
    "preset": 9 | lzma.PRESET_EXTREME,
    "pb": 0,
    "dict_size": 2**22,
}
_SIZE: Final = slice(5, 13)
"""Place of the size of the data in the header of a file."""


def packed(data: bytes) -> bytes:
    """Compress a part of the page, with its size in the header."""
    made = bytearray(lzma.compress(data, format=lzma.FORMAT_ALONE, filters=[_FILTER]))
    made[_SIZE] = len(data).to_bytes(8, "little")
    return bytes(made)


def pack(file: Path, members: dict[str, bytes]) -> None:
    """Write the page and its parts. Equal members give equal files."""
    with ZipFile(file, "w") as archive:
        for name, data in members.items():
            is_part = name in PARTS.values()
            archive.writestr(ZipInfo(name), packed(data) if is_part else data, ZIP_STORED if is_part else ZIP_DEFLATED)


if __name__ == "__main__":
    folder, out = map(Path, sys.argv[1:])
    pack(out, {name: (folder / name).read_bytes() for name in ("page.html", *PARTS.values())})
    page = built_page()
    if page is None:
        raise SystemExit(f"{out}: not the page of this engine")
    print(f"{out}: {len(page) / 1000:.0f} kB, {out.stat().st_size / 1000:.0f} kB packed")
