"""The page of a comparison and the cells of a calibration. Simulated runs take the place of the kernel's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.live.test_judging import PUNCTUAL
from tests.live.test_refusing import BASE

import ackclock as ac
from ackclock.cli import main
from ackclock.live import Comparison, LiveRun
from ackclock.live.calibrating import BUFFERS, LAWS, Cell, counted, scenarios
from ackclock.live.comparing import _records
from ackclock.live.judging import TOO_LATE, rows
from ackclock.live.running import Request

if TYPE_CHECKING:
    from ackclock.live.lateness import Lateness

SOURCE = {
    "kind": "requests",
    "size": {"kind": "fixed", "mean": "30 kB"},
    "every": {"kind": "fixed", "mean": "200 ms"},
}
SCENARIO = BASE.changed({"duration": "4 s", "measure": {"from": "1 s"}, "clients.0.source": SOURCE, "profile": "linux"})


def comparison(lateness: Lateness = PUNCTUAL) -> Comparison:
    """Compare simulated runs with different seeds."""
    record = _records(SCENARIO)
    ours, theirs = ([ac.simulate(SCENARIO, seed=first + seed, record=record) for seed in (0, 1)] for first in (1, 11))
    facts = {"kernel": "6.18.0", "congestion_controls": ["cubic"], "settings": {}, "lateness": lateness.to_dict()}
    runs = [LiveRun(run=replace(run, live=facts), lateness=lateness, kernel="6.18.0") for run in ours]
    judged = rows([run.run for run in runs], theirs, late=not lateness.trusted)
    return Comparison(rows=judged, live=tuple(runs), simulated=tuple(theirs))


def test_a_comparison_has_completion_times_of_groups() -> None:
    found = comparison()
    names = [row.name for row in found.rows]
    assert f"completion_mean ({SCENARIO.effective().groups[0].name})" in names
    assert "goodput_bps" in names
    assert found.to_dict()["repetitions"] == 2


def test_the_page_has_verdicts_and_figures_with_both() -> None:
    page = comparison().page("ackclock live x.toml --compare")
    assert "<dt>Command</dt><dd>ackclock live x.toml --compare" in page
    for title in ("Congestion windows", "Quantiles of the time in the queue", "Goodput", "The emulator"):
        assert title in page
    assert "Kernel 6.18.0 and the simulator" in page
    assert "too late" not in page.partition("Simulation setup")[0]


def test_the_page_warns_if_the_emulator_was_too_late() -> None:
    page = comparison(replace(PUNCTUAL, p99=0.1)).page()
    assert "repeat the comparison on an idle machine" in page
    assert TOO_LATE in page


@pytest.mark.parametrize("quick", [False, True])
def test_each_cell_of_a_calibration_can_run_live(*, quick: bool) -> None:
    cells = scenarios(quick=quick)
    assert len(cells) == len(LAWS) * len(BUFFERS) * (1 if quick else 9)
    for (law, rate, _, packets), scenario in cells:
        plan = Request.of(scenario, ()).plan
        assert plan["topology"]["bottleneck"]["rate"] == rate * 1_000_000
        assert packets >= 2
        assert plan["groups"][0]["transport"]["sender"]["congestion"]["kind"] in {law, "newreno"}


def cell(goodput: float, rtt: float, *reasons: str) -> Cell:
    """A cell whose simulated goodput is 10 Mb/s, and the mean round-trip time 50 ms."""
    kernel: dict[str, float | None] = {"goodput_bps": goodput, "rtt_mean": rtt}
    simulator: dict[str, float | None] = {"goodput_bps": 10e6, "rtt_mean": 0.05}
    return Cell(law="reno", rate=10, rtt=40, packets=33, kernel=kernel, simulator=simulator, reasons=reasons)


def test_a_cell_is_confirmed_if_both_measures_are_near() -> None:
    cells = [cell(10.29e6, 0.0549), cell(10.31e6, 0.05), cell(10e6, 0.0551), cell(10e6, 0.05, "late")]
    assert [each.verdict for each in cells] == ["confirmed", "differs", "differs", "too late"]
    assert cells[0].name == "reno, 10 Mb/s, 40 ms, 33 packets"
    said = "This kernel confirms 1 of 3 cells of the profile linux; in 1 the emulator was too late to tell"
    assert counted(cells) == said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--record", "queue/10ms"], "--record: 'queue/10ms' is not allowed; must be absent with --compare"),
        (["--out", "page.pdf"], "must end in .html"),
        (["--repetitions", "1"], "must be from 2 to 30"),
    ],
)
def test_bad_options_of_a_comparison_are_refused(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["live", "examples/codel.toml", "--compare", *options])
    assert ended.value.code == 2
    assert words in " ".join(capsys.readouterr().err.split())
