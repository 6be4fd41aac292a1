"""The claims on Vegas and Reno: each rule with synthetic runs in which it holds, and in which it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.papers.vegas.vegas_world import beside, evidence, once, put, unsteady
from tests.support.kept import hold

from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Runs
from ackclock.papers.summary import summary
from ackclock.papers.vegas.claims import CLAIMS
from ackclock.papers.vegas.experiment import GREEDY, OPEN, TRACE, TRANSFERS, Place
from ackclock.papers.vegas.measures import leftover
from ackclock.papers.vegas.study import PAPER
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.papers.vegas.vegas_world import Change

    from ackclock.papers.core.paper import Both

TOPICS = PAPER.definition.topics
BY_KEY = {claim.key: claim for claim in CLAIMS}


def small(place: Place) -> bool:
    return place.buffer <= 50


def large(place: Place) -> bool:
    return place.buffer >= 500


OTHER: list[tuple[str, Verdict, list[Change]]] = [
    ("F-1", Verdict.NOT, [put("ratio", 0.5, beside(start=1))]),
    ("F-1", Verdict.PARTLY, [put("ratio", 0.5, beside(start=1, vegas=20, gateway="RED"))]),
    ("F-2", Verdict.NOT, [put("ratio", 0.5, beside(start=1))]),
    ("F-2", Verdict.PARTLY, [put("ratio", 0.5, beside(start=1, vegas=20, gateway="RED"))]),
    ("F-3", Verdict.REPRODUCED, [put("ratio", 0.95)]),
    ("F-3", Verdict.PARTLY, [put("ratio", 0.95), put("ratio", 0.2, beside(buffer=10))]),
    ("F-3", Verdict.NOT, [put("ratio", 0.95), put("ratio", 0.2, large)]),
    ("F-4", Verdict.NOT, [put("ratio", 0.5, small)]),
    ("F-4", Verdict.PARTLY, [put("ratio", 0.5, beside(application=TRANSFERS))]),
    ("M-1", Verdict.NOT, [put("ratio", 0.95, beside(pair=True))]),
    ("M-1", Verdict.PARTLY, [put("ratio", 0.95, beside(pair=True, start=60, buffer=3000))]),
    ("M-2", Verdict.NOT, [put("ratio", 0.5, beside(pair=True))]),
    ("M-2", Verdict.PARTLY, [put("ratio", 0.5, beside(pair=True, start=0))]),
    ("M-3", Verdict.NOT, [put("vegas_held", 100)]),
    ("M-3", Verdict.PARTLY, [put("vegas_held", 100, beside(buffer=150))]),
    ("M-4", Verdict.NOT, [put("ratio", 2, beside(buffer=3000))]),
    ("M-4", Verdict.PARTLY, [put("ratio", 2, beside(buffer=3000, application=TRACE))]),
    ("M-5", Verdict.NOT, [put("ratio", 0.1, beside(gateway="RED"))]),
    ("M-5", Verdict.PARTLY, [put("ratio", 0.01, beside(gateway="RED", start=60))]),
    ("W-1", Verdict.NOT, [put("vegas_rtt_least", 0.1)]),
    ("W-1", Verdict.PARTLY, [put("ratio", 0.01, beside(application=GREEDY, start=10))]),
    ("W-2", Verdict.NOT, [put("ratio", 0.1, beside(start=1))]),
    ("W-2", Verdict.PARTLY, [put("ratio", 0.8, beside(start=1))]),
    ("W-3", Verdict.NOT, [put("ratio", 1.0, beside(start=1))]),
    ("W-3", Verdict.PARTLY, [put("ratio", 1.0, beside(start=1, vegas=20, gateway="RED"))]),
    ("W-4", Verdict.NOT, [put("ratio", 0.5, beside(load=0.6))]),
    ("W-4", Verdict.PARTLY, [put("ratio", 0.5, beside(load=0.6, buffer=10))]),
    ("W-5", Verdict.NOT, [put("ratio", 0.9, beside(buffer=1500))]),
    ("W-5", Verdict.PARTLY, [put("ratio", 0.9, beside(buffer=1500, vegas=45))]),
    ("W-6", Verdict.NOT, [put("ratio", 0.9, beside(application=OPEN))]),
    ("W-6", Verdict.PARTLY, [put("ratio", 0.9, beside(application=OPEN, start=0, buffer=1500))]),
    ("W-7", Verdict.NOT, [put("ratio", 0.9, beside(application=OPEN))]),
    ("W-7", Verdict.PARTLY, [put("ratio", 0.9, beside(application=OPEN, start=0, buffer=1500))]),
    ("W-8", Verdict.NOT, [put("ratio", 1.0, beside(start=1))]),
    ("W-8", Verdict.PARTLY, [put("ratio", 1.0, beside(start=1, vegas=20, gateway="RED"))]),
    ("W-9", Verdict.NOT, [put("ratio", lambda place: 0.5 if small(place) else 1.5, beside(base_rtt="minimum"))]),
    ("W-9", Verdict.PARTLY, [put("ratio", 1.5, beside(base_rtt="minimum", buffer=3000))]),
    ("W-10", Verdict.NOT, [put("vegas_completion", 1.0), put("ratio", 2.0, beside(application=TRANSFERS))]),
    ("W-10", Verdict.PARTLY, [put("vegas_completion", 1.0)]),
    ("O-1", Verdict.NOT, [put("queue_sd", 1.0)]),
    ("O-1", Verdict.PARTLY, [put("queue_sd", 1.0, beside(buffer=10))]),
    ("O-2", Verdict.NOT, [put("vegas_window_cov", 0.9)]),
    ("O-2", Verdict.PARTLY, [put("vegas_window_cov", 0.9, beside(buffer=10))]),
    ("O-3", Verdict.NOT, [put("vegas_loss", 0.03)]),
    ("O-3", Verdict.PARTLY, [put("vegas_loss", 0.03, beside(gateway="RED", buffer=10))]),
]


class TestRules:
    @pytest.mark.parametrize("key", sorted(BY_KEY.keys() - {"F-3"}))
    def test_holds_in_the_made_up_world(self, key: str) -> None:
        judgement = BY_KEY[key].judge(evidence())
        assert judgement.verdict is Verdict.REPRODUCED, judgement.why

    @pytest.mark.parametrize(("key", "verdict", "changes"), OTHER)
    def test_turns_in_another(self, key: str, verdict: Verdict, changes: list[Change]) -> None:
        judgement = BY_KEY[key].judge(evidence(*changes))
        assert judgement.verdict is verdict, judgement.why

    @pytest.mark.parametrize("key", BY_KEY)
    @pytest.mark.parametrize("make", [once, unsteady])
    def test_is_undecided_if_runs_differ_too_much_or_there_is_one(self, key: str, make: Callable[[Both], Both]) -> None:
        judgement = BY_KEY[key].judge(make(evidence()))
        assert judgement.verdict is Verdict.UNDECIDED, judgement.why

    def test_each_can_fail(self) -> None:
        assert {key for key, verdict, _ in OTHER if verdict is Verdict.NOT} == BY_KEY.keys()
        assert len(BY_KEY) == len(CLAIMS)

    def test_ns2_is_reported_and_never_decides(self) -> None:
        only_theirs = evidence()
        bad = evidence(put("ratio", 0.01)).ours
        judgement = BY_KEY["F-1"].judge(type(only_theirs)(ours=only_theirs.ours, ns2=bad))
        assert judgement.verdict is Verdict.REPRODUCED
        assert "0.01" in judgement.ns2
        silent = BY_KEY["F-1"].judge(type(only_theirs)(ours=only_theirs.ours, ns2=Runs()))
        assert silent.ns2 == "–"  # noqa: RUF001 - what was not measured

    def test_topics_are_claims(self) -> None:
        said = summary(judge(CLAIMS, evidence()), TOPICS)
        assert len(said) == 1 + len(TOPICS)
        assert {key for topic in TOPICS for key in (topic.key, *topic.also)} <= BY_KEY.keys()

    def test_figures_of_claims_are_drawn(self) -> None:
        report = PAPER.report(evidence(), judge(CLAIMS, evidence()), command="ackclock reproduce vegas")
        hold("vegas", report)
        named = {finding.figure for finding in report.findings} - {""}
        assert {"map-poisson", "pair", "starts-fifo"} <= named <= {drawing.slug for drawing in report.drawings}

    @pytest.mark.parametrize(("vegas", "part"), [(30, 7 / 18), (57, 0.6784)])
    def test_leftover_is_what_is_over(self, vegas: int, part: float) -> None:
        """The result is 4166.7 packets a second minus 100 per Reno client, divided by 100 per Vegas client."""
        assert leftover(vegas) == pytest.approx(part, abs=1e-4)
