"""The claims that look across backgrounds and gateways: what Vegas needs, what many of it give, and the headline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.burstiness.experiment import HEAVY
from ackclock.papers.burstiness.measures import loss_percent as plain_loss
from ackclock.papers.burstiness.measures import thousand_departures
from ackclock.papers.claims import Judgement, by_share
from ackclock.papers.heterogeneous.claims.reading import EFFECT, WHEN, edges, factors, losses, reds, saturated
from ackclock.papers.heterogeneous.evidence import LATE
from ackclock.papers.heterogeneous.experiment import START
from ackclock.papers.heterogeneous.measures import loss_percent, queue_share, throughput
from ackclock.papers.heterogeneous.sharing import gateway_name
from ackclock.papers.reading import along, at, each_above, shown, told, weighed
from ackclock.papers.truth import NO, Truth, above, at_least, at_most, count, counted, every
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.heterogeneous.evidence import Evidence, Side
    from ackclock.papers.heterogeneous.experiment import Scene
    from ackclock.papers.observation import Observation

    Judge = Callable[[Evidence], Judgement]

__all__ = [
    "AS_WELL",
    "BETA",
    "all_vegas_is_best",
    "as_well_as_reno",
    "edge_shrinks",
    "greed_helps_reno",
    "needs_little_room",
    "reno_fills_the_buffer",
    "smoother_behind_red",
]

BETA = 3
"""Packets that Vegas means to keep in the gateway at most (Table 1)."""

AS_WELL = 0.98
"""The part of Reno's goodput from which on Vegas performs as well."""


def needs_little_room(scenes: Sequence[Scene]) -> Judge:
    """Judge "behind RED a Vegas connection needs a minimal amount of buffer, also beside Reno"."""

    def judge(evidence: Evidence) -> Judgement:
        def held(side: Side) -> dict[str, tuple[Interval, Interval]]:
            return {
                gateway_name(scene.buffer, gateway): (
                    at(side.scenes[scene], f"Vegas{gateway}", scene.most, queue_share),
                    at(side.scenes[scene], f"Reno{gateway}", scene.most, queue_share),
                )
                for scene in scenes
                for gateway in reds(scene)
            }

        found = held(evidence.ours)
        holds = [at_most(vegas, BETA) for vegas, _ in found.values()]
        return Judgement(
            verdict=by_share(holds),
            why=f"At the end of the curves a Vegas connection holds at most {BETA} packets, its beta, behind "
            f"{counted(holds, 'RED gateways')}; Reno clients added in its place hold "
            + ", ".join(f"{reno.mean:.1f}" for _, reno in found.values())
            + " each.",
            **told(
                evidence,
                lambda side: (
                    "packets waiting of a Vegas connection: "
                    + ", ".join(f"{name} {shown(vegas, 2)}" for name, (vegas, _) in held(side).items())
                ),
            ),
        )

    return judge


def smoother_behind_red(scene: Scene) -> Judge:
    """Judge "behind RED Vegas makes smoother traffic than Reno also beside Reno, and performs better"."""
    counts = saturated(scene)

    def judge(evidence: Evidence) -> Judgement:
        def sides(runs: Sequence[Observation], where: Sequence[int]) -> list[list[Mapping[int, Interval]]]:
            return [
                [along(runs, f"{name}{gateway}", where, measure) for name in ("Vegas", "Reno")]
                for gateway in reds(scene)
                for measure in ("cov", throughput())
            ]

        def better(pair: Sequence[Mapping[int, Interval]], place: int) -> tuple[Mapping[int, Interval], ...]:
            vegas, reno = pair
            return (reno, vegas) if place % 2 == 0 else (vegas, reno)

        pairs = sides(evidence.ours.scenes[scene], counts)
        holds = [clear for place, pair in enumerate(pairs) for clear in each_above(*better(pair, place))]

        def at_weight(runs: Sequence[Observation]) -> Truth:
            ends = enumerate(sides(runs, (scene.most,)))
            return every(clear for place, pair in ends for clear in each_above(*better(pair, place)))

        def say(side: Side) -> str:
            (smooth, rough), (fast, slow) = sides(side.scenes[scene], (scene.most,))
            return (
                f"with {scene.most} added of Vegas and of Reno: c.o.v. of all arrivals "
                f"{smooth[scene.most].mean:.4f} and {rough[scene.most].mean:.4f}, "
                f"{fast[scene.most].mean:.1f} and {slow[scene.most].mean:.1f} thousand packets carried"
            )

        verdict, setting, where = weighed(
            by_share(holds), {weight: runs[scene] for weight, runs in evidence.ours.weights.items()}, at_weight
        )
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"Lower c.o.v. and higher throughput of all clients together are clear at {counted(holds, 'points')}; "
            f"{where}.",
            **told(evidence, say),
        )

    return judge


def edge_shrinks(half: Scene, full: Scene) -> Judge:
    """Judge "Vegas' advantage over Reno shrinks as the part of Reno grows"."""

    def judge(evidence: Evidence) -> Judgement:
        def ends(side: Side) -> dict[str, tuple[Interval, Interval]]:
            found = [edges(side.scenes[scene], scene, (scene.most,)) for scene in (half, full)]
            return {gateway: (found[0][gateway][half.most], found[1][gateway][full.most]) for gateway in half.gateways}

        def say(side: Side) -> str:
            return f"Vegas' goodput over Reno's beside {half.background} and {full.background}: " + ", ".join(
                f"{gateway.removeprefix('/') or 'FIFO'} {shown(few, 2)} and {shown(many, 2)}"
                for gateway, (few, many) in ends(side).items()
            )

        answers = [above(few, many) for few, many in ends(evidence.ours).values()]
        return Judgement(
            verdict=by_share(answers),
            why=f"With 60 clients in all the advantage is clearly smaller beside {full.background} than beside "
            f"{half.background} behind {counted(answers, 'gateways')}, and clearly larger behind "
            f"{count(answers, NO)}.",
            **told(evidence, say),
        )

    return judge


def all_vegas_is_best(half: Scene, full: Scene) -> Judge:
    """Judge "Vegas performs best where all clients run it": of 60 clients, 0 to 60 run Vegas."""

    def judge(evidence: Evidence) -> Judgement:
        def points(side: Side, gateway: str) -> list[tuple[Interval, Interval]]:
            """Give throughput and loss of all, with the fewest Vegas clients first."""
            alone, mixed = side.alone.grid, side.scenes
            plain = [
                tuple(at(alone, f"{name}{gateway}", 60, measure) for measure in (thousand_departures, plain_loss))
                for name in ("Reno", "Vegas")
            ]
            between = [
                tuple(
                    at(mixed[scene], f"Vegas{gateway}", scene.most, measure)
                    for measure in (throughput(), loss_percent())
                )
                for scene in (full, half)
            ]
            return [(carried, lost) for carried, lost in (plain[0], *between, plain[1])]

        def say(side: Side) -> str:
            return "; ".join(
                f"{gateway.removeprefix('/') or 'FIFO'}: thousand packets "
                + ", ".join(f"{carried.mean:.1f}" for carried, _ in points(side, gateway))
                + "; loss "
                + ", ".join(f"{lost.mean:.2f}" for _, lost in points(side, gateway))
                + " %"
                for gateway in half.gateways
            )

        holds: list[Truth] = []
        for gateway in half.gateways:
            *rest, (carried, lost) = points(evidence.ours, gateway)
            holds += [
                every(above(carried, other) for other, _ in rest),
                every(above(other, lost) for _, other in rest),
            ]
        return Judgement(
            verdict=by_share(holds),
            why=f"Of 60 clients 0, {full.most}, {half.most} or all run Vegas. Where all do, throughput is clearly "
            f"highest behind {counted(holds[::2], 'gateways')} and loss clearly lowest behind "
            f"{counted(holds[1::2], 'gateways')}.",
            **told(evidence, say),
        )

    return judge


def reno_fills_the_buffer(scenes: Sequence[Scene]) -> Judge:
    """Judge "Reno keeps many more packets in the buffer on average than Vegas does"."""

    def judge(evidence: Evidence) -> Judgement:
        def pairs(side: Side) -> dict[str, tuple[Mapping[int, Interval], Mapping[int, Interval]]]:
            alone = [along(side.alone.queues, name, HEAVY, "queue_mean") for name in ("Reno", "Vegas")]
            mixed = {
                f"{gateway_name(scene.buffer, gateway)}, beside {scene.background}": tuple(
                    along(side.scenes[scene], f"{name}{gateway}", saturated(scene), "queue_mean")
                    for name in ("Reno", "Vegas")
                )
                for scene in scenes
                for gateway in scene.gateways
            }
            return {"all alike": (alone[0], alone[1]), **{name: (reno, vegas) for name, (reno, vegas) in mixed.items()}}

        def say(side: Side) -> str:
            return "packets waiting, Reno and Vegas, with 60 clients: " + ", ".join(
                f"{name} {reno[max(reno)].mean:.0f} and {vegas[max(vegas)].mean:.0f}"
                for name, (reno, vegas) in pairs(side).items()
            )

        found = pairs(evidence.ours)
        holds = {name: each_above(reno, vegas) for name, (reno, vegas) in found.items()}
        each = [clear for clears in holds.values() for clear in clears]
        failing = [name for name, clears in holds.items() if count(clears) < len(clears)]
        return Judgement(
            verdict=by_share(each),
            why=f"With Reno clearly more packets wait at {counted(each, 'points')} of a full link"
            + (f"; not everywhere with {'; '.join(failing)}." if failing else "."),
            **told(evidence, say),
        )

    return judge


def greed_helps_reno(scenes: Sequence[Scene]) -> Judge:
    """Judge "sources that always have data to send benefit Reno", for they leave Vegas less of what Reno gets."""

    def judge(evidence: Evidence) -> Judgement:
        def both(side: Side) -> dict[str, tuple[Interval, Interval]]:
            found = {}
            for scene in scenes:
                poisson, greedy = (edges(runs[scene], scene, (scene.most,)) for runs in (side.scenes, side.greedy))
                for gateway in scene.gateways:
                    name = f"{gateway_name(scene.buffer, gateway)}, beside {scene.background}"
                    found[name] = (poisson[gateway][scene.most], greedy[gateway][scene.most])
            return found

        def say(side: Side) -> str:
            if not side.greedy:
                raise LookupError("no greedy sources were run")
            return "Vegas' goodput over Reno's, Poisson and greedy: " + ", ".join(
                f"{name} {poisson.mean:.2f} and {greedy.mean:.2f}" for name, (poisson, greedy) in both(side).items()
            )

        found = list(both(evidence.ours).values())
        answers = [above(poisson, greedy, by=EFFECT) for poisson, greedy in found]
        larger = [above(greedy, poisson, by=EFFECT) for poisson, greedy in found]
        return Judgement(
            verdict=by_share(answers),
            why=f"With 60 clients and greedy sources, Vegas' goodput over Reno's is clearly smaller behind "
            f"{counted(answers, 'gateways')}, and clearly larger behind {count(larger)}.",
            **told(evidence, say),
        )

    return judge


def as_well_as_reno(scenes: Sequence[Scene]) -> Judge:
    """Judge the headline: "Vegas performs as well as, if not better than, Reno beside existing Reno connections"."""

    def held(runs: Sequence[Observation], scene: Scene, counts: Sequence[int]) -> list[Truth]:
        return [
            at_least(edge, AS_WELL) & ~above(vegas[added], reno[added], times=1 / AS_WELL)
            for gateway, points in edges(runs, scene, counts).items()
            for vegas, reno in [losses(runs, gateway, counts)]
            for added, edge in points.items()
        ]

    def judge(evidence: Evidence) -> Judgement:
        ours = evidence.ours
        by_scene = {scene: held(ours.scenes[scene], scene, scene.counts) for scene in scenes}
        usual, late = (
            [one for scene in scenes for one in held(runs[scene], scene, LATE[scene.background])]
            for runs in (ours.scenes, ours.late)
        )
        mended = [one for scene in scenes for one in held(ours.minimum[scene], scene, (scene.most,))]
        turned = {by_share(usual), by_share(late)} == {Verdict.NOT, Verdict.REPRODUCED}
        buffers = {
            buffer: [one for scene, there in by_scene.items() if scene.buffer == buffer for one in there]
            for buffer in dict.fromkeys(scene.buffer for scene in scenes)
        }
        return Judgement(
            verdict=Verdict.DEPENDS if turned else by_share([one for there in by_scene.values() for one in there]),
            setting=WHEN if turned else "",
            why="Vegas gets as much and does not lose more at "
            + " and ".join(
                f"{counted(there, 'points')} with a buffer of {buffer:,}" for buffer, there in buffers.items()
            )
            + f". Of the points that were run with both starts it is {counted(usual, 'points')} with a start at "
            f"{START} and {counted(late, 'points')} with a start at 10 s. With the smallest round trip as Vegas' base "
            f"it is {counted(mended, 'points')} at the ends of the curves.",
            **told(evidence, lambda side: "Vegas' goodput over Reno's: " + _at_the_ends(side, scenes)),
        )

    return judge


def _at_the_ends(side: Side, scenes: Sequence[Scene]) -> str:
    return "; ".join(
        f"{scene.most} beside {scene.background}, buffer {scene.buffer:,}: "
        + factors(edges(side.scenes[scene], scene, (scene.most,)))
        for scene in scenes
    )
