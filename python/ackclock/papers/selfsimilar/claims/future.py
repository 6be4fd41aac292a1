"""What is to be expected from low to high load, and whether it comes.

The authors left it for later, so there is no number of theirs. What is asked is their conclusion, carried on, and what
theory says: Mathis et al. of independent losses, and what each recovery does with several losses in one window.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from ackclock.papers.claims import BY_SHARE, Claim, Judgement
from ackclock.papers.reading import at, shown
from ackclock.papers.selfsimilar.claims.future_reading import (
    BY_KIND,
    LATER,
    LEFT,
    MODERATE,
    OVER_LOAD,
    PAIRED,
    clearly_above,
    command,
    judged,
    paired,
    to_mathis,
    told_at,
)
from ackclock.papers.selfsimilar.claims.last_hop import LAST_HOP
from ackclock.papers.selfsimilar.experiment import CONSTANT, GREEDY, VARIANTS
from ackclock.papers.selfsimilar.future import (
    LOADS,
    MILLION,
    RANDOM,
    RTT,
    Future,
)
from ackclock.papers.selfsimilar.paired import TIE
from ackclock.papers.summary import Topic
from ackclock.papers.truth import above, below, count, counted, near, some
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["FUTURE_CLAIMS", "FUTURE_TOPICS"]

LOW, HIGH = LOADS[:3], LOADS[5:]
"""Sources that leave the 6.2 Mb/s of the constant rate, and that do not."""

CLUSTERED: Final = LOADS[1:6]
"""Sources whose packets are many enough to crowd the connection out, and few enough to leave it a window."""

ALIKE: Final = 0.01
"""The part by which two goodputs may differ and count as one."""

SAME_EFFICIENCY: Final = 0.0002
"""The same of efficiencies: half of the least difference that the paper calls one."""


def _falls_with_load(future: Future) -> Judgement:
    runs, names = future.runs["load"], OVER_LOAD[GREEDY.name].values()
    holds = [
        clearly_above(runs, (name, fewer), (name, more), "goodput") for name in names for fewer, more in pairwise(LOADS)
    ]
    return judged(
        holds,
        ours=f"Mb/s at {LOADS[0]} and {LOADS[-1]} sources: "
        + told_at(runs, names, (LOADS[0], LOADS[-1]), "goodput", 2),
        why=f"From one load to the next goodput clearly falls at {counted(holds, 'steps')}.",
    )


def _newreno_first(measure: str, unit: str, digits: int, *, tie: float) -> Callable[[Future], Judgement]:
    def judge(future: Future) -> Judgement:
        runs, names = future.runs["load"], OVER_LOAD[GREEDY.name]
        ahead = {
            load: {
                VARIANTS[other]: clearly_above(runs, (names[other], load), (names["newreno"], load), measure, tie=tie)
                for other in VARIANTS
                if other != "newreno"
            }
            for load in LOADS
        }
        beaten = [some(each.values()) for each in ahead.values()]
        by = {name: count(each[name] for each in ahead.values()) for name in ahead[LOADS[0]]}
        return judged(
            [~one for one in beaten],
            ours=f"{unit} at {LOADS[0]}, {LOADS[3]} and {LOADS[-1]} sources: "
            + told_at(runs, names.values(), (LOADS[0], LOADS[3], LOADS[-1]), measure, digits),
            why=f"By {measure}, another variant is clearly more than {tie:g} of it above NewReno at "
            + counted(beaten, "loads")
            + "".join(f"; {name} at {times}" for name, times in sorted(by.items()) if times)
            + ".",
        )

    return judge


def _alike_at_low_load(future: Future) -> Judgement:
    runs, names = future.runs["load"], OVER_LOAD[CONSTANT.name].values()
    full = max(at(runs, name, LOADS[0], "goodput").mean for name in names)
    holds = [above(at(runs, name, load, "goodput"), (1 - ALIKE) * full) for name in names for load in LOW]
    short = [below(at(runs, name, load, "goodput"), (1 - ALIKE) * full) for name in names for load in HIGH]
    return judged(
        holds + short,
        ours=f"Mb/s at {LOW[-1]}, {LOADS[3]} and {HIGH[0]} sources: "
        + told_at(runs, names, (LOW[-1], LOADS[3], HIGH[0]), "goodput", 2),
        why=f"Up to {LOW[-1]} sources the whole rate arrives at {counted(holds, 'points')}, from {HIGH[0]} "
        f"sources on clearly less at {counted(short, 'points')}.",
    )


def _readings_meet(future: Future) -> Judgement:
    runs = future.runs["load"]
    ratios = {
        (variant, load): at(runs, OVER_LOAD[CONSTANT.name][variant], load, "goodput").mean
        / at(runs, OVER_LOAD[GREEDY.name][variant], load, "goodput").mean
        for variant in VARIANTS
        for load in HIGH
    }
    holds = [
        near(
            paired(runs, (constant, load), (greedy, load), "goodput"),
            0,
            by=ALIKE * at(runs, greedy, load, "goodput").mean,
        )
        for constant, greedy in zip(OVER_LOAD[CONSTANT.name].values(), OVER_LOAD[GREEDY.name].values(), strict=True)
        for load in HIGH
    ]
    return judged(
        holds,
        ours=f"constant rate over greedy: {min(ratios.values()):.3f} to {max(ratios.values()):.3f}",
        why=f"From {HIGH[0]} sources on it makes no difference at {counted(holds, 'points')} what the source "
        "hands over: the connection is behind all the time.",
    )


def _losses_in_clusters(future: Future) -> Judgement:
    load, losses = future.runs["load"], future.runs["losses"]
    name, other = OVER_LOAD[GREEDY.name]["sack"], BY_KIND[RANDOM]["sack"]
    independent = at(losses, other, MODERATE[-1], to_mathis)
    found = {sources: at(load, name, sources, to_mathis) for sources in CLUSTERED}
    return judged(
        [above(ratio, independent) for ratio in found.values()],
        ours=f"SACK's goodput over Mathis et al. at {CLUSTERED[0]} to {CLUSTERED[-1]} sources "
        + ", ".join(shown(ratio, 2) for ratio in found.values())
        + f"; where a hop loses {MODERATE[-1] / MILLION:.0%} at random {shown(independent, 2)}",
        why="What the background drops comes in clusters, of which a sender makes one reduction: at the same loss it "
        "gets more than under independent losses.",
    )


def _sources(count: int) -> str:
    return command(RANDOM, "links.2.loss.probability=0", f"flows.0.count={count}")


_LOADS_WORDS = f"at {', '.join(map(str, LOADS[:-1]))} and {LOADS[-1]} sources"

_OVER_LOADS: tuple[Claim[Future], ...] = (
    Claim(
        key="F-1",
        where=f"{LATER}: load",
        text="From low to high load a greedy connection gets less with each step, whatever the variant.",
        paper=LEFT,
        rule=f"The points are the steps of each variant, {_LOADS_WORDS}: goodput clearly falls from one to the next. "
        f"{PAIRED} {BY_SHARE}",
        judge=_falls_with_load,
        command=_sources(LOADS[-1]),
    ),
    Claim(
        key="F-2",
        where=f"6: load of the paper; {LATER}",
        text="NewReno has the highest throughput, from low to high load.",
        paper="at one load",
        rule=f"The points are the loads, {_LOADS_WORDS}: no other variant's goodput is more than {TIE:.0%} above "
        "NewReno's; all are greedy. "
        f"{PAIRED} {BY_SHARE}",
        judge=_newreno_first("goodput", "Mb/s", 2, tie=TIE),
        command=_sources(LOADS[0]),
    ),
    Claim(
        key="F-3",
        where=f"6: load of the paper; {LATER}",
        text="NewReno has the highest efficiency, from low to high load.",
        paper="at one load",
        rule=f"As F-2, of the paper's efficiency, with a tie of {SAME_EFFICIENCY:.2%}. {BY_SHARE}",
        judge=_newreno_first("efficiency", "efficiency", 4, tie=SAME_EFFICIENCY),
        command=_sources(LOADS[3]),
    ),
    Claim(
        key="F-4",
        where=f"{LATER}: load",
        text="A source of 6.2 Mb/s is carried whole at low load and not at high load, whatever the variant.",
        paper=LEFT,
        rule=f"The points are the loads of each variant: goodput is within {ALIKE:.0%} of the rate up to {LOW[-1]} "
        f"sources, and clearly below that from {HIGH[0]} on. {BY_SHARE}",
        judge=_alike_at_low_load,
        command=_sources(LOW[-1]),
    ),
    Claim(
        key="F-5",
        where=f"{LATER}: load",
        text="At high load it makes no difference whether the source is greedy or of a fixed rate.",
        paper=LEFT,
        rule=f"The points are those of each variant from {HIGH[0]} sources on: goodput differs by at most {ALIKE:.0%}. "
        f"{BY_SHARE}",
        judge=_readings_meet,
        command=_sources(HIGH[0]),
    ),
    Claim(
        key="F-6",
        where=f"{LATER}: load; Mathis et al.",
        text="Self-similar background makes losses in clusters: at the same loss a connection gets more than Mathis "
        "et al. say and independent losses leave it.",
        paper="1 / (RTT √(2p/3))",
        rule=f"The points are SACK's with {CLUSTERED[0]} to {CLUSTERED[-1]} sources: goodput over the formula, with "
        f"the run's loss and {1000 * RTT:g} ms, is clearly above the same where a hop loses "
        f"{MODERATE[-1] / MILLION:.0%} at random. {BY_SHARE}",
        judge=_losses_in_clusters,
        command=_sources(CLUSTERED[1]),
    ),
)

FUTURE_CLAIMS: tuple[Claim[Future], ...] = (*_OVER_LOADS, *LAST_HOP)
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
