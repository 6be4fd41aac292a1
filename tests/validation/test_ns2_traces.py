"""The data for the comparison with ns-2, segment by segment: see ``validation/ns2_traces.py``."""

import json
from pathlib import Path

import pytest

import ns2_traces


def test_the_transports_are_what_the_profiles_say() -> None:
    kept = json.loads((ns2_traces.DATA / "transports.json").read_text(encoding="utf-8"))
    assert ns2_traces.transports() == kept


def test_the_random_numbers_are_those_of_ns2() -> None:
    """The first six numbers with seed 1 equal the ones that ns-2.35 prints."""
    expected = [0.000339577223787, 0.555880715983, 0.0142046606528, 0.0881226713139, 0.441173382049, 0.799155453505]
    assert ns2_traces.uniforms(1, 6) == pytest.approx(expected, rel=1e-11)


@pytest.mark.needs("ns")
@pytest.mark.parametrize("file", ["named", "random"])
def test_ns2_still_makes_the_first_traces(file: str) -> None:
    lines = (ns2_traces.DATA / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines[:3]:
        kept = json.loads(line)
        made = ns2_traces.by_ns2(ns2_traces.Case(**kept | {"sent": []}))
        assert [list(sent) for sent in made.sent] == kept["sent"]


def test_every_list_is_drawn_for_every_variant() -> None:
    cases = ns2_traces.random_cases(5, 1, "ns2-2.35", most=10)
    assert [case.variant for case in cases] == list(ns2_traces.VARIANTS) * 5
    assert all(1 <= len(case.losses) <= 8 and len(set(case.losses)) == len(case.losses) for case in cases)


def test_lists_are_drawn_for_receivers_and_sources_of_every_kind() -> None:
    cases = ns2_traces.random_cases(40, 1, "ns2-2.35", most=10)
    kinds = {(case.delayed_ack, case.interval > 0, bool(case.supply)) for case in cases}
    assert kinds == {(delayed, *source) for delayed in (False, True) for source in ((0, 0), (1, 0), (0, 1))}
    assert all(0.005 <= case.interval <= 0.08 for case in cases if case.interval)
    assert all(supply[0][0] == 0 and supply == sorted(supply) for supply in (case.supply for case in cases) if supply)


def test_data_stays_small() -> None:
    assert sum(path.stat().st_size for path in Path(ns2_traces.DATA).iterdir()) < 250_000
