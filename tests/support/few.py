"""Selects some claims of a study, to make tests fast."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ackclock.papers.core.definition import Definition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.papers.core.claim import Claim
    from ackclock.papers.core.paper import Paper
    from ackclock.papers.summary import Topic


@dataclass(frozen=True)
class Few(Definition):
    """A definition with some of its claims, and the topics that summarize these claims."""

    kept: frozenset[str]

    @property
    def keys(self) -> Sequence[str]:
        """Keys of the claims, in their order."""
        return [key for key in super().keys if key in self.kept]

    @property
    def topics(self) -> Sequence[Topic]:
        """Topics whose claims are all included."""
        return [topic for topic in super().topics if {topic.key, *topic.also} <= self.kept]


def few(paper: Paper, claims: Sequence[Claim], **changes: Any) -> Paper:
    """Return a study with only these claims, and with other changes."""
    definition = Few(paper.definition.package, frozenset(claim.key for claim in claims))
    return replace(paper, definition=definition, claims=claims, **changes)
