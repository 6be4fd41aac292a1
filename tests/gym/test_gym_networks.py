"""Networks, schemes and scores of the environment, which need no Gymnasium."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.cli import main
from ackclock.engine.catalogue import catalogue
from ackclock.gym import (
    Aurora,
    Network,
    Networks,
    Orca,
    Policy,
    Power,
    compare,
    networks_of,
    score_law,
    score_policy,
    table,
)
from ackclock.gym.agent import Agent
from ackclock.gym.episode import Episode
from ackclock.values.quantity import RATE, TIME

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NETWORK = Network(rate="10 Mbps", rtt="40 ms", buffer=33)
MS = 10**9


AnyNetwork: Any = Network
AnyNetworks: Any = Networks
"""The classes without their types, for arguments of wrong types."""


def episode(network: Network = NETWORK, **options: Any) -> Episode:
    given: dict[str, Any] = {"seed": 1, "duration": "20 s", "interval": 40 * MS, "control": "window"}
    return Episode(network, **given | options)


class Seen:
    """A hand-made step."""

    span, sent, acked, lost, rtt, rtt_min, rtt_gradient, srtt, cwnd = 0.05, 50, 40, 5, 0.08, 0.04, 0.3, 0.1, 60.0


class Silent(Seen):
    """A step without ACKs."""

    acked, lost, rtt, rtt_min, srtt, rtt_gradient = 0, 0, np.nan, np.nan, np.nan, 0.0


class TestNetworks:
    def test_draws_stay_within_the_ranges_and_cover_them(self) -> None:
        """Validates: a Latin hypercube has one point in each of ten slices of each range.

        Source: McKay, Beckman and Conover (1979).
        Tolerance: exact.
        """
        drawn = Networks(rate=("2 Mbps", "12 Mbps"), rtt=("20 ms", "120 ms"), loss=(0.0, 0.1)).draw(10, seed=1)
        rates = sorted(int((RATE.parse(str(each.rate)) - 2e6) // 1e6) for each in drawn)
        delays = sorted(int((TIME.parse(each.rtt) - 20 * MS) // (10 * MS)) for each in drawn)
        losses = sorted(int(each.loss // 0.01) for each in drawn)
        assert rates == delays == losses == list(range(10))

    def test_a_set_is_always_the_same_and_differs_from_the_other(self) -> None:
        train, held_out = networks_of("train", 8), networks_of("held_out", 8)
        assert train == networks_of("train", 8)
        assert not set(train) & set(held_out)
        assert len({each.rtt for each in train + held_out}) == 16, "no two kinds share their draws"
        assert [bool(each.competitors) for each in train] == [False, False, False, True] * 2
        assert [isinstance(each.rate, tuple) for each in train] == [False, False, True, False] * 2
        assert [each.loss > 0 for each in train] == [False, True, False, False] * 2

    def test_the_empty_path_has_the_base_round_trip_time(self) -> None:
        """Validates: the first round-trip samples of a small window, with a constant and with a changing rate.

        Source: access links of 100 Mbit/s, the bottleneck of 10 Mbit/s, packets of 1,500 and ACKs of 40 bytes. Packets
            leave in pairs, which one ACK acknowledges; the second one waits 1.2 ms less its time on the access link.
        Tolerance: the 0.12 ms of a packet on the access link.
        """
        for rate in ("10 Mbps", (("0 s", "10 Mbps"), ("5 s", "2 Mbps"))):
            network = Network(rate=rate, rtt="40 ms", buffer=33)
            run = episode(network)
            run.stepper.set_window(0, 2.0)
            samples = [run.step().rtt_min for _ in range(10)]
            assert network.base_rtt + 1.2e-3 == pytest.approx(samples[-1], abs=1.2e-4)

    def test_rates_are_means_over_the_episode(self) -> None:
        network = Network(rate=(("0 s", "10 Mbps"), ("5 s", "2 Mbps")), competitors=("cubic",))
        assert network.mean_rate("10 s") == 6e6
        assert network.fair_rate("10 s", agents=2) == 2e6

    def test_changing_rates_are_within_the_range(self) -> None:
        network = Networks(rate=("2 Mbps", "20 Mbps"), change="3 s").draw_one(np.random.default_rng(1), duration="10 s")
        assert isinstance(network.rate, tuple)
        times, rates = zip(*network.rate, strict=True)
        assert times == ("0 s", "3 s", "6 s", "9 s")
        assert all(2e6 <= RATE.parse(rate) <= 20e6 for rate in rates)

    @pytest.mark.parametrize(
        ("make", "says"),
        [
            (lambda: AnyNetwork(rate="10"), "rate: '10' is not allowed; must be a rate"),
            (lambda: AnyNetwork(rate=10), "rate: "),
            (lambda: AnyNetwork(rate=(("0 s", "0 bps"),)), "rate: "),
            (lambda: AnyNetwork(rate=(("1 s", "1 Mbps"),)), "rate: "),
            (lambda: AnyNetwork(rtt="0 s"), "rtt: '0 s' is not allowed"),
            (lambda: AnyNetwork(rtt=40), "rtt: 40 is not allowed"),
            (lambda: AnyNetwork(buffer=0), "buffer: 0 is not allowed; must be an integer from 1"),
            (lambda: AnyNetwork(loss=2.0), "loss: 2.0 is not allowed; must be a number from 0 to 0.9"),
            (lambda: AnyNetwork(competitors="cubic"), "competitors: 'cubic' is not allowed; must be a tuple"),
            (lambda: AnyNetwork(competitors=("cubik",)), "competitors: unknown variant 'cubik'"),
            (lambda: AnyNetwork(profile="lynx"), "profile: unknown profile 'lynx'"),
            (lambda: AnyNetworks(rate=("20 Mbps", "2 Mbps")), "rate: .* the first end must be below the second"),
            (lambda: AnyNetworks(rate=("2 Mbps", "20 ms")), "rate: "),
            (lambda: AnyNetworks(rtt=("1 ms", "2 ms", "3 ms")), "rtt: "),
            (lambda: AnyNetworks(buffer=(0, 2)), "buffer: 0 is not allowed"),
            (lambda: AnyNetworks(loss=(0.0, float("nan"))), "loss: "),
            (lambda: AnyNetworks(competitors=(0, 1000)), "competitors: 1000 is not allowed"),
            (lambda: AnyNetworks(competitors=1.5), "competitors: 1.5 is not allowed"),
            (lambda: AnyNetworks(variants=()), "variants: .* must be a tuple"),
            (lambda: AnyNetworks(change="3 s"), "change: '3 s' is not allowed; must be absent"),
            (lambda: AnyNetworks(rate=("1 Mbps", "2 Mbps"), change="1 ps"), "change: '1 ps' is not allowed"),
            (lambda: networks_of("test", 4), "set: unknown set 'test'; must be one of train, held_out"),
            (lambda: networks_of("train", 6), "count: 6 is not allowed; must be a multiple of 4"),
            (lambda: networks_of("train", 0), "count: 0 is not allowed"),
            (lambda: networks_of("train", 4, duration="soon"), "duration: 'soon' is not allowed"),
        ],
    )
    def test_a_wrong_field_is_named(self, make: Callable[[], object], says: str) -> None:
        with pytest.raises(ac.ScenarioError, match=says):
            make()


class TestEpisode:
    def test_a_law_gives_the_run_of_its_scenario(self) -> None:
        """Validates: an episode with a built-in law has the goodput, losses and waits of `simulate`.

        Source: `simulate`, with the same scenario and seed.
        Tolerance: exact counts; packets that are acknowledged only after the end.
        """
        for law in ("cubic", "bbr", "vegas", "sack"):
            tcp = ac.Tcp(law, max_window=1000)
            network = Network(rate="10 Mbps", rtt="40 ms", buffer=33, loss=0.001, competitors=("reno",))
            seen = episode(network, law=tcp, interval=20_000 * MS).step()
            run = ac.simulate(network.scenario(tcp, duration="20 s"), seed=1)
            flows = run.table("flows").to_pylist()
            assert seen.sent == flows[0]["sent"]
            assert seen.lost == flows[0]["retransmissions"]
            assert seen.timeouts == flows[0]["timeouts"]
            assert seen.acked * 12_000 / 20 == pytest.approx(run.groups[0].goodput_bps, rel=0.01)
            assert seen.dropped == pytest.approx(run.groups[0].drops, abs=1)

    def test_the_same_seed_gives_the_same_episode(self) -> None:
        network = networks_of("train", 4)[3]
        first, again, other = (episode(network, seed=seed) for seed in (1, 1, 2))
        assert first.step().info(1500) == again.step().info(1500)
        rest = [each.step().info(1500) for each in (first, again, other) for _ in range(100)]
        assert rest[:100] == rest[100:200] != rest[200:]
        first.again(2)
        other.again(2)
        assert first.step().info(1500) == other.step().info(1500)

    def test_steps_last_a_round_trip_and_end_with_the_episode(self) -> None:
        run, srtt, spans = episode(interval=None, duration="1 s"), float("nan"), list[float]()
        run.stepper.set_window(0, 60.0)
        while not run.is_over:
            seen = run.step()
            spans.append(seen.span)
            if spans[1:] and not run.is_over:
                assert seen.span == pytest.approx(srtt)
            srtt = seen.srtt
        assert sum(spans) == pytest.approx(1)
        assert min(spans) >= 0.04, "no step is short"
        assert spans[0] == pytest.approx(NETWORK.base_rtt)
        with pytest.raises(ac.ScenarioError, match="the episode is over"):
            run.step()

    @pytest.mark.parametrize("interval", ["0 s", "1 ps", "soon", 5])
    def test_steps_must_be_few(self, interval: Any) -> None:
        with pytest.raises(ac.ScenarioError, match="interval: .* must be rtt, or a time"):
            score_policy(lambda _: 0.0, [NETWORK], interval=interval)


class TestSchemes:
    """Features and rewards on hand-made steps."""

    def made(self, scheme: Any) -> Any:
        return scheme(NETWORK, np.random.default_rng(1), duration="20 s")

    def test_power(self) -> None:
        """Validates: 800 packets/s of 833, a round-trip time of 80 ms where the path has 41.355 ms.

        Source: Kleinrock (1979), relative to the ideal flow.
        Tolerance: rounding.
        """
        scheme = self.made(Power)
        assert scheme.begin() == 10
        assert [scheme.act(each) for each in (1.0, -0.5, -10.0)] == pytest.approx([20, 20 / 2**0.5, 2])
        scheme.act(1.0)
        assert scheme.observe(Seen()) == pytest.approx((1.0, 0.3, 0.1, 0.8, 40 * 0.08 / (0.05 * 4), 1.0))
        assert scheme.reward(Seen()) == pytest.approx(0.96 * 0.041355 / 0.08, rel=1e-4)
        assert (scheme.observe(Silent()), scheme.reward(Silent())) == ((0.0, 0.0, 0.0, 0.0, 0.0, 1.0), 0.0)

    def test_aurora(self) -> None:
        """Validates: the reward of 800 packets/s, 80 ms and a loss of 1/9; a change of 2.5 % for an action of 1.

        Source: Jay et al. (2019), sections 3 and 5; PCC-RL's code.
        Tolerance: rounding.
        """
        scheme = self.made(Aurora)
        rate = scheme.begin()
        assert 0.3 <= rate / (1e7 / 12_000) <= 1.5
        assert scheme.act(0.1) == pytest.approx(1.025 * rate)
        assert scheme.act(-0.1) == pytest.approx(rate)
        assert scheme.observe(Seen()) == pytest.approx((0.3, 2.0, 1.25))
        assert scheme.reward(Seen()) == pytest.approx(8000 - 80 - 2000 / 9)
        assert scheme.observe(Silent()) == (0.0, 1.0, 1.0)
        assert scheme.reward(Silent()) == pytest.approx(-1000 * NETWORK.base_rtt)

    def test_orca(self) -> None:
        """Validates: the seven features and the reward, with a throughput of 800 packets/s after one of 1,600.

        Source: Orca's code (`envwrapper.py`): a delay margin of 1.25, and a factor of 5 for losses.
        Tolerance: rounding.
        """
        scheme = self.made(Orca)

        class Before(Seen):
            acked = 80

        scheme.observe(Before())
        assert [scheme.begin(), scheme.act(0.5), scheme.act(-1.0)] == [1, 2, 0.25]
        expected = (0.5, 600 / 1600, 500 / 1600, 40 / 60, 0.05, 0.4, 0.5)
        assert scheme.observe(Seen()) == pytest.approx(expected)
        assert scheme.reward(Seen()) == pytest.approx((800 - 500) / 1600 * 0.5)
        assert scheme.reward(Silent()) == 0

    def test_observations_hold_the_last_steps_within_their_ranges(self) -> None:
        agent: Any = Agent(Aurora, NETWORK, np.random.default_rng(1), duration="20 s")

        class Wild(Seen):
            rtt_gradient, rtt, sent = -5.0, 1e9, 10**9

        first, second = agent.see(Seen()), agent.see(Wild())
        assert first.dtype == np.float32
        assert first.tolist() == pytest.approx([0, 1, 0] * 9 + [0.3, 2, 1.25])
        assert second.tolist() == pytest.approx([0, 1, 0] * 8 + [0.3, 2, 1.25, -1, 10_000, 1000])
        rate = agent.scheme.begin()
        assert agent.act(99.0) == pytest.approx(1.25 * rate)
        with pytest.raises(ValueError, match="action: nan is not allowed"):
            agent.act(np.nan)


class TestScores:
    def test_an_ideal_flow_has_almost_the_power_1(self) -> None:
        """Validates: a window of one bandwidth-delay product, reached at once, on an empty path.

        Source: Kleinrock (1979): power is largest where the pipe is full and the queue empty.
        Tolerance: the first round-trip times, in which the window opens.
        """

        actions = iter([1.0, 0.75])  # from 10 to 33.6 packets
        (score,) = score_policy(lambda _: next(actions, 0.0), [NETWORK])
        assert 0.9 < score < 1

    def test_a_standing_queue_halves_the_power(self) -> None:
        """Validates: CUBIC with a buffer of one bandwidth-delay product, against goodput and delay of `simulate`.

        Source: `simulate`: goodput, and the mean time in the queue.
        Tolerance: a hundredth, for packets that are acknowledged only after the end.
        """
        tcp = ac.Tcp("cubic", max_window=100_000)
        (group,) = ac.simulate(NETWORK.scenario(tcp, duration="20 s"), seed=1).groups
        rtt = NETWORK.base_rtt + (group.sojourn_mean or 0)
        (score,) = score_law("cubic", [NETWORK])
        assert score == pytest.approx(group.goodput_bps / 1e7 * NETWORK.base_rtt / rtt, rel=0.01)
        assert 0.4 < score < 0.8

    def test_the_table_has_every_law_and_the_agent(self) -> None:
        policy = Policy("power", np.zeros(Policy.size("power", hidden=(4,))), hidden=(4,))
        scores = compare({"still": policy}, count=4, duration="2 s")
        rows = table(scores)
        assert rows[0]["name"] == "still"
        assert {row["name"] for row in rows[1:]} == set(catalogue().variants)
        assert all("±" in row["train"] and "±" in row["held_out"] for row in rows)
        assert [row["name"] for row in rows if row["held_out - cubic"] == ""] == ["cubic"]
        means = [each.interval("held_out").mean for each in scores[1:]]
        assert means == sorted(means, reverse=True)
        assert all(0 <= value <= 1 for each in scores for values in each.values.values() for value in values)


class TestPolicy:
    def test_survives_a_file(self, tmp_path: Path) -> None:
        generator = np.random.default_rng(1)
        policy = Policy("orca", generator.normal(size=Policy.size("orca", hidden=(5, 3))), hidden=(5, 3))
        policy.save(tmp_path / "policy.json")
        again = Policy.load(tmp_path / "policy.json")
        observation = generator.random(7).astype(np.float32)
        assert -1 <= policy(observation) <= 1
        assert again(observation) == pytest.approx(policy(observation), abs=1e-4)

    @pytest.mark.parametrize(
        "content",
        [
            "",
            "[]",
            "{}",
            '{"scheme": "power", "hidden": [], "parameters": []}',
            '{"scheme": "power", "hidden": [4], "parameters": [1]}',
            '{"scheme": "none", "hidden": [4], "parameters": [1]}',
            '{"scheme": "power", "hidden": [1000000000000], "parameters": [1]}',
            '{"scheme": "orca", "hidden": [1], "parameters": [1, 1, 1, 1, 1, 1, 1, NaN, 1, 1]}',
            '{"scheme": "orca", "hidden": [1], "parameters": "x"}',
        ],
    )
    def test_another_file_is_refused(self, content: str, tmp_path: Path) -> None:
        path = tmp_path / "policy.json"
        path.write_text(content, encoding="utf-8")
        with pytest.raises(ac.ScenarioError, match="must be|unknown scheme"):
            Policy.load(path)
        with pytest.raises(ac.ScenarioError, match="cannot be used"):
            Policy.load(tmp_path)


class TestCommand:
    def test_prints_the_table(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        Policy("power", np.zeros(Policy.size("power")), hidden=(16,)).save(tmp_path / "still.json")
        command = [
            "controllers",
            str(tmp_path / "still.json"),
            "--networks",
            "4",
            "--duration",
            "2 s",
            "--law",
            "cubic",
        ]
        with pytest.raises(SystemExit) as ended:
            main(command)
        assert ended.value.code == 0
        assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["name", "still", "cubic"]
        with pytest.raises(SystemExit):
            main([*command, "--json"])
        still, cubic = json.loads(capsys.readouterr().out)
        assert (still["name"], cubic["held_out - cubic"]) == ("still", "")
        assert len(still["scores"]["train"]) == 4

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (["--networks", "x"], "--networks: 'x' is not allowed; must be a multiple of 4"),
            (["--networks", "5"], "count: 5 is not allowed"),
            (["--duration", "1 ps"], "duration: '1 ps' is not allowed"),
            (["--law", "cubik"], "law: unknown variant 'cubik'; did you mean 'cubic'?"),
            (
                ["--networks", "4", "--duration", "1 s", "--law", "bbr"],
                "baseline: unknown law 'cubic'; must be one of bbr",
            ),
            (["none.json"], "none.json: cannot be used: No such file or directory"),
        ],
    )
    def test_names_a_wrong_option(self, options: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as ended:
            main(["controllers", *options])
        assert ended.value.code == 2
        assert capsys.readouterr().err.startswith(says)


def test_the_package_can_be_imported_without_gymnasium() -> None:
    code = """
import importlib.util as util
found = util.find_spec
util.find_spec = lambda name, *more: None if name in {"gymnasium", "pettingzoo"} else found(name, *more)
import ackclock.gym
ackclock.gym.Network()
ackclock.gym.DumbbellEnv
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = "ImportError: ackclock.gym.DumbbellEnv needs gymnasium: pip install 'ackclock[gym]'"
    assert done.stderr.splitlines()[-1] == last
