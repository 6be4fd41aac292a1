"""The folder that is a database: runs are added one by one, are kept through any crash, and are asked by SQL."""

from ackclock.study.store.row import Row, run_id, scenario_id
from ackclock.study.store.store import Store

__all__ = ["Row", "Store", "run_id", "scenario_id"]
