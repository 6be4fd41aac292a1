"""What random losses, bursts of them and a rate that changes do to the variants over a wireless last hop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis import student_interval
from ackclock.analysis.models import mathis
from ackclock.papers.claims import BY_SHARE, Claim, Judgement, by_share
from ackclock.papers.reading import at, shown, within
from ackclock.papers.selfsimilar.claims.future_reading import (
    BY_KIND,
    DASH,
    LATER,
    LEFT,
    MODERATE,
    PAIRED,
    clearly_above,
    command,
    judged,
    to_mathis,
    told_at,
)
from ackclock.papers.selfsimilar.experiment import VARIANTS
from ackclock.papers.selfsimilar.future import (
    BURST,
    BURSTS,
    DWELLS,
    LOSSES,
    MEAN_RATE,
    MILLION,
    RANDOM,
    RATES,
    RTT,
    STEPS,
    Future,
    ns2_runs,
)
from ackclock.papers.truth import YES, Truth, counted, every, near

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.observation import Observation


__all__ = ["LAST_HOP"]

NEAR: Final = 0.2
"""How far from Mathis et al. counts as there."""

AS_GOOD: Final = 0.05
"""The part by which goodput may be above another and count as no better."""

AGREED: Final = 0.05
"""The part by which packets delivered may differ between simulators."""


def _mathis(future: Future) -> Judgement:
    runs = future.runs["losses"]
    names = [BY_KIND[RANDOM][variant] for variant in ("newreno", "sack")]
    found = {(name, loss): at(runs, name, loss, to_mathis) for name in names for loss in MODERATE}
    holds = [near(ratio, 1, by=NEAR) for ratio in found.values()]
    theirs = ns2_runs()
    return judged(
        holds,
        ours="goodput over Mathis et al.: " + _ratios(runs, names, MODERATE),
        ns2="; ".join(
            f"{name} " + ", ".join(shown(_delivered(theirs, name, loss), 2) for loss in (MODERATE[0], MODERATE[-1]))
            for name in names
        )
        + f" (packets delivered, at {MODERATE[0] / MILLION:.1%} and {MODERATE[-1] / MILLION:.0%})",
        why=f"Under random losses both are within {NEAR:.0%} of Mathis et al. at {counted(holds, 'points')}.",
    )


def _delivered(runs: Iterable[Observation], name: str, loss: int) -> Interval:
    """Give ns-2's packets delivered over Mathis et al. for the loss that it had."""
    return at(
        runs,
        name,
        loss,
        lambda run: (run.values["arrivals"] or 0) / 100 / float(mathis(p=run.values["loss"] or 0, rtt=RTT).rate),
    )


def _ratios(runs: Sequence[Observation], names: Iterable[str], losses: Sequence[int]) -> str:
    return "; ".join(
        f"{name} " + ", ".join(shown(at(runs, name, loss, to_mathis), 2) for loss in losses) for name in names
    )


def _exponent(future: Future) -> Judgement:
    runs, names = future.runs["losses"], BY_KIND[RANDOM].values()
    found = {name: _slope(runs, name, lambda run: run.values["loss"] or np.nan) for name in names}
    alone = {name: _slope(runs, name, lambda run: run.clients) for name in names}
    holds = [near(slope, -0.5, by=0.1) for slope in found.values()]

    def words(slopes: Mapping[str, Interval]) -> str:
        return "; ".join(f"{name} {shown(slope, 2)}" for name, slope in slopes.items())

    return judged(
        holds,
        ours=f"exponent of the loss: {words(found)}; of the hop's own loss alone: {words(alone)}",
        why=f"It is clearly from -0.6 to -0.4 for {counted(holds, 'variants')}. Where the hop loses "
        "little, much of the loss is the background's, in clusters that cost less than the same number alone: it is "
        "steeper than by the hop's own loss.",
    )


def _goodput(run: Observation) -> float:
    return run.values["goodput"] or np.nan


def _slope(runs: Iterable[Observation], name: str, along: Callable[[Observation], float]) -> Interval:
    """Fit a power of the loss to the goodput of each seed's runs with moderate losses at random."""
    own: dict[int, list[Observation]] = {}
    for run in runs:
        if run.variant == name and run.clients in MODERATE:
            own.setdefault(run.seed, []).append(run)
    slopes = []
    for some in own.values():
        x, y = (np.log([measure(run) for run in some]) for measure in (along, _goodput))
        slopes.append(float(np.polyfit(x, y, 1)[0]))
    return student_interval(slopes)


def _bursts_cost_less(future: Future) -> Judgement:
    runs, some = future.runs["losses"], MODERATE[:2]
    holds = {
        (variant, loss): clearly_above(
            runs, (BY_KIND[BURSTS][variant], loss), (BY_KIND[RANDOM][variant], loss), "goodput"
        )
        for variant in VARIANTS
        for loss in some
    }
    never = [name for variant, name in VARIANTS.items() if YES not in [holds[variant, loss] for loss in some]]
    return judged(
        list(holds.values()),
        ours=f"Mb/s at {some[0] / MILLION:.1%} and {some[1] / MILLION:.1%}: "
        + told_at(runs, [*BY_KIND[RANDOM].values(), *BY_KIND[BURSTS].values()], some, "goodput", 2),
        why=f"Bursts leave clearly more than lone losses at {counted(holds.values(), 'points')}"
        + (f", and nowhere clearly to {', '.join(never)}" if never else "")
        + ".",
    )


def _bursts_end_in_timeouts(future: Future) -> Judgement:
    runs, loss = future.runs["losses"], LOSSES[-1]
    holds = [
        clearly_above(runs, (BY_KIND[RANDOM][variant], loss), (BY_KIND[BURSTS][variant], loss), "goodput")
        for variant in VARIANTS
    ]
    names = [*BY_KIND[RANDOM].values(), *BY_KIND[BURSTS].values()]
    return judged(
        holds,
        ours=f"Mb/s at {loss / MILLION:.0%}: " + told_at(runs, names, (loss,), "goodput", 2),
        why=f"Bursts leave clearly less to {counted(holds, 'variants')}: such a channel turns good by packets "
        "sent, so that a lone one after each timeout often finds it bad again, and timeouts double.",
    )


def _sack_over_newreno(future: Future) -> Judgement:
    runs = future.runs["losses"]

    def clear(kind: str, tie: float) -> list[Truth]:
        names = BY_KIND[kind]
        return [
            clearly_above(runs, (names["sack"], loss), (names["newreno"], loss), "goodput", tie=tie)
            for loss in MODERATE
        ]

    more, ahead = clear(RANDOM, AS_GOOD), clear(BURSTS, 0.0)
    tied = [~one for one in more]
    return judged(
        tied + ahead,
        ours="Mb/s at "
        + ", ".join(f"{loss / MILLION:.1%}" for loss in MODERATE)
        + ": "
        + told_at(
            runs,
            [BY_KIND[kind][variant] for kind in (RANDOM, BURSTS) for variant in ("newreno", "sack")],
            MODERATE,
            "goodput",
            2,
        ),
        why=f"SACK is clearly above NewReno at {counted(ahead, 'losses')} in bursts, and by more than "
        f"{AS_GOOD:.0%} at {counted(more, 'losses')} at random.",
    )


def _vegas_under_losses(future: Future) -> Judgement:
    runs = future.runs["losses"]

    def first(kind: str, losses: Sequence[int]) -> list[Truth]:
        names = BY_KIND[kind]
        others = [name for variant, name in names.items() if variant != "vegas"]
        return [
            every(clearly_above(runs, (names["vegas"], loss), (other, loss), "goodput") for other in others)
            for loss in losses
        ]

    lost, bursts = first(RANDOM, LOSSES[2:]), first(BURSTS, LOSSES[2:])
    return judged(
        lost,
        ours="Mb/s at "
        + ", ".join(f"{loss / MILLION:.1%}" for loss in LOSSES[2:])
        + ": "
        + told_at(runs, [BY_KIND[RANDOM][variant] for variant in ("vegas", "sack")], LOSSES[2:], "goodput", 2),
        why=f"Vegas is clearly above all others at {counted(lost, 'losses')} at random, where it cuts its "
        f"window by a quarter and not by half; in bursts at {counted(bursts, 'losses')}.",
    )


def _changes_cost(future: Future) -> Judgement:
    runs, names = future.runs["rates"], BY_KIND[RATES].values()
    holds = [clearly_above(runs, (name, 0), (name, dwell), "goodput") for name in names for dwell in DWELLS[1:]]
    return judged(
        holds,
        ours=_by_dwell(runs),
        why=f"A rate that changes leaves clearly less than its mean, held, at {counted(holds, 'points')}.",
    )


def _by_dwell(runs: Sequence[Observation]) -> str:
    words = ", ".join(f"{dwell / 1000:g} s" if dwell else "constant" for dwell in DWELLS)
    return f"Mb/s of {MEAN_RATE / MILLION:g} ({words}): " + told_at(runs, BY_KIND[RATES].values(), DWELLS, "goodput", 2)


def _slow_changes_cost_least(future: Future) -> Judgement:
    runs, names = future.runs["rates"], BY_KIND[RATES].values()
    slow = DWELLS[-1]
    holds = [clearly_above(runs, (name, slow), (name, dwell), "goodput") for name in names for dwell in DWELLS[1:-1]]
    return judged(
        holds,
        ours=_by_dwell(runs),
        why=f"Stays of {slow // 1000} s leave clearly more than shorter ones at {counted(holds, 'points')}.",
    )


def _vegas_follows_worst(future: Future) -> Judgement:
    runs, names = future.runs["rates"], BY_KIND[RATES]
    first = [
        clearly_above(runs, (names["vegas"], 0), (names[other], 0), "goodput") for other in names if other != "vegas"
    ]
    last = [
        clearly_above(runs, (names[other], dwell), (names["vegas"], dwell), "goodput")
        for dwell in DWELLS[1:]
        for other in names
        if other != "vegas"
    ]
    return judged(
        first + last,
        ours=_by_dwell(runs),
        why=f"With a constant rate Vegas is clearly above {counted(first, 'others')}; with one that changes "
        f"others are clearly above it at {counted(last, 'points')}.",
    )


def _ns2_agrees(future: Future) -> Judgement:
    theirs, losses = ns2_runs(), future.runs["losses"]
    places = [
        (losses if kind == RANDOM else future.runs["steps"], BY_KIND[kind][variant], amount)
        for variant in ("newreno", "sack")
        for kind, amount in ((RANDOM, MODERATE[0]), (RANDOM, MODERATE[-1]), (STEPS, 0))
    ]
    both = [(at(ours, name, place, "arrivals"), at(theirs, name, place, "arrivals")) for ours, name, place in places]
    holds = [within(one, other, part=AGREED) for one, other in both]
    words = [f"{name}{f', {place / MILLION:.1%}' if place else ''}" for _, name, place in places]
    return Judgement(
        verdict=by_share(holds),
        ours="packets delivered: "
        + "; ".join(f"{word} {shown(one, 0)}" for word, (one, _) in zip(words, both, strict=True)),
        ns2="; ".join(f"{word} {shown(other, 0)}" for word, (_, other) in zip(words, both, strict=True)),
        why=f"Both deliver as much at {counted(holds, 'points')}.",
    )


LAST_HOP: tuple[Claim[Future], ...] = (
    Claim(
        key="F-7",
        where=f"{LATER}: wireless; Mathis et al.",
        text="Under random losses NewReno and SACK get what Mathis et al. say.",
        paper="1 / (RTT √(2p/3))",
        rule=f"The points are losses of {MODERATE[0] / MILLION:.1%} to {MODERATE[-1] / MILLION:.0%} at the last hop, "
        f"for each of the two: goodput lies within {NEAR:.0%} of the formula, with the run's loss (the background's "
        f"too) and {1000 * RTT:g} ms. {BY_SHARE}",
        judge=_mathis,
        command=command(RANDOM, 'flows.1.transport.variant="sack"'),
    ),
    Claim(
        key="F-8",
        where=f"{LATER}: wireless; Mathis et al.",
        text="Goodput falls with the square root of the loss.",
        paper="-1/2",
        rule=f"The points are the variants, over the losses of F-7: the exponent fitted to each seed's runs is from "
        f"-0.6 to -0.4. {BY_SHARE}",
        judge=_exponent,
        command=command(RANDOM, "links.2.loss.probability=0.01"),
    ),
    Claim(
        key="F-9",
        where=f"{LATER}: wireless",
        text="The same loss in bursts costs less: a window with several losses is cut once.",
        paper=LEFT,
        rule=f"The points are bursts of {BURST} packets on average against losses at random, "
        f"{MODERATE[0] / MILLION:.1%} and {MODERATE[1] / MILLION:.1%}, each variant: goodput clearly higher. {PAIRED} "
        f"{BY_SHARE}",
        judge=_bursts_cost_less,
        command=command(BURSTS, 'links.2.loss={ kind = "gilbert-elliott", to_bad = 0.0002, to_good = 0.2 }'),
    ),
    Claim(
        key="F-10",
        where=f"{LATER}: wireless",
        text="Where losses are many, bursts cost more: they end in timeouts.",
        paper=LEFT,
        rule=f"The points are the variants; as F-9 the other way round, {LOSSES[-1] / MILLION:.0%}. {BY_SHARE}",
        judge=_bursts_end_in_timeouts,
        command=command(BURSTS, 'links.2.loss={ kind = "gilbert-elliott", to_bad = 0.0062, to_good = 0.2 }'),
    ),
    Claim(
        key="F-11",
        where=f"{LATER}: wireless; RFC 6675, RFC 6582",
        text="SACK is above NewReno where losses come in bursts, and as good where they come alone.",
        paper=LEFT,
        rule="The points are the losses of F-7, in bursts and at random: SACK's goodput is clearly above in bursts, "
        f"and above by at most {AS_GOOD:.0%} at random. "
        f"{PAIRED} {BY_SHARE}",
        judge=_sack_over_newreno,
        command=command(
            BURSTS,
            'links.2.loss={ kind = "gilbert-elliott", to_bad = 0.0006, to_good = 0.2 }',
            'flows.1.transport.variant="sack"',
        ),
    ),
    Claim(
        key="F-12",
        where=f"{LATER}: wireless; Brakmo and Peterson",
        text="Under random losses that congestion does not cause, Vegas gets most.",
        paper=LEFT,
        rule=f"The points are losses of {LOSSES[2] / MILLION:.1%} and more, at random: its goodput is clearly above "
        f"each other's. {PAIRED} {BY_SHARE}",
        judge=_vegas_under_losses,
        command=command(RANDOM, 'flows.1.transport.variant="vegas"', "flows.1.packet_size=1000"),
    ),
    Claim(
        key="F-13",
        where=f"{LATER}: wireless",
        text="A last hop whose rate changes carries less than one that holds the mean.",
        paper=LEFT,
        rule=f"The points are mean stays of {DWELLS[1] / 1000:g}, {DWELLS[2] / 1000:g} and {DWELLS[3] / 1000:g} s at a "
        f"rate, {MEAN_RATE / MILLION:g} Mb/s on average, each variant: goodput clearly lower. {PAIRED} {BY_SHARE}",
        judge=_changes_cost,
        command=command(RATES),
    ),
    Claim(
        key="F-14",
        where=f"{LATER}: wireless",
        text="Of such changes, slow ones cost least: a window has time to follow.",
        paper=LEFT,
        rule=f"The points are stays of {DWELLS[3] / 1000:g} s against shorter ones, each variant: goodput clearly "
        f"higher. {PAIRED} {BY_SHARE}",
        judge=_slow_changes_cost_least,
        command=command(RATES),
    ),
    Claim(
        key="F-15",
        where=f"{LATER}: wireless",
        text="Vegas, which needs no loss to find the rate, has most where it is constant and least where it changes.",
        paper=LEFT,
        rule="The points are the other variants: Vegas is clearly above each with the constant rate, and clearly below "
        f"it with each rate of F-13. {PAIRED} {BY_SHARE}",
        judge=_vegas_follows_worst,
        command=command(RATES, 'flows.1.transport.variant="vegas"', "flows.1.packet_size=1000"),
    ),
    Claim(
        key="F-16",
        where=f"{LATER}: wireless; ns-2.35",
        text="ns-2 delivers as much over such a last hop.",
        paper=DASH,
        rule=f"The points are NewReno and SACK with losses of {MODERATE[0] / MILLION:.1%} and "
        f"{MODERATE[-1] / MILLION:.0%} at random, and a rate of 8, 2 and 4 Mb/s in turn: packets delivered differ by "
        f"at most {AGREED:.0%}. {BY_SHARE}",
        judge=_ns2_agrees,
        command=command(STEPS),
    ),
)
"""Losses, rates, and ns-2."""
