"""Causes: claims on how one factor changes what Vegas gets, tested at points that differ in that factor alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim
from ackclock.papers.vegas.claims import sources, starts
from ackclock.papers.vegas.claims.reading import command
from ackclock.papers.vegas.evidence import IDLE, LIGHT, papers
from ackclock.papers.vegas.experiment import GREEDY, OPEN, TRANSFERS, Place
from ackclock.papers.vegas.measures import ALIKE, EFFECT

if TYPE_CHECKING:
    from ackclock.papers.vegas.evidence import Evidence

__all__ = ["CAUSES"]

_OURS = "asked here"

CAUSES: tuple[Claim[Evidence], ...] = (
    Claim(
        key="W-1",
        where=_OURS,
        text="A base round-trip time taken with a full queue helps Vegas compete with Reno: it mistakes the queue for "
        "propagation delay.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="The points are six with a buffer of 500 packets or more, at which one start finds a short queue and "
        f"another a long one: with the long one the ratio is higher by more than {EFFECT}, and the smallest smoothed "
        f"round-trip time by more than {1e3 * starts.LONGER:g} ms. {BY_SHARE}",
        judge=starts.full_queue,
        command=command(Place(application=OPEN, buffer=1500, start=60)),
    ),
    Claim(
        key="W-2",
        where="Feng and Tinnakornsrisuphap, 3.2.2; the start is ours",
        text="That is why Vegas holds its own in the papers with a large buffer: its clients start into the queue that "
        "Reno's slow start leaves.",
        paper="right after",
        rule="Of 20 Vegas clients that join 40 Reno clients behind FIFO of 1500 packets: partly reproduced if the "
        f"ratio is higher with a start at 1 s than at 10 s by more than {EFFECT}, reproduced if they hold their own as "
        f"well; otherwise not. {ELSE_UNDECIDED}",
        judge=starts.papers_start,
        command=command(papers(1500)[0]),
    ),
    Claim(
        key="W-3",
        where=_OURS,
        text="What the papers see is the start-up: measured later, Vegas' share is different.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="The points are the ends of the papers' curves: measured from 0 s and from 90 s on, the ratios differ by "
        f"more than {ALIKE}. {BY_SHARE}",
        judge=starts.startup,
        command=command(replace(papers(1500)[0], whole=True)),
    ),
    Claim(
        key="W-4",
        where="Feng and Tinnakornsrisuphap, 3.2.1",
        text="While sources leave the link unsaturated, Vegas holds its own with any buffer.",
        paper="nearly identical",
        rule="The points are the buffers, with 30 clients of each kind and the lighter load: Vegas holds its own. "
        f"{BY_SHARE}",
        judge=sources.unsaturated,
        command=command(Place(load=LIGHT, buffer=1500)),
    ),
    Claim(
        key="W-5",
        where=_OURS,
        text="In competition with Poisson sources and behind a large buffer, Vegas gets exactly what Reno's "
        "applications leave.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="The points are 30, 45 and 57 Vegas clients of 60, together and after 10 s, with a buffer of 1500 "
        f"packets: the ratio is within {100 * sources.NEAR:.0f} % of (4167 - 100 N_R) / (100 N_V). N_R and N_V count "
        f"the clients. {BY_SHARE}",
        judge=sources.leftovers,
        command=command(Place(buffer=1500, vegas=45)),
    ),
    Claim(
        key="W-6",
        where="both papers",
        text="Greedy sources and an open window favour Reno: with them Vegas gets less than with the papers' sources.",
        paper="benefit Reno",
        rule="The points are 30 against 30 with buffers of 1500 and 3000 packets, together and after 10 s: the ratio "
        f"is higher with Poisson sources by more than {EFFECT}. {BY_SHARE}",
        judge=sources.greed,
        command=command(Place(application=OPEN, buffer=3000)),
    ),
    Claim(
        key="W-7",
        where=_OURS,
        text="The papers' advertised window of 20 packets protects Vegas: Reno cannot fill a large buffer with it.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="As W-6, greedy sources on both sides, with a window of 20 and with one of 4,000 packets.",
        judge=sources.window,
        command=command(Place(application=GREEDY, buffer=3000)),
    ),
    Claim(
        key="W-8",
        where=_OURS,
        text="Exact ties between packets decide what Vegas gets in competition with Reno.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="The points are the ends of the papers' curves: with and without processing time before each sending, the "
        f"ratios differ by more than {EFFECT}. {BY_SHARE}",
        judge=starts.ties,
        command=command(replace(papers(50)[0], ties=True)),
    ),
    Claim(
        key="W-9",
        where=_OURS,
        text="ns-2's rule for the base round-trip time costs Vegas goodput where buffers are small, and nowhere else.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="The points are 30 against 30, Poisson sources, and greedy ones with an open window, together and after "
        f"10 s: with the least sample as the base the ratio is higher by more than {EFFECT} with a buffer of 10 or 50 "
        f"packets, and is not with 500 or more. {BY_SHARE}",
        judge=starts.defect,
        command=command(Place(application=OPEN, base_rtt="minimum")),
    ),
    Claim(
        key="W-10",
        where=_OURS,
        text="With transfers Vegas gets less even behind a small buffer, because it opens its window more slowly.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="Reproduced if a transfer takes Vegas longer on a link that is hardly used, and if the ratio behind 50 "
        f"packets is lower with transfers than with greedy sources by more than {EFFECT}; partly if one of the two; "
        f"otherwise not. {ELSE_UNDECIDED}",
        judge=sources.slow_start,
        command=command(Place(application=TRANSFERS, load=IDLE)),
    ),
)
"""Each is a sentence that runs with one thing switched may refute."""
