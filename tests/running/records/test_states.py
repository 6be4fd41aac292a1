"""The record of states: phases and variables of window laws over time, their figures, and the command for these."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.cli import main
from ackclock.engine.catalogue import catalogue
from ackclock.running.figures.states import phase_diagram, state_chart
from ackclock.running.records import KINDS

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

HOLDERS = sorted(name for name, state in catalogue().states.items() if state.variables)


def run_of(variant: str, record: str = "states", queue: str = "droptail", duration: str = "6 s") -> ac.Run:
    """Run two flows of a variant on a link of 10 Mb/s and 40 ms."""
    transport = ac.Tcp(variant, ecn="accurate") if variant in ("dctcp", "prague") else ac.Tcp(variant)
    scenario = ac.Scenario(
        profile="linux",
        duration=duration,
        dumbbell=ac.Dumbbell(
            bottleneck=ac.Link(rate="10 Mbps", delay="19 ms", queue=ac.Queue(kind=queue, packets=60)),
            access=ac.Link(rate="1 Gbps", delay="1 ms"),
        ),
        clients=[ac.Clients(count=2, spread="1 s", transport=transport, source=ac.Greedy())],
    )
    return ac.simulate(scenario, seed=1, record=[record])


def states_of(run: ac.Run) -> pd.DataFrame:
    table = run.table("states").to_pandas()
    assert list(table.columns) == ["time", "flow", "phase", "variable", "value"]
    return table


@pytest.mark.parametrize("law", HOLDERS)
def test_every_law_shows_the_state_that_it_declares(law: str) -> None:
    queue = "dualpi2" if law in ("dctcp", "prague") else "droptail"
    table = states_of(run_of(law, "states/100ms", queue))
    declared = catalogue().states[law]
    assert set(table.variable) == set(declared.variables)
    assert set(table.phase) <= set(declared.phases)
    assert len(declared.variables) <= KINDS["states"].rows
    one = table[table.flow == 1]
    assert one.variable.to_list() == list(declared.variables) * 60
    assert np.allclose(one.time.to_numpy().reshape(60, -1).T, np.arange(60) / 10)


def test_laws_that_hold_only_a_window_have_no_rows() -> None:
    assert len(states_of(run_of("reno", duration="2 s"))) == 0
    with pytest.raises(ac.ScenarioError, match="only these laws have state variables: bbr, bbr3, copa"):
        state_chart(run_of("reno", duration="2 s"))


@pytest.mark.parametrize("law", ["bbr3", "cubic"])
def test_samples_are_the_last_changes(law: str) -> None:
    """Both forms of the record, for each sample and variable.

    Validates: a sample is the last change before it, and a change of phase repeats all variables.
    Source: docs/measures.md.
    Tolerance: exact.
    """
    changes, samples = (states_of(run_of(law, record)) for record in ("states", "states/70ms"))
    count = len(catalogue().states[law].variables)
    for flow in (0, 1):
        for name, own in changes[changes.flow == flow].groupby("variable", observed=True):
            sampled = samples[(samples.flow == flow) & (samples.variable == name) & (samples.time > 1.1)]
            place = np.searchsorted(own.time, sampled.time, side="left") - 1
            assert np.array_equal(own.value.to_numpy()[place], sampled.value, equal_nan=True)
            assert own.phase.to_list() == [own.phase.iloc[0], *own.phase.iloc[1:]]
        mine = changes[changes.flow == flow]
        begins = np.flatnonzero(mine.phase != mine.phase.shift())
        for begin in begins:
            assert mine.time.iloc[begin : begin + count].max() == mine.time.iloc[begin]
            assert mine.variable.iloc[begin : begin + count].nunique() == count


def test_recording_states_changes_nothing() -> None:
    assert run_of("bbr").summary == run_of("bbr", "windows").summary


def test_the_curve_of_cubic_begins_at_the_reduced_window() -> None:
    """The epochs of a flow, from the recorded state.

    Validates: `k` is the cube root of `(w_max - cwnd_epoch) / C`. The epoch begins at 0.7 of the window of the loss,
        which is `w_max`, or with fast convergence `w_max / 0.85`.
    Source: RFC 9438, equation 2 and section 4.7.
    Tolerance: 3 %: the kernel's rules have whole segments and units of 1/1024 s.
    """
    table = states_of(run_of("cubic", duration="20 s"))
    rows = table[table.flow == 0].pivot_table(index="time", columns="variable", values="value", aggfunc="last").ffill()
    epochs = rows[(rows.k > 0) & (rows.k != rows.k.shift())]
    assert len(epochs) >= 5
    expected = [np.cbrt(share * epochs.w_max / 0.4) for share in (0.3, 1 - 0.7 / 0.85)]
    assert np.min([np.abs(epochs.k / each - 1) for each in expected], axis=0).max() < 0.03


@pytest.fixture(scope="module")
def bbr() -> ac.Run:
    return ac.simulate(ac.Scenario.from_toml("examples/bbr.toml"), seed=1, record=["states"])


def phases_of(table: pd.DataFrame) -> list[tuple[float, str]]:
    begins = table[table.phase != table.phase.shift()]
    return list(zip(begins.time, begins.phase, strict=True))


def test_bbr_passes_through_its_phases(bbr: ac.Run) -> None:
    """The phases of one flow, alone on a link of 10 Mb/s and 40 ms.

    Validates: startup, drain, the cycle up, down, cruise in this order, and one probe of the round-trip time, 10 s
        after the minimum was last seen, of 200 ms and a round trip.
    Source: Cardwell et al. 2016; Linux, `bbr_update_min_rtt`.
    Tolerance: the probe lasts from 0.2 s to 0.3 s: the flight of 37 segments must first fall to 4, within a round trip.
    """
    begins = phases_of(states_of(bbr))
    assert [phase for _, phase in begins[:2]] == ["startup", "drain"]
    follows = {"up": {"down"}, "down": {"cruise"}, "cruise": {"up", "probe_rtt"}, "probe_rtt": {"up", "cruise"}}
    for (_, phase), (_, following) in pairwise(begins[2:]):
        assert following.removeprefix("probe_bw:") in follows[phase.removeprefix("probe_bw:")] | {"probe_rtt"}
    probes = [(at, after - at) for (at, phase), (after, _) in pairwise(begins) if phase == "probe_rtt"]
    assert len(probes) == 1
    assert 10 < probes[0][0] < 10.2
    assert 0.2 < probes[0][1] < 0.3


def test_a_chart_has_areas_of_phases(bbr: ac.Run) -> None:
    chart = state_chart(bbr)
    assert [panel.y.label for panel in chart.panels] == [
        "Rate, Mb/s",
        "Round-trip time, ms",
        "In flight, segments",
        "Gain",
    ]
    begins = phases_of(states_of(bbr))
    for panel in chart.panels:
        bands = {band.name: band for band in panel.bands}
        assert set(bands) == {phase for _, phase in begins}
        assert np.allclose(np.asarray(bands["drain"].x)[:2], [begins[1][0], begins[2][0]])
    assert [series.name for series in chart.panels[0].series] == ["delivery_rate", "pacing_rate", "bw"]
    asked = state_chart(bbr, variables=["cycle_idx", "min_rtt"], start=3, end=4)
    assert [panel.y.label for panel in asked.panels] == ["cycle_idx", "min_rtt, ms"]
    minimum = asked.panels[1].series[0]
    assert (min(np.asarray(minimum.x)), np.unique(np.asarray(minimum.y)).size) == (3, 1)


def test_a_phase_diagram_shows_the_path(bbr: ac.Run) -> None:
    """Each delivered segment of one flow, alone on a link whose path the scenario states.

    Validates: with less than a bandwidth-delay product in flight the round-trip time is that of the path; with more, it
        is the flight divided by the rate of the link. The delivery rate is never above that rate.
    Source: Cardwell et al. 2016, Figure 1.
    Tolerance: two segments, as segments are whole and one is in transmission; the first 10 segments are sent at once.
    """
    above, below = phase_diagram(bbr).panels
    each = 1_500 * 8 / 10e6
    for series in above.series[:6]:
        flight, rtt = np.asarray(series.x), np.asarray(series.y) / 1e3
        expected = np.maximum(0.0412, flight * each)
        burst = flight == 10
        assert np.abs(rtt - expected)[~burst].max() < 2 * each
    rates = np.concatenate([np.asarray(series.y) for series in below.series[:6]])
    assert rates.max() < 10 * (1 + 1e-9)
    product = np.asarray(below.series[-2].x)[0]
    assert product == pytest.approx(0.0412 / each, rel=0.01)


@pytest.fixture(scope="module")
def saved(bbr: ac.Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("states") / "result"
    bbr.save(folder)
    return folder


@pytest.mark.parametrize("options", [[], ["--diagram"], ["--flow", "0", "--variable", "bw", "--from", "1 s"]])
def test_the_command_writes_a_figure(saved: Path, tmp_path: Path, options: list[str], capsys: Any) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["plot", str(saved), "--out", str(tmp_path / "a.png"), *options])
    assert capsys.readouterr().out == f"The figure is {tmp_path / 'a.png'}\n"
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--variable", "alpha"], "variable: unknown variable 'alpha'"),
        (["--flow", "1"], "flow: 1 is not allowed; must be one of the recorded flows: 0"),
        (["--from", "20 s"], "--from: '20 s' is not allowed; must be before the end of the plot; the run ends at 15 s"),
        (["--to", "1 ps", "--diagram"], "states: no segment that was sent from 0 s to 1e-12 s was delivered"),
        (["--diagram", "--variable", "bw"], "--variable: 'bw' is not allowed; must be absent: it selects a panel of"),
        (["--diagram", "--gauge", "count"], "--gauge: 'count' is not allowed; must be absent: it selects a panel of"),
        (["--variable", "bw", "--gauge", "count"], "the figure states, not of gauges"),
        (["--gauge", "count"], "its run has kept no gauges"),
        (["--link", "bottleneck"], "--link: 'bottleneck' is not allowed; must be absent: it fits none of the figures"),
    ],
)
def test_the_command_explains_errors(
    saved: Path, tmp_path: Path, options: list[str], message: str, capsys: Any
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["plot", str(saved), "--out", str(tmp_path / "a.png"), *options])
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_phase_diagram_needs_samples() -> None:
    with pytest.raises(ac.ScenarioError, match="needs a window law that samples delivery rates"):
        phase_diagram(run_of("cubic", duration="2 s"))


def test_states_are_listed(capsys: Any) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["list", "states"])
    shown = " ".join(capsys.readouterr().out.split())
    for law in HOLDERS:
        assert f"{law} phases: {', '.join(catalogue().states[law].phases)}" in shown
    assert "velocity Factor of the steps of the window" in shown
