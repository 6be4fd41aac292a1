"""The report in a browser: valid, drawn, usable and without console output. Tests that need Chromium may be skipped."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
from html import escape, unescape
from typing import TYPE_CHECKING, Any

import html5lib
import numpy as np
import pytest

from ackclock.papers.burstiness.claims import CLAIMS
from ackclock.papers.burstiness.study import PAPER
from ackclock.papers.core.claim import judge
from ackclock.report.html import Report, render
from ackclock.report.links import links

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.papers.core.paper import Both

LIMIT = 2_000_000
"""Size limit in bytes: such a page opens at once, and every mail server accepts it."""

MOST_PAGES = 12
"""Most pages of A4 or Letter paper of a printed report."""

OWN_ACCOUNT = "not an origin"

SAVED = re.compile(r"<samp>(\S+) (\S+ \d+)</samp>")
"""What the page would save: name, and type and size."""

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
"""Script that writes into the page what each download would save, after the page's own script has made the buttons."""

USE_FIGURES_AND_FILTERS = """
<script>
const found = { sizes: {} };
for (const figure of document.querySelectorAll("figure")) {
  const drawn = Array.from(figure.querySelectorAll(".plot > *"), (each) => each.getBoundingClientRect());
  found.sizes[figure.id] = Math.max(...drawn.map(({ width, height }) => width + height));
}
const line = document.querySelector(".plot > g > .line");
const place = new DOMPoint(...line.getAttribute("d").match(/M(-?\\d+) (-?\\d+)/).slice(1).map(Number));
const { x, y } = place.matrixTransform(line.getScreenCTM());
line.closest(".panel > svg").dispatchEvent(new PointerEvent("pointermove", { clientX: x + 1, clientY: y + 1 }));
found.tip = document.querySelector(".tip").textContent;

const gone = () => document.querySelectorAll("figure .gone").length;
const button = document.querySelector(".legend button");
found.gone = [gone()];
button.click();
found.gone.push(gone());
button.click();
found.gone.push(gone());

const shown = () => document.querySelectorAll(".claims > li:not([hidden])").length;
const pill = document.querySelector(".pills button");
found.claims = [shown()];
pill.click();
found.claims.push(shown());
found.reported = document.getElementById("shown").textContent;
const section = document.querySelector('[data-filter="section"]');
section.selectedIndex = 1;
section.dispatchEvent(new Event("change"));
found.claims.push(shown());
found.pill = pill.dataset.verdict;
found.section = section.value;
const result = document.body.appendChild(document.createElement("samp"));
result.id = "found";
result.textContent = JSON.stringify(found);
</script>
"""
"""Script that points at a figure, hides a series, filters the claims, and writes the result into the page."""

ON_A_PHONE = """<!DOCTYPE html><title>phone</title>
<iframe width="390" height="2000" srcdoc="{page}"></iframe><samp></samp>
<script>
const frame = document.querySelector("iframe");
frame.onload = () => {{
  const page = frame.contentDocument;
  page.querySelectorAll("details").forEach((each) => (each.open = true));
  setTimeout(() => {{
    const wide = Array.from(page.querySelectorAll(".wide")).filter((box) => box.scrollWidth > box.clientWidth).length;
    const widths = [page.documentElement.clientWidth, page.documentElement.scrollWidth];
    const labels = Array.from(page.querySelectorAll(".listed td"), (cell) => cell.dataset.label);
    const found = [...widths, wide, labels.length, labels.filter((label) => label).length];
    document.querySelector("samp").textContent = found.join(" ");
  }}, 1000);
}};
</script>
"""
"""Shows a page in a frame as wide as a phone, with everything unfolded."""


@pytest.fixture(scope="module")
def report(their_runs: Both) -> Report:
    """Return the complete report, whose content other tests check."""
    both = dataclasses.replace(their_runs, ns2=their_runs.ours)
    return PAPER.report(both, judge(PAPER.claims, both), command="ackclock reproduce burstiness")


@pytest.fixture(scope="module")
def page(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(report), encoding="utf-8")
    return path


class TestText:
    def test_is_valid_html(self, page: Path) -> None:
        parser = html5lib.HTMLParser(strict=True)  # raises at the first error
        # Long runs of letters, digits and signs without a meaning in HTML, which are paths and files, are shortened.
        text = re.sub(r"([A-Za-z0-9+/. -]{100})[A-Za-z0-9+/. -]+", r"\1", page.read_text(encoding="utf-8"))
        document = parser.parse(text)
        assert parser.errors == []
        assert document.find(".//{http://www.w3.org/1999/xhtml}h1") is not None

    def test_is_light_enough_to_mail(self, page: Path) -> None:
        assert page.stat().st_size < LIMIT

    def test_every_link_leads_somewhere(self, page: Path) -> None:
        text = page.read_text(encoding="utf-8")
        anchors = set(re.findall(r' id="([^"]*)"', text))
        targets = set(re.findall(r' href="#([^"]*)"', text))
        assert targets <= anchors
        assert all(f"claim-{claim.key}" in anchors for claim in CLAIMS)

    def test_claims_and_figures_link_both_ways(self, page: Path, report: Report) -> None:
        text = page.read_text(encoding="utf-8")
        there, back = links(report), 0
        for drawing in report.drawings:
            figure = text[text.index(f'<figure id="{drawing.slug}"') :]
            named = set(re.findall(r'href="#claim-([^"]*)"', figure[: figure.index("</figure>")]))
            assert named == {key for key, slugs in there.items() if drawing.slug in slugs}
            back += len(named)
        assert back > len(report.findings) / 2
        for finding in report.findings:
            claim = text[text.index(f'<li id="claim-{finding.key}"') :]
            assert set(re.findall(r'href="#([^"]*)"', claim[: claim.index("</li>")])) == set(there[finding.key])


def chromium(page: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Open a page without a network; return its elements and the console output."""
    return subprocess.run(
        [
            "chromium",
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={folder / 'profile'}",
            "--virtual-time-budget=60000",
            "--enable-logging=stderr",
            "--disable-background-networking",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            *options,
            "--dump-dom",
            page.as_uri(),
        ],
        capture_output=True,
        check=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def visit(page: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, set[str]]:
    """Open the page; return its elements, the console output and the requested addresses."""
    folder = tmp_path_factory.mktemp("chromium")
    log, pressed = folder / "net.json", folder / "report.html"
    pressed.write_text(
        page.read_text(encoding="utf-8") + USE_FIGURES_AND_FILTERS + PRESS_EVERY_BUTTON, encoding="utf-8"
    )
    # The window is so tall that every figure is visible.
    options = ("--window-size=1280,60000", f"--log-net-log={log}")
    visited = chromium(pressed, folder, *options)
    # Chromium's time may run out while another of its threads still unpacks the files: then open the page again.
    for _ in range(4):
        if not SAVED.search(visited.stdout):
            visited = chromium(pressed, folder, *options)
    asked = {
        event["params"]["url"]
        for event in json.loads(log.read_text(encoding="utf-8"))["events"]
        # Chromium's own requests, such as for updates, are not made by the page.
        if event.get("params", {}).get("initiator", OWN_ACCOUNT) != OWN_ACCOUNT
    }
    return visited.stdout, visited.stderr, asked


@pytest.fixture(scope="module")
def used(visit: tuple[str, str, set[str]]) -> dict[str, Any]:
    """Return the result of pointing at figures and of filtering."""
    (text,) = re.findall(r'<samp id="found">(.*?)</samp>', visit[0])
    reported: dict[str, Any] = json.loads(unescape(text))
    return reported


@pytest.mark.slow
@pytest.mark.needs("chromium")
class TestBrowser:
    def test_draws_every_figure(self, used: dict[str, Any], report: Report) -> None:
        assert used["sizes"].keys() == {drawing.slug for drawing in report.drawings}
        assert min(used["sizes"].values()) > 200

    def test_a_point_of_a_figure_says_what_it_is(self, used: dict[str, Any], report: Report) -> None:
        reported = re.fullmatch(r"(.*?)([\d.,]+): (-?[\d.,]+)(?: ± [\d.,]+)?", used["tip"])
        assert reported is not None
        assert report.first is not None
        (drawn,) = (series for series in report.first.chart.panels[0].series if series.name == reported[1])
        places, values = (np.asarray(each, dtype=np.float64) for each in (drawn.x, drawn.y))
        assert values[np.isclose(places, float(reported[2]), atol=0.05)] == pytest.approx(float(reported[3]), abs=0.001)

    def test_the_legend_hides_and_shows(self, used: dict[str, Any]) -> None:
        before, hidden, after = used["gone"]
        assert (before, hidden > 0, after) == (0, True, 0)

    def test_claims_are_filtered(self, used: dict[str, Any], report: Report) -> None:
        every, verdict, section = used["claims"]
        some = [finding for finding in report.findings if finding.verdict.replace(" ", "-") == used["pill"]]
        assert (every, verdict) == (len(report.findings), len(some))
        assert str(len(some)) in used["reported"]
        assert section == sum(finding.part == used["section"] for finding in some)

    def test_fits_a_phone(self, page: Path, tmp_path: Path) -> None:
        phone = tmp_path / "phone.html"
        phone.write_text(ON_A_PHONE.format(page=escape(page.read_text(encoding="utf-8"))), encoding="utf-8")
        visited = chromium(phone, tmp_path)
        (found,) = re.findall(r"<samp>([\d ]+)</samp>", visited.stdout)
        inner, needed, too_wide, cells, labelled = map(int, found.split())
        assert needed <= inner <= 390
        assert too_wide == 0, "tables that scroll sideways"
        assert labelled == cells > 100, "cells of wide tables in a list, each with the heading of its column"

    def test_prints_on_few_pages(self, page: Path, tmp_path: Path) -> None:
        printed = tmp_path / "page.pdf"
        chromium(page, tmp_path, f"--print-to-pdf={printed}", "--no-pdf-header-footer")
        assert 4 <= len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes())) <= MOST_PAGES

    def test_every_download_is_there(self, visit: tuple[str, str, set[str]], report: Report) -> None:
        saved = dict(SAVED.findall(visit[0]))
        assert set(saved) == {f"{drawing.slug}.{kind}" for drawing in report.drawings for kind in ("png", "svg", "csv")}
        for drawing in report.drawings:
            assert saved[f"{drawing.slug}.csv"] == f"text/csv {len(drawing.csv.encode())}"
            kind, size = saved[f"{drawing.slug}.png"].split()
            assert (kind, int(size) > 10_000) == ("image/png", True)
            assert int(saved[f"{drawing.slug}.svg"].split()[1]) > 5_000

    def test_console_stays_empty(self, visit: tuple[str, str, set[str]]) -> None:
        _, console, _ = visit
        assert re.findall(r"CONSOLE.*", console) == []

    def test_asks_for_nothing_but_itself(self, visit: tuple[str, str, set[str]], page: Path) -> None:
        *_, asked = visit
        assert {address.partition(":")[0] for address in asked} <= {"file", "data", "blob"}
        assert "default-src 'none'" in page.read_text(encoding="utf-8")
