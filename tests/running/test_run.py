"""Running a scenario: results with one and with several seeds, in memory and on disk."""

import dataclasses
import json
import pickle
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.forging import resealed
from tests.support.noticed import noticed

import ackclock as ac
from ackclock.analysis import student_interval
from ackclock.engine.catalogue import catalogue
from ackclock.running import result
from ackclock.running.estimate import Estimate
from ackclock.running.runs import Runs
from ackclock.running.summary import LIMITS, MEASURES

EVERYTHING = ["arrivals", "queue/50ms", "drops", "windows@0,1", "acks@1", "packets@bottleneck"]


def crowded(**changes: object) -> ac.Scenario:
    """Return a small dumbbell that loses packets."""
    fields: dict[str, Any] = {
        "profile": "ns2-2.35",
        "duration": "10 s",
        "dumbbell": ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="10 ms"),
            bottleneck=ac.Link(rate="5 Mbps", delay="10 ms", queue=ac.DropTail(packets=10)),
        ),
        "clients": [ac.Clients(count=6, transport=ac.Tcp("reno", overhead="12 us"), source=ac.Poisson(rate=100))],
    }
    return ac.Scenario(**(fields | changes))


@pytest.fixture(scope="module")
def run() -> ac.Run:
    return ac.simulate(crowded(), seed=3, record=EVERYTHING)


def test_a_run_says_what_made_it(run: ac.Run) -> None:
    assert run.scenario == crowded().effective()
    assert (run.seed, run.version, run.record) == (3, ac.__version__, tuple(EVERYTHING))
    assert (run.origin.revision, run.origin.schema) == (catalogue().revision, 3)
    assert run.to_dict()["profile"] == "ns2-2.35"


def test_the_summary_adds_up(run: ac.Run) -> None:
    summary = run.summary
    assert summary.drops > 0
    assert summary.loss == summary.drops / summary.arrivals
    assert 0 <= summary.arrivals - summary.departures - summary.drops <= 10
    assert summary.utilization == pytest.approx(summary.throughput_bps / 5e6)
    (group,) = summary.groups
    assert (group.name, group.clients, group.arrivals, group.drops) == ("clients-0", 6, summary.arrivals, summary.drops)


def test_groups_share_the_queue() -> None:
    """Two groups send forward; one sends in reverse, and its ACKs cross the measured link.

    Validates: a group's mean queue is its packets' total wait divided by the measured time; the groups and the ACKs add
        up to the link's queue.
    Source: Little's law (1961), from each packet's own times.
    Tolerance: rounding.
    """
    reno: dict[str, Any] = {"transport": ac.Tcp("reno", overhead="12 us"), "source": ac.Greedy()}
    udp: dict[str, Any] = {"transport": ac.Udp(), "source": ac.Poisson(rate=100)}
    scenario = crowded(
        duration="60 s",
        clients=[
            ac.Clients(name="udp", count=2, **udp),
            ac.Clients(name="reno", count=2, **reno),
            ac.Clients(name="back", count=1, direction="reverse", **reno),
        ],
    )
    run = ac.simulate(scenario, record=["packets@bottleneck"])
    rows = run.table("packets").to_pandas()
    data = rows[rows["event"].isin(["enqueue", "dequeue"])]
    kinds = {"udp": data["flow"] < 2, "reno": data["flow"].isin([2, 3]), "back": data["flow"] == 4}
    areas = {}
    for name, of in kinds.items():
        ends = data[of].groupby("event")["time"]
        left = ends.count()["enqueue"] - ends.count()["dequeue"]
        areas[name] = (ends.sum()["dequeue"] - ends.sum()["enqueue"] + 60 * left) / 60
    groups = {group.name: group for group in run.summary.groups}
    assert groups["udp"].queue_mean == pytest.approx(areas["udp"], rel=1e-9)
    assert groups["reno"].queue_mean == pytest.approx(areas["reno"], rel=1e-9)
    assert groups["back"].queue_mean == 0
    acks = run.summary.queue_mean - sum(group.queue_mean for group in groups.values())
    assert acks == pytest.approx(areas["back"], rel=1e-9)


def test_fairness_between_groups_and_silent_losses(run: ac.Run) -> None:
    (group,) = run.summary.groups
    assert run.summary.jain_between == 1
    timeouts, dup_acks = run.summary.timeouts, run.summary.dup_acks
    assert timeouts is not None
    assert dup_acks is not None
    assert run.summary.timeouts_per_dup_ack == timeouts / dup_acks
    assert group.timeouts_per_dup_ack == run.summary.timeouts_per_dup_ack
    # For clients with goodputs of 1 and 3: 16 / (2 * 10), for any number of clients.
    rates = [
        ac.Clients(count=count, transport=ac.Udp(), source=ac.Constant(rate=rate)) for count, rate in [(5, 2), (1, 6)]
    ]
    summary = ac.simulate(crowded(duration="100 s", clients=rates)).summary
    assert summary.jain_between == pytest.approx(0.8, rel=0.01)
    assert summary.timeouts_per_dup_ack is None


def test_tables_have_names_for_links_and_groups(run: ac.Run) -> None:
    assert set(run.tables) == {"flows", "arrivals", "queue", "drops", "windows", "acks", "packets"}
    arrivals = run.table("arrivals")
    assert arrivals.column_names == ["time", "link", "packets"]
    assert set(arrivals["link"].to_pylist()) == {"bottleneck"}
    assert sum(arrivals["packets"].to_pylist()) == run.summary.arrivals
    flows = run.table("flows").to_pandas()
    assert list(flows["flow"]) == list(range(6))
    assert set(flows["group"]) == {"clients-0"}
    assert run.table("flows")["completion"].null_count == 6
    assert len(run.table("drops")) == run.summary.drops
    assert set(run.table("windows")["flow"].to_pylist()) == {0, 1}
    assert set(run.table("acks")["flow"].to_pylist()) == {1}
    assert str(run.table("acks").schema.field("duplicate").type) == "bool"
    assert run.table("arrivals").to_pandas()["packets"].mean() > 0


def test_the_queue_record_has_reds_average_as_of_the_last_arrival(run: ac.Run) -> None:
    assert run.table("queue")["average"].null_count == len(run.table("queue"))
    # The link takes 12 ms to send a packet and gets one each 10 ms, from about 1 ms on. Until 61 ms each finds none but
    # the one in transmission; those of 71 and 81 ms find one waiting, which with w_q = 0.5 gives 1/2 and 3/4.
    overloaded = ac.Dumbbell(
        access=ac.Link(rate="1 Gbps", delay="1 ms"),
        bottleneck=ac.Link(rate="1 Mbps", delay="1 ms", queue=ac.Red(packets=50, min_th=10, max_th=40, w_q=0.5)),
    )
    client = ac.Clients(transport=ac.Udp(), source=ac.Constant(rate=100))
    scenario = ac.Scenario(duration="100 ms", packet_size=1500, dumbbell=overloaded, clients=[client])
    queue = ac.simulate(scenario, record=["queue/10ms"]).table("queue")
    assert queue["packets"].to_pylist() == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert queue["average"].to_pylist() == [0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0.75]


def test_a_table_that_was_not_asked_for_is_an_error(run: ac.Run) -> None:
    with pytest.raises(ac.ScenarioError, match=r"table: unknown table 'window'; did you mean 'windows'\?"):
        run.table("window")


def test_same_seed_same_bytes_whatever_is_recorded(run: ac.Run) -> None:
    """Validates: the same seed gives the same bytes with every set of records.
    Source: definition.
    Tolerance: exact.
    """
    bare = ac.simulate(crowded(), seed=3)
    assert bare.to_dict() == run.to_dict()
    assert bare.table("flows").equals(run.table("flows"))
    assert ac.simulate(crowded(), seed=4).to_dict() != run.to_dict()


def test_the_effective_scenario_runs_to_the_same_bytes(run: ac.Run) -> None:
    assert ac.simulate(run.scenario, seed=3).to_dict() == run.to_dict()


def test_replicas_are_the_same_as_alone_on_any_number_of_threads(run: ac.Run) -> None:
    """Validates: replications are the same on any number of threads.
    Source: definition.
    Tolerance: exact.
    """
    one = ac.replicate(crowded(), seeds=[5, 3, 4], jobs=1)
    two = ac.replicate(crowded(), seeds=[5, 3, 4], jobs=2)
    assert one.seeds == two.seeds == (5, 3, 4)
    assert [each.to_dict() for each in one] == [each.to_dict() for each in two]
    assert one[1].to_dict() == run.to_dict()
    assert one[1:].seeds == (3, 4)


def test_estimates() -> None:
    runs = ac.replicate(crowded(), seeds=3, record=["arrivals"])
    assert runs.seeds == (1, 2, 3)
    assert runs.cov.values == tuple(each.summary.cov for each in runs)
    assert str(runs.cov).count(" ± ") == 1
    assert runs.per_seed.column_names == ["seed", *MEASURES]
    assert runs.per_seed["cov"].to_pylist() == list(runs.cov.values)
    joined = runs.table("arrivals")
    assert joined.column_names == ["seed", "time", "link", "packets"]
    assert len(joined) == 3 * len(runs[0].table("arrivals"))
    with pytest.raises(AttributeError, match="no attribute 'covv'"):
        _ = runs.covv  # type: ignore[attr-defined]


def test_several_runs_have_the_shape_of_one(run: ac.Run) -> None:
    runs = Runs([run, dataclasses.replace(run, seed=4)])
    assert runs.summary.cov == runs.cov
    for summary in (runs, runs.summary):
        assert summary.groups.names == run.groups.names
        assert summary.links[0].loss == runs.loss
    assert repr(runs.summary) == (
        f"SummaryRuns(goodput_bps: {runs.goodput_bps}, loss: {runs.loss}, cov: {runs.cov}, "
        f"queue_mean: {runs.queue_mean})"
    )
    assert (runs.tables, runs.scenario) == (run.tables, run.scenario)
    for one, several in zip(run.groups, runs.groups, strict=True):
        shares = several.limited
        assert one.limited == (None if shares is None else {name: share.mean for name, share in shares.items()})


def test_the_summary_of_runs_is_used_as_a_table_with_a_warning(run: ac.Run) -> None:
    earlier: Any = Runs([run]).summary
    with pytest.warns(DeprecationWarning, match=re.escape("use Runs.per_seed")):
        assert earlier.column_names == ["seed", *MEASURES]
    with pytest.warns(DeprecationWarning, match="per_seed"):
        assert earlier["seed"].to_pylist() == [3]
    with pytest.warns(DeprecationWarning, match="per_seed"):
        assert len(earlier) == 1


def test_notices_of_runs_are_reported_once_with_the_range_of_their_numbers(run: ac.Run) -> None:
    texts = [
        (
            "Group web-1 is 9% below, 2.5 at most.",
            "Drops every packet of 40 bytes.",
            "Drops every packet of 1500 bytes.",
        ),
        ("Group web-1 is 10% below, 2.5 at most.", "Drops every packet of 40 bytes."),
        ("Group web-2 is 9% below, 2.5 at most.", "Drops every packet of 40 bytes."),
    ]
    assert Runs(dataclasses.replace(run, notices=each) for each in texts).notices == (
        "Group web-1 is 9 to 10% below, 2.5 at most. (2 of 3 runs)",
        "Drops every packet of 40 bytes.",
        "Drops every packet of 1500 bytes. (1 of 3 runs)",
        "Group web-2 is 9% below, 2.5 at most. (1 of 3 runs)",
    )
    assert Runs([run]).notices == run.notices


def test_runs_are_distinguished_by_what_is_in_them() -> None:
    scenario = crowded(duration="1 s")
    runs = ac.replicate(scenario, seeds=[2, 3])
    assert repr(runs) == f"Runs(2 runs; seeds: 2, 3; cov: {runs.cov})"
    again = ac.replicate(scenario, seeds=[2, 3])
    assert runs == again
    assert hash(runs) == hash(again)
    assert runs != runs[:1]
    assert repr(runs[:0]) == "Runs(0 runs; seeds: ; cov: undefined)"


@pytest.mark.parametrize("given", ["examples/feng60.toml", {"duration": "1 s"}])
def test_what_is_no_scenario_is_refused(given: Any) -> None:
    with pytest.raises(ac.ScenarioError, match="scenario: .* is not allowed; must be a Scenario, made") as caught:
        ac.simulate(given)
    assert caught.value.field == "scenario"


def test_an_estimate_of_known_values() -> None:
    estimate = Estimate.of([1.0, 2.0, 3.0, None])
    assert estimate.mean == 2.0
    assert estimate.half_width == pytest.approx(4.3027 / 3**0.5, rel=1e-4)
    assert str(Estimate.of([])) == "undefined"
    assert Estimate.of([]).warning == "undefined in every run"
    assert Estimate.of([4.0]).half_width is None
    assert Estimate.of([4.0, 5.0]).warning == "2 replications: too few for a conclusion; use at least five"
    assert Estimate.of([4.0, 5.0, 4.5]).warning == ""
    many = Estimate.of([0.0] * 25 + [1.0] * 5).interval
    assert many is not None
    assert many.method == "bootstrap"


def test_the_warmup_is_found_and_kept(tmp_path: Path) -> None:
    slow_start = crowded(duration="20 s")
    run = ac.simulate(slow_start)
    assert run.warmup is not None
    assert 0 < run.warmup < 5
    run.save(tmp_path / "run")
    assert result.load(tmp_path / "run").warmup == run.warmup == run.to_dict()["warmup"]
    later = ac.simulate(slow_start.changed({"measure.from": "10 s"}))
    assert later.warmup is not None
    assert later.warmup >= 10
    assert ac.simulate(crowded(duration="1 s")).warmup is None


def test_one_long_run_has_an_interval() -> None:
    clients = [ac.Clients(count=4, transport=ac.Udp(), source=ac.Poisson(rate=100))]
    run = ac.simulate(crowded(duration="500 s", clients=clients, measure=ac.Measure(bin="100 ms")), record=["arrivals"])
    found = run.batch_means()
    assert found.warning == ""
    assert found.interval.low <= 40 <= found.interval.high
    # Of 40 batches: t(39) = 2.0227, and Poisson counts of 20,000 s in all have that deviation.
    assert found.interval.half_width == pytest.approx(2.0227 * (40 / 5000) ** 0.5, rel=0.3)
    with pytest.raises(ac.ScenarioError, match="must be at least 400"):
        ac.simulate(crowded(duration="1 s"), record=["arrivals"]).batch_means()
    with pytest.raises(ac.ScenarioError, match="table: unknown table 'arrivals'"):
        ac.simulate(crowded(duration="1 s")).batch_means()


def test_runs_are_compared_seed_by_seed() -> None:
    reno = ac.replicate(crowded(duration="5 s"), seeds=4)
    vegas = ac.replicate(crowded(duration="5 s").changed({"clients.0.transport.variant": "vegas"}), seeds=4)
    found = reno.compare(vegas, "cov")
    there, here = (np.array(runs.cov.values, dtype=float) for runs in (vegas, reno))
    assert found.difference == student_interval(there - here)
    assert reno.compare(reno, "cov").difference.half_width == 0
    with pytest.raises(ac.ScenarioError, match="other: .* must have the same seeds: 1, 2, 3, 4"):
        reno.compare(vegas[1:], "cov")
    with pytest.raises(ac.ScenarioError, match="did you mean 'cov'"):
        reno.compare(vegas, "coov")
    with pytest.raises(ac.ScenarioError, match="must be defined in both runs of at least one seed"):
        reno.compare(ac.replicate(exponential(1000), seeds=4), "cov_poisson")


def test_whoever_reports_progress_can_stop_the_run() -> None:
    class EnoughError(Exception):
        pass

    def stop(share: float) -> None:
        assert 0 <= share <= 1
        raise EnoughError

    with pytest.raises(EnoughError):
        ac.simulate(crowded(duration="100000 s"), progress=stop)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seeds": 0}, "seeds: 0 is not allowed"),
        ({"seeds": []}, "seeds: an empty array is not allowed"),
        ({"seeds": [1, 1]}, "must differ"),
        ({"seeds": [-1]}, "seed: -1 is not allowed; must be an integer from 0 to 18446744073709551615"),
        ({"seeds": True}, "seeds: true is not allowed"),
        ({"jobs": 0}, "jobs: 0 is not allowed"),
    ],
)
def test_replicate_checks_what_it_is_asked(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ac.ScenarioError, match=message):
        ac.replicate(crowded(), **arguments)


def test_a_stored_run_reads_back_whole(run: ac.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "result")
    files = {path.name for path in (tmp_path / "result").iterdir()}
    assert files == {"record.json", *(f"{name}.parquet" for name in run.tables)}
    back = result.load(tmp_path / "result")
    assert back == run
    assert all(back.table(name).equals(run.table(name)) for name in run.tables)


def test_a_stored_run_of_an_earlier_version_has_no_marks_and_no_places_of_drops(run: ac.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "result")
    record = tmp_path / "result" / "record.json"
    data = json.loads(record.read_text())
    for table in (data["summary"], *data["summary"]["groups"]):
        assert table.pop("marks") == 0
        for name in ("drops_arrival", "drops_stored", "drops_lost", "drops_policed", "sojourn_mean", "sojourn_max"):
            del table[name]
    record.write_text(resealed(data))
    summary = result.load(tmp_path / "result").summary
    assert (summary.drops, summary.marks) == (run.summary.drops, 0)
    assert {summary.drops_stored, summary.groups[0].drops_arrival, summary.links[0].sojourn_max} == {None}


def test_drops_are_counted_by_place() -> None:
    """Drops of a full queue at arrival, of CoDel at departure, of a policer, and of the loss model."""
    policer = ac.Policer(rate="4.9 Mbps", burst=60_000)
    for queue in (ac.Queue(kind="droptail", packets=20), ac.Queue(kind="codel", packets=20)):
        loss = ac.RandomLoss(probability=0.01)
        link = ac.Link(rate="5 Mbps", delay="10 ms", queue=queue, loss=loss, policer=policer)
        client = ac.Clients(count=6, transport=ac.Tcp(variant="newreno"), source=ac.Greedy())
        access = ac.Link(rate="100 Mbps", delay="1 ms")
        scenario = ac.Scenario(
            duration="20 s", dumbbell=ac.Dumbbell(bottleneck=link, access=access), clients=[client, client]
        )
        run = ac.simulate(scenario, seed=1, record=["packets@bottleneck", "drops"])
        events = run.table("packets").to_pandas()
        counts = events[events.event.isin(["drop", "lost"])].event.value_counts()
        summaries: list[Any] = [run.summary, *run.summary.groups, *run.summary.links]
        for summary in summaries:
            places = [getattr(summary, f"drops_{place}") for place in ("arrival", "stored", "lost", "policed")]
            assert summary.drops == sum(places)
            assert [place > 0 for place in places] == [True, queue.kind == "codel", True, True]
        assert run.summary.drops_lost == counts["lost"]
        assert run.summary.drops == counts["lost"] + counts["drop"]
        by_place = run.table("drops").to_pandas().place.value_counts()
        for place in ("arrival", "stored", "lost", "policed"):
            assert by_place.get(place, 0) == getattr(run.summary, f"drops_{place}")


def test_a_run_can_be_sent_to_another_process(run: ac.Run) -> None:
    copy = pickle.loads(pickle.dumps(run))  # noqa: S301  # our own
    assert copy == run
    assert all(copy.table(name).equals(run.table(name)) for name in run.tables)


def test_a_result_is_never_overwritten_nor_half_written(
    run: ac.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(ac.ScenarioError, match="must not exist yet"):
        run.save(tmp_path / "there")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(json, "dumps", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        run.save(tmp_path / "new")
    assert caught.value.filename == str(tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def joined(scenario: ac.Scenario, **results: Any) -> str:
    """Return the joined notices of a run with these results."""
    return " ".join(noticed(scenario, **results))


def test_notices() -> None:
    scenario = crowded(duration="1 s")
    limited = [dict.fromkeys(LIMITS, 0.0) | {"limited_receiver_window": 0.6, "limited_loss": 0.4}]
    assert "limited by its advertised window (max_window = 20) in 60%" in joined(scenario, groups=limited)
    # In a mean of 95 they are 15 apart; the bins of 40 ms start at 0 s.
    assert (
        "The run does not reach steady state before 0.4 s: measured from there, cov would be 0, not 0.1579 and "
        "arrivals per bin would be 100, not 95. A later measure.from (now 0 s) excludes the start."
    ) in joined(scenario, bins=[50] * 10 + [100] * 90)
    assert "cov would be 0.04, not 0.04507. A later" in joined(scenario, bins=[130] * 5 + [96, 104] * 500)
    assert "The run does not reach steady state: arrivals" in joined(scenario, bins=range(100))
    assert "warm" not in joined(scenario, bins=[96, 104] * 50)
    assert "warm" not in joined(scenario, bins=[98] * 5 + [96, 104] * 500)
    assert "warm" not in joined(scenario, bins=[50] * 10 + [100] * 30)
    assert "The buffer of bottleneck (10 packets) is below one bandwidth-delay product (17 packets" in joined(scenario)


def test_red_that_never_acted() -> None:
    red = ac.Link(rate="5 Mbps", delay="10 ms", queue=ac.Red(packets=1000, min_th=10, max_th=40))
    access = ac.Link(rate="10 Mbps", delay="10 ms")
    scenario = crowded(duration="1 s", dumbbell=ac.Dumbbell(access=access, bottleneck=red))
    assert "RED never dropped early: its average queue reached 7.5, below min_th (10)" in joined(
        scenario, red_avg_max=7.5
    )
    assert "RED" not in joined(scenario, red_avg_max=10.5)
    by_bytes = ac.Red(packets=1000, min_th=10, max_th=40, unit="bytes", mean_packet_size=500)
    in_bytes = ac.Dumbbell(access=access, bottleneck=ac.Link(rate="5 Mbps", delay="10 ms", queue=by_bytes))
    scenario = crowded(duration="1 s", dumbbell=in_bytes)
    assert "its average queue reached 7.5 packets of 500 bytes, below min_th (10)" in joined(
        scenario, red_avg_max=3750.0
    )
    assert "RED" not in joined(scenario, red_avg_max=5250.0)


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ({"packets": 40}, "RED cannot reach max_th (40): the queue of bottleneck is full at 40 packets."),
        ({"packets": 41}, ""),
        ({"bytes": 59_000}, "is full at 39.33 packets."),
        ({"bytes": 20_000, "unit": "bytes"}, "is full at 40 packets of 500 bytes."),
        ({"bytes": 21_000, "unit": "bytes"}, ""),
        ({"packets": 13, "unit": "bytes"}, "is full at 39 packets of 500 bytes."),
    ],
)
def test_red_that_cannot_reach_its_threshold(limit: dict[str, Any], message: str) -> None:
    red = ac.Link(rate="5 Mbps", delay="10 ms", queue=ac.Red(min_th=10, max_th=40, **limit))
    access = ac.Link(rate="10 Mbps", delay="10 ms")
    said = joined(crowded(duration="1 s", dumbbell=ac.Dumbbell(access=access, bottleneck=red)))
    assert message in said
    assert ("RED cannot" in said) == bool(message)


def test_a_queue_without_room_for_one_packet() -> None:
    bottleneck = ac.Link(rate="5 Mbps", delay="10 ms", queue=ac.DropTail(bytes=1499))
    access = ac.Link(rate="10 Mbps", delay="10 ms")
    scenario = crowded(duration="1 s", dumbbell=ac.Dumbbell(access=access, bottleneck=bottleneck))
    assert "The queue of bottleneck drops every packet of 1500 bytes: its limit is 1499 bytes" in joined(scenario)
    fits = ac.Link(rate="5 Mbps", delay="10 ms", queue=ac.DropTail(bytes=1500))
    assert "drops every packet" not in joined(
        crowded(duration="1 s", dumbbell=ac.Dumbbell(access=access, bottleneck=fits))
    )
    back = ac.Dumbbell(
        access=access, bottleneck=fits, reverse=bottleneck.model_copy(update={"queue": ac.DropTail(bytes=39)})
    )
    assert "The queue of bottleneck.reverse drops every packet of 40 bytes" in joined(
        crowded(duration="1 s", dumbbell=back)
    )


def test_udp_overload_and_too_few_bins() -> None:
    clients = [ac.Clients(count=6, transport=ac.Udp(), source=ac.Poisson(rate=100))]
    scenario = crowded(duration="1 s", clients=clients, measure=ac.Measure(bin="1 s"))
    notes = " ".join(ac.simulate(scenario).notices)
    assert "UDP sources alone offer 144% of the measured link's rate: the excess is lost at its queue." in notes
    one = crowded(duration="1 s", clients=clients, measure=ac.Measure(link="access.0"))
    assert "UDP sources" not in joined(one)  # of six clients, one is there
    slow = [clients[0].model_copy(update={"access": ac.Link(rate="500 kbps", delay="1 ms")})]
    assert "UDP sources" not in joined(crowded(duration="1 s", clients=slow))
    assert "cov is undefined: the measured time contains fewer than two whole bins of 1 s" in notes


def exponential(mean: int, queue: ac.Queue | None = None) -> ac.Scenario:
    """Return one UDP flow with exponential packet sizes, over a link with a queue."""
    return ac.Scenario(
        duration="2 s",
        packet_size=mean,
        measure=ac.Measure(link="a->b"),
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[ac.GraphLink(from_="a", to="b", rate="1 Gbps", delay="1 ms", queue=queue)],
        flows=[
            ac.Flow(
                from_="a",
                to="b",
                transport=ac.Udp(packet_sizes="exponential"),
                source=ac.Constant(rate=1000),
            )
        ],
    )


def test_packet_sizes_that_spread() -> None:
    run = ac.simulate(exponential(1000))
    summary = run.summary
    # 2000 sizes: four standard errors of their mean are 9 %; what has arrived and what was sent differ by a packet
    assert summary.throughput_bps == pytest.approx(8e6, rel=0.09)
    assert summary.goodput_bps == pytest.approx(summary.throughput_bps, rel=0.005)
    (goodput,) = run.table("flows")["goodput_bps"].to_pylist()
    assert goodput == summary.goodput_bps
    assert ac.simulate(exponential(1000), seed=2).summary.throughput_bps != summary.throughput_bps
    assert not run.notices


def test_notices_of_packet_sizes_that_spread() -> None:
    assert joined(exponential(9_000)) == ""
    assert (
        "Group flows-0 cuts 27.0% of its packets to 65535 bytes: its mean packet size is 36518 bytes, not 50000."
        in joined(exponential(50_000))
    )
    assert "The queue of a->b drops every packet of 13816 bytes: its limit is 10000 bytes" in joined(
        exponential(1000, ac.DropTail(bytes=10_000))
    )


def test_nothing_crosses_the_measured_link() -> None:
    scenario = crowded(duration="1 s", measure=ac.Measure(link="access.3.reverse"))
    assert "No flow sends its data over the measured link, access.3.reverse" in joined(scenario)


def test_every_example_runs(root: Path) -> None:
    studies = {root / "examples" / name for name in ("study.toml", "vegas_regimes.toml", "uplink_study.toml")}
    for file in sorted({*(root / "examples").glob("*.toml")} - studies):
        summary = ac.simulate(ac.Scenario.from_toml(file)).summary
        assert summary.departures > 1000, file.name
        assert 0 < summary.utilization <= 1, file.name


def test_dctcp_keeps_the_queue_near_the_threshold(root: Path) -> None:
    summary = ac.simulate(ac.Scenario.from_toml(root / "examples" / "dctcp.toml")).summary
    assert summary.drops == 0
    assert 30 < summary.queue_mean < 65
    assert summary.utilization > 0.99


def test_red_marks_instead_of_dropping(root: Path) -> None:
    marked = ac.Scenario.from_toml(root / "examples" / "ecn_red.toml")
    summaries = [ac.simulate(each).summary for each in (marked, marked.changed({"clients.0.transport.ecn": "off"}))]
    assert [(each.drops > 1000, each.marks > 1000) for each in summaries] == [(False, True), (True, False)]
    assert summaries[0].drops == 0


def test_adaptive_red_keeps_the_delay_near_its_target(root: Path) -> None:
    adaptive = ac.Scenario.from_toml(root / "examples" / "adaptive_red.toml")
    summaries = [
        ac.simulate(adaptive.changed({"dumbbell.bottleneck.queue.adaptive": on})).summary for on in (True, False)
    ]
    assert [summary.sojourn_p50 for summary in summaries] == pytest.approx([0.01, 0.0145], rel=0.1)


@pytest.mark.parametrize(("profile", "typical"), [("rfc", 1500), ("linux", 1500), ("ns2-2.35", 500)])
def test_adaptive_red_counts_packets_of_the_scenario(root: Path, profile: str, typical: float) -> None:
    """Validates: the target is reached without a mean_packet_size, which ns-2 fixes at 500 bytes.

    Source: Floyd, Gummadi and Shenker 2001, section 5: thresholds of C target_delay / 2 and three times as much, with
        C typical packets per second. With 500 bytes they are three times as high beside packets of 1500.
    Tolerance: 10 % of the median of 30 s with one seed; without the rule it is above twice the target.
    """
    given = ac.Scenario.from_toml(root / "examples" / "adaptive_red.toml")
    scenario = given.changed({"profile": profile, "clients.0.transport.recovery": "sack"})
    dumbbell = scenario.effective().dumbbell
    assert dumbbell is not None
    queue = dumbbell.bottleneck.queue
    assert queue is not None
    assert queue.parameters["mean_packet_size"] == typical
    summary = ac.simulate(scenario).summary
    assert summary.sojourn_p50 is not None
    if typical == 1500:
        assert summary.sojourn_p50 == pytest.approx(0.01, rel=0.1)
    else:
        assert summary.sojourn_p50 > 0.02


def test_a_head_drop_is_detected_earlier(root: Path) -> None:
    """Validates: with drops at the head, as many packets are lost and as much arrives, but losses are detected
    earlier, by the time that a packet waits in a full queue, 40 ms.

    Source: Lakshman, Neidhardt and Ott 1996, section 3.
    Tolerance: 3 % of the goodput; 10 ms of the time from the first drop to the first retransmission.
    """
    scenario = ac.Scenario.from_toml(root / "examples" / "head_drop.toml")
    goodputs, delays = [], []
    for drop in ("tail", "head"):
        run = ac.simulate(scenario.changed({"dumbbell.bottleneck.queue.drop": drop}), record=["packets@bottleneck"])
        summary = run.summary
        assert summary.drops == (summary.drops_stored if drop == "head" else summary.drops_arrival)
        assert summary.drops > 0
        packets = run.table("packets").to_pandas()
        dropped = packets[packets["event"] == "drop"]["time"].iloc[0]
        again = packets[(packets["event"] == "enqueue") & packets["retransmission"]]["time"].iloc[0]
        delays.append(again - dropped)
        goodputs.append(summary.goodput_bps)
    assert goodputs[1] == pytest.approx(goodputs[0], rel=0.03)
    assert delays[0] - delays[1] == pytest.approx(0.04, abs=0.01)


def test_a_call_with_priority_waits_for_one_packet_at_most(root: Path) -> None:
    scenario = ac.Scenario.from_toml(root / "examples" / "priority.toml")
    summary = ac.simulate(scenario).summary
    assert summary.groups["voice"].delay_mean is not None
    # 20 ms of propagation, 0.08 ms of transmission, and at most 0.6 ms for the packet in transmission
    assert 0.02008 < summary.groups["voice"].delay_mean < 0.02069
    assert summary.groups["voice"].drops == 0
    assert summary.drops == summary.groups["files"].drops > 0
    one_queue = ac.simulate(scenario.changed({"dumbbell.bottleneck.queue.kind": "droptail"})).summary.groups
    assert one_queue["voice"].delay_mean is not None
    assert one_queue["voice"].delay_mean > 0.05


@pytest.mark.parametrize(
    ("weights", "demands", "expected"),
    [
        ((1, 2, 5), (12, 12, 12), (1.25, 2.5, 6.25)),
        ((5, 1, 2), (1, 12, 12), (1, 3, 6)),
        ((1, 1, 9), (2, 12, 4), (2, 4, 4)),
    ],
)
def test_flows_share_in_proportion_to_their_weights(
    weights: Sequence[int], demands: Sequence[float], expected: Sequence[float]
) -> None:
    """Send packets at constant rates, in Mb/s, over a link of 10 Mb/s with the queue `fq`.

    Validates: throughput is shared in proportion to the weights; what a flow does not need goes to the others.
    Source: weighted max-min fairness, by hand (Shreedhar and Varghese 1996, section III; Bertsekas and Gallager, "Data
        Networks", 1992, section 6.5.2).
    Tolerance: 0.5 %, which is more than a round of packets at the beginning and the end of 12 s.
    """
    clients = [
        ac.Clients(weight=weight, transport=ac.Udp(), source=ac.Constant(rate=demand * 1e6 / 12_000))
        for weight, demand in zip(weights, demands, strict=True)
    ]
    bottleneck = ac.Link(rate="10 Mbps", delay="5 ms", queue=ac.Queue("fq", packets=300))
    dumbbell = ac.Dumbbell(bottleneck=bottleneck, access=ac.Link(rate="1 Gbps", delay="1 ms"))
    scenario = ac.Scenario(duration="22 s", measure=ac.Measure(from_="10 s"), dumbbell=dumbbell, clients=clients)
    groups = ac.simulate(scenario).summary.groups
    assert [group.goodput_bps / 1e6 for group in groups] == pytest.approx(expected, rel=0.005)


def test_codel_keeps_the_delay_near_its_target(root: Path) -> None:
    codel = ac.Scenario.from_toml(root / "examples" / "codel.toml")
    plain = codel.changed({"dumbbell.bottleneck.queue": {"kind": "droptail", "packets": 1000}})
    summary, full = ac.simulate(codel).summary, ac.simulate(plain).summary
    assert summary.sojourn_p50 is not None
    assert full.sojourn_p50 is not None
    assert summary.sojourn_p50 < 0.015
    assert full.sojourn_p50 > 0.4
    assert summary.utilization > 0.98
    marking = {"dumbbell.bottleneck.queue.ecn": True, "clients.0.transport.ecn": "classic"}
    marked = ac.simulate(codel.changed(marking), record=["marks", "packets@bottleneck"])
    assert marked.summary.marks > 100
    marks, packets = (marked.table(name).to_pandas() for name in ("marks", "packets"))
    left = packets[packets.marked & (packets.event == "dequeue")]
    assert (
        marks[["time", "flow", "segment"]].to_numpy().tolist() == left[["time", "flow", "segment"]].to_numpy().tolist()
    )
    assert (marks.time >= 10).sum() == marked.summary.marks
    assert marked.summary.drops == 0


def test_fq_codel_separates_flows(root: Path) -> None:
    fair = ac.Scenario.from_toml(root / "examples" / "fq_codel.toml")
    groups = ac.simulate(fair).summary.groups
    # CoDel costs a flow with a long round-trip time some of its share
    assert 0.8 < groups["far"].goodput_bps / groups["near"].goodput_bps < 1.1
    # 10 ms of propagation and some packets of the other flows
    assert groups["stream"].delay_mean is not None
    assert groups["stream"].delay_mean < 0.014
    drr = fair.changed({"dumbbell.bottleneck.queue": {"kind": "fq", "packets": 200}})
    equal = ac.simulate(drr).summary.groups
    assert 0.98 < equal["far"].goodput_bps / equal["near"].goodput_bps < 1.02
    one_queue = ac.simulate(fair.changed({"dumbbell.bottleneck.queue.kind": "codel"})).summary.groups
    assert one_queue["far"].goodput_bps / one_queue["near"].goodput_bps < 0.5
    assert one_queue["stream"].delay_mean is not None
    assert one_queue["stream"].delay_mean > groups["stream"].delay_mean


def test_cake_separates_hosts(root: Path) -> None:
    fair = ac.Scenario.from_toml(root / "examples" / "cake.toml")
    groups = ac.simulate(fair).summary.groups
    # a single CUBIC flow leaves some of its share to the other host
    assert 0.85 < groups["one"].goodput_bps / groups["eight"].goodput_bps < 1
    by_flow = ac.simulate(fair.changed({"links.0.queue": {"kind": "fq_codel"}})).summary.groups
    assert by_flow["one"].goodput_bps / by_flow["eight"].goodput_bps == pytest.approx(1 / 8, rel=0.05)


def test_dualpi2_keeps_the_delay_of_scalable_flows_short(root: Path) -> None:
    summary = ac.simulate(ac.Scenario.from_toml(root / "examples" / "dualpi2.toml")).summary
    classic, scalable = summary.groups["classic"], summary.groups["scalable"]
    assert classic.delay_mean is not None
    assert scalable.delay_mean is not None
    # 10 ms of propagation
    assert scalable.delay_mean < 0.013
    assert 0.015 < classic.delay_mean < 0.035
    assert 1 / 3 < classic.goodput_bps / scalable.goodput_bps < 3
    assert summary.utilization > 0.95


def test_pie_keeps_the_delay_near_its_target(root: Path) -> None:
    pie = {"dumbbell.bottleneck.queue": {"kind": "pie", "packets": 1000}}
    summary = ac.simulate(ac.Scenario.from_toml(root / "examples" / "codel.toml").changed(pie)).summary
    assert summary.sojourn_p50 is not None
    assert 0.005 < summary.sojourn_p50 < 0.025
    assert summary.utilization > 0.98


def test_reordering_costs_rack_least(root: Path) -> None:
    groups = ac.simulate(ac.Scenario.from_toml(root / "examples" / "reordering.toml")).summary.groups
    assert groups["rack"].goodput_bps > 1.5 * groups["sack"].goodput_bps


def test_a_parking_lot_serves_short_paths_best(root: Path) -> None:
    run = ac.simulate(ac.Scenario.from_toml(root / "examples" / "parking_lot.toml"))
    goodput = {group.name: group.goodput_bps / group.clients for group in run.summary.groups}
    # the long flows cross three bottlenecks and have three times the round-trip time
    assert all(goodput["long"] < 0.5 * goodput[short] for short in ("short1", "short2", "short3"))
    # UDP at a constant rate loses nothing on the return links, which are not full
    assert goodput["voice"] == pytest.approx(50 * 200 * 8, rel=0.01)
