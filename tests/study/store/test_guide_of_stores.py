"""The guide to stores is correct: its commands, queries and Python lines run on a store of real runs."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest

import ackclock as ac
from ackclock.cli import main
from ackclock.engine.catalogue import catalogue
from ackclock.running.identity import run_id, scenario_id
from ackclock.running.summary import MEASURES, GroupSummary
from ackclock.scenario import SCHEMA
from ackclock.study.store import Row, Store

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store in it."""
    path = tmp_path_factory.mktemp("guide")
    scenario = ac.Scenario.from_toml(root / "examples" / "feng60.toml").changed({"duration": "1 s"})
    with Store.open(path / "results", create=True) as store:
        for count in (10, 20):
            for seed in (1, 2):
                made = ac.simulate(scenario.changed({"clients.0.count": count}), seed=seed, record=["arrivals"])
                effective = json.dumps(made.scenario.to_dict(), sort_keys=True)
                summary = made.summary.to_dict()
                groups = summary.pop("groups")
                store.add(
                    Row(
                        run_id=run_id(scenario_id(effective), seed, made.record, catalogue().revision),
                        scenario_id=scenario_id(effective),
                        scenario=effective,
                        seed=seed,
                        revision=catalogue().revision,
                        schema=SCHEMA,
                        point={"clients.0.count": count},
                        summary=summary,
                        groups=groups,
                        notices=made.notices,
                        tables={"arrivals": made.table("arrivals")},
                    )
                )
    return path


@pytest.fixture
def guide(root: Path) -> str:
    return (root / "docs" / "guide" / "store.md").read_text(encoding="utf-8")


def blocks(guide: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)


def test_commands(
    folder: Path, guide: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    commands = [line for line in "".join(blocks(guide, "sh")).splitlines() if line.startswith("ackclock query ")]
    assert len(commands) == 4
    for command in commands:
        with pytest.raises(SystemExit) as caught:
            main(shlex.split(command.partition(" > ")[0])[1:])
        assert caught.value.code == 0, command
        assert capsys.readouterr().out


def test_queries(folder: Path, guide: str) -> None:
    queries = [query for block in blocks(guide, "sql") for query in block.split("\n\n")]
    assert len(queries) == 2
    for query in queries:
        assert ac.open(folder / "results").sql(query).num_rows > 0
    (rate,) = ac.open(folder / "results").sql(queries[1]).to_pylist()
    assert rate["rate"] == "50 Mbps"


def test_lines_of_python(folder: Path, guide: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    session: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(guide, "python"):
        exec(compile(block, "store.md", "exec"), session)  # noqa: S102 - our own text
    assert str(session["frame"]).startswith("shape: (4, ")


def test_views_are_all_described(folder: Path, guide: str) -> None:
    names = ac.open(folder / "results").sql("show tables").column("name").to_pylist()
    assert [name for name in names if f"| `{name}`" not in guide] == []


def test_numbers_have_the_types_of_the_summary(folder: Path) -> None:
    store = ac.open(folder / "results")
    runs = store.runs.to_arrow()
    assert set(MEASURES) <= set(runs.column_names)
    assert str(runs.schema.field("drops").type) == "int64"
    assert str(runs.schema.field("cov").type) == "double"
    assert set(GroupSummary.__dataclass_fields__) | {"run_id"} == set(store.table("groups").to_arrow().column_names)


def test_the_engine_tells_its_revision() -> None:
    assert re.fullmatch("[0-9a-f]{32}", catalogue().revision)
