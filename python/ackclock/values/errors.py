"""Errors in an input: one line each, with the field, the value and what is allowed.

Every message about an input is made here. Pydantic finds most problems, but its messages are replaced by ours.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

Location = tuple[str | int, ...]

_LONGEST_VALUE = 60
_LONGEST_FIELD = 120
_LONGEST_PLACE = 500
_LONGEST_LIST = 24
_MOST_PROBLEMS = 10
_MOST_NAMED = 5

_WITHOUT_VALUE = ("must be absent", "in the pair at ")
"""Beginnings of texts that say themselves what is wrong in a table or an array."""

# Typing errors come before missing fields: a misspelt field causes both, and the spelling is the useful message.
_UNKNOWN, _VALUE, _MISSING, _FILE = range(4)


@dataclass(frozen=True)
class Problem:
    """A problem of an input: one line of an error message."""

    field: str
    """Path of the field as TOML writes it, such as ``clients.0.transport.max_window``."""

    value: object
    """The given value; ``None`` if the field is missing."""

    allowed: str
    """What is allowed, as the end of a sentence."""

    rank: int = _VALUE
    """Rank of the problem: problems with lower ranks come first in a message."""

    where: str = ""
    """Name of the input with the problem, if there are several inputs, such as ``over: clients.0.count = -3``."""

    noun: str = ""
    """Category of the name, such as ``variant``, if the value is a name that can be unknown."""

    @property
    def order(self) -> int:
        """Sort key. A missing kind comes first in its table, because it also invalidates the other fields."""
        return _VALUE if self.rank == _MISSING and self.field.rpartition(".")[2] == "kind" else self.rank

    def __str__(self) -> str:
        where = f"{shorten(self.where, _LONGEST_PLACE)}: " if self.where else ""
        return where + self._text

    @property
    def _text(self) -> str:
        field = shorten(self.field, _LONGEST_FIELD)
        if self.rank == _UNKNOWN:
            return f"{field}: unknown field; {self.allowed}"
        if self.rank == _MISSING:
            return f"{field}: missing; {self.allowed}"
        if self.rank == _FILE:
            return f"{field}: {self.allowed}"
        if self.noun and isinstance(self.value, str):
            return f"{field}: unknown {self.noun} {shown(self.value)}; {self.allowed}"
        if self.allowed.startswith(_WITHOUT_VALUE) and not isinstance(self.value, str | int | float):
            return f"{field}: {self.allowed}"  # printing the value as "a table" would add nothing
        return f"{field}: {shown(self.value)} is not allowed; {self.allowed}"


class ScenarioError(ValueError):
    """An invalid input: a scenario, a record request or a file.

    The text has one line per problem, the most useful first.

    Attributes
    ----------
    problems
        All problems found.
    field, value, allowed
        Details of the first problem.

    Examples
    --------
    >>> import ackclock
    >>> ackclock.Link(rate="10 Mbps", delay="25")
    Traceback (most recent call last):
    ackclock.values.errors.ScenarioError: delay: '25' is not allowed; must be a time with its unit ...
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.order))
        first = self.problems[0]
        self.field, self.value, self.allowed = first.field, first.value, first.allowed
        super().__init__(self.problems)

    @property
    def headline(self) -> str:
        """The first problem, and the fields of the other problems, on one line."""
        first, *others = self.problems
        if not others:
            return str(first)
        fields = list(dict.fromkeys(shorten(problem.field, _LONGEST_FIELD) for problem in others))
        cut = ", …" if len(fields) > _MOST_NAMED else ""
        errors = "another error" if len(others) == 1 else f"{len(others)} other errors"
        return f"{first}; {errors}: {', '.join(fields[:_MOST_NAMED])}{cut}"

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:_MOST_PROBLEMS]]
        more = len(self.problems) - len(lines)
        return "\n".join([*lines, f"and {more} more"] if more else lines)


class LostError(RuntimeError):
    """A worker process ended or did not start, for a reason other than the input. The text is one line."""


def refuse(field: str, value: object, allowed: str, *, noun: str = "") -> ScenarioError:
    """Make the error for a single problem."""
    return ScenarioError([Problem(field=field, value=value, allowed=allowed, noun=noun)])


def no_attribute(thing: object, name: str, names: Iterable[str]) -> AttributeError:
    """Make the error for an attribute that a result does not have."""
    hint = "" if name.startswith("_") else near(name, names).rstrip()
    message = f"{type(thing).__name__!r} object has no attribute {name!r}{hint and '; '}{hint}"
    return AttributeError(message, name=name, obj=thing)


def unreadable(path: object, why: str, allowed: str) -> ScenarioError:
    """Make the error for a file that cannot be used for its purpose."""
    return ScenarioError([Problem(str(path), None, f"cannot be used: {why}; must be {allowed}", _FILE)])


def impossible(line: str) -> ScenarioError:
    """Make the error for an input that the engine rejects; ``line`` consists of the field, a colon and the reason."""
    field, _, reason = line.partition(": ")
    return ScenarioError([Problem(field, None, reason, _FILE)])


class DamagedError(ScenarioError):
    """A file written by Ackclock that is damaged."""


def damaged(path: object, why: str, again: str) -> DamagedError:
    """Make the error for a damaged file written by Ackclock; ``again`` says how to recreate the file."""
    return DamagedError([Problem(str(path), None, f"is damaged: {why}; {again}", _FILE)])


def located(error: ScenarioError, where: str) -> ScenarioError:
    """Return the error with the name of the input that has the problems."""
    return ScenarioError(replace(problem, where=where) for problem in error.problems)


def shown(value: object) -> str:
    """Format a value for a message: as TOML, on one line, shortened.

    Examples
    --------
    >>> shown("sixty"), shown(True), shown({"a": 1}), shown(float("nan")), shown([3, 0])
    ("'sixty'", 'true', 'a table', 'nan', '[3, 0]')
    """
    match value:
        case bool():
            text = "true" if value else "false"
        case str():
            text = repr(shorten(value, _LONGEST_VALUE))
        case Mapping():
            text = "a table"
        case list() | tuple() if value and all(type(each) in (int, float) for each in value):
            text = shorten(f"[{', '.join(map(shown, value))}]", _LONGEST_VALUE)
        case Sequence():
            text = "an array" if value else "an empty array"
        case int() if value.bit_length() > 3 * _LONGEST_VALUE:  # Python refuses to print very long integers
            text = f"an integer of {value.bit_length()} bits"
        case _:
            text = shorten(str(value), _LONGEST_VALUE)
    return text


def shorten(text: str, longest: int) -> str:
    """Cut a text in the middle if it is longer than ``longest``, and remove line breaks."""
    if len(text) > longest:
        half = (longest - 1) // 2
        text = f"{text[:half]}…{text[-half:]}"
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def listed(names: Iterable[str]) -> str:
    """List the allowed words, shortened if there are very many."""
    names = list(names)
    rest = len(names) - _LONGEST_LIST
    return ", ".join(names[:_LONGEST_LIST]) + (f" and {rest} more" if rest > 0 else "")


_SYNONYMS = (
    ("bandwidth", "rate"),
    ("bulk", "greedy"),
    ("cc", "variant"),
    ("congestion", "variant"),
    ("delay", "sojourn_mean"),
    ("fifo", "droptail"),
    ("flows", "count"),
    ("latency", "delay"),
    ("latency", "sojourn_mean"),
    ("limit", "packets"),
    ("pfifo", "droptail"),
    ("queueing delay", "sojourn_mean"),
    ("seeds", "replications"),
    ("size", "packets"),
    ("tail-drop", "droptail"),
    ("warmup", "measure.from"),
)
"""Other names of fields, kinds and measures, and the word to suggest if it, or the table in its path, is allowed."""


def near(name: str, names: Iterable[str], also: Mapping[str, str] = MappingProxyType({})) -> str:
    """Suggest the nearest allowed word or synonym of one, if one is near; ``also`` maps further synonyms to words.

    Examples
    --------
    >>> near("tahoo", ["reno", "tahoe"]), near("fifo", ["droptail"]), near("fq", ["droptail"])
    ("did you mean 'tahoe'? ", "did you mean 'droptail'? ", '')
    >>> near("latency", ["rate", "delay"]), near("latency", ["cov", "sojourn_mean"]), near("latency", ["cov"])
    ("did you mean 'delay'? ", "did you mean 'sojourn_mean'? ", '')
    """
    if len(name) > _LONGEST_FIELD:
        return ""
    names = list(names)[:10_000]
    also = {synonym: word for synonym, word in _SYNONYMS if word.partition(".")[0] in names} | dict(also)
    names += also
    close = [each for each in names if each.casefold() == name.casefold()] or difflib.get_close_matches(
        name, names, n=1
    )
    return f"did you mean '{also.get(close[0], close[0])}'? " if close else ""


def one_of(value: object, names: Iterable[str]) -> str:
    """List the allowed words, and suggest the nearest to ``value``."""
    names = list(names)
    words = f"must be one of {listed(names)}" if names else "none exists"
    return (near(value, names) if isinstance(value, str) else "") + words


# --------------------------------------------------------------------------------------------------------------------
# Conversion between our errors and pydantic's


def not_allowed(allowed: str, rank: int = _VALUE, noun: str = "") -> PydanticCustomError:
    """Make the error of a value that is not allowed, in the form in which pydantic passes it up to the scenario."""
    # Pydantic's text is a template. Our text is passed as a value, so that its braces stay literal.
    return PydanticCustomError("ackclock", "{allowed}", {"allowed": allowed, "rank": rank, "noun": noun})


def unknown(location: Location, value: object, *, given: str, known: Iterable[str]) -> InitErrorDetails:
    """Report a field that does not exist, to be raised through pydantic."""
    known = list(known)
    return _detail(location, value, f"{near(given, known)}allowed: {listed(known)}", _UNKNOWN)


def missing(location: Location, allowed: str) -> InitErrorDetails:
    """Report a field that must be given, to be raised through pydantic."""
    return _detail(location, None, allowed, _MISSING)


def wrong(location: Location, value: object, allowed: str, *, noun: str = "") -> InitErrorDetails:
    """Report a value that is not allowed, or a name that is unknown, to be raised through pydantic."""
    return _detail(location, value, allowed, _VALUE, noun)


def _detail(location: Location, value: object, allowed: str, rank: int, noun: str = "") -> InitErrorDetails:
    return InitErrorDetails(type=not_allowed(allowed, rank, noun), loc=location, input=value)


def raised(details: Sequence[InitErrorDetails]) -> ValidationError:
    """Combine our errors into the pydantic error that passes them up to the enclosing model."""
    return ValidationError.from_exception_data("ackclock", list(details))


def reworded(
    error: ValidationError, fields: Mapping[str, str], unions: Mapping[str, Sequence[str]]
) -> list[InitErrorDetails]:
    """Replace the messages of one model's own errors with ours, and pass on the errors of nested models.

    Parameters
    ----------
    error
        The error that pydantic raised.
    fields
        The model's fields, spelled as in TOML, and what each allows.
    unions
        The fields that hold one of several kinds of table, with the names of these kinds.
    """
    return [_reword(found, fields, unions) for found in error.errors(include_url=False)]


def _reword(found: ErrorDetails, fields: Mapping[str, str], unions: Mapping[str, Sequence[str]]) -> InitErrorDetails:
    location, value = found["loc"], found["input"]
    name = str(location[-1]) if location else ""
    kinds = unions.get(str(location[0]), ()) if location else ()
    if len(location) > 1 and location[1] in kinds:  # pydantic puts the kind into the path
        location = (location[0], *location[2:])
    match found["type"]:
        case "ackclock":
            return _detail(location, value, found["ctx"]["allowed"], found["ctx"]["rank"], found["ctx"]["noun"])
        case "extra_forbidden":
            return unknown(location, value, given=name, known=fields)
        case "missing":
            return missing(location, fields[name])
        case "union_tag_not_found" | "union_tag_invalid":
            tag, at = value.get("kind"), (*location, "kind")
            allowed = one_of(tag, kinds)
            return missing(at, allowed) if tag is None else wrong(at, tag, allowed, noun=name)
        case "model_type" | "model_attributes_type":
            content = f"kind = {' or '.join(kinds)}" if kinds else listed(fields)
            return wrong(location, value, f"{_TABLE}{content}")
        case _:
            return wrong(location, value, found["msg"])


_TABLE = "must be a table with "
_EXAMPLES = {
    "loss": '{ kind = "random", probability = 0.01 }, or in Python ac.RandomLoss(probability=0.01)',
    "queue": '{ kind = "codel" }, or in Python ac.CoDel()',
    "source": '{ kind = "greedy" }, or in Python ac.Greedy()',
    "transport": '{ kind = "tcp", variant = "cubic" }, or in Python ac.Tcp("cubic")',
}
"""Tables for which a text is often given, such as the name of a variant."""


def scenario_error(error: ValidationError) -> ScenarioError:
    """Convert a pydantic error into the error that users see."""
    problems: list[Problem] = []
    for found in error.errors(include_url=False):
        context: Mapping[str, Any] = found.get("ctx", {})
        if isinstance(cause := context.get("error"), ScenarioError):  # of a file that a check has read
            problems += cause.problems
            continue
        field = ".".join(str(part) for part in found["loc"]) or "scenario"
        allowed = context.get("allowed", found["msg"])
        rank, noun = context.get("rank", _VALUE), context.get("noun", "")
        if allowed.startswith(_TABLE) and (example := _EXAMPLES.get(field.rpartition(".")[2])):
            allowed += f", such as {example}"
        problems.append(Problem(field, found["input"], allowed, rank, noun=noun))
    return ScenarioError(problems)
