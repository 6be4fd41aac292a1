"""Claims of Feng and Tinnakornsrisuphap and of Mo et al. on Vegas in competition with Reno, tested on the map."""

from __future__ import annotations

from functools import partial

from ackclock.papers.core.rules import AtPoints
from ackclock.papers.vegas import measures as m
from ackclock.papers.vegas.experiment import BUFFERS, DEFINITION, OPEN, SHARES

_SOME = 5e-5  # the smallest loss that counts: 0.005 %

_SMALLEST = 1.02  # the smallest ratio of two values that counts as a difference: 2 %

claim = partial(DEFINITION.claim, __name__)
_LARGE = BUFFERS[2:]

_pair = m.RATIO.at("pairs", application=OPEN, gateway="FIFO")
_halves = m.RATIO.at("halves")
_wide = {gateway: m.RATIO.at("halves", application=OPEN, gateway=gateway, buffer=_LARGE) for gateway in ("FIFO", "RED")}
_queue = m.QUEUE_SD.at("map", application=OPEN, start=10, gateway="FIFO")

PAPERS = (
    claim(
        "F-1",
        AtPoints(m.RATIO.at("papers", start=1, buffer=50).at_least(m.HELD), points="ends of the papers' curves"),
        shows={"late": m.RATIO.at("papers", start=10, buffer=50)},
    ),
    claim(
        "F-2",
        AtPoints(m.RATIO.at("papers", start=1, buffer=1500).at_least(m.HELD), points="ends of the papers' curves"),
        shows={"late": m.RATIO.at("papers", start=10, buffer=1500)},
    ),
    claim("F-3", AtPoints(m.RATIO.at("map").at_least(m.HELD), points="points of the map", by="application")),
    claim("F-4", AtPoints(m.RATIO.at("halves", buffer=(10, 50)).at_least(m.HELD), by="application")),
)

MO = (
    claim(
        "M-1",
        AtPoints(
            (
                _pair.pick(buffer=BUFFERS[0]).above(_pair.pick(buffer=BUFFERS[-1]), by=m.EFFECT)
                & ~_pair.rises("buffer", by=m.EFFECT).some("buffer")
            ).called(
                f"the Vegas/Reno goodput ratio falls by more than {m.EFFECT} from the smallest buffer to the largest, "
                f"and rises by more than {m.EFFECT} at no step between them"
            ),
            (~m.RATIO.at("pairs", application=OPEN, gateway="FIFO", buffer=BUFFERS[1:]).at_least(m.HELD))
            .every()
            .called(f"the ratio is below {m.HELD} with every buffer of 50 packets or more"),
            points="starts",
        ),
    ),
    claim("M-2", AtPoints(m.RATIO.at("pairs", application=OPEN, buffer=BUFFERS[0]).at_least(m.HELD))),
    claim(
        "M-3",
        AtPoints(
            *(
                m.RENO_KEPT.at(part, application=OPEN, start=10, gateway="FIFO", buffer=_LARGE)
                .above(m.VEGAS_KEPT.at(part, application=OPEN, start=10, gateway="FIFO", buffer=_LARGE))
                .called(f"{who}, a Reno client has more packets in the queue than a Vegas client")
                for part, who in (("pairs", "one against one"), ("halves", "30 against 30"))
            ),
            points="buffers of 150 packets or more",
        ),
    ),
    claim("M-4", AtPoints(_halves.pick(buffer=50).above(_halves.pick(buffer=3000), by=m.EFFECT), by="application")),
    claim(
        "M-5",
        AtPoints(
            _wide["RED"]
            .above(_wide["FIFO"], by=m.EFFECT)
            .called(f"the Vegas/Reno goodput ratio is more than {m.EFFECT} higher behind RED than behind FIFO"),
            points="points with greedy sources, an open window and 150 packets or more",
        ),
    ),
)

SWINGS = (
    claim(
        "O-1",
        AtPoints(
            _queue.pick(vegas=SHARES[0])
            .above(_queue.pick(vegas=SHARES[-1]), times=_SMALLEST)
            .called("the standard deviation of the queue is over 2 % larger with 5 % Vegas clients than with 95 %"),
            points="buffers with greedy sources and an open window",
        ),
    ),
    claim(
        "O-2",
        AtPoints(
            m.RENO_COV.at("halves", application=OPEN).above(m.VEGAS_COV.at("halves", application=OPEN), times=_SMALLEST)
        ),
    ),
    claim(
        "O-3",
        AtPoints(
            m.RENO_LOSS.at("halves")
            .above(m.VEGAS_LOSS.at("halves"), times=_SMALLEST)
            .where(m.RENO_LOSS.at("halves").at_least(_SOME)),
            by="gateway",
        ),
        shows={"reno": m.RENO_TIMEOUTS.at("halves"), "vegas": m.VEGAS_TIMEOUTS.at("halves")},
    ),
)
