"""Links that change while packets fly: rate, delay, losses, queue, and links that go down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.drawing import screen
from ackclock.running.figures import chart

if TYPE_CHECKING:
    from pathlib import Path


def datagrams(*changes: ac.Change, seconds: int = 20, rate: str = "8 Mbps", **link: Any) -> ac.Scenario:
    """Return packets of 1000 bytes at a constant rate over a bottleneck of 10 Mb/s and 10 ms."""
    fields: dict[str, Any] = {"rate": "10 Mbps", "delay": "10 ms", "queue": ac.DropTail(packets=10_000)} | link
    return ac.Scenario(
        duration=f"{seconds} s",
        packet_size=1000,
        measure=ac.Measure(bin="100 ms"),
        dumbbell=ac.Dumbbell(access=ac.Link(rate="1 Gbps", delay="0 s"), bottleneck=ac.Link(**fields)),
        clients=[ac.Clients(transport=ac.Udp(), source=ac.Constant(rate=rate))],
        changes=changes,
    )


def rows(scenario: ac.Scenario, event: str) -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    """Return times and packet numbers of an event at the bottleneck."""
    table = ac.simulate(scenario, seed=1, record=["packets@bottleneck"]).table("packets")
    chosen = table["event"].to_numpy() == event
    return {name: table[name].to_numpy()[chosen] for name in ("time", "segment")}


def test_a_step_of_the_rate_has_the_fluid_answer() -> None:
    """8 Mb/s of packets on a link of 10 Mb/s, which has 4 Mb/s from 5 s to 10 s.

    Validates: the queue grows by 4 Mb/s to 2500 packets, and then falls by 2 Mb/s: it is empty 10 s later.
    Source: the fluid queue.
    Tolerance: one packet, and the 0.8 ms that it takes.
    """
    slow = [ac.Change(at="5 s", rate="4 Mbps"), ac.Change(at="10 s", rate="10 Mbps")]
    run = ac.simulate(datagrams(*slow, seconds=25), seed=1, record=["queue@bottleneck"])
    times, waiting = (run.table("queue")[name].to_numpy() for name in ("time", "packets"))
    assert waiting[np.searchsorted(times, 10)] == pytest.approx(2500, abs=1)
    assert waiting[np.searchsorted(times, 15)] == pytest.approx(1250, abs=2)
    assert times[waiting > 0].max() == pytest.approx(19.95, abs=0.06)
    assert run.summary.drops == 0


def test_a_packet_has_the_delay_of_its_departure() -> None:
    """The delay falls from 10 to 5 ms at 1 s, and packets leave 1 ms apart.

    Validates: without reordering, packets sent in the 5 ms after the change arrive just after their predecessors; with
        it they arrive 5 ms after they were sent, before those that were sent earlier.
    Source: the definition; `LinkDelay` of ns-2, `PointToPointChannel` of ns-3 and `sch_netem` let packets overtake.
    Tolerance: exact to a nanosecond.
    """
    for reorders in (False, True):
        change = ac.Change(at="1 s", delay="5 ms", reorders=reorders)
        found = rows(datagrams(change, seconds=2), "receive")
        order = np.argsort(found["segment"])
        sent = 0.001 * found["segment"][order] + 0.0008 + 8e-6  # transmissions at 10 Mb/s and at 1 Gb/s
        own = sent + np.where(sent < 1, 0.010, 0.005)
        expected = own if reorders else np.maximum.accumulate(own)
        assert np.abs(found["time"][order] - expected).max() < 1e-9
        assert (np.diff(order) < 0).any() == reorders


def test_a_link_that_goes_down_keeps_or_loses_what_waits() -> None:
    """The link is down from 5 s to 6 s, with about 500 packets waiting.

    Validates: packets of the outage and those that wait are delivered after it, or lost.
    Source: by hand: 1000 packets a second come, and 20 ms of packets are on the way.
    Tolerance: one packet.
    """
    slow = ac.Change(at="4 s", rate="4 Mbps")  # 500 packets wait at 5 s
    up = ac.Change(at="6 s", up=True, rate="100 Mbps")
    for waiting, lost in (("kept", 0), ("lost", 1500)):
        down = ac.Change(at="5 s", up=False, waiting=waiting)
        run = ac.simulate(datagrams(slow, down, up, seconds=10), seed=1, record=["packets@bottleneck"])
        table = run.table("packets")
        received = table["time"].to_numpy()[table["event"].to_numpy() == "receive"]
        assert not ((received > 5.0101) & (received < 6.01)).any()
        sent = table["segment"].to_numpy().max() + 1
        assert sent - received.size == pytest.approx(lost + 11, abs=2)  # and those on the way at the end


def test_losses_and_the_queue_change() -> None:
    small = ac.Change(at="10 s", queue=ac.DropTail(packets=20))
    full = ac.simulate(datagrams(small, rate="12 Mbps"), seed=1, record=["queue@bottleneck"]).table("queue")
    times, waiting = full["time"].to_numpy(), full["packets"].to_numpy()
    assert waiting[np.searchsorted(times, 10)] == pytest.approx(2500, abs=2)
    assert 19 <= waiting[times > 15].max() <= 21
    lossy = ac.Change(at="10 s", loss=ac.RandomLoss(probability=1, place="after"))
    received = rows(datagrams(lossy), "receive")["time"]
    assert received.max() == pytest.approx(10.01, abs=0.002)


def test_one_file_gives_rate_delay_and_losses(tmp_path: Path) -> None:
    """A path that changes every 15 s, as those of Starlink do."""
    path = tmp_path / "path.csv"
    path.write_text("time,rate,delay,loss\n0,10e6,0.02,0\n15,8e6,0.035,0\n30,10e6,0.025,1\n", encoding="utf-8")
    traces = {f"{name}_trace": {"path": str(path), "period": "45 s"} for name in ("rate", "delay", "loss")}
    link = ac.Link.model_validate(traces)
    scenario = datagrams(seconds=45, rate="1 Mbps").changed({"dumbbell.bottleneck": traces})
    assert link.delay_trace is not None
    assert link.delay_trace.course().mean(45 * 10**12) == pytest.approx(80e9 / 3)
    found = rows(scenario, "receive")
    assert found["time"].max() == pytest.approx(30.035, abs=0.01)
    delay = found["time"] - 0.008 * found["segment"]
    assert delay[found["time"] < 15].max() == pytest.approx(0.02 + 0.0008 + 8e-6, abs=1e-6)
    assert delay[found["time"] > 15.1].min() == pytest.approx(0.035 + 0.001 + 8e-6, abs=1e-6)
    whole = scenario.effective()
    assert ac.Scenario.from_dict(whole.to_dict()).effective() == whole


def test_a_burst_in_time_does_not_wait_for_a_sender() -> None:
    """A satellite link whose bursts of losses last 16.7 ms on average.

    Validates: a transfer of 1 MB ends in every one of 20 runs within 60 s; with states that change with packets, a
        sender that waits for its timeout finds the channel as it was, and some runs take minutes.
    Source: the two-state Markov process: after 1 s a bad state has ended except for a share of exp(-60).
    Tolerance: exact, at fixed seeds.
    """
    took = {}
    for name, loss in (
        ("time", ac.GilbertElliottTime(good_time="1.65 s", bad_time="16.7 ms")),
        ("packets", ac.GilbertElliottPackets(to_bad=0.001, to_good=0.1)),
    ):
        scenario = ac.Scenario(
            duration="1000 s",
            dumbbell=ac.Dumbbell(
                access=ac.Link(rate="100 Mbps", delay="1 ms"),
                bottleneck=ac.Link(rate="5 Mbps", delay="280 ms", queue=ac.DropTail(packets=250), loss=loss),
            ),
            clients=[ac.Clients(transport=ac.Tcp("cubic"), source=ac.Greedy(size="1 MB"))],
        )
        runs = [ac.simulate(scenario, seed=seed, record=["transfers"]).table("transfers") for seed in range(1, 21)]
        took[name] = [float(run["completion"].to_numpy()[0]) for run in runs]
    assert max(took["time"]) < 60
    assert max(took["packets"]) > max(took["time"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"at": "20 s", "rate": "1 Mbps"}, "changes.0.at: '20 s' is not allowed; must be before the end, at 20 s"),
        ({"at": "2 s", "delay": "-1 s"}, "changes.0.delay"),
        ({"at": "2 s"}, "changes.0.rate: missing; one of rate, delay, loss, queue, up, transport, via must be given"),
        (
            {"at": "2 s", "links": ["botleneck"], "up": False},
            "changes.0.links.0: unknown link 'botleneck'; did you mean 'bottleneck'?",
        ),
        ({"at": "2 s", "count": 3}, "changes.0.count"),
        (
            {"at": "2 s", "rate": "1 Mbps", "waiting": "lost"},
            "changes.0.waiting: 'lost' is not allowed; must be absent",
        ),
        ({"at": "2 s", "rate": "1 Mbps", "reorders": True}, "changes.0.reorders"),
        (
            {"at": "2 s", "queue": {"kind": "red"}},
            "changes.0.queue.kind: 'red' is not allowed; must be droptail, as before",
        ),
        (
            {"at": "2 s", "queue": {"kind": "droptail", "ties": "arrival"}},
            "changes.0.queue.ties",
        ),
    ],
)
def test_what_cannot_change_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ac.ScenarioError) as error:
        datagrams().changed({"changes": [change]})
    assert message in str(error.value)


def test_a_trace_and_a_change_of_one_field_are_refused() -> None:
    traced = {"rate_trace": {"steps": [["0 s", "1 Mbps"]]}, "delay": "1 ms"}
    changes = [{"at": "2 s", "rate": "1 Mbps"}]
    with pytest.raises(ac.ScenarioError, match="changes.0.rate: '1 Mbps' is not allowed; must be absent"):
        datagrams().changed({"dumbbell.bottleneck": traced, "changes": changes})
    with pytest.raises(ac.ScenarioError, match=r"delay: '1 ms' is not allowed; must be absent when delay_trace"):
        ac.Link(rate="1 Mbps", delay="1 ms", delay_trace=ac.DelayTrace(steps=[("0 s", "1 ms")]))
    with pytest.raises(ac.ScenarioError, match="must be later than the time in the pair before"):
        ac.DelayTrace(steps=[("0 s", "1 ms"), ("2 s", "1 ms"), ("1 s", "2 ms")])


def test_the_former_name_of_a_channel_is_read() -> None:
    loss = {"kind": "gilbert-elliott", "to_bad": 0.1, "to_good": 0.2}
    link = ac.Link.model_validate({"rate": "1 Mbps", "delay": "1 ms", "loss": loss})
    assert link.loss == ac.GilbertElliottPackets(to_bad=0.1, to_good=0.2)
    with pytest.warns(DeprecationWarning, match="GilbertElliottPackets"):
        assert ac.GilbertElliott is ac.GilbertElliottPackets  # type: ignore[attr-defined]


def test_figures_mark_the_changes() -> None:
    changes = [ac.Change(at=f"{second} s", rate="5 Mbps", delay="5 ms") for second in range(1, 4)]
    run = ac.simulate(datagrams(*changes, seconds=5), seed=1, record=["throughput"])
    drawn = chart([run], "throughput")
    panel = drawn.panels[0]
    assert [(moment.x, moment.text) for moment in panel.moments] == [
        (at, "rate 5 Mbps, delay 5 ms") for at in (1, 2, 3)
    ]
    assert screen.interactive(drawn, label="rate").count("<title>rate 5 Mbps, delay 5 ms</title>") == 3


def test_a_notice_says_that_bursts_wait_for_packets() -> None:
    fields = {"transport": ac.Tcp("reno"), "source": ac.Greedy()}
    loss = {"kind": "gilbert-elliott-packets", "to_bad": 0.01, "to_good": 0.05}
    scenario = datagrams().changed({"clients.0": fields, "dumbbell.bottleneck.loss": loss})
    said = [notice for notice in ac.simulate(scenario, seed=1).notices if "gilbert-elliott-time" in notice]
    assert len(said) == 1
    lasting = {"kind": "gilbert-elliott-time", "good_time": "1 s", "bad_time": "50 ms"}
    others = ac.simulate(scenario.changed({"dumbbell.bottleneck.loss": lasting}), seed=1).notices
    assert not any("gilbert-elliott-time" in notice for notice in others)


@pytest.mark.parametrize(
    "kind", ["droptail", "red", "pie", "codel", "cobalt", "fq", "fq_codel", "cake", "dualpi2", "priority"]
)
def test_every_discipline_takes_a_new_limit(kind: str) -> None:
    """12 Mb/s of datagrams on a link of 10 Mb/s: what waits is at the limit, or where the discipline holds it."""
    wide, narrow = ac.Queue(kind, packets=500), ac.Queue(kind, packets=5)
    change = ac.Change(at="10 s", queue=narrow)
    run = ac.simulate(datagrams(change, rate="12 Mbps", queue=wide), seed=1, record=["queue@bottleneck/10ms"])
    table = run.table("queue")
    times, waiting = table["time"].to_numpy(), table["packets"].to_numpy()
    assert waiting[times < 10].max() > 6
    assert waiting[times > 15].max() <= 5


def test_a_new_target_holds_another_delay() -> None:
    """CoDel and PIE hold their target; greedy flows of Reno are there all the time.

    Validates: after a change of the target from 5 to 50 ms the mean wait is near the new target.
    Source: RFC 8289 and RFC 8033: the wait is controlled to the target.
    Tolerance: a factor of two, since the disciplines let the wait oscillate around the target.
    """
    for kind in ("codel", "pie"):
        queue = ac.Queue(kind, packets=10_000, target="5 ms")
        change = ac.Change(at="30 s", queue=ac.Queue(kind, target="50 ms"))
        scenario = datagrams(change, seconds=60, queue=queue).changed(
            {"clients.0": {"count": 10, "transport": ac.Tcp("newreno"), "source": ac.Greedy()}}
        )
        table = ac.simulate(scenario, seed=1, record=["queue@bottleneck/10ms"]).table("queue")
        times, waits = table["time"].to_numpy(), 0.8 * table["packets"].to_numpy()
        before, after = (waits[(times > begin) & (times < begin + 20)].mean() for begin in (10, 40))
        assert before < 12
        assert 25 < after < 100


def test_a_scenario_with_changes_has_no_steady_state() -> None:
    steps = [ac.Change(at=f"{second} s", rate=f"{second} Mbps") for second in range(2, 20, 2)]
    changing = datagrams(*steps, rate="20 Mbps", queue=ac.DropTail(packets=10))
    for scenario in (changing, changing.changed({"changes": [], "clients.0.stop": "15 s"})):
        said = " ".join(ac.simulate(scenario, seed=1).notices)
        assert "steady state" not in said
        assert "Simulate a longer time" not in said


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {
                "dumbbell.bottleneck": {
                    "rate_trace": {"steps": [["0 s", "9 Mbps"], ["1 s", "8 Mbps"]]},
                    "delay": "1 ms",
                },
                "changes": [{"at": "2 s", "up": False}],
            },
            "changes.0.waiting: 'kept' is not allowed; must be lost: the link has a rate_trace",
        ),
        (
            {
                "dumbbell.bottleneck.jitter": {"max": "3 ms"},
                "changes": [{"at": "2 s", "delay": "1 ms", "reorders": True}],
            },
            "must be false as jitter.reorders: a link has one order",
        ),
        (
            {
                "changes": [
                    {"at": "2 s", "loss": {"kind": "random", "probability": 0.1, "place": "after"}},
                    {"at": "3 s", "loss": {"kind": "random", "probability": 0.1, "place": "before"}},
                ]
            },
            "changes.1.loss.place: 'before' is not allowed; must be after, as before",
        ),
        (
            {
                "dumbbell.bottleneck.queue": {"kind": "red", "packets": 90},
                "changes": [
                    {"at": "2 s", "queue": {"kind": "red", "min_th": 20, "max_th": 50}},
                    {"at": "3 s", "queue": {"kind": "red", "max_th": 10}},
                ],
            },
            "changes.1.queue.max_th",
        ),
    ],
)
def test_changes_that_do_not_fit_a_link_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ac.ScenarioError) as error:
        datagrams().changed(fields)
    assert message in str(error.value)


def test_changes_follow_each_other() -> None:
    """Kept packets become lost ones, an outage of no length does nothing, and the reverse link has its own queue."""
    received = rows(
        datagrams(
            ac.Change(at="2 s", up=False),
            ac.Change(at="3 s", up=False, waiting="lost"),
            ac.Change(at="4 s", up=True),
            ac.Change(at="5 s", up=False, waiting="lost"),
            ac.Change(at="5 s", up=True),
            seconds=6,
        ),
        "receive",
    )
    assert not ((received["time"] > 2.02) & (received["time"] < 4)).any()
    assert set(range(4000, 5900)) <= set(received["segment"].tolist())
    assert not set(range(2010, 3990)) & set(received["segment"].tolist())
    change = {"at": "2 s", "links": ["bottleneck.reverse"], "queue": {"kind": "droptail", "packets": 5}}
    scenario = datagrams().changed({"dumbbell.bottleneck.queue": {"kind": "codel"}, "changes": [change]})
    assert ac.Scenario.from_dict(scenario.effective().to_dict()).effective() == scenario.effective()
    after = {"kind": "random", "probability": 0.1, "place": "after"}
    ends = [{"at": "2 s", "loss": {"kind": "random", "probability": 0}}]
    whole = datagrams().changed({"dumbbell.bottleneck.loss": after, "changes": ends}).effective()
    assert whole.changes[0].loss is not None
    assert whole.changes[0].loss.place == "after"
