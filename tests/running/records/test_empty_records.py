"""Records of links cover the measured link unless links are named, and a record without rows says why."""

from __future__ import annotations

import pytest

import ackclock as ac
from ackclock.running.records import KINDS, understand

LINK = {"rate": "10 Mbps", "delay": "5 ms"}
MARKING = {"kind": "droptail", "packets": 100, "mark_above": 10}


@pytest.fixture
def marked_elsewhere() -> ac.Scenario:
    """Return two links in a row; the first one marks, and the second one, which is wider, is measured."""
    return ac.Scenario.from_dict(
        {
            "duration": "5 s",
            "measure": {"link": "wide"},
            "nodes": [{"name": name} for name in "abc"],
            "links": [
                LINK | {"name": "narrow", "from": "a", "to": "b", "queue": MARKING},
                LINK | {"name": "wide", "from": "b", "to": "c", "rate": "100 Mbps"},
            ],
            "flows": [
                {
                    "from": "a",
                    "to": "c",
                    "transport": {"kind": "tcp", "variant": "cubic", "ecn": "classic"},
                    "source": {"kind": "greedy"},
                }
            ],
        }
    )


def about_rows(run: ac.Run) -> list[str]:
    return [notice for notice in run.notices if "has no rows" in notice]


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.of_links])
def test_a_record_of_links_covers_the_measured_link_and_with_a_star_all(
    kind: str, marked_elsewhere: ac.Scenario
) -> None:
    scenario = marked_elsewhere.effective()
    assert understand([kind], scenario) == understand([f"{kind}@wide"], scenario)
    (record,) = understand([f"{kind}@*"], scenario)
    assert record.numbers == (0, 1, 2, 3)


def test_throughput_of_all_links(marked_elsewhere: ac.Scenario) -> None:
    (record,) = understand(["throughput@*"], marked_elsewhere.effective())
    assert record.of_links
    assert record.numbers == (0, 1, 2, 3)


def test_a_record_without_rows_says_why_and_where_to_look(marked_elsewhere: ac.Scenario) -> None:
    run = ac.simulate(marked_elsewhere, record=["marks"])
    assert run.table("marks").num_rows == 0
    expected = "The record marks has no rows: no packet was marked at wide; marks@* covers every link."
    assert about_rows(run) == [expected]
    run = ac.simulate(marked_elsewhere, record=["marks@*"])
    assert run.table("marks").num_rows > 0
    assert about_rows(run) == []


def test_each_reason_is_named(marked_elsewhere: ac.Scenario) -> None:
    reno = marked_elsewhere.changed({"flows.0.transport.variant": "reno", "flows.0.transport.ecn": "off"})
    no_states, no_gauges = about_rows(ac.simulate(reno, record=["states", "gauges@*"]))
    assert no_states.startswith("The record states has no rows: the window laws of these flows have no state variables")
    assert no_gauges == (
        "The record gauges has no rows: no queue has gauges at narrow, narrow.reverse, wide and 1 more links."
    )
    udp = marked_elsewhere.changed(
        {"flows.0.transport": {"kind": "udp"}, "flows.0.source": {"kind": "constant", "rate": 100}}
    )
    assert about_rows(ac.simulate(udp, record=["windows", "packets"])) == [
        "The record windows has no rows: none of these flows is TCP."
    ]


def test_what_has_rows_is_silent(marked_elsewhere: ac.Scenario) -> None:
    records = ["arrivals", "queue", "packets", "throughput", "windows", "acks", "phases", "states"]
    assert about_rows(ac.simulate(marked_elsewhere, record=records)) == []
