"""The question: the link, its users and their traffic, what matters to them, and what may be changed."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import Field
from pydantic_core import InitErrorDetails

from ackclock.scenario.fields import Flag
from ackclock.scenario.files import read_toml
from ackclock.scenario.model import Part
from ackclock.values import errors
from ackclock.values.errors import one_of, unreadable, wrong
from ackclock.values.kinds import Kind, either, measured, number, whole
from ackclock.values.quantity import RATE, TIME

APPLICATIONS: Final = ("calls", "pages", "bulk")
"""The applications that can matter, in the order of the default."""
QUEUES: Final = ("droptail", "fq_codel", "cake", "pie", "dualpi2")
"""The queues that can be tried. Of queues that are equally good, the first one is recommended."""
LAWS: Final = ("cubic", "bbr", "bbr3")
"""The congestion controls that can be tried; of those that are equally good, the first one is recommended."""
MOST_USERS: Final = 10_000
"""Largest number of users, and of users of one application."""


def _words(words: Sequence[str], noun: str) -> Kind:
    """Allow arrays of different words."""
    allowed = f"must be an array of different {noun}s, each one of {', '.join(words)}"

    def check(value: object) -> tuple[str, ...]:
        if (
            isinstance(value, str)
            or not isinstance(value, Sequence)
            or not value
            or len(set(map(str, value))) < len(value)
        ):
            raise ValueError(allowed)
        for each in value:
            if each not in words:
                raise ValueError(f"unknown {noun} {errors.shown(each)}: {one_of(each, words)}")
        return tuple(value)

    items = {"enum": list(words)}
    return Kind(allowed, check, {"type": "array", "items": items, "minItems": 1, "uniqueItems": True})


def _share() -> Kind:
    allowed = "must be a share of the users from 0 to 100 %, such as '5 %'"

    def check(value: object) -> str:
        written = re.fullmatch(r"\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*%\s*", value) if isinstance(value, str) else None
        if written is None or float(written[1]) > 100:
            raise ValueError(allowed)
        return f"{float(written[1]):g} %"

    return Kind(allowed, check, {"type": "string", "examples": ["5 %"]})


_Rate = Annotated[str, measured(RATE, "500 kbps", "10 Gbps")]
_ROUND_TRIP: Final = measured(TIME, "1 ms", "1 s")


def _delay() -> Kind:
    allowed = f"{_ROUND_TRIP.allowed}, or an array of the shortest and the longest one"

    def check(value: object) -> str | tuple[str, str]:
        if isinstance(value, str):
            return str(_ROUND_TRIP.check(value))
        if not isinstance(value, Sequence) or len(value) != 2:
            raise ValueError(allowed)
        low, high = (str(_ROUND_TRIP.check(each)) for each in value)
        if TIME.parse(low) >= TIME.parse(high):
            raise ValueError(f"{allowed}: {high} is not longer than {low}")
        return low, high

    return Kind(allowed, check, {"anyOf": [dict(_ROUND_TRIP.schema), {"type": "array", "minItems": 2, "maxItems": 2}]})


_Amount = Annotated[int | str, either(_share(), whole(0, MOST_USERS))]


class Mix(Part):
    """How many users do what at the same time: shares of all users, such as ``"10 %"``, or numbers.

    RFC 7928, section 9.1, names these kinds of traffic, and no numbers: the defaults are ours.
    """

    calls: _Amount = "10 %"
    """Users in a call with speech and video, in both directions."""

    pages: _Amount = "60 %"
    """Users who read web pages."""

    video: _Amount = "20 %"
    """Users who watch an adaptive video."""

    downloads: _Amount = "5 %"
    """Downloads that never end."""

    uploads: _Amount = "5 %"
    """Uploads that never end."""

    def counts(self, users: int) -> dict[str, int]:
        """Return the number of users of each kind of traffic: at least one, unless none is asked for.

        >>> Mix(calls=4).counts(30)
        {'calls': 4, 'pages': 18, 'video': 6, 'downloads': 2, 'uploads': 2}
        """
        return {name: _count(getattr(self, name), users) for name in type(self).model_fields}


def _count(amount: int | str, users: int) -> int:
    if isinstance(amount, int):
        return amount
    share = float(amount.rstrip("% ")) / 100
    return max(1, int(share * users + 0.5)) if share else 0


class Question(Part):
    """What is asked about a link."""

    rate: _Rate
    """Rate of the link towards the users (down)."""

    up: _Rate | None = None
    """Rate of the link from the users (default: ``rate``)."""

    delay: Annotated[str | tuple[str, str], _delay()]
    """Round-trip time without queues: a time, or the shortest and the longest one."""

    users: Annotated[int, whole(1, MOST_USERS)]
    """Number of users who are active at the same time."""

    mix: Mix = Mix.model_construct()
    """What the users do."""

    matters: Annotated[tuple[str, ...], Field(alias="for"), _words(APPLICATIONS, "application")] = APPLICATIONS
    """What matters, the most important first."""

    queues: Annotated[tuple[str, ...], _words(QUEUES, "queue")] = QUEUES
    """Queues that the device has."""

    laws: Annotated[tuple[str, ...], _words(LAWS, "congestion control")] = LAWS[:1]
    """Congestion controls that you can choose for the senders. The first one is in use today."""

    ecn: Flag = True
    """Whether senders may use ECN and the queue may mark packets."""

    shaping: Annotated[float, number(low=0.5, high=1)] = 0.95
    """Share of the rate at which a managed queue sends, so that packets wait in it and not in the modem behind it; 1
    if the interface of the queue is the link itself."""

    @classmethod
    def from_toml(cls, path: str | Path, changes: Callable[[dict[str, Any]], None] = lambda _: None) -> Self:
        """Read a question from a TOML file, after `changes` of its tables."""
        tables = read_toml(Path(path))
        if tables.keys() & {"dumbbell", "clients", "scenario", "links"}:
            raise unreadable(path, "it is a scenario or a study", "a question, as `ackclock init uplink` writes it")
        changes(tables)
        return cls.from_dict(tables)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a question from tables."""
        return cls.model_validate(data, by_alias=True, by_name=False)

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that what matters is part of the traffic."""
        del data
        return [] if part is None else list(_absent(part))

    @property
    def counts(self) -> dict[str, int]:
        """Number of users of each kind of traffic."""
        return self.mix.counts(self.users)

    @property
    def rates(self) -> tuple[int, int]:
        """Rates down and up, in bit/s."""
        return RATE.parse(self.rate), RATE.parse(self.up or self.rate)

    @property
    def delays(self) -> tuple[float, ...]:
        """Round-trip times without queues in s: one, or three that stand for equal parts of a range."""
        if isinstance(self.delay, str):
            return (TIME.parse(self.delay) / 1e12,)
        low, high = (TIME.parse(each) / 1e12 for each in self.delay)
        return tuple(low + part * (high - low) for part in (1 / 6, 1 / 2, 5 / 6))

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as they are in a file."""
        return self.model_dump(by_alias=True, mode="json", exclude_none=True)


_ALL: Final = 100 + 1e-9


def _absent(question: Question) -> Iterable[InitErrorDetails]:
    counts = question.counts
    missing = {
        "calls": not counts["calls"],
        "pages": not counts["pages"],
        "bulk": not counts["downloads"] + counts["uploads"],
    }
    for name in question.matters:
        if missing[name]:
            parts = "downloads or uploads" if name == "bulk" else name
            yield wrong(("for",), list(question.matters), f"must not name {name}: mix has no {parts}")
    amounts = question.mix.model_dump()
    shares = sum(float(each.rstrip("% ")) for each in amounts.values() if isinstance(each, str))
    if shares > _ALL:
        yield wrong(("mix",), amounts, f"must have shares of at most 100 % together, not {shares:g} %")
    if sum(counts.values()) > 2 * MOST_USERS:
        yield wrong(("mix",), question.mix.model_dump(), f"must have at most {2 * MOST_USERS:,} users together")
