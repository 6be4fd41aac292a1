"""Rules as values: answers of questions, decisions of rules, and their texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ackclock.analysis import student_interval
from ackclock.drawing.chart import Axis, Level, Series
from ackclock.papers.core.claim import Claim, judge, tabled
from ackclock.papers.core.evidence import Grid, Named, Run, Runs, joined
from ackclock.papers.core.figure import Figure, Flat, Lines, Numbers, Pen, Plot, curves_csv
from ackclock.papers.core.folds import exponent, slope
from ackclock.papers.core.measures import Measure, Profile
from ackclock.papers.core.paired import lead, never, reaches, share_of_runs, spans, within_reach
from ackclock.papers.core.quantities import computed, folded
from ackclock.papers.core.repeating import Choices, Readings, Varied, over_readings
from ackclock.papers.core.rules import (
    AtMostPartly,
    AtPoints,
    Bars,
    Custom,
    Depends,
    Either,
    Fixed,
    Holds,
    Outcome,
)
from ackclock.papers.core.words import points_words
from ackclock.papers.truth import NO, OPEN, YES
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from ackclock.analysis import Interval
    from ackclock.papers.core.evidence import Key

R, P, D, N, U = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.DEPENDS, Verdict.NOT, Verdict.UNDECIDED
LOSS = Measure(name="loss", label="loss", unit="%", digits=1)
MEANS = {("Reno", 10): 1.0, ("Reno", 20): 2.0, ("Reno", 40): 4.0, ("Vegas", 10): 0.5, ("Vegas", 20): 1.0}


def runs(means: dict[tuple[str, int], float], spread: float = 0.01, seeds: int = 3) -> list[Run]:
    return [
        Run(
            where={"variant": variant, "clients": clients},
            seed=seed,
            values={"loss": mean * (1 + spread * (seed - (seeds + 1) / 2))},
        )
        for (variant, clients), mean in means.items()
        for seed in range(1, seeds + 1)
    ]


SIDE = Runs({"grid": runs(MEANS)})
PENS = {"Reno": Pen(colour="blue", marker="square"), "Vegas": Pen(colour="red", marker="circle")}


@dataclass
class Both:
    ours: Runs = field(default_factory=lambda: SIDE)
    ns2: Runs = field(default_factory=Runs)


class TestGrid:
    def test_joins_where_common_axes_agree(self) -> None:
        left = Grid(("variant", "clients"), {("Reno", 10): 1, ("Reno", 20): 2, ("Vegas", 10): 3})
        right = Grid(("clients",), {(10,): 7})
        assert joined([left, right]).cells == {("Reno", 10): (1, 7), ("Vegas", 10): (3, 7)}
        assert joined([right, left]).cells == {(10, "Reno"): (7, 1), (10, "Vegas"): (7, 3)}

    def test_axes_can_change_places(self) -> None:
        grid = Grid(("variant", "clients"), {("Reno", 10): 1, ("Reno", 20): 2})
        assert grid.ordered(("clients", "variant")).cells == {(10, "Reno"): 1, (20, "Reno"): 2}

    def test_has_one_value_only_without_axes(self) -> None:
        assert Grid((), {(): 3}).only == 3
        with pytest.raises(ValueError, match="axes"):
            _ = Grid(("clients",), {(10,): 3}).only
        with pytest.raises(ValueError, match="axis: 'seed' is not allowed; must be one of clients"):
            Grid(("clients",), {(10,): 3}).along("seed")


class TestQuantity:
    def test_is_fixed_on_some_axes_and_open_on_others(self) -> None:
        points = LOSS.at("grid", variant="Reno").points(SIDE)
        assert points.axes == ("clients",)
        assert {key: round(point.mean, 9) for key, point in points.cells.items()} == {(10,): 1, (20,): 2, (40,): 4}
        assert LOSS.at("grid").points(SIDE).axes == ("variant", "clients")

    def test_keeps_the_order_of_the_values_that_are_given(self) -> None:
        assert list(LOSS.at("grid", variant="Reno", clients=(40, 10)).points(SIDE).cells) == [(40,), (10,)]

    def test_says_what_it_is_and_where(self) -> None:
        assert LOSS.at("grid", variant="Reno", clients=(10, 20)).words == "loss (Reno, 10 and 20 clients)"
        assert LOSS.at("grid", variant="Reno", clients=(10, 20)).label == "loss (Reno)"
        assert LOSS.at("grid", clients=Named("fewer than 30 clients", (10, 20))).words == "loss (fewer than 30 clients)"
        assert LOSS.at("grid", variant="Reno").pick(clients=10).words == "loss (Reno, 10 clients)"
        assert LOSS.at("weights", weight=0.002, red=True).words == "loss (weight 0.002, red)"
        assert LOSS.at("grid", clients=Named("fewer than 30 clients", (10, 20))).label == "loss (fewer than 30 clients)"
        assert LOSS.at("grid", clients=1).words == "loss (1 client)"
        assert LOSS.at("grid", clients=(1, 2, 4, 8, 16)).words == "loss (1 to 16 clients)"
        assert LOSS.at("grid", buffer=1500, start=(0, 10)).words == "loss (1,500 packets, start at 0 and 10 s)"

    def test_of_nothing_is_an_error(self) -> None:
        with pytest.raises(LookupError, match=r"loss \(Tahoe\)"):
            LOSS.at("grid", variant="Tahoe").points(SIDE)
        with pytest.raises(LookupError, match="no runs of weights"):
            LOSS.at("weights").points(SIDE)
        with pytest.raises(LookupError, match="11 clients"):
            LOSS.at("grid", variant="Reno").pick(clients=11).points(SIDE)

    def test_is_computed_seed_by_seed(self) -> None:
        # Both sides have the same noise, which cancels in the ratio.
        ratio = LOSS.at("grid", variant="Reno", clients=20) / LOSS.at("grid", variant="Vegas", clients=20)
        assert ratio.points(SIDE).only.mean == pytest.approx(2)
        assert ratio.points(SIDE).only.half_width < 1e-9
        gap = LOSS.at("grid", variant="Reno", clients=20) - LOSS.at("grid", variant="Vegas", clients=20)
        assert gap.points(SIDE).only.mean == pytest.approx(1)
        spread = LOSS.at("grid", clients=20).over("variant", lambda line: max(line.values()) / min(line.values()), "x")
        assert spread.points(SIDE).only.mean == pytest.approx(2)

    def test_leaves_seeds_out_that_one_side_lacks(self) -> None:
        rows = [row for row in SIDE.part("grid") if row.where["variant"] == "Reno" or row.seed != 2]
        ratio = LOSS.at("grid", variant="Reno", clients=20) / LOSS.at("grid", variant="Vegas", clients=20)
        assert ratio.points(Runs({"grid": rows})).only.count == 2

    def test_changes_along_an_axis_seed_by_seed(self) -> None:
        changes = LOSS.at("grid", variant="Reno").changes("clients")
        assert {key: round(point.mean, 9) for key, point in changes.points(SIDE).cells.items()} == {(20,): 1, (40,): 2}
        assert changes.words == "change of the loss (Reno) at each step of the clients"
        assert set(changes.samples(SIDE).cells[20,]) == {1, 2, 3}

    def test_of_another_simulator_is_the_same_for_both_sides(self) -> None:
        reno = LOSS.at("grid", variant="Reno", clients=10)
        other = reno.measured_by("ns-2.35", lambda: Runs({"grid": runs({("Reno", 10): 7.0})}))
        assert other.points(SIDE).only.mean == pytest.approx(7)
        assert (other.words, other.reported) == ("loss (Reno, 10 clients) in ns-2.35", reno)

    def test_is_fitted_along_an_axis(self) -> None:
        reno = LOSS.at("grid", variant="Reno")  # 1, 2, 4 % with 10, 20, 40 clients
        assert reno.over("clients", slope, "slope").points(SIDE).only.mean == pytest.approx(0.1)
        assert reno.over("clients", exponent, "exponent").points(SIDE).only.mean == pytest.approx(1)

    def test_is_folded_along_an_axis_with_another(self) -> None:
        reno, vegas = (LOSS.at("grid", variant=one, clients=(10, 20)) for one in ("Reno", "Vegas"))
        sums = folded(
            lambda a, b: sum(a.values()) / sum(b.values()), "clients", reno, vegas, words="x", unit="", digits=3
        )
        assert sums.points(SIDE).only.mean == pytest.approx(2)
        assert (sums.unit, sums.digits) == ("", 3)
        # There is no Vegas run with forty clients; a seed that one side lacks is omitted.
        whole = folded(
            lambda a, b: len(a) + len(b), "clients", LOSS.at("grid", variant="Reno"), vegas, words="pairs", unit=""
        )
        assert whole.points(SIDE).only.mean == 4
        fewer = [row for row in SIDE.part("grid") if row.where["variant"] == "Reno" or row.seed != 2]
        assert whole.points(Runs({"grid": fewer})).only.count == 2

    def test_joins_with_others_under_other_names(self) -> None:
        vegas = LOSS.at("grid", variant=("Vegas",), clients=(10, 20))
        named = vegas.relabel("variant", {"Vegas": "Reno"})
        gap = LOSS.at("grid") - named
        assert {key: round(point.mean, 9) for key, point in gap.points(SIDE).cells.items()} == {
            ("Reno", 10): 0.5,
            ("Reno", 20): 1,
        }
        assert (named.words, named.reported.words) == (vegas.words, vegas.words)
        assert list(named.points(SIDE).cells) == [("Reno", 10), ("Reno", 20)]

    def test_jackknife_of_a_mean_is_the_mean(self) -> None:
        reno = LOSS.at("grid", variant="Reno", clients=(10,))
        made = reno.jackknife("clients", lambda line: next(iter(line.values())), "x").points(SIDE).only
        plain = reno.points(SIDE).cells[10,]
        assert made.mean == pytest.approx(plain.mean)
        assert made.half_width == pytest.approx(plain.half_width)

    def test_jackknife_removes_the_bias_of_a_square(self) -> None:
        # Of values 1, 2, 3 the square of the mean is 4, and its jackknife 4 - variance / 3 = 3.667.
        side = Runs({"grid": [Run(where={"n": 1}, seed=seed, values={"loss": float(seed)}) for seed in (1, 2, 3)]})
        made = LOSS.at("grid").jackknife("n", lambda line: line[1] ** 2, "x").points(side).only
        assert made.mean == pytest.approx(4 - 1 / 3)
        alone = Runs({"grid": side.part("grid")[:1]})
        assert LOSS.at("grid").jackknife("n", lambda line: line[1] ** 2, "x").points(alone).only.mean == 1

    def test_keeps_points_by_another_quantity(self) -> None:
        reno = LOSS.at("grid", variant="Reno")
        few = reno.given(LOSS.at("grid", variant="Reno"), lambda loss: loss < 3, "the loss is below 3 %")
        assert list(few.points(SIDE).cells) == [(10,), (20,)]
        assert few.words == "loss (Reno) where the loss is below 3 %"
        with pytest.raises(LookupError, match="above 9"):
            reno.given(reno, lambda loss: loss > 9, "the loss is above 9 %").points(SIDE)

    @pytest.mark.parametrize("how", ["over", "jackknife"])
    def test_leaves_out_points_whose_number_has_no_meaning(self, how: str) -> None:
        found = getattr(LOSS.at("grid"), how)("clients", lambda line: line.get(40), "x")
        assert list(found.points(SIDE).cells) == [("Reno",)]
        with pytest.raises(LookupError, match="no run has x"):
            getattr(LOSS.at("grid"), how)("clients", lambda _: None, "x").points(SIDE)

    def test_that_is_the_same_at_many_points_is_written_once(self) -> None:
        points: dict[Key, Interval] = {(clients,): student_interval([2.0]) for clients in range(1, 8)}
        assert points_words(Grid(("clients",), points), digits=1, unit="%") == "2.0 % at all 7 points"
        points[3,] = student_interval([3.0])
        assert points_words(Grid(("clients",), points), digits=1, unit="%") == "2.0 % (1 client) to 3.0 % (3 clients)"
        few: dict[Key, Interval] = {(1,): points[1,], (2,): points[2,], (3,): points[3,]}
        each = "2.0 % (1 client), 2.0 % (2 clients), 3.0 % (3 clients)"
        assert points_words(Grid(("clients",), few), digits=1, unit="%") == each


class TestAnswers:
    def test_compare_at_each_point(self) -> None:
        reno, vegas = LOSS.at("grid", variant="Reno"), LOSS.at("grid", variant="Vegas")
        assert reno.above(vegas).on(SIDE).cells == {(10,): YES, (20,): YES}
        assert reno.above(3).on(SIDE).cells == {(10,): NO, (20,): NO, (40,): YES}
        assert reno.at_most(2).on(SIDE).cells == {(10,): YES, (20,): OPEN, (40,): NO}
        assert reno.within(0.1, of=1).on(SIDE).cells[10,] is YES
        assert reno.near(1, by=0.5).on(SIDE).cells[20,] is NO

    def test_combine(self) -> None:
        reno = LOSS.at("grid", variant="Reno")
        assert (reno.above(3) | reno.below(1.5)).on(SIDE).cells == {(10,): YES, (20,): NO, (40,): YES}
        assert (~reno.above(3)).every().on(SIDE).only is NO
        assert reno.above(3).some().on(SIDE).only is YES
        assert reno.above(1.5).most().on(SIDE).only is YES
        assert LOSS.at("grid").above(0.7).every("clients").on(SIDE).cells == {("Reno",): YES, ("Vegas",): NO}

    def test_ask_where_a_condition_is_met(self) -> None:
        reno = LOSS.at("grid", variant="Reno")
        asked = reno.above(3).where(reno.at_least(2))
        assert asked.on(SIDE).cells == {(20,): OPEN, (40,): YES}
        assert asked.words == "the loss (Reno) is above 3 %, where the loss (Reno) is at least 2 %"
        assert asked.denied.startswith("the loss (Reno) is not above 3 %, where")

    def test_ask_of_each_step(self) -> None:
        reno = LOSS.at("grid", variant="Reno")
        assert reno.rises("clients").on(SIDE).cells == {(20,): YES, (40,): YES}
        assert reno.rises("clients", times=3).on(SIDE).cells == {(20,): NO, (40,): NO}
        assert reno.falls("clients").some().on(SIDE).only is NO

    def test_say_what_they_ask(self) -> None:
        reno = LOSS.at("grid", variant="Reno", clients=(10, 20))
        ten, twenty = (reno.pick(clients=clients) for clients in (10, 20))
        assert twenty.above(ten, times=1.1).words == (
            "the loss (Reno, 20 clients) is above 1.1 times the loss (Reno, 10 clients)"
        )
        assert (
            ten.below(twenty, times=2).words
            == "2 times the loss (Reno, 10 clients) is below the loss (Reno, 20 clients)"
        )
        assert (~ten.below(3)).words == "the loss (Reno, 10 clients) is not below 3 %"
        assert (
            ten.at_least(1) & ten.at_most(2)
        ).words == "the loss (Reno, 10 clients) is at least 1 % and is at most 2 %"
        assert ten.near(1, by=0.05).words == "the loss (Reno, 10 clients) is within 0.05 % of 1 %"
        assert ten.within(0.1, of=twenty).words == (
            "the loss (Reno, 10 clients) is within 10 % of the loss (Reno, 20 clients)"
        )
        assert reno.falls("clients", times=1.1).some().denied == (
            "the loss (Reno, 10 and 20 clients) falls by a factor of more than 1.1 at no step of the clients"
        )
        assert reno.above(1).called("it loses").words == "it loses"


class TestRules:
    reno = LOSS.at("grid", variant="Reno")
    ten = reno.pick(clients=10)

    @pytest.mark.parametrize(
        ("whole", "part", "verdict"),
        [
            (0.5, 0.5, Verdict.REPRODUCED),
            (1.5, 0.5, Verdict.PARTLY),
            (1.5, 1.2, Verdict.NOT),
            (1.5, 1.0, Verdict.UNDECIDED),
        ],
    )
    def test_bars(self, whole: float, part: float, verdict: Verdict) -> None:
        rule = Bars(whole=self.ten.above(whole), part=self.ten.above(part))
        assert rule.judge(SIDE).verdict is verdict

    def test_bars_say_what_they_ask_and_what_was_measured(self) -> None:
        rule = Bars(whole=self.ten.above(1.5), part=self.ten.above(0.5))
        assert rule.words.startswith(
            "Reproduced if the loss (Reno, 10 clients) is above 1.5 %; partly if it is above 0.5 %; otherwise not "
        )
        assert Bars(whole=self.reno.above(1.5), part=self.ten.above(0.5)).judge(SIDE).verdict is Verdict.PARTLY
        assert rule.judge(SIDE).why == "Loss (Reno, 10 clients) is 1.0 ± <0.1 %."
        assert Holds(self.reno.above(0)).judge(SIDE).why.startswith("Loss (Reno): 1.0 ± <0.1 % (10 clients), 2.0")

    def test_points_count(self) -> None:
        outcome = AtPoints(self.reno.above(1.5), points="client counts").judge(SIDE)
        assert outcome.verdict is Verdict.PARTLY
        assert outcome.why == "The loss (Reno) is above 1.5 % at 2 of 3 client counts, but not at 10 clients."
        assert AtPoints(self.reno.above(0.5), self.reno.above(9)).judge(SIDE).verdict is Verdict.NOT
        assert AtPoints(self.ten.above(0.5)).judge(SIDE).why == "The loss (Reno, 10 clients) is above 0.5 %: yes."

    def test_points_are_counted_along_an_axis_too(self) -> None:
        outcome = AtPoints(LOSS.at("grid").above(0.7), by="variant").judge(SIDE)
        failing = "not at Vegas, 10 clients"
        assert outcome.why == f"The loss is above 0.7 % at 4 of 5 points, but {failing}: 3 of 3 (Reno), 1 of 2 (Vegas)."

    def test_of_many_groups_the_worst_and_the_best_are_named(self) -> None:
        keys = [(name, clients) for name in ("Tahoe", "Reno", "SACK", "Vegas") for clients in (10, 20)]
        side = Runs({"grid": runs({key: float(at) for at, key in enumerate(keys)}, spread=0)})
        why = AtPoints(LOSS.at("grid").above(3.5), by="variant").judge(side).why
        assert why == "The loss is above 3.5 % at 4 of 8 points: 0 of 2 (Reno) to 2 of 2 (Vegas)."

    def test_depends(self) -> None:
        loss = LOSS.at("weights", weight=(0.002, 0.02))
        side = Runs(
            {
                "grid": SIDE.part("grid"),
                "weights": [
                    Run(where={"weight": weight}, seed=seed, values={"loss": weight * seed})
                    for weight in (0.002, 0.02)
                    for seed in (100, 101)
                ],
            }
        )
        rule = Depends(Holds(self.ten.above(1.5)), on="RED's weight", again=loss.above(1), named="weights")
        outcome = rule.judge(side)
        assert (outcome.verdict, outcome.setting) == (Verdict.DEPENDS, "RED's weight")
        assert outcome.why.endswith("Of 2 other weights, the test passes at weight 0.02 and fails at weight 0.002.")
        steady = Depends(Holds(self.ten.above(0.5)), on="RED's weight", again=loss.above(0.1), named="weights")
        assert steady.judge(side).verdict is Verdict.REPRODUCED
        assert "depends on RED's weight" in rule.words

    def test_depends_on_the_answer_to_a_question_of_its_own(self) -> None:
        """The usual answer is no, so the claim is partly reproduced; only a clear yes elsewhere is the opposite."""
        usual = Bars(whole=self.ten.above(1.5), part=self.ten.above(0.5))
        twenty = self.reno.pick(clients=20)
        for bar, verdict in ((1.5, Verdict.DEPENDS), (2.5, Verdict.PARTLY)):
            rule = Depends(usual, on="load", again=twenty.above(bar), asked=self.ten.above(1.5))
            assert rule.judge(SIDE).verdict is verdict
        unsure = Depends(usual, on="load", again=twenty.above(2), asked=self.ten.above(1.5), words="So it says.")
        assert unsure.judge(SIDE).verdict is Verdict.PARTLY
        assert unsure.words.endswith("So it says.")
        assert unsure.judge(SIDE).why.endswith("It is undecided whether the loss (Reno, 20 clients) is above 2 %.")
        open_ = Depends(usual, on="load", again=twenty.above(1.5), asked=self.ten.above(1))
        assert open_.judge(SIDE).verdict is Verdict.PARTLY
        assert open_.judge(SIDE).why.endswith("The loss (Reno, 20 clients) is above 1.5 %.")

    def test_at_most_partly(self) -> None:
        rule = AtMostPartly(self.ten.above(0.5), because="one point is too few")
        assert rule.judge(SIDE).verdict is Verdict.PARTLY
        assert "one point is too few" in rule.words
        assert AtMostPartly(self.ten.above(1.5), because="x").judge(SIDE).verdict is Verdict.NOT
        assert AtMostPartly(self.ten.above(1), because="x").judge(SIDE).verdict is Verdict.UNDECIDED

    def test_varied(self) -> None:
        usual, twenty = Holds(self.ten.above(0.5)), self.reno.pick(clients=20)
        steady, opposite, undecided = (Holds(twenty.above(bar)) for bar in (1, 3, 2))
        outcome = Varied(usual, {"a": opposite, "b": steady, "c": undecided}, words="Asked again.").judge(SIDE)
        assert (outcome.verdict, outcome.setting) == (Verdict.DEPENDS, "a")
        assert Varied(usual, {"b": steady, "c": undecided}, words="").judge(SIDE).verdict is Verdict.REPRODUCED
        open_ = Varied(Holds(self.ten.above(1)), {"a": opposite, "b": steady}, words="").judge(SIDE)
        assert open_.verdict is Verdict.UNDECIDED
        assert Varied(usual, {"b": steady, "a": opposite}, words="Asked again.").words.count("Asked again.") == 1

    def test_fixed(self) -> None:
        moving, still, unsure = (self.reno.above(bar) for bar in (3, 5, 4))
        outcome = Fixed({"ties": moving, "weight": still}).judge(SIDE)
        assert (outcome.verdict, outcome.setting) == (Verdict.DEPENDS, "ties")
        assert Fixed({"ties": still}).judge(SIDE).verdict is Verdict.REPRODUCED
        assert Fixed({"ties": still, "weight": unsure}).judge(SIDE).verdict is Verdict.UNDECIDED
        assert Fixed({"ties": moving, "weight": unsure}).judge(SIDE).setting == "ties"
        assert "ties (the loss (Reno) is above 3 %)" in Fixed({"ties": moving}).words
        said = Fixed({"ties": moving.called("ties move it"), "weight": unsure}).judge(SIDE).why
        assert said == "Ties move it. It is undecided whether the loss (Reno) is above 4 %."

    def test_several_questions_of_one_point_each(self) -> None:
        outcome = AtPoints(self.ten.above(0.5), self.ten.above(1), self.ten.above(2)).judge(SIDE)
        assert outcome.why.split(". ") == [
            "The loss (Reno, 10 clients) is above 0.5 %: yes",
            "The loss (Reno, 10 clients) is above 1 %: undecided",
            "The loss (Reno, 10 clients) is above 2 %: no.",
        ]

    @pytest.mark.parametrize(
        ("bar", "verdict"),
        [
            (0.3, Verdict.REPRODUCED),
            (0.7, Verdict.DEPENDS),
            (0.5, Verdict.UNDECIDED),
            (1.0, Verdict.UNDECIDED),
            (1.5, Verdict.NOT),
        ],
    )
    def test_choices(self, bar: float, verdict: Verdict) -> None:
        rule = Choices(
            Holds(LOSS.at("grid", clients=10).above(bar)), axis="variant", values=("Reno", "Vegas"), on="the TCP"
        )
        outcome = rule.judge(SIDE)
        assert outcome.verdict is verdict
        assert outcome.setting == ("the TCP" if verdict is Verdict.DEPENDS else "")
        assert outcome.why.startswith(f"Reno: {Holds(self.ten.above(bar)).judge(SIDE).verdict}. Loss")
        assert "depends on the TCP" in rule.words

    def test_a_way_has_the_runs_of_no_way_too(self) -> None:
        other = [Run(where={"clients": 10}, seed=seed, values={"loss": 0.7}) for seed in (1, 2)]
        side = Runs({"grid": SIDE.part("grid"), "other": other})
        asked = LOSS.at("grid", clients=10).above(LOSS.at("other", clients=10))
        rule = Choices(Holds(asked), axis="variant", values=("Reno", "Vegas"), on="the TCP")
        assert rule.judge(side).verdict is Verdict.DEPENDS

    @pytest.mark.parametrize(
        ("bar", "verdict"),
        [
            (0.3, Verdict.REPRODUCED),
            (0.7, Verdict.DEPENDS),
            (0.5, Verdict.UNDECIDED),
            (1.0, Verdict.UNDECIDED),
            (1.5, Verdict.NOT),
        ],
    )
    def test_either(self, bar: float, verdict: Verdict) -> None:
        rule = Either(LOSS.at("grid", clients=10).above(bar), on="the TCP", points="TCPs")
        outcome = rule.judge(SIDE)
        assert outcome.verdict is verdict
        assert outcome.setting == ("the TCP" if verdict is Verdict.DEPENDS else "")
        assert "depends on the TCP" in rule.words
        if verdict is Verdict.DEPENDS:
            assert outcome.why == "The loss (10 clients) is above 0.7 % at 1 of 2 TCPs: Reno."

    def test_custom(self) -> None:
        rule = Custom(lambda _: Outcome(verdict=Verdict.NOT, why="So."), "Never.")
        assert (rule.judge(SIDE).verdict, rule.words) == (Verdict.NOT, "Never.")


def test_bars_can_count_points_in_place_of_means() -> None:
    loss = LOSS.at("grid", variant="Reno").above(1.5)
    outcome = Bars(whole=loss, part=loss.some(), counted="client counts").judge(SIDE)
    assert outcome.why == "The loss (Reno) is above 1.5 % at 2 of 3 client counts, but not at 10 clients."
    assert outcome.verdict is P


class TestReadings:
    @pytest.mark.parametrize(
        ("found", "verdict"),
        [
            ((R, R, R), R),
            ((N, N, N), N),
            ((R, P, N), D),
            ((R, N, N), D),
            ((R, P, P), P),
            ((P, P, N), P),
            ((P, N, N), N),
            ((U, U, U), U),
            ((R, P, U), U),
            ((N, N, U), U),
            ((P, P, U), P),
            ((R, N, U), D),
        ],
    )
    def test_make_one_verdict(self, found: tuple[Verdict, ...], verdict: Verdict) -> None:
        assert over_readings(found) is verdict

    @pytest.mark.parametrize(("bar", "verdict"), [(0.1, R), (0.9, D), (4.5, N)])
    def test_ask_under_each(self, bar: float, verdict: Verdict) -> None:
        rule = Readings(Holds(LOSS.at("grid").above(bar)), axis="variant", values=["Reno", "Vegas"], on="the TCP")
        outcome = rule.judge(SIDE)
        assert (outcome.verdict, outcome.setting) == (verdict, "the TCP" if verdict is D else "")
        assert outcome.why.startswith("Reno: ")
        assert "Reno," not in outcome.why  # the points of a reading do not repeat it


class TestPaired:
    ARRIVALS = Measure(name="arrivals", label="arrivals", digits=0).at("flows")

    @staticmethod
    def flows(**lead: float) -> Runs:
        """Return three variants whose values all shift by hundreds between seeds."""
        means = {"Tahoe": 1000.0, "Reno": 1000.0, "SACK": 1000.0}
        return Runs(
            {
                "flows": [
                    Run(where={"variant": name}, seed=seed, values={"arrivals": mean + lead.get(name, 0) + 100 * seed})
                    for name, mean in means.items()
                    for seed in (1, 2, 3)
                ]
            }
        )

    def test_nothing_of_the_common_load_is_left_in_a_lead(self) -> None:
        ahead = lead(self.ARRIVALS, "variant", "Reno").points(self.flows(Reno=120)).cells
        assert ahead.keys() == {("Tahoe",), ("SACK",)}
        assert (ahead["SACK",].mean, ahead["SACK",].half_width) == (120, 0)

    def test_a_relative_lead_is_of_the_mean_of_both(self) -> None:
        ahead = lead(self.ARRIVALS, "variant", "Reno", others=["SACK"], relative=True)
        (point,) = ahead.points(self.flows(Reno=120)).cells.values()
        assert point.mean == pytest.approx(100 * 120 / (1000 + 200 + 60))
        assert ahead.above(9).on(self.flows(Reno=120)).cells == {("SACK",): YES}
        assert ahead.words == "paired lead of Reno over SACK in arrivals"

    def test_who_was_not_run_leads_nobody(self) -> None:
        with pytest.raises(LookupError, match="lead of Vegas"):
            lead(self.ARRIVALS, "variant", "Vegas").points(self.flows())

    def test_share_of_runs_has_wilsons_interval(self) -> None:
        share = share_of_runs(self.ARRIVALS, lambda value: value > 1150, "share above 1150")
        point = share.points(self.flows()).cells["Reno",]
        assert point.count == 3
        assert [point.mean, point.low, point.high] == pytest.approx([2 / 3, 0.208, 0.939], abs=1e-3)

    def test_one_run_can_refute_never_but_not_establish_it(self) -> None:
        asked = never(self.ARRIVALS, lambda value: value > 1350, "no run has more than 1350")
        assert set(asked.on(self.flows()).cells.values()) == {YES}
        single = Runs({"flows": [run for run in self.flows(SACK=300).part("flows") if run.seed == 1]})
        assert asked.on(single).cells == {("Tahoe",): OPEN, ("Reno",): OPEN, ("SACK",): NO}

    def test_reach_of_one_more_run(self) -> None:
        """For 1, 2 and 3 the interval of the mean is 2 +- 2.484; the interval for one more run is twice as wide."""
        sample = [1.0, 2.0, 3.0]
        assert (within_reach(sample, 2 + 4.967), within_reach(sample, 2 + 4.969)) == (OPEN, NO)
        assert within_reach([5.0], 5) is OPEN

    def test_a_value_that_many_runs_have_is_within_reach(self) -> None:
        """With 1,000 normal runs, 1.5 standard deviations are within reach, 1.96 are at the limit, 2.1 are beyond."""
        sample = np.random.default_rng(1).normal(size=1000)
        sample = (sample - sample.mean()) / sample.std(ddof=1)
        assert [within_reach(sample.tolist(), value) for value in (0, 1.5, 1.96, -2.1)] == [YES, YES, OPEN, NO]
        assert within_reach([3.0, 3.0], 3) is YES

    def test_reach_and_span_take_the_number_of_their_point(self) -> None:
        printed = {"Tahoe": 1200.0, "Reno": 9000.0, "SACK": 1050.0}
        asked = reaches(self.ARRIVALS, lambda at: printed[str(at["variant"])], "one run has it")
        assert asked.on(self.flows()).cells == {("Tahoe",): YES, ("Reno",): NO, ("SACK",): OPEN}
        spanned = spans(self.ARRIVALS, "variant", lambda _: 1250.0, "a run has it")
        assert spanned.on(self.flows()).cells == {(): YES}

    def test_missing_numbers_can_answer_no(self) -> None:
        rows = [Run(where={"n": n}, seed=seed, values={"h": h}) for n, h in ((1, 0.9), (2, None)) for seed in (1, 2)]
        asked = Measure(name="h", label="H").at("long").above(0.5)
        assert asked.on(Runs({"long": rows})).cells == {(1,): YES}
        assert asked.else_no("long").on(Runs({"long": rows})).cells == {(1,): YES, (2,): NO}
        assert asked.else_no("long").on(Runs({"long": rows[2:]})).cells == {(2,): NO}


class TestClaim:
    ten = LOSS.at("grid", variant="Reno", clients=10)

    def test_reports_both_sides_and_a_dash_for_what_was_not_measured(self) -> None:
        claim = Claim(key="1", where="1", text="It loses.", test=Holds(self.ten.above(0.5)))
        judgement = claim.judge(Both())
        assert judgement.ours == "loss (Reno, 10 clients): 1.0 ± <0.1 %"
        assert judgement.ns2 == "–"  # noqa: RUF001 - the dash
        assert claim.judge(Both(ns2=SIDE)).ns2 == judgement.ours

    def test_says_a_sentence_of_its_own(self) -> None:
        twenty = LOSS.at("grid", variant="Reno", clients=20)
        claim = Claim(
            key="1", where="1", text="It loses.", test=Holds(self.ten.above(0.5)), why="It loses {more}.",
            shows={"more": twenty},
        )  # fmt: skip
        judgement = claim.judge(Both())
        assert judgement.why == "It loses 2.0 %."
        assert "loss (Reno, 20 clients): 2.0" in judgement.ours

    def test_says_what_a_function_makes_of_the_numbers(self) -> None:
        claim = Claim(
            key="1", where="1", text="It loses.", test=Holds(self.ten.above(0.5)),
            why=lambda said: f"{said.outcome.verdict}: {said.mean(self.ten):.2f}, {len(said(self.ten).cells)}.",
        )  # fmt: skip
        assert claim.judge(Both()).why == "reproduced: 1.00, 1."

    def test_says_at_how_many_points(self) -> None:
        reno = LOSS.at("grid", variant="Reno").above(1.5)
        claim = Claim(
            key="1", where="1", text="It loses.", test=Holds(reno), why=lambda said: said.counted(reno, "points")
        )
        assert claim.judge(Both()).why == "2 of 3 points"


class TestTables:
    def test_two_axes_run_down_and_across(self) -> None:
        # The coordinates have another order than ours.
        theirs = [Run(where={"clients": 20, "variant": "Reno"}, seed=1, values={"loss": 1.9})]
        (table,) = tabled([LOSS.at("grid")], Both(ns2=Runs({"grid": theirs})))
        assert table.caption == "Loss, %: mean ± half-width of the 95 % interval"
        assert table.head == ["", "10 clients", "20 clients", "40 clients"]
        assert table.rows == [
            ["Reno", "1.0 ± <0.1", "2.0 ± <0.1", "4.0 ± 0.1"],
            ["Reno; ns-2.35", "–", "1.9", "–"],  # noqa: RUF001 - what was not measured
            ["Vegas", "0.5 ± <0.1", "1.0 ± <0.1", "–"],  # noqa: RUF001
        ]

    def test_one_axis_runs_down_with_a_column_for_each_simulator(self) -> None:
        (table,) = tabled([LOSS.at("grid", variant="Reno")], Both(ns2=SIDE))
        assert table.head == ["Point", "Ackclock", "ns-2.35"]
        assert table.rows[1] == ["20 clients", "2.0 ± <0.1", "2.0 ± <0.1"]

    def test_few_points_need_none(self) -> None:
        few, many = LOSS.at("grid", variant="Vegas"), LOSS.at("grid")
        assert tabled([few, LOSS.at("other")], Both()) == []
        # It has a table if another quantity has one.
        assert [len(table.rows) for table in tabled([few, many], Both())] == [2, 2]

    def test_of_a_claim_are_the_numbers_that_it_reports(self) -> None:
        claim = Claim(
            key="1",
            where="1",
            text="It grows.",
            test=Holds(LOSS.at("grid", variant="Reno", clients=40).above(1)),
            shows={"all": LOSS.at("grid")},
            figure="growth",
        )
        assert judge([claim], Both())[0].finding.figure == "growth"
        one, every = judge([claim], Both())[0].finding.tables
        assert (len(one.rows), len(every.rows)) == (1, 2)


def test_a_number_can_be_computed_of_several_quantities() -> None:
    both = computed(lambda a, b: a + b, *(LOSS.at("grid", variant=one) for one in ("Reno", "Vegas")), words="sum")
    assert {key: round(point.mean, 9) for key, point in both.points(SIDE).cells.items()} == {(10,): 1.5, (20,): 3}
    assert (both.words, both.unit) == ("sum", "%")
    assert both.called("total", unit="", digits=3).points(SIDE).cells.keys() == {(10,), (20,)}


class TestProfile:
    profile = Profile(
        name="cov", label="c.o.v.", axes={"bin": (0.1, 1.0)}, of=lambda run: run.values.get("covs"), digits=3
    )
    side = Runs(
        {
            "close": [
                Run(where={"variant": variant}, seed=seed, values={"covs": covs and [value + seed for value in covs]})
                for variant, covs in {"UDP": None, "Reno": (1.0, 2.0), "Vegas": (3.0, 4.0)}.items()
                for seed in (1, 3)
            ]
        }
    )

    def test_has_an_axis_of_its_own(self) -> None:
        points = self.profile.at("close").points(self.side)
        assert points.axes == ("variant", "bin")
        assert {key: point.mean for key, point in points.cells.items()} == {
            ("Reno", 0.1): 3,
            ("Reno", 1.0): 4,
            ("Vegas", 0.1): 5,
            ("Vegas", 1.0): 6,
        }
        asked = self.profile.at("close", variant="Reno")
        assert (asked.words, asked.digits) == ("c.o.v. (Reno)", 3)
        assert asked.points(self.side).along("bin").only[1.0].count == 2
        with pytest.raises(LookupError, match="c.o.v"):
            self.profile.at("close", variant="UDP").points(self.side)

    def test_may_have_several_axes_and_places_without_a_number(self) -> None:
        profile = Profile(
            name="h",
            label="H",
            axes={"method": ("wavelets", "R/S"), "bin": (0.1, 1.0)},
            of=lambda run: [1.0, None, 3.0, 4.0 if run.seed == 1 else None],
        )
        side = Runs({"close": [Run(where={"variant": "Reno"}, seed=seed, values={}) for seed in (1, 2)]})
        points = profile.at("close", variant="Reno").points(side)
        assert points.axes == ("method", "bin")
        assert {key: (point.mean, point.count) for key, point in points.cells.items()} == {
            ("wavelets", 0.1): (1, 2),
            ("R/S", 0.1): (3, 2),
            ("R/S", 1.0): (4, 1),
        }
        asked = profile.at("close", method=("R/S",), bin=0.1)
        assert asked.points(side).axes == ("method", "variant")
        with pytest.raises(LookupError):
            profile.at("close", method="wavelets", bin=1.0).points(side)

    def test_is_drawn_without_markers_and_written_curve_by_curve(self) -> None:
        evidence, of = Both(ours=self.side), self.profile.at("close")
        (reno, _) = Lines(of=of, x="bin", by="variant", pens=PENS, plain=True).series(evidence)
        assert isinstance(reno, Series)
        assert (list(reno.x), list(reno.y), reno.marker, reno.error) == ([0.1, 1], [3, 4], None, None)  # type: ignore[arg-type]
        rows = curves_csv("bin_s", ("cov", of))(evidence).splitlines()
        assert rows[0] == "measure,curve,bin_s,mean,ci95"
        assert rows[1].startswith("cov,Reno,0.1,3,12.7")
        assert curves_csv("bin_s", ("cov", of), ("again", of))(evidence).splitlines()[: len(rows)] == rows

    def test_points_may_stand_side_by_side_at_other_places(self) -> None:
        lines = Lines(
            of=self.profile.at("close"), x="bin", by="variant", pens=PENS, places={0.1: 1.0, 1.0: 2.0}, apart=0.2
        )
        reno, vegas = lines.series(Both(ours=self.side))
        assert isinstance(reno, Series)
        assert isinstance(vegas, Series)
        assert (reno.x, vegas.x, reno.dash) == ([0.9, 1.9], [1.1, 2.1], "none")

    def test_columns_of_tables_may_have_two_axes(self) -> None:
        table = Numbers(of=self.profile.at("close"), rows="variant", columns=("variant", "bin"), head="", caption="c")
        assert table.table(self.side).head == ["", "Reno, 0.1", "Reno, 1", "Vegas, 0.1", "Vegas, 1"]

    def test_tables_of_named_quantities_have_a_row_or_columns_for_each(self) -> None:
        of = {name: self.profile.at("close", variant=name) for name in ("Reno", "UDP", "Vegas")}
        table = Numbers(of=of, columns="bin", head="TCP", caption="c").table(self.side)
        assert table.head == ["TCP", "bins of 0.1 s", "bins of 1 s"]
        assert [row[0] for row in table.rows] == ["Reno", "Vegas"], "UDP has none"
        assert Numbers(of=of, rows="bin", head="Bin", caption="c").table(self.side).head == ["Bin", "Reno", "Vegas"]
        both = {"C.o.v.": self.profile.at("close")}
        table = Numbers(of=both, rows="bin", columns="variant", head="Bin", caption="c").table(self.side)
        assert table.head == ["Bin", "C.o.v., Reno", "C.o.v., Vegas"]

    def test_tables_of_several_follow_one_another(self) -> None:
        reno, vegas = (self.profile.at("close", variant=(name,)) for name in ("Reno", "Vegas"))
        table = Numbers(of=(vegas, reno), rows="bin", columns="variant", head="Bin", caption="c").table(self.side)
        assert table.head == ["Bin", "Vegas", "Reno"]
        assert [row[0] for row in table.rows] == ["0.1", "1"]


class TestFigure:
    loss = LOSS.at("grid")

    def figure(self, **chosen: object) -> Figure:
        plot = Plot(
            x=Axis(label="Clients"),
            y=lambda evidence: Axis(label="Loss (%)", high=2 * self.loss.points(evidence.ours).cells["Reno", 40].mean),
            marks=[
                Lines(of=self.loss, x="clients", by="variant", pens=PENS),
                Flat(of=LOSS.at("grid", clients=10), by="variant", low=1, high=50, pens=PENS),
                Series(name="formula", x=[1, 2], y=[3, 4], colour="ink"),
            ],
            levels=[Level(y=1)],
        )
        numbers = Numbers(of=self.loss, rows="clients", columns="variant", head="Clients", caption="Loss, %")
        values = {"plots": [plot], "data": {"loss": self.loss}, "numbers": numbers, **chosen}
        return Figure(slug="loss", title="Loss", what="What.", rest="Rest.", **values)  # type: ignore[arg-type]

    def test_draws_both_sides(self) -> None:
        panel = self.figure().drawing(Both(ns2=SIDE), command="x").chart.panels[0]
        names = [series.name for series in panel.series]
        assert names[:4] == ["Reno, ns-2.35", "Vegas, ns-2.35", "Reno", "Vegas"]
        assert names[4:] == ["Reno", "Vegas", "formula", "hollow: ns-2.35"]
        alone = self.figure().drawing(Both(), command="x").chart.panels[0]
        assert [series.name for series in alone.series] == ["Reno", "Vegas", "Reno", "Vegas", "formula"]
        assert panel.y.high == pytest.approx(8)
        assert list(panel.series[2].x) == [10, 20, 40]  # type: ignore[arg-type]
        assert list(panel.series[4].y) == pytest.approx([1, 1])  # type: ignore[arg-type]

    def test_writes_a_row_for_each_point_of_each_side(self) -> None:
        rows = self.figure(axes={"clients": "n"}).drawing(Both(ns2=SIDE), command="x").csv.splitlines()
        assert rows[0] == "source,variant,n,runs,loss,loss_ci95"
        assert rows[1].startswith("ackclock,Reno,10,3,1,0.024")
        assert len(rows) == 1 + 2 * len(MEANS)
        assert len(self.figure().drawing(Both(), command="x").csv.splitlines()) == 1 + len(MEANS)
        assert self.figure(csv=lambda _: "mine").drawing(Both(), command="x").csv == "mine"

    def test_lays_numbers_out(self) -> None:
        table = self.figure().drawing(Both(), command="x").numbers
        assert table.head == ["Clients", "Reno", "Vegas"]
        assert table.rows[2] == ["40", "4.0 ± 0.1", "–"]  # noqa: RUF001 - the dash

    def test_says_what_points_are(self) -> None:
        alone = self.figure().drawing(Both(), command="x").caption
        assert alone.startswith("What. Points are means of 3 runs with bars")
        assert alone.endswith("(Student's t). Rest.")
        assert "of 3 runs of ns-2.35" in self.figure().drawing(Both(ns2=SIDE), command="x").caption
        single = Runs({"grid": [row for row in SIDE.part("grid") if row.seed == 1]})
        assert "single runs" in self.figure().drawing(Both(ours=single), command="x").caption
        own = self.figure(points="Means of {runs}.").drawing(Both(ns2=SIDE), command="x").caption
        assert own == "What. Means of 3 runs. Rest."
        table = self.figure().drawing(Both(), command="x").numbers
        assert self.figure(numbers=lambda _: table).drawing(Both(), command="x").numbers is table
        mixed = Runs({"grid": [row for row in SIDE.part("grid") if row.seed < 3 or row.where["variant"] == "Reno"]})
        assert "of 3 runs (Reno) and 2 runs (Vegas)" in self.figure().drawing(Both(ours=mixed), command="x").caption
