"""The store of a sweep: a folder that acts as a crash-safe database of runs and is queried with SQL."""

from ackclock.study.store.row import Row, run_id, scenario_id
from ackclock.study.store.store import Store

__all__ = ["Row", "Store", "run_id", "scenario_id"]
