"""Flows that stop, and flows that join and leave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ackclock as ac


def sharing(*groups: dict[str, Any], seconds: int = 40) -> ac.Scenario:
    """Return groups that share a bottleneck of 100 Mb/s and 30 ms with a fair queue."""
    usual = {"transport": ac.Tcp("cubic"), "source": ac.Greedy()}
    return ac.Scenario(
        profile="linux",
        duration=f"{seconds} s",
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="1 Gbps", delay="5 ms"),
            bottleneck=ac.Link(rate="100 Mbps", delay="10 ms", queue=ac.Fq(packets=400)),
        ),
        clients=[ac.Clients.model_validate({**usual, **group}) for group in groups],
    )


def rates(scenario: ac.Scenario) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the goodput of each flow in each second, in Mb/s."""
    table = ac.simulate(scenario, seed=1, record=["throughput/1s"]).table("throughput")
    flows, bytes_ = table["flow"].to_numpy(), table["bytes"].to_numpy()
    found: np.ndarray[Any, np.dtype[np.float64]] = np.array([8e-6 * bytes_[flows == flow] for flow in np.unique(flows)])
    return found


def test_flows_that_join_and_leave_share_the_link() -> None:
    """Five flows behind a fair queue join 5 s apart and leave 5 s apart, as in DCTCP's figure of convergence.

    Validates: with n flows on a link with a fair queue, each has an n-th of the link, and a flow that has stopped none.
    Source: the definition of fair queueing; Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, figure 16, for
        the order of joins and leaves.
    Tolerance: 1 % of the mean of the last three of the five seconds between changes: data that waits for a
        retransmission is counted when it is in order, up to 100 packets or 0.4 % of a share later.
    """
    groups = [{"start": f"{5 * place} s", "stop": f"{50 - 5 * place} s"} for place in range(5)]
    found = rates(sharing(*groups, seconds=50))
    for begin in range(0, 50, 5):
        active = [place for place in range(5) if 5 * place <= begin < 50 - 5 * place]
        for place in range(5):
            expected = 100 / len(active) if place in active else 0
            assert found[place][begin + 2 : begin + 5].mean() == pytest.approx(expected, rel=0.01), (begin, place)


def test_a_schedule_has_pauses() -> None:
    first, second = rates(sharing({"active": [["0 s", "10 s"], ["20 s", "30 s"]]}, {"start": "1 s", "duration": "8 s"}))
    assert first[11:20].max() == first[31:].max() == 0
    assert first[24:30].min() > 90
    assert second[10:].max() == 0


def test_a_transfer_continues_or_is_drained() -> None:
    """A transfer of 100 MB takes 8 s alone, and the flow is active for 5 s."""
    tables = {
        choice: rates(sharing({"source": ac.Greedy(size="100 MB"), "unfinished": choice, **periods}))[0]
        for choice, periods in (
            ("dropped", {"active": [["0 s", "5 s"], ["20 s", "39 s"]]}),
            ("drained", {"stop": "5 s"}),
        )
    }
    assert tables["dropped"][6:20].max() == 0
    assert tables["dropped"][20:24].sum() > 250
    assert np.argmax(tables["drained"] == 0) in (8, 9)


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ({"stop": "0 s"}, "clients.0.stop: '0 s' is not allowed; must be after the start, at 0 s"),
        ({"stop": "41 s"}, "clients.0.stop: '41 s' is not allowed; must be at most the end, at 40 s"),
        (
            {"stop": "4 s", "duration": "2 s"},
            "clients.0.duration: '2 s' is not allowed; must be absent when stop is given",
        ),
        (
            {"active": [["1 s", "2 s"]], "start": "0 s"},
            "clients.0.start: '0 s' is not allowed; must be absent, or the beginning of the first active period, 1 s",
        ),
        (
            {"active": [["1 s", "3 s"], ["2 s", "4 s"]]},
            "in the pair at 1, '2 s' must not be before the end of the period before, at 3 s",
        ),
        ({"unfinished": "drained"}, "must be absent unless stop, duration or active is given"),
        (
            {"stop": "4 s", "unfinished": "drained"},
            "must be dropped for a greedy source without a size, whose data never ends",
        ),
        (
            {
                "stop": "4 s",
                "unfinished": "dropped",
                "source": ac.Transfers(size=ac.Fixed(mean="10 kB"), think=ac.Fixed(mean="1 s")),
            },
            "must be drained for transfers: a transfer that has begun is completed",
        ),
    ],
)
def test_what_cannot_be_is_refused(group: dict[str, Any], message: str) -> None:
    with pytest.raises(ac.ScenarioError) as error:
        sharing(group)
    assert message in str(error.value)


def test_an_effective_schedule_is_read_back() -> None:
    for group in ({"active": [["1 s", "2 s"]]}, {"stop": "4 s"}, {"duration": "4 s"}):
        whole = sharing(group).effective()
        assert ac.Scenario.from_dict(whole.to_dict()).effective() == whole
    assert sharing({}).effective().clients[0].unfinished is None
