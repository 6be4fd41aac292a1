"""The slow-start threshold of laws that set only the window."""

from __future__ import annotations

import pytest
from tests.laws.test_law_fields import scenario

import ackclock as ac
from ackclock.engine.core import Congestion, Window


class OnlyWindow(ac.Law):
    """A law that sets only the window after congestion."""

    def on_congestion(self, window: Window, event: Congestion) -> None:
        window.cwnd = event.window * 0.7


class Both(ac.Law):
    """The same, with what RFC 5681 says of the threshold."""

    def on_congestion(self, window: Window, event: Congestion) -> None:
        window.cwnd = event.window * 0.7
        window.ssthresh = max(window.cwnd, 2.0)


class Losses(ac.Law):
    """A law that answers neither timeouts nor sets a threshold."""

    def on_congestion(self, window: Window, event: Congestion) -> None:
        if not event.is_timeout:
            window.cwnd = event.window * 0.7


class Halves(ac.Law):
    """The same law, with half the window after a timeout."""

    def on_congestion(self, window: Window, event: Congestion) -> None:
        window.cwnd = event.window * (0.5 if event.is_timeout else 0.7)
        window.ssthresh = max(window.cwnd, 2.0)


class SomeBranches(ac.Law):
    """A law that sets the threshold after a timeout only."""

    def on_congestion(self, window: Window, event: Congestion) -> None:
        window.cwnd = event.window * 0.7
        if event.is_timeout:
            window.ssthresh = max(window.cwnd, 2.0)


class Constant(ac.Law):
    """A law that sets the threshold to the value that it has since the first reduction."""

    def on_congestion(self, window: Window, event: Congestion) -> None:
        window.cwnd, window.ssthresh = 3.0, 9.0


def windows(law: type[ac.Law], seed: int) -> tuple[ac.Summary, dict[str, list[float]]]:
    crowded = scenario(ac.Tcp(law(), recovery="newreno")).changed({"clients.0.count": 6})
    run = ac.simulate(crowded, seed=seed, record=["windows"])
    assert min(group.fast_retransmits or 0 for group in run.summary.groups) > 0
    assert min(group.timeouts or 0 for group in run.summary.groups) > 0
    return run.summary, run.table("windows").to_pydict()


@pytest.mark.parametrize(("law", "same"), [(OnlyWindow, Both), (Losses, Halves), (SomeBranches, Both)])
def test_the_engine_sets_the_threshold_that_a_law_leaves(law: type[ac.Law], same: type[ac.Law]) -> None:
    """Compare laws that leave the threshold with laws that set it.

    Validates: without `ssthresh` of its own, a law goes on in congestion avoidance at the window that it has set.
    Source: RFC 5681, equation 4 and section 3.2.
    Tolerance: exact.
    """
    for seed in (1, 2):
        assert windows(law, seed) == windows(same, seed)


def test_a_threshold_that_is_set_to_its_old_value_stays() -> None:
    found = windows(Constant, 1)[1]["ssthresh"]
    assert len(set(found)) == 2
    assert found.count(9.0) > 100


@pytest.mark.needs("numba")
@pytest.mark.parametrize("law", [OnlyWindow, Losses, SomeBranches, Constant])
def test_a_compiled_law_leaves_the_same_thresholds(law: type[ac.Law]) -> None:
    assert windows(ac.compiled(law), 1) == windows(law, 1)


def test_a_law_that_sets_only_the_window_keeps_the_contract() -> None:
    for law in (OnlyWindow, Losses, SomeBranches):
        kept = ac.check_law(law)
        assert kept, str(kept)
