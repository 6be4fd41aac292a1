"""The store of a sweep: a folder that acts as a crash-safe database of runs and is queried with SQL."""

from ackclock.study.store.row import Row
from ackclock.study.store.store import Store

__all__ = ["Row", "Store"]
