"""Base classes of the tables for TCP and queues, whose further fields the engine declares."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, create_model
from pydantic_core import InitErrorDetails

from ackclock.running.catalogue import Parameter, catalogue
from ackclock.scenario import errors
from ackclock.scenario.fields import Capacity, Flag, QueueName, VariantName
from ackclock.scenario.model import Declared


class TcpFields(Declared):
    """The common fields of a TCP transport, without the options that the engine declares."""

    kind: Literal["tcp"] = "tcp"
    """``tcp``."""

    variant: VariantName = "reno"
    """The TCP sender: a combination of loss recovery and congestion-control law (window law)."""


if TYPE_CHECKING:
    _WithOptions = TcpFields  # `declared.pyi` lists the options for type checkers
else:
    _WithOptions = create_model(
        "_WithOptions",
        __base__=TcpFields,
        **{
            name: (Annotated[Any, option.kind] | None, Field(default=None, description=option.doc))
            for name, option in catalogue().tcp_options.items()
        },
    )


class TcpTable(_WithOptions):
    """The table of a TCP transport, with all fields and their checks."""

    subject: ClassVar[str | None] = "variant"

    @classmethod
    def declared(cls, subject: object) -> Mapping[str, Parameter] | None:
        """Look up the parameters that the window law of a variant declares."""
        known = catalogue()
        return known.law_of(subject).parameters if isinstance(subject, str) and subject in known.variants else None

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check the parameters of the window law, and reject ``packet_sizes``."""
        problems = super().own_problems({name: data[name] for name in data if name != "packet_sizes"}, part)
        if "packet_sizes" in data:
            allowed = "must be absent: TCP sends segments of one size, packet_size; only UDP can vary packet sizes"
            problems.append(errors.wrong(("packet_sizes",), data["packet_sizes"], allowed))
        return problems

    def law_for_engine(self) -> dict[str, Any]:
        """Convert the window law of an effective transport into the engine's form."""
        declared = catalogue().law_of(self.variant).parameters
        parameters = {name: declared[name].for_engine(value) for name, value in self.parameters.items()}
        return {"kind": catalogue().variants[self.variant].congestion, **parameters}


class QueueTable(Declared):
    """The table of a queue, with all fields and their checks."""

    subject: ClassVar[str | None] = "kind"

    kind: QueueName
    """Name of the queue discipline."""

    packets: Capacity | None = None
    """Limit of the queue, in packets."""

    bytes: Capacity | None = None
    """Limit of the queue in bytes, instead of ``packets``."""

    count_in_service: Flag | None = None
    """Whether the limit counts the packet in transmission."""

    @classmethod
    def declared(cls, subject: object) -> Mapping[str, Parameter] | None:
        """Look up the parameters that a queue discipline declares."""
        known = catalogue().queues
        return known[subject].parameters if isinstance(subject, str) and subject in known else None

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that only one limit is given."""
        problems = super().own_problems(data, part)
        if data.get("packets") is not None and data.get("bytes") is not None:
            problems.append(errors.wrong(("bytes",), data["bytes"], "must be absent when packets gives the limit"))
        return problems

    def for_engine(self) -> dict[str, Any]:
        """Convert an effective queue into the engine's form."""
        limit = {"packets": self.packets} if self.bytes is None else {"bytes": self.bytes}
        declared = catalogue().queues[self.kind].parameters
        return {
            "kind": self.kind,
            "limit": limit,
            "count_in_service": self.count_in_service,
            **{name: declared[name].for_engine(value) for name, value in self.parameters.items()},
        }
