"""Files that a study names: on Ray only files in its own folder are read, unless others are allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import ackclock as ac
from ackclock.cli import main
from ackclock.study import sweeping

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """
duration = "1 s"
dumbbell.access = {{ rate = "10 Mbps", delay = "1 ms" }}
dumbbell.bottleneck = {{ rate_trace = {{ path = "{rates}" }}, delay = "1 ms" }}
clients = [
    {{ transport = {{ kind = "udp" }}, source = {{ kind = "trace", path = "{packets}" }} }},
]
"""


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make runs on threads even if Ray is requested: the check of paths is the same."""
    workers = sweeping._workers
    monkeypatch.setattr(sweeping, "_workers", lambda _, *rest: workers("threads", *rest))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with traces, next to another folder with traces."""
    for name in ("study", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "packets.csv").write_text("time\n0.1\n0.2\n")
        (tmp_path / name / "rates.csv").write_text("time,rate\n0,1000000\n")
    (tmp_path / "study" / "link.csv").symlink_to(tmp_path / "elsewhere" / "rates.csv")
    return tmp_path / "study"


def write(folder: Path, rates: str = "rates.csv", packets: str = "packets.csv") -> Path:
    (folder / "scenario.toml").write_text(SCENARIO.format(rates=rates, packets=packets))
    (folder / "study.toml").write_text('scenario = "scenario.toml"\nreplications = 1\n')
    return folder / "study.toml"


def run(file: Path, store: Path, *options: str) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["sweep", str(file), "--store", str(store), *options])


def test_its_own_folder_is_read(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(write(folder), tmp_path / "store", "--engine", "ray")
    with ac.open(tmp_path / "store") as store:
        assert len(store.done()) == 1


@pytest.mark.parametrize(
    ("paths", "field"),
    [
        ({"rates": "../elsewhere/rates.csv"}, "dumbbell.bottleneck.rate_trace.path"),
        ({"rates": "link.csv"}, "dumbbell.bottleneck.rate_trace.path"),
        ({"packets": "../elsewhere/packets.csv"}, "clients.0.source.path"),
        ({"packets": "/etc/hostname"}, "clients.0.source.path"),
        ({"packets": "/no/such/file"}, "clients.0.source.path"),
    ],
)
@pytest.mark.parametrize("option", [[], ["--dry-run"]])
def test_another_folder_is_not(
    folder: Path, paths: dict[str, str], field: str, option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(folder, **paths)
    with pytest.raises(SystemExit, match="2"):
        main(["sweep", str(file), "--store", str(folder / "store"), "--engine", "ray", *option])
    said = capsys.readouterr().err
    assert f"scenario: {field}: " in said
    assert f"must be in {folder}, unless --allow-paths (allow_paths=True)" in said
    assert said.count("\n") == 1
    assert not (folder / "store").exists()


def test_another_folder_is_read_where_that_is_allowed(folder: Path, tmp_path: Path) -> None:
    file = write(folder, rates="../elsewhere/rates.csv", packets=str(tmp_path / "elsewhere" / "packets.csv"))
    run(file, tmp_path / "threads")
    run(file, tmp_path / "ray", "--engine", "ray", "--allow-paths")


def test_a_point_may_not_leave_the_folder_either(folder: Path, tmp_path: Path) -> None:
    file = write(folder)
    over = f"over = {{ 'clients.0.source.path' = ['{folder}/packets.csv', '{tmp_path}/elsewhere/packets.csv'] }}\n"
    file.write_text(file.read_text() + over)
    with pytest.raises(ac.ScenarioError, match=r"over: clients.0.source.path = .*: clients.0.source.path: "):
        sweeping.fill(tmp_path / "store", ac.Study.from_toml(file), engine="ray")
    sweeping.fill(tmp_path / "store", ac.Study.from_toml(file), engine="ray", allow_paths=True)


def test_a_study_made_in_python_has_the_present_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder)
    fields: dict[str, Any] = {"scenario": ac.Scenario.from_toml(folder / "scenario.toml"), "replications": 1}
    monkeypatch.chdir(folder)
    sweeping.fill(tmp_path / "here", ac.Study(**fields), engine="ray")
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(ac.ScenarioError, match="unless --allow-paths"):
        sweeping.fill(tmp_path / "there", ac.Study(**fields), engine="ray")
    sweeping.fill(tmp_path / "there", ac.Study(**fields))


def test_a_scenario_inside_a_study_has_its_files_beside_the_study(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = SCENARIO.format(rates="rates.csv", packets="packets.csv").replace("\ndumbbell", "\nscenario.dumbbell")
    text = text.replace("\nduration", "\nscenario.duration").replace("\nclients", "\nscenario.clients")
    (folder / "whole.toml").write_text("replications = 1\n" + text)
    monkeypatch.chdir(tmp_path)
    run(folder / "whole.toml", tmp_path / "store", "--engine", "ray")
