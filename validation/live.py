"""Compares the machine's kernel with the simulator: goodput, round-trip times and delays, with fixed scenarios.

    python validation/live.py            # runs what is missing, one repetition after the other; needs root
    python validation/live.py --report   # prints the tables of docs/live.md

Results are in `out/live.jsonl`, a line per repetition, so that an interrupted program goes on where it was. A
repetition in which the emulator was too late is repeated at the next start, at most three times.

The cases and the bars were fixed before the first run:

- reno, cubic and bbr on eight links: mean goodput within 3 % and mean round-trip time within 10 % of the simulator's,
  in seven of eight, for each law;
- CoDel, FQ-CoDel, PIE, CAKE and DualPI2 with ECN: median and 95th percentile of the time in the queue within 15 %.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import ackclock as ac
from ackclock.live import live

STORE: Final = Path("out/live.jsonl")
LOCK: Final = Path(tempfile.gettempdir(), "live.lock")
"""Live runs disturb each other: one at a time on a machine."""
REPETITIONS: Final = 5
MOST_TRIES: Final = 3
LAWS: Final = ("reno", "cubic", "bbr")

# name: rate in Mb/s, round-trip time in ms, buffer in packets, flows
LINKS: Final = {
    "5 Mb/s, 40 ms, 17 packets": (5, 40, 17, 1),
    "10 Mb/s, 20 ms, 17 packets": (10, 20, 17, 1),
    "10 Mb/s, 40 ms, 67 packets": (10, 40, 67, 1),
    "20 Mb/s, 20 ms, 34 packets": (20, 20, 34, 1),
    "20 Mb/s, 40 ms, 34 packets": (20, 40, 34, 1),
    "20 Mb/s, 80 ms, 134 packets": (20, 80, 134, 1),
    "50 Mb/s, 20 ms, 84 packets": (50, 20, 84, 1),
    "20 Mb/s, 40 ms, 67 packets, 2 flows": (20, 40, 67, 2),
}
QUEUES: Final[dict[str, dict[str, Any]]] = {
    "CoDel": {"kind": "codel", "ecn": True},
    "FQ-CoDel": {"kind": "fq_codel", "ecn": True},
    "PIE": {"kind": "pie", "ecn": True},
    "CAKE": {"kind": "cake"},
    "DualPI2": {"kind": "dualpi2"},
}
MEASURES: Final = ("goodput_bps", "rtt_mean", "sojourn_p50", "sojourn_p95")


def scenario(rate: int, rtt: int, queue: dict[str, Any], law: str, flows: int, *, ecn: bool) -> ac.Scenario:
    """Return a dumbbell whose delay is on the bottleneck, 10 s long, measured from 3 s on."""
    transport = {"kind": "tcp", "variant": law, "ecn": "classic" if ecn else "off"}
    link = {"rate": "1 Gbps", "delay": "0 ms", "queue": {"kind": "droptail", "packets": 10_000}}
    half = f"{rtt / 2:g} ms"
    return ac.Scenario.from_dict(
        {
            "profile": "linux",
            "duration": "10 s",
            "measure": {"from": "3 s", "bin": "100 ms"},
            "dumbbell": {
                "bottleneck": {"rate": f"{rate} Mbps", "delay": half, "queue": queue},
                "reverse": link | {"delay": half},
                "access": link,
            },
            "clients": [{"count": flows, "spread": "500 ms", "transport": transport, "source": {"kind": "greedy"}}],
        }
    )


def cases() -> dict[str, ac.Scenario]:
    """Return all cases by name."""
    found = {}
    for name, (rate, rtt, packets, flows) in LINKS.items():
        for law in LAWS:
            queue: dict[str, Any] = {"kind": "droptail", "packets": packets}
            found[f"{law}: {name}"] = scenario(rate, rtt, queue, law, flows, ecn=False)
    for name, managed in QUEUES.items():
        found[f"{name}: 20 Mb/s, 40 ms, 2 flows of cubic with ECN"] = scenario(20, 40, managed, "cubic", 2, ecn=True)
    return found


def stored() -> list[dict[str, Any]]:
    """Return the repetitions so far."""
    return [json.loads(line) for line in STORE.read_text().splitlines()] if STORE.exists() else []


def run() -> None:
    """Run the repetitions that are missing, or that were late."""
    STORE.parent.mkdir(exist_ok=True)
    done = stored()
    for seed in range(1, REPETITIONS + 1):
        for name, each in cases().items():
            tries = [row for row in done if (row["case"], row["seed"]) == (name, seed)]
            if any(not row["reasons"] for row in tries) or len(tries) >= MOST_TRIES:
                continue
            with LOCK.open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                ours = live(each, seed=seed)
            simulated = ac.simulate(each, seed=seed)
            row: dict[str, Any] = {
                "case": name,
                "seed": seed,
                "kernel": ours.kernel,
                "late": ours.lateness.to_dict(),
                "reasons": list(ours.lateness.reasons),
                "live": {measure: getattr(ours.run, measure) for measure in MEASURES},
                "simulated": {measure: getattr(simulated, measure) for measure in MEASURES},
            }
            with STORE.open("a") as file:
                file.write(json.dumps(row) + "\n")
            sys.stderr.write(f"{name}, seed {seed}: {'; '.join(row['reasons']) or 'on time'}\n")


def mean(rows: list[dict[str, Any]], of: str, measure: str) -> float:
    """Return the mean of a measure over repetitions."""
    return float(sum(row[of][measure] for row in rows)) / len(rows)


def report() -> None:
    """Print the tables."""
    rows = stored()
    units = {"goodput_bps": ("goodput, Mb/s", 1e-6, 0.03), "rtt_mean": ("mean RTT, ms", 1e3, 0.10)}
    delays = {"sojourn_p50": ("median, ms", 1e3, 0.15), "sojourn_p95": ("95 %, ms", 1e3, 0.15)}
    for part, measures in ((LAWS, units), (tuple(QUEUES), delays)):
        heads = [f"{words}: kernel, simulator | difference" for words, _, _ in measures.values()]
        print(f"| case | repetitions | {' | '.join(heads)} | bar |")
        print("| --- | ---: |" + " --- | ---: |" * len(measures) + " --- |")
        for first in part:
            for name in (name for name in cases() if name.startswith(f"{first}: ")):
                own = [row for row in rows if row["case"] == name and not row["reasons"]]
                if not own:
                    print(f"| {name} | 0 |" + " | |" * len(measures) + " too late |")
                    continue
                cells, met = [], True
                for measure, (_, factor, bar) in measures.items():
                    ours, theirs = (factor * mean(own, of, measure) for of in ("live", "simulated"))
                    cells += [f"{ours:.4g}, {theirs:.4g}", f"{100 * (ours / theirs - 1):+.1f} %"]
                    met &= abs(ours / theirs - 1) <= bar
                print(f"| {name} | {len(own)} | {' | '.join(cells)} | {'met' if met else 'not met'} |")
        print()


def main() -> None:
    """Run, or report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", action="store_true", help="print the tables of all repetitions so far")
    if parser.parse_args().report:
        report()
    else:
        run()


if __name__ == "__main__":
    main()
