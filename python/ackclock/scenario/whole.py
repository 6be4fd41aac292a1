"""The scenario: one value that says all of what a run does."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field
from pydantic_core import InitErrorDetails

from ackclock.scenario import consistency, errors, files
from ackclock.scenario.effective import effective, sealed
from ackclock.scenario.fields import Duration, Instant, LinkNames, PacketSize, PlainName, ProfileName
from ackclock.scenario.model import Part
from ackclock.scenario.network import Dumbbell, GraphLink, Node
from ackclock.scenario.overrides import assigned
from ackclock.scenario.profile import DEFAULT
from ackclock.scenario.traffic import Clients, Flow


def _as_tables(given: object) -> tuple[object, ...]:
    if isinstance(given, Mapping | str) or not isinstance(given, Sequence):
        raise errors.not_allowed("must be an array of tables, each under a heading in double brackets")
    return tuple(given)


# Given as any sequence, kept as a tuple.
_TABLES = BeforeValidator(_as_tables)


class Measure(Part):
    """Where, and over what time, the summary is measured."""

    from_: Annotated[Instant, Field(alias="from")] = "0 s"
    """The summary covers the time from here to the end."""

    bin: Duration | None = None
    """Width of the bins for arrivals: where it is absent, the flows' mean two-way propagation delay."""

    link: PlainName | None = None
    """The measured link: in a dumbbell ``bottleneck`` where it is absent."""

    links: LinkNames | None = None
    """Further links, of which the summary has what passes them (``run.summary.links``)."""


class Scenario(Part):
    """A network, its flows and their traffic: one value, as Python, as TOML, and in every result.

    A scenario is a dumbbell with ``clients``, or a graph of ``nodes``, ``links`` and ``flows``. Quantities are texts
    with units. What is absent comes from the profile.

    Raises
    ------
    ScenarioError
        Naming each field that is wrong, its value and what is allowed.

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
    """Where defaults come from."""

    duration: Duration
    """Simulated time, such as ``"200 s"``."""

    packet_size: PacketSize = 1500
    """Bytes of a full data packet on the wire, for the groups that name none of their own."""

    measure: Measure = Measure()
    """What the summary is taken over."""

    dumbbell: Dumbbell | None = None
    """Clients, a bottleneck, a server."""

    clients: Annotated[Sequence[Clients], _TABLES] = ()
    """The dumbbell's clients, in groups that are alike."""

    nodes: Annotated[Sequence[Node], _TABLES] = ()
    """The nodes of a graph."""

    links: Annotated[Sequence[GraphLink], _TABLES] = ()
    """The links of a graph."""

    flows: Annotated[Sequence[Flow], _TABLES] = ()
    """The flows of a graph, in groups that are alike."""

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that the parts fit together."""
        del data
        return consistency.problems(part) if part is not None else []

    @property
    def groups(self) -> Sequence[Clients | Flow]:
        """The groups of flows, in order: those of the dumbbell's clients, or those of the graph."""
        return self.clients or self.flows

    def effective(self) -> "Scenario":
        """Write out every default: what results keep.

        Running the effective scenario gives the same bytes as running this one.

        Raises
        ------
        ScenarioError
            A file that the scenario names cannot be read.
        """
        return sealed(effective(self))

    def changed(self, fields: Mapping[str, Any]) -> Self:
        """Copy the scenario with some fields changed, and check it again.

        Parameters
        ----------
        fields
            The new value of each field, by its path as ``ackclock run --set`` and error messages write it. In an
            effective scenario, such as a run's, no default is left that another ``profile`` could change.

        Raises
        ------
        ScenarioError
            A path leads nowhere, or a value is not allowed there.

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
        """
        tables = self.to_dict()
        for path, value in fields.items():
            tables = assigned(tables, path, value)
        return self.from_dict(tables)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a scenario from tables, as TOML or JSON give them."""
        return cls.model_validate(data, by_alias=True, by_name=False)

    @classmethod
    def from_toml(cls, path: str | Path) -> Self:
        """Read a scenario from a TOML file."""
        return cls.from_dict(files.read_scenario(Path(path)))

    def to_dict(self) -> dict[str, Any]:
        """Give the scenario as tables, without what is absent."""
        tables = self.model_dump(by_alias=True, exclude_none=True)
        listed = {name: list(value) if isinstance(value, tuple) else value for name, value in tables.items()}
        return {name: value for name, value in listed.items() if value != []}

    def to_json(self) -> str:
        """Give the scenario as JSON of one form: what an effective scenario is known by."""
        return self.model_dump_json(by_alias=True, exclude_none=True)

    def to_toml(self) -> str:
        """Give the scenario as TOML, which :meth:`from_toml` reads back to an equal scenario."""
        import tomli_w  # noqa: PLC0415  # only where a scenario is written

        return tomli_w.dumps(self.to_dict())
