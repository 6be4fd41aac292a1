"""Scores a trained agent and the built-in laws on the same networks.

The score of a flow is Kleinrock's power (1979) relative to an ideal flow: its goodput over its equal share of the
bottleneck's mean rate, at most 1, divided by its mean round-trip time over that of the empty path. Goodput counts the
packets acknowledged in the whole episode, the beginning included. The mean round-trip time is the one of the empty path
plus the mean wait at the bottleneck. All flows are measured in the same way, whatever controls them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis import compare_paired, mean_interval
from ackclock.engine.catalogue import catalogue
from ackclock.gym.agent import Agent
from ackclock.gym.episode import Episode, interval_of
from ackclock.gym.networks import PACKET, SETS, duration_of, networks_of
from ackclock.gym.schemes import scheme_named
from ackclock.scenario import Tcp
from ackclock.values.errors import one_of, refuse
from ackclock.values.quantity import PICOSECONDS_PER_SECOND

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.analysis.comparison import Comparison
    from ackclock.analysis.interval import Interval
    from ackclock.gym.networks import Network
    from ackclock.gym.policy import Policy
    from ackclock.gym.schemes import Scheme

__all__ = ["Scores", "compare", "score_law", "score_policy", "table"]

_DURATION: Final = "20 s"
_SEED: Final = 1


def _power(network: Network, duration: str, *, acked: int, wait: float) -> float:
    seconds = duration_of(duration) / PICOSECONDS_PER_SECOND
    share = 8 * PACKET * acked / seconds / network.fair_rate(duration)
    return min(share, 1.0) * network.base_rtt / (network.base_rtt + wait)


def score_law(law: str | Tcp, networks: Sequence[Network], *, duration: str = _DURATION) -> NDArray[np.float64]:
    """Return the score of a built-in law on each network.

    Parameters
    ----------
    law
        A TCP variant, or a transport.
    networks
        The networks.
    duration
        Simulated time of an episode.

    Examples
    --------
    >>> from ackclock.gym import Network
    >>> network = Network(rate="10 Mbps", rtt="40 ms", buffer=100)
    >>> [round(float(score_law(law, [network])[0]), 2) for law in ("cubic", "bbr")]
    [0.3, 0.83]

    """
    tcp = law if isinstance(law, Tcp) else Tcp(law, max_window=100_000)
    scores = []
    for place, network in enumerate(networks):
        episode = Episode(network, seed=_SEED + place, duration=duration, interval=duration_of(duration), law=tcp)
        seen = episode.step()
        scores.append(_power(network, duration, acked=seen.acked, wait=0.0 if np.isnan(seen.wait) else seen.wait))
    return np.array(scores)


def score_policy(
    policy: Callable[[NDArray[np.float32]], float],
    networks: Sequence[Network],
    *,
    scheme: str | type[Scheme] = "power",
    interval: str | None = None,
    duration: str = _DURATION,
) -> NDArray[np.float64]:
    """Return the score of an agent on each network.

    Parameters
    ----------
    policy
        Returns the action for an observation.
    networks
        The networks.
    scheme, interval
        As in `DumbbellEnv`.
    duration
        Simulated time of an episode.

    Examples
    --------
    >>> from ackclock.gym import Network
    >>> network = Network(rate="10 Mbps", rtt="40 ms", buffer=100)
    >>> def hold_a_small_queue(observation):
    ...     return 0.05 if observation[-6] < 0.05 else -0.1
    >>> score_policy(hold_a_small_queue, [network]).round(2)
    array([0.9])

    """
    kind = scheme_named(scheme)
    length = interval_of(kind.interval if interval is None else interval, duration)
    scores = []
    for place, network in enumerate(networks):
        generator = np.random.default_rng(_SEED + place)
        agent = Agent(kind, network, generator, duration=duration)
        episode = Episode(network, seed=_SEED + place, duration=duration, interval=length, control=kind.control)
        set_control = episode.setter(kind.control)
        set_control(0, agent.scheme.begin())
        acked, accepted, waited = 0, 0, 0.0
        while True:
            seen = episode.step()
            observation = agent.see(seen)
            acked += seen.acked
            count = seen.offered - seen.dropped
            if count:
                accepted += count
                waited += count * seen.wait
            if episode.is_over:
                break
            set_control(0, agent.act(float(policy(observation))))
        scores.append(_power(network, duration, acked=acked, wait=waited / accepted if accepted else 0.0))
    return np.array(scores)


@dataclass(frozen=True, kw_only=True)
class Scores:
    """The scores of a law or an agent."""

    name: str
    values: Mapping[str, NDArray[np.float64]]
    """The score on each network of a set, by the name of the set."""

    def interval(self, which: str) -> Interval:
        """Return the mean over the networks of a set, with its 95 % interval."""
        return mean_interval(self.values[which])

    def against(self, other: Scores, which: str) -> Comparison:
        """Compare with another row on the same networks: the paired difference, this one minus the other."""
        return compare_paired(other.values[which], self.values[which])


def compare(
    policies: Mapping[str, Policy], *, count: int = 40, duration: str = _DURATION, laws: Sequence[str] | None = None
) -> list[Scores]:
    """Score all built-in laws, and agents, on the sets for training and for tests.

    Parameters
    ----------
    policies
        The agents by name.
    count
        Number of networks in a set, a multiple of 4.
    duration
        Simulated time of an episode.
    laws
        The TCP variants (default: all).

    Returns
    -------
    list of Scores
        The agents, then the laws, each in order of the score on the set ``held_out``.

    Raises
    ------
    ScenarioError
        `count`, `duration` or a law is not allowed.

    Examples
    --------
    >>> best, worst = compare({}, count=4, duration="5 s", laws=["reno", "copa"])
    >>> best.name, len(best.values["train"])
    ('copa', 4)

    """
    variants = list(catalogue().variants)
    for law in laws or ():
        if law not in variants:
            raise refuse("law", law, one_of(law, variants), noun="variant")
    sets = {which: networks_of(which, count, duration=duration) for which in SETS}
    agents = [
        Scores(
            name=name,
            values={
                which: score_policy(policy, networks, scheme=policy.scheme, duration=duration)
                for which, networks in sets.items()
            },
        )
        for name, policy in policies.items()
    ]
    built_in = [
        Scores(
            name=law, values={which: score_law(law, networks, duration=duration) for which, networks in sets.items()}
        )
        for law in (variants if laws is None else laws)
    ]

    def best_first(scores: Scores) -> float:
        return -float(scores.values["held_out"].mean())

    return [*sorted(agents, key=best_first), *sorted(built_in, key=best_first)]


def table(scores: Sequence[Scores], *, baseline: str = "cubic") -> list[dict[str, str]]:
    """Return scores as rows of text: name, mean with its 95 % interval on each set, and the difference from a baseline.

    Raises
    ------
    ScenarioError
        There is no such baseline.

    Examples
    --------
    >>> rows = table(compare({}, count=4, duration="5 s", laws=["reno", "copa"]), baseline="reno")
    >>> list(rows[0]), rows[1]["held_out - reno"]
    (['name', 'train', 'held_out', 'held_out - reno'], '')

    """
    names = [row.name for row in scores]
    if baseline not in names:
        raise refuse("baseline", baseline, one_of(baseline, names), noun="law")
    base = scores[names.index(baseline)]
    return [
        {
            "name": row.name,
            **{which: row.interval(which).shown(3) for which in SETS},
            f"held_out - {baseline}": "" if row is base else row.against(base, "held_out").difference.shown(3),
        }
        for row in scores
    ]
