"""The page of a store: its points, figures and texts."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any

import html5lib
import numpy as np
import pyarrow as pa
import pytest
from tests.support.kept import hold
from tests.support.readable import hold_readable

import ackclock as ac
from ackclock.analysis import student_interval
from ackclock.cli import main
from ackclock.report.fixed import fixed_fields
from ackclock.report.html import Report, render
from ackclock.report.sweep_page import sweep_report
from ackclock.running.origin import Origin
from ackclock.study.figures.layout import choose
from ackclock.study.figures.points import Field, Points

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def runs(points: Sequence[Mapping[str, Any]], *, seeds: int = 5, **measures: float | None) -> pa.Table:
    """Return runs whose c.o.v. encodes the seed and the position of the point in the grid."""
    rows = [
        {"run_id": f"r{place}-{seed}", "scenario_id": f"s{place:05}-{place}", "seed": seed}
        | dict(point)
        | {"cov": place + seed / 10, "cov_poisson": 0.5, "loss": 0.01 * seed, "jitter": None, "warmup": 2.0 + seed}
        | measures
        for place, point in enumerate(points)
        for seed in range(1, seeds + 1)
    ]
    return pa.Table.from_pylist(rows)


GRID = [
    {"clients.0.count": count, "dumbbell.bottleneck.delay": delay, "variant": variant}
    for count in (20, 60)
    for delay in ("5 ms", "0.1 s", "20 ms")
    for variant in ("reno", "vegas")
]
TWO = [{"clients.0.count": count, "variant": variant} for count in (20, 60) for variant in ("reno", "vegas")]


def page(table: pa.Table, **options: Any) -> Report:
    return sweep_report("here", table, **({"failures": [], "notices": [], "command": "ackclock report here"} | options))


def said(report: Report) -> str:
    return " ".join(f"{each.lead} {each.text}" for each in report.summary)


class TestFields:
    def test_quantities_are_numbers_in_one_unit(self) -> None:
        field = Field.of("dumbbell.bottleneck.delay", ["20 ms", "0.1 s", "5 ms"])
        assert field.values == ("5 ms", "20 ms", "0.1 s")
        assert [field.number(value) for value in field.values] == pytest.approx([5, 20, 100])
        assert (field.label, field.named("20 ms")) == ("Bottleneck delay, ms", "bottleneck delay 20 ms")
        assert Field.of("x", ["2 s", "10 ms"]).unit == "s"
        assert Field.of("x", ["1 Mbps", "500 kbps"]).number("500 kbps") == 0.5
        sizes = Field.of("x", ["30 kB", "2500 B"])
        assert sizes.unit == "kB"
        assert [sizes.number(value) for value in sizes.values] == pytest.approx([2.5, 30])
        assert (Field.of("x", ["1 ms", "999 ms"]).unit, Field.of("x", ["1 ms", "1 s"]).unit) == ("ms", "s")

    def test_plain_numbers(self) -> None:
        field = Field.of("clients.0.count", [60, 20, 60])
        assert (field.values, field.numeric, field.label) == ((20, 60), True, "Number of clients")
        assert (field.named(20), field.named(1)) == ("20 clients", "1 client")

    @pytest.mark.parametrize(
        ("path", "label", "named"),
        [
            ("dumbbell.bottleneck.queue.packets", "Bottleneck queue size, packets", "bottleneck queue size 4 packets"),
            ("clients.0.transport.max_window", "Clients max window, packets", "clients max window 4 packets"),
            ("clients.1.count", "Number of clients 2", "4 clients 2"),
            ("flows.2.source.rate", "Flows 3 source rate, packets/s", "flows 3 source rate 4 packets/s"),
            ("alpha", "Alpha", "alpha 4"),
        ],
    )
    def test_paths_are_words_with_units(self, path: str, label: str, named: str) -> None:
        field = Field.of(path, [4, 5])
        assert (field.label, field.named(4)) == (label, named)

    @pytest.mark.parametrize("values", [["reno", "vegas"], [True, False], [5, "5 ms"], [1, None]])
    def test_words(self, values: list[Any]) -> None:
        field = Field.of("what", values)
        assert not field.numeric
        assert [field.number(value) for value in values] == [0, 1]


class TestFixedFields:
    def test_scenarios_share_what_is_equal_in_all(self) -> None:
        scenario = ac.Scenario.from_toml("examples/bufferbloat.toml")
        others = [scenario.changed({"duration": "39 s"}), scenario.changed({"clients.1.packet_size": 300})]
        shown = dict(fixed_fields([each.effective().to_json() for each in (scenario, *others)]))
        assert "duration" not in shown
        assert "clients.1.packet_size" not in shown
        assert shown["dumbbell.bottleneck.rate"] == "10 Mbps"

    def test_a_link_like_another_one_is_not_repeated(self) -> None:
        given = {"rate": "1 Mbps", "delay": "2 ms", "queue": {"kind": "red"}}
        link = {"bottleneck": given, "reverse": given, "access": given | {"delay": "0 s"}}
        scenario = {"dumbbell": link, "clients": [{"access": given}]}
        assert fixed_fields([json.dumps(scenario)]) == [
            ("dumbbell.bottleneck.rate", "1 Mbps"),
            ("dumbbell.bottleneck.delay", "2 ms"),
            ("dumbbell.bottleneck.queue.kind", "red"),
            ("dumbbell.access.rate", "1 Mbps"),
            ("dumbbell.access.delay", "0 s"),
            ("clients.0.access.delay", "2 ms"),
        ]

    def test_a_long_list_is_cut(self) -> None:
        scenario = {"flows": [{"count": number} for number in range(100)]}
        shown = fixed_fields([json.dumps(scenario)])
        assert len(shown) == 41
        assert shown[-1] == ("further fields", "60")


class TestPoints:
    def test_replications_of_one_scenario_are_a_point(self) -> None:
        points = Points.of(runs(GRID))
        assert [field.path for field in points.fields] == ["clients.0.count", "dumbbell.bottleneck.delay", "variant"]
        assert len(points.points) == 12
        assert [point.place["dumbbell.bottleneck.delay"] for point in points.points][:6:2] == ["5 ms", "20 ms", "0.1 s"]
        assert points.points[0].interval("cov") == student_interval([0.1, 0.2, 0.3, 0.4, 0.5])
        loss = points.points[0].interval("loss")
        assert loss is not None
        assert loss.mean == pytest.approx(3)  # in per cent
        assert points.points[0].interval("jitter") is None

    def test_what_does_not_differ_is_no_field(self) -> None:
        assert [field.path for field in Points.of(runs([{"a": 1, "b": 2}, {"a": 1, "b": 3}])).fields] == ["b"]

    def test_scenarios_that_no_field_tells_apart_stay_apart(self) -> None:
        points = Points.of(runs([{"a": 1}, {"a": 1}]))
        assert [field.path for field in points.fields] == ["scenario"]
        assert len(points.points) == 2

    def test_a_seed_counts_once(self) -> None:
        table = runs(TWO)
        points = Points.of(pa.concat_tables([table, table.slice(0, 3)]))
        assert points.repeated == 3
        assert len(points.points[0].seeds) == 5


class TestLayout:
    @staticmethod
    def names(table: pa.Table, **options: Any) -> tuple[str, list[str], list[str], str | None]:
        layout = choose(Points.of(table), **options)
        assert layout is not None
        by, apart = ([field.path for field in fields] for fields in (layout.by, layout.apart))
        return layout.x.path, by, apart, layout.across.path if layout.across else None

    def test_numbers_go_along_and_words_make_series(self) -> None:
        assert self.names(runs(TWO)) == ("clients.0.count", ["variant"], [], None)

    def test_what_would_be_too_many_series_makes_panels(self) -> None:
        delay = "dumbbell.bottleneck.delay"
        assert self.names(runs(GRID)) == ("clients.0.count", ["variant"], [delay], delay)

    def test_as_the_reader_wants(self) -> None:
        delay = "dumbbell.bottleneck.delay"
        wanted = self.names(runs(GRID), x=delay, by=["clients.0.count"])
        assert wanted == (delay, ["clients.0.count"], ["variant"], "clients.0.count")
        with pytest.raises(ac.ScenarioError, match="--x: 'count' is not allowed"):
            choose(Points.of(runs(GRID)), x="count")

    def test_drawn_points_are_scattered(self) -> None:
        drawn = [{"a": place, "b": place**2} for place in range(10)]
        layout = choose(Points.of(runs(drawn)))
        assert layout is not None
        assert layout.scattered

    def test_one_point_has_none(self) -> None:
        assert choose(Points.of(runs([{"a": 1}]))) is None


class TestPage:
    def test_a_figure_for_each_measure_that_is_defined(self) -> None:
        report = page(runs(TWO))
        assert [drawing.slug for drawing in report.drawings] == ["cov", "loss"]
        hold("sweep", report)
        assert [drawing.slug for drawing in page(runs(TWO), y=["loss"]).drawings] == ["loss"]
        wrong = r"--y: 'los' is not allowed; did you mean 'loss'\? .* \(see ackclock list measures\)"
        with pytest.raises(ac.ScenarioError, match=wrong):
            page(runs(TWO), y=["los"])

    def test_series_have_bands_and_units(self) -> None:
        cov, loss = (drawing.chart.panels[0] for drawing in page(runs(TWO)).drawings)
        assert [series.name for series in cov.series] == ["reno", "vegas", "offered Poisson load"]
        assert [band.name for band in cov.bands] == ["reno", "vegas"]
        interval = student_interval([0.1, 0.2, 0.3, 0.4, 0.5])
        assert (cov.bands[0].low[0], cov.bands[0].high[0]) == (interval.low, interval.high)  # type: ignore[index]
        assert (cov.x.label, loss.y.label) == ("Number of clients", "Loss, %")

    def test_two_fields_of_numbers_have_a_heat_map(self) -> None:
        report = page(runs(GRID), y=["cov"])
        lines, cells = report.drawings
        assert len(lines.chart.panels) == 3
        assert [panel.title for panel in cells.chart.panels] == ["reno", "vegas"]
        reno = cells.chart.panels[0].heat
        assert reno is not None
        # The mean of a point's c.o.v. is its position in the grid plus 0.3; rows are delays from 5 to 100 ms.
        assert np.asarray(reno.values) == pytest.approx(np.array([[0.3, 6.3], [4.3, 10.3], [2.3, 8.3]]))

    def test_a_wide_heat_map_has_no_room_for_numbers(self) -> None:
        grid = [{"a": a, "b": b} for a in range(13) for b in range(4)]
        heat = page(runs(grid), y=["cov"]).drawings[1].chart.panels[0].heat
        assert heat is not None
        assert {word for row in heat.words for word in row} == {""}

    def test_of_very_many_panels_some_are_drawn_and_a_heat_map_has_all(self) -> None:
        report = page(runs([{"a": a, "b": b} for a in range(3) for b in range(20)]), y=["cov"])
        lines, cells = report.drawings
        assert len(lines.chart.panels) == 12
        assert "12 of 20 panels are drawn" in said(report)
        heat = cells.chart.panels[0].heat
        assert heat is not None
        assert np.isfinite(np.asarray(heat.values)).all()
        assert np.asarray(heat.values).shape == (20, 3)

    def test_words_alone_stand_side_by_side(self) -> None:
        (drawing,) = page(runs([{"variant": name} for name in ("reno", "vegas")]), y=["cov"]).drawings
        (panel,) = drawing.chart.panels
        assert panel.x.ticks == [(0, "reno"), (1, "vegas")]
        assert panel.series[0].dash == "none"
        assert panel.bands == []
        assert panel.series[0].error is not None

    def test_wide_ranges_are_logarithmic(self) -> None:
        (drawing,) = page(runs([{"a": value} for value in (1, 10, 100)]), y=["cov"]).drawings
        assert drawing.chart.panels[0].x.log

    def test_drawn_points_have_a_panel_for_each_field(self) -> None:
        (drawing,) = page(runs([{"a": place, "b": -place} for place in range(10)]), y=["cov"]).drawings
        assert [panel.x.label for panel in drawing.chart.panels] == ["A", "B"]
        assert all(series.dash == "none" for panel in drawing.chart.panels for series in panel.series)

    def test_csv_has_every_point_with_its_units(self) -> None:
        drawing = page(runs(TWO)).drawings[1]
        rows = list(csv.DictReader(io.StringIO(drawing.csv)))
        assert len(rows) == 4
        assert rows[0]["clients.0.count"] == "20"
        assert float(rows[0]["loss_mean [%]"]) == pytest.approx(3)
        assert (rows[0]["n"], rows[0]["by"]) == ("5", "student")

    def test_a_point_without_values_has_empty_cells(self) -> None:
        rows = runs(TWO[:1]).to_pylist() + [
            row | {"run_id": f"x{row['seed']}", "scenario_id": "x", "clients.0.count": 60, "loss": None}
            for row in runs(TWO[:1]).to_pylist()
        ]
        report = page(pa.Table.from_pylist(rows), y=["cov", "loss"])
        loss = report.drawings[1]
        assert loss.csv.splitlines()[2] == "60,,,,,0,"
        assert loss.numbers is not None
        assert list(loss.numbers.rows[1]) == ["60", "-", "-", "-", "-", "0"]
        assert report.overview is not None
        assert list(report.overview.rows[1])[2:] == ["-", "5"]
        assert [len(row) for row in report.overview.rows] == [len(report.overview.head)] * 2

    @pytest.mark.parametrize(
        ("counts", "text"),
        [
            ((1,), "A single run"),
            ((10,), "10 runs of one point"),
            ((2, 2), "4 runs: 2 points, with n = 2"),
            ((1, 3), "4 runs: 2 points, with n = 1 to 3"),
        ],
    )
    def test_the_number_of_runs_and_points(self, counts: tuple[int, ...], text: str) -> None:
        tables = [
            pa.Table.from_pylist(
                [row | {"scenario_id": f"s{place}"} for row in runs([{"a": place}], seeds=count).to_pylist()]
            )
            for place, count in enumerate(counts)
        ]
        assert page(pa.concat_tables(tables)).source == text

    def test_failures_are_counted_with_their_reasons(self) -> None:
        text = said(page(runs(TWO), failures=["a", "b", "b", "c", "c", "c", "d"]))
        assert "7 runs failed: not included in the figures: c (3 times); b (2 times); a (1 time)." in text
        assert "1 run failed: not included in the figures: a (1 time)." in said(page(runs(TWO), failures=["a"]))

    def test_captions_name_bands_for_lines_and_bars_for_points(self) -> None:
        def caption(points: Sequence[Mapping[str, Any]]) -> str:
            return page(runs(points), y=["cov"]).drawings[0].caption

        assert caption(TWO) == "Means over replications; bands are 95 % confidence intervals."
        drawn = [{"a": place, "b": place**2} for place in range(10)]
        words = [{"variant": variant} for variant in ("reno", "vegas")]
        assert caption(drawn) == caption(words) == "Means over replications; bars are 95 % confidence intervals."

    @pytest.mark.parametrize(("seeds", "few"), [(1, 4), (2, 4), (3, 0)])
    def test_a_warning_of_few_replications(self, seeds: int, few: int) -> None:
        warning = "4 of 4 points have fewer than three replications, which is too few."
        assert page(runs(TWO, seeds=seeds), y=["cov"]).warning == (warning if few else "")

    def test_a_warning_of_one_point_with_few_replications(self) -> None:
        table = runs(TWO).slice(3)  # the first point keeps two runs
        assert page(table, y=["cov"]).warning.startswith("1 of 4 points has fewer than three replications")

    def test_the_warm_up(self) -> None:
        assert "Warm-up: ends between 3 s and 7 s of simulated time by MSER-5, in 20 of 20 runs." in said(
            page(runs(TWO))
        )
        assert "Warm-up: ends at 3 s of simulated time by MSER-5, in 4 of 4 runs." in said(page(runs(TWO, seeds=1)))
        assert "Warm-up" not in said(page(runs(TWO, warmup=None)))

    def test_what_is_said(self) -> None:
        report = page(runs(TWO), failures=["it broke", "it broke"], notices=["beware"])
        text = said(report)
        (ranges,) = [each.table for each in report.sections if each.title == "Range of each measure"]
        assert ranges is not None
        assert ranges.rows[0][1:] == ["0.30 ± 0.20", "20 clients, reno", "3.30 ± 0.20", "60 clients, vegas"]
        assert "2 runs failed: not included in the figures: it broke (2 times)." in text
        assert "Note: beware" in text
        assert "between 3 s and 7 s of simulated time by MSER-5, in 20 of 20 runs" in text
        assert not page(runs(TWO)).warning
        assert "Not known" not in text

    def test_the_first_screen_compares_the_levels_by_the_first_measure(self) -> None:
        report = page(runs(TWO), y=["loss"])
        assert (
            report.said
            == "Loss has equal means at 20 clients and 60 clients, the best levels of the number of clients."
        )
        assert page(runs(TWO)).said == (
            "C.o.v. of arrivals per bin is lowest with 20 clients: 0.80 ± 0.20, 2 ± 0 less than with 60 clients "
            "(5 paired seeds, averaged over the variant). No level of the variant reverses this."
        )
        assert report.first is report.drawings[0]

    def test_a_row_has_a_cell_for_each_field(self) -> None:
        table = page(runs(TWO)).overview
        assert table is not None
        assert table.head[:3] == ["Number of clients", "Variant", "C.o.v. of arrivals per bin"]
        assert table.rows[0][:3] == ["20", "reno", "0.30 ± 0.20"]
        alone = page(runs([{"a": 1}])).overview
        assert alone is not None
        assert (alone.head[0], alone.rows[0][0]) == ("Point", "the only point")

    def test_doubts(self) -> None:
        assert page(runs(TWO, seeds=2)).warning.startswith("4 of 4 points have fewer than three replications")
        table = runs(TWO)
        assert "5 runs were omitted" in said(page(pa.concat_tables([table, table.slice(0, 5)])))
        wide = runs(TWO).set_column(5, "cov", pa.array([0.0, 0, 0, 0, 1] * 4))
        assert "the half-width of the 95 % interval exceeds the mean of cov at 4 of 4 points" in said(page(wide))

    def test_is_valid_html(self) -> None:
        for points in (GRID, [{"a": 1}]):
            parser = html5lib.HTMLParser(strict=True)  # raises at the first error
            parser.parse(render(page(runs(points), y=["cov"])))
            assert parser.errors == []

    def test_an_empty_store_has_no_page(self) -> None:
        with pytest.raises(ac.ScenarioError, match="must contain a run that did not fail"):
            page(runs(TWO).slice(0, 0))


def test_charts_are_those_that_were_kept() -> None:
    """Axes, ticks, series, bands, cells and heights of figures are compared, for each kind of layout."""
    tables = {
        "two": runs(TWO),
        "one seed": runs(TWO, seeds=1),
        "grid": runs(GRID),
        "words": runs([{"variant": name} for name in ("reno", "vegas", "tahoe")]),
        "words and words": runs([{"variant": name, "on": on} for name in ("reno", "vegas") for on in (True, False)]),
        "ratio of 29": runs([{"a": value} for value in (1, 3, 29)]),
        "ratio of 30": runs([{"a": value} for value in (1, 3, 30)]),
        "from zero": runs([{"a": value} for value in (0, 3, 300)]),
        "eight values": runs([{"a": 2.0**value} for value in range(8)]),
        "nine values": runs([{"a": 2.0**value} for value in range(9)]),
        "nine series": runs([{"a": a, "variant": f"v{number}"} for a in (1, 2) for number in range(9)]),
        "wide": runs([{"a": a, "b": b} for a in range(17) for b in range(2)], seeds=2),
        "as wide as words allow": runs([{"a": a, "b": b} for a in range(12) for b in range(2)], seeds=2),
        "tall": runs([{"a": a, "b": b} for a in range(2) for b in range(21)], seeds=2),
        "scattered": runs([{"a": place, "b": -place, "c": f"w{place % 2}"} for place in range(4)]),
        "of little difference": runs(TWO, cov=5.0),
        "undefined": runs(TWO, cov=None, loss=0.5),
    }
    charts: dict[str, Any] = {}
    for name, table in tables.items():
        given = {"by": ["variant"]} if name == "nine series" else {}
        for drawing in page(table, y=["loss" if name == "undefined" else "cov"], **given).drawings:
            charts[f"{name}: {drawing.slug}"] = drawing.chart
    hold_readable("sweep-charts", charts)


STUDY = """
replications = 3
over = { "clients.0.count" = [2, 4], "clients.0.transport.variant" = ["reno", "vegas"] }
[scenario]
profile = "ns2-2.35"
duration = "4 s"
[scenario.dumbbell]
access = { rate = "10 Mbps", delay = "5 ms" }
bottleneck = { rate = "2 Mbps", delay = "5 ms", queue = { kind = "droptail", packets = 10 } }
[[scenario.clients]]
count = 2
transport = { kind = "tcp", variant = "reno" }
source = { kind = "poisson", rate = 100 }
"""


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def command(*words: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main(words)
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out + printed.err

    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY)
    command("sweep", "study.toml", "--store", "results")
    assert command("report", "results") == (0, "The report is results.html\n")
    first = (tmp_path / "results.html").read_text(encoding="utf-8")
    assert "12 runs: 4 points, with n = 3" in first
    assert f"<dt>Program</dt><dd>{Origin.here()}</dd>" in first
    assert f"<dt>Runs made with</dt><dd>{Origin.here().engine}</dd>" in first
    assert command("report", "results")[0] == 0
    assert (tmp_path / "results.html").read_text(encoding="utf-8") == first
    (tmp_path / "mine.html").write_text("mine")
    code, printed = command("report", "results", "--out", "mine.html")
    assert (code, printed) == (
        2,
        "--out: 'mine.html' is not allowed; must be a new file, or an earlier report of a store\n",
    )
    code, printed = command(
        "report", "results", "--by", "clients.0.count", "--x", "clients.0.transport.variant", "--y", "cov"
    )
    assert code == 0
    along = re.findall(r'<p class="along">(.*?)</p>', (tmp_path / "results.html").read_text(encoding="utf-8"))
    assert along == ["Congestion control of clients"]
    code, printed = command("report", "nothing")
    assert code == 2
    assert "nothing" in printed
