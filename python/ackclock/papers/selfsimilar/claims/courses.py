"""What the paper reads off Figures 4 to 7: how throughput grows, how windows move, and when round trips are long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.analysis import student_interval
from ackclock.papers.claims import ELSE_UNDECIDED, Claim, Judgement, graded
from ackclock.papers.reading import listed, proportion, shown
from ackclock.papers.selfsimilar.claims.reading import (
    OVER_READINGS,
    by_reading,
    command,
    each,
    judged,
    owner,
    per_reading,
)
from ackclock.papers.selfsimilar.experiment import CONSTANT, GREEDY, VARIANTS, Setting
from ackclock.papers.selfsimilar.looks import LOW, MARKS, SETTLED, SPIKE
from ackclock.papers.selfsimilar.paired import beaten, beats, difference, interval
from ackclock.papers.truth import NO, OPEN, YES, Truth, at_least, at_most, every, exactly, some

if TYPE_CHECKING:
    from ackclock.analysis import Interval
    from ackclock.papers.selfsimilar.evidence import Evidence, Side
    from ackclock.papers.selfsimilar.experiment import Reading, Variant
    from ackclock.report.html import Verdict

__all__ = ["CLAIMS"]

_START: Final = 20
"""Seconds up to which throughput is an initial one."""

_OPEN: Final = (150, 250)
"""Packets: a window of "approximately 200"."""

_OFTEN: Final = 3
"""Falls to 2 packets or 1 in 95 s, from which on that is frequent."""

_STEADY: Final = 80
"""Milliseconds, up to which a round trip is still one of 75: queue, clock and a burst of its own add less than 5."""

_WIDE: Final[tuple[Variant, Variant]] = ("newreno", "sack")
_LOW: Final[tuple[Variant, Variant]] = ("tahoe", "vegas")
_MOST, _HALF = 0.9, 0.5

_SOME: Final = 0.3
"""The part of the runs that must show what the paper shows of one."""

_SAID: Final = {YES: "clearly", NO: "not", OPEN: "perhaps"}


def _starts(side: Side, reading: Reading) -> list[Variant]:
    """Give those that Vegas is clearly above at first."""
    return beaten(side, reading, "vegas", f"rate_{_START}", 0)


def _flattens(side: Side, reading: Reading) -> list[Variant]:
    """Give those whose throughput clearly grows more in the second half than Vegas' does."""
    return [variant for variant in VARIANTS if "vegas" in beaten(side, reading, variant, "growth", 0)]


def _shape(side: Side, reading: Reading) -> Verdict:
    starts = every(beats(side, reading, "vegas", f"rate_{_START}", 0).values())
    flattens = every(beats(side, reading, other, "growth", 0)["vegas"] for other in VARIANTS if other != "vegas")
    return graded(whole=starts & flattens, part=starts | flattens)


def _why_shape(side: Side, reading: Reading) -> str:
    above, more = (
        listed([VARIANTS[variant] for variant in find(side, reading)]) or "none" for find in (_starts, _flattens)
    )
    first = listed([VARIANTS[variant] for variant in beaten(side, reading, "vegas", f"rate_{MARKS[0]}", 0)]) or "none"
    return (
        f"up to {MARKS[0]} s Vegas is clearly above {first}, up to {_START} s above {above}; from half of the time on "
        f"{more} clearly grow more than it"
    )


def _tell_shape(side: Side, reading: Reading) -> str:
    return ", ".join(
        f"{name} "
        + "/".join(f"{interval(side, reading, variant, f'rate_{mark}').mean:.2f}" for mark in (5, 20, 50, 100))
        for variant, name in VARIANTS.items()
    )


def _wide(side: Side, reading: Reading) -> Truth:
    medians = [interval(side, reading, variant, "cwnd_median") for variant in _WIDE]
    return every(at_least(median, _OPEN[0]) & at_most(median, _OPEN[1]) for median in medians)


def _kept(side: Side, reading: Reading, variant: Variant) -> Interval:
    """Give the part of the runs in which the window is never below `LOW`."""
    return proportion([value >= LOW for value in side.values(reading, variant, "cwnd_least")])


def _windows(side: Side, reading: Reading) -> Verdict:
    wide, kept = _wide(side, reading), every(at_least(_kept(side, reading, variant), _SOME) for variant in _WIDE)
    return graded(whole=wide & kept, part=wide | kept)


def _tell_windows(side: Side, reading: Reading) -> str:
    return ", ".join(
        f"{VARIANTS[variant]} median {shown(interval(side, reading, variant, 'cwnd_median'), 0)}, least "
        f"{shown(interval(side, reading, variant, 'cwnd_least'), 0)}"
        for variant in _WIDE
    )


def _why_windows(side: Side, reading: Reading) -> str:
    kept = listed([f"{100 * _kept(side, reading, variant).mean:.0f} % of {owner(variant)} runs" for variant in _WIDE])
    return (
        f"medians are {_SAID[_wide(side, reading)]} from {_OPEN[0]} to {_OPEN[1]} packets, and in {kept} the "
        f"window is never below {LOW}"
    )


def _chaotic(side: Side, reading: Reading) -> dict[Variant, Truth]:
    """Say of Tahoe and Vegas whether they often start from 1, and more often than NewReno and SACK."""
    return {
        variant: at_least(interval(side, reading, variant, "cwnd_falls"), _OFTEN)
        & every(difference(side, reading, (variant, other), "cwnd_falls").above() for other in _WIDE)
        for variant in _LOW
    }


def _falls(side: Side, reading: Reading) -> Verdict:
    found = _chaotic(side, reading).values()
    return graded(whole=every(found), part=some(found))


def _why_falls(side: Side, reading: Reading) -> str:
    found = [VARIANTS[variant] for variant, answer in _chaotic(side, reading).items() if answer is YES]
    return f"those that often fall, clearly more often than NewReno and SACK: {listed(found) or 'none'}"


def _spiked(side: Side, reading: Reading, variant: Variant) -> Interval:
    """Give the part of the runs with a sample above `_STEADY`."""
    return proportion([value > _STEADY for value in side.values(reading, variant, "rtt_most")])


def _steady(side: Side, reading: Reading) -> Verdict:
    others = [at_least(_spiked(side, reading, variant), _SOME) for variant in VARIANTS if variant != "tahoe"]
    # One run that spikes shows that they do; that none does takes several.
    tahoe = _spiked(side, reading, "tahoe")
    steady = exactly(tahoe.mean == 0) if tahoe.mean or tahoe.count > 1 else OPEN
    return graded(whole=steady & every(others), part=steady & some(others))


def _why_steady(side: Side, reading: Reading) -> str:
    return f"samples above {_STEADY} ms in " + listed(
        [f"{100 * _spiked(side, reading, variant).mean:.0f} % of {owner(variant)} runs" for variant in VARIANTS]
    )


def _spikes(side: Side) -> tuple[float, float]:
    """Count the spikes of all runs, and those of them with a retransmission while the sample was taken.

    Raises
    ------
    LookupError
        If there was none.

    """
    runs = [each for runs in side.looks.values() for each in runs]
    total = sum(each.values["spikes"] or 0.0 for each in runs)
    if not total:
        raise LookupError("there is no spike")
    return total, sum((each.values["spikes"] or 0.0) * (each.values["spikes_again"] or 0.0) for each in runs)


def _beyond(side: Side, bar: float) -> Interval:
    """Give by how many spikes with a retransmission a seed's runs are above a part of all."""
    found: dict[int, float] = {}
    for run in (run for runs in side.looks.values() for run in runs):
        spikes, part = run.values["spikes"] or 0.0, run.values["spikes_again"] or 0.0
        found[run.seed] = found.get(run.seed, 0.0) + spikes * (part - bar)
    return student_interval(list(found.values()))


def _tell_spikes(side: Side) -> str:
    total, again = _spikes(side)
    return f"{again:.0f} of {total:.0f} spikes"


def _together(evidence: Evidence) -> Judgement:
    total, again = _spikes(evidence.ours)
    most, half = (_beyond(evidence.ours, bar) for bar in (_MOST, _HALF))
    shares = [each.values["again_share"] or 0.0 for runs in evidence.ours.looks.values() for each in runs]
    return judged(
        evidence,
        graded(whole=at_least(most, 0), part=at_least(half, 0)),
        _tell_spikes,
        f"In {again:.0f} of {total:.0f} tenths of a second with a sample above {SPIKE} ms a packet was sent again "
        f"while it was taken; of all tenths that holds of {100 * sum(shares) / len(shares):.1f} %. Ten packets in the "
        "buffer add only 1.6 ms: longer ones are timed from a first sending, or wait in a burst of the sender's own.",
        brief=f"In {again:.0f} of {total:.0f} spikes a packet was sent again meanwhile.",
    )


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="5-11",
        where="5, Figure 4",
        text="Vegas starts with a higher throughput and flattens at 50 s, while the others go on growing.",
        paper="said of a figure",
        rule=f"Starts: up to {_START} s it is above all others. Flattens: from 50 to 100 s the throughput so far of "
        "all others grows by more. Each if the paired 95 % interval leaves out zero. Reproduced if both, partly if "
        f"one. {OVER_READINGS}",
        judge=per_reading(
            _shape, lambda side: f"Mb/s up to 5/20/50/100 s: {by_reading(_tell_shape)(side)}", _why_shape
        ),
        command=command(Setting(reading=GREEDY, variant="vegas"), record="arrivals@B->y/1s"),
    ),
    Claim(
        key="5-12",
        where="5, Figure 5",
        text=f"NewReno and SACK have windows of about 200 packets, never below {LOW}.",
        paper=f"approximately 200, never less than {LOW}",
        rule=f"From {SETTLED} s on: both medians are from {_OPEN[0]} to {_OPEN[1]}; in {100 * _SOME:g} % "
        f"of the runs of both, at least, the window is never below {LOW}. Reproduced if both, partly if one of "
        f"these. {OVER_READINGS}",
        judge=per_reading(
            _windows,
            by_reading(_tell_windows),
            _why_windows,
            lambda side, reading: " and ".join(
                f"{interval(side, reading, variant, 'cwnd_median').mean:.0f}" for variant in _WIDE
            ),
            told="Medians of NewReno and SACK are {}",
        ),
        command=command(Setting(reading=CONSTANT, variant="sack"), record="windows@flow/100ms"),
    ),
    Claim(
        key="5-13",
        where="5, Figure 5",
        text="The windows of Tahoe and Vegas are chaotic: they frequently start from 1.",
        paper="frequently",
        rule=f"One does if its window falls to 2 packets or 1 at least {_OFTEN} times from {SETTLED} s on, in the "
        "mean, and more often than NewReno's and SACK's (paired 95 % intervals). Reproduced if both do, partly if one. "
        f"{OVER_READINGS}",
        judge=per_reading(_falls, each("cwnd_falls", 1), _why_falls),
        command=command(Setting(reading=GREEDY, variant="tahoe"), record="windows@flow"),
    ),
    Claim(
        key="5-14",
        where="5, Figure 6",
        text="Tahoe's round-trip time is constant at 75 ms; those of the others vary.",
        paper="0.075 s",
        rule=f"Constant: no sample of any run above {_STEADY} ms. Reproduced if Tahoe's is and of each other variant "
        f"{100 * _SOME:g} % of the runs, at least, are not; partly if that holds of one other. {OVER_READINGS}",
        judge=per_reading(
            _steady,
            lambda side: f"largest sample, ms: {each('rtt_most', 0)(side)}",
            _why_steady,
            lambda side, reading: f"{max(side.values(reading, 'tahoe', 'rtt_most')):.0f} ms",
            told="Tahoe's longest round trip takes {}",
        ),
        command=command(Setting(reading=GREEDY, variant="tahoe"), record="windows@flow"),
    ),
    Claim(
        key="5-15",
        where="5, Figures 6 and 7",
        text="Spikes of the round-trip time occur as packets are sent again.",
        paper="said of two figures",
        rule=f"Of the tenths of a second with a sample above {SPIKE} ms: reproduced if in 90 % of them a packet was "
        "sent again while the sample was taken, partly if in half; otherwise not reproduced. " + ELSE_UNDECIDED,
        judge=_together,
        command=command(Setting(reading=GREEDY, variant="newreno"), record="packets@x->A"),
    ),
)
"""In the order of the paper."""
