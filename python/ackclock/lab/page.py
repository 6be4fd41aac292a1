"""Writes the lab's page: one HTML file with the engine, which needs no server and no network."""

import base64
import io
import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

from ackclock.engine.catalogue import catalogue
from ackclock.files.making import new_file
from ackclock.files.reading import content
from ackclock.values.errors import impossible, refuse

PARTS: Final = {"engine": "engine.wasm", "catalogue": "catalogue.json"}
"""The parts of the page by their place in it, and their names in its package."""

_GIVEN: Final = '<script type="application/json" id="given">null</script>'
_LAW: Final = '<script type="application/json" id="law">null</script>'
_OFFLINE: Final = "default-src 'none';"
_ENGINE: Final = '<meta name="engine" content="{}">'


_UNBUILT: Final = (
    "lab: the page is not built, or is older than the engine; run `make lab` in the checkout of Ackclock "
    "(it needs Node 20 or newer with npm, and Rust's standard library for WebAssembly: docs/guide/lab.md)"
)


def built_page() -> str | None:
    """Return the page that ``make lab`` built, or ``None`` if there is none of this engine."""
    packed = resources.files("ackclock.lab") / "page.zip"
    if not packed.is_file():
        return None
    with ZipFile(io.BytesIO(packed.read_bytes())) as members:
        text = members.read("page.html").decode()
        if _ENGINE.format(catalogue().revision) not in text:
            return None
        for place, name in PARTS.items():
            text = text.replace(f"<!-- {place} -->", base64.b64encode(members.read(name)).decode(), 1)
    return text


def page_with(document: Mapping[str, Any] | None, law: Mapping[str, Any] | None = None) -> str:
    """Return the page with a scenario in it. With a law in Python, the page asks its server to run scenarios.

    Raises
    ------
    ScenarioError
        The page is not built, or was built with another engine.
    """
    text = built_page()
    if text is None:
        raise impossible(_UNBUILT)
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
    with new_file(out, allowed="a file that can be written", replaces=True) as made:
        made.write_text(text, encoding="utf-8", errors="backslashreplace")


def _is_page(file: Path) -> bool:
    try:
        return _ENGINE.partition("{")[0] in content(file, "a page", most=500_000_000).decode()
    except ValueError:
        return False
