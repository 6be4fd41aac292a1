"""The claims on Table 2: deliveries, efficiency, consistency of the counts, and H."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import partial
from typing import Final

from ackclock.papers.core.evidence import Scalar, Side
from ackclock.papers.core.paired import lead, reaches, share_of_runs, spans
from ackclock.papers.core.quantities import Quantity, computed
from ackclock.papers.core.rules import AtPoints, Bars, Custom, Outcome
from ackclock.papers.selfsimilar import measures as m
from ackclock.papers.selfsimilar.claims.reading import by_reading, counts, means, one_or_both
from ackclock.papers.selfsimilar.experiment import DEFINITION, TABLE_2
from ackclock.papers.selfsimilar.memory import LENGTH, LONG, PATHS, TRUTH
from ackclock.papers.truth import by_share, exactly
from ackclock.report.html import Verdict

claim = partial(DEFINITION.claim, __name__)
_DOMINATES: Final = 90.0  # per cent of all packets
_SAME: Final = 0.0002  # half of the smallest difference between efficiencies that the paper mentions
_AS_MANY: Final = 1.25  # maximum retransmissions per drop: in the paper Tahoe has 1.05, Vegas 1.15

_arrivals, _efficiency, _hurst = (one.at("flows") for one in (m.ARRIVALS, m.EFFICIENCY, m.HURST))
_missing = m.UNACKNOWLEDGED.at("flows")
_tahoe = {one: one.at("flows", variant="Tahoe") for one in (m.ARRIVALS, m.DROPS, m.RETRANSMISSIONS)}


def _lead(of: Quantity, who: str, *others: str) -> Quantity:
    """Compute the lead of a variant over others; a lead in arrivals is in per cent of the mean of both."""
    return lead(of, "variant", who, others=others, relative=of is _arrivals, digits=of.digits or 2)


def _first(of: Quantity, who: str, bar: float, words: str) -> Bars:
    """Make the rule that a variant has more of a quantity than each other variant, by a bar."""
    ahead = _lead(of, who)
    some = (ahead.above(bar).some() & ~ahead.below(-bar).some()).called(
        f"this holds for at least one other variant, and {who} is clearly below none"
    )
    return Bars(whole=ahead.above(bar).called(words), part=some)


_reached = reaches(
    m.COUNT.at("flows"),
    lambda at: TABLE_2[str(at["variant"])][str(at["count"])],
    "the printed count is within the middle 95 % of normally distributed single runs",
)
_ahead = _lead(_arrivals, "NewReno")
_most = _ahead.over("variant", lambda line: float(min(line.values()) >= 0), "share of seeds in which NewReno is first")

_gap = _lead(_efficiency, "NewReno", "SACK").called("efficiency of NewReno minus SACK (paired)", digits=5)
_alike = _gap.near(0, by=_SAME)
_higher = (
    _lead(_efficiency, "NewReno", "Tahoe", "Vegas").above(0).every()
    & _lead(_efficiency, "SACK", "Tahoe", "Vegas").above(0).every()
).called("the efficiencies of NewReno and SACK are above those of Tahoe and Vegas (paired)")

_fewest = _lead(_arrivals, "Vegas").below(-m.TIE)
_lowest = _lead(_efficiency, "Vegas").below(0)

_close = _tahoe[m.ARRIVALS].within(0.1, of=TABLE_2["Tahoe"]["arrivals"])
_excess = computed(
    lambda again, drops: again - _AS_MANY * drops,
    _tahoe[m.RETRANSMISSIONS],
    _tahoe[m.DROPS],
    words=f"retransmissions minus {_AS_MANY:g} times the drops (Tahoe)",
)


def _printed(at: Mapping[str, Scalar]) -> float:
    row = TABLE_2[str(at["variant"])]
    return float(row["arrivals"] - row["acks"])


_may_miss = (spans(_missing, "reading", _printed, "") | reaches(_missing, _printed, "").some("reading")).called(
    "the printed difference is between the smallest and the largest of all runs, or plausible for one more run"
)

_inside = (_hurst.at_least(0.815) & _hurst.at_most(0.905)).called("H, rounded, is 0.82 to 0.90")

_long = [one.at("memory") for one in (m.WAVELETS, m.WHITTLE)]
_wavelets, _whittle = (h.above(0.5, by=0.05) & h.at_most(1) for h in _long)
_has_memory = (
    (_wavelets & _whittle).else_no("memory").called("H by wavelets and by local Whittle is above 0.55 and at most 1")
)

_width = {name: m.NOISE_WIDTH.at("methods", method=name) for name in ("optimisation", "wavelet")}
_narrower = _width["optimisation"].below(_width["wavelet"])
_covered = share_of_runs(
    m.NOISE_COVERED.at("methods", method="optimisation"),
    bool,
    f"share of the optimisation method's 95 % intervals that contain H = {TRUTH}",
)


def _capture(side: Side) -> Outcome:
    """Judge the capture that is given; the authors' is not public."""
    try:
        (row,) = side.part("capture")
    except LookupError:
        return Outcome(
            verdict=Verdict.NOT_TESTABLE,
            why="The authors' capture is not public, so the counts cannot be checked. The shares are consistent: "
            "90.7 % TCP and 5.84 % UDP add up to the 96.54 % of IP if all are shares of all packets.",
        )
    values = row.values
    asked = {
        f"{values['TCP']:.1f} % of its packets are TCP": values["TCP"] >= _DOMINATES,
        "the packet sizes f(t) are long-range dependent": bool(values["f_long_range"]),
        "the bytes per bin are long-range dependent": bool(values["bytes_long_range"]),
    }
    file = str(row.where["file"])
    answers = "; ".join(f"{words}: {'yes' if holds else 'no'}" for words, holds in asked.items())
    return Outcome(
        verdict=by_share([exactly(holds) for holds in asked.values()]),
        why=f"For {file}: {answers}. TCP dominates from {_DOMINATES:g} % on. The paper's shares refer to all packets.",
        command=shlex.join(["ackclock", "capture", file]),
    )


CLAIMS: Final = (
    claim(
        "4-1",
        Bars(whole=_narrower & _covered.at_least(0.9), part=_narrower),
        shows={"h": m.NOISE_H.at("methods")},
        why=f"{{why}} Both methods estimate H of {PATHS} series of {LENGTH} values of fractional Gaussian noise with "
        f"H = {TRUTH}. The optimisation method assumes such noise; TCP traffic differs. Run time is not measured.",
    ),
    claim(
        "5-1",
        Custom(
            _capture,
            "Not testable unless a capture is given (--capture). Three properties are tested: at least 90 % of its "
            "packets are TCP; f(t), the sizes of successive packets, is long-range dependent; the bytes per bin are "
            "long-range dependent. Reproduced if all three hold, partly if two hold, otherwise not reproduced.",
        ),
    ),
    claim(
        "5-2",
        by_reading(
            Bars(
                whole=_reached,
                part=_reached.most().called("this holds for more than half of the counts"),
                counted="counts",
            )
        ),
        brief=counts("{} of Table 2 are plausible for one run.", _reached, "counts"),
    ),
    claim(
        "5-3",
        by_reading(
            _first(
                _arrivals, "NewReno", m.TIE, f"NewReno's arrivals are more than {m.TIE} % above each other variant's"
            )
        ),
        shows={"arrivals": _arrivals, "copies": m.COPIES.at("flows", variant=("NewReno", "SACK"))},
        brief=means(
            "NewReno delivers most in {}.", _most, lambda one: f"{one.mean * one.count:.0f} of {one.count} seeds"
        ),
    ),
    claim("5-4", by_reading(one_or_both(_alike, _higher)), shows={"efficiency": _efficiency}),
    claim(
        "5-5",
        by_reading(one_or_both(_fewest.every(), _lowest.every())),
        shows={"arrivals": _arrivals},
        brief=counts("Vegas delivers clearly less than {}.", _fewest, "variants"),
    ),
    claim(
        "5-6",
        by_reading(one_or_both(_close, _excess.at_most(0))),
        shows={"drops": _tahoe[m.DROPS], "retransmissions": _tahoe[m.RETRANSMISSIONS]},
    ),
    claim("5-7", AtPoints(_may_miss, points="variants")),
    claim(
        "5-8",
        by_reading(AtPoints(_inside, points="variants")),
        brief=counts("In runs of 100 s, the paper's method gives H as in the paper for {}.", _inside, "variants"),
    ),
    claim(
        "5-9",
        by_reading(
            Bars(
                whole=_has_memory,
                part=_has_memory.some().called("this holds for at least one variant"),
                counted="variants",
            )
        ),
        shows={
            f"{one.name} of the background": one.at("background memory").called(f"{one.label} (background alone)")
            for one in (m.WAVELETS, m.WHITTLE)
        },
        brief=counts(f"In runs of {LONG:,} s, traffic is long-range dependent for {{}}.", _has_memory, "variants"),
    ),
    claim(
        "5-10",
        by_reading(_first(_hurst, "Vegas", 0, "H of Vegas is above H of each other variant (paired)")),
        shows={"hurst": _hurst},
    ),
)
"""The claims on Table 2, in the order of the paper."""
