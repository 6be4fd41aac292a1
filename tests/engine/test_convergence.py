"""Convergence after joins, leaves and new rates, as measures of runs and sweeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.analysis.fairness import jain_index
from ackclock.running.summary import summary_rows
from ackclock.study.store import Store

if TYPE_CHECKING:
    from pathlib import Path

CONVERGENCE = {"window": "1 s", "delta": 0.1}
NAMES = ("jain_windows", "convergence_join", "convergence_leave", "convergence_rate", "converged")


def flows(*, queue: Any, changes: Any = (), variant: str = "reno", **measure: Any) -> ac.Scenario:
    """Return a flow that another one joins at 10 s and leaves at 20 s, on a link of 10 Mb/s and 20 ms."""
    transport = ac.Tcp(variant)
    return ac.Scenario.from_dict(
        {
            "duration": "30 s",
            "measure": {"convergence": CONVERGENCE} | measure,
            "dumbbell": {
                "access": {"rate": "1 Gbps", "delay": "1 ms"},
                "bottleneck": {"rate": "10 Mbps", "delay": "9 ms", "queue": queue},
            },
            "clients": [
                {"transport": transport.model_dump(exclude_none=True), "source": {"kind": "greedy"}},
                {
                    "active": [["10 s", "20 s"]],
                    "transport": transport.model_dump(exclude_none=True),
                    "source": {"kind": "greedy"},
                },
            ],
            "changes": changes,
        }
    )


def found(run: ac.Run) -> dict[str, float | None]:
    return {name: getattr(run.summary, name) for name in NAMES}


def test_acks_of_a_download_are_not_there_to_be_shared() -> None:
    """Two uploads share what the ACKs of a download leave.

    Validates: ACKs at the measured link are not part of what flows share: each upload has half of the rest.
    Source: by hand: a download of 100 Mb/s with delayed ACKs sends 4167 ACKs of 40 bytes each second, 1.33 Mb/s. They
        leave 8.67 of 10 Mb/s, of which half is 13 % below half of the link, outside of `delta`.
    Tolerance: that of fair queues, 0.3 s; 5 % for the ACKs.
    """
    scenario = flows(queue={"kind": "fq", "packets": 200}, links=["bottleneck.reverse"]).to_dict()
    scenario["dumbbell"]["reverse"] = {
        "rate": "100 Mbps",
        "delay": "9 ms",
        "queue": {"kind": "droptail", "packets": 300},
    }
    scenario["clients"].append(
        {"name": "download", "direction": "reverse", "transport": {"kind": "tcp"}, "source": {"kind": "greedy"}}
    )
    run = ac.simulate(ac.Scenario.from_dict(scenario), seed=1)
    each = found(run)
    assert each["converged"] == 1
    assert each["convergence_join"] == pytest.approx(0, abs=0.3)
    uploads = sum(group.goodput_bps for group in run.groups if group.name != "download")
    assert 10e6 - uploads == pytest.approx(1.33e6, rel=0.05)


def test_flows_in_fair_queues_converge_at_once() -> None:
    """Validates: with a queue for each flow, two flows share the link from the beginning of the second one on, and one
        has all of it when the other leaves. So each convergence time of the fluid is 0, also after a new rate.
    Source: the fluid of processor sharing.
    Tolerance: 0.3 s: the time that a full queue takes (0.24 s), which a leaving flow may leave behind and a slow start
        may wait for, rounded up to a tenth of a window; exact for the new rate, with full queues before and after.
    """
    changes = [{"at": "15 s", "rate": "6 Mbps"}]
    run = ac.simulate(flows(queue={"kind": "fq", "packets": 200}, changes=changes), seed=1)
    each = found(run)
    join, leave, rate, converged = (each[name] for name in NAMES[1:])
    assert join is not None and leave is not None  # noqa: PT018
    assert max(join, leave) <= 0.3
    assert (rate, converged) == (0, 1)
    assert each["jain_windows"] == pytest.approx(1, abs=0.002)


def test_the_measures_are_those_of_the_record() -> None:
    """Validates: the measures equal those computed here from the record of throughput, in bins of a step, by the
        definition: the first window of ten bins in which both rates are from 4.5 to 5.5 Mb/s.
    Source: RFC 5166, section 2.3; an independent computation.
    Tolerance: exact.
    """
    scenario = flows(queue={"kind": "droptail", "packets": 25})
    run = ac.simulate(scenario, seed=3, record=["throughput/100ms"])
    table = run.table("throughput")
    rates = table["bytes"].to_numpy().reshape(300, 2).T * 8 / 1e6
    windows = np.array([rates[:, begin : begin + 10].sum(axis=1) for begin in range(291)])
    shared = [begin for begin in range(100, 191) if np.abs(windows[begin] / 5 - 1).max() <= 0.1]
    alone = [begin for begin in range(200, 291) if abs(windows[begin][0] / 10 - 1) <= 0.1]
    each = found(run)
    assert each["convergence_join"] == pytest.approx(shared[0] / 10 - 10 if shared else 10)
    assert each["convergence_leave"] == pytest.approx(alone[0] / 10 - 20)
    assert each["converged"] == (1 if shared else 0.5)
    assert each["convergence_rate"] is None
    expected = jain_index(windows[100:191].T).mean()
    assert each["jain_windows"] == pytest.approx(expected, rel=1e-12)


def test_a_sender_that_halves_converges_more_slowly_than_a_fair_queue() -> None:
    runs = ac.replicate(flows(queue={"kind": "droptail", "packets": 25}, **{"from": "5 s"}), seeds=3)
    assert runs.convergence_join.mean is not None
    assert runs.convergence_join.mean > 0


def test_nothing_is_computed_or_shown_unless_it_is_asked_for() -> None:
    scenario = flows(queue={"kind": "droptail", "packets": 25}).changed({"measure": {}})
    run = ac.simulate(scenario, seed=3)
    assert set(found(run).values()) == {None}
    assert not {row[0] for row in summary_rows(run.summary)} & set(NAMES)


def test_a_store_has_the_measures(tmp_path: Path) -> None:
    scenario = flows(queue={"kind": "fq", "packets": 200}).changed({"clients.1.spread": "1 s"})
    ac.sweep(
        scenario, over={"clients.0.transport.variant": ["reno", "cubic"]}, replications=3, store=tmp_path / "store"
    )
    rows = Store.open(tmp_path / "store").runs.to_pylist()
    assert len(rows) == 6
    assert all(row["convergence_join"] <= 0.3 for row in rows)


def test_a_link_that_flows_leave_or_that_frames_packets_has_no_convergence() -> None:
    tables = flows(queue={"kind": "fq", "packets": 200}).to_dict()
    tables["dumbbell"]["bottleneck"]["framing"] = {"overhead": 38}
    with pytest.raises(ac.ScenarioError, match="must be absent: a link with a medium or framing never carries packets"):
        ac.Scenario.from_dict(tables)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"window": "31 s"}, "window: '31 s' is not allowed; must be from 10 ps to the duration, 30 s"),
        ({"window": "1 ps"}, "window: '1 ps' is not allowed; must be from 10 ps"),
        ({"window": "1 us"}, "window: '1 us' is not allowed; must be longer: 10 steps for each window"),
        ({"window": "1 s", "delta": 0}, "delta: 0 is not allowed; must be a number from 1e-06 to 0.99"),
        ({"delta": 0.1}, "window: missing"),
        ("1 s", "convergence"),
    ],
)
def test_wrong_values_are_refused(value: Any, says: str) -> None:
    with pytest.raises(ac.ScenarioError, match=says):
        flows(queue={"kind": "fq", "packets": 200}, convergence=value)
