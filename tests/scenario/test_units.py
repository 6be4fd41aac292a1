"""Units of rates, sizes, windows and queues: what is read, and what a scenario makes of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import ackclock as ac
import lab_parts
from ackclock.values.quantity import RATE, SIZE, TIME

if TYPE_CHECKING:
    from pathlib import Path


def scenario(**changes: Any) -> ac.Scenario:
    """Make a network of one UDP and one TCP flow, with packets of 1,000 bytes."""
    return ac.Scenario(
        profile="linux",
        duration="2 s",
        packet_size=1000,
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="100 Mbps", delay="1 ms"), bottleneck=ac.Link(rate="10 Mbps", delay="10 ms")
        ),
        clients=[
            ac.Clients(transport=ac.Udp(), source=ac.Poisson(rate="5 Mb/s")),
            ac.Clients(transport=ac.Tcp("cubic"), source=ac.Greedy()),
        ],
    ).changed(changes)


@pytest.mark.parametrize(
    "text", ["10 Mbps", "10 Mb/s", "10 Mbit/s", "10000 kbit/s", "0.01 Gb/s", "1.25 MB/s", "1250 kB/s", "1e7 b/s"]
)
def test_rates_have_one_canonical_form(text: str) -> None:
    assert ac.Link(rate=text, delay="1 ms") == ac.Link(rate="10 Mbps", delay="1 ms")
    assert RATE.format(RATE.parse(text)) == "10 Mbps"


def test_units_of_the_lab_are_those_of_python(root: Path) -> None:
    """The page is compiled with the units that Python writes, and has none of its own."""
    written = lab_parts.quantities()
    for quantity in (TIME, RATE, SIZE):
        assert written[quantity.noun]["units"] == quantity.units | quantity.accepted
        assert max(quantity.known.values()) < 2**53, "JavaScript's numbers are exact up to there"
    page = (root / "web" / "src" / "quantity.ts").read_text(encoding="utf-8")
    assert 'import described from "../../target/lab/quantities.json";' in page
    assert not re.search("bps|kB", page)


@pytest.mark.parametrize(
    "source",
    [
        {"kind": "poisson"},
        {"kind": "constant"},
        {"kind": "onoff", "on": {"kind": "fixed", "mean": "1 s"}, "off": {"kind": "fixed", "mean": "1 s"}},
        {"kind": "fgn", "hurst": 0.8, "cov": 0.3, "bin": "100 ms"},
    ],
)
def test_rates_of_sources_are_converted_with_the_packet_size(source: dict[str, Any]) -> None:
    """Each source with a rate: 5 Mb/s are 625 packets of 1,000 bytes per second, and 1,250 of 500 bytes."""
    given = scenario(**{"clients.0.source": {**source, "rate": "5 Mb/s"}})
    assert given.clients[0].source.rate == "5 Mbps"  # type: ignore[union-attr]
    plain = given.changed({"clients.0.source.rate": 625})
    assert given.effective() == plain.effective()
    smaller = given.changed({"clients.0.packet_size": 500}).effective()
    assert smaller.clients[0].source.rate == 1250  # type: ignore[union-attr]
    assert ac.simulate(given).summary == ac.simulate(plain).summary


def test_a_rate_in_bits_is_in_packets_only_in_an_effective_scenario() -> None:
    with pytest.raises(ac.ScenarioError, match="rate: '5 Mbps' is not allowed; must be in packets per second here"):
        _ = ac.Poisson(rate="5 Mbps").mean_rate
    with pytest.raises(ac.ScenarioError, match="must be a number from 1e-06 to 1e.09 packets per second: these are"):
        scenario(**{"clients.0.source.rate": "900 Gbps", "clients.0.packet_size": 50}).effective()


@pytest.mark.parametrize(
    ("profile", "size", "packets"), [("linux", 1000, 158), ("rfc", 1000, 156), ("linux", 1500, 103)]
)
def test_windows_in_bytes_are_of_whole_payloads(profile: str, size: int, packets: int) -> None:
    """150 kB of data: 948 bytes in a packet of 1,000 with timestamps, 960 without, 1,448 of 1,500."""
    given = scenario(
        **{
            "profile": profile,
            "packet_size": size,
            "clients.1.transport.max_window": "150 kB",
            "clients.1.transport.initial_window": "1 B",
        }
    )
    whole = given.effective().clients[1].transport
    assert isinstance(whole, ac.Tcp)
    assert (whole.max_window, whole.initial_window) == (packets, 1)
    assert given.to_dict()["clients"][1]["transport"]["max_window"] == "150 kB"


def test_bytes_may_have_a_unit() -> None:
    assert ac.DropTail(bytes="150 kB") == ac.DropTail(bytes=150_000)
    policer = ac.Policer.model_validate({"rate": "1 MB/s", "burst": "3 kB"})
    assert policer == ac.Policer(rate="8 Mbps", burst=3000)
    assert scenario(packet_size="1.5 kB").packet_size == 1500


def test_units_can_be_swept() -> None:
    over = {"clients.0.source.rate": ["1 Mb/s", 250], "packet_size": ["1 kB", 1500]}
    runs = ac.sweep(scenario(), over=over, replications=3, jobs=1).runs.to_arrow()
    assert set(runs["clients.0.source.rate"].to_pylist()) == {"1 Mb/s", "250"}
    assert set(runs["packet_size"].to_pylist()) == {"1 kB", "1500"}


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        (
            "dumbbell.bottleneck.rate",
            "10 mbit",
            "must be a rate with its unit (bps kbps Mbps Gbps; also such as Mb/s Mbit/s MB/s)",
        ),
        (
            "dumbbell.bottleneck.queue",
            {"kind": "droptail", "bytes": "150 k"},
            "did you mean 'kB'? must be an integer from 1 to",
        ),
        ("dumbbell.bottleneck.queue", {"kind": "droptail", "bytes": "0 B"}, "must be an integer from 1 to"),
        ("dumbbell.bottleneck.queue", {"kind": "droptail", "bytes": "1.5 B"}, "must be a whole number of B"),
        ("packet_size", "1 MB", "must be an integer from 1 to 65535, or a size with its unit (B kB KiB MB MiB GB)"),
        ("clients.0.source.rate", "5", "must be a number from 1e-06 to 1e+09, or a rate with its unit (bps kbps"),
        ("clients.0.source.rate", "5000 Gbps", "must be a rate from 1 bps to 1000 Gbps"),
        ("clients.1.transport.max_window", "20 packets", "must be an integer from 1 to 1000000000, or a size with its"),
    ],
)
def test_errors_name_the_units(field: str, value: object, says: str) -> None:
    with pytest.raises(ac.ScenarioError) as caught:
        scenario(**{field: value})
    assert says in str(caught.value)
