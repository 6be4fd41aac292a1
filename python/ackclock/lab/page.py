"""Writes the lab's page: one HTML file with the engine, which needs no server and no network."""

import json
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

from ackclock.running.catalogue import catalogue
from ackclock.scenario.errors import refuse, unreadable

_GIVEN: Final = '<script type="application/json" id="given">null</script>'
_LAW: Final = '<script type="application/json" id="law">null</script>'
_OFFLINE: Final = "default-src 'none';"
_ENGINE: Final = '<meta name="engine" content="{}">'


def built_page() -> str | None:
    """Return the page that ``make lab`` built, or ``None`` if there is none of this engine."""
    page = resources.files("ackclock.lab") / "page.html"
    if not page.is_file():
        return None
    text = page.read_text(encoding="utf-8")
    return text if _ENGINE.format(catalogue().revision) in text else None


def page_with(document: Mapping[str, Any] | None, law: Mapping[str, Any] | None = None) -> str:
    """Return the page with a scenario in it. With a law in Python, the page asks its server to run scenarios.

    Raises
    ------
    ScenarioError
        The page is not built, or was built with another engine.
    """
    text = built_page()
    if text is None:
        raise refuse("lab", "page.html", "must be built with this engine: run `make lab` in the checkout of Ackclock")
    if law is not None:
        text = text.replace(_OFFLINE, f"{_OFFLINE} connect-src 'self';", 1)
    for place, data in ((_GIVEN, document), (_LAW, law)):
        # "<" does not occur in JSON except in strings, where a script must not see the beginning of a tag
        found = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
        text = text.replace(place, place.replace("null", found))
    return text


def write_page(out: Path, text: str) -> None:
    """Write the page atomically; replace only an earlier page of the lab.

    Raises
    ------
    ScenarioError
        The file exists and is not a page of the lab, or cannot be written.
    """
    if (out.exists() or out.is_symlink()) and not _is_page(out):
        raise refuse("--out", str(out), "must be a new file, or an earlier page of the lab")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=out.parent, prefix=f".{out.name}-", delete=False, encoding="utf-8"
        ) as beside:
            beside.write(text)
        Path(beside.name).chmod(0o644)
        Path(beside.name).replace(out)
    except OSError as error:
        raise unreadable(out, str(error.strerror or error), "a file that can be written") from None


def _is_page(file: Path) -> bool:
    try:
        return _ENGINE.partition("{")[0] in file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
