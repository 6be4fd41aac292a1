"""What all parts of a scenario share: strict, frozen, and wrong in our own words."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self, get_args

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import InitErrorDetails

from ackclock import errors
from ackclock.catalogue import Parameter


class _Construction(type(BaseModel)):  # type: ignore[misc]  # pydantic's metaclass has no public name
    """Lets a part's kind be given without its name, and makes what is wrong a :class:`~ackclock.ScenarioError`.

    Only what a person constructs passes here: parts inside a table do not, so that their errors reach the whole scenario's.
    """

    def __call__(cls, *given: object, **fields: object) -> Any:
        if given:
            subject = cls.subject
            if len(given) > 1 or subject is None or subject in fields:
                raise TypeError(f"{cls.__name__} takes keywords" + (f" after its {subject}" if subject else ""))
            fields[subject] = given[0]
        try:
            return super().__call__(**fields)
        except ValidationError as error:
            raise errors.scenario_error(error) from None


class Part(BaseModel, metaclass=_Construction):
    """A table of the scenario."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        validate_by_name=True,
        validate_by_alias=True,
        use_attribute_docstrings=True,
        hide_input_in_errors=True,
    )

    subject: ClassVar[str | None] = None
    """The field that may be given without its name."""

    @classmethod
    def field_names(cls) -> dict[str, str]:
        """Map each field, as TOML spells it, to what it allows."""
        return {
            field.alias or name: next(
                (mark.allowed for mark in field.metadata if hasattr(mark, "allowed")), "must be given"
            )
            for name, field in cls.model_fields.items()
        }

    @model_validator(mode="wrap")
    @classmethod
    def _in_our_words(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
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
        """Map each field that holds one of several tables to their kinds."""
        return {
            name: tuple(get_args(table.model_fields["kind"].annotation)[0] for table in get_args(field.annotation))
            for name, field in cls.model_fields.items()
            if field.discriminator
        }

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check the table beyond its fields one by one.

        Parameters
        ----------
        data
            The table as it was given.
        part
            What was made of it, if every field is right.
        """
        del data, part
        return []


class Declared(Part):
    """A table whose subject declares further fields of its own, in the engine's catalogue."""

    model_config = ConfigDict(extra="allow")

    @classmethod
    def declared(cls, subject: object) -> Mapping[str, Parameter] | None:
        """Look up what a kind declares; ``None`` for a kind that does not exist."""
        raise NotImplementedError

    @property
    def parameters(self) -> dict[str, Any]:
        """The declared parameters that were given."""
        return dict(self.model_extra or {})

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check the fields that the subject declares."""
        subject = cls.subject or ""
        declared = cls.declared(data.get(subject, cls.model_fields[subject].default))
        problems = []
        for name in data.keys() - cls.model_fields.keys() if declared is not None else ():
            if name not in declared:
                problems.append(errors.unknown((name,), data[name], given=name, known=[*cls.model_fields, *declared]))
                continue
            try:
                value = declared[name].check(data[name])
            except ValueError as error:
                problems.append(errors.wrong((name,), data[name], str(error)))
            else:
                if part is not None and part.model_extra is not None:
                    part.model_extra[name] = value
        return problems
