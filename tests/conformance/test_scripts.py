"""Our scripts in ``examples/conformance``: the sender does what each states."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "examples" / "conformance").rglob("*.pkt"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script(script: Path) -> None:
    """The head of a script that differs begins the reason with "Differs:"."""
    head = script.read_text(encoding="utf-8").partition("\n\n")[0]
    assert re.match(r"// (draft-ietf-ccwg-bbr, appendix|RFC \d+|Linux, )", head), "the head names the rule"
    result = ac.conform(script)
    told = f"{result.line}: {result.reason or f'{result.expected}; {result.found}'}"
    assert result.verdict == ("differs" if "\n// Differs: " in head else "equal"), told
    assert not result.skipped


def test_the_cases_of_the_bbr_draft_are_complete() -> None:
    numbers = [int(script.stem.partition("_")[0]) for script in SCRIPTS if script.parent.name == "bbr3"]
    assert numbers == list(range(1, 23))


def test_without_sack_the_profile_decides_how_duplicates_count() -> None:
    script = ROOT / "examples" / "conformance" / "tcp" / "without_sack_reordering.pkt"
    assert ac.conform(script, law="reno").verdict == "equal"
    result = ac.conform(script, law="reno", profile="rfc")
    assert (result.verdict, result.expected) == (
        "differs",
        "tcpi_ca_state == TCP_CA_Disorder and tcpi_sacked == 2 and tcpi_snd_cwnd == 10",
    ), "RFC 6582 counts no segments"
    result = ac.conform(script, law="sack")
    assert result.verdict == "inexpressible"
    assert "sack_blocks: 0 is not allowed; must be at least 1 with recovery sack" in str(result.reason)


def test_a_law_in_python() -> None:
    class Still(ac.Law):
        def on_ack(self, window: Any, ack: Any) -> None:
            pass

    script = ROOT / "examples" / "conformance" / "tcp" / "delayed_acks_congestion_avoidance.pkt"
    result = ac.conform(script, law=Still)
    assert (result.verdict, result.line) == ("differs", 27)
    with pytest.raises(ac.ScenarioError, match="law: .* is not allowed; must be a variant, FILE.py:CLASS, or a law"):
        ac.conform(script, law=int)  # type: ignore[arg-type]
