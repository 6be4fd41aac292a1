"""The example that trains a controller with Stable-Baselines3."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ackclock.gym import Policy, networks_of, score_policy

if TYPE_CHECKING:
    from pathlib import Path


def test_the_trained_policy_can_be_used(root: Path) -> None:
    """Validates: the guide's controller beats one that does nothing, and one that acts at random, on held-out networks.

    Source: the guide `train_a_controller.md`.
    Tolerance: the mean of eight networks; the guide has 40, with intervals.
    """
    policy = Policy.load(root / "examples" / "controller.json")
    generator = np.random.default_rng(1)
    networks = networks_of("held_out", 8)
    trained, still, random = (
        score_policy(each, networks).mean() for each in (policy, lambda _: 0.0, lambda _: generator.uniform(-1, 1))
    )
    assert trained > 1.5 * max(still, random)


@pytest.mark.needs("stable_baselines3", "torch")
def test_training_for_seconds_beats_chance(root: Path) -> None:
    """A policy trained for 10,000 steps scores more than an untrained one, after its conversion."""
    spec = importlib.util.spec_from_file_location("train_controller", root / "examples" / "train_controller.py")
    assert spec is not None
    assert spec.loader is not None
    example: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    networks = networks_of("train", 8)
    trained, untrained = (score_policy(example.train(steps), networks).mean() for steps in (10_000, 1))
    assert trained > untrained
