"""The wide-area Internet: savings from splitting a network into components."""

from __future__ import annotations

import hashlib
import io
import sys
import time
from itertools import cycle

from pyarrow import feather

import ackclock as ac
from performance.measure import run
from performance.page import table

DOMAINS, CONNECTIONS, CLUSTER = 1_000, 100_000, 10
SECONDS = 20


def domains() -> str:
    """Run 100,000 connections between 1,000 domains in clusters of ten, with and without a backbone that joins them."""
    lines: list[list[object]] = []
    digests = set()
    for name, jobs, joined in (
        ("components, 1 job", 1, False),
        ("components, 2 jobs", 2, False),
        ("one component: a shared backbone of 1 Tb/s", 1, True),
    ):
        cost = run([sys.executable, "-m", "performance.domains", str(jobs), str(int(joined))])
        components, sent, seconds, digest = cost.output.split()
        if not joined:
            digests.add(digest)
        lines.append(
            [
                name,
                components,
                f"{int(sent):,}",
                f"{cost.cpu_seconds:.1f}",
                f"{float(seconds):.1f}",
                f"{cost.peak_bytes / 1e6:.0f}" if cost.peak_bytes else None,
            ]
        )
    same = "byte-identical" if len(digests) == 1 else "**not the same**"
    return (
        table(["", "components", "packets sent", "CPU s", "wall s of the run", "peak MB"], lines)
        + f"\nResults are {same} with one and two threads.\n"
    )


def scenario(*, joined: bool) -> ac.Scenario:
    """Create domains behind ISDN, T1 and T3 lines in turn, with greedy Reno flows within clusters."""
    names = [f"d{place}" for place in range(DOMAINS)]
    rates = cycle(("64 kbps", "1.5 Mbps", "45 Mbps"))
    return ac.wide_area(
        {
            name: ac.Link(rate=rate, delay="25 ms", queue=ac.DropTail(packets=100))
            for name, rate in zip(names, rates, strict=False)
        },
        ac.clustered_connections(names, CONNECTIONS, cluster=CLUSTER),
        duration=f"{SECONDS} s",
        transport=ac.Tcp("reno", recovery="reno"),
        source=ac.Greedy(),
        packet_size=500,
        backbone=ac.Link(rate="1000 Gbps", delay="0 s") if joined else None,
    )


def main() -> None:
    """Run the scenario, and print the number of components, the packets sent and a digest of the flows' table."""
    jobs, joined = int(sys.argv[1]), sys.argv[2] == "1"
    network = scenario(joined=joined)
    before = time.perf_counter()
    flows = ac.simulate(network, jobs=jobs).table("flows")
    seconds = time.perf_counter() - before
    buffer = io.BytesIO()
    feather.write_feather(flows, buffer)
    sent = sum(flows["sent"].to_pylist())
    print(len(ac.components(network)), sent, seconds, hashlib.sha256(buffer.getvalue()).hexdigest())


if __name__ == "__main__":
    main()
