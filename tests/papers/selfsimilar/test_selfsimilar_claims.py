"""The claims on TCP over self-similar traffic: each rule with synthetic runs in which it holds or fails."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from tests.papers.selfsimilar.selfsimilar_world import evidence, instead, memory, methods, put, side
from tests.support.few import few

from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Runs
from ackclock.papers.selfsimilar import study
from ackclock.papers.selfsimilar.claims import CLAIMS
from ackclock.papers.selfsimilar.experiment import CONSTANT, GREEDY, SETTINGS, WINDOW, Setting
from ackclock.papers.summary import summary
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from tests.papers.selfsimilar.selfsimilar_world import Change

TOPICS = few(study.PAPER, CLAIMS).definition.topics
BY_KEY = {claim.key: claim for claim in CLAIMS}

R, P, D, N, U = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.DEPENDS, Verdict.NOT, Verdict.UNDECIDED
TWO = (GREEDY, CONSTANT)

WORSE: list[tuple[str, Verdict, list[Change]]] = [
    ("5-2", P, [put("drops", 500.0, "tahoe")]),
    ("5-2", D, [put(name, 500.0, readings=TWO) for name in ("drops", "retransmissions")]),
    ("5-2", N, [put(name, 500.0) for name in ("drops", "retransmissions")]),
    ("5-3", P, [put("arrivals", 77000.0, "newreno", "sack")]),
    ("5-3", D, [put("arrivals", 90000.0, "sack", readings=[GREEDY])]),
    ("5-3", N, [put("arrivals", 90000.0, "sack")]),
    ("5-4", P, [put("efficiency", 0.9995, "vegas")]),
    ("5-4", P, [put("efficiency", 0.9988, "newreno")]),
    ("5-4", N, [put("efficiency", 0.9999, "vegas"), put("efficiency", 0.9981, "newreno")]),
    ("5-5", P, [put("arrivals", 90000.0, "vegas")]),
    ("5-5", D, [put(name, 1e5, "vegas", readings=TWO) for name in ("arrivals", "efficiency")]),
    ("5-5", N, [put(name, 1e5, "vegas") for name in ("arrivals", "efficiency")]),
    ("5-6", P, [put("retransmissions", 100.0, "tahoe")]),
    ("5-6", N, [put("retransmissions", 100.0, "tahoe"), put("arrivals", 55000.0, "tahoe")]),
    ("5-7", P, [put("acks", 61800.0, "vegas"), put("arrivals", 61850.0, "vegas")]),
    ("5-7", N, [put(name, 70000.0) for name in ("acks", "arrivals")]),
    ("5-8", P, [put("hurst_k50", 0.95, "vegas")]),
    ("5-8", D, [put("hurst_k50", 0.5, readings=[WINDOW])]),
    ("5-8", N, [put("hurst_k50", 0.5)]),
    ("5-10", P, [put("hurst_k50", 0.9, "sack", "vegas")]),
    ("5-10", D, [put("hurst_k50", 0.8, "vegas", readings=[WINDOW])]),
    ("5-10", N, [put("hurst_k50", 0.8, "vegas")]),
    ("5-11", P, [put("growth", 1.3, "vegas")]),
    ("5-11", N, [put("growth", 1.3, "vegas"), put("rate_20", 1.0, "vegas")]),
    ("5-12", P, [put("cwnd_median", 60.0, "sack")]),
    ("5-12", D, [put("cwnd_median", 60.0, "sack", readings=[GREEDY]), put("cwnd_least", 5.0, readings=[GREEDY])]),
    ("5-12", N, [put("cwnd_median", 60.0, "sack"), put("cwnd_least", 5.0)]),
    ("5-13", P, [put("cwnd_falls", 1.0, "vegas")]),
    ("5-13", D, [put("cwnd_falls", 1.0, readings=TWO)]),
    ("5-13", N, [put("cwnd_falls", 9.0)]),
    ("5-14", R, [put("rtt_most", 78.0, "tahoe")]),
    ("5-14", P, [put("rtt_most", 76.0, "sack")]),
    ("5-14", N, [put("rtt_most", 90.0, "tahoe")]),
    ("5-15", P, [put("spikes_again", 0.6)]),
    ("5-15", N, [put("spikes_again", 0.1)]),
]


class TestRules:
    @pytest.mark.parametrize("key", sorted(BY_KEY.keys() - {"5-1"}))
    def test_holds_in_the_made_up_world(self, key: str) -> None:
        judgement = BY_KEY[key].judge(evidence())
        assert judgement.verdict is R, judgement.why

    @pytest.mark.parametrize(("key", "verdict", "changes"), WORSE)
    def test_turns_in_another(self, key: str, verdict: Verdict, changes: list[Change]) -> None:
        judgement = BY_KEY[key].judge(evidence(*changes))
        assert judgement.verdict is verdict, judgement.why
        assert bool(judgement.setting) is (verdict is D)

    def test_each_can_fail(self) -> None:
        assert {key for key, verdict, _ in WORSE if verdict is N} | {"4-1", "5-1", "5-9"} == BY_KEY.keys()
        assert len(BY_KEY) == len(CLAIMS)

    @pytest.mark.parametrize(("width", "covered", "verdict"), [(0.2, 97, R), (0.2, 50, P), (0.2, 92, P), (0.5, 97, N)])
    def test_method_needs_narrow_intervals_that_hold(self, width: float, covered: int, verdict: Verdict) -> None:
        assert BY_KEY["4-1"].judge(instead(methods(width=width, covered=covered))).verdict is verdict

    @pytest.mark.parametrize("h", [0.5, 1.2])
    def test_memory_needs_all_methods_and_all_variants(self, h: float) -> None:
        """There is no memory if the wavelets' interval contains 0.5, or if traffic is not stationary (above 1)."""

        def verdict(*without: Setting) -> Verdict:
            return BY_KEY["5-9"].judge(instead(memory(*without, h=h))).verdict

        assert verdict() is R
        assert verdict(*(each for each in SETTINGS if each.variant == "vegas")) is P
        assert verdict(*(each for each in SETTINGS if each.reading is CONSTANT)) is D
        assert verdict(*(each for each in SETTINGS if each.variant != "sack" or each.reading is not GREEDY)) is N
        assert verdict(*SETTINGS) is N

    def test_memory_without_scaling_is_none(self) -> None:
        judgement = BY_KEY["5-9"].judge(instead(memory(*SETTINGS, h=None)))
        assert judgement.verdict is N
        assert "H by wavelets:" not in judgement.ours

    def test_nobody_can_count_the_authors_capture_again(self) -> None:
        printed = BY_KEY["5-1"].judge(evidence())
        assert printed.verdict is Verdict.NOT_TESTABLE
        assert "add up" in printed.why

    def test_ties_are_no_rank(self) -> None:
        """A difference of 0.04 % is significant, but too small for a ranking, as if all variants deliver everything."""
        judgement = BY_KEY["5-3"].judge(evidence(put("arrivals", 77500.0), put("arrivals", 77530.0, "newreno")))
        assert judgement.verdict is N
        assert (
            "paired lead of NewReno in arrivals" in judgement.why.lower() or "Paired lead of NewReno" in judgement.why
        )

    def test_ns2_is_reported_and_never_decides(self) -> None:
        usual = evidence()
        theirs = dataclasses.replace(usual, ns2=side(put("spikes_again", 0.0)))
        judgement = BY_KEY["5-15"].judge(theirs)
        assert judgement.verdict is R
        assert judgement.ns2.endswith("a round-trip time above 77 ms that spans a retransmission: 0.0 ± 0")
        silent = BY_KEY["5-15"].judge(dataclasses.replace(usual, ns2=Runs()))
        assert (silent.verdict, silent.ns2) == (R, "–")  # noqa: RUF001 - what was not measured

    def test_topics_are_claims(self) -> None:
        said = summary(judge(CLAIMS, evidence()), TOPICS)
        assert len(said) == 1 + len(TOPICS)
        assert {key for topic in TOPICS for key in (topic.key, *topic.also)} <= BY_KEY.keys()

    def test_a_single_seed_decides_nothing(self) -> None:
        """Exceptions: claims on the method (a hundred paths), printed numbers, and the existence of a difference."""
        made = evidence()
        single = {name: [row for row in rows if row.seed == 1] for name, rows in made.ours.parts.items()}
        ours = Runs({**single, "methods": made.ours.part("methods")})
        judged = judge(CLAIMS, dataclasses.replace(made, ours=ours))
        assert not any("nan" in cell or "inf" in cell for one in judged for cell in one.cells.values())
        decided = {one.claim.key for one in judged if one.verdict is not Verdict.UNDECIDED}
        assert decided == {"4-1", "5-1", "5-7"}

    def test_summary_is_short(self) -> None:
        """Results that are equal for all interpretations of the source are reported once."""
        same = BY_KEY["5-3"].judge(evidence()).brief
        assert same == "NewReno delivers most in 12 of 12 seeds (all readings)."
        other = BY_KEY["5-3"].judge(evidence(put("arrivals", 90000.0, "sack", readings=[GREEDY]))).brief
        assert other == (
            "NewReno delivers most in 0 of 12 seeds (greedy), 12 of 12 seeds (constant rate) and 12 of 12 seeds "
            "(window of 60)."
        )
        said = summary(judge(CLAIMS, evidence()), TOPICS)
        assert all(len(statement.text) < 400 for statement in said)
