"""Compare Ackclock with ns-2 where two kinds of client share the link.

``python -m ackclock.papers.heterogeneous.agreement`` compares every point that ns-2 was run at, separately for added
and for background clients. The exit status is 1 if a bar is missed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from ackclock.papers.agreement import EXPLAINED, Compared, command, statement
from ackclock.papers.comparison import Tolerance, compare
from ackclock.papers.core.evidence import Row
from ackclock.papers.heterogeneous.evidence import curves, figures
from ackclock.papers.heterogeneous.experiment import CLASSES, DEFINITION, SCENES
from ackclock.papers.heterogeneous.measures import goodput, loss
from ackclock.report.html import Statement

_INTRODUCTION = DEFINITION.table("agreement")["introduction"].format(explained=EXPLAINED)

TOLERANCES = (
    *(Tolerance(title=f"goodput, {name}", measure=goodput(name), relative=0.05) for name in CLASSES),
    *(Tolerance(title=f"loss, {name}", measure=loss(name), relative=0.15, absolute=0.002) for name in CLASSES),
)


def agreement_statement(ours: Iterable[Row], theirs: Iterable[Row]) -> Statement:
    """Summarise how many of the means of goodput and loss agree with ns-2.35."""
    return statement(
        compare(ours, theirs, TOLERANCES),
        what="the goodput and loss of added clients and of background clients",
        margin="5 % of the goodput, 15 % of the loss or 0.2 points",
    )


def _quick(where: Mapping[str, Any]) -> bool:
    """Check whether a point has the most clients of its scene, for two of the scenes."""
    return any(scene.where.items() <= where.items() and where["clients"] == scene.most for scene in SCENES[::3])


COMPARED = Compared(
    study="heterogeneous",
    part="curves",
    again="again_curves",
    ours=lambda: curves(figures(SCENES)),
    tolerances=TOLERANCES,
    bar=0.92,
    quick=_quick,
    named=lambda where: f"{where['variant']} with {where['background']} Reno clients, buffer {where['buffer']:,}",
    counted="added clients",
    by_chance=True,
)

main = partial(command, _INTRODUCTION, [COMPARED], description=__doc__, quick="ten points")

if __name__ == "__main__":
    sys.exit(main())
