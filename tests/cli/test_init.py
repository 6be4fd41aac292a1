"""`ackclock init`: each scenario runs and shows what its comments say; and the names that shells complete."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

import ackclock as ac
from ackclock.cli import main
from ackclock.cli.starting import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., tuple[int | str | None, str, str]]


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Return a function that runs the command in an empty folder; it returns the status and both outputs."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int | str | None, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        return ended.value.code, *capfd.readouterr()

    return run


@pytest.fixture
def written(command: Command, tmp_path: Path) -> Callable[[str], ac.Scenario]:
    def scenario(kind: str) -> ac.Scenario:
        assert command("init", kind)[0] == 0
        return ac.Scenario.from_toml(tmp_path / f"{kind.replace('-', '_')}.toml")

    return scenario


def test_the_dumbbell_fills_its_link(written: Callable[[str], ac.Scenario]) -> None:
    run = ac.simulate(written("dumbbell"))
    assert run.notices == ()
    assert run.summary.utilization > 0.99
    assert run.summary.groups["stream"].goodput_bps == pytest.approx(80_000, rel=0.02)  # 50 packets of 200 bytes


def test_the_long_flow_of_the_parking_lot_gets_less_than_half(written: Callable[[str], ac.Scenario]) -> None:
    run = ac.simulate(written("parking-lot"))
    assert run.notices == ()
    assert run.summary.links.names == ("hop2", "hop1", "hop3")
    assert run.summary.groups["long"].goodput_bps < 2.5e6  # half would be 5 Mbps


def test_a_quarter_of_the_bandwidth_delay_product_is_nearly_enough(written: Callable[[str], ac.Scenario]) -> None:
    scenario = written("buffer-sizing")
    small = {"dumbbell.bottleneck.queue.packets": 10}
    first, second = (ac.simulate(each).summary.utilization for each in (scenario, scenario.changed(small)))
    assert first > 0.99
    assert second < 0.97


def test_random_losses_slow_cubic_and_not_bbr(written: Callable[[str], ac.Scenario]) -> None:
    scenario = written("last-hop")
    runs = {
        variant: ac.simulate(scenario.changed({"flows.0.transport.variant": variant})) for variant in ("cubic", "bbr3")
    }
    assert runs["bbr3"].notices == ()
    (notice,) = runs["cubic"].notices
    assert "the random loss of air (loss), not the capacity, limits its rate" in notice
    cubic, bbr = (run.summary.groups["download"].goodput_bps for run in runs.values())
    assert cubic < 0.5 * bbr
    assert runs["cubic"].summary.links["air"].corrupted > 0


@pytest.mark.parametrize("kind", KINDS)
def test_each_field_has_a_comment_where_it_occurs_first(kind: str, command: Command, tmp_path: Path) -> None:
    assert command("init", kind)[0] == 0
    file = f"{kind.replace('-', '_')}.toml"
    text = (tmp_path / file).read_text(encoding="utf-8")
    assert f"ackclock {'advise' if kind == 'uplink' else 'run'} {file}" in text
    seen, before = {"name", "from", "to"}, ""
    for line in text.splitlines():
        field = line.partition(" =")[0]
        assert "#" in line or "=" not in line or field in seen or before.startswith("#"), line
        seen.add(field)
        before = line


def test_the_file_can_be_named(command: Command, tmp_path: Path) -> None:
    code, out, err = command("init", "dumbbell", "studies/mine.toml")
    assert (code, err) == (0, "")
    assert out == "The scenario is studies/mine.toml\nRun it with: ackclock run studies/mine.toml\n"
    file = tmp_path / "studies" / "mine.toml"
    assert "ackclock run mine.toml" in file.read_text(encoding="utf-8")
    assert [path.name for path in file.parent.iterdir()] == ["mine.toml"]
    assert os.name == "nt" or stat.S_IMODE(file.stat().st_mode) == 0o644


def test_nothing_is_overwritten(command: Command, tmp_path: Path) -> None:
    (tmp_path / "dumbbell.toml").write_text("mine", encoding="utf-8")
    code, out, err = command("init", "dumbbell")
    assert (code, out) == (2, "")
    assert err == (
        "FILE: 'dumbbell.toml' is not allowed; must not exist yet: files are never overwritten; give another name\n"
    )
    assert (tmp_path / "dumbbell.toml").read_text(encoding="utf-8") == "mine"


def test_an_unknown_kind_is_refused(command: Command, tmp_path: Path) -> None:
    code, out, err = command("init", "dumbell")
    assert (code, out) == (2, "")
    assert err == (
        "KIND: unknown kind of file 'dumbell'; did you mean 'dumbbell'? must be one of "
        "dumbbell, parking-lot, leaf-spine, buffer-sizing, last-hop, uplink\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    code, _, err = command("init", "dumbbell", "file/mine.toml")
    assert code == 2
    assert err == "file/mine.toml: cannot be used: Not a directory; must be a new file that can be written\n"


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("init ", ["dumbbell", "parking-lot", "leaf-spine", "buffer-sizing", "last-hop", "uplink"]),
        ("reproduce bu", ["burstiness", "buffers"]),
        ("profile diff rfc ns2-2", ["ns2-2.35", "ns2-2000"]),
        ("controllers --law bb", ["bbr", "bbr3"]),
        ("list st", ["studies", "states"]),
        ("run a.toml --record wi", ["windows"]),
        ("sto", ["store"]),
    ],
)
def test_shells_complete_names(line: str, names: list[str], command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    words = f"ackclock {line}"
    monkeypatch.setenv("_ACKCLOCK_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    assert command() == (0, "\n".join(names) + "\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_printed(shell: str, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_ACKCLOCK_COMPLETE", f"source_{shell}")
    code, out, err = command()
    assert (code, err) == (0, "")
    assert f"_ACKCLOCK_COMPLETE=complete_{shell}" in out
