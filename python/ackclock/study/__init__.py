"""Many runs at once: points times seeds, over all cores or a cluster."""

from ackclock.study.grid import Batch, observe, run_grid
from ackclock.study.wanted import Point, Replication, Wanted

__all__ = ["Batch", "Point", "Replication", "Wanted", "observe", "run_grid"]
