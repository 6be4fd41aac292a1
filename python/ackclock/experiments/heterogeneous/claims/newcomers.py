"""The claims on what added clients get and lose, made of one background and one size of the gateway at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.experiments.claims import Judgement, by_share, graded
from ackclock.experiments.heterogeneous.claims.reading import (
    edges,
    factors,
    losses,
    reds,
    saturated,
    started,
)
from ackclock.experiments.heterogeneous.measures import loss, loss_percent, per_client, throughput
from ackclock.experiments.heterogeneous.sharing import PAIRED, gateway_name, paired
from ackclock.experiments.reading import above, along, at, clearly, every, high, low, shown, told, weighed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.experiments.heterogeneous.evidence import Evidence, Side
    from ackclock.experiments.heterogeneous.experiment import Scene
    from ackclock.experiments.observation import Observation

    Judge = Callable[[Evidence], Judgement]
    Points = Mapping[int, Interval]

__all__ = [
    "close_throughput",
    "gains_throughput",
    "loses_less",
    "low_thresholds_favour",
    "more_pronounced",
    "outdoes_background",
    "red_is_worse",
]

_LEAST_LOSS = 0.005
"""Per cent; where less is lost, loss is not compared."""


def _at_weights(side: Side, scene: Scene) -> Mapping[float, Sequence[Observation]]:
    return {weight: scenes[scene] for weight, scenes in side.weights.items()}


def gains_throughput(scene: Scene) -> Judge:
    """Judge "added Vegas clients get more than added Reno clients"."""
    counts = saturated(scene)

    def judge(evidence: Evidence) -> Judgement:
        found = edges(evidence.ours.scenes[scene], scene, counts)
        holds = [low(point) > 1 for points in found.values() for point in points.values()]

        def at_weight(runs: Sequence[Observation]) -> bool | None:
            ends = [points[scene.most] for points in edges(runs, scene, (scene.most,)).values()]
            return every(True if low(end) > 1 else False if high(end) < 1 else None for end in ends)

        verdict, setting, where = weighed(by_share(holds), _at_weights(evidence.ours, scene), at_weight)
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"Once the link is full, Vegas clearly gets more at {sum(holds)} of {len(holds)} places; behind RED "
            f"{where}.",
            **told(
                evidence,
                lambda side: f"Vegas' goodput over Reno's: {factors(edges(side.scenes[scene], scene, counts))}",
            ),
        )

    return judge


def loses_less(scene: Scene) -> Judge:
    """Judge "added Vegas clients lose a smaller share than added Reno clients"."""
    counts = saturated(scene)

    def judge(evidence: Evidence) -> Judgement:
        runs = evidence.ours.scenes[scene]
        holds: dict[str, list[bool]] = {}
        void = []
        for gateway in scene.gateways:
            vegas, reno = losses(runs, gateway, counts)
            if max(point.mean for point in (*vegas.values(), *reno.values())) < _LEAST_LOSS:
                void.append(gateway.removeprefix("/") or "FIFO")
            else:
                holds[gateway] = above(reno, vegas)

        def at_weight(runs: Sequence[Observation]) -> bool | None:
            ends = [[points[scene.most] for points in losses(runs, gateway, (scene.most,))] for gateway in reds(scene)]
            return every(clearly(reno, vegas) for vegas, reno in ends)

        def say(side: Side) -> str:
            parts = []
            for gateway in holds:
                ends = [points[scene.most] for points in losses(side.scenes[scene], gateway, (scene.most,))]
                name = gateway.removeprefix("/") or "FIFO"
                parts.append(f"{name} {' and '.join(shown(end, 2) for end in ends)}")
            return f"loss of {scene.most} added, Vegas and Reno, in %: {', '.join(parts)}"

        each = [clear for clears in holds.values() for clear in clears]
        verdict, setting, where = weighed(by_share(each), _at_weights(evidence.ours, scene), at_weight)
        kinds = ", ".join(
            f"{gateway.removeprefix('/') or 'FIFO'} {sum(clears)} of {len(clears)}" for gateway, clears in holds.items()
        )
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"Vegas clearly loses less at {sum(each)} of {len(each)} places of a full link ({kinds})"
            + (f"; behind {' and '.join(void)} nobody loses anything" if void else "")
            + f". Behind RED {where}.",
            **told(evidence, say),
        )

    return judge


def close_throughput(scene: Scene, margin: float) -> Judge:
    """Judge "the throughputs of added Vegas and Reno clients are no further apart than a margin"."""

    def judge(evidence: Evidence) -> Judgement:
        found = edges(evidence.ours.scenes[scene], scene)
        full = saturated(scene)
        near = {
            (gateway, added): abs(point.mean - 1) <= margin
            for gateway, points in found.items()
            for added, point in points.items()
        }
        light = [held for (_, added), held in near.items() if added not in full]

        def every_near(points: Mapping[str, Points]) -> bool | None:
            return every(
                True
                if max(abs(low(point) - 1), abs(high(point) - 1)) <= margin
                else False
                if low(point) > 1 + margin or high(point) < 1 - margin
                else None
                for there in points.values()
                for point in there.values()
            )

        part = 2 * sum(near.values()) > len(near) or (bool(light) and all(light))
        verdict, setting, where = started(graded(whole=all(near.values()), part=part), evidence.ours, scene, every_near)
        filled = [held for (_, added), held in near.items() if added in full]
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"The two are within {100 * margin:g} % at {sum(near.values())} of {len(near)} places, and at "
            f"{sum(filled)} of the {len(filled)} at which the link is full; {where}.",
            **told(
                evidence,
                lambda side: f"Vegas' goodput over Reno's: {factors(edges(side.scenes[scene], scene))}",
            ),
        )

    return judge


def more_pronounced(large: Scene, small: Scene) -> Judge:
    """Judge "with the large buffer the losses differ relatively more, and absolutely less, than with the small one"."""

    def relative(vegas: float, reno: float) -> float | None:
        return 1 - vegas / reno if reno else None

    def judge(evidence: Evidence) -> Judgement:
        def both(side: Side, scene: Scene) -> dict[str, tuple[Interval, Interval]]:
            sides = [
                paired({scene: side.scenes[scene]}, loss("added"), combine)
                for combine in (relative, lambda vegas, reno: 100 * (reno - vegas))
            ]
            names = [gateway for gateway in scene.gateways if gateway or scene.buffer == small.buffer]
            return {
                gateway: (
                    at(sides[0], gateway_name(scene.buffer, gateway), scene.most, PAIRED),
                    at(sides[1], gateway_name(scene.buffer, gateway), scene.most, PAIRED),
                )
                for gateway in names
            }

        def say(side: Side) -> str:
            return "Reno's loss less Vegas', of Reno's and in points: " + ", ".join(
                f"{gateway_name(scene.buffer, gateway)} {100 * rel.mean:.0f} % and {diff.mean:+.2f}"
                for scene in (small, large)
                for gateway, (rel, diff) in both(side, scene).items()
            )

        here, there = both(evidence.ours, large), both(evidence.ours, small)
        more = [clearly(rel, other) is True for rel, _ in here.values() for other, _ in there.values()]
        less = [abs(diff.mean) < abs(other.mean) for _, diff in here.values() for _, other in there.values()]
        return Judgement(
            verdict=graded(whole=all(more) and all(less), part=all(more)),
            why=f"At the end of the curves the relative difference is clearly larger in {sum(more)} of {len(more)} "
            f"pairs of a large and a small gateway, the absolute one smaller in {sum(less)}.",
            **told(evidence, say),
        )

    return judge


def low_thresholds_favour(scene: Scene) -> Judge:
    """Judge "lower thresholds of RED favour Vegas"."""
    counts = saturated(scene)

    def judge(evidence: Evidence) -> Judgement:
        def both(runs: Sequence[Observation], where: Sequence[int]) -> tuple[Points, Points]:
            found = edges(runs, scene, where)
            return found["/RED2"], found["/RED1"]

        lower, higher = both(evidence.ours.scenes[scene], counts)
        holds = above(lower, higher)

        def at_weight(runs: Sequence[Observation]) -> bool | None:
            lower, higher = (points[scene.most] for points in both(runs, (scene.most,)))
            return clearly(lower, higher)

        def say(side: Side) -> str:
            found = edges(side.scenes[scene], scene, counts)
            return f"Vegas' goodput over Reno's: {factors({name: found[name] for name in reds(scene)})}"

        verdict, setting, where = weighed(by_share(holds), _at_weights(evidence.ours, scene), at_weight)
        worse = above(higher, lower)
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"Vegas' advantage is clearly larger with the lower thresholds at {sum(holds)} of {len(holds)} places "
            f"of a full link, and clearly smaller at {sum(worse)}; {where}.",
            **told(evidence, say),
        )

    return judge


def outdoes_background(scene: Scene) -> Judge:
    """Judge "an added Vegas client gets more than one of the Reno clients that were there before"."""
    counts = saturated(scene)

    def judge(evidence: Evidence) -> Judgement:
        def both(side: Side) -> dict[str, tuple[Points, Points]]:
            runs = side.scenes[scene]
            return {
                gateway: (
                    along(runs, f"Vegas{gateway}", counts, per_client()),
                    along(runs, f"Vegas{gateway}", counts, per_client(scene.background)),
                )
                for gateway in scene.gateways
            }

        def say(side: Side) -> str:
            return "packets/s of a Vegas and a Reno client: " + ", ".join(
                f"{gateway.removeprefix('/') or 'FIFO'} {vegas[scene.most].mean:.1f} and {reno[scene.most].mean:.1f}"
                for gateway, (vegas, reno) in both(side).items()
            )

        holds = [clear for vegas, reno in both(evidence.ours).values() for clear in above(vegas, reno)]
        return Judgement(
            verdict=by_share(holds),
            why=f"A Vegas client clearly gets more than a Reno client beside it at {sum(holds)} of {len(holds)} places "
            "of a full link.",
            **told(evidence, say),
        )

    return judge


def red_is_worse(*scenes: Scene) -> Judge:
    """Judge "behind RED added clients get less and lose more than behind FIFO, whichever their protocol".

    RED's weight is asked for at the first scene.
    """
    small = scenes[0]

    def judge(evidence: Evidence) -> Judgement:
        def pairs(side: Side, scene: Scene) -> list[tuple[list[bool], list[bool]]]:
            runs, counts = side.scenes[scene], saturated(scene)
            return [
                (
                    above(*(along(runs, f"{name}{kind}", counts, throughput("added")) for kind in ("", gateway))),
                    above(*(along(runs, f"{name}{kind}", counts, loss_percent("added")) for kind in (gateway, ""))),
                )
                for gateway in reds(scene)
                for name in ("Reno", "Vegas")
            ]

        found = [pair for scene in scenes for pair in pairs(evidence.ours, scene)]
        slower, lossier = ([clear for pair in found for clear in pair[side]] for side in (0, 1))

        def at_weight(there: Mapping[Scene, Sequence[Observation]]) -> bool | None:
            return every(
                clearly(
                    at(evidence.ours.scenes[small], name, small.most, throughput("added")),
                    at(there[small], f"{name}{gateway}", small.most, throughput("added")),
                )
                for gateway in reds(small)
                for name in ("Reno", "Vegas")
            )

        def say(side: Side) -> str:
            return "throughput behind RED over FIFO: " + "; ".join(
                f"{gateway_name(scene.buffer, gateway)}: "
                + ", ".join(
                    f"{name} {_quotient(side.scenes[scene], name, gateway, scene.most):.2f}"
                    for name in ("Reno", "Vegas")
                )
                for scene in scenes
                for gateway in reds(scene)
            )

        verdict, setting, where = weighed(by_share([*slower, *lossier]), evidence.ours.weights, at_weight)
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"Behind RED added clients clearly get less at {sum(slower)} and clearly lose more at {sum(lossier)} "
            f"of {len(slower)} places of a full link; that both get less with room for {small.buffer}, {where}.",
            **told(evidence, say),
        )

    return judge


def _quotient(runs: Sequence[Observation], name: str, gateway: str, added: int) -> float:
    red, plain = (at(runs, f"{name}{kind}", added, throughput("added")).mean for kind in (gateway, ""))
    return red / plain
