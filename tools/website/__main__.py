"""Build the documentation site: ``python -m website FOLDER``.

The sources are put together in ``FOLDER-sources``, Zensical builds them, and the links of the result are checked.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from website.links import ROOT, broken_in_site
from website.sources import Sources

_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")
_SHIM: Final = '<script src="https://unpkg.com/iframe-worker/shim" type="text/javascript"></script>'


def build(folder: Path) -> list[str]:
    """Build the site into a folder, and return a message for each problem."""
    sources = Sources(root=ROOT, folder=folder.with_name(f"{folder.name}-sources"))
    sources.write()
    command = [
        sys.executable,
        "-m",
        "zensical",
        "build",
        "--clean",
        "--config-file",
        str(sources.folder / "mkdocs.yml"),
    ]
    path = os.pathsep.join(filter(None, [str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH")]))
    made = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False)
    said = _COLOURS.sub("", made.stdout + made.stderr)
    if made.returncode:
        return [said]
    shutil.rmtree(folder, ignore_errors=True)
    (sources.folder / "site").rename(folder)
    for page in folder.rglob("*.html"):
        _without_other_hosts(page, folder)
    return [*re.findall(r"^Warning: .*?(?=^Warning:|\Z)", said, re.MULTILINE | re.DOTALL), *broken_in_site(folder)]


def _without_other_hosts(page: Path, folder: Path) -> None:
    """Replace a script of another host, which the search needs in pages that are opened as files, by our own."""
    text = page.read_text(encoding="utf-8")
    own = os.path.relpath(folder / "assets" / "worker.js", page.parent)
    page.write_text(text.replace(_SHIM, f'<script src="{own}"></script>'), encoding="utf-8")


def main() -> None:
    """Build the site into the folder of the command line, print the problems, and fail if there is one."""
    folder = Path(sys.argv[1]).resolve()
    problems = build(folder)
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(1)
    print(folder / "index.html")


if __name__ == "__main__":
    main()
