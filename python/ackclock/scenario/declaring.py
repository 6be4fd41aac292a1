"""Base classes of the tables for TCP and queues, whose further fields the engine declares."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import create_model
from pydantic_core import InitErrorDetails

from ackclock.engine.catalogue import Parameter, catalogue
from ackclock.scenario.fields import (
    Capacity,
    CapacityInBytes,
    Digest,
    DisciplineName,
    Flag,
    LawName,
    QueueName,
    VariantName,
)
from ackclock.scenario.law_classes import for_engine, of_python, with_discipline, with_law
from ackclock.scenario.law_fields import PYTHON, discipline_problems, law_problems
from ackclock.scenario.model import Declared
from ackclock.values import errors
from ackclock.values.kinds import Kind, either, measured
from ackclock.values.quantity import SIZE


class TcpTable(Declared):
    """The table of a TCP transport and its checks, without the fields for the options that the engine declares."""

    subject: ClassVar[str | None] = "variant"

    kind: Literal["tcp"] = "tcp"
    """``tcp``."""

    variant: VariantName = "reno"
    """The congestion control (window law) of the TCP sender; ``recovery`` selects how it repairs losses. The names
    ``tahoe``, ``newreno``, ``sack`` and ``rack`` stand for Reno's law with that recovery, as in ns-2."""

    law: LawName | None = None
    """A window law written in Python, instead of the variant's: ``FILE.py:CLASS``, a class derived from
    ``ackclock.Law``. Its parameters are further fields. Without a variant, ``recovery`` is then ``rack`` by default."""

    law_sha256: Digest | None = None
    """Digest of the source of ``law``, which a result stores. A run is refused if the source has another digest."""

    law_files_sha256: Digest | None = None
    """Digest of the files that a run executes to get the ``law``: its file, and the modules of its folder that this
    imports. A result stores it. Other files are not executed. It must be given with ``law_sha256`` in a file."""

    compiled: Flag | None = None
    """Whether ``law`` is compiled to machine code by numba (``ackclock.compiled``; default: false)."""

    @classmethod
    def field_docs(cls) -> dict[str, str]:
        """Add the descriptions of the options, which the engine declares."""
        return super().field_docs() | {name: option.doc for name, option in catalogue().tcp_options.items()}

    @classmethod
    def declared(cls, data: Mapping[str, Any]) -> Mapping[str, Parameter] | None:
        """Look up the parameters that a law in Python, or else the window law of the variant, declares."""
        if data.get("law") is not None:
            return of_python(data, "law")
        known, subject = catalogue(), data.get("variant", cls.model_fields["variant"].default)
        return known.law_of(subject).parameters if isinstance(subject, str) and subject in known.variants else None

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check the parameters of the window law, and reject ``packet_sizes``."""
        problems = super().own_problems({name: data[name] for name in data if name != "packet_sizes"}, part)
        problems += law_problems(data) + _contradiction(data)
        if "packet_sizes" in data:
            allowed = "must be absent: TCP sends segments of one size, packet_size; only UDP can vary packet sizes"
            problems.append(errors.wrong(("packet_sizes",), data["packet_sizes"], allowed))
        return problems

    @classmethod
    def prepared(cls, data: object) -> object:
        """Replace a law that is given as an object by the fields that name it."""
        return with_law(data) if isinstance(data, Mapping) else data

    def with_parameters(self, other: Self) -> Self:
        """Copy the transport with the parameters of the window law that another table gives.

        Examples
        --------
        >>> from ackclock import Tcp
        >>> Tcp("vegas", alpha=2, beta=4).with_parameters(Tcp("vegas", beta=6)).parameters
        {'alpha': 2.0, 'beta': 6.0}
        """
        copy = self.model_copy(deep=True)
        if copy.model_extra is not None:
            copy.model_extra.update(other.parameters)
        return copy

    def law_for_engine(self, number: int = 0) -> dict[str, Any]:
        """Convert the window law of an effective transport into the engine's form; ``number`` names a law in Python."""
        if self.law is not None:
            return for_engine(self.law, self.law_sha256, number)
        declared = catalogue().law_of(self.variant).parameters
        parameters = {name: declared[name].for_engine(value) for name, value in self.parameters.items()}
        return {"kind": catalogue().variants[self.variant].congestion, **parameters}


def _contradiction(data: Mapping[str, Any]) -> list[InitErrorDetails]:
    """Check that a recovery is not given beside a variant that stands for another one."""
    variant, recovery = data.get("variant"), data.get("recovery")
    known = catalogue().variants.get(variant) if isinstance(variant, str) else None
    if recovery is None or known is None or known.recovery is None or known.recovery == recovery:
        return []
    allowed = f"must be absent: the variant {variant} has recovery {known.recovery}; the variant reno can have any"
    return [errors.wrong(("recovery",), recovery, allowed)]


WINDOWS: Final = ("max_window", "initial_window")
"""Options in packets that may be given in bytes of data; the effective scenario converts them with the payload."""


def _kind_of(option: Parameter) -> Kind:
    return either(option.kind, measured(SIZE, "1 B", "1000000 GB")) if option.name in WINDOWS else option.kind


if TYPE_CHECKING:
    TcpWithOptions = TcpTable  # `declared.pyi` lists the options for type checkers
else:
    TcpWithOptions = create_model(
        "TcpWithOptions",
        __base__=TcpTable,
        **{name: (Annotated[Any, _kind_of(option)] | None, None) for name, option in catalogue().tcp_options.items()},
    )


class QueueTable(Declared):
    """The table of a queue, with all fields and their checks."""

    subject: ClassVar[str | None] = "kind"

    kind: QueueName
    """Name of the queue discipline; ``python`` for one that is written in Python."""

    packets: Capacity | None = None
    """Limit of the queue, in packets."""

    bytes: CapacityInBytes | None = None
    """Limit of the queue in bytes, such as ``"150 kB"``, instead of ``packets``."""

    count_in_service: Flag | None = None
    """Whether the limit counts the packet in transmission."""

    discipline: DisciplineName | None = None
    """The discipline of the kind ``python``: ``FILE.py:CLASS``, a class derived from ``ackclock.Discipline``. Its
    parameters are further fields."""

    discipline_sha256: Digest | None = None
    """Digest of the source of ``discipline``, which a result stores. A source with another digest is refused."""

    discipline_files_sha256: Digest | None = None
    """Digest of the files that a run executes to get the ``discipline``, as ``law_files_sha256`` of a transport."""

    @classmethod
    def prepared(cls, data: object) -> object:
        """Replace a discipline that is given as an object by the fields that name it."""
        return with_discipline(data) if isinstance(data, Mapping) else data

    @classmethod
    def declared(cls, data: Mapping[str, Any]) -> Mapping[str, Parameter] | None:
        """Look up the parameters that a queue discipline declares."""
        known, subject = catalogue().queues, data.get("kind")
        if subject == PYTHON:
            return of_python(data, "discipline")
        return known[subject].parameters if isinstance(subject, str) and subject in known else None

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that only one limit is given, and the fields that name a discipline in Python."""
        problems = super().own_problems(data, part) + discipline_problems(data)
        if data.get("packets") is not None and data.get("bytes") is not None:
            problems.append(errors.wrong(("bytes",), data["bytes"], "must be absent when packets gives the limit"))
        return problems

    def with_given(self, other: Self) -> Self:
        """Copy the queue with the limit and the parameters that another table gives.

        Examples
        --------
        >>> from ackclock import CoDel
        >>> CoDel(packets=50, target="5 ms").with_given(CoDel(bytes=30_000))
        Queue(kind='codel', bytes=30000, target='5 ms')
        """
        fields = {name: value for name in ("packets", "bytes") if (value := getattr(other, name)) is not None}
        if fields:
            fields = {"packets": None, "bytes": None, **fields}
        if other.count_in_service is not None:
            fields["count_in_service"] = other.count_in_service
        copy = self.model_copy(update=fields, deep=True)
        if copy.model_extra is not None:
            copy.model_extra.update(other.parameters)
        return copy

    def for_engine(self, number: int = 0) -> dict[str, Any]:
        """Convert an effective queue into the engine's form; ``number`` names a discipline in Python."""
        limit = {"packets": self.packets} if self.bytes is None else {"bytes": self.bytes}
        if self.kind == PYTHON:
            name = (self.discipline or "").rpartition(":")[2]
            own = {"kind": "foreign", "name": name, "number": number}
            return {**own, "limit": limit, "count_in_service": self.count_in_service}
        declared = catalogue().queues[self.kind].parameters
        return {
            "kind": self.kind,
            "limit": limit,
            "count_in_service": self.count_in_service,
            **{name: declared[name].for_engine(value) for name, value in self.parameters.items()},
        }
