"""An answer as plain values, for JSON. Fields are only added, never renamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.advice.commands import NOT_TRIED, commands
from ackclock.advice.contenders import SIMPLEST_FIRST
from ackclock.advice.measures import EVERY
from ackclock.advice.words import answer, name, outcome, statements
from ackclock.analysis import mean_interval
from ackclock.running.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.advice.advising import Advice
    from ackclock.advice.judgement import Worse

__all__ = ["plain"]


def plain(advice: Advice) -> dict[str, Any]:
    """Return an answer as plain values."""
    found = advice.contest
    return {
        "program": str(Origin.here()),
        "question": advice.question.to_dict(),
        "users": advice.question.counts,
        "answer": answer(advice),
        "statements": [" ".join(each) for each in statements(advice)],
        "recommended": found.judgement.chosen,
        "compared_with": found.reference,
        "as_good": list(found.judgement.as_good),
        "open": {key: _worse(each) for key, each in found.judgement.open.items()},
        "aside": {key: _worse(each) for key, each in found.judgement.aside.items()},
        "seeds": found.seeds,
        "most_seeds": advice.most,
        "runs": advice.runs,
        "contenders": {
            key: {
                "name": name(advice, key),
                "queue": each.queue,
                "law": each.law,
                "ecn": each.ecn,
                "buffer_bdp": each.buffer,
                "limit_packets": list(each.limits),
                "rate_bps": list(each.rates),
                "outcome": outcome(advice, key),
                "measures": _numbers(found.samples[key]),
            }
            for key, each in found.contenders.items()
        },
        "assumptions": [
            {
                "change": each.assumption.words,
                "verdict": each.found.judgement.verdict(found.judgement.chosen),
                "seeds": each.found.seeds,
                "recommended": each.found.judgement.chosen,
                "as_good": list(each.found.judgement.as_good),
                "measures": {key: _numbers(values) for key, values in each.found.samples.items()},
            }
            for each in advice.checked
        ],
        "rule": {
            "measures": [{"key": each.key, "words": each.words, "margin": each.why} for each in advice.measures],
            "simplest_first": SIMPLEST_FIRST,
        },
        "commands": commands(advice.question, advice.chosen),
        "not_tried": list(NOT_TRIED),
    }


def _worse(found: Worse) -> dict[str, Any]:
    return {
        "measure": found.measure.key,
        "best": found.best,
        "difference": found.difference.mean,
        "half_width": found.difference.half_width,
    }


def _numbers(values: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    intervals = {each: mean_interval(values[each.key]) for each in EVERY}
    return {
        each.key: {"mean": found.mean, "half_width": found.half_width, "unit": each.unit, "seeds": found.count}
        for each, found in intervals.items()
    }
