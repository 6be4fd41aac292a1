"""What a study asks: its question, the measures that answer it, and the objective by which levels are compared."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import BeforeValidator
from pydantic_core import InitErrorDetails

from ackclock.running.summary import GROUP_MEASURES
from ackclock.scenario import Scenario
from ackclock.scenario.effective import name_of_group
from ackclock.scenario.model import Part
from ackclock.study.figures.measuring import WORDS
from ackclock.values import errors
from ackclock.values.kinds import Kind, word

_LONGEST: Final = 500
_MOST: Final = 20


def check_measure(given: object, groups: Iterable[str] | None = None) -> str:
    """Return a measure of runs, or of a group as ``GROUP.MEASURE``.

    Parameters
    ----------
    given
        The measure.
    groups
        Names of the groups, if they are known.

    Raises
    ------
    ValueError
        There is no such measure or group; the message states what is allowed.

    """
    if not isinstance(given, str):
        raise ValueError("must be the name of a measure")  # noqa: TRY004 - kinds of values raise ValueError
    group, dot, measure = given.rpartition(".")
    if not dot:
        if given in WORDS:
            return given
        more = f"; a measure of a group is written as GROUP.{given}" if given in GROUP_MEASURES else ""
        raise ValueError(f"{errors.one_of(given, WORDS)}, or GROUP.MEASURE{more}")
    if measure not in GROUP_MEASURES:
        raise ValueError(errors.one_of(given, [f"{group}.{each}" for each in GROUP_MEASURES]))
    if groups is not None and group not in groups:
        raise ValueError(errors.one_of(given, [f"{each}.{measure}" for each in groups]))
    return given


def _measure() -> Kind:
    return Kind("must be the name of a measure, or GROUP.MEASURE", check_measure, {"type": "string"})


def _array(given: object) -> tuple[object, ...]:
    allowed = f"must be an array of 1 to {_MOST} different measures, such as ['goodput_bps', 'calls.delay_mean']"
    if isinstance(given, str) or not isinstance(given, Sequence) or not 1 <= len(given) <= _MOST:
        raise errors.not_allowed(allowed)
    if any(each in given[:place] for place, each in enumerate(given)):
        raise errors.not_allowed(allowed)
    return tuple(given)


def _question() -> Kind:
    allowed = f"must be a text of 1 to {_LONGEST} printable characters"

    def check(given: object) -> str:
        if not isinstance(given, str) or not given.isprintable() or not 1 <= len(given.strip()) <= _LONGEST:
            raise ValueError(allowed)
        return given.strip()

    return Kind(allowed, check, {"type": "string", "minLength": 1, "maxLength": _LONGEST})


Question = Annotated[str, _question()]
Measures = Annotated[tuple[Annotated[str, _measure()], ...], BeforeValidator(_array)]


class Objective(Part):
    """The measure by which a study compares levels, and which values of it are better."""

    measure: Annotated[str, _measure()]
    """A number of the summary, such as ``goodput_bps``, or of a group, such as ``calls.delay_mean``."""

    better: Annotated[str, word(["lower", "higher"])]
    """Which values are better: ``lower`` or ``higher``."""


class Asking(Part):
    """What a study asks; its store keeps it for ``ackclock report``."""

    question: Question | None = None
    """The question that the study answers; ``ackclock report`` shows it first."""

    measures: Measures = ()
    """The measures that answer it, the most important first: of runs, or of groups as ``calls.delay_mean``. The report
    draws them first."""

    objective: Objective | None = None
    """The measure by which ``ackclock report`` says which value of a field is best, and whether lower or higher values
    of it are better. By default, the measure that responds most to the fields."""

    @property
    def asked(self) -> dict[str, Any]:
        """What the study asks, as tables for its store: ``question``, ``measures`` and ``objective``, if given."""
        objective = {"measure": self.objective.measure, "better": self.objective.better} if self.objective else None
        given = {"question": self.question, "measures": list(self.measures), "objective": objective}
        return {name: value for name, value in given.items() if value}


def unknown_groups(
    scenario: Mapping[str, Any], measures: Sequence[str], objective: Objective | None
) -> Iterator[InitErrorDetails]:
    """Yield an error for each measure of a group that the scenario does not have.

    A scenario that is incomplete without a study's points is not judged.
    """
    try:
        whole = Scenario.from_dict(scenario)
    except errors.ScenarioError:
        return
    names = [name_of_group(whole, place) for place in range(len(whole.groups))]
    given = [(("measures", str(place)), each) for place, each in enumerate(measures)]
    for path, each in [*given, *([(("objective", "measure"), objective.measure)] if objective else [])]:
        try:
            check_measure(each, names)
        except ValueError as error:
            yield errors.wrong(path, each, str(error))
