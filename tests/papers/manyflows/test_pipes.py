"""The measures of a pipe, taken from a run, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from ackclock.papers.manyflows import experiment, pipes
from ackclock.papers.manyflows.experiment import T1, flow_summary, grid_setting, scenario, work
from ackclock.papers.manyflows.pipes import PIPES, course, pipe_measures, pipe_of
from ackclock.papers.manyflows.places import WITHOUT

PIPE = PIPES["T1, n = 100, B = 160"]
"""The paper shows it from 50 to 100 s; it is measured from 50 to 200 s."""


def run_of(**tables: Any) -> Any:
    """Make a run of the pipe with a round-trip time of 0.2 s: 38.92 packets wait for 2.5 ms each."""
    return SimpleNamespace(
        scenario=scenario(PIPE.setting(WITHOUT)).effective(),
        summary=SimpleNamespace(queue_mean=38.92, loss=0.25, jain_index=0.75, shut_off=3),
        table=lambda name: pl.DataFrame(tables[name]),
    )


QUEUE = {"time": [49.9, *np.arange(50.0, 151.0).tolist()], "packets": [1000, *range(101)]}
ACKS = {
    "time": [49.99, *[60.0] * 18, 99.99, 100.0, 50.0, *[60.0] * 19],
    "flow": [*[0] * 21, *[1] * 20],
}
"""Flow 0 has 19 ACKs in the seconds that the paper shows and flow 1 has 20; the fair share is 200."""


def test_a_look_counts_what_the_paper_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four epochs, since losses less than half a round trip apart are one: two flows lose in two, one in the others."""
    asked: dict[str, float] = {}

    def correlation(lost: Any, losers: Any, **given: float) -> Any:
        assert len(lost) == len(losers) == 7
        asked.update(given)
        return SimpleNamespace(value=0.5, quiet=0.125)

    monkeypatch.setattr(pipes, "loss_correlation", correlation)
    drops = {"time": [49.9, 50.0, 50.05, 70.0, 70.099, 80.0, 80.101], "flow": [7, 0, 1, 0, 1, 2, 2]}
    found = dict(pipe_measures(run_of(drops=drops, queue=QUEUE, acks=ACKS)))
    assert asked == pytest.approx({"count": 100, "round_trip": 0.2, "start": 50, "end": 200})
    assert found.pop("received").tolist() == [*[0] * 98, 19, 20]
    assert found == pytest.approx(
        {
            "correlation": 0.5,
            "quiet": 0.125,
            "epochs": 4,
            "share": (2 + 2 + 1 + 1) / 4 / 100,
            "low": 5,
            "middle": 50,
            "high": 95,
            "loss": 0.25,
            "jain_index": 0.75,
            "shut_off": 3,
            "least": 0,
            "most": 20,
            "starved": 99,
        }
    )


def test_a_course_has_the_seconds_that_the_paper_shows() -> None:
    """The queue is shown from the start of the run up to and at 100 s, ACKs from 50 s up to 100 s."""
    found = course(run_of(queue=QUEUE, acks=ACKS))
    assert found["times"].tolist() == [49.9, *range(50, 101)]
    assert found["packets"].tolist() == [1000, *range(51)]
    assert (found["acks"].min(), found["acks"].max()) == (50.0, 99.99)
    assert np.bincount(found["flows"]).tolist() == [19, 20]


def test_a_pipe_is_found_by_its_rate_buffer_and_flows() -> None:
    """Rates may be detuned by 1 bit per second."""
    made = scenario(PIPE.setting(WITHOUT))
    assert pipe_of(made.changed({"dumbbell.bottleneck.rate": "1599999 bps"})) is PIPE
    for other in (
        made.changed({"dumbbell.bottleneck.rate": "1600002 bps"}),
        made.changed({"dumbbell.bottleneck.rate": "1599998 bps"}),
        made.changed({"clients.0.count": 101}),
        scenario(grid_setting(T1, 100, 20)),
    ):
        with pytest.raises(ValueError, match="made: must be one of the pipes"):
            pipe_of(other)


def test_a_fair_share_fills_the_link() -> None:
    """T1 sends 400 packets per second for 50 s, ISDN 16 for 500 s."""
    assert PIPE.fair_share == pytest.approx(400 * 50 / 100)
    assert PIPES["ISDN, n = 100, B = 400"].fair_share == pytest.approx(16 * 500 / 100)


@pytest.mark.parametrize(("utilization", "goodput"), [(0.5, 0.25), (0.0, 0.0)])
def test_goodput_is_a_share_of_the_rate(monkeypatch: pytest.MonkeyPatch, utilization: float, goodput: float) -> None:
    """Half of the rate is 800 bits per second; an unused link has no goodput."""
    monkeypatch.setattr(experiment, "summary", lambda _: {"loss": 0.125})
    found = SimpleNamespace(throughput_bps=1600 * utilization, utilization=utilization, goodput_bps=400.0)
    run: Any = SimpleNamespace(summary=found)
    assert flow_summary(run) == {"loss": 0.125, "throughput": utilization, "goodput": goodput}


def test_the_work_of_a_run_is_what_the_bottleneck_carries() -> None:
    assert work(scenario(grid_setting(T1, 100, 20))) == pytest.approx(200 * 1_600_001)
