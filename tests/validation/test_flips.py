"""Verdicts with two disjoint sets of seeds: chance may leave them undecided, but must not reverse them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.papers.burstiness import burstiness_world
from tests.papers.today import today_world
from tests.papers.vegas import vegas_world
from tests.support.worlds import noisy, put

from ackclock.papers.burstiness.claims import CLAIMS as BURSTINESS
from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both, Paper
from ackclock.papers.core.parts import gather
from ackclock.papers.today.study import CLAIMS as TODAY
from ackclock.papers.vegas.claims import CLAIMS as VEGAS
from ackclock.papers.vegas.claims.beside import PAPERS
from ackclock.papers.vegas.evidence import by_part, papers, runs_at
from ackclock.report.html import Verdict
from flips import NONE, Pair, both, contradictions, halves, main, summary_table, verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ackclock.papers.core.claim import Claim
    from ackclock.papers.core.evidence import Evidence

NOISE = (0.02, 0.2, 1.0)
"""Relative standard deviations between seeds: the intervals decide nearly all claims, some claims, or nearly none."""


def pairs(claims: Sequence[Claim], first: Evidence, second: Evidence) -> list[Pair]:
    one, other = ({each.claim.key: each.title for each in judge(claims, side)} for side in (first, second))
    return both("made up", one, other)


class TestMadeUpWorlds:
    """Synthetic runs in which all claims hold, with noise that is drawn once for each run."""

    @pytest.mark.parametrize("noise", NOISE)
    @pytest.mark.parametrize("seeds", [2, 5])
    def test_of_vegas_beside_reno(self, noise: float, seeds: int) -> None:
        first = [row for row in vegas_world.RUNS.part("places") if row.seed == 1]
        repeated = [Run(where=row.where, seed=seed, values=row.values) for row in first for seed in range(1, seeds + 1)]
        runs = [noisy(Runs({"places": repeated}), by=noise, seed=seed) for seed in (1, 2)]
        assert not contradictions(pairs(VEGAS, *(Both(ours=by_part(one), ns2=Runs()) for one in runs)))

    @pytest.mark.parametrize("noise", NOISE)
    def test_of_the_burstiness_paper(self, noise: float) -> None:
        runs = [noisy(burstiness_world.WORLD.runs, by=noise, seed=seed) for seed in (2, 3)]
        assert not contradictions(pairs(BURSTINESS, *(Both(ours=one, ns2=Runs()) for one in runs)))


class TestRuns:
    def test_the_papers_points_do_not_turn_round(self) -> None:
        """F-1 holds with five seeds, but each set has two, whose interval is 13 standard errors wide."""
        part = [runs_at(papers(50))]
        first, second = (Both(ours=by_part(gather(part, seeds=seeds)), ns2=Runs()) for seeds in ((1, 2), (3, 4)))
        (found,) = pairs([claim for claim in PAPERS if claim.key == "F-1"], first, second)
        assert {found.first, found.second} <= {"reproduced", "undecided"}


class TestSenders:
    """The study `today` asks each question of ten senders."""

    def test_halves_share_no_seed(self) -> None:
        rows = [Run(where={}, seed=seed, values={}) for seed in (3, 1, 2)]
        first, second = halves(Runs({"several": rows, "single": rows[:1]}))
        assert {row.seed for row in first.part("several")} == {1}
        assert {row.seed for row in second.part("several")} == {2, 3}
        assert first.part("single") == second.part("single") == rows[:1]

    def test_each_sender_has_a_verdict(self) -> None:
        claims = [claim for claim in TODAY if claim.key in ("B-18", "M-1")]
        usual, changed = (
            verdicts(claims, today_world.WORLD.evidence(*changes))
            for changes in ((), (put("load", "jain_index", 0.5, clients=60, sender="BBR"),))
        )
        found = both("today", usual, changed)
        assert {pair.key for pair in found} > {"M-1", "B-18 of Reno", "B-18 of BBR"}
        assert [(pair.key, pair.contradicts) for pair in found if pair.first != pair.second] == [("B-18 of BBR", True)]

    def test_a_missing_verdict_is_not_the_same(self) -> None:
        (pair,) = both("today", {"N-8 of Copa": "reproduced"}, {})
        assert pair.second == NONE
        assert "| today | 1 | 0 | 1 | 0 | 0 |" in summary_table([pair], seeds=5)


class TestTable:
    PAIRS = both(
        "vegas",
        {"a": "reproduced", "b": "partly", "c": "undecided", "d": "reproduced"},
        {"a": "reproduced", "b": "not reproduced", "c": "partly", "d": "not reproduced"},
    )

    def test_counts_and_names_what_differs(self) -> None:
        lines = summary_table(self.PAIRS, seeds=3)
        assert "| vegas | 4 | 1 | 1 | 1 | 1 |" in lines
        assert lines[-3:] == [
            "| vegas | b | partly | not reproduced |",
            "| vegas | c | undecided | partly |",
            "| vegas | d | reproduced | not reproduced |",
        ]

    def test_only_opposites_contradict(self) -> None:
        assert [pair.key for pair in contradictions(self.PAIRS)] == ["d"]

    def test_of_equal_verdicts_is_short(self) -> None:
        same = both("vegas", {"a": "partly"}, {"a": "partly"})
        assert summary_table(same, seeds=2)[-1] == "| vegas | 1 | 1 | 0 | 0 | 0 |"


class TestCommand:
    @pytest.mark.parametrize(("second", "status"), [("undecided", 0), ("not reproduced", 1), ("reversed", 1)])
    def test_runs_both_sets(
        self,
        second: str,
        status: int,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        asked = []

        def evidence(paper: Paper, *, seeds: Sequence[int], jobs: int | None, store: Path | None) -> Both:
            asked.append((paper.definition.name, list(seeds), jobs, store))
            rows = [Run(where={}, seed=seed, values={}) for seed in seeds]
            return Both(ours=Runs({"part": rows}), ns2=Runs())

        def judged(_: Sequence[Claim], found: Both) -> dict[str, str]:
            return {"F-1": Verdict.REPRODUCED if found.ours.part("part")[0].seed == 11 else second}

        monkeypatch.setattr(Paper, "evidence", evidence)
        monkeypatch.setattr("flips.verdicts", judged)
        given = ["today", "--seeds", "2", "--jobs", "1", "--store", str(tmp_path), "--markdown"]
        assert main([*given, str(tmp_path / "flips.md")]) == status
        assert asked == [("today", [11, 12, 13, 14], 1, tmp_path)]
        written = capsys.readouterr().out
        assert f"| today | F-1 | reproduced | {second} |" in written
        assert (tmp_path / "flips.md").read_text() == written

    @pytest.mark.parametrize("wrong", [["no-study"], ["vegas", "--seeds", "0"], ["vegas", "--jobs", "0"]])
    def test_refuses_what_is_wrong(self, wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as ended:
            main(wrong)
        assert ended.value.code == 2
        assert "is not allowed; must be" in capsys.readouterr().err
