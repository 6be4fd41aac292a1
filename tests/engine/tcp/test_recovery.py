"""The loss recovery, which is chosen apart from the congestion control."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import ackclock as ac
from ackclock.engine.catalogue import catalogue
from ackclock.running.result import load
from ackclock.scenario.profile import PROFILES

if TYPE_CHECKING:
    from pathlib import Path

_NS2 = [name for name in PROFILES if name.startswith("ns2")]
_OLD: dict[str, Any] = {"tahoe": "tahoe", "reno": "reno", "newreno": "newreno", "sack": "sack", "vegas": "vegas"}
_OLD |= {"highspeed": "sack", "scalable": "sack"}


def _scenario(*transports: ac.Tcp, profile: str = "linux", packets: int = 33) -> ac.Scenario:
    """Flows on a link of 10 Mb/s with a round-trip time of 40 ms: a bandwidth-delay product of 33 packets."""
    return ac.Scenario(
        profile=profile,
        duration="20 s",
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="1 Gbps", delay="10 ms"),
            bottleneck=ac.Link(rate="10 Mbps", delay="10 ms", queue=ac.DropTail(packets=packets)),
        ),
        clients=[ac.Clients(spread="1 s", transport=each, source=ac.Greedy()) for each in transports],
    )


def _whole(profile: str, given: ac.Tcp) -> dict[str, Any]:
    transport: dict[str, Any] = _scenario(given, profile=profile).effective().to_dict()["clients"][0]["transport"]
    return transport


@pytest.mark.parametrize("variant", list(catalogue().variants))
def test_a_variant_has_the_recovery_of_its_profile(variant: str) -> None:
    old = _OLD.get(variant, "rack")
    fixed = variant in {"tahoe", "newreno", "sack"}
    for profile in PROFILES:
        today = "vegas" if (profile, variant) == ("rfc", "vegas") else "rack"
        expected = old if fixed or profile in _NS2 else today
        assert _whole(profile, ac.Tcp(variant))["recovery"] == expected


@pytest.mark.parametrize("name", ["tahoe", "newreno", "sack", "rack"])
def test_a_name_that_fixes_a_recovery_is_reno_with_it(name: Any) -> None:
    """Also in the rows of the profile table that are only for one variant."""
    for profile in PROFILES:
        reno = _whole(profile, ac.Tcp("reno", recovery=name))
        assert _whole(profile, ac.Tcp(name)) == reno | {"variant": name}
    assert ac.Tcp(name, recovery=name).recovery == name


def test_a_contradiction_is_refused() -> None:
    with pytest.raises(ac.ScenarioError, match="recovery: 'sack' is not allowed; must be absent: the variant newreno"):
        ac.Tcp("newreno", recovery="sack")


@pytest.mark.parametrize("variant", ["bbr", "bbr3", "copa", "prague"])
def test_laws_that_sample_delivery_rates_need_rack(variant: str) -> None:
    with pytest.raises(
        ac.ScenarioError, match=r"transport.recovery: 'sack' is not allowed; must be rack, as the window"
    ):
        ac.simulate(_scenario(ac.Tcp(variant, recovery="sack")))


@pytest.mark.parametrize("recovery", ["newreno", "sack", "rack"])
@pytest.mark.parametrize("variant", ["reno", "vegas", "highspeed", "scalable", "cubic"])
def test_a_loss_reduces_the_window_as_the_law_says(variant: str, recovery: Any) -> None:
    """Vegas sets its threshold to two packets when slow start ends, which is not the window that a recovery aims at.

    Validates: one loss leaves at least half of the window, so that a buffer of a whole product keeps the link busy.
    Source: RFC 5681, section 3.2, for Reno; Brakmo and Peterson 1995 for Vegas.
    Tolerance: 10 %, as NewReno takes a round trip for each loss at the end of slow start.
    """
    run = ac.simulate(_scenario(ac.Tcp(variant, recovery=recovery), packets=34))
    assert run.summary.utilization > 0.9


def test_a_changed_default_is_reported_once() -> None:
    notices = ac.simulate(_scenario(ac.Tcp("reno"), ac.Tcp("cubic"), ac.Tcp("reno"), ac.Tcp("scalable"))).notices
    (notice,) = (each for each in notices if "recovery" in each)
    today = 'repairs losses with recovery "rack" (profile linux); until version 0.2 it was recovery'
    assert notice == (
        f'Variant "reno" {today} "reno", without SACK. Variant "scalable" {today} "sack". '
        "The field recovery selects one."
    )


@pytest.mark.parametrize("profile", ["linux", *_NS2])
def test_what_is_given_or_has_not_changed_is_not_reported(profile: str) -> None:
    recovery: Any = None if profile in _NS2 else "rack"
    notices = ac.simulate(_scenario(ac.Tcp("reno", recovery=recovery), profile=profile)).notices
    assert not [each for each in notices if "recovery" in each]


def test_results_of_schema_1_keep_their_meaning(tmp_path: Path) -> None:
    """They have no recovery, and are read and repeated with the one that their variants had."""
    for variant, old in _OLD.items():
        run = ac.simulate(_scenario(ac.Tcp(variant, recovery=old), profile="rfc"))
        run.save(tmp_path / variant)
        file = tmp_path / variant / "record.json"
        record = json.loads(file.read_text())
        del record["scenario"]["clients"][0]["transport"]["recovery"]
        del record["files"], record["checksum"]  # which came later
        file.write_text(json.dumps(record | {"schema": 1}))
        again = ac.simulate(load(tmp_path / variant).scenario)
        assert again.summary == run.summary
        assert not [each for each in again.notices if "until version" in each]
