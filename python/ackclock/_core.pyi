"""The engine: a plan goes in, tables come up. Everything else about it is Rust."""

from collections.abc import Callable
from pathlib import Path

class PlanError(ValueError):
    """A plan that the engine cannot run."""

class Rows:
    """The rows of a table, as the engine keeps them."""

    def columns(self) -> list[tuple[str, str, bytes]]:
        """Write them out: (name, type, little-endian bytes) of each column."""

class Capture:
    """The packets of a capture, as the engine keeps them."""

    def write(self, path: Path, setup_json: str, /) -> str:
        """Write them as pcapng into a file that is there already, and tell as JSON what was written."""

def catalogue() -> str:
    """Tell the engine's version and revision, and describe its variants, window laws and queues, as JSON."""

def check_law(spec_json: str, /) -> tuple[str, str] | None:
    """Check the parameters of a window law against each other: ``None``, or the field and what is wrong with it."""

def check_queue(spec_json: str, /) -> tuple[str, str] | None:
    """Check the parameters of a queue against each other: ``None``, or the field and what is wrong with it."""

def components(plan_json: str, /) -> list[list[int]]:
    """Find the groups of a plan that affect each other, directly or through others."""

def simulate(
    plan_json: str, seed: int, progress: Callable[[float], None] | None = None, jobs: int = 1
) -> tuple[str, dict[str, Rows], list[Capture]]:
    """Run a plan, so many of its components at once: the outcome as JSON, the tables by name, and the captures."""
