"""The study as one value: its parts, claims and figures."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ackclock.papers.core.evidence import Runs
from ackclock.papers.core.paper import Chapter, Paper
from ackclock.papers.core.parts import Part
from ackclock.papers.manyflows import figures, flow_figures, padhye, pipe_figures
from ackclock.papers.manyflows import internet_figures as internet
from ackclock.papers.manyflows.claims import CLAIMS
from ackclock.papers.manyflows.distances import distance_parts
from ackclock.papers.manyflows.experiment import PROFILE, part
from ackclock.papers.manyflows.figures import overview
from ackclock.papers.manyflows.internet import components_of, internet_parts
from ackclock.papers.manyflows.pipes import pipe_parts
from ackclock.papers.manyflows.places import DEFINITION, PARTS, WITH, WITHOUT, from_ns2
from ackclock.papers.manyflows.reasons import reason_parts

_CHAPTERS = DEFINITION.table("chapters")


@functools.cache
def parts() -> Sequence[Part]:
    return [
        *(part(name, cells) for name, cells in PARTS.items()),
        *pipe_parts(),
        part("flows", padhye.cells(), padhye.ratios, record=padhye.RECORD),
        *padhye.fifth_parts(),
        *reason_parts(),
        *distance_parts(),
        *internet_parts(),
    ]


def derived(runs: Runs) -> Runs:
    """Add the parts that are computed from others: Tables 2 and 3, and the components of networks."""
    added = dict(runs.parts)
    if "flows" in added:
        added["padhye"] = padhye.tables(runs)
    if "backbone" in added:
        added["components"] = components_of(dict.fromkeys(run.seed for run in added["backbone"]))
    return Runs(added)


PAPER = Paper(
    definition=DEFINITION,
    claims=CLAIMS,
    chapters=(
        Chapter(**_CHAPTERS["pipes"], figures=pipe_figures.pipe_figures(WITHOUT)),
        Chapter(**_CHAPTERS["all"], figures=[figures.PREDICTION, figures.TOTALS, *figures.of_many(WITHOUT)]),
        Chapter(
            **_CHAPTERS["processing"],
            figures=[*pipe_figures.pipe_figures(WITH), figures.AMOUNT, *figures.of_many(WITH)],
        ),
        Chapter(
            **_CHAPTERS["flows"],
            figures=[
                *(internet.BACKBONE, internet.BOTTLENECKS, internet.APART),
                *(flow_figures.tables2and3(WITHOUT), flow_figures.tables2and3(WITH), flow_figures.REASONS),
                *(flow_figures.FIGURE23, flow_figures.FIGURE24, flow_figures.SIZES, flow_figures.OTHERWISE),
            ],
        ),
    ),
    parts=parts,
    ns2=from_ns2,
    derived=derived,
    overview=overview,
    provenance=lambda _: [("ns-2's points", "ns-2.35 (Debian 2.35+dfsg-5), unmodified, in evidence.parquet")],
    profile=PROFILE,
)
