"""The compiled engine: the only module that imports ``ackclock._core``."""

import json
from contextlib import suppress

from ackclock._core import (
    CBRT_ADDRESS,
    LAW_RECORDS,
    Ack,
    Capture,
    CapturedPackets,
    CaptureError,
    CompiledLaw,
    Congestion,
    DisciplineFailedError,
    Features,
    FilterError,
    Idle,
    InterpretedDiscipline,
    InterpretedLaw,
    Interval,
    LawFailedError,
    LawRandom,
    Lost,
    Notices,
    PlanError,
    QueuedPacket,
    Rate,
    Rows,
    Script,
    Stepper,
    WaitingQueue,
    Window,
    catalogue,
    cbrt,
    check_contract,
    check_law,
    check_law_change,
    check_queue,
    check_queue_change,
    components,
    follow,
    footprint,
    law_counts_acks,
    simulate,
)

__all__ = [
    "CBRT_ADDRESS",
    "LAW_RECORDS",
    "Ack",
    "Capture",
    "CaptureError",
    "CapturedPackets",
    "CompiledLaw",
    "Congestion",
    "DisciplineFailedError",
    "Features",
    "FilterError",
    "Idle",
    "InterpretedDiscipline",
    "InterpretedLaw",
    "Interval",
    "LawFailedError",
    "LawRandom",
    "Lost",
    "Notices",
    "PlanError",
    "QueuedPacket",
    "Rate",
    "Rows",
    "Script",
    "Stepper",
    "WaitingQueue",
    "Window",
    "catalogue",
    "cbrt",
    "check_contract",
    "check_law",
    "check_law_change",
    "check_queue",
    "check_queue_change",
    "components",
    "follow",
    "footprint",
    "law_counts_acks",
    "simulate",
    "version",
]

with suppress(ImportError):  # only on Linux
    from ackclock._core import Carrier, Session, Tun, replay

    __all__ += ["Carrier", "Session", "Tun", "replay"]


def version() -> str:
    """Return the version of Ackclock, without the classes of the catalogue, which are slow to load."""
    return str(json.loads(catalogue())["version"])
