"""Compare the memory estimates of 43 runs with what the runs take: ``python bench/estimates.py [NAME...]``.

Each run has a process of its own, forked from one that has loaded everything. The run is made, and each of its tables
is read, as `ackclock run --out` does. Its peak is the growth of the resident set meanwhile (``getrusage(2)``). Then the
run is made with a memory limit of 1.5 times this peak.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import ackclock as ac
from ackclock.engine import core
from ackclock.running.run import Prepared
from ackclock.scenario.overrides import override

EXAMPLES = Path(__file__).parents[1] / "examples"

FLOOR = 8e6
"""Added to the estimate and to the peak before they are compared: even a run of a few packets grows the resident set by
7 to 8 MB (the stack and the allocator of the engine's thread, and the pools of Arrow)."""


@dataclass(frozen=True)
class Case:
    """A run: a scenario with changed fields, and records."""

    name: str
    scenario: str
    record: str
    changes: tuple[str, ...] = ()

    def prepared(self) -> Prepared:
        """Return the run, ready for the engine."""
        tables = tomllib.loads(self.scenario) if "\n" in self.scenario else _example(self.scenario)
        override(tables, list(self.changes))
        return Prepared.of(ac.Scenario.from_dict(tables), self.record.split())


def _example(name: str) -> dict[str, Any]:
    """Read an example; the paths in it are relative to its folder."""
    os.chdir(EXAMPLES)
    return tomllib.loads((EXAMPLES / f"{name}.toml").read_text(encoding="utf-8"))


def dumbbell(
    count: int,
    rate: str,
    *,
    delay: str = "20 ms",
    queue: str = 'kind = "droptail", packets = 200',
    transport: str = 'kind = "tcp", variant = "cubic"',
    source: str = 'kind = "greedy"',
    duration: str = "30 s",
    profile: str = "linux",
    access: str = "10 Gbps",
    bin_: str = "100 ms",
) -> str:
    """Return a scenario of one group."""
    return f"""
profile = "{profile}"
duration = "{duration}"
measure = {{ bin = "{bin_}" }}
[dumbbell]
access = {{ rate = "{access}", delay = "1 ms" }}
bottleneck = {{ rate = "{rate}", delay = "{delay}", queue = {{ {queue} }} }}
[[clients]]
count = {count}
transport = {{ {transport} }}
source = {{ {source} }}
"""


NETWORK = """
[[nodes]]
name = "a{0}"
[[nodes]]
name = "b{0}"
[[links]]
from = "a{0}"
to = "b{0}"
rate = "10 Mbps"
delay = "10 ms"
queue = {{ kind = "droptail", packets = 50 }}
[[flows]]
count = {1}
from = "a{0}"
to = "b{0}"
transport = {{ kind = "tcp", variant = "cubic" }}
source = {{ kind = "greedy" }}
"""


def separate(networks: int, flows: int) -> str:
    """Return a scenario of separate networks, each with a group."""
    text = 'profile = "linux"\nduration = "20 s"\nmeasure.link = "a0->b0"\n'
    return text + "".join(NETWORK.format(number, flows) for number in range(networks))


def groups(count: int) -> str:
    """Return a scenario of many groups at one bottleneck."""
    text = dumbbell(1, "500 Mbps", queue='kind = "droptail", packets = 1000', duration="10 s")
    return text + (count - 1) * text[text.index("[[clients]]") :]


def fast(count: int, *, arithmetic: str = "linux") -> str:
    """Return a scenario of CUBIC flows at 1 Gb/s."""
    return dumbbell(
        count,
        "1 Gbps",
        delay="50 ms",
        queue='kind = "droptail", packets = 8000',
        transport=f'kind = "tcp", variant = "cubic", rtt_arithmetic = "{arithmetic}"',
        duration="20 s",
    )


UDP = 'kind = "udp"'
BULK = dumbbell(50, "100 Mbps")
CASES = (
    Case("CUBIC beside Reno, windows", "cubic_beside_reno", "windows", ("duration=500 s",)),
    Case("CUBIC beside Reno, ACKs", "cubic_beside_reno", "acks", ("duration=500 s",)),
    Case("50 flows, windows and ACKs", dumbbell(50, "100 Mbps", duration="200 s"), "windows acks"),
    Case("50 flows, windows sampled", BULK, "windows/1ms"),
    Case("50 flows, packets at the bottleneck", BULK, "packets@bottleneck"),
    Case("50 flows, packets at every link", BULK, "packets@*"),
    Case("50 flows, states", dumbbell(50, "100 Mbps", duration="200 s"), "states"),
    Case("50 flows, states sampled", BULK, "states/10ms"),
    Case("50 flows, phases and drops", BULK, "phases drops"),
    Case("60 Poisson clients, packets", "feng60", "packets@*"),
    Case("60 Poisson clients, five records", "feng60", "arrivals queue drops windows acks"),
    Case("100 flows of a wide-area network, drops and queue", "manyflows100", "drops queue/1ms"),
    Case("parking lot, packets", "parking_lot", "packets@*"),
    Case("parking lot, windows", "parking_lot", "windows"),
    Case("BBR, states", "bbr", "states", ("duration=1000 s",)),
    Case("BBR, windows", "bbr", "windows acks", ("duration=1000 s",)),
    Case("CoDel, gauges", "codel", "gauges/1ms", ("duration=300 s",)),
    Case("FQ-CoDel, packets", "fq_codel", "packets@*"),
    Case("CAKE, queue and gauges", "cake", "queue/1ms gauges/1ms", ("duration=200 s",)),
    Case("DCTCP, marks and windows", "dctcp", "marks windows"),
    Case("Prague, marks and windows", "prague", "marks windows", ("duration=200 s",)),
    Case("web search, transfers", "web_search", "transfers"),
    Case("web search, packets", "web_search", "packets@*"),
    Case("self-similar traffic, arrivals", "selfsimilar", "arrivals/1ms", ("duration=1000 s",)),
    Case("on-off sources, packets at the bottleneck", "onoff40", "packets@*"),
    Case("Vegas beside Reno, states and windows", "vegas_beside_reno", "states windows"),
    Case("shaper, queue", "shaper", "queue/1ms windows", ("duration=300 s",)),
    Case("reordering, packets", "reordering", "packets@*"),
    Case("random loss on the last hop, windows", "last_hop", "windows acks", ("duration=300 s",)),
    Case("500 groups, windows", groups(500), "windows"),
    Case("200 separate networks, packets", separate(200, 2), "packets@*"),
    Case("10,000 flows, ACKs", dumbbell(10_000, "1 Gbps", duration="10 s"), "acks"),
    Case("one flow at 1 Gb/s, windows", fast(1), "windows"),
    Case("one flow at 1 Gb/s, windows in real numbers", fast(1, arithmetic="real"), "windows"),
    Case("one flow at 100 Mb/s, windows", dumbbell(1, "100 Mbps", duration="100 s"), "windows"),
    Case("three flows at 1 Gb/s, windows", fast(3), "windows"),
    Case(
        "four flows at 10 Gb/s, ACKs",
        dumbbell(
            4, "10 Gbps", delay="50 ms", queue='kind = "droptail", packets = 80000', access="40 Gbps", duration="5 s"
        ),
        "acks",
    ),
    Case(
        "slow start into a queue without a limit, windows",
        dumbbell(
            2,
            "200 Mbps",
            queue='kind = "droptail", packets = 10000000',
            profile="rfc",
            duration="60 s",
            transport='kind = "tcp", variant = "newreno", max_window = 10000000',
        ),
        "windows",
    ),
    Case(
        "windows of 20 packets, ACKs",
        dumbbell(
            20,
            "10 Gbps",
            delay="40 ms",
            transport='kind = "tcp", variant = "newreno", max_window = 20',
            duration="60 s",
        ),
        "acks windows",
    ),
    Case(
        "datagrams of random sizes above the rate, packets",
        dumbbell(
            4,
            "20 Mbps",
            queue='kind = "droptail", packets = 1000000',
            transport='kind = "udp", packet_sizes = "exponential"',
            source='kind = "poisson", rate = 5000',
        ),
        "packets@bottleneck",
    ),
    Case(
        "a source that the application limits, windows",
        dumbbell(30, "1 Gbps", source='kind = "constant", rate = 500'),
        "windows acks",
    ),
    Case(
        "fractional noise, arrivals",
        dumbbell(
            10,
            "100 Mbps",
            transport=UDP,
            source='kind = "fgn", rate = 500, hurst = 0.8, cov = 0.3, bin = "1 ms"',
            duration="300 s",
        ),
        "arrivals/1ms",
    ),
    Case(
        "ten million bins",
        dumbbell(1, "10 Mbps", transport=UDP, source='kind = "poisson", rate = 100', bin_="10 us", duration="100 s"),
        "drops",
    ),
)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a run was estimated to take, and what it took, in bytes."""

    estimate: float
    peak: float
    refused: str
    """Why the run was refused or stopped with a limit of 1.5 times its peak; empty if it was made."""

    @property
    def ratio(self) -> float:
        """The estimate divided by the peak."""
        return (self.estimate + FLOOR) / (self.peak + FLOOR)


def measure(case: Case) -> Measured:
    """Make a run twice, without and with a limit. Called in a process of its own."""
    prepared = case.prepared()
    estimate = json.loads(core.footprint(prepared.plan))["likely"]["total"]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run = prepared.run(1)
    for name in run.tables:
        run.table(name)
    peak = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    refused = ""
    try:
        prepared.run(1, memory=int(max(1.5 * peak, 20e6)))
    except ac.ScenarioError as error:
        refused = str(error)
    return Measured(estimate=estimate, peak=peak, refused=refused)


def main(chosen: list[str], *, json_lines: bool) -> None:
    """Print the estimate and the peak of each run."""
    warm = Case("", dumbbell(2, "1 Mbps", duration="2 s"), "windows packets").prepared().run(1)
    for name in warm.tables:
        warm.table(name)
    for case in CASES:
        if chosen and case.name not in chosen:
            continue
        sys.stdout.flush()
        if child := os.fork():
            if os.waitpid(child, 0)[1]:
                raise SystemExit(f"{case.name}: no result")
            continue
        found = measure(case)
        if json_lines:
            sys.stdout.write(json.dumps([case.name, asdict(found)]) + "\n")
        else:
            sizes = f"{found.estimate / 1e6:7.1f} MB estimated, {found.peak / 1e6:7.1f} MB taken"
            far = "" if 1 / 3 < found.ratio < 3 else "  far off"
            sys.stdout.write(f"{case.name:52} {sizes}, ratio {found.ratio:4.2f}{far}  {found.refused}\n")
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    main([name for name in sys.argv[1:] if name != "--json"], json_lines="--json" in sys.argv)
