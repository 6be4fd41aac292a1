"""The summary of a run: results over the measured time, at the measured link."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, SupportsIndex, TypeVar, overload

from ackclock.engine.catalogue import catalogue
from ackclock.running.measures import GroupMeasures, LinkMeasures, RunMeasures
from ackclock.values.errors import no_attribute, one_of, refuse


class Named(Protocol):
    """An object with a name."""

    @property
    def name(self) -> str:
        """The name."""


T = TypeVar("T", bound=Named)


class ByName(tuple[T, ...]):
    """A tuple of objects that are also accessible by name."""

    __slots__ = ()

    kind: ClassVar[str]
    """The kind of object, for error messages."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the objects, in order."""
        return tuple(each.name for each in self)

    def items(self) -> tuple[tuple[str, T], ...]:
        """Pairs of a name and its object, in order."""
        return tuple(zip(self.names, self, strict=True))

    def __contains__(self, key: object) -> bool:
        return key in self.names if isinstance(key, str) else super().__contains__(key)

    @overload
    def __getitem__(self, key: str) -> T: ...
    @overload
    def __getitem__(self, key: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[T, ...]: ...
    def __getitem__(self, key: str | SupportsIndex | slice) -> T | tuple[T, ...]:
        if not isinstance(key, str):
            return super().__getitem__(key)
        for each in self:
            if each.name == key:
                return each
        raise refuse(f"{self.kind}s", key, one_of(key, self.names), noun=self.kind)


class Groups(ByName[T]):
    """One object per group, in order; also accessible by name.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> groups = Groups([SimpleNamespace(name="near", loss=0.02), SimpleNamespace(name="far", loss=0.01)])
    >>> groups["near"] is groups[0], groups.names
    (True, ('near', 'far'))
    >>> groups["nearr"]
    Traceback (most recent call last):
    ackclock.values.errors.ScenarioError: groups: unknown group 'nearr'; did you mean 'near'? must be one of near, far
    """

    __slots__ = ()

    kind: ClassVar[str] = "group"


class Links(ByName[T]):
    """One object per measured link, the first for ``measure.link``; also accessible by name."""

    __slots__ = ()

    kind: ClassVar[str] = "link"


@dataclass(frozen=True, kw_only=True, repr=False)
class LinkSummary(LinkMeasures):
    """Results at a measured link, over all flows. Undefined ratios are ``None``."""

    def __repr__(self) -> str:
        return f"LinkSummary({self.name}; {brief(self, 'utilization', 'loss', 'queue_mean')})"


@dataclass(frozen=True, kw_only=True, repr=False)
class GroupSummary(GroupMeasures):
    """Results of one group: of its flows, and of the packets that their senders send across the measured link.

    Counters that do not apply are 0, undefined ratios ``None``.
    """

    @property
    def limited(self) -> dict[str, float] | None:
        """The shares of the measured time in which each reason limited the group's senders; ``None`` for UDP.

        The names are those of the fields without ``limited_``; the shares add up to 1. A flow counts for the
        whole measured time, with its application as the reason before its first data and after its last.
        """
        shares = {name.removeprefix(_LIMITED): getattr(self, name) for name in LIMITS}
        return None if None in shares.values() else shares

    if not TYPE_CHECKING:  # otherwise a type checker would accept any attribute

        def __getattr__(self, name: str) -> object:
            raise no_attribute(self, name, (field.name for field in fields(self)))

    def __repr__(self) -> str:
        flows = f"{self.clients} flow{'' if self.clients == 1 else 's'}"
        return f"GroupSummary({self.name}, {flows}; {brief(self, 'goodput_bps', 'loss', 'delay_mean')})"


@dataclass(frozen=True, kw_only=True, repr=False)
class Summary(RunMeasures):
    """Summary of a run. Counters that do not apply are 0, undefined ratios ``None``."""

    groups: Groups[GroupSummary]
    """Results of each group, in order or by name, as ``groups["near"]``."""
    links: Links[LinkSummary]
    """Results at each measured link, ``measure.link`` and ``measure.links``, as ``links["hop1"]``."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            raise no_attribute(self, name, (field.name for field in fields(self)))

    def __repr__(self) -> str:
        return f"Summary({brief(self)})"

    def _repr_html_(self) -> str:
        """Return the numbers with their units as a table, for notebooks."""
        from ackclock.drawing.inline import table  # noqa: PLC0415  # only notebooks need it

        return table(summary_rows(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as in JSON, with groups, and with links if there is more than one."""
        tables = {"groups": self.groups} | ({"links": self.links} if len(self.links) > 1 else {})
        numbers = {name: value for name, value in asdict(self).items() if name not in _TABLES}
        return numbers | {name: [asdict(each) for each in table] for name, table in tables.items()}


_TABLES: Final = {"groups", "links"}

MEASURES: Final = tuple(catalogue().measures_of("run"))
"""The names of the numbers in a `Summary`."""

GROUP_MEASURES: Final = tuple(name for name in catalogue().measures_of("group") if name != "clients")
"""The names of the numbers in a `GroupSummary`."""

_LIMITED: Final = "limited_"

LIMITS: Final = tuple(name for name in GROUP_MEASURES if name.startswith(_LIMITED))
"""The names of the shares of time in which something limited a group."""

LINK_MEASURES: Final = tuple(catalogue().measures_of("link"))
"""The names of the numbers in a `LinkSummary`."""


def links_of_run(name: str, summary: Mapping[str, Any], further: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the results at each measured link: the link of the summary first, then the further links."""
    first = {"name": name, **{measure: summary[measure] for measure in LINK_MEASURES if measure in summary}}
    return [first, *(dict(link) for link in further)]


UNITS: Final[Mapping[str, tuple[str, float]]] = {
    name: (measure.shown, measure.factor)
    for name, measure in catalogue().measures_of("run").items()
    if measure.title is not None
}
"""The display unit of each measure, and the factor that converts to this unit."""


def meanings() -> dict[str, str]:
    """Return the meaning of each number in a `Summary`, on one line.

    Examples
    --------
    >>> meanings()["loss"], meanings()["sojourn_mean"]
    ('Drops divided by arrivals', 'Mean time that packets spend in the queue, s')
    """
    measures = catalogue().measures_of("run")
    return {name: measure.meaning.replace("`", "").removesuffix(".") for name, measure in measures.items()}


_IF_ANY: Final = ("marks", "corrupted", "drops_policed", "air_time", "medium_busy")
"""Measures that are printed only if there is something to count, or if the link shares a medium."""


def summary_rows(summary: Summary) -> list[tuple[str, str, str]]:
    """Return the name, the value and the unit of each number, for display.

    Measures that would add nothing are left out: counts of 0, drops by place if all were at arrival, and convergence
    that was not measured.
    """
    by_place = {"drops_arrival", "drops_stored", "drops_lost"}
    hides = summary.drops_arrival in (None, summary.drops)
    hidden = {name for name in _IF_ANY if not getattr(summary, name)}
    hidden |= by_place if hides else set()
    hidden |= {name for name in _CONVERGENCE if getattr(summary, name) is None}
    return [
        (name.removesuffix("_bps"), as_text(getattr(summary, name), factor), unit + _INCLUDED.get(name, ""))
        for name, (unit, factor) in UNITS.items()
        if name not in hidden
    ]


_CONVERGENCE: Final = ("jain_windows", "convergence_join", "convergence_leave", "convergence_rate", "converged")
_INCLUDED: Final = {"goodput_bps": ", with headers", "payload_bps": ", without headers"}


GROUP_COLUMNS: Final = tuple(
    (name, measure.shown, measure.factor)
    for name, measure in catalogue().measures_of("group").items()
    if measure.column
)
"""The columns of a table of groups: measure, display unit, and the factor that converts to this unit."""


def group_columns(groups: Sequence[GroupSummary]) -> list[tuple[str, str, float]]:
    """Return the columns of a table of groups, without those that apply to none of the groups."""
    needs = {"marks": "marks", "completed": "completed", "completion_mean": "completed"}
    needs |= {"delay_p99": "delay_p99", "lost": "delay_p99", "sent_bps": "sent_bps", "mos": "mos"}
    needs |= {"pages": "pages", "page_load_p50": "pages"}
    needs |= {"video_bitrate": "video_bitrate", "stalls": "video_bitrate", "stall_share": "video_bitrate"}
    has = {name: any(getattr(group, name) for group in groups) for name in needs.values()}
    return [each for each in GROUP_COLUMNS if each[0] not in needs or has[needs[each[0]]]]


def limited_by(group: GroupSummary) -> str | None:
    """Say what limited a group, the largest share of its time first; ``None`` for UDP.

    >>> from types import SimpleNamespace
    >>> limited_by(SimpleNamespace(limited={"application": 0.35, "slow_start": 0.031, "loss": 0.617, "timeout": 0.002}))
    'loss 62%, application 35%, slow start 3%'
    """
    if group.limited is None:
        return None
    shares = sorted(group.limited.items(), key=lambda each: -each[1])
    return ", ".join(f"{name.replace('_', ' ')} {share:.0%}" for name, share in shares if share >= _LEAST_SHARE)


_LEAST_SHARE: Final = 0.005
"""Smallest share of time that is printed."""


def as_text(value: float | None, factor: float) -> str:
    """Format a number in its display unit: counts in full, other numbers with four digits.

    >>> as_text(12345, 1), as_text(0.0123456, 100), as_text(None, 1)
    ('12,345', '1.235', '-')
    """
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) and factor == 1 else f"{value * factor:.4g}"


BRIEF: Final = ("goodput_bps", "loss", "cov", "queue_mean")
"""The measures that describe a run in one line."""


def brief(summary: object, *measures: str) -> str:
    """Name some numbers of a summary in one line, with their units (default: `BRIEF`)."""
    parts = []
    for name in measures or BRIEF:
        unit, factor = UNITS[name]
        parts.append(f"{name.removesuffix('_bps')} {as_text(getattr(summary, name), factor)} {unit}".rstrip())
    return ", ".join(parts)
