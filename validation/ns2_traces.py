"""Single TCP flows in ns-2.35, segment by segment, for the comparison in `crates/net/tests/ns2_traces.rs`.

A case is one flow under one profile with scripted losses, and the segments that ns-2 sent. Cases are lines of JSON:

- `crates/net/tests/ns2/named.jsonl`, chosen cases; `random.jsonl`, some random cases;
- anywhere else, new random cases (`make traces`).

`crates/net/tests/ns2/transports.json` contains the transports of the profiles, as Python plans them, for the same test;
`tests/validation/test_ns2_traces.py` checks that it agrees with the profiles.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import ackclock as ac
from ackclock.running.plan import plan

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "validation" / "ns2" / "flow.tcl"
DATA = ROOT / "crates" / "net" / "tests" / "ns2"
VARIANTS = ("tahoe", "reno", "newreno", "sack", "vegas")
PROFILES = ("ns2-2.35", "ns2-2000", "ns2-1999-qiu")
AGENTS = {"tahoe": "TCP", "reno": "TCP/Reno", "newreno": "TCP/Newreno", "sack": "TCP/Sack1", "vegas": "TCP/Vegas"}
# ns-2's names of the profiles' settings.
AGENT_1999 = (
    "windowInit_ 1 syn_ false singledup_ 0 tcpTick_ 0.1 minrto_ 0.2 maxrto_ 64 rfc2988_ false rtxcur_init_ 6.0 "
    "precisionReduce_ false useHeaders_ false timerfix_ false"
)
OLD_AGENT = (
    "windowInit_ 1 syn_ false delay_growth_ false singledup_ 0 tcpTick_ 0.1 minrto_ 0 maxrto_ 100000 rfc2988_ false "
    "rtxcur_init_ 6.0 precisionReduce_ false useHeaders_ false bugfix_ss_ 0 exitFastRetrans_ false timerfix_ false"
)
OLD_NEWRENO = " newreno_changes1_ 0 partial_window_deflation_ 0"
OLD_DELAYED_ACK = "RFC2581_immediate_ack_ false SYN_immediate_ack_ false"

# Intended differences of the engine.
NOTHING_OUTSTANDING = (
    "ns-2 also counts duplicate ACKs that come while nothing is outstanding, which are none (RFC 5681, section 2)"
)
NO_SUCH_DATA = (
    "ns-2's Vegas sends segments that the application has not handed over: their empty records count as expired"
)


@dataclass(frozen=True)
class Case:
    """One flow: its settings, and the segments that ns-2 sent."""

    name: str
    variant: str
    profile: str = "ns2-2.35"
    losses: list[int] = field(default_factory=list)
    """Indices of lost packets among the data packets at the bottleneck, counted from 1 without the SYN."""
    syns: int = 0
    """Number of SYNs that are lost."""
    window: int = 20
    limit: int = 100
    delayed_ack: bool = False
    interval: float = 0
    """Time between the segments from the application, in seconds from time 0; 0 if `supply` is used."""
    supply: list[tuple[float, int]] = field(default_factory=list)
    """Pairs of a time and the number of segments from the application; if empty, data is always available."""
    seed: int = 1
    most: int = 100
    stop: int = 300
    clock_phase: int = 0
    """Phase of the sender's clock at time 0, in picoseconds."""
    differs: str = ""
    """Reason for an intended difference of the engine."""
    sent: list[tuple[float, int]] = field(default_factory=list)
    """Time and number of every segment."""

    @property
    def has_syn(self) -> bool:
        """Whether segment 0 is a SYN."""
        return self.profile == "ns2-2.35" and self.variant != "vegas"


NAMED = [
    Case("advertised window binds; go-back-N", "tahoe", losses=[20, 22, 24]),
    Case("limited transmit, inflation, exit", "reno", losses=[12]),
    Case("a partial ACK ends recovery, then a timeout", "reno", losses=[12, 14, 16]),
    Case("a segment lost three times: the back-off is kept", "reno", losses=[12, 27, 33]),
    Case("partial ACKs", "newreno", losses=[12, 14, 16]),
    Case("the impatient timer", "newreno", losses=list(range(20, 28))),
    Case("pipe", "sack", losses=[12, 14, 16]),
    Case("a lost retransmission", "sack", losses=[20, 21, 40]),
    Case("two SYNs lost", "reno", syns=2),
    Case("two SYNs lost", "tahoe", syns=2),
    Case("a SYN lost", "newreno", syns=1, losses=[3]),
    Case("a SYN lost", "sack", syns=1, losses=[3]),
    Case("delayed ACKs", "tahoe", losses=[12], delayed_ack=True),
    Case("a duplicate of the last segment", "tahoe", losses=[12, 20], delayed_ack=True),
    Case("delayed ACKs", "reno", losses=[12], delayed_ack=True),
    Case("delayed ACKs", "newreno", losses=[20, 21, 24, 30], delayed_ack=True),
    Case("delayed ACKs", "sack", losses=[20, 21, 24, 30], delayed_ack=True),
    Case("delayed ACKs", "vegas", losses=[25], delayed_ack=True),
    Case("delayed ACKs, a gap filled late", "reno", profile="ns2-2000", losses=[21, 22], delayed_ack=True),
    Case("delayed ACKs, segment 0 at once", "reno", profile="ns2-1999-qiu", losses=[21, 22], delayed_ack=True),
    Case("a small buffer overflows", "tahoe", window=40, limit=6),
    Case("a small buffer overflows", "reno", window=40, limit=6),
    Case("a small buffer overflows", "newreno", window=40, limit=6),
    Case("a small buffer overflows", "sack", window=40, limit=6),
    Case("a small buffer overflows", "vegas", window=40, limit=6),
    Case("idle timeouts", "reno", supply=[(0, 3), (0.4, 4), (1.0, 1), (1.05, 6), (4.0, 2)], stop=10),
    Case("idle timeouts", "sack", supply=[(0, 3), (0.4, 4), (1.0, 1), (1.05, 6), (4.0, 2)], stop=10),
    Case("new data waits for recovery", "sack", losses=[40, 80], interval=0.01),
    Case("holes go before new data after a timeout", "sack", losses=[10, 15], interval=0.0755, most=40),
    Case("new data lift the limit of a burst", "newreno", losses=[32, 38, 47], interval=0.0053),
    Case(
        "duplicate ACKs with nothing outstanding",
        "tahoe",
        losses=[31, 32, 33, 35, 37, 38],
        window=40,
        supply=[
            (0.0, 9),
            (0.096982509, 10),
            (0.107953606, 8),
            (0.185613599, 9),
            (0.294865178, 11),
            (0.755674556, 8),
            (1.253849544, 8),
        ],
        seed=433190,
        differs=NOTHING_OUTSTANDING,
    ),
    Case(
        "segments without data",
        "vegas",
        losses=[21],
        window=40,
        supply=[(0.0, 10), (0.027382945, 5), (0.039452939, 3), (0.058707465, 8), (0.06885927, 6), (0.6148177, 9)],
        seed=912826,
        differs=NO_SUCH_DATA,
    ),
    Case("no loss", "vegas"),
    Case("one loss", "vegas", losses=[26]),
    Case("the gap between two ACKs becomes its base_rtt", "vegas", losses=[36, 65, 68, 69], most=150),
    Case("a window of zero", "vegas", losses=[30, 38, 41, 42]),
    Case("the constants of 2000", "tahoe", profile="ns2-2000", losses=[21, 22]),
    Case("the constants of 2000", "reno", profile="ns2-2000", losses=[21, 22]),
    Case("the constants of 2000", "newreno", profile="ns2-2000", losses=[21, 22, 24]),
    Case("the constants of 2000", "sack", profile="ns2-2000", losses=[21, 22, 24]),
    Case("the constants of 2000", "vegas", profile="ns2-2000", losses=[26]),
    Case("the constants of 1999", "reno", profile="ns2-1999-qiu", losses=[21, 22]),
    Case("two segments go alone", "reno", profile="ns2-1999-qiu", losses=[1, 4, 9, 10, 11, 30]),
]


def random_cases(lists: int, seed: int, profile: str, *, most: int) -> list[Case]:
    """Draw lists of one to eight losses, each for every variant; in half of the lists losses are close together.

    Half of the receivers delay ACKs. Half of the sources always have data; a quarter hand over single segments at equal
    intervals, a quarter a few at once at random times.
    """
    draw = random.Random(seed)  # noqa: S311  # reproducible, not used for cryptography
    cases = []
    for number in range(lists):
        spread = draw.choice([12, 100])
        first = draw.randint(1, 60)
        drawn: dict[str, Any] = {
            "losses": sorted(draw.sample(range(first, first + spread), draw.randint(1, 8))),
            "window": draw.choice([8, 20, 20, 40]),
            "seed": draw.randint(1, 10**6),
            "delayed_ack": draw.random() < 0.5,
        } | draw.choice([{}, {}, {"interval": _interval(draw)}, {"supply": _supply(draw)}])
        cases += [Case(f"random {seed}.{number}", variant, profile, most=most, **drawn) for variant in VARIANTS]
    return cases


def _interval(draw: random.Random) -> float:
    """Draw the interval between segments: from twice the rate of the slow link to less than one per round trip.

    The resolution is a nanosecond. All other events happen at multiples of 0.1 us, so no two events coincide.
    """
    return round(0.005 * 2 ** draw.uniform(0, 4), 9)


def _supply(draw: random.Random) -> list[tuple[float, int]]:
    """Draw times of small bursts from the application, with gaps below a round trip and above a timeout."""
    time, supply = 0.0, []
    for _ in range(25):
        supply.append((round(time, 9), draw.randint(1, 12)))
        time += 0.01 * 2 ** draw.uniform(0, 6)
    return supply


def uniforms(seed: int, count: int) -> list[float]:
    """Compute the first random numbers of ns-2: L'Ecuyer's MRG32k3a with all six words of its state set to the seed."""
    m1, m2 = 4294967087, 4294944443
    first, second = [seed] * 3, [seed] * 3
    drawn = []
    for _ in range(count):
        a = (1403580 * first[1] - 810728 * first[0]) % m1
        b = (527612 * second[2] - 1370589 * second[0]) % m2
        first, second = [*first[1:], a], [*second[1:], b]
        drawn.append(((a - b) % m1 or m1) * 2.328306549295728e-10)
    return drawn


def clock_phase(case: Case) -> int:
    """Compute the phase of ns-2's coarse clock: drawn at the start, after the draws of the agent's creation."""
    tick = 10**10 if case.profile == "ns2-2.35" else 10**11
    creation = 2 if case.variant == "vegas" else 1
    return round(uniforms(case.seed, creation + 1)[-1] * tick)


def by_ns2(case: Case) -> Case:
    """Run a case in ns-2.

    Raises
    ------
    RuntimeError
        ns-2 reports an error.
    """
    sink = ("/Sack1" if case.variant == "sack" else "") + ("/DelAck" if case.delayed_ack else "")
    shift = 0 if case.has_syn else 1  # ns-2 counts from 0 and includes the SYN
    arguments: dict[str, Any] = {
        "agent": AGENTS[case.variant],
        "sink": f"TCPSink{sink}",
        "window": case.window,
        "limit": case.limit,
        "losses": " ".join(str(each) for each in [*range(case.syns), *(n + case.syns - shift for n in case.losses)]),
        "seed": case.seed,
        "most": case.most,
        "stop": case.stop,
        "interval": case.interval,
        "supply": " ".join(f"{time} {segments}" for time, segments in case.supply),
    }
    if case.profile == "ns2-2000":
        arguments["set"] = OLD_AGENT + (OLD_NEWRENO if case.variant == "newreno" else "")
        arguments["sinkset"] = OLD_DELAYED_ACK if case.delayed_ack else ""
    elif case.profile == "ns2-1999-qiu":
        arguments["set"] = AGENT_1999
    command = ["ns", str(SCRIPT), *(str(word) for pair in arguments.items() for word in pair)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0 or done.stderr:
        raise RuntimeError(f"{case}: {done.stderr.strip()}")
    rows = [line.split() for line in done.stdout.splitlines()]
    sent = [(float(time), int(number)) for time, number in rows]
    return Case(**{**asdict(case), "clock_phase": clock_phase(case), "sent": sent})


def transports() -> dict[str, dict[str, Any]]:
    """Plan the transport of every variant under ns-2's profiles, as Python does."""
    link = ac.Link(rate="1 Mbps", delay="1 ms")

    def transport(profile: str, variant: str) -> Any:
        size = 1040 if Case("", variant, profile).has_syn else 1000
        group = ac.Clients(transport=ac.Tcp(variant), source=ac.Greedy(), packet_size=size)
        scenario = ac.Scenario(
            profile=profile, duration="1 s", dumbbell=ac.Dumbbell(bottleneck=link, access=link), clients=[group]
        )
        return json.loads(plan(scenario.effective()))["groups"][0]["transport"]

    return {profile: {variant: transport(profile, variant) for variant in VARIANTS} for profile in PROFILES}


def write(path: Path, cases: list[Case]) -> None:
    """Run the cases in ns-2 and write them, one per line."""
    with ThreadPoolExecutor(max_workers=2) as workers:
        done = list(workers.map(by_ns2, cases))
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(asdict(case), separators=(",", ":")) for case in done)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def main() -> None:
    """Create the repository's cases, or random cases elsewhere."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="file for random cases (default: create the repository's cases again)")
    parser.add_argument("--lists", type=int, default=250, help="number of lists of losses, each for every variant")
    parser.add_argument("--seed", type=int, help="seed of the lists (default: a new one)")
    parser.add_argument("--profile", choices=PROFILES, default=PROFILES[0])
    given = parser.parse_args()
    if given.out is None:
        text = json.dumps(transports(), indent=1)
        (DATA / "transports.json").write_text(f"{text}\n", encoding="utf-8")
        write(DATA / "named.jsonl", NAMED)
        write(DATA / "random.jsonl", random_cases(10, 1, PROFILES[0], most=100))
        return
    seed = random.SystemRandom().randint(1, 10**6) if given.seed is None else given.seed
    print(f"{given.lists} lists of losses from seed {seed}, for each of {', '.join(VARIANTS)}", file=sys.stderr)
    write(given.out, random_cases(given.lists, seed, given.profile, most=150))


if __name__ == "__main__":
    main()
