"""The study of queue disciplines: each rule with both outcomes, the varying link, and the file of the commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.kept import hold

import ackclock as ac
from ackclock.papers.aqm.claims import CLAIMS
from ackclock.papers.aqm.experiment import varying
from ackclock.papers.aqm.study import PAPER
from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Change = Callable[[str, Mapping[str, Any], dict[str, float]], None]

BY_KEY = {claim.key: claim for claim in CLAIMS}

MEDIANS = {"tail drop": 90.0, "Adaptive RED": 12.0, "CoDel": 5.0, "PIE": 15.0, "FQ-CoDel": 4.0, "DualPI2": 15.0}

GROUPS = {
    "unresponsive": ("tcp", "udp"),
    "distance": ("first", "second"),
    "bursts": ("bulk", "web", "video", "voice"),
    "schedule": ("eight", "one", "stream"),
}


def world(part: str, where: Mapping[str, Any]) -> dict[str, float]:
    """Return numbers for which every claim holds."""
    name = where["variant"]
    long, fair = name == "tail drop", name == "FQ-CoDel"
    median = MEDIANS[name]
    values = {"p50": median, "p95": 2.0 * median, "utilization": 98.0, "loss": 1.0, "marks": 0.0}
    if where.get("ecn") == "classic":
        values |= {"loss": 0.0, "marks": 1.0}
    for group in GROUPS.get(part, ()):
        values |= {f"{group}_goodput": 48.0, f"{group}_loss": 4.0 if long else 1.0, f"{group}_jitter": 1.0}
        values |= {f"{group}_delay": 50.0 + median / 2, f"{group}_p95": 900.0 if long else 300.0}
    if part == "unresponsive" and not fair:
        values["tcp_goodput"] = 5.0
    if part == "distance" and not fair:
        values["second_goodput"] = 20.0 if long else 10.0
    if part == "schedule":
        values["one_goodput"] = 6.0
    return values


def evidence(*changes: Change, spread: float = 0.0001) -> Both:
    """Make runs with these numbers and some changes."""
    runs: dict[str, list[Run]] = {}
    for part in [*PAPER.definition.parts(), varying()]:
        for spot in part.spots:
            values = world(part.name, spot.where)
            for change in changes:
                change(part.name, spot.where, values)
            runs.setdefault(part.name, []).extend(
                Run(
                    where=spot.where,
                    seed=seed,
                    values={name: value * (1 + spread * (seed - 2)) for name, value in values.items()},
                )
                for seed in (1, 2, 3)
            )
    return Both(ours=Runs(runs), ns2=Runs())


def put(measure: str, value: float, part: str, **where: Any) -> Change:
    """Replace a number at all points of a part with these coordinates."""

    def change(there: str, at: Mapping[str, Any], values: dict[str, float]) -> None:
        if there == part and all(at[axis] == wanted for axis, wanted in where.items()):
            values[measure] = value

    return change


def all_but(measure: str, value: float, part: str, *names: str) -> list[Change]:
    return [put(measure, value, part, variant=name) for name in MEDIANS if name not in names]


OTHER: list[tuple[str, Verdict, list[Change]]] = [
    ("8.2-1", Verdict.PARTLY, [put("p50", 9, "congestion", variant="CoDel", flows=11)]),
    ("8.2-1", Verdict.NOT, [put("p50", 12, "congestion", variant="CoDel", flows=11)]),
    ("8.2-2", Verdict.PARTLY, [put("p50", 21, "congestion", variant="PIE", flows=2)]),
    ("8.2-2", Verdict.NOT, [put("p50", 5, "congestion", variant="PIE", flows=2)]),
    ("8.2-3", Verdict.PARTLY, [put("p50", 9, "congestion", variant="DualPI2", flows=7)]),
    ("8.2-3", Verdict.NOT, [put("p50", 40, "congestion", variant="DualPI2", flows=7)]),
    ("8.2-4", Verdict.PARTLY, [put("utilization", 80, "congestion", variant="CoDel")]),
    ("8.2-4", Verdict.NOT, [put("utilization", 80, "congestion")]),
    ("2.6", Verdict.NOT, [put("p95", 20, "congestion", variant="tail drop")]),
    ("5.2", Verdict.NOT, [put("p50", 30, "senders", law="scalable")]),
    ("5.3-1", Verdict.NOT, [put("tcp_goodput", 30, "unresponsive", variant="FQ-CoDel")]),
    ("5.3-2", Verdict.NOT, all_but("tcp_goodput", 30, "unresponsive", "FQ-CoDel")),
    ("6-1", Verdict.NOT, [put("first_goodput", 60, "distance", variant="FQ-CoDel")]),
    ("6-2", Verdict.NOT, [put("second_goodput", 1, "distance", variant="tail drop")]),
    ("7-1", Verdict.NOT, [put("web_loss", 0.1, "bursts", variant="tail drop")]),
    ("7-2", Verdict.NOT, [put("web_p95", 100, "bursts", variant="tail drop")]),
    ("8.2.5", Verdict.NOT, [put("p95", 5, "crowd", variant="tail drop")]),
    ("8.2.6", Verdict.NOT, [put("p95", 5, "capacity", variant="tail drop")]),
    ("4.5-1", Verdict.NOT, [put("loss", 0.1, "ecn")]),
    ("4.5-2", Verdict.NOT, [put("utilization", 90, "ecn", ecn="classic")]),
    ("8.3-1", Verdict.NOT, [put("p50", 9, "usual"), put("p50", 9, "fast")]),
    ("8.3-2", Verdict.PARTLY, [put("p50", 9, "fast", packets=8333)]),
    ("8.3-2", Verdict.NOT, [put("p50", 9, "fast")]),
    ("4.6-1", Verdict.NOT, [put("stream_delay", 60, "schedule", variant="FQ-CoDel")]),
    ("4.6-2", Verdict.NOT, [put("one_goodput", 10, "schedule", variant="FQ-CoDel")]),
]


@pytest.mark.parametrize("key", BY_KEY)
def test_each_claim_holds_where_the_disciplines_are_as_it_says(key: str) -> None:
    assert BY_KEY[key].judge(evidence()).verdict is Verdict.REPRODUCED


@pytest.mark.parametrize(("key", "verdict", "changes"), OTHER)
def test_each_rule_of_a_discipline_turns(key: str, verdict: Verdict, changes: list[Change]) -> None:
    assert BY_KEY[key].judge(evidence(*changes)).verdict is verdict


def test_every_claim_can_fail() -> None:
    assert {key for key, verdict, _ in OTHER if verdict is Verdict.NOT} == set(BY_KEY)


def test_the_page_is_the_one_that_was_kept() -> None:
    hold("aqm", PAPER.report(evidence(), judge(CLAIMS, evidence()), command="ackclock reproduce aqm"))


def test_the_commands_run_the_base_scenario(root: Path) -> None:
    ours = PAPER.definition.scenario("tail drop")
    assert ac.Scenario.from_toml(root / "examples" / "aqm.toml").effective() == ours.effective()


def test_the_varying_link_changes_its_rate_every_ten_seconds() -> None:
    (spot, *_) = varying().spots
    run = ac.simulate(spot.scenario, seed=1)
    assert run.summary.throughput_bps / run.summary.utilization == pytest.approx(6e6)
