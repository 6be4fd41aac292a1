"""The claims on what added clients get and lose, made of one background and one size of the gateway at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.claims import Judgement, by_share, graded
from ackclock.papers.heterogeneous.claims.reading import (
    EFFECT,
    beside,
    edges,
    factors,
    losses,
    reds,
    saturated,
    started,
)
from ackclock.papers.heterogeneous.measures import loss, loss_percent, per_client, throughput
from ackclock.papers.heterogeneous.sharing import PAIRED, gateway_name, paired
from ackclock.papers.reading import along, at, each_above, shown, told, weighed
from ackclock.papers.truth import NO, OPEN, YES, Truth, above, count, counted, every, most, near

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.heterogeneous.evidence import Evidence, Side
    from ackclock.papers.heterogeneous.experiment import Scene
    from ackclock.papers.observation import Observation

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
        holds = [above(point, 1) for points in found.values() for point in points.values()]

        def at_weight(runs: Sequence[Observation]) -> Truth:
            return every(above(points[scene.most], 1) for points in edges(runs, scene, (scene.most,)).values())

        verdict, setting, where = weighed(by_share(holds), _at_weights(evidence.ours, scene), at_weight)
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"Once the link is full, {beside(scene)}, Vegas clearly gets more at {counted(holds, 'points')}; "
            f"behind RED {where}.",
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
        holds: dict[str, list[Truth]] = {}
        void = []
        for gateway in scene.gateways:
            vegas, reno = losses(runs, gateway, counts)
            if max(point.mean for point in (*vegas.values(), *reno.values())) < _LEAST_LOSS:
                void.append(gateway.removeprefix("/") or "FIFO")
            else:
                holds[gateway] = each_above(reno, vegas)

        def at_weight(runs: Sequence[Observation]) -> Truth:
            ends = [[points[scene.most] for points in losses(runs, gateway, (scene.most,))] for gateway in reds(scene)]
            return every(above(reno, vegas) for vegas, reno in ends)

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
            f"{gateway.removeprefix('/') or 'FIFO'} {count(clears)} of {len(clears)}"
            for gateway, clears in holds.items()
        )
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"Once the link is full, {beside(scene)}, Vegas clearly loses less at {counted(each, 'points')} "
            f"({kinds})"
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
        close = {
            (gateway, added): near(point, 1, by=margin)
            for gateway, points in found.items()
            for added, point in points.items()
        }
        light = [held for (_, added), held in close.items() if added not in full]

        def every_close(points: Mapping[str, Points]) -> Truth:
            return every(near(point, 1, by=margin) for there in points.values() for point in there.values())

        part = most(close.values()) | (every(light) if light else NO)
        usual = graded(whole=every(close.values()), part=part)
        verdict, setting, where = started(usual, evidence.ours, scene, every_close)
        filled = [held for (_, added), held in close.items() if added in full]
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"With a buffer of {scene.buffer:,} the ratio is within {100 * margin:g} % of 1 at "
            f"{counted(close.values(), 'points')}, and where the link is full at {counted(filled, 'points')}; {where}.",
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
        more = [above(rel, other) for rel, _ in here.values() for other, _ in there.values()]
        less = [_smaller(diff, other) for _, diff in here.values() for _, other in there.values()]
        return Judgement(
            verdict=graded(whole=every([*more, *less]), part=every(more)),
            why=f"At the end of the curves the relative difference is clearly larger in "
            f"{counted(more, 'pairs of a large and a small buffer')}, the absolute one clearly smaller in "
            f"{counted(less, 'pairs')}.",
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
        holds = [above(lower[added], higher[added], by=EFFECT) for added in lower]
        less = [above(higher[added], lower[added], by=EFFECT) for added in lower]

        def at_weight(runs: Sequence[Observation]) -> Truth:
            lower, higher = (points[scene.most] for points in both(runs, (scene.most,)))
            return above(lower, higher, by=EFFECT)

        def say(side: Side) -> str:
            found = edges(side.scenes[scene], scene, counts)
            return f"Vegas' goodput over Reno's: {factors({name: found[name] for name in reds(scene)})}"

        verdict, setting, where = weighed(by_share(holds), _at_weights(evidence.ours, scene), at_weight)
        return Judgement(
            verdict=verdict,
            setting=setting,
            why=f"Vegas' advantage is clearly larger with the lower thresholds at {counted(holds, 'points')} of a "
            f"full link, and clearly smaller at {count(less)}; {where}.",
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

        holds = [clear for vegas, reno in both(evidence.ours).values() for clear in each_above(vegas, reno)]
        return Judgement(
            verdict=by_share(holds),
            why=f"A Vegas client clearly gets more than a Reno client beside it at {counted(holds, 'points')} of a "
            "full link.",
            **told(evidence, say),
        )

    return judge


def red_is_worse(*scenes: Scene) -> Judge:
    """Judge "behind RED added clients get less and lose more than behind FIFO, whichever their protocol".

    RED's weight is asked for at the first scene.
    """
    small = scenes[0]

    def judge(evidence: Evidence) -> Judgement:
        def pairs(side: Side, scene: Scene) -> list[tuple[list[Truth], list[Truth]]]:
            runs, counts = side.scenes[scene], saturated(scene)
            return [
                (
                    each_above(*(along(runs, f"{name}{kind}", counts, throughput("added")) for kind in ("", gateway))),
                    each_above(
                        *(along(runs, f"{name}{kind}", counts, loss_percent("added")) for kind in (gateway, ""))
                    ),
                )
                for gateway in reds(scene)
                for name in ("Reno", "Vegas")
            ]

        found = [pair for scene in scenes for pair in pairs(evidence.ours, scene)]
        slower, lossier = ([clear for pair in found for clear in pair[side]] for side in (0, 1))

        def at_weight(there: Mapping[Scene, Sequence[Observation]]) -> Truth:
            return every(
                above(
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
            why=f"Behind RED added clients clearly get less at {counted(slower, 'points')} of a full link, and "
            f"clearly lose more at {counted(lossier, 'points')}. That both protocols get less with a buffer of "
            f"{small.buffer} was asked at other weights: {where}.",
            **told(evidence, say),
        )

    return judge


def _smaller(one: Interval, other: Interval) -> Truth:
    """Say whether one value is nearer to 0 than another, on either side."""
    (least, most_), (least_other, most_other) = _size(one), _size(other)
    return YES if most_ < least_other else NO if least >= most_other else OPEN


def _size(value: Interval) -> tuple[float, float]:
    return max(value.low, -value.high, 0.0), max(-value.low, value.high)


def _quotient(runs: Sequence[Observation], name: str, gateway: str, added: int) -> float:
    red, plain = (at(runs, f"{name}{kind}", added, throughput("added")).mean for kind in (gateway, ""))
    return red / plain
