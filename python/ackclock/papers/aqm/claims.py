"""Claims on queue disciplines: what their RFCs promise, in the scenarios of RFC 7928."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ackclock.papers.aqm import measures as m
from ackclock.papers.aqm.experiment import ACTIVE, DEFINITION, TAIL_DROP
from ackclock.papers.core.evidence import Named
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.rules import AtPoints, Bars, Holds

claim = partial(DEFINITION.claim, __name__)

LEVELS = (2, 7, 11)
"""Numbers of flows at mild, medium and heavy congestion."""

TARGET, ABOUT, FAR = 5, 7.5, 10
"""CoDel's target (RFC 8289), and the medians in ms that count as close to it and as not far from it."""

REFERENCE, CLOSE, APART = 15, 5, 7.5
"""The target of PIE and DualPI2 (RFC 8033, RFC 9332), and the distances in ms that count as close and as not far."""

LONG = 50
"""A waiting time in ms that is half of the round-trip time."""

BUSY = 90
"""Utilization in per cent from which a link counts as well used."""

SATISFIED = 4.03
"""Mean opinion score from which users are satisfied: R of 80 (ITU-T G.107, annex B)."""

NEW = ("CoDel", "PIE", "FQ-CoDel", "DualPI2")
"""The disciplines that are younger than RFC 7928's guidelines."""

_levels = Named("mild, medium and heavy congestion", LEVELS)


def _median(name: str) -> Quantity:
    return m.MEDIAN.at("congestion", variant=name, flows=_levels)


def _ratio(variant: str | Sequence[str]) -> Quantity:
    """Return the ratio of goodputs if the second flow has the longest round-trip time."""
    words = variant if isinstance(variant, str) else "the discipline"
    return m.RATIO.at("distance", variant=variant, access="279 ms").called(
        f"ratio of goodputs at 100 and 560 ms with {words}"
    )


CLAIMS = (
    claim(
        "8.2-1",
        Bars(whole=_median("CoDel").at_most(ABOUT), part=_median("CoDel").at_most(FAR), counted="levels"),
    ),
    claim(
        "8.2-2",
        Bars(
            whole=_median("PIE").near(REFERENCE, by=CLOSE),
            part=_median("PIE").near(REFERENCE, by=APART),
            counted="levels",
        ),
    ),
    claim(
        "8.2-3",
        Bars(
            whole=_median("DualPI2").near(REFERENCE, by=CLOSE),
            part=_median("DualPI2").near(REFERENCE, by=APART),
            counted="levels",
        ),
    ),
    claim(
        "8.2-4",
        AtPoints(
            m.UTILIZATION.at("congestion", variant=Named("every active discipline", ACTIVE), flows=_levels).at_least(
                BUSY
            ),
            points="points",
        ),
    ),
    claim("2.6", AtPoints(m.LATE.at("congestion", variant=TAIL_DROP, flows=_levels).at_least(LONG), points="levels")),
    claim("5.2", AtPoints(m.MEDIAN.at("senders", variant=NEW, law="scalable").at_most(LONG / 2), points="disciplines")),
    claim("5.3-1", Holds(m.TCP.at("unresponsive", variant="FQ-CoDel", UDP_packets_per_second=1250).at_least(40))),
    claim(
        "5.3-2",
        AtPoints(
            m.TCP.at(
                "unresponsive",
                variant=Named(
                    "every discipline with one queue", (TAIL_DROP, "Adaptive RED", "CoDel", "PIE", "DualPI2")
                ),
                UDP_packets_per_second=1250,
            ).at_most(10),
            points="disciplines",
        ),
    ),
    claim("6-1", AtPoints(m.RATIO.at("distance", variant="FQ-CoDel").near(1, by=0.1), points="round-trip times")),
    claim(
        "6-2",
        AtPoints(
            _ratio(("CoDel", "PIE", "DualPI2")).above(_ratio(TAIL_DROP)),
            points="disciplines",
        ),
    ),
    claim(
        "7-1",
        AtPoints(
            m.PAGES_LOST.at("bursts", variant=NEW).at_most(m.PAGES_LOST.at("bursts", variant=TAIL_DROP)),
            points="points",
        ),
    ),
    claim(
        "7-2",
        AtPoints(m.PAGES.at("bursts", variant=NEW).below(m.PAGES.at("bursts", variant=TAIL_DROP)), points="points"),
    ),
    claim(
        "8.2.5",
        AtPoints(
            m.LATE.at("crowd", variant=NEW).below(m.LATE.at("crowd", variant=TAIL_DROP), times=2), points="disciplines"
        ),
    ),
    claim(
        "8.2.6",
        AtPoints(
            m.LATE.at("capacity", variant=NEW).below(m.LATE.at("capacity", variant=TAIL_DROP), times=2),
            points="disciplines",
        ),
    ),
    claim("4.5-1", AtPoints(m.LOSS.at("ecn", ecn="classic").at_most(0.01), points="disciplines")),
    claim(
        "4.5-2",
        AtPoints(
            m.UTILIZATION.at("ecn", ecn="classic").within(0.01, of=m.UTILIZATION.at("ecn", ecn="off")),
            points="disciplines",
        ),
    ),
    claim(
        "8.3-1",
        AtPoints(
            m.MEDIAN.at("usual", variant="CoDel", packets=(84, 336, 840)).at_most(ABOUT),
            m.MEDIAN.at("fast", variant="CoDel", packets=(833, 3333, 8333)).at_most(ABOUT),
            points="links and buffers",
        ),
    ),
    claim(
        "8.3-2",
        AtPoints(
            m.MEDIAN.at("usual", variant="PIE", packets=(84, 336, 840)).near(REFERENCE, by=CLOSE),
            m.MEDIAN.at("fast", variant="PIE", packets=(833, 3333, 8333)).near(REFERENCE, by=CLOSE),
            points="links and buffers",
        ),
    ),
    claim("4.6-1", Holds(m.STREAM.at("schedule", variant="FQ-CoDel").at_most(55))),
    claim("4.6-2", Holds(m.USERS.at("schedule", variant="FQ-CoDel").near(8, by=0.4))),
    claim("9.1-1", Holds(m.MOS.at("mix", variant="FQ-CoDel").at_least(SATISFIED))),
    claim(
        "9.1-2",
        AtPoints(
            m.CALL.at("mix", variant=NEW).below(m.CALL.at("mix", variant=TAIL_DROP), times=2), points="disciplines"
        ),
    ),
    claim(
        "9.1-3",
        AtPoints(
            m.BROWSERS.at("mix", variant=NEW).below(m.BROWSERS.at("mix", variant=TAIL_DROP)), points="disciplines"
        ),
    ),
    claim(
        "9.1-4",
        AtPoints(
            m.BITRATE.at("mix", variant=NEW).above(m.BITRATE.at("mix", variant=TAIL_DROP), times=0.9),
            points="disciplines",
        ),
    ),
    claim(
        "9.1-5",
        AtPoints(
            m.UTILIZATION.at("mix", variant=Named("every active discipline", ACTIVE)).at_least(BUSY),
            points="disciplines",
        ),
    ),
    claim(
        "9.2-1",
        AtPoints(
            m.CONTROL_LOST.at("two_way", variant=NEW).at_most(m.CONTROL_LOST.at("two_way", variant=TAIL_DROP)),
            points="disciplines",
        ),
    ),
    claim(
        "9.2-2",
        AtPoints(
            m.OPENED.at("two_way", variant=NEW).below(m.OPENED.at("two_way", variant=TAIL_DROP)), points="disciplines"
        ),
    ),
    claim(
        "9.2-3",
        AtPoints(
            m.UTILIZATION.at("two_way", variant=Named("every active discipline", ACTIVE)).at_least(BUSY),
            points="disciplines",
        ),
    ),
)
