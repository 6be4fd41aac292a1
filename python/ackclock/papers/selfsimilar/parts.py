"""The parts of the study: each asks for its runs, draws its figures and judges its own claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ackclock.papers.selfsimilar.claims import CLAIMS, TOPICS
from ackclock.papers.selfsimilar.course_figures import course_drawings
from ackclock.papers.selfsimilar.evidence import Evidence, gather
from ackclock.papers.selfsimilar.figures import differences, figure_4, ranking
from ackclock.papers.selfsimilar.jitter_figure import jitter_drawing
from ackclock.papers.selfsimilar.trace_figures import trace_section
from ackclock.report.html import Section

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.papers.claims import Claim
    from ackclock.papers.observation import Observation
    from ackclock.papers.summary import Topic
    from ackclock.study import Batch

__all__ = ["PARTS", "TABLE_2", "Found", "Part"]


class Found(Protocol):
    """What a part found."""

    @property
    def runs(self) -> Mapping[str, Sequence[Observation]]:
        """Its runs by what is chosen otherwise in them: rows of ``single.parquet``."""
        ...


F = TypeVar("F", bound=Found)
F_co = TypeVar("F_co", bound=Found, covariant=True)


class Gather(Protocol[F_co]):
    """Asks a batch for runs and gives what makes the evidence of them."""

    def __call__(self, batch: Batch, *, seeds: Sequence[int]) -> Callable[[], F_co]:
        """Ask for all runs with these seeds."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Part(Generic[F]):
    """One part.

    Parameters
    ----------
    gather
        Asks for its runs.
    sections
        Makes its figures, with what a person types to make the study.
    claims, topics
        What it judges, and what of that is told first.

    """

    gather: Gather[F]
    sections: Callable[[F, str], Sequence[Section]]
    claims: Sequence[Claim[F]]
    topics: Sequence[Topic]


def _sections(evidence: Evidence, command: str) -> list[Section]:
    return [
        Section(
            title="Table 2: which order do the runs support?",
            text="Of one seed all variants meet the same background, so that they are compared seed by seed. What the "
            "paper calls a fixed-rate source may be three things: endless data, 775 packets a second, or a receiver "
            "that holds the connection to about that.",
            drawings=[ranking(evidence, command=command), differences(evidence, command=command)],
        ),
        *([] if evidence.trace is None else [trace_section(evidence.trace, command=command)]),
        Section(
            title="Figures 4 to 7",
            drawings=[figure_4(evidence, command=command), *course_drawings(evidence, command=command)],
        ),
        Section(title="Jitter", drawings=[jitter_drawing(evidence, command=command)]),
    ]


TABLE_2: Part[Evidence] = Part(gather=gather, sections=_sections, claims=CLAIMS, topics=TOPICS)
"""Table 2 and Figures 3 to 7."""

PARTS: tuple[Part[Any], ...] = ()
"""The others, in the order of the report: none is left."""
