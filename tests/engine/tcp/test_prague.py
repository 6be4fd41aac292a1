"""Prague through DualPI2: short delays for itself, beside CUBIC at the delay of the classic queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from tests.engine.tcp import greedy
from tests.engine.tcp.greedy import Flow

import ackclock as ac

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

Note = Callable[[str, object], None]
"""pytest's ``record_property``."""


def run(
    *flows: tuple[str, float],
    rate: str = "40 Mbps",
    queue: dict[str, Any] | None = None,
    duration: int = 30,
    **fields: Any,
) -> ac.Run:
    """Run greedy flows, each with its variant and its round-trip time in ms; measures begin at 10 s.

    The profile is Linux's.
    """
    each = [Flow(name, fields={"access": {"rate": "10 Gbps", "delay": f"{rtt / 2 - 1} ms"}}) for name, rtt in flows]
    link = {"rate": rate, "delay": "1 ms", "queue": queue or {"kind": "dualpi2"}}
    return greedy.run(*each, link=link, duration=duration, since=10, profile="linux", **fields)


def sojourns(done: ac.Run, flow: int) -> pd.Series:
    """Time that packets of data of a flow waited at the bottleneck, from 10 s on, in seconds."""
    packets = done.table("packets").to_pandas()
    packets = packets[(packets["link"] == "bottleneck") & (packets["flow"] == flow) & (packets["time"] > 10)]
    times = packets[(packets["kind"] == "data") & ~packets["retransmission"]].pivot_table(
        index="segment", columns="event", values="time", aggfunc="first", observed=True
    )
    return (times["dequeue"] - times["enqueue"]).dropna()


@pytest.mark.parametrize("rtt", [5, 10, 25, 50, 100])
def test_prague_beside_cubic(rtt: int, record_property: Note) -> None:
    """One flow of each at 40 Mb/s, with equal round-trip times of 5 to 100 ms.

    Validates: the delay of queue L is below 2 ms at the 99th percentile, the mean delay of queue C within 5 ms of its
        target of 15 ms, and the rates are within a factor of 2. A reduction of CUBIC to 0.7 empties queue C if the
        path is longer than 35 ms, since 0.7 (35 + 15) = 35; there the mean may be lower.
    Source: RFC 9332, sections 2.1 and 2.5 and appendix A: target 15 ms, coupling factor 2; De Schepper et al. 2016
        (PI2, CoNEXT), figures 15 and 19.
    Tolerance: the bounds, from 10 s to 30 s.
    """
    done = run(("prague", rtt), ("cubic", rtt), record=("packets@*",))
    short, classic = sojourns(done, 0), sojourns(done, 1)
    ratio = done.groups[0].goodput_bps / done.groups[1].goodput_bps
    record_property(
        "measured",
        f"L {short.quantile(0.99) * 1e3:.2f} ms at p99, C {classic.mean() * 1e3:.1f} ms on average, ratio {ratio:.2f}, "
        f"utilization {done.summary.utilization:.3f}",
    )
    assert short.quantile(0.99) < 0.002
    assert classic.mean() < 0.02
    if rtt <= 35:
        assert classic.mean() > 0.01
    assert 0.5 <= ratio <= 2


def test_one_flow_uses_the_link_with_a_short_queue(record_property: Note) -> None:
    """One flow at 10 Mb/s and 20 ms.

    Validates: at a step of 1 ms, where a packet takes 1.2 ms, the mean delay of queue L is below 2 ms and the use above
        95 %.
    Source: RFC 9332, appendix A: the marking threshold of queue L.
    Tolerance: the bounds.
    """
    done = run(("prague", 20), rate="10 Mbps", record=("packets@*",))
    delay = sojourns(done, 0).mean()
    record_property("measured", f"{delay * 1e3:.2f} ms, use {done.summary.utilization:.3f}")
    assert delay < 0.002
    assert done.summary.utilization > 0.95
    assert done.summary.marks > 0
    assert done.summary.drops == 0


def test_rates_do_not_depend_on_short_round_trip_times(record_property: Note) -> None:
    """Two flows of 5 and 20 ms through DualPI2, and the same with DCTCP.

    Validates: two flows of Prague below 25 ms have equal rates, two of DCTCP rates far apart.
    Source: draft-briscoe-iccrg-prague-congestion-control, section 2.4.4.
    Tolerance: 25 % for Prague, as the bursts of Linux's pacing meet the step of queue L differently; at least a factor
        of 2 for DCTCP, whose rates are as 4 to 1 without a queue.
    """
    ratios = {}
    for variant in ("prague", "dctcp"):
        queue = {"kind": "dualpi2", "low": "ect"}
        goodputs = [group.goodput_bps for group in run((variant, 5), (variant, 20), queue=queue, duration=60).groups]
        ratios[variant] = goodputs[0] / goodputs[1]
    record_property("measured", f"{ratios}")
    assert ratios["prague"] == pytest.approx(1, abs=0.25)
    assert ratios["dctcp"] > 2


def test_losses_have_the_classic_answer(record_property: Note) -> None:
    """One flow through a drop-tail queue of one bandwidth-delay product, which never marks.

    Validates: without marks the window halves on a loss, as Reno's, which a buffer of a product hides: the use is above
        95 %.
    Source: draft-briscoe-iccrg-prague-congestion-control, section 2.4.3; Appenzeller et al. 2004 for the buffer.
    Tolerance: the bound.
    """
    done = run(("prague", 40), rate="10 Mbps", queue={"kind": "droptail", "packets": 34})
    record_property("measured", f"{done.summary.utilization:.3f}")
    assert done.summary.marks == 0
    assert done.summary.drops > 0
    assert done.summary.utilization > 0.95


def test_the_example_has_short_delays_for_prague(root: Path) -> None:
    summary = ac.simulate(ac.Scenario.from_toml(root / "examples" / "prague.toml")).summary
    classic, scalable = summary.groups["classic"], summary.groups["scalable"]
    assert classic.delay_mean is not None
    assert scalable.delay_mean is not None
    # 10 ms of propagation
    assert scalable.delay_mean < 0.012
    assert 0.02 < classic.delay_mean < 0.03
    assert 1 / 2 < classic.goodput_bps / scalable.goodput_bps < 2
    assert summary.utilization > 0.95


def test_prague_needs_exact_counts_of_marks() -> None:
    with pytest.raises(ac.ScenarioError, match=r"ecn: 'classic' is not allowed; must be accurate, as the window law"):
        run(("prague", 20), ecn="classic")
