"""LEDBAT and LEDBAT++ on a link of 10 Mb/s with a round trip of 80 ms.

The bandwidth-delay product (BDP) is 66.7 packets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from tests.engine.tcp import greedy
from tests.engine.tcp.greedy import Flow

if TYPE_CHECKING:
    import pandas as pd

    import ackclock as ac

Note = Callable[[str, object], None]
"""pytest's ``record_property``."""

PACKETS_PER_MS = 10e6 / 12_000 / 1_000
"""What the link transmits in a millisecond, in packets."""


def run(*variants: str, apart: int = 1, since: int = 20, **fields: Any) -> ac.Run:
    """Run greedy flows that start some seconds apart; further fields are those of `greedy.run`."""
    flows = [
        Flow(variant, {}, {"start": f"{place * apart} s", "spread": "0 s"}) for place, variant in enumerate(variants)
    ]
    return greedy.run(
        *flows, since=since, record=["queue@bottleneck/5ms", "states/20ms"], **{"delayed_ack": False} | fields
    )


def waits(done: ac.Run, since: float = 20) -> pd.Series:
    """Waiting times of the packets in the queue in ms, from a time on."""
    queue = done.table("queue").to_pandas()
    return queue[queue["time"] > since]["packets"] / PACKETS_PER_MS


@pytest.mark.parametrize("target", [25, 50, 100])
def test_the_queue_of_one_ledbat_flow_settles_at_the_target(target: int, record_property: Note) -> None:
    """One flow in a deep buffer, once it has had time to leave the queue of its slow start.

    Validates: the queueing delay stays at the target, and the link is in use.
    Source: RFC 6817, section 2.4.2: the window stays when the queueing delay is the target. By the same formula, the
        distance from it decays with a time constant of `rate target / gain` round trips: 15 s with 100 ms.
    Tolerance: two packets (2.4 ms) at all times; a use of at least 0.999.
    """
    done = run("ledbat", target=f"{target} ms", duration=140, since=100)
    waited = waits(done, since=100)
    record_property("measured", f"{waited.min():.1f} to {waited.max():.1f} ms, use {done.summary.utilization:.4f}")
    assert target - 2.4 <= waited.min() <= waited.max() <= target + 2.4
    assert done.summary.utilization >= 0.999
    assert done.summary.drops == 0


@pytest.mark.parametrize("target", [30, 60])
def test_the_queue_of_one_ledbat_plus_plus_flow_settles_at_the_target(target: int, record_property: Note) -> None:
    """One flow in a deep buffer, on a round trip of 20 ms.

    Validates: outside of slowdowns the queueing delay is at the target; slowdowns empty the queue and take about a
        tenth of the time.
    Source: draft-irtf-iccrg-ledbat-plus-plus-01, sections 4.3 and 4.4.
    Tolerance: 10 % for the median; slowdowns and returns for 0.05 to 0.15 of the time.
    """
    link = {
        "rate": "10 Mbps",
        "delay": "10 ms",
        "queue": {"kind": "droptail", "packets": 1000, "count_in_service": False},
    }
    done = run("ledbat++", target=f"{target} ms", link=link)
    states = done.table("states").to_pandas()
    late = states[(states["time"] > 20) & (states["variable"] == "queueing_delay")]
    steady = 1000 * late[late["phase"] == "congestion_avoidance"]["value"]
    slow = 1 - len(steady) / len(late)
    waited = waits(done)
    record_property(
        "measured",
        f"median {steady.median():.1f} ms, slowdowns {slow:.3f} of the time, least wait {waited.min():.1f} ms, "
        f"use {done.summary.utilization:.3f}",
    )
    assert steady.median() == pytest.approx(target, rel=0.1)
    assert 0.05 <= slow <= 0.15
    assert waited.min() == 0
    assert done.summary.drops == 0


@pytest.mark.parametrize("variant", ["ledbat", "ledbat++"])
def test_it_yields_to_cubic(variant: str, record_property: Note) -> None:
    """One flow beside CUBIC in a buffer of four BDP, 320 ms, after the minute in which LEDBAT leaves its early share.

    Validates: two packets per round trip are left, the least window, and CUBIC has the rest of the link.
    Source: RFC 6817, section 1: LEDBAT yields to TCP; a law of nine lines in Python got 0.054 Mb/s beside 9.95.
    Tolerance: at most 2 % of the link.
    """
    done = run(variant, "cubic", duration=120, since=60)
    own, cubic = (group.goodput_bps / 1e6 for group in done.groups)
    record_property("measured", f"{own:.3f} beside {cubic:.2f} Mb/s")
    assert own <= 0.2
    assert cubic >= 9.7


def test_only_ledbat_gives_an_advantage_to_the_latecomer(record_property: Note) -> None:
    """Two flows, the second of which starts 20 s later, in a buffer of ten BDP.

    Validates: with LEDBAT, the second flow takes the first one's delay for that of the path, and the link from it; with
        LEDBAT++, slowdowns show both flows the empty path, and both get their share.
    Source: Carofiglio et al., "The Quest for LEDBAT Fairness", GLOBECOM 2010; draft-irtf-iccrg-ledbat-plus-plus-01,
        sections 3.1 and 4.4.
    Tolerance: at least 80 % of the link for the latecomer with LEDBAT; 30 to 70 % with LEDBAT++.
    """
    shares = {}
    for variant in ("ledbat", "ledbat++"):
        done = run(variant, variant, apart=20, buffer=10, duration=200, since=100)
        rates = [group.goodput_bps for group in done.groups]
        shares[variant] = rates[1] / sum(rates)
    record_property("measured", ", ".join(f"{name} {share:.2f}" for name, share in shares.items()))
    assert shares["ledbat"] >= 0.8
    assert 0.3 <= shares["ledbat++"] <= 0.7


def test_the_base_delay_drifts_once_the_empty_path_is_forgotten(record_property: Note) -> None:
    """One flow that never lets the queue drain, with a base history of one minute instead of ten.

    Validates: each minute takes the queue of the one before it for the path, and adds the target to it.
    Source: draft-irtf-iccrg-ledbat-plus-plus-01, section 3.3 (latency drift); RFC 6817, section 2.4.2,
        `update_base_delay`: a transmission and 80 ms, and 25 ms more in each minute.
    Tolerance: 0.1 ms in the first minute, two packets (2.4 ms) per minute later.
    """
    states = run("ledbat", base_history=1, target="25 ms", duration=179).table("states").to_pandas()
    base = 1000 * states[states["variable"] == "base_delay"].set_index("time")["value"].dropna()
    of_minute = [base[base.index < end].iloc[-1] for end in (60, 120, 180)]
    record_property("measured", ", ".join(f"{delay:.1f}" for delay in of_minute) + " ms")
    assert of_minute[0] == pytest.approx(81.2, abs=0.1)
    assert of_minute[1] == pytest.approx(106.2, abs=2.4)
    assert of_minute[2] == pytest.approx(131.2, abs=4.8)
