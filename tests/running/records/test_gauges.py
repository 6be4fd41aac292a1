"""The record of gauges: the state of queue disciplines over time, its figure, and the command that draws it."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.study.store.made_up import add, row

import ackclock as ac
from ackclock.cli import main
from ackclock.engine.catalogue import catalogue
from ackclock.running.figures.gauges import gauge_chart
from ackclock.running.records import KINDS

if TYPE_CHECKING:
    from pathlib import Path


def gauges_of(kind: str, record: str = "gauges/100ms", **parameters: Any) -> Any:
    """Return the gauges of a bottleneck in a run of ten seconds, with a column per gauge."""
    scenario = ac.Scenario(
        profile="linux",
        duration="10 s",
        dumbbell=ac.Dumbbell(
            bottleneck=ac.Link(rate="10 Mbps", delay="20 ms", queue=ac.Queue(kind=kind, packets=200, **parameters)),
            access=ac.Link(rate="1 Gbps", delay="5 ms"),
        ),
        clients=[ac.Clients(count=5, spread="1 s", transport=ac.Tcp("cubic"), source=ac.Greedy())],
    )
    run = ac.simulate(scenario, seed=1, record=[record, "queue/100ms"])
    table = run.table("gauges").to_pandas()
    assert list(table.columns) == ["time", "link", "gauge", "value"]
    return run, table.pivot_table(index="time", columns="gauge", values="value", observed=True, dropna=False)


@pytest.mark.parametrize("kind", sorted(catalogue().queues))
def test_every_discipline_has_samples_of_known_gauges(kind: str) -> None:
    run, gauges = gauges_of(kind)
    table = run.table("gauges").to_pandas()
    names = set(table.gauge)
    assert names <= set(catalogue().gauges)
    assert len(names) <= KINDS["gauges"].rows
    assert bool(names) == (kind != "droptail")
    if names:
        assert np.allclose(gauges.index, np.arange(100) / 10)
        assert list(table.time[table.gauge == min(names)]) == sorted(gauges.index)
        assert set(table.link) == {"bottleneck"}


def test_reds_average_is_the_one_in_the_record_of_queues() -> None:
    run, gauges = gauges_of("red", min_th=20, max_th=60)
    assert gauges.avg.to_list() == run.table("queue").to_pandas().average.to_list()
    assert (gauges.avg_max.diff().dropna() >= 0).all()
    assert np.allclose(gauges.p_b, (0.1 * (gauges.avg - 20) / 40).clip(0, 0.1), atol=1e-12)


def test_pies_probability_follows_its_delays() -> None:
    """Samples at every update of the probability, from arrivals and from idle times.

    Validates: each value of `drop_prob` follows from the one before it and from both values of `qdelay_old`.
    Source: RFC 8033, section 4.2.
    Tolerance: 1e-12, a rounding error.
    """
    _, gauges = gauges_of("pie", "gauges/15ms", update="15 ms", target="15 ms", alpha=0.125, beta=1.25)
    divisors = ((1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (1e-2, 8), (0.1, 2), (math.inf, 1))
    rows = list(zip(gauges.drop_prob, gauges.qdelay_old, strict=True))
    for (before, last), (now, delay) in pairwise(rows):
        change = 0.125 * (delay - 0.015) + 1.25 * (delay - last)
        change /= next(divisor for bound, divisor in divisors if before < bound)
        if delay > 0.25:
            change = 0.02
        elif before >= 0.1:
            change = min(change, 0.02)
        decay = 0.98 if delay == last == 0 else 1
        assert now == pytest.approx(min(max((before + change) * decay, 0), 1), abs=1e-12)
    assert gauges.drop_prob.max() > 0.02


def test_dualpi2s_probability_follows_its_delays() -> None:
    """Samples at every update of the base probability.

    Validates: each value of `p_base` follows from the one before it and from both values of `prevq`; `p_C` is its
        square and `p_CL` twice its value.
    Source: RFC 9332, appendix A.1.
    Tolerance: 1e-12, a rounding error.
    """
    settings = {"update": "16 ms", "target": "15 ms", "alpha": 0.16, "beta": 3.2, "coupling": 2}
    _, gauges = gauges_of("dualpi2", "gauges/16ms", **settings)
    rows = list(zip(gauges.p_base, gauges.prevq, strict=True))
    for (before, last), (now, delay) in pairwise(rows):
        change = 0.16 * (delay - 0.015) + 3.2 * (delay - last)
        assert now == pytest.approx(min(max(before + change, 0), 1), abs=1e-12)
    assert np.allclose(gauges.p_C, gauges.p_base**2, atol=1e-15)
    assert np.allclose(gauges.p_CL, (2 * gauges.p_base).clip(upper=1), atol=1e-15)
    assert gauges.p_base.max() > 0.05


def test_codels_time_between_drops_follows_its_count() -> None:
    """Samples of CoDel.

    Validates: in the dropping state, the time between drops is `interval / sqrt(count)`; outside it has no value.
    Source: RFC 8289, section 5.3.
    Tolerance: a picosecond, the resolution of times.
    """
    _, gauges = gauges_of("codel", "gauges/10ms", interval="100 ms")
    dropping = gauges.dropping == 1
    assert 0.1 < dropping.mean() < 1
    assert gauges.drop_interval.isna().equals(~dropping)
    assert np.allclose(gauges.drop_interval[dropping], 0.1 / np.sqrt(gauges["count"][dropping]), rtol=0, atol=1.1e-12)


def test_cobalts_count_never_falls_by_more_than_its_decay() -> None:
    """Samples of COBALT, every 10 ms.

    Validates: from sample to sample, `count` rises or falls by at most one per `interval / sqrt(count)`, and one;
        unlike CoDel's it is never reset.
    Source: Linux, `cobalt_should_drop`.
    Tolerance: exact.
    """
    _, gauges = gauges_of("cobalt", "gauges/10ms", interval="100 ms")
    count = gauges["count"].to_numpy()
    most = np.maximum(count[:-1], count[1:])
    assert (np.abs(np.diff(count)) <= 0.010 / 0.1 * np.sqrt(most) + 1).all()
    assert 0.1 < (gauges.dropping == 1).mean() < 0.9
    assert count.max() > 5
    _, codel = gauges_of("codel", "gauges/10ms", interval="100 ms")
    assert np.diff(codel["count"]).min() < -3


def test_recording_gauges_changes_nothing() -> None:
    plain, watched = (gauges_of("pie", record)[0].summary for record in ("gauges/100ms", "gauges/1ms"))
    assert plain == watched


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gauges") / "result"
    gauges_of("pie")[0].save(folder)
    return folder


def test_a_chart_draws_steps_from_sample_to_sample() -> None:
    run, gauges = gauges_of("codel")
    table = run.table("gauges")
    count, between = gauge_chart(table).panels
    assert (count.y.label, between.y.label) == ("Count of drops", "Time between drops, ms")
    assert (count.x.label, between.x.label) == ("", "Time, s")
    xs, ys = (np.asarray(values) for values in (count.series[0].x, count.series[0].y))
    assert np.allclose(xs[::2], gauges.index)
    assert np.allclose(xs[1::2], gauges.index[1:])
    assert np.allclose(ys[::2], gauges["count"])
    assert np.allclose(ys[1::2], gauges["count"][:-1])
    asked = gauge_chart(table, gauges=["lastcount", "dropping"], start=2, end=4)
    assert [panel.y.label for panel in asked.panels] == ["lastcount", "dropping"]
    assert (np.min(asked.panels[0].series[0].x), np.max(asked.panels[0].series[0].x)) == (2, 3.9)


def test_gauges_of_one_panel_have_a_legend() -> None:
    run, _ = gauges_of("dualpi2")
    together, alone = gauge_chart(run.table("gauges")).panels
    assert [(series.name, series.listed) for series in together.series] == [
        ("p_base", True),
        ("p_C", True),
        ("p_CL", True),
    ]
    assert [series.listed for series in alone.series] == [False]


@pytest.mark.parametrize("name", ["figure.png", "figure.SVG"])
def test_the_command_writes_a_figure(saved: Path, tmp_path: Path, name: str, capsys: Any) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(
            ["plot", str(saved), "--out", str(tmp_path / name), "--gauge", "drop_prob", "--from", "1 s", "--to", "5 s"]
        )
    assert capsys.readouterr().out == f"The figure is {tmp_path / name}\n"
    begin = (tmp_path / name).read_bytes()[:100]
    assert begin.startswith(b"\x89PNG") if name.endswith("png") else b"<?xml" in begin
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "a.jpg"], "--out: 'a.jpg' is not allowed; must end in one of .png, .svg, .pdf"),
        (["--out", "."], "--out: '.' is not allowed; must end in one of .png, .svg, .pdf"),
        (["--out", "a.png", "--gauge", "count"], "gauge: unknown gauge 'count'"),
        (["--out", "a.png", "--gauge", "drop_prob", "--link", "bottle"], "link: unknown link 'bottle'"),
        (["--out", "a.png", "--gauge", "drop_prob", "--from", "soon"], "--from: 'soon' is not allowed"),
        (
            ["--out", "a.png", "--figure", "gauges", "--from", "20 s"],
            "--from: '20 s' is not allowed; must be before the end",
        ),
        (["--out", "a.png"], "must be absent, or --figure must name one of the figures: queue, gauges"),
    ],
)
def test_the_command_explains_errors(
    saved: Path, tmp_path: Path, options: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(["plot", str(saved), *options])
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_figure_needs_gauges(tmp_path: Path, capsys: Any) -> None:
    run, _ = gauges_of("droptail")
    run.save(tmp_path / "empty")
    bare = ac.simulate(run.scenario.changed({"duration": "2 s"}), seed=1)
    bare.save(tmp_path / "bare")
    add(tmp_path / "store", [row(1)])
    for name, message in (
        ("empty", "have no gauges"),
        ("bare", "its run has kept no gauges; must be a result of `ackclock run FILE --record gauges --out FOLDER`"),
        ("store", "unknown figure of several runs 'gauges'; must be one of cwnd, rtt, throughput, queue, jain"),
    ):
        with pytest.raises(SystemExit, match="2"):
            main(["plot", str(tmp_path / name), "--figure", "gauges", "--out", str(tmp_path / "a.png")])
        assert message in capsys.readouterr().err


def test_gauges_are_listed(capsys: Any) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["list", "gauges"])
    shown = " ".join(capsys.readouterr().out.split())
    for name, gauge in catalogue().gauges.items():
        assert f"{name} {gauge.doc}{f' ({gauge.unit})' if gauge.unit else ''}" in shown
