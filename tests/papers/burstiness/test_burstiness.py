"""The burstiness study: setup, texts, report, and agreement with ns-2."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
import re
import sys
from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import scipy.stats
from tests.support.few import few
from tests.support.kept import hold

import ackclock as ac
from ackclock.cli import main
from ackclock.papers.burstiness import measures
from ackclock.papers.burstiness.agreement import TOLERANCES, agreement_statement
from ackclock.papers.burstiness.claims import CLAIMS
from ackclock.papers.burstiness.close_figures import MEMORY_FIGURE, QUEUE_FIGURE, SCALES_FIGURE
from ackclock.papers.burstiness.experiment import (
    ARRIVALS,
    CAPACITY,
    CLIENTS,
    DEFINITION,
    DROPS,
    VARIANTS,
    WEIGHTS,
)
from ackclock.papers.burstiness.grid_figures import FIGURE_2, FIGURE_3, FIGURE_4, FIGURE_13, WEIGHT
from ackclock.papers.burstiness.measures import LOSS, TIMEOUTS_PER_DUP_ACK, settle_time, warm_summary
from ackclock.papers.burstiness.study import PAPER
from ackclock.papers.comparison import Tolerance, compare, named
from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both, Paper
from ackclock.papers.core.parts import Part, Spot, gather
from ackclock.papers.core.table import ns2_runs, read_runs
from ackclock.papers.observation import summary
from ackclock.running.origin import Origin
from ackclock.study import Batch, Point, Wanted, run_grid
from ns2 import burstiness as compared

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ackclock.report.html import Drawing


def measured(part: str) -> list[Run]:
    return [Run(where=row.where, seed=row.seed, values=row.values) for row in ns2_runs("burstiness").part(part)]


@pytest.fixture(scope="module")
def theirs() -> list[Run]:
    return [run for run in measured("grid") if run.where["clients"] in CLIENTS]


def drawn(runs: list[Run]) -> list[Drawing]:
    side = Runs({"grid": runs})
    figures = (FIGURE_2, FIGURE_3, FIGURE_4, FIGURE_13)
    return [figure.drawing(Both(ours=side, ns2=side), command="ackclock") for figure in figures]


def both(runs: Both) -> Both:
    """Return the same runs on both sides."""
    return Both(ours=runs.ours, ns2=runs.ours)


def scaled(runs: list[Run], measure: str, factor: float) -> list[Run]:
    return [
        dataclasses.replace(run, values={**run.values, measure: factor * (run.values[measure] or 0)}) for run in runs
    ]


class TestSetup:
    def test_is_table_1(self) -> None:
        whole = DEFINITION.scenario("Reno/DelAck/RED", clients=60).effective()
        assert whole.dumbbell is not None
        bottleneck = whole.dumbbell.bottleneck
        assert (bottleneck.rate, bottleneck.delay) == ("50 Mbps", "25 ms")
        assert bottleneck.queue is not None
        assert (bottleneck.queue.kind, bottleneck.queue.packets) == ("red", 50)
        assert bottleneck.queue.parameters["min_th"] == 10
        assert bottleneck.queue.parameters["max_th"] == 40
        assert bottleneck.queue.parameters["w_q"] == 0.002
        (group,) = whole.clients
        assert isinstance(group.transport, ac.Tcp)
        assert (group.count, group.packet_size) == (60, 1500)
        assert (group.transport.max_window, group.transport.delayed_ack) == (20, True)
        assert group.transport.overhead == "12 us"
        assert (whole.measure.bin, whole.measure.from_, whole.duration) == ("100 ms", "0 s", "200 s")

    def test_capacity(self) -> None:
        assert round(CAPACITY) == 833_333

    def test_curves_are_those_of_the_paper(self) -> None:
        assert list(VARIANTS) == [
            "UDP",
            "Reno",
            "Reno/DelAck",
            "Vegas",
            "Reno/RED",
            "Reno/DelAck/RED",
            "Vegas/RED",
        ]


class TestNs2:
    def test_runs_are_all_there(self) -> None:
        modern, era = measured("grid"), measured("grid_2000")
        assert set(Counter(tuple(run.where.values()) for run in modern).values()) == {5}
        assert set(Counter(tuple(run.where.values()) for run in era).values()) == {3}
        assert (len(modern), len(era)) == (7 * 24 * 5, 7 * 13 * 3)
        assert {run.where["clients"] for run in modern} == {*CLIENTS, 70, 80, 100}

    def test_values(self) -> None:
        first = next(run for run in measured("grid") if (*run.where.values(), run.seed) == ("Reno", 60, 1))
        assert first.values["cov"] == 0.127617
        assert first.values["timeouts"] == 5025
        assert first.values["loss"] == pytest.approx(17503 / 794330)
        assert next(run for run in measured("grid_2000") if run.where["variant"] == "UDP").values["timeouts"] is None

    def test_crossover(self) -> None:
        settled = {
            (part, clients): sum(
                run.values["settled"] or 0 for run in measured(part) if run.where["clients"] == clients
            )
            for part in ("crossover", "crossover_2000")
            for clients in (37, 38, 39, 40)
        }
        assert list(settled.values()) == [12, 10, 0, 0, 12, 8, 0, 0]


class TestComparison:
    def test_a_simulator_agrees_with_itself(self, theirs: list[Run]) -> None:
        compared = compare(theirs, theirs, TOLERANCES)
        assert all(place.agrees and place.difference == 0 for place in compared)
        assert {place.tolerance.title for place in compared} == {tolerance.title for tolerance in TOLERANCES}

    def test_timeouts_are_compared_where_reno_is_congested(self, theirs: list[Run]) -> None:
        places = [place for place in compare(theirs, theirs, TOLERANCES) if place.tolerance.title == "timeouts"]
        assert {place.where["clients"] for place in places} == {n for n in CLIENTS if n >= 39}
        assert {place.where["variant"] for place in places} == {"Reno", "Reno/DelAck", "Reno/RED", "Reno/DelAck/RED"}

    @pytest.mark.parametrize(
        ("measure", "title", "factor"),
        [("cov", "c.o.v. from 0 s", 1.2), ("departures", "departures", 1.02), ("drops_warm", "loss from 20 s", 1.5)],
    )
    def test_a_wrong_one_is_found_out(self, theirs: list[Run], measure: str, title: str, factor: float) -> None:
        crowd = [run for run in theirs if tuple(run.where.values()) == ("Reno", 60)]
        wrong = [place for place in compare(scaled(crowd, measure, factor), crowd, TOLERANCES) if not place.agrees]
        assert [place.tolerance.title for place in wrong] == [title]
        assert wrong[0].relative == pytest.approx(factor - 1)
        assert wrong[0].standard_errors > 3

    def test_chance_is_forgiven(self) -> None:
        def runs(*values: float) -> list[Run]:
            return [
                Run(where={"variant": "Reno", "clients": 20}, seed=seed, values={"cov": value})
                for seed, value in enumerate(values)
            ]

        tolerances = [tolerance for tolerance in TOLERANCES if tolerance.title == "c.o.v. from 0 s"]
        (spread,) = compare(runs(0.1, 0.2), runs(0.2, 0.3), tolerances)
        assert spread.agrees
        assert spread.standard_errors == pytest.approx(-(2**0.5))
        (sharp,) = compare(runs(0.15, 0.15), runs(0.25, 0.25), tolerances)
        assert not sharp.agrees
        # A difference that is hidden by scatter is not proved absent.
        assert not spread.is_equivalent
        (tight,) = compare(runs(0.2, 0.2001, 0.2002), runs(0.2001, 0.2002, 0.2003), tolerances)
        assert tight.is_equivalent
        (near,) = compare(runs(0.2, 0.2001, 0.2002), runs(0.2085, 0.2086, 0.2087), tolerances)
        assert not near.is_equivalent  # 4.1 % apart

    def test_equivalence_is_by_welch(self) -> None:
        ours, theirs = [1.0, 1.2, 1.1, 1.4], [1.3, 1.0, 1.2]
        tolerance = Tolerance(title="x", measure=named("x"), relative=0.0, absolute=1.0)

        def runs(values: list[float]) -> list[Run]:
            return [
                Run(where={"variant": "v", "clients": 1}, seed=seed, values={"x": value})
                for seed, value in enumerate(values)
            ]

        (place,) = compare(runs(ours), runs(theirs), [tolerance])
        interval = scipy.stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95)
        edge = max(abs(interval.low), abs(interval.high))
        for margin, equivalent in ((edge + 1e-9, True), (edge - 1e-9, False)):
            tolerance = Tolerance(title="x", measure=named("x"), relative=0.0, absolute=margin)
            assert dataclasses.replace(place, tolerance=tolerance).is_equivalent is equivalent

    def test_a_single_run_of_theirs_leaves_our_degrees_of_freedom(self) -> None:
        """The interval predicts one more run with the standard deviation of our runs."""
        ours = [1.0, 1.2, 1.1, 1.4]
        reach = scipy.stats.t.ppf(0.975, len(ours) - 1) * np.std(ours, ddof=1) * math.sqrt(1 + 1 / len(ours))
        for margin, equivalent in ((0.075 + reach + 1e-9, True), (0.075 + reach - 1e-9, False)):
            tolerance = Tolerance(title="x", measure=named("x"), relative=0.0, absolute=margin)
            left, right = (
                [Run(where={"variant": "v"}, seed=seed, values={"x": value}) for seed, value in enumerate(values)]
                for values in (ours, [1.1])
            )
            (place,) = compare(left, right, [tolerance], single=True)
            assert place.is_equivalent is equivalent

    def test_fisher(self) -> None:
        same = compared.Crossover(clients=38, ours=(9, 12), theirs=(10, 12))
        other = compared.Crossover(clients=38, ours=(2, 12), theirs=(10, 12))
        assert same.agrees
        assert not other.agrees
        assert other.p == pytest.approx(0.00333, rel=0.01)


class TestWords:
    def test_ns2_agrees_with_itself(self, theirs: list[Run]) -> None:
        said = agreement_statement(theirs, theirs)
        assert said.lead == "Ackclock and ns-2.35 are not distinguishable at 100.0 % of the points."
        assert "lies within the margin" in said.text

    def test_half_the_burstiness_does_not(self, theirs: list[Run]) -> None:
        said = agreement_statement(scaled(theirs, "cov", 0.5), theirs)
        found = re.search(r"at ([\d.]+) % of the points", said.lead)
        assert found
        assert 60 < float(found[1]) < 75  # two of three measures are unchanged

    def test_one_seed_claims_no_agreement(self, theirs: list[Run]) -> None:
        single = [run for run in theirs if run.seed == 1]
        assert agreement_statement(single, theirs).lead == "A single seed has no error bars."


class TestFigures:
    def test_data(self, theirs: list[Run]) -> None:
        drawings = drawn(theirs)
        assert [drawing.slug for drawing in drawings] == ["figure2", "figure3", "figure4", "figure13"]
        rows = list(csv.DictReader(io.StringIO(drawings[2].csv)))
        assert {row["source"] for row in rows} == {"ackclock", "ns-2.35"}
        row = next(row for row in rows if (row["variant"], row["clients"]) == ("Vegas", "60"))
        vegas = LOSS.at("grid").points(Runs({"grid": theirs})).cells["Vegas", 60]
        assert float(row["loss_percent"]) == pytest.approx(vegas.mean, rel=1e-5)
        assert float(row["loss_percent_ci95"]) == pytest.approx(vegas.half_width, rel=1e-5)
        assert (min(int(row["clients"]) for row in rows), max(int(row["clients"]) for row in rows)) == (30, 100)

    def test_timeouts_per_duplicate_ack(self, theirs: list[Run]) -> None:
        reno = next(run for run in theirs if (*run.where.values(), run.seed) == ("Reno", 60, 1))
        assert TIMEOUTS_PER_DUP_ACK(reno) == pytest.approx(100 * 5025 / 117808)
        assert TIMEOUTS_PER_DUP_ACK(dataclasses.replace(reno, values={"timeouts": 1, "dup_acks": 0})) is None
        drawing = drawn(theirs)[-1]
        assert drawing.numbers.head == ["Clients", *(name for name in VARIANTS if name != "UDP")]
        assert {row["variant"] for row in csv.DictReader(io.StringIO(drawing.csv))} == set(VARIANTS) - {"UDP"}

    def test_a_point_without_duplicate_acks_is_a_dash(self, theirs: list[Run]) -> None:
        silent = [
            dataclasses.replace(run, values={**run.values, "dup_acks": 0})
            if tuple(run.where.values()) == ("Vegas", 30)
            else run
            for run in theirs
        ]
        first = drawn(silent)[-1].numbers.rows[0]
        assert (first[0], first[3]) == ("30", "\N{EN DASH}")

    def test_one_seed_draws_no_bars(self, theirs: list[Run]) -> None:
        drawings = drawn([run for run in theirs if run.seed == 1])
        assert all("single runs, without bars" in drawing.caption for drawing in drawings)
        assert not any("inf" in cell for row in drawings[0].numbers.rows for cell in row)


class TestWeights:
    def test_figure_and_data(self, their_runs: Both) -> None:
        drawing = WEIGHT.drawing(both(their_runs), command="ackclock")
        rows = list(csv.DictReader(io.StringIO(drawing.csv)))
        heavy = next(row for row in rows if (row["variant"], row["weight"]) == ("Reno/RED", "8e-05"))
        (run,) = (
            run
            for run in their_runs.ours.part("weights")
            if (run.where["variant"], run.where["weight"]) == ("Reno/RED", 8e-5)
        )
        assert float(heavy["loss_percent"]) == pytest.approx(LOSS(run), rel=1e-5)
        assert {row["variant"] for row in rows if not row["weight"]} == {"Reno", "Vegas"}
        assert [panel.x.log for panel in drawing.chart.panels] == [True] * 3
        assert not any("inf" in cell or "nan" in cell for row in drawing.numbers.rows for cell in row)


class TestSecondLook:
    def test_figures_and_data(self, their_runs: Both) -> None:
        scales, memory, queue = (
            figure.drawing(both(their_runs), command="ackclock")
            for figure in (SCALES_FIGURE, MEMORY_FIGURE, QUEUE_FIGURE)
        )
        assert [drawing.slug for drawing in (scales, memory, queue)] == ["scales", "memory", "queue"]
        reno = next(look for look in their_runs.ours.part("close") if look.where == {"variant": "Reno", "clients": 60})
        rows = list(csv.DictReader(io.StringIO(scales.csv)))
        row = next(row for row in rows if (row["measure"], row["curve"], row["bin_s"]) == ("cov", "Reno", "0.1"))
        assert float(row["mean"]) == pytest.approx(np.asarray(reno.values["ladder"])[3], rel=1e-5)
        share = next(row for row in csv.DictReader(io.StringIO(queue.csv)) if row["curve"] == "Reno")
        assert (share["packets"], share["mean"]) == ("0", "1")
        assert not any("inf" in cell for drawing in (scales, memory) for row in drawing.numbers.rows for cell in row)


class TestReport:
    def test_is_whole(self, their_runs: Both) -> None:
        judged = judge(CLAIMS, both(their_runs))
        report = PAPER.report(their_runs, judged, command="ackclock reproduce burstiness --seeds 5")
        slugs = [*(f"figure{number}" for number in range(2, 14)), "scales", "memory", "queue", "weight"]
        assert [drawing.slug for drawing in report.drawings] == slugs
        assert [finding.key for finding in report.findings] == [claim.key for claim in CLAIMS]
        assert sum(report.verdicts.values()) == len(CLAIMS)
        hold("burstiness", report)
        last = report.sections[-1]
        assert last.title == "Changed rules"
        assert last.table is not None
        assert [row[0] for row in last.table.rows] == ["2.2-1", "3.2.3-12"]
        assert [row[3:5] for row in last.table.rows] == [["reproduced", "partly"]] * 2
        as_before = few(PAPER, PAPER.claims[:1]).report(their_runs, judged[:1], command="x")
        assert [section.title for section in as_before.sections] == ["The paper's figures", "Further measurements"]


def short(packets_per_second: float) -> ac.Scenario:
    return ac.Scenario(
        duration="2 s",
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="5 ms"), bottleneck=ac.Link(rate="1 Mbps", delay="5 ms")
        ),
        clients=(ac.Clients(transport=ac.Udp(), source=ac.Poisson(rate=packets_per_second)),),
    )


class TestGrid:
    points = (Point(name="few", scenario=short(20)), Point(name="many", scenario=short(200)))

    def test_one_run_serves_all_whose_records_fit(self) -> None:
        ran: list[ac.Run] = []

        def wanted(*record: str, seeds: Sequence[int] = (1, 2)) -> Wanted[int, list[tuple[str, int, int]]]:
            def take(run: ac.Run) -> int:
                if not any(run is other for other in ran):
                    ran.append(run)
                return len(run.table("arrivals")) if "arrivals" in run.tables else run.summary.arrivals

            return Wanted(
                points=self.points,
                seeds=seeds,
                record=record,
                take=take,
                make=lambda runs: [(each.point.name, each.seed, each.value) for each in runs],
            )

        batch = Batch()
        plain = batch.add(wanted("drops"))
        fine, coarse = batch.add(wanted("arrivals/10ms", seeds=[2])), batch.add(wanted("arrivals/1s", seeds=[2]))
        batch.run(jobs=1)
        assert [run.record for run in ran].count(("drops", "arrivals/10ms")) == 2
        assert len(ran) == 4 + 2
        assert [row[:2] for row in plain()] == [("few", 1), ("few", 2), ("many", 1), ("many", 2)]
        assert [row[:2] for row in coarse()] == [("few", 2), ("many", 2)]
        assert {value for *_, value in fine()} == {100 * value for *_, value in coarse()}

    def test_a_failure_is_named_and_ends_the_rest(self) -> None:
        def take(run: ac.Run) -> int:
            raise RuntimeError(str(run.seed))

        with pytest.raises(RuntimeError, match="1") as caught:
            run_grid(self.points, seeds=range(1, 100), take=take, jobs=1)
        assert caught.value.__notes__ == ["in the run of few with seed 1"]

    def test_interruption_stops_the_runs_in_flight(self) -> None:
        long = short(200).model_copy(update={"duration": "100000 s"})

        def interrupt(_run: ac.Run) -> None:
            raise KeyboardInterrupt

        points = (self.points[0], Point(name="long", scenario=long))
        with pytest.raises(KeyboardInterrupt):
            run_grid(points, seeds=[1], take=interrupt, jobs=2)

    def test_a_terminal_sees_counts(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        run_grid(self.points, seeds=[1, 2], take=lambda run: run.seed, label="study")
        assert "4 of 4 runs" in capsys.readouterr().err


class TestRuns:
    def test_warm_numbers_are_those_of_a_run_measured_from_there(self) -> None:
        whole = DEFINITION.scenario("Reno", clients=44)
        warm = whole.model_copy(update={"measure": ac.Measure.model_validate({"from": "20 s"})})
        taken = measures.warm_summary(ac.simulate(whole, seed=1, record=[ARRIVALS, DROPS]))
        direct = ac.simulate(warm, seed=1).summary
        assert taken["cov_warm"] == pytest.approx(direct.cov, rel=1e-12)
        assert taken["drops_warm"] == direct.drops

    def test_observations_carry_every_number(self) -> None:
        spots = [
            Spot(where={"variant": name, "clients": 1}, scenario=DEFINITION.scenario(name, clients=1))
            for name in ("UDP", "Vegas")
        ]
        first, second = gather([Part(name="alone", spots=spots, take=summary)], seeds=[7]).part("alone")
        assert (dict(first.where), first.seed) == ({"variant": "UDP", "clients": 1}, 7)
        assert second.where["variant"] == "Vegas"
        alone = summary(ac.simulate(DEFINITION.scenario("UDP", clients=1), seed=7))
        assert {name: value for name, value in alone.items() if name in first.values} == first.values
        assert all(alone[name] is None for name in alone.keys() - first.values.keys())

    @pytest.mark.slow
    def test_agrees_with_ns2(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Validates: c.o.v., departures, loss, timeouts and duplicate ACKs agree with ns-2 at the points with the
            largest effects.
        Source: ns-2.35, 5 seeds per point.
        Tolerance: the wider of three standard errors and a fixed margin; see agreement.md.
        """
        table = tmp_path / "agreement.md"
        status = compared.main(arguments=["--quick", "--only", "ns2-2.35", "--markdown", str(table)])
        printed = capsys.readouterr().out
        assert table.read_text() == printed
        assert status == 0, printed


class TestCommand:
    @pytest.mark.slow
    @pytest.mark.usefixtures("placeholders")
    def test_writes_the_study_whole(
        self,
        their_runs: Both,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        # ns-2's runs replace ours, since only the steps from runs to files are tested.
        monkeypatch.setattr(Paper, "evidence", lambda *_, **__: their_runs)
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as ended:
            main(["reproduce"])
        assert ended.value.code == 0
        assert capsys.readouterr().out == "The report is out/burstiness/report.html\n"
        out = tmp_path / "out" / "burstiness"
        record = json.loads((out / "record.json").read_text())
        assert record["command"] == "ackclock reproduce burstiness --seeds 5"
        assert Origin.read(record) == Origin.here()
        assert f"<dt>Program</dt><dd>{Origin.here()}</dd>" in (out / "report.html").read_text()
        assert sorted([*record["files"], "record.json"]) == sorted(path.name for path in out.iterdir())
        kept = read_runs(out / "evidence.parquet", source="ackclock")
        assert {name: len(rows) for name, rows in kept.parts.items()} == {
            name: len(rows) for name, rows in their_runs.ours.parts.items()
        }
        assert len(kept.part("windows")) == 8 * 20
        monkeypatch.setattr(Paper, "write", lambda _, folder, **__: (folder / "report.html").touch())
        with pytest.raises(SystemExit) as ended:
            main(["reproduce"])
        assert ended.value.code == 0
        assert capsys.readouterr().out == "The report is out/burstiness/report.html; it replaced an earlier one\n"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["reproduce", "burstyness"], "burstiness"),
            (["reproduce", "--seeds", "0"], "--seeds"),
            (["reproduce", "--jobs", "0"], "--jobs"),
            (["reproduce", "--seeds", "five"], "--seeds: 'five' is not allowed; must be an integer from 1"),
            (["reproduce", "--out", f"{__file__}/below"], "below: cannot be used: Not a directory"),
            (["reproduce", "--out", __file__], "--out"),
        ],
    )
    def test_refuses(self, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        said = capsys.readouterr().err
        assert message in said
        assert said.count("\n") == 1


class TestEvidence:
    def test_ns2_has_what_it_measured(self) -> None:
        side = ns2_runs("burstiness")
        assert len(side.part("grid")) == 7 * 24 * 5
        assert side.part("grid")[0].values["jain_index"] == 1
        assert {run.where["weight"] for run in side.part("weights")} == set(WEIGHTS)
        places = {(run.where["variant"], run.where["clients"]) for run in side.part("ties")}
        assert places == set(product(("Reno", "Vegas"), (44, 60)))
        assert {run.where["clients"] for run in side.part("crossover")} == {37, 38, 39, 40}
        assert {run.where["variant"] for run in side.part("queues")} == set(VARIANTS)
        assert {"dependence", "cutting"} <= side.part("close")[0].values.keys()
        assert (len(side.part("windows")), len(side.part("bands"))) == (8 * 20, 8)

    def test_parts_are_the_scenarios_with_one_thing_changed(self) -> None:
        parts = {part.name: part for part in DEFINITION.parts()}
        cells = [(spot.where["variant"], spot.where["clients"]) for spot in parts["grid"].spots]
        assert cells == list(product(VARIANTS, CLIENTS))
        changed: dict[str, dict[str, Any]] = {
            "grid": {},
            "minimum": {"clients.0.transport.base_rtt": "minimum"},
            "ties": {"clients.0.transport.overhead": "0 s"},
            "roomy": {"dumbbell.bottleneck.queue.packets": 150},
            "crossover": {},
            "weights": {},
            "close_weights": {},
        }
        for name, fields in changed.items():
            for spot in parts[name].spots:
                where: dict[str, Any] = {axis: value for axis, value in spot.where.items() if axis != "variant"}
                alone = DEFINITION.scenario(str(spot.where["variant"]), **where, **fields)
                assert spot.scenario.effective() == alone.effective()
        assert [spot.where["weight"] for spot in parts["weights"].spots[:7]] == list(WEIGHTS)

    def test_fields_reach_the_scenario(self) -> None:
        whole = DEFINITION.scenario("Vegas/RED", clients=10, weight=0.01).effective()
        assert whole.dumbbell is not None
        assert whole.dumbbell.bottleneck.queue is not None
        assert whole.dumbbell.bottleneck.queue.parameters["w_q"] == 0.01
        (group,) = whole.clients
        assert isinstance(group.transport, ac.Tcp)
        assert (group.count, group.transport.variant, group.transport.overhead) == (10, "vegas", "12 us")

    def test_runs_carry_what_is_taken(self) -> None:
        spot = Spot(where={}, scenario=DEFINITION.scenario("Reno", clients=20))
        parts = [
            Part(name="grid", spots=[spot], take=warm_summary, record=[ARRIVALS, DROPS]),
            Part(name="crossover", spots=[spot], take=settle_time, record=[DROPS]),
        ]
        made = gather(parts, seeds=[1])
        (run,), (settled,) = made.part("grid"), made.part("crossover")
        assert {"cov", "cov_warm", "drops_warm", "drops_start", "jain_index"} <= run.values.keys()
        assert (run.values["drops"] or 0) > 0
        assert run.values["drops_start"] == run.values["drops"]
        assert settled.values == {"settle_time": 5.0}
