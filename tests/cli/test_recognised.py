"""Inputs of another kind are recognised, and figures are found by the names of their records and groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import ackclock as ac
from ackclock.cli import lab_writing, main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scenario, its result, a store and the folder of a capture."""
    made = tmp_path_factory.mktemp("recognised")
    link = ac.Link(rate="2 Mbps", delay="10 ms")
    groups = [
        ac.Clients(name=name, count=count, transport=ac.Tcp("reno"), source=ac.Poisson(rate=50))
        for name, count in (("one", 1), ("two", 2))
    ]
    scenario = ac.Scenario(duration="3 s", dumbbell=ac.Dumbbell(access=link, bottleneck=link), clients=groups)
    (made / "it.toml").write_text(scenario.to_toml(), encoding="utf-8")
    ac.simulate(scenario, seed=7, record=["windows"]).save(made / "result")
    ac.sweep(scenario, over={"clients.0.count": [1]}, replications=3, store=made / "store")
    for name in ("capture.json", "record.json"):
        (made / "capture").mkdir(exist_ok=True)
        (made / "capture" / name).write_text("{}", encoding="utf-8")
    return made


@pytest.mark.parametrize(
    ("command", "name", "what"),
    [
        ("query", "result", "it is a result, which `ackclock plot` and ackclock.load read"),
        ("report", "result", "it is a result, which"),
        ("report", "capture", "it is the analysis of a capture, which `ackclock query` reads"),
        ("query", "it.toml", "it is a scenario or a study, which `ackclock run` or `ackclock sweep` runs"),
        ("run", "store", "it is a store, which `ackclock query` and ackclock.open read"),
    ],
)
def test_a_command_says_what_it_was_given(
    command: str, name: str, what: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [command, str(folder / name), *(["select 1"] if command == "query" else [])]
    with pytest.raises(SystemExit, match="2"):
        main(words)
    assert what in capsys.readouterr().err


@pytest.mark.parametrize(("name", "what"), [("store", "it is a store"), ("it.toml", "it is a scenario")])
def test_load_says_what_it_was_given(name: str, what: str, folder: Path) -> None:
    with pytest.raises(ac.ScenarioError, match=what):
        ac.load(folder / name)


@pytest.mark.parametrize("flow", ["0", "one"])
def test_a_figure_has_the_name_of_its_record_and_of_a_group(
    flow: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = tmp_path / "it.png"
    with pytest.raises(SystemExit, match="0"):
        main(["plot", str(folder / "result"), "--figure", "windows", "--flow", flow, "--out", str(drawn)])
    assert drawn.read_bytes().startswith(b"\x89PNG")
    assert str(drawn) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flow", "allowed"),
    [
        ("two", "must be the number of a flow: group two has the flows 1 to 2"),
        ("three", "must be the number of a flow, or a group of one flow; groups: one, two"),
    ],
)
def test_a_group_of_several_flows_is_no_flow(
    flow: str, allowed: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["plot", str(folder / "result"), "--flow", flow])
    assert allowed in capsys.readouterr().err


def test_the_lab_opens_the_scenario_and_the_seed_of_a_result(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[object, int]] = []

    def kept(scenario: ac.Scenario, *, seed: int, **_: Any) -> dict[str, Any]:
        given.append((scenario, seed))
        return {}

    monkeypatch.setattr(lab_writing, "document", kept)
    monkeypatch.setattr(lab_writing, "page_with", str)
    monkeypatch.setattr(lab_writing, "write_page", lambda *_: None)
    with pytest.raises(SystemExit, match="0"):
        main(["lab", str(folder / "result"), "--no-open"])
    ((scenario, seed),) = given
    assert scenario == ac.Scenario.from_toml(folder / "it.toml").effective()
    assert seed == 7
