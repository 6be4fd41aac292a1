"""Findings, tables and charts of two studies, from runs made by formula."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.support.readable import hold_readable

from ackclock.papers.burstiness.close import LAGS, SCALES
from ackclock.papers.burstiness.close_figures import _at_least, _relative, _return, close_findings
from ackclock.papers.burstiness.window_figures import (
    COURSE_TOLERANCES,
    WINDOW_FIGURES,
    courses_table,
    courses_verdict,
    window_chart,
)
from ackclock.papers.burstiness.windows import NAMES, bands, followed, numbers
from ackclock.papers.core.evidence import Run
from ackclock.papers.selfsimilar import flow_measures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ackclock.papers.core.evidence import Row


def uniform(count: int, *, root: float) -> NDArray[np.float64]:
    """Return numbers from 0 to 1 by a formula."""
    return np.asarray(np.sqrt(root) * np.arange(1, count + 1) ** 2 % 1, dtype=np.float64)


def close_look(variant: str, clients: int, seed: int, **given: Any) -> Run:
    poisson = 1 + np.arange(len(SCALES))
    values = {
        "ladder": poisson * (1 + 0.01 * seed + np.arange(len(SCALES)) / 100),
        "ladder_poisson": poisson,
        "long": np.cos(np.arange(LAGS + 1) / 3) / (1 + np.arange(LAGS + 1) / 20),
        "dependence": clients / 10 + seed / 100,
        "cutting": 0.3 + seed / 10,
        "above_max_th": clients * seed / 10_000,
        "longest_sequence": 10.0 * seed + len(variant),
    }
    return Run(where={"variant": variant, "clients": clients}, seed=seed, values={**values, **given})


PLACES = (("Reno", 39), ("Reno", 60), ("Vegas", 60), ("Reno/RED", 60), ("Vegas/RED", 60))


def close_looks(**given: dict[str, Any]) -> list[Run]:
    """Return looks at all points with two seeds; `given` are other values by variant."""
    return [
        close_look(variant, clients, seed, **given.get(variant.replace("/", "_"), {}))
        for variant, clients in PLACES
        for seed in (1, 2)
    ]


ONES = np.ones(len(SCALES))
LADDERS = {"ladder_poisson": ONES}
CASES: dict[str, dict[str, dict[str, Any]]] = {
    "as they are": {},
    # Reno's excess is gone from 1.25 times down; Vegas is smoother below 1 and burstier above
    "at the edge of an excess": {"Reno": {**LADDERS, "ladder": 1.25 * ONES}, "Vegas": {**LADDERS, "ladder": ONES}},
    "with an excess": {"Reno": {**LADDERS, "ladder": 1.251 * ONES}, "Vegas": {**LADDERS, "ladder": 0.999 * ONES}},
    "burstier": {"Vegas": {**LADDERS, "ladder": 1.001 * ONES}},
    "mixed": {"Vegas": {**LADDERS, "ladder": np.linspace(0.5, 1.5, len(SCALES))}},
    # the averages are equal, and hardly ever means below 1 %
    "seldom": {"Reno_RED": {"above_max_th": 0.0099}, "Vegas_RED": {"above_max_th": 0.0099}},
    "at times": {"Reno_RED": {"above_max_th": 0.01, "longest_sequence": 99.0}, "Vegas_RED": {"above_max_th": 0.0}},
    "with undefined values": {"Reno": {"cutting": 0.5}, "Vegas_RED": {"longest_sequence": 7.0}},
}


def test_findings_of_a_close_look_are_those_that_were_kept() -> None:
    hold_readable("close-findings", {case: close_findings(close_looks(**given)) for case, given in CASES.items()})


@pytest.mark.parametrize(
    ("values", "lag"),
    [
        ([1, 0.5, -0.1, 0.1, 0.3, 0.2, 0], 4),  # a peak of exactly 0.3
        ([1, 0.5, -0.1, 0.1, 0.29, 0.2, 0], None),
        ([1, 0.5, 0.0, 0.1, 0.5, 0.2, 0], None),  # never below 0
        ([1, 0.2, 0.4, -0.1, 0.4, 0.4, 0], 4),  # only the peak after the fall, at the first of equal values
        ([1, -0.1, 0.4, 0.3, 0.5, 0.2, 0], 2),  # directly after the fall
        ([1, 0.5, -0.1, 0.1, 0.2, 0.3, 0.5], None),  # the last value may still rise
        ([1, 0.5, -0.1, 0.1, 0.2, 0.5, 0.4], 5),
    ],
)
def test_a_return_is_a_clear_peak_after_a_fall_below_zero(values: list[float], lag: int | None) -> None:
    assert _return(np.array(values)) == lag


def test_shares_of_time_with_at_least_a_length() -> None:
    """Queues of 0, 1 and 2 packets for 50 %, 30 % and 20 % of the time; no queue is longer."""
    found = _at_least(Run(where={}, seed=1, values={"occupancy": np.array([0.5, 0.3, 0.2])}))
    assert found is not None
    assert found.size == 51
    assert found[:4].tolist() == pytest.approx([1.0, 0.5, 0.2, 0])
    assert _at_least(Run(where={}, seed=1, values={})) is None


def test_burstiness_is_relative_to_poisson() -> None:
    ladder, poisson = np.array([0.3, 0.2]), np.array([0.1, 0.2])
    runs = {"ladder": ladder, "ladder_poisson": poisson}
    found = _relative(Run(where={}, seed=1, values=runs))
    assert found is not None
    assert found.tolist() == pytest.approx([3, 1])
    for name in runs:
        assert _relative(Run(where={}, seed=1, values={name: ladder})) is None


def windows_of(seed: int) -> Run:
    """Return windows of 2000 samples that rise above the advertised window of 20 packets at times."""
    each = {
        name: np.round(1 + 24 * uniform(2000, root=client + 10 * seed), 2) for client, name in enumerate(NAMES, start=2)
    }
    losses = 20 * np.sort(uniform(30, root=seed + 1)) + seed
    values = followed({"units": np.arange(1, 2001), **each}, losses)
    return Run(where={"variant": "Reno", "clients": 20}, seed=seed, values=values)


def ends(line: ArrayLike) -> list[float]:
    """Return size, first and last number, and sum of a line."""
    values = np.asarray(line, dtype=np.float64)
    return [values.size, values[0], values[-1], np.nansum(values)]


def test_windows_are_summed_up_and_drawn_as_kept() -> None:
    """Both samples of a panel's end belong to it; a thin line has a sample on either side of what is above 20."""
    ours, theirs = ([windows_of(seed) for seed in seeds] for seeds in ((1, 2, 3), (4, 5)))
    chart = window_chart(WINDOW_FIGURES[0], *((side[0], bands(side)[0]) for side in (ours, theirs)), seeds=3)
    found: dict[str, Any] = {"numbers": [numbers(run.values, np.array([0.5, 3.0])) for run in ours]}
    for panel in chart.panels:
        found[panel.title] = {
            "axes": [panel.x.label, panel.x.low, panel.x.high, panel.y.low, panel.y.high],
            "lines": [
                [line.name, line.width, line.listed, *ends(line.x), *ends(line.y), int(np.isnan(line.y).sum())]
                for line in panel.series
            ],
            "bands": [[band.name, np.size(band.x), np.sum(band.low), np.sum(band.high)] for band in panel.bands],
        }
    hold_readable("windows", found)


def course_rows(ours: Sequence[float | None], theirs: Sequence[float | None]) -> list[list[Run]]:
    """Return runs of two sides whose numbers are all equal in a run."""
    names = numbers({"units": np.arange(3), **dict.fromkeys(NAMES, np.ones(3))}, np.array([]))
    return [
        [
            Run(where={"variant": "Reno", "clients": 20}, seed=seed, values=dict.fromkeys(names, value))
            for seed, value in enumerate(side, start=1)
        ]
        for side in (ours, theirs)
    ]


@pytest.mark.parametrize(
    ("ours", "theirs", "cells"),
    [
        # 10 and more have one decimal; the range leaves 5 % of the seeds at either end
        ([9.0, 9.8], [10.0, 10.0], ["9.40 (9.04 to 9.76)", "10.0 (10.0 to 10.0)", "-0.60 (-1.5 s.e.)", "yes"]),
        ([0.0, 2.0], [6.0, 8.0], ["1.00 (0.10 to 1.90)", "7.00 (6.10 to 7.90)", "-6.00 (-4.2 s.e.)", "no"]),
        ([3.0, 3.0], [2.0, 2.0], ["3.00 (3.00 to 3.00)", "2.00 (2.00 to 2.00)", "+1.00, the same in all seeds", "no"]),
        (
            [3.0, 3.0],
            [2.9921875, 2.9921875],
            ["3.00 (3.00 to 3.00)", "2.99 (2.99 to 2.99)", "+0.01, the same in all seeds", "yes"],
        ),
        ([1.0, None, 1.0], [1.0, 1.0], ["1.00 (1.00 to 1.00, in 2 seeds)", "1.00 (1.00 to 1.00)", "none", "yes"]),
        ([1.0, None], [1.0, 1.0], ["1.00 (1.00 to 1.00, in 1 seeds)", "1.00 (1.00 to 1.00)", "", ""]),
    ],
)
def test_a_row_of_courses_by_hand(ours: list[float | None], theirs: list[float | None], cells: list[str]) -> None:
    table = courses_table(*course_rows(ours, theirs))
    assert table.rows == [[tolerance.title, *cells] for tolerance in COURSE_TOLERANCES]


def test_windows_agree_from_95_percent_on() -> None:
    """Of 20 points with 11 numbers each, one that is 6 off costs 5 % of the means: of 220, 209 agree."""

    def runs(off: int, *, more: int = 0) -> list[Row]:
        return [
            Run(
                where={"variant": "Reno", "clients": clients},
                seed=seed,
                values=dict.fromkeys(course_rows([1.0], [1.0])[0][0].values, seed + 6.0 * (clients <= off)),
            )
            for clients in range(1, 21 + more)
            for seed in (1, 2)
        ]

    said = courses_verdict(runs(1), runs(0))
    assert said.lead == "The windows agree with ns-2's."
    assert courses_verdict(runs(2), runs(0)).lead == "The windows do not all agree with ns-2's."
    # two seeds with values 1 and 2 have a standard error of 0.5 on each side: 6 / sqrt(0.5) = 8.5
    assert "Of 220 means over 2 seeds" in said.text
    assert "209 lie within 3" in said.text
    assert "8.5 standard errors" in said.text


def test_a_course_over_time_is_that_which_was_kept() -> None:
    """Samples every 0.05 to 0.35 s, one in eight above 77 ms, some of them while a packet is sent again."""
    sampled = np.cumsum(0.05 + 0.3 * uniform(490, root=2))
    rtt = 70 + np.floor(8 * uniform(490, root=3)) + 60 * (uniform(490, root=5) > 0.87)
    trace = flow_measures.Trace(
        counts=np.floor(20 * uniform(1000, root=7)),
        cwnd=np.floor(60 * uniform(10_000, root=11)) + 1,
        sampled=sampled,
        rtt=rtt,
        again=np.sort(100 * uniform(200, root=13)),
    )
    found: dict[str, Any] = dict(flow_measures.measures(trace))
    for name, values in flow_measures.course(trace).items():
        defined = values[np.isfinite(values)]
        found[f"course, {name}"] = [values.size, defined.size, defined.sum(), defined @ np.arange(defined.size)]
    hold_readable("look", found)


def test_samples_are_found_in_smoothed_times_by_hand() -> None:
    """The estimate is kept in eighths of a tick of 1 ms.

    The first sample of 80 ms sets 640 eighths. A sample of 88 adds 8 to 648 eighths, a sample of 73 takes
    ``81 - 73 = 8`` away again. Then nothing changes. At the start there is no estimate.
    """
    times, rtt = flow_measures._samples(
        np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([np.nan, 0.080, 0.081, 0.080, 0.080])
    )
    assert times.tolist() == [2, 3, 4]
    assert rtt.tolist() == [80, 88, 73]


def test_a_share_of_what_was_sent_arrived() -> None:
    assert flow_measures.plain({"arrivals": 6.0, "drops": 2.0}) == 0.75
    assert flow_measures.plain({"arrivals": 0.0, "drops": 2.0}) is None
    assert flow_measures.plain({"arrivals": 6.0, "drops": None}) == 1
