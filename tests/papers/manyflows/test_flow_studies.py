"""The studies of single flows, distances and the wide-area abstraction, as a whole."""

from __future__ import annotations

import shlex
import tomllib
from typing import TYPE_CHECKING

import ackclock as ac
from ackclock.papers.manyflows.claims.flows import DISTANCES, FORMULAS, INTERNET
from ackclock.papers.manyflows.distances import Case
from ackclock.papers.manyflows.experiment import scenario
from ackclock.scenario.overrides import override

if TYPE_CHECKING:
    from pathlib import Path

FLOW_CLAIMS = (*INTERNET, *FORMULAS, *DISTANCES)
OWN = ("examples/access_links.toml", "examples/distances50.toml")


def test_claims_have_keys_of_their_own() -> None:
    keys = [claim.key for claim in FLOW_CLAIMS]
    assert len(set(keys)) == len(keys) == 16


def test_commands_of_claims_can_be_typed(root: Path) -> None:
    lines = [claim.command for claim in FLOW_CLAIMS]
    assert {shlex.split(line)[2] for line in lines} == {*OWN, "examples/manyflows100.toml"}
    for program, verb, file, *options in map(shlex.split, lines):
        assert (program, verb) == ("ackclock", "run")
        if file in OWN:
            tables = tomllib.loads((root / file).read_text(encoding="utf-8"))
            given = dict(zip(options[::2], options[1::2], strict=True))
            override(
                tables, [value for name, value in zip(options[::2], options[1::2], strict=True) if name == "--set"]
            )
            record = [given["--record"]] if "--record" in given else []
            tables["duration"], tables["measure"]["from"] = "2 s", "1 s"
            assert ac.simulate(ac.Scenario.from_dict(tables), record=record).summary.departures > 0


def test_the_example_of_two_groups_is_a_place_of_figure_23(root: Path) -> None:
    example = ac.Scenario.from_toml(root / "examples" / "distances50.toml")
    assert example.effective() == scenario(Case(counts=(25, 25), ratios=(1.0, 4.0)).setting).effective()
