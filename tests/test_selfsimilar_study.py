"""The study of TCP over self-similar traffic: measures, pairs, ns-2's runs, figures and report."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from pyarrow import parquet
from tests.long import long_only
from tests.selfsimilar_world import SEEDS, evidence, put, side

import ackclock as ac
from ackclock.analysis import compare_paired
from ackclock.cli import main
from ackclock.papers.selfsimilar import ns2, study
from ackclock.papers.selfsimilar.claims import CLAIMS
from ackclock.papers.selfsimilar.delays import delivered, lateness, matched, variation
from ackclock.papers.selfsimilar.evidence import from_ns2, settings
from ackclock.papers.selfsimilar.experiment import (
    CONSTANT,
    GREEDY,
    RATE,
    READINGS,
    VARIANTS,
    WINDOW,
    Setting,
    flow_summary,
    scenario,
    unresponsive,
)
from ackclock.papers.selfsimilar.looks import (
    RECORD,
    SPIKE,
    Trace,
    course,
    look,
    measures,
    rates,
    unresponsive_values,
)
from ackclock.papers.selfsimilar.memory import BACKGROUND, LONG, memory_wanted
from ackclock.papers.selfsimilar.methods import TRUTH, methods
from ackclock.papers.selfsimilar.paired import beaten, difference, firsts, order, within_reach
from ackclock.papers.selfsimilar.paper import SHARES, TABLE_2
from ackclock.papers.truth import NO, OPEN, YES
from ackclock.study import Batch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ackclock.papers.selfsimilar.looks import Look
    from ackclock.report.html import Report


class TestPaper:
    def test_efficiencies_follow_from_the_counts(self) -> None:
        """All four printed values are arrivals over arrivals, drops and retransmissions: a check of the digits."""
        for row in TABLE_2.values():
            sent = row["arrivals"] + row["drops"] + row["retransmissions"]
            assert row["arrivals"] / sent == pytest.approx(row["efficiency"], abs=1e-4)

    def test_parts_of_the_trace_add_up_to_ip(self) -> None:
        assert SHARES["TCP"] + SHARES["UDP"] == pytest.approx(SHARES["IP"])


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
        """Segment 5 is sent at 1 s, lost, and sent again at 1.2; at 1.25 it is there, and its third copy is not."""
        sent, which = np.array([0.9, 1.0, 1.2, 1.24]), np.array([4.0, 5.0, 5.0, 5.0])
        found = matched(sent, which, np.array([0.95, 1.25]), np.array([4.0, 5.0]))
        assert found == pytest.approx([0.9, 1.2], abs=1e-9)

    def test_delivery_is_in_order_and_ends_before_what_never_came(self) -> None:
        """Segment 2 comes last: 3 waits for it. Segment 5 never comes, so that 6 is not delivered."""
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
        """100 packets a second of 1000 bytes are 0.8 Mb/s; nothing comes in the first half, the mean is half."""
        assert measures(trace())["rate_100"] == pytest.approx(0.8)
        late = np.repeat([0.0, 10.0], 500)
        assert rates(late)[[49, 99]] == pytest.approx([0, 0.4])
        early = measures(trace(counts=late[::-1]))
        assert early["growth"] == pytest.approx(0.5)

    def test_falls_are_counted_once_each(self) -> None:
        cwnd = np.full(10_000, 60.0)
        cwnd[100:200] = 1  # before windows count
        cwnd[600:610] = 2
        cwnd[1000:2000] = 1
        found = measures(trace(cwnd=cwnd))
        assert (found["cwnd_falls"], found["cwnd_least"], found["cwnd_median"]) == (2, 1, 60)
        assert found["cwnd_below"] == pytest.approx(1010 / 9500)

    @pytest.mark.parametrize(("again", "share"), [(49.9, 1), (49.86, 1), (49.8, 0), (50.1, 0)])
    def test_a_spike_is_explained_by_a_retransmission_while_it_was_taken(self, again: float, share: float) -> None:
        """The sample of 150 ms that ended at 50 s began at 49.85 s, a tick of 1 ms more or less."""
        found = measures(trace(again=np.array([again])))
        assert (found["spikes"], found["spikes_again"], found["rtt_most"]) == (1, share, 150)

    def test_without_a_spike_there_is_nothing_to_explain(self) -> None:
        found = measures(trace(rtt=np.array([75.0, 77.0, 76.0])))
        assert (found["spikes"], found["spikes_again"]) == (0, None)

    def test_course_shows_spikes_and_between_samples_the_last_usual_one(self) -> None:
        made = course(trace())
        assert made.cwnd.size == made.rtt.size == 500
        assert np.isnan(made.rtt[4])
        assert (made.rtt[5], made.rtt[249], made.rtt[250], made.rtt[251]) == (75, 75, 150, 75)


@pytest.fixture(scope="module")
def newreno() -> Look:
    run = ac.simulate(scenario(Setting(reading=GREEDY, variant="newreno")), seed=1, record=RECORD)
    found = look(run)
    assert {name: found.values[name] for name in flow_summary(run)} == flow_summary(run)
    return found


class TestLook:
    def test_samples_are_found_in_the_smoothed_times(self, newreno: Look) -> None:
        """Without a queue a round trip takes 75.33 ms, so that nearly all samples are of 75 or 76 ticks of 1 ms."""
        assert newreno.course is not None
        known = newreno.course.rtt[np.isfinite(newreno.course.rtt)]
        assert known.min() >= 75
        assert np.mean(known <= SPIKE) > 0.95
        assert newreno.values["spikes"]
        assert newreno.values["spikes_again"] == 1

    def test_throughput_agrees_with_arrivals(self, newreno: Look) -> None:
        assert newreno.rates is not None
        assert newreno.rates[-1] == pytest.approx((newreno.values["arrivals"] or 0) * 8e-5, rel=1e-9)
        assert newreno.values["rate_100"] == newreno.rates[-1]

    def test_copies_are_what_was_sent_again_without_need(self, newreno: Look) -> None:
        """Dropped packets are retransmitted, except ones in flight at the end; other retransmissions are duplicates."""
        found = {name: newreno.values[name] or 0 for name in ("copies", "retransmissions", "drops")}
        assert found["copies"] == pytest.approx(found["retransmissions"] - found["drops"], abs=10)
        assert found["copies"] > 10

    def test_what_was_sent_again_is_counted(self, newreno: Look) -> None:
        assert newreno.course is not None
        assert newreno.course.again.size == newreno.values["retransmissions"]

    def test_a_sawtooth_is_no_long_range_dependence(self, newreno: Look) -> None:
        """The paper's method says what it says of the paper's runs, but 100 s do not pass for it."""
        assert 0.75 < (newreno.values["hurst_k50"] or 0) < 0.95
        assert newreno.values["long_range"] == 0

    def test_over_udp_a_constant_rate_stays_one(self) -> None:
        """Nothing waits for a window: 775 packets a second come, each as late as the queue of 10 makes it."""
        run = ac.simulate(unresponsive(), seed=1, record=[each for each in RECORD if "windows" not in each])
        found = unresponsive_values(run)
        drops = found["drops"] or 0
        assert (found["arrivals"] or 0) == pytest.approx(RATE * (100 - 0.035) - drops, abs=2)
        assert (found["hurst_k50"] or 0) < 0.5
        assert found["late_most"] is not None
        assert found["late_most"] < 1000 * 10 * 1040 * 8 / 50e6
        assert found["jitter"] == pytest.approx(found["late_jitter"], rel=0.01)


class TestPaired:
    def test_difference_is_of_pairs(self) -> None:
        """The background moves all alike by hundreds of packets, and nothing is left of it in the difference."""
        found = difference(side(), GREEDY, ("newreno", "sack"))
        assert found.comparison.difference.mean == pytest.approx(77312 - 75673)
        assert found.comparison.difference.half_width == pytest.approx(0, abs=1e-6)
        assert found.relative.mean == pytest.approx(2 * (77312 - 75673) / (77312 + 75673))
        assert found.comparison == compare_paired(
            *(side().values(GREEDY, variant, "arrivals") for variant in ("sack", "newreno"))
        )
        assert (found.above(0.01), found.above(0.03)) == (YES, NO)

    def test_order_in_words(self) -> None:
        assert order(side(), GREEDY) == (
            "Tahoe above Vegas; NewReno above Tahoe, Vegas and SACK; SACK above Tahoe and Vegas"
        )
        assert order(side(put("arrivals", 70000.0)), GREEDY) == "none"
        assert beaten(side(), GREEDY, "vegas") == []

    def test_all_that_tie_are_first(self) -> None:
        tied = side(put("arrivals", 80000.0, "tahoe", "sack"))
        assert firsts(tied, GREEDY) == {"tahoe": 12, "newreno": 0, "vegas": 0, "sack": 12}

    def test_reach_of_one_more_run(self) -> None:
        """Of 1, 2 and 3 the interval of the mean is 2 +- 2.484, that of one more run twice as wide, by t = 4.303."""
        sample = [1.0, 2.0, 3.0]
        assert (within_reach(sample, 2 + 4.967), within_reach(sample, 2 + 4.969)) == (OPEN, NO)
        assert within_reach([5.0], 5) is OPEN

    def test_a_value_that_many_runs_have_is_within_reach(self) -> None:
        """Of 1,000 normal runs 1.5 standard deviations are within, 1.96 nobody can tell, 2.1 are beyond."""
        sample = np.random.default_rng(1).normal(size=1000)
        sample = (sample - sample.mean()) / sample.std(ddof=1)
        assert [within_reach(sample.tolist(), value) for value in (0, 1.5, 1.96, -2.1)] == [YES, YES, OPEN, NO]
        assert within_reach([3.0, 3.0], 3) is YES


class TestNs2:
    def test_every_setting_was_looked_at(self) -> None:
        theirs = from_ns2()
        assert theirs.looks.keys() == settings().keys()
        assert {tuple(each.seed for each in runs) for runs in theirs.looks.values()} == {tuple(range(1, 11))}
        assert all(runs[0].course is not None for runs in theirs.looks.values())
        assert len(theirs.unresponsive) == 10

    def test_values(self) -> None:
        tahoe = ns2.looks()["Tahoe, greedy"][0]
        assert tahoe.values["arrivals"] == 64414
        assert tahoe.values["efficiency"] == pytest.approx(64414 / (64414 + 179 + 385))

    def test_spikes_are_retransmissions_there_too(self) -> None:
        """Of 120 runs every sample above 77 ms is of a packet that was sent again while it was taken."""
        runs = [each.values for some in from_ns2().looks.values() for each in some]
        assert sum(each["spikes"] or 0 for each in runs) > 100
        assert all(each["spikes_again"] in (1, None) for each in runs)


def test_methods_see_the_noise() -> None:
    """On exact noise each method's intervals hold the truth in most cases, and the paper's is the least variable."""
    found = methods()
    assert all(each.covered >= 0.9 for each in found.values())
    assert min(found.values(), key=lambda each: each.deviation) is found["optimisation"]
    assert found["optimisation"].mean < found["wavelet"].mean < TRUTH


def test_long_runs_show_the_memory_of_the_background() -> None:
    """Theory gives 0.9. A connection that keeps up with a constant rate has none: it delivers the same every second."""
    batch = Batch()
    asked = batch.add(memory_wanted([Setting(reading=CONSTANT, variant="sack")], seeds=[1]))
    batch.run(jobs=1)
    found = asked()
    assert found.keys() == {"SACK, constant rate", BACKGROUND}
    (alone,) = found[BACKGROUND]
    assert all(0.8 < (value or 0) < 1.1 for value in alone.values())
    (flow,) = found["SACK, constant rate"]
    assert (flow["abry_veitch"] or 0) < 0.5


@pytest.fixture(scope="module")
def report() -> Iterator[Report]:
    """Return the report without the other parts, which have worlds of their own."""
    made = evidence()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "PARTS", ())
        yield study.report(made, [], study.judge_all(made, []), command="ackclock reproduce selfsimilar")


class TestReport:
    def test_is_whole(self, report: Report) -> None:
        slugs = [drawing.slug for drawing in report.drawings]
        assert {"ranking", "differences", "jitter", *(f"figure{number}" for number in range(4, 8))} <= set(slugs)
        assert len(set(slugs)) == len(slugs)
        assert [finding.key for finding in report.findings] == [claim.key for claim in CLAIMS]

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
        monkeypatch.setattr(study, "PARTS", ())
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", "selfsimilar", "--seeds", "1", "--jobs", "1"])
        assert ended.value.code == 0
        assert capsys.readouterr().out == "The report is out/selfsimilar/report.html\n"
        out = tmp_path / "out" / "selfsimilar"
        record = json.loads((out / "record.json").read_text())
        assert record["command"] == "ackclock reproduce selfsimilar --seeds 1"
        assert sorted([*record["files"], "record.json"]) == sorted(path.name for path in out.iterdir())
        runs = parquet.read_table(out / "runs.parquet").to_pandas()
        assert len(runs) == len(settings())
        row = runs[runs["variant"] == Setting(reading=WINDOW, variant="sack").name].iloc[0]
        stored = ac.Scenario.from_dict(json.loads(row["scenario"])).effective()
        assert stored == scenario(Setting(reading=WINDOW, variant="sack")).effective()
        single_runs = parquet.read_table(out / "single.parquet").to_pandas()
        assert set(single_runs["setting"]) == {"constant rate over UDP", f"long-range dependence in {LONG} s"}
        assert (out / "report.html").stat().st_size < 8e6

    def test_ten_seeds_are_the_default(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[range] = []
        monkeypatch.setattr(study, "write", lambda _folder, *, seeds, jobs, store: asked.append(seeds))  # noqa: ARG005
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit):
            main(["reproduce", "selfsimilar"])
        assert asked == [range(1, 11)]


def test_every_setting_has_a_name_of_its_own() -> None:
    assert len(settings()) == len(READINGS) * len(VARIANTS)
    assert settings()["Vegas, constant rate"] == Setting(reading=CONSTANT, variant="vegas")
