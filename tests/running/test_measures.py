"""Summaries of flows, compared with the records of the same run."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import ackclock as ac
from ackclock.analysis import loss_correlation, loss_epochs

FROM, UNTIL = 5.0, 30.0


def crowded(**changes: Any) -> ac.Scenario:
    """Sixty flows share a pipe that is too small for them; other flows send in the opposite direction."""
    reno: dict[str, Any] = {"transport": ac.Tcp("reno", overhead="1 ms"), "source": ac.Greedy()}
    fields: dict[str, Any] = {
        "profile": "ns2-2.35",
        "packet_size": 500,
        "duration": f"{UNTIL} s",
        "measure": ac.Measure(from_=f"{FROM} s"),
        "dumbbell": ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="5 ms"),
            bottleneck=ac.Link(rate="500 kbps", delay="20 ms", queue=ac.DropTail(packets=10)),
        ),
        "clients": [
            ac.Clients(name="there", count=60, **reno),
            ac.Clients(name="back", count=3, direction="reverse", **reno),
        ],
    }
    return ac.Scenario(**(fields | changes))


@pytest.fixture(scope="module")
def run() -> ac.Run:
    return ac.simulate(crowded(), seed=2, record=["packets@bottleneck,bottleneck.reverse"])


@pytest.fixture(scope="module")
def packets(run: ac.Run) -> pl.DataFrame:
    frame = pl.from_arrow(run.table("packets"))
    assert isinstance(frame, pl.DataFrame)
    return frame.with_columns(pl.col("link", "event", "kind").cast(pl.String))


def test_packets_that_a_receiver_had_already(run: ac.Run, packets: pl.DataFrame) -> None:
    """Validates: unnecessary retransmissions.
    Source: the definition, packet by packet: a segment that reached its receiver before.
    Tolerance: exact.
    """
    arrived = packets.filter(pl.col("event") == "receive", pl.col("kind") == "data")
    again = arrived.filter(~pl.struct("flow", "segment").is_first_distinct(), pl.col("time") >= FROM)
    there, back = run.summary.groups
    assert (there.duplicates, back.duplicates) == tuple(
        again.filter((pl.col("flow") < 60) == way).height for way in (True, False)
    )
    assert run.summary.duplicates == there.duplicates > 0
    assert again["retransmission"].all()


def test_flows_that_are_shut_off(run: ac.Run) -> None:
    """Validates: greedy flows with less than 2 % and less than 10 % of the link's rate over its flows.
    Source: the definition, from each flow's goodput.
    Tolerance: exact.
    """
    goodputs = run.table("flows")["goodput_bps"].to_numpy()[:60]
    shut_off, starved = (int((goodputs < part * 500e3 / 60).sum()) for part in (0.02, 0.1))
    summary = run.summary
    assert (summary.shut_off, summary.starved) == (shut_off, starved)
    assert 0 < shut_off < starved
    there, back = summary.groups
    assert (there.shut_off, there.starved) == (shut_off, starved)
    assert (back.shut_off, back.starved) == (0, 0)


def test_goodput_is_reported_as_a_share_as_well(run: ac.Run) -> None:
    assert run.summary.goodput_share == run.summary.goodput_bps / 500e3
    assert 0.5 < run.summary.goodput_share < run.summary.utilization


def test_a_quiet_link_has_an_empty_queue_and_keeps_nobody_out() -> None:
    idle = [ac.Clients(count=2, transport=ac.Udp(), source=ac.Constant(rate=1e-3))]
    summary = ac.simulate(crowded(clients=idle)).summary
    assert (summary.queue_mean, summary.duplicates) == (0, 0)
    # A flow that sends nothing is not shut off.
    assert (summary.shut_off, summary.starved) == (0, 0)


@pytest.mark.parametrize("transport", [ac.Udp(), ac.Tcp("reno")])
@pytest.mark.parametrize(
    "source",
    [
        ac.Poisson(rate=5),
        ac.OnOff(rate=20, on=ac.Fixed(mean="100 ms"), off=ac.Fixed(mean="900 ms")),
        ac.FractionalNoise(rate=5, hurst=0.8, cov=0.3, bin="1 s"),
    ],
)
def test_who_got_all_that_was_offered_is_neither_shut_off_nor_starved(transport: Any, source: Any) -> None:
    """Five flows of 0.02 Mbit/s use an idle link of 50 Mbit/s, of which a fair share would be 10 Mbit/s."""
    wide = ac.Link(rate="50 Mbps", delay="20 ms")
    scenario = crowded(
        dumbbell=ac.Dumbbell(access=ac.Link(rate="10 Mbps", delay="5 ms"), bottleneck=wide),
        clients=[ac.Clients(count=5, transport=transport, source=source)],
    )
    summary = ac.simulate(scenario).summary
    assert summary.loss == 0
    assert summary.goodput_bps > 0
    assert (summary.shut_off, summary.starved) == (0, 0)
    assert (summary.groups[0].shut_off, summary.groups[0].starved) == (0, 0)


@pytest.mark.parametrize(("rate", "shut_off", "starved"), [(4, 0, 0), (25, 0, 1), (100, 1, 1)])
def test_what_a_window_holds_back_was_offered_too(rate: int, shut_off: int, starved: int) -> None:
    """Validates: the offered load includes packets that the sender's window holds back.
    Source: one packet per round trip of a second: 25 %, 4 % and 1 % of the offered load.
    Tolerance: none; a Poisson source of that rate cannot be confused with the next of the three.
    """
    scenario = crowded(
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="200 ms"), bottleneck=ac.Link(rate="50 Mbps", delay="300 ms")
        ),
        clients=[ac.Clients(transport=ac.Tcp("reno", max_window=1), source=ac.Poisson(rate=rate))],
    )
    summary = ac.simulate(scenario).summary
    assert summary.goodput_bps == pytest.approx(4000, rel=0.1)
    assert (summary.shut_off, summary.starved) == (shut_off, starved)


def test_a_transfer_that_gets_nowhere_is_shut_off() -> None:
    """A transfer that began before the measured time and has not ended counts; a transfer that has ended does not."""
    dead = {"kind": "list", "packets": list(range(1, 1000))}
    access = {"rate": "10 Mbps", "delay": "5 ms"}
    groups = [
        {"name": name, "transport": {"kind": "tcp"}, "source": {"kind": "greedy", "size": "20 kB"}, "access": link}
        for name, link in (("through", access), ("stuck", access | {"loss": dead}))
    ]
    run = ac.simulate(crowded().changed({"clients": groups}))
    assert [(group.shut_off, group.starved) for group in run.groups] == [(0, 0), (1, 1)]
    assert run.summary.shut_off == 1


@pytest.mark.parametrize(
    ("overhead", "correlation", "share", "waiting", "goodput", "loss"),
    [("0 s", 0.517, 0.991, (198, 349, 398), 1.000, 0.0443), ("110 ms", 0.072, 0.27, (353, 385, 396), 0.990, 0.0607)],
)
def test_a_large_pipe_is_synchronised_until_processing_takes_a_random_time(
    overhead: str, correlation: float, share: float, waiting: tuple[int, ...], goodput: float, loss: float
) -> None:
    """Validates: in a large pipe 100 flows lose together in every epoch, and the buffer swings from half to full; with
        up to a tenth of the round trip to process an ACK they do not.
    Source: ns-2.35, the runs behind Figures 6 and 15 of Qiu, Zhang and Keshav 2001: a T1 line, 400 packets of buffer,
        150 s measured. Its buffer includes the packet in service, ours does not.
    Tolerance: 0.03 of a correlation, 0.1 of a share, 6 packets, 0.005 of the goodput, 6 % of the loss, because starts
        differ.
    """
    flows = 100
    tcp = ac.Tcp("reno", max_window=100_000, delayed_ack=False, overhead=overhead)
    scenario = crowded(
        profile="ns2-2000",
        duration="200 s",
        measure=ac.Measure(from_="50 s"),
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="1 us"),
            bottleneck=ac.Link(rate="1.6 Mbps", delay="50 ms", queue=ac.DropTail(packets=400)),
        ),
        clients=[ac.Clients(start=f"{flow / flows} s", transport=tcp, source=ac.Greedy()) for flow in range(flows)],
    )
    run = ac.simulate(scenario, record=["drops", "queue/100ms"])
    summary, drops = run.summary, run.table("drops").to_pandas()
    assert summary.delay_mean is not None
    round_trip = summary.delay_mean + 0.05
    found = loss_correlation(drops["time"], drops["flow"], count=flows, round_trip=round_trip, start=50, end=200)
    drops = drops[drops["time"] >= 50]
    epochs = loss_epochs(drops["time"], drops["flow"], count=flows, gap=round_trip / 2)
    assert found.value == pytest.approx(correlation, abs=0.03)
    assert epochs.mean_share == pytest.approx(share, abs=0.1)
    queue = run.table("queue").to_pandas()
    assert tuple(queue["packets"][queue["time"] >= 50].quantile([0.05, 0.5, 0.95])) == pytest.approx(waiting, abs=6)
    assert summary.goodput_share == pytest.approx(goodput, abs=0.005)
    assert summary.loss == pytest.approx(loss, rel=0.06)
    assert (summary.utilization, summary.shut_off) == (1, 0)
    assert ac.pipe(scenario).size == "large"
