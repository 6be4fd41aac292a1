"""Writes pages, and replaces only pages that the same command wrote."""

from pathlib import Path

from ackclock.files.making import new_file
from ackclock.files.reading import content
from ackclock.values.errors import refuse


def check_replaceable(out: Path, command: str, words: str) -> None:
    """Refuse a name that says another format, and a file that this command did not write.

    Parameters
    ----------
    out
        The file.
    command
        The command, such as ``ackclock report``; every page that it writes states it.
    words
        What an earlier page of it is called.
    """
    if out.suffix.lower() not in {".html", ""}:
        raise refuse("--out", str(out), "must end in .html: a report is a page")
    if not (out.exists() or out.is_symlink()):
        return
    try:
        ours = f"<dt>Command</dt><dd>{command} " in content(out, "a page", most=500_000_000).decode()
    except ValueError:
        ours = False
    if not ours:
        raise refuse("--out", str(out), f"must be a new file, or an earlier {words}")


def write_page(out: Path, text: str) -> None:
    """Write a page atomically."""
    with new_file(out, allowed="a file that can be written", replaces=True) as made:
        made.write_text(text, encoding="utf-8", errors="backslashreplace")
