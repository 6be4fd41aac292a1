"""Compare the round model with simulations: print the tables of docs/models/rounds.md, and draw its figure.

``python validation/rounds.py`` simulates the homogeneous grid of `burstiness` (Reno, Reno with delayed ACKs and Vegas),
100 random networks with one bottleneck, and 60 Reno and Vegas clients that share a gateway. This takes some minutes.

The model has one fitted constant, the number of parts of a step. It was chosen by the networks with even numbers, and
is judged by those with odd numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

import ackclock as ac
from ackclock.analysis.models.rounds import Reno, Streams, Vegas, rounds

if TYPE_CHECKING:
    from collections.abc import Sequence

LAWS: dict[str, Reno | Vegas] = {"Reno": Reno(), "Reno/DelAck": Reno(per_ack=2), "Vegas": Vegas()}
CLIENTS = (15, 20, 25, 30, 34, 36, 38, 39, 40, 42, 44, 46, 48, 50, 55, 60, 70, 80, 100)
PACKET = 12_000  # bits
FIGURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "rounds.png"


@dataclass(frozen=True, kw_only=True)
class Network:
    """A bottleneck and its clients; the defaults are the papers' Table 1."""

    law: str
    clients: int
    rate: float = 100.0  # packets per second and client
    capacity: float = 50e6 / PACKET  # packets per second
    delay: float = 0.1  # two-way, seconds
    access: float = 10.0  # rate of each client's link, Mbps
    buffer: int = 50
    window: int = 20
    overhead: float = 12e-6  # random processing time before a packet is sent, seconds
    start: float = 20.0  # of the measurement, seconds
    end: float = 200.0

    def simulated(self, seeds: int) -> list[float]:
        """Simulate the c.o.v. with some seeds."""
        made = scenario(self, [(self.law, self.clients, 0)])
        return [float(ac.simulate(made, seed=seed).summary.cov or 0) for seed in range(1, seeds + 1)]

    def predicted(self) -> float:
        """Predict the c.o.v. with the round model."""
        stream = Streams(
            law=LAWS[self.law], count=self.clients, rate=self.rate, delay=self.delay, max_window=self.window
        )
        warmup = min(400, round(self.start / self.delay))
        intervals = round((self.end - self.start) / self.delay)
        return fmean(
            rounds(
                [stream], capacity=self.capacity, buffer=self.buffer, warmup=warmup, intervals=intervals, replications=4
            ).cov
        )


def scenario(network: Network, groups: Sequence[tuple[str, int, float]]) -> ac.Scenario:
    """Make the scenario of a network with groups of clients: law, number and start in seconds."""
    quarter = f"{network.delay / 4 * 1e6:.0f} us"
    megabits = network.capacity * PACKET / 1e6
    return ac.Scenario(
        profile="ns2-2.35",
        duration=f"{network.end * 1e3:.0f} ms",
        packet_size=PACKET // 8,
        measure=ac.Measure(from_=f"{network.start * 1e3:.0f} ms", bin=f"{network.delay * 1e6:.0f} us"),
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate=f"{network.access:.4f} Mbps", delay=quarter),
            bottleneck=ac.Link(rate=f"{megabits:.4f} Mbps", delay=quarter, queue=ac.DropTail(packets=network.buffer)),
        ),
        clients=[
            ac.Clients(
                count=count,
                start=f"{start} s",
                transport=transport(law, network),
                source=ac.Poisson(rate=network.rate),
            )
            for law, count, start in groups
        ],
    )


def transport(law: str, network: Network) -> ac.Tcp:
    """Make the transport of a law."""
    overhead = f"{network.overhead * 1e6:.0f} us"
    if law == "Vegas":
        # ns-2's own rule can take the gap between two ACKs for the propagation delay.
        return ac.Tcp("vegas", max_window=network.window, overhead=overhead, base_rtt="minimum")
    return ac.Tcp("reno", max_window=network.window, overhead=overhead, delayed_ack=law == "Reno/DelAck")


def networks(count: int = 100, seed: int = 48) -> list[Network]:
    """Draw random networks; a random processing time of a packet's transmission time prevents phase effects."""
    random = np.random.default_rng(seed)

    def between(low: float, high: float) -> float:
        return math.exp(random.uniform(math.log(low), math.log(high)))

    drawn = []
    for number in range(count):
        capacity, delay = round(between(5, 100), 2) * 1e6 / PACKET, round(between(0.02, 0.3), 3)
        buffer, clients, window = round(between(10, 500)), round(between(10, 100)), round(between(10, 100))
        load, start = round(random.uniform(0.6, 1.6), 3), max(20.0, 150 * delay)
        drawn.append(
            Network(
                law=list(LAWS)[number % 3],
                clients=clients,
                rate=load * capacity / clients,
                capacity=capacity,
                delay=delay,
                access=max(10.0, capacity * PACKET / 4e6),
                buffer=buffer,
                window=window,
                overhead=1 / capacity,
                start=start,
                end=start + 600 * delay,
            )
        )
    return drawn


def within(errors: list[float], bound: float) -> str:
    """Format the share of errors within a bound."""
    return f"{sum(abs(error) <= bound for error in errors)} of {len(errors)}"


def grid() -> None:
    """Print the table of the homogeneous grid, and draw it."""
    print("| clients | " + " | ".join(f"{law}: simulated, model, error" for law in LAWS) + " |")
    print("| ---: |" + " ---: |" * len(LAWS))
    pairs: dict[str, list[tuple[float, float]]] = {law: [] for law in LAWS}
    for clients in CLIENTS:
        cells = []
        for law in LAWS:
            network = Network(law=law, clients=clients)
            simulated, predicted = fmean(network.simulated(3)), network.predicted()
            pairs[law].append((simulated, predicted))
            cells.append(f"{simulated:.4f}, {predicted:.4f}, {100 * (predicted / simulated - 1):+.0f} %")
        print(f"| {clients} | " + " | ".join(cells) + " |", flush=True)
    for law, each in pairs.items():
        errors = [predicted / simulated - 1 for simulated, predicted in each]
        print(f"{law}: within 15 %: {within(errors, 0.15)}; within 40 %: {within(errors, 0.4)}")
    draw(pairs)


def draw(pairs: dict[str, list[tuple[float, float]]]) -> None:
    """Draw the simulated and the predicted c.o.v. of each law."""
    figure, axes = plt.subplots(figsize=(7, 4), dpi=130)
    for (law, each), color in zip(pairs.items(), ("#0072B2", "#D55E00", "#009E73"), strict=True):
        simulated, predicted = zip(*each, strict=True)
        axes.plot(CLIENTS, predicted, color=color, label=f"{law}, model")
        axes.plot(CLIENTS, simulated, "o", color=color, mfc="none", label=f"{law}, simulated")
    axes.set(xlabel="clients", ylabel="c.o.v.", ylim=(0, None))
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(FIGURE)


def held_out() -> None:
    """Print the shares of random networks."""
    errors: dict[tuple[str, int], list[float]] = {}
    for number, network in enumerate(networks()):
        simulated, predicted = fmean(network.simulated(2)), network.predicted()
        errors.setdefault((network.law, number % 2), []).append(predicted / simulated - 1)
        print(number, network, f"simulated {simulated:.4f}, model {predicted:.4f}", flush=True)
    for (law, odd), each in errors.items():
        print(law, "judged" if odd else "fitted", *(within(each, bound) for bound in (0.15, 0.25, 0.4)))


def mixtures() -> None:
    """Print the table of 60 Reno and Vegas clients."""
    print("| buffer | Vegas clients | start of Vegas, s | Vegas' share: simulated | model | difference, points |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    differences = []
    for buffer in (10, 50, 150, 500, 1500):
        for vegas in (15, 30, 45):
            for start in (0, 10):
                network = Network(law="Reno", clients=60, buffer=buffer, start=40.0, end=100.0)
                groups = [("Reno", 60 - vegas, 0), ("Vegas", vegas, start)]
                reno, beside = (
                    group.goodput_bps for group in ac.simulate(scenario(network, groups), seed=1).summary.groups
                )
                streams = [Streams(law=LAWS[law], count=n, rate=network.rate, start=at) for law, n, at in groups]
                predicted = rounds(
                    streams, capacity=network.capacity, buffer=buffer, warmup=400, intervals=600, replications=2
                )
                simulated, share = beside / (reno + beside), fmean(predicted.shares[:, 1])
                differences.append(100 * (share - simulated))
                print(
                    f"| {buffer} | {vegas} | {start} | {simulated:.3f} | {share:.3f} | {differences[-1]:+.1f} |",
                    flush=True,
                )
    print("within 8 points:", within(differences, 8))


if __name__ == "__main__":
    grid()
    held_out()
    mixtures()
