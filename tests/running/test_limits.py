"""What limited flows and groups: by hand for single flows, in tables, printed, and in notices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.noticed import noticed

import ackclock as ac
from ackclock.cli import main
from ackclock.engine import core
from ackclock.running.summary import LIMITS, limited_by

GREEDY = ac.Greedy()
ROUND_TRIP = 0.05
"""Round-trip propagation delay, s."""


def one_flow(
    transport: ac.Tcp | ac.Udp,
    source: Any = GREEDY,
    *,
    rate: str = "12 Mbps",
    queue: ac.Queue | None = None,
    loss: Any = None,
    start: str = "0 s",
    measured: tuple[str, str] = ("10 s", "60 s"),
) -> ac.Scenario:
    """Make a network with one flow; a packet of 1500 bytes takes 1 ms at the usual rate, so that 50 are on the path."""
    bottleneck = ac.Link(rate=rate, delay="25 ms", queue=queue or ac.DropTail(packets=50), loss=loss)
    from_, duration = measured
    return ac.Scenario(
        profile="rfc",
        duration=duration,
        measure=ac.Measure(from_=from_),
        dumbbell=ac.Dumbbell(access=ac.Link(rate="10 Gbps", delay="0 s"), bottleneck=bottleneck),
        clients=[ac.Clients(name="it", count=1, transport=transport, source=source, start=start)],
    )


def limited(scenario: ac.Scenario) -> dict[str, float]:
    """Return the shares of the flow that are not 0, which are those of its group and of its row in the table."""
    run = ac.simulate(scenario)
    (row,) = run.table("flows").to_pylist()
    shares = run.groups["it"].limited
    assert shares == {name.removeprefix("limited_"): row[name] for name in LIMITS}
    assert sum(shares.values()) == pytest.approx(1, abs=1e-12)
    return {name: share for name, share in shares.items() if share}


def test_a_greedy_flow_is_limited_by_loss() -> None:
    """Validates: a flow that fills the link and the buffer.

    Source: by hand. The receiver's window of 1,000 packets is never full: at most 50 packets are on the path and 50 in
        the queue. After slow start, before 10 s, each increase ends with a drop, which fast recovery repairs.
    Tolerance: exact.
    """
    assert limited(one_flow(ac.Tcp("reno"))) == {"loss": 1}


def test_a_small_receive_window_limits_all_the_time() -> None:
    """Validates: a receive window of 20 packets, below the 50 that are on the path.

    Source: by hand. The congestion window begins with 10 packets and doubles in each round trip, so that it exceeds 20
        long before 2 s; there are no losses.
    Tolerance: exact.
    """
    assert limited(one_flow(ac.Tcp("reno", max_window=20), measured=("2 s", "10 s"))) == {"receiver_window": 1}


def test_a_poisson_source_below_the_capacity_limits_the_flow() -> None:
    """Validates: 100 packets per second on a link that carries 1,000.

    Source: by hand. 5 packets are in flight on average; more than 20 are as likely as a Poisson number of mean 5, 1e-7.
        The window of 10 packets and more is full only at random at the beginning, before 10 s.
    Tolerance: 0.1 %.
    """
    assert limited(one_flow(ac.Tcp("reno"), ac.Poisson(rate=100)))["application"] > 0.999


def test_slow_start_limits_until_the_end() -> None:
    """Validates: slow start all the time, with the handshake.

    Source: by hand. At 10 Gb/s 41,667 packets are on the path. After the handshake the window doubles in each of the 9
        round trips that remain of 0.5 s, to at most 10 * 2^9 = 5,120 packets.
    Tolerance: exact.
    """
    scenario = one_flow(ac.Tcp("reno", max_window=100_000), rate="10 Gbps", measured=("0 s", "0.5 s"))
    assert limited(scenario) == {"slow_start": 1}


def test_random_loss_limits_the_window() -> None:
    """Validates: a loss probability of 1 %, at which the link is seldom full.

    Source: by hand. By the law of the square root the window is about sqrt(1.5 / 0.01) = 12 packets, and there are 50
        on the path. Each loss halves the window, so that only timeouts, and slow start after them, are not due to loss.
    Tolerance: 5 % for timeouts.
    """
    found = limited(one_flow(ac.Tcp("reno"), loss=ac.RandomLoss(probability=0.01)))
    assert found["loss"] > 0.95
    assert set(found) <= {"loss", "timeout", "slow_start"}


def test_marks_limit_the_window() -> None:
    """Validates: a queue that marks ECN-capable packets instead of dropping them.

    Source: by hand. All packets are ECN-capable and the buffer is never full, so that the window ends slow start by a
        mark, and each reduction is by a mark.
    Tolerance: exact.
    """
    queue = ac.DropTail(packets=1000, mark_above=20)
    assert limited(one_flow(ac.Tcp("reno", ecn="classic"), queue=queue)) == {"marks": 1}


def test_bbr_is_limited_by_its_pace() -> None:
    """Validates: a law that sets a rate, and a window of two bandwidth-delay products.

    Source: by hand. In ProbeRTT, once in 10 s, the window is 4 packets for 200 ms and a round trip: 6 times in 60 s,
    2.5
        %. Otherwise the window is not full.
    Tolerance: 0.2 % of the time for the ends of these probes.
    """
    found = limited(one_flow(ac.Tcp("bbr"), measured=("5 s", "65 s")))
    assert found["window"] == pytest.approx(6 * (0.2 + ROUND_TRIP) / 60, abs=0.002)
    assert found["pacing"] == pytest.approx(1 - found["window"], abs=1e-12)


def test_a_paced_window_waits_for_every_second_packet() -> None:
    """Validates: Reno whose window is paced at 120 % of the window per round trip.

    Source: by hand. With delayed ACKs each ACK releases two packets. The second one waits for srtt / (1.2 cwnd), cwnd
        / 2 times in a round trip: 1 / 2.4 of the time. The window, which losses reduce, is full for the rest.
    Tolerance: 5 %, as the round-trip time changes with the queue and single packets are released when the window grows.
    """
    found = limited(one_flow(ac.Tcp("reno", pacing="window")))
    assert set(found) == {"pacing", "loss"}
    assert found["pacing"] == pytest.approx(1 / 2.4, rel=0.05)


def test_processing_takes_its_share_of_each_round_trip() -> None:
    """Validates: a window of one packet and a processing time of 10 ms on average before each.

    Source: by hand. A packet takes 10 ms of processing, 1 ms of transmission and 50 ms of propagation, an ACK of 40
        bytes 0.027 ms: the shares are 10 and 51.03 of 61.03 ms.
    Tolerance: four standard errors of the mean of 980 processing times, uniform from 0 to 20 ms: 7 %.
    """
    transport = ac.Tcp("reno", max_window=1, delayed_ack=False, overhead="20 ms")
    found = limited(one_flow(transport, measured=("0 s", "60 s")))
    assert found["processing"] == pytest.approx(10 / 61.03, rel=0.07)
    assert found["receiver_window"] == pytest.approx(1 - found["processing"], abs=0.002), "except for the handshake"


def test_before_and_after_its_data_a_flow_is_limited_by_its_application() -> None:
    """Validates: a flow that starts at 4 s of 10 s and sends 20 packets, one at a time.

    Source: by hand. The handshake takes a round trip of SYN and ACK, 0.050053 s, and counts as slow start; each packet
        but the last takes 0.051027 s (and 2.4 us on the access link), with data that waits for the window. After the
        last packet nothing waits.
    Tolerance: 1e-5 of the time.
    """
    size = ac.Greedy(size=f"{20 * 1460} B")
    transport = ac.Tcp("reno", max_window=1, delayed_ack=False)
    found = limited(one_flow(transport, size, start="4 s", measured=("0 s", "10 s")))
    assert found["slow_start"] == pytest.approx(0.0050053, abs=1e-5)
    assert found["receiver_window"] == pytest.approx(19 * 0.0051027, abs=1e-5)
    assert found["application"] == pytest.approx(1 - 0.0050053 - 19 * 0.0051027, abs=1e-5)


def test_a_lost_packet_at_the_end_waits_for_its_timer() -> None:
    """Validates: the wait for a retransmission timer, also if the measured time begins within it.

    Source: by hand. The only packet of a transfer is lost. It leaves after the handshake, at 0.050053 s, and the
    timeout is
        1 s (RFC 6298, 2.4). Nothing else waits, so that the rest of the time except for the handshake is the
        application's.
    Tolerance: 1e-5 of the time.
    """
    transport = ac.Tcp("reno", recovery="reno")
    for from_ in (0, 0.4):
        scenario = one_flow(
            transport, ac.Greedy(size="1 B"), loss=ac.ListedLoss(packets=(1,)), measured=(f"{from_} s", "10 s")
        )
        found = limited(scenario)
        begins = max(from_, 0.050053)
        assert found["timeout"] == pytest.approx((1.050053 - begins) / (10 - from_), abs=1e-5)
        assert found.get("slow_start", 0) == pytest.approx((begins - from_) / (10 - from_), abs=1e-5)


def test_udp_has_no_limits() -> None:
    scenario = one_flow(ac.Udp(), ac.Constant(rate=100))
    run = ac.simulate(scenario)
    assert run.groups["it"].limited is None
    assert limited_by(run.groups["it"]) is None
    assert run.table("flows").to_pylist()[0]["limited_application"] is None


def test_the_engine_names_the_limits() -> None:
    """The fields and the definitions in the documentation are those of the engine, in the same order."""
    declared = json.loads(core.catalogue())["limits"]
    assert [name.removeprefix("limited_") for name in LIMITS] == [name for name, _ in declared]
    page = (Path(__file__).parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")
    rows = [f"| `{name}` | {doc} |" for name, doc in declared]
    assert "\n".join(rows) in page


def test_run_prints_what_limited_each_group(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "it.toml"
    scenario = one_flow(ac.Tcp("reno", max_window=20), measured=("2 s", "10 s"))
    file.write_text(scenario.to_toml(), encoding="utf-8")
    with pytest.raises(SystemExit, match="0"):
        main(["run", str(file)])
    assert "limited by: receiver window 100%" in capsys.readouterr().out


NONE = dict.fromkeys(LIMITS, 0.0)


def notices(scenario: ac.Scenario, utilization: float, **shares: float) -> list[str]:
    """Return the notices of given shares."""
    each = [NONE | {f"limited_{name}": share for name, share in shares.items()}]
    return noticed(scenario, "was limited by", groups=each, utilization=utilization)


def test_a_window_below_one_bandwidth_delay_product_is_reported() -> None:
    scenario = one_flow(ac.Tcp("reno", max_window=20))
    assert notices(scenario, 0.4, receiver_window=0.49) == []
    (notice,) = notices(scenario, 0.4, receiver_window=0.5)
    assert "advertised window (max_window = 20) in 50% of its time" in notice
    assert "below one bandwidth-delay product (50 packets): a larger transport.max_window" in notice
    (notice,) = notices(one_flow(ac.Tcp("reno", max_window=60, rwnd="auto")), 0.4, receiver_window=0.5)
    assert '(rwnd = "auto", max_window = 60)' in notice
    assert "product" not in notice


def test_a_policer_that_limits_the_rate_is_reported() -> None:
    """At 12 Mb/s with a policer of 4: Reno sends bursts that the bucket does not cover, and gets less than 4."""
    scenario = one_flow(ac.Tcp("reno")).changed(
        {"dumbbell.bottleneck.policer": ac.Policer(rate="4 Mbps", burst=15_000)}
    )
    run = ac.simulate(scenario)
    assert run.summary.drops_policed == run.summary.drops > 0
    (notice,) = [each for each in run.notices if "limited by loss" in each]
    assert notice.endswith(": the policer of bottleneck (4 Mbps), not the capacity, limits its rate.")


def test_random_loss_that_limits_the_rate_is_reported() -> None:
    lossy = one_flow(ac.Tcp("reno"), loss=ac.RandomLoss(probability=0.01))
    (notice,) = notices(lossy, 0.23, loss=0.5, timeout=0.1)
    assert notice == (
        "Group it was limited by loss in 60% of its time, while bottleneck was used to 23%: the random loss of "
        "bottleneck "
        "(loss), not the capacity, limits its rate."
    )
    assert notices(lossy, 0.9, loss=1) == []
    assert notices(one_flow(ac.Tcp("reno")), 0.23, loss=1) == []


def test_sources_that_offer_less_than_the_link_carries_are_reported() -> None:
    slow = one_flow(ac.Tcp("reno"), ac.Poisson(rate=100))
    (notice,) = notices(slow, 0.1, application=0.97)
    assert notice == (
        "Group it was limited by its application in 97% of its time: its sources offer 10% of the rate of bottleneck, "
        "which "
        "was used to 10%. A higher source.rate, or more flows, use more of it."
    )
    assert notices(slow, 0.6, application=0.97) == []
    assert notices(one_flow(ac.Tcp("reno"), ac.Greedy(size="1 MB")), 0.1, application=0.9) == []
