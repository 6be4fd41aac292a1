"""What the paper reads off Table 2: who delivers most, at which efficiency, and how the counts hang together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis import student_interval
from ackclock.papers.claims import BY_SHARE, Claim, Judgement, by_share, graded
from ackclock.papers.reading import listed, shown
from ackclock.papers.selfsimilar.claims.reading import (
    OVER_READINGS,
    by_reading,
    command,
    each,
    judged,
    owner,
    per_reading,
)
from ackclock.papers.selfsimilar.claims.trace import TRACE_CLAIM
from ackclock.papers.selfsimilar.experiment import CONSTANT, GREEDY, READINGS, VARIANTS, WINDOW, Setting
from ackclock.papers.selfsimilar.paired import TIE, beaten, beats, difference, firsts, interval, within_reach
from ackclock.papers.selfsimilar.paper import COUNTS, TABLE_2
from ackclock.papers.truth import NO, OPEN, YES, Truth, at_most, count, counted, every, most, near, some

if TYPE_CHECKING:
    from ackclock.papers.selfsimilar.evidence import Evidence, Side
    from ackclock.papers.selfsimilar.experiment import Reading, Variant
    from ackclock.report.html import Verdict

__all__ = ["CLAIMS"]

_SAME: Final = 0.0002
"""Efficiencies no farther apart count as the same: half of the least difference that the paper calls one."""

_NEAR: Final = 0.1
"""The part by which a count may differ and still be the paper's."""

_AS_MANY: Final = 1.25
"""Retransmissions for a drop, up to which there are as many of them: the paper's Tahoe has 1.05, its Vegas 1.15."""

_SAID: Final = {YES: "clearly", NO: "not", OPEN: "perhaps"}

_CELLS: Final = len(COUNTS) * len(VARIANTS)

_CLEARLY = f"the paired 95 % interval lies beyond {100 * TIE:g} % of the mean"


def _reached(side: Side, reading: Reading) -> dict[tuple[Variant, str], Truth]:
    """Say of each count of Table 2 whether one run may well have it."""
    return {
        (variant, measure): within_reach(side.values(reading, variant, measure), TABLE_2[variant][measure])
        for variant in VARIANTS
        for measure in COUNTS
    }


def _counts(side: Side, reading: Reading) -> Verdict:
    found = _reached(side, reading).values()
    return graded(whole=every(found), part=most(found))


def _tell_counts(side: Side, reading: Reading) -> str:
    return f"{counted(_reached(side, reading).values(), 'counts')} within reach"


def _why_counts(side: Side, reading: Reading) -> str:
    missed: dict[Variant, list[str]] = {}
    for (variant, measure), answer in _reached(side, reading).items():
        if answer is NO:
            missed.setdefault(variant, []).append("ACKs" if measure == "acks" else measure)
    beyond = [f"{owner(variant)} {listed(names)}" for variant, names in missed.items()]
    return f"out of the reach of one run: {', '.join(beyond) or 'none'}"


def _first(side: Side, reading: Reading) -> Verdict:
    ahead = beats(side, reading, "newreno").values()
    behind = [beats(side, reading, other)["newreno"] for other in VARIANTS if other != "newreno"]
    return graded(whole=every(ahead), part=some(ahead) & ~some(behind))


def _why_first(side: Side, reading: Reading) -> str:
    above = listed([VARIANTS[variant] for variant in beaten(side, reading, "newreno")])
    below = [name for variant, name in VARIANTS.items() if "newreno" in beaten(side, reading, variant)]
    most_in = firsts(side, reading)["newreno"]
    seeds = len(side.of(reading, "newreno"))
    copies = [interval(side, reading, variant, "copies").mean for variant in ("newreno", "sack")]
    return (
        f"NewReno is clearly above {above or 'none'}"
        + (f" and below {listed(below)}" if below else "")
        + f", and delivers most in {most_in} of {seeds} seeds; {copies[0]:.0f} of its packets arrived twice, "
        + f"{copies[1]:.0f} of SACK's"
    )


def _brief_first(side: Side, reading: Reading) -> str:
    return f"{firsts(side, reading)['newreno']} of {len(side.of(reading, 'newreno'))} seeds"


def _tell_first(side: Side, reading: Reading) -> str:
    counts = ", ".join(
        f"{name} {shown(interval(side, reading, variant, 'arrivals'), 0)}" for variant, name in VARIANTS.items()
    )
    gap = difference(side, reading, ("newreno", "sack")).comparison.difference
    return f"{counts}, NewReno less SACK {shown(gap, 0)}"


def _alike(side: Side, reading: Reading) -> Truth:
    return near(difference(side, reading, ("newreno", "sack"), "efficiency").comparison.difference, 0, by=_SAME)


def _higher(side: Side, reading: Reading) -> Truth:
    pairs: list[tuple[Variant, Variant]] = [(one, other) for one in ("newreno", "sack") for other in ("tahoe", "vegas")]
    return every(difference(side, reading, pair, "efficiency").above() for pair in pairs)


def _efficient(side: Side, reading: Reading) -> Verdict:
    alike, higher = _alike(side, reading), _higher(side, reading)
    return graded(whole=alike & higher, part=alike | higher)


def _why_efficient(side: Side, reading: Reading) -> str:
    gap = difference(side, reading, ("newreno", "sack"), "efficiency").comparison.difference
    return (
        f"NewReno less SACK is {shown(gap, 5)}, which is {_SAID[_alike(side, reading)]} the same, and both "
        f"are {_SAID[_higher(side, reading)]} above Tahoe and Vegas"
    )


def _last(side: Side, reading: Reading, measure: str, tie: float) -> list[Variant]:
    """Give the variants that are clearly above Vegas."""
    return [variant for variant in VARIANTS if "vegas" in beaten(side, reading, variant, measure, tie)]


def _vegas(side: Side, reading: Reading) -> Verdict:
    others: list[Variant] = [variant for variant in VARIANTS if variant != "vegas"]
    fewest = every(beats(side, reading, other)["vegas"] for other in others)
    lowest = every(beats(side, reading, other, "efficiency", 0)["vegas"] for other in others)
    return graded(whole=fewest & lowest, part=fewest | lowest)


def _why_vegas(side: Side, reading: Reading) -> str:
    more, better = (
        listed([VARIANTS[variant] for variant in _last(side, reading, measure, tie)]) or "none"
        for measure, tie in (("arrivals", TIE), ("efficiency", 0.0))
    )
    arrivals = side.values(reading, "vegas", "arrivals")
    return (
        f"clearly above Vegas are by arrivals {more}, by efficiency {better}, and its runs reach from "
        f"{min(arrivals):,.0f} to {max(arrivals):,.0f} packets"
    )


def _again(side: Side, reading: Reading) -> float:
    """Give Tahoe's retransmissions for a drop."""
    again, drops = (sum(side.values(reading, "tahoe", name)) for name in ("retransmissions", "drops"))
    return again / drops if drops else 1.0


def _as_many(side: Side, reading: Reading) -> Truth:
    """Say whether Tahoe's retransmissions are at most so many for a drop, by what exceeds that run by run."""
    again, drops = (np.array(side.values(reading, "tahoe", name)) for name in ("retransmissions", "drops"))
    return at_most(student_interval(again - _AS_MANY * drops), 0)


def _near(side: Side, reading: Reading) -> Truth:
    printed = TABLE_2["tahoe"]["arrivals"]
    return near(interval(side, reading, "tahoe", "arrivals"), printed, by=_NEAR * printed)


def _tahoe(side: Side, reading: Reading) -> Verdict:
    close, as_many = _near(side, reading), _as_many(side, reading)
    return graded(whole=close & as_many, part=close | as_many)


def _tell_tahoe(side: Side, reading: Reading) -> str:
    numbers = [
        f"{shown(interval(side, reading, 'tahoe', name), 0)} {word}"
        for name, word in (("arrivals", "arrivals"), ("drops", "drops"), ("retransmissions", "retransmissions"))
    ]
    return f"{', '.join(numbers)}, {_again(side, reading):.2f} for a drop"


def _why_tahoe(side: Side, reading: Reading) -> str:
    return (
        f"Tahoe's arrivals are {_SAID[_near(side, reading)]} within {100 * _NEAR:g} % of the paper's, and it "
        f"sends {_again(side, reading):.1f} packets again for each that is dropped"
    )


def _gaps(side: Side, variant: Variant) -> list[list[float]]:
    """Give by how much arrivals are above ACKs in the runs of a variant, reading by reading."""
    return [
        [
            came - told
            for came, told in zip(
                *(side.values(reading, variant, name) for name in ("arrivals", "acks")),
                strict=True,
            )
        ]
        for reading in READINGS.values()
    ]


def _missing(side: Side, variant: Variant) -> tuple[float, float]:
    """Give the least and the most of these."""
    gaps = [gap for some in _gaps(side, variant) for gap in some]
    return min(gaps), max(gaps)


def _may_miss(side: Side, variant: Variant, gap: float) -> Truth:
    """Say whether a run may have a gap: one of ours lies on either side of it, or one more may well have it."""
    low, high = _missing(side, variant)
    return YES if low <= gap <= high else some(within_reach(each, gap) for each in _gaps(side, variant))


def _tell_missing(side: Side) -> str:
    return "arrivals less ACKs: " + ", ".join(
        "{} {:.0f} to {:.0f}".format(name, *_missing(side, variant)) for variant, name in VARIANTS.items()
    )


def _acks(evidence: Evidence) -> Judgement:
    printed = {variant: row["arrivals"] - row["acks"] for variant, row in TABLE_2.items()}
    possible = {variant: _may_miss(evidence.ours, variant, gap) for variant, gap in printed.items()}
    wrong = [f"{owner(variant)} {printed[variant]:.0f}" for variant, found in possible.items() if found is NO]
    return judged(
        evidence,
        by_share(list(possible.values())),
        _tell_missing,
        "What arrives is acknowledged at once, so ACKs lag by what is under way at the end"
        + (
            f"; out of reach: {listed(wrong)}. No count taken at one instant can have more ACKs than arrivals."
            if wrong
            else "."
        ),
    )


CLAIMS: tuple[Claim[Evidence], ...] = (
    TRACE_CLAIM,
    Claim(
        key="5-2",
        where="5, Table 2",
        text="One run of each variant counts what Table 2 counts.",
        paper="16 counts, of one run each",
        rule="A count is within reach if it lies where 95 % of single runs would, were they normal. Reproduced if all "
        f"are, partly if most; otherwise not reproduced. {OVER_READINGS}",
        judge=per_reading(
            _counts,
            by_reading(_tell_counts),
            _why_counts,
            lambda side, reading: f"{count(_reached(side, reading).values())}",
            told=f"Of {_CELLS} counts one run may well have {{}}",
        ),
        command=command(Setting(reading=CONSTANT, variant="sack")),
    ),
    Claim(
        key="5-3",
        where="5, Table 2, Figure 4; abstract; 6",
        text="NewReno has the highest throughput of the four.",
        paper="77,312 packets; SACK 75,673, Tahoe 70,070, Vegas 61,853",
        rule=f"One is clearly above another if {_CLEARLY}. Reproduced if NewReno is above all three, partly if above "
        f"some and below none. {OVER_READINGS}",
        judge=per_reading(
            _first, by_reading(_tell_first), _why_first, _brief_first, told="NewReno delivers most in {}"
        ),
        command=command(Setting(reading=GREEDY, variant="newreno")),
    ),
    Claim(
        key="5-4",
        where="5, Table 2",
        text="NewReno and SACK have the same efficiency, higher than those of Tahoe and Vegas.",
        paper="0.9991 both; Tahoe 0.9987, Vegas 0.9986",
        rule=f"The same: no more than {_SAME:g} apart. Higher: the paired 95 % interval leaves out zero. "
        f"Reproduced if both, partly if one of these. {OVER_READINGS}",
        judge=per_reading(_efficient, each("efficiency", 4), _why_efficient),
        command=command(Setting(reading=CONSTANT, variant="sack")),
    ),
    Claim(
        key="5-5",
        where="5, Table 2",
        text="Vegas delivers the fewest packets, at the lowest efficiency.",
        paper="61,853 packets, 0.9986",
        rule=f"Fewest: all others are clearly above it, where {_CLEARLY}. Lowest: the paired 95 % interval leaves out "
        f"zero. Reproduced if both, partly if one of these. {OVER_READINGS}",
        judge=per_reading(
            _vegas,
            each("arrivals", 0),
            _why_vegas,
            lambda side, reading: (
                listed([VARIANTS[other] for other in _last(side, reading, "arrivals", TIE)]) or "none"
            ),
            told="Variants that deliver clearly more than Vegas: {}",
        ),
        command=command(Setting(reading=GREEDY, variant="vegas")),
    ),
    Claim(
        key="5-6",
        where="5, Table 2",
        text="Tahoe delivers 70,000 packets and sends as many again as are dropped.",
        paper="70,070 packets, 43 dropped, 45 sent again",
        rule=f"Reproduced if arrivals are within {100 * _NEAR:g} % and there are at most {_AS_MANY:g} "
        f"retransmissions for a drop, partly if one of these. {OVER_READINGS}",
        judge=per_reading(_tahoe, by_reading(_tell_tahoe), _why_tahoe),
        command=command(Setting(reading=WINDOW, variant="tahoe")),
    ),
    Claim(
        key="5-7",
        where="5, Table 2",
        text="There are as many fewer ACKs than arrivals as Table 2 has it.",
        paper="110 fewer (Tahoe), 36 (NewReno), 8 (SACK), and 7 more (Vegas)",
        rule="The points are the variants: the difference lies between the least and the most of all runs under any "
        f"reading, or where 95 % of single runs would. {BY_SHARE}",
        judge=_acks,
        command=command(Setting(reading=CONSTANT, variant="vegas")),
    ),
)
"""In the order of the paper."""
