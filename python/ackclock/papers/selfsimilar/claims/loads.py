"""What the paper says of its background, and what it announces: the Hurst parameter with respect to load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from ackclock.analysis import student_interval
from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim, Judgement, by_share
from ackclock.papers.reading import DASH, at, either, listed, run_command, shown
from ackclock.papers.selfsimilar.experiment import SOURCES
from ackclock.papers.selfsimilar.load_figures import ASYMPTOTIC
from ackclock.papers.selfsimilar.loads import CARRIED, LOADS, OTHERS, SMALL, USUAL, ns2_loads
from ackclock.papers.selfsimilar.traffic import BINS, ESTIMATORS, ON_OFF
from ackclock.papers.truth import NO, YES, apart, count, counted, every, near
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.observation import Observation

__all__ = ["LOAD_CLAIMS"]

PAPERS: Final = 0.8
"""The paper's Hurst parameter of the background."""
NEAR: Final = 0.05
"""How near one has to be to it, and two to each other."""
ROOM: Final = 2 * NEAR
"""By how much H may change over all loads and still be the same."""
_OWN: Final = ("K = 1", "K = 50")
"""The paper's method, with as many lags as it may mean."""
_LONG_SCALES: Final = ("local Whittle", "Abry-Veitch")
_SETTING: Final = "the bin"
_FILE: Final = "examples/onoff40.toml"
_RECORD: Final = "arrivals/10ms"

Place = tuple[str, float]


class HasBackground(Protocol):
    """Evidence with the background at several loads, and alone for longer."""

    @property
    def loads(self) -> Sequence[Observation]:
        """The background."""

    @property
    def times(self) -> Sequence[Observation]:
        """On/off sources, for long enough to see long scales."""


def _estimates(runs: Iterable[Observation], variant: str, count: int, methods: Sequence[str]) -> dict[Place, Interval]:
    """Give the Hurst parameter by method and bin."""
    some = [run for run in runs if run.variant == variant]
    return {
        (method, scale): at(some, variant, count, f"{method} {scale:g}")
        for method in methods
        for scale in BINS
        if any(run.clients == count and run.values.get(f"{method} {scale:g}") is not None for run in some)
    }


def _said(found: Mapping[Place, Interval]) -> str:
    """Write Hurst parameters, method by method."""
    methods = dict.fromkeys(method for method, _ in found)
    return "; ".join(
        f"{method}: "
        + ", ".join(
            f"{shown(interval, 2)} in {scale:g} s" for (other, scale), interval in found.items() if other == method
        )
        for method in methods
    )


def _bins(places: Sequence[Place]) -> str:
    return listed([f"{method} in {scale:g} s" for method, scale in places])


def _background(evidence: HasBackground) -> Judgement:
    ours = _estimates(evidence.loads, USUAL, SOURCES, _OWN)
    holds = {place: near(h, PAPERS, by=NEAR) for place, h in ours.items()}
    verdict, setting = either(list(holds.values()), _SETTING)
    where = [place for place, one in holds.items() if one is YES]
    means = [h.mean for h in ours.values()]
    return Judgement(
        verdict=verdict,
        setting=setting,
        ours=_said(ours),
        ns2=_said(_estimates(ns2_loads(), USUAL, SOURCES, _OWN)),
        why=f"The paper's method gives {min(means):.2f} to {max(means):.2f} of one and the same traffic; within "
        f"{NEAR:g} of {PAPERS:g} at {counted(holds.values(), 'points')}{f': {_bins(where)}' if where else ''}.",
        brief=f"The paper's method gives {min(means):.2f} to {max(means):.2f} of one and the same traffic, by its bin.",
    )


def _slopes(runs: Sequence[Observation]) -> dict[Place, Interval]:
    """Fit how much H changes from an empty link to a full one, seed by seed."""
    found = {}
    for method in ESTIMATORS:
        for scale in BINS:
            loads: dict[int, list[float]] = {}
            values: dict[int, list[float]] = {}
            for run in runs:
                h = run.values[f"{method} {scale:g}"]
                if run.variant == USUAL and h is not None:
                    loads.setdefault(run.seed, []).append(run.clients / 100)
                    values.setdefault(run.seed, []).append(h)
            # two loads at which a method said something are too few to tell a slope from chance
            slopes = [float(np.polyfit(some, values[seed], 1)[0]) for seed, some in loads.items() if len(some) > 2]
            if slopes:
                found[method, scale] = student_interval(slopes)
    return found


def _by_load(evidence: HasBackground) -> Judgement:
    ours, theirs = (_slopes(runs) for runs in (evidence.loads, ns2_loads()))
    stays = [near(change, 0, by=ROOM) for change in ours.values()]
    changes = [apart(change, 0, by=NEAR) for change in ours.values()]
    widest = max(ours, key=lambda place: abs(ours[place].mean))
    first, last = (at(evidence.loads, USUAL, count, "K = 50 0.1") for count in (LOADS[0], LOADS[-1]))
    return Judgement(
        verdict=by_share(stays),
        ours=f"from an empty link to a full one H changes by {_said(ours)}",
        ns2=_said(theirs),
        why=f"H clearly changes by more than {NEAR:g} at {count(changes)} of {len(changes)} points, and clearly by at "
        f"most {ROOM:g} at {counted(stays, 'points')}; the largest is {shown(ours[widest], 2)} ({_bins([widest])}). "
        f"With 50 lags and bins of 0.1 s H is {first.mean:.2f} at {LOADS[0]} % load and {last.mean:.2f} at {LOADS[-1]} "
        "%.",
    )


def _behind(evidence: HasBackground) -> Judgement:
    full = [run for run in evidence.loads if (run.variant, run.clients) == (USUAL, LOADS[-1])]
    changes = {}
    for method in _OWN:
        for scale in BINS:
            pairs = [(run.values[f"out {method} {scale:g}"], run.values[f"{method} {scale:g}"]) for run in full]
            changes[method, scale] = student_interval(
                [left - came for left, came in pairs if left is not None and came is not None]
            )
    stays = [near(change, 0, by=NEAR) for change in changes.values()]
    off = [place for place, stay in zip(changes, stays, strict=True) if stay is NO]
    loss = at(full, USUAL, LOADS[-1], "loss")
    return Judgement(
        verdict=by_share(stays),
        ours=f"H of what leaves less H of what comes, paired by seed: {_said(changes)}",
        ns2=DASH,
        why=f"At {LOADS[-1]} % load the link drops {100 * loss.mean:.1f} % of the packets, and H stays at "
        f"{counted(stays, 'points')}"
        + (f"; not by {_bins(off)}, where what leaves is cut at the link's rate." if off else "."),
        brief=f"Ten packets of buffer leave H as it is at {counted(stays, 'points')}.",
    )


def _shape(evidence: HasBackground) -> Judgement:
    found = {
        (method, scale): at(evidence.times, ON_OFF, SOURCES, f"{method} {scale:g}")
        for method in _LONG_SCALES
        for scale in BINS[-1:]
    }
    holds = [near(h, PAPERS, by=NEAR) for h in found.values()]
    theory = [near(h, ASYMPTOTIC, by=NEAR) for h in found.values()]
    return Judgement(
        verdict=by_share(holds),
        ours=f"over 1000 s, {_said(found)}",
        ns2=DASH,
        why=f"Theory gives (3 - shape) / 2 = {ASYMPTOTIC:g} for a shape of 1.2; within {NEAR:g} of that "
        f"are {counted(theory, 'methods')}. {PAPERS:g} would take a shape of {3 - 2 * PAPERS:g}.",
    )


def _left_open(evidence: HasBackground) -> Judgement:
    def differences(runs: Sequence[Observation]) -> dict[tuple[str, str, float], float]:
        """Give how far H lies from that of the usual background of 40 sources: the number of them does not matter."""
        usual = _estimates(runs, USUAL, SOURCES, _OWN)
        return {
            (variant, *place): h.mean - usual[place].mean
            for variant, count in OTHERS.items()
            for place, h in _estimates(runs, variant, count, _OWN).items()
        }

    def said(found: Mapping[tuple[str, str, float], float]) -> str:
        return "; ".join(
            f"{variant}, {method}: "
            + ", ".join(f"{found[variant, method, scale]:+.2f} in {scale:g} s" for scale in BINS)
            for variant in (SMALL, CARRIED)
            for method in _OWN
        )

    ours = differences(evidence.loads)
    usual = _estimates(evidence.loads, USUAL, SOURCES, _OWN)
    same = {
        (variant, *place): near(h, usual[place], by=NEAR)
        for variant, count in OTHERS.items()
        for place, h in _estimates(evidence.loads, variant, count, _OWN).items()
    }
    longer = every(holds for (_, _, scale), holds in same.items() if scale > BINS[0]) is YES
    parts = longer and NO in same.values()
    return Judgement(
        verdict=Verdict.DEPENDS if parts else by_share(list(same.values())),
        setting=_SETTING if parts else "",
        ours=said(ours),
        ns2=said(differences(ns2_loads())),
        why=f"H is the same at {counted(same.values(), 'points')}"
        + (f", and at all with bins above {BINS[0]:g} s: short bins see packets and windows." if longer else "."),
    )


def _command(*fields: str) -> str:
    return run_command(_FILE, fields, record=_RECORD)


LOAD_CLAIMS: Final[tuple[Claim[HasBackground], ...]] = (
    Claim(
        key="H-1",
        where="4",
        text="The background has a Hurst parameter of about 0.8.",
        paper="0.8",
        rule="By the paper's method with one lag and with 50 (a quarter of the bins where there are fewer than 200), "
        f"for 40 sources in bins of 0.01, 0.1, 0.5 and 1 s: reproduced if H is within {NEAR:g} of 0.8 in all of them; "
        f"depends on the bin if only in some; otherwise not reproduced. {ELSE_UNDECIDED}",
        judge=_background,
        command=_command(),
    ),
    Claim(
        key="H-2",
        where="4, Figure 2: announced, not reported",
        text="The background's Hurst parameter is the same at any load.",
        paper=DASH,
        rule="The points are the methods and bins that 100 s allow, by the slope of H over the load from 5 to 95 "
        f"sources, seed by seed: from an empty link to a full one H changes by at most {ROOM:g}. {BY_SHARE}",
        judge=_by_load,
        command=_command("flows.0.count=95"),
    ),
    Claim(
        key="H-3",
        where="4",
        text="Behind ten packets of buffer the background has the Hurst parameter that it came with.",
        paper=DASH,
        rule="The points are the bins, by the paper's method with one lag and with 50, at 95 sources, paired by seed: "
        f"H changes by at most {NEAR:g}. {BY_SHARE}",
        judge=_behind,
        command=_command("flows.0.count=95"),
    ),
    Claim(
        key="H-4",
        where="4",
        text="Pareto periods with a shape of 1.2 go with a Hurst parameter of 0.8.",
        paper="1.2 and 0.8",
        rule="The points are two methods that leave short scales out, of 40 sources over 1000 s in bins of 1 s: H is "
        f"within {NEAR:g} of 0.8. {BY_SHARE}",
        judge=_shape,
        command=run_command(_FILE, ["duration=1000 s"], record="arrivals/1s"),
    ),
    Claim(
        key="H-5",
        where="4",
        text="What the paper leaves open of the background, its packets and what carries them, does not matter for H.",
        paper=DASH,
        rule="The points are the bins, by the paper's method with one lag and with 50, for packets of 210 bytes and "
        f"for Tahoe as carrier: H is within {NEAR:g} of that of 1000 bytes over UDP. {BY_SHARE} It depends on the bin "
        f"if it holds in all bins above {BINS[0]:g} s and fails in shorter ones.",
        judge=_left_open,
        command=_command("flows.0.packet_size=210", "flows.0.source.rate=595.238"),
    ),
)
"""Of the background."""
