"""The claims on Figures 4 to 7: growth of throughput, windows, and long round-trip times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.papers.core.paired import lead, never, share_of_runs
from ackclock.papers.core.quantities import computed
from ackclock.papers.core.rules import Bars
from ackclock.papers.selfsimilar.claims.reading import by_reading, means
from ackclock.papers.selfsimilar.experiment import DEFINITION
from ackclock.papers.selfsimilar.looks import LOW, SETTLED
from ackclock.papers.selfsimilar.measures import (
    AGAIN_USUALLY,
    EXPLAINED,
    FALLS,
    GROWTH,
    LEAST,
    LONGEST,
    MEDIAN,
    RATES,
    SPIKES,
)

if TYPE_CHECKING:
    from ackclock.papers.core.answers import Answers
    from ackclock.papers.core.claim import Said
    from ackclock.papers.core.quantities import Quantity

claim = DEFINITION.claim
_STEADY: Final = 80
"""Milliseconds, up to which a round trip is still one of 75: queue, clock and a burst of its own add less than 5."""

_SOME: Final = 0.3
"""The share of the runs that must show what the paper shows of one."""

_WIDE = ("NewReno", "SACK")

_starts = lead(RATES[20].at("flows"), "variant", "Vegas").above(0).every()
_flattens = lead(GROWTH.at("flows"), "variant", "Vegas").below(0).every()

_medians = MEDIAN.at("flows", variant=_WIDE)
_open = (_medians.at_least(150) & _medians.at_most(250)).every().called("both medians are from 150 to 250 packets")
_never_below = share_of_runs(
    LEAST.at("flows", variant=_WIDE), lambda least: least >= LOW, f"share of runs never below {LOW} packets"
)
_kept = _never_below.at_least(_SOME).every()


def _chaotic(variant: str) -> Answers:
    """Ask whether a variant often starts from 1, and more often than NewReno and SACK."""
    more = lead(FALLS.at("flows"), "variant", variant, others=_WIDE).above(0).every()
    often = FALLS.at("flows", variant=variant).at_least(3)
    words = "window falls to 2 packets or 1 at least three times, and more often than NewReno's and SACK's (paired)"
    return (often & more).called(f"{variant}'s {words}")


_longest = LONGEST.at("flows")
_tahoes = LONGEST.at("flows", variant="Tahoe")
_steady = never(_tahoes, lambda ms: ms > _STEADY, f"no sample of Tahoe is above {_STEADY} ms")
_others = share_of_runs(
    LONGEST.at("flows", variant=("NewReno", "Vegas", "SACK")),
    lambda ms: ms > _STEADY,
    f"share of runs with a sample above {_STEADY} ms",
)
_vary = _others.at_least(_SOME)


def _total(of: Quantity, *, zero: float | None = 0.0) -> Quantity:
    """Add up over all runs of a seed, with something in place of zero."""
    once = of.over("variant", lambda line: sum(line.values()), of.label)
    return once.over("reading", lambda line: sum(line.values()) or zero, of.label)


_spikes, _explained = _total(SPIKES.at("flows"), zero=None), _total(EXPLAINED.at("flows"))
_usually = AGAIN_USUALLY.at("flows")


def _beyond(share: float) -> Answers:
    excess = computed(
        lambda again, spikes: again - share * spikes, _explained, _spikes, words="spikes with one too many"
    )
    return excess.at_least(0).called(f"in {100 * share:g} % of them a packet was sent again while the sample was taken")


def _together(said: Said) -> str:
    spikes, explained = (
        sum(point.mean * point.count for point in said(one).cells.values()) for one in (_spikes, _explained)
    )
    return f"In {explained:.0f} of {spikes:.0f} spikes a packet was retransmitted during the sample."


def _meanwhile(said: Said) -> str:
    usual = [point.mean for point in said(_usually).cells.values()]
    return (
        f"{_together(said)} Over all tenths of a second the share is {100 * sum(usual) / len(usual):.1f} %. Ten "
        "packets in the buffer add only 1.6 ms. Longer samples start at the first transmission of a retransmitted "
        "packet, or include a wait in the sender's own burst."
    )


CLAIMS: Final = (
    by_reading(
        "5-11",
        Bars(
            whole=_starts.called("up to 20 s Vegas has more throughput than each other variant (paired)")
            & _flattens.called("from 50 to 100 s the throughput so far of each other variant grows more"),
            part=(_starts | _flattens).called("one of these holds"),
        ),
        shows={f"up to {mark} s": RATES[mark].at("flows") for mark in (5, 20, 50, 100)},
    ),
    by_reading(
        "5-12",
        Bars(
            whole=_open
            & _kept.called(
                f"from {SETTLED} s on, both windows are never below {LOW} packets in at least {_SOME:g} of the runs"
            ),
            part=(_open | _kept).called("one of these holds"),
        ),
        shows={"least": LEAST.at("flows", variant=_WIDE)},
        brief=means("Medians of NewReno and SACK are {}.", _medians, lambda median: f"{median.mean:.0f}"),
    ),
    by_reading(
        "5-13",
        Bars(
            whole=_chaotic("Tahoe") & _chaotic("Vegas"),
            part=(_chaotic("Tahoe") | _chaotic("Vegas")).called("this holds for one of them"),
        ),
        shows={"falls": FALLS.at("flows")},
    ),
    by_reading(
        "5-14",
        Bars(
            whole=_steady
            & _vary.every().called(f"at least {_SOME:g} of the runs of each other variant have such a sample"),
            part=(_steady & _vary.some()).called(
                "the first holds, and the second holds for at least one other variant"
            ),
        ),
        shows={"longest": _longest},
        brief=means(
            "Tahoe's longest round trips take {} on average.", _tahoes, lambda longest: f"{longest.mean:.0f} ms"
        ),
    ),
    claim(
        "5-15",
        Bars(
            whole=_beyond(0.9).called(
                "a packet was retransmitted during the sample in at least 90 % of the tenths of a second with a sample "
                "above 77 ms"
            ),
            part=_beyond(0.5).called("this holds for at least half of them"),
        ),
        numbers=(_spikes, _explained),
        why=_meanwhile,
        brief=_together,
    ),
)
"""In the order of the paper."""
