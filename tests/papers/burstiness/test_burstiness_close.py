"""The close look at single runs: measures, comparison with ns-2, and texts."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.analysis import cov, student_interval
from ackclock.papers.burstiness.close import LAGS, RECORDS, SCALES, _backlog, _burst
from ackclock.papers.burstiness.close import details as details_of
from ackclock.papers.burstiness.close_figures import close_findings
from ackclock.papers.burstiness.experiment import DEFINITION, VARIANTS
from ackclock.papers.burstiness.study import derived, parts
from ackclock.papers.core.evidence import Row, Run, Runs
from ackclock.papers.core.parts import gather
from ackclock.papers.core.table import ns2_runs

if TYPE_CHECKING:
    from numpy.typing import NDArray


CELLS = [
    (spot.where["variant"], spot.where["clients"]) for part in parts() for spot in part.spots if part.name == "close"
]
PLACES = [("UDP", 60), ("Reno", 39), ("Reno", 60), ("Vegas", 60), ("Reno/RED", 60), ("Vegas/RED", 60)]


@pytest.fixture(scope="module")
def looks() -> list[Run]:
    return closely(PLACES)


def look(looks: list[Run], variant: str, clients: int = 60) -> Run:
    return next(each for each in looks if each.where == {"variant": variant, "clients": clients})


def closely(places: list[tuple[str, int]]) -> list[Run]:
    return [
        Run(
            where={"variant": name, "clients": clients},
            seed=1,
            values=details_of(ac.simulate(DEFINITION.scenario(name, clients=clients), seed=1, record=list(RECORDS))),
        )
        for name, clients in places
    ]


def array(of: Run, name: str) -> NDArray[np.float64]:
    return np.asarray(of.values[name], dtype=float)


class TestCloseLook:
    def test_cells(self) -> None:
        assert CELLS[:7] == [(variant, 60) for variant in VARIANTS]
        assert CELLS[7:] == [("Reno", clients) for clients in (30, 38, 39, 44, 50)]

    def test_is_in_the_order_asked_for(self, looks: list[Run]) -> None:
        assert [(*each.where.values(), each.seed) for each in looks] == [(*place, 1) for place in PLACES]

    def test_arrivals_are_those_of_the_run(self, looks: list[Run]) -> None:
        run = ac.simulate(DEFINITION.scenario("Reno", clients=39), seed=1, record=["arrivals"])
        bins = run.table("arrivals")["packets"].to_numpy()[200:]
        found = look(looks, "Reno", 39)
        assert array(found, "ladder")[SCALES.index(0.1)] == pytest.approx(cov(bins))
        assert array(found, "ladder").size == array(found, "ladder_poisson").size == len(SCALES)
        apart = bins - bins.mean()
        assert array(found, "long")[7] == pytest.approx((apart[7:] @ apart[:-7]) / (apart @ apart))
        assert (array(found, "short").size, array(found, "long").size) == (LAGS + 1, LAGS + 1)

    def test_queue_and_losses_are_those_of_the_run(self, looks: list[Run]) -> None:
        record = ["queue/10ms", "drops"]
        run = ac.simulate(DEFINITION.scenario("Reno/RED", clients=60), seed=1, record=record)
        queue, drops = (run.table(name).to_pandas() for name in ("queue", "drops"))
        queue, drops = queue[queue["time"] >= 19.999], drops[drops["time"] >= 20]
        found = look(looks, "Reno/RED")
        assert found.values["queue_mean"] == pytest.approx(queue["packets"].mean())
        assert found.values["above_max_th"] == pytest.approx((queue["average"] >= 40).mean())
        assert found.values["queue_full"] == pytest.approx((queue["packets"] == 50).mean())
        gaps = drops["time"].diff()
        assert found.values["mean_sequence"] == pytest.approx(len(drops) / (1 + (gaps > 0.01).sum()))
        assert array(found, "occupancy").size == 51
        assert array(found, "occupancy").sum() == pytest.approx(1)
        assert array(found, "occupancy") @ np.arange(51) == pytest.approx(queue["packets"].mean())

    def test_the_packet_in_transmission_counts_towards_fifos_limit(self, looks: list[Run]) -> None:
        found = look(looks, "UDP")
        assert array(found, "occupancy").size == 50
        assert found.values["queue_full"] == array(found, "occupancy")[49] > 0.1

    def test_what_has_no_meaning_is_none(self, looks: list[Run]) -> None:
        udp = look(looks, "UDP").values
        assert {name for name, value in udp.items() if value is None} == {
            "dependence",
            "cutting",
            "window_ratio",
            "window_cov",
            "above_max_th",
        }
        assert look(looks, "Reno").values["above_max_th"] is None
        assert look(looks, "Vegas/RED").values["above_max_th"] is not None
        (calm,) = closely([("Reno", 4)])
        empty = {name for name, value in calm.values.items() if value is None}
        assert empty == {
            "dependence",
            "cutting",
            "losses_per_event",
            "multiple_losses",
            "mean_sequence",
            "window_ratio",
            "above_max_th",
        }
        assert (calm.values["longest_sequence"], calm.values["queue_full"]) == (0, 0)


class TestNs2:
    def test_runs_are_all_there(self) -> None:
        ours, ties = (ns2_runs("burstiness").part(part) for part in ("close", "close_ties"))
        assert (len(ours), len(ties)) == (50, 24)
        assert {run.seed for run in ours} == {1, 2, 3, 4, 5}
        assert {(run.where["variant"], run.where["clients"]) for run in ours} == {
            (variant, clients) for variant, clients in CELLS if variant != "UDP" and int(clients) > 30
        }
        reno = next(run for run in ties if run.where == {"variant": "Reno", "clients": 60})
        assert reno.values == {"cuts": 13089, "dependence": 6.9759, "cutting": 0.14505}

    @pytest.mark.parametrize(("variant", "clients"), [("Reno", 39), ("Reno", 60), ("Reno/RED", 60), ("Vegas/RED", 60)])
    @pytest.mark.parametrize("name", ["dependence", "cutting"])
    def test_windows_are_cut_together_as_in_ns2(self, looks: list[Run], variant: str, clients: int, name: str) -> None:
        """Validates: windows are cut together as often as in ns-2.
        Source: ns-2.35, 5 seeds.
        Tolerance: three standard errors.
        """
        there = [
            run.values[name]
            for run in ns2_runs("burstiness").part("close")
            if run.where == {"variant": variant, "clients": clients}
        ]
        theirs = student_interval([value for value in there if value is not None])
        # One run of ours is within 8 % of the mean of five runs of ns-2.
        assert look(looks, variant, clients).values[name] == pytest.approx(theirs.mean, rel=0.08)


class TestFindings:
    def test_of_what_was_run(self, looks: list[Run]) -> None:
        scales, sawtooth, dependence, red = close_findings(looks)
        assert "Reno is burstiest in bins of 0.2 s" in scales
        assert "the excess is gone" in scales
        assert "Vegas is smoother than a Poisson process at every scale" in scales
        assert "Reno/RED after 0.8 s" in sawtooth
        assert sawtooth.endswith("Vegas not at all.")
        # A single seed has no interval, so that no difference is significant.
        assert "does not change significantly with the load" in dependence
        assert "RED's average queue is hardly ever above max_th" in red

    @pytest.mark.parametrize(
        ("few", "many", "words"),
        [(6, 4.8, "falls as the load grows"), (4, 4.8, "grows with the load"), (4.8, 4.8, "does not change")],
    )
    def test_intervals_choose_the_words(self, looks: list[Run], few: float, many: float, words: str) -> None:
        def with_seed(each: Run, seed: int) -> Run:
            level = few if each.where["clients"] == 39 else many
            return dataclasses.replace(each, seed=seed, values={**each.values, "dependence": level + seed / 100})

        assert words in close_findings([with_seed(each, seed) for each in looks for seed in (1, 2, 3)])[2]

    def test_other_numbers_tell_another_story(self, looks: list[Run]) -> None:
        def turned(each: Run) -> Run:
            above = 0.5 if each.where["variant"] == "Vegas/RED" else 0.1
            other: dict[str, Any] = {
                "ladder": 2 * array(each, "ladder_poisson"),
                "long": np.zeros(LAGS + 1),
                "above_max_th": above,
            }
            return dataclasses.replace(each, values={**each.values, **other})

        scales, sawtooth, _, red = close_findings([turned(each) for each in looks])
        assert "the excess is not gone" in scales
        assert "Vegas is burstier than a Poisson process at every scale" in scales
        assert "Reno not at all, Reno/RED not at all and Vegas not at all." in sawtooth
        assert "at times above max_th: 50 % of the time with Vegas, more than" in red


def only(name: str) -> Row:
    """Return the single run of a part."""
    made = gather([part for part in parts() if part.name == name], seeds=[1])
    (row,) = derived(Runs({"grid": [], **made.parts})).part(name)
    return row


class TestStarts:
    def test_backlog_and_burst_by_hand(self) -> None:
        generated, sent = np.array([0.0, 0.1, 0.2, 0.3]), np.array([0.0, 0.25, 0.26])
        assert _backlog(generated, sent) == 2  # at 0.2 s two wait, at 0.3 s one
        assert _burst(np.array([0.0, 0.25, 0.26, 0.27, 0.275])) == 3  # 0.25 to 0.27, and from 0.26

    def test_sources_fill_send_buffers_and_whole_windows_leave(self) -> None:
        observed = only("starts")
        backlog, burst = observed.values["backlog"], observed.values["burst"]
        assert backlog is not None
        assert burst is not None
        assert 20 < backlog < 100  # a second of the source
        assert 10 < burst <= 20  # the advertised window


class TestPushes:
    def test_vegas_sends_new_data_for_duplicate_acks(self) -> None:
        observed = only("pushes")
        pushed, lost, usual = (observed.values[name] for name in ("pushed", "pushed_loss", "loss"))
        assert pushed is not None
        assert usual is not None
        assert 0 < pushed < 1  # some duplicate ACKs cause a retransmission instead
        whole = ac.simulate(DEFINITION.scenario("Vegas/RED", clients=60), seed=1).summary.loss
        assert whole is not None
        assert usual == pytest.approx(100 * whole, rel=0.2)  # measured over 20 s of 200 s, without retransmissions
        assert lost is not None
