"""``ackclock run`` and ``ackclock burstiness``: the numbers of their tables, worked out by hand."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rich.console import Console

from ackclock.cli import runner, scaling, summarizing
from ackclock.cli.capture_writing import CaptureFiles
from ackclock.running.summary import GROUP_COLUMNS, UNITS, as_text

if TYPE_CHECKING:
    import ackclock as ac


@pytest.mark.parametrize(
    ("value", "factor", "text"),
    [
        (None, 1, "-"),
        (1_234_567, 1, "1,234,567"),
        (5_000_000, 1e-6, "5"),
        (0.0123456, 100, "1.235"),
        (1234.5678, 1, "1235"),
    ],
)
def test_numbers(value: float | None, factor: float, text: str) -> None:
    assert as_text(value, factor) == text


def test_groups_have_the_units_of_the_summary() -> None:
    factors = {"": 1, "packets": 1, "transfers": 1, "s": 1, "%": 100, "ms": 1000, "Mbps": 1e-6}
    for name, unit, factor in GROUP_COLUMNS:
        assert factor == factors[unit], name
        assert UNITS.get(name, (unit, factor)) == (unit, factor)


def result(*groups: dict[str, Any], notices: tuple[str, ...] = ()) -> Any:
    names = [name for name, _, _ in GROUP_COLUMNS]
    made = [SimpleNamespace(**(dict.fromkeys(names, 0) | {"name": "g", "limited": None} | group)) for group in groups]
    measure = SimpleNamespace(from_="1 s", link="here", bin="10 ms")
    return SimpleNamespace(
        scenario=SimpleNamespace(profile="rfc", duration="9 s", measure=measure),
        seed=3,
        summary=SimpleNamespace(groups=made, **dict.fromkeys(UNITS, 0.25)),
        warmup=None,
        notices=notices,
    )


@pytest.mark.parametrize(
    ("groups", "table"),
    [([{}], 0), ([{"completed": 1}], 1), ([{}, {}], 1)],
)
def test_the_table_of_groups(capsys: pytest.CaptureFixture[str], groups: list[dict[str, Any]], table: int) -> None:
    """It is shown if there are several groups, or if transfers have completed."""
    summarizing.show(result(*groups, notices=("It is odd.",)))
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["Profile rfc, seed 3; measured from 1 s to 9 s at here, in bins of 10 ms", ""]
    included = {"goodput_bps": ", with headers", "payload_bps": ", without headers"}
    rows = [
        [name.removesuffix("_bps"), f"{0.25 * factor:.4g}", *f"{unit}{included.get(name, '')}".split()]
        for name, (unit, factor) in UNITS.items()
        if name not in {"drops_arrival", "drops_stored", "drops_lost"}
    ]
    assert [line.split() for line in lines[2 : 3 + len(rows)]] == [*rows, ["warmup", "-", "s"]]
    assert lines[-2:] == ["", "Note: It is odd."]
    groups_shown = [line for line in lines if line.startswith("g ")]
    assert len(groups_shown) == (len(groups) if table else 0)


@pytest.mark.parametrize(("width", "tables"), [(None, 1), (160, 1), (80, 1), (40, 3)])
def test_no_number_of_a_group_is_cut(
    width: int | None, tables: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file gets one wide table, and a narrow terminal tables with a column for each group."""
    if width is not None:
        monkeypatch.setattr(summarizing, "console", lambda: Console(force_terminal=True, width=width, no_color=True))
    named = [{"name": f"group{number}", "completed": 1, "arrivals": 123_456 + number} for number in range(3)]
    summarizing.show(result(*named))
    shown = capsys.readouterr().out
    assert "…" not in shown
    for group in named:
        assert str(group["name"]) in shown
        assert f"{group['arrivals']:,}" in shown
    assert shown.count("payload") == tables + 1  # the summary has one as well


def test_marks_are_shown_if_there_are_any(capsys: pytest.CaptureFixture[str]) -> None:
    for marks in (0, 1_234):
        made = result({})
        made.summary.marks = marks
        summarizing.show(made)
        shown = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("marks")]
        assert shown == ([["marks", "1,234", "packets"]] if marks else [])


def test_places_of_drops_are_shown_if_some_are_not_at_arrival(capsys: pytest.CaptureFixture[str]) -> None:
    for at_arrival, shows in ((7, False), (None, False), (4, True)):
        made = result({})
        made.summary.drops, made.summary.drops_arrival, made.summary.drops_stored = 7, at_arrival, 3
        made.summary.drops_policed = 0
        summarizing.show(made)
        shown = [line.split()[:2] for line in capsys.readouterr().out.splitlines() if line.startswith("drops_")]
        assert shown[:2] == ([["drops_arrival", "4"], ["drops_stored", "3"]] if shows else [])


def test_a_command_passes_its_options(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    """A record that is not saved is mentioned; captures are written last."""
    file = tmp_path / "a.toml"
    file.write_text(
        'duration = "2 s"\n[dumbbell]\naccess = { rate = "10 Mbps", delay = "5 ms" }\n'
        'bottleneck = { rate = "1 Mbps", delay = "5 ms" }\n'
        '[[clients]]\ntransport = { kind = "udp" }\nsource = { kind = "constant", rate = 10 }\n'
    )
    asked: list[Any] = []

    def write(capture: str, path: Path, **given: int) -> Any:
        asked.append((capture, path, given))
        return SimpleNamespace(longer=1200, packets=3400, longer_by=5, bytes=67_000)

    def simulate(scenario: ac.Scenario, **options: Any) -> Any:
        options.pop("progress")(0.5)
        asked.append((scenario.duration, options))
        return SimpleNamespace(
            to_dict=lambda: {"a": 1},
            save=asked.append,
            write_pcapng=write,
        )

    monkeypatch.setattr(runner, "simulate", simulate)
    captures = CaptureFiles({"bottleneck": Path("b.pcapng")}, 99)
    plain: dict[str, Any] = {
        "seed": None,
        "as_json": True,
        "law": None,
        "overrides": [],
        "record": None,
        "out": None,
        "memory": None,
    }
    runner.run(file, **plain, captures=CaptureFiles({}, 1))
    given = {"seed": 1, "record": (), "capture": (), "memory": None}
    assert asked == [("2 s", given)]
    assert capsys.readouterr() == ('{\n  "a": 1\n}\n', "")
    asked.clear()
    chosen = plain | {"seed": "7", "overrides": ["duration=3 s"], "record": ["drops"], "memory": "1 GB"}
    runner.run(file, **chosen, captures=captures)
    options = {"seed": 7, "record": ("drops",), "capture": ("bottleneck",), "memory": "1 GB"}
    written = ("bottleneck", Path("b.pcapng"), {"snap_length": 99})
    assert asked == [("3 s", options), written]
    longer = (
        "b.pcapng: 1,200 of 3,400 packets are longer than in the simulation, by 5 of 67,000 bytes in total, "
        "because their headers are longer\n"
    )
    assert capsys.readouterr().err == f"--record: tables are only written with --out\n{longer}"
    asked.clear()
    runner.run(file, **(chosen | {"out": tmp_path / "new"}), captures=captures)
    assert asked == [("3 s", options), tmp_path / "new", written]
    assert capsys.readouterr().err == longer


def test_autocorrelation() -> None:
    """For n values that alternate between two numbers, the autocorrelation at lag k is (n - k) / n, with the sign."""
    found = scaling._autocorrelation(np.array([1.0, 3.0] * 20))
    assert found == pytest.approx([(-1) ** lag * (40 - lag) / 40 for lag in range(11)])


def test_undefined_numbers_are_null() -> None:
    assert [scaling._number(value) for value in (0.5, np.nan, np.inf)] == [0.5, None, None]
