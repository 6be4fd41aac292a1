"""Fields of a scenario: the least and the greatest value, and one beyond each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import pytest

import ackclock as ac
from ackclock.scenario import distributions, fields, files
from ackclock.scenario.data_source import Setting
from ackclock.scenario.links import DumbbellLinks, links_of
from ackclock.scenario.overrides import assigned, override

if TYPE_CHECKING:
    from pathlib import Path

LINK = {"rate": "10 Mbps", "delay": "5 ms"}


def scenario(source: dict[str, Any], transport: str = "tcp") -> ac.Scenario:
    return ac.Scenario.from_dict(
        {
            "duration": "10 s",
            "dumbbell": {"bottleneck": LINK, "access": LINK},
            "clients": [{"transport": {"kind": transport}, "source": source}],
        }
    )


GREEDY, POISSON = {"kind": "greedy"}, {"kind": "poisson", "rate": 1}
NOISE = {"kind": "fgn", "rate": 1, "hurst": 0.5, "cov": 0.1, "bin": "1 s"}
REQUESTS = {"kind": "connections", "load": 0.5, "size": {"kind": "fixed", "mean": "1 kB"}}
ON_OFF = {"kind": "onoff", "rate": 1, "on": {"kind": "fixed", "mean": "1 s"}, "off": {"kind": "fixed", "mean": "1 s"}}
TRACE = {"kind": "trace", "path": "some.csv"}
PARETO, LOGNORMAL = {"kind": "pareto", "mean": "1 s", "shape": 2}, {"kind": "lognormal", "mean": "1 s", "sigma": 1}
RANDOM = {"kind": "random", "probability": 0.5}
BUCKET = {"rate": "1000 Gbps", "burst": 1500}
HELD = {"probability": 0.5, "delay": "3600 s"}
BURSTS = {"kind": "gilbert-elliott-packets", "to_bad": 0.5, "to_good": 0.5}


@pytest.mark.parametrize(
    ("source", "path", "good", "bad"),
    [
        (GREEDY, "duration", ["200 ms", "17280000 s"], ["17280000.000000000001 s"]),
        (GREEDY, "packet_size", [65_535], [65_536]),
        (GREEDY, "clients.0.packet_size", [65_535], [0, 65_536]),
        (GREEDY, "clients.0.count", [1, 10**6], [0, 10**6 + 1]),
        (GREEDY, "clients.0.spread", ["0 s"], ["-1 ps"]),
        (GREEDY, "clients.0.source.size", ["1 B", "1000000 GB"], ["0 B", "1000000.000000001 GB"]),
        (GREEDY, "clients.0.transport.sack_blocks", [0, 4], [-1, 5]),
        (GREEDY, "clients.0.transport.ack_every", [1, 10_000], [0, 10_001]),
        (GREEDY, "clients.0.transport.quick_acks", [0, 1_000_000], [-1, 1_000_001]),
        (GREEDY, "clients.0.transport.quick_acks_again", [0, 1_000_000], [-1, 1_000_001]),
        (GREEDY, "clients.0.transport.delayed_ack_timeout", ["0 s", "1000000 s"], ["1000000.000000000001 s"]),
        (GREEDY, "dumbbell.bottleneck.rate", ["1 bps", "1000 Gbps"], ["0 bps", "1000000000001 bps"]),
        (GREEDY, "dumbbell.bottleneck.delay", ["0 s", "3600 s"], ["3600.000000000001 s"]),
        (GREEDY, "dumbbell.bottleneck.queue", [{"kind": "droptail", "packets": 10**15}], []),
        (GREEDY, "dumbbell.bottleneck.queue", [], [{"kind": "droptail", "packets": 10**15 + 1}]),
        (GREEDY, "dumbbell.bottleneck.queue", [{"kind": "droptail", "bytes": 1}], [{"kind": "droptail", "bytes": 0}]),
        (GREEDY, "dumbbell.bottleneck.loss", [{"kind": "list", "packets": [1, 10**12]}], []),
        (GREEDY, "dumbbell.bottleneck.loss", [], [{"kind": "list", "packets": [10**12 + 1]}]),
        (GREEDY, "dumbbell.bottleneck.loss", [BURSTS | {"to_bad": 0}], [BURSTS | {"to_bad": 1.1}]),
        (GREEDY, "dumbbell.bottleneck.loss", [BURSTS | {"to_good": 1e-9}], [BURSTS | {"to_good": 0.9e-9}]),
        (GREEDY, "dumbbell.bottleneck.loss", [BURSTS | {"to_good": 1}], [BURSTS | {"to_good": 1.1}]),
        (GREEDY, "dumbbell.bottleneck.loss", [BURSTS | {"bad": 0, "good": 1}], [BURSTS | {"good": -0.1}]),
        (GREEDY, "dumbbell.bottleneck.loss", [RANDOM, RANDOM | {"place": "after"}], [RANDOM | {"place": "within"}]),
        (GREEDY, "dumbbell.bottleneck.policer", [BUCKET, BUCKET | {"burst": 10**15}], [BUCKET | {"burst": 0}]),
        (GREEDY, "dumbbell.bottleneck.shaper", [BUCKET, BUCKET | {"rate": "1 bps"}], [BUCKET | {"burst": 10**15 + 1}]),
        (GREEDY, "dumbbell.bottleneck.jitter", [{"max": "0 s"}, {"max": "3600 s"}], [{"max": "3600.000000000001 s"}]),
        (GREEDY, "dumbbell.bottleneck.reorder", [HELD, HELD | {"probability": 1}], [HELD | {"probability": 1.001}]),
        (GREEDY, "dumbbell.bottleneck.reorder", [HELD | {"probability": 0}], [HELD | {"delay": "3601 s"}]),
        (POISSON, "clients.0.source.rate", [1e-6, 1e9], [0.9e-6, 1.000001e9]),
        (NOISE, "clients.0.source.hurst", [0.01, 0.99], [0.009, 0.991]),
        (NOISE, "clients.0.source.cov", [0, 1], [-0.001, 1.001]),
        (NOISE, "clients.0.source.bin", ["1 ps", "17280000 s"], ["0 s", "17280001 s"]),
        (REQUESTS, "clients.0.source.load", [1e-9, 100], [0.9e-9, 100.1]),
        (REQUESTS, "clients.0.source.connections", [1, 10_000], [0, 10_001]),
        (REQUESTS, "clients.0.source.size.mean", ["1 B", "1000000 GB"], ["0 B", "1000000.000000001 GB", "1 s"]),
        (ON_OFF, "clients.0.source.on.mean", ["1 us", "1000000 s"], ["999999 ps", "1000000.000000000001 s", "1 B"]),
        (ON_OFF, "clients.0.source.off", [PARETO | {"shape": 1.01}], [PARETO | {"shape": 1.009}]),
        (ON_OFF, "clients.0.source.off", [PARETO | {"shape": 100}], [PARETO | {"shape": 100.1}]),
        (ON_OFF, "clients.0.source.off", [LOGNORMAL | {"sigma": 0.01}], [LOGNORMAL | {"sigma": 0.009}]),
        (ON_OFF, "clients.0.source.off", [LOGNORMAL | {"sigma": 5}], [LOGNORMAL | {"sigma": 5.1}]),
        (TRACE, "clients.0.source.scale", [1e-6, 1e6], [0.9e-6, 1.1e6]),
        (TRACE | {"period": "17280000 s"}, "clients.0.source.offset", ["0 s", "17279999 s", "random"], ["17280000 s"]),
        (TRACE, "clients.0.source.sha256", ["0" * 64, "af" * 32], ["0" * 63, "0" * 65, "A" * 64, "g" * 64]),
    ],
)  # fmt: skip
def test_limits_of_fields(source: dict[str, Any], path: str, good: list[object], bad: list[object]) -> None:
    given = scenario(source, "tcp")
    for value in good:
        # the default bin is too short for long runs, and too long for long delays
        given.changed({path: value, "measure.bin": value if path == "duration" else "1 s"})
    for value in bad:
        with pytest.raises(ac.ScenarioError, match="is not allowed; must be"):
            given.changed({path: value})


def test_limits_of_lists() -> None:
    _, places = get_args(fields.Places)
    assert len(places.check(list(range(1, 100_001)))) == 100_000
    with pytest.raises(ValueError, match="must be an array of 1 to 100000 different integers"):
        places.check(list(range(1, 100_002)))
    _, names = get_args(fields.LinkNames)
    assert len(names.check([str(number) for number in range(1000)])) == 1000
    with pytest.raises(ValueError, match="must be an array of 1 to 1000 different names"):
        names.check([str(number) for number in range(1001)])
    _, points = get_args(distributions.Points)
    assert points.schema["maxItems"] == 10_000
    assert points.check([["0 B", 0], ["1000000 GB", 1]])[-1] == ("1000000 GB", 1.0)
    with pytest.raises(ValueError, match="must be a size from 0 B to 1000000 GB"):
        points.check([["1000000000000001 B", 1]])
    _, steps = get_args(fields.RateSteps)
    assert steps.schema["maxItems"] == 10_000
    assert len(steps.check([["0 s", "0 bps"], ["17280000 s", "1000 Gbps"]])) == 2
    for wrong in (["17280001 s", "1 bps"], ["1 s", "1001 Gbps"]):
        with pytest.raises(ValueError, match="in the pair at 1"):
            steps.check([["0 s", "1 bps"], wrong])


def test_names_of_a_dumbbells_links_and_their_numbers() -> None:
    links = DumbbellLinks(clients=3)
    assert len(links) == 8
    found = [links.name(number) for number in range(8)]
    assert found[:4] == ["bottleneck", "bottleneck.reverse", "access.0", "access.0.reverse"]
    assert found[6:] == ["access.2", "access.2.reverse"]
    assert [links.number(name) for name in found] == list(range(8))
    assert list(links.names())[-2:] == ["access.2", "access.2.reverse"]
    for wrong in ("access.3", "access.03", "access.-1", "access.", "access.²", "access.1 ", "0", "bottleneck.0", "x"):
        assert links.number(wrong) is None
    assert links.number("access." + "1" * 5000) is None
    assert len(links_of(scenario(GREEDY).changed({"clients.0.count": 7}))) == 16


def test_paths_are_beside_the_scenarios_file(tmp_path: Path) -> None:
    trace = {"path": "some.csv"}
    both = {"rate_trace": dict(trace), "reverse_rate_trace": dict(trace)}
    tables: dict[str, Any] = {
        "clients": [{"source": dict(trace), "access": {"rate_trace": dict(trace)}}, {"source": {"path": ""}}],
        "flows": [{"source": dict(trace)}, "no table"],
        "links": [{"rate_trace": dict(trace)}, {"rate_trace": "no table"}],
        "dumbbell": {"bottleneck": dict(both), "reverse": {"rate_trace": dict(trace)}, "access": {"rate_trace": {}}},
    }
    assert [at for at, _ in files.traces(tables)] == [
        "clients.0.source",
        "clients.1.source",
        "flows.0.source",
        "clients.0.access.rate_trace",
        "dumbbell.bottleneck.rate_trace",
        "dumbbell.bottleneck.reverse_rate_trace",
        "dumbbell.reverse.rate_trace",
        "dumbbell.access.rate_trace",
        "links.0.rate_trace",
    ]
    found = [table.get("path") for _, table in files.traces(files.beside(tables, tmp_path))]
    there = str(tmp_path / "some.csv")
    assert found == [there, "", there, there, there, there, there, None, there]
    assert list(files.traces({"clients": 5, "links": {}, "dumbbell": []})) == []


def test_files_have_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "some.toml"
    path.write_text("a = 1\n")
    monkeypatch.setattr(files, "LARGEST", 6)
    assert files.read_toml(path) == {"a": 1}
    path.write_text("a = 12\n")
    with pytest.raises(ac.ScenarioError, match="it is too large; must be a file of at most 0 MB"):
        files.read_toml(path)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.0.b", {"a": [{"b": 9}, {"b": 2}]}),
        ("a.1.b", {"a": [{"b": 1}, {"b": 9}]}),
        ("a.1", {"a": [{"b": 1}, 9]}),
        ("a", {"a": 9}),
        ("c.d", {"a": [{"b": 1}, {"b": 2}], "c": {"d": 9}}),
        ("a.2", "a has 2 entries, numbered from 0 as in a.0, and has no entry 2"),
        ("a.-1", "a has 2 entries"),
        ("a.²", "a has 2 entries"),
        ("a." + "1" * 5000, "a has 2 entries"),
        ("a.0.b.c", "a.0.b is a value, not a table"),
    ],
)
def test_fields_are_set_by_their_paths(path: str, found: dict[str, Any] | str) -> None:
    tables = {"a": [{"b": 1}, {"b": 2}]}
    if isinstance(found, dict):
        assert assigned(tables, path, 9) == found
    else:
        with pytest.raises(ac.ScenarioError, match=found):
            assigned(tables, path, 9)
    assert tables == {"a": [{"b": 1}, {"b": 2}]}


def test_assignments_are_toml_or_text() -> None:
    tables: dict[str, Any] = {"a": [1]}
    override(tables, [" b = 2 ", "c=x = 3", "d=[1, 2]", "e=1\nf = 2", "g='5'", "h="])
    assert tables == {"a": [1], "b": 2, "c": "x = 3", "d": [1, 2], "e": "1\nf = 2", "g": "5", "h": ""}
    for wrong in ("a", "=1", "a..b=1", ".a=1"):
        with pytest.raises(ac.ScenarioError, match="must be PATH=VALUE"):
            override(tables, [wrong])
    with pytest.raises(ac.ScenarioError, match=r"a has 1 entry, numbered from 0 as in a\.0, and has no entry 1"):
        override(tables, ["a.1=1"])


SETTING = Setting(at="clients.0.source", duration=10 * 10**12, payload=1000, request_rate=lambda: 2.5)


@pytest.mark.parametrize(
    ("source", "form"),
    [
        (ac.Greedy(), {"kind": "greedy", "packets": None}),
        (ac.Greedy(size="1000 B"), {"kind": "greedy", "packets": 1}),
        (ac.Greedy(size="1001 B"), {"kind": "greedy", "packets": 2}),
        (ac.Poisson(rate=3), {"kind": "poisson", "rate": 3.0}),
        (
            ac.FractionalNoise(rate=3, hurst=0.7, cov=0.2, bin="3 s"),  # four bins cover 10 s
            {"kind": "fractional", "rate": 3.0, "hurst": 0.7, "cov": 0.2, "bin": 3 * 10**12, "bins": 4},
        ),
        (
            ac.FractionalNoise(rate=3, hurst=0.7, cov=0.2, bin="2 s"),
            {"kind": "fractional", "rate": 3.0, "hurst": 0.7, "cov": 0.2, "bin": 2 * 10**12, "bins": 5},
        ),
        (
            ac.Transfers(size=ac.Fixed(mean="2500 B"), think=ac.Exponential(mean="20 ms")),
            {
                "kind": "transfers",
                "size": {"kind": "fixed", "mean": 2.5},
                "think": {"kind": "exponential", "mean": 0.02},
            },
        ),
        (
            ac.Connections(load=0.5, size=ac.Pareto(mean="2 kB", shape=1.5), connections=7),
            {
                "kind": "connections",
                "rate": 2.5,
                "size": {"kind": "pareto", "mean": 2.0, "shape": 1.5},
                "most": 7,
            },
        ),
        (
            ac.OnOff(rate=5, on=ac.Fixed(mean="1 s"), off=ac.Fixed(mean="500 ms")),
            {
                "kind": "onoff",
                "rate": 5.0,
                "on": {"kind": "fixed", "mean": 1.0},
                "off": {"kind": "fixed", "mean": 0.5},
            },
        ),
    ],
)
def test_sources_in_the_engines_form(source: ac.Greedy, form: dict[str, Any]) -> None:
    assert source.for_engine(SETTING) == form


@pytest.mark.parametrize(
    ("given", "times", "period", "offset"),
    [
        ({}, [0, 10**12, 3 * 10**12], None, 0),
        ({"scale": 0.5}, [0, 5 * 10**11, 15 * 10**11], None, 0),
        ({"scale": 2.0, "period": "3 s", "offset": "1 s"}, [0, 2 * 10**12, 6 * 10**12], 6 * 10**12, 2 * 10**12),
        ({"period": "4 s", "offset": "random"}, [0, 10**12, 3 * 10**12], 4 * 10**12, None),
    ],
)
def test_a_trace_in_the_engines_form(
    tmp_path: Path, given: dict[str, Any], times: list[int], period: int | None, offset: int | None
) -> None:
    path = tmp_path / "some.csv"
    path.write_text("time,packets\n0,2\n1,0\n3,5\n")
    trace = ac.Trace.model_validate({"path": str(path), **given})
    assert trace.for_engine(SETTING) == {
        "kind": "trace",
        "times": times,
        "packets": [2, 0, 5],
        "period": period,
        "offset": offset,
    }


def test_a_trace_ends_within_the_longest_run(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text("time\n17.28\n")
    found = ac.Trace(path=str(path), scale=1e6).for_engine(SETTING)["times"]
    assert found == pytest.approx([17_280_000 * 10**12], rel=1e-12)
    path.write_text("time\n17.28001\n")
    with pytest.raises(
        ac.ScenarioError, match=r"clients\.0\.source\.scale: .* must be smaller, so that the trace ends by 17280000 s"
    ):
        ac.Trace(path=str(path), scale=1e6).for_engine(SETTING)
