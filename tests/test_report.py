"""Reports: whole, offline, the same each time; folders that appear whole or not at all."""

from __future__ import annotations

import dataclasses
import gzip
import json
import re
import xml.etree.ElementTree as ET
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from ackclock import ScenarioError
from ackclock.papers.folder import check_replaceable, write_whole
from ackclock.report.chart import Axis, Chart, Panel, Series
from ackclock.report.html import Drawing, Finding, Report, Section, Statement, Table, Verdict, render
from ackclock.report.style import COLOURS, paper_style, to_inline_svg, to_png, to_svg


def line_figure() -> Figure:
    with paper_style():
        figure = Figure(figsize=(3, 2))
        figure.subplots().plot([1, 2, 3], color=COLOURS["blue"].light, marker="o")
    return figure


LINE = Series(name="loss", x=[1, 2, 3], y=[1, 2, 3], colour="blue", marker="circle")


def small_report() -> Report:
    table = Table(caption="A table, %", head=["clients", "loss"], rows=[["1", "0 ± 1"], ["2", "<b>"]])
    drawing = Drawing(
        chart=Chart(panels=[Panel(x=Axis(label="clients"), y=Axis(label="loss"), series=[LINE])], height=2),
        slug="figure1",
        title="Figure 1",
        caption="What is drawn <here>.",
        csv="clients,loss\n1,0\n",
        numbers=table,
        command="ackclock reproduce 'a <b>'",
    )
    return Report(
        title="A & B",
        source="Where it comes from",
        summary=[Statement(lead="It grows.", text="By 5 % from 0.1 s on.")],
        sections=[Section(title="Figures", drawings=[drawing, dataclasses.replace(drawing, slug="figure2")])],
        setup=[("Network", "one link")],
    )


class Page(HTMLParser):
    """Collects ids and addresses, and checks that every element is closed in its turn."""

    VOID = frozenset({"meta", "link", "br", "img", "hr", "input"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self.handle_startendtag(tag, attrs)

    def handle_startendtag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in {"href", "src", "xlink:href", "action", "srcset"}:
                self.addresses.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


class TestPage:
    def test_is_well_formed_with_unique_names(self) -> None:
        page = Page(render(small_report()))
        assert page.open == []
        assert len(set(page.ids)) == len(page.ids)

    def test_asks_no_network(self) -> None:
        text = render(small_report())
        assert all(address.startswith("#") for address in Page(text).addresses)
        assert not re.search(r"@import|url\((?!#)|<script[^>]* src", text)
        assert "default-src 'none'" in text

    def test_drawings_point_at_their_own_parts(self) -> None:
        page = Page(render(small_report()))
        assert {address[1:] for address in page.addresses if address.startswith("#")} <= set(page.ids)

    def test_holds_the_files_themselves(self) -> None:
        report = small_report()
        (packed,) = re.findall(r'<script type="text/plain" id="figures">(.*?)</script>', render(report))
        packed = json.loads(gzip.decompress(b64decode(packed)))
        assert packed["drawings"]["figure1"]["csv"] == report.drawings[0].csv
        assert set(packed["drawings"]) == {"figure1", "figure2"}
        assert packed["light"]["blue"] == COLOURS["blue"].light

    def test_lays_claims_out_with_their_verdicts(self) -> None:
        finding = Finding(
            key="3.2-1",
            claim="It grows & grows.",
            where="section 3.2",
            published="50 %",
            ours="49 ± 2 %",
            oracle="48 %",
            verdict=Verdict.DEPENDS,
            why="Because <so>.",
            rule="More than 40 %.",
            command="ackclock reproduce",
        )
        report = dataclasses.replace(small_report(), findings=[finding, dataclasses.replace(finding, key="3.2-2")])
        text = render(report)
        assert report.verdicts == {"depends on": 2}
        assert {"claim-3.2-1", "claim-3.2-2"} <= set(Page(text).ids)
        assert text.count('<span class="verdict depends-on">depends on</span>') == 3
        assert "3.2-2 (section 3.2)" in text
        assert "Because &lt;so&gt;." in text

    def test_texts_are_escaped_and_units_stay_with_their_numbers(self) -> None:
        text = render(small_report())
        assert "<title>A &amp; B</title>" in text
        assert "What is drawn &lt;here&gt;." in text
        assert "<td>&lt;b&gt;</td>" in text
        assert "By 5\N{NO-BREAK SPACE}% from 0.1\N{NO-BREAK SPACE}s on." in text

    def test_same_report_same_bytes(self) -> None:
        assert render(small_report()) == render(small_report())


class TestStyle:
    def test_drawing_follows_the_page(self) -> None:
        inline = to_inline_svg(to_svg(line_figure()), prefix="figure7", label='a "line" & more')
        ET.fromstring(inline)  # noqa: S314  # our own
        assert "var(--blue)" in inline
        assert not any(colour.light in inline for colour in COLOURS.values())
        assert all(name.startswith("figure7-") for name in re.findall(r' id="([^"]*)"', inline))

    def test_file_is_a_drawing_of_its_own(self) -> None:
        root = ET.fromstring(to_svg(line_figure()))  # noqa: S314  # our own
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert "var(" not in to_svg(line_figure())

    def test_markers_of_a_curve_say_once_what_they_look_like(self) -> None:
        blue = f'style="fill:{COLOURS["blue"].light};stroke:{COLOURS["blue"].light}"'
        (curve,) = re.findall(rf'<g clip-path="[^"]*" {blue}>\n(.*?)</g>', to_svg(line_figure()), re.DOTALL)
        assert curve.count("<use ") == 3
        assert "style" not in curve

    def test_users_settings_do_not_leak_in(self) -> None:
        import matplotlib as mpl  # noqa: PLC0415

        with mpl.rc_context({"lines.linewidth": 9, "svg.hashsalt": None}):
            other = to_svg(line_figure())
            assert mpl.rcParams["lines.linewidth"] == 9
        assert other == to_svg(line_figure())

    def test_same_figure_same_picture(self) -> None:
        assert to_png(line_figure()) == to_png(line_figure())


class TestFolder:
    def write(self, out: Path, text: str = "new") -> None:
        with write_whole(out, study="burstiness", record={"seeds": [1]}) as folder:
            (folder / "report.html").write_text(text)

    def test_appears_whole_with_its_record(self, tmp_path: Path) -> None:
        out = tmp_path / "deep" / "out"
        self.write(out)
        assert (out / "report.html").read_text() == "new"
        record = json.loads((out / "record.json").read_text())
        assert record == {"study": "burstiness", "seeds": [1], "files": ["report.html"]}
        assert [path.name for path in out.parent.iterdir()] == ["out"]

    @pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
    def test_leaves_nothing_behind(self, tmp_path: Path, error: type[BaseException]) -> None:
        out = tmp_path / "out"

        def interrupted() -> None:
            with write_whole(out, study="burstiness", record={}) as folder:
                (folder / "half").write_text("")
                raise error

        with pytest.raises(error):
            interrupted()
        assert list(tmp_path.iterdir()) == []

    def test_replaces_what_the_study_made(self, tmp_path: Path) -> None:
        self.write(tmp_path / "out", "old")
        self.write(tmp_path / "out")
        assert (tmp_path / "out" / "report.html").read_text() == "new"
        assert [path.name for path in tmp_path.iterdir()] == ["out"]

    @pytest.mark.parametrize("moment", ["earlier", "new"])
    def test_an_earlier_report_survives_an_interrupt(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
    ) -> None:
        self.write(tmp_path / "out", "old")
        rename = Path.rename

        def interrupted(self: Path, target: Path) -> Path:
            """Be interrupted once the earlier report is out of the way, or before."""
            if moment == "earlier" or ".making-" in self.name:
                monkeypatch.undo()
                raise KeyboardInterrupt
            return rename(self, target)

        monkeypatch.setattr(Path, "rename", interrupted)
        with pytest.raises(KeyboardInterrupt):
            self.write(tmp_path / "out")
        assert (tmp_path / "out" / "report.html").read_text() == "old"
        assert [path.name for path in tmp_path.iterdir()] == ["out"]

    def test_takes_an_empty_folder(self, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        self.write(tmp_path / "out")
        assert (tmp_path / "out" / "report.html").exists()

    @pytest.mark.parametrize("there", ["file", "stranger", "other study", "added file", "broken record", "link"])
    def test_refuses_anything_else(self, tmp_path: Path, there: str) -> None:
        out = tmp_path / "out"
        if there == "file":
            out.write_text("mine")
        elif there == "link":
            (tmp_path / "elsewhere").mkdir()
            out.symlink_to(tmp_path / "elsewhere")
        elif there == "stranger":
            out.mkdir()
            (out / "thesis.tex").write_text("years of work")
        else:
            self.write(out, "old")
            if there == "added file":
                (out / "notes.txt").write_text("mine")
            elif there == "broken record":
                (out / "record.json").write_text("[")
            else:
                record = json.loads((out / "record.json").read_text())
                (out / "record.json").write_text(json.dumps(record | {"study": "manyflows"}))
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        with pytest.raises(ScenarioError, match="--out"):
            self.write(out)
        with pytest.raises(ScenarioError, match="--out"):
            check_replaceable(out, study="burstiness")
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
