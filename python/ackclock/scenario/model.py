"""Base classes of all tables of a scenario (its parts): strict, frozen, and with our own error messages."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic_core import CoreSchema, InitErrorDetails

from ackclock.engine.catalogue import Parameter
from ackclock.scenario.docstrings import docs_of_fields
from ackclock.values import errors
from ackclock.values.kinds import Kind

if TYPE_CHECKING:
    # Type checkers see pydantic's own metaclass.
    from pydantic._internal._model_construction import ModelMetaclass as _Construction
else:

    class _Construction(type(BaseModel)):
        """Metaclass that constructs parts: allows a positional subject, and raises `ackclock.ScenarioError`.

        Only direct construction uses this method. Parts nested in a table do not, so that their errors are collected
        with the other errors of the scenario.
        """

        def __call__(cls, *given: object, **fields: object) -> object:
            if given:
                if len(given) > 1 or cls.subject is None or cls.subject in fields:
                    after = f" after its {cls.subject}" if cls.subject else ""
                    raise TypeError(f"{cls.__name__} takes keywords{after}")
                fields[cls.subject] = given[0]
            try:
                return super().__call__(**fields)
            except ValidationError as error:
                raise errors.scenario_error(error) from None


class Part(BaseModel, metaclass=_Construction):
    """A table of a scenario, such as ``dumbbell.bottleneck``."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        validate_by_name=True,
        validate_by_alias=True,
        hide_input_in_errors=True,
        defer_build=True,  # the validator of a scenario covers its tables, which rarely need one of their own
    )

    subject: ClassVar[str | None] = None
    """The field that may be given as a positional argument."""

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Name the fields that are given; those without a value are left to the profile."""
        return ((name, value) for name, value in super().__repr_args__() if value is not None)

    @classmethod
    def field_names(cls) -> dict[str, str]:
        """Map each field, as TOML spells it, to a text that says which values are allowed."""
        return {
            field.alias or name: next(
                (mark.allowed for mark in field.metadata if isinstance(mark, Kind)), "must be given"
            )
            for name, field in cls.model_fields.items()
        }

    @classmethod
    def field_docs(cls) -> dict[str, str]:
        """Map each field to its description, the docstring in the source.

        Pydantic's ``use_attribute_docstrings`` would read the source of every class in every process.
        """
        parts = (base for base in reversed(cls.__mro__) if issubclass(base, Part))
        written = {name: doc for part in parts for name, doc in docs_of_fields(part).items()}
        return {name: written.get(name, "") for name in cls.model_fields}

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Add the descriptions of the fields, except those that repeat the description of a table."""
        schema = handler(core)
        properties = handler.resolve_ref_schema(schema)["properties"]
        for name, doc in cls.field_docs().items():
            field = properties[cls.model_fields[name].alias or name]
            with suppress(LookupError):  # pydantic has not described the table yet
                if handler.resolve_ref_schema(field).get("description") == doc:
                    continue
            field["description"] = doc
        return schema

    @classmethod
    def model_validate(cls, obj: object, **settings: Any) -> Self:
        """Read the part from tables as pydantic does, but with our own error messages."""
        try:
            return super().model_validate(obj, **settings)
        except ValidationError as error:
            raise errors.scenario_error(error) from None

    @model_validator(mode="wrap")
    @classmethod
    def _in_our_words(cls, data: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        data = cls.prepared(data)
        part: Self | None = None
        problems: list[InitErrorDetails] = []
        try:
            part = handler(data)
        except ValidationError as error:
            problems += errors.reworded(error, cls.field_names(), cls._unions())
        if isinstance(data, Mapping):
            problems += cls.own_problems(data, part)
        if part is None or problems:
            raise errors.raised(problems)
        return part

    @classmethod
    def _unions(cls) -> dict[str, tuple[str, ...]]:
        """Map each field that holds one of several kinds of table to the names of these kinds."""
        return {
            name: tuple(
                get_args(table.model_fields["kind"].annotation)[0]
                for table in get_args(field.annotation)
                if table is not NoneType
            )
            for name, field in cls.model_fields.items()
            if field.discriminator
        }

    @classmethod
    def prepared(cls, data: object) -> object:
        """Replace short forms of a table before it is checked."""
        return data

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Run checks that involve several fields.

        Parameters
        ----------
        data
            The table as given.
        part
            The validated part, or ``None`` if a field is wrong.
        """
        del data, part
        return []


class Declared(Part):
    """A table with further fields, which the engine's catalogue declares for the value of the `subject` field."""

    model_config = ConfigDict(extra="allow")

    @classmethod
    @abstractmethod
    def declared(cls, data: Mapping[str, Any]) -> Mapping[str, Parameter] | None:
        """Look up the parameters declared for the subject of a table; ``None`` if they are unknown."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The declared parameters that were given."""
        return dict(self.model_extra or {})

    def completed(self, fields: dict[str, Any], parameters: dict[str, Any]) -> Self:
        """Return a copy with the given fields, and with all declared parameters in the order of their declaration."""
        copy = self.model_copy(update=fields)
        if copy.model_extra is not None:
            copy.model_extra.clear()
            copy.model_extra.update(parameters | self.parameters)
        return copy

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check the fields that are declared for the subject."""
        declared = cls.declared(data)
        if declared is None:
            return []
        problems, checked = [], {}
        for name in (name for name in data if name not in cls.model_fields):
            if name not in declared:
                known = [*cls.model_fields, *declared]
                problems.append(errors.unknown((name,), data[name], given=name, known=known))
                continue
            try:
                checked[name] = declared[name].kind.check(data[name])
            except ValueError as error:
                problems.append(errors.wrong((name,), data[name], str(error)))
        if part is not None and part.model_extra is not None:
            part.model_extra.update(checked)
        return problems
