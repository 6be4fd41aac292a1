"""What the abstraction of the wide-area Internet takes for granted, judged."""

from __future__ import annotations

from ackclock.papers.core.claim import Claim
from ackclock.papers.core.evidence import Named
from ackclock.papers.core.rules import AtPoints, Bars, Holds
from ackclock.papers.core.ways import Ways
from ackclock.papers.manyflows.internet import ANYONE, BACKBONES, CLUSTERS, DEGREES
from ackclock.papers.manyflows.measures import ACCESS_GOODPUT, ALIKE, AT_BACKBONE, LARGEST, OFF_THE_LAW, STAYS
from ackclock.papers.reading import run_command

_FULL = 100  # the rate of a backbone, in per cent, that carries all that the access links can
_FEW_DROPS = 1  # per cent of the drops that do not count
_NO_LESS = 1  # points of goodput, in per cent of the access links, that do not count
_NEARLY_ALL, _MOST = 90, 50  # per cent of the connections
_NEAR_THE_LAW = 0.05
_COMMAND = run_command("examples/access_links.toml", [], record="drops@in.t1,out.t1.reverse")

_fast = Named(
    "a backbone as fast as all access links together, or faster", [rate for rate in BACKBONES if rate >= _FULL]
)
_without = ACCESS_GOODPUT.at("backbone", rate=0).called("goodput without a backbone", digits=1)
_drops, _goodput = (one.at("backbone", rate=_fast) for one in (AT_BACKBONE, ACCESS_GOODPUT))
_quiet = _drops.below(_FEW_DROPS) & ~_without.above(_goodput, by=_NO_LESS)
_fastest = {"rate": BACKBONES[-1]}
_at_last = _drops.pick(**_fastest).below(_FEW_DROPS) & ~_without.above(_goodput.pick(**_fastest), by=_NO_LESS)
# at 1 the largest component of n nodes has n^(2/3) of them, not a fixed share of n
_degrees = Named("mean degrees except 0.75 to 1.25", [degree for degree in DEGREES if not 0.75 <= degree <= 1.25])
_steady = STAYS.at("drawn"), STAYS.at("extra").called(f"{STAYS.label}, where others reach a T1 domain")
_together = ALIKE.at("drawn")

INTERNET = (
    Claim(
        key="2.1-1",
        where="2.1, assumption 1",
        figure="backbone",
        text="Access links are the bottleneck of wide-area connections.",
        test=Bars(
            whole=_quiet.every().called(
                f"a backbone as fast as all access links together, and each faster one, has less than {_FEW_DROPS} % "
                f"of the drops and costs at most {_NO_LESS} % of goodput"
            ),
            part=_at_last.called("the fastest one does"),
        ),
        command=_COMMAND,
    ),
    Claim(
        key="2.2-1",
        where="2.2",
        figure="components",
        text="After decomposition one can focus on a single connected component.",
        test=Ways(
            Holds(LARGEST.at("components", degree=2.0).below(0.5)),
            axis="traffic",
            ways=(ANYONE, CLUSTERS),
            on="who talks to whom",
        ),
        command=_COMMAND,
    ),
    Claim(
        key="2.2-2",
        where="2.2, not in the paper",
        figure="components",
        text="Where anyone talks to anyone, the largest component is the giant component of a random graph, with "
        "S = 1 - exp(-cS).",
        origin="ours",
        test=AtPoints(
            OFF_THE_LAW.at("components", traffic=ANYONE, degree=_degrees).near(0, by=_NEAR_THE_LAW), points="degrees"
        ),
        command=_COMMAND,
    ),
    Claim(
        key="4-1",
        where="4, assumption 2",
        figure="bottlenecks",
        text="The bottleneck will eventually stabilize.",
        test=Bars(
            whole=_steady[0].at_least(_NEARLY_ALL).every() & _steady[1].at_least(_NEARLY_ALL).every(),
            part=_steady[0].above(_MOST).every() & _steady[1].above(_MOST).every(),
        ),
        command=_COMMAND,
    ),
    Claim(
        key="4-2",
        where="4, assumption 2",
        figure="bottlenecks",
        text="Different connections that share an access link congest at the same place.",
        test=Bars(whole=_together.at_least(_NEARLY_ALL), part=_together.above(_MOST)),
        command=_COMMAND,
    ),
)
