"""Each record has a figure, which ``ackclock plot`` draws of a saved run, and `Run.plot` of a run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.cli import main
from ackclock.engine.catalogue import catalogue
from ackclock.running.figures import FIGURES, chart, figures_of, plain
from ackclock.running.figures.asked import Asked, steps, thinned
from ackclock.running.figures.durations import DURATIONS
from ackclock.running.figures.states import PHASES
from ackclock.running.records import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ackclock.drawing.chart import Series

RECORDS = (
    *("windows", "acks", "phases", "states", "transfers", "queue/10ms", "gauges/10ms", "arrivals/10ms", "drops"),
    *("marks", "packets@bottleneck"),
)
SITE = ac.Clients(
    transport=ac.Tcp("cubic"),
    source=ac.Pages(
        document=ac.Fixed(mean="3 kB"), objects=2, size=ac.Fixed(mean="3 kB"), think=ac.Exponential(mean="100 ms")
    ),
)
OF_SOURCES = {
    "pages": SITE,
    "chunks": ac.Clients(transport=ac.Tcp("cubic"), source=ac.Video()),
    "control": ac.Clients(transport=ac.Udp(), source=ac.Call()),
}
"""Clients for the records of sources that the network below has not."""
OF_RECORDS = [kind for kind in FIGURES if kind.record is not None]
"""All figures but that of the network, which shows measured links (`tests/engine/test_fabrics.py`)."""
DEFAULTS = {kind.record: kind.name for kind in reversed(OF_RECORDS)}


def scenario(cubic: int = 2, **changes: Any) -> ac.Scenario:
    """Make a network of bulk flows and of transfers on a link of 10 Mb/s that drops and marks."""
    queue = ac.Queue(kind="codel", packets=60, ecn=True)
    return ac.Scenario(
        profile="linux",
        duration="4 s",
        dumbbell=ac.Dumbbell(
            bottleneck=ac.Link(rate="10 Mbps", delay="10 ms", queue=queue), access=ac.Link(rate="1 Gbps", delay="1 ms")
        ),
        clients=[
            ac.Clients(name="bulk", count=cubic, transport=ac.Tcp("cubic"), source=ac.Greedy()),
            ac.Clients(name="bbr", transport=ac.Tcp("bbr", ecn="classic"), source=ac.Greedy()),
            ac.Clients(
                name="web",
                count=3,
                transport=ac.Tcp("cubic", ecn="classic"),
                source=ac.Greedy(size="100 kB"),
                start="50 ms",
            ),
        ],
    ).changed(changes)


@pytest.fixture(scope="module")
def run() -> ac.Run:
    return ac.simulate(scenario(), record=RECORDS)


@pytest.fixture(scope="module")
def saved(run: ac.Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figures") / "result"
    run.save(folder)
    return folder


@pytest.fixture
def plot(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs ``ackclock plot`` and returns its exit code and both output streams."""

    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["plot", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, out, err

    return call


def series_of(run: ac.Run, name: str, **options: Any) -> list[Series]:
    return list(chart([run], name, **options).panels[0].series)


class TestFrame:
    def test_each_record_has_a_figure_and_each_figure_a_record(self) -> None:
        assert {kind.record for kind in OF_RECORDS} == set(KINDS)

    def test_a_record_without_a_figure_of_its_own_has_one_of_its_rows(self, run: ac.Run) -> None:
        drawn = [name for name in KINDS if name not in ("phases", "marks", "queue")]
        figures = {kind.name: kind for kind in plain(KINDS, drawn)}
        assert list(figures) == ["marks", "phases"], "the record queue has no flows"
        asked = Asked([run], "bottleneck", None, 0.0, 4.0)
        for name, label in (("marks", "Marks at bottleneck, by flow"), ("phases", "Phases, by flow")):
            (panel,) = figures[name].chart(asked).panels
            (series,) = panel.series
            assert (panel.y.label, series.name) == (label, f"{name} ({run.table(name).num_rows:,})")

    @pytest.mark.parametrize("kind", OF_RECORDS, ids=lambda kind: kind.name)
    def test_each_figure_is_drawn(self, kind: Any, run: ac.Run) -> None:
        if kind.record in OF_SOURCES:
            run = ac.simulate(scenario().changed({"clients": [OF_SOURCES[kind.record]]}), record=[kind.record])
        elif kind.name == "jain":
            run = ac.simulate(scenario(), record=["throughput/100ms"])
        flow = 2 if kind.name == "diagram" else None
        axes = run.plot(figure=kind.name, flow=flow).axes
        assert axes[-1].get_xlabel()
        assert all(each.get_ylabel() for each in axes)
        assert any(each.has_data() for each in axes)

    def test_the_default_is_the_most_usual_figure_that_was_kept(self) -> None:
        small = scenario(duration="1 s")
        for records, label in (
            (["queue", "arrivals", "windows"], "Congestion window, packets"),
            (["arrivals", "queue"], "Queue at bottleneck, packets"),
            (["queue@bottleneck.reverse"], "Queue at bottleneck.reverse, packets"),
        ):
            assert ac.simulate(small, record=records).plot().axes[0].get_ylabel() == label
        with pytest.raises(ac.ScenarioError, match="the run has kept no record to draw: ask for some with simulate"):
            ac.simulate(small).plot()

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"figure": "cwnd", "link": "bottleneck"}, "link: 'bottleneck' is not allowed; must be absent: the figure"),
            ({"figure": "queue", "flow": 1}, "flow: 1 is not allowed; must be absent: the figure queue shows a link"),
            ({"figure": "cwnd", "flow": 9}, "flow: 9 is not allowed; must be one of the flows in the record windows"),
            ({"figure": "acks", "end": "1 us"}, "there is nothing to draw from 0 s to 1e-06 s"),
            ({"figure": "drops", "end": "1 us"}, "there is nothing to draw from 0 s to 1e-06 s"),
            ({"figure": "completion", "end": "1 us"}, "no transfer that began from 0 s to 1e-06 s has ended"),
        ],
    )
    def test_what_cannot_be_drawn_is_refused(self, options: dict[str, Any], says: str, run: ac.Run) -> None:
        with pytest.raises(ac.ScenarioError, match=re.escape(says)):
            run.plot(**options)

    def test_a_figure_of_one_run_is_not_drawn_of_several(self) -> None:
        runs = ac.replicate(scenario(duration="1 s"), seeds=2, record=["acks", "transfers"], jobs=1)
        with pytest.raises(ac.ScenarioError, match="the figure acks shows one run; draw each run alone"):
            runs.plot(figure="acks")
        assert runs.plot().axes[0].get_ylabel() == "Share of transfers"

    def test_figures_are_listed_with_their_records(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit, match="0"):
            main(["list", "figures"])
        shown = " ".join(capsys.readouterr().out.split())
        for kind in FIGURES:
            source = "measure.links" if kind.record is None else f"record {kind.record}"
            assert f"{kind.name} {kind.doc} ({source})" in shown


class TestContents:
    def test_windows_of_few_flows_have_thresholds(self, run: ac.Run) -> None:
        series = series_of(run, "cwnd")
        rows = run.table("windows").to_pandas()
        assert [each.name for each in series if each.name != "ssthresh"] == [
            "flow 0 (bulk)",
            "flow 1 (bulk)",
            "flow 2 (bbr)",
            "flow 3 (web)",
            "flow 4 (web)",
            "flow 5 (web)",
        ]
        assert np.nanmax(series[0].y) == rows[rows.flow == 0].cwnd.max()
        threshold = np.asarray(series[6].y)
        own = rows[(rows.flow == 0) & (rows.ssthresh <= rows.cwnd.max())]
        assert set(threshold[np.isfinite(threshold)]) == set(own.ssthresh)
        assert series_of(run, "cwnd", flow=2)[0].name == "flow 2 (bbr)"

    def test_windows_of_many_flows_have_the_mean_of_their_group(self) -> None:
        many = ac.simulate(scenario(8), record=["windows"])
        series = series_of(many, "cwnd")
        means = {each.name: np.asarray(each.y) for each in series if each.listed}
        assert list(means) == [
            "bulk, 8 flows and their mean",
            "bbr",
            "web, 3 flows and their mean",
        ]
        assert len(series) == 12 + len(means)
        rows = many.table("windows").to_pandas()
        last = rows[rows.time < 4].groupby("flow").cwnd.last()
        assert means["bulk, 8 flows and their mean"][-1] == pytest.approx(last[:8].mean())

    def test_acks_are_the_rows_of_the_record(self, run: ac.Run) -> None:
        first, *_, again = series_of(run, "acks")
        rows = run.table("acks").to_pandas()
        assert np.array_equal(np.asarray(first.y), rows[rows.flow == 0].ack)
        assert again.name == f"duplicate ACKs ({rows.duplicate.sum():,})"

    def test_phases_fill_the_time_from_the_first_one_on(self, run: ac.Run) -> None:
        rows = run.table("phases").to_pandas()
        bars = {each.name: np.asarray(each.x).reshape(-1, 3) for each in series_of(run, "phases")}
        assert set(bars) == set(rows.phase)
        drawn = sum((bar[:, 1] - bar[:, 0]).sum() for bar in bars.values())
        assert drawn == pytest.approx((4 - rows.groupby("flow").time.first()).sum())

    def test_every_phase_has_a_colour(self) -> None:
        assert {phase for state in catalogue().states.values() for phase in state.phases} | {"timeout"} == set(PHASES)

    def test_completion_times_have_the_shares_of_all_transfers(self) -> None:
        slow = ac.simulate(scenario(duration="1 s"), record=["transfers"])
        times = slow.table("transfers").to_pandas()
        ended = times.completion.notna().sum()
        (series,) = series_of(slow, "completion")
        assert 0 < ended < len(times), "the test needs a transfer that does not end"
        assert series.name == f"all transfers ({ended} of {len(times)} ended)"
        assert np.asarray(series.y)[-1] == pytest.approx(ended / len(times))
        assert np.asarray(series.x)[-1] == times.completion.max()

    def test_completion_times_begin_in_the_measured_time(self) -> None:
        measured = ac.simulate(
            scenario().changed({"measure.from": "200 ms", "clients.2.spread": "400 ms"}), record=["transfers"]
        )
        times = measured.table("transfers").to_pandas()
        later = times[times.start >= 0.2].completion
        (series,) = series_of(measured, "completion")
        assert 0 < len(later) < len(times)
        assert series.name == f"all transfers ({later.notna().sum()} of {len(later)} ended)"

    @pytest.mark.parametrize(("ratio", "is_log"), [(9.9, False), (10.1, True)])
    def test_times_within_a_decade_have_a_linear_axis(self, ratio: float, *, is_log: bool) -> None:
        kind = DURATIONS["completion"]
        x = np.array([1.0, ratio])
        assert kind.chart([kind.line("all", [x, x], x)]).panels[0].x.log is is_log

    def test_a_figure_saved_by_its_own_method_has_truetype_fonts(self, run: ac.Run, tmp_path: Path) -> None:
        run.plot(figure="cwnd").savefig(tmp_path / "own.pdf")
        content = (tmp_path / "own.pdf").read_bytes()
        assert b"/FontFile2" in content
        assert b"/Type3" not in content

    def test_arrivals_are_those_of_whole_bins(self, run: ac.Run) -> None:
        cut = ac.simulate(run.scenario, record=["arrivals/30ms"])
        (series,) = series_of(cut, "arrivals")
        assert np.array_equal(np.asarray(series.y), cut.table("arrivals").to_pandas().packets[: int(4 / 0.03)])

    def test_the_queue_has_the_average_of_red(self) -> None:
        red = {"kind": "red", "min_th": 5, "max_th": 20, "packets": 60}
        made = ac.simulate(scenario().changed({"dumbbell.bottleneck.queue": red}), record=["queue/10ms"])
        queue, average = series_of(made, "queue")
        assert (queue.name, average.name) == ("queue", "average of RED")
        assert np.array_equal(np.asarray(average.y), made.table("queue").to_pandas().average, equal_nan=True)

    @pytest.mark.parametrize("name", ["drops", "marks"])
    def test_events_are_counted_and_drawn_by_flow(self, name: str, run: ac.Run) -> None:
        rows = run.table(name).to_pandas()
        series = series_of(run, name)
        assert sum(int(re.findall(r"\(([\d,]+)\)", each.name)[0].replace(",", "")) for each in series) == len(rows)
        assert set(np.concatenate([np.asarray(each.y) for each in series])) == set(rows.flow)

    def test_steps_hold_from_the_value_before_the_start_to_the_end(self) -> None:
        x, y = steps(np.array([0.0, 1.0, 2.0]), np.array([5.0, 6.0, 7.0]), 0.5, 1.5)
        assert (x.tolist(), y.tolist()) == ([0.5, 1.0, 1.0, 1.5], [5.0, 5.0, 6.0, 6.0])
        assert steps(np.array([2.0]), np.array([5.0]), 0.5, 1.5)[0].size == 0

    def test_points_at_one_place_are_drawn_once(self) -> None:
        x = np.array([0.0, 1e-9, 1.0, 1.0])
        assert thinned(x, np.array([0.0, 0.0, 0.0, 1.0]))[0].tolist() == [0.0, 1.0, 1.0]


class TestCommand:
    def test_draws_each_record_beside_the_result(self, saved: Path, plot: Any) -> None:
        code, out, err = plot(saved)
        files = sorted(path.name for path in saved.parent.glob("*.png"))
        assert (code, err) == (0, "")
        assert files == sorted({f"result-{DEFAULTS[record]}.png" for record in KINDS if record not in OF_SOURCES})
        assert out.count("The figure is ") == len(files)
        assert plot(saved)[0] == 2, "figures are never overwritten"

    @pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".PDF"])
    def test_writes_the_same_bytes_in_each_format(self, suffix: str, saved: Path, tmp_path: Path, plot: Any) -> None:
        for place in ("a", "b"):
            assert plot(saved, "--figure", "cwnd", "--out", tmp_path / f"{place}{suffix}")[0] == 0
        first, second = ((tmp_path / f"{place}{suffix}").read_bytes() for place in ("a", "b"))
        assert first == second
        if suffix == ".pdf":
            assert b"/FontFile2" in first
            assert b"/Type3" not in first

    def test_draws_what_it_can_and_explains_the_rest(self, tmp_path: Path, plot: Any) -> None:
        plain = scenario().to_dict()["clients"][0] | {"transport": {"kind": "tcp", "variant": "newreno"}}
        made = ac.simulate(scenario().changed({"clients": [plain]}), record=["windows", "states"])
        made.save(tmp_path / "r")
        code, out, err = plot(tmp_path / "r")
        assert (code, out) == (0, f"The figure is {tmp_path / 'r-cwnd.png'}\n")
        assert err.startswith("not drawn: states: the table has no rows, because the window laws of its flows have no")
        assert "only these laws have state variables: bbr" in err

    def test_one_result_has_one_figure_at_a_time(self, saved: Path, plot: Any) -> None:
        code, _, err = plot(saved, "--figure", "cwnd", "--figure", "queue")
        assert (code, err.count("\n")) == (2, 1)
        assert "--figure: 'queue' is not allowed; must be given once for a figure of one result" in err

    def test_a_result_without_records_names_them(self, tmp_path: Path, plot: Any) -> None:
        ac.simulate(scenario(duration="100 ms")).save(tmp_path / "r")
        code, _, err = plot(tmp_path / "r")
        assert code == 2
        assert f"--out FOLDER`, where KIND is one of {', '.join(KINDS)}" in err

    def test_a_figure_without_its_record_names_what_there_is(self, tmp_path: Path, plot: Any) -> None:
        ac.simulate(scenario(duration="100 ms"), record=["queue"]).save(tmp_path / "r")
        code, _, err = plot(tmp_path / "r", "--figure", "cwnd")
        assert code == 2
        assert "its run has kept no windows; must be a result of `ackclock run FILE --record windows --out" in err
        assert "(this result has the figures queue)" in err
        assert "did you mean 'queue'" in plot(tmp_path / "r", "--figure", "qeue")[2]


def test_default_figures_come_in_the_order_of_their_use(run: ac.Run) -> None:
    assert [kind.name for kind in figures_of(run)] == list(
        dict.fromkeys(k.name for k in OF_RECORDS if DEFAULTS[k.record] == k.name and k.record not in OF_SOURCES)
    )
