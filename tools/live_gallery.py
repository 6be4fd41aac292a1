"""Writes the gallery of docs/live.md: the machine's kernel beside the simulator, in five experiments (`make live`).

Each experiment runs scenarios of this file by the kernel and by the simulator, one after the other. All of them take
some six minutes. The page states the kernel, and how late the emulator was.
"""

from __future__ import annotations

import fcntl
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import ackclock as ac
from ackclock.drawing.chart import Axis, Chart, Marker, Panel, Series
from ackclock.drawing.paper import draw
from ackclock.drawing.style import to_png
from ackclock.live import LiveRun, live
from ackclock.running.figures.together import together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ackclock.running.run import Run

PAGE: Final = Path("docs/live.md")
IMAGES: Final = Path("docs/images")
BEGIN, END = "<!-- written by make live -->", "<!-- end -->"
LOCK: Final = Path(tempfile.gettempdir(), "live.lock")
"""Live runs disturb each other: one at a time on a machine."""


@dataclass(frozen=True)
class Both:
    """A scenario, run by the kernel and by the simulator."""

    kernel: LiveRun
    simulated: Run


def both(scenario: ac.Scenario, *record: str) -> Both:
    """Run a scenario by both."""
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kernel = live(scenario, record=record)
    sys.stderr.write(f"{kernel.lateness.brief()}\n")
    RUNS.append(kernel)
    return Both(kernel, ac.simulate(scenario, record=record))


RUNS: Final[list[LiveRun]] = []


def dumbbell(rate: str, rtt: int, queue: dict[str, Any], clients: list[dict[str, Any]], duration: int) -> ac.Scenario:
    """Return a scenario with the profile ``linux``, measured from a quarter of its duration on."""
    link = {"rate": "1 Gbps", "delay": "0 ms", "queue": {"kind": "droptail", "packets": 10_000}}
    half = f"{rtt / 2:g} ms"
    return ac.Scenario.from_dict(
        {
            "profile": "linux",
            "duration": f"{duration} s",
            "measure": {"from": f"{duration // 4} s", "bin": "100 ms"},
            "dumbbell": {
                "bottleneck": {"rate": rate, "delay": half, "queue": queue},
                "reverse": link | {"delay": half},
                "access": link,
            },
            "clients": clients,
        }
    )


def client(law: str, source: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return a group of TCP flows."""
    transport = {"kind": "tcp", "variant": law}
    return {"transport": transport, "source": source or {"kind": "greedy"}, **more}


def droptail(packets: int) -> dict[str, Any]:
    """Return a FIFO queue."""
    return {"kind": "droptail", "packets": packets}


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def pair(values: Iterable[float | None], factor: float = 1.0) -> str:
    """Return the values of both."""
    return ", ".join("none" if value is None else f"{factor * value:.3g}" for value in values)


def picture(name: str, words: str, chart: Chart) -> str:
    """Write a figure, and return its line in Markdown."""
    (IMAGES / f"live_{name}.png").write_bytes(to_png(draw(chart)))
    return f"![{words}](images/live_{name}.png)"


def section(title: str, text: str, *parts: str) -> str:
    """Return a section of the page, with its text in lines."""
    return "\n\n".join([f"### {title}", fill(text, 120), *parts]) + "\n"


def burstiness() -> str:
    """Real Reno connections in the dumbbell of Figure 2 of the first paper."""
    counts = (10, 20, 30, 40, 50, 60)
    found, papers = [], []
    for count in counts:
        paper = ac.Scenario.from_dict(
            {
                "profile": "ns2-2.35",
                "duration": "10 s",
                "dumbbell": {
                    "access": {"rate": "10 Mbps", "delay": "25 ms"},
                    "bottleneck": {"rate": "50 Mbps", "delay": "25 ms", "queue": droptail(50)},
                },
                "clients": [client("reno", {"kind": "poisson", "rate": 100}, count=count)],
            }
        )
        found.append(both(paper.changed({"profile": "linux"})))
        ours = {"max_window": 20, "delayed_ack": False, "overhead": "12 us"}
        papers.append(
            ac.simulate(paper.changed({f"clients.0.transport.{name}": value for name, value in ours.items()}))
        )
    lines = (
        ("kernel", "blue", [each.kernel.run.cov for each in found]),
        ("simulator, profile linux", "red", [each.simulated.cov for each in found]),
        ("simulator, the paper's Reno", "amber", [run.cov for run in papers]),
        ("offered Poisson load", "grey", [run.cov_poisson for run in papers]),
    )
    series = [
        Series(
            name=name,
            x=counts,
            y=[np.nan if value is None else value for value in values],
            colour=colour,
            marker="circle",
        )
        for name, colour, values in lines
    ]
    panel = Panel(
        x=Axis(label="Connections", low=0), y=Axis(label="C.o.v. of arrivals per 100 ms", low=0), series=series
    )
    rows = [
        [
            str(count),
            pair((each.kernel.run.cov, each.simulated.cov)),
            f"{paper.cov:.3g}",
            pair((each.kernel.run.loss, each.simulated.loss), 100),
        ]
        for count, each, paper in zip(counts, found, papers, strict=True)
    ]
    head = ["Reno connections", "c.o.v.: kernel, simulator", "c.o.v. with the paper's Reno", "loss, %"]
    text = (
        "Clients send Poisson traffic of 1.2 Mb/s each through a dumbbell of 50 Mb/s, as in the paper about burstiness "
        "([Figure 2](https://doi.org/10.1109/ICDCS.2000.840922)), which used ns. A run has 10 s instead of 200 s."
    )
    words = "C.o.v. of arrivals over the number of connections, of the kernel and the simulator"
    return section(
        "Burstiness of real Reno connections",
        text,
        picture("burstiness", words, Chart(panels=[panel])),
        table(head, rows),
    )


def sharing() -> str:
    """CUBIC beside BBR, with four buffers."""
    rows, shares = [], []
    buffers = (33, 67, 133, 267)
    for packets in buffers:
        clients = [client("cubic", name="cubic", spread="500 ms"), client("bbr", name="bbr", spread="500 ms")]
        each = both(dumbbell("20 Mbps", 40, droptail(packets), clients, 16))
        runs = (each.kernel.run, each.simulated)
        bbr = [run.groups["bbr"].goodput_bps / sum(group.goodput_bps for group in run.groups) for run in runs]
        shares.append(bbr)
        rows.append(
            [
                f"{packets} packets",
                f"{100 * bbr[0]:.0f}, {100 * bbr[1]:.0f}",
                pair((run.sojourn_p95 for run in runs), 1e3),
                pair((run.loss for run in runs), 100),
            ]
        )
    pens: tuple[tuple[str, str, Marker], ...] = (("kernel", "blue", "circle"), ("simulator", "red", "square"))
    series = [
        Series(name=name, x=buffers, y=[100 * share[place] for share in shares], colour=colour, marker=marker)
        for place, (name, colour, marker) in enumerate(pens)
    ]
    panel = Panel(
        x=Axis(label="Buffer, packets", low=0),
        y=Axis(label="Goodput of bbr, % of all", low=0, high=100),
        series=series,
    )
    head = ["buffer", "share of bbr, %: kernel, simulator", "95 % of the time in the queue, ms", "loss, %"]
    text = "A flow of cubic and one of bbr share 20 Mb/s, with a round-trip time of 40 ms, for 16 s."
    words = "Share of bbr beside cubic over the buffer, of the kernel and the simulator"
    return section(
        "CUBIC beside BBR at four buffers", text, picture("sharing", words, Chart(panels=[panel])), table(head, rows)
    )


def managed() -> str:
    """CoDel and FQ-CoDel with real traffic."""
    rows = []
    call = {"transport": {"kind": "udp"}, "source": {"kind": "poisson", "rate": 50}, "packet_size": 200, "name": "call"}
    for name, queue in (("FIFO", droptail(250)), ("CoDel", {"kind": "codel"}), ("FQ-CoDel", {"kind": "fq_codel"})):
        clients = [client("cubic", count=2, name="downloads", spread="500 ms"), call]
        each = both(dumbbell("10 Mbps", 40, queue, clients, 12))
        runs = (each.kernel.run, each.simulated)
        rows.append(
            [
                name,
                pair((run.goodput_bps for run in runs), 1e-6),
                pair((run.sojourn_p50 for run in runs), 1e3),
                pair((run.sojourn_p95 for run in runs), 1e3),
                pair((run.groups["call"].delay_mean for run in runs), 1e3),
            ]
        )
    head = [
        "queue",
        "goodput, Mb/s: kernel, simulator",
        "time in the queue, median, ms",
        "95 %, ms",
        "delay of the UDP packets, ms",
    ]
    text = "Two flows of cubic share 10 Mb/s with 50 UDP packets per second, 12 s; the delays of the links add 20 ms."
    return section("CoDel and FQ-CoDel with real traffic", text, table(head, rows))


def outage() -> str:
    """Take the link down for a second."""
    scenario = dumbbell("10 Mbps", 40, droptail(67), [client("cubic")], 12)
    down, up = ({"at": f"{at} s", "links": ["bottleneck"], "up": is_up} for at, is_up in ((6, False), (7, True)))
    scenario = scenario.changed(changes=[down, up])
    each = both(scenario, "windows/20ms", "throughput/100ms")
    chart = together({"kernel": [each.kernel.run], "simulator": [each.simulated]}, ["throughput", "cwnd"])
    text = "The link of 10 Mb/s is down from 6 s to 7 s. The sender is cubic."
    words = "Goodput and window around an outage, of the kernel and the simulator"
    runs = (each.kernel.run, each.simulated)
    head = ["", "kernel", "simulator"]
    rows = [
        ["goodput, Mb/s", *(f"{run.goodput_bps * 1e-6:.3g}" for run in runs)],
        ["timeouts", *(str(run.timeouts) for run in runs)],
        ["retransmissions", *(str(run.retransmissions) for run in runs)],
    ]
    return section("An outage", text, picture("outage", words, chart), table(head, rows))


def web() -> str:
    """Transfers like those of the web."""
    source = {
        "kind": "transfers",
        "size": {"kind": "pareto", "mean": "60 kB", "shape": 1.5},
        "think": {"kind": "exponential", "mean": "1 s"},
    }
    each = both(dumbbell("10 Mbps", 40, droptail(67), [client("cubic", source, count=12, name="web")], 24), "transfers")
    runs = {"kernel": each.kernel.run, "simulator": each.simulated}
    series = []
    for (name, run), colour in zip(runs.items(), ("blue", "red"), strict=True):
        took = np.sort([value for value in run.table("transfers")["completion"].to_pylist() if value is not None])
        series.append(Series(name=name, x=1e3 * took, y=np.arange(1, took.size + 1) / took.size, colour=colour))
    panel = Panel(
        x=Axis(label="Completion time, ms", log=True),
        y=Axis(label="Share of the transfers", low=0, high=1),
        series=series,
    )
    head = ["", *runs]
    groups = [run.groups["web"] for run in runs.values()]
    seeds = [ac.simulate(each.simulated.scenario, seed=seed).groups["web"] for seed in range(1, 9)]
    tails = [group.completion_p95 for group in seeds if group.completion_p95 is not None]
    rows = [
        ["transfers completed", *(str(group.completed) for group in groups)],
        ["median, ms", *(pair([group.completion_p50], 1e3) for group in groups)],
        ["95 %, ms", *(pair([group.completion_p95], 1e3) for group in groups)],
        ["95 %, ms, with eight seeds", "not run", f"{1e3 * min(tails):.3g} to {1e3 * max(tails):.3g}"],
    ]
    text = (
        "Twelve connections of cubic with transfers of 60 kB on average (Pareto) and think times of 1 s share 10 Mb/s "
        "for 24 s. Sizes and think times are the same for both."
    )
    words = "Distribution of completion times, of the kernel and the simulator"
    return section("Web-like transfers", text, picture("web", words, Chart(panels=[panel])), table(head, rows))


PARTS: Final[Sequence[Callable[[], str]]] = (burstiness, sharing, managed, outage, web)


def main() -> None:
    """Run all parts, and write the page."""
    parts = [part() for part in PARTS]
    late = [run for run in RUNS if not run.lateness.trusted]
    worst = max(run.lateness.p99 for run in RUNS)
    median = float(np.median([run.lateness.p50 for run in RUNS]))
    trust = f"{len(late)} of them are not to be trusted" if late else "all of them are to be trusted"
    intro = (
        f"Kernel {RUNS[0].kernel}; {len(RUNS)} live runs with one repetition each, and {trust}. Packets left "
        f"{median * 1e6:.0f} µs late (median over the runs of the medians). The 99th percentile was {worst * 1e3:.2f} "
        "ms in the worst run. Columns with two numbers have the kernel's first.\n"
    )
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    written = "\n".join([fill(intro, 120) + "\n", *parts])
    PAGE.write_text(f"{before}{BEGIN}\n\n{written}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
