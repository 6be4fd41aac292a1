"""The summary of a run: results over the measured time, at the measured link."""

import ast
import inspect
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, SupportsIndex, TypeVar, overload

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


@dataclass(frozen=True, kw_only=True)
class LinkSummary:
    """Results at a measured link, over all flows. Undefined ratios are ``None``."""

    name: str
    """Name of the link."""
    arrivals: int
    """Packets offered to the queue, including dropped packets."""
    departures: int
    """Packets whose transmission began."""
    drops: int
    """Packets dropped by the queue or the policer, or lost by the link's loss model before the queue."""
    drops_arrival: int | None = None
    """Packets that the queue dropped at their arrival; ``None`` in results of earlier versions."""
    drops_stored: int | None = None
    """Packets that the queue had stored and dropped later."""
    drops_lost: int | None = None
    """Packets lost by the link's loss model before the queue."""
    drops_policed: int | None = None
    """Packets dropped by the link's policer."""
    loss: float | None
    """Drops divided by arrivals."""
    marks: int = 0
    """Packets that the queue marked (ECN)."""
    corrupted: int = 0
    """Packets lost after their transmission."""
    throughput_bps: float
    """Bits transmitted per second, including headers."""
    utilization: float
    """Throughput divided by the link's rate."""
    cov: float | None
    """Coefficient of variation of arrivals per whole bin: population standard deviation divided by mean."""
    queue_mean: float
    """Time average of the number of waiting packets."""
    sojourn_mean: float | None = None
    """Mean time that packets spend in the queue, s."""
    sojourn_p50: float | None
    """Median time that packets spend in the queue, s."""
    sojourn_p95: float | None
    """95th percentile of the time in the queue, s."""
    sojourn_p99: float | None
    """99th percentile of the time in the queue, s."""
    sojourn_max: float | None = None
    """Maximum time in the queue, s."""

    def __repr__(self) -> str:
        return f"LinkSummary({self.name}; {brief(self, 'utilization', 'loss', 'queue_mean')})"


@dataclass(frozen=True, kw_only=True)
class GroupSummary:
    """Results of one group. Counters that do not apply are 0, undefined ratios ``None``."""

    name: str
    """Name of the group."""
    clients: int
    """Number of flows in the group."""
    arrivals: int
    """Packets of the group offered to the measured queue, including dropped packets."""
    departures: int
    """Packets of the group whose transmission began."""
    drops: int
    """Packets of the group dropped by the queue or the policer, or lost by the link's loss model before the queue."""
    drops_arrival: int | None = None
    """Packets of the group that the queue dropped at their arrival; ``None`` in results of earlier versions."""
    drops_stored: int | None = None
    """Packets of the group that the queue had stored and dropped later."""
    drops_lost: int | None = None
    """Packets of the group lost by the link's loss model before the queue."""
    drops_policed: int | None = None
    """Packets of the group dropped by the link's policer."""
    loss: float | None
    """Drops divided by arrivals."""
    marks: int = 0
    """Packets of the group that the queue marked (ECN)."""
    corrupted: int = 0
    """Packets of the group lost after their transmission."""
    throughput_bps: float
    """Bits transmitted per second, including headers."""
    goodput_bps: float
    """Bits delivered in order for the first time, per second, including headers."""
    payload_bps: float | None = None
    """Bits of data delivered in order for the first time, per second, without headers; ``None`` in results of earlier
    versions."""
    cov: float | None
    """Coefficient of variation of the group's arrivals per bin."""
    cov_poisson: float | None
    """C.o.v. of the Poisson load that the group's sources offer, per bin."""
    queue_mean: float
    """Time average of the number of the group's waiting packets: the group's share of the queue."""
    sojourn_mean: float | None = None
    """Mean time that the group's packets spend in the queue, s."""
    sojourn_p50: float | None = None
    """Median time that the group's packets spend in the queue, s."""
    sojourn_p95: float | None = None
    """95th percentile of the time that the group's packets spend in the queue, s."""
    sojourn_p99: float | None = None
    """99th percentile of the time that the group's packets spend in the queue, s."""
    sojourn_max: float | None = None
    """Maximum time that the group's packets spend in the queue, s."""
    delay_mean: float | None
    """Mean one-way delay of the group's packets, s."""
    jitter: float | None
    """Interarrival jitter (RFC 3550, section 6.4.1), s."""
    rtt_mean: float | None = None
    """Mean of the senders' round-trip samples: from the transmission of a segment to the arrival of its ACK, s."""
    rtt_min: float | None = None
    """Shortest round-trip sample, s."""
    timeouts: int
    """Retransmission timeouts with data outstanding."""
    fast_retransmits: int
    """Fast retransmits."""
    dup_acks: int
    """Duplicate ACKs received by the group's senders."""
    retransmissions: int
    """Packets retransmitted."""
    duplicates: int
    """Data packets whose receiver already had their data."""
    timeouts_per_dup_ack: float | None
    """Timeouts divided by duplicate ACKs."""
    jain_index: float | None
    """Jain's fairness index over the goodput of the group's flows."""
    shut_off: int
    """Number of the group's flows with a goodput below 2 % of both their fair share and their offered load."""
    starved: int
    """Number of the group's flows with a goodput below 10 % of both their fair share and their offered load."""
    completed: int
    """Completed finite transfers."""
    completion_mean: float | None
    """Mean completion time: from the request of a transfer to the arrival of its last packet, s."""
    completion_p50: float | None = None
    """Median completion time, s."""
    completion_p95: float | None = None
    """95th percentile of the completion time, s."""
    completion_p99: float | None = None
    """99th percentile of the completion time, s."""
    slowdown_mean: float | None = None
    """Mean slowdown: completion time divided by the minimum time in which the idle path could carry the transfer."""
    limited_application: float | None = None
    """Share of the measured time in which the group's senders were limited by the application: no data to send.
    ``None`` for UDP, and in results of earlier versions. All shares of this kind add up to 1."""
    limited_receiver_window: float | None = None
    """Share of the measured time in which the group's senders were limited by the advertised window, which was smaller
    than the congestion window."""
    limited_slow_start: float | None = None
    """Share of the measured time in which the group's senders were limited by the congestion window in slow start, or
    by the handshake."""
    limited_loss: float | None = None
    """Share of the measured time in which the group's senders were limited by the congestion window, which a loss had
    reduced."""
    limited_marks: float | None = None
    """Share of the measured time in which the group's senders were limited by the congestion window, which a mark
    (ECN) had reduced."""
    limited_window: float | None = None
    """Share of the measured time in which the group's senders were limited by the congestion window by the choice of
    the law."""
    limited_pacing: float | None = None
    """Share of the measured time in which the group's senders were limited by pacing."""
    limited_processing: float | None = None
    """Share of the measured time in which the group's senders were limited by processing times (``overhead``)."""
    limited_timeout: float | None = None
    """Share of the measured time in which the group's senders waited in vain for ACKs until the retransmission timer
    fired."""

    @property
    def limited(self) -> dict[str, float] | None:
        """The shares of the measured time in which each reason limited the group's senders; ``None`` for UDP.

        The names are those of the fields above without ``limited_``; the shares add up to 1. A flow counts for the
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


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Summary of a run. Counters that do not apply are 0, undefined ratios ``None``."""

    arrivals: int
    """Packets offered to the queue, including dropped packets."""
    departures: int
    """Packets whose transmission began."""
    drops: int
    """Packets dropped by the queue or the policer, or lost by the link's loss model before the queue."""
    drops_arrival: int | None = None
    """Packets that the queue dropped at their arrival; ``None`` in results of earlier versions."""
    drops_stored: int | None = None
    """Packets that the queue had stored and dropped later."""
    drops_lost: int | None = None
    """Packets lost by the link's loss model before the queue."""
    drops_policed: int | None = None
    """Packets dropped by the link's policer."""
    loss: float | None
    """Drops divided by arrivals."""
    marks: int = 0
    """Packets that the queue marked (ECN)."""
    corrupted: int = 0
    """Packets lost after their transmission."""
    throughput_bps: float
    """Bits transmitted per second, including headers."""
    goodput_bps: float
    """Bits delivered in order for the first time, per second, including headers."""
    payload_bps: float | None = None
    """Bits of data delivered in order for the first time, per second, without headers; ``None`` in results of earlier
    versions."""
    utilization: float
    """Throughput divided by the link's rate."""
    goodput_share: float
    """Goodput divided by the link's rate."""
    cov: float | None
    """Coefficient of variation of arrivals per whole bin: population standard deviation divided by mean."""
    cov_poisson: float | None
    """C.o.v. per bin of the offered Poisson load; ``None`` unless all sources are Poisson."""
    queue_mean: float
    """Time average of the number of waiting packets."""
    sojourn_mean: float | None = None
    """Mean time that packets spend in the queue, s."""
    sojourn_p50: float | None
    """Median time that packets spend in the queue, s."""
    sojourn_p95: float | None
    """95th percentile of the time in the queue, s."""
    sojourn_p99: float | None
    """99th percentile of the time in the queue, s."""
    sojourn_max: float | None = None
    """Maximum time in the queue, s."""
    delay_mean: float | None
    """Mean one-way delay of data packets, s."""
    jitter: float | None
    """Interarrival jitter (RFC 3550, section 6.4.1), s."""
    rtt_mean: float | None = None
    """Mean of the senders' round-trip samples: from the transmission of a segment to the arrival of its ACK, s."""
    rtt_min: float | None = None
    """Shortest round-trip sample, s."""
    timeouts: int
    """Retransmission timeouts with data outstanding."""
    fast_retransmits: int
    """Fast retransmits."""
    dup_acks: int
    """Duplicate ACKs received by senders."""
    retransmissions: int
    """Packets retransmitted."""
    duplicates: int
    """Data packets whose receiver already had their data: unnecessary retransmissions."""
    timeouts_per_dup_ack: float | None
    """Timeouts divided by duplicate ACKs."""
    jain_index: float | None
    """Jain's fairness index over clients' goodput."""
    jain_between: float | None
    """Jain's fairness index over the groups' goodput per client."""
    shut_off: int
    """Number of flows with a goodput below 2 % of both their fair share and their offered load. The fair share is the
    link's rate divided by the number of flows that cross the link."""
    starved: int
    """Number of flows with a goodput below 10 % of both their fair share and their offered load."""
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

MEASURES = tuple(field.name for field in fields(Summary) if field.name not in _TABLES)
"""The names of the numbers in a `Summary`."""

GROUP_MEASURES = tuple(field.name for field in fields(GroupSummary) if field.name not in {"name", "clients"})
"""The names of the numbers in a `GroupSummary`."""

_LIMITED: Final = "limited_"

LIMITS = tuple(name for name in GROUP_MEASURES if name.startswith(_LIMITED))
"""The names of the shares of time in which something limited a group."""

LINK_MEASURES = tuple(field.name for field in fields(LinkSummary) if field.name != "name")
"""The names of the numbers in a `LinkSummary`."""


def links_of_run(name: str, summary: Mapping[str, Any], further: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the results at each measured link: the link of the summary first, then the further links."""
    first = {"name": name, **{measure: summary[measure] for measure in LINK_MEASURES if measure in summary}}
    return [first, *(dict(link) for link in further)]


UNITS: Final[Mapping[str, tuple[str, float]]] = {
    "arrivals": ("packets", 1),
    "departures": ("packets", 1),
    "drops": ("packets", 1),
    "drops_arrival": ("packets", 1),
    "drops_stored": ("packets", 1),
    "drops_lost": ("packets", 1),
    "drops_policed": ("packets", 1),
    "loss": ("%", 100),
    "marks": ("packets", 1),
    "corrupted": ("packets", 1),
    "throughput_bps": ("Mbps", 1e-6),
    "goodput_bps": ("Mbps", 1e-6),
    "payload_bps": ("Mbps", 1e-6),
    "utilization": ("%", 100),
    "goodput_share": ("%", 100),
    "cov": ("", 1),
    "cov_poisson": ("", 1),
    "queue_mean": ("packets", 1),
    "sojourn_mean": ("ms", 1e3),
    "sojourn_p50": ("ms", 1e3),
    "sojourn_p95": ("ms", 1e3),
    "sojourn_p99": ("ms", 1e3),
    "sojourn_max": ("ms", 1e3),
    "delay_mean": ("ms", 1e3),
    "jitter": ("ms", 1e3),
    "rtt_mean": ("ms", 1e3),
    "rtt_min": ("ms", 1e3),
    "timeouts": ("", 1),
    "fast_retransmits": ("", 1),
    "dup_acks": ("", 1),
    "retransmissions": ("packets", 1),
    "duplicates": ("packets", 1),
    "jain_index": ("", 1),
    "shut_off": ("flows", 1),
    "starved": ("flows", 1),
}
"""The display unit of each measure, and the factor that converts to this unit."""


def meanings() -> dict[str, str]:
    """Return the meaning of each number in a `Summary`: its docstring, on one line.

    Examples
    --------
    >>> meanings()["loss"], meanings()["sojourn_mean"]
    ('Drops divided by arrivals', 'Mean time that packets spend in the queue, s')
    """
    nodes = ast.walk(ast.parse(inspect.getsource(Summary)))
    body = next(node.body for node in nodes if isinstance(node, ast.ClassDef))
    found = {}
    for declared, doc in itertools.pairwise(body):
        match declared, doc:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = " ".join(text.replace("``", "").split()).removesuffix(".")
    return found


def summary_rows(summary: Summary) -> list[tuple[str, str, str]]:
    """Return the name, the value and the unit of each number, for display.

    Measures that would add nothing are left out: counts of 0, and drops by place if all were at arrival.
    """
    by_place = {"drops_arrival", "drops_stored", "drops_lost"}
    hides = summary.drops_arrival in (None, summary.drops)
    hidden = {name for name in ("marks", "corrupted", "drops_policed") if not getattr(summary, name)}
    hidden |= by_place if hides else set()
    return [
        (name.removesuffix("_bps"), as_text(getattr(summary, name), factor), unit + _INCLUDED.get(name, ""))
        for name, (unit, factor) in UNITS.items()
        if name not in hidden
    ]


_INCLUDED: Final = {"goodput_bps": ", with headers", "payload_bps": ", without headers"}


GROUP_COLUMNS: Final = (
    ("clients", "", 1),
    ("arrivals", "packets", 1),
    ("loss", "%", 100),
    ("marks", "packets", 1),
    ("throughput_bps", "Mbps", 1e-6),
    ("goodput_bps", "Mbps", 1e-6),
    ("payload_bps", "Mbps", 1e-6),
    ("cov", "", 1),
    ("delay_mean", "ms", 1e3),
    ("rtt_mean", "ms", 1e3),
    ("timeouts", "", 1),
    ("retransmissions", "packets", 1),
    ("jain_index", "", 1),
    ("completed", "transfers", 1),
    ("completion_mean", "s", 1),
)
"""The columns of a table of groups: measure, display unit, and the factor that converts to this unit."""


def group_columns(groups: Sequence[GroupSummary]) -> list[tuple[str, str, float]]:
    """Return the columns of a table of groups, without those that apply to none of the groups."""
    needs = {"marks": "marks", "completed": "completed", "completion_mean": "completed"}
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
