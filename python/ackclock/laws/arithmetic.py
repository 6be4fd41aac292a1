"""Functions for laws that give the same bits on every machine.

The operators and ``math.sqrt`` do so by themselves. Other functions of ``math`` are those of the platform, and may
differ in the last digit.
"""

from ackclock.engine.core import cbrt

__all__ = ["cbrt"]
