"""Values that this paper's claims share: loads, variants and RED's weight."""

from __future__ import annotations

from ackclock.papers.burstiness.experiment import HEAVY, PAPERS_CLIENTS, VARIANTS
from ackclock.papers.core.evidence import Named

TCPS = Named("every TCP", [variant for variant in VARIANTS if variant != "UDP"])
RENOS = Named("every Reno variant", [name for name in TCPS if str(name).startswith("Reno")])
PLAIN = ("Reno", "Reno/DelAck", "Vegas")
REDS = Named("with RED", [f"{name}/RED" for name in PLAIN])
WITHOUT_RED = {f"{name}/RED": name for name in PLAIN}

LIGHT = Named("fewer than 10 clients", [clients for clients in PAPERS_CLIENTS if clients < 10])
MODERATE = tuple(clients for clients in PAPERS_CLIENTS if 10 <= clients <= 38)  # the paper's moderately congested loads
SURE = tuple(clients for clients in MODERATE if clients <= 36)
"""Moderate loads at which losses end early in every run; with 37 and 38 clients the time varies between runs."""
MOST = max(HEAVY)

WEIGHT = "RED's averaging weight"
WEIGHTS = f"weights with {MOST} clients"
