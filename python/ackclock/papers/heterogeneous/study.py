"""The study as one value, and the function that also makes the study `characterization`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ackclock.papers.burstiness.grid_figures import FIGURE_2, FIGURE_3, FIGURE_4
from ackclock.papers.core.claim import Claim
from ackclock.papers.core.definition import Definition
from ackclock.papers.core.paper import Chapter, Paper
from ackclock.papers.heterogeneous.agreement import agreement_statement
from ackclock.papers.heterogeneous.claims import CLAIMS
from ackclock.papers.heterogeneous.evidence import derived, parts, theirs, with_model
from ackclock.papers.heterogeneous.experiment import DEFINITION, SCENES, Scene
from ackclock.papers.heterogeneous.figures import MODEL, more_figures, newcomer_figures, overview


def paper(definition: Definition, *, scenes: Sequence[Scene], claims: Sequence[Claim], has_model: bool) -> Paper:
    """Make the study of a paper with the figures of some scenes."""
    return Paper(
        definition=definition,
        claims=claims,
        parts=partial(parts, scenes),
        derived=with_model if has_model else derived,
        ns2=partial(theirs, scenes),
        statements=lambda evidence: [agreement_statement(evidence.ours.part("curves"), evidence.ns2.part("curves"))],
        overview=lambda evidence: overview(evidence, scenes),
        chapters=[
            Chapter(
                title="The paper's figures",
                figures=[FIGURE_2, FIGURE_3, FIGURE_4, *newcomer_figures(scenes), *([MODEL] if has_model else [])],
            ),
            Chapter(
                title="Beyond the paper",
                text="Added clients gain at the expense of other clients. These figures show the background clients, "
                "all clients together, and the goodput of Vegas relative to Reno.",
                figures=more_figures(scenes),
            ),
        ],
        provenance=lambda _: [("ns-2's points", "ns-2.35 (Debian 2.35+dfsg-5), unmodified; in the CSV files")],
    )


PAPER = paper(DEFINITION, scenes=SCENES, claims=CLAIMS, has_model=True)
