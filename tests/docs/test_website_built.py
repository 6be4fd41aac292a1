"""The documentation site, built and read in Chromium as a reader does (``web/test/site.mjs``)."""

from __future__ import annotations

import http.server
import json
import subprocess
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from website.__main__ import build

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.needs("zensical", "mkdocstrings", "latex2mathml")

PAGES = (
    "index.html",
    "gallery.html",
    "reference/scenario.html",
    "reference/python/1_scenario.html",
    "models/pftk.html",
)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site, once for all tests."""
    folder = tmp_path_factory.mktemp("built") / "site"
    assert build(folder) == []  # no warning of Zensical, no broken link, nothing loaded from another host
    return folder


@pytest.fixture(scope="module")
def visit(site: Path, root: Path) -> dict[str, Any]:
    """Read the site, once for all tests."""
    if not (root / "web" / "node_modules").exists():
        pytest.skip("not installed: run `make lab`")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    command: list[str | Path] = ["node", root / "web/test/site.mjs", address, site / "index.html", *PAGES]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    server.shutdown()
    server.server_close()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_formulas_are_drawn_by_the_browser(site: Path) -> None:
    page = (site / "models" / "pftk.html").read_text(encoding="utf-8")
    assert page.count('display="block"') > 10
    assert "$" not in page.partition("<article")[2].partition("</article>")[0]


def test_python_reference_shows_no_machinery(site: Path) -> None:
    page = (site / "reference" / "python" / "1_scenario.html").read_text(encoding="utf-8")
    assert 'id="ackclock.Scenario.changed"' in page
    assert "own_problems" not in page
    assert ":class:" not in page


@pytest.mark.needs("chromium", "node")
def test_writes_nothing_to_the_console_and_asks_no_other_host(visit: dict[str, Any]) -> None:
    assert visit["console"] == []
    assert visit["requests"] == []


@pytest.mark.needs("chromium", "node")
def test_fits_on_a_phone_and_on_a_desk(visit: dict[str, Any]) -> None:
    assert visit["wide"] == []


@pytest.mark.needs("chromium", "node")
@pytest.mark.parametrize("how", ["server", "file"])
def test_the_search_finds_a_field(how: str, visit: dict[str, Any]) -> None:
    assert any("reference/scenario.html?h=w_q#red" in found for found in visit["search"][how])
