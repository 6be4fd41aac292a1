"""The environments of Gymnasium and PettingZoo."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.gym import Network, Networks, Power, networks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.needs("gymnasium", "pettingzoo")

NETWORK = Network(rate="10 Mbps", rtt="40 ms", buffer=50)
ID = "Ackclock/Dumbbell-v0"


def made(**options: Any) -> Any:
    import gymnasium  # noqa: PLC0415  # an extra

    return gymnasium.make(ID, **options)


def episode(env: Any, seed: int | None, actions: Iterator[Any]) -> list[Any]:
    history = [env.reset(seed=seed)]
    is_over = False
    while not is_over:
        history.append(env.step(next(actions)))
        is_over = history[-1][3]
    return history


def drawn(env: Any, seed: int = 1) -> Iterator[Any]:
    generator = np.random.default_rng(seed)
    low, high = env.action_space.low, env.action_space.high
    while True:
        yield generator.uniform(low, high).astype(np.float32)


def same(first: list[Any], second: list[Any]) -> bool:
    def text(history: list[Any]) -> str:
        with np.printoptions(precision=17, threshold=10**9):
            return repr(history)

    return text(first) == text(second)


@pytest.mark.parametrize("scheme", ["power", "aurora", "orca"])
def test_gymnasium_accepts_the_environment(scheme: str) -> None:
    """Validates: the interface of an environment, for each scheme.

    Source: Gymnasium's own `check_env`; its warnings count as errors.
    Tolerance: none.
    """
    from gymnasium.utils.env_checker import check_env  # noqa: PLC0415

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made(scheme=scheme, render_mode="rgb_array", duration="2 s").unwrapped)


@pytest.mark.parametrize("scheme", ["power", "aurora", "orca"])
def test_the_same_seed_gives_the_same_episodes(scheme: str) -> None:
    """Validates: two episodes after a seed are equal in every observation, reward and measure, also in another object.

    Source: the definition of `reset`.
    Tolerance: exact.
    """
    first, second = (made(scheme=scheme, duration="3 s") for _ in range(2))
    one, other = (episode(env, 3, drawn(env)) for env in (first, second))
    assert same(one, other)
    one, other = (episode(env, None, drawn(env)) for env in (first, second))
    assert same(one, other)
    assert not same(one, episode(second, 4, drawn(second)))
    space = first.observation_space
    assert all(step[0] in space and -1e6 < step[1] < 1e6 for step in one[1:])


def test_a_fixed_network_is_simulated_again_from_the_beginning() -> None:
    env, fresh = made(networks=NETWORK, duration="2 s"), made(networks=NETWORK, duration="2 s")
    episode(env, 1, drawn(env))
    assert same(episode(env, 2, drawn(env)), episode(fresh, 2, drawn(fresh)))


def test_a_step_is_the_time_that_it_says() -> None:
    env = made(networks=NETWORK, interval="40 ms", duration="1 s")
    history = episode(env, 1, drawn(env))
    times = [each[-1]["time"] for each in history]
    assert times == pytest.approx([0.04 * place for place in range(1, 26)])
    assert [each[3] for each in history[1:]] == [False] * 23 + [True]
    assert env.unwrapped.now == 1
    assert env.unwrapped.network == NETWORK


def test_the_options_set_the_network() -> None:
    env = made(duration="1 s")
    slow = networks_of("train", 4)[0]
    _, info = env.reset(seed=1, options={"network": slow})
    assert env.unwrapped.network == slow
    assert set(info) <= {"time", "throughput_bps", "rtt", "loss", "cov", "queue", "cwnd"}


def test_several_kinds_of_networks_are_drawn_in_turn() -> None:
    kinds = [NETWORK, Networks(rate=("1 Mbps", "2 Mbps")), Networks(competitors=(1, 2))]
    env = made(networks=kinds, duration="1 s")
    env.reset(seed=1)
    seen = set()
    for _ in range(30):
        env.reset()
        network = env.unwrapped.network
        seen.add((network == NETWORK, len(network.competitors)))
    assert seen == {(True, 0), (False, 0), (False, 1), (False, 2)}


def test_an_own_scheme_is_used() -> None:
    class Own(Power):
        history = 2

        def reward(self, seen: Any) -> float:
            return -float(seen.queue)

    env = made(networks=NETWORK, scheme=Own, duration="2 s")
    history = episode(env, 1, iter([np.ones(1, np.float32)] * 1000))
    assert env.observation_space.shape == (12,)
    assert [each[1] for each in history[1:]] == [-each[4]["queue"] for each in history[1:]]
    assert history[-1][1] < 0


def test_the_figure_shows_the_episode() -> None:
    env = made(networks=NETWORK, duration="2 s", render_mode="rgb_array")
    env.reset(seed=1)
    before = env.render()
    for _ in range(20):
        env.step(np.ones(1, np.float32))
    after = env.render()
    assert after.dtype == np.uint8
    assert after.shape == before.shape
    assert (after != before).any()
    assert made().unwrapped.render() is None


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: made(scheme="Aurora"), "scheme: unknown scheme 'Aurora'; did you mean 'aurora'"),
        (lambda: made(networks=()), "networks: "),
        (lambda: made(networks="10 Mbps"), "networks: "),
        (lambda: made(interval="1 ps"), "interval: '1 ps' is not allowed"),
        (lambda: made(duration="2 h"), "duration: '2 h' is not allowed"),
        (lambda: made().unwrapped.__class__(render_mode="human"), "render_mode: 'human' is not allowed"),
    ],
)
def test_a_wrong_argument_is_named(make: Callable[[], object], says: str) -> None:
    with pytest.raises(ac.ScenarioError, match=says):
        make()


def test_a_step_needs_an_episode_and_a_number() -> None:
    import gymnasium  # noqa: PLC0415

    env = made(networks=NETWORK, interval="40 ms", duration="80 ms").unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.network  # noqa: B018
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(1))
    env.reset(seed=1)
    with pytest.raises(ValueError, match="action: nan is not allowed"):
        env.step(np.array([np.nan]))
    assert env.step(np.array([np.inf]))[3]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(1))


@pytest.mark.parametrize(
    "network",
    [
        Network(rate="1 kbps", rtt="10 s", buffer=1),
        Network(rate="10 Gbps", rtt="0.1 ms", buffer=10**9),
        Network(rate="1 Mbps", rtt="0.1 ms", buffer=1, loss=0.9),
        Network(rate=(("0 s", "0 bps"), ("1 s", "10 Mbps")), rtt="40 ms", buffer=5),
        Network(rate="2 Mbps", rtt="40 ms", buffer=4, competitors=("bbr",) * 20),
    ],
)
@pytest.mark.parametrize("scheme", ["power", "aurora", "orca"])
def test_no_network_stops_an_agent(network: Network, scheme: str) -> None:
    """Validates: extreme actions on extreme networks give observations within their space, and the episode ends.

    Source: the definition of the spaces.
    Tolerance: none.
    """
    env = made(networks=network, scheme=scheme, interval="1 ms", duration="50 ms")
    env.reset(seed=1)
    history = [env.step(np.array([1.0 if place % 20 < 15 else -1.0], np.float32)) for place in range(49)]
    assert all(each[0] in env.observation_space and np.isfinite(each[1]) for each in history)
    assert history[-1][2:4] == (False, True)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_environments_are_vectorised(mode: str) -> None:
    """Validates: two environments in processes of their own give what each of them gives alone.

    Source: Gymnasium: environment `i` has the seed `seed + i`.
    Tolerance: exact.
    """
    import gymnasium  # noqa: PLC0415

    vector = gymnasium.make_vec("ackclock.gym:" + ID, 2, vectorization_mode=mode, networks=NETWORK, interval="40 ms")
    observations, _ = vector.reset(seed=5)
    rewards = [vector.step(np.full((2, 1), 0.1, np.float32))[1] for _ in range(50)]
    vector.close()
    for place in range(2):
        env = made(networks=NETWORK, interval="40 ms")
        assert (env.reset(seed=5 + place)[0] == observations[place]).all()
        assert [env.step(np.full(1, 0.1, np.float32))[1] for _ in range(50)] == [each[place] for each in rewards]


class TestParallel:
    def test_pettingzoo_accepts_the_environment(self) -> None:
        """Validates: the interface of a parallel environment.

        Source: PettingZoo's own `parallel_api_test` and `parallel_seed_test`.
        Tolerance: none.
        """
        from pettingzoo.test import parallel_api_test, parallel_seed_test  # noqa: PLC0415

        from ackclock.gym import ParallelDumbbell  # noqa: PLC0415

        parallel_api_test(ParallelDumbbell(3, duration="2 s"), num_cycles=100)
        parallel_seed_test(lambda: ParallelDumbbell(2, duration="1 s"), num_cycles=30)

    def test_agents_share_the_link(self) -> None:
        """Validates: equal windows have equal rates, and a doubled window has twice the rate of the other.

        Source: with one round-trip time for all, rates are proportional to windows.
        Tolerance: a tenth.
        """
        from ackclock.gym import ParallelDumbbell  # noqa: PLC0415

        env = ParallelDumbbell(2, Network(rate="10 Mbps", rtt="40 ms", buffer=1000), interval="1 s", duration="20 s")
        env.reset(seed=1)
        rates = []
        for growth in (1.0, 1.0, 0.0, None, 0.0):
            actions = {
                "agent-0": np.array([growth or 0.0]),
                "agent-1": np.array([1.0 if growth is None else growth or 0.0]),
            }
            infos = env.step(actions)[-1]
            rates.append([info["throughput_bps"] for info in infos.values()])
        assert rates[2][0] == pytest.approx(5e6, rel=0.1)
        assert rates[2][1] == pytest.approx(5e6, rel=0.1)
        assert rates[4][1] / rates[4][0] == pytest.approx(2, rel=0.1)

    @pytest.mark.parametrize(
        ("options", "says"),
        [({"agents": 0}, "agents: 0 is not allowed"), ({"interval": "rtt"}, "interval: 'rtt' is not allowed")],
    )
    def test_a_wrong_argument_is_named(self, options: dict[str, Any], says: str) -> None:
        from ackclock.gym import ParallelDumbbell  # noqa: PLC0415

        with pytest.raises(ac.ScenarioError, match=says):
            ParallelDumbbell(**options)
