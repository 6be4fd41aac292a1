"""Identifies the program that made a run: version of Ackclock, revision of its engine, version of the schema."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from ackclock.engine.catalogue import catalogue
from ackclock.scenario import SCHEMA


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The program that made a run. An attribute is None if the record of the run does not contain it."""

    version: str | None
    """Version of Ackclock."""
    revision: str | None
    """Revision of the engine: a hash of its sources. The same revision gives the same results."""
    schema: int | None
    """Version of the scenario's schema (`ackclock.scenario.SCHEMA`)."""

    @classmethod
    def here(cls) -> Self:
        """Return the origin of runs that the installed program makes."""
        known = catalogue()
        return cls(version=known.version, revision=known.revision, schema=SCHEMA)

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        """Read the program from the record of a run; a value of the wrong type counts as absent.

        Examples
        --------
        >>> print(Origin.read({"version": "0.1.0", "revision": "0123456789abcdef"}))
        Ackclock 0.1.0, engine revision 0123456789ab, scenario schema unknown
        """
        version, revision, schema = (record.get(name) for name in ("version", "revision", "schema"))
        return cls(
            version=version if isinstance(version, str) else None,
            revision=revision if isinstance(revision, str) else None,
            schema=schema if isinstance(schema, int) else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the program as stored in records."""
        return asdict(self)

    @property
    def engine(self) -> str:
        """Describe the engine and the schema."""
        revision = "unknown" if self.revision is None else self.revision[:12]
        return f"engine revision {revision}, scenario schema {'unknown' if self.schema is None else self.schema}"

    def __str__(self) -> str:
        return f"Ackclock {self.version or 'of unknown version'}, {self.engine}"
