"""From a study to a store: each run once, reproducibly, with failed runs listed next to the others."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from tests.study.small import found, scenario, study, write

import ackclock as ac
from ackclock.cli import main
from ackclock.engine.catalogue import catalogue
from ackclock.running.run import Prepared
from ackclock.running.summary import MEASURES
from ackclock.scenario import SCHEMA
from ackclock.study import making, sweeping
from ackclock.study.interruption import Interruption
from ackclock.study.outlook import Outlook
from ackclock.study.schedule import Schedule, Tally
from ackclock.study.survey import Survey
from ackclock.study.sweeping import fill, preview
from ackclock.values.quantity import seconds

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ackclock.study.execute import Report
    from ackclock.study.making import Job
    from ackclock.study.store import Row


def tallied(tally: Tally) -> tuple[int, int, int]:
    return tally.made, tally.there, tally.failed


@pytest.mark.parametrize("record", [[], ["arrivals", "queue/50ms"]])
def test_a_row_is_the_run_alone(tmp_path: Path, record: list[str]) -> None:
    fill(tmp_path / "store", study(record=record), jobs=2)
    with ac.open(tmp_path / "store") as store:
        runs = store.runs.to_arrow().to_pylist()
        origins = store.sql("select distinct revision, schema from origins").to_pylist()
        kinds = [each.partition("/")[0] for each in record]
        tables = {kind: store.table(kind).to_polars() for kind in kinds}
    assert len(runs) == 12
    assert origins == [{"revision": catalogue().revision, "schema": SCHEMA}]
    for row in runs:
        point = {path: row[path] for path in ("clients.0.count", "clients.0.transport.variant")}
        alone = ac.simulate(scenario().changed(point), seed=row["seed"], record=record)
        assert {name: row[name] for name in MEASURES} == {name: getattr(alone.summary, name) for name in MEASURES}
        assert row["warmup"] == alone.warmup
        for kind, table in tables.items():
            kept = table.filter(pl.col("run_id") == row["run_id"]).drop("run_id")
            assert kept.rows() == pl.DataFrame(alone.table(kind)).rows()


def test_the_number_of_threads_does_not_show(tmp_path: Path) -> None:
    whole = study(record=["drops"], variants={"short": {}, "long": {"measure.from": "500 ms"}})
    for jobs in (1, 2, 3):
        fill(tmp_path / str(jobs), whole, jobs=jobs)
    one, two, three = (found(tmp_path / str(jobs)) for jobs in (1, 2, 3))
    assert one.keys() >= {"runs", "groups", "drops", "notices"}
    assert all(one[name].equals(two[name]) and one[name].equals(three[name]) for name in one)


def test_what_is_there_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Job] = []

    def counted(job: Job, report: Report | None = None, **means: int) -> Callable[[], Row]:
        made.append(job)
        return making.begin(job, report, **means)

    monkeypatch.setattr(sweeping, "begin", counted)
    assert tallied(fill(tmp_path, study())) == (12, 0, 0)
    assert tallied(fill(tmp_path, study())) == (0, 12, 0)
    assert tallied(fill(tmp_path, study(replications=3))) == (6, 12, 0)
    assert tallied(fill(tmp_path, study(replications=[2, 9]))) == (6, 6, 0)
    assert tallied(fill(tmp_path, study(record=["drops"]))) == (12, 0, 0)  # other tables are requested
    assert len({job.run_id for job in made}) == len(made) == 36
    assert len(found(tmp_path)["runs"]) == 36


def test_runs_that_keep_another_variants_name_are_reported(tmp_path: Path) -> None:
    assert tallied(fill(tmp_path / "store", study())) == (12, 0, 0)
    named = {name: {"clients.0.transport.variant": name.lower()} for name in ("Reno", "Vegas")}
    few, more = (study(over={"clients.0.count": counts}, variants=named) for counts in ([2, 4], [2, 4, 8]))
    for again, made in ((few, 0), (more, 4)):
        tally = fill(tmp_path / "store", again)
        assert tallied(tally) == (made, 8, 0)
        assert [note.partition(" the variant")[0] for note in tally.notices] == ["8 runs keep"]
    assert fill(tmp_path / "new", more).notices == ()


def test_a_failure_is_kept_and_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Prepared.simulate

    def broken(self: Prepared, seed: int, progress: Report | None = None, **means: int) -> object:
        if seed == 2 and self.scenario.clients[0].count == 4:
            raise ArithmeticError("not today")
        return whole(self, seed, progress, **means)

    with monkeypatch.context() as patch:
        patch.setattr(Prepared, "simulate", broken)
        assert tallied(fill(tmp_path, study())) == (10, 0, 2)
        tables = found(tmp_path)
        assert len(tables["runs"]) == 10
        failures = tables["failures"].to_pylist()
        assert [row["failure"] for row in failures] == ["ArithmeticError: not today"] * 2
        with ac.open(tmp_path) as store:
            (kept,) = {
                row["scenario"]
                for row in store.sql(
                    "select scenario from scenarios join failures using (scenario_id) order by all limit 1"
                ).to_pylist()
            }
        assert ac.Scenario.from_dict(json.loads(kept)).clients[0].count == 4
    assert tallied(fill(tmp_path, study())) == (2, 10, 0)
    assert len(found(tmp_path)["failures"]) == 0


def test_sequential_replications_are_the_same_in_one_go_and_in_two(tmp_path: Path) -> None:
    rule = {"until": "10 %", "measure": "loss", "most": 30}
    counts = {"clients.0.count": [2, 4, 6]}
    fill(tmp_path / "one", study(over=counts, replications=rule), jobs=1)
    fill(tmp_path / "two", study(over=counts, replications=7), jobs=2)
    fill(tmp_path / "two", study(over=counts, replications=rule), jobs=2)
    one, two = (found(tmp_path / name)["runs"] for name in ("one", "two"))
    counted = [one["clients.0.count"].to_pylist().count(count) for count in (2, 4, 6)]
    assert counted[0] == 30  # two clients rarely lose a packet
    assert 5 <= counted[2] < 30
    seeds = {(row["clients.0.count"], row["seed"]) for row in two.to_pylist()}
    assert seeds >= {(row["clients.0.count"], row["seed"]) for row in one.to_pylist()}
    assert len(two) <= len(one) + 3 * 7
    assert tallied(fill(tmp_path / "one", study(over=counts, replications=rule)))[0] == 0


def test_a_warmup_is_cut_off_where_it_ends(tmp_path: Path) -> None:
    start = scenario(
        duration="60 s", clients=[ac.Clients(count=2, transport=ac.Tcp("reno", overhead="12 us"), source=ac.Greedy())]
    ).changed({"dumbbell.bottleneck.delay": "200 ms", "dumbbell.bottleneck.queue.packets": 100})
    whole = study(scenario=start, over=None, replications=3)
    fill(tmp_path / "cut", study(scenario=start, over=None, replications=3, warmup="mser-5"))
    fill(tmp_path / "whole", whole)
    cut, plain = (found(tmp_path / name)["runs"].sort_by("seed").to_pylist() for name in ("cut", "whole"))
    assert [row["warmup"] for row in cut] == [row["warmup"] for row in plain]
    assert any(row["warmup"] for row in cut)
    for row, other in zip(cut, plain, strict=True):
        assert row["run_id"] != other["run_id"]
        later = start if row["warmup"] is None else start.changed({"measure.from": f"{row['warmup']} s"})
        assert row["cov"] == ac.simulate(later, seed=row["seed"]).summary.cov


def test_few_replications_are_warned_of(tmp_path: Path) -> None:
    tally = fill(tmp_path, study())
    assert tally.warnings("cov") == [
        "6 of 6 points have fewer than 3 values of cov: their intervals are too wide to be useful."
    ]
    assert fill(tmp_path, study(replications=12)).warnings("cov") == []
    wide = Tally()
    wide.close([0.0, 0.0, 0.0, 1.0])
    wide.close([1.0, 1.1, 0.9])
    assert wide.warnings("loss") == [
        "At 1 of 2 points the half-width of the 95 % interval of loss exceeds the mean: they have too few replications."
    ]


def test_nothing_runs_and_nothing_is_made_before_all_is_right(tmp_path: Path) -> None:
    with pytest.raises(ac.ScenarioError, match="over: clients.0.count = 0: "):
        fill(tmp_path / "store", study(over={"clients.0.count": [2, 0]}))
    for wrong in ({"engine": "rey"}, {"jobs": 0}, {"address": "here:1"}, {"engine": "ray", "jobs": 0}):
        options: dict[str, Any] = wrong
        with pytest.raises(ac.ScenarioError, match=next(reversed(wrong))):
            fill(tmp_path / "store", study(), **options)
    assert not (tmp_path / "store").exists()


def test_without_ray_a_sweep_on_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options are checked first, so that errors are the same with and without Ray."""
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ac.ScenarioError, match="jobs: 0 is not allowed; must be an integer from 1"):
        fill(tmp_path / "store", study(), engine="ray", jobs=0)
    with pytest.raises(ac.ScenarioError, match=r"engine: .*Ray is not installed \(pip install 'ackclock\[ray\]'\)"):
        fill(tmp_path / "store", study(), engine="ray")
    assert not (tmp_path / "store").exists()


def test_in_python_a_store_may_pass_with_what_is_returned(tmp_path: Path) -> None:
    store = ac.sweep(scenario(), over={"clients.0.count": [2, 4]}, replications=3, jobs=1)
    kept = ac.sweep(study(over={"clients.0.count": [2, 4]}, replications=3), store=tmp_path / "kept")
    table = store.runs.to_polars()
    assert table.group_by("clients.0.count").len().sort("clients.0.count").rows() == [(2, 3), (4, 3)]
    assert table.sort("run_id").equals(kept.runs.to_polars().sort("run_id"))
    with pytest.raises(ac.ScenarioError, match="over: must be absent if a Study is given"):
        ac.sweep(study(), over={"clients.0.count": [1]})
    with pytest.warns(UserWarning, match="2 of 2 points have fewer than 3 values"):
        ac.sweep(scenario(), over={"clients.0.count": [2, 4]}, replications=1)


def test_progress_tells_counts_rate_and_the_running_interval(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    fill(tmp_path, study(replications=5))
    shown = capsys.readouterr().err
    assert re.search(r"30 of 30 runs, [0-9.,]+/s, cov [0-9.]+ ± [0-9.]+ ", shown)


class TestCommand:
    def run(self, *arguments: object) -> int:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        return int(ended.value.code or 0)

    def test_it_makes_what_is_missing_and_says_so(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file, store = write(tmp_path / "some.toml", clients=2, seeds=3), tmp_path / "store"
        assert self.run("sweep", file, "--store", store, "--jobs", 2) == 0
        assert capsys.readouterr().out == f"{store}: 6 runs made, 0 already in the store\n"
        assert self.run("sweep", file, "--store", store) == 0
        assert capsys.readouterr().out == f"{store}: 0 runs made, 6 already in the store\n"
        assert self.run("query", store, 'select "clients.0.count" n, count(*) c from runs group by all', "--json") == 0
        answer = json.loads(capsys.readouterr().out)
        assert sorted(row["n"] for row in answer) == [1, 2]
        assert {row["c"] for row in answer} == {3}

    def test_a_dry_run_lists_points_and_makes_nothing(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file, store = write(tmp_path / "some.toml", clients=2, seeds=3), tmp_path / "store"
        assert self.run("sweep", file, "--store", store, "--dry-run", "--jobs", 1) == 0
        *points, runs, length = capsys.readouterr().out.splitlines()
        assert points == ["3 runs  clients.0.count = 1", "3 runs  clients.0.count = 2"]
        assert runs == "2 points: 6 runs to make, 0 already in the store"
        assert length.startswith("about ")
        assert length.endswith(": estimated from the beginning of the first run, scaled by flows and simulated time")
        assert not store.exists()
        store.mkdir()
        assert self.run("sweep", file, "--store", store, "--dry-run") == 0
        assert list(store.iterdir()) == []
        self.run("sweep", file, "--store", store)
        capsys.readouterr()
        assert self.run("sweep", file, "--store", store, "--dry-run") == 0
        assert capsys.readouterr().out.splitlines()[-1] == "2 points: 0 runs to make, 6 already in the store"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["nothing.toml"], "nothing.toml: cannot be used: No such file or directory"),
            (["{file}", "--jobs", "two"], "--jobs: 'two' is not allowed; must be an integer from 1"),
            (["{file}", "--address", "x:1", "--dry-run"], "address: 'x:1' is not allowed; must be absent"),
            (["{file}", "--jobs", "0", "--dry-run"], "jobs: 0 is not allowed; must be an integer from 1"),
            (["{file}", "--engine", "fast"], "engine: 'fast' is not allowed; must be one of threads, ray"),
            (["{file}", "--store", "{file}"], "{file}: cannot be used"),
        ],
    )
    def test_what_is_wrong_is_reported_in_a_line(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
    ) -> None:
        file = str(write(tmp_path / "some.toml", clients=1, seeds=1))
        assert self.run("sweep", *(each.replace("{file}", file) for each in arguments)) == 2
        error = capsys.readouterr().err
        assert error.startswith(message.replace("{file}", file))
        assert error.count("\n") == 1

    def test_ctrl_c_finishes_what_is_under_way(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file, store = write(tmp_path / "some.toml", clients=1, seeds=200, seconds=50), tmp_path / "store"
        keep = Schedule.took

        def took(self: Schedule, job: Job, row: Row) -> None:
            keep(self, job, row)
            if self.tally.made == 3:
                os.kill(os.getpid(), signal.SIGINT)

        monkeypatch.setattr(Schedule, "took", took)
        assert self.run("sweep", file, "--store", store, "--jobs", 1) == 130
        ended = capsys.readouterr()
        made = len(found(store)["runs"])
        assert 3 <= made < 200
        assert f"{made} runs made" in ended.out
        assert "Finishing the running simulations" in ended.err
        assert ended.err.endswith(f"completed runs are in {store}; the same command resumes the sweep\n")
        monkeypatch.undo()
        assert self.run("sweep", file, "--store", store) == 0
        assert len(found(store)["runs"]) == 200

    def test_a_second_ctrl_c_stops_at_once(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file, store = write(tmp_path / "some.toml", clients=1, seeds=3, seconds=100_000), tmp_path / "store"

        def twice(_self: Interruption) -> bool:
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
            return True

        monkeypatch.setattr(Interruption, "goes_on", twice)
        assert self.run("sweep", file, "--store", store, "--jobs", 1) == 130
        assert capsys.readouterr().err.startswith("stopped; completed runs are in")


def test_an_outlook_counts_what_sequential_replications_may_take(tmp_path: Path) -> None:
    rule = {"until": "5 %", "measure": "loss", "most": 40}
    outlook = preview(tmp_path / "none", study(replications=rule))
    assert (outlook.runs, outlook.most, outlook.there) == (30, 240, 0)
    assert [runs for _, runs in outlook.points] == [5] * 6
    fill(tmp_path / "store", study(replications=2))
    later = preview(tmp_path / "store", study(replications=rule))
    assert (later.runs, later.most, later.there) == (18, 228, 12)


def test_an_outlook_of_a_run_that_fails_has_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise RuntimeError("it broke")

    monkeypatch.setattr(Prepared, "simulate", broken)
    outlook = preview(tmp_path / "none", study())
    assert (outlook.runs, outlook.cpu_seconds) == (12, None)


def test_an_outlook_stops_a_long_run_and_scales_what_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is made up: a run takes 1 ms for each simulated second and reports its progress a hundred times."""
    clock, reported = [0.0], []

    def run(prepared: Prepared, _: int, report: Callable[[float], None]) -> None:
        for step in range(1, 101):
            clock[0] += seconds(prepared.scenario.duration) / 1000 / 100
            reported.append(step / 100)
            report(step / 100)

    monkeypatch.setattr(Prepared, "run", run)
    monkeypatch.setattr("ackclock.study.outlook.cpu_time", lambda: clock[0])
    for duration, stopped, each in ((100_000, 0.02, 100.0), (1000, 1.0, 1.0)):
        survey = Survey.of(study(scenario=scenario(duration=f"{duration} s"), over=None, replications=4))
        assert Outlook.of(survey, {}).cpu_seconds == pytest.approx(4 * each)
        assert reported[-1] == stopped
