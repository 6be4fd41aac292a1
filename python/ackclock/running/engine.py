"""The compiled engine: the only module that imports ``ackclock._core``."""

from ackclock._core import (
    Capture,
    CapturedPackets,
    CaptureError,
    PlanError,
    Rows,
    catalogue,
    check_law,
    check_queue,
    components,
    footprint,
    simulate,
)

__all__ = [
    "Capture",
    "CaptureError",
    "CapturedPackets",
    "PlanError",
    "Rows",
    "catalogue",
    "check_law",
    "check_queue",
    "components",
    "footprint",
    "simulate",
]
