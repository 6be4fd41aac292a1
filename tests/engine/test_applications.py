"""Applications that people measure: requests on one connection, web pages, and calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ackclock as ac

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

RATE = 10e6
DELAY = 0.04


def run(*groups: Mapping[str, Any], duration: str = "60 s", record: tuple[str, ...] = (), **link: Any) -> ac.Run:
    """Run groups over one link of 10 Mb/s and 40 ms; its other fields are keywords."""
    return ac.simulate(
        ac.Scenario.from_dict(
            {
                "duration": duration,
                "dumbbell": {
                    "access": {"rate": "1000 Gbps", "delay": "0 s"},
                    "bottleneck": {"rate": f"{RATE:.0f} bps", "delay": "40 ms"} | link,
                },
                "clients": list(groups),
            }
        ),
        record=list(record),
    )


def requests(size: str, every: str, **options: Any) -> dict[str, Any]:
    """Return a group that requests objects of one size at equal intervals; options are those of TCP."""
    source = {"kind": "requests", "size": {"kind": "fixed", "mean": size}, "every": {"kind": "fixed", "mean": every}}
    usual = {"kind": "tcp", "handshake": False, "initial_window": 10, "delayed_ack": False}
    return {"name": "objects", "transport": usual | options, "source": source}


def call(size: int = 120, **source: Any) -> dict[str, Any]:
    """Return a group with one call."""
    frames = {"kind": "frames", "rate": 50} | source
    return {"name": "call", "packet_size": size, "transport": {"kind": "udp"}, "source": frames}


def browser(objects: int, connections: int, **options: Any) -> dict[str, Any]:
    """Return a group that loads pages of a document and objects of ten packets each, and thinks for 2 s."""
    size = {"kind": "fixed", "mean": "14600 B"}
    source = {"kind": "pages", "document": size, "objects": objects, "size": size, "connections": connections}
    usual = {"kind": "tcp", "handshake": False, "initial_window": 10, "delayed_ack": False}
    return {
        "name": "browser",
        "transport": usual | options,
        "source": source | {"think": {"kind": "fixed", "mean": "2 s"}},
    }


def score(delay: float, missing: float) -> float:
    """Compute the mean opinion score of a delay in ms and a share of missing packets, by G.107."""
    percent = 100 * missing
    r = 93.2 - 0.024 * delay - 0.11 * max(delay - 177.3, 0) - 95 * percent / (percent + 25.1)
    return 1 + 0.035 * r + 7e-6 * r * (r - 60) * (100 - r)


def test_an_object_every_two_seconds_takes_its_transmission() -> None:
    """Objects of ten packets on an idle link.

    Validates: requests are made every 2 s from the start on; each takes ten transmissions and the delay of the link.
    Source: by hand: 10 * 1.2 ms + 40 ms, with a window of ten packets that idle times do not reduce below ten.
    Tolerance: a microsecond, for the access links.
    """
    transfers = run(requests("14600 B", "2 s"), record=("transfers",)).table("transfers")
    assert transfers["start"].to_numpy() == pytest.approx(np.arange(0, 60, 2), abs=1e-9)
    assert transfers["completion"].to_numpy() == pytest.approx(10 * 12_000 / RATE + DELAY, abs=1e-6)


def test_requests_do_not_wait_for_a_slow_link() -> None:
    """Objects of ten packets every 2 s over a link that needs 3 s for one.

    Validates: each object begins when the one before is acknowledged, and its completion time counts from its request,
        so that it grows by the same time from object to object; requests that still wait have rows without an end.
    Source: by hand: 10 * 0.3 s, the two delays of 40 ms and the ACK, less the 2 s between requests.
    Tolerance: a microsecond.
    """
    done = run(requests("14600 B", "2 s"), record=("transfers",), rate="40 kbps")
    transfers = done.table("transfers").to_pandas()
    assert transfers["start"].to_numpy() == pytest.approx(np.arange(0, 60, 2), abs=1e-9)
    ended = transfers["completion"].dropna()
    assert len(ended) == 60 // 3.088
    cycle = 10 * 0.3 + 2 * DELAY + 40 * 8 / 40e3
    assert np.diff(ended) == pytest.approx(cycle - 2, abs=1e-6)
    group = done.groups["objects"]
    assert group.completion_p99 == pytest.approx(ended.max(), rel=1e-3)
    assert any("30 transfers" in notice or "incomplete" in notice for notice in done.notices), done.notices


def test_speech_on_an_idle_link_has_the_score_of_its_delay(record_property: Callable[[str, object], None]) -> None:
    """Speech of 50 packets of 120 bytes per second.

    Validates: all percentiles of the delay are the delay of the link and one transmission; nothing is lost; the score
        is that of this delay and a frame of 20 ms.
    Source: ITU-T G.107, annex B, by hand: R = 93.2 - 0.024 * 60.1.
    Tolerance: 0.1 % of the delay, the width of a bucket; 0.001 of the score.
    """
    group = run(call()).groups["call"]
    delay = DELAY + 960 / RATE
    record_property("measured", f"mos {group.mos:.3f}")
    assert [group.delay_p50, group.delay_p95, group.delay_p99] == pytest.approx([delay] * 3, rel=1e-3)
    assert group.lost == 0
    assert group.mos == pytest.approx(score(1000 * delay + 20, 0), abs=1e-3)


@pytest.mark.parametrize("probability", [0.02, 0.1])
def test_losses_lower_the_score(probability: float, record_property: Callable[[str, object], None]) -> None:
    """Speech over a link that loses packets at random, for 400 s.

    Validates: the share of lost packets is that of the link, and the score follows from it.
    Source: ITU-T G.107, section 7.5.
    Tolerance: four standard errors of 20,000 packets; 0.002 of the score.
    """
    loss = {"kind": "random", "probability": probability}
    group = run(call(), duration="400 s", loss=loss).groups["call"]
    assert group.lost is not None
    record_property("measured", f"lost {group.lost:.4f}, mos {group.mos:.3f}")
    assert group.lost == pytest.approx(probability, abs=4 * (probability * (1 - probability) / 20_000) ** 0.5)
    assert group.mos == pytest.approx(score(1000 * DELAY + 20.1, group.lost), abs=2e-3)


def test_the_packets_of_a_video_frame_wait_for_each_other() -> None:
    """Frames of four packets of 1500 bytes, each tenth a key frame of eight.

    Validates: the n-th packet of a frame arrives n transmissions after the delay; of 44 packets in ten frames, the
        fourth or a later one are 14, and the eighth is one. Video has no score of speech.
    Source: by hand, 1.2 ms per packet.
    Tolerance: 0.1 %, the width of a bucket.
    """
    source = {"rate": 30, "packets": 4, "key_every": 10, "key_packets": 8}
    group = run(call(1500, **source)).groups["call"]
    # places in a frame, in order: 10 each of 1 to 4, and one each of 5 to 8
    places = np.sort(np.concatenate([np.repeat([1, 2, 3, 4], 10), [5, 6, 7, 8]]))
    found = [group.delay_p50, group.delay_p95, group.delay_p99]
    expected = [DELAY + 0.0012 * places[int(np.ceil(q * 44)) - 1] for q in (0.5, 0.95, 0.99)]
    assert found == pytest.approx(expected, rel=1e-3)
    assert group.goodput_bps == pytest.approx(12_000 * 30 * 4.4, rel=1e-2)
    assert group.mos is None


def test_only_speech_over_udp_has_a_score() -> None:
    tcp = {"name": "tcp", "transport": {"kind": "tcp"}, "source": {"kind": "frames", "rate": 50}}
    stream = {"name": "stream", "transport": {"kind": "udp"}, "source": {"kind": "constant", "rate": 50}}
    done = run(tcp, stream, call(), duration="5 s")
    scores = [group.mos for group in done.groups]
    assert scores[:2] == [None, None]
    assert scores[2] is not None


@pytest.mark.parametrize("objects", [1, 3])
def test_a_page_over_one_connection_takes_a_round_trip_for_each_object(objects: int) -> None:
    """Pages on an idle link.

    Validates: each object follows the ACK of the one before; the last one ends the page. The next page begins 2 s after
        the last ACK.
    Source: by hand: a cycle is ten transmissions of 1.2 ms, two delays of 40 ms and the ACK's 32 us; the last object
        lacks the way back.
    Tolerance: a microsecond; 0.1 % for the percentiles of the summary.
    """
    done = run(browser(objects, 1), record=("pages", "transfers"))
    pages = done.table("pages").to_pandas()
    back = DELAY + 320 / RATE
    load = objects * (10 * 0.0012 + DELAY + back) + 10 * 0.0012 + DELAY
    loaded = pages.dropna()
    assert len(loaded) >= len(pages) - 1 >= 20
    assert loaded["load"].to_numpy() == pytest.approx(load, abs=1e-6)
    assert loaded["objects"].tolist() == [objects + 1] * len(loaded)
    assert loaded["packets"].tolist() == [10 * (objects + 1)] * len(loaded)
    starts, ends = pages["start"].to_numpy(), loaded["end"].to_numpy()
    assert starts[1:] - ends[: len(starts) - 1] == pytest.approx(2 + back, abs=1e-6)
    group = done.groups["browser"]
    assert group.pages == len(loaded)
    assert [group.page_load_mean, group.page_load_p50, group.page_load_p99] == pytest.approx([load] * 3, rel=1e-3)
    assert group.completed == len(done.table("transfers").to_pandas().dropna())


@pytest.mark.parametrize("handshake", [False, True])
def test_connections_open_once_a_page(*, handshake: bool) -> None:
    """Pages of a document and six objects over three connections of a link on which the objects do not wait long.

    Validates: a page takes three times the path: for the document, and for two objects of each connection, the first of
        which comes after a handshake if there is one, as does the document.
    Source: by hand: the round trip of 80 ms, and for each of the three times ten to thirty transmissions of 1.2 ms.
    Tolerance: the bounds.
    """
    done = run(browser(6, 3, handshake=handshake), record=("pages",))
    load = done.groups["browser"].page_load_p50
    least = 3 * 0.08 - DELAY + 3 * 10 * 0.0012 + 2 * 0.08 * handshake
    assert load is not None
    assert least <= load <= least + 2 * 20 * 0.0012 + 0.002


def test_pages_that_are_not_loaded_have_no_end() -> None:
    done = run(browser(20, 6), duration="5 s", record=("pages",), rate="100 kbps")
    pages = done.table("pages").to_pandas()
    assert len(pages) == 1
    assert np.isnan(pages["load"][0])
    group = done.groups["browser"]
    assert (group.pages, group.page_load_p50) == (0, None)
    with pytest.raises(ac.ScenarioError, match="requires web pages"):
        run(call(), duration="5 s", record=("pages",))


def test_applications_stop_with_their_groups() -> None:
    """Requests every 2 s and pages, in two periods.

    Validates: requests that are due in a pause are not made, and the first one after a pause is
        made when it ends. No page begins in a pause.
    Source: the definition of `active`, by hand: requests at 0, 2, ..., 8 s and at 20, 22, ..., 28 s.
    Tolerance: a nanosecond.
    """
    active = {"active": [["0 s", "10 s"], ["20 s", "30 s"]]}
    asked = run(requests("14600 B", "2 s") | active, record=("transfers",)).table("transfers")["start"].to_numpy()
    assert asked == pytest.approx([0, 2, 4, 6, 8, 20, 22, 24, 26, 28], abs=1e-9)
    slow = (
        run(requests("14600 B", "2 s") | active, record=("transfers",), rate="40 kbps").table("transfers").to_pandas()
    )
    assert slow["start"].is_monotonic_increasing
    assert ((slow["start"] < 10) | ((slow["start"] >= 20) & (slow["start"] < 30))).all()
    pages = run(browser(3, 2) | active, record=("pages",)).table("pages")["start"].to_numpy()
    assert ((pages < 10) | ((pages >= 20) & (pages < 30))).all()
    assert pages[pages >= 10][0] == pytest.approx(20, abs=1e-9)
