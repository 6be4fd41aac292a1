"""What the paper reads off Table 2: who delivers most, at which efficiency, and how the counts hang together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.experiments.claims import Claim, Judgement, by_share, graded
from ackclock.experiments.reading import listed, shown
from ackclock.experiments.selfsimilar.claims.reading import (
    OVER_READINGS,
    by_reading,
    command,
    each,
    judged,
    owner,
    per_reading,
)
from ackclock.experiments.selfsimilar.claims.trace import TRACE_CLAIM
from ackclock.experiments.selfsimilar.experiment import CONSTANT, GREEDY, READINGS, VARIANTS, WINDOW, Setting
from ackclock.experiments.selfsimilar.paired import TIE, beaten, difference, firsts, interval, single
from ackclock.experiments.selfsimilar.paper import COUNTS, TABLE_2

if TYPE_CHECKING:
    from ackclock.experiments.selfsimilar.evidence import Evidence, Side
    from ackclock.experiments.selfsimilar.experiment import Reading, Variant
    from ackclock.report.html import Verdict

__all__ = ["CLAIMS"]

_SAME: Final = 0.0002
"""Efficiencies no farther apart count as the same: half of the least difference that the paper calls one."""

_NEAR: Final = 0.1
"""The part by which a count may differ and still be the paper's."""

_AS_MANY: Final = 1.25
"""Retransmissions for a drop, up to which there are as many of them: the paper's Tahoe has 1.05, its Vegas 1.15."""

_CELLS: Final = len(COUNTS) * len(VARIANTS)

_CLEARLY = f"the paired 95 % interval leaves out zero and the mean is beyond {100 * TIE:g} %"


def _beyond(side: Side, reading: Reading) -> dict[Variant, list[str]]:
    """Give the counts of Table 2 that one run will hardly have."""
    found: dict[Variant, list[str]] = {variant: [] for variant in VARIANTS}
    for variant, beyond in found.items():
        for measure in COUNTS:
            low, high = single(side.values(reading, variant, measure))
            if not low <= TABLE_2[variant][measure] <= high:
                beyond.append("ACKs" if measure == "acks" else measure)
    return found


def _missed(side: Side, reading: Reading) -> int:
    return sum(map(len, _beyond(side, reading).values()))


def _counts(side: Side, reading: Reading) -> Verdict:
    missed = _missed(side, reading)
    return graded(whole=not missed, part=2 * missed < _CELLS)


def _tell_counts(side: Side, reading: Reading) -> str:
    return f"{_CELLS - _missed(side, reading)} of {_CELLS} within reach"


def _why_counts(side: Side, reading: Reading) -> str:
    beyond = [f"{owner(variant)} {listed(names)}" for variant, names in _beyond(side, reading).items() if names]
    return f"out of the reach of one run: {', '.join(beyond) or 'none'}"


def _first(side: Side, reading: Reading) -> Verdict:
    above = beaten(side, reading, "newreno")
    below = [variant for variant in VARIANTS if variant != "newreno" and "newreno" in beaten(side, reading, variant)]
    return graded(whole=len(above) == len(VARIANTS) - 1, part=bool(above) and not below)


def _why_first(side: Side, reading: Reading) -> str:
    above = listed([VARIANTS[variant] for variant in beaten(side, reading, "newreno")])
    below = [name for variant, name in VARIANTS.items() if "newreno" in beaten(side, reading, variant)]
    count = firsts(side, reading)["newreno"]
    seeds = len(side.of(reading, "newreno"))
    copies = [interval(side, reading, variant, "copies").mean for variant in ("newreno", "sack")]
    return (
        f"NewReno is clearly above {above or 'none'}"
        + (f" and below {listed(below)}" if below else "")
        + f", and first in {count} of {seeds} seeds (of its packets {copies[0]:.0f} came twice, of SACK's "
        + f"{copies[1]:.0f})"
    )


def _brief_first(side: Side, reading: Reading) -> str:
    return f"{firsts(side, reading)['newreno']} of {len(side.of(reading, 'newreno'))} seeds"


def _tell_first(side: Side, reading: Reading) -> str:
    counts = ", ".join(
        f"{name} {shown(interval(side, reading, variant, 'arrivals'), 0)}" for variant, name in VARIANTS.items()
    )
    gap = difference(side, reading, ("newreno", "sack")).comparison.difference
    return f"{counts}, NewReno less SACK {shown(gap, 0)}"


def _alike(side: Side, reading: Reading) -> bool:
    gap = difference(side, reading, ("newreno", "sack"), "efficiency")
    return abs(gap.comparison.difference.mean) <= _SAME


def _higher(side: Side, reading: Reading) -> bool:
    return all(
        {"tahoe", "vegas"} <= set(beaten(side, reading, variant, "efficiency", tie=0))
        for variant in ("newreno", "sack")
    )


def _efficient(side: Side, reading: Reading) -> Verdict:
    alike, higher = _alike(side, reading), _higher(side, reading)
    return graded(whole=alike and higher, part=alike or higher)


def _why_efficient(side: Side, reading: Reading) -> str:
    gap = difference(side, reading, ("newreno", "sack"), "efficiency").comparison.difference
    return (
        f"NewReno less SACK is {shown(gap, 5)}, which is {'' if _alike(side, reading) else 'not '}the same, and both "
        f"are {'' if _higher(side, reading) else 'not '}clearly above Tahoe and Vegas"
    )


def _last(side: Side, reading: Reading, measure: str, tie: float) -> list[Variant]:
    """Give the variants that are clearly above Vegas."""
    return [variant for variant in VARIANTS if "vegas" in beaten(side, reading, variant, measure, tie)]


def _vegas(side: Side, reading: Reading) -> Verdict:
    others = len(VARIANTS) - 1
    fewest = len(_last(side, reading, "arrivals", TIE)) == others
    lowest = len(_last(side, reading, "efficiency", 0)) == others
    return graded(whole=fewest and lowest, part=fewest or lowest)


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


def _near(side: Side, reading: Reading) -> bool:
    printed = TABLE_2["tahoe"]["arrivals"]
    return abs(interval(side, reading, "tahoe", "arrivals").mean - printed) <= _NEAR * printed


def _tahoe(side: Side, reading: Reading) -> Verdict:
    near, as_many = _near(side, reading), _again(side, reading) <= _AS_MANY
    return graded(whole=near and as_many, part=near or as_many)


def _tell_tahoe(side: Side, reading: Reading) -> str:
    numbers = [
        f"{shown(interval(side, reading, 'tahoe', name), 0)} {word}"
        for name, word in (("arrivals", "arrivals"), ("drops", "drops"), ("retransmissions", "retransmissions"))
    ]
    return f"{', '.join(numbers)}, {_again(side, reading):.2f} for a drop"


def _why_tahoe(side: Side, reading: Reading) -> str:
    return (
        f"Tahoe's arrivals are {'' if _near(side, reading) else 'not '}within {100 * _NEAR:g} % of the paper's, and it "
        f"sends {_again(side, reading):.1f} packets again for each that is dropped"
    )


def _missing(side: Side, variant: Variant) -> tuple[float, float]:
    """Give the least and the most that arrivals are above ACKs in any run of a variant."""
    gaps = np.concatenate(
        [
            np.array(side.values(reading, variant, "arrivals")) - np.array(side.values(reading, variant, "acks"))
            for reading in READINGS.values()
        ]
    )
    return float(gaps.min()), float(gaps.max())


def _tell_missing(side: Side) -> str:
    return "arrivals less ACKs: " + ", ".join(
        "{} {:.0f} to {:.0f}".format(name, *_missing(side, variant)) for variant, name in VARIANTS.items()
    )


def _acks(evidence: Evidence) -> Judgement:
    printed = {variant: row["arrivals"] - row["acks"] for variant, row in TABLE_2.items()}
    possible = {}
    for variant, gap in printed.items():
        low, high = _missing(evidence.ours, variant)
        possible[variant] = low <= gap <= high
    wrong = [f"{owner(variant)} {printed[variant]:.0f}" for variant, found in possible.items() if not found]
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
        rule="A count is within reach if it lies where 95 % of single runs would (Student's t). Reproduced if all are, "
        f"partly if most. {OVER_READINGS}",
        judge=per_reading(
            _counts,
            by_reading(_tell_counts),
            _why_counts,
            lambda side, reading: f"{_CELLS - _missed(side, reading)}",
            told=f"Of {_CELLS} counts one run may have {{}}",
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
        rule=f"The same: means no more than {_SAME:g} apart. Higher: the paired 95 % interval leaves out zero. "
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
        rule=f"Reproduced if the mean of arrivals is within {100 * _NEAR:g} % and there are up to {_AS_MANY:g} "
        f"retransmissions for a drop, partly if one of these. {OVER_READINGS}",
        judge=per_reading(_tahoe, by_reading(_tell_tahoe), _why_tahoe),
        command=command(Setting(reading=WINDOW, variant="tahoe")),
    ),
    Claim(
        key="5-7",
        where="5, Table 2",
        text="There are as many fewer ACKs than arrivals as Table 2 has it.",
        paper="110 fewer (Tahoe), 36 (NewReno), 8 (SACK), and 7 more (Vegas)",
        rule="Reproduced if each variant's difference lies between the least and the most of all its runs, under any "
        "reading; partly if most do; else not.",
        judge=_acks,
        command=command(Setting(reading=CONSTANT, variant="vegas")),
    ),
)
"""In the order of the paper."""
