"""The claims of section 3.2.2, on Vegas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.burstiness.claims.reading import command
from ackclock.papers.burstiness.comparison import warm_loss
from ackclock.papers.burstiness.evidence import ROOM, ROOMY_CLIENTS
from ackclock.papers.burstiness.experiment import HEAVY
from ackclock.papers.burstiness.measures import cov_over_poisson, loss_percent
from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim, Judgement, by_share, graded
from ackclock.papers.reading import along, at, shown, span, told
from ackclock.papers.truth import YES, Truth, above, at_least, at_most, below, counted, every, some
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.burstiness.evidence import Evidence, Side
    from ackclock.papers.observation import Observation

__all__ = ["CLAIMS"]

_SHOWN = (20, 30, 60)


def _near_optimum(evidence: Evidence) -> Judgement:
    windows = evidence.ours.windows

    def lowest(variant: str, clients: int) -> Interval:
        try:
            return at(windows, variant, clients, "lowest")
        except LookupError:  # no window ever fell
            return at(windows, variant, clients, "highest")

    def say(side: Side) -> str:
        return "falls a run of Vegas and Reno: " + ", ".join(
            f"{at(side.windows, 'Vegas', clients, 'falls').mean:.0f} and "
            f"{at(side.windows, 'Reno', clients, 'falls').mean:.0f} ({clients})"
            for clients in _SHOWN
        )

    fewer = [below(*(at(windows, name, clients, "falls") for name in ("Vegas", "Reno"))) for clients in _SHOWN]
    wider = [at_least(*(lowest(name, clients) for name in ("Vegas", "Reno"))) for clients in _SHOWN]
    both = [few & wide for few, wide in zip(fewer, wider, strict=True)]
    verdict = graded(whole=every(both), part=some(both))
    return Judgement(
        verdict=verdict,
        why=f"Vegas' windows clearly fall less often at {counted(fewer, 'loads')} and clearly no lower at "
        f"{counted(wider, 'loads')}; with 60 clients they fall to {lowest('Vegas', 60).mean:.1f} packets, Reno's to "
        f"{lowest('Reno', 60).mean:.1f}.",
        **told(evidence, say),
    )


def _less_loss(evidence: Evidence) -> Judgement:
    def both(side: Side) -> tuple[dict[int, Interval], dict[int, Interval]]:
        return along(side.grid, "Reno", HEAVY, loss_percent), along(side.grid, "Vegas", HEAVY, loss_percent)

    def say(side: Side) -> str:
        reno, vegas = both(side)
        return f"Vegas {span(vegas, 2, ' %')}, Reno {span(reno, 2, ' %')}"

    reno, vegas = both(evidence.ours)
    holds = [above(reno[clients], vegas[clients]) for clients in reno]
    return Judgement(
        verdict=by_share(holds),
        why=f"Vegas clearly loses less at {counted(holds, 'client counts')} from 39 on; with 60, "
        f"{vegas[60].mean:.2f} % against {reno[60].mean:.2f} %.",
        **told(evidence, say),
    )


def _less_dependence(evidence: Evidence) -> Judgement:
    def both(side: Side, name: str) -> tuple[Interval, Interval]:
        return at(side.close, "Vegas", 60, name), at(side.close, "Reno", 60, name)

    vegas, reno = both(evidence.ours, "dependence")
    vegas_share, reno_share = both(evidence.ours, "cutting")
    lower = below(vegas, reno)
    verdict = graded(whole=lower, part=below(vegas_share, reno_share))
    return Judgement(
        verdict=verdict,
        why=f"Vegas cuts more rarely, but its dependence index is {vegas.mean:.1f} against Reno's {reno.mean:.1f}; "
        f"where any cuts, {100 * vegas_share.mean:.1f} % of the clients do, {100 * reno_share.mean:.1f} % with Reno."
        if vegas.mean > reno.mean
        else f"The dependence index is {vegas.mean:.1f} for Vegas and {reno.mean:.1f} for Reno"
        f"{'' if lower is YES else '; the difference is not significant'}; where any client cuts its window, "
        f"{100 * vegas_share.mean:.1f} % of Vegas' and {100 * reno_share.mean:.1f} % of Reno's do.",
        **told(
            evidence,
            lambda side: "dependence index {} for Vegas, {} for Reno".format(
                *(shown(one, 1) for one in both(side, "dependence"))
            ),
        ),
    )


def _lower_cov(evidence: Evidence) -> Judgement:
    reno, vegas = (along(evidence.ours.grid, name, HEAVY, cov_over_poisson) for name in ("Reno", "Vegas"))
    holds = [above(reno[clients], vegas[clients]) for clients in reno]
    return Judgement(
        verdict=by_share(holds),
        why=f"It is clearly lower at {counted(holds, 'client counts')}; with 60, Vegas is at "
        f"{vegas[60].mean:.2f} times Poisson and Reno at {reno[60].mean:.2f}.",
        **told(
            evidence,
            lambda side: (
                ", ".join(
                    f"{name} {span(along(side.grid, name, HEAVY, cov_over_poisson), 2)}" for name in ("Vegas", "Reno")
                )
                + " times Poisson"
            ),
        ),
    )


def _fairer(evidence: Evidence) -> Judgement:
    ours = evidence.ours

    def holds(vegas_runs: Sequence[Observation], reno_runs: Sequence[Observation]) -> list[Truth]:
        vegas = along(vegas_runs, "Vegas", HEAVY, "jain_index")
        reno = along(reno_runs, "Reno", HEAVY, "jain_index")
        return [above(vegas[clients], reno[clients]) for clients in vegas if clients in reno]

    usual, mended = holds(ours.grid, ours.grid), holds(ours.minimum, ours.grid)
    others = {
        "what Vegas takes for its base round trip": by_share(mended),
        "who wins exact ties": by_share(holds(ours.ties, ours.ties)),
    }
    verdict = by_share(usual)
    flips = [
        name for name, outcome in others.items() if Verdict.UNDECIDED not in (verdict, outcome) != (verdict, verdict)
    ]

    def say(side: Side) -> str:
        sides = [("Reno", side.grid, "Reno"), ("Vegas", side.grid, "Vegas")]
        sides += [("Vegas with the smallest round trip", side.minimum, "Vegas")] if side.minimum else []
        sides += [(f"with exact ties {name}", side.ties, name) for name in ("Reno", "Vegas")]
        return "Jain's index with 60 clients: " + ", ".join(
            f"{title} {shown(at(runs, name, 60, 'jain_index'), 3)}" for title, runs, name in sides
        )

    vegas, better, reno = (
        at(runs, name, 60, "jain_index").mean
        for runs, name in ((ours.grid, "Vegas"), (ours.minimum, "Vegas"), (ours.grid, "Reno"))
    )
    return Judgement(
        verdict=Verdict.DEPENDS if flips else verdict,
        setting=" and ".join(flips),
        why=f"As ns-2 has it, where too short a base round trip may starve Vegas, it is clearly fairer at "
        f"{counted(usual, 'client counts')}; with the smallest round trip for its base, at "
        f"{counted(mended, 'client counts')}. With 60 clients Jain's index is {vegas:.3f} and {better:.3f}, Reno's "
        f"{reno:.3f}.",
        **told(evidence, say),
    )


def _warm_loss(run: Observation) -> float | None:
    loss = warm_loss(run)
    return None if loss is None else 100 * loss


def _less_room(evidence: Evidence) -> Judgement:
    (clients,) = ROOMY_CLIENTS
    reno, vegas = (at(evidence.ours.roomy, name, clients, _warm_loss) for name in ("Reno", "Vegas"))
    small = [at(evidence.ours.grid, name, clients, _warm_loss).mean for name in ("Reno", "Vegas")]
    verdict = graded(whole=at_most(vegas, 0.05) & above(reno, 0.1), part=above(reno, vegas, times=1.1))
    return Judgement(
        verdict=verdict,
        why=f"With {clients} clients and a buffer of {ROOM} packets each, Vegas loses {vegas.mean:.3f} % and Reno "
        f"{reno.mean:.2f} % after the start; with the paper's 50 packets {small[1]:.2f} and {small[0]:.2f} %.",
        **told(
            evidence,
            lambda side: (
                f"loss with a buffer of {ROOM * clients}: "
                + ", ".join(
                    f"{name} {shown(at(side.roomy, name, clients, _warm_loss), 3)} %" for name in ("Vegas", "Reno")
                )
            ),
        ),
    )


def _waiting(evidence: Evidence) -> Judgement:
    counts = tuple(clients for clients in HEAVY if clients in {39, 44, 50, 60})

    def each(side: Side) -> dict[int, Interval]:
        return along(side.queues, "Vegas", counts, "queue_mean")

    points = each(evidence.ours)
    holds = [at_least(point, clients) & at_most(point, 3 * clients) for clients, point in points.items()]
    return Judgement(
        verdict=by_share(holds),
        why=f"With 60 clients, 60 to 180 packets should wait, where the buffer holds 50; on average "
        f"{points[60].mean:.0f} do, {points[60].mean / 60:.2f} a client.",
        **told(
            evidence,
            lambda side: (
                "waiting per client: "
                + ", ".join(f"{point.mean / clients:.2f} ({clients})" for clients, point in each(side).items())
            ),
        ),
    )


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2.2-1",
        where="3.2.2; Figures 10 to 12",
        text="Each Vegas window stays close to its optimal value.",
        paper="close",
        rule="Asked at three loads (20, 30, 60 clients): the windows of clients 1, 10 and 20 fall less often than "
        "Reno's, and their lowest point is no lower. Reproduced if at each of the three, partly if at one of them at "
        f"least, otherwise not. {ELSE_UNDECIDED}",
        judge=_near_optimum,
        command=command("Vegas", 60, record="windows@0,9,19/0.1s"),
    ),
    Claim(
        key="3.2.2-2",
        where="3.2.2; Figure 4",
        text="Vegas loses a smaller share of its packets than Reno.",
        paper="decrease",
        rule=f"The points are the client counts from 39 to 60: Vegas' loss is lower. {BY_SHARE}",
        judge=_less_loss,
        command=command("Vegas", 60),
    ),
    Claim(
        key="3.2.2-3",
        where="3.2.2",
        text="That lowers the dependency between the streams.",
        paper="decrease",
        rule="Reproduced if the dependence index with 60 clients is lower for Vegas than for Reno; partly if only the "
        f"share of clients that cut at once is; otherwise not. {ELSE_UNDECIDED}",
        judge=_less_dependence,
        command=command("Vegas", 60, record="windows/0.1s"),
    ),
    Claim(
        key="3.2.2-4",
        where="3.2.2, 4; Figure 2",
        text="The c.o.v. of Vegas is significantly lower than that of Reno.",
        paper="significantly",
        rule=f"The points are the client counts from 39 to 60: Vegas' c.o.v. is lower. {BY_SHARE}",
        judge=_lower_cov,
        command=command("Vegas", 60),
    ),
    Claim(
        key="3.2.2-5",
        where="3.2.2; Figures 10 to 12",
        text="Vegas shares the bandwidth more fairly than Reno.",
        paper="more fairly",
        rule="The points are the client counts from 39 to 60: Jain's index of the clients' goodput is higher with "
        f"Vegas. {BY_SHARE} Asked again with a Vegas that takes the smallest round trip for its base, and without "
        "processing time (44 and 60 clients): if the verdict is clearly another, it depends on that.",
        judge=_fairer,
        command=command("Vegas", 60, "clients.0.transport.base_rtt=minimum"),
    ),
    Claim(
        key="3.2.2-6",
        where="3.2.2",
        text="Vegas needs a much smaller buffer in the gateway to avoid congestion.",
        paper="much less",
        rule="With a buffer of three packets a client (beta) and 50 clients, after the first 20 s: reproduced if Vegas "
        "loses at most 0.05 % and Reno more than 0.1 %; partly if Reno loses more than Vegas by more than a tenth; "
        f"otherwise not. {ELSE_UNDECIDED}",
        judge=_less_room,
        command=command("Vegas", 50, "dumbbell.bottleneck.queue.packets=150"),
    ),
    Claim(
        key="3.2.2-7",
        where="2.1, 3.2.2",
        text="Vegas keeps one to three packets of each stream in the gateway.",
        paper="1 to 3",
        rule="The points are 39, 44, 50 and 60 clients: the mean number of packets waiting is between one and three a "
        f"client. {BY_SHARE}",
        judge=_waiting,
        command=command("Vegas", 44),
    ),
)
