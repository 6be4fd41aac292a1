"""What the papers say of Vegas beside Reno, and what Mo et al. do, asked of the map."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ackclock.papers.claims import BY_SHARE, Claim, Judgement, by_share
from ackclock.papers.reading import told
from ackclock.papers.truth import NO, Truth, above, count, counted, every, some
from ackclock.papers.vegas.claims.reading import along, at_each, by_gateway, command, outcomes, tally, told_along
from ackclock.papers.vegas.evidence import PLANES, halves, line, papers, plane
from ackclock.papers.vegas.experiment import (
    APPLICATIONS,
    BUFFERS,
    GATEWAYS,
    OPEN,
    STARTS,
    TRANSFERS,
    Place,
)
from ackclock.papers.vegas.measures import EFFECT, HELD

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.papers.vegas.evidence import Evidence

    Judge = Callable[[Evidence], Judgement]

__all__ = ["MO", "PAPERS"]

SMALL, LARGE = (10, 50), (500, 1500, 3000)
"""Buffers well below one bandwidth-delay product of the 60 clients (417 packets), and above it."""

_RULE = (
    "Vegas holds its own at a point if the ratio, the goodput of a Vegas client over a Reno client's, is clearly "
    f"{HELD} or more, and loses if it is clearly less."
)
_PAIR = Place(application=OPEN, pair=True)


def _at_papers_places(buffer: int) -> Judge:
    """Judge "Vegas does as well as Reno" at the ends of the papers' curves; again with a late start."""
    early, late = papers(buffer), papers(buffer, start=10)
    named = {f"{place.gateway} {place.vegas} of 60, start {place.start} s": place for place in (*early, *late)}

    def judge(evidence: Evidence) -> Judgement:
        first, second = outcomes(evidence.ours, early), outcomes(evidence.ours, late)
        return Judgement(
            verdict=by_share(list(first.values())),
            why=f"With a start at 1 s, {tally(first)}; with a start at 10 s, {tally(second)}.",
            **told(evidence, at_each("goodput of a Vegas client over a Reno client's", named)),
        )

    return judge


def _everywhere(evidence: Evidence) -> Judgement:
    where = [place for application in APPLICATIONS for one in PLANES for place in plane(application, *one)]
    found = outcomes(evidence.ours, where)
    parts = {
        words: [one for place, one in found.items() if place.buffer in buffers]
        for words, buffers in (("10 or 50", SMALL), ("150", (150,)), ("500 or more", LARGE))
    }
    by_application = {
        application: [one for place, one in found.items() if place.application == application]
        for application in APPLICATIONS
    }
    return Judgement(
        verdict=by_share(list(found.values())),
        ours=f"it holds its own at {counted(found.values(), 'points')}; by the application "
        + ", ".join(f"{name} {count(holds)} of {len(holds)}" for name, holds in by_application.items()),
        ns2="–",  # noqa: RUF001 - for what was not measured
        why=f"On the whole map, {tally(found)}; with a buffer of "
        + ", ".join(
            f"{words} packets it holds its own at {count(holds)} of {len(holds)}" for words, holds in parts.items()
        )
        + ".",
    )


def _small_buffers(evidence: Evidence) -> Judgement:
    where = [place for place in halves() if place.buffer in SMALL]
    steady = [place for place in where if place.application != TRANSFERS]
    others = [place for place in where if place.application == TRANSFERS]
    found, rest = outcomes(evidence.ours, steady), outcomes(evidence.ours, others)
    return Judgement(
        verdict=by_share([*found.values(), *rest.values()]),
        why=f"With Poisson, greedy and replayed sources, half of them Vegas, {tally(found)}; with transfers, "
        f"{tally(rest)}.",
        **told(
            evidence,
            told_along(
                "ratio after 10 s behind FIFO",
                {
                    application: [Place(application=application, buffer=buffer) for buffer in SMALL]
                    for application in APPLICATIONS
                },
            ),
        ),
    )


def _pair_takes_it(evidence: Evidence) -> Judgement:
    lines = {f"start {start} s": line(replace(_PAIR, start=start)) for start in STARTS}
    falls: list[Truth] = []
    loses: list[Truth] = []
    for where in lines.values():
        found = list(along(evidence.ours, where).values())
        grows = some(above(later, earlier, by=EFFECT) for earlier, later in pairwise(found))
        falls.append(above(found[0], found[-1], by=EFFECT) & ~grows)
        loses += [~holds for holds in outcomes(evidence.ours, where[1:]).values()]
    return Judgement(
        verdict=by_share([*falls, every(loses)]),
        why=f"With one client of each kind, Vegas' share falls from the smallest buffer to the largest and grows "
        f"nowhere between them at {counted(falls, 'starts')}; with a buffer of 50 packets or more Vegas loses at "
        f"{counted(loses, 'points')}.",
        **told(evidence, told_along("Vegas' goodput over Reno's", lines)),
    )


def _pair_with_little(evidence: Evidence) -> Judgement:
    where = {
        f"{gateway}, start {start} s": replace(_PAIR, start=start, gateway=gateway, buffer=BUFFERS[0])
        for gateway in GATEWAYS
        for start in STARTS
    }
    found = outcomes(evidence.ours, where.values())
    return Judgement(
        verdict=by_share(list(found.values())),
        why=f"One against one with a buffer of {BUFFERS[0]} packets, {tally(found)}.",
        **told(evidence, at_each("Vegas' goodput over Reno's", where)),
    )


def _buffer_is_renos(evidence: Evidence) -> Judgement:
    lines = {
        "one against one": line(_PAIR)[2:],
        "30 against 30, greedy with an open window": line(Place(application=OPEN))[2:],
    }
    holds: list[Truth] = []
    words = []
    for name, where in lines.items():
        reno, vegas = (along(evidence.ours, where, f"{kind}_held") for kind in ("reno", "vegas"))
        holds += [above(reno[place], vegas[place]) for place in reno]
        words.append(
            f"{name} "
            + ", ".join(f"{place.buffer:,}: {reno[place].mean:.0f} and {vegas[place].mean:.1f}" for place in reno)
        )
    return Judgement(
        verdict=by_share(holds),
        ours="packets waiting of one Reno and of one Vegas client by the buffer: " + "; ".join(words),
        ns2="–",  # noqa: RUF001 - for what was not measured
        why=f"From 150 packets on a Reno client clearly keeps more of the buffer than a Vegas client at "
        f"{counted(holds, 'points')}.",
    )


def _share_falls(evidence: Evidence) -> Judgement:
    lines = {
        (application, gateway, start): line(Place(application=application, gateway=gateway, start=start))
        for application in APPLICATIONS
        for gateway in GATEWAYS
        for start in STARTS
    }
    holds = {}
    for which, where in lines.items():
        found = along(evidence.ours, [place for place in where if place.buffer in (50, 3000)])
        holds[which] = above(*found.values(), by=EFFECT)
    after = {application: line(Place(application=application)) for application in APPLICATIONS}
    return Judgement(
        verdict=by_share(list(holds.values())),
        why="With 30 Vegas and 30 Reno clients, the ratio is clearly smaller with a buffer of 3,000 packets than of "
        f"50 on {counted(holds.values(), 'lines')}: every application, start and gateway.",
        **told(evidence, told_along("ratio after 10 s behind FIFO", after)),
    )


def _red_helps(evidence: Evidence) -> Judgement:
    pairs = [
        (
            Place(application=OPEN, start=start, buffer=buffer),
            Place(application=OPEN, start=start, buffer=buffer, gateway="RED"),
        )
        for start in STARTS
        for buffer in BUFFERS[2:]
    ]
    fifo, red = (along(evidence.ours, [pair[side] for pair in pairs]) for side in (0, 1))
    answers = [above(red[better], fifo[worse], by=EFFECT) for worse, better in pairs]
    held = outcomes(evidence.ours, [better for _, better in pairs])
    return Judgement(
        verdict=by_share(answers),
        why="With greedy sources, an open window and 30 clients of each kind, the ratio is clearly higher behind RED "
        f"than behind FIFO at {counted(answers, 'points')} from 150 packets on, and clearly not at "
        f"{count(answers, NO)}; behind RED, {tally(held)}.",
        **told(evidence, told_along("ratio after 10 s", by_gateway(Place(application=OPEN)))),
    )


PAPERS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="F-1",
        where="Feng and Tinnakornsrisuphap, 3.2.1, 3.2.2",
        text="In the papers' own setting with a buffer of 50 packets, a Vegas client does as well as the Reno clients "
        "that it competes with.",
        paper="as well, if not better",
        rule=f"{_RULE} The four points are 20 Vegas clients that join 40 Reno clients at 1 s and 40 that join 20, "
        f"behind FIFO and RED. {BY_SHARE}",
        judge=_at_papers_places(50),
        command=command(papers(50)[0]),
    ),
    Claim(
        key="F-2",
        where="Feng and Tinnakornsrisuphap, 3.2.1, 3.2.2",
        text="In the papers' own setting with a buffer of 1500 packets, it does as well too.",
        paper="nearly identical",
        rule="As F-1. The papers compare added Vegas clients with Reno clients added in their place; here they are "
        "compared with the Reno clients that they join.",
        judge=_at_papers_places(1500),
        command=command(papers(1500)[0]),
    ),
    Claim(
        key="F-3",
        where="Feng and Tinnakornsrisuphap, abstract, 5",
        text="In competition with Reno, Vegas does as well as Reno, whatever the buffer, the share, the start and the "
        "application.",
        paper="as well, if not better",
        rule=f"{_RULE} The points are those of the three planes of the map. {BY_SHARE}",
        judge=_everywhere,
        command=command(Place()),
    ),
    Claim(
        key="F-4",
        where="both papers",
        text="With a small buffer Vegas holds its own, whatever the application.",
        paper="favored",
        rule=f"{_RULE} The points are 30 Vegas clients with a buffer of 10 and of 50 packets, every application and "
        f"start, behind both gateways. {BY_SHARE}",
        judge=_small_buffers,
        command=command(Place(application=OPEN)),
    ),
)
"""Of those who find that Vegas holds its own."""

MO: tuple[Claim[Evidence], ...] = (
    Claim(
        key="M-1",
        where="Mo, La, Anantharam and Walrand",
        text="One Vegas connection with a greedy source loses to one Reno connection, and the more so the larger the "
        "buffer.",
        paper="said without a number",
        rule=f"{_RULE} The points are the starts and, as one more, that Vegas loses everywhere from 50 packets on. At "
        "a start the claim holds if the ratio is smaller with the largest buffer than with the smallest by more than "
        f"{EFFECT}, and larger by more than {EFFECT} with no buffer than with the next smaller one. {BY_SHARE}",
        judge=_pair_takes_it,
        command=command(replace(_PAIR, buffer=500)),
    ),
    Claim(
        key="M-2",
        where="Mo, La, Anantharam and Walrand",
        text="One against one, Vegas does as well as Reno or better where the buffer is very small.",
        paper="said without a number",
        rule=f"{_RULE} The points are every start and both gateways, with a buffer of {BUFFERS[0]} packets. {BY_SHARE}",
        judge=_pair_with_little,
        command=command(replace(_PAIR, buffer=10)),
    ),
    Claim(
        key="M-3",
        where="Mo, La, Anantharam and Walrand",
        text="Reno takes the buffer: it keeps what there is, while Vegas keeps a few packets.",
        paper="said without a number",
        rule="The points are the buffers from 150 packets on, one against one and 30 against 30: a Reno client has "
        f"more packets waiting than a Vegas client. {BY_SHARE}",
        judge=_buffer_is_renos,
        command=command(Place(application=OPEN, buffer=1500)),
    ),
    Claim(
        key="M-4",
        where="Mo, La, Anantharam and Walrand; on the papers' network",
        text="Also among 60 clients Vegas' share falls as the buffer grows.",
        paper="said without a number",
        rule="The points are every application, start and gateway, with 30 clients of each kind: the ratio is smaller "
        f"with a buffer of 3,000 packets than with 50 by more than {EFFECT}. {BY_SHARE}",
        judge=_share_falls,
        command=command(Place(buffer=3000)),
    ),
    Claim(
        key="M-5",
        where="Mo, La, Anantharam and Walrand",
        text="RED makes the two more compatible: it leaves Vegas more than a FIFO buffer of the same size.",
        paper="said without a number",
        rule="The points are every start and the buffers from 150 packets on, with greedy sources and an open window: "
        f"the ratio is higher behind RED by more than {EFFECT}. RED's thresholds are a fifth and four fifths of the "
        f"buffer. {BY_SHARE}",
        judge=_red_helps,
        command=command(Place(application=OPEN, buffer=3000, gateway="RED")),
    ),
)
"""Of those who find that Reno takes the buffer."""
