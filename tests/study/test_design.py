"""A study file: its points, and the errors of invalid ones."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.study.small import GRID, scenario, study, write

import ackclock as ac
from ackclock.study.sampling import METHODS, Range, draw, range_of
from ackclock.study.survey import Survey

if TYPE_CHECKING:
    from pathlib import Path

# A field of each kind that points can change, with allowed values.
FIELDS: dict[str, list[Any]] = {
    "duration": ["1 s", "2 s"],
    "profile": ["rfc", "ns2-2.35"],
    "measure.from": ["0 s", "500 ms"],
    "clients.0.count": [1, 7],
    "clients.0.source.rate": [20, 30.5],
    "clients.0.transport.delayed_ack": [True, False],
    "dumbbell.bottleneck.queue.packets": [5, 50],
    "dumbbell.bottleneck.delay": ["1 ms", "20 ms"],
}


@given(st.dictionaries(st.sampled_from(sorted(FIELDS)), st.integers(1, 2), min_size=1))
def test_a_grid_has_every_combination_and_each_is_the_scenario_with_these_fields(sizes: dict[str, int]) -> None:
    over = {path: FIELDS[path][:size] for path, size in sizes.items()}
    points = list(study(over=over).each())
    assert [point.coordinates for point in points] == [
        dict(zip(over, values, strict=True)) for values in itertools.product(*over.values())
    ]
    for point in points:
        alone = scenario().changed(point.coordinates)
        assert point.scenario == alone
        assert point.scenario.to_dict() == alone.to_dict()


def test_points_one_by_one_and_variants() -> None:
    variants = {
        "plain": {},
        "udp": {"clients.0.transport": {"kind": "udp"}},
        "vegas": {"clients.0.transport.variant": "vegas", "clients.0.transport.alpha": 2},
    }
    points = list(study(over=None, points=[{"clients.0.count": 2}, {"duration": "1 s"}], variants=variants).each())
    assert [point.coordinates for point in points[2:4]] == [
        {"variant": "udp", "clients.0.count": 2},
        {"variant": "udp", "duration": "1 s"},
    ]
    transports = [point.scenario.clients[0].transport for point in points[::2]]
    assert [transport.kind for transport in transports] == ["tcp", "udp", "tcp"]
    assert transports[2] == ac.Tcp("vegas", overhead="12 us", alpha=2)
    alone = list(study(over=None, variants=variants).each())
    assert [point.name for point in alone] == ["variant = 'plain'", "variant = 'udp'", "variant = 'vegas'"]


def test_without_anything_varied_the_scenario_is_the_only_point() -> None:
    (point,) = study(over=None).each()
    assert (point.coordinates, point.scenario) == ({}, scenario())


def test_points_may_bring_what_the_scenario_lacks() -> None:
    tables = scenario().to_dict()
    del tables["duration"]
    (point,) = study(scenario=tables, over={"duration": ["2 s"]}).each()
    assert point.scenario == scenario()


@pytest.mark.parametrize("method", METHODS)
def test_drawn_points_lie_within_their_ranges_and_come_again(method: str) -> None:
    over = {"clients.0.count": [1, 6], "dumbbell.bottleneck.delay": ["1 ms", "9 ms"], "clients.0.source.rate": [1, 2.5]}
    sample = {"over": over, "count": 16, "method": method, "seed": 7}
    points = list(study(over=None, sample=sample).each())
    assert len(points) == 16
    assert [point.coordinates for point in points] == [
        point.coordinates for point in study(over=None, sample=sample).each()
    ]
    for point in points:
        client = point.scenario.clients[0]
        assert 1 <= client.count <= 6
        assert 1 <= getattr(client.source, "rate", 0) <= 2.5


def test_a_latin_hypercube_has_one_point_in_each_slice() -> None:
    ranges = {"a": Range(0.0, 1.0), "b": Range(-1.0, 1.0)}
    points = list(draw(ranges, method="latin-hypercube", count=40, seed=3))
    for name, each in ranges.items():
        shares = [(float(point[name]) - each.low) / (each.high - each.low) for point in points]
        assert sorted(int(share * 40) for share in shares) == list(range(40))


def test_of_equal_draws_one_counts() -> None:
    points = list(draw({"n": range_of(1, 3)}, method="random", count=100, seed=1))
    assert sorted(point["n"] for point in points) == [1, 2, 3]


@pytest.mark.parametrize(
    ("ends", "share", "value"),
    [
        ((1, 4), 0.0, 1),
        ((1, 4), 0.9999, 4),
        ((0, 1.0), 0.25, 0.25),
        (("0 s", "1 s"), 0.25, "250 ms"),
        (("1 Mbps", "3 Mbps"), 0.5, "2 Mbps"),
        (("1 kB", "3 kB"), 0.5, "2 kB"),
    ],
)
def test_values_of_a_range(ends: tuple[Any, Any], share: float, value: object) -> None:
    assert range_of(*ends).at(share) == value


COUNT = "clients.0.count"
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"over": {COUNT: [2, -3]}}, "over: clients.0.count = -3: clients.0.count: -3 is not allowed; must be an integer"),
    ({"over": {COUNT: 3}}, "over.clients.0.count: 3 is not allowed; must be an array of different texts, numbers"),
    ({"over": {COUNT: []}}, "over.clients.0.count: an empty array is not allowed"),
    ({"over": {COUNT: [3, 3]}}, "over.clients.0.count: [3, 3] is not allowed; must be an array of different"),
    ({"over": {"clients": {"0": {"count": [3]}}}}, "over.clients: a table is not allowed; must be an array of"),
    ({"over": {}}, "over: a table is not allowed; must be a table with an entry"),
    ({"over": {"clients.0.coutn": [3]}}, "over: clients.0.coutn = 3: clients.0.coutn: unknown field; did you mean"),
    ({"over": {"clients.7.count": [3]}}, "over: clients.7.count = 3: set: 'clients.7.count' is not allowed; must be"),
    ({"over": {"duration": ["1 s", "1000 ms"]}}, "over: duration = '1000 ms': scenario: "),
    ({"over": {COUNT: [1]}, "record": ["arrival"]}, "over: clients.0.count = 1: record: 'arrival' is not allowed"),
    ({"over": None, "points": {COUNT: 3}}, "points: a table is not allowed; must be an array of tables"),
    ({"over": None, "points": [{COUNT: 1}, {COUNT: []}]}, "points.1.clients.0.count: an empty array is not allowed"),
    ({"over": None, "points": [{COUNT: 1}, {COUNT: "x"}]}, "points.1: clients.0.count = 'x': clients.0.count: 'x' is"),
    ({"points": [{COUNT: 3}]}, "points: must be absent when over is given"),
    (
        {"variants": {"a": {COUNT: 3}}},
        "variants.a.clients.0.count: 3 is not allowed; must be absent: over sets this field at each point",
    ),
    ({"variants": {"a": 1}}, "variants.a: 1 is not allowed; must be a table"),
    ({"over": None, "variants": {"a": {COUNT: 0}}}, "variants: variant = 'a': clients.0.count: 0 is not allowed"),
    ({"over": None, "sample": {"over": {COUNT: [1, 2, 3]}, "count": 2}}, "sample.over.clients.0.count: [1, 2, 3] is"),
    ({"over": None, "sample": {"over": {COUNT: [2, 1]}, "count": 2}}, "sample.over.clients.0.count: [2, 1] is not"),
    ({"over": None, "sample": {"over": {"duration": ["1 s", "2"]}, "count": 2}}, "sample.over.duration: an array is"),
    ({"over": None, "sample": {"over": {COUNT: [1, 2]}}}, "sample.count: missing; must be an integer from 1"),
    ({"over": None, "sample": {"over": {COUNT: [-2, -1]}, "count": 2}}, "sample: clients.0.count = -"),
    ({"replications": 0}, "replications: 0 is not allowed; must be the number of seeds"),
    ({"replications": [1, 1]}, "replications: [1, 1] is not allowed"),
    ({"replications": "many"}, "replications: 'many' is not allowed"),
    ({"replications": {"until": "0 %", "measure": "cov"}}, "replications.until: '0 %' is not allowed; must be a perc"),
    ({"replications": {"until": "5 %", "measure": "vov"}}, "replications.measure: 'vov' is not allowed; did you mean"),
    ({"replications": {"until": "5 %"}}, "replications.measure: missing"),
    ({"warmup": "welch"}, "warmup: 'welch' is not allowed; must be one of mser-5"),
    ({"records": []}, "records: unknown field; did you mean 'record'?"),
    ({"scenario": 3}, "scenario: 3 is not allowed; must be a table, or the path of a scenario file"),
    ({"over": None, "scenario": {}}, "scenario: duration: missing"),
]


@pytest.mark.parametrize(("design", "message"), WRONG, ids=[message[:60] for _, message in WRONG])
def test_what_is_wrong_is_reported_with_its_place(design: dict[str, Any], message: str) -> None:
    with pytest.raises(ac.ScenarioError) as caught:
        Survey.of(study(**design))
    assert caught.value.headline.startswith(message)


def test_a_file_names_its_scenario_beside_it_or_holds_it(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(scenario().to_toml())
    (tmp_path / "study.toml").write_text('scenario = "small.toml"\n[over]\n"clients.0.count" = [2, 4]\n')
    beside = ac.Study.from_toml(tmp_path / "study.toml")
    assert [point.scenario.clients[0].count for point in beside.each()] == [2, 4]
    assert beside.replications == range(1, 6)
    within = ac.Study.from_toml(write(tmp_path / "whole.toml", clients=2))
    assert [point.scenario for point in within.each()] == [scenario().changed({COUNT: count}) for count in (1, 2)]


def test_a_scenario_is_not_a_study(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(scenario().to_toml())
    message = r"it has the fields of a scenario, which `ackclock run` runs; must be a study that names it, as in scenar"
    with pytest.raises(ac.ScenarioError, match=message):
        ac.Study.from_toml(file)


def test_the_example_is_a_study(root: Path) -> None:
    example = ac.Study.from_toml(root / "examples" / "study.toml")
    assert len(Survey.of(example).works) == len(list(example.each())) > 3


def test_replications_may_be_named_seeds_or_go_on_until() -> None:
    assert study(replications=[7, 3]).replications == (7, 3)
    until = study(replications={"until": "2.5%", "measure": "loss"}).replications
    assert (getattr(until, "share", None), getattr(until, "most", None)) == (0.025, 200)
    assert study(replications={"until": "5 %", "measure": "loss"}).measure == "loss"
    assert study(over=GRID).measure == "cov"


@pytest.mark.parametrize("count", [10**4, 10**12])
def test_a_grid_is_counted_before_any_point_is_made(count: int) -> None:
    values = list(range(1, 10**4 + 1))
    over = {"clients.0.count": values} if count == 10**4 else dict.fromkeys(["a.b", "c.d", "e.f"], values)
    replications = 10**6 if count == 10**4 else 1
    what = r"100,000,000 runs, but gives 10,000,000,000 for 10,000 points" if count == 10**4 else r"10,000,000 points"
    with pytest.raises(ac.ScenarioError, match=f"must (have|give) at most {what}.*; split the study"):
        ac.Study.from_dict({"scenario": {}, "over": over, "replications": replications})


def test_the_size_of_a_grid_counts_its_variants() -> None:
    values = list(range(1, 10**3 + 1))
    variants: dict[str, object] = {f"v{number}": {} for number in range(11)}
    with pytest.raises(ac.ScenarioError, match="but has 11,000,000; split"):
        ac.Study.from_dict({"scenario": {}, "over": dict.fromkeys(["a.b", "c.d"], values), "variants": variants})


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[31mb", "", "x" * 201])
def test_variants_have_names_that_can_be_printed(name: str) -> None:
    with pytest.raises(ac.ScenarioError, match=r"^variants: .* must be named by 1 to 200 printable characters$"):
        ac.Study.from_dict({"scenario": {}, "variants": {name: {}, "b": {"x": 1}}})
