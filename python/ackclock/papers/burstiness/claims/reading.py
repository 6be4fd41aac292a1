"""Common parts of this paper's claims: loads, variants and RED's weight."""

from __future__ import annotations

from ackclock.papers.burstiness.experiment import HEAVY, PAPERS_CLIENTS, VARIANTS
from ackclock.papers.core.evidence import Named

TCPS = Named("every TCP", [variant for variant in VARIANTS if variant != "UDP"])
RENOS = Named("every Reno", [name for name in TCPS if str(name).startswith("Reno")])
PLAIN = ("Reno", "Reno/DelAck", "Vegas")
REDS = Named("with RED", [f"{name}/RED" for name in PLAIN])
WITHOUT_RED = {f"{name}/RED": name for name in PLAIN}

LIGHT = Named("fewer than 10 clients", [clients for clients in PAPERS_CLIENTS if clients < 10])
MODERATE = tuple(clients for clients in PAPERS_CLIENTS if 10 <= clients <= 38)  # the paper's moderately congested loads
SURE = tuple(clients for clients in MODERATE if clients <= 36)
"""The moderate loads at which every run settles soon; at 37 and 38 the time is random."""
MOST = max(HEAVY)

WEIGHT = "RED's averaging weight"
WEIGHTS = f"weights with {MOST} clients"
