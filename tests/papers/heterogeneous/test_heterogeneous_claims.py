"""The claims on Reno and Vegas clients: each rule with synthetic runs in which its claim holds or fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.papers.burstiness.burstiness_world import put as put_alone
from tests.papers.heterogeneous.heterogeneous_world import PAPER, SIDE, anywhere, beside, judged_by, put, put_list
from tests.support.single_seed import single_seed

from ackclock.papers.burstiness.claims import CLAIMS as ALONE
from ackclock.papers.characterization.claims import CLAIMS as SHORT
from ackclock.papers.characterization.claims import DEFINITION as SHORT_DEFINITION
from ackclock.papers.core.claim import judge
from ackclock.papers.heterogeneous.claims import CLAIMS
from ackclock.papers.heterogeneous.experiment import DEFINITION
from ackclock.papers.heterogeneous.stochastic import SMALL
from ackclock.papers.summary import summary
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from tests.papers.heterogeneous.heterogeneous_world import Change, Where

    from ackclock.papers.core.evidence import Runs

RULES = {claim.rule for claim in ALONE}
OWN = {claim.key: claim for claim in CLAIMS if claim.rule not in RULES}
OWN_SHORT = {claim.key: claim for claim in SHORT if claim.rule not in RULES}

REDS = tuple(f"{name}/{gateway}" for name in ("Reno", "Vegas") for gateway in ("RED", "RED1", "RED2"))
VEGAS = ("Vegas", "Vegas/RED", "Vegas/RED1", "Vegas/RED2")


def both(name: str, factor: float, *names: str) -> list[Change]:
    """Change a number with the usual weight of RED and with other weights."""
    return [put(part, name, factor, *names) for part in WEIGHED]


def gains(factor: float, *names: str, parts: tuple[str, ...] = ("curves",), at: Where = anywhere) -> list[Change]:
    """Change the goodput of added clients."""
    return [put(part, "added_goodput_packets", factor, *names, at=at) for part in parts]


WEIGHED = ("curves", "weighted_curves")
STARTED = ("curves", "late_curves")

WORSE: list[tuple[str, Verdict, list[Change]]] = [
    ("1-1", Verdict.NOT, gains(0.7, *VEGAS, parts=STARTED)),
    ("1-1", Verdict.PARTLY, gains(0.7, *VEGAS, at=beside(40, 1500))),
    ("1-1", Verdict.DEPENDS, gains(0.5, *VEGAS, parts=("late_curves",))),
    ("3.2.1-1", Verdict.NOT, gains(0.7, *VEGAS, parts=WEIGHED)),
    ("3.2.1-1", Verdict.DEPENDS, gains(0.7, *VEGAS, parts=("weighted_curves",))),
    ("3.2.1-1", Verdict.PARTLY, gains(0.7, "Vegas", at=lambda _, added: added == 25)),
    ("3.2.1-2", Verdict.NOT, both("added_drops", 2, *VEGAS)),
    ("3.2.1-2", Verdict.DEPENDS, [put("weighted_curves", "added_drops", 2, *VEGAS)]),
    ("3.2.1-3", Verdict.NOT, [put("curves", "background_goodput_packets", 2)]),
    ("3.2.1-4", Verdict.NOT, gains(0.9, *VEGAS, parts=STARTED)),
    ("3.2.1-4", Verdict.PARTLY, gains(0.9, *VEGAS, parts=STARTED, at=lambda _, added: added > 20)),
    ("3.2.1-4", Verdict.DEPENDS, gains(0.9, *VEGAS, parts=("late_curves",))),
    ("3.2.1-5", Verdict.NOT, [put("curves", "added_drops", 4.9, *VEGAS, at=beside(20, 1500))]),
    ("3.2.1-5", Verdict.PARTLY, [put("curves", "added_drops", 50, at=beside(20, 1500))]),
    ("3.2.1-6", Verdict.NOT, gains(0.9, "Vegas/RED2", parts=WEIGHED)),
    ("3.2.1-6", Verdict.DEPENDS, gains(0.9, "Vegas/RED2", parts=("weighted_curves",))),
    ("3.2.1-7", Verdict.NOT, both("added_drops", 10, *VEGAS)),
    ("3.2.1-12", Verdict.NOT, [put("curves", "queue_mean", 40, *VEGAS)]),
    ("3.2.1-13", Verdict.NOT, [*both("cov", 3, *VEGAS), *both("background_departures", 0.5, *VEGAS)]),
    ("3.2.1-13", Verdict.DEPENDS, [put("weighted_curves", "cov", 3, *VEGAS)]),
    (
        "3.2.1-14",
        Verdict.NOT,
        [
            put("curves", "added_departures", 2, *REDS),
            put("curves", "added_drops", 0, *REDS),
            put("weighted_curves", "added_departures", 2),
        ],
    ),
    ("3.2.1-14", Verdict.DEPENDS, [put("weighted_curves", "added_departures", 2)]),
    ("3.2.2-1", Verdict.NOT, gains(0.7, *VEGAS, parts=WEIGHED)),
    ("3.2.2-2", Verdict.NOT, both("added_drops", 2, *VEGAS)),
    ("3.2.2-3", Verdict.NOT, gains(1.5, *VEGAS, at=beside(40, 50))),
    ("3.2.2-4", Verdict.NOT, [put_alone("grid", name, 0.5, "Vegas", "Vegas/RED") for name in ("departures", "loss")]),
    ("3.2.2-4", Verdict.PARTLY, [put_alone("grid", "loss", 0.5, "Vegas/RED")]),
    ("3.2.2-5", Verdict.NOT, gains(0.7, *VEGAS, parts=WEIGHED)),
    ("3.2.2-6", Verdict.NOT, gains(0.7, *VEGAS, parts=STARTED)),
    ("3.2.2-7", Verdict.NOT, [put("curves", "added_drops", 4.9, *VEGAS, at=beside(40, 1500))]),
    ("3.2.2-8", Verdict.NOT, both("added_drops", 10, *VEGAS)),
    ("3.2.3-1", Verdict.NOT, [put("curves", "queue_mean", 10, *VEGAS)]),
    ("3.2.3-1", Verdict.PARTLY, [put_alone("queues", "queue_mean", 90.0, "Vegas")]),
    ("3.2.3-2", Verdict.NOT, gains(2, *VEGAS, parts=("greedy_curves",))),
    ("4-1", Verdict.NOT, [put_list("model", "cov", lambda _: 1.0)]),
    ("4-1", Verdict.PARTLY, [put_list("model", "cov", lambda _: 1.0, at=lambda clients: clients == 60)]),
    ("4-2", Verdict.NOT, [put_list("model", "cov", lambda clients: clients / 1000)]),
    ("4-2", Verdict.PARTLY, [put_list("model", "cov", lambda _: 9.0, at=lambda clients: clients == 2)]),
    ("4-3", Verdict.NOT, [put_list("model", "cov", lambda _: 0.01, SMALL)]),
    ("4-4", Verdict.PARTLY, [put_alone("grid", "timeouts", 0.0)]),
    ("4-4", Verdict.NOT, [put_alone("grid", "timeouts", 0.0), put_alone("close", "dependence", 35.0)]),
]

WORSE_SHORT: list[tuple[str, Verdict, list[Change]]] = [
    ("0-1", Verdict.NOT, [put_list("scales", "slope", lambda _: -0.7)]),
    ("0-1", Verdict.PARTLY, [put_list("scales", "slope", lambda _: -0.45)]),
    ("4-5", Verdict.NOT, gains(0.7, *VEGAS, parts=STARTED)),
    ("5-5", Verdict.NOT, [put("curves", "background_departures", 0.1, *VEGAS)]),
    ("5-5", Verdict.PARTLY, [put("curves", "background_departures", 5, *VEGAS)]),
    ("5-6", Verdict.NOT, gains(0.7, *VEGAS)),
    ("5-6", Verdict.PARTLY, gains(0.8, *VEGAS, at=beside(20, 1500))),
]


def changed(side: Runs, changes: list[Change]) -> Runs:
    for change in changes:
        side = change(side)
    return side


class TestVerdicts:
    @pytest.mark.parametrize("key", OWN)
    def test_holds_in_the_papers_world(self, key: str) -> None:
        judgement = OWN[key].judge(PAPER)
        assert judgement.verdict is Verdict.REPRODUCED, judgement.why

    @pytest.mark.parametrize("key", OWN_SHORT)
    def test_holds_in_the_short_papers_world(self, key: str) -> None:
        judgement = OWN_SHORT[key].judge(PAPER)
        assert judgement.verdict is Verdict.REPRODUCED, judgement.why

    @pytest.mark.parametrize(("key", "verdict", "changes"), WORSE)
    def test_fails_in_another(self, key: str, verdict: Verdict, changes: list[Change]) -> None:
        judgement = OWN[key].judge(judged_by(changed(SIDE, changes)))
        assert judgement.verdict is verdict, judgement.why
        assert bool(judgement.setting) is (verdict is Verdict.DEPENDS)

    @pytest.mark.parametrize(("key", "verdict", "changes"), WORSE_SHORT)
    def test_the_short_papers_fail_in_another(self, key: str, verdict: Verdict, changes: list[Change]) -> None:
        judgement = OWN_SHORT[key].judge(judged_by(changed(SIDE, changes)))
        assert judgement.verdict is verdict, judgement.why

    @pytest.mark.parametrize(
        ("key", "mean", "changes", "spread"),
        [
            # queued packets behind RED: 2.3 to 2.9 on average, with a limit of 3; plus or minus half of this
            ("3.2.1-12", Verdict.REPRODUCED, [put("curves", "queue_mean", 12.5)], {"curves": "queue_mean"}),
            # 0.70 to 0.95 of Reno's goodput, with a limit of 0.98; plus or minus half of this
            ("1-1", Verdict.NOT, gains(0.7, *VEGAS, parts=STARTED), dict.fromkeys(STARTED, "added_goodput_packets")),
        ],
    )
    def test_a_mean_alone_decides_nothing(
        self, key: str, mean: Verdict, changes: list[Change], spread: dict[str, str]
    ) -> None:
        """If the means give one answer but the intervals allow both, the verdict does not follow the means."""
        assert OWN[key].judge(judged_by(changed(SIDE, changes))).verdict is mean
        apart = [put(part, name, lambda seed: 0.6 + 0.2 * seed, *VEGAS) for part, name in spread.items()]
        judgement = OWN[key].judge(judged_by(changed(SIDE, changes + apart)))
        assert judgement.verdict is not mean, judgement.why

    @pytest.mark.parametrize("key", OWN)
    def test_a_single_run_decides_nothing(self, key: str) -> None:
        judgement = OWN[key].judge(judged_by(single_seed(SIDE)))
        assert judgement.verdict is Verdict.UNDECIDED, judgement.why

    @pytest.mark.parametrize("key", OWN_SHORT)
    def test_a_single_run_decides_nothing_of_the_short_paper(self, key: str) -> None:
        judgement = OWN_SHORT[key].judge(judged_by(single_seed(SIDE)))
        assert judgement.verdict is Verdict.UNDECIDED, judgement.why

    def test_wide_intervals_leave_it_open(self) -> None:
        """Two seeds support the claim and one contradicts it: the mean supports it, but its interval allows both."""
        wide = put("curves", "added_goodput_packets", lambda seed: 0.2 if seed == 3 else 1, *VEGAS)
        judgement = OWN["3.2.1-1"].judge(judged_by(changed(SIDE, [wide])))
        assert judgement.verdict is Verdict.UNDECIDED
        assert "at 0 of 8 points with a full link (8 undecided)" in judgement.why

    def test_each_of_its_own_can_fail(self) -> None:
        assert {key for key, *_ in WORSE} == OWN.keys()
        shared = {claim.rule for claim in CLAIMS}
        assert {key for key, *_ in WORSE_SHORT} == {key for key, claim in OWN_SHORT.items() if claim.rule not in shared}

    @pytest.mark.parametrize("claims", [CLAIMS, SHORT])
    def test_keys_differ(self, claims: tuple[object, ...]) -> None:
        keys = [claim.key for claim in claims]  # type: ignore[attr-defined]
        assert len(set(keys)) == len(keys)

    def test_topics_are_claims(self) -> None:
        for claims, topics in ((CLAIMS, DEFINITION.topics), (SHORT, SHORT_DEFINITION.topics)):
            judged = judge(claims, PAPER)
            said = summary(judged, topics)
            assert len(said) == 1 + len(topics)
            assert said[0].lead.startswith(f"Of {len(claims)} claims ")
