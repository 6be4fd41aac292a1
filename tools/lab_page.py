"""Pack the lab's page for the package, as the last part of ``make lab``: ``python tools/lab_page.py FOLDER FILE``.

The page contains the engine, compressed for browsers. LZMA makes it a quarter smaller, and with it the wheel: the file
has the page without its parts, and the parts beside it. `ackclock.lab.page` puts them together.
"""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZIP_LZMA, ZipFile, ZipInfo

from ackclock.lab.page import PARTS, built_page


def pack(file: Path, members: dict[str, bytes]) -> None:
    """Write the page and its parts. Equal members give equal files."""
    with ZipFile(file, "w", ZIP_LZMA) as packed:
        for name, data in members.items():
            packed.writestr(ZipInfo(name), data, ZIP_LZMA)


if __name__ == "__main__":
    folder, out = map(Path, sys.argv[1:])
    pack(out, {name: (folder / name).read_bytes() for name in ("page.html", *PARTS.values())})
    page = built_page()
    if page is None:
        raise SystemExit(f"{out}: not the page of this engine")
    print(f"{out}: {len(page) / 1000:.0f} kB, {out.stat().st_size / 1000:.0f} kB packed")
