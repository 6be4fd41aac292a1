"""Runs many scenarios with many seeds each, on all cores or on a cluster."""

from ackclock.study.grid import Batch, observe, run_grid
from ackclock.study.wanted import Point, Replication, Wanted

__all__ = ["Batch", "Point", "Replication", "Wanted", "observe", "run_grid"]
