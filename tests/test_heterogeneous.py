"""The studies of two kinds of client: their set-up, figures and report, and their agreement with ns-2."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from pyarrow import parquet
from tests.burstiness_world import constant

import ackclock as ac
from ackclock.cli import main
from ackclock.papers.burstiness.evidence import from_ns2 as alone_from_ns2
from ackclock.papers.characterization import study as short
from ackclock.papers.claims import judge
from ackclock.papers.heterogeneous import agreement, ns2, study
from ackclock.papers.heterogeneous.comparison import RULES, agreement_statement, compare_scenes
from ackclock.papers.heterogeneous.evidence import LATE, WEIGHTS, Evidence, Side, from_ns2, pairs, scaling
from ackclock.papers.heterogeneous.experiment import (
    MOST,
    SCENES,
    Choice,
    class_summary,
    gateway_name,
    scenario,
    scene_wanted,
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
from ackclock.papers.observation import Observation, observed
from ackclock.papers.reading import along
from ackclock.study import observe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ackclock.papers.core.paper import Both
    from ackclock.papers.heterogeneous.experiment import Scene

HALF, HALF_LARGE, FULL, FULL_LARGE = SCENES


@pytest.fixture(scope="module")
def theirs() -> Mapping[Scene, Sequence[Observation]]:
    return ns2.scenes()


@pytest.fixture(scope="module")
def ours(their_runs: Both, theirs: Mapping[Scene, Sequence[Observation]]) -> Side:
    """Put ns-2's runs in the place of ours, for tests of the way from runs to words and figures."""
    grid = [
        dataclasses.replace(run, values={"fast_retransmits": 1.0, "queue_mean": 1.0, **run.values})
        for run in observed(their_runs.ours.part("grid"))
    ]
    index = {"dependence": 5, "cutting": 0.1, "window_ratio": 1, "queue_cov": 1}
    close = observed([*their_runs.ours.part("close"), *constant({("Reno", 44): index, ("Reno", 50): index})])
    alone = dataclasses.replace(alone_from_ns2(), grid=grid, queues=grid, close=close)
    ends = {scene: [run for run in runs if run.clients == scene.most] for scene, runs in theirs.items()}
    return Side(
        alone=alone,
        scenes=theirs,
        scales=observed(constant({("Reno", clients): {"slope": -0.6} for clients in (39, 44, 50, 60)})),
        late=ns2.scenes("late"),
        minimum=ends,
        greedy=ends,
        weights=dict.fromkeys(WEIGHTS, ends),
        model=model_runs(replications=2),
    )


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
        choice = Choice(start="10 s", red_weight=0.01, base_rtt="minimum", greedy=True)
        whole = scenario(FULL, "Vegas/RED", 8, choice=choice).effective()
        assert whole.dumbbell is not None
        assert whole.dumbbell.bottleneck.queue is not None
        assert whole.dumbbell.bottleneck.queue.parameters["w_q"] == 0.01
        background, added = whole.clients
        assert (background.start, added.start) == ("0 s", "10 s")
        assert isinstance(added.transport, ac.Tcp)
        assert added.transport.parameters["base_rtt"] == "minimum"
        assert {group.source.kind for group in whole.clients} == {"greedy"}
        assert scenario(FULL, "Reno", 8, choice=Choice(base_rtt="minimum")) == scenario(FULL, "Reno", 8)

    def test_each_curve_ends_with_as_many_clients(self) -> None:
        assert {scene.counts[-1] + scene.background for scene in SCENES} == {MOST}


class TestNs2:
    def test_runs_are_all_there(self, theirs: Mapping[Scene, Sequence[Observation]]) -> None:
        assert set(theirs) == set(SCENES)
        for scene, runs in theirs.items():
            places = Counter((run.variant, run.clients) for run in runs)
            assert set(places) == {(variant, added) for variant in variants(scene) for added in scene.counts}
            assert set(places.values()) == {3}

    def test_late_and_repeated_runs(self) -> None:
        late = ns2.scenes("late")
        assert {(scene.background, run.clients) for scene, runs in late.items() for run in runs} == {
            (background, added) for background, counts in LATE.items() for added in counts
        }
        (again,) = ns2.scenes("recheck").items()
        assert again[0] == FULL_LARGE
        assert {run.seed for run in again[1]} == set(range(11, 31))

    def test_values(self, theirs: Mapping[Scene, Sequence[Observation]]) -> None:
        run = next(
            run
            for run in Side(alone=alone_from_ns2(), scenes={HALF: theirs[HALF]}).part("curves")
            if (run.where["variant"], run.where["clients"], run.seed) == ("Reno", 5, 1)
        )
        assert CARRIED(run) == pytest.approx(99.645)
        assert ALL_CARRIED(run) == pytest.approx(500.201)
        assert loss("background")(run) == pytest.approx(72 / 400628)
        assert ALL_LOSS(run) == pytest.approx(100 * 72 / 500273)
        assert EACH(run) == pytest.approx(99623 / 5 / 199)
        assert BACKGROUND_EACH(run) == pytest.approx(400472 / 20 / 200)


class TestMeasures:
    def test_classes_add_up(self) -> None:
        (run,) = observe(scene_wanted(HALF, seeds=[3], cells=[("Vegas", 5)]))
        values = {name: value or 0 for name, value in run.values.items()}
        for name in ("arrivals", "departures", "drops", "timeouts"):
            assert values[f"added_{name}"] + values[f"background_{name}"] == values[name]
        assert values["added_goodput_packets"] == pytest.approx(5 * 100 * 199, rel=0.02)
        assert HELD(run) == pytest.approx(values["queue_mean"] / 25, rel=0.02)

    def test_is_taken_of_a_run(self) -> None:
        whole = scenario(HALF, "Reno", 5)
        (run,) = observe(scene_wanted(HALF, seeds=[2], cells=[("Reno", 5)]))
        assert run.values == class_summary(ac.simulate(whole, seed=2))

    def test_advantages_pair_seeds(self) -> None:
        def of(variant: str, seed: int, packets: float) -> Observation:
            return Observation(variant=variant, clients=5, seed=seed, values={"added_goodput_packets": packets})

        runs = [of("Reno", 1, 100), of("Reno", 2, 200), of("Vegas", 1, 150), of("Vegas", 2, 300), of("Vegas", 3, 1)]
        found = pairs({HALF: runs})
        where = {"background": 20, "gateway": gateway_name(50, ""), "added": 5}
        assert [(run.where, run.seed) for run in found] == [(where, seed) for seed in (1, 2)]
        assert [RATIO(run) for run in found] == pytest.approx([1.5, 1.5])
        assert gateway_name(1500, "/RED1") == "RED1 300/1200, 1,500 packets"

    def test_memoryless_arrivals_scale_as_poisson(self, their_runs: Both) -> None:
        udp = next(look for look in observed(their_runs.ours.part("close")) if look.variant == "UDP")
        assert scaling(udp).values["slope"] == pytest.approx(-0.5, abs=0.05)


class TestModel:
    def test_starts_decide_when_it_jumps(self) -> None:
        runs = model_runs((36, 40, 60), replications=3)
        small, opened = (along(runs, name, (36, 40, 60), "cov") for name in (SMALL, OPEN))
        assert small[36].mean == pytest.approx(360**-0.5, rel=0.05)
        assert small[40].mean > 0.2
        assert opened[40].mean == pytest.approx(400**-0.5, rel=0.05)
        assert opened[60].mean == pytest.approx(small[60].mean, rel=0.01)


class TestComparison:
    def test_a_simulator_agrees_with_itself(self, theirs: Mapping[Scene, Sequence[Observation]]) -> None:
        places = compare_scenes(theirs, theirs)
        assert len(places) == 4 * 140
        assert all(place.is_near and place.agrees for place in places)
        assert agreement_statement(theirs, theirs).lead.endswith("not distinguishable at 100.0 % of the points.")

    @pytest.mark.parametrize(
        ("name", "factor", "rule"),
        [("added_goodput_packets", 1.1, 0), ("background_goodput_packets", 0.9, 1), ("added_drops", 1.5, 2)],
    )
    def test_a_wrong_one_is_found_out(
        self, theirs: Mapping[Scene, Sequence[Observation]], name: str, factor: float, rule: int
    ) -> None:
        here = [run for run in theirs[HALF] if run.variant == "Reno" and run.clients == 40]
        changed = [
            dataclasses.replace(run, values={**run.values, name: factor * (run.values[name] or 0)}) for run in here
        ]
        wrong = [place for place in compare_scenes({HALF: changed}, {HALF: here}) if not place.agrees]
        assert [place.rule for place in wrong] == [RULES[rule]]

    def test_one_seed_claims_no_agreement(self, theirs: Mapping[Scene, Sequence[Observation]]) -> None:
        single = {scene: [run for run in runs if run.seed == 1] for scene, runs in theirs.items()}
        assert agreement_statement(single, theirs).lead == "A single seed has no error bars."

    @pytest.mark.slow
    def test_agrees_with_ns2(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Validates: goodput and loss of each of two kinds of client agree with ns-2 where there are most clients.

        Source: ns-2.35, 3 seeds a point.
        Tolerance: the wider of three standard errors and a fixed margin; see agreement_heterogeneous.md.
        """
        table = tmp_path / "agreement.md"
        status = agreement.main(["--quick", "--markdown", str(table)])
        printed = capsys.readouterr().out
        assert table.read_text() == printed
        assert status == 0, printed


def part(ours: Side, paper: study.Paper) -> Side:
    """Leave out what a paper does not have."""
    scenes = {scene: ours.scenes[scene] for scene in paper.scenes}
    return dataclasses.replace(ours, scenes=scenes, model=ours.model if paper.has_model else ())


class TestReport:
    @pytest.mark.parametrize("paper", [study.PAPER, short.PAPER], ids=lambda paper: paper.study)
    def test_is_whole(self, ours: Side, paper: study.Paper) -> None:
        mine = dataclasses.replace(
            ours,
            scenes={scene: ours.scenes[scene] for scene in paper.scenes},
            model=ours.model if paper.has_model else (),
        )
        evidence = Evidence(ours=mine, ns2=from_ns2(paper.scenes))
        judged = judge(paper.claims, evidence)
        report = study.report(evidence, judged, command=f"ackclock reproduce {paper.study}", paper=paper)
        figures = [f"figure{number}" for number in range(2, 14 if paper.has_model else 9)]
        others = [f"others-{scene.slug}" for scene in paper.scenes]
        shares = [f"advantage-{background}" for background in dict.fromkeys(scene.background for scene in paper.scenes)]
        assert [drawing.slug for drawing in report.drawings] == [*figures, *others, *shares]
        assert [finding.key for finding in report.findings] == [claim.key for claim in paper.claims]
        assert sum(report.verdicts.values()) == len(paper.claims)
        letters = [drawing.title[:9] for drawing in report.drawings[len(figures) :]]
        assert letters == [f"Figure {letter}." for letter in "ABCDEF"[: len(letters)]]

    def test_figures_have_the_numbers(self, ours: Side, theirs: Mapping[Scene, Sequence[Observation]]) -> None:
        evidence = Evidence(ours=ours, ns2=from_ns2())
        judged = judge(study.PAPER.claims, evidence)
        drawings = {one.slug: one for one in study.report(evidence, judged, command="ackclock").drawings}
        rows = list(csv.DictReader(io.StringIO(drawings["figure12"].csv)))
        row = next(row for row in rows if (row["variant"], row["clients"]) == ("Vegas/RED2", "20"))
        mean = along(theirs[FULL_LARGE], "Vegas/RED2", (20,), LOSS)[20].mean
        assert float(row["loss_percent"]) == pytest.approx(mean, rel=1e-5)
        assert drawings["figure5"].numbers.head == ["Added clients", "Reno", "Vegas", "Reno/RED", "Vegas/RED"]
        assert not any("nan" in cell for one in drawings.values() for row in one.numbers.rows for cell in row)

    def test_captions_say_of_how_many_runs_the_points_are(
        self, ours: Side, theirs: Mapping[Scene, Sequence[Observation]]
    ) -> None:
        """Each number in a caption is in the column `runs` of its figure's own data, and the other way round."""
        evidence = Evidence(ours=ours, ns2=Side(alone=ours.alone, scenes=theirs))
        drawn = [figure.drawing(evidence, command="ackclock") for figure in newcomer_figures()]
        mixed = MODEL.drawing(evidence, command="ackclock")
        assert "Points are means of 5 runs (Reno) and 2 runs (Model, W = 1; Model, W = 20)" in mixed.caption
        for one in (*drawn, mixed):
            counts = {row["runs"] for row in csv.DictReader(io.StringIO(one.csv))}
            assert set(re.findall(r"(\d+) runs", one.caption)) == counts, one.caption


class TestCommand:
    @pytest.mark.slow
    @pytest.mark.usefixtures("placeholders")
    @pytest.mark.parametrize("name", ["heterogeneous", "characterization"])
    def test_writes_the_study_whole(
        self, name: str, ours: Side, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def instead(*, paper: study.Paper, **_: object) -> Side:
            return part(ours, paper)

        monkeypatch.setattr(study, "observe_all", instead)
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", name, "--seeds", "3"])
        assert ended.value.code == 0
        assert capsys.readouterr().out == f"The report is out/{name}/report.html\n"
        out = tmp_path / "out" / name
        record = json.loads((out / "record.json").read_text())
        assert record["command"] == f"ackclock reproduce {name} --seeds 3"
        assert sorted([*record["files"], "record.json"]) == sorted(path.name for path in out.iterdir())
        runs = parquet.read_table(out / "added-20-50.parquet").to_pylist()
        assert len(runs) == 4 * 8 * 3
        stored = ac.Scenario.from_dict(json.loads(runs[0]["scenario"])).effective()
        assert [group.count for group in stored.clients] == [20, 5]
        single = parquet.read_table(out / "single.parquet").to_pandas()
        assert any(setting.startswith("the others start at 10 s") for setting in set(single["setting"]))
