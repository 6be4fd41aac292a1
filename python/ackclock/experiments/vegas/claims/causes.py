"""Why: sentences on what one thing does to Vegas' part, which places that differ in that one thing may refute."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ackclock.experiments.claims import Claim
from ackclock.experiments.vegas.claims import sources, starts
from ackclock.experiments.vegas.claims.reading import command
from ackclock.experiments.vegas.evidence import IDLE, LIGHT, papers
from ackclock.experiments.vegas.experiment import GREEDY, OPEN, TRANSFERS, Place

if TYPE_CHECKING:
    from ackclock.experiments.vegas.evidence import Evidence

__all__ = ["CAUSES"]

_OURS = "asked here"

CAUSES: tuple[Claim[Evidence], ...] = (
    Claim(
        key="W-1",
        where=_OURS,
        text="A base round-trip time taken with a full queue helps Vegas beside Reno: it takes the queue for distance.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="At six places with room for 500 packets or more, of which one start finds a short queue and the other a "
        "long one: reproduced if Vegas' ratio and the least smoothed round trip that it ever had are clearly higher "
        "with the long one at all, partly if at most; else not.",
        judge=starts.full_queue,
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
        judge=starts.papers_start,
        command=command(papers(1500)[0]),
    ),
    Claim(
        key="W-3",
        where=_OURS,
        text="What the papers see is the start-up: measured later, Vegas' part is another.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="At the ends of the papers' curves, measured from 0 s and from 90 s on: reproduced if the ratio differs "
        f"by more than {starts.ALIKE} at all, partly if at most; else not.",
        judge=starts.startup,
        command=command(replace(papers(1500)[0], whole=True)),
    ),
    Claim(
        key="W-4",
        where="Feng and Tinnakornsrisuphap, 3.2.1",
        text="While sources leave the link unsaturated, Vegas holds its own with any buffer.",
        paper="nearly identical",
        rule="Of 30 Vegas clients beside 30 of Reno: reproduced if Vegas holds its own at every buffer with the "
        "lighter load, partly if at most; else not.",
        judge=sources.unsaturated,
        command=command(Place(load=LIGHT, buffer=1500)),
    ),
    Claim(
        key="W-5",
        where=_OURS,
        text="Beside Poisson sources and behind a large buffer Vegas gets exactly what Reno's applications leave.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="From half Vegas on, with room for 1500 packets: reproduced if the ratio is within "
        f"{100 * sources.NEAR:.0f} % of (4167 - 100 N_R) / (100 N_V) everywhere, partly at most places; else not. N_R "
        "and N_V count the clients.",
        judge=sources.leftovers,
        command=command(Place(buffer=1500, vegas=45)),
    ),
    Claim(
        key="W-6",
        where="both papers",
        text="Endless data and an open window are Reno's: with them Vegas gets less than with the papers' sources.",
        paper="benefit Reno",
        rule="30 against 30, with room for 1500 and 3000 packets, together and after 10 s: reproduced if the ratio is "
        "clearly higher with Poisson sources at all, partly if at most; else not.",
        judge=sources.greed,
        command=command(Place(application=OPEN, buffer=3000)),
    ),
    Claim(
        key="W-7",
        where=_OURS,
        text="The papers' advertised window of 20 packets protects Vegas: Reno cannot fill a large buffer with it.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="As W-6, endless data on both sides, with a window of 20 and with one of 4,000 packets.",
        judge=sources.window,
        command=command(Place(application=GREEDY, buffer=3000)),
    ),
    Claim(
        key="W-8",
        where=_OURS,
        text="Exact ties between packets decide what Vegas gets beside Reno.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="At the ends of the papers' curves, with and without processing time before each sending: reproduced if "
        "the ratios clearly differ at all, partly if at most; else not.",
        judge=starts.ties,
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
        judge=starts.defect,
        command=command(Place(application=OPEN, base_rtt="minimum")),
    ),
    Claim(
        key="W-10",
        where=_OURS,
        text="With transfers Vegas gets less already behind a small buffer, for it opens its window more slowly.",
        paper="–",  # noqa: RUF001 - no paper says so
        rule="Reproduced if a transfer clearly takes Vegas longer where transfers hardly meet, and if its part behind "
        "50 packets is clearly smaller with transfers than with endless data; partly if one of them; else not.",
        judge=sources.slow_start,
        command=command(Place(application=TRANSFERS, load=IDLE)),
    ),
)
"""Each is a sentence that runs with one thing switched may refute."""
