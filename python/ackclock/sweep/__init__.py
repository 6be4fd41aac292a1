"""Many runs at once: points times seeds, over all cores."""

from ackclock.sweep.grid import Point, Replication, run_grid

__all__ = ["Point", "Replication", "run_grid"]
