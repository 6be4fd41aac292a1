"""Why: places that differ in one thing, and what that one thing does to Vegas' part."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ackclock.experiments.burstiness.experiment import BOTTLENECK_RATE, PACKET_SIZE
from ackclock.experiments.claims import Claim, Judgement, by_share, graded
from ackclock.experiments.reading import clearly, shown, told
from ackclock.experiments.vegas.claims.reading import along, at_each, command, outcomes, tally, told_along
from ackclock.experiments.vegas.evidence import IDLE, LIGHT, PAPERS_BUFFERS, line, papers
from ackclock.experiments.vegas.experiment import (
    CLIENTS,
    GREEDY,
    OPEN,
    POISSON,
    RATE,
    SHARES,
    TRANSFERS,
    Place,
)
from ackclock.experiments.vegas.measures import Outcome, interval

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.experiments.vegas.evidence import Evidence
    from ackclock.experiments.vegas.measures import Runs

    Judge = Callable[[Evidence], Judgement]

__all__ = ["CAUSES", "leftover"]

CAPACITY = BOTTLENECK_RATE / (8 * PACKET_SIZE)
"""Packets a second that the bottleneck carries."""

NEAR = 0.02
"""How near to what Reno's applications leave counts as that."""

ALIKE = 0.1
"""The most by which two ratios differ that count as alike."""

_OURS = "asked here"

_EARLY = [place for buffer in PAPERS_BUFFERS for place in papers(buffer)]


def leftover(vegas: int) -> float:
    """Give what a Vegas client gets over a Reno client where Reno's Poisson sources are sent in full.

    Examples
    --------
    >>> round(leftover(30), 3)
    0.389

    """
    return (CAPACITY - (CLIENTS - vegas) * RATE) / vegas / RATE


def _full_queue(evidence: Evidence) -> Judgement:
    clean, full = (
        {
            "30 join 30, greedy, 500 packets": Place(application=GREEDY, buffer=500, start=start),
            "open window, 500": Place(application=OPEN, buffer=500, start=start),
            "open window, 1,500": Place(application=OPEN, buffer=1500, start=start),
            "open window, 3,000": Place(application=OPEN, buffer=3000, start=start),
        }
        for start in (0, 10)
    )
    clean |= {"20 join 40, Poisson, 1,500": papers(1500, start=10)[0]}
    full |= {"20 join 40, Poisson, 1,500": papers(1500)[0]}
    runs = evidence.ours
    holds = [
        clearly(interval(runs, full[name]), interval(runs, clean[name])) is True
        and clearly(interval(runs, full[name], "vegas_rtt_least"), interval(runs, clean[name], "vegas_rtt_least"))
        is True
        for name in full
    ]
    longest = [
        f"{1e3 * interval(runs, where[name], 'vegas_rtt_least').mean:.0f}" for name in full for where in (clean, full)
    ]
    seen = ", ".join(f"{before} and {after}" for before, after in zip(longest[::2], longest[1::2], strict=True))

    def say(side: Runs) -> str:
        parts = [
            f"{name} {shown(interval(side, clean[name]), 2)} and {shown(interval(side, full[name]), 2)}"
            for name in full
            if clean[name] in side and full[name] in side
        ]
        if not parts:
            raise LookupError("none of these places was run")
        return "ratio where Vegas comes to a queue that is short, and to one that is long: " + "; ".join(parts)

    return Judgement(
        verdict=by_share(holds),
        why=f"At {sum(holds)} of {len(holds)} places Vegas clearly gets more, and has clearly a longer least round "
        f"trip, where it comes to a long queue: {seen} ms. What waits when it comes counts as distance, so it keeps "
        "that much more in the queue.",
        **told(evidence, say),
    )


def _papers_start(evidence: Evidence) -> Judgement:
    early, late = papers(1500)[0], papers(1500, start=10)[0]
    runs = evidence.ours
    met = [interval(runs, place, "queue_met").mean for place in (early, late)]
    more = clearly(interval(runs, early), interval(runs, late)) is True
    lost = outcomes(runs, [early])[early] is Outcome.LOSES
    return Judgement(
        verdict=graded(whole=more and not lost, part=more),
        why=f"20 Vegas clients that join 40 of Reno behind FIFO of 1500 packets meet {met[0]:.0f} packets in the first "
        f"second at 1 s and {met[1]:.0f} at 10 s; the early start "
        + ("clearly gives them more" if more else "gives them no more that is clear")
        + (", and yet they lose." if lost else "."),
        **told(evidence, at_each("ratio", {"start at 1 s": early, "at 10 s": late})),
    )


def _startup(evidence: Evidence) -> Judgement:
    whole = {place: replace(place, whole=True) for place in _EARLY}
    runs = evidence.ours
    apart = {place: abs(interval(runs, other).mean - interval(runs, place).mean) for place, other in whole.items()}
    return Judgement(
        verdict=by_share([gap > ALIKE for gap in apart.values()]),
        why=f"Measured from the start or from 90 s on, Vegas' part differs by {max(apart.values()):.3f} at most at the "
        f"papers' {len(apart)} places: whatever the start does, it does through what lasts.",
        **told(
            evidence,
            at_each(
                "ratio from the start and from 90 s on, FIFO, 20 join 40",
                {
                    f"{place.buffer:,} packets{words}": there
                    for place in _EARLY
                    if place.gateway == "FIFO" and place.vegas == 20
                    for words, there in ((" from 0 s", whole[place]), (" from 90 s", place))
                },
            ),
        ),
    )


def _unsaturated(evidence: Evidence) -> Judgement:
    light, usual = line(Place(load=LIGHT)), line(Place())
    found, others = outcomes(evidence.ours, light), outcomes(evidence.ours, usual)
    return Judgement(
        verdict=by_share([one is Outcome.HOLDS for one in found.values()]),
        why=f"With Poisson sources of {LIGHT * RATE:g} packets a second, which leave a seventh of the link free, "
        f"{tally(found)}; with {RATE}, {tally(others)}.",
        **told(evidence, told_along("ratio", {f"{LIGHT * RATE:g} packets/s": light, f"{RATE} packets/s": usual})),
    )


def _leftovers(evidence: Evidence) -> Judgement:
    where = [
        Place(buffer=1500, vegas=vegas, start=start) for vegas in SHARES if vegas >= CLIENTS // 2 for start in (0, 10)
    ]
    found = along(evidence.ours, where)
    holds = [abs(ratio.mean / leftover(place.vegas) - 1) <= NEAR for place, ratio in found.items()]
    left = ", ".join(f"{leftover(vegas):.3f}" for vegas in SHARES if vegas >= CLIENTS // 2)
    return Judgement(
        verdict=by_share(holds),
        why=f"With room for 1500 packets Reno's applications are sent in full and Vegas gets what they leave, {left} "
        f"of Reno's part with 30, 45 and 57 Vegas clients: within {100 * NEAR:.0f} % at {sum(holds)} of {len(holds)} "
        "places. What stops Reno there is that its sources ask for no more.",
        **told(
            evidence,
            at_each(
                "ratio",
                {f"{place.vegas} of 60, start {place.start} s": place for place in where},
                digits=3,
            ),
        ),
    )


def _greed(evidence: Evidence) -> Judgement:
    pairs = _against(Place(application=POISSON), Place(application=OPEN))
    return _clear(
        evidence,
        pairs,
        "Where clients have endless data and an open window, not Poisson sources of 100 packets a second and one of "
        "20, Vegas' part is clearly smaller",
        ("Poisson, window 20", "greedy, open window"),
    )


def _window(evidence: Evidence) -> Judgement:
    pairs = _against(Place(application=GREEDY), Place(application=OPEN))
    return _clear(
        evidence,
        pairs,
        "With endless data on both sides, an advertised window of 20 packets, beyond which Reno cannot fill the "
        "buffer, leaves Vegas clearly more",
        ("window 20", "open window"),
    )


def _against(one: Place, other: Place) -> list[tuple[Place, Place]]:
    """Pair two kinds of place at 1500 and 3000 packets, together and after 10 s."""
    return [
        (replace(one, buffer=buffer, start=start), replace(other, buffer=buffer, start=start))
        for start in (0, 10)
        for buffer in (1500, 3000)
    ]


def _clear(evidence: Evidence, pairs: Sequence[tuple[Place, Place]], words: str, names: tuple[str, str]) -> Judgement:
    """Judge whether the first of each pair clearly has the higher ratio."""
    holds = [clearly(*(interval(evidence.ours, place) for place in pair)) is True for pair in pairs]
    named = {
        f"{name} {place.buffer:,} packets, start {place.start} s": place
        for pair in pairs
        for name, place in zip(names, pair, strict=True)
    }
    return Judgement(
        verdict=by_share(holds),
        why=f"{words} at {sum(holds)} of {len(holds)} places.",
        **told(evidence, at_each("ratio", named)),
    )


def _ties(evidence: Evidence) -> Judgement:
    tied = {place: replace(place, ties=True) for place in _EARLY}
    runs = evidence.ours
    clear = [clearly(interval(runs, place), interval(runs, other)) is not None for place, other in tied.items()]
    apart = [abs(interval(runs, other).mean - interval(runs, place).mean) for place, other in tied.items()]
    return Judgement(
        verdict=by_share(clear),
        why=f"Without processing time, so that exact ties decide, Vegas' part differs clearly at {sum(clear)} of "
        f"{len(clear)} of the papers' places, by {max(apart):.2f} at most.",
        **told(
            evidence,
            at_each(
                "ratio behind 50 packets with 0 to 12 µs before each sending, and with none",
                {
                    f"{place.gateway}, {place.vegas} of 60{words}": there
                    for place in _EARLY
                    if place.buffer == PAPERS_BUFFERS[0]
                    for words, there in ((" with", place), (" without", tied[place]))
                },
            ),
        ),
    )


def _defect(evidence: Evidence) -> Judgement:
    starts = (0, 10)
    pairs = [
        (replace(place, base_rtt="minimum"), place)
        for application in (POISSON, OPEN)
        for start in starts
        for place in line(Place(application=application, start=start))
    ]
    runs = evidence.ours

    def costs(buffers: tuple[int, ...]) -> list[bool]:
        return [
            clearly(interval(runs, better), interval(runs, place)) is True
            for better, place in pairs
            if place.buffer in buffers
        ]

    small, large = costs((10, 50)), costs((500, 1500, 3000))
    lines: Mapping[str, list[Place]] = {
        "ns-2's rule": line(Place(application=OPEN)),
        "the least sample": [replace(place, base_rtt="minimum") for place in line(Place(application=OPEN))],
    }
    return Judgement(
        verdict=by_share([*small, *(not one for one in large)]),
        why="With the least round trip for Vegas' base in place of ns-2's rule, Vegas clearly gets more at "
        f"{sum(small)} of {len(small)} places with room for 10 or 50 packets and at {sum(large)} of {len(large)} from "
        "500 packets on: the defect costs it where timeouts are many, and is not why it loses.",
        **told(evidence, told_along("ratio, greedy with an open window", lines)),
    )


def _slow_start(evidence: Evidence) -> Judgement:
    idle, busy = Place(application=TRANSFERS, load=IDLE), Place(application=TRANSFERS)
    runs = evidence.ours
    times = [interval(runs, idle, f"{kind}_completion") for kind in ("reno", "vegas")]
    used, ratio = interval(runs, idle, "utilization"), interval(runs, busy)
    greedy = interval(runs, Place(application=OPEN))
    slower = clearly(times[1], times[0]) is True
    below = clearly(greedy, ratio) is True
    return Judgement(
        verdict=graded(whole=slower and below, part=slower or below),
        ours=f"mean time of a transfer that hardly meets others: Reno {shown(times[0], 2)}, Vegas {shown(times[1], 2)} "
        f"s; ratio with 50 packets: transfers {shown(ratio, 2)}, endless data {shown(greedy, 2)}",
        ns2="–",  # noqa: RUF001 - for what was not measured
        why=f"On a link that is {100 * used.mean:.0f} % full a transfer takes Vegas "
        f"{times[1].mean / times[0].mean:.2f} times as long as Reno, for its slow start doubles in every other round "
        f"trip only; with a buffer of 50 packets a Vegas client gets {ratio.mean:.2f} of Reno's part with transfers "
        f"and {greedy.mean:.2f} with endless data.",
    )


CAUSES: tuple[Claim[Evidence], ...] = (
    Claim(
        key="W-1",
        where=_OURS,
        text="A base round-trip time taken with a full queue helps Vegas beside Reno: it takes the queue for distance.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="At five places with room for 500 packets or more, of which one start finds a short queue and the other a "
        "long one: reproduced if Vegas' ratio and the least smoothed round trip that it ever had are clearly higher "
        "with the long one at all, partly if at most; else not.",
        judge=_full_queue,
        command=command(Place(application=OPEN, buffer=1500, start=60)),
    ),
    Claim(
        key="W-2",
        where="Feng and Tinnakornsrisuphap, 3.2.2; the start is ours",
        text="That is why Vegas holds its own in the papers with a large buffer: its clients start into the queue that "
        "Reno's slow start leaves.",
        paper="right after",
        rule="Of 20 Vegas clients that join 40 of Reno behind FIFO of 1500 packets: reproduced if they get clearly "
        "more with a start at 1 s than at 10 s and do not lose; partly if only the former; else not.",
        judge=_papers_start,
        command=command(papers(1500)[0]),
    ),
    Claim(
        key="W-3",
        where=_OURS,
        text="What the papers see is the start-up: measured later, Vegas' part is another.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="At the ends of the papers' curves, measured from 0 s and from 90 s on: reproduced if the ratio differs "
        f"by more than {ALIKE} at all, partly if at most; else not.",
        judge=_startup,
        command=command(replace(papers(1500)[0], whole=True)),
    ),
    Claim(
        key="W-4",
        where="Feng and Tinnakornsrisuphap, 3.2.1",
        text="While sources leave the link unsaturated, Vegas holds its own with any buffer.",
        paper="nearly identical",
        rule="Of 30 Vegas clients beside 30 of Reno: reproduced if Vegas holds its own at every buffer with the "
        "lighter load, partly if at most; else not.",
        judge=_unsaturated,
        command=command(Place(load=LIGHT, buffer=1500)),
    ),
    Claim(
        key="W-5",
        where=_OURS,
        text="Beside Poisson sources and behind a large buffer Vegas gets exactly what Reno's applications leave.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule=f"From half Vegas on, with room for 1500 packets: reproduced if the ratio is within {100 * NEAR:.0f} % of "
        "(4167 - 100 N_R) / (100 N_V) everywhere, partly at most places; else not. N_R and N_V count the clients.",
        judge=_leftovers,
        command=command(Place(buffer=1500, vegas=45)),
    ),
    Claim(
        key="W-6",
        where="both papers",
        text="Endless data and an open window are Reno's: with them Vegas gets less than with the papers' sources.",
        paper="benefit Reno",
        rule="30 against 30, with room for 1500 and 3000 packets, together and after 10 s: reproduced if the ratio is "
        "clearly higher with Poisson sources at all, partly if at most; else not.",
        judge=_greed,
        command=command(Place(application=OPEN, buffer=3000)),
    ),
    Claim(
        key="W-7",
        where=_OURS,
        text="The papers' advertised window of 20 packets protects Vegas: Reno cannot fill a large buffer with it.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="As W-6, endless data on both sides, with a window of 20 and with one of 4,000 packets.",
        judge=_window,
        command=command(Place(application=GREEDY, buffer=3000)),
    ),
    Claim(
        key="W-8",
        where=_OURS,
        text="Exact ties between packets decide what Vegas gets beside Reno.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="At the ends of the papers' curves, with and without processing time before each sending: reproduced if "
        "the ratios clearly differ at all, partly if at most; else not.",
        judge=_ties,
        command=command(replace(papers(50)[0], ties=True)),
    ),
    Claim(
        key="W-9",
        where=_OURS,
        text="ns-2's rule for the base round-trip time costs Vegas its part where buffers are small, and nowhere else.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="Poisson sources, and endless data with an open window, together and after 10 s, 30 against 30: "
        "reproduced if the least sample as base clearly gives Vegas more at every place with 10 and 50 packets and at "
        "none from 500 on; partly if most of that; else not.",
        judge=_defect,
        command=command(Place(application=OPEN, base_rtt="minimum")),
    ),
    Claim(
        key="W-10",
        where=_OURS,
        text="With transfers Vegas loses already behind a small buffer, for its slow start is slower.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="Reproduced if a transfer clearly takes Vegas longer where transfers hardly meet, and if its part behind "
        "50 packets is clearly smaller with transfers than with endless data; partly if one of them; else not.",
        judge=_slow_start,
        command=command(Place(application=TRANSFERS, load=IDLE)),
    ),
)
"""Each is a sentence that runs with one thing switched may refute."""
