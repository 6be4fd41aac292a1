"""Windows of Reno, CUBIC and Prague if each packet is marked with the same probability, whatever the queue."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import TYPE_CHECKING, Any, Literal

import pytest

import ackclock as ac

if TYPE_CHECKING:
    from ackclock.engine.core import QueuedPacket, WaitingQueue

KERNEL = {("reno", 0.0185): 8.7, ("cubic", 0.0185): 7.6, ("reno", 0.05): 5.4, ("cubic", 0.05): 4.5}
"""Mean window of Linux 6.18 over 35 s on a path of 50 Mb/s and 27 ms, one run each, in packets."""

Note = Callable[[str, object], None]
"""pytest's ``record_property``."""


class Coin(ac.Discipline):
    """Marks each packet with a probability."""

    p: float = 0.02

    def on_arrival(self, _queue: WaitingQueue, _packet: QueuedPacket) -> Literal["accept", "mark"]:
        """Toss the coin."""
        return "mark" if self.rng.random() < self.p else "accept"


def window(law: str, p: float, **options: Any) -> float:
    """Return the mean window in profile `linux`, on the kernel's path."""
    scenario = ac.Scenario(
        profile="linux",
        duration="125 s",
        measure=ac.Measure(from_="5 s", link="a->b"),
        nodes=[ac.Node("a"), ac.Node("b")],
        links=[ac.GraphLink(from_="a", to="b", rate="50 Mbps", delay="13.5 ms", queue=ac.Queue(Coin(p=p)))],
        flows=[ac.Flow(from_="a", to="b", transport=ac.Tcp(law, **options), source=ac.Greedy())],
    )
    windows = ac.simulate(scenario, record=["windows/20ms"]).table("windows").to_pandas()
    return float(windows["cwnd"][windows["time"] > 5].mean())


@pytest.mark.parametrize(("law", "p"), KERNEL)
def test_classic_windows(law: str, p: float, record_property: Note) -> None:
    """A mark halves Reno's window and leaves CUBIC 0.7, in whole packets.

    Validates: the mean window of Reno and CUBIC is the kernel's, and Reno's is the larger one.
    Source: Linux 6.18, measured through a bottleneck in user space that marks at random.
    Tolerance: 10 %. The kernel's runs have 150 to 240 reductions, so that the standard error of a mean is 4 to 5 %.
    """
    found = window(law, p, ecn="classic")
    record_property("measured", f"{law}, p {p}: {found:.2f} for {KERNEL[law, p]}")
    assert found == pytest.approx(KERNEL[law, p], rel=0.1)
    if law == "reno":
        assert found > window("cubic", p, ecn="classic")


@pytest.mark.parametrize("p", [0.035, 0.05])
def test_prague(p: float, record_property: Note) -> None:
    """Prague answers each round trip with a mark by half of the share of marks.

    Validates: the mean window W is 2 (1 - p) / p (1 + 1 / (p W)): 76 at 0.035 and 52 at 0.05.
    Source: draft-briscoe-iccrg-prague-congestion-control, section 2.4.4, without the second factor. A reduction waits
        for the first mark after a round trip, which takes 1 / (p W) round trips more.
    Tolerance: 5 %.
    """
    plain = 2 * (1 - p) / p
    law = (plain + sqrt(plain**2 + 4 * plain / p)) / 2
    found = window("prague", p, rtt_target="0 s")
    record_property("measured", f"p {p}: {found:.1f} for {law:.1f}")
    assert found == pytest.approx(law, rel=0.05)
