"""Reinforcement learning of congestion control, as an environment of Gymnasium (extra ``ackclock[gym]``).

Importing this package registers ``Ackclock/Dumbbell-v0``::

    import gymnasium
    import ackclock.gym

    env = gymnasium.make("Ackclock/Dumbbell-v0", scheme="aurora")

`networks` has the networks and the sets for training and tests, `schemes` actions, observations and rewards, and
`evaluation` compares a trained agent with the built-in laws. `networks`, `schemes` and `evaluation` need no Gymnasium.
``__init__.pyi``, which ``make signatures`` writes, declares the names for type checkers and editors.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Final

NAMES: Final = {
    "networks": ("CHANGING", "DEFAULT", "LOSSY", "SHARED", "STEADY", "Network", "Networks", "networks_of"),
    "schemes": ("Aurora", "Feature", "Orca", "Power", "Scheme"),
    "policy": ("Policy",),
    "evaluation": ("Scores", "compare", "score_law", "score_policy", "table"),
    "environment": ("DumbbellEnv",),
    "parallel": ("ParallelDumbbell",),
}
"""The public names of each module."""

_HOME: Final = {name: module for module, names in NAMES.items() for name in names}
_EXTRAS: Final = {"environment": "gymnasium", "parallel": "pettingzoo"}

if find_spec("gymnasium") is not None:
    import gymnasium

    gymnasium.register(id="Ackclock/Dumbbell-v0", entry_point="ackclock.gym.environment:DumbbellEnv")


def __getattr__(name: str) -> object:
    """Load attributes on first use, since only the environments need the extra packages."""
    if name == "__all__":
        return sorted(_HOME)
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'ackclock.gym' has no attribute {name!r}", name=name)
    needed = _EXTRAS.get(home)
    if needed is not None and find_spec(needed) is None:
        raise ImportError(f"ackclock.gym.{name} needs {needed}: pip install 'ackclock[gym]'")
    return getattr(import_module(f"ackclock.gym.{home}"), name)
