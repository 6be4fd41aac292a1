"""Numbers that claims on many flows ask of a run, by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ackclock.analysis.models import large_pipe_loss
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paired import wilson
from ackclock.papers.manyflows import measures as m
from ackclock.papers.manyflows.claims import same_delay as fits
from ackclock.papers.manyflows.places import CAPPED, STEADY, WITHOUT
from ackclock.papers.truth import NO, OPEN, YES

if TYPE_CHECKING:
    from ackclock.papers.core.evidence import Scalar
    from ackclock.papers.core.measures import Measure

GRID = {"counting": STEADY.title, "processing": WITHOUT, "curve": "T1, W_c 300", "connections": 100}
LOOK = {"pipe": "T1, n = 100, B = 160"}
NETWORK = {"degree": 2.0}


def row(where: dict[str, Any], **values: Any) -> Run:
    return Run(where=where, seed=1, values=values)


@pytest.mark.parametrize(
    ("measure", "run", "value"),
    [
        (m.LOSS, row(GRID, loss=0.2), 20),
        (m.LOSS, row(GRID, loss=None), None),
        (m.STAYS, row(NETWORK), None),
        # 150 or 100 s, 400 packets per second
        (m.SENT, row(GRID, throughput=0.5, loss=0.2), 60 * 0.5 / 0.8),
        (m.SENT, row({**GRID, "counting": CAPPED.title}, throughput=0.5, loss=0.2), 40 * 0.5 / 0.8),
        (m.LOST, row(GRID, throughput=0.5, loss=0.2), 60 * 0.5 / 0.8 * 0.2),
        (m.WASTED, row(GRID, throughput=0.9, goodput=0.7), 20),
        (m.ACTIVE, row(GRID, shut_off=30), 70),
        (m.ACTIVE, row(GRID, shut_off=None), 100),
        # tables begin at 60 connections, and at a third of W_c
        (m.TABLED_LOSS, row(GRID, loss=0.2), 20),
        (m.TABLED_LOSS, row({**GRID, "connections": 60}, loss=0.2), None),
        (m.LOST_PART, row({**GRID, "curve": "T1, W_c 100", "connections": 60}, loss=0.2), 0.2),
        (m.LOST_PART, row({**GRID, "curve": "T1, W_c 100", "connections": 35}, loss=0.2), None),
        # by the paper's hyperbola with a = 144.9275 and b = 0.3237
        (
            m.OVER_PAPER,
            row({**GRID, "curve": "T1, W_c 100"}, loss=0.2),
            0.2 * (100 + 144.9275) / (0.3237 * 100),
        ),
        (m.LOW, row(LOOK, low=40.0), 25),
        (m.SWING, row(LOOK, low=40.0, high=120.0), 50),
        (m.OFF_THE_LAW, row(NETWORK, largest=0.9), 0.9 - 0.79681213),
        # goodput falls with the square, and with the 0.5th power
        (m.POWER, row({}, rtt=np.array([1.0, 2.0, 4.0]), goodput=np.array([8.0, 2.0, 0.5])), 2),
        (m.POWER, row({}, rtt=np.array([1.0, 4.0]), goodput=np.array([2.0, 1.0])), 0.5),
    ],
)
def test_a_measure_of_a_run(measure: Measure, run: Run, value: float | None) -> None:
    assert measure(run) == (None if value is None else pytest.approx(value, rel=1e-6))


def test_formulas_take_the_buffer_and_the_share_of_the_pipe() -> None:
    """Of 40 packets in the pipe each of 100 connections has 0.4, besides 4 in the buffer."""
    laws = large_pipe_loss(window=4.4, smooth=True)
    run = row({"curve": "B = 4 n", "connections": 100}, loss=0.1)
    assert m.OVER_PRINTED(run) == pytest.approx(0.1 / laws.printed)
    assert m.OVER_CORRECTED(run) == pytest.approx(0.1 / laws.corrected)


def formulas(topology: int, **values: Any) -> Run:
    return row({"processing": WITHOUT, "topology": topology, "formula": "full"}, **values)


def test_flows_within_a_factor_of_two() -> None:
    """In percent; topology 5 is left out. Of 8 flows 75 % are 6."""
    side = Runs({"padhye": [formulas(topology, within_2=75.0, flows=8) for topology in (1, 4, 5)]})
    points = m.WithinTwo().points(side)
    assert points.axes == ("processing", "topology", "formula")
    assert points.cells == dict.fromkeys([(WITHOUT, one, "full") for one in (1, 4)], wilson(6, 8, whole=100))
    assert m.WithinTwo().samples(side).cells[WITHOUT, 1, "full"] == {1: 75}


def test_more_flows_within_a_factor_of_two() -> None:
    """By hand, of four flows: only the approximate formula is right for two, only the full one for one."""
    values = {"approximate": [2.0, 0.5, 2.1, 1.0], "full": [2.01, 0.49, 1.9, 1.0]}
    side = Runs({"flows": [row({"processing": WITHOUT, "topology": 1}, **values)]})
    assert list(m.MoreWithinTwo().samples(side).cells.values()) == [{0: 100, 1: 100, 2: -100, 3: 0}]
    (interval,) = m.MoreWithinTwo().points(side).cells.values()
    assert (interval.mean, interval.count) == (25, 4)


def test_groups_vary_more_than_half_as_much_as_single_connections() -> None:
    """By hand: pairs differ by 2^-1, 2^1 and 2^0, and groups by 2^-3, 2^3 and 2^0; with a seed left out by two each."""
    rows = [
        Run(where={"processing": WITHOUT, "connections": size}, seed=seed, values={"goodput_ratio": 2.0**power})
        for size, scale in ((1, 1), (25, 3))
        for seed, power in ((1, -scale), (2, scale), (3, 0))
    ]
    (found,) = m.Excess(1, 25).samples(Runs({"groups": rows})).cells.values()
    whole = 3 - 0.5 * 1
    without = {1: np.sqrt(0.5) * whole, 2: np.sqrt(0.5) * whole, 3: np.sqrt(2) * whole}
    assert found == pytest.approx({seed: 3 * whole - 2 * left for seed, left in without.items()})


class TestFits:
    def test_the_share_of_the_variance_that_a_polynomial_explains(self) -> None:
        """No line explains a symmetric peak; a parabola explains three points."""
        peak: dict[Scalar, float] = {1: 0.0, 2: 1.0, 3: 0.0}
        assert fits.squares_of(peak) == pytest.approx(0)
        assert fits.squares_of(peak, 2) == pytest.approx(1)
        assert fits.squares_of({**peak, 3: 1.0}) == pytest.approx(0.75)

    def test_a_hyperbola_needs_three_points(self) -> None:
        line: dict[Scalar, float] = {flows: 0.3 * flows / (flows + 100) for flows in (60, 100, 300)}
        assert fits._rms(line) == pytest.approx(0, abs=1e-3)
        assert fits._rms(dict(list(line.items())[:2])) is None

    def test_a_hyperbola_is_bounded_whichever_seed_is_left_out(self) -> None:
        """Two seeds on a hyperbola bound it, and two on a line do not; one of each, or a single one, leaves it open."""
        flows = (60, 100, 200, 300, 450, 600)
        near = {n: 0.3 * n / (n + 100) for n in flows}
        straight = {n: 1e-4 * n for n in flows}
        assert fits._bounded({n: {1: near[n], 2: near[n]} for n in flows}) == YES
        assert fits._bounded({n: {1: straight[n], 2: straight[n]} for n in flows}) == NO
        assert fits._bounded({n: {1: near[n], 2: straight[n]} for n in flows}) is OPEN
        assert fits._bounded({n: {1: near[n]} for n in flows}) is OPEN
