"""Claims on pairs of laws: of Hock et al., of Ware et al., of two RFCs, and of a kernel's runs."""

from __future__ import annotations

from functools import partial

from ackclock.papers.aqm.measures import MEDIAN
from ackclock.papers.coexistence.experiment import DEFINITION, KERNEL, MODELLED, PRODUCT
from ackclock.papers.coexistence.measures import HARM, LOSS, SHARE, TOTAL
from ackclock.papers.core.evidence import Named
from ackclock.papers.core.rules import AtPoints, Bars, Holds

claim = partial(DEFINITION.claim, __name__)

RTT = 40
"""Round-trip time without queue in ms."""

MOST = 80
"""Share in per cent of a law that gets nearly everything."""

NEAR = 8
"""Distance in points from the model of Ware et al.: the upper end of its own median errors."""

CLOSE = 7
"""Distance in points from the kernel's shares."""

DURATION = 120

SHALLOW = Named("up to 1 BDP", (0.5, 1))
SHORT = 6
"""Waiting time in ms of five packets, the most that one Copa flow keeps in the queue."""

ENOUGH = Named("from 1 BDP on", (1, 2, 4, 8, 16, 32))
USUAL = Named("2 and 4 BDP", (2, 4))
DEEP = Named("from 8 BDP on", (8, 16, 32))
BOTH = Named("1 and 8 BDP", (1, 8))

FAIR = (60, 600 / 7)
"""Shares in per cent of a flow whose rate is three times another's, within a factor of two."""


def modelled(buffer: float) -> float:
    """Return the share of one BBR flow beside loss-based flows in per cent (Ware et al., IMC 2019, section 5).

    Loss-based flows get ``p = 1/2 - 1/(2X) - 4N/q`` of the link, for N BBR flows and a buffer of q packets or X
    bandwidth-delay products, except in the time t that a BBR flow needs for its probes of the round-trip time.

    Examples
    --------
    >>> [round(modelled(buffer), 1) for buffer in (2, 8, 64)]
    [78.4, 54.5, 36.7]

    """
    queue = buffer * PRODUCT
    others = 1 / 2 - 1 / (2 * buffer) - 4 / queue
    probing = (queue / (PRODUCT / (RTT / 1000)) + 0.2 + RTT / 1000) / 10
    return 100 * (1 - others) * (1 - probing)


_beside_prague = SHARE.at("shares by queue", first="CUBIC", second="Prague", queue="DualPI2")
_near_cubic = SHARE.at("queues, distance", first="CUBIC", second="Prague", queue="DualPI2")
_near_prague = SHARE.at("queues, distance", first="Prague", second="CUBIC", queue="DualPI2")
_six = {law: LOSS.at("six", law=law, BDP=0.8) for law in ("BBR", "CUBIC")}
_queue = MEDIAN.at("six", law="BBR", BDP=8)
_beside_cubic = SHARE.at("shares", first="BBR", second="CUBIC", BDP=SHALLOW)
_model = [TOTAL.at("model", BDP=buffer).near(modelled(buffer), by=NEAR) for buffer in MODELLED]
_kernel = [TOTAL.at("kernel", packets=packets).near(share, by=CLOSE) for packets, share in KERNEL.items()]

CLAIMS = (
    claim("H-1", Bars(whole=_six["BBR"].at_least(5), part=_six["BBR"].at_least(2))),
    claim("H-2", Holds(_six["BBR"].above(_six["CUBIC"], times=10))),
    claim(
        "H-3",
        Bars(
            whole=_queue.at_least(RTT) & _queue.at_most(1.5 * RTT),
            part=_queue.at_least(RTT / 2) & _queue.at_most(2 * RTT),
        ),
    ),
    claim("H-4", AtPoints(SHARE.at("distance", first="BBR", second="BBR", BDP=BOTH).below(50), points="buffers")),
    claim("H-5", AtPoints(_beside_cubic.at_least(MOST), points="buffers")),
    claim("H-6", AtPoints(SHARE.at("shares", first="BBR", second="CUBIC", BDP=DEEP).below(50), points="buffers")),
    claim("W-1", AtPoints(*_model, points="buffers")),
    claim("W-2", AtPoints(TOTAL.at("crowd").near(40, by=10), points="numbers of flows")),
    claim(
        "W-3",
        AtPoints(
            HARM.at("harm", first="BBR", second="CUBIC", BDP=SHALLOW).above(
                HARM.at("harm", first="CUBIC", second="CUBIC", BDP=SHALLOW)
            ),
            points="buffers",
        ),
    ),
    claim("K-1", AtPoints(*_kernel, points="buffers")),
    claim("C-1", AtPoints(MEDIAN.at("alone", law="Copa", BDP=ENOUGH).at_most(SHORT), points="buffers")),
    claim(
        "C-2",
        AtPoints(
            SHARE.at("shares", first="Copa", second="CUBIC", BDP=USUAL).above(
                SHARE.at("shares", first="Vegas", second="CUBIC", BDP=USUAL), times=2
            ),
            points="buffers",
        ),
    ),
    claim(
        "D-1",
        Holds(_beside_prague.at_least(100 / 3) & _beside_prague.at_most(200 / 3)),
    ),
    claim(
        "D-2",
        Holds(
            _near_cubic.at_least(FAIR[0])
            & _near_cubic.at_most(FAIR[1])
            & _near_prague.at_least(FAIR[0])
            & _near_prague.at_most(FAIR[1])
        ),
    ),
    claim(
        "R-1",
        AtPoints(
            SHARE.at("shares", first="CUBIC", second="Reno", BDP=Named("up to 2 BDP", (0.5, 1, 2))).near(50, by=10),
            points="buffers",
        ),
    ),
    claim(
        "R-2",
        AtPoints(SHARE.at("queues", queue="FQ-CoDel").near(50, by=5), points="pairs"),
    ),
    claim("R-3", AtPoints(SHARE.at("queues, distance", queue="FQ-CoDel").near(50, by=5), points="pairs")),
    claim(
        "O-1",
        AtPoints(
            HARM.at("harm", first="Vegas", second="CUBIC").at_most(HARM.at("harm", first="CUBIC", second="CUBIC")),
            points="buffers",
        ),
    ),
    claim(
        "O-2",
        AtPoints(
            SHARE.at("shares by queue", first="BBR", second="CUBIC", queue=("CoDel", "PIE", "DualPI2")).at_least(MOST),
            points="queues",
        ),
    ),
)
