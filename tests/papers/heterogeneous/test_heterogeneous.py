"""The studies of two kinds of client: setup, figures, report, and agreement with ns-2."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.papers.burstiness.burstiness_world import constant
from tests.support.kept import hold

import ackclock as ac
from ackclock.cli import main
from ackclock.papers.burstiness.experiment import WEIGHTS
from ackclock.papers.characterization import study as short
from ackclock.papers.comparison import compare
from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.paper import Both, Paper
from ackclock.papers.core.parts import gather
from ackclock.papers.core.table import ns2_runs, read_runs
from ackclock.papers.heterogeneous import study
from ackclock.papers.heterogeneous.agreement import TOLERANCES, agreement_statement
from ackclock.papers.heterogeneous.evidence import curves, paired, pairs, parts, scaling
from ackclock.papers.heterogeneous.evidence import theirs as their_side
from ackclock.papers.heterogeneous.experiment import (
    GREEDY,
    LATE,
    MOST,
    SCENES,
    class_summary,
    gateway_name,
    scenario,
    variants,
)
from ackclock.papers.heterogeneous.figures import MODEL, newcomer_figures
from ackclock.papers.heterogeneous.measures import (
    ALL_CARRIED,
    ALL_LOSS,
    BACKGROUND_EACH,
    CARRIED,
    EACH,
    HELD,
    LOSS,
    RATIO,
    loss,
)
from ackclock.papers.heterogeneous.stochastic import OPEN, SMALL, model_runs
from ns2 import heterogeneous as compared

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ackclock.papers.core.evidence import Row, Scalar

HALF, HALF_LARGE, FULL, FULL_LARGE = SCENES
PAPERS = {"heterogeneous": study.PAPER, "characterization": short.PAPER}


@pytest.fixture(scope="module")
def theirs() -> Sequence[Row]:
    return ns2_runs("heterogeneous").part("curves")


@pytest.fixture(scope="module")
def ours(their_runs: Both, theirs: Sequence[Row]) -> Runs:
    """Return ns-2's runs in place of ours, for tests of the texts and figures that are made from runs."""
    alone = their_runs.ours
    grid = [
        Run(where=row.where, seed=row.seed, values={"fast_retransmits": 1.0, "queue_mean": 1.0, **row.values})
        for row in alone.part("grid")
    ]
    index = {"dependence": 5, "cutting": 0.1, "window_ratio": 1, "queue_cov": 1}
    ends = [row for row in theirs if row.where["clients"] == MOST - int(row.where["background"])]
    reno = [row for row in grid if row.where["variant"] == "Reno"]
    model = model_runs(replications=2)
    return paired(
        Runs(
            {
                **their_side().parts,
                "grid": grid,
                "queues": grid,
                "close": [*alone.part("close"), *constant({("Reno", 44): index, ("Reno", 50): index})],
                "curves": theirs,
                "scales": constant({("Reno", clients): {"slope": -0.6} for clients in (39, 44, 50, 60)}),
                "least_curves": ends,
                "greedy_curves": ends,
                "weighted_curves": [
                    Run(where={**row.where, "weight": weight}, seed=row.seed, values=row.values)
                    for weight in WEIGHTS
                    for row in ends
                ],
                "model": model,
                "models": [*reno, *model],
            }
        )
    )


def evidence(ours: Runs, paper: Paper) -> Both:
    """Remove the parts that a paper does not have, and add ns-2's runs."""
    theirs = paper.derived(paper.ns2())
    backgrounds = {row.where["background"] for row in theirs.part("curves")}
    kept = {
        name: [row for row in rows if row.where.get("background", 20) in backgrounds]
        for name, rows in ours.parts.items()
    }
    return Both(ours=Runs(kept), ns2=theirs)


class TestSetup:
    def test_is_that_of_the_paper(self) -> None:
        whole = scenario(HALF_LARGE, "Vegas/RED2", 25).effective()
        assert whole.dumbbell is not None
        assert whole.dumbbell.bottleneck.queue is not None
        queue = whole.dumbbell.bottleneck.queue
        assert (queue.kind, queue.packets) == ("red", 1500)
        assert [queue.parameters[name] for name in ("min_th", "max_th", "w_q")] == [75, 300, 0.002]
        background, added = whole.clients
        assert (background.name, background.count, background.start) == ("background", 20, "0 s")
        assert (added.name, added.count, added.start) == ("added", 25, "1 s")
        assert isinstance(background.transport, ac.Tcp)
        assert isinstance(added.transport, ac.Tcp)
        assert (background.transport.variant, added.transport.variant) == ("reno", "vegas")
        assert added.transport.parameters["beta"] == 3
        assert {background.transport.overhead, added.transport.overhead} == {"12 us"}
        assert (whole.measure.bin, whole.measure.from_, whole.duration) == ("100 ms", "0 s", "200 s")

    def test_thresholds(self) -> None:
        found = {
            (scene.buffer, variant): (queue.parameters["min_th"], queue.parameters["max_th"])
            for scene in (HALF, HALF_LARGE)
            for variant in variants(scene)
            for dumbbell in [scenario(scene, variant, 5).effective().dumbbell]
            if dumbbell and (queue := dumbbell.bottleneck.queue) and queue.kind == "red"
        }
        assert found == {
            **dict.fromkeys([(50, "Reno/RED"), (50, "Vegas/RED")], (10, 40)),
            **dict.fromkeys([(1500, "Reno/RED1"), (1500, "Vegas/RED1")], (300, 1200)),
            **dict.fromkeys([(1500, "Reno/RED2"), (1500, "Vegas/RED2")], (75, 300)),
        }

    def test_choices_reach_the_scenario(self) -> None:
        whole = scenario(FULL, "Vegas/RED", 8, start="10 s", weight=0.01, base_rtt="minimum", **GREEDY).effective()
        assert whole.dumbbell is not None
        assert whole.dumbbell.bottleneck.queue is not None
        assert whole.dumbbell.bottleneck.queue.parameters["w_q"] == 0.01
        background, added = whole.clients
        assert (background.start, added.start) == ("0 s", "10 s")
        assert isinstance(added.transport, ac.Tcp)
        assert added.transport.parameters["base_rtt"] == "minimum"
        assert {group.source.kind for group in whole.clients} == {"greedy"}
        assert scenario(FULL, "Reno", 8, base_rtt="minimum") == scenario(FULL, "Reno", 8)

    def test_each_curve_ends_with_as_many_clients(self) -> None:
        assert {scene.counts[-1] + scene.background for scene in SCENES} == {MOST}


class TestNs2:
    def test_runs_are_all_there(self, theirs: Sequence[Row]) -> None:
        places = Counter(tuple(row.where.values()) for row in theirs)
        assert set(places) == {
            (*scene.where.values(), variant, added)
            for scene in SCENES
            for variant in variants(scene)
            for added in scene.counts
        }
        assert set(places.values()) == {3}

    def test_late_and_repeated_runs(self) -> None:
        assert {
            (row.where["background"], row.where["clients"]) for row in ns2_runs("heterogeneous").part("late_curves")
        } == {(background, added) for background, counts in LATE.items() for added in counts}
        again = ns2_runs("heterogeneous").part("again_curves")
        assert {(row.where["background"], row.where["buffer"]) for row in again} == {(40, 1500)}
        assert {row.seed for row in again} == set(range(11, 31))

    def test_values(self, theirs: Sequence[Row]) -> None:
        run = next(row for row in theirs if (tuple(row.where.values()), row.seed) == ((20, 50, "Reno", 5), 1))
        assert CARRIED(run) == pytest.approx(99.645)
        assert ALL_CARRIED(run) == pytest.approx(500.201)
        assert loss("background")(run) == pytest.approx(72 / 400628)
        assert ALL_LOSS(run) == pytest.approx(100 * 72 / 500273)
        assert EACH(run) == pytest.approx(99623 / 5 / 199)
        assert BACKGROUND_EACH(run) == pytest.approx(400472 / 20 / 200)


class TestMeasures:
    def test_classes_add_up(self) -> None:
        (run,) = gather([curves([(HALF, "Vegas", 5)])], seeds=[3]).part("curves")
        values = {name: value or 0 for name, value in run.values.items()}
        for name in ("arrivals", "departures", "drops", "timeouts"):
            assert values[f"added_{name}"] + values[f"background_{name}"] == values[name]
        assert values["added_goodput_packets"] == pytest.approx(5 * 100 * 199, rel=0.02)
        assert HELD(run) == pytest.approx(values["queue_mean"] / 25, rel=0.02)

    def test_is_taken_of_a_run(self) -> None:
        (run,) = gather([curves([(HALF, "Reno", 5)])], seeds=[2]).part("curves")
        taken = class_summary(ac.simulate(scenario(HALF, "Reno", 5), seed=2))
        assert run.values == {name: value for name, value in taken.items() if value is not None}

    def test_pairs_have_one_seed(self) -> None:
        def of(variant: str, seed: int, packets: float) -> Run:
            where: dict[str, Scalar] = {**HALF.where, "variant": variant, "clients": 5}
            return Run(where=where, seed=seed, values={"added_goodput_packets": packets})

        runs = [of("Reno", 1, 100), of("Reno", 2, 200), of("Vegas", 1, 150), of("Vegas", 2, 300), of("Vegas", 3, 1)]
        found = pairs(runs)
        where = {"background": 20, "gateway": gateway_name(50, ""), "added": 5}
        assert [(run.where, run.seed) for run in found] == [(where, seed) for seed in (1, 2)]
        assert [RATIO(run) for run in found] == pytest.approx([1.5, 1.5])
        assert gateway_name(1500, "/RED1") == "RED1 300/1200, 1,500 packets"

    def test_memoryless_arrivals_scale_as_poisson(self, their_runs: Both) -> None:
        udp = next(row for row in their_runs.ours.part("close") if row.where["variant"] == "UDP")
        assert scaling(udp).values["slope"] == pytest.approx(-0.5, abs=0.05)

    def test_parts_have_the_points_of_the_claims(self) -> None:
        there = {part.name: len(part.spots) for part in parts()}
        assert there["curves"] == 140
        assert there["late_curves"] == there["least_curves"] * 2 == there["greedy_curves"] * 2 == 40
        assert there["weighted_curves"] == 7 * 2 * (1 + 2) * 2
        assert (there["close"], there["windows"]) == (4, 2)


class TestModel:
    def test_starts_decide_when_it_jumps(self) -> None:
        runs = model_runs((36, 40, 60), replications=3)
        cov = Measure(name="cov", label="c.o.v.").at("model").points(Runs({"model": runs})).cells
        small, opened = ({count: cov[name, count] for count in (36, 40, 60)} for name in (SMALL, OPEN))
        assert small[36].mean == pytest.approx(360**-0.5, rel=0.05)
        assert small[40].mean > 0.2
        assert opened[40].mean == pytest.approx(400**-0.5, rel=0.05)
        assert opened[60].mean == pytest.approx(small[60].mean, rel=0.01)


class TestComparison:
    def test_a_simulator_agrees_with_itself(self, theirs: Sequence[Row]) -> None:
        places = compare(theirs, theirs, TOLERANCES)
        assert len(places) == 4 * 140
        assert all(place.is_near and place.agrees for place in places)
        assert agreement_statement(theirs, theirs).lead.endswith("not distinguishable at 100.0 % of the points.")

    @pytest.mark.parametrize(
        ("name", "factor", "tolerance"),
        [("added_goodput_packets", 1.1, 0), ("background_goodput_packets", 0.9, 1), ("added_drops", 1.5, 2)],
    )
    def test_a_wrong_one_is_found_out(self, theirs: Sequence[Row], name: str, factor: float, tolerance: int) -> None:
        here = [row for row in theirs if tuple(row.where.values()) == (20, 50, "Reno", 40)]
        changed = [
            Run(where=row.where, seed=row.seed, values={**row.values, name: factor * row.values[name]}) for row in here
        ]
        wrong = [place for place in compare(changed, here, TOLERANCES) if not place.agrees]
        assert [place.tolerance for place in wrong] == [TOLERANCES[tolerance]]

    def test_one_seed_claims_no_agreement(self, theirs: Sequence[Row]) -> None:
        single = [row for row in theirs if row.seed == 1]
        assert agreement_statement(single, theirs).lead == "A single seed has no error bars."

    @pytest.mark.slow
    def test_agrees_with_ns2(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Validates: goodput and loss of each of two kinds of client agree with ns-2 for the largest numbers of
            clients.
        Source: ns-2.35, 3 seeds per point.
        Tolerance: the wider of three standard errors and a fixed margin; see agreement_heterogeneous.md.
        """
        table = tmp_path / "agreement.md"
        status = compared.main(arguments=["--quick", "--markdown", str(table)])
        printed = capsys.readouterr().out
        assert table.read_text() == printed
        assert status == 0, printed


class TestReport:
    @pytest.mark.parametrize("name", PAPERS)
    def test_is_whole(self, ours: Runs, name: str) -> None:
        paper = PAPERS[name]
        both = evidence(ours, paper)
        report = paper.report(both, judge(paper.claims, both), command=f"ackclock reproduce {name}")
        has_model = name == "heterogeneous"
        scenes = SCENES if has_model else SCENES[:2]
        figures = [f"figure{number}" for number in range(2, 14 if has_model else 9)]
        others = [f"others-{scene.slug}" for scene in scenes]
        shares = [f"advantage-{background}" for background in dict.fromkeys(scene.background for scene in scenes)]
        assert [drawing.slug for drawing in report.drawings] == [*figures, *others, *shares]
        assert [finding.key for finding in report.findings] == [claim.key for claim in paper.claims]
        assert sum(report.verdicts.values()) == len(paper.claims)
        hold(name, report)
        letters = [drawing.title[:9] for drawing in report.drawings[len(figures) :]]
        assert letters == [f"Figure {letter}." for letter in "ABCDEF"[: len(letters)]]

    def test_figures_have_the_numbers(self, ours: Runs, theirs: Sequence[Row]) -> None:
        both = evidence(ours, study.PAPER)
        report = study.PAPER.report(both, judge(study.PAPER.claims, both), command="ackclock")
        drawings = {one.slug: one for one in report.drawings}
        rows = list(csv.DictReader(io.StringIO(drawings["figure12"].csv)))
        row = next(row for row in rows if (row["variant"], row["clients"]) == ("Vegas/RED2", "20"))
        there = LOSS.at("curves", **FULL_LARGE.where, variant="Vegas/RED2", clients=20)
        mean = there.points(Runs({"curves": theirs})).only.mean
        assert float(row["loss_percent"]) == pytest.approx(mean, rel=1e-5)
        assert drawings["figure5"].numbers.head == ["Added clients", "Reno", "Vegas", "Reno/RED", "Vegas/RED"]
        assert not any("nan" in cell for one in drawings.values() for row in one.numbers.rows for cell in row)

    def test_captions_say_of_how_many_runs_the_points_are(self, ours: Runs) -> None:
        """The numbers of runs in a caption equal the numbers in the column `runs` of the figure's data."""
        both = evidence(ours, study.PAPER)
        drawn = [figure.drawing(both, command="ackclock") for figure in newcomer_figures()]
        mixed = MODEL.drawing(both, command="ackclock")
        assert "Points are means of 5 runs (Reno) and 2 runs (Model, W = 1; Model, W = 20)" in mixed.caption
        for one in (*drawn, mixed):
            counts = {row["runs"] for row in csv.DictReader(io.StringIO(one.csv))}
            assert set(re.findall(r"(\d+) runs", one.caption)) == counts, one.caption


class TestCommand:
    @pytest.mark.slow
    @pytest.mark.usefixtures("placeholders")
    @pytest.mark.parametrize("name", ["heterogeneous", "characterization"])
    def test_writes_the_study_whole(
        self, name: str, ours: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def instead(_paper: Paper, **_: object) -> Both:
            return evidence(ours, PAPERS[name])

        monkeypatch.setattr(Paper, "evidence", instead)
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", name, "--seeds", "3"])
        assert ended.value.code == 0
        assert capsys.readouterr().out == f"The report is out/{name}/report.html\n"
        out = tmp_path / "out" / name
        record = json.loads((out / "record.json").read_text())
        assert record["command"] == f"ackclock reproduce {name} --seeds 3"
        assert sorted([*record["files"], "record.json"]) == sorted(path.name for path in out.iterdir())
        runs = read_runs(out / "evidence.parquet", source="ackclock")
        first = [row for row in runs.part("curves") if (row.where["background"], row.where["buffer"]) == (20, 50)]
        assert len(first) == 4 * 8 * 3
        assert {row.where["weight"] for row in runs.part("weighted")} == set(WEIGHTS)
