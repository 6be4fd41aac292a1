"""What the abstraction of the wide-area Internet takes for granted, judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim, Judgement, by_share, graded
from ackclock.papers.manyflows.internet import (
    ANYONE,
    BACKBONES,
    CLUSTERS,
    DEGREES,
    DRAWN,
    EXTRA,
    giant_component,
)
from ackclock.papers.reading import DASH, along, at, either, percent, run_command, shown, span
from ackclock.papers.truth import YES, above, at_least, below, every, near, some

if TYPE_CHECKING:
    from ackclock.papers.manyflows.internet import Internet

__all__ = ["INTERNET", "HasInternet"]

FULL = 100
"""The rate of a backbone, in per cent, that carries all that the access links can."""
FEW_DROPS = 1.0
"""Per cent of the drops that do not count."""
NO_LESS = 1.0
"""Points of goodput, in per cent of the access links, that do not count."""
NEARLY_ALL, MOST = 90.0, 50.0
"""Per cent of the connections."""
TALKS_TO = 2.0
"""Mean degree at which components are asked for."""
NEAR_THE_LAW = 0.05
_COMMAND = run_command("examples/access_links.toml", [], record="drops@in.t1,out.t1.reverse")


class HasInternet(Protocol):
    """Evidence with the runs of section 2."""

    @property
    def internet(self) -> Internet:
        """Our runs and networks."""


def _access(evidence: HasInternet) -> Judgement:
    runs = evidence.internet.backbone
    drops, goodput = (along(runs, "backbone", BACKBONES, percent(name)) for name in ("at_backbone", "goodput"))
    without = at(runs, "backbone", 0, percent("goodput"))
    quiet = {
        rate: below(drops[rate], FEW_DROPS) & ~above(without, goodput[rate], by=NO_LESS) for rate in sorted(BACKBONES)
    }
    onwards = {rate: every(quiet[other] for other in quiet if other >= rate) for rate in quiet}
    least = next((rate for rate, answer in onwards.items() if answer is YES), None)
    return Judgement(
        verdict=graded(
            whole=some(answer for rate, answer in onwards.items() if rate <= FULL), part=some(onwards.values())
        ),
        ours=f"drops at a backbone of {FULL} %: {shown(drops[FULL], 1, ' %')}, of 80 %: {shown(drops[80], 1, ' %')}; "
        f"goodput {shown(goodput[FULL], 1)} and {shown(goodput[80], 1)}, without a backbone {shown(without, 1, ' %')}",
        ns2=DASH,
        why="At no rate is the backbone clearly free of drops."
        if least is None
        else f"From {least} % of the access links' rates on hardly anything is lost at the backbone and nobody gets "
        "less: with what they lose and leave idle, the access links let no more through.",
    )


def _apart(evidence: HasInternet) -> Judgement:
    largest = {who: at(evidence.internet.parts, who, round(100 * TALKS_TO), "largest") for who in (ANYONE, CLUSTERS)}
    holds = [below(interval, 0.5) for interval in largest.values()]
    verdict, setting = either(holds, "who talks to whom")
    return Judgement(
        verdict=verdict,
        setting=setting,
        ours=f"share of the domains in the largest component, at a mean degree of {TALKS_TO:g}: "
        + ", ".join(f"{who} {shown(interval, 3)}" for who, interval in largest.items()),
        ns2=DASH,
        why=f"Where anyone talks to anyone, one component has {100 * largest[ANYONE].mean:.0f} % of the domains, "
        f"where they talk within clusters {100 * largest[CLUSTERS].mean:.1f} %.",
    )


def _law(evidence: HasInternet) -> Judgement:
    largest = along(evidence.internet.parts, ANYONE, [round(100 * degree) for degree in DEGREES], "largest")
    # at 1 the largest component of n nodes has n^(2/3) of them, which is no part of n
    asked = [degree for degree in DEGREES if not 0.75 <= degree <= 1.25]
    off = {degree: largest[round(100 * degree)].mean - giant_component(degree) for degree in asked}
    return Judgement(
        verdict=by_share(
            [near(largest[round(100 * degree)], giant_component(degree), by=NEAR_THE_LAW) for degree in asked]
        ),
        ours="share of the domains in the largest component and by the law: "
        + ", ".join(
            f"{largest[round(100 * degree)].mean:.2f} and {giant_component(degree):.2f} at {degree:g}"
            for degree in asked
        ),
        ns2=DASH,
        why=f"The largest difference is {max(map(abs, off.values())):.3f}, of the degrees {min(asked):g} to "
        f"{max(asked):g} without those next to 1.",
    )


def _stays(evidence: HasInternet) -> Judgement:
    drawn = along(evidence.internet.drawn, "drawn", range(1, DRAWN + 1), percent("steady"))
    crowd = along(evidence.internet.extra, "extra", EXTRA, percent("steady"))
    found = [*drawn.values(), *crowd.values()]
    means = [interval.mean for interval in found]
    return Judgement(
        verdict=graded(
            whole=every(at_least(one, NEARLY_ALL) for one in found), part=every(above(one, MOST) for one in found)
        ),
        ours=f"{span(drawn, 0, ' %')} in the drawn networks; {span(crowd, 0, ' %')} where others come to a T1 domain",
        ns2=DASH,
        why=f"In the worst network {min(means):.0f} % of the connections keep their bottleneck, in the best "
        f"{max(means):.0f} %: it moves where both access links are about as full.",
    )


def _same(evidence: HasInternet) -> Judgement:
    drawn = along(evidence.internet.drawn, "drawn", range(1, DRAWN + 1), percent("together"))
    means = [interval.mean for interval in drawn.values()]
    return Judgement(
        verdict=graded(
            whole=every(at_least(one, NEARLY_ALL) for one in drawn.values()),
            part=every(above(one, MOST) for one in drawn.values()),
        ),
        ours=f"{span(drawn, 0, ' %')} of the connections",
        ns2=DASH,
        why=f"{min(means):.0f} to {max(means):.0f} % congest where most of those do that share an access link: of "
        "the connections of a T1 domain, those to an ISDN domain congest there and those to a T3 domain at home.",
    )


INTERNET: tuple[Claim[HasInternet], ...] = (
    Claim(
        key="2.1-1",
        where="2.1, assumption 1",
        text="Access links are the bottleneck of wide-area connections.",
        paper="reasonably assumed",
        rule="By eight T1 domains: reproduced if a backbone as fast as all access links together, or faster, has "
        f"less than {FEW_DROPS:g} % of the drops and costs at most {NO_LESS:g} % of goodput; partly if only a faster "
        f"one; otherwise not reproduced. {ELSE_UNDECIDED}",
        judge=_access,
        command=_COMMAND,
    ),
    Claim(
        key="2.2-1",
        where="2.2",
        text="After decomposition one can focus on a single connected component.",
        paper="focus on",
        rule=f"By 400 domains at a mean degree of {TALKS_TO:g}: reproduced if the largest component has less than "
        "half of them where anyone talks to anyone and within clusters of ten; depends on who talks to whom if in "
        f"one of the two; otherwise not reproduced. {ELSE_UNDECIDED}",
        judge=_apart,
        command=_COMMAND,
    ),
    Claim(
        key="2.2-2",
        where="2.2, not in the paper",
        text="Where anyone talks to anyone, the largest component is the giant component of a random graph.",
        paper=DASH,
        rule="The points are the mean degrees c except 0.75 to 1.25: its share of 400 domains is within "
        f"{NEAR_THE_LAW:g} of S = 1 - exp(-cS). {BY_SHARE}",
        judge=_law,
        command=_COMMAND,
    ),
    Claim(
        key="4-1",
        where="4, assumption 2",
        text="The bottleneck will eventually stabilize.",
        paper="assumed",
        rule="By the link that drops most of a connection's packets in each of six parts of 50 s: reproduced if it "
        f"is always the same for at least {NEARLY_ALL:g} % of the connections in each network; partly if for more "
        f"than {MOST:g} %; otherwise not reproduced. {ELSE_UNDECIDED}",
        judge=_stays,
        command=_COMMAND,
    ),
    Claim(
        key="4-2",
        where="4, assumption 2",
        text="Different connections that share an access link congest at the same place.",
        paper="assumed",
        rule="By the link that drops most of a connection's packets, in eight networks of all types of access "
        f"links: reproduced if at least {NEARLY_ALL:g} % congest where most of those do that cross the same access "
        f"link; partly if more than {MOST:g} %; otherwise not reproduced. {ELSE_UNDECIDED}",
        judge=_same,
        command=_COMMAND,
    ),
)
"""Of sections 2 and 4."""
