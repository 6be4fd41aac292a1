"""The study of TCP over self-similar traffic: measures, pairs, ns-2's runs, figures and report."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.papers.selfsimilar.selfsimilar_world import SEEDS, WORLD
from tests.support.few import few
from tests.support.kept import hold
from tests.support.long import long_only
from tests.support.worlds import put

import ackclock as ac
from ackclock.analysis import compare_paired
from ackclock.cli import main
from ackclock.papers.core.claim import judge
from ackclock.papers.core.paired import lead
from ackclock.papers.core.paper import Paper
from ackclock.papers.core.parts import gather
from ackclock.papers.core.table import ns2_runs, read_runs
from ackclock.papers.selfsimilar import study
from ackclock.papers.selfsimilar.claims import CLAIMS
from ackclock.papers.selfsimilar.experiment import (
    CONSTANT,
    GREEDY,
    RATE,
    READINGS,
    SETTINGS,
    TABLE_2,
    TRACE,
    VARIANTS,
    Setting,
    flow_summary,
    scenario,
    unresponsive,
)
from ackclock.papers.selfsimilar.figures import RANKING, supported
from ackclock.papers.selfsimilar.flow_measures import (
    RECORD,
    SPIKE,
    Trace,
    course,
    delivered,
    flow_measures,
    lateness,
    matched,
    measures,
    rates,
    unresponsive_values,
    variation,
)
from ackclock.papers.selfsimilar.measures import ARRIVALS
from ackclock.papers.selfsimilar.memory import TRUTH, methods
from ackclock.papers.selfsimilar.memory import parts as long_parts

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.papers.core.parts import Taken
    from ackclock.report.html import Report

HALF = few(
    study.PAPER,
    CLAIMS,
    chapters=[chapter for chapter in study.PAPER.chapters if chapter.title in {"Jitter", "Figures 4 to 7"}]
    + [chapter for chapter in study.PAPER.chapters if chapter.title.startswith("Table 2")],
)
"""The study without the parts that have separate synthetic runs."""


class TestPaper:
    def test_efficiencies_follow_from_the_counts(self) -> None:
        """All four printed values equal arrivals / (arrivals + drops + retransmissions), in all digits."""
        for row in TABLE_2.values():
            sent = row["arrivals"] + row["drops"] + row["retransmissions"]
            assert row["arrivals"] / sent == pytest.approx(row["efficiency"], abs=1e-4)

    def test_parts_of_the_trace_add_up_to_ip(self) -> None:
        shares = TRACE["shares"]
        assert shares["TCP"] + shares["UDP"] == pytest.approx(shares["IP"])


class TestDelays:
    def test_jitter_is_that_of_rfc_3550(self) -> None:
        """Delays of 10, 12, 11 and 11 ms differ by 2, 1 and 0 ms: J moves towards each by a sixteenth, from 0."""
        sent = np.array([0.0, 0.1, 0.2, 0.3])
        found = variation(sent, sent + np.array([0.010, 0.012, 0.011, 0.011]))
        first = 2 / 16
        second = first + (1 - first) / 16
        third = second + (0 - second) / 16
        assert found["jitter"] == pytest.approx((first + second + third) / 3)
        assert found["variation_99"] == pytest.approx(2, rel=0.05)

    def test_of_a_single_packet_there_is_none(self) -> None:
        assert variation(np.zeros(1), np.ones(1)) == {"jitter": None, "variation_99": None}

    def test_arrivals_are_matched_with_the_last_sending_that_can_be_there(self) -> None:
        """Segment 5 is sent at 1 s, lost, and sent again at 1.2 s; the arrival at 1.25 s is not the third copy."""
        sent, which = np.array([0.9, 1.0, 1.2, 1.24]), np.array([4.0, 5.0, 5.0, 5.0])
        found = matched(sent, which, np.array([0.95, 1.25]), np.array([4.0, 5.0]))
        assert found == pytest.approx([0.9, 1.2], abs=1e-9)

    def test_delivery_is_in_order_and_ends_before_what_never_came(self) -> None:
        """Segment 2 arrives last, and 3 waits for it. Segment 5 never arrives, so 6 is not delivered."""
        order, times = delivered(np.array([0.1, 0.3, 0.4, 0.5, 0.6, 0.7]), np.array([1.0, 3.0, 3.0, 2.0, 4.0, 6.0]))
        assert order.tolist() == [0, 1, 2, 3]
        assert times.tolist() == [0.1, 0.5, 0.5, 0.6]

    def test_lateness_counts_from_the_making(self) -> None:
        made = np.arange(4) / 100
        found = lateness(np.arange(4.0), made + np.array([0.05, 0.05, 0.25, 0.05]), rate=100)
        assert found["late_most"] == pytest.approx(200)
        assert found["late_jitter"] == pytest.approx((0 + 12.5 + (12.5 + (200 - 12.5) / 16)) / 3)


def trace(**other: np.ndarray) -> Trace:
    """Make a run of 100 s: 10 packets in each 0.1 s, a window of 60 packets, and one spike at 50 s."""
    usual = {
        "counts": np.full(1000, 10.0),
        "cwnd": np.full(10_000, 60.0),
        "sampled": np.array([1.0, 50.0, 90.0]),
        "rtt": np.array([75.0, 150.0, 76.0]),
        "again": np.array([49.9]),
    }
    return Trace(**{**usual, **other})


class TestMeasures:
    def test_throughput_is_of_data(self) -> None:
        """100 packets of 1000 bytes a second are 0.8 Mb/s; none arrives in the first half, so the mean is half."""
        assert measures(trace())["rate_100"] == pytest.approx(0.8)
        late = np.repeat([0.0, 10.0], 500)
        assert rates(late)[[49, 99]] == pytest.approx([0, 0.4])
        early = measures(trace(counts=late[::-1]))
        assert early["growth"] == pytest.approx(0.5)

    def test_falls_are_counted_once_each(self) -> None:
        cwnd = np.full(10_000, 60.0)
        cwnd[100:200] = 1  # before windows are counted
        cwnd[600:610] = 2
        cwnd[1000:2000] = 1
        found = measures(trace(cwnd=cwnd))
        assert (found["cwnd_falls"], found["cwnd_least"], found["cwnd_median"]) == (2, 1, 60)
        assert found["cwnd_below"] == pytest.approx(1010 / 9500)

    @pytest.mark.parametrize(("again", "share"), [(49.9, 1), (49.86, 1), (49.8, 0), (50.1, 0)])
    def test_a_spike_is_explained_by_a_retransmission_while_it_was_taken(self, again: float, share: float) -> None:
        """The sample of 150 ms that ended at 50 s began at 49.85 s, plus or minus a tick of 1 ms."""
        found = measures(trace(again=np.array([again])))
        assert (found["spikes"], found["spikes_again"], found["rtt_most"]) == (1, share, 150)

    def test_without_a_spike_there_is_nothing_to_explain(self) -> None:
        found = measures(trace(rtt=np.array([75.0, 77.0, 76.0])))
        assert (found["spikes"], found["spikes_again"]) == (0, None)

    def test_course_shows_spikes_and_between_samples_the_last_usual_one(self) -> None:
        made = course(trace())
        assert made["cwnd"].size == made["rtt"].size == 500
        assert np.isnan(made["rtt"][4])
        assert made["rtt"][[5, 249, 250, 251]].tolist() == [75, 75, 150, 75]


@pytest.fixture(scope="module")
def newreno() -> Taken:
    run = ac.simulate(scenario(Setting(reading=GREEDY, variant="newreno")), seed=1, record=RECORD)
    found = flow_measures(run)
    assert {name: found[name] for name in flow_summary(run)} == flow_summary(run)
    return found


class TestLook:
    def test_samples_are_found_in_the_smoothed_times(self, newreno: Taken) -> None:
        """Without a queue a round trip takes 75.33 ms, so that nearly all samples are of 75 or 76 ticks of 1 ms."""
        known = newreno["rtt"][np.isfinite(newreno["rtt"])]
        assert known.min() >= 75
        assert np.mean(known <= SPIKE) > 0.95
        assert newreno["spikes"]
        assert newreno["spikes_again"] == 1

    def test_throughput_agrees_with_arrivals(self, newreno: Taken) -> None:
        assert newreno["rates"][-1] == pytest.approx((newreno["arrivals"] or 0) * 8e-5, rel=1e-9)
        assert newreno["rate_100"] == newreno["rates"][-1]

    def test_copies_are_what_was_sent_again_without_need(self, newreno: Taken) -> None:
        """Dropped packets are retransmitted, except ones in flight at the end; other retransmissions are duplicates."""
        found = {name: newreno[name] or 0 for name in ("copies", "retransmissions", "drops")}
        assert found["copies"] == pytest.approx(found["retransmissions"] - found["drops"], abs=10)
        assert found["copies"] > 10

    def test_what_was_sent_again_is_counted(self, newreno: Taken) -> None:
        assert newreno["again"].size == newreno["retransmissions"]

    def test_a_sawtooth_is_no_long_range_dependence(self, newreno: Taken) -> None:
        """The paper's method gives the paper's H, but 100 s are not accepted as long-range dependence."""
        assert 0.75 < (newreno["hurst_k50"] or 0) < 0.95
        assert newreno["long_range"] == 0

    def test_over_udp_a_constant_rate_stays_one(self) -> None:
        """No packet waits for a window: 775 packets a second arrive, delayed only by the queue of 10."""
        run = ac.simulate(unresponsive(), seed=1, record=[each for each in RECORD if "windows" not in each])
        found = unresponsive_values(run)
        drops = found["drops"] or 0
        assert (found["arrivals"] or 0) == pytest.approx(RATE * (100 - 0.035) - drops, abs=2)
        assert (found["hurst_k50"] or 0) < 0.5
        assert found["late_most"] is not None
        assert found["late_most"] < 1000 * 10 * 1040 * 8 / 50e6
        assert found["jitter"] == pytest.approx(found["late_jitter"], rel=0.01)


class TestPaired:
    def test_a_lead_is_of_pairs(self) -> None:
        """The background shifts all variants equally by hundreds of packets, which cancels in the difference."""
        arrivals = ARRIVALS.at("flows", reading="greedy")
        (found,) = lead(arrivals, "variant", "NewReno", others=["SACK"]).points(WORLD.runs).cells.values()
        assert found.mean == pytest.approx(77312 - 75673)
        assert found.half_width == pytest.approx(0, abs=1e-6)
        samples = arrivals.samples(WORLD.runs).cells
        pair = (list(samples[name,].values()) for name in ("SACK", "NewReno"))
        assert found == compare_paired(*pair).difference
        relative_lead = lead(arrivals, "variant", "NewReno", others=["SACK"], relative=True)
        (relative,) = relative_lead.points(WORLD.runs).cells.values()
        assert relative.mean == pytest.approx(200 * (77312 - 75673) / (77312 + 75673))


class TestOrder:
    def test_has_clear_leads_only(self) -> None:
        greedy = supported(WORLD.evidence()).text.partition(";  constant")[0]
        assert greedy.startswith(
            "Greedy: Tahoe above Vegas; NewReno above Tahoe, Vegas and SACK; SACK above Tahoe and Vegas"
        )
        alike = supported(WORLD.evidence(put("flows", "arrivals", 70000.0))).text
        assert alike == "Greedy: none; constant rate: none; window of 60: none."

    def test_all_that_tie_are_first(self) -> None:
        made = WORLD.evidence(put("flows", "arrivals", 80000.0, variant=("Tahoe", "SACK")))
        drawing = RANKING.drawing(made, command="ackclock")
        assert drawing.numbers.rows[0][:5] == ["greedy", "12", "0", "0", "12"]


class TestNs2:
    def test_every_setting_was_looked_at(self) -> None:
        flows = ns2_runs("selfsimilar").part("flows")
        assert [(dict(run.where), run.seed) for run in flows] == [
            (setting.where, seed) for setting in SETTINGS for seed in range(1, 11)
        ]
        assert {run.seed for run in flows if "cwnd" in run.values} == {1}
        assert len(ns2_runs("selfsimilar").part("udp")) == 10

    def test_values(self) -> None:
        tahoe = ns2_runs("selfsimilar").part("flows")[0]
        assert tahoe.values["arrivals"] == 64414
        assert tahoe.values["efficiency"] == pytest.approx(64414 / (64414 + 179 + 385))
        assert tahoe.values["cwnd"].size == tahoe.values["rtt"].size == 500

    def test_spikes_are_retransmissions_there_too(self) -> None:
        """In all 120 runs, a packet was retransmitted during every sample above 77 ms."""
        runs = [run.values for run in ns2_runs("selfsimilar").part("flows")]
        assert sum(each["spikes"] or 0 for each in runs) > 100
        assert all(each["spikes_again"] in (1, None) for each in runs)


def test_methods_see_the_noise() -> None:
    """On exact noise each method's intervals mostly contain the true value, and the paper's method varies least."""
    found: dict[str, list[float]] = {}
    for row in methods()["methods"]:
        found.setdefault(str(row.where["method"]), []).append(row.values["h"])
    covered = [row.values["covered"] for row in methods()["methods"]]
    assert np.mean(np.reshape(covered, (-1, len(found))), axis=0).min() >= 0.9
    assert min(found, key=lambda name: float(np.std(found[name]))) == "optimisation"
    assert np.mean(found["optimisation"]) < np.mean(found["wavelet"]) < TRUTH


def test_long_runs_show_the_memory_of_the_background() -> None:
    """Theory gives 0.9. A connection that keeps up with a constant rate delivers the same every second: no memory."""
    flows, background = long_parts()
    sack = Setting(reading=CONSTANT, variant="sack").where
    some = dataclasses.replace(flows, spots=[spot for spot in flows.spots if spot.where == sack])
    found = gather([some, background], seeds=[1], jobs=1)
    (alone,), (flow,) = found.part("background memory"), found.part("memory")
    assert all(0.8 < value < 1.1 for value in alone.values.values())
    assert flow.values["abry_veitch"] < 0.5


@pytest.fixture(scope="module")
def report() -> Report:
    made = WORLD.evidence()
    return HALF.report(made, judge(CLAIMS, made), command="ackclock reproduce selfsimilar")


class TestReport:
    def test_is_whole(self, report: Report) -> None:
        slugs = [drawing.slug for drawing in report.drawings]
        assert {"ranking", "differences", "jitter", *(f"figure{number}" for number in range(4, 8))} <= set(slugs)
        assert len(set(slugs)) == len(slugs)
        assert [finding.key for finding in report.findings] == [claim.key for claim in CLAIMS]
        hold("selfsimilar", report)

    def test_table_2_is_beside_the_papers(self, report: Report) -> None:
        assert report.overview is not None
        rows = {row[0]: row[1:] for row in report.overview.rows}
        assert len(report.overview.head) == 2 + 2 * len(READINGS)
        assert rows["NewReno, arrivals"][:2] == ["77,312", "77,312 ± 229"]
        assert report.overview.head[2:4] == ["Greedy", "Constant rate"]
        assert rows["Vegas, H, K = 50"][0] == "0.90"

    def test_figures_have_the_numbers(self, report: Report) -> None:
        drawings = {one.slug: one for one in report.drawings}
        rows = list(csv.DictReader(io.StringIO(drawings["differences"].csv)))
        (row,) = (
            row
            for row in rows
            if (row["source"], row["reading"], row["measure"], row["first"], row["second"])
            == ("ackclock", GREEDY.name, "arrivals", "newreno", "vegas")
        )
        assert (float(row["difference"]), row["seeds"]) == (77312 - 61853, str(len(SEEDS)))
        assert not any("nan" in cell for one in drawings.values() for line in one.numbers.rows for cell in line)

    def test_a_variant_looks_alike_in_every_figure(self, report: Report) -> None:
        looks = {
            (series.name, series.colour)
            for drawing in report.drawings
            for panel in drawing.chart.panels
            for series in panel.series
            if series.name in VARIANTS.values()
        }
        assert len(looks) == len(VARIANTS)

    def test_order_is_reported(self, report: Report) -> None:
        assert report.summary[-1].text.startswith("Greedy: Tahoe above Vegas; NewReno above")


class TestCommand:
    @long_only
    @pytest.mark.slow
    def test_writes_the_study_whole(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(study, "PAPER", HALF)
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", "selfsimilar", "--seeds", "1", "--jobs", "1"])
        assert ended.value.code == 0
        assert capsys.readouterr().out == "The report is out/selfsimilar/report.html\n"
        out = tmp_path / "out" / "selfsimilar"
        record = json.loads((out / "record.json").read_text())
        assert record["command"] == "ackclock reproduce selfsimilar --seeds 1"
        assert sorted([*record["files"], "record.json"]) == sorted(path.name for path in out.iterdir())
        runs = read_runs(out / "evidence.parquet", source="ackclock")
        assert len(runs.part("flows")) == len(runs.part("memory")) == len(SETTINGS)
        assert (out / "report.html").stat().st_size < 8e6

    def test_ten_seeds_are_the_default(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[range] = []
        monkeypatch.setattr(Paper, "write", lambda *_, seeds, **__: asked.append(seeds))
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit):
            main(["reproduce", "selfsimilar"])
        assert asked == [range(1, 11)]
