"""The report as browsers see it: valid, drawn, silent. Without a Chromium the last part is skipped."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING

import html5lib
import pytest

from ackclock.papers.burstiness import study
from ackclock.papers.burstiness.claims import CLAIMS
from ackclock.papers.burstiness.evidence import Evidence
from ackclock.papers.claims import judge
from ackclock.report.html import Report, render

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.papers.burstiness.study import Runs

LIMIT = 5_000_000
"""Bytes that a mail server takes without asking."""

OWN_ACCOUNT = "not an origin"

PRESS_EVERY_BUTTON = """
<script>
const blobs = {}, make = URL.createObjectURL;
URL.createObjectURL = (blob) => { const url = make(blob); blobs[url] = blob; return url; };
HTMLAnchorElement.prototype.click = function () {
  const { type, size } = blobs[this.href];
  const line = document.body.appendChild(document.createElement("samp"));
  line.textContent = `${this.download} ${type} ${size}`;
};
new MutationObserver((_, observer) => {
  observer.disconnect();
  document.querySelectorAll("button[data-file]").forEach((button) => button.click());
}).observe(document.documentElement, { attributeFilter: ["class"] });
</script>
"""
"""Tells in the page what each download would save, once the page's script has made its buttons."""


@pytest.fixture(scope="module")
def report(their_runs: Runs) -> Report:
    """The whole report: what it shows is tested elsewhere."""
    judged = judge(CLAIMS, Evidence(ours=their_runs.ours, ns2=their_runs.ours))
    return study.report(their_runs, judged, command="ackclock reproduce burstiness")


@pytest.fixture(scope="module")
def page(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(report), encoding="utf-8")
    return path


class TestText:
    def test_is_valid_html(self, page: Path) -> None:
        parser = html5lib.HTMLParser(strict=True)  # raises at the first error
        document = parser.parse(page.read_text(encoding="utf-8"))
        assert parser.errors == []
        assert document.find(".//{http://www.w3.org/1999/xhtml}h1") is not None

    def test_is_light_enough_to_mail(self, page: Path) -> None:
        assert page.stat().st_size < LIMIT


@pytest.fixture(scope="module")
def visit(page: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, set[str]]:
    """Open the page and give its elements, what the console said, and the addresses that were asked for."""
    folder = tmp_path_factory.mktemp("chromium")
    log, pressed = folder / "net.json", folder / "report.html"
    pressed.write_text(page.read_text(encoding="utf-8") + PRESS_EVERY_BUTTON, encoding="utf-8")
    visited = subprocess.run(
        [
            "chromium",
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={folder / 'profile'}",
            "--window-size=1000,60000",  # so tall that every figure is in sight
            "--virtual-time-budget=60000",
            "--enable-logging=stderr",
            "--disable-background-networking",
            f"--log-net-log={log}",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--dump-dom",
            pressed.as_uri(),
        ],
        capture_output=True,
        check=True,
        text=True,
        timeout=300,
    )
    asked = {
        event["params"]["url"]
        for event in json.loads(log.read_text(encoding="utf-8"))["events"]
        # What Chromium asks on its own account, such as for updates, comes from no page.
        if event.get("params", {}).get("initiator", OWN_ACCOUNT) != OWN_ACCOUNT
    }
    return visited.stdout, visited.stderr, asked


@pytest.mark.slow
@pytest.mark.needs("chromium")
class TestBrowser:
    def test_draws_every_figure(self, visit: tuple[str, str, set[str]], report: Report) -> None:
        elements, _, _ = visit
        for drawing in report.drawings:
            (_, drawn) = elements.split(f'data-plot="{drawing.slug}"', 1)
            assert "main-svg" in drawn[:2000], drawing.slug

    def test_every_download_is_there(self, visit: tuple[str, str, set[str]], report: Report) -> None:
        saved = dict(re.findall(r"<samp>(\S+) (\S+ \d+)</samp>", visit[0]))
        assert set(saved) == {f"{drawing.slug}.{kind}" for drawing in report.drawings for kind in ("png", "svg", "csv")}
        for drawing in report.drawings:
            assert saved[f"{drawing.slug}.csv"] == f"text/csv {len(drawing.csv.encode())}"
            kind, size = saved[f"{drawing.slug}.png"].split()
            assert (kind, int(size) > 10_000) == ("image/png", True)
            assert int(saved[f"{drawing.slug}.svg"].split()[1]) > 10_000

    def test_console_stays_empty(self, visit: tuple[str, str, set[str]]) -> None:
        _, console, _ = visit
        assert re.findall(r"CONSOLE.*", console) == []

    def test_asks_for_nothing_but_itself(self, visit: tuple[str, str, set[str]], page: Path) -> None:
        *_, asked = visit
        assert {address.partition(":")[0] for address in asked} <= {"file", "data", "blob"}
        assert "default-src 'none'" in page.read_text(encoding="utf-8")
