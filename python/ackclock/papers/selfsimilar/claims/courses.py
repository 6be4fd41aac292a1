"""The claims on Figures 4 to 7: growth of throughput, windows, and long round-trip times."""

from __future__ import annotations

from functools import partial
from typing import Final

from ackclock.papers.core.answers import Answers
from ackclock.papers.core.claim import Said
from ackclock.papers.core.paired import lead, never, share_of_runs
from ackclock.papers.core.quantities import Quantity, computed
from ackclock.papers.core.rules import Bars
from ackclock.papers.selfsimilar import measures as m
from ackclock.papers.selfsimilar.claims.reading import by_reading, means
from ackclock.papers.selfsimilar.experiment import DEFINITION
from ackclock.papers.selfsimilar.flow_measures import LOW, SETTLED

claim = partial(DEFINITION.claim, __name__)
_STEADY: Final = 80
"""Milliseconds up to which a sample counts as 75 ms: queue, clock and the sender's own bursts add less than 5 ms."""

_SOME: Final = 0.3
"""Minimum share of the runs that must have a property that the paper shows for one run."""

_WIDE = ("NewReno", "SACK")

_starts = lead(m.RATES[20].at("flows"), "variant", "Vegas").above(0).every()
_flattens = lead(m.GROWTH.at("flows"), "variant", "Vegas").below(0).every()

_medians = m.MEDIAN.at("flows", variant=_WIDE)
_open = (_medians.at_least(150) & _medians.at_most(250)).every().called("both median windows are 150 to 250 packets")
_never_below = share_of_runs(
    m.LEAST.at("flows", variant=_WIDE), lambda least: least >= LOW, f"share of runs with all windows ≥ {LOW} packets"
)
_kept = _never_below.at_least(_SOME).every()


def _chaotic(variant: str) -> Answers:
    """Ask whether a variant's window often falls to 1 or 2 packets, and more often than NewReno's and SACK's."""
    more = lead(m.FALLS.at("flows"), "variant", variant, others=_WIDE).above(0).every()
    often = m.FALLS.at("flows", variant=variant).at_least(3)
    words = "window falls to 2 packets or 1 at least three times, and more often than NewReno's and SACK's (paired)"
    return (often & more).called(f"{variant}'s {words}")


_longest = m.LONGEST.at("flows")
_tahoes = m.LONGEST.at("flows", variant="Tahoe")
_steady = never(_tahoes, lambda ms: ms > _STEADY, f"no round-trip time of Tahoe is above {_STEADY} ms")
_others = share_of_runs(
    m.LONGEST.at("flows", variant=("NewReno", "Vegas", "SACK")),
    lambda ms: ms > _STEADY,
    f"share of runs with a round-trip time above {_STEADY} ms",
)
_vary = _others.at_least(_SOME)


def _total(of: Quantity, *, zero: float | None = 0.0) -> Quantity:
    """Add up a quantity over all runs of a seed; `zero` replaces a sum of 0."""
    once = of.over("variant", lambda line: sum(line.values()), of.label)
    return once.over("reading", lambda line: sum(line.values()) or zero, of.label)


_spikes, _explained = _total(m.SPIKES.at("flows"), zero=None), _total(m.EXPLAINED.at("flows"))
_usually = m.AGAIN_USUALLY.at("flows")


def _beyond(share: float) -> Answers:
    excess = computed(
        lambda again, spikes: again - share * spikes, _explained, _spikes, words="explained spikes above the bar"
    )
    return excess.at_least(0).called(f"at least {100 * share:g} % of the spikes span a retransmission")


def _together(said: Said) -> str:
    spikes, explained = (
        sum(point.mean * point.count for point in said(one).cells.values()) for one in (_spikes, _explained)
    )
    return f"In {explained:.0f} of {spikes:.0f} spikes of the round-trip time, the sample spans a retransmission."


def _meanwhile(said: Said) -> str:
    usual = [point.mean for point in said(_usually).cells.values()]
    return (
        f"{_together(said)} Of all 0.1 s intervals with samples, {100 * sum(usual) / len(usual):.1f} % have a "
        "retransmission within the round trip before a sample. Ten packets in the buffer add only 1.6 ms. Longer "
        "samples start at the first transmission of a retransmitted packet, or include a wait in the sender's burst."
    )


CLAIMS: Final = (
    claim(
        "5-11",
        by_reading(
            Bars(
                whole=_starts.called("up to 20 s Vegas has more throughput than each other variant (paired)")
                & _flattens.called("from 50 to 100 s each other variant's throughput so far grows more than Vegas's"),
                part=(_starts | _flattens).called("one of these holds"),
            )
        ),
        shows={f"up to {mark} s": m.RATES[mark].at("flows") for mark in (5, 20, 50, 100)},
    ),
    claim(
        "5-12",
        by_reading(
            Bars(
                whole=_open
                & _kept.called(
                    f"from {SETTLED} s on, both windows are never below {LOW} packets in at least {_SOME:g} of the runs"
                ),
                part=(_open | _kept).called("one of these holds"),
            )
        ),
        shows={"least": m.LEAST.at("flows", variant=_WIDE)},
        brief=means("Median windows of NewReno and SACK, packets: {}.", _medians, lambda median: f"{median.mean:.0f}"),
    ),
    claim(
        "5-13",
        by_reading(
            Bars(
                whole=_chaotic("Tahoe") & _chaotic("Vegas"),
                part=(_chaotic("Tahoe") | _chaotic("Vegas")).called("this holds for one of these variants"),
            )
        ),
        shows={"falls": m.FALLS.at("flows")},
    ),
    claim(
        "5-14",
        by_reading(
            Bars(
                whole=_steady
                & _vary.every().called(
                    f"{100 * _SOME:g} % or more of the runs of each other variant have one above this"
                ),
                part=(_steady & _vary.some()).called(
                    "the first holds, and the second holds for at least one other variant"
                ),
            )
        ),
        shows={"longest": _longest},
        brief=means(
            "The longest round-trip time of Tahoe is {} on average.", _tahoes, lambda longest: f"{longest.mean:.0f} ms"
        ),
    ),
    claim(
        "5-15",
        Bars(
            whole=_beyond(0.9).called(
                "the sample spans a retransmission in at least 90 % of the 0.1 s intervals with a round-trip time "
                "sample above 77 ms"
            ),
            part=_beyond(0.5).called("this holds in at least half of these intervals"),
        ),
        numbers=(_spikes, _explained),
        why=_meanwhile,
        brief=_together,
    ),
)
"""The claims on Figures 4 to 7, in the order of the paper."""
