"""Queries of a store: its views, forbidden operations, and the command."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.study.store.made_up import add, arrivals, leave, row

from ackclock.cli import main
from ackclock.running.summary import MEASURES
from ackclock.study.store import Store
from ackclock.study.store.sql import _in_a_line
from ackclock.values.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with two parts, a journal that is left, and a failure."""
    path = tmp_path_factory.mktemp("stores") / "results"
    add(path, [row(number, tables={"arrivals": arrivals(number)}) for number in range(10)])
    add(path, [row(10), row(11, failure="it broke", summary={}, groups=(), notices=())])
    leave(path, [row(number, point={"clients.0.transport.variant": "reno"}) for number in (12, 13)])
    return path


def ask(folder: Path, query: str) -> list[dict[str, Any]]:
    answer: list[dict[str, Any]] = Store.open(folder).sql(query).to_pylist()
    return answer


def test_runs_have_what_was_swept_and_every_number(folder: Path) -> None:
    (first,) = ask(folder, "from runs limit 1")
    assert list(first) == [
        "run_id",
        "seed",
        "clients.0.count",
        "clients.0.transport.variant",
        *MEASURES,
        "scenario_id",
    ]
    assert (first["seed"], first["arrivals"], first["cov"]) == (1, 1000, 0.1)


def test_what_a_study_did_not_sweep_is_as_its_scenario_has_it(folder: Path) -> None:
    query = (
        'select "clients.0.count" as count, "clients.0.transport.variant" as variant, count(*) as runs '
        "from runs group by all order by all"
    )
    assert ask(folder, query) == [
        {"count": count, "variant": "reno", "runs": runs} for count, runs in ((1, 5), (2, 5), (3, 3))
    ]


def test_runs_come_in_the_order_of_what_was_swept_and_of_seeds(folder: Path) -> None:
    assert [each["arrivals"] for each in ask(folder, 'from runs where "clients.0.count" < 3')] == list(
        range(1000, 1010)
    )


def test_each_view(folder: Path) -> None:
    assert [each["name"] for each in ask(folder, "show tables")] == sorted(
        ["runs", "groups", "scenarios", "failures", "notices", "origins", "costs", "arrivals"]
    )
    counts = {name: ask(folder, f"select count(*) as n from {name}")[0]["n"] for name in ("runs", "groups", "notices")}  # noqa: S608
    assert counts == dict.fromkeys(counts, 13)
    assert ask(folder, "select failure, seed from failures") == [{"failure": "it broke", "seed": 2}]
    assert json.loads(ask(folder, "select scenario from scenarios where scenario like '%: 2%'")[0]["scenario"])
    assert ask(folder, "select revision, schema, count(*) as n from origins group by all") == [
        {"revision": "engine", "schema": 1, "n": 13}
    ]
    assert ask(folder, "select sum(cpu_seconds) as total from costs")[0]["total"] == pytest.approx(0.080)
    assert ask(folder, "select sum(arrivals.count) as n from arrivals") == [{"n": 3 * sum(range(10))}]


def test_an_empty_store_has_its_views(tmp_path: Path) -> None:
    add(tmp_path, [])
    for name in ("runs", "groups", "scenarios", "failures", "notices", "origins", "costs"):
        assert ask(tmp_path, f"from {name}") == []
    assert ask(tmp_path, "select avg(cov) as cov from runs") == [{"cov": None}]


def test_sums_are_integers_and_means_are_floats(folder: Path) -> None:
    (answer,) = ask(folder, "select sum(arrivals) as total, 0.25 as quarter, 2::hugeint ** 100 as large from runs")
    assert answer == {"total": 13_080, "quarter": 0.25, "large": 2.0**100}
    assert list(map(type, answer.values())) == [int, float, float]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "select 1; select 2",
        "create table x as select 1",
        "drop view runs",
        "insert into store.runs values (1)",
        "copy runs to 'runs.csv'",
        "export database 'here'",
        "attach 'other.db'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "pragma database_list",
        "call pragma_version()",
        "explain analyze select 1",
        "checkpoint",
        "select * from read_csv('secret.csv')",
        "select * from 'secret.csv'",
        "select * from read_text('secret.csv')",
        "select * from glob('*')",
        "select * from 'https://example.org/data.parquet'",
        "select * from read_parquet('https://example.org/data.parquet')",
        "select * from query('copy runs to ''runs.csv''')",
        "from folder",
        "from rows",
        "selec 1",
        "select foo from runs",
    ],
)
def test_a_query_reads_the_store_and_nothing_else(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    monkeypatch.chdir(tmp_path)
    before = sorted(folder.rglob("*"))
    with pytest.raises(ScenarioError, match="^query: cannot be used: [^\n]+$"):
        Store.open(folder).sql(query)
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]
    assert sorted(folder.rglob("*")) == before


def run(arguments: Sequence[str | Path]) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["query", *map(str, arguments)])
    return int(str(caught.value.code))


def test_json_is_one_array_of_objects(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query = "select seed, cov, cov_poisson, 'nan'::double as n, [1.5, 'inf'::double] as l from runs order by cov"
    assert run([folder, query, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert rows[0] == {"seed": 1, "cov": 0.1, "cov_poisson": None, "n": None, "l": [1.5, None]}
    assert [each["cov"] for each in rows] == [row(number).summary["cov"] for number in (*range(11), 12, 13)]
    assert run([folder, "select unhex('00ff') as b", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"b": "00ff"}]
    assert run([folder, "from runs where false", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize("form", [[], ["--json"], ["--csv"]])
@pytest.mark.parametrize("date", ["'infinity'::date", "'-infinity'::timestamp", "'20000-01-01'::date"])
def test_a_date_that_python_does_not_have_is_one_clear_line(
    folder: Path, capsys: pytest.CaptureFixture[str], date: str, form: list[str]
) -> None:
    assert run([folder, f"select seed, {date} as d from runs", *form]) == 2  # noqa: S608
    errors = capsys.readouterr().err
    assert errors.startswith("column d: holds a ")
    assert errors.endswith("or with nanoseconds; cast the column to text, as in d::varchar\n")
    assert errors.count("\n") == 1
    assert run([folder, f"select ({date})::varchar as d", *form]) == 0


def test_columns_of_one_name_are_refused_where_one_would_be_lost(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([folder, "select 1 as a, 2 as a", "--json"]) == 2
    assert capsys.readouterr() == (
        "",
        "--json: 'a' is not allowed; columns must have different names: rename a column, as in a as b, or use --csv\n",
    )
    assert run([folder, "select 1 as a, 2 as a", "--csv"]) == 0
    assert capsys.readouterr().out == "a,a\n1,2\n"


def test_control_characters_steer_no_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([folder, "select 'a' || chr(27) || '[31mb' as \"x\ny\""]) == 0
    assert capsys.readouterr().out.split() == ["x?y", "a?[31mb"]


def test_csv_has_names_and_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([folder, "select seed, cov, 'a, b' as \"c.d\", null as e from runs order by cov limit 1", "--csv"]) == 0
    assert list(csv.reader(io.StringIO(capsys.readouterr().out))) == [
        ["seed", "cov", "c.d", "e"],
        ["1", "0.1", "a, b", ""],
    ]


def test_a_table_shows_what_fits_and_names_the_rest(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([folder, "select seed, cov, cov_poisson from runs order by cov limit 1"]) == 0
    assert capsys.readouterr().out.split() == ["seed", "cov", "cov_poisson", "1", "0.1", "-"]
    assert run([folder, "from runs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 120
    assert any("more columns (--json and --csv print all columns): " in line for line in lines)


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        (
            "select seed, cov, cov_poisson as nothing, 'v' || seed as name, 1 as n from runs order by cov limit 3",
            [
                "seed       cov  nothing  name  n",
                "   1       0.1        -  v1    1",
                "   2  0.242857        -  v2    1",
                "   3  0.385714        -  v3    1",
            ],
        ),
        ("select 'a' as \"left\", 12 as n", ["left   n", "a     12"]),
        ("select 1 as n where false", ["n"]),
    ],
)
def test_a_table_as_printed(folder: Path, capsys: pytest.CaptureFixture[str], query: str, lines: list[str]) -> None:
    assert run([folder, query]) == 0
    assert capsys.readouterr().out.splitlines() == lines


@pytest.mark.parametrize(
    ("wide", "narrow", "fits"),
    [(7, "y", 8), (7, "yy", 7), (8, "y", 7), (0, "y", 1)],
)
def test_columns_fill_120_characters(
    folder: Path, capsys: pytest.CaptureFixture[str], wide: int, narrow: str, fits: int
) -> None:
    """Seven columns of 15, one of 1 and two spaces between any two are 120 characters."""
    columns = [*("x" * 15 for _ in range(wide)), narrow]
    given = ", ".join(f"'{text}' as {chr(97 + place)}" for place, text in enumerate(columns))
    assert run([folder, f"select {given}"]) == 0
    _, row, *rest = capsys.readouterr().out.splitlines()
    assert row == "  ".join(columns[:fits])
    left = len(columns) - fits
    names = ", ".join(chr(97 + place) for place in range(fits, len(columns)))
    assert rest == [f"{left} more column{'s' * (left > 1)} (--json and --csv print all columns): {names}"] * (left > 0)


def test_the_first_column_is_always_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([folder, "select repeat('x', 130) as long, 1 as n"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["long".ljust(120), "x" * 119 + "…", "1 more column (--json and --csv print all columns): n"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["select foo from runs"], "query: cannot be used: Binder Error: "),
        (["selec"], "query: cannot be used: Parser Error: "),
        (["from runs", "--json", "--csv"], "--csv: "),
    ],
)
def test_a_wrong_command_is_reported_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    assert run([folder, *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(expected)
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_what_is_ignored_is_reported_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(tmp_path, [row(1)])
    (tmp_path / "notes.txt").touch()
    assert run([tmp_path, "select count(*) as n from runs", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == [{"n": 1}]
    assert captured.err.startswith(f"Note: {tmp_path / 'notes.txt'}: it does not belong to a store; it is ignored\n")


def test_an_error_of_the_system_keeps_its_own_words() -> None:
    assert _in_a_line(PermissionError(13, "Permission denied", "runs.parquet")) == "Permission denied"
    assert _in_a_line(OSError("no number")) == "no number"
