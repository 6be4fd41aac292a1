"""Grade how `ackclock law` identifies the congestion control of captured senders.

``python validation/capture_laws.py TRACES [NOISE [FOLDER]]`` reads the traces of a Linux kernel in TRACES (CSV files,
described in ``validation/linux/data/README.md``), makes captures of our own laws in FOLDER (default:
out/validation-capture-laws), and prints both confusion matrices as Markdown. Times of our captures get errors of 1 %:
with NOISE ``intervals`` (default), each interval between packets has a normal relative error; with ``stamps``, each
time has a normal error of 1 % of the round trip, in unchanged order, which is far more than a tap adds; ``none`` adds
no errors. The bars, 90 % of the kernel's traces and 80 % of our captures whose law is identified, were fixed before
the first run. The constants of the rule (`FAR`, `APART`, `LEAST_APART`, `UNUSED`) were chosen with the distances of
all kernel traces and of our networks A, B and C (the first half) in view. The second half judges them.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import ackclock as ac
from ackclock.capture.law.captured import of_packets
from ackclock.capture.law.following import LAWS
from ackclock.capture.law.identifying import Identified, identify
from ackclock.capture.law.trace import Collector, Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MSS: Final = 1448
NOISE: Final = 0.01
TAP: Final = "access.0,access.0.reverse@receive"
NETWORKS: Final[dict[str, dict[str, Any]]] = {
    "A": {"rate": 10, "rtt": 40, "buffer": 1.0},
    "B": {"rate": 20, "rtt": 20, "buffer": 2.0},
    "C": {"rate": 50, "rtt": 60, "buffer": 0.5},
    "D": {"rate": 10, "rtt": 100, "buffer": 1.0, "loss": 0.001},
    "E": {"rate": 20, "rtt": 40, "buffer": 2.0, "marks": True},
    "F": {"rate": 20, "rtt": 40, "buffer": 1.0, "beside": "cubic"},
    "G": {"rate": 10, "rtt": 60, "buffer": 2.0, "marks": True},
}
"""Rate in Mb/s, RTT in ms, buffer in bandwidth-delay products; random loss, marks from a third of the buffer on."""
FIRST_HALF: Final = ("A", "B", "C")
MARKED: Final = ("reno", "cubic", "dctcp", "prague", "highspeed", "scalable")
"""Laws on networks that mark; DCTCP and Prague only there."""

Noise = Literal["intervals", "stamps", "none"]

Case = tuple[str, str, str, str, str]
"""Half, truth, name, what is identified (a law or a reason), and the closest law, empty if none was compared."""


def kernel(path: Path) -> Trace:
    """Read a trace of the kernel."""
    collector = Collector(MSS)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    collector.opened(*(_nanoseconds(next(row for row in rows if row["event"] == kind)) for kind in ("SYN", "SYNACK")))
    for row in rows:
        if row["event"] in ("S", "X"):
            start = _byte(row["seg"])
            collector.sent(_nanoseconds(row), start, start + int(row["bytes"] or MSS), 2 if "ecn" in path.stem else 0)
        elif row["event"] == "A":
            blocks = [block.split("-") for block in row["sack_or_reason"].split()]
            edges = [(_byte(first), _byte(last) + MSS) for first, last in blocks]
            window = float(row["snd_wnd"] or "inf")
            collector.acknowledged(_nanoseconds(row), _byte(row["seg"]), edges, int(row["ecn"] == "ECE"), window)
    return collector.trace()


def _nanoseconds(row: dict[str, str]) -> int:
    return int(float(row["t_ms"]) * 1e6)


def _byte(segment: str) -> int:
    return round((float(segment) - 1) * MSS)


def scenario(law: str, network: str, profile: str) -> ac.Scenario:
    """Return the scenario of a capture of ours."""
    of = NETWORKS[network]
    product = of["rate"] * of["rtt"] / 12
    packets = max(4, round(of["buffer"] * product))
    queue: dict[str, Any] = {"kind": "droptail", "packets": packets}
    transport: dict[str, Any] = {"kind": "tcp", "variant": law, "recovery": "rack"}
    if of.get("marks"):
        queue["mark_above"] = max(2, packets // 3)
        transport["ecn"] = {"dctcp": "dctcp", "prague": "accurate"}.get(law, "classic")
    link: dict[str, Any] = {"rate": f"{of['rate']} Mbps", "delay": f"{of['rtt'] / 2 - 1} ms", "queue": queue}
    if "loss" in of:
        link["loss"] = {"kind": "random", "probability": of["loss"]}
    clients: list[dict[str, Any]] = [{"transport": transport, "source": {"kind": "greedy"}}]
    if "beside" in of:
        other = {"kind": "tcp", "variant": of["beside"]}
        clients.append({"transport": other, "source": {"kind": "greedy"}, "start": "3 s"})
    network_table = {"bottleneck": link, "access": {"rate": "1 Gbps", "delay": "1 ms"}}
    return ac.Scenario.from_dict(
        {"profile": profile, "duration": "30 s", "dumbbell": network_table, "clients": clients}
    )


def own(law: str, network: str, profile: str, folder: Path, noise: Noise) -> Trace:
    """Make a capture of ours, unless it exists, and read its trace with errors of times."""
    name = f"{law}-{network}-{profile}"
    table = folder / f"{name}.parquet"
    if not table.exists():
        run = ac.simulate(scenario(law, network, profile), seed=1, capture=[TAP])
        file = folder / f"{name}.pcapng"
        run.write_pcapng(TAP, file)
        ac.read_capture(file, packets=table)
        file.unlink()
    blurred = folder / f"{name}-{noise}.parquet"
    _blur(table, blurred, noise, np.random.default_rng(len(name)))
    return of_packets(blurred, 0).trace


def _blur(path: Path, blurred: Path, noise: Noise, random: np.random.Generator) -> None:
    table = pq.read_table(path)
    times = table["timestamp"].cast(pa.int64()).to_numpy()
    if noise == "intervals":
        factors = np.maximum(random.normal(1.0, NOISE, len(times) - 1), 0.0)
        times = np.append(0, np.cumsum(np.diff(times) * factors)).astype(np.int64) + times[0]
    elif noise == "stamps":
        flags, back = table["flags"].to_numpy(), table["back"].to_numpy(zero_copy_only=False)
        syn = (flags.astype(int) & 2) > 0
        trip = times[syn & back][0] - times[syn & ~back][0]
        times = np.maximum.accumulate(times + random.normal(0.0, NOISE * trip, len(times)).astype(np.int64))
    place = table.column_names.index("timestamp")
    pq.write_table(table.set_column(place, "timestamp", pa.array(times).cast(table["timestamp"].type)), blurred)


def cases(traces: Path, folder: Path, noise: Noise) -> Iterator[tuple[str, Case]]:
    """Return what is identified of each trace and capture."""
    for path in sorted(traces.glob("*.csv")):
        answer = identify(kernel(path))
        yield "kernel", ("first", path.stem.split("_")[0], path.stem, *_answers(answer))
    folder.mkdir(parents=True, exist_ok=True)
    for network, of in NETWORKS.items():
        half = "first" if network in FIRST_HALF else "second"
        for law in MARKED if of.get("marks") else [law for law in LAWS if law not in ("dctcp", "prague")]:
            for profile in ("rfc", "linux"):
                answer = identify(own(law, network, profile, folder, noise))
                yield "own", (half, law, f"{law}-{network}-{profile}", *_answers(answer))


def _answers(found: Identified) -> tuple[str, str]:
    return found.law or f"({found.reason})", found.fits[0].law if found.fits else ""


def matrix(cases: Iterable[Case], laws: Iterable[str]) -> str:
    """Return a confusion matrix as Markdown."""
    laws = list(laws)
    counts = Counter((truth, answer) for _, truth, _, answer, _ in cases)
    columns = [law for law in laws if any(answer == law for _, answer in counts)]
    columns += sorted({answer for _, answer in counts} - set(columns))
    lines = [f"| truth | {' | '.join(columns)} |", "| --- |" + " ---: |" * len(columns)]
    for law in laws:
        row = [str(counts[law, answer] or "") for answer in columns]
        if any(row):
            lines.append(f"| {law} | {' | '.join(row)} |")
    return "\n".join(lines)


def score(cases: list[Case]) -> str:
    """Return for how many cases a law was identified, and how many of these are right."""
    named = [case for case in cases if not case[3].startswith("(")]
    right = sum(truth == answer for _, truth, _, answer, _ in named)
    compared = [case for case in cases if case[4]]
    closest = sum(truth == law for _, truth, _, _, law in compared)
    return (
        f"{right} of {len(named)} identified are right ({100 * right / max(1, len(named)):.1f} %), and the closest law "
        f"is right for {closest} of {len(compared)} that were compared; {len(cases)} in all"
    )


def main() -> None:
    """Print the matrices."""
    traces = Path(sys.argv[1])
    noise: Noise = next(kind for kind in get_args(Noise) if kind == (sys.argv[2:] or ["intervals"])[0])
    folder = Path(sys.argv[3] if len(sys.argv) > 3 else "out/validation-capture-laws")
    found: dict[str, list[Case]] = {"kernel": [], "own": []}
    for kind, case in cases(traces, folder, noise):
        found[kind].append(case)
        if case[1] != case[3]:
            print("  ", *case)
        sys.stdout.flush()
    for kind, laws in (("kernel", ("reno", "cubic", "bbr")), ("own", LAWS)):
        print(f"\n{kind}: {score(found[kind])}")
        for half in ("first", "second"):
            print(f"  {half} half: {score([case for case in found[kind] if case[0] == half])}")
        print("\n" + matrix(found[kind], laws))


if __name__ == "__main__":
    main()
