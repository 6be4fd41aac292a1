"""Links whose rate follows a trace: transmission times, and errors for invalid traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import ackclock as ac
from ackclock.cli import main
from ackclock.running.plan import plan
from ackclock.scenario import bottleneck

STEPS = (("0 s", "1 Mbps"), ("10 ms", "0 bps"), ("25 ms", "500 kbps"))


def line(
    trace: ac.RateTrace, *, packets: float = 1.0, duration: str = "1 s", queue: ac.Queue | None = None
) -> ac.Scenario:
    """Return a link with a rate trace, and a number of UDP packets of 1000 bytes per second."""
    return ac.Scenario(
        duration=duration,
        packet_size=1000,
        measure=ac.Measure(link="a->b", bin="10 ms"),
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[ac.GraphLink(from_="a", to="b", rate_trace=trace, delay="1 ms", queue=queue)],
        flows=[ac.Flow(from_="a", to="b", transport=ac.Udp(), source=ac.Constant(rate=packets))],
    )


def arrivals(scenario: ac.Scenario) -> list[float]:
    """Return when packets reach the far end, in milliseconds."""
    rows = ac.simulate(scenario, record=["packets@a->b"]).table("packets").to_pandas()
    times: list[float] = (1000 * rows[rows["event"] == "receive"]["time"]).tolist()
    return times


def test_packets_take_the_time_that_the_rate_leaves_them() -> None:
    """Packets are sent back to back: 8 ms at 1 Mbit/s, 2 ms more, an outage of 15 ms, and 500 kbit/s for the rest.

    Validates: the ends of transmissions under a trace that changes while packets are on the wire.
    Source: the integral of the rate, by hand.
    Tolerance: 1e-6 ms, the digits of a time in seconds.
    """
    got = arrivals(line(ac.RateTrace(steps=STEPS), packets=1000, duration="71 ms"))
    assert got[:4] == pytest.approx([9, 38, 54, 70], abs=1e-6)
    again = arrivals(line(ac.RateTrace(steps=STEPS, period="30 ms"), packets=1000, duration="80 ms"))
    # 12,500 bits a period: 10,000 at first, 2500 after the outage
    assert again[:4] == pytest.approx([9, 34.5, 59, 68], abs=1e-6)


def test_a_bandwidth_step_changes_what_tcp_gets() -> None:
    """Validates: goodput follows the mean rate, to which utilization refers.
    Source: 4 and 1 Mbit/s in turn, 5 s each: 2.5 Mbit/s.
    Tolerance: 5 % of goodput, due to headers and the sawtooth; utilization at most 1.
    """
    steps = ac.RateTrace(steps=[("0 s", "4 Mbps"), ("5 s", "1 Mbps")], period="10 s")
    scenario = line(steps, duration="60 s", queue=ac.DropTail(packets=50))
    flow = ac.Flow(from_="a", to="b", transport=ac.Tcp("sack"), source=ac.Greedy())
    run = ac.simulate(scenario.model_copy(update={"flows": (flow,)}))
    assert run.summary.goodput_bps == pytest.approx(2.5e6 * 960 / 1000, rel=0.05)
    assert 0.95 < run.summary.utilization <= 1


def test_files_and_steps_say_the_same(tmp_path: Path) -> None:
    csv, parquet = tmp_path / "rates.csv", tmp_path / "rates.parquet"
    csv.write_text("time,rate,note\n0,1e6,first\n0.01,0,out\n0.025,500000,\n")
    pa.parquet.write_table(pa.table({"time": [0.0, 0.01, 0.025], "rate": [10**6, 0, 500_000]}), parquet)
    written = arrivals(line(ac.RateTrace(steps=STEPS), packets=100))
    assert len(written) > 50
    for path in (csv, parquet):
        assert arrivals(line(ac.RateTrace(path=str(path)), packets=100)) == written


def test_a_result_runs_again_with_the_same_content_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    csv = tmp_path / "rates.csv"
    csv.write_text("time,rate\n0,1000000\n0.5,2000000\n")
    toml = line(ac.RateTrace(path=str(csv), period="2 s")).to_toml()
    (tmp_path / "scenario.toml").write_text(toml.replace(str(csv), "rates.csv"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for file, out in (("../scenario.toml", "first"), ("first", "second")):
        with pytest.raises(SystemExit, match="0"):
            main(["run", file, "--out", out])
    record = Path("first/record.json").read_bytes()
    assert Path("second/record.json").read_bytes() == record
    trace = json.loads(record)["scenario"]["links"][0]["rate_trace"]
    assert (trace["path"], trace["period"], len(trace["sha256"])) == (str(csv), "2 s", 64)
    csv.write_text("time,rate\n0,1000000\n0.5,2000001\n")
    capsys.readouterr()
    with pytest.raises(SystemExit, match="2"):
        main(["run", "first"])
    assert f"must be the file with sha256 = {trace['sha256']}" in capsys.readouterr().err


def test_both_directions_and_a_dumbbells_reverse_follow_the_trace() -> None:
    trace = ac.RateTrace(steps=STEPS, period="1 s")
    scenario = ac.Scenario(
        duration="1 s",
        dumbbell=ac.Dumbbell(
            bottleneck=ac.Link(rate_trace=trace, delay="1 ms"), access=ac.Link(rate="10 Mbps", delay="1 ms")
        ),
        clients=[ac.Clients(transport=ac.Tcp("reno"), source=ac.Greedy())],
    ).effective()
    topology = json.loads(plan(scenario))["topology"]
    rate = {"times": [0, 10**10, 25 * 10**9], "rates": [10**6, 0, 500_000], "period": 10**12}
    assert (topology["bottleneck"]["rate"], topology["reverse"]["rate"]) == (rate, rate)
    assert topology["access"][0][0]["rate"] == 10_000_000
    links = json.loads(plan(line(trace).effective()))["topology"]["links"]
    assert [link["link"]["rate"] for link in links] == [rate, rate]


def test_what_needs_one_rate_takes_the_mean_over_the_run() -> None:
    """Validates: pipe and notices use the mean rate.
    Source: 1 Mbit/s for 10 ms and 0.5 for 975 ms of 1 s: 497.5 kbit/s.
    Tolerance: exact.
    """
    scenario = line(ac.RateTrace(steps=STEPS), packets=80)
    assert bottleneck.find_measured(scenario.effective()).rate == 497_500
    assert any("129% of the measured link's rate" in notice for notice in ac.simulate(scenario).notices)
    again = line(ac.RateTrace(steps=STEPS, period="50 ms"))
    assert bottleneck.find_measured(again.effective()).rate == 450_000


def test_red_ages_its_average_by_the_mean_rate() -> None:
    """On a link that sends at 1 and then 3 Mbit/s, an idle time counts as on a link with the mean rate, 2 Mbit/s.

    Validates: the rate that RED uses.
    Source: RED counts idle times in typical packets: 1000 bytes at 2 Mbit/s take as long as 500 bytes at 1 Mbit/s.
    Tolerance: exact.
    """

    def averages(trace: ac.RateTrace, mean_packet_size: int) -> list[float]:
        red = ac.Red(packets=50, min_th=20, max_th=40, mean_packet_size=mean_packet_size, w_q=0.2)
        scenario = line(trace, queue=red).changed({"flows.0.source": {"kind": "poisson", "rate": 100}})
        found: list[float] = ac.simulate(scenario, record=["queue@a->b/10ms"]).table("queue")["average"].to_pylist()
        return found[:50]

    varying = ac.RateTrace(steps=[("0 s", "1 Mbps"), ("500 ms", "3 Mbps")])
    constant = ac.RateTrace(steps=[("0 s", "1 Mbps")])
    assert averages(varying, 1000) == averages(constant, 500)
    assert averages(varying, 1000) != averages(constant, 1000)


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"steps": []}, "steps", "must be an array of 1 to 10000 pairs"),
        ({"steps": [["1 s", "1 Mbps"]]}, "steps", "in the pair at 0, '1 s' must be 0 s"),
        ({"steps": [["0 s", "1 Mbps"], ["0 s", "2 Mbps"]]}, "steps", "in the pair at 1, '0 s' must be later than"),
        ({"steps": [["0 s", "1 mbps"]]}, "steps", "in the pair at 0, '1 mbps' did you mean 'Mbps'? must be a rate"),
        ({"steps": [["0 s", "1 Mbps", 3]]}, "steps", "entry 0 is not a pair"),
        ({"steps": [["0 s", "1 Mbps"], ["1 s", "0 bps"]]}, "steps", "so that every outage ends"),
        ({"steps": [["0 s", "0 bps"]], "period": "1 s"}, "steps", "so that every outage ends"),
        (
            {"steps": [["0 s", "1 Mbps"], ["1 s", "2 Mbps"]], "period": "1 s"},
            "period",
            "later than the last step, at 1 s",
        ),
        ({"steps": [["0 s", "1 Mbps"]], "path": "x.csv"}, "steps", "must be absent when path is given"),
        ({"steps": [["0 s", "1 Mbps"]], "sha256": "0" * 64}, "sha256", "must be absent when there is no path"),
        ({}, "steps", "must be given unless path is given"),
        ({"step": []}, "step", "did you mean 'steps'?"),
    ],
)
def test_wrong_steps_are_named(fields: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(ac.ScenarioError) as caught:
        ac.Scenario.from_dict(
            line(ac.RateTrace(steps=STEPS)).to_dict()
            | {"links": [{"from": "a", "to": "b", "delay": "1 ms", "rate_trace": fields}]}
        )
    assert caught.value.field == f"links.0.rate_trace.{field}"
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("link", "field", "message"),
    [
        (
            {},
            "rate",
            "missing; must be a rate with its unit (bps kbps Mbps Gbps; also such as Mb/s Mbit/s MB/s), such as",
        ),
        ({"rate": "1 Mbps", "rate_trace": {"steps": STEPS}}, "rate", "must be absent when rate_trace is given"),
    ],
)
def test_a_link_has_one_rate(link: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(ac.ScenarioError) as caught:
        ac.Link.model_validate({"delay": "1 ms"} | link)
    assert caught.value.field == field
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("content", "period", "message"),
    [
        ("", None, "cannot be used: it is empty; must be CSV with a header or Parquet, with the columns time"),
        ("time\n0\n", None, "it has no column rate"),
        ("time,rate\n", None, "it has 0 rows; must be a trace of 1 to 1000000 rows"),
        ("time,rate\n1,5\n", None, "it does not start at time 0"),
        ("time,rate\n0,5\n1,5\n1,6\n", None, "a time is repeated, in row 3"),
        ("time,rate\n0,5\n1,5\n0.5,6\n", None, "times decrease, in row 3"),
        (
            "time,rate\n0,5\n1,-5\n",
            None,
            "a rate is out of bounds, in row 2; must be a trace of rates from 0 to 100000",
        ),
        ("time,rate\n0,nan\n", None, "its column rate holds a value that is not a number, in row 1"),
        ("time,rate\n0,5\n1,1e13\n", None, "a rate is out of bounds, in row 2"),
        ("time,rate\n0,5000\n1,0\n", None, "it ends in an outage; must be a trace that"),
        ("time,rate\n0,5000\n1,6\n", "1 s", "it is too long; must be a trace that ends before its period, 1 s"),
        ("time,rate\n0,5\n1e-13,6\n", None, "two times are the same"),
        ("time,rate\n0,5\n1e9,6\n", None, "it is too long; must be a trace up to 17280000 s"),
    ],
)
def test_wrong_files_are_named(tmp_path: Path, content: str, period: str | None, message: str) -> None:
    path = tmp_path / "rates.csv"
    path.write_text(content)
    with pytest.raises(ac.ScenarioError) as caught:
        ac.simulate(line(ac.RateTrace(path=str(path), period=period)))
    assert caught.value.field == str(path)
    assert message in str(caught.value)


def test_too_many_steps_of_all_links_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = line(ac.RateTrace(steps=STEPS))
    twice = scenario.changed({"links": [*scenario.to_dict()["links"], scenario.to_dict()["links"][0] | {"name": "b"}]})
    monkeypatch.setattr("ackclock.running.plan._MOST_STEPS", 5)
    assert ac.simulate(scenario).summary.departures > 0
    with pytest.raises(ac.ScenarioError, match=r"links\.1\.rate_trace\.steps: .* at most 5 steps"):
        ac.simulate(twice)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ac.ScenarioError, match=r"none\.csv: cannot be used: No such file"):
        ac.simulate(line(ac.RateTrace(path=str(tmp_path / "none.csv"))))


BACK = {"times": [0], "rates": [2_000_000], "period": None}
RATE = {"times": [0, 10**10, 25 * 10**9], "rates": [10**6, 0, 500_000], "period": None}


def two_ways(**more: Any) -> dict[str, Any]:
    """Return a link with a trace in each direction."""
    return {
        "rate_trace": {"steps": STEPS},
        "reverse_rate_trace": {"steps": [("0 s", "2 Mbps")]},
        "delay": "1 ms",
    } | more


def test_each_direction_of_a_graphs_link_has_its_own_trace() -> None:
    scenario = line(ac.RateTrace(steps=STEPS)).changed({"links": [two_ways(**{"from": "a", "to": "b"})]})
    for measured, rate in (("a->b", 507_500), ("b->a", 2_000_000)):
        whole = scenario.changed({"measure.link": measured}).effective()
        assert [link["link"]["rate"] for link in json.loads(plan(whole))["topology"]["links"]] == [RATE, BACK]
        assert bottleneck.find_measured(whole).rate == pytest.approx(rate, rel=0.02)


def test_each_direction_of_a_dumbbells_links_has_its_own_trace() -> None:
    tcp = {"transport": {"kind": "tcp"}, "source": {"kind": "greedy"}}
    data = {"duration": "1 s", "dumbbell": {"bottleneck": two_ways(), "access": two_ways()}, "clients": [tcp]}
    scenario = ac.Scenario.from_dict(data)
    whole = scenario.effective()
    assert whole.effective() == whole
    topology = json.loads(plan(whole))["topology"]
    assert (topology["bottleneck"]["rate"], topology["reverse"]["rate"]) == (RATE, BACK)
    assert [link["rate"] for link in topology["access"][0]] == [RATE, BACK]
    measured = scenario.changed({"measure.link": "access.0.reverse"}).effective()
    assert bottleneck.find_measured(measured).rate == 2_000_000
    # data packets of 1500 bytes use the rate of the uplink in one direction, and of the downlink in the other
    down = scenario.changed({"clients.0.direction": "reverse", "measure.link": "bottleneck.reverse"})
    rates = [ac.simulate(each).summary.throughput_bps for each in (scenario, down)]
    assert rates[0] < 0.6e6
    assert rates[1] > 1e6


def test_the_files_of_both_directions_are_sealed_and_found_beside_the_scenario(tmp_path: Path) -> None:
    for name in ("some.up", "some.down"):
        (tmp_path / name).write_text("1\n" if name == "some.up" else "1\n2\n2\n")
    traces = {"rate_trace": {"path": "some.up"}, "reverse_rate_trace": {"path": "some.down"}}
    data = line(ac.RateTrace(steps=STEPS)).to_dict()
    link = {"from": "a", "to": "b", "delay": "1 ms"} | traces
    (tmp_path / "scenario.toml").write_text(ac.Scenario.from_dict(data | {"links": [link]}).to_toml())
    toml = (tmp_path / "scenario.toml").read_text().replace(f"{Path.cwd()}/", "")
    (tmp_path / "scenario.toml").write_text(toml)
    (whole,) = ac.Scenario.from_toml(tmp_path / "scenario.toml").effective().links
    assert whole.rate_trace is not None
    assert whole.reverse_rate_trace is not None
    assert whole.reverse_rate_trace.path == str(tmp_path / "some.down")
    digests = {whole.rate_trace.sha256, whole.reverse_rate_trace.sha256}
    assert len(digests - {None}) == 2


@pytest.mark.parametrize(
    ("dumbbell", "field"),
    [
        ({"bottleneck": two_ways(), "reverse": {"rate": "1 Mbps", "delay": "1 ms"}}, "bottleneck.reverse_rate_trace"),
        ({"bottleneck": {"rate": "1 Mbps", "delay": "1 ms"}, "reverse": two_ways()}, "reverse.reverse_rate_trace"),
    ],
)
def test_the_rate_of_a_dumbbells_direction_back_is_given_once(dumbbell: dict[str, Any], field: str) -> None:
    with pytest.raises(ac.ScenarioError) as caught:
        ac.Dumbbell.model_validate(dumbbell)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: must be absent: ")


def test_a_link_of_one_direction_has_no_trace_back() -> None:
    with pytest.raises(ac.ScenarioError, match="^reverse_rate_trace: must be absent when duplex is false$"):
        ac.GraphLink.model_validate(two_ways(**{"from": "a", "to": "b", "duplex": False}))
