"""What the scorecard measures of known laws, beside published comparisons of them.

The comparisons are of other networks, so each is an order with a margin, or the bound that the source states, and not a
value. Margins were fixed before the first run, from the sources.
"""

from __future__ import annotations

import statistics

import pytest
from tests.scorecard.networks import seen_in

pytestmark = pytest.mark.slow
SHALLOW, DEEP = "100 Mb/s, 40 ms, buffer 0.25 BDP", "100 Mb/s, 40 ms, buffer 4 BDP"


def mean(law: str, experiment: str, place: str, measure: str) -> float:
    """Return the mean of a measure of a law in one network."""
    values = seen_in(law, experiment, place).seen[measure].own
    return statistics.fmean(value for value in values if value is not None)


def test_bbr_starves_cubic_in_shallow_buffers() -> None:
    """Hock, Bless and Zitterbart, ICNP 2017, section V-D: CUBIC hardly gets a share beside BBR at 0.8 BDP."""
    others = "others' part of their fair share"
    assert mean("bbr", "mixed", f"1 beside 1 of cubic, {SHALLOW}", others) < 30
    assert mean("cubic", "mixed", f"1 beside 1 of cubic, {SHALLOW}", others) > 90


def test_bbr_and_cubic_share_deep_buffers() -> None:
    """Cardwell et al., ACM Queue 2016, and Ware et al., IMC 2019: one BBR flow keeps about half at a few BDP."""
    part = mean("bbr", "mixed", f"1 beside 1 of cubic, {DEEP}", "own part of the fair share")
    assert 60 < part < 140


def test_several_bbr_flows_lose_much_in_small_buffers() -> None:
    """Hock et al., section V-B: retransmissions of several to over 10 % at 0.8 BDP, CUBIC below 0.1 %."""
    place = "16 flows, 100 Mb/s, 40 ms, buffer 1 BDP"
    assert mean("bbr", "itself", place, "loss") > max(3, 10 * mean("cubic", "itself", place, "loss"))


def test_bbr3_loses_less_than_bbr() -> None:
    """draft-ietf-ccwg-bbr, section 1: version 3 bounds its inflight data by losses above 2 %."""
    for place in ("16 flows, 100 Mb/s, 40 ms, buffer 1 BDP", "2 flows, 10 Mb/s, 40 ms, buffer 1 BDP"):
        assert mean("bbr3", "itself", place, "loss") < 0.5 * mean("bbr", "itself", place, "loss")


def test_bbr_holds_its_rate_under_random_loss_and_cubic_does_not() -> None:
    """Cardwell et al., figure 8, on this path: CUBIC has a tenth at 0.1 % and a hundredth at 1 %, BBR nearly all."""
    goodput, path = "goodput, of the link", "100 Mb/s, 100 ms"
    assert mean("bbr", "random_loss", f"{path}, loss 1 %", goodput) > 80
    assert mean("cubic", "random_loss", f"{path}, loss 0.1 %", goodput) < 10
    assert mean("cubic", "random_loss", f"{path}, loss 1 %", goodput) < 2


def test_vegas_and_copa_keep_short_queues() -> None:
    """Brakmo and Peterson, JSAC 1995, section 3; Arun and Balakrishnan, NSDI 2018, figure 8."""
    queue = "mean queueing delay"
    for law in ("vegas", "copa"):
        assert mean(law, "alone", DEEP, queue) < 0.2 * mean("cubic", "alone", DEEP, queue)
        assert mean(law, "alone", "10 Mb/s, 40 ms, buffer 4 BDP", "utilization") > 90


def test_vegas_gets_less_beside_loss_based_flows() -> None:
    """Mo, La, Anantharam and Walrand, INFOCOM 1999: a loss-based flow takes the buffer that Vegas leaves."""
    assert mean("vegas", "mixed", f"1 beside 1 of cubic, {DEEP}", "others' part of their fair share") > 130


def test_bbr_fills_deep_buffers_less_than_cubic() -> None:
    """Cardwell et al., ACM Queue 2016: BBR keeps about one BDP in flight, CUBIC the whole buffer."""
    queue = "mean queueing delay"
    assert mean("bbr", "alone", DEEP, queue) < 0.2 * mean("cubic", "alone", DEEP, queue)


def test_reno_favours_short_paths_more_than_cubic() -> None:
    """Ha, Rhee and Xu, CUBIC, SIGOPS 2008, section 4.3: CUBIC's growth does not depend on the round-trip time."""
    ratio, place = "larger rate over the smaller", "100 ms beside 560 ms"
    assert mean("reno", "round_trips", place, ratio) > 1.5 * mean("cubic", "round_trips", place, ratio)


def test_bbr_favours_long_paths() -> None:
    """Hock et al., section V-C: among BBR flows, those with the longer round-trip time get more."""
    place = "20 ms beside 100 ms"
    shares = [mean("bbr", "round_trips", place, f"share of the {which} path") for which in ("short", "long")]
    assert shares[1] > 1.5 * shares[0]
    renos = [mean("reno", "round_trips", place, f"share of the {which} path") for which in ("short", "long")]
    assert renos[0] > renos[1]


def test_cubic_is_friendly_to_reno_where_the_product_is_small() -> None:
    """RFC 9438, section 4.3: in the Reno-friendly region, CUBIC takes what Reno would."""
    others = mean(
        "reno", "mixed", "1 beside 1 of cubic, 10 Mb/s, 40 ms, buffer 1 BDP", "others' part of their fair share"
    )
    assert 80 < others < 125
    fast = mean(
        "reno", "mixed", "1 beside 1 of cubic, 100 Mb/s, 40 ms, buffer 1 BDP", "others' part of their fair share"
    )
    assert fast > others
