"""The claims of section 3.2.1, on Reno: when it loses, when it settles, and how far its clients act together."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ackclock.analysis import student_interval
from ackclock.papers.burstiness.claims.reading import command
from ackclock.papers.burstiness.evidence import SETTLED_BY
from ackclock.papers.burstiness.experiment import PAPERS_CLIENTS
from ackclock.papers.burstiness.measures import START, cov_over_poisson, warm_cov_over_poisson
from ackclock.papers.claims import ELSE_UNDECIDED, Claim, Judgement, graded
from ackclock.papers.reading import along, at, per_seed, percent, shown, told
from ackclock.papers.truth import YES, above, at_least, at_most, below, every, exactly, some

if TYPE_CHECKING:
    from ackclock.analysis import Interval
    from ackclock.papers.burstiness.evidence import Evidence, Side
    from ackclock.papers.observation import Observation

__all__ = ["CLAIMS"]

_BUFFER = 50
_SYNC_CLIENTS = (39, 44, 50, 60)
_WINDOWS = "windows@0,9,19/0.1s"
_LATER = _HIGHER = 1.1
"""The smallest ratio of two times, and of two dependence indices, that counts as a difference."""


def _start_share(run: Observation) -> float | None:
    """Give the share of the drops that fall into the first slow start, in per cent."""
    start, drops = run.values.get("drops_start"), run.values.get("drops")
    return None if start is None or not drops else 100 * start / drops


def _slow_start_losses(evidence: Evidence) -> Judgement:
    share = at(evidence.ours.grid, "Reno", 20, _start_share)
    last = at(evidence.ours.windows, "Reno", 20, "last_loss")
    verdict = graded(whole=at_least(share, 95), part=above(share, 50))
    return Judgement(
        verdict=verdict,
        why=f"With 20 clients {share.mean:.0f} % of the drops fall into the first second, in which every window grows "
        f"from 1 to 20; the last one falls at {last.mean:.2f} s.",
        **told(evidence, lambda side: f"last loss at {shown(at(side.windows, 'Reno', 20, 'last_loss'), 2)} s"),
    )


def _few_bursts(evidence: Evidence) -> Judgement:
    window = at(evidence.ours.windows, "Reno", 20, "before_first_fall")
    full = _BUFFER / window.mean
    verdict = graded(whole=at_least(window, _BUFFER / 3), part=at_least(window, _BUFFER / 20))
    return Judgement(
        verdict=verdict,
        why=f"Before the first cut the largest window is {window.mean:.1f} packets, so that {full:.1f} such bursts at "
        f"once fill the buffer of {_BUFFER}.",
        **told(evidence, lambda side: f"{shown(at(side.windows, 'Reno', 20, 'before_first_fall'), 1)} packets"),
    )


def _earlier_at_30(evidence: Evidence) -> Judgement:
    def say(side: Side) -> str:
        many, few = (shown(at(side.windows, "Reno", clients, "first_loss"), 3) for clients in (30, 20))
        return f"first loss at {many} s with 30 clients, {few} s with 20"

    few, many = (at(evidence.ours.windows, "Reno", clients, "first_loss") for clients in (20, 30))
    earlier = below(many, few)
    verdict = graded(whole=earlier, part=earlier)
    gap = 1000 * (few.mean - many.mean)
    return Judgement(
        verdict=verdict,
        why=f"With 30 clients the first packet is lost {abs(gap):.0f} ms {'earlier' if gap > 0 else 'later'}.",
        **told(evidence, say),
    )


def _share(some: int, of_all: int) -> Interval:
    """Give the share of some runs of all, with its interval."""
    return student_interval([1.0] * some + [0.0] * (of_all - some))


def _together_at_30(evidence: Evidence) -> Judgement:
    def common(side: Side) -> tuple[list[float], int]:
        runs = [run.values["last_together"] for run in side.windows if run.variant == "Reno" and run.clients == 30]
        return [time for time in runs if time is not None], len(runs)

    def say(side: Side) -> str:
        times, runs = common(side)
        last = f", the last at {shown(student_interval(times), 1)} s" if times else ""
        any_fall = shown(at(side.windows, "Reno", 30, "last_fall"), 1)
        return f"common cuts in {len(times)} of {runs} runs{last}; last cut of any at {any_fall} s"

    times, runs = common(evidence.ours)
    timed = [time for time in times if 2 <= time <= 8]
    steady = at_most(at(evidence.ours.windows, "Reno", 30, "last_fall"), 20)
    when = f", for the last time between {min(times):.1f} and {max(times):.1f} s" if times else ""
    return Judgement(
        verdict=graded(
            whole=steady & above(_share(len(timed), runs), 0.5), part=steady & above(_share(len(times), runs), 0.5)
        ),
        why=f"In {len(times)} of {runs} runs all three windows fall at once{when}; in {len(timed)} it is between 2 and "
        "8 s.",
        **told(evidence, say),
    )


def _settled(side: Side, clients: int) -> tuple[int, int]:
    times = [run.values["settle_time"] for run in side.crossover if run.clients == clients]
    if not times:
        raise LookupError(f"no crossover at {clients}")
    return sum(time is not None and time <= SETTLED_BY for time in times), len(times)


def _settlings(side: Side) -> str:
    return ", ".join(
        f"{settled} of {runs} at {clients}"
        for clients in (37, 38, 39, 40)
        for settled, runs in [_settled(side, clients)]
    )


def _crossover(evidence: Evidence) -> Judgement:
    shares = {clients: _settled(evidence.ours, clients) for clients in (37, 38, 39, 40)}
    most = {clients: above(_share(*counts), 0.5) for clients, counts in shares.items()}
    verdict = graded(whole=most[37] & most[38] & ~most[39] & ~most[40], part=most[37] & ~most[40])
    return Judgement(
        verdict=verdict,
        why=f"Loss has ended by {SETTLED_BY} s in {shares[38][0]} of {shares[38][1]} runs with 38 clients and in "
        f"{shares[39][0]} of {shares[39][1]} with 39.",
        **told(evidence, lambda side: f"settled: {_settlings(side)}"),
    )


def _longer_with_load(evidence: Evidence) -> Judgement:
    def say(side: Side) -> str:
        ends = along(side.windows, "Reno", (20, 30, 38), "last_loss")
        return "last loss at " + ", ".join(f"{shown(end, 1)} s ({clients})" for clients, end in ends.items())

    points = list(along(evidence.ours.windows, "Reno", (20, 30, 38), "last_loss").values())
    verdict = graded(
        whole=every(below(early, late, times=_LATER) for early, late in pairwise(points)),
        part=below(points[0], points[-1], times=_LATER),
    )
    return Judgement(
        verdict=verdict,
        why=f"The last packet is lost at {points[0].mean:.1f} s with 20 clients, at {points[1].mean:.1f} s with 30 and "
        f"at {points[2].mean:.0f} s with 38.",
        **told(evidence, say),
    )


def _settles_at_25(evidence: Evidence) -> Judgement:
    time = at(evidence.ours.crossover, "Reno", 38, "settle_time")
    verdict = graded(
        whole=at_least(time, 25 / 2) & at_most(time, 2 * 25),
        part=at_least(time, 25 / 10) & at_most(time, SETTLED_BY),
    )
    times = [run.values["settle_time"] or 0 for run in evidence.ours.crossover if run.clients == 38]
    return Judgement(
        verdict=verdict,
        why=f"Over {len(times)} seeds the time goes from {min(times):.0f} to {max(times):.0f} s.",
        **told(evidence, lambda side: f"{shown(at(side.crossover, 'Reno', 38, 'settle_time'), 0)} s"),
    )


def _never_at_39(evidence: Evidence) -> Judgement:
    settled, runs = _settled(evidence.ours, 39)
    share = _share(settled, runs)
    verdict = graded(whole=exactly(not settled) & at_most(share, 0), part=below(share, 0.5))
    warm = at(evidence.ours.grid, "Reno", 39, warm_cov_over_poisson)
    return Judgement(
        verdict=verdict,
        why=f"{settled} of {runs} runs with 39 clients have settled by {SETTLED_BY} s; from 20 s on the c.o.v. is "
        f"{warm.mean:.2f} times Poisson's.",
        **told(evidence, lambda side: "settled: {} of {}".format(*_settled(side, 39))),
    )


def _sharp_at_39(evidence: Evidence) -> Judgement:
    points = along(evidence.ours.grid, "Reno", PAPERS_CLIENTS, "cov")
    counts = [clients for clients in points if clients >= 10]
    runs = [run for run in evidence.ours.grid if run.variant == "Reno"]

    def rise(before: int, after: int) -> Interval:
        """Give the rise for each client added, seed by seed."""
        ends = [run for run in runs if run.clients in {before, after}]
        return per_seed(
            ends,
            lambda those: (
                (at(those, "Reno", after, "cov").mean - at(those, "Reno", before, "cov").mean) / (after - before)
            ),
        )

    steps = {step: rise(*step) for step in pairwise(counts)}
    steepest = max(steps, key=lambda step: steps[step].mean)
    rises = above(steps[38, 39], 0)
    most = every(above(steps[38, 39], other) for step, other in steps.items() if step != (38, 39))
    verdict = graded(whole=rises & most, part=rises)

    def say(side: Side) -> str:
        return (
            ", ".join(
                f"{shown(at(side.grid, 'Reno', clients, cov_over_poisson), 2)} ({clients})" for clients in (36, 38, 39)
            )
            + " times Poisson"
        )

    return Judgement(
        verdict=verdict,
        why=f"The steepest rise of the c.o.v. with the clients is from {steepest[0]} to {steepest[1]}"
        + ("." if rises is YES else "; chance decides when loss ends with 38, and the intervals of 38 and 39 overlap."),
        **told(evidence, say),
    )


def _dependences(side: Side) -> str:
    points = along(side.close, "Reno", _SYNC_CLIENTS, "dependence")
    return "dependence index " + ", ".join(f"{shown(point, 1)} ({clients})" for clients, point in points.items())


def _grows_with_load(evidence: Evidence) -> Judgement:
    points = along(evidence.ours.close, "Reno", _SYNC_CLIENTS, "dependence")
    first, last = points[39], points[60]
    ordered = list(points.values())
    falls = some(above(before, after, times=_HIGHER) for before, after in pairwise(ordered))
    grows = above(last, first, times=_HIGHER)
    verdict = graded(whole=grows & ~falls, part=grows)
    cutting = [at(evidence.ours.close, "Reno", clients, percent("cutting")).mean for clients in (39, 60)]
    return Judgement(
        verdict=verdict,
        why=f"From 39 to 60 clients the dependence index goes from {first.mean:.1f} to {last.mean:.1f}, and the share "
        f"of clients that cut in the same 0.1 s from {cutting[0]:.1f} to {cutting[1]:.1f} %.",
        **told(evidence, _dependences),
    )


def _most_at_once(evidence: Evidence) -> Judgement:
    share = at(evidence.ours.close, "Reno", 60, percent("cutting"))
    verdict = graded(whole=above(share, 50), part=above(share, 25))
    return Judgement(
        verdict=verdict,
        why=f"Where any of 60 clients cuts its window within 0.1 s, {share.mean:.1f} % of them do on average.",
        **told(evidence, lambda side: f"{shown(at(side.close, 'Reno', 60, percent('cutting')), 1)} % of the clients"),
    )


def _dependent(evidence: Evidence) -> Judgement:
    index = at(evidence.ours.close, "Reno", 60, "dependence")
    verdict = graded(whole=above(index, 30), part=above(index, 1))
    return Judgement(
        verdict=verdict,
        why=f"The number of clients that cut at once varies {index.mean:.1f} times as much as if each cut for itself; "
        "were all to cut together it would be 60 times.",
        **told(
            evidence,
            lambda side: f"dependence index {shown(at(side.close, 'Reno', 60, 'dependence'), 2)} with 60 clients",
        ),
    )


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2.1-1",
        where="3.2.1; Figure 5",
        text="With 20 Reno clients nearly all losses occur during slow start.",
        paper="nearly all",
        rule=f"Reproduced if 95 % or more of the drops fall into the first {START} s; partly if more than half; "
        f"otherwise not. {ELSE_UNDECIDED}",
        judge=_slow_start_losses,
        command=command("Reno", 20, record="drops"),
    ),
    Claim(
        key="3.2.1-2",
        where="3.2.1; Figure 5",
        text="There, bursts of 17 packets from three of the 20 clients are enough to overflow the buffer of 50.",
        paper="17 packets",
        rule="By the largest window of clients 1, 10 and 20 before the first cut: reproduced if three such bursts fill "
        "the buffer; partly if those of all 20 clients do; otherwise not. "
        f"{ELSE_UNDECIDED}",
        judge=_few_bursts,
        command=command("Reno", 20, record=_WINDOWS),
    ),
    Claim(
        key="3.2.1-3",
        where="3.2.1; Figure 6",
        text="With 30 clients congestion occurs even earlier in slow start.",
        paper="earlier",
        rule="Reproduced if the first loss with 30 clients is earlier than with 20 (20 seeds each), otherwise not. "
        f"{ELSE_UNDECIDED}",
        judge=_earlier_at_30,
        command=command("Reno", 30, record="drops"),
    ),
    Claim(
        key="3.2.1-4",
        where="3.2.1; Figure 6",
        text="With 30 clients all three windows shown fall at the same time, at 4 s, and then grow steadily.",
        paper="4 s",
        rule="Reproduced if in more than half of all runs the three windows fall within the same 0.1 s, for the last "
        "time between 2 and 8 s, and the last fall of any is before 20 s on average; partly if they do so at another "
        f"time; otherwise not. {ELSE_UNDECIDED}",
        judge=_together_at_30,
        command=command("Reno", 30, record=_WINDOWS),
    ),
    Claim(
        key="3.2.1-5",
        where="3.2.1; Figures 7, 8",
        text="The ability to settle ends between 38 and 39 clients.",
        paper="38 | 39",
        rule=f"A run has settled if no block of 5 s has ten or more drops from {SETTLED_BY} s on. Reproduced if "
        "more than half of all runs settle at 37 and at 38 clients and at most half at 39 and at 40, by 12 seeds; "
        f"partly if that is so at 37 and 40; otherwise not. {ELSE_UNDECIDED}",
        judge=_crossover,
        command=command("Reno", 39, record="drops"),
    ),
    Claim(
        key="3.2.1-6",
        where="3.2.1; Figures 5 to 7",
        text="Up to 38 clients, the more there are the longer it takes to settle.",
        paper="longer",
        rule="By the time of the last loss (20 seeds each): reproduced if it is later by more than a tenth with 30 "
        "clients than with 20, and with 38 than with 30; partly if it is with 38 than with 20; otherwise not. "
        f"{ELSE_UNDECIDED}",
        judge=_longer_with_load,
        command=command("Reno", 30, record="drops"),
    ),
    Claim(
        key="3.2.1-7",
        where="3.2.1; Figure 7",
        text="With 38 clients the windows settle after 25 s.",
        paper="25 s",
        rule="By the mean end of the last 5 s with ten or more drops, over 12 seeds: reproduced if it is within a "
        f"factor of 2 of 25 s; partly if between 2.5 and {SETTLED_BY} s; otherwise not. {ELSE_UNDECIDED}",
        judge=_settles_at_25,
        command=command("Reno", 38, record="drops"),
    ),
    Claim(
        key="3.2.1-8",
        where="3.2.1; Figure 8",
        text="With 39 clients they never settle.",
        paper="never",
        rule="Reproduced if none of 12 runs has settled by the end; partly if fewer than half of all runs do; "
        f"otherwise not. {ELSE_UNDECIDED}",
        judge=_never_at_39,
        command=command("Reno", 39, record=_WINDOWS),
    ),
    Claim(
        key="3.2.1-9",
        where="3.2.1; Figure 2",
        text="This makes the c.o.v. rise sharply at 39 clients.",
        paper="at 39",
        rule="By the rise of Reno's c.o.v. for each client added, from 10 clients on: reproduced if it is largest from "
        f"38 to 39; partly if it is above 0 there; otherwise not. {ELSE_UNDECIDED}",
        judge=_sharp_at_39,
        command=command("Reno", 39),
    ),
    Claim(
        key="3.2.1-10",
        where="3.2.1, 4; Figures 6 to 9",
        text="The more clients, the likelier their windows fall together.",
        paper="increases",
        rule="By the dependence index (variance of the number of clients that cut within 0.1 s, over the sum of their "
        "own variances: 1 if independent) at 39, 44, 50 and 60 clients. Reproduced if it is higher by more than a "
        "tenth at 60 than at 39 and falls by no more than that in between; partly if it is higher at 60; otherwise "
        f"not. {ELSE_UNDECIDED}",
        judge=_grows_with_load,
        command=command("Reno", 60, record="windows/0.1s"),
    ),
    Claim(
        key="3.2.1-11",
        where="3.2.1, 4; Figure 9",
        text="With 60 clients most streams take the same decision at once.",
        paper="most",
        rule="By the mean share of clients that cut their window in those 0.1 s in which any does: reproduced if over "
        f"half; partly if over a quarter; otherwise not. {ELSE_UNDECIDED}",
        judge=_most_at_once,
        command=command("Reno", 60, record="windows/0.1s"),
    ),
    Claim(
        key="3.2.1-12",
        where="1, 3.2, 3.2.1, 4; Figure 9",
        text="Reno's congestion control makes the streams highly dependent on each other.",
        paper="high",
        rule="By the dependence index with 60 clients, which is 1 if independent and 60 if all cut together: "
        f"reproduced if it is above half of the way (30); partly if above 1; otherwise not. {ELSE_UNDECIDED}",
        judge=_dependent,
        command=command("Reno", 60, record="windows/0.1s"),
    ),
)
