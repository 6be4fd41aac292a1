"""Profiles: one table with the values and the source of every default."""

from dataclasses import replace
from typing import Any

import pytest
from tests.support.readable import hold_readable

import ackclock as ac
from ackclock.engine.catalogue import Parameter, catalogue
from ackclock.scenario.law_fields import LAW_FIELDS
from ackclock.scenario.profile import PROFILES, TABLE, PacketSize, Row, Value, default, differences


def _rows(scope: str) -> set[str]:
    return {row.field for row in TABLE if row.scope == scope}


def test_every_default_of_tcp_is_in_the_table_or_declared() -> None:
    fields, rows = set(ac.Tcp.model_fields) - {"kind", "variant", *LAW_FIELDS}, _rows("tcp")
    assert rows <= fields <= rows | set(catalogue().tcp_options)


@pytest.mark.parametrize(("name", "option"), catalogue().tcp_options.items())
def test_what_the_engine_declares_as_default_is_what_the_rfcs_ask_for(name: str, option: Parameter) -> None:
    value = default("rfc", "tcp", name)
    # the engine's default packet has 1500 bytes
    assert (value.of(1500) if isinstance(value, PacketSize) else value) in {None, option.default}
    assert option.kind.check(option.default) == option.default


def test_every_row_is_of_something_that_exists() -> None:
    known = catalogue()
    general = {"packets", "count_in_service"}
    for row in TABLE:
        if row.scope in known.congestion:
            assert row.field in known.congestion[row.scope].parameters
        elif row.scope in known.queues:
            assert row.field in known.queues[row.scope].parameters.keys() | general
        else:
            assert row.scope in {"tcp", "queue", "python"}
        keys = [key if isinstance(key, tuple) else (key, None) for key in row.differs]
        assert {profile for profile, _ in keys} <= {*PROFILES, "ns2", "any"}
        assert {variant for _, variant in keys} <= {None, *known.variants}
        assert row.source
        assert row.meaning


def test_the_table_has_only_differences() -> None:
    """Without any of its values, some profile or variant would have another default."""
    for row in TABLE:
        whole = _all_values(row)
        for key in row.differs:
            rest = {other: value for other, value in row.differs.items() if other != key}
            assert _all_values(replace(row, differs=rest)) != whole, (row.name, key)


def _all_values(row: Row) -> list[Value]:
    return [row.value(profile, variant) for profile in PROFILES for variant in (None, *catalogue().variants)]


def test_no_row_comes_twice() -> None:
    assert len({row.name for row in TABLE}) == len(TABLE)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("variant", list(catalogue().variants))
@pytest.mark.parametrize("queue", list(catalogue().queues))
def test_every_value_is_one_that_the_field_allows(profile: str, variant: str, queue: str) -> None:
    """Defaults are filled in without a check, so this test checks them."""
    scenario = ac.Scenario(
        profile=profile,
        duration="1 s",
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="25 ms"),
            bottleneck=ac.Link(rate="50 Mbps", delay="25 ms", queue=ac.Queue(queue)),
        ),
        clients=[ac.Clients(transport=ac.Tcp(variant), source=ac.Greedy())],
    )
    effective = scenario.effective()
    assert ac.Scenario.from_dict(effective.to_dict()) == effective


@pytest.mark.parametrize(
    ("profile", "variant", "expected"),
    [
        ("rfc", "reno", {"handshake": True, "lone_segments": 0, "min_rto": "1 s", "initial_window": 10}),
        ("ns2-2.35", "reno", {"handshake": True, "lone_segments": 0, "min_rto": "200 ms", "initial_window": 2}),
        ("ns2-2.35", "vegas", {"handshake": False, "lone_segments": 2, "min_rto": "200 ms"}),
        ("ns2-2000", "vegas", {"handshake": False, "lone_segments": 0, "min_rto": "0 s", "initial_rto": "6 s"}),
        ("ns2-1999-qiu", "reno", {"handshake": False, "lone_segments": 2, "min_rto": "200 ms", "max_rto": "64 s"}),
    ],
)
def test_values(profile: str, variant: str, expected: dict[str, Any]) -> None:
    assert {name: default(profile, "tcp", name, variant=variant) for name in expected} == expected


def test_what_a_scenario_says_wins() -> None:
    scenario = ac.Scenario(
        profile="ns2-2.35",
        duration="1 s",
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="25 ms"),
            bottleneck=ac.Link(rate="50 Mbps", delay="25 ms", queue=ac.Red(packets=50, min_th=10, max_th=40)),
        ),
        clients=[ac.Clients(transport=ac.Tcp("vegas", alpha=2, min_rto="1 s"), source=ac.Greedy())],
    ).effective()
    assert scenario.dumbbell is not None
    queue, transport = scenario.dumbbell.bottleneck.queue, scenario.clients[0].transport
    assert queue is not None
    assert isinstance(transport, ac.Tcp)
    assert queue.parameters["min_th"] == 10
    assert queue.parameters["w_q"] == 0.002
    assert not queue.parameters["gentle"]
    assert transport.parameters == {"alpha": 2.0, "beta": 3.0, "gamma": 1.0, "base_rtt": "ns2"}
    assert (transport.min_rto, transport.handshake) == ("1 s", False)


def test_many_flows_are_run_with_nine_parameters_of_tcp_set_back() -> None:
    """The profile is ns-2.35 with the settings of the reference runs; without a SYN, two segments are sent alone."""
    differing = {row.name: row.value("ns2-1999-qiu") for row in differences("ns2-2.35", "ns2-1999-qiu")}
    assert differing == {
        "tcp.handshake": False,
        "tcp.initial_window": 1,
        "tcp.lone_segments": 2,
        "tcp.limited_transmit": False,
        "tcp.decrease_from": "whole_window",
        "tcp.clock": "100 ms",
        "tcp.max_rto": "64 s",
        "tcp.initial_rto": "6 s",
        "tcp.backoff_after_floor": False,
        "tcp.timer_before_sample": True,
    }


def test_differences_are_those_of_either_side() -> None:
    assert differences("rfc", "rfc") == []
    assert differences("rfc", "ns2-2.35") == differences("ns2-2.35", "rfc")
    names = {row.name for row in differences("ns2-2.35", "ns2-2000")}
    assert {"tcp.clock", "tcp.lone_segments", "red.above_max"} <= names
    assert "tcp.max_window" not in names


def _kept(value: Value) -> bool | float | str:
    return str(value) if isinstance(value, PacketSize) else value


def test_defaults_are_those_that_were_kept() -> None:
    """Validates: every default of every profile and variant.
    Source: our own table; each row names the RFC or the parameter of ns-2.
    Tolerance: exact.
    """
    hold_readable(
        "profiles",
        {
            row.name: {
                profile: [
                    _kept(row.value(profile)),
                    *({variant: value} for variant, value in row.variants(profile).items()),
                ]
                for profile in PROFILES
            }
            for row in TABLE
        },
    )
