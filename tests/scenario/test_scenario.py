"""The scenario in its three forms: Python, TOML and JSON."""

import re
from pathlib import Path

import pytest

import ackclock as ac
from ackclock.scenario.schema import json_schema


def of_the_issue() -> ac.Scenario:
    """Return the first example of the README."""
    return ac.Scenario(
        profile="ns2-2.35",
        duration="200 s",
        packet_size=1500,
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="25 ms"),
            bottleneck=ac.Link(rate="50 Mbps", delay="25 ms", queue=ac.DropTail(packets=50)),
        ),
        clients=[
            ac.Clients(
                count=60,
                transport=ac.Tcp("reno", max_window=20, delayed_ack=False, overhead="12 us"),
                source=ac.Poisson(rate=100),
            )
        ],
    )


def test_the_file_says_the_same_as_the_python_of_the_issue(root: Path) -> None:
    from_file = ac.Scenario.from_toml(root / "examples" / "feng60.toml")
    assert from_file.effective() == of_the_issue().effective()


def test_changed_is_what_the_file_would_say() -> None:
    before = of_the_issue()
    after = before.changed(
        {"measure.from": "5 s", "clients.0.transport.variant": "vegas", "dumbbell.bottleneck.queue": ac.Red(packets=9)}
    )
    assert after.measure == ac.Measure(from_="5 s")
    assert after.clients[0].transport == ac.Tcp("vegas", max_window=20, delayed_ack=False, overhead="12 us")
    assert after.dumbbell is not None
    assert after.dumbbell.bottleneck.queue == ac.Red(packets=9)
    assert before == of_the_issue() == before.changed({})


@pytest.mark.parametrize(
    ("path", "value", "field", "message"),
    [
        ("clients.0.count", 0, "clients.0.count", "must be an integer from 1"),
        ("dumbbell.botleneck.rate", "1 Mbps", "dumbbell.botleneck", "did you mean 'bottleneck'?"),
        ("clients.1.count", 5, "set", "clients has 1 entry"),
        ("clients.0.transport.variant", "vega", "clients.0.transport.variant", "did you mean 'vegas'?"),
    ],
)
def test_changed_is_checked(path: str, value: object, field: str, message: str) -> None:
    with pytest.raises(ac.ScenarioError, match=re.escape(message)) as refused:
        of_the_issue().changed({path: value})
    assert refused.value.field == field


def test_effective_leaves_nothing_open() -> None:
    effective = of_the_issue().effective()
    assert effective.dumbbell is not None
    absent = [
        name
        for part in (*effective.clients, effective.clients[0].transport, effective.measure, effective.dumbbell)
        for name, value in part
        if value is None
    ]
    # Sources that never stop have no end.
    # Fields that only some queues use, convergence, further measured links and laws written in Python do not change the
    # digest of scenarios without them, by which results are found.
    schedule = ["stop", "duration", "active", "unfinished"]
    more = ["links", "convergence"]
    assert absent == [*schedule, "ceiling", "dscp", "law", "law_sha256", "law_files_sha256", "compiled", *more]


def test_a_default_bin_is_the_mean_two_way_propagation_delay() -> None:
    near = ac.Clients(count=1, access=ac.Link(rate="10 Mbps", delay="1 ms"), transport=ac.Tcp(), source=ac.Greedy())
    far = ac.Clients(count=3, access=ac.Link(rate="10 Mbps", delay="9 ms"), transport=ac.Tcp(), source=ac.Greedy())
    bottleneck = ac.Link(rate="10 Mbps", delay="5 ms")
    scenario = ac.Scenario(duration="1 s", dumbbell=ac.Dumbbell(bottleneck=bottleneck), clients=[near, far])
    assert scenario.effective().measure.bin == "24 ms"  # (12 + 3 x 28) / 4


def test_links_of_a_graph_are_named_both_ways() -> None:
    plain = ac.GraphLink(from_="a", to="b", rate="1 Mbps", delay="1 ms")
    named = ac.GraphLink(from_="a", to="b", rate="1 Mbps", delay="1 ms", name="wan")
    one_way = ac.GraphLink(from_="a", to="b", rate="1 Mbps", delay="1 ms", duplex=False)
    assert [name for name, _, _ in plain.directions] == ["a->b", "b->a"]
    assert [name for name, _, _ in named.directions] == ["wan", "wan.reverse"]
    assert [name for name, _, _ in one_way.directions] == ["a->b"]


def test_what_python_constructs_is_checked_like_a_file() -> None:
    with pytest.raises(ac.ScenarioError) as caught:
        ac.Link(rate="10", delay="25 ms")
    assert (caught.value.field, caught.value.value) == ("rate", "10")
    assert caught.value.allowed.startswith("must be a rate with its unit")
    with pytest.raises(ac.ScenarioError, match="alpha: unknown field"):
        ac.Tcp("reno", alpha=1)
    with pytest.raises(ac.ScenarioError, match="delay: missing"):
        ac.Link.model_validate({"rate": "10 Mbps"})
    with pytest.raises(TypeError, match="keywords after its variant"):
        ac.Tcp("reno", "vegas")  # type: ignore[call-arg]


def test_scenarios_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        of_the_issue().duration = "1 s"  # type: ignore[misc]


def test_the_schema_has_what_the_engine_declares() -> None:
    definitions = json_schema()["$defs"]
    kinds = {form["title"]: form for form in definitions["Queue"]["oneOf"]}
    assert kinds["red"]["properties"]["max_p"]["maximum"] == 1
    assert "max_p" not in kinds["droptail"]["properties"]
    variants = {form["title"]: form for form in definitions["Tcp"]["oneOf"]}
    assert variants["vegas"]["properties"]["base_rtt"]["enum"] == ["minimum", "ns2"]
    assert "alpha" not in variants["newreno or rack or reno or sack or tahoe"]["properties"]
    assert "variant" in variants["vegas"]["required"]
    assert not variants["vegas"]["additionalProperties"]


@pytest.mark.parametrize("example", ["feng60.toml", "parking_lot.toml", "red.toml", "replay.toml"])
def test_examples_are_right(root: Path, example: str) -> None:
    ac.Scenario.from_toml(root / "examples" / example)
