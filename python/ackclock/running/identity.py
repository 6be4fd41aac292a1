"""Ids of scenarios and runs, which depend on all of their inputs."""

import hashlib
from collections.abc import Sequence

from pydantic_core import to_json

__all__ = ["run_id", "scenario_id"]


def scenario_id(scenario: str) -> str:
    """Return the id of an effective scenario, given as canonical JSON."""
    return _digest(scenario.encode())


def run_id(scenario_id: str, seed: int, record: Sequence[str], revision: str) -> str:
    """Compute the id of a run from all of its inputs.

    Parameters
    ----------
    scenario_id
        Id of the effective scenario.
    seed
        Random seed.
    record
        The requested records, in any order.
    revision
        Revision of the engine.

    Returns
    -------
    str
        32 hexadecimal digits; in practice, different runs have different ids.

    Examples
    --------
    >>> run_id("5ce9", 1, ["drops", "acks@0"], "e1") == run_id("5ce9", 1, ["acks@0", "drops"], "e1")
    True

    """
    return _digest(to_json([scenario_id, seed, sorted(record), revision]))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]
