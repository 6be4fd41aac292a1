"""The comparison of many flows with ns-2: its points, networks and tables, with synthetic runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import pytest

from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.manyflows.distances import shares
from ackclock.papers.manyflows.experiment import flow_summary
from ns2 import compared as core
from ns2 import manyflows as agreement
from ns2.compared import measures_table
from ns2.manyflows import COMPARED, synchronisation, ties

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ackclock.papers.core.evidence import Row
    from ackclock.papers.core.parts import Part
    from ns2.compared import Compared

GIVEN = argparse.Namespace(seeds=2, jobs=3)
FIRSTS = {
    "The grid, with processing times": ("T1, W_c 100, 25 ms overhead, from 50 to 200 s", 10),
    "The grid, without processing times": ("T1, W_c 100, from 100 to 400 s", 1),
    "The grid, without processing times, on detuned links on both sides": ("T1, W_c 100, from 50 to 200 s", 10),
    "From time 0, with processing times": ("T1, W_c 100, 25 ms overhead, from 0 to 100 s", 60),
    "From time 0, ISDN, timeouts without a limit": ("ISDN, W_c 100, max_rto 100000 s, from 0 to 1000 s", 60),
    "From time 0, T1 without processing times, on detuned links on both sides": ("T1, W_c 100, from 0 to 100 s", 60),
    "From time 0, T1 without processing times, against ns-2 with its ties": ("T1, W_c 100, from 0 to 100 s", 60),
    "Unequal distances, with processing times": (
        "T1, W_c 100, 2.5 ms overhead, access 1 ms and 1 ms, from 100 to 400 s",
        20,
    ),
    "Unequal distances, without processing times": ("T1, W_c 200, access 1 ms and 52 ms, from 150 to 600 s", 10),
}
"""Name and connections of the first point of each comparison."""


@pytest.fixture(scope="module")
def page(root: Path) -> dict[str, list[list[str]]]:
    """Return the rows of all tables on the measured page by heading."""
    text = (root / "docs" / "agreement_manyflows.md").read_text(encoding="utf-8")
    sections = (section.splitlines() for section in text.split("\n## ")[1:])
    return {
        title: [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")] for title, *lines in sections
    }


class TestPoints:
    """The measured page has the number of points, the bar and the margin of each measure."""

    def test_every_comparison_has_a_heading(self, page: dict[str, list[list[str]]]) -> None:
        titles = [one.title for one in COMPARED]
        assert titles == list(FIRSTS)
        assert list(page) == [*titles, "Synchronisation", "Phases", "Ties"]

    @pytest.mark.parametrize("one", COMPARED, ids=lambda one: one.title)
    def test_are_those_of_the_page(
        self, one: Compared, page: dict[str, list[list[str]]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        theirs = {frozenset(row.where.items()): row.values for row in ns2_runs("manyflows").part(one.part)}
        asked: list[Part] = []

        def same(parts: Sequence[Part], *, seeds: Sequence[int], jobs: int | None, label: str) -> Runs:
            assert (list(seeds), jobs, label) == ([1, 2], 3, "agreement")
            asked.extend(parts)
            return Runs(
                {
                    part.name: [
                        Run(where=spot.where, seed=seed, values=theirs[frozenset(spot.where.items())])
                        for spot in part.spots
                        for seed in seeds
                    ]
                    for part in parts
                }
            )

        monkeypatch.setattr(core, "gather", same)
        found = one.compare(one.part, seeds=(1, 2), jobs=3)
        table = [row.strip("| ").split(" | ") for row in measures_table(one.tolerances, found, bar=one.bar)]
        rows = page[one.title][: len(table)]
        assert [[row[at] for at in (0, 1, 4, 5)] for row in table] == [[row[at] for at in (0, 1, 4, 5)] for row in rows]
        (part,) = asked
        assert part.take is (shares if one.part == "figure23" else flow_summary)
        first = part.spots[0]
        assert (one.named(first.where), one.count(first.where)) == FIRSTS[one.title]
        assert sum(group.count for group in first.scenario.clients) == one.count(first.where)
        detuned = {spot.scenario.dumbbell.bottleneck.rate for spot in part.spots if spot.scenario.dumbbell}
        assert detuned <= ({"1600 kbps", "64 kbps"} if "with processing" in one.title else {"1600001 bps", "63999 bps"})
        assert [one.quick(spot.where) for spot in part.spots[:11]] == [True, *[False] * 9, True]
        assert (one.single, one.counted) == (True, "connections")


def test_ties_are_those_of_the_page(page: dict[str, list[list[str]]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each network runs with the rate of the tables, the exact rate, and the other side of it."""
    kept = [row[3:] for row in page["Ties"][2:]]
    rates = {
        "T1": ["1600001 bps", "1600 kbps", "1599999 bps"],
        "ISDN": ["63999 bps", "64 kbps", "64001 bps"],
    }

    def measured(parts: Sequence[Part], *, seeds: Sequence[int], jobs: int, label: str) -> Runs:
        assert (list(seeds), jobs, label) == ([1, 2], 3, "ties")
        (part,) = parts
        made = [spot.scenario.dumbbell for spot in part.spots]
        assert [each.bottleneck.rate for each in made if each] == [*2 * rates["T1"], *2 * rates["ISDN"]]
        assert [each.reverse.rate for each in made if each and each.reverse] == [*2 * rates["T1"], *2 * rates["ISDN"]]
        losses = [float(cell) for row in kept for cell in row]
        return Runs(
            {
                part.name: [
                    Run(where=spot.where, seed=seed, values={"loss": loss + 0.01 * (seed - 1.5)})
                    for spot, loss in zip(part.spots, losses, strict=True)
                    for seed in seeds
                ]
            }
        )

    monkeypatch.setattr(agreement, "gather", measured)
    assert [line.strip("| ").split(" | ") for line in ties(GIVEN)] == page["Ties"][2:]


class TestSynchronisation:
    """Our synthetic runs are ns-2's, with changes at a pipe."""

    @staticmethod
    def lines(monkeypatch: pytest.MonkeyPatch, **added: float) -> tuple[list[str], list[str]]:
        def altered(row: Row) -> Row:
            chosen = row.where == {"processing": "with processing times", "pipe": "T1, n = 300, B = 60"}
            values: Any = {**row.values, **{name: row.values[name] + by for name, by in added.items() if chosen}}
            return Run(where=row.where, seed=row.seed, values=values)

        def same(parts: Sequence[Part], *, seeds: Sequence[int], jobs: int, label: str) -> Runs:
            assert (list(seeds), jobs, label) == ([1, 2], 3, "synchronisation")
            assert [part.name for part in parts] == ["looks", "courses"] * 2
            return Runs({"looks": [altered(row) for row in reversed(ns2_runs("manyflows").part("looks"))]})

        monkeypatch.setattr(agreement, "gather", same)
        return synchronisation(GIVEN)

    def test_is_laid_out_as_on_the_page(
        self, page: dict[str, list[list[str]]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lines, missed = self.lines(monkeypatch)
        assert missed == []
        assert "Ackclock runs 2 seeds" in lines[0]
        assert "up to 3 standard errors" in lines[0].replace("\n", " ")
        rows = [row.strip("| ").split(" | ") for each in lines for row in each.splitlines() if row.startswith("| ")]
        measures, pipes = rows[:5], rows[7:]
        kept = page["Synchronisation"]
        assert [row[:6] for row in measures] == [row[:6] for row in kept[:5]], "measures, bars and margins"
        assert rows[5:7] == kept[5:7]
        # the page's columns of ns-2; ours have the same numbers here
        assert [[row[0], row[1], row[3], row[3], row[4]] for row in kept[7:]] == pipes
        (near,) = (each for each in lines if "is within the margin" in each)
        assert near.count("10 of 10 for ") == 3

    def test_a_pipe_that_differs_is_missed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A percentile in a buffer of 60 packets may differ by 3, since ns-2's three runs agree on it."""
        assert self.lines(monkeypatch, low=3.0)[1] == []
        lines, missed = self.lines(monkeypatch, low=3.1)
        assert missed == ["5th percentile of the buffer occupancy, 9 of 10 points are not distinguishable"]
        (row,) = (each for each in lines if "not run again" in each)
        assert row.startswith(
            "| 5th percentile of the buffer occupancy | T1, n = 300, B = 60, processing times to 10 % | 300 |"
        )
        (near,) = (each for each in lines if "is within the margin" in each)
        assert (
            "10 of 10 for correlation of losses, 9 of 10 for 5th percentile of the buffer occupancy, 10 of 10" in near
        )

    def test_comes_last_with_the_ties(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(agreement, "synchronisation", lambda _: (["pipes"], ["missed"]))
        monkeypatch.setattr(agreement, "ties", lambda _: ["tied"])
        lines, missed = COMPARED[-1].more(GIVEN)
        assert (lines[:3], lines[4:], missed) == (["", "pipes", ""], ["tied"], ["missed"])
        assert "## Ties" in lines[3]
        assert [one.more(GIVEN) for one in COMPARED[:-1]] == [([], [])] * 8


def test_the_command_prints_the_introduction_and_the_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(core.Compared, "lines", lambda self, _: ([self.part], []))
    assert agreement.main(arguments=["--only", COMPARED[2].title, "--quick"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("# Agreement with ns-2 where many connections share the link\n")
    assert said.endswith("\ndetuned\nEvery bar is met.\n")
    with pytest.raises(SystemExit):
        agreement.main(arguments=["--help"])
    assert "every tenth point only" in capsys.readouterr().out
