"""The study of Vegas competing with Reno: points, measures, runs of ns-2, and the output folder."""

from __future__ import annotations

import csv
import io
import json
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from tests.papers.vegas.vegas_world import RUNS, WORLD
from tests.support.kept import hold

import ackclock as ac
from ackclock.analysis import student_interval
from ackclock.cli import main
from ackclock.papers.comparison import compare
from ackclock.papers.core import paper
from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.parts import gather
from ackclock.papers.core.table import ns2_runs, read_runs
from ackclock.papers.vegas.evidence import by_part, by_place, interval, parts, places, plane, runs_at
from ackclock.papers.vegas.experiment import (
    APPLICATIONS,
    BUFFERS,
    GATEWAYS,
    OPEN,
    SHARES,
    STARTS,
    TRACE,
    TRANSFERS,
    WIDE,
    Place,
    scenario,
)
from ackclock.papers.vegas.measures import RECORD, leftover, observe
from ackclock.papers.vegas.study import PAPER, TOLERANCES, agreement_statement
from ackclock.scenario import OnOff, Trace, Transfers
from ackclock.scenario.distributions import Pareto


class TestPlaces:
    def test_are_those_that_were_asked_for(self) -> None:
        there = places()
        assert len(set(there)) == len(there)
        assert {place.buffer for place in there} >= {10, 50, 150, 500, 1500, 3000}
        assert {100 * place.vegas // 60 for place in there} >= {5, 25, 50, 75, 95}
        assert {place.start for place in there} == {0, 1, 10, 60}
        for application in APPLICATIONS:
            for gateway in GATEWAYS:
                assert set(plane(application, 10, gateway)) <= set(there)
                assert {
                    place.start
                    for place, _ in parts()["halves"]
                    if (place.application, place.gateway) == (application, gateway)
                } == set(STARTS)
        assert {place.start for place, _ in parts()["pairs"] if place.application == OPEN} == set(STARTS)
        assert {place.vegas for place in plane(OPEN, 0, "FIFO")} == set(SHARES)

    def test_network_is_the_papers(self) -> None:
        whole = scenario(Place(buffer=1500, vegas=15, start=60, gateway="RED")).effective()
        assert whole.dumbbell is not None
        link, access = whole.dumbbell.bottleneck, whole.dumbbell.access
        assert link.queue is not None
        assert access is not None
        assert (link.rate, access.rate, link.delay) == ("50 Mbps", "10 Mbps", "25 ms")
        assert (link.queue.kind, link.queue.packets) == ("red", 1500)
        assert [link.queue.parameters[name] for name in ("min_th", "max_th", "w_q")] == [300, 1200, 0.002]
        reno, vegas = whole.clients
        assert (reno.name, reno.count, reno.start) == ("reno", 45, "0 s")
        assert (vegas.name, vegas.count, vegas.start) == ("vegas", 15, "60 s")
        for clients, variant in ((reno, "reno"), (vegas, "vegas")):
            assert isinstance(clients.transport, ac.Tcp)
            assert (clients.transport.variant, clients.transport.max_window) == (variant, 20)
            assert clients.transport.overhead == "12 us"

    def test_a_pair_can_overflow_every_buffer(self) -> None:
        """Link and buffer hold less than one advertised window, and each client has six times the usual share."""
        whole = scenario(Place(application=OPEN, pair=True, buffer=3000))
        assert whole.dumbbell is not None
        assert [clients.count for clients in whole.clients] == [1, 1]
        assert 10e6 * 0.1 / 12000 + max(BUFFERS) < WIDE
        assert (50e6 / 60) * 6 == 10e6 / 2
        transfers = scenario(Place(application=TRANSFERS, pair=True)).clients[0].source
        assert isinstance(transfers, Transfers)
        assert isinstance(transfers.size, Pareto)
        assert transfers.size.mean == "3600 kB"
        trace = scenario(Place(application=TRACE, pair=True)).clients[0].source
        assert isinstance(trace, Trace)
        assert trace.mean_rate == pytest.approx(6 * 101.9, rel=1e-3)

    def test_one_thing_is_switched(self) -> None:
        whole = scenario(Place(ties=True, base_rtt="minimum", whole=True, load=0.6)).effective()
        reno, vegas = whole.clients
        assert isinstance(reno.transport, ac.Tcp)
        assert isinstance(vegas.transport, ac.Tcp)
        assert (reno.transport.overhead, vegas.transport.overhead) == ("0 s", "0 s")
        assert vegas.transport.parameters["base_rtt"] == "minimum"
        assert whole.measure.from_ == "0 s"
        assert reno.source == ac.Poisson(rate=60)

    def test_the_trace_is_what_its_words_say(self) -> None:
        """The trace equals a run of one on-off client with Pareto on periods and seed 3, in bins of 20 ms."""
        made = ac.Scenario(
            profile="ns2-2.35",
            duration="60 s",
            packet_size=1500,
            dumbbell=ac.Dumbbell(
                access=ac.Link(rate="10 Mbps", delay="1 ms"),
                bottleneck=ac.Link(rate="10 Mbps", delay="1 ms", queue=ac.DropTail(packets=1000)),
            ),
            clients=[
                ac.Clients(
                    count=1,
                    transport=ac.Udp(),
                    source=OnOff(rate=250, on=ac.Pareto(mean="400 ms", shape=1.5), off=ac.Exponential(mean="600 ms")),
                )
            ],
        )
        arrivals = ac.simulate(made, seed=3, record=["arrivals/20ms"]).table("arrivals").to_pandas()
        arrivals = arrivals[arrivals["packets"] > 0]
        text = "".join(f"{row.time:.2f},{row.packets}\n" for row in arrivals.itertuples())
        there = files("ackclock.papers.vegas").joinpath("data", "trace.csv").read_text(encoding="utf-8")
        assert there == f"time,packets\n{text}"


class TestMeasures:
    def test_are_those_of_the_run(self) -> None:
        run = ac.simulate(scenario(Place(vegas=15)), seed=2, record=RECORD)
        found = observe(run)
        reno, vegas = run.summary.groups
        assert found["vegas_goodput"] == pytest.approx(vegas.goodput_bps / 12000 / 15)
        assert found["ratio"] == pytest.approx(vegas.goodput_bps / 15 / (reno.goodput_bps / 45))
        assert found["share"] == pytest.approx(vegas.goodput_bps / (vegas.goodput_bps + reno.goodput_bps))
        assert found["reno_held"] == pytest.approx(reno.queue_mean / 45)
        queue = run.table("queue").to_pandas()
        assert found["queue_sd"] == pytest.approx(queue[queue["time"] >= 90]["packets"].std(ddof=0))
        assert found["queue_met"] == pytest.approx(
            queue[(queue["time"] >= 10) & (queue["time"] < 11)]["packets"].mean()
        )
        windows = run.table("windows").to_pandas()
        late = windows[(windows["time"] >= 90) & (windows["flow"] >= 45)]
        usable = late.assign(cwnd=np.minimum(late["cwnd"], 20)).groupby("flow")["cwnd"]
        assert found["vegas_window"] == pytest.approx(usable.mean().mean(), rel=0.01)
        assert found["vegas_window_cov"] == pytest.approx((usable.std(ddof=0) / usable.mean()).mean(), rel=0.01)
        assert 0.1 < (found["vegas_rtt_least"] or 0) < 0.2

    def test_a_place_without_the_number(self) -> None:
        with pytest.raises(LookupError, match="no run has ratio"):
            interval({Place(): [{"ratio": None}]}, Place())


GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "vegas_beside_reno.md"
REGIMES = {
    point.coordinates["variant"]: point.scenario
    for point in ac.Study.from_toml(GUIDE.parents[2] / "examples" / "vegas_regimes.toml").each()
}


def reported(page: Path) -> list[tuple[str, str]]:
    """Return each statement of the guide with a ratio, on one line, and the variant that it names."""
    text = " \n\n".join(" ".join(part.split()) for part in page.read_text(encoding="utf-8").split("\n\n"))
    return re.findall(r"^(\*\*.*\*\*ratio .*) Variant `([\w-]+)`\. $", text, re.MULTILINE)


SENTENCES = reported(GUIDE)


class TestSentences:
    @pytest.mark.slow
    @pytest.mark.parametrize(("words", "variant"), SENTENCES, ids=lambda text: text[:50])
    def test_are_backed(self, words: str, variant: str) -> None:
        """The numbers in the guide equal the results of its variants, over seeds 1 to 5.

        A number may differ by 10 % or by 0.02, so that small corrections of a model do not invalidate a statement.
        """
        runs = [observe(ac.simulate(REGIMES[variant], seed=seed, record=RECORD)) for seed in range(1, 6)]

        def is_near(shown: str, name: str, factor: float = 1.0) -> None:
            mean = factor * student_interval([run[name] or 0.0 for run in runs]).mean
            assert mean == pytest.approx(float(shown.replace(",", "")), rel=0.1, abs=0.02), name

        is_near(re.findall(r"\*\*ratio ([\d.]+)", words)[0], "ratio")
        numbers = {
            r"Reno(?: client)? keeps ([\d,]+) packets": ("reno_held", 1),
            r"Vegas(?: client)? (\d+): \*\*ratio": ("vegas_held", 1),
            r"(\d+) packets wait ": ("queue_met", 1),
            r"(\d+) ms": ("vegas_rtt_least", 1e3),
            r"takes Vegas ([\d.]+) s": ("vegas_completion", 1),
            r"and Reno ([\d.]+) s": ("reno_completion", 1),
            r"deviation of the queue is ([\d.]+)": ("queue_sd", 1),
            r"Vegas client's window is ([\d.]+)": ("vegas_window_cov", 1),
            r"of a Reno client's ([\d.]+)": ("reno_window_cov", 1),
        }
        for pattern, (name, factor) in numbers.items():
            for shown in re.findall(pattern, words):
                is_near(shown, name, factor)

    def test_each_has_a_variant_and_each_variant_is_used(self) -> None:
        assert len(SENTENCES) == GUIDE.read_text(encoding="utf-8").count("**ratio ")
        assert sorted(variant for _, variant in SENTENCES) == sorted(REGIMES)
        every = " ".join(words for words, _ in SENTENCES)
        for pattern in (
            "keeps 73 packets",
            "packets wait",
            " ms",
            "takes Vegas",
            "deviation of the queue",
            "window is",
        ):
            assert pattern in every

    def test_numbers_in_brackets_are_those_of_ns2(self) -> None:
        """Each number in brackets is the mean of ns-2's runs in the same configuration."""
        runs = by_place(ns2_runs("vegas"))
        theirs = {scenario(place).effective(): interval(runs, place).mean for place in runs}
        for words, variant in SENTENCES:
            for shown in re.findall(r"\(ns-2: ([\d.]+)", words):
                assert float(shown) == pytest.approx(theirs[REGIMES[variant].effective()], abs=0.006), words


class TestNs2:
    def test_runs_are_all_there(self) -> None:
        theirs = by_place(ns2_runs("vegas"))
        assert set(theirs) <= set(places())
        assert len(theirs) == 43
        assert {len(runs) for runs in theirs.values()} == {5}
        assert theirs[Place(buffer=50)][0]["ratio"] == pytest.approx(77.0456 / 57.8761)
        assert len(by_part(ns2_runs("vegas")).part("papers")) == 16 * 5

    def test_agrees_with_itself_and_not_with_others(self) -> None:
        theirs = ns2_runs("vegas")
        assert all(mean.agrees for mean in compare(theirs.part("places"), theirs.part("places"), TOLERANCES))
        lead = agreement_statement(theirs, theirs).lead
        assert lead.endswith("not distinguishable at 100.0 % of the points.")
        rows = theirs.part("places")
        wrong = Runs(
            {
                "places": [
                    Run(
                        where=row.where,
                        seed=row.seed,
                        values={**row.values, "vegas_goodput": 3 * row.values["vegas_goodput"]},
                    )
                    for row in rows
                ]
            }
        )
        lead = agreement_statement(wrong, theirs).lead
        assert not lead.endswith("100.0 % of the points.")
        single = Runs({"places": [row for row in rows if row.seed == 1]})
        assert agreement_statement(single, theirs).lead == "A single seed has no error bars."


class TestCommand:
    @pytest.fixture
    def instead(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Use the synthetic runs instead of real ones."""

        monkeypatch.setattr(paper, "gather", lambda *_, **__: RUNS)

    @pytest.mark.slow
    @pytest.mark.usefixtures("instead", "placeholders")
    def test_writes_the_study_whole(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", "vegas", "--seeds", "3"])
        assert ended.value.code == 0
        assert capsys.readouterr().out == "The report is out/vegas/report.html\n"
        out = tmp_path / "out" / "vegas"
        record = json.loads((out / "record.json").read_text())
        assert record["command"] == "ackclock reproduce vegas --seeds 3"
        assert sorted([*record["files"], "record.json"]) == sorted(path.name for path in out.iterdir())
        runs = read_runs(out / "evidence.parquet", source="ackclock")
        assert len(runs.part("places")) == 3 * len(places())
        assert Place(**runs.part("places")[0].where) == places()[0]  # type: ignore[arg-type]
        page = (out / "report.html").read_text()
        assert len(list(out.glob("*.svg"))) == 12
        assert "Figure L." in page
        rows_of = {
            name: list(csv.DictReader(io.StringIO((out / f"{name}.csv").read_text()))) for name in ("map-open", "pair")
        }
        assert len(rows_of["map-open"]) == 3 * len(SHARES) * len(BUFFERS)
        cell = next(
            row for row in rows_of["map-open"] if (row["vegas"], row["buffer"], row["gateway"]) == ("30", "50", "RED")
        )
        assert float(cell["ratio"]) == pytest.approx(1.2 * 1.3 + 0.03, rel=1e-4)
        assert cell["outcome"] == "holds its own"
        assert {row["clients"] for row in rows_of["pair"]} == {"2"}

    def test_a_few_places_are_run(self) -> None:
        where = [Place(application=OPEN, pair=True, buffer=10), Place(application=TRANSFERS)]
        found = by_place(gather([runs_at(where)], seeds=[1, 2], jobs=1))
        assert list(found) == where
        assert all(len(runs) == 2 and None not in (runs[0]["ratio"], runs[1]["ratio"]) for runs in found.values())


def test_figures_of_claims_are_drawn() -> None:
    report = PAPER.report(WORLD.evidence(), judge(PAPER.claims, WORLD.evidence()), command="ackclock reproduce vegas")
    hold("vegas", report)
    named = {finding.figure for finding in report.findings} - {""}
    assert {"map-poisson", "pair", "starts-fifo"} <= named <= {drawing.slug for drawing in report.drawings}


@pytest.mark.parametrize(("vegas", "part"), [(30, 7 / 18), (57, 0.6784)])
def test_leftover_is_what_is_over(vegas: int, part: float) -> None:
    """The result is 4166.7 packets a second minus 100 per Reno client, divided by 100 per Vegas client."""
    assert leftover(vegas) == pytest.approx(part, abs=1e-4)
