"""The summary of a report: counts of verdicts with their claims, and a warning of too few runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.report.test_report import small_report

from ackclock.cli import main
from ackclock.papers import SEEDS, few_seeds
from ackclock.papers.core.claim import Claim, Judged
from ackclock.papers.core.paper import Paper, write_report
from ackclock.papers.core.rules import Custom, Outcome
from ackclock.papers.summary import Topic, summary
from ackclock.report.html import Statement, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.report.html import Origin

IN_THEIR_OWN_WORDS = (Verdict.UNDECIDED, Verdict.NOT_TESTABLE)
LEADS: dict[Verdict, str] = {verdict: f"It is {verdict}." for verdict in Verdict if verdict not in IN_THEIR_OWN_WORDS}


def judged(*verdicts: Verdict, origin: Origin = "paper") -> list[Judged]:
    found = []
    for number, verdict in enumerate(verdicts):
        setting = "a weight" if verdict is Verdict.DEPENDS else ""
        claim = Claim(
            key=f"C-{number}",
            where="1",
            text=f"Claim {number}.",
            paper="3",
            test=Custom(lambda _: Outcome(verdict=Verdict.REPRODUCED, why=""), "Rule."),
            command="ackclock run",
            origin=origin,
        )
        found.append(Judged(claim=claim, verdict=verdict, ours="1", ns2="2", why=f"Why {number}.", setting=setting))
    return found


class TestTally:
    def test_names_only_what_there_is(self) -> None:
        (said,) = summary(judged(Verdict.REPRODUCED, Verdict.REPRODUCED, Verdict.NOT), [])
        assert said.lead == "Of 3 claims 2 are reproduced and 1 is not reproduced."
        assert said.text == "Not reproduced: Claim 2 (C-2)."

    def test_counts_the_undecided_apart(self) -> None:
        (said,) = summary(judged(Verdict.UNDECIDED, Verdict.PARTLY, Verdict.UNDECIDED), [])
        assert said.lead == "Of 3 claims 1 is partly reproduced and 2 are undecided."
        assert said.text == "Undecided, since the 95 % intervals leave the verdict open: C-0, C-2."

    def test_says_what_others_depend_on(self) -> None:
        (said,) = summary(judged(Verdict.DEPENDS, Verdict.REPRODUCED), [])
        assert said.lead == "Of 2 claims 1 is reproduced and 1 depends on an unpublished setting."
        assert said.text == "The verdict of C-0 depends on an unpublished setting: a weight."

    def test_keeps_our_own_claims_apart(self) -> None:
        ours = judged(Verdict.REPRODUCED, Verdict.NOT, origin="ours")
        (said,) = summary([*judged(Verdict.PARTLY, Verdict.NOT_TESTABLE), *ours], [])
        assert said.lead == (
            "Of 2 claims of the paper 1 is partly reproduced and 1 is not testable; "
            "of 2 claims of our own 1 is confirmed and 1 is not confirmed."
        )
        assert said.text == "Not reproduced or confirmed: Claim 1 (C-1)."
        (said,) = summary([*judged(Verdict.NOT), *ours[:1]], [])
        assert said.lead == "Of 1 claim of the paper 1 is not reproduced; of 1 claim of our own 1 is confirmed."
        assert summary(ours, [])[0].lead == "Of 2 claims 1 is confirmed and 1 is not confirmed."

    def test_groups_what_depends_on_one_setting(self) -> None:
        papers, ours = judged(*3 * [Verdict.DEPENDS]), judged(Verdict.DEPENDS, origin="ours")
        (said,) = summary([*papers[:2], replace(papers[2], setting="a buffer"), *ours], [])
        assert said.text == (
            "The verdicts of C-0 and C-1 depend on an unpublished setting: a weight. "
            "The verdict of C-2 depends on an unpublished setting: a buffer. "
            "The verdict of C-0 depends on a setting: a weight."
        )

    def test_a_topic_has_the_numbers_of_other_claims(self) -> None:
        """The short form of a claim's numbers goes before the long one; the verdict is the first claim's."""
        first, second, third = judged(Verdict.REPRODUCED, Verdict.NOT, Verdict.PARTLY)
        topic = Topic(key="C-1", leads=LEADS, also=["C-2", "C-0"])
        said = summary([first, second, replace(third, brief="Brief.")], [topic])[1]
        assert said.lead == f"It is {Verdict.NOT}."
        assert said.text == "Why 1. Brief. Why 0."

    @pytest.mark.parametrize("verdict", Verdict)
    def test_a_topic_has_words_for_every_verdict(self, verdict: Verdict) -> None:
        said = summary(judged(verdict), [Topic(key="C-0", leads=LEADS)])[1]
        own = verdict in IN_THEIR_OWN_WORDS
        assert said.lead == (f"{verdict.capitalize()}: Claim 0." if own else f"It is {verdict}.")
        assert said.text == "Why 0."


class TestFewSeeds:
    def test_are_warned_of_below_the_default(self) -> None:
        assert [bool(few_seeds(seeds)) for seeds in (1, 2, SEEDS - 1, SEEDS, 10)] == [True, True, True, False, False]
        assert "A single run" in few_seeds(1)
        assert "4 runs" in few_seeds(4)

    @pytest.mark.parametrize("seeds", [2, 5])
    def test_on_the_page(self, tmp_path: Path, seeds: int) -> None:
        write_report(tmp_path, small_report(), judged(Verdict.UNDECIDED), seeds=seeds)
        page = (tmp_path / "report.html").read_text()
        assert (few_seeds(2) in page) == (seeds == 2)
        assert ('<p class="warning"' in page) == (seeds == 2)

    def test_the_answer_is_the_finding_after_the_tally(self, tmp_path: Path) -> None:
        said = [Statement(lead=lead, text="") for lead in ("Of 3 claims 3 hold.", "It grows.")]
        report = replace(small_report(), summary=said)
        for given, shown in (report, "It grows."), (replace(report, answer="It does."), "It does."):
            write_report(tmp_path, given, judged(Verdict.REPRODUCED), seeds=5)
            assert f'class="answer">{shown}</h2>' in (tmp_path / "report.html").read_text()

    @pytest.mark.parametrize("seeds", [2, 5])
    def test_in_the_terminal(
        self, tmp_path: Path, seeds: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(Paper, "write", lambda _, folder, **__: (folder / "claims.csv").write_text("key\n"))
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", "vegas", "--seeds", str(seeds), "--out", str(tmp_path / "out")])
        assert ended.value.code == 0
        written = capsys.readouterr()
        takes = "vegas: about 4 min on two cores with 5 seeds"
        assert written.err == (f"Note: {few_seeds(2)}\n{takes}; this command uses 2\n" if seeds == 2 else f"{takes}\n")
        assert "report.html" in written.out
