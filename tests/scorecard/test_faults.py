"""The scorecard finds planted faults: a rule fails for the law with the fault, and not for the sound one."""

from __future__ import annotations

import pytest
from tests.scorecard import faults
from tests.scorecard.networks import seen_in

FAULTS = {
    faults.NeverReduces: ("unresponsive", "10 Mb/s, 40 ms, stream of 50% of the rate, 4 flows", "own loss"),
    faults.NeverGrows: ("alone", "10 Mb/s, 100 ms, buffer 1 BDP", "utilization"),
    faults.IgnoresMarks: ("marks", "50 Mb/s, 40 ms, CoDel", "mean queueing delay"),
    faults.FavoursShortPaths: ("round_trips", "20 ms beside 100 ms", "larger rate over the smaller"),
    faults.GivesUpTooMuch: ("buffers", "10 flows, 100 Mb/s, 80 ms, buffer 1 BDP / sqrt(n)", "utilization"),
    faults.TakesFromOthers: (
        "mixed",
        "2 beside 2 of cubic, 10 Mb/s, 40 ms, buffer 1 BDP",
        "others' part of their fair share",
    ),
    faults.FeedsTheRich: ("itself", "2 flows, 100 Mb/s, 40 ms, buffer 1 BDP", "Jain's index"),
    faults.KeepsTheQueueFull: ("alone", "10 Mb/s, 40 ms, buffer 1 BDP", "mean queueing delay"),
    faults.FearsEachLoss: ("random_loss", "100 Mb/s, 100 ms, loss 0.1 %", "goodput, of the link"),
    faults.RemembersTheShortestPath: ("path_change", "10 Mb/s, 20 ms, then 200 ms", "utilization"),
}
"""The experiment, the network and the measure by which each fault must be found."""


@pytest.mark.slow
@pytest.mark.parametrize(("law", "where"), FAULTS.items(), ids=[law.__name__ for law in FAULTS])
def test_finds_a_planted_fault(law: type[faults.Sound], where: tuple[str, str, str]) -> None:
    experiment, place, measure = where
    with_fault, sound = (
        next(each.verdict for each in seen_in(one(), experiment, place).answers if each.rule.measure.name == measure)
        for one in (law, faults.Sound)
    )
    assert with_fault == "fail"
    assert sound != "fail"
