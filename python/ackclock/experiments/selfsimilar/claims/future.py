"""What is to be expected from low to high load and over a wireless last hop, and whether it comes.

The authors left both for later, so there is no number of theirs. What is asked is their conclusion, carried on, and
what theory says: Mathis et al. of independent losses, and what each recovery does with several losses in one window.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis import student_interval
from ackclock.experiments.claims import Claim, Judgement, by_share
from ackclock.experiments.reading import at, clearly, high, low, run_command, shown
from ackclock.experiments.selfsimilar.experiment import CONSTANT, GREEDY, VARIANTS, Setting, Variant
from ackclock.experiments.selfsimilar.future import (
    BURST,
    BURSTS,
    DWELLS,
    LOADS,
    LOSSES,
    MEAN_RATE,
    MILLION,
    RANDOM,
    RATES,
    RTT,
    STEPS,
    Future,
    Hop,
    ns2_runs,
)
from ackclock.experiments.summary import Topic
from ackclock.models import mathis
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.experiments.observation import Observation

__all__ = ["FUTURE_CLAIMS", "FUTURE_TOPICS", "paired", "to_mathis"]

DASH: Final = "–"  # noqa: RUF001 - for what was not measured

LOW, HIGH = LOADS[:3], LOADS[5:]
"""Sources that leave the 6.2 Mb/s of the constant rate, and that do not."""

CLUSTERED: Final = LOADS[1:6]
"""Sources whose packets are many enough to crowd the connection out, and few enough to leave it a window."""

MODERATE: Final = LOSSES[2:5]
"""Losses that decide, other than those of the background, and leave a window large enough to be recovered."""

NEAR: Final = 0.2
"""How far from Mathis et al. counts as there."""

ALIKE: Final = 0.01
"""The part by which two goodputs may differ and count as one."""

AGREED: Final = 0.05
"""The same between simulators."""

_PAIRED = "Clearly: the 95 % interval of the difference between runs over the same background leaves out 0."
_LEFT = "left for later"
_FILE, _FILE_OF_RATES = "examples/last_hop.toml", "examples/last_hop_rates.toml"


def paired(runs: Iterable[Observation], first: tuple[str, int], second: tuple[str, int], measure: str) -> Interval:
    """Give the mean difference of a measure, seed by seed: that of the first variant and place less the second.

    Raises
    ------
    LookupError
        If no seed has both.

    """
    found: dict[tuple[str, int], dict[int, float]] = {first: {}, second: {}}
    for run in runs:
        value = run.values.get(measure)
        if (run.variant, run.clients) in found and value is not None:
            found[run.variant, run.clients][run.seed] = value
    differences = [value - found[second][seed] for seed, value in found[first].items() if seed in found[second]]
    if not differences:
        raise LookupError(f"no run of {first} and {second} has it")
    return student_interval(differences)


def to_mathis(run: Observation) -> float | None:
    """Give goodput over what Mathis et al. predict for the loss and the empty round trip; None without a loss."""
    loss, goodput = run.values["loss"], run.values["goodput"]
    if not loss or goodput is None:
        return None
    return goodput * MILLION / 8000 / float(mathis(p=loss, rtt=RTT).rate)


def _above(runs: Sequence[Observation], first: tuple[str, int], second: tuple[str, int], measure: str) -> bool:
    return low(paired(runs, first, second, measure)) > 0


def _names(setting: Callable[[Variant], str]) -> dict[Variant, str]:
    return {variant: setting(variant) for variant in VARIANTS}


_OVER_LOAD = {
    reading.name: _names(lambda variant, reading=reading: Setting(reading=reading, variant=variant).name)  # type: ignore[misc]
    for reading in (GREEDY, CONSTANT)
}
_BY_KIND = {
    kind: _names(lambda variant, kind=kind: Hop(variant=variant, kind=kind, amount=0).name)  # type: ignore[misc]
    for kind in (RANDOM, BURSTS, RATES, STEPS)
}


def _told(runs: Sequence[Observation], names: Iterable[str], places: Sequence[int], measure: str, digits: int) -> str:
    return "; ".join(
        f"{name} " + ", ".join(shown(at(runs, name, place, measure), digits) for place in places) for name in names
    )


def _judged(holds: Sequence[bool], *, ours: str, why: str, ns2: str = DASH) -> Judgement:
    return Judgement(verdict=by_share(holds), ours=ours, ns2=ns2, why=why)


def _falls_with_load(future: Future) -> Judgement:
    runs, names = future.runs["load"], _OVER_LOAD[GREEDY.name].values()
    holds = [_above(runs, (name, fewer), (name, more), "goodput") for name in names for fewer, more in pairwise(LOADS)]
    return _judged(
        holds,
        ours=f"Mb/s at {LOADS[0]} and {LOADS[-1]} sources: " + _told(runs, names, (LOADS[0], LOADS[-1]), "goodput", 2),
        why=f"From one load to the next goodput clearly falls at {sum(holds)} of {len(holds)} steps.",
    )


def _newreno_first(measure: str, unit: str, digits: int) -> Callable[[Future], Judgement]:
    def judge(future: Future) -> Judgement:
        runs, names = future.runs["load"], _OVER_LOAD[GREEDY.name]
        beaten = {
            load: [
                VARIANTS[other]
                for other in VARIANTS
                if other != "newreno" and _above(runs, (names[other], load), (names["newreno"], load), measure)
            ]
            for load in LOADS
        }
        by = sorted({name for some in beaten.values() for name in some})
        return _judged(
            [not some for some in beaten.values()],
            ours=f"{unit} at {LOADS[0]}, {LOADS[3]} and {LOADS[-1]} sources: "
            + _told(runs, names.values(), (LOADS[0], LOADS[3], LOADS[-1]), measure, digits),
            why=f"Another variant is clearly above NewReno at {sum(map(bool, beaten.values()))} of {len(LOADS)} loads"
            + (
                ": " + ", ".join(f"{name} at {sum(name in some for some in beaten.values())}" for name in by)
                if by
                else ""
            )
            + ".",
        )

    return judge


def _alike_at_low_load(future: Future) -> Judgement:
    runs, names = future.runs["load"], _OVER_LOAD[CONSTANT.name].values()
    full = max(at(runs, name, LOADS[0], "goodput").mean for name in names)
    holds = [at(runs, name, load, "goodput").mean > (1 - ALIKE) * full for name in names for load in LOW]
    short = [high(at(runs, name, load, "goodput")) < (1 - ALIKE) * full for name in names for load in HIGH]
    return _judged(
        holds + short,
        ours=f"Mb/s at {LOW[-1]}, {LOADS[3]} and {HIGH[0]} sources: "
        + _told(runs, names, (LOW[-1], LOADS[3], HIGH[0]), "goodput", 2),
        why=f"Up to {LOW[-1]} sources the whole rate arrives at {sum(holds)} of {len(holds)} places, from {HIGH[0]} "
        f"sources on less at {sum(short)} of {len(short)}.",
    )


def _readings_meet(future: Future) -> Judgement:
    runs = future.runs["load"]
    ratios = {
        (variant, load): at(runs, _OVER_LOAD[CONSTANT.name][variant], load, "goodput").mean
        / at(runs, _OVER_LOAD[GREEDY.name][variant], load, "goodput").mean
        for variant in VARIANTS
        for load in HIGH
    }
    holds = [abs(ratio - 1) < ALIKE for ratio in ratios.values()]
    return _judged(
        holds,
        ours=f"constant rate over greedy: {min(ratios.values()):.3f} to {max(ratios.values()):.3f}",
        why=f"From {HIGH[0]} sources on it makes no difference at {sum(holds)} of {len(holds)} places what the source "
        "hands over: the connection is behind all the time.",
    )


def _losses_in_clusters(future: Future) -> Judgement:
    load, losses = future.runs["load"], future.runs["losses"]
    name, other = _OVER_LOAD[GREEDY.name]["sack"], _BY_KIND[RANDOM]["sack"]
    independent = at(losses, other, MODERATE[-1], to_mathis)
    found = {sources: at(load, name, sources, to_mathis) for sources in CLUSTERED}
    return _judged(
        [clearly(ratio, independent) is True for ratio in found.values()],
        ours=f"SACK's goodput over Mathis et al. at {CLUSTERED[0]} to {CLUSTERED[-1]} sources "
        + ", ".join(shown(ratio, 2) for ratio in found.values())
        + f"; where a hop loses {MODERATE[-1] / MILLION:.0%} at random {shown(independent, 2)}",
        why="What the background drops comes in clusters, of which a sender makes one reduction: at the same loss it "
        "gets more than under independent losses.",
    )


def _mathis(future: Future) -> Judgement:
    runs = future.runs["losses"]
    names = [_BY_KIND[RANDOM][variant] for variant in ("newreno", "sack")]
    found = {(name, loss): at(runs, name, loss, to_mathis) for name in names for loss in MODERATE}
    holds = [abs(ratio.mean - 1) < NEAR for ratio in found.values()]
    theirs = ns2_runs()
    return _judged(
        holds,
        ours="goodput over Mathis et al.: " + _ratios(runs, names, MODERATE),
        ns2="; ".join(
            f"{name} " + ", ".join(shown(_delivered(theirs, name, loss), 2) for loss in (MODERATE[0], MODERATE[-1]))
            for name in names
        )
        + f" (packets delivered, at {MODERATE[0] / MILLION:.1%} and {MODERATE[-1] / MILLION:.0%})",
        why=f"Within {NEAR:.0%} at {sum(holds)} of {len(holds)} places.",
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
    runs, names = future.runs["losses"], _BY_KIND[RANDOM].values()
    found = {name: _slope(runs, name, lambda run: run.values["loss"] or np.nan) for name in names}
    alone = {name: _slope(runs, name, lambda run: run.clients) for name in names}
    holds = [low(slope) >= -0.6 and high(slope) <= -0.4 for slope in found.values()]

    def words(slopes: Mapping[str, Interval]) -> str:
        return "; ".join(f"{name} {shown(slope, 2)}" for name, slope in slopes.items())

    return _judged(
        holds,
        ours=f"exponent of the loss: {words(found)}; of the hop's own loss alone: {words(alone)}",
        why=f"Its 95 % interval lies from -0.6 to -0.4 for {sum(holds)} of {len(holds)} variants. Where the hop loses "
        "little, much of the loss is the background's, in clusters that cost less than the same number alone: it is "
        "steeper than by the hop's own loss.",
    )


def _slope(runs: Iterable[Observation], name: str, along: Callable[[Observation], float]) -> Interval:
    """Fit a power of the loss to the goodput of each seed's runs with moderate losses at random."""
    own: dict[int, list[Observation]] = {}
    for run in runs:
        if run.variant == name and run.clients in MODERATE:
            own.setdefault(run.seed, []).append(run)
    return student_interval(
        [
            float(
                np.polyfit(np.log([along(run) for run in some]), np.log([run.values["goodput"] for run in some]), 1)[0]
            )
            for some in own.values()
        ]
    )


def _bursts_cost_less(future: Future) -> Judgement:
    runs, some = future.runs["losses"], MODERATE[:2]
    holds = {
        (variant, loss): _above(runs, (_BY_KIND[BURSTS][variant], loss), (_BY_KIND[RANDOM][variant], loss), "goodput")
        for variant in VARIANTS
        for loss in some
    }
    never = [name for variant, name in VARIANTS.items() if not any(holds[variant, loss] for loss in some)]
    return _judged(
        list(holds.values()),
        ours=f"Mb/s at {some[0] / MILLION:.1%} and {some[1] / MILLION:.1%}: "
        + _told(runs, [*_BY_KIND[RANDOM].values(), *_BY_KIND[BURSTS].values()], some, "goodput", 2),
        why=f"Bursts leave clearly more at {sum(holds.values())} of {len(holds)} places"
        + (f", and nowhere to {', '.join(never)}" if never else "")
        + ".",
    )


def _bursts_end_in_timeouts(future: Future) -> Judgement:
    runs, loss = future.runs["losses"], LOSSES[-1]
    holds = [
        _above(runs, (_BY_KIND[RANDOM][variant], loss), (_BY_KIND[BURSTS][variant], loss), "goodput")
        for variant in VARIANTS
    ]
    names = [*_BY_KIND[RANDOM].values(), *_BY_KIND[BURSTS].values()]
    return _judged(
        holds,
        ours=f"Mb/s at {loss / MILLION:.0%}: " + _told(runs, names, (loss,), "goodput", 2),
        why=f"Bursts leave clearly less to {sum(holds)} of {len(holds)} variants: such a channel turns good by packets "
        "sent, so that a lone one after each timeout often finds it bad again, and timeouts double.",
    )


def _sack_over_newreno(future: Future) -> Judgement:
    runs = future.runs["losses"]

    def clear(kind: str) -> list[bool]:
        names = _BY_KIND[kind]
        return [_above(runs, (names["sack"], loss), (names["newreno"], loss), "goodput") for loss in MODERATE]

    tied, ahead = [not one for one in clear(RANDOM)], clear(BURSTS)
    return _judged(
        tied + ahead,
        ours="Mb/s at "
        + ", ".join(f"{loss / MILLION:.1%}" for loss in MODERATE)
        + ": "
        + _told(
            runs,
            [_BY_KIND[kind][variant] for kind in (RANDOM, BURSTS) for variant in ("newreno", "sack")],
            MODERATE,
            "goodput",
            2,
        ),
        why=f"SACK is clearly above NewReno at {sum(ahead)} of {len(ahead)} losses in bursts, and at "
        f"{len(tied) - sum(tied)} of {len(tied)} at random.",
    )


def _vegas_under_losses(future: Future) -> Judgement:
    runs = future.runs["losses"]

    def first(kind: str, losses: Sequence[int]) -> list[bool]:
        names = _BY_KIND[kind]
        others = [name for variant, name in names.items() if variant != "vegas"]
        return [
            all(_above(runs, (names["vegas"], loss), (other, loss), "goodput") for other in others) for loss in losses
        ]

    lost, bursts = first(RANDOM, LOSSES[2:]), first(BURSTS, LOSSES[2:])
    return _judged(
        lost,
        ours="Mb/s at "
        + ", ".join(f"{loss / MILLION:.1%}" for loss in LOSSES[2:])
        + ": "
        + _told(runs, [_BY_KIND[RANDOM][variant] for variant in ("vegas", "sack")], LOSSES[2:], "goodput", 2),
        why=f"Vegas is clearly above all others at {sum(lost)} of {len(lost)} losses at random, where it cuts its "
        f"window by a quarter and not by half; in bursts at {sum(bursts)} of {len(bursts)}.",
    )


def _changes_cost(future: Future) -> Judgement:
    runs, names = future.runs["rates"], _BY_KIND[RATES].values()
    holds = [_above(runs, (name, 0), (name, dwell), "goodput") for name in names for dwell in DWELLS[1:]]
    return _judged(
        holds,
        ours=_by_dwell(runs),
        why=f"A rate that changes leaves clearly less than its mean, held, at {sum(holds)} of {len(holds)} places.",
    )


def _by_dwell(runs: Sequence[Observation]) -> str:
    words = ", ".join(f"{dwell / 1000:g} s" if dwell else "constant" for dwell in DWELLS)
    return f"Mb/s of {MEAN_RATE / MILLION:g} ({words}): " + _told(runs, _BY_KIND[RATES].values(), DWELLS, "goodput", 2)


def _slow_changes_cost_least(future: Future) -> Judgement:
    runs, names = future.runs["rates"], _BY_KIND[RATES].values()
    slow = DWELLS[-1]
    holds = [_above(runs, (name, slow), (name, dwell), "goodput") for name in names for dwell in DWELLS[1:-1]]
    return _judged(
        holds,
        ours=_by_dwell(runs),
        why=f"Stays of {slow // 1000} s leave clearly more than shorter ones at {sum(holds)} of {len(holds)} places.",
    )


def _vegas_follows_worst(future: Future) -> Judgement:
    runs, names = future.runs["rates"], _BY_KIND[RATES]
    first = [_above(runs, (names["vegas"], 0), (names[other], 0), "goodput") for other in names if other != "vegas"]
    last = [
        _above(runs, (names[other], dwell), (names["vegas"], dwell), "goodput")
        for dwell in DWELLS[1:]
        for other in names
        if other != "vegas"
    ]
    return _judged(
        first + last,
        ours=_by_dwell(runs),
        why=f"With a constant rate Vegas is clearly above {sum(first)} of {len(first)} others; with one that changes "
        f"others are clearly above it at {sum(last)} of {len(last)} places.",
    )


def _ns2_agrees(future: Future) -> Judgement:
    theirs, losses = ns2_runs(), future.runs["losses"]
    places = [
        (losses if kind == RANDOM else future.runs["steps"], _BY_KIND[kind][variant], amount)
        for variant in ("newreno", "sack")
        for kind, amount in ((RANDOM, MODERATE[0]), (RANDOM, MODERATE[-1]), (STEPS, 0))
    ]
    both = [(at(ours, name, place, "arrivals"), at(theirs, name, place, "arrivals")) for ours, name, place in places]
    holds = [abs(one.mean / other.mean - 1) < AGREED or clearly(one, other) is None for one, other in both]
    words = [f"{name}{f', {place / MILLION:.1%}' if place else ''}" for _, name, place in places]
    return Judgement(
        verdict=by_share(holds),
        ours="packets delivered: "
        + "; ".join(f"{word} {shown(one, 0)}" for word, (one, _) in zip(words, both, strict=True)),
        ns2="; ".join(f"{word} {shown(other, 0)}" for word, (_, other) in zip(words, both, strict=True)),
        why=f"Both deliver as much at {sum(holds)} of {len(holds)} places.",
    )


def _command(kind: str, *fields: str) -> str:
    return run_command(_FILE_OF_RATES if kind in (RATES, STEPS) else _FILE, fields)


def _sources(count: int) -> str:
    return _command(RANDOM, "links.2.loss.probability=0", f"flows.0.count={count}")


_LOADS_WORDS = f"at {', '.join(map(str, LOADS[:-1]))} and {LOADS[-1]} sources"
_ALL_OR_MOST = "Reproduced if at all, partly if at most; else not."
_LATER = "6, future work"

FUTURE_CLAIMS: tuple[Claim[Future], ...] = (
    Claim(
        key="F-1",
        where=f"{_LATER}: load",
        text="From low to high load a greedy connection gets less with each step, whatever the variant.",
        paper=_LEFT,
        rule=f"Of each variant, {_LOADS_WORDS}: goodput clearly falls from one to the next. {_PAIRED} {_ALL_OR_MOST}",
        judge=_falls_with_load,
        command=_sources(LOADS[-1]),
    ),
    Claim(
        key="F-2",
        where=f"6: load of the paper; {_LATER}",
        text="NewReno has the highest throughput, from low to high load.",
        paper="at one load",
        rule=f"A load counts if no other variant's goodput is clearly above NewReno's; greedy, {_LOADS_WORDS}. {_PAIRED} "
        f"{_ALL_OR_MOST}",
        judge=_newreno_first("goodput", "Mb/s", 2),
        command=_sources(LOADS[0]),
    ),
    Claim(
        key="F-3",
        where=f"6: load of the paper; {_LATER}",
        text="NewReno has the highest efficiency, from low to high load.",
        paper="at one load",
        rule=f"As F-2, of the paper's efficiency. {_ALL_OR_MOST}",
        judge=_newreno_first("efficiency", "efficiency", 4),
        command=_sources(LOADS[3]),
    ),
    Claim(
        key="F-4",
        where=f"{_LATER}: load",
        text="A source of 6.2 Mb/s is carried whole at low load and not at high load, whatever the variant.",
        paper=_LEFT,
        rule=f"Of each variant: the mean lies within {ALIKE:.0%} of the rate up to {LOW[-1]} sources, and the interval "
        f"below that from {HIGH[0]} on. {_ALL_OR_MOST}",
        judge=_alike_at_low_load,
        command=_sources(LOW[-1]),
    ),
    Claim(
        key="F-5",
        where=f"{_LATER}: load",
        text="At high load it makes no difference whether the source is greedy or of a fixed rate.",
        paper=_LEFT,
        rule=f"Of each variant from {HIGH[0]} sources on: the means differ by less than {ALIKE:.0%}. {_ALL_OR_MOST}",
        judge=_readings_meet,
        command=_sources(HIGH[0]),
    ),
    Claim(
        key="F-6",
        where=f"{_LATER}: load; Mathis et al.",
        text="Self-similar background makes losses in clusters: at the same loss a connection gets more than Mathis et al. "
        "say and independent losses leave it.",
        paper="1 / (RTT √(2p/3))",
        rule=f"SACK, {CLUSTERED[0]} to {CLUSTERED[-1]} sources: goodput over the formula, with the run's loss and "
        f"{1000 * RTT:g} ms, is clearly above (intervals apart) the same where a hop loses "
        f"{MODERATE[-1] / MILLION:.0%} at random. {_ALL_OR_MOST}",
        judge=_losses_in_clusters,
        command=_sources(CLUSTERED[1]),
    ),
    Claim(
        key="F-7",
        where=f"{_LATER}: wireless; Mathis et al.",
        text="Under random losses NewReno and SACK get what Mathis et al. say.",
        paper="1 / (RTT √(2p/3))",
        rule=f"Losses of {MODERATE[0] / MILLION:.1%} to {MODERATE[-1] / MILLION:.0%} at the last hop: goodput lies within "
        f"{NEAR:.0%} of the formula, with the run's loss (the background's too) and {1000 * RTT:g} ms. {_ALL_OR_MOST}",
        judge=_mathis,
        command=_command(RANDOM, 'flows.1.transport.variant="sack"'),
    ),
    Claim(
        key="F-8",
        where=f"{_LATER}: wireless; Mathis et al.",
        text="Goodput falls with the square root of the loss.",
        paper="-1/2",
        rule=f"Of each variant, over the losses of F-7: the exponent fitted to each seed's runs has its 95 % interval from "
        f"-0.6 to -0.4. {_ALL_OR_MOST}",
        judge=_exponent,
        command=_command(RANDOM, "links.2.loss.probability=0.01"),
    ),
    Claim(
        key="F-9",
        where=f"{_LATER}: wireless",
        text="The same loss in bursts costs less: a window with several losses is cut once.",
        paper=_LEFT,
        rule=f"Bursts of {BURST} packets on average against losses at random, {MODERATE[0] / MILLION:.1%} and "
        f"{MODERATE[1] / MILLION:.1%}, each variant: goodput clearly higher. {_PAIRED} {_ALL_OR_MOST}",
        judge=_bursts_cost_less,
        command=_command(BURSTS, 'links.2.loss={ kind = "gilbert-elliott", to_bad = 0.0002, to_good = 0.2 }'),
    ),
    Claim(
        key="F-10",
        where=f"{_LATER}: wireless",
        text="Where losses are many, bursts cost more: they end in timeouts.",
        paper=_LEFT,
        rule=f"As F-9 the other way round, {LOSSES[-1] / MILLION:.0%}. {_ALL_OR_MOST}",
        judge=_bursts_end_in_timeouts,
        command=_command(BURSTS, 'links.2.loss={ kind = "gilbert-elliott", to_bad = 0.0062, to_good = 0.2 }'),
    ),
    Claim(
        key="F-11",
        where=f"{_LATER}: wireless; RFC 6675, RFC 6582",
        text="SACK is above NewReno where losses come in bursts, and as good where they come alone.",
        paper=_LEFT,
        rule="Over the losses of F-7: SACK's goodput clearly above in bursts, and not clearly above at random. "
        f"{_PAIRED} {_ALL_OR_MOST}",
        judge=_sack_over_newreno,
        command=_command(
            BURSTS,
            'links.2.loss={ kind = "gilbert-elliott", to_bad = 0.0006, to_good = 0.2 }',
            'flows.1.transport.variant="sack"',
        ),
    ),
    Claim(
        key="F-12",
        where=f"{_LATER}: wireless; Brakmo and Peterson",
        text="Under random losses that congestion does not cause, Vegas gets most.",
        paper=_LEFT,
        rule=f"Losses of {LOSSES[2] / MILLION:.1%} and more, at random: its goodput is clearly above each other's. "
        f"{_PAIRED} {_ALL_OR_MOST}",
        judge=_vegas_under_losses,
        command=_command(RANDOM, 'flows.1.transport.variant="vegas"', "flows.1.packet_size=1000"),
    ),
    Claim(
        key="F-13",
        where=f"{_LATER}: wireless",
        text="A last hop whose rate changes carries less than one that holds the mean.",
        paper=_LEFT,
        rule=f"Mean stays of {DWELLS[1] / 1000:g}, {DWELLS[2] / 1000:g} and {DWELLS[3] / 1000:g} s at a rate, "
        f"{MEAN_RATE / MILLION:g} Mb/s on average, each variant: goodput clearly lower. {_PAIRED} {_ALL_OR_MOST}",
        judge=_changes_cost,
        command=_command(RATES),
    ),
    Claim(
        key="F-14",
        where=f"{_LATER}: wireless",
        text="Of such changes, slow ones cost least: a window has time to follow.",
        paper=_LEFT,
        rule=f"Stays of {DWELLS[3] / 1000:g} s against shorter ones, each variant: goodput clearly higher. {_PAIRED} "
        f"{_ALL_OR_MOST}",
        judge=_slow_changes_cost_least,
        command=_command(RATES),
    ),
    Claim(
        key="F-15",
        where=f"{_LATER}: wireless",
        text="Vegas, which needs no loss to find the rate, has most where it is constant and least where it changes.",
        paper=_LEFT,
        rule="Clearly above each other variant with the constant rate, and each other clearly above it with those of F-13. "
        f"{_PAIRED} {_ALL_OR_MOST}",
        judge=_vegas_follows_worst,
        command=_command(RATES, 'flows.1.transport.variant="vegas"', "flows.1.packet_size=1000"),
    ),
    Claim(
        key="F-16",
        where=f"{_LATER}: wireless; ns-2.35",
        text="ns-2 delivers as much over such a last hop.",
        paper=DASH,
        rule=f"NewReno and SACK, losses of {MODERATE[0] / MILLION:.1%} and {MODERATE[-1] / MILLION:.0%} at random, and a "
        f"rate of 8, 2 and 4 Mb/s in turn: mean packets delivered differ by less than {AGREED:.0%}, or by no more than "
        f"chance may do. {_ALL_OR_MOST}",
        judge=_ns2_agrees,
        command=_command(STEPS),
    ),
)
"""In order: load, losses, rates, ns-2."""

FUTURE_TOPICS: tuple[Topic, ...] = (
    Topic(
        key="F-2",
        leads={
            Verdict.REPRODUCED: "NewReno stays in front from low to high load.",
            Verdict.PARTLY: "NewReno stays in front at most loads.",
            Verdict.NOT: "NewReno does not stay in front from low to high load.",
        },
        also=("F-3",),
    ),
    Topic(
        key="F-11",
        leads={
            Verdict.REPRODUCED: "Over a wireless last hop SACK is worth having where losses come in bursts.",
            Verdict.PARTLY: "Over a wireless last hop SACK is mostly worth having where losses come in bursts.",
            Verdict.NOT: "Over a wireless last hop SACK is not worth more where losses come in bursts.",
        },
        also=("F-7", "F-9", "F-13"),
    ),
)
"""What the report tells first of these parts."""
