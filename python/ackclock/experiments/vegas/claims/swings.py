"""How queue and windows swing where both kinds share the gateway, and who loses packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.experiments.claims import Claim, Judgement, by_share
from ackclock.experiments.reading import clearly, shown, told
from ackclock.experiments.vegas.claims.reading import along, command
from ackclock.experiments.vegas.evidence import halves
from ackclock.experiments.vegas.experiment import BUFFERS, CLIENTS, OPEN, SHARES, Place
from ackclock.experiments.vegas.measures import interval

if TYPE_CHECKING:
    from ackclock.experiments.vegas.evidence import Evidence
    from ackclock.experiments.vegas.measures import Runs

__all__ = ["SWINGS"]

SOME = 5e-5
"""A loss that counts: 0.005 %."""


def _calmer_queue(evidence: Evidence) -> Judgement:
    def pairs(runs: Runs) -> dict[int, tuple[float, ...]]:
        return {
            buffer: tuple(
                interval(runs, Place(application=OPEN, vegas=vegas, buffer=buffer), "queue_sd").mean for vegas in SHARES
            )
            for buffer in BUFFERS
        }

    holds = []
    for buffer in BUFFERS:
        few, many = (
            interval(evidence.ours, Place(application=OPEN, vegas=vegas, buffer=buffer), "queue_sd")
            for vegas in (SHARES[0], SHARES[-1])
        )
        holds.append(clearly(few, many) is True)
    return Judgement(
        verdict=by_share(holds),
        why="With endless data and an open window behind FIFO, the standard deviation of the queue is clearly smaller "
        f"with {100 * SHARES[-1] // CLIENTS} % Vegas than with {100 * SHARES[0] // CLIENTS} % at {sum(holds)} of "
        f"{len(holds)} buffers.",
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
    holds = [clearly(reno[place], vegas[place]) is True for place in where]
    shown_at = [place for place in where if place.start == 10 and place.gateway == "FIFO"]
    return Judgement(
        verdict=by_share(holds),
        why=f"With endless data and an open window, 30 against 30, the window of a Vegas client clearly varies less at "
        f"{sum(holds)} of {len(holds)} places.",
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
    lossy = [place for place, loss in reno.items() if loss.mean >= SOME]
    holds = [clearly(reno[place], vegas[place]) is True for place in lossy]
    fewer = [clearly(timeouts[0][place], timeouts[1][place]) is True for place in lossy]
    by_gateway = {
        gateway: [hold for place, hold in zip(lossy, holds, strict=True) if place.gateway == gateway]
        for gateway in ("FIFO", "RED")
    }
    return Judgement(
        verdict=by_share(holds),
        ours="places where Vegas clearly loses less: "
        + ", ".join(f"{gateway} {sum(there)} of {len(there)}" for gateway, there in by_gateway.items()),
        ns2="–",  # noqa: RUF001 - for what was not measured
        why="Where 30 Vegas clients meet 30 of Reno and packets are lost, Vegas' loss is clearly lower at "
        f"{sum(holds)} of {len(holds)} places, and its timeouts are clearly fewer at {sum(fewer)}.",
    )


SWINGS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="O-1",
        where="Feng and Tinnakornsrisuphap, 3.2.3",
        text="The more clients run Vegas, the calmer the queue.",
        paper="smoother",
        rule="By the standard deviation of the queue, sampled every 0.1 s, with endless data and an open window, after "
        "10 s, FIFO: reproduced if it is clearly smaller with 95 % Vegas than with 5 % at every buffer, partly if at "
        "most; else not.",
        judge=_calmer_queue,
        command=command(Place(application=OPEN, vegas=57, buffer=500)),
    ),
    Claim(
        key="O-2",
        where="Mo, La, Anantharam and Walrand",
        text="Beside Reno, too, the window of a Vegas client swings less than a Reno client's.",
        paper="said without a number",
        rule="By the coefficient of variation over time of the windows, sampled every second: reproduced if it is "
        "clearly lower for Vegas at every buffer, start and gateway, partly if at most; else not.",
        judge=_steadier_windows,
        command=command(Place(application=OPEN, buffer=500)),
    ),
    Claim(
        key="O-3",
        where="Feng and Tinnakornsrisuphap, 3.2.1, 3.2.2",
        text="Vegas loses a smaller part of its packets than Reno beside it.",
        paper="lower",
        rule="Of 30 against 30, wherever Reno loses 0.005 % or more: reproduced if Vegas' loss is clearly lower "
        "everywhere, partly at most places; else not.",
        judge=_loses_less,
        command=command(Place(buffer=150)),
    ),
)
"""What swings, and what is lost."""
