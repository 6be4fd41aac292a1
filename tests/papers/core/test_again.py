"""A question asked again of several senders: the verdict on each, and on all."""

from __future__ import annotations

import pytest

from ackclock.papers.core.again import Again, of_all
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.measures import Measure
from ackclock.report.html import Verdict

COV = Measure("cov", "c.o.v.")
OVER = COV.at("load")


def runs(part: str = "load", **means: float) -> dict[str, list[Run]]:
    """Make three runs of each sender, one per cent apart."""
    return {
        part: [
            Run(where={"sender": sender}, seed=seed, values={"cov": mean * (1 + 0.01 * (seed - 2))})
            for sender, mean in means.items()
            for seed in (1, 2, 3)
        ]
    }


def test_each_sender_has_a_verdict_and_all_together_have_one() -> None:
    rule = Again(OVER.above(1.5), opposite=OVER.below(1))
    side = Runs(runs(Reno=2.0, CUBIC=1.2, Vegas=0.5, BBR=1.5))
    assert rule.each(side) == {
        "Reno": Verdict.REPRODUCED,
        "CUBIC": Verdict.NOT,
        "Vegas": Verdict.REVERSED,
        "BBR": Verdict.UNDECIDED,
    }
    outcome = rule.judge(side)
    assert outcome.verdict is Verdict.PARTLY
    assert outcome.why == ("Still true of Reno; no longer true of CUBIC; reversed for Vegas; undecided for BBR.")


def test_a_setting_that_turns_the_answer_is_named() -> None:
    rule = Again(OVER.above(1.5), elsewhere={"delayed ACKs": COV.at("each").above(1.5)})
    side = Runs({**runs(Reno=2.0, CUBIC=2.0), **runs("each", Reno=1.0, CUBIC=2.0)})
    assert rule.each(side) == {"Reno": Verdict.DEPENDS, "CUBIC": Verdict.REPRODUCED}
    outcome = rule.judge(side)
    assert outcome.why.endswith("The answer for Reno depends on delayed ACKs.")
    assert (outcome.verdict, outcome.setting) == (Verdict.DEPENDS, "delayed ACKs")


@pytest.mark.parametrize(
    ("each", "all_"),
    [
        ("RRU", Verdict.REPRODUCED),
        ("RUU", Verdict.UNDECIDED),
        ("RN", Verdict.PARTLY),
        ("NNU", Verdict.NOT),
        ("VVN", Verdict.REVERSED),
        ("VN", Verdict.NOT),
        ("DU", Verdict.DEPENDS),
    ],
)
def test_verdicts_on_senders_are_combined_by_the_stated_rule(each: str, all_: Verdict) -> None:
    which = {
        "R": Verdict.REPRODUCED,
        "N": Verdict.NOT,
        "V": Verdict.REVERSED,
        "U": Verdict.UNDECIDED,
        "D": Verdict.DEPENDS,
    }
    assert of_all({place: which[letter] for place, letter in enumerate(each)}) is all_


def test_a_question_with_another_axis_is_refused() -> None:
    by_load = Runs({"load": [Run(where={"sender": "Reno", "clients": 60}, seed=1, values={"cov": 1.0})]})
    with pytest.raises(ValueError, match="axes"):
        Again(OVER.above(1)).judge(by_load)
