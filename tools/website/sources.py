"""Puts the sources of the site together: pages of the repository, files that they link to, and the Python reference.

The README is the home page. Each page keeps its text; only its links are changed, since files move: ``docs/guide/x.md``
becomes ``guide/x.md``, and a file that is no page, such as an example, becomes a page that shows it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from website import notebooks, python
from website.links import CODE, LINK

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE: Final = Path(__file__).resolve().parent

_MOVED: Final = {
    "README.md": "index.md",
    ".github/CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    ".github/SECURITY.md": "project/security.md",
    ".github/CODE_OF_CONDUCT.md": "project/code_of_conduct.md",
}
"""Pages outside of ``docs``, and their places in the site. A page that does not exist is left out."""

NAVIGATION: Final = (
    ("Start", "", "index.md install.md guide/first_study.md guide/idea_in_ten_lines.md guide/lab.md guide/teaching.md"),
    ("Guides", "", "guide/sweeps.md guide/store.md guide/*.md"),
    ("Guides", "Notebooks", "notebooks/*.md"),
    ("How-to", "", "recipes/*.md"),
    (
        "Reference",
        "",
        "reference/scenario.md reference/commands.md measures.md reference/measures.md reference/records.md",
    ),
    ("Reference", "Python", "reference/python/*.md"),
    ("Reference", "Models", "models/*.md"),
    ("Studies & evidence", "", "today.md live.md gallery.md validation.md flips.md performance.md"),
    ("Studies & evidence", "Agreement", "agreement*.md"),
    ("Project", "", "project/contributing.md architecture.md *.md project/*.md"),
)
"""The sections of the site with their parts: pages, and patterns of pages that no other place names."""

_NOTEBOOKS: Final = "examples/notebooks"
_UNSEARCHED: Final = "---\nsearch:\n  exclude: true\n---\n\n"
_LANGUAGES: Final = {".py": "python", ".toml": "toml", ".json": "json", ".rs": "rust", ".cff": "yaml", ".csv": "text"}
_LONGEST: Final = 100_000
"""The longest file that a page shows, in bytes; a longer one is only there to download."""


@dataclass
class Sources:
    """The sources of a site, which are written to a folder."""

    root: Path
    folder: Path
    shown: set[str] = field(default_factory=set)
    """Files of the repository that pages link to."""

    def write(self) -> None:
        """Write the pages, the images and the configuration."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.root / "docs", self.pages)
        for source in self._sources():
            self._page(source, (self.root / source).read_text(encoding="utf-8"))
        for notebook in sorted(self.root.glob(f"{_NOTEBOOKS}/*.ipynb")):
            page = self.pages / "notebooks" / f"{notebook.stem}.md"
            page.parent.mkdir(exist_ok=True)
            self._page(f"{_NOTEBOOKS}/{notebook.name}", notebooks.markdown(notebook, page))
        for name in sorted(self.shown):
            self._show(name)
        for name, text in python.pages().items():
            (self.pages / name).parent.mkdir(parents=True, exist_ok=True)
            (self.pages / name).write_text(text, encoding="utf-8")
        shutil.copytree(HERE / "assets", self.pages / "assets")
        given = (HERE / "mkdocs.yml").read_text(encoding="utf-8")
        (self.folder / "mkdocs.yml").write_text(f"{given}nav: {json.dumps(self.navigation())}\n", encoding="utf-8")

    @property
    def pages(self) -> Path:
        """The folder of the pages."""
        return self.folder / "docs"

    def navigation(self) -> list[dict[str, list[object]]]:
        """Return the sections with their pages and parts. Pages that show a file are in none."""
        left = {str(page.relative_to(self.pages)) for page in self.pages.rglob("*.md")}
        left = {page for page in left if not page.startswith("files/")}
        named = {page for *_, places in NAVIGATION for page in places.split()} & left
        sections: dict[str, list[object]] = {section: [] for section, *_ in NAVIGATION}
        for section, part, places in NAVIGATION:
            pages = []
            for place in places.split():
                found = [place] if place in named else sorted(page for page in left - named if _matches(page, place))
                left -= set(found)
                pages += found
            sections[section] += [{part: pages}] if part else pages
        return [{section: pages} for section, pages in sections.items()]

    def _sources(self) -> Iterator[str]:
        yield from (name for name in _MOVED if (self.root / name).is_file())
        yield from (str(page.relative_to(self.root)) for page in sorted((self.root / "docs").rglob("*.md")))

    def _page(self, source: str, text: str) -> None:
        """Write a page with the text of a file of the repository, whose links change as the files move."""
        place = self._place(source)
        file = self.pages / place
        file.parent.mkdir(parents=True, exist_ok=True)

        def link(found: re.Match[str]) -> str:
            target, _, anchor = found["target"].partition("#")
            if not target or re.match(r"[a-z]+:", target):
                return found[0]
            name = os.path.normpath((PurePosixPath(source).parent / target).as_posix())
            new = os.path.relpath(self._place(name), PurePosixPath(place).parent.as_posix())
            return f"{found['before']}{new}{'#' if anchor else ''}{anchor}{found['after']}"

        parts, end = [], 0
        for code in CODE.finditer(text):
            parts += [LINK.sub(link, text[end : code.start()]), code[0]]
            end = code.end()
        parts.append(LINK.sub(link, text[end:]))
        file.write_text("".join(parts), encoding="utf-8")

    def _place(self, name: str) -> str:
        """Return the place of a file of the repository in the site."""
        if name.startswith("docs/"):
            return name.removeprefix("docs/")
        if name in _MOVED:
            return _MOVED[name]
        if name.startswith(f"{_NOTEBOOKS}/"):
            return f"notebooks/{PurePosixPath(name).name}".replace(".ipynb", ".md")
        self.shown.add(name)
        return f"files/{name}.md"

    def _show(self, name: str) -> None:
        """Write a page with the text of a file, or with a link to it; for a folder, with links to its files."""
        source, page = self.root / name, self.pages / "files" / f"{name}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            files = sorted(each for each in source.iterdir() if each.is_file())
            for each in files:
                if f"{name}/{each.name}" not in self.shown:
                    self._show(f"{name}/{each.name}")
            lines = [f"- [{each.name}]({Path(name).name}/{each.name}.md)" for each in files]
            page.write_text("\n".join([f"{_UNSEARCHED}# {name}", "", *lines, ""]), encoding="utf-8")
            return
        shutil.copyfile(source, page.with_suffix(""))
        text = f"{_UNSEARCHED}# {name}\n\n[Download]({source.name})\n"
        if source.stat().st_size < _LONGEST and b"\0" not in (data := source.read_bytes()):
            text += f"\n````{_LANGUAGES.get(source.suffix, 'text')}\n{data.decode().rstrip()}\n````\n"
        page.write_text(text, encoding="utf-8")


def _matches(page: str, pattern: str) -> bool:
    """Return whether a page is in the folder of a pattern, and has its name."""
    return PurePosixPath(page).match(pattern) and page.count("/") == pattern.count("/")
