"""Runs in which one thing is changed, to test a reason for a verdict.

- ``short FIFO``: is a shorter queue the reason why RED makes some senders smoother?
- ``apart``: do BBR's flows make light traffic burstier because they start, and probe, at the same time?
- ``changed transfers``: are the sizes of transfers, or their initial windows, the reason why a loaded link makes their
  traffic smoother?
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ackclock.papers.core.parts import Part, Spot
from ackclock.papers.today.parts.burstiness import OVERLOAD, fifo, network, traffic, with_losses
from ackclock.papers.today.parts.sharing import LINKS, finite, transfers

SMOOTHED: Final = ("BBR", "BBRv3", "Copa")
"""Senders that RED makes smoother."""

SHORT: Final = 25
"""A FIFO buffer in packets: the middle between RED's thresholds."""

SHORT_FIFO: Final = f"FIFO of {SHORT}"
"""Its name beside the queues of 50 packets."""

LIGHT: Final = (20, 38)
"""Numbers of clients below capacity at which BBR makes the traffic burstier."""

SENDERS: Final = ("Reno", "CUBIC", "BBR")
"""Senders of changed transfers."""

CHANGES: Final[Mapping[str, Mapping[str, Any]]] = {
    "equal sizes": {"size": {"kind": "fixed", "mean": "30 kB"}},
    "an initial window of 1 packet": {"options": {"initial_window": 1}},
}
"""Changes of transfers."""


def parts() -> list[Part]:
    """Return the parts."""
    arrived = "arrivals@bottleneck/1ms"
    return [
        Part(
            name="short FIFO",
            spots=[
                Spot(where={"sender": sender}, scenario=network(sender, OVERLOAD, queue=fifo(SHORT)))
                for sender in SMOOTHED
            ],
            take=with_losses,
            record=(arrived, "drops"),
        ),
        Part(
            name="apart",
            spots=[
                Spot(where={"clients": clients}, scenario=network("BBR", clients, queue=fifo(), spread="10 s"))
                for clients in LIGHT
            ],
            take=traffic,
            record=(arrived,),
        ),
        Part(
            name="changed transfers",
            spots=[
                Spot(
                    where={"sender": sender, "change": change, "link": link},
                    scenario=transfers(sender, times, **changed),
                )
                for sender in SENDERS
                for change, changed in CHANGES.items()
                for link, times in LINKS.items()
            ],
            take=finite,
            record=("arrivals@bottleneck/10ms",),
        ),
    ]
