"""What the paper says of self-similar traffic itself: Table 1, the measures of section 2, and what is multiplexed."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from ackclock.papers.claims import ELSE_UNDECIDED, Claim, Judgement, graded
from ackclock.papers.reading import DASH, along, at, either, jackknife, listed, run_command, shown
from ackclock.papers.selfsimilar.claims.loads import LOAD_CLAIMS
from ackclock.papers.selfsimilar.experiment import SOURCES
from ackclock.papers.selfsimilar.load_figures import ASYMPTOTIC
from ackclock.papers.selfsimilar.scales import over_counts, over_scales, variance
from ackclock.papers.selfsimilar.traffic import COUNTS, LADDER, NOISE, ON_OFF, POISSON
from ackclock.papers.summary import Topic
from ackclock.papers.truth import NO, YES, Truth, above, below, count, every, near, some
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.observation import Observation
    from ackclock.papers.selfsimilar.scales import Scales

__all__ = ["SCALES_CLAIMS", "SCALES_TOPICS", "TABLE_1"]

INDEPENDENT: Final = -0.5
"""The power by which the c.o.v. of independent bins falls with their length, and that of independent sources with their
number."""
HALF: Final = INDEPENDENT / 2
"""A c.o.v. that falls with a power below is smoothed, one that falls with a power above keeps its peaks."""
EXACT: Final = 0.02
"""How near a power has to be to one that theory gives."""
NEAR: Final = 0.1
"""How near a Hurst parameter has to be to that of theory, or a c.o.v. to Poisson's."""
SAME: Final = 0.05
"""How near Hurst parameters have to be to be called the same."""
GROWS: Final = 10
"""A measure that grows by so much over the time scales has no one value."""
COMPARED: Final = (0.1, 1.0, 10.0)
"""Seconds: the time scales at which sources are multiplexed."""
LONG: Final = (1.0, 2.0, 5.0, 10.0)
"""Seconds: the time scales beyond a period."""
SETTING: Final = "what stays as sources are added"
_FILE: Final = "examples/onoff40.toml"
_LONGER: Final = "duration=1000 s"
_WIDE: Final = "links.0.rate=1 Gbps"
_POISSON: Final = 'flows.0.source={kind = "poisson", rate = 62.5}'
_RECORD: Final = "arrivals/10ms"


class HasTraffic(Protocol):
    """Evidence with traffic over time scales and numbers of sources."""

    @property
    def times(self) -> Sequence[Observation]:
        """The three kinds over time scales."""

    @property
    def gaps(self) -> Sequence[Observation]:
        """The same by the times between packets."""

    @property
    def alike(self) -> Sequence[Observation]:
        """Sources of one rate each."""

    @property
    def shared(self) -> Sequence[Observation]:
        """Sources that share a rate."""


def _times(found: HasTraffic, kind: str, measure: str, scale: float) -> Interval:
    return at(found.times, kind, SOURCES, f"{measure}_{scale:g}")


def _ends(found: HasTraffic, kind: str, measure: str, digits: int) -> str:
    """Write a measure at the shortest and the longest time scale."""
    first, last = (_times(found, kind, measure, scale) for scale in (LADDER[0], LADDER[-1]))
    return f"{shown(first, digits)} in {LADDER[0]:g} s, {shown(last, digits)} in {LADDER[-1]:g} s"


def _poisson_peaks(found: HasTraffic) -> Judgement:
    power = over_scales(found.times, POISSON, "cov", LADDER)
    return Judgement(
        verdict=graded(whole=near(power, INDEPENDENT, by=EXACT), part=below(power, HALF)),
        ours=f"c.o.v. {_ends(found, POISSON, 'cov', 4)}: it falls with the power {shown(power, 3)} of the bin; "
        f"peak over mean {_ends(found, POISSON, 'peak', 2)}",
        ns2=DASH,
        why=f"The c.o.v. of Poisson traffic falls with the power {power.mean:.3f} of the bin; 1 / √mean gives -0.5.",
    )


def _lasting_peaks(found: HasTraffic) -> Judgement:
    powers = {kind: over_scales(found.times, kind, "cov", LADDER) for kind in (ON_OFF, NOISE)}
    holds = [above(power, HALF) for power in powers.values()]
    longest = LADDER[-1]
    ratio = _times(found, ON_OFF, "cov", longest).mean / _times(found, POISSON, "cov", longest).mean
    return Judgement(
        verdict=graded(whole=every(holds), part=some(holds)),
        ours="; ".join(
            f"{kind}: c.o.v. {_ends(found, kind, 'cov', 3)}, power {shown(power, 3)}" for kind, power in powers.items()
        ),
        ns2=DASH,
        why=f"In bins of {longest:g} s on/off traffic has {ratio:.1f} times the c.o.v. of Poisson traffic with its "
        "mean; peaks become smaller at larger scales here too, but slowly.",
    )


def _powers(runs: Sequence[Observation], kind: str) -> dict[float, Interval]:
    """Give the power of the number of sources that the c.o.v. goes with, by the time scale."""

    def power(scale: float) -> Interval:
        return over_counts(runs, kind, lambda run: run.values[f"cov_{scale:g}"] or np.nan)

    return {scale: power(scale) for scale in COMPARED}


def _said(powers: dict[float, Interval]) -> str:
    return ", ".join(f"{shown(power, 2)} in {scale:g} s" for scale, power in powers.items())


def _smoothed(powers: dict[float, Interval]) -> Truth:
    return every(below(power, HALF) for power in powers.values())


def _poisson_multiplexed(found: HasTraffic) -> Judgement:
    alike, shared = (_powers(runs, POISSON) for runs in (found.alike, found.shared))
    holds = [_smoothed(powers) for powers in (alike, shared)]
    verdict, setting = either(holds, SETTING)
    said = {YES: "do", NO: "do not"}
    return Judgement(
        verdict=verdict,
        setting=setting,
        ours=f"power of the number of sources that the c.o.v. goes with: {_said(alike)} with sources of one rate "
        f"each; {_said(shared)} with sources that share a rate",
        ns2=DASH,
        why=f"More Poisson sources of one rate each {said.get(holds[0], 'may')} average peaks out; the same "
        f"traffic divided among more of them {'does too' if holds[1] is YES else 'is the same Poisson traffic'}.",
    )


def _kept(found: HasTraffic, *, shared: bool) -> Judgement:
    """Judge whether on/off traffic is not smoothed."""
    powers = _powers(found.shared if shared else found.alike, ON_OFF)
    kept = [above(power, HALF) for power in powers.values()]
    worse = [above(power, 0) for power in powers.values()]
    first, last = (
        at(found.shared if shared else found.alike, ON_OFF, count, "cov_1") for count in (COUNTS[0], COUNTS[-1])
    )
    return Judgement(
        verdict=graded(whole=every(worse), part=every(kept)),
        ours=f"the c.o.v. goes with the power {_said(powers)} of the number of sources; "
        f"in 1 s {shown(first, 3)} of {COUNTS[0]} source, {shown(last, 3)} of {COUNTS[-1]}",
        ns2=DASH,
        why=f"In bins of 1 s {COUNTS[-1]} sources have {last.mean / first.mean:.2f} of the c.o.v. of one: independent "
        f"sources, heavy tails or not, would have {COUNTS[-1] ** INDEPENDENT:.2f}.",
    )


def _in_packets(found: HasTraffic) -> Judgement:
    powers = {
        kind: over_counts(found.alike, kind, lambda run: variance(run, COMPARED[1])) for kind in (ON_OFF, POISSON)
    }
    grows, differs = above(powers[ON_OFF], 0), above(powers[ON_OFF], powers[POISSON])
    return Judgement(
        verdict=graded(whole=grows & differs, part=grows),
        ours=f"variance of the packets in 1 s goes with the power {shown(powers[ON_OFF], 2)} of the number of on/off "
        f"sources, {shown(powers[POISSON], 2)} of Poisson sources",
        ns2=DASH,
        why="Counted in packets, peaks grow with the number of sources, "
        + (
            "faster than Poisson's."
            if differs is YES
            else "as Poisson's do: it is no clear difference between the two."
        ),
    )


def _memory_kept(found: HasTraffic) -> Judgement:
    hurst = {kind: along(found.alike, kind, COUNTS, "local Whittle 0.1") for kind in (ON_OFF, POISSON)}
    means = [interval.mean for interval in hurst[ON_OFF].values()]
    spread = max(means) - min(means)
    apart = every(above(hurst[ON_OFF][count], hurst[POISSON][count], by=SAME) for count in COUNTS)
    even = every(near(one, other, by=SAME) for one, other in combinations(hurst[ON_OFF].values(), 2))
    return Judgement(
        verdict=graded(whole=apart & even, part=apart),
        ours="; ".join(
            f"{kind}: H " + ", ".join(f"{shown(points[count], 2)} of {count}" for count in (COUNTS[0], COUNTS[-1]))
            for kind, points in hurst.items()
        ),
        ns2=DASH,
        why=f"From {COUNTS[0]} to {COUNTS[-1]} on/off sources H differs by {spread:.2f}"
        + (
            ": longer bins smooth as little as of one source."
            if apart is YES
            else ", and is not always that much above Poisson's."
        ),
    )


def _growth(runs: Sequence[Observation]) -> float:
    values = [np.mean([run.values[f"dispersion_{scale:g}"] or 0.0 for run in runs]) for scale in LADDER]
    return float(max(values) / min(values))


def _one_number(found: HasTraffic) -> Judgement:
    def growth(kind: str) -> Interval:
        return jackknife([run for run in found.times if run.variant == kind], _growth)

    power = over_scales(found.times, ON_OFF, "dispersion", LONG)
    h = (1 + power.mean) / 2
    blind = above(growth(ON_OFF), GROWS) & below(growth(POISSON), GROWS)
    tells = near(power, 2 * ASYMPTOTIC - 1, by=2 * NEAR)  # it grows with the power 2H - 1
    return Judgement(
        verdict=graded(whole=blind & ~tells, part=blind),
        ours=f"index of dispersion, on/off: {_ends(found, ON_OFF, 'dispersion', 2)}; Poisson: "
        f"{_ends(found, POISSON, 'dispersion', 2)}; peak over mean, on/off: {_ends(found, ON_OFF, 'peak', 2)}",
        ns2=DASH,
        why=f"Over the bins the index of dispersion changes by a factor of {growth(ON_OFF).mean:.0f} for on/off "
        f"traffic and {growth(POISSON).mean:.2f} for Poisson traffic"
        + (
            f"; told with its time scale it says what H does: it grows with the power 2H - 1 for H = {h:.2f}."
            if tells is YES
            else f", and its growth gives H = {h:.2f}."
        ),
    )


def _between_packets(found: HasTraffic) -> Judgement:
    gaps = {kind: at(found.gaps, kind, SOURCES, "cov") for kind in (POISSON, ON_OFF, NOISE)}
    blind = [near(gaps[kind], gaps[POISSON], by=NEAR) for kind in (ON_OFF, NOISE)]
    return Judgement(
        verdict=graded(whole=every(blind), part=some(blind)),
        ours=listed([f"{shown(interval, 3)} ({kind})" for kind, interval in gaps.items()]),
        ns2=DASH,
        why="By the c.o.v. of the times between packets "
        + ("none is", "one is", "both are")[count(blind)]
        + f" clearly within {NEAR:g} of Poisson traffic, which they have nothing in common with beyond a second.",
    )


def _traffic_command(*fields: str) -> str:
    return run_command(_FILE, [_WIDE, _LONGER, *fields], record=_RECORD)


TABLE_1: Final[tuple[Claim[HasTraffic], ...]] = (
    Claim(
        key="T1-1",
        where="Table 1",
        text="Peaks of Poisson traffic exist at small time scales but decrease in larger ones.",
        paper="decrease",
        rule="By the power of the bin, from 0.01 to 10 s, that the c.o.v. of 40 sources goes with: reproduced if it is "
        f"within {EXACT:g} of -1/2; partly if it is clearly below {HALF:g}; otherwise not reproduced. {ELSE_UNDECIDED}",
        judge=_poisson_peaks,
        command=_traffic_command(_POISSON),
    ),
    Claim(
        key="T1-2",
        where="Table 1; 2",
        text="Peaks of self-similar traffic exist in all time scales.",
        paper="in all time scales",
        rule="By the same power of 40 on/off sources and of Gaussian noise: reproduced if both are clearly above "
        f"{HALF:g}, half of what bins without memory give; partly if one is; otherwise not reproduced. "
        f"{ELSE_UNDECIDED}",
        judge=_lasting_peaks,
        command=_traffic_command(),
    ),
    Claim(
        key="T1-3",
        where="Table 1",
        text="Multiplexing averages out the peaks of Poisson traffic.",
        paper="averages out",
        rule="By the power of the number of sources, 1 to 256, that the c.o.v. goes with in 0.1, 1 and 10 s: "
        f"reproduced if it is clearly below {HALF:g} both for sources of one rate each and for sources that share a "
        "rate; depends on which if for one of the two; otherwise not reproduced. " + ELSE_UNDECIDED,
        judge=_poisson_multiplexed,
        command=_traffic_command(_POISSON, "flows.0.count=256"),
    ),
    Claim(
        key="T1-4",
        where="Table 1, by relative peaks of sources of one rate each",
        text="Multiplexing does not smooth the peaks of self-similar traffic, but makes them worse.",
        paper="does not smooth, makes worse",
        rule="By the same power of on/off sources of one rate each: reproduced if it is clearly above 0 at the three "
        f"scales; partly if clearly above {HALF:g}; otherwise not reproduced. {ELSE_UNDECIDED}",
        judge=lambda found: _kept(found, shared=False),
        command=_traffic_command("flows.0.count=256"),
    ),
    Claim(
        key="T1-5",
        where="Table 1, by relative peaks of sources that share a rate",
        text="Dividing the same self-similar traffic among more sources does not smooth its peaks.",
        paper="does not smooth, makes worse",
        rule="As T1-4, of sources that have 2500 packets a second together.",
        judge=lambda found: _kept(found, shared=True),
        command=_traffic_command("flows.0.count=256", "flows.0.source.rate=19.53125"),
    ),
    Claim(
        key="T1-6",
        where="Table 1, by peaks in packets",
        text="Multiplexing makes the peaks of self-similar traffic worse, counted in packets, other than Poisson's.",
        paper="makes worse",
        rule="By the power of the number of sources of one rate each that the variance of the packets in 1 s goes "
        "with: reproduced if it is clearly above 0 and above that of Poisson sources; partly if above 0; otherwise not "
        f"reproduced. {ELSE_UNDECIDED}",
        judge=_in_packets,
        command=_traffic_command("flows.0.count=256"),
    ),
    Claim(
        key="T1-7",
        where="Table 1, by time scales",
        text="Multiplexing does not take the memory away: over time scales the sum is as rough as its parts.",
        paper="does not smooth",
        rule="By the Hurst parameter (local Whittle, bins of 0.1 s) of 1 to 256 sources: reproduced if on/off sources "
        f"are above Poisson sources by more than {SAME:g} at each number and differ by {SAME:g} or less; partly if by "
        f"more; otherwise not reproduced. {ELSE_UNDECIDED}",
        judge=_memory_kept,
        command=_traffic_command("flows.0.count=256"),
    ),
    Claim(
        key="2-1",
        where="2, after Stallings",
        text="The index of dispersion is no longer meaningful for self-similar traffic.",
        paper="no longer meaningful",
        rule="Reproduced if over bins of 0.01 to 10 s the index of dispersion changes by more than a factor of "
        f"{GROWS} for on/off traffic only, and its growth from 1 to 10 s does not tell H within {NEAR:g} of "
        "(3 - shape) / 2; partly if it does, for then it means something at a stated time scale; otherwise not "
        f"reproduced. {ELSE_UNDECIDED} The "
        "peak over the mean, of which the paper says the same, is given and not judged: it grows with a run's length.",
        judge=_one_number,
        command=_traffic_command(),
    ),
    Claim(
        key="2-2",
        where="2, after Stallings",
        text="The c.o.v. of the times between packets is no longer meaningful for self-similar traffic.",
        paper="no longer meaningful",
        rule=f"Reproduced if that of 40 on/off sources and that of Gaussian noise are within {NEAR:g} of that of "
        "Poisson traffic, which it so does not tell them from; partly if one is; otherwise not reproduced. "
        + ELSE_UNDECIDED,
        judge=_between_packets,
        command=run_command(_FILE, [_WIDE], record="packets"),
    ),
)
"""Of section 2."""

SCALES_CLAIMS: Final[tuple[Claim[Scales], ...]] = (*TABLE_1, *LOAD_CLAIMS)
"""Of traffic itself: Table 1 and section 2, then the background."""

SCALES_TOPICS: Final = (
    Topic(
        key="T1-2",
        leads={
            Verdict.REPRODUCED: "Self-similar traffic has its peaks at all time scales.",
            Verdict.PARTLY: "Some of what is called self-similar traffic has its peaks at all time scales.",
            Verdict.NOT: "Traffic with heavy tails becomes flat over longer times, as Poisson traffic does.",
        },
        also=("T1-1",),
    ),
    Topic(
        key="T1-4",
        leads={
            Verdict.REPRODUCED: "Multiplexing makes the peaks of self-similar traffic worse.",
            Verdict.PARTLY: "Multiplexing hardly smooths self-similar traffic.",
            Verdict.NOT: "Multiplexing does smooth self-similar traffic, as it does Poisson traffic; time does not.",
        },
        also=("T1-7",),
    ),
    Topic(
        key="H-1",
        leads={
            Verdict.REPRODUCED: "The background has the Hurst parameter that the paper gives.",
            Verdict.DEPENDS: "Whether the background has the paper's Hurst parameter depends on the bin.",
            Verdict.NOT: "The background does not have the paper's Hurst parameter.",
        },
        also=("H-3", "H-4"),
    ),
    Topic(
        key="H-2",
        leads={
            Verdict.REPRODUCED: "The background's Hurst parameter is the same at any load.",
            Verdict.PARTLY: "By most methods the background's Hurst parameter is the same at any load.",
            Verdict.NOT: "It does not show that the background's Hurst parameter is the same at any load.",
        },
    ),
)
"""What matters most of them."""
