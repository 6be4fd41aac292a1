"""The claims on many flows: each rule with synthetic runs in which its claim holds, and in which it fails."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from tests.papers.manyflows.manyflows_world import PAPER, SIDE, changed, clients, curve, put, size
from tests.support.single_seed import single_seed
from tests.support.typed import typed

from ackclock.papers.core.claim import judge
from ackclock.papers.core.figure import Figure
from ackclock.papers.manyflows.claims import CLAIMS, same_delay, with_overhead
from ackclock.papers.manyflows.study import PAPER as STUDY
from ackclock.papers.summary import summary
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from tests.papers.manyflows.manyflows_world import Change

    from ackclock.papers.core.claim import Claim
    from ackclock.papers.core.evidence import Row

BY_KEY = {claim.key: claim for claim in (*same_delay.CLAIMS, *with_overhead.CLAIMS)}
OTHERS = [claim for claim in CLAIMS if claim.key not in BY_KEY]
"""Claims of sections 2 to 4 and 5.3."""


def falling(_: float, run: Row) -> float:
    """Make goodput fall linearly, faster over ISDN."""
    return 1 - (4e-4 if curve(run).startswith("ISDN") else 2e-4) * clients(run)


def along_a_line(_: float, run: Row) -> float:
    """Make the total number of sent packets grow linearly."""
    return 1 - 1 / (1.1 + 5e-4 * clients(run))


ONLY_T1 = put("grid", "loss", along_a_line, ("steady", 0.0), ("capped", 0.0), among=lambda run: "T1" in curve(run))

# Not all claims of the paper can hold together: its hyperbolas are not lines, and falling goodput is wasted capacity.
BETTER: dict[str, list[Change]] = {
    "5.1.2-2": [ONLY_T1],
    "5.1.5-1": [put("grid", "goodput", falling, ("steady", 0.0))],
}


def few(*counts: int) -> Any:
    return lambda run: clients(run) in counts


def link(name: str) -> Any:
    return lambda run: curve(run).startswith(name)


WORSE: list[tuple[str, Verdict, list[Change]]] = [
    ("5.1.1-1", Verdict.PARTLY, [put("looks", "correlation", 0.5, 0.0)]),
    ("5.1.1-1", Verdict.NOT, [put("looks", name, 0.5, 0.0) for name in ("correlation", "share", "high")]),
    ("5.1.1-2", Verdict.PARTLY, [put("looks", "most", 10, 0.0)]),
    ("5.1.1-2", Verdict.NOT, [put("looks", "jain_index", 0.7, 0.0)]),
    ("5.1.1-3", Verdict.PARTLY, [put("predicted", "loss", 0.8, among=few(300))]),
    ("5.1.1-3", Verdict.NOT, [put("predicted", "loss", 0.8)]),
    ("5.1.1-4", Verdict.PARTLY, [put("far", "throughput", lambda *_: 1.0, 0.0, among=link("B = 20"))]),
    ("5.1.1-4", Verdict.NOT, [put("far", "throughput", lambda *_: 1.0, 0.0, among=lambda run: clients(run) <= 10)]),
    ("5.1.2-1", Verdict.DEPENDS, [put("starts", "shut_off", 0, ("1 s", 0.0))]),
    ("5.1.2-1", Verdict.PARTLY, [put("starts", "shut_off", 0, among=few(600))]),
    ("5.1.2-1", Verdict.NOT, [put("starts", "shut_off", 0)]),
    ("5.1.2-2", Verdict.PARTLY, []),
    ("5.1.2-2", Verdict.NOT, [put("grid", "loss", lambda _, run: 0.5 - clients(run) / 2e3)]),
    ("5.1.2-3", Verdict.PARTLY, [put("looks", "middle", 1.8, 0.0)]),
    ("5.1.2-3", Verdict.NOT, [put("looks", "low", 4.5, 0.0, among=size("small"))]),
    ("5.1.3-1", Verdict.PARTLY, [put("looks", "correlation", 2, 0.0, among=size("medium"))]),
    (
        "5.1.3-1",
        Verdict.NOT,
        [put("looks", name, 2, 0.0, among=size("medium")) for name in ("correlation", "share", "jain_index")],
    ),
    (
        "5.1.4-1",
        Verdict.PARTLY,
        [
            put("far", "throughput", flat, 0.0)
            for flat in (
                lambda v, r: v if clients(r) > 10 else {20: 0.8, 60: 0.85, 110: 0.9}.get(int(curve(r)[4:]), 1.0),
            )
        ],
    ),
    ("5.1.4-1", Verdict.NOT, [put("far", "throughput", lambda *_: 1.0, 0.0)]),
    ("5.1.4-2", Verdict.PARTLY, [put("grid", "throughput", 0.9, ("steady", 0.0), among=few(600))]),
    ("5.1.4-2", Verdict.NOT, [put("grid", "throughput", 0.9, ("steady", 0.0))]),
    ("5.1.4-3", Verdict.PARTLY, [put("far", "throughput", 0.95, 0.0, among=link("B = 20"))]),
    ("5.1.4-3", Verdict.NOT, [put("far", "throughput", 0.8, 0.0)]),
    ("5.1.5-1", Verdict.NOT, []),
    ("5.1.5-1", Verdict.DEPENDS, [put("modern", "goodput", falling)]),
    ("5.1.5-1", Verdict.PARTLY, [put("grid", "goodput", lambda _, run: 1 - 3e-4 * clients(run), ("steady", 0.0))]),
    ("5.1.5-2", Verdict.PARTLY, [put("grid", "goodput", 0.9, among=few(10))]),
    ("5.1.5-2", Verdict.NOT, [put("grid", "goodput", 0.9)]),
    ("5.1.5-3", Verdict.PARTLY, [put("grid", "goodput", 1.02, ("steady", 0.0), among=few(600))]),
    ("5.1.5-3", Verdict.NOT, [put("grid", "goodput", 1.02)]),
    ("5.1.6-1", Verdict.PARTLY, [put("few", "loss", lambda _, run: 1e-5 * clients(run) ** 1.6, 0.0)]),
    ("5.1.6-1", Verdict.NOT, [put("few", "loss", lambda _, run: 1e-5 * clients(run), 0.0)]),
    ("5.1.6-2", Verdict.PARTLY, [put("grid", "loss", lambda _, run: 1e-4 * clients(run), ("steady", 0.0))]),
    ("5.1.6-2", Verdict.NOT, [put("grid", "loss", lambda _, run: 1e-6 * clients(run) ** 2)]),
    ("5.1.6-3", Verdict.PARTLY, [put("grid", "loss", 0.8, among=few(600))]),
    ("5.1.6-3", Verdict.DEPENDS, [put("grid", "loss", 0.8, ("steady", 0.0))]),
    ("5.1.6-3", Verdict.NOT, [put("grid", "loss", 0.8, among=link("T1"))]),
    ("5.1.6-4", Verdict.DEPENDS, [put("grid", "loss", 1.2, ("capped", 0.0))]),
    ("5.1.6-4", Verdict.NOT, [put("grid", "loss", 1.2, among=link("ISDN"))]),
    ("5.2.1-1", Verdict.PARTLY, [put("looks", "low", 0.5, 0.1)]),
    ("5.2.1-1", Verdict.NOT, [put("looks", "correlation", 20, 0.1)]),
    ("5.2.1-2", Verdict.NOT, [put("looks", "jain_index", 2, 0.1)]),
    (
        "5.2.1-2",
        Verdict.PARTLY,
        [put("looks", "jain_index", 2, 0.1, among=lambda look: str(look.where["pipe"]).startswith("T1"))],
    ),
    (
        "5.2.1-3",
        Verdict.PARTLY,
        [put("amounts", "loss", 1.3, among=lambda run: (curve(run), clients(run)) == ("10 %", 60))],
    ),
    ("5.2.1-3", Verdict.NOT, [put("amounts", "loss", 0.5, among=link("10 %"))]),
    ("5.2.2-1", Verdict.PARTLY, [put("looks", "starved", 4, 0.1)]),
    ("5.2.2-1", Verdict.NOT, [put("looks", "starved", 4, 0.1), put("looks", "low", 0.5, 0.1)]),
    ("5.2.3-1", Verdict.PARTLY, [put("looks", "low", 0.5, 0.1)]),
    ("5.2.3-1", Verdict.NOT, [put("looks", "low", 0.5, 0.1), put("looks", "correlation", 20, 0.1)]),
    ("5.2.4-1", Verdict.PARTLY, [put("grid", "goodput", 0.8, ("steady", 0.1), among=few(10))]),
    ("5.2.4-1", Verdict.NOT, [put("grid", name, 0.8, ("steady", 0.1)) for name in ("goodput", "throughput")]),
    ("5.2.5-1", Verdict.PARTLY, [put("few", "loss", lambda _, run: 1e-5 * clients(run) ** 1.4, 0.1)]),
    ("5.2.5-1", Verdict.NOT, [put("few", "loss", lambda _, run: 1e-5 * clients(run) ** 2, 0.1)]),
    ("5.2.5-2", Verdict.PARTLY, [put("grid", "loss", lambda _, run: 1e-4 * clients(run), ("steady", 0.1))]),
    ("5.2.5-2", Verdict.NOT, [put("grid", "loss", lambda _, run: 1e-6 * clients(run) ** 2)]),
    ("5.2.5-3", Verdict.PARTLY, [put("grid", "loss", 0.5, ("steady", 0.1), among=few(600))]),
    ("5.2.5-3", Verdict.NOT, [put("grid", "loss", 0.5, ("steady", 0.1))]),
    ("5.2.5-4", Verdict.DEPENDS, [put("grid", "loss", 0.8, ("together", 0.1))]),
    ("5.2.5-4", Verdict.NOT, [put("grid", "loss", 0.8)]),
    ("5.2.5-5", Verdict.DEPENDS, [put("grid", "loss", 1.2, ("capped", 0.1))]),
    ("5.2.5-5", Verdict.NOT, [put("grid", "loss", 0.8)]),
]


class TestVerdicts:
    @pytest.mark.parametrize("key", BY_KEY)
    def test_holds_in_the_papers_world(self, key: str) -> None:
        ours = changed(SIDE, BETTER.get(key, []))
        judgement = BY_KEY[key].judge(dataclasses.replace(PAPER, ours=ours))
        assert judgement.verdict is Verdict.REPRODUCED, judgement.why
        assert "nan" not in judgement.ours + judgement.why

    @pytest.mark.parametrize(("key", "verdict", "changes"), WORSE)
    def test_fails_in_another(self, key: str, verdict: Verdict, changes: list[Change]) -> None:
        judgement = BY_KEY[key].judge(dataclasses.replace(PAPER, ours=changed(SIDE, changes)))
        assert judgement.verdict is verdict, judgement.why
        assert bool(judgement.setting) is (verdict is Verdict.DEPENDS)

    @pytest.mark.parametrize("key", BY_KEY)
    def test_a_single_run_decides_nothing(self, key: str) -> None:
        judgement = BY_KEY[key].judge(dataclasses.replace(PAPER, ours=single_seed(SIDE)))
        assert judgement.verdict is Verdict.UNDECIDED, judgement.why

    @pytest.mark.parametrize("claim", OTHERS, ids=lambda claim: claim.key)
    def test_a_single_run_decides_nothing_of_the_other_sections(self, claim: Claim) -> None:
        """Claims on the formulas are the exception, since these apply to flows."""
        verdict = claim.judge(single_seed(PAPER)).verdict
        assert (verdict is Verdict.UNDECIDED) is (claim.key != "3-1")

    def test_a_reading_left_open_makes_no_difference_of_readings(self) -> None:
        """If one way of counting is undecided, so is the claim, although the other ways are decided."""
        wide = put("grid", "loss", lambda loss, run: loss * (0.5 + 0.25 * run.seed), ("steady", 0.0))
        judgement = BY_KEY["5.1.6-3"].judge(dataclasses.replace(PAPER, ours=changed(SIDE, [wide])))
        assert judgement.verdict is Verdict.UNDECIDED
        assert "undecided" in judgement.why

    def test_each_can_fail(self) -> None:
        assert {key for key, *_ in WORSE} == BY_KEY.keys()
        assert len(BY_KEY) + len(OTHERS) == len({claim.key for claim in CLAIMS}) == 45

    def test_ns2_is_reported_for_all(self) -> None:
        assert all(len(one.ns2) > 1 for one in judge(list(BY_KEY.values()), PAPER))

    def test_topics_are_claims(self) -> None:
        said = summary(judge(CLAIMS, PAPER), STUDY.definition.topics)
        assert len(said) == 1 + len(STUDY.definition.topics)
        assert {verdict for topic in STUDY.definition.topics for verdict in topic.leads} == set(Verdict) - {
            Verdict.UNDECIDED,
            Verdict.NOT_TESTABLE,
        }


class TestCommands:
    def test_of_figures_make_runs_of_the_study(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(root)
        runs = {spot.scenario.effective().to_json() for part in STUDY.parts() for spot in part.spots}
        figures = [figure for chapter in STUDY.chapters for figure in chapter.figures if isinstance(figure, Figure)]
        lines = [figure.command for figure in figures if figure.command]
        assert len(lines) == 23
        assert [line for line in lines if typed(line).effective().to_json() not in runs] == []

    def test_of_every_claim_can_be_typed(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(root)
        for claim in BY_KEY.values():
            assert typed(claim.command).effective().clients[0].count >= 1
