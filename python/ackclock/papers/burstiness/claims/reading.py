"""Common parts of this paper's claims: loads, variants, RED's weight, and the commands of runs."""

from __future__ import annotations

from ackclock.papers.burstiness.experiment import HEAVY, PAPERS_CLIENTS, RED_WEIGHT, VARIANTS
from ackclock.papers.core.claim import run_command
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


def command(variant: str, clients: int, *fields: str, red_weight: float = RED_WEIGHT, record: str = "") -> str:
    """Return the command that makes one run.

    Parameters
    ----------
    variant, clients
        Variant and number of clients.
    fields
        Further changed fields, as ``PATH=VALUE``.
    red_weight
        RED's averaging weight, for a gateway that has one.
    record
        A table to record, if any.

    """
    protocol, *ends = variant.split("/")
    sets = [f"clients.0.count={clients}"] if clients != 60 else []
    if protocol == "UDP":
        sets.append('clients.0.transport={kind="udp"}')
    elif protocol == "Vegas":
        sets.append("clients.0.transport.variant=vegas")
    if "DelAck" in ends:
        sets.append("clients.0.transport.delayed_ack=true")
    if "RED" in ends:
        queue = f'{{kind="red", packets=50, min_th=10, max_th=40, w_q={red_weight:g}}}'
        sets.append(f"dumbbell.bottleneck.queue={queue}")
    return run_command("examples/feng60.toml", [*sets, *fields], record=record)
