"""A notice says that runs with different seeds have equal results: on `Runs`, after a sweep and in a store's report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import ackclock as ac
from ackclock.cli.reporter import report
from ackclock.cli.sweeper import sweep
from ackclock.running.repeats import repeats
from ackclock.running.summary import MEASURES

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """
duration = "2 s"
dumbbell.access = {{ rate = "10 Mbps", delay = "5 ms" }}
dumbbell.bottleneck = {{ rate = "2 Mbps", delay = "20 ms", queue = {{ kind = "droptail", packets = 10 }} }}
[[clients]]
count = 2{spread}
transport = {{ kind = "tcp" }}
source = {{ kind = "greedy" }}
"""
STUDY = """
scenario = "scenario.toml"
replications = 3
over = { "clients.0.spread" = ["0 s", "100 ms"] }
"""
SAME = "3 of 3 runs have exactly the results of another seed: the seed changes nothing "


def scenario(tmp_path: Path, spread: str = "") -> Path:
    path = tmp_path / "scenario.toml"
    path.write_text(SCENARIO.format(spread=spread))
    return path


def test_runs_that_the_seed_does_not_change_have_a_notice(tmp_path: Path) -> None:
    plain = ac.replicate(ac.Scenario.from_toml(scenario(tmp_path)), seeds=3)
    assert str(plain.goodput_bps).endswith("± 0 Mbps")
    assert [notice for notice in plain.notices if notice.startswith(f"{SAME}in this scenario, and")]
    assert "another seed" not in "".join(plain[:1].notices)


def test_runs_with_random_starts_have_no_notice(tmp_path: Path) -> None:
    spread = ac.replicate(ac.Scenario.from_toml(scenario(tmp_path, '\nspread = "100 ms"')), seeds=3)
    assert "another seed" not in "".join(spread.notices)


def test_a_sweep_and_its_report_say_at_how_many_points(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    scenario(tmp_path)
    study, store = tmp_path / "study.toml", tmp_path / "store"
    study.write_text(STUDY)
    sweep(study, store=store, engine="threads", address=None, jobs=1, memory=None, allow_paths=False, dry_run=False)
    said = f"Note: At 1 of 2 points, {SAME}there, and confidence intervals over seeds say nothing."
    assert said in capsys.readouterr().out
    report(store, x=None, y=[], by=None, out=tmp_path / "page.html")
    assert f"At 1 of 2 points, {SAME}there" in (tmp_path / "page.html").read_text()
    with pytest.warns(UserWarning, match=f"^At 1 of 2 points, {SAME}there"):
        ac.sweep(ac.Study.from_toml(study), store=store)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], ""),
        ([("a", 1, 0.5), ("a", 2, 0.6), ("b", 1, 0.5)], ""),
        ([("a", 1, 0.5), ("a", 1, 0.5)], ""),  # the same run with two records
        ([("a", 1, 0.5), ("a", 2, 0.5), ("a", 2, 0.6)], "2 of 2 runs"),
        ([("a", 1, None), ("a", 2, None), ("a", 3, 0.5)], "2 of 3 runs"),
        ([("a", 1, 0.5), ("a", 2, 0.5), ("b", 1, 0.5), ("b", 2, 0.6)], "At 1 of 2 points, 2 of 2 runs"),
    ],
)
def test_runs_are_counted_once_per_seed(rows: list[tuple[str, int, float | None]], said: str) -> None:
    found = repeats(made(rows))
    assert bool(found) == bool(said)
    assert "".join(found).startswith(said)


def test_a_seed_that_changes_some_runs_changes_little() -> None:
    (some,) = repeats(made([("a", 1, 0.5), ("a", 2, 0.5), ("a", 3, 0.6)]))
    (pairs,) = repeats(made([("a", 1, 0.5), ("a", 2, 0.5), ("a", 3, 0.6), ("a", 4, 0.6)]))
    assert all("the seed changes little in this scenario" in each for each in (some, pairs))


def made(rows: list[tuple[str, int, float | None]]) -> pa.Table:
    numbers: dict[str, pa.Array] = {name: pa.nulls(len(rows), pa.float64()) for name in MEASURES}
    numbers["cov"] = pa.array([cov for _, _, cov in rows], pa.float64())
    scenarios = pa.array([name for name, _, _ in rows], pa.string())
    return pa.table({"scenario_id": scenarios, "seed": pa.array([seed for _, seed, _ in rows], pa.uint64()), **numbers})
