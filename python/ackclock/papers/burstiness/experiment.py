"""Constants of the paper's network (Figure 1 and Table 1), which `study.toml` describes.

Settings that the paper does not print come from the profile `ns2-2.35`, with one exception. All rates and delays of the
dumbbell are round numbers, so 21 % of the arrivals at the gateway coincide with another event, and the order of these
events affects the results. Each TCP sender therefore takes up to 12 µs of processing time before it sends, as in the
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
ARRIVALS_PER_RTT = 10  # packets that a client generates in the round-trip propagation delay of 0.1 s
CAPACITY = BOTTLENECK_RATE * DURATION / (8 * PACKET_SIZE)
"""Packets that the bottleneck can carry in one run; 41.7 clients generate as many."""
RED_WEIGHT = 0.002
"""RED's averaging weight. The paper does not print it; Floyd and Jacobson (1993) recommend this value."""
WEIGHTS = (8e-5, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 2e-2)  # RED's weights in the part `weights`

PAPERS_CLIENTS = (1, 2, 4, 8, 10, 15, 20, 25, 30, 34, 36, 38, 39, 40, 42, 44, 46, 48, 50, 55, 60)
"""Client counts of the paper's figures, denser near the capacity of the bottleneck."""
HEAVY = tuple(clients for clients in PAPERS_CLIENTS if clients > 38)  # the paper's heavily congested loads
CLIENTS = (*PAPERS_CLIENTS, 70, 80, 100)  # client counts of our runs: the paper's and three larger ones

WARM = 20  # the warm measures ignore the time before this, in seconds
FINE = 0.01  # length of the recorded bins of arrivals, in seconds; longer bins are sums of these
ARRIVALS = f"arrivals@bottleneck/{FINE:g}s"
DROPS = "drops@bottleneck"


def client_packets(clients: int) -> str:
    """Return the request for the packets on the access links of a number of clients."""
    return f"packets@{','.join(f'access.{client}' for client in range(clients))}"
