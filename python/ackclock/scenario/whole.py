"""The scenario: a complete description of a run, except for its seed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Self

from pydantic import BeforeValidator, Field
from pydantic_core import InitErrorDetails

from ackclock.scenario import consistency, files
from ackclock.scenario.changes import Change
from ackclock.scenario.effective import effective, sealed
from ackclock.scenario.fields import Closeness, Duration, Instant, MeasuredLinks, PacketSize, PlainName, ProfileName
from ackclock.scenario.media import Medium
from ackclock.scenario.model import Part
from ackclock.scenario.network import Dumbbell, GraphLink, Node
from ackclock.scenario.overrides import assigned
from ackclock.scenario.profile import DEFAULT
from ackclock.scenario.routing import Routing
from ackclock.scenario.topologies import Topology, expanded
from ackclock.scenario.traffic import Clients, Flow
from ackclock.values import errors


def _as_tables(given: object) -> tuple[object, ...]:
    if isinstance(given, Mapping | str) or not isinstance(given, Sequence):
        raise errors.not_allowed("must be an array of tables, each under a header in double brackets")
    return tuple(given)


# Accepts any sequence, and stores a tuple.
_TABLES = BeforeValidator(_as_tables)


_QUEUE: Final[Mapping[str, Any]] = {"queue": {"discipline_files_sha256"}}
_GROUPS: Final[Mapping[str, Any]] = {"__all__": {"transport": {"law_files_sha256"}, "access": _QUEUE}}
_NO_IDENTITY: Final[Any] = {
    "clients": _GROUPS,
    "flows": _GROUPS,
    "links": {"__all__": _QUEUE},
    "dumbbell": dict.fromkeys(("bottleneck", "reverse", "access"), _QUEUE),
}
"""Fields that do not tell scenarios apart."""


class Convergence(Part):
    """How convergence at the measured link is measured.

    The measures are ``jain_windows``, ``convergence_join``, ``convergence_leave``, ``convergence_rate`` and
    ``converged``.

    Examples
    --------
    >>> Convergence(window="500 ms")
    Convergence(window='500 ms', delta=0.1)
    """

    window: Duration
    """Time over which rates are averaged; a window begins at each tenth of it. It should be longer than the cycle of
    the senders' windows, and no longer than the time between changes."""

    delta: Closeness = 0.1
    """How far the rate of a flow may be from its share, as a part of the share: flows have converged if all rates are
    within it (RFC 5166, section 2.3)."""


class Measure(Part):
    """The links and the time that the summary covers."""

    from_: Annotated[Instant, Field(alias="from")] = "0 s"
    """Start of the measured time, which lasts until the end of the run."""

    bin: Duration | None = None
    """Width of the bins for arrivals (default: the flows' mean round-trip propagation delay)."""

    link: PlainName | None = None
    """The measured link (default in a dumbbell: ``bottleneck``)."""

    links: MeasuredLinks | None = None
    """Further links whose traffic the summary reports (``run.summary.links``): their names, or ``"all"`` for all other
    links of a graph."""

    convergence: Convergence | None = None
    """How convergence is measured (default: it is not)."""


class Scenario(Part):
    """A network, its flows and their traffic. It can be written in Python or TOML, and every result contains it.

    A scenario is a dumbbell with ``clients``, or a graph with ``flows``: ``nodes`` and ``links``, or a ``topology``.
    Quantities are texts with units. Absent fields take their values from the profile, a named set of defaults.

    Raises
    ------
    ScenarioError
        The scenario is invalid; the error names each wrong field, its value and what is allowed.

    Examples
    --------
    >>> import ackclock as ac
    >>> scenario = ac.Scenario(
    ...     duration="10 s",
    ...     dumbbell=ac.Dumbbell(
    ...         access=ac.Link(rate="10 Mbps", delay="25 ms"),
    ...         bottleneck=ac.Link(rate="5 Mbps", delay="25 ms"),
    ...     ),
    ...     clients=[ac.Clients(count=3, transport=ac.Tcp("reno"), source=ac.Greedy())],
    ... )
    >>> scenario.effective().measure.bin
    '100 ms'
    """

    profile: ProfileName = DEFAULT
    """The set of defaults to use."""

    duration: Duration
    """Simulated time, such as ``"200 s"``."""

    packet_size: PacketSize = 1500
    """Size in bytes of a full data packet on the wire, for groups without a ``packet_size`` of their own."""

    measure: Measure = Measure.model_construct()
    """The links and the time that the summary covers."""

    dumbbell: Dumbbell | None = None
    """The network: clients, a bottleneck link and a server."""

    clients: Annotated[Sequence[Clients], _TABLES] = ()
    """The dumbbell's clients, in groups with equal parameters."""

    topology: Topology | None = Field(default=None, discriminator="kind")
    """A network by name, which expands to nodes and links. Further ``nodes`` and ``links`` add to it. A link between
    two of its nodes replaces its own."""

    nodes: Annotated[Sequence[Node], _TABLES] = ()
    """The nodes of a graph."""

    links: Annotated[Sequence[GraphLink], _TABLES] = ()
    """The links of a graph."""

    flows: Annotated[Sequence[Flow], _TABLES] = ()
    """The flows of a graph, in groups with equal parameters."""

    media: Annotated[Sequence[Medium], _TABLES] = ()
    """The media that links share."""

    changes: Annotated[Sequence[Change], _TABLES] = ()
    """Changes of links at given times."""

    routing: Routing | None = None
    """Which of several shortest paths the flows of a graph take (default: by ECMP)."""

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that the tables of the scenario are consistent."""
        del data
        return consistency.problems(part) if part is not None else []

    @property
    def groups(self) -> Sequence[Clients | Flow]:
        """The groups of flows, in order: `clients` of a dumbbell, or `flows` of a graph."""
        return self.clients or self.flows

    def effective(self) -> "Scenario":
        """Fill in every default. Results store this form.

        The effective scenario gives the same results as the original, byte for byte.

        Raises
        ------
        ScenarioError
            A file that the scenario names cannot be read.
        """
        return sealed(effective(expanded(self)))

    def changed(self, fields: Mapping[str, Any] = MappingProxyType({}), /, **top: Any) -> Self:
        """Copy the scenario with some fields changed, and check it again.

        Parameters
        ----------
        fields
            The new value of each field, by its path as in ``ackclock run --set`` and error messages. A new ``profile``
            has no effect on an effective scenario, such as the scenario of a run, since all its defaults are filled in
            already.
        top
            New values of the scenario's own fields, such as ``duration``.

        Raises
        ------
        ScenarioError
            A path does not exist, or a value is not allowed.

        Examples
        --------
        >>> import ackclock as ac
        >>> small = ac.Scenario(
        ...     duration="10 s",
        ...     dumbbell=ac.Dumbbell(
        ...         access=ac.Link(rate="10 Mbps", delay="25 ms"),
        ...         bottleneck=ac.Link(rate="5 Mbps", delay="25 ms", queue=ac.DropTail(packets=10)),
        ...     ),
        ...     clients=[ac.Clients(count=3, transport=ac.Tcp("reno"), source=ac.Greedy())],
        ... )
        >>> large = small.changed({"clients.0.count": 30, "dumbbell.bottleneck.queue.packets": 50})
        >>> small.clients[0].count, large.clients[0].count, large.dumbbell.bottleneck.queue.packets
        (3, 30, 50)
        >>> small.changed(duration="20 s").duration
        '20 s'
        """
        tables = self.to_dict()
        for path, value in {**fields, **top}.items():
            tables = assigned(tables, path, value)
        return self.from_dict(tables)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a scenario from tables, as parsed from TOML or JSON."""
        return cls.model_validate(data, by_alias=True, by_name=False)

    @classmethod
    def from_toml(cls, path: str | Path) -> Self:
        """Read a scenario from a TOML file."""
        return cls.from_dict(files.read_scenario(Path(path)))

    def to_dict(self) -> dict[str, Any]:
        """Convert the scenario to tables, without absent fields."""
        tables = self.model_dump(by_alias=True, exclude_none=True)
        listed = {name: list(value) if isinstance(value, tuple) else value for name, value in tables.items()}
        return {name: value for name, value in listed.items() if value != []}

    def to_json(self) -> str:
        """Convert the scenario to canonical JSON, which identifies an effective scenario.

        The digests of the files around a law or a discipline are left out: they do not change what a run computes.
        """
        # results of versions without media keep their identity
        exclude = _NO_IDENTITY if self.media else {**_NO_IDENTITY, "media": True}
        return self.model_dump_json(by_alias=True, exclude_none=True, exclude=exclude)

    def to_toml(self) -> str:
        """Convert the scenario to TOML, which `from_toml` reads back to an equal scenario."""
        import tomli_w  # noqa: PLC0415  # only where a scenario is written

        return tomli_w.dumps(self.to_dict())
