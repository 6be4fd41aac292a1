"""What the rules on Table 2 and its figures share: verdicts over the readings, words, and the command of a run."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from ackclock.analysis import student_interval
from ackclock.papers.claims import ELSE_UNDECIDED, Judgement
from ackclock.papers.reading import DASH, listed, run_command, shown
from ackclock.papers.reading import told as of_both
from ackclock.papers.selfsimilar.experiment import (
    CONSTANT,
    DURATION,
    GREEDY,
    READINGS,
    VARIANTS,
    WINDOW,
    Setting,
)
from ackclock.papers.selfsimilar.figures import sentence
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ackclock.papers.selfsimilar.evidence import Evidence, Side
    from ackclock.papers.selfsimilar.experiment import Reading, Variant

    Say = Callable[[Side], str]

__all__ = [
    "FILE",
    "OVER_READINGS",
    "by_reading",
    "command",
    "each",
    "judged",
    "over_readings",
    "owner",
    "per_reading",
]

FILE: Final = "examples/selfsimilar.toml"
"""The scenario that commands start from: NewReno with a source of constant rate."""

READING: Final = "what its fixed-rate source is"
"""What claims may depend on."""

OVER_READINGS: Final = (
    f"{ELSE_UNDECIDED} Asked under each reading of the source: what all of them say; otherwise it depends on the "
    "reading if it is reproduced under one and not under another, is partly reproduced if it is at least partly so "
    "under most, and is not reproduced if not. Undecided if that differs with readings that are undecided."
)
"""How the verdicts of the readings become one, in words."""


def over_readings(verdicts: Iterable[Verdict]) -> tuple[Verdict, str]:
    """Turn the verdicts of the readings into one, and say what it depends on, if it does."""
    found = list(verdicts)
    if Verdict.UNDECIDED in found:
        decided = (Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT)
        ways = product(*[decided if one is Verdict.UNDECIDED else (one,) for one in found])
        whole = {over_readings(way) for way in ways}
        return whole.pop() if len(whole) == 1 else (Verdict.UNDECIDED, "")
    if len(set(found)) == 1:
        return found[0], ""
    if {Verdict.REPRODUCED, Verdict.NOT} <= set(found):
        return Verdict.DEPENDS, READING
    return (Verdict.PARTLY if 2 * found.count(Verdict.NOT) < len(found) else Verdict.NOT), ""


def per_reading(
    ask: Callable[[Side, Reading], Verdict],
    say: Say,
    why: Callable[[Side, Reading], str],
    brief: Callable[[Side, Reading], str] | None = None,
    *,
    told: str = "{}",
) -> Callable[[Evidence], Judgement]:
    """Make the judge of a claim that is asked under each reading.

    Parameters
    ----------
    ask
        Gives the verdict under a reading.
    say
        Our numbers and ns-2's, in words.
    why
        What decided under a reading, in words.
    brief, told
        The same for the summary: in a few words, and the sentence that they stand in.

    """

    def judge(evidence: Evidence) -> Judgement:
        ours = evidence.ours
        verdict, setting = over_readings(ask(ours, reading) for reading in READINGS.values())
        reasons = "; ".join(f"{reading.name}: {why(ours, reading)}" for reading in READINGS.values())
        words = f"{told.format(_briefly(ours, brief))}." if brief else ""
        return judged(evidence, verdict, say, f"{sentence(reasons)}.", setting, brief=words)

    return judge


def _briefly(side: Side, brief: Callable[[Side, Reading], str]) -> str:
    """Say something of each reading in a few words; once, if it is the same of all."""
    said = {reading.name: brief(side, reading) for reading in READINGS.values()}
    if len(set(said.values())) == 1:
        return f"{next(iter(said.values()))} (all readings)"
    return listed([f"{words} ({name})" for name, words in said.items()])


def judged(
    evidence: Evidence, verdict: Verdict, say: Say, why: str, setting: str = "", *, brief: str = ""
) -> Judgement:
    """Give a judgement with the words for both simulators."""
    return Judgement(verdict=verdict, why=why, setting=setting, brief=brief, **of_both(evidence, say))


def by_reading(tell: Callable[[Side, Reading], str]) -> Say:
    """Say something of each reading."""
    return lambda side: "; ".join(f"{reading.name}: {tell(side, reading)}" for reading in READINGS.values())


def each(measure: str, digits: int, unit: str = "", variants: Iterable[Variant] = tuple(VARIANTS)) -> Say:
    """Make the words on a measure of some variants under each reading; a dash where no run has it."""

    def number(side: Side, reading: Reading, variant: Variant) -> str:
        try:
            return shown(student_interval(side.values(reading, variant, measure)), digits, unit)
        except LookupError:
            return DASH

    chosen = tuple(variants)
    return by_reading(
        lambda side, reading: ", ".join(f"{VARIANTS[variant]} {number(side, reading, variant)}" for variant in chosen)
    )


def owner(variant: Variant) -> str:
    """Give the genitive of a variant's name."""
    name = VARIANTS[variant]
    return f"{name}'" if name.endswith("s") else f"{name}'s"


_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    CONSTANT.name: (),
    GREEDY.name: ('flows.1.source={kind = "greedy"}',),
    WINDOW.name: ('flows.1.source={kind = "greedy"}', "flows.1.transport.max_window=60"),
}
"""How the readings differ from the file."""


def command(setting: Setting, *, duration: int = DURATION, record: str = "") -> str:
    """Give the command that makes one run of a setting over so many seconds, from the repository's root."""
    variant = () if setting.variant == "newreno" else (f'flows.1.transport.variant="{setting.variant}"',)
    size = ("flows.1.packet_size=1000",) if setting.variant == "vegas" else ()
    length = () if duration == DURATION else (f"duration={duration} s",)
    return run_command(FILE, [*variant, *size, *_FIELDS[setting.reading.name], *length], record=record)
