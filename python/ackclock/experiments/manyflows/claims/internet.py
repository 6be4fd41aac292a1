"""What the abstraction of the wide-area Internet takes for granted, judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ackclock.experiments.claims import Claim, Judgement, by_share, graded
from ackclock.experiments.manyflows.internet import (
    ANYONE,
    BACKBONES,
    CLUSTERS,
    DEGREES,
    DRAWN,
    EXTRA,
    giant_component,
)
from ackclock.experiments.reading import DASH, along, at, clearly, percent, run_command, shown, span
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from ackclock.experiments.manyflows.internet import Internet

__all__ = ["INTERNET", "HasInternet"]

FULL = 100
"""The rate of a backbone, in per cent, that carries all that the access links can."""
FEW_DROPS = 1.0
"""Per cent of the drops that do not count."""
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
    free = {rate for rate in BACKBONES if drops[rate].mean < FEW_DROPS}
    quiet = {rate for rate in free if clearly(without, goodput[rate]) is not True}
    least = next((rate for rate in BACKBONES if all(other in quiet for other in BACKBONES if other >= rate)), None)
    return Judgement(
        verdict=graded(whole=least is not None and least <= FULL, part=least is not None),
        ours=f"drops at a backbone of {FULL} %: {shown(drops[FULL], 1, ' %')}, of 80 %: {shown(drops[80], 1, ' %')}; "
        f"goodput {shown(goodput[FULL], 1)} and {shown(goodput[80], 1)}, without a backbone {shown(without, 1, ' %')}",
        ns2=DASH,
        why="At no rate is the backbone free of drops."
        if least is None
        else f"From {least} % of the access links' rates on hardly anything is lost at the backbone and nobody gets "
        "less: with what they lose and leave idle, the access links let no more through.",
    )


def _apart(evidence: HasInternet) -> Judgement:
    largest = {who: at(evidence.internet.parts, who, round(100 * TALKS_TO), "largest") for who in (ANYONE, CLUSTERS)}
    holds = [interval.mean < 0.5 for interval in largest.values()]
    return Judgement(
        verdict=Verdict.REPRODUCED if all(holds) else Verdict.DEPENDS if any(holds) else Verdict.NOT,
        setting="who talks to whom" if any(holds) and not all(holds) else "",
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
        verdict=by_share([abs(by) <= NEAR_THE_LAW for by in off.values()]),
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
    places = [interval.mean for interval in (*drawn.values(), *crowd.values())]
    return Judgement(
        verdict=graded(whole=min(places) >= NEARLY_ALL, part=min(places) > MOST),
        ours=f"{span(drawn, 0, ' %')} in the drawn networks; {span(crowd, 0, ' %')} where others come to a T1 domain",
        ns2=DASH,
        why=f"At the worst place {min(places):.0f} % of the connections keep their bottleneck, at the best "
        f"{max(places):.0f} %: it moves where both access links are about as full.",
    )


def _same(evidence: HasInternet) -> Judgement:
    drawn = along(evidence.internet.drawn, "drawn", range(1, DRAWN + 1), percent("together"))
    places = [interval.mean for interval in drawn.values()]
    return Judgement(
        verdict=graded(whole=min(places) >= NEARLY_ALL, part=min(places) > MOST),
        ours=f"{span(drawn, 0, ' %')} of the connections",
        ns2=DASH,
        why=f"{min(places):.0f} to {max(places):.0f} % congest where most of those do that share an access link: of "
        "the connections of a T1 domain, those to an ISDN domain congest there and those to a T3 domain at home.",
    )


INTERNET: tuple[Claim[HasInternet], ...] = (
    Claim(
        key="2.1-1",
        where="2.1, assumption 1",
        text="Access links are the bottleneck of wide-area connections.",
        paper="reasonably assumed",
        rule="By eight T1 domains: reproduced if a backbone as fast as all access links together, or faster, has "
        f"less than {FEW_DROPS:g} % of the drops and costs no goodput, partly if only a faster one, else not.",
        judge=_access,
        command=_COMMAND,
    ),
    Claim(
        key="2.2-1",
        where="2.2",
        text="After decomposition one can focus on a single connected component.",
        paper="focus on",
        rule=f"By 400 domains at a mean degree of {TALKS_TO:g}: reproduced if the largest component has less than "
        "half of them where anyone talks to anyone and within clusters of ten, depends on who talks to whom if in "
        "one of the two, else not.",
        judge=_apart,
        command=_COMMAND,
    ),
    Claim(
        key="2.2-2",
        where="2.2, not in the paper",
        text="Where anyone talks to anyone, the largest component is the giant component of a random graph.",
        paper=DASH,
        rule=f"Reproduced if its share of 400 domains is within {NEAR_THE_LAW:g} of S = 1 - exp(-cS) at all mean "
        "degrees c but 0.75 to 1.25, partly if at most, else not.",
        judge=_law,
        command=_COMMAND,
    ),
    Claim(
        key="4-1",
        where="4, assumption 2",
        text="The bottleneck will eventually stabilize.",
        paper="assumed",
        rule="By the link that drops most of a connection's packets in each of six parts of 50 s: reproduced if it "
        f"is always the same for at least {NEARLY_ALL:g} % of the connections in each network, partly if for more "
        f"than {MOST:g} %, else not.",
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
        f"link, partly if more than {MOST:g} %, else not.",
        judge=_same,
        command=_COMMAND,
    ),
)
"""Of sections 2 and 4."""
