"""The lab runs scripts as ``ackclock conform`` does: the same sender, the same result, the same picture."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.lab.test_same_bytes import node

from ackclock.conformance.running import draw
from ackclock.lab.page import built_page
from lab_parts import SCRIPTS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.needs("node")

SENDERS: tuple[dict[str, str], ...] = (
    {},
    {"variant": "cubic", "profile": "rfc"},
    {"variant": "dctcp"},
    {"variant": "sack"},
)
"""The sender that each script demands, and others."""


@pytest.fixture(scope="module")
def answers(root: Path) -> list[tuple[Path, dict[str, str], dict[str, Any]]]:
    """Ask the page's modules about all scripts, with all senders."""
    if built_page() is None or not (root / "target" / "lab" / "node.mjs").exists():
        pytest.skip("not built: run `make lab`")
    asked = [(path, sender) for path in sorted(SCRIPTS.rglob("*.pkt")) for sender in SENDERS]
    found = node(root, [{"script": path.read_text(encoding="utf-8"), **sender} for path, sender in asked])
    return [(path, sender, answer) for (path, sender), answer in zip(asked, found, strict=True)]


def test_results_and_pictures_are_those_of_the_command(
    answers: list[tuple[Path, dict[str, str], dict[str, Any]]],
) -> None:
    for path, sender, answer in answers:
        result, picture = draw(path, law=sender.get("variant"), profile=sender.get("profile"))
        name = f"{path.name} {sender}"
        verdict = answer["outcome"]["verdict"]
        assert verdict["verdict"] == result.verdict, name
        assert verdict.get("line") == result.line, name
        assert (verdict.get("expected"), verdict.get("found")) == (result.expected, result.found), name
        assert answer["picture"] == json.loads(json.dumps(picture)), name


def test_texts_that_are_no_scripts_are_refused(root: Path) -> None:
    if built_page() is None:
        pytest.skip("not built: run `make lab`")
    refused, inexpressible = node(root, [{"script": "0 foo x"}, {"script": "0 socket(...) = 3"}])
    assert "line 1, column 7" in refused["error"]
    assert inexpressible["outcome"]["verdict"]["reason"] == "no connection is opened: no SYN arrives"
