"""Reno and CUBIC, written in Python by the documented interface, give the same bytes as the built-in laws."""

from __future__ import annotations

import pytest
from tests.laws.scenarios import EXAMPLES, drawn, results, with_law
from tests.support.long import often

import ackclock as ac

LAWS = {"reno.py:Reno": ("tahoe", "reno", "newreno", "sack", "rack"), "cubic.py:Cubic": ("cubic",)}


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_a_law_gives_the_bytes_of_the_built_in_one(law: str) -> None:
    """Compare all results of random scenarios.

    Validates: Reno and CUBIC of `examples`, interpreted, give the summaries, windows and drops of the built-in laws.
    Source: RFC 5681; RFC 9438; the engine's own laws.
    Tolerance: exact.
    """
    reductions = 0
    for number in range(often(6, long=100)):
        tables = drawn(number, LAWS[law])
        built_in, own = results(ac.Scenario.from_dict(tables), number), results(with_law(tables, law), number)
        assert own == built_in, f"scenario {number}"
        reductions += sum(group.fast_retransmits + group.timeouts for group in own[0].groups)
    assert reductions > 100, "the scenarios lose packets"


@pytest.mark.needs("numba")
@pytest.mark.parametrize("law", LAWS)
def test_a_compiled_law_gives_the_bytes_of_the_built_in_one(law: str) -> None:
    """Compare all results of random scenarios.

    Validates: the same classes, compiled by numba.
    Source: the engine's own laws.
    Tolerance: exact.
    """
    for number in range(often(20, long=100)):
        tables = drawn(number, LAWS[law])
        scenario = with_law(tables, law)
        compiled = {f"clients.{place}.transport.compiled": True for place in range(len(scenario.clients))}
        own = results(scenario.changed(compiled), number)
        assert own == results(ac.Scenario.from_dict(tables), number), f"scenario {number}"


def test_cubic_has_at_most_40_lines() -> None:
    text = (EXAMPLES / "cubic.py").read_text(encoding="utf-8")
    assert sum(bool(line.strip()) for line in text[text.index("class Cubic") :].splitlines()) <= 40
