"""Table 1 and the background by load: runs, measures, figures and judgement of the claims."""

from __future__ import annotations

import numpy as np
import pytest
from tests.papers.selfsimilar.selfsimilar_world import WORLD
from tests.support.few import few
from tests.support.kept import hold
from tests.support.long import long_only, often
from tests.support.typed import typed

import ackclock as ac
from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Runs
from ackclock.papers.core.folds import exponent
from ackclock.papers.core.paper import Both
from ackclock.papers.core.parts import gather
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.selfsimilar import study
from ackclock.papers.selfsimilar.claims.traffic import TRAFFIC_CLAIMS
from ackclock.papers.selfsimilar.experiment import background, binned
from ackclock.papers.selfsimilar.traffic import (
    ALIKE,
    BINS,
    COV,
    DRAWN,
    ESTIMATORS,
    FIRST,
    GAP_COV,
    KINDS,
    LADDER,
    LOADS,
    NOISE,
    ON_OFF,
    OTHERS,
    POISSON,
    USUAL,
    Kind,
    hursts,
    ladder,
    load_parts,
    load_scenario,
    of_many,
    traffic,
    traffic_parts,
)
from ackclock.papers.selfsimilar.traffic_figures import TRAFFIC
from ackclock.papers.summary import summary
from ackclock.report.html import Report, Verdict
from ns2.compared import missed_bars
from ns2.selfsimilar import BAR, loads_agreement
from ns2.selfsimilar import LOADS as LOAD_RULES

RECORD = ("arrivals@A->B/10ms",)
TOPICS = few(study.PAPER, TRAFFIC_CLAIMS).definition.topics


class TestTraffic:
    @pytest.mark.parametrize("kind", KINDS)
    def test_all_kinds_have_the_mean_of_40_sources(self, kind: Kind) -> None:
        scenario = traffic(kind, seconds=90)
        source = scenario.flows[0]
        assert isinstance(source.source, (ac.Poisson, ac.OnOff, ac.FractionalNoise))
        assert source.count * source.source.mean_rate == pytest.approx(2500)
        run = ac.simulate(scenario, seed=1)
        assert run.summary.drops == 0
        assert run.summary.arrivals == pytest.approx(2500 * 100, rel=0.15)

    def test_bins_are_added_up_whole(self) -> None:
        assert binned(np.array([1, 2, 3, 4, 5]), 2).tolist() == [3, 7]

    def test_measures_of_a_ladder_by_hand(self) -> None:
        """Counts of 8 and 12 alternate: mean 10, standard deviation 2; the sum of two is always 20."""
        found = ladder(np.array([8, 12] * 5000))
        assert found["mean"] == pytest.approx(1000)
        measures = np.array([found[name] for name in ("cov", "dispersion", "peak")])
        assert measures.shape == (3, len(LADDER))
        assert measures[:, 0] == pytest.approx([0.2, 0.4, 1.2])
        assert measures[:, 1].tolist() == [0, 0, 1]

    def test_poisson_has_its_exact_coefficient_of_variation(self) -> None:
        """Validates: Poisson traffic of any number of sources has a c.o.v. of 1 / sqrt(mean) at every scale.
        Source: theory.
        Tolerance: three standard errors, 3 / sqrt(2 n) of n bins, with a tenth of the bins at the longest scale.
        """
        for count in (1, 50):
            scenario = traffic(POISSON, sources=count, rate=5000 / count, seconds=100)
            found = of_many(ac.simulate(scenario, seed=1, record=RECORD))
            for scale in (0.01, 0.1, 1.0):
                value = found["cov"][LADDER.index(scale)]
                assert value == pytest.approx((2500 * scale) ** -0.5, rel=3 / np.sqrt(2 * 100 / scale))
            assert found["local Whittle 0.1"] == pytest.approx(0.5, abs=0.2)

    def test_noise_has_the_variance_of_its_rate_and_of_poisson(self) -> None:
        """For n bins of 0.01 s: 1 / 25 from the Poisson process; 0.175² from the rate, times 1 - n^-0.2."""
        found = of_many(ac.simulate(traffic(NOISE, seconds=300), seed=1, record=RECORD))
        assert found["cov"][0] == pytest.approx((1 / 25 + 0.175**2 * (1 - 30_000**-0.2)) ** 0.5, rel=0.06)

    def test_a_method_that_says_nothing_leaves_none(self) -> None:
        found = hursts(np.random.default_rng(1).poisson(50, 9_800), prefix="out ")
        assert len(found) == len(BINS) * len(ESTIMATORS)
        assert found["out Abry-Veitch 1"] is None
        assert found["out K = 1 0.01"] == pytest.approx(0.5, abs=0.03)


class TestLoads:
    def test_the_background_is_that_of_the_study(self) -> None:
        """With a link behind the bottleneck, a seed gives the same packets; undropped packets cross this link."""
        made = load_scenario(USUAL, 80).changed({"duration": "30 s"})
        run = ac.simulate(made, seed=5, record=["arrivals@A->B,B->y/30s"])
        alone = ac.simulate(background(80).changed({"duration": "30 s"}), seed=5)
        came, left = run.table("arrivals")["packets"].to_pylist()[:2]
        assert came == alone.summary.arrivals
        assert alone.summary.drops > 0
        assert 0 <= came - alone.summary.drops - left < 200

    def test_ns2_was_run_at_every_load(self) -> None:
        places = {(run.where["background"], run.where["sources"]) for run in ns2_runs("selfsimilar").part("loads")}
        assert places == {*((USUAL, sources) for sources in LOADS), *OTHERS.items()}
        names = {f"{method} {scale:g}" for method in ESTIMATORS for scale in BINS}
        assert all(names < set(run.values) for run in ns2_runs("selfsimilar").part("loads"))

    def test_ns2_has_the_same_method_in_both_tables(self) -> None:
        """Both tables have equal values for seeds 1 to 20; one has 40 seeds."""
        longer = {run.seed: run.values["hurst_0.1"] for run in ns2_runs("selfsimilar").part("background")}
        here = {
            run.seed: run.values["K = 1 0.1"]
            for run in ns2_runs("selfsimilar").part("loads")
            if run.where == {"background": USUAL, "sources": 40}
        }
        assert here == pytest.approx({seed: longer[seed] for seed in here}, abs=2e-3)


@pytest.mark.slow
def test_the_background_agrees_with_ns2_at_every_load() -> None:
    """Compares nine loads, small packets, and packets carried by TCP; twenty seeds in the long form, otherwise four.

    Validates: on/off traffic from low load to high, by UDP and by TCP, varies over time scales as ns-2's does.
    Source: ns-2.35.
    Tolerance: 3 standard errors, or 1 % of the load and of H, 2 % of the c.o.v. and 15 % of the loss, at 95 % of the
        points of each measure.
    """
    places = loads_agreement(seeds=often(4, long=20), jobs=1)
    assert len(places) > 15 * (len(LOADS) + len(OTHERS))
    assert missed_bars(LOAD_RULES, places, bar=BAR) == []


def test_commands_run_what_claims_are_about() -> None:
    made = {claim.key: typed(claim.command) for claim in TRAFFIC_CLAIMS}
    assert len(made) == len(TRAFFIC_CLAIMS)
    for key, count in (("H-1", 40), ("H-2", 95)):
        here, there = made[key].effective(), background(count).effective()
        assert (here.duration, here.flows) == (there.duration, there.flows)
        assert here.links[0] == next(link for link in there.links if (link.from_, link.to) == ("A", "B"))
    assert isinstance(made["T1-1"].flows[0].source, ac.Poisson)
    shared = made["T1-5"].flows[0]
    assert isinstance(shared.source, ac.OnOff)
    assert shared.count * shared.source.mean_rate == 2500


def test_figures_show_every_place() -> None:
    judged = judge(TRAFFIC_CLAIMS, WORLD.evidence())
    section = TRAFFIC.section(WORLD.evidence(), command="ackclock reproduce selfsimilar")
    shown = summary(judged, TOPICS)
    hold(
        "traffic",
        Report(title="", source="", summary=shown, sections=[section], findings=[one.finding for one in judged]),
    )
    drawings = {drawing.slug: drawing for drawing in section.drawings}
    assert list(drawings) == [
        "time-scales",
        "scales-of-burstiness",
        "multiplexing",
        "hurst-by-load",
        "hurst-by-bin",
        "hurst-behind",
    ]
    assert len(drawings["time-scales"].csv.splitlines()) == 1 + len(DRAWN) * FIRST
    assert len(drawings["scales-of-burstiness"].numbers.rows) == len(LADDER)
    assert len(drawings["hurst-by-load"].numbers.rows) == 2 * len(BINS) + 2 * 2
    assert len(drawings["hurst-behind"].numbers.rows) == len(LOADS)
    assert all(drawing.svg.startswith("<") for drawing in drawings.values())


@long_only
@pytest.mark.slow
def test_what_is_run_is_what_is_judged() -> None:
    """All parts run with one seed. As in the report, longer bins do not smooth on/off traffic, and more sources do."""
    found = gather([*traffic_parts(), *load_parts()], seeds=[1], jobs=1)
    assert {name: len(runs) for name, runs in found.parts.items()} == {
        "times": 3,
        "gaps": 3,
        "many": 20,
        "loads": len(LOADS) + len(OTHERS),
    }
    judged = {one.claim.key: one for one in judge(TRAFFIC_CLAIMS, Both(ours=found, ns2=Runs()))}
    assert {one.verdict for one in judged.values()} == {Verdict.UNDECIDED}
    exponents = {kind: COV.at("times", kind=kind).over("bin", exponent, "").points(found).only.mean for kind in KINDS}
    assert exponents[POISSON] == pytest.approx(-0.5, abs=0.02)
    assert exponents[ON_OFF] > -0.25
    sources = COV.at("many", division=ALIKE, kind=ON_OFF, bin=1.0).over("sources", exponent, "")
    assert sources.points(found).only.mean < -0.25
    gaps = GAP_COV.at("gaps").points(found).cells
    assert gaps[ON_OFF,].mean == pytest.approx(gaps[POISSON,].mean, abs=0.1)
