"""Every claim of the study with its rule."""

from __future__ import annotations

from ackclock.papers.vegas.claims.beside import MO, PAPERS, SWINGS
from ackclock.papers.vegas.claims.causes import CAUSES

CLAIMS = (*PAPERS, *MO, *CAUSES, *SWINGS)
