"""Reports: complete, offline and reproducible; folders are written completely or not at all."""

from __future__ import annotations

import dataclasses
import gzip
import json
import re
import xml.etree.ElementTree as ET
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from ackclock import ScenarioError
from ackclock.drawing.chart import PENS, Axis, Chart, Panel, Series
from ackclock.drawing.style import COLOURS, paper_style, to_png, to_svg
from ackclock.papers.folder import check_replaceable, write_whole
from ackclock.report.html import Drawing, Finding, Report, Section, Statement, Table, Verdict, render
from ackclock.report.links import links, tallies


def line_figure() -> Figure:
    with paper_style():
        figure = Figure(figsize=(3, 2))
        figure.subplots().plot([1, 2, 3], color=COLOURS["blue"].light, marker="o")
    return figure


def test_the_style_of_papers_has_its_own_colours_and_fonts_that_publishers_accept() -> None:
    with paper_style():
        axes = Figure().subplots()
        lines = [line for _ in PENS for line in axes.plot([1, 2])]
        assert (mpl.rcParams["pdf.fonttype"], mpl.rcParams["ps.fonttype"]) == (42, 42)
    assert [line.get_color() for line in lines] == [COLOURS[name].light for name, _ in PENS]


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


def finding(**changes: Any) -> Finding:
    fields: dict[str, Any] = {
        "key": "3.2-1",
        "claim": "It grows & grows.",
        "where": "section 3.2, Figure 1",
        "published": "50 %",
        "ours": "49 ± 2 %",
        "oracle": "48 %",
        "verdict": Verdict.DEPENDS,
        "why": "Because <so>.",
        "rule": "More than 40 %.",
        "command": "ackclock reproduce",
    }
    return Finding(**fields | changes)


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
        assert "plotly" not in text.lower()
        assert not re.search(r"@import|url\((?!#)|<script[^>]* src", text)
        assert "default-src 'none'" in text

    def test_drawings_point_at_their_own_parts(self) -> None:
        page = Page(render(small_report()))
        assert {address[1:] for address in page.addresses if address.startswith("#")} <= set(page.ids)

    def test_holds_the_files_themselves(self) -> None:
        report = small_report()
        (packed,) = re.findall(r'<script type="text/plain" id="figures">(.*?)</script>', render(report))
        packed = json.loads(gzip.decompress(b64decode(packed)))
        assert packed["csv"]["figure1"] == report.drawings[0].csv
        assert set(packed["csv"]) == {"figure1", "figure2"}
        assert packed["light"]["blue"] == COLOURS["blue"].light

    def test_lays_claims_out_with_their_verdicts(self) -> None:
        report = dataclasses.replace(
            small_report(), findings=[finding(), finding(key="3.2-2", setting="a weight", where="section 3.2")]
        )
        text = render(report)
        assert report.verdicts == {"depends on": 2}
        assert {"claim-3.2-1", "claim-3.2-2"} <= set(Page(text).ids)
        assert text.count('<span class="verdict depends-on">depends on</span>') == 2
        assert text.count('<span class="where on">on a weight</span>') == 1
        assert '<p class="caption">Depends on a weight (1).</p>' in text
        assert '<button type="button" aria-pressed="false" data-verdict="depends-on"' in text
        assert "<dt>Source</dt><dd>section 3.2</dd>" in text
        assert "<em>Depends on a weight.</em> Because &lt;so&gt;." in text

    def test_texts_are_escaped_and_units_stay_with_their_numbers(self) -> None:
        text = render(small_report())
        assert "<title>A &amp; B</title>" in text
        assert "What is drawn &lt;here&gt;." in text
        assert "<td>&lt;b&gt;</td>" in text
        assert "By 5\N{NO-BREAK SPACE}% from 0.1\N{NO-BREAK SPACE}s on." in text

    def test_same_report_same_bytes(self) -> None:
        assert render(small_report()) == render(small_report())


class TestFirstScreen:
    def test_answers_the_question_with_a_figure(self) -> None:
        report = dataclasses.replace(small_report(), question="Does it grow?", answer="It does.", shows="figure2")
        text = render(report)
        first, rest = text.split('<h2 id="summary">')
        assert "Does it grow?" in first
        assert '<h2 id="answer" class="answer">It does.</h2>' in first
        assert ('id="figure2"' in first, 'id="figure1"' in first) == (True, False)
        assert 'id="figure1"' in rest

    def test_without_an_answer_it_is_the_first_words_of_the_summary(self) -> None:
        report = small_report()
        assert (report.said, report.first) == ("It grows.", report.drawings[0])

    def test_a_figure_of_many_panels_does_not_fit(self) -> None:
        report = small_report()
        figure1, figure2 = report.drawings
        tall = dataclasses.replace(figure1, chart=Chart(panels=[*figure1.chart.panels] * 5, height=9))
        some = dataclasses.replace(report, sections=[Section(title="Figures", drawings=[tall, figure2])])
        assert some.first is figure2
        alone = dataclasses.replace(report, sections=[Section(title="Figures", drawings=[tall])])
        assert alone.first is tall
        assert dataclasses.replace(report, sections=[]).first is None

    def test_counts_our_own_claims_apart_in_words_of_their_own(self) -> None:
        findings = [
            finding(verdict=Verdict.REPRODUCED),
            finding(key="A-1", verdict=Verdict.REPRODUCED, origin="ours"),
            finding(key="A-2", verdict=Verdict.NOT, origin="ours"),
        ]
        paper, ours = tallies(dataclasses.replace(small_report(), findings=findings))
        assert [(count.number, count.word) for count in paper.counts] == [(1, "reproduced")]
        assert [(count.number, count.word) for count in ours.counts] == [(1, "confirmed"), (1, "not confirmed")]
        assert (paper.words, ours.words) == ("1 claim of the paper:", "2 claims of our own:")

    def test_contents_lead_to_every_part(self) -> None:
        text = render(dataclasses.replace(small_report(), findings=[finding()]))
        contents = text[text.index("<nav") : text.index("</nav>")]
        assert re.findall(r'href="#([^"]*)"', contents) == [
            "top",
            "summary",
            "claims",
            "part-1",
            "figure1",
            "figure2",
            "setup",
        ]


class TestClaims:
    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            ("Figure 1", ["figure1"]),
            ("3.2, Figures 1 and 2", ["figure1", "figure2"]),
            ("Figures 1 to 3; Table 1", ["figure1", "figure2"]),
            ("Figure 12", []),
            ("Table 1", []),
        ],
    )
    def test_name_their_figures_by_number(self, where: str, expected: list[str]) -> None:
        report = small_report()
        second = dataclasses.replace(report.drawings[1], title="Figure 2. More")
        report = dataclasses.replace(
            report,
            sections=[Section(title="Figures", drawings=[report.drawings[0], second])],
            findings=[finding(where=where)],
        )
        assert links(report) == {"3.2-1": expected}

    def test_link_to_their_figures_and_back(self) -> None:
        text = render(dataclasses.replace(small_report(), findings=[finding(where="2", figure="figure2")]))
        claim = text[text.index('<li id="claim-3.2-1"') :]
        assert '<a href="#figure2">Figure 1 (2)</a>' in claim[: claim.index("</li>")]
        figure = text[text.index('<figure id="figure2"') :]
        assert 'href="#claim-3.2-1"' in figure[: figure.index("</figure>")]
        figure = text[text.index('<figure id="figure1"') :]
        assert "#claim" not in figure[: figure.index("</figure>")]

    def test_can_be_filtered(self) -> None:
        findings = [finding(), finding(key="A-1", origin="ours", section="Our own", verdict=Verdict.NOT_TESTABLE)]
        text = render(dataclasses.replace(small_report(), findings=findings))
        assert '<li id="claim-3.2-1" data-verdict="depends-on" data-section="3.2" data-origin="paper">' in text
        assert '<li id="claim-A-1" data-verdict="not-testable" data-section="Our own" data-origin="ours">' in text
        assert '<select data-filter="section"><option value="">all</option><option>3.2</option>' in text
        assert '<select data-filter="origin">' in text
        assert '<select data-filter="origin">' not in render(dataclasses.replace(small_report(), findings=findings[:1]))

    def test_have_one_line_each_that_opens(self) -> None:
        text = render(dataclasses.replace(small_report(), findings=[finding()]))
        line, details = text[text.index('<li id="claim-3.2-1"') :].split("</summary>", 1)
        assert "It grows &amp; grows." in line
        for name, words in (("The paper says", "50"), ("Ackclock", "49 ± 2"), ("ns-2.35", "48")):
            assert f"<dt>{name}</dt><dd>{words}\N{NO-BREAK SPACE}%</dd>" in details
            assert words not in line

    def test_tables_stand_for_their_numbers(self) -> None:
        table = Table(caption="By buffer", head=["buffer", "ratio"], rows=[["10", "1.2"]])
        text = render(dataclasses.replace(small_report(), findings=[finding(tables=[table])]))
        assert '<th scope="row">10</th><td>1.2</td>' in text
        assert "49 ± 2" not in text

    def test_what_was_not_measured_is_left_out(self) -> None:
        text = render(dataclasses.replace(small_report(), findings=[finding(oracle="–")]))  # noqa: RUF001
        assert "<dt>ns-2.35</dt>" not in text


class TestStyle:
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
            """Raise an interrupt before or after the earlier report is moved away."""
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
