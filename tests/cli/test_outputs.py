"""The printed output of commands equals tests/data/kept/outputs.json, line by line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.readable import hold_readable

from ackclock.cli import main

if TYPE_CHECKING:
    from pathlib import Path

SHORT = ["--set", "duration=3 s", "--set", "measure.from=1 s"]
RUNS = [
    ["run", "examples/feng60.toml", *SHORT],
    ["run", "examples/parking_lot.toml", *SHORT, "--seed", "2"],
    ["run", "examples/web_search.toml", *SHORT],
    ["run", "examples/last_hop_rates.toml", *SHORT],
]
MODEL = ["--p", "0.02", "--rtt", "200 ms"]
COMMANDS = [
    ["list"],
    ["list", "records"],
    ["profile", "list"],
    ["profile", "show", "rfc"],
    ["profile", "diff", "rfc", "ns2-2.35"],
    ["burstiness", "examples/bursts.csv", "--bin", "50 ms"],
    ["burstiness", "examples/bursts.csv", "--bin", "50 ms", "--json"],
    ["capture", "examples/lan.pcapng"],
    ["capture", "examples/lan.pcapng", "--json"],
    ["law", "examples/lan.pcapng"],
    ["law", "examples/lan.pcapng", "--json"],
    ["model", "pftk", *MODEL, "--t0", "1 s"],
    ["model", "mathis", *MODEL],
    ["model", "cardwell", *MODEL, "--t0", "1 s", "--packets", "30"],
    ["model", "large-pipe-loss", "--window", "5"],
    ["model", "stochastic-reno", "--clients", "42", "--replications", "4"],
]


def printed(capfd: pytest.CaptureFixture[str], words: list[str]) -> Any:
    """Return the output of a command: its lines, or the object of --json without the provenance."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    out, err = capfd.readouterr()
    assert (ended.value.code, err) == (0, "")
    if "--json" not in words:
        return out.splitlines()
    shown = json.loads(out)
    return {name: each for name, each in shown.items() if name != "version"}


@pytest.mark.parametrize(("name", "commands"), [("outputs", COMMANDS), ("outputs-runs", RUNS)])
def test_outputs_are_those_that_were_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], name: str, commands: list[list[str]]
) -> None:
    monkeypatch.chdir(root)
    hold_readable(name, {" ".join(words): printed(capfd, words) for words in commands})
