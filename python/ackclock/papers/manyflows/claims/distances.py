"""What the paper claims of connections at unequal distances, and what its authors left for later."""

from __future__ import annotations

from ackclock.papers.core.claim import Claim
from ackclock.papers.core.rules import AtPoints, Depends, Holds
from ackclock.papers.core.ways import Ways
from ackclock.papers.manyflows.distances import GROUPS, UNEQUAL, split_name
from ackclock.papers.manyflows.measures import POWER, STABLE, Excess, OverSquare
from ackclock.papers.manyflows.places import WITH, WITHOUT
from ackclock.papers.reading import run_command

_NEAR_THE_SQUARE = 1.25  # a factor within which a ratio matches the square of the round trips' ratio
_SAME_POWER = 0.2  # the difference up to which two powers of the round trip are the same
_SETTING = "processing times"
_FILE = "examples/distances50.toml"

_busy, _plain, _ratio = OverSquare(processing=WITH), OverSquare(processing=WITHOUT), OverSquare()
_inside, _inside_without = (one.at_least(1) & one.at_most(2) for one in (_busy, _plain))
_off = (_ratio.above(_NEAR_THE_SQUARE) | _ratio.below(1, times=_NEAR_THE_SQUARE)).called(
    f"the ratio of goodput is more than a factor of {_NEAR_THE_SQUARE:g} off the square of the ratio of round-trip "
    "times"
)
_excess = Excess(GROUPS[0], GROUPS[-1])
_equal = POWER.at("unequal", groups=split_name((25, 25)))
_others = [split_name(counts) for counts in UNEQUAL if counts != (25, 25)]

DISTANCES = (
    Claim(
        key="5.3-1",
        where="5.3; Figure 23, (A1)",
        text="The ratio of the throughputs of two groups is between the square of the ratio of their round-trip times, "
        "inverted, and twice that.",
        paper="1 to 2 times the square",
        test=Depends(
            AtPoints(_inside),
            on=_SETTING,
            again=_inside_without.most(),
            words=f"The question is asked again {WITHOUT}: if most points answer the opposite there, the claim depends "
            "on them.",
        ),
        why=lambda said: (
            f"With the processing times that the paper prescribes {said.counted(_inside, 'points')} lie in the band, "
            f"{said.counted(_busy.below(1), 'points')} below it and {said.counted(_busy.above(2), 'points')} above it; "
            f"{WITHOUT} {said.counted(_inside_without, 'points')}, {said.counted(_plain.below(1), 'points')} and "
            f"{said.counted(_plain.above(2), 'points')}."
        ),
        shows={"without": _plain},
        command=run_command(_FILE, []),
    ),
    Claim(
        key="5.3-2",
        where="5.3; Figure 23",
        text="The ratios do not match the square of the round trips' ratio very well.",
        test=AtPoints(_off, points="ratios"),
        command=run_command(_FILE, ["clients.1.access.delay=52 ms"]),
    ),
    Claim(
        key="5.3-3",
        where="5.3",
        figure="group-sizes",
        text="The ratio of two single connections is unpredictable, that of two groups of reasonable size is stable.",
        test=Ways(
            Holds(
                _excess.below(0).called(
                    "over nine distances around four times the nearer group's, the ratio of the goodput of two groups "
                    f"of {GROUPS[-1]} has less than {STABLE:g} times the standard deviation (of its logarithm) that "
                    "the ratio of two connections has"
                )
            ),
            axis="processing",
            ways=(WITH, WITHOUT),
            on=_SETTING,
        ),
        command=run_command(_FILE, ["clients.0.count=1", "clients.1.count=1"], record="windows"),
    ),
    Claim(
        key="5.3-4",
        where="5.3, left for later by its authors",
        figure="unequal-groups",
        text="Groups of unequal size share the link as equal ones do.",
        origin="ours",
        test=AtPoints(POWER.at("unequal", groups=_others).near(_equal, by=_SAME_POWER)),
        command=run_command(_FILE, ["clients.0.count=45", "clients.1.count=5"]),
    ),
    Claim(
        key="5.3-5",
        where="5.3, left for later by its authors",
        figure="unequal-groups",
        text="Five groups share the link as two do.",
        origin="ours",
        test=Ways(
            Holds(POWER.at("several").called("power with five groups").near(_equal, by=_SAME_POWER)),
            axis="processing",
            ways=(WITH, WITHOUT),
            on=_SETTING,
        ),
        command=run_command(_FILE, ["clients.1.access.delay=766 ms"]),
    ),
)
