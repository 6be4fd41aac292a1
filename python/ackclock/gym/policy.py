"""A small neural network as a policy, in NumPy."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.gym.schemes import scheme_named
from ackclock.scenario.files import read_json
from ackclock.values.errors import ScenarioError, unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ackclock.gym.schemes import Scheme

__all__ = ["Policy"]

_MOST = 10**6
_DIGITS = 6
"""Decimal places of an action, so that processors with different rounding give the same episodes."""


class Policy:
    """A network of fully connected layers: hidden ones with tanh, and a linear output, limited to the range of actions.

    Parameters
    ----------
    scheme
        The scheme whose observations the policy takes.
    parameters
        All weights and biases in a row, layer by layer: the weights of each input of a layer, then the biases.
    hidden
        Sizes of the hidden layers.

    Raises
    ------
    ValueError
        The number of parameters does not fit, or a parameter is not finite.

    Examples
    --------
    >>> size = Policy.size("aurora", hidden=(8,))
    >>> policy = Policy("aurora", np.zeros(size), hidden=(8,))
    >>> size, policy(np.ones(30, np.float32))
    (257, 0.0)

    """

    def __init__(self, scheme: str, parameters: ArrayLike, *, hidden: Sequence[int] = (16,)) -> None:
        self.scheme_name = scheme
        self.hidden = tuple(hidden)
        self.parameters: NDArray[np.float64] = np.asarray(parameters, np.float64)
        if self.parameters.shape != (self.size(scheme, hidden=hidden),) or not np.isfinite(self.parameters).all():
            raise ValueError(f"parameters: must be {self.size(scheme, hidden=hidden)} finite numbers")
        layers = []
        rest = self.parameters
        for before, after in _shapes(self.scheme, self.hidden):
            weights, bias, rest = np.split(rest, [before * after, before * after + after])
            layers.append((weights.reshape(before, after), bias))
        *self._hidden_layers, (self._weights, self._bias) = layers
        self._low, self._high = self.scheme.action.low, self.scheme.action.high

    @property
    def scheme(self) -> type[Scheme]:
        """The scheme."""
        return scheme_named(self.scheme_name)

    @staticmethod
    def size(scheme: str, *, hidden: Sequence[int] = (16,)) -> int:
        """Return the number of parameters."""
        return sum((before + 1) * after for before, after in _shapes(scheme_named(scheme), hidden))

    def __call__(self, observation: NDArray[np.float32]) -> float:
        """Return the action."""
        values: NDArray[np.float64] = np.asarray(observation, np.float64)
        for weights, bias in self._hidden_layers:
            values = np.tanh(values @ weights + bias)
        output = float((values @ self._weights + self._bias)[0])
        return round(min(max(output, self._low), self._high), _DIGITS)

    def save(self, path: str | Path) -> None:
        """Write the policy to a file (JSON), with six digits of each parameter."""
        content = {
            "scheme": self.scheme_name,
            "hidden": self.hidden,
            "parameters": [float(f"{value:.6g}") for value in self.parameters],
        }
        Path(path).write_text(json.dumps(content) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Read a policy from a file.

        Raises
        ------
        ScenarioError
            The file cannot be read, or contains no policy.
        """
        allowed = "a policy that Policy.save wrote"
        try:
            content: Any = read_json(Path(path))
            hidden = [int(size) for size in content["hidden"]]
            if not 0 < sum(hidden) < _MOST or min(hidden) < 1:
                raise unreadable(path, "its layers are too large or empty", allowed)
            return cls(content["scheme"], content["parameters"], hidden=hidden)
        except ScenarioError:
            raise
        except (ValueError, KeyError, TypeError) as error:
            raise unreadable(path, f"{type(error).__name__}: {error}", allowed) from None


def _shapes(scheme: type[Scheme], hidden: Sequence[int]) -> list[tuple[int, int]]:
    sizes = [len(scheme.features) * scheme.history, *hidden, 1]
    return list(pairwise(sizes))
