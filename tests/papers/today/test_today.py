"""The study `today`: c.o.v. over time scales, joint losses, the matrix, and its seeds."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from tests.papers.today.today_world import RUNS, WORLD
from tests.support.worlds import put

from ackclock.papers.core.lab import Lab
from ackclock.papers.today.matrix import cells, figure, statement, unstable
from ackclock.papers.today.parts.burstiness import joint, together
from ackclock.papers.today.senders import SENDERS, THEN, TODAY, scenario
from ackclock.papers.today.study import PAPER, derived
from ackclock.papers.today.traffic import ladder, over_poisson
from ackclock.report.html import Verdict


def test_poisson_counts_have_a_ratio_of_one_at_every_scale() -> None:
    """With 10^5 bins the standard error of the ratio is 0.2 % at the finest scale and 2.2 % at the coarsest."""
    counts = np.random.default_rng(1).poisson(5, size=100_000).astype(np.float64)
    assert ladder(counts, 0.01, 500, (0.01, 0.1, 1.0)) == pytest.approx(1, abs=0.07)


def test_a_constant_rate_has_a_ratio_of_zero() -> None:
    assert over_poisson(np.full(100, 7.0), per_bin=7) == 0


def test_independent_streams_have_joint_losses_of_one() -> None:
    """Of 20 streams each loses in a tenth of 20,000 round trips; the standard error of the ratio is 1 %."""
    draw = np.random.default_rng(2)
    flow, bins = np.nonzero(draw.random((20, 20_000)) < 0.1)
    found = joint(bins + 0.5, flow, flows=20, start=0, width=1)
    assert found == pytest.approx(1, abs=0.04)


def test_streams_in_step_have_joint_losses_of_their_number() -> None:
    flow, bins = np.nonzero(np.tile(np.arange(100) % 7 == 0, (5, 1)))
    assert joint(bins + 0.5, flow, flows=5, start=0, width=1) == pytest.approx(5)
    assert joint(np.array([1.0]), np.array([0]), flows=5, start=10, width=1) is None


def test_signals_are_drops_and_marks() -> None:
    """A drop and a mark of two streams are one round trip apart; then a third stream joins them, and two coincide."""
    drops, marks = (pa.table({"time": [100.0, 100.15][:count], "flow": [0, 1][:count]}) for count in (1, 2))
    run = SimpleNamespace(
        table={"drops": drops, "marks": marks.slice(1)}.__getitem__,
        scenario=SimpleNamespace(groups=[SimpleNamespace(count=2)]),
    )
    apart = together(run, "drops", "marks")  # type: ignore[arg-type]
    assert apart == pytest.approx(0)  # never at the same time
    run.table = {"drops": drops, "marks": pa.table({"time": [100.05, 100.15], "flow": [1, 2]})}.__getitem__
    run.scenario.groups = [SimpleNamespace(count=3)]
    assert together(run, "drops", "marks") == pytest.approx(1 / 3)  # type: ignore[arg-type]


def test_without_marks_dctcp_has_the_runs_of_reno() -> None:
    found = derived(RUNS)
    for part, axis in (("FIFO and RED", "signal"), ("queues", "queue")):
        reno, dctcp = (
            [row.values for row in found.part(part) if row.where == {"sender": sender, axis: "FIFO"}]
            for sender in ("Reno", "DCTCP")
        )
        assert reno == dctcp != []


def test_seeds_are_not_those_of_the_exploration() -> None:
    assert PAPER.record(seeds=3)["seeds"] == [11, 12, 13]
    assert all(min(part.seeds) == 11 for part in PAPER.parts() if part.seeds)


def test_each_question_is_asked_of_every_sender_of_today() -> None:
    """Questions that compare with Reno leave out Reno. DCTCP is Reno without marks, and BBR is slow to settle."""
    for key, each in cells(PAPER.claims, derived(RUNS)).items():
        if key in ("M-6", "M-8", "M-9"):
            continue  # reasons, asked of three senders each
        assert set(TODAY) - set(each) <= {"Reno", "DCTCP", "BBR"}, key
        assert THEN.name not in each


def test_the_papers_sender_has_the_profile_of_its_day() -> None:
    profiles = {
        sender: scenario(
            sender,
            [{"count": 1, "source": {"kind": "greedy"}}],
            duration="1 s",
            dumbbell={"access": {"rate": "1 Gbps", "delay": "1 ms"}, "bottleneck": {"rate": "1 Mbps", "delay": "1 ms"}},
        ).profile
        for sender in SENDERS
    }
    assert {sender for sender, profile in profiles.items() if profile != "linux"} == {THEN.name}


def test_cells_that_other_seeds_change_are_marked() -> None:
    differ, compared = unstable()
    asked = {(key, sender) for key, each in cells(PAPER.claims, derived(RUNS)).items() for sender in each}
    assert differ <= asked
    assert compared <= len(asked)
    heats = [plot(WORLD.evidence()).heat for plot in figure(PAPER.claims).plots]  # type: ignore[operator]
    marked = sum(word.endswith("*") for heat in heats if heat for row in heat.words for word in row)
    assert marked == len(differ)
    (said,) = statement(WORLD.evidence())
    assert f"{100 * (1 - len(differ) / compared):.0f} %" in said.lead


def test_the_matrix_shows_a_word_for_each_verdict() -> None:
    changed = put("load", "jain_index", 0.5, clients=60, sender="BBR")
    plot, _ = figure(PAPER.claims).plots
    panel = plot(WORLD.evidence(changed))  # type: ignore[operator]
    assert panel.y.ticks
    assert panel.heat
    rows = [label for _, label in panel.y.ticks]
    row = panel.heat.words[next(place for place, label in enumerate(rows) if label.endswith(" B-18"))]
    said = {"BBR": "✗", "DCTCP": ""}
    assert dict(zip(TODAY, row, strict=True)) == {sender: said.get(sender, "✓") for sender in TODAY}
    found = cells(PAPER.claims, WORLD.evidence(changed).ours)
    assert found["B-18"]["BBR"] is Verdict.NOT


def test_the_lab_has_no_link_to_a_law_in_python() -> None:
    lab = Lab.of(PAPER.parts())
    for part in ("back-off", "RED"):
        for row in lab.watched(RUNS).part(part):
            assert row.values
        found = lab.link("Figure")
        assert (found is None) is (part == "back-off")


def test_dctcp_is_asked_only_where_a_queue_marks() -> None:
    asked = {key for key, each in cells(PAPER.claims, derived(RUNS)).items() if "DCTCP" in each}
    assert asked == {"B-14", "B-16", "B-17", "B-24", "M-3", "C-1"}
