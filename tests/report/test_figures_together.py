"""Several runs in one figure, and Jain's index over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.analysis.fairness import jain_index
from ackclock.cli import main
from ackclock.drawing.paper import draw
from ackclock.running.figures import chart
from ackclock.running.figures.asked import Bins
from ackclock.running.figures.capacity import capacity
from ackclock.running.figures.together import PANELS, together

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from ackclock.drawing.chart import Chart

RECORDS = ("windows/10ms", "throughput/100ms", "queue/10ms")

TOML = """
duration = "4 s"
changes = [{ at = "3 s", rate = "2 Mbps" }]
[dumbbell]
access = { rate = "1 Gbps", delay = "5 ms" }
bottleneck = { rate = "4 Mbps", delay = "15 ms", queue = { kind = "droptail", packets = 20 } }
[[clients]]
name = "first"
transport = { kind = "tcp", variant = "VARIANT" }
source = { kind = "greedy" }
[[clients]]
name = "second"
start = "1 s"
stop = "2 s"
transport = { kind = "tcp", variant = "VARIANT" }
source = { kind = "greedy" }
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("together")
    found = {}
    for variant in ("reno", "cubic"):
        found[variant] = folder / f"{variant}.toml"
        found[variant].write_text(TOML.replace("VARIANT", variant), encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def runs(files: dict[str, Path]) -> dict[str, list[ac.Run]]:
    return {name: [ac.simulate(ac.Scenario.from_toml(file), seed=1, record=RECORDS)] for name, file in files.items()}


@pytest.fixture
def plot(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str]]:
    """Return a function that runs ``ackclock plot`` in an empty folder, and returns its exit code and its errors."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main(["plot", *map(str, arguments)])
        assert isinstance(ended.value.code, int)
        return ended.value.code, capsys.readouterr().err

    return call


def rates(run: ac.Run) -> NDArray[np.float64]:
    """Return the rate of each flow in each bin, in Mb/s."""
    return run.table("throughput")["bytes"].to_numpy().reshape(-1, 2).T * 8e-5


def test_panels_share_an_axis_and_mark_each_change_once(runs: dict[str, list[ac.Run]]) -> None:
    drawn = together(runs)
    assert [panel.y.label for panel in drawn.panels] == [kind.label for kind in PANELS.values()]
    assert [panel.x.label for panel in drawn.panels] == ["", "", "", "", "Time, s"]
    assert {(panel.x.low, panel.x.high) for panel in drawn.panels} == {(0.0, 4.0)}
    marks = [(mark.x, mark.text) for mark in drawn.panels[0].moments]
    assert marks == [(1.0, "+ second"), (2.0, "- second"), (3.0, "rate 2 Mbps")]
    for panel in drawn.panels[1:]:
        assert [(mark.x, mark.text) for mark in panel.moments] == [(1.0, ""), (2.0, ""), (3.0, "")]
    for panel in drawn.panels:
        lines = [("reno", "blue", "solid"), ("cubic", "red", "dashed")]
        lines += [("rate of bottleneck", "faint", "dashed")] if panel.y.label == "Goodput, Mb/s" else []
        assert [(each.name, each.colour, each.dash) for each in panel.series] == lines


def test_lines_are_those_of_the_records(runs: dict[str, list[ac.Run]]) -> None:
    (run,) = runs["reno"]
    (goodput, capacity), (index,) = (
        together({"reno": [run]}, [name]).panels[0].series for name in ("throughput", "jain")
    )
    own = rates(run)
    assert np.asarray(capacity.y) == pytest.approx([4.0] * 30 + [2.0] * 10)
    assert np.asarray(goodput.y) == pytest.approx(own.sum(axis=0))
    expected = np.full(40, np.nan)
    expected[10:20] = jain_index(own)[10:20]
    assert np.asarray(index.y) == pytest.approx(expected, nan_ok=True)
    (alone,) = together({"reno": [run]}, ["cwnd"], flow=0).panels[0].series
    (both,) = together({"reno": [run]}, ["cwnd"]).panels[0].series
    x = np.asarray(alone.x)
    shared = (x > 1.1) & (x < 2)
    assert (np.asarray(alone.y)[~shared & (x > 2)] == np.asarray(both.y)[~shared & (x > 2)]).all(), "one has stopped"
    assert (np.asarray(alone.y)[shared] != np.asarray(both.y)[shared]).any()


def test_several_seeds_are_their_mean_with_an_interval(files: dict[str, Path]) -> None:
    scenario = ac.Scenario.from_toml(files["reno"]).changed({"clients.0.spread": "500 ms"})
    own = list(ac.replicate(scenario, seeds=3, record=RECORDS))
    panel = together({"reno": own, "first": own[:1]}, ["throughput"]).panels[0]
    assert [band.name for band in panel.bands] == ["reno"]
    assert np.asarray(panel.series[0].y) == pytest.approx(np.mean([rates(run).sum(axis=0) for run in own], axis=0))


def test_jain_of_a_run_is_that_of_the_figure_of_several(runs: dict[str, list[ac.Run]]) -> None:
    (alone,) = chart(runs["cubic"], "jain").panels[0].series
    (among,) = together({"cubic": runs["cubic"]}, ["jain"]).panels[0].series
    assert np.array_equal(np.asarray(alone.y), np.asarray(among.y), equal_nan=True)
    single = runs["cubic"][0].scenario.changed(
        {"clients": [{"transport": {"kind": "tcp"}, "source": {"kind": "greedy"}}]}
    )
    with pytest.raises(ac.ScenarioError, match="at no time are two recorded flows active"):
        chart([ac.simulate(single, record=["throughput/100ms"])], "jain")


def test_a_flow_with_a_random_start_counts_after_the_bin_in_which_it_begins(files: dict[str, Path]) -> None:
    scenario = ac.Scenario.from_toml(files["reno"]).changed({"clients.1.spread": "500 ms"})
    run = ac.simulate(scenario, seed=1, record=RECORDS)
    own = rates(run)
    first = int(np.argmax(own[1] > 0))
    assert 10 < first < 18
    (index,) = together({"reno": [run]}, ["jain"]).panels[0].series
    assert np.isfinite(np.asarray(index.y)).nonzero()[0].tolist() == list(range(first + 1, 20))


def test_what_cannot_be_drawn_is_refused(runs: dict[str, list[ac.Run]]) -> None:
    (run,) = runs["reno"]
    bare = ac.simulate(run.scenario)
    for given, figures, options, says in (
        ({}, (), {}, "runs: 0 is not allowed; must be 1 to 8 runs"),
        ({str(place): [run] for place in range(9)}, (), {}, "runs: 9 is not allowed"),
        (runs, ["states"], {}, "unknown figure of several runs 'states'"),
        ({"a": [run], "b": [bare]}, ["cwnd"], {}, "cwnd needs the record windows, which not all runs have kept"),
        ({"a": [bare]}, (), {}, "no record in common that can be drawn; these can: windows, throughput, queue"),
        (runs, (), {"start": "9 s"}, "start: 9.0 is not allowed; must be less than the end, 4 s"),
        (runs, ["queue"], {"link": "moon"}, "moon"),
    ):
        with pytest.raises(ac.ScenarioError, match=says):
            together(given, figures, **options)  # type: ignore[arg-type]


def test_runs_need_no_names(runs: dict[str, list[ac.Run]]) -> None:
    """A run, a sequence of runs, and those of `replicate`, which are one line."""
    (run,) = runs["reno"]
    own = ac.replicate(run.scenario, seeds=2, record=RECORDS)
    capacity = "rate of bottleneck"
    for given, names in (
        (run, ["run 0"]),
        ([run, run], ["run 0", "run 1"]),
        (own, ["run 0"]),
        ((own, run), ["run 0", "run 1"]),
        ({"a": own}, ["a"]),
    ):
        (legend,) = ac.plot(given, "throughput").legends
        assert [text.get_text() for text in legend.get_texts()][: len(names) + 1] == [*names, capacity]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (5, "runs: 5 is not allowed; must be runs by their names, or a sequence of runs"),
        ("saved", "runs: 'saved' is not allowed; must be runs by their names"),
        (None, "runs: None is not allowed"),
        ([], "runs: 0 is not allowed; must be 1 to 8 runs"),
        ([3], "runs.run 0: 'int' is not allowed; must be a run, or runs with different seeds"),
        ({"a": [3]}, "runs.a: 'list' is not allowed; must be a run"),
    ],
)
def test_something_else_than_runs_is_refused(given: Any, says: str) -> None:
    with pytest.raises(ac.ScenarioError, match=says):
        ac.plot(given)


def test_the_capacity_of_a_bin_is_the_integral_of_the_rate() -> None:
    """Validates: steps of changes, an outage, a trace with a period, and a trace of opportunities.

    Source: by hand.
    Tolerance: rounding.
    """
    bins = Bins(0.0, 1.0, 6)
    link: dict[str, Any] = {"delay": "9 ms", "queue": {"kind": "droptail", "packets": 20}}

    def rates(link: dict[str, Any], *changes: dict[str, Any]) -> Any:
        scenario = {
            "duration": "6 s",
            "dumbbell": {"access": {"rate": "1 Gbps", "delay": "5 ms"}, "bottleneck": link},
            "clients": [{"transport": {"kind": "udp"}, "source": {"kind": "poisson", "rate": 9}}],
            "changes": changes,
        }
        drawn = capacity(ac.Scenario.from_dict(scenario).effective(), "bottleneck", bins)
        return np.asarray(drawn[0].y).tolist() if drawn else []

    constant = link | {"rate": "4 Mbps"}
    assert rates(constant) == []
    slower = {"at": "2500 ms", "rate": "2 Mbps"}
    down = [{"at": "3500 ms", "up": False, "waiting": waiting} for waiting in ("kept", "lost")]
    up = {"at": "4250 ms", "up": True}
    assert rates(constant, slower) == pytest.approx([4, 4, 3, 2, 2, 2])
    for each in down:
        assert rates(constant, slower, each, up) == pytest.approx([4, 4, 3, 1, 1.5, 2])
        assert rates(constant, each) == pytest.approx([4, 4, 4, 2, 0, 0])
    trace = {"steps": [["0 s", "1 Mbps"], ["1 s", "5 Mbps"]]}
    assert rates(link | {"rate_trace": trace}) == pytest.approx([1, 5, 5, 5, 5, 5])
    assert rates(link | {"rate_trace": trace | {"period": "1500 ms"}}) == pytest.approx([1, 3, 3, 1, 3, 3])


def test_load_times_of_several_runs_are_in_one_figure(tmp_path: Path, plot: Any) -> None:
    """Validates: a distribution function for each run, over the load times of all.

    Source: the record of pages.
    Tolerance: exact.
    """
    text = """
    duration = "20 s"
    [dumbbell]
    access = { rate = "1 Gbps", delay = "5 ms" }
    bottleneck = { rate = "RATE Mbps", delay = "15 ms", queue = { kind = "droptail", packets = 50 } }
    [[clients]]
    transport = { kind = "tcp", variant = "cubic" }
    source = { kind = "pages", document = { kind = "fixed", mean = "9 kB" }, objects = 5, size = { kind = "fixed", \
mean = "9 kB" }, think = { kind = "exponential", mean = "1 s" } }
    """
    runs = {}
    for rate in ("1", "8"):
        (tmp_path / f"{rate}.toml").write_text(text.replace("RATE", rate).replace("\\\n", ""), encoding="utf-8")
        runs[rate] = [ac.simulate(ac.Scenario.from_toml(tmp_path / f"{rate}.toml"), seed=1, record=["pages"])]
    panel = together(runs, ["load_times"]).panels[0]
    assert panel.x.label == "Load time, s"
    slow, fast = panel.series
    for line, (run,) in zip((slow, fast), runs.values(), strict=True):
        loads = run.table("pages")["load"].to_numpy()
        assert line.name.endswith(f"({np.isfinite(loads).sum()} of {loads.size} ended)")
        within = np.searchsorted(np.sort(loads), np.asarray(line.x), side="right") / loads.size
        assert np.asarray(line.y) == pytest.approx(within)
    assert (np.asarray(fast.y) >= np.asarray(slow.y)).all()
    with pytest.raises(ac.ScenarioError, match="load_times' is not allowed; must be the only one"):
        together(runs, ["load_times", "queue"])
    assert plot("1.toml", "8.toml", "--figure", "load_times", "--out", "loads.svg") == (0, "")


class TestCommand:
    def test_draws_results_stores_and_scenarios(
        self,
        files: dict[str, Path],
        runs: dict[str, list[ac.Run]],
        tmp_path: Path,
        plot: Any,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        runs["reno"][0].save(tmp_path / "saved")
        scenario = ac.Scenario.from_toml(files["cubic"]).changed({"clients.0.spread": "500 ms"})
        ac.sweep(
            scenario,
            over={"dumbbell.bottleneck.queue.packets": [10, 40]},
            replications=3,
            record=["throughput/100ms", "queue/10ms"],
            store=tmp_path / "store",
        )
        drawn: list[Chart] = []

        def drawing(chart: Chart) -> Any:
            drawn.append(chart)
            return draw(chart)

        monkeypatch.setattr("ackclock.cli.plotting_together.draw", drawing)
        assert plot("saved", "store", files["cubic"], "--out", "a.svg") == (0, "")
        assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml")
        names = [series.name for series in drawn[0].panels[0].series]
        assert names == ["saved", "store: packets 10", "store: packets 40", "cubic", "rate of bottleneck"]
        assert [panel.y.label for panel in drawn[0].panels] == ["Goodput, Mb/s", "Queue, packets", "Jain's index"]
        assert len(drawn[0].panels[0].bands) == 2, "intervals for the points of the store"
        assert plot("store", "--figure", "jain", "--figure", "throughput") == (0, "")
        assert (tmp_path / "together.png").stat().st_size > 10_000

    def test_draws_completion_times_of_a_store(self, files: dict[str, Path], tmp_path: Path, plot: Any) -> None:
        short = {"clients.0.source": ac.Greedy(size="50 kB"), "clients.0.count": 3, "clients.0.spread": "1 s"}
        scenario = ac.Scenario.from_toml(files["cubic"]).changed(short)
        over = {"dumbbell.bottleneck.queue.packets": [10, 40]}
        ac.sweep(scenario, over=over, replications=3, record=["transfers"], store=tmp_path / "short")
        assert plot("short", "--figure", "completion") == (0, "")
        code, err = plot("short", "--figure", "load_times", "--out", "b.png")
        assert (code, err) == (2, "plot: the store has no record pages; add it to the study's `record`\n")

    def test_explains_what_it_refuses(self, files: dict[str, Path], plot: Any) -> None:
        reno = files["reno"]
        for arguments, says in (
            ((reno, reno), "RESULT: "),
            ((reno, "--gauge", "avg"), "--gauge: 'avg' is not allowed; must be absent"),
            ((reno, "--out", "a.gif"), "--out: 'a.gif' is not allowed; must end in one of .png, .svg, .pdf"),
            ((reno, "nowhere"), "nowhere: cannot be used: there is no such directory"),
            ((reno, "--from", "9 s"), "--from: '9 s' is not allowed; must be before the end of the plot"),
            ((reno, "--figure", "states"), "unknown figure of several runs 'states'"),
        ):
            code, err = plot(*arguments)
            assert (code, err.count("\n")) == (2, 1), err
            assert says in err


def test_a_figure_of_one_run_marks_joins_and_steps() -> None:
    """Changes, joins, leaves and steps of traces; of very many, only the changes."""
    trace = {"steps": [["0 s", "4 Mbps"], ["1 s", "2 Mbps"], ["3 s", "4 Mbps"]]}
    whole: dict[str, Any] = {
        "duration": "4 s",
        "dumbbell": {
            "access": {"rate": "1 Gbps", "delay": "5 ms"},
            "bottleneck": {"rate_trace": trace, "delay": "15 ms", "queue": {"kind": "droptail", "packets": 20}},
        },
        "changes": [{"at": "2 s", "loss": {"kind": "random", "probability": 0}}],
    }
    group: dict[str, Any] = {"transport": {"kind": "tcp"}, "source": {"kind": "greedy"}}
    second = group | {"name": "second", "start": "1 s", "stop": "3500 ms"}

    def marks(*clients: dict[str, Any], figure: str = "throughput") -> list[tuple[float, str]]:
        scenario = ac.Scenario.from_dict(whole | {"clients": [group, *clients]})
        run = ac.simulate(scenario, record=["throughput/100ms", "queue/100ms"])
        return [(each.x, each.text) for each in chart([run], figure).panels[0].moments]

    found = [(1.0, "+ second, rate"), (2.0, "loss"), (3.0, "rate"), (3.5, "- second")]
    assert marks(second) == marks(second, figure="queue") == found
    many = group | {"active": [[f"{100 * place} ms", f"{100 * place + 50} ms"] for place in range(1, 30)]}
    assert marks(many) == [(2.0, "loss")]
