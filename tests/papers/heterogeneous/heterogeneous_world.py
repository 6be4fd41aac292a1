"""Synthetic runs in which every claim of the papers on Reno and Vegas clients holds, and what makes each claim fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.papers.burstiness import burstiness_world as alone
from tests.support.worlds import World, changed, put, runs_of, times

from ackclock.papers.burstiness.experiment import CAPACITY, PAPERS_CLIENTS, WEIGHTS
from ackclock.papers.characterization.study import PAPER as SHORT
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.heterogeneous.evidence import paired, theirs
from ackclock.papers.heterogeneous.experiment import LATE, SATURATED, SCENES, Scene, variants
from ackclock.papers.heterogeneous.stochastic import OPEN, SMALL
from ackclock.papers.heterogeneous.study import PAPER
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.support.worlds import Change

    from ackclock.papers.core.evidence import Row

    Values = dict[str, Any]

SEEDS = (1, 2, 3)

# Goodput of added Vegas clients relative to added Reno clients on a full link, by background and gateway.
EDGES = {
    (20, 50): {"": 1.30, "/RED": 1.35},
    (20, 1500): {"": 1.02, "/RED1": 1.02, "/RED2": 1.045},
    (40, 50): {"": 1.20, "/RED": 1.25},
    (40, 1500): {"": 1.02, "/RED1": 1.02, "/RED2": 1.045},
}
# Reno's loss, and the share of it that Vegas also loses: smaller with the large buffer.
LOSS = {50: {"": 0.02, "/RED": 0.025}, 1500: {"": 0.0, "/RED1": 0.001, "/RED2": 0.002}}
KEPT = {50: 0.9, 1500: 0.2}


def world(scene: Scene, variant: str, added: int, *, edge: float | None = None) -> Values:
    """Make a synthetic run in which every claim of the papers holds."""
    protocol, slash, rest = variant.partition("/")
    gateway, vegas = slash + rest, protocol == "Vegas"
    clients, full = scene.background + added, scene.background + added > SATURATED
    gain = (edge or EDGES[scene.background, scene.buffer][gateway]) if vegas and full else 1.0
    red = 0.95 if gateway else 1.0
    each = 1.0 if not full else CAPACITY / clients / 20_000
    own = 20_000 * added * each * gain * (red if full else 1.0)
    whole = min(20_000 * clients, CAPACITY) * (1.0 if not full else red * (0.95 + 0.0005 * added * vegas))
    lost = LOSS[scene.buffer][gateway] * (KEPT[scene.buffer] if vegas else 1.0) if full else 0.0
    return {
        "added_departures": own,
        "added_arrivals": own / (1 - lost),
        "added_drops": own / (1 - lost) * lost,
        "added_goodput_packets": own,
        "background_departures": whole - own,
        "background_arrivals": (whole - own) * 1.02,
        "background_drops": (whole - own) * 0.02,
        "background_goodput_packets": 20_000 * scene.background * each * 0.9,
        "cov": 0.05 if vegas else 0.1,
        "queue_mean": 10.0 if vegas else 30.0,
    }


def mixed(
    counts: Callable[[Scene], Sequence[int]], *, behind: str = "", edge: float | None = None, **where: float
) -> list[Run]:
    """Make the runs of all scenes."""

    def values(at: Mapping[str, Any]) -> Values:
        scene = Scene(background=at["background"], buffer=at["buffer"])
        return world(scene, at["variant"], at["clients"], edge=edge)

    points = [
        {**scene.where, "variant": variant, "clients": added, **where}
        for scene in SCENES
        for variant in variants(scene)
        if behind in variant
        for added in counts(scene)
    ]
    return runs_of(points, values)


def ends(scene: Scene) -> Sequence[int]:
    return (scene.most,)


ALONE = changed(
    alone.WORLD.runs,
    [
        put("grid", "loss", 0.001, variant=("Vegas", "Vegas/RED")),
        put("queues", "queue_mean", 10.0, variant="Vegas"),
        put("close", "dependence", 5.0),
        put("grid", "fast_retransmits", 8_000.0, variant="Reno"),
    ],
)
"""The synthetic runs with a single TCP variant, adapted to the claims of these papers."""
RENO = {
    (row.where["clients"], row.seed): row.values["cov"] for row in ALONE.part("grid") if row.where["variant"] == "Reno"
}
RUNS = Runs(
    {
        **ALONE.parts,
        "curves": mixed(lambda scene: scene.counts),
        "scales": alone.constant({("Reno", clients): {"slope": -0.3} for clients in (39, 44, 50, 60)}),
        "late_curves": mixed(lambda scene: LATE[scene.background]),
        "least_curves": mixed(ends),
        "greedy_curves": mixed(ends, edge=0.7),
        "weighted_curves": [run for weight in WEIGHTS for run in mixed(ends, behind="/RED", weight=weight)],
        "model": [
            Run(
                where={"variant": name, "clients": clients},
                seed=seed,
                values={"cov": RENO[clients, seed] * (1.2 if clients > 38 else 1.0)},
            )
            for name in (SMALL, OPEN)
            for clients in PAPERS_CLIENTS
            for seed in SEEDS
        ],
    }
)
"""Our runs, before they are paired."""

N = Verdict.NOT
REDS = tuple(f"{name}/{gateway}" for name in ("Reno", "Vegas") for gateway in ("RED", "RED1", "RED2"))
VEGAS = ("Vegas", "Vegas/RED", "Vegas/RED1", "Vegas/RED2")
GOODPUT = "added_goodput_packets"
WEIGHED = ("curves", "weighted_curves")
STARTED = ("curves", "late_curves")


def rising(_: float, run: Row) -> float:
    """Return a c.o.v. that grows with the number of clients."""
    return int(run.where["clients"]) / 1000 * (1 + 1e-6 * run.seed)


WORSE: list[tuple[str, Verdict, Sequence[Change]]] = [
    ("1-1", N, [put(STARTED, GOODPUT, times(0.7), variant=VEGAS)]),
    ("3.2.1-1", N, [put(WEIGHED, GOODPUT, times(0.7), variant=VEGAS)]),
    ("3.2.1-2", N, [put(WEIGHED, "added_drops", times(2), variant=VEGAS)]),
    ("3.2.1-3", N, [put("curves", "background_goodput_packets", times(2))]),
    ("3.2.1-4", N, [put(STARTED, GOODPUT, times(0.9), variant=VEGAS)]),
    ("3.2.1-5", N, [put("curves", "added_drops", times(4.9), variant=VEGAS, background=20, buffer=1500)]),
    ("3.2.1-6", N, [put(WEIGHED, GOODPUT, times(0.9), variant="Vegas/RED2")]),
    ("3.2.1-7", N, [put(WEIGHED, "added_drops", times(10), variant=VEGAS)]),
    ("3.2.1-12", N, [put("curves", "queue_mean", times(40), variant=VEGAS)]),
    (
        "3.2.1-13",
        N,
        [put(WEIGHED, name, times(by), variant=VEGAS) for name, by in (("cov", 3), ("background_departures", 0.5))],
    ),
    (
        "3.2.1-14",
        N,
        [put(WEIGHED, "added_departures", times(2), variant=REDS), put("curves", "added_drops", 0.0, variant=REDS)],
    ),
    ("3.2.2-1", N, [put(WEIGHED, GOODPUT, times(0.7), variant=VEGAS)]),
    ("3.2.2-2", N, [put(WEIGHED, "added_drops", times(2), variant=VEGAS)]),
    ("3.2.2-3", N, [put("curves", GOODPUT, times(1.5), variant=VEGAS, background=40, buffer=50)]),
    ("3.2.2-4", N, [put("grid", ("departures", "loss"), 0.5, variant=("Vegas", "Vegas/RED"))]),
    ("3.2.2-5", N, [put(WEIGHED, GOODPUT, times(0.7), variant=VEGAS)]),
    ("3.2.2-6", N, [put(STARTED, GOODPUT, times(0.7), variant=VEGAS)]),
    ("3.2.2-7", N, [put("curves", "added_drops", times(4.9), variant=VEGAS, background=40, buffer=1500)]),
    ("3.2.2-8", N, [put(WEIGHED, "added_drops", times(10), variant=VEGAS)]),
    ("3.2.3-1", N, [put("curves", "queue_mean", times(10), variant=VEGAS)]),
    ("3.2.3-2", N, [put("greedy_curves", GOODPUT, times(2), variant=VEGAS)]),
    ("4-1", N, [put("model", "cov", lambda _, run: 1 + 1e-6 * run.seed)]),
    ("4-2", N, [put("model", "cov", rising)]),
    ("4-3", N, [put("model", "cov", 0.01, variant=SMALL)]),
    ("4-4", N, [put("grid", "timeouts", 0.0), put("close", "dependence", 35.0)]),
]
WORSE_SHORT: list[tuple[str, Verdict, Sequence[Change]]] = [
    ("0-1", N, [put("scales", "slope", lambda _, run: -0.7 * (1 + 1e-6 * run.seed))]),
    ("4-5", N, [put(STARTED, GOODPUT, times(0.7), variant=VEGAS)]),
    ("5-5", N, [put("curves", "background_departures", times(0.1), variant=VEGAS)]),
    ("5-6", N, [put("curves", GOODPUT, times(0.7), variant=VEGAS)]),
]

# Rules of the burstiness paper, which its own world tests: these runs of a single variant are changed.
BEST = {**dict.fromkeys(("2.2-1", "3.2-3", "3.2-12", "3.2.1-10"), Verdict.PARTLY), "5-3": N}
BEST_SHORT = {"3-3": Verdict.PARTLY, "3-13": Verdict.PARTLY, "3-8": N, "5-2": N}

WORLD = World(paper=PAPER, runs=RUNS, worse=WORSE, derived=paired, ns2=paired(theirs()), best=BEST)
SHORT_WORLD = World(paper=SHORT, runs=RUNS, worse=WORSE_SHORT, derived=paired, ns2=WORLD.ns2, best=BEST_SHORT)
