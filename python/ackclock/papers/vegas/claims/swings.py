"""How queue and windows swing where both kinds share the gateway, and who loses packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.claims import BY_SHARE, Claim, Judgement, by_share
from ackclock.papers.reading import shown, told
from ackclock.papers.truth import NO, YES, Truth, above, at_least, count, counted
from ackclock.papers.vegas.claims.reading import along, command
from ackclock.papers.vegas.evidence import halves
from ackclock.papers.vegas.experiment import BUFFERS, CLIENTS, OPEN, SHARES, Place
from ackclock.papers.vegas.measures import interval

if TYPE_CHECKING:
    from ackclock.papers.vegas.evidence import Evidence
    from ackclock.papers.vegas.measures import Runs

__all__ = ["SWINGS"]

SOME = 5e-5
"""A loss that counts: 0.005 %."""

SMALLEST = 1.02
"""The smallest ratio of two values that counts as a difference: 2 %."""

_MORE = f"by more than {100 * SMALLEST - 100:.0f} %"


def _calmer_queue(evidence: Evidence) -> Judgement:
    def pairs(runs: Runs) -> dict[int, tuple[float, ...]]:
        return {
            buffer: tuple(
                interval(runs, Place(application=OPEN, vegas=vegas, buffer=buffer), "queue_sd").mean for vegas in SHARES
            )
            for buffer in BUFFERS
        }

    holds: list[Truth] = []
    for buffer in BUFFERS:
        few, many = (
            interval(evidence.ours, Place(application=OPEN, vegas=vegas, buffer=buffer), "queue_sd")
            for vegas in (SHARES[0], SHARES[-1])
        )
        holds.append(above(few, many, times=SMALLEST))
    return Judgement(
        verdict=by_share(holds),
        why="With greedy sources and an open window behind FIFO, the standard deviation of the queue is clearly "
        f"smaller with {100 * SHARES[-1] // CLIENTS} % Vegas than with {100 * SHARES[0] // CLIENTS} % at "
        f"{counted(holds, 'buffers')}.",
        **told(
            evidence,
            lambda runs: (
                "standard deviation of the queue in packets with 5, 25, 50, 75 and 95 % Vegas, by the buffer: "
                + "; ".join(
                    f"{buffer:,}: " + ", ".join(f"{sd:.1f}" for sd in sds) for buffer, sds in pairs(runs).items()
                )
            ),
        ),
    )


def _steadier_windows(evidence: Evidence) -> Judgement:
    where = [place for place in halves() if place.application == OPEN]
    reno, vegas = (along(evidence.ours, where, f"{kind}_window_cov") for kind in ("reno", "vegas"))
    holds = [above(reno[place], vegas[place], times=SMALLEST) for place in where]
    shown_at = [place for place in where if place.start == 10 and place.gateway == "FIFO"]
    return Judgement(
        verdict=by_share(holds),
        why="With greedy sources and an open window, 30 against 30, the window of a Vegas client clearly varies less "
        f"at {counted(holds, 'points')}.",
        **told(
            evidence,
            lambda runs: (
                "c.o.v. of the window over time, Reno and Vegas, by the buffer after 10 s behind FIFO: "
                + ", ".join(
                    f"{place.buffer:,}: "
                    + " and ".join(shown(interval(runs, place, f"{kind}_window_cov"), 2) for kind in ("reno", "vegas"))
                    for place in shown_at
                )
            ),
        ),
    )


def _loses_less(evidence: Evidence) -> Judgement:
    reno, vegas = (along(evidence.ours, halves(), f"{kind}_loss") for kind in ("reno", "vegas"))
    timeouts = [along(evidence.ours, halves(), f"{kind}_timeouts") for kind in ("reno", "vegas")]
    lossy = {place: lost for place, loss in reno.items() if (lost := at_least(loss, SOME)) is not NO}
    holds = [above(reno[place], vegas[place], times=SMALLEST) if lost is YES else lost for place, lost in lossy.items()]
    fewer = [above(timeouts[0][place], timeouts[1][place], times=SMALLEST) for place in lossy]
    by_gateway = {
        gateway: [hold for place, hold in zip(lossy, holds, strict=True) if place.gateway == gateway]
        for gateway in ("FIFO", "RED")
    }
    return Judgement(
        verdict=by_share(holds),
        ours="points where Vegas clearly loses a smaller share: "
        + ", ".join(f"{gateway} {count(there)} of {len(there)}" for gateway, there in by_gateway.items()),
        ns2="–",  # noqa: RUF001 - for what was not measured
        why="With 30 Vegas and 30 Reno clients, where packets are lost, Vegas' loss is clearly lower at "
        f"{counted(holds, 'points')}, and its timeouts are clearly fewer at {counted(fewer, 'points')}.",
    )


SWINGS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="O-1",
        where="Feng and Tinnakornsrisuphap, 3.2.3",
        text="The more clients run Vegas, the less the queue varies.",
        paper="smoother",
        rule="The points are the buffers, behind FIFO, with greedy sources, an open window and a start at 10 s: the "
        f"standard deviation of the queue, sampled every 0.1 s, is larger {_MORE} with 5 % Vegas than with 95 %. "
        f"{BY_SHARE}",
        judge=_calmer_queue,
        command=command(Place(application=OPEN, vegas=57, buffer=500)),
    ),
    Claim(
        key="O-2",
        where="Mo, La, Anantharam and Walrand",
        text="Also in competition with Reno the window of a Vegas client varies less than a Reno client's.",
        paper="said without a number",
        rule="The points are every buffer, start and gateway, with greedy sources and an open window: the coefficient "
        f"of variation over time of the windows, sampled every second, is larger {_MORE} for Reno. {BY_SHARE}",
        judge=_steadier_windows,
        command=command(Place(application=OPEN, buffer=500)),
    ),
    Claim(
        key="O-3",
        where="Feng and Tinnakornsrisuphap, 3.2.1, 3.2.2",
        text="Vegas loses a smaller share of its packets than the Reno clients that it competes with.",
        paper="lower",
        rule="The points are those with 30 Vegas and 30 Reno clients at which Reno loses 0.005 % or more: Reno's loss "
        f"is larger {_MORE}. Points at which Reno may lose less stay open. {BY_SHARE}",
        judge=_loses_less,
        command=command(Place(buffer=150)),
    ),
)
"""What swings, and what is lost."""
