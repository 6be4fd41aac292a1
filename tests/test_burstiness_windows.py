"""Figures 5 to 12: the windows of three clients, ours and ns-2's."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

import ackclock as ac
from ackclock.experiments.burstiness import ns2
from ackclock.experiments.burstiness.experiment import VARIANTS, scenario
from ackclock.experiments.burstiness.window_figures import WINDOW_FIGURES, window_chart, window_drawings
from ackclock.experiments.burstiness.windows import CLIENTS_SHOWN, Trace, course, effective, observe_windows


def trace(*window: float) -> Trace:
    windows = {client: np.array(window) for client in CLIENTS_SHOWN}
    return Trace(variant="Reno", clients=20, units=np.arange(5, 5 + len(window)), windows=windows)


class TestFigures:
    def test_are_those_of_the_paper(self) -> None:
        assert [(figure.number, figure.variant, figure.clients) for figure in WINDOW_FIGURES] == [
            (5, "Reno", 20),
            (6, "Reno", 30),
            (7, "Reno", 38),
            (8, "Reno", 39),
            (9, "Reno", 60),
            (10, "Vegas", 20),
            (11, "Vegas", 30),
            (12, "Vegas", 60),
        ]

    def test_both_simulators_have_the_same_axes(self) -> None:
        own, other = ns2.windows("Reno", 39), ns2.windows("Reno", 20)
        panels = window_chart(WINDOW_FIGURES[0], own, other).panels
        assert [panel.title for panel in panels] == ["(a) Ackclock", "(b) ns-2.35", "(c) Ackclock", "(d) ns-2.35"]
        for above, below in (panels[:2], panels[2:]):
            assert (above.x.low, above.x.high) == (below.x.low, below.x.high)
            assert above.y == below.y
        assert (panels[2].x.low, panels[2].x.high) == (0, 2000)
        assert panels[2].y.high is not None
        assert panels[2].y.high > 200

    def test_bold_lines_end_at_the_advertised_window_and_thin_ones_do_not(self) -> None:
        drawn = window_chart(WINDOW_FIGURES[0], *[ns2.windows("Reno", 20)] * 2).panels[2].series
        thin, bold = ([series for series in drawn if series.listed is not is_thin] for is_thin in (True, False))
        assert [np.nanmax(series.y) for series in bold] == [20, 20, 20]
        assert len(thin) == 3
        assert all(np.nanmax(series.y) > 195 for series in thin)

    def test_data_and_numbers(self) -> None:
        traces = [ns2.windows(figure.variant, figure.clients) for figure in WINDOW_FIGURES]
        drawing = window_drawings(traces, traces, command="ackclock")[0]
        rows = list(csv.DictReader(io.StringIO(drawing.csv)))
        assert len(rows) == 2000
        assert (rows[0]["time_s"], rows[-1]["time_s"]) == ("0.1", "200.0")
        for source, digits in (("ackclock", 2), ("ns2", 1)):
            for client in CLIENTS_SHOWN:
                written = float(rows[-1][f"{source}_client_{client}"])
                assert written == pytest.approx(traces[0].windows[client][-1], abs=0.51 * 10**-digits)
        assert [row[0] for row in drawing.numbers.rows] == [
            f"{source}, client {client}" for source in ("Ackclock", "ns-2.35") for client in (1, 10, 20)
        ]
        assert all(len(row) == len(drawing.numbers.head) for row in drawing.numbers.rows)


class TestNs2:
    def test_windows_are_whole(self) -> None:
        for figure in WINDOW_FIGURES:
            run = ns2.windows(figure.variant, figure.clients)
            assert (run.units[0], run.units[-1]) == (1, 2000)
            assert set(run.windows) == set(CLIENTS_SHOWN)
            assert {window.size for window in run.windows.values()} == {2000}

    def test_windows_are_those_of_the_trace(self) -> None:
        # Lines of ns-2's own output, clients 1, 10 and 20.
        lines = {1: (1, 1, 1), 4: (8, 8, 2), 5: (15, 8, 2), 6: (7.5, 1, 1), 7: (7.633, 2, 2), 10: (2, 5.689, 4.339)}
        run = ns2.windows("Reno", 39)
        for unit, windows in lines.items():
            read = [run.windows[client][unit - 1] for client in CLIENTS_SHOWN]
            assert read == pytest.approx(windows, abs=0.1)


class TestCourse:
    def test_falls(self) -> None:
        went = course(trace(1, 2, 4, 3.8, 16, 8, 8.1, 2, 30, 22), 10)
        assert (went.first_fall, went.last_fall, went.falls) == (10, 12, 2)
        assert (went.lowest, went.highest) == (2, 20)
        assert went.mean == pytest.approx((1 + 2 + 4 + 3.8 + 16 + 8 + 8.1 + 2 + 20 + 20) / 10)

    def test_none(self) -> None:
        went = course(trace(1, 2, 30, 25), 1)
        assert (went.first_fall, went.last_fall, went.falls, went.lowest) == (None, None, 0, None)

    def test_effective(self) -> None:
        assert effective(np.array([1.5, 20, 21])).tolist() == [1.5, 20, 20]


class TestRuns:
    def test_windows_are_those_of_the_run(self) -> None:
        reno = next(variant for variant in VARIANTS if variant.name == "Reno")
        (observed,) = observe_windows([("Reno", 20)])
        record = "windows@0,9,19/100ms"
        table = ac.simulate(scenario(reno, 20), seed=1, record=[record]).table("windows").to_pylist()
        for client in CLIENTS_SHOWN:
            mine = [row for row in table if row["flow"] == client - 1]
            assert observed.windows[client].tolist() == [row["cwnd"] for row in mine]
            assert [round(10 * row["time"]) for row in mine] == observed.units.tolist()
