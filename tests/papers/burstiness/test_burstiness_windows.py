"""Figures 5 to 12: the windows of three clients, in the engine and in ns-2."""

from __future__ import annotations

import csv
import dataclasses
import io
from typing import TYPE_CHECKING

import numpy as np
import pytest

import ackclock as ac
from ackclock.papers.burstiness.experiment import DEFINITION
from ackclock.papers.burstiness.study import parts
from ackclock.papers.burstiness.window_figures import (
    COURSE_TOLERANCES,
    WINDOW_FIGURES,
    WINDOWS,
    Drawn,
    courses_table,
    courses_verdict,
    drawn_of,
    runs_of,
    window_chart,
)
from ackclock.papers.burstiness.windows import (
    NAMES,
    RECORDS,
    SEEDS,
    bands,
    course,
    drawn_alone,
    effective,
    followed,
    numbers,
)
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both
from ackclock.papers.core.parts import gather
from ackclock.papers.core.table import ns2_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ackclock.papers.core.evidence import Row, Scalar

NO_LOSS = np.array([])


def trace(*windows: list[float], start: int = 5) -> dict[str, NDArray[np.float64]]:
    """Return the windows of the three clients; a single one stands for all of them."""
    units = np.arange(start, start + len(windows[0]))
    return {
        "units": units,
        **dict(zip(NAMES, map(np.array, windows if len(windows) > 1 else windows * 3), strict=True)),
    }


def their_side() -> Runs:
    return ns2_runs("burstiness")


def of_ns2(variant: str, clients: int) -> Sequence[Row]:
    return runs_of(their_side(), variant, clients)


def drawn(variant: str, clients: int) -> Drawn:
    return drawn_of(their_side(), variant, clients)


def rows(
    *runs: dict[str, NDArray[np.float64]], seeds: Sequence[int], losses: NDArray[np.float64] = NO_LOSS
) -> list[Row]:
    """Return the runs of one point."""
    where: dict[str, Scalar] = {"variant": "Reno", "clients": 20}
    values = [followed(run, losses) for run in runs]
    return [Run(where=where, seed=seed, values=value) for seed, value in zip(seeds, values, strict=True)]


@pytest.fixture(scope="module")
def theirs() -> list[Sequence[Row]]:
    return [of_ns2(*cell) for cell in WINDOWS]


def changed(run: Row, **values: float) -> Row:
    return Run(where=run.where, seed=run.seed, values={**run.values, **values})


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
        panels = window_chart(WINDOW_FIGURES[0], drawn("Reno", 39), drawn("Reno", 20), seeds=20).panels
        assert [panel.title for panel in panels] == ["(a) Ackclock", "(b) ns-2.35", "(c) Ackclock", "(d) ns-2.35"]
        for above, below in (panels[:2], panels[2:]):
            assert (above.x.low, above.x.high) == (below.x.low, below.x.high)
            assert above.y == below.y
        assert (panels[2].x.low, panels[2].x.high) == (0, 2000)
        assert panels[2].y.high is not None
        assert panels[2].y.high > 200

    def test_bold_lines_end_at_the_advertised_window_and_thin_ones_do_not(self) -> None:
        lines = window_chart(WINDOW_FIGURES[0], *[drawn("Reno", 20)] * 2, seeds=20).panels[2].series
        thin, bold = ([series for series in lines if series.listed is not is_thin] for is_thin in (True, False))
        assert [np.nanmax(series.y) for series in bold] == [20, 20, 20]
        assert len(thin) == 3
        assert all(np.nanmax(series.y) > 195 for series in thin)

    def test_bands_lie_behind_what_is_looked_at_closely(self) -> None:
        side = drawn("Reno", 39)
        near, *_, far = window_chart(WINDOW_FIGURES[3], side, side, seeds=20).panels
        (band,) = near.bands
        assert band.name == "10 % to 90 % of 20 seeds"
        assert np.array_equal(band.low, side[1].values["quantile_0.1"][: np.size(band.low)])
        assert np.size(band.x) == 500
        assert not far.bands

    def test_data_and_numbers(self, theirs: list[Sequence[Row]]) -> None:
        drawing = WINDOW_FIGURES[0].drawing(Both(ours=their_side(), ns2=their_side()), "ackclock")
        data = list(csv.DictReader(io.StringIO(drawing.csv)))
        assert len(data) == 2000
        assert (data[0]["time_s"], data[-1]["time_s"]) == ("0.1", "200.0")
        for source, digits in (("ackclock", 2), ("ns2", 1)):
            for name in NAMES:
                written = float(data[-1][f"{source}_{name}"])
                assert written == pytest.approx(theirs[0][0].values[name][-1], abs=0.51 * 10**-digits)
        assert drawing.numbers == courses_table(theirs[0], theirs[0])


class TestNs2:
    def test_windows_are_whole(self) -> None:
        for figure in WINDOW_FIGURES:
            run, _ = drawn(figure.variant, figure.clients)
            assert (run.values["units"][0], run.values["units"][-1]) == (1, 2000)
            assert {run.values[name].size for name in NAMES} == {2000}

    def test_windows_are_those_of_the_trace(self) -> None:
        # Lines of ns-2's own output, clients 1, 10 and 20.
        lines = {
            1: (1.000, 1.000, 1.000),
            4: (8.000, 5.000, 2.000),
            5: (11.000, 5.000, 2.000),
            6: (11.000, 1.000, 1.000),
            7: (1.000, 2.000, 2.000),
            10: (5.578, 4.339, 4.339),
        }
        run, _ = drawn("Reno", 39)
        for unit, windows in lines.items():
            read = [run.values[name][unit - 1] for name in NAMES]
            assert read == pytest.approx(windows, abs=0.1)

    def test_every_figure_has_twenty_runs_and_a_band(self, theirs: list[Sequence[Row]]) -> None:
        for figure, courses in zip(WINDOW_FIGURES, theirs, strict=True):
            assert [run.seed for run in courses] == list(SEEDS)
            _, band = drawn(figure.variant, figure.clients)
            low, middle, high = (band.values[f"quantile_{share:g}"] for share in (0.1, 0.5, 0.9))
            assert low.size == middle.size == high.size == band.values["units"].size == 2000
            # Each line may be off by half a packet, since only its corners are stored.
            assert np.all(low <= middle + 1)
            assert np.all(middle <= high + 1)
            assert high.max() <= 20

    def test_numbers_are_those_of_the_drawn_run(self, theirs: list[Sequence[Row]]) -> None:
        for courses in theirs:
            kept = courses[0].values
            again = numbers(kept, NO_LOSS)
            for name in ("before_first_fall", "lowest", "highest", "mean"):
                assert again[name] == pytest.approx(kept[name], abs=0.1), (courses[0].where, name)
            # A cut has the time of a sample. Since only corners are stored, it may be the neighbouring sample.
            assert again["first_fall"] == pytest.approx(kept["first_fall"], abs=0.11)
            assert (again["falls"] or 0) == pytest.approx(kept["falls"], rel=0.05, abs=1)

    def test_losses_last_where_the_crossover_file_says_so(self, theirs: list[Sequence[Row]]) -> None:
        # Separate runs with the same seeds: runs that had not settled still lost packets after 185 s.
        unsettled = {
            (row.where["clients"], row.seed) for row in their_side().part("crossover") if not row.values["settled"]
        }
        lasts = [
            run.values["last_loss"] or 0
            for courses in theirs
            for run in courses
            if run.where["variant"] == "Reno" and (run.where["clients"], run.seed) in unsettled
        ]
        assert len(lasts) >= 12
        assert min(lasts) > 185


class TestNumbers:
    def test_of_one_client(self) -> None:
        went = numbers(trace([1, 2, 4, 3.8, 16, 8, 8.1, 2, 30, 22]), np.array([0.31, 0.95, 1.25]))
        assert went == {
            "first_loss": 0.31,
            "last_loss": 1.25,
            "first_fall": pytest.approx(1.0),
            "last_fall": pytest.approx(1.2),
            "falls": 6,
            "together": 2,
            "last_together": pytest.approx(1.2),
            "before_first_fall": 16,
            "lowest": 2,
            "highest": 20,
            "mean": pytest.approx((1 + 2 + 4 + 3.8 + 16 + 8 + 8.1 + 2 + 20 + 20) / 10),
        }

    def test_of_three_clients(self) -> None:
        # The first falls alone at unit 6, all three at 7 and 8; the last two at 10, without the first.
        went = numbers(trace([9, 4, 5, 2, 3, 4], [5, 6, 3, 4, 5, 2], [12, 13, 14, 7, 8, 1]), NO_LOSS)
        assert (went["first_fall"], went["last_fall"]) == pytest.approx((0.6, 1.0))
        assert (went["falls"], went["together"]) == (6, 1)
        assert went["last_together"] == pytest.approx(0.8)
        assert (went["before_first_fall"], went["lowest"], went["highest"]) == (12, 1, 14)

    def test_a_fall_counts_for_one_moment_only(self) -> None:
        # The first falls at every sample, the others at 6 and 8: near each other at 6, 7 and 8, yet no more than twice.
        alternating = [9.0, 8, 8.2, 7, 7.2]
        assert numbers(trace([9, 8, 7, 6, 5], alternating, alternating), NO_LOSS)["together"] == 2

    def test_none(self) -> None:
        went = numbers(trace([1, 2, 30, 25]), NO_LOSS)
        assert went["falls"] == went["together"] == 0
        assert all(went[name] is None for name in ("first_loss", "last_loss", "first_fall", "last_fall", "lowest"))
        assert went["before_first_fall"] is went["last_together"] is None

    def test_only_samples_that_both_simulators_take_count(self) -> None:
        ours = trace([20, *range(1, 2000)], start=0)
        assert numbers(ours, NO_LOSS)["falls"] == 0
        theirs = trace([*range(1, 2000), 1], start=1)
        assert numbers(theirs, NO_LOSS) == numbers(ours, NO_LOSS)

    def test_effective(self) -> None:
        assert effective(np.array([1.5, 20, 21])).tolist() == [1.5, 20, 20]


class TestCourses:
    def test_bands_are_quantiles_of_effective_windows(self) -> None:
        seeds = (1, 4, 7, 10)
        runs = rows(*(trace([seed, 10.0], [seed + 1, 30], [seed + 2, 5]) for seed in seeds), seeds=seeds)
        run, band = drawn_of(Runs({"windows": drawn_alone(runs), "bands": bands(runs)}), "Reno", 20)
        assert run.values[NAMES[1]].tolist() == [2, 30]
        # The numbers from 1 to 12, and four times 5, 10 and 20.
        low, middle, high = (band.values[f"quantile_{share:g}"] for share in (0.1, 0.5, 0.9))
        assert [low[0], middle[0], high[0]] == pytest.approx([2.1, 6.5, 10.9])
        assert [low[1], middle[1], high[1]] == [5, 10, 20]

    def test_only_the_drawn_run_keeps_its_windows(self) -> None:
        first, second = drawn_alone(rows(trace([1, 2]), trace([3, 4]), seeds=(1, 2)))
        assert {"units", "client_1", "client_10", "client_20"} == first.values.keys() - second.values.keys()

    def test_are_those_of_the_runs(self) -> None:
        run = ac.simulate(DEFINITION.scenario("Reno", clients=20), seed=1, record=list(RECORDS))
        values = course(run)
        table = run.table("windows").to_pylist()
        for name, flow in zip(NAMES, (0, 9, 19), strict=True):
            mine = [row for row in table if row["flow"] == flow]
            assert values[name].tolist() == [row["cwnd"] for row in mine]
            assert [round(10 * row["time"]) for row in mine] == values["units"].tolist()
        losses = run.table("drops")["time"].to_numpy()
        assert losses.size == run.summary.drops
        assert {name: values[name] for name in numbers(values, losses)} == numbers(values, losses)

    @pytest.mark.slow
    def test_agree_with_ns2(self) -> None:
        """Validates: the windows of three clients over twenty seeds agree with ns-2: losses, cuts, minimum, maximum and
            mean.
        Source: ns-2.35, 20 seeds.
        Tolerance: three standard errors.
        """
        # At both ends of the grid, where the numbers vary least: within three standard errors of 20 runs.
        cells = [("Reno", 20), ("Vegas", 60)]
        (part,) = (part for part in parts() if part.name == "windows")
        spots = [spot for spot in part.spots if (spot.where["variant"], spot.where["clients"]) in cells]
        side = gather([dataclasses.replace(part, spots=spots)], seeds=SEEDS)
        runs = Runs({"windows": side.part("windows"), "bands": bands(side.part("windows"))})
        for cell in cells:
            table = courses_table(runs_of(runs, *cell), of_ns2(*cell))
            assert [row for row in table.rows if row[-1] != "yes"] == []


class TestAgreement:
    def test_ns2_agrees_with_itself(self, theirs: list[Sequence[Row]]) -> None:
        every = [run for courses in theirs for run in courses]
        said = courses_verdict(every, every)
        assert said.lead == "The windows agree with ns-2's."
        assert "Of 88 means over 20 seeds" in said.text
        assert "88 lie within 3" in said.text
        assert "0.0 standard errors" in said.text

    def test_a_difference_shows(self, theirs: list[Sequence[Row]]) -> None:
        moved = [
            [changed(run, first_loss=(run.values["first_loss"] or 0) + 1) for run in courses] for courses in theirs
        ]
        said = courses_verdict([run for courses in moved for run in courses], [run for one in theirs for run in one])
        assert said.lead == "The windows do not all agree with ns-2's."
        assert "80 lie within 3" in said.text
        table = courses_table(moved[0], theirs[0])
        assert table.caption.endswith("10 of 11 do")
        assert [row[-1] for row in table.rows] == ["no"] + 10 * ["yes"]
        assert table.rows[0][3].startswith("+1.00 (+")

    def test_table(self, theirs: list[Sequence[Row]]) -> None:
        table = courses_table(theirs[0], theirs[0])
        assert [row[0] for row in table.rows] == [tolerance.title for tolerance in COURSE_TOLERANCES]
        assert all(len(row) == len(table.head) for row in table.rows)
        rows = {row[0]: row for row in table.rows}
        assert rows["largest window, packets"][1:] == ["20.0 (20.0 to 20.0)"] * 2 + ["none", "yes"]
        # In one of the runs, none of the three clients lost a packet.
        assert rows["first fall, s"][1].endswith(", in 19 seeds)")

    def test_a_window_of_zero_is_explained(self, theirs: list[Sequence[Row]]) -> None:
        vegas = theirs[-1]
        assert "window of 0" not in courses_table(vegas, vegas).caption
        first, *others = vegas
        table = courses_table([changed(first, lowest=0.0), *others], vegas)
        assert "1 of 20 runs of Ackclock and 0 of 20 runs of ns-2" in table.caption

    def test_what_never_happened_is_a_dash(self) -> None:
        runs = rows(trace([1, 2, 3]), trace([1, 2, 3]), seeds=(1, 2))
        table = {row[0]: row for row in courses_table(runs, runs).rows}
        dash = "\N{EN DASH}"
        assert table["first loss, s"] == ["first loss, s", dash, dash, "", ""]
        assert table["number of falls"][1:] == ["0.00 (0.00 to 0.00)"] * 2 + ["none", "yes"]
