"""Reinforcement learning of congestion control, as an environment of Gymnasium (extra ``ackclock[gym]``).

Importing this package registers ``Ackclock/Dumbbell-v0``::

    import gymnasium
    import ackclock.gym

    env = gymnasium.make("Ackclock/Dumbbell-v0", scheme="aurora")

`networks` has the networks and the sets for training and tests, `schemes` actions, observations and rewards, and
`evaluation` compares a trained agent with the built-in laws. `networks`, `schemes` and `evaluation` need no Gymnasium.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ackclock.gym.environment import DumbbellEnv
    from ackclock.gym.evaluation import Scores, compare, score_law, score_policy, table
    from ackclock.gym.networks import CHANGING, DEFAULT, LOSSY, SHARED, STEADY, Network, Networks, networks_of
    from ackclock.gym.parallel import ParallelDumbbell
    from ackclock.gym.policy import Policy
    from ackclock.gym.schemes import Aurora, Feature, Orca, Power, Scheme

__all__ = [
    "CHANGING",
    "DEFAULT",
    "LOSSY",
    "SHARED",
    "STEADY",
    "Aurora",
    "DumbbellEnv",
    "Feature",
    "Network",
    "Networks",
    "Orca",
    "ParallelDumbbell",
    "Policy",
    "Power",
    "Scheme",
    "Scores",
    "compare",
    "networks_of",
    "score_law",
    "score_policy",
    "table",
]

_HOMES: Final = ("networks", "schemes", "policy", "evaluation", "environment", "parallel")
_EXTRAS: Final = {"environment": "gymnasium", "parallel": "pettingzoo"}

if find_spec("gymnasium") is not None:
    import gymnasium

    gymnasium.register(id="Ackclock/Dumbbell-v0", entry_point="ackclock.gym.environment:DumbbellEnv")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Load attributes on first use, since only the environments need the extra packages."""
        if name in __all__:
            for home in _HOMES:
                needed = _EXTRAS.get(home)
                if needed is not None and find_spec(needed) is None:
                    raise ImportError(f"ackclock.gym.{name} needs {needed}: pip install 'ackclock[gym]'")
                module = import_module(f"ackclock.gym.{home}")
                if name in module.__all__:
                    return getattr(module, name)
        raise AttributeError(f"module 'ackclock.gym' has no attribute {name!r}", name=name)
