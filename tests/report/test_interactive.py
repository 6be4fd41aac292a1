"""Runs, stores and captures show themselves in terminals and notebooks, and draw the usual figures."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import html5lib
import numpy as np
import pyarrow as pa
import pytest

import ackclock as ac
from ackclock.drawing.inline import small_bars, small_line, table
from ackclock.drawing.paper import PaperFigure
from ackclock.running.estimate import Estimate
from ackclock.running.figures import FIGURES, chart
from ackclock.running.runs import Runs
from ackclock.study.store.store import Table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ackclock.running.run import Run

RECORDS = ("packets@bottleneck", "queue/10ms", "windows", "arrivals/10ms")
HOSTILE = '<script>alert("1 & 2")</script>'


@pytest.fixture(scope="module")
def runs(root: Path) -> Runs:
    scenario = ac.Scenario.from_toml(root / "examples" / "cubic_beside_reno.toml")
    return ac.replicate(scenario.changed({"duration": "8 s", "measure.from": "4 s"}), seeds=3, record=RECORDS, jobs=1)


@pytest.fixture(scope="module")
def run(runs: Runs) -> Run:
    return runs[0]


@pytest.fixture(scope="module")
def store(root: Path) -> ac.Store:
    scenario = ac.Scenario.from_toml(root / "examples" / "feng60.toml").changed({"duration": "2 s"})
    return ac.sweep(scenario, over={"clients.0.count": [10, 30]}, replications=3, jobs=1)


def parsed(html: str) -> Any:
    """Parse a fragment, which must be well-formed HTML."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parseFragment(html)


def texts(html: str) -> list[str]:
    return [cell.text or "" for cell in parsed(html).iter("td")]


class TestText:
    def test_is_short_and_names_units(self, run: Run, runs: Runs, store: ac.Store, root: Path) -> None:
        capture = ac.read_capture(root / "tests" / "data" / "captures" / "ethernet.pcap")
        shown = (run, run.summary, run.groups[0], run.summary.links[0], runs, runs.cov, store, store.runs, capture)
        for each in shown:
            assert len(repr(each)) < 400, type(each)
            assert "\n" not in repr(each)
        goodput = f"goodput {1e-6 * run.summary.goodput_bps:.4g} Mbps"
        assert repr(run).startswith(f"Run(seed 1; {goodput}, loss ")
        assert repr(run.summary).startswith(f"Summary({goodput}, ")
        assert repr(run.groups["reno"]).startswith("GroupSummary(reno, 1 flow; goodput ")
        assert repr(run.summary.links[0]).startswith("LinkSummary(bottleneck; utilization ")
        assert repr(dataclasses.replace(run, notices=("a", "b"))).endswith("; 2 notices)")
        assert repr(runs.cov) == f"Estimate({runs.cov}; 3 runs)"


class TestHtml:
    def test_of_a_run_has_the_notices_first_and_all_numbers(self, run: Run) -> None:
        with_notices = dataclasses.replace(run, notices=("first", HOSTILE))
        html = with_notices._repr_html_()
        assert html.index("Note: first") < html.index("<table")
        cells = texts(html)
        assert cells[cells.index("goodput") :][:3] == [
            "goodput",
            f"{1e-6 * run.summary.goodput_bps:.4g}",
            "Mbps, with headers",
        ]
        assert {"loss", "cov", "warmup", "cubic", "reno"} <= set(cells)
        assert "packets offered to bottleneck per 0.01 s" in html

    def test_escapes_everything(self, run: Run, root: Path, tmp_path: Path) -> None:
        summary = dataclasses.replace(
            run.summary, groups=type(run.groups)(dataclasses.replace(each, name=HOSTILE) for each in run.groups)
        )
        hostile = dataclasses.replace(run, notices=(HOSTILE,), summary=summary)
        copy = tmp_path / "<b>&.pcap"
        copy.write_bytes((root / "tests" / "data" / "captures" / "ethernet.pcap").read_bytes())
        capture = dataclasses.replace(ac.read_capture(copy), notices=(HOSTILE,))
        pieces = [
            hostile._repr_html_(),
            Runs([hostile, hostile])._repr_html_(),
            capture._repr_html_(),
            table([[HOSTILE, HOSTILE]], head=[HOSTILE, HOSTILE], caption=HOSTILE),
            small_line([1, 2], HOSTILE),
            small_bars([1, 2], HOSTILE),
        ]
        for html in pieces:
            found = {element.tag for element in parsed(html).iter()}
            assert not found & {"script", "b" if "<b>&amp;" in html else "script"}
            assert HOSTILE not in html
            assert "&lt;script&gt;" in html
        assert "<b>Capture &lt;b&gt;&amp;.pcap</b>" in pieces[2]

    def test_follows_the_theme_of_the_page(self, run: Run, runs: Runs) -> None:
        """Letters and lines have no colour of their own, and nothing is loaded from elsewhere."""
        for html in (run._repr_html_(), runs._repr_html_()):
            assert not re.search(r"(?<!-)\b(?:color|background|fill)[:=](?!\"none\")", html)
            assert 'stroke="currentColor"' in html
            assert not re.search(r"https?:|url\(|<style|<script", html)

    def test_without_a_record_has_the_goodput_of_each_flow(self, runs: Runs) -> None:
        plain = dataclasses.replace(runs[0], _tables={"flows": runs[0].table("flows")})
        assert "goodput of each flow; at most" in plain._repr_html_()
        assert "goodput of each flow, mean of 2 runs; at most" in Runs([plain, plain])._repr_html_()

    def test_of_runs_has_means_with_intervals(self, runs: Runs) -> None:
        cells = texts(runs._repr_html_())
        assert cells[cells.index("cov") + 1] == str(runs.cov)
        scaled = Estimate.of(value and 1e-6 * value for value in runs.goodput_bps.values)
        assert cells[cells.index("goodput") :][1:3] == [str(scaled), "Mbps"]
        assert "0 runs" in runs[:0]._repr_html_()

    def test_of_an_estimate_has_its_warning(self, runs: Runs) -> None:
        assert "too few for a conclusion" in runs[:1].cov._repr_html_()
        assert "3 runs" in runs.cov._repr_html_()
        assert "undefined in every run" in Estimate.of([None])._repr_html_()

    def test_of_a_store_and_its_tables_has_the_first_rows(self, store: ac.Store) -> None:
        assert "Store of 6 runs" in store._repr_html_()
        html = store.runs._repr_html_()
        assert html.count("<tr>") == 7
        assert "clients.0.count" in html
        assert "6 rows" in html
        assert "12 rows; the first 10" in Table(pa.table({"x": list(range(12))}))._repr_html_()

    def test_of_a_store_does_not_need_duckdb(self, store: ac.Store, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "duckdb", None)
        assert "Store of 6 runs" in store._repr_html_()
        assert "clients.0.count" in store._repr_html_()
        assert repr(store).startswith("Store(")

    def test_of_a_capture_has_the_arrivals(self, root: Path) -> None:
        capture = ac.read_capture(root / "tests" / "data" / "captures" / "ethernet.pcap")
        cells = texts(capture._repr_html_())
        assert cells[cells.index("packets") + 1] == f"{capture.packets:,}"
        assert "<svg" in capture._repr_html_()

    def test_numbers_align_to_the_right(self) -> None:
        numbers, words = ["1,234", "-0.5", "1e-07", "0.06 ± 0.01", "-", "undefined"], ["reno", "0a7f", "25 ms", "-x"]
        cells = parsed(table([numbers, words])).iter("td")
        right = [cell.text for cell in cells if cell.attrib["style"].endswith("right")]
        assert right == numbers

    def test_drawings_keep_the_extremes(self) -> None:
        """The largest value is 2 pixels below the upper edge, and zero is 2 pixels above the lower one."""
        assert 'd="M20 580l1960-560"' in small_line([0, 5], "")
        assert 'd="M510 300V580M1490 20V580"' in small_bars([1, 2], "")
        assert "nan" not in small_line([], "") + small_line([0, 0], "") + small_bars([], "")


class TestFigures:
    @pytest.mark.parametrize("name", ["throughput", "queue", "cwnd", "arrivals", "cov", "delay"])
    @pytest.mark.parametrize("count", [1, 3])
    def test_is_drawn_with_labelled_axes(self, name: str, count: int, runs: Runs) -> None:
        figure = (runs[0] if count == 1 else runs).plot(figure=name)
        (axes,) = figure.axes
        assert re.search(r", (s|ms)\b|^Width of bins, s$", axes.get_xlabel())
        assert re.search(r", (packets|Mb/s)$|^C\.o\.v\.|^Share of packets$", axes.get_ylabel())
        assert len(axes.collections) >= (count > 1), "an interval is an area"
        if name == "queue":
            assert isinstance(figure, PaperFigure)
            png, size = figure._repr_png_()
            assert png.startswith(b"\x89PNG")
            assert size == {"width": 580, "height": 330}

    def test_throughput_agrees_with_the_summary(self, run: Run) -> None:
        """Over the measured time: up to a packet at each end, 0.1 % of all and 1 % of a group."""
        series = chart([run], "throughput", start=4).panels[0].series
        means = {each.name: np.asarray(each.y, dtype=np.float64).mean() for each in series}
        assert means["all packets"] == pytest.approx(run.summary.throughput_bps / 1e6, rel=1e-3)
        for group in run.groups:
            assert means[group.name] == pytest.approx(group.throughput_bps / 1e6, rel=1e-2)

    def test_queue_agrees_with_the_summary(self, run: Run) -> None:
        """Sampled every 10 ms: up to 1 %."""
        (series,) = chart([run], "queue", start=4).panels[0].series
        assert np.asarray(series.y, dtype=np.float64).mean() == pytest.approx(run.summary.queue_mean, rel=1e-2)

    @pytest.mark.parametrize("queue", [{"kind": "droptail", "packets": 40}, {"kind": "codel", "packets": 40}])
    def test_waits_agree_with_the_summary(self, queue: dict[str, Any], run: Run) -> None:
        """For disciplines that drop at arrival and later, up to the buckets of the histogram and the points."""
        scenario = run.scenario.changed({"dumbbell.bottleneck.queue": queue})
        made = ac.simulate(scenario, record=["packets@bottleneck"])
        series = chart([made], "delay").panels[0].series[0]
        x, shares = np.asarray(series.x), np.asarray(series.y)
        for quantile, seconds in ((0.5, made.summary.sojourn_p50), (0.95, made.summary.sojourn_p95)):
            assert seconds is not None
            assert x[np.searchsorted(shares, quantile)] == pytest.approx(1e3 * seconds, abs=1.5 * x[1] + 1e-3 * x[-1])
        assert x[-1] == pytest.approx(1e3 * (made.summary.sojourn_max or 0), rel=2e-3)

    def test_the_ladder_begins_with_the_cov_of_the_record(self, run: Run) -> None:
        arrivals, poisson = chart([run], "cov").panels[0].series
        counts = run.table("arrivals").to_pandas().query("time >= 4").packets
        assert np.asarray(arrivals.y)[0] == pytest.approx(counts.std(ddof=0) / counts.mean())
        assert np.asarray(poisson.y)[0] == pytest.approx(counts.mean() ** -0.5)
        assert np.asarray(arrivals.x)[:3].tolist() == pytest.approx([0.01, 0.02, 0.04])

    def test_windows_are_those_of_the_record(self, run: Run, runs: Runs) -> None:
        series = chart([run], "cwnd").panels[0].series
        assert [each.name for each in series if each.listed] == ["flow 0 (cubic)", "flow 1 (reno)", "ssthresh"]
        assert np.nanmax(series[0].y) == run.table("windows").to_pandas().query("flow == 0").cwnd.max()
        means = chart(runs, "cwnd", start=5, end=6).panels[0].series
        at = [rows[(rows.flow == 1) & (rows.time <= 5)].cwnd.iloc[-1] for rows in _windows(runs)]
        assert np.asarray(means[1].y)[0] == pytest.approx(np.mean(at))

    def test_intervals_are_those_of_the_runs(self, runs: Runs) -> None:
        panel = chart(runs, "queue", start=5, end=6).panels[0]
        values = [run.table("queue").to_pandas().query("5 <= time < 6").packets.iloc[0] for run in runs]
        estimate = Estimate.of(map(float, values))
        assert np.asarray(panel.series[0].y)[0] == pytest.approx(estimate.mean)
        assert np.asarray(panel.bands[0].high)[0] == pytest.approx((estimate.mean or 0) + (estimate.half_width or 0))

    def test_a_missing_record_is_named_with_the_way_to_ask_for_it(self, run: Run) -> None:
        plain = ac.simulate(run.scenario)
        for name, record in {kind.name: kind.record for kind in reversed(FIGURES) if kind.record}.items():
            with pytest.raises(ac.ScenarioError, match=rf"the figure {name} needs the record {record}") as caught:
                plain.plot(figure=name)
            (asked,) = re.findall(r'record=\["(.+?)"\]', str(caught.value))
            if name in {"queue", "cwnd"}:
                assert ac.simulate(run.scenario, record=[asked]).plot(figure=name).axes

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"figure": "qeue"}, "figure: unknown figure 'qeue'; did you mean 'queue'?"),
            (
                {"figure": "queue", "link": "access.0"},
                "the record queue has no rows for the link access.0; it has rows for bottleneck",
            ),
            ({"link": "bottlenek"}, "link: unknown link 'bottlenek'; did you mean 'bottleneck'? must be one of bottle"),
            ({"start": "2 seconds"}, "start: '2 seconds' is not allowed; must be a time with its unit"),
            (
                {"start": -1},
                "start: -1 is not allowed; must be a number of seconds that is not negative, or a time with",
            ),
            ({"end": [3]}, "end: [3] is not allowed; must be a number of seconds"),
            ({"end": float("nan")}, "end: nan is not allowed; must be a number of seconds"),
            ({"figure": "queue", "start": 9}, "start: 9 is not allowed; must be less than the end, 8 s"),
            ({"figure": "cov", "start": 7.95}, "the record arrivals has 5 bins in this time"),
            ({"figure": "delay", "start": 0, "end": 1e-6}, "no packet left the queue of bottleneck"),
            ({"figure": "throughput", "start": 1, "end": 1.001}, "must be at least one bin of"),
        ],
    )
    def test_what_cannot_be_drawn_is_refused(self, options: dict[str, Any], says: str, run: Run) -> None:
        with pytest.raises(ac.ScenarioError, match=re.escape(says)):
            run.plot(**options)

    def test_a_time_has_a_unit_or_is_in_seconds(self, run: Run) -> None:
        texts = chart([run], "queue", start="5 s", end="5500 ms").panels[0].series[0]
        assert np.array_equal(texts.x, chart([run], "queue", start=5, end=5.5).panels[0].series[0].x)
        assert np.size(texts.x) == 50

    def test_runs_of_several_scenarios_have_only_what_they_share(self, run: Run) -> None:
        longer = ac.simulate(run.scenario.changed({"duration": "9 s"}), record=["queue/10ms"])
        coarse = ac.simulate(run.scenario, record=["queue/20ms"])
        fewer = ac.simulate(run.scenario.changed({"clients": run.scenario.to_dict()["clients"][:1]}), seed=2)
        assert "packets waiting" not in Runs([run, longer, coarse])._repr_html_()
        assert "<figure" not in Runs([run, fewer])._repr_html_()
        for other in (longer, coarse):
            with pytest.raises(ac.ScenarioError, match="the runs differ in the interval or the time of their records"):
                Runs([other, run]).plot(figure="queue")

    def test_no_runs_are_refused(self, runs: Runs) -> None:
        with pytest.raises(ac.ScenarioError, match="runs: 0 is not allowed; must be at least one run"):
            runs[:0].plot()

    def test_a_sweep_is_drawn_with_intervals(self, store: ac.Store) -> None:
        axes = store.plot(measure="loss").axes[0]
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("Number of clients", "Loss, %")
        assert axes.collections

    def test_one_field_of_the_series_needs_no_list(self, store: ac.Store) -> None:
        choices = (None, "clients.0.count", ["clients.0.count"])
        none, one, some = (len(store.plot(measure="loss", by=by).axes[0].lines) for by in choices)
        assert none < one == some

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"measure": "los"}, "measure: unknown measure 'los'; did you mean 'loss'?"),
            ({"x": "clients.0.counts"}, "x: 'clients.0.counts' is not allowed"),
            ({"by": ["seed"]}, "by: 'seed' is not allowed"),
            ({"by": "seed"}, "by: 'seed' is not allowed"),
        ],
    )
    def test_a_sweep_has_only_its_fields(self, options: dict[str, Any], says: str, store: ac.Store) -> None:
        with pytest.raises(ac.ScenarioError, match=re.escape(says)):
            store.plot(**options)


def _windows(runs: Sequence[Run]) -> list[Any]:
    return [run.table("windows").to_pandas() for run in runs]


def test_showing_a_run_loads_no_figure_library(root: Path) -> None:
    code = """
import sys
import ackclock as ac
run = ac.simulate(ac.Scenario.from_toml("examples/feng60.toml").changed({"duration": "1 s"}))
repr(run), repr(run.summary)
print(*sorted({"matplotlib", "numpy", "pandas", "pyarrow"} & set(sys.modules)))
run._repr_html_()
print(*sorted({"matplotlib", "pandas"} & set(sys.modules)))
"""
    ran = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert ran.stdout == "\n\n"


def test_drawing_a_run_and_reading_a_capture_need_no_pandas(root: Path) -> None:
    code = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            print("pandas was asked for")
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
import ackclock as ac
from ackclock.cli import main
from ackclock.running.figures import FIGURES, chart
records = ["packets@bottleneck", "queue/10ms", "windows", "arrivals/10ms", "acks", "phases", "drops"]
scenario = ac.Scenario.from_toml("examples/feng60.toml").changed({"duration": "2 s", "measure.from": "1 s"})
run = ac.simulate(scenario, record=records)
for kind in FIGURES:
    if kind.record in run.tables:
        chart([run], kind.name)
main(["capture", "tests/data/captures/ethernet.pcap", "--json"])
"""
    ran = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert "pandas" not in ran.stdout
    assert '"conversations"' in ran.stdout
