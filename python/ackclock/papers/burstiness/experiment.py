"""The paper's network (Figure 1 and Table 1), which `study.toml` describes, in numbers.

What the paper does not print comes from the profile `ns2-2.35`, except one thing: all rates and delays of this dumbbell
are round numbers, so 21 % of the arrivals at the gateway coincide with another event, and the order of the two affects
the results. Each TCP sender therefore takes up to 12 µs of processing time before it sends, as do the senders of the
ns-2 runs that we compare with.
"""

from __future__ import annotations

from ackclock.papers.core.definition import Definition

DEFINITION = Definition("ackclock.papers.burstiness")

VARIANTS = ("UDP", "Reno", "Reno/DelAck", "Vegas", "Reno/RED", "Reno/DelAck/RED", "Vegas/RED")  # as in the legends

# Table 1.
BOTTLENECK_RATE = 50e6  # bit/s
DURATION = 200  # seconds
PACKET_SIZE = 1500  # bytes
ADVERTISED_WINDOW = 20  # packets
RATE = 100  # packets that a client generates in a second
ARRIVALS_PER_RTT = 10  # the same in the round-trip propagation delay of 0.1 s
CAPACITY = BOTTLENECK_RATE * DURATION / (8 * PACKET_SIZE)
"""Packets that the bottleneck can carry in one run; reached by 41.7 clients."""
RED_WEIGHT = 0.002
"""RED's averaging weight: not in the paper, but what Floyd and Jacobson (1993) recommend and ns then used."""
WEIGHTS = (8e-5, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 2e-2)  # the weights that are tried

PAPERS_CLIENTS = (1, 2, 4, 8, 10, 15, 20, 25, 30, 34, 36, 38, 39, 40, 42, 44, 46, 48, 50, 55, 60)
"""Client counts within the paper's figures: denser where the bottleneck fills."""
HEAVY = tuple(clients for clients in PAPERS_CLIENTS if clients > 38)  # the paper's heavily congested loads
CLIENTS = (*PAPERS_CLIENTS, 70, 80, 100)  # client counts that are run: the paper's, and more of them than it went to

WARM = 20  # seconds after which the numbers of the warm measures begin
FINE = 0.01  # seconds of the bins that arrivals are recorded in: all that is said of longer ones is added up from these
ARRIVALS = f"arrivals@bottleneck/{FINE:g}s"
DROPS = "drops@bottleneck"


def client_packets(clients: int) -> str:
    """Ask for the packets that this many clients send: the record of their access links."""
    return f"packets@{','.join(f'access.{client}' for client in range(clients))}"
