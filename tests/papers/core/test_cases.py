"""Rules on claims that hold in one case and not in another, and settings that save a claim."""

from __future__ import annotations

import pytest

from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.repeating import Cases, Varied
from ackclock.papers.core.rules import AtPoints, Holds
from ackclock.report.html import Verdict

X = Measure(name="x", label="x")


def world(dry: tuple[float, ...], wet: tuple[float, ...], *, scatter: float = 1e-6) -> Runs:
    return Runs(
        {
            "grid": [
                Run(where={"case": case, "n": n}, seed=seed, values={"x": value + seed * scatter})
                for case, values in (("dry", dry), ("wet", wet))
                for n, value in enumerate(values)
                for seed in (1, 2, 3)
            ]
        }
    )


@pytest.mark.parametrize(
    ("dry", "wet", "verdict"),
    [
        ((2, 2, 2), (2, 2, 2), Verdict.REPRODUCED),
        ((2, 2, 2), (2, 2, 0), Verdict.PARTLY),
        ((2, 2, 2), (0, 0, 0), Verdict.DEPENDS),
        ((0, 0, 0), (2, 2, 0), Verdict.DEPENDS),
        ((0, 0, 0), (0, 0, 2), Verdict.NOT),
    ],
)
def test_cases_count_together_unless_they_contradict(
    dry: tuple[float, ...], wet: tuple[float, ...], verdict: Verdict
) -> None:
    rule = Cases(AtPoints(X.at("grid").above(1), by="case"), axis="case", values=("dry", "wet"), on="the weather")
    found = rule.judge(world(dry, wet))
    assert found.verdict is verdict
    assert found.setting == ("the weather" if verdict is Verdict.DEPENDS else "")
    assert "dry" in found.why
    assert "the claim depends on the weather" in rule.words


def test_an_undecided_case_contradicts_none() -> None:
    rule = Cases(AtPoints(X.at("grid").above(1)), axis="case", values=("dry", "wet"), on="the weather")
    found = rule.judge(world((0, 0, 0), (1, 1, 1), scatter=0.1))
    assert found.verdict in {Verdict.UNDECIDED, Verdict.NOT}
    assert not found.setting


def test_a_jackknifed_number_may_have_a_unit_and_digits_of_its_own() -> None:
    of = X.at("grid", case="dry")
    most = of.jackknife("n", lambda line: max(line.values()), "most", unit="%", digits=4)
    assert (most.unit, most.digits) == ("%", 4)
    plain = of.jackknife("n", lambda line: max(line.values()), "most")
    assert (plain.unit, plain.digits) == (of.unit, of.digits)
    assert plain.points(world((1, 3, 2), (0, 0, 0))).only.mean == pytest.approx(3, abs=1e-4)


@pytest.mark.parametrize(
    ("usual", "other", "verdict"),
    [
        (0, 2, Verdict.DEPENDS),
        (0, 0, Verdict.NOT),
        (2, 0, Verdict.REPRODUCED),
        (2, 2, Verdict.REPRODUCED),
    ],
)
def test_a_setting_may_only_save_a_claim(usual: float, other: float, verdict: Verdict) -> None:
    asked = {case: Holds(X.at("grid", case=case).above(1)) for case in ("dry", "wet")}
    rule = Varied(asked["dry"], {"rain": asked["wet"]}, words="It is asked again in the rain.", saved=True)
    found = rule.judge(world((usual,), (other,)))
    assert found.verdict is verdict
    assert found.setting == ("rain" if verdict is Verdict.DEPENDS else "")
    assert "a claim that is not reproduced becomes at least partly reproduced" in rule.words
