"""Compare Ackclock with ns-2 where two kinds of client share the link.

``python -m ns2 heterogeneous`` compares every point that ns-2 was run at, separately for added and for background
clients. The exit status is 1 if a bar is missed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ackclock.papers.heterogeneous.agreement import TOLERANCES
from ackclock.papers.heterogeneous.evidence import curves, figures
from ackclock.papers.heterogeneous.experiment import SCENES
from ns2.compared import EXPLAINED, Compared, command, texts

if TYPE_CHECKING:
    from collections.abc import Mapping

_INTRODUCTION = texts("heterogeneous")["introduction"].format(explained=EXPLAINED)


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
