"""Check the links of the documentation: ``python -m website.links [FOLDER]``.

Without a folder, the Markdown files of the repository are checked: each link to a file, a heading or an image must
exist. With the folder of a built site, its HTML is checked likewise, and must load nothing from another host. Links to
other hosts are not followed.
"""

from __future__ import annotations

import argparse
import functools
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[2]

CODE: Final = re.compile(r"^(?P<indent> *)```.*?^(?P=indent)```$|`[^`\n]+`|<!--.*?-->", re.MULTILINE | re.DOTALL)
"""Blocks and spans of code, and comments, in which nothing is a link."""
LINK: Final = re.compile(r"(?P<before>\]\()(?P<target>[^()\s]+)(?P<after>\))")
"""The target of an inline link or of an image."""
_FENCE: Final = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
_HEADING: Final = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)
_LOADED: Final = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


def broken_in_markdown(root: Path) -> Iterator[str]:
    """Yield a message for each broken link in the Markdown files of a repository."""
    for name in _tracked(root):
        if name.endswith(".md"):
            yield from broken_in_page(root / name, root)


def broken_in_page(page: Path, root: Path) -> Iterator[str]:
    """Yield a message for each broken link in one Markdown file."""
    text = page.read_text(encoding="utf-8")
    hidden = CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    for found in LINK.finditer(hidden):
        target = found["target"]
        if urlsplit(target).scheme:
            continue
        path, _, anchor = unquote(target).partition("#")
        file = (page.parent / path).resolve() if path else page
        where = f"{page.relative_to(root)}:{hidden.count(chr(10), 0, found.start()) + 1}: {target}"
        if not file.exists():
            yield f"{where}: there is no such file"
        elif not file.is_relative_to(root):
            yield f"{where}: is outside the repository"
        elif anchor and (file.suffix != ".md" or anchor not in headings(file)):
            yield f"{where}: there is no such heading"


@functools.cache
def headings(page: Path) -> frozenset[str]:
    """Return the anchors of the headings of a Markdown file."""
    found: dict[str, int] = {}
    anchors = set()
    for title in _HEADING.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        anchor = slug(title)
        found[anchor] = found.get(anchor, -1) + 1
        anchors.add(f"{anchor}-{found[anchor]}" if found[anchor] else anchor)
    return frozenset(anchors)


def slug(title: str) -> str:
    """Return the anchor of a heading, as forges and the site make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")


class _Html(HTMLParser):
    """Collects the anchors of a page, its links, and what it loads."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read a tag."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif _LOADED.get(tag) in given and given.get("rel") not in {"canonical", "next", "prev"}:
            self.loaded.append(given[_LOADED[tag]])


def broken_in_site(folder: Path) -> Iterator[str]:
    """Yield a message for each broken link in a built site, and for each file that a page loads from another host."""
    pages = {}
    for file in sorted(folder.rglob("*.html")):
        pages[file] = _Html()
        pages[file].feed(file.read_text(encoding="utf-8"))
    for file, page in pages.items():
        where = file.relative_to(folder)
        yield from (f"{where}: loads {url}" for url in page.loaded if urlsplit(url).netloc)
        for url in dict.fromkeys(page.links + page.loaded):
            parts = urlsplit(url)
            if parts.scheme or parts.netloc or file.name == "404.html":  # the page of errors is shown at any address
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                yield f"{where}: {url}: there is no such file"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{where}: {url}: there is no such anchor"


def _tracked(root: Path) -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.splitlines() if (root / name).is_file()]


def main() -> None:
    """Print each broken link, and fail if there is one."""
    parser = argparse.ArgumentParser(description="check the links of the documentation")
    parser.add_argument("folder", nargs="?", type=Path, help="folder of a built site (default: the Markdown files)")
    folder = parser.parse_args().folder
    broken = list(broken_in_markdown(ROOT) if folder is None else broken_in_site(folder.resolve()))
    print("\n".join(broken), end="\n" if broken else "")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
