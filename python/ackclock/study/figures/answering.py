"""Says in sentences which level of each field is best for a measure, by how much, and how sure this is."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import rank_paired
from ackclock.analysis.interval import student_interval
from ackclock.study.figures.measuring import displayed, spoken
from ackclock.study.figures.responding import paired
from ackclock.values.words import counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ackclock.analysis.ranking import Better, Ranking
    from ackclock.study.figures.points import Field, Point, Points, Value

__all__ = ["Levels", "answers", "best_point"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Levels:
    """The levels of a field, ranked by a measure.

    Parameters
    ----------
    field
        The field.
    text
        Which level is best, by how much and how sure, in a sentence or two.
    ranking
        The ranking of the levels; None if no level can be compared with another.
    spread
        Difference between the largest and the smallest mean.

    """

    field: Field
    text: str
    ranking: Ranking[Value] | None
    spread: float


def answers(points: Points, measure: str, better: Better) -> list[Levels]:
    """Compare the levels of each field, averaged over the other fields; the field with the largest effect is first.

    Only combinations of the other fields that all levels have are included, and only seeds that all runs share. If
    there are none, the field is left out.
    """
    found = []
    for field in points.fields:
        samples = _samples(points.points, field, measure)
        if len(samples) < 2:
            continue
        ranking = rank_paired(samples, better=better)
        means = [float(np.mean(each)) for each in samples.values()]
        others = listed([f"the {other.words}" for other in points.fields if other != field])
        text = _sentence(field, measure, better, ranking, samples, others=others)
        found.append(
            Levels(
                field=field,
                text=" ".join([text, *_dependences(points, field, measure, better, ranking)]),
                ranking=ranking,
                spread=max(means) - min(means),
            )
        )
    return sorted(found, key=lambda each: (each.ranking is None or _untied(each.ranking), -each.spread))


def best_point(points: Points, measure: str, better: Better) -> str:
    """Say which combination of levels is best; empty with fewer than two fields, or if no point has a value."""
    found = [(each, point) for point in points.points if (each := point.interval(measure)) is not None]
    if len(points.fields) < 2 or not found:
        return ""
    end, first = ("lowest", min) if better == "lower" else ("highest", max)
    best, point = first(found, key=lambda each: each[0].mean)
    unit, factor = displayed(measure)
    names = listed([field.named(point.place[field.path]) for field in points.fields])
    mean = f"{best.scaled(factor)}{f' {unit}' if unit else ''}"
    return f"{names}: {mean}, the {end} mean of {counted(len(found), 'combination')}."


def _untied(ranking: Ranking[Value]) -> bool:
    """Return whether no level can be distinguished from the best."""
    return len(ranking.tied) == len(ranking.order)


def _samples(points: Sequence[Point], field: Field, measure: str) -> Mapping[Value, list[float]]:
    """Return the values of each level by seed, averaged over the other fields."""
    kept, values = paired(points, measure)
    table: dict[Value, dict[object, list[float]]] = defaultdict(dict)
    for point, numbers in zip(kept, values, strict=True):
        rest = tuple(value for path, value in point.place.items() if path != field.path)
        table[point.place[field.path]][rest] = numbers
    if not table or not values[0]:
        return {}
    shared = set.intersection(*(set(each) for each in table.values()))
    if not shared:
        return {}
    return {level: np.mean([each[rest] for rest in shared], axis=0).tolist() for level, each in table.items()}


def _sentence(
    field: Field,
    measure: str,
    better: Better,
    ranking: Ranking[Value],
    samples: Mapping[Value, Sequence[float]],
    *,
    others: str,
) -> str:
    unit, factor = displayed(measure)
    unit = f" {unit}" if unit else ""
    best = field.named(ranking.best)
    seeds = len(samples[ranking.best])
    end, than = ("lowest", "less") if better == "lower" else ("highest", "more")
    mean = student_interval(samples[ranking.best]).scaled(factor)
    what = spoken(measure)
    if seeds == 1:
        return (
            f"{what} is {end} with {best}, {mean.mean:.4g}{unit}, but with one seed no level can be distinguished from "
            "the others. Run at least 3 seeds."
        )
    apart = [each for each in ranking.order if each not in ranking.tied]
    rival = (apart or ranking.order[1:])[0]
    difference = ranking.against[rival].difference
    if not difference.mean:
        return f"{what} has equal means at {best} and {field.named(rival)}, the best levels of the {field.words}."
    gap = f"{abs(difference).scaled(factor)}{unit} {than} than with {field.named(rival)}"
    if len(apart) > 1:
        worst = ranking.against[apart[-1]].difference
        gap += f" and {abs(worst).scaled(factor)}{unit} {than} than with {field.named(apart[-1])}"
        gap += ", the worst" if len(apart) > 2 else ""
    averaged = f", averaged over {others}" if others else ""
    gap += f" ({seeds} paired seeds{averaged})"
    needed = (ranking.pairs_needed or 0) - seeds
    more = f" About {counted(needed, 'more seed')} would decide, if the spread stays the same." if needed > 0 else ""
    if not apart:
        return (
            f"No level of the {field.words} can be distinguished from the others. {what} is {end} with {best}: "
            f"{mean}{unit}, {gap}.{more}"
        )
    text = f"{what} is {end} with {best}: {mean}{unit}, {gap}"
    if ranking.decided:
        return f"{text}."
    alike = listed([field.named(each) for each in ranking.tied[1:]])
    return f"{text}; {alike} cannot be distinguished from it.{more}"


def _dependences(points: Points, field: Field, measure: str, better: Better, whole: Ranking[Value]) -> Iterator[str]:
    """Say whether the best level of a field is the same at all levels of each other field."""
    same = []
    for other in points.fields:
        if other == field or _untied(whole):
            continue
        worse = _reversals(points.points, (field, other), measure, better, whole)
        if worse:
            yield f"This depends on the {other.words}: {'; '.join(worse[:3])}."
        elif worse is not None:
            same.append(f"the {other.words}")
    if same:
        yield f"No level of {' or of '.join(same)} reverses this."


def _reversals(
    points: Sequence[Point], pair: tuple[Field, Field], measure: str, better: Better, whole: Ranking[Value]
) -> list[str] | None:
    """Return the levels of another field at which another level of a field is better; None if none can be compared."""
    field, other = pair
    unit, factor = displayed(measure)
    worse = []
    compared = 0
    for level in other.values:
        samples = _samples([point for point in points if point.place[other.path] == level], field, measure)
        if len(samples) < 2:
            continue
        compared += 1
        ranking = rank_paired(samples, better=better)
        if whole.best in ranking.order and whole.best not in ranking.tied:
            gap = f"{abs(ranking.against[whole.best].difference).scaled(factor)} {unit}".rstrip()
            worse.append(f"at {other.named(level)}, {field.named(ranking.best)} is better by {gap}")
    return worse if compared else None
