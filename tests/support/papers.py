"""All studies by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.aqm.study import PAPER as AQM
from ackclock.papers.buffers.study import PAPER as BUFFERS
from ackclock.papers.burstiness.study import PAPER as BURSTINESS
from ackclock.papers.characterization.study import PAPER as CHARACTERIZATION
from ackclock.papers.coexistence.study import PAPER as COEXISTENCE
from ackclock.papers.heterogeneous.study import PAPER as HETEROGENEOUS
from ackclock.papers.manyflows.study import PAPER as MANYFLOWS
from ackclock.papers.selfsimilar.study import PAPER as SELFSIMILAR
from ackclock.papers.today.study import PAPER as TODAY
from ackclock.papers.vegas.study import PAPER as VEGAS

if TYPE_CHECKING:
    from ackclock.papers.core.paper import Paper

PAPERS: dict[str, Paper] = {
    "aqm": AQM,
    "buffers": BUFFERS,
    "burstiness": BURSTINESS,
    "characterization": CHARACTERIZATION,
    "coexistence": COEXISTENCE,
    "heterogeneous": HETEROGENEOUS,
    "manyflows": MANYFLOWS,
    "selfsimilar": SELFSIMILAR,
    "today": TODAY,
    "vegas": VEGAS,
}
