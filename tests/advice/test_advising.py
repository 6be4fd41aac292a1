"""A whole answer on a small link: the page, the table and JSON, and the way back after an interrupt."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import ackclock as ac
from ackclock.advice import Advice, Question, advise
from ackclock.advice.advising import cost
from ackclock.advice.assumptions import assumptions
from ackclock.advice.contest import all_contenders, contest
from ackclock.advice.measures import JUDGED, SHOWN, values
from ackclock.advice.network import network, timing
from ackclock.advice.words import statements
from ackclock.cli import main
from ackclock.study.outlook import Outlook

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ackclock.advice.runs import Samples

SMALL: dict[str, Any] = {
    "rate": "2 Mbps",
    "delay": "20 ms",
    "users": 3,
    "queues": ["droptail", "fq_codel"],
    "ecn": False,
}
WORDS = ["--rate", "2 Mbps", "--delay", "20 ms", "--users", "3", "--seeds", "5"]
WORDS += ["--set", 'queues=["droptail", "fq_codel"]', "--set", "ecn=false"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("advice") / "store"


@pytest.fixture(scope="module")
def answer(store: Path) -> Advice:
    return advise(Question.from_dict(SMALL), store, seeds=5)


def test_fq_codel_is_recommended_for_a_small_link(answer: Advice) -> None:
    """Two greedy transfers fill 2 Mb/s, so that calls need a queue of their own."""
    assert answer.chosen.queue == "fq_codel"
    found = answer.contest.judgement
    assert {found.chosen, *found.as_good, *found.open, *found.aside} == {
        key for key in answer.contest.contenders if key in answer.contest.samples
    }
    assert len(answer.checked) == 8


def test_the_values_are_those_of_the_runs(answer: Advice) -> None:
    """The call delay of the first seed is the larger one of both directions."""
    key = answer.chosen.key
    run = ac.simulate(ac.Scenario.from_dict(network(answer.question, answer.chosen)), seed=1)
    delay = max(run.groups["call-down"].delay_p95 or 0, run.groups["call-up"].delay_p95 or 0)
    assert answer.contest.samples[key]["call_delay_p95"][0] == pytest.approx(1e3 * delay)
    begin, end = timing(answer.question)
    groups = {group.name: vars_of(group) for group in run.groups}
    measured = values(groups, end - begin)
    assert {name: numbers[0] for name, numbers in answer.contest.samples[key].items()} == pytest.approx(measured)


def test_of_equal_contenders_those_come_first_that_are_also_best_with_half_the_users(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Drop-tail 0.5 BDP and FQ-CoDel load pages equally fast; with half the users, only FQ-CoDel does."""
    question = Question.from_dict(SMALL | {"users": 60, "for": ["pages"]})
    good = {True: {"droptail 0.5 BDP cubic", "fq_codel cubic"}, False: {"fq_codel cubic"}}

    def made(_: Path, networks: Mapping[str, dict[str, Any]], *, seeds: int, **__: object) -> Samples:
        full = not any(name.startswith("half the users: ") for name in networks)
        means = {name: 2.0 if name.removeprefix("half the users: ") in good[full] else 9.0 for name in networks}
        return {name: {"page_load_p50": [mean + 0.001 * seed for seed in range(seeds)]} for name, mean in means.items()}

    monkeypatch.setattr("ackclock.advice.contest.measured", made)
    found = contest(question, tmp_path, seeds=10)
    assert (found.judgement.chosen, found.judgement.as_good) == ("fq_codel cubic", ("droptail 0.5 BDP cubic",))
    assert found.fading == ("droptail 0.5 BDP cubic",)
    good[False] = good[True]
    found = contest(question, tmp_path, seeds=10)
    assert (found.judgement.chosen, found.fading) == ("droptail 0.5 BDP cubic", ())


def vars_of(group: object) -> dict[str, Any]:
    names = ("mos", "delay_p95", "pages", "page_load_p50", "goodput_bps", "video_bitrate", "stall_share")
    return {name: getattr(group, name) for name in names}


def test_a_run_without_a_page_has_a_bad_value() -> None:
    assert values({}, 60)["page_load_p50"] == 60
    assert values({}, 60)["speech_score"] == 1


def test_several_distances_count_by_their_pages() -> None:
    groups = {"pages-0": {"pages": 1, "page_load_p50": 1.0}, "pages-1": {"pages": 3, "page_load_p50": 2.0}}
    (measure,) = JUDGED["pages"]
    assert measure.of(groups) == 1.75


def test_the_answer_is_on_the_page(answer: Advice) -> None:
    page = answer.page("ackclock advise x.toml")
    found = answer.to_dict()
    for text in (found["commands"][1], "Not tried", "ackclock advise x.toml", "If the assumptions are wrong"):
        assert text.replace("'", "&#39;") in page
    assert re.search(r"Use FQ-CoDel at 1.9.Mb/s: ", page)
    assert page == answer.page("ackclock advise x.toml")


def test_a_law_that_is_not_in_use_everywhere_was_not_tried_beside_others(
    answer: Advice, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Beside others:" not in dict(statements(answer))
    monkeypatch.setattr(Advice, "chosen", replace(answer.chosen, law="bbr"))
    assert "`ackclock evaluate bbr --only mixed`" in dict(statements(answer))["Beside others:"]


@pytest.mark.parametrize(("calls", "total"), [("90 %", 180), ("10.5 %", 100.5)])
def test_shares_of_the_mix_are_at_most_all_users(calls: str, total: float) -> None:
    with pytest.raises(ac.ScenarioError, match=f"mix: .* must have shares of at most 100 % together, not {total:g} %"):
        Question.from_dict({"rate": "2 Mbps", "delay": "20 ms", "users": 5, "mix": {"calls": calls}})


def test_json_has_these_fields(answer: Advice) -> None:
    found = answer.to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert list(found) == [
        *("program", "question", "users", "answer", "statements", "recommended", "compared_with", "as_good", "open"),
        *("aside", "seeds", "most_seeds", "runs", "contenders", "assumptions", "rule", "commands", "not_tried"),
    ]
    contender = found["contenders"][found["recommended"]]
    assert list(contender) == [
        *("name", "queue", "law", "ecn", "buffer_bdp", "limit_packets", "rate_bps", "outcome", "measures")
    ]
    keys = [each.key for measures in JUDGED.values() for each in measures] + [each.key for each in SHOWN]
    assert list(contender["measures"]) == keys
    assert list(contender["measures"]["page_load_p50"]) == ["mean", "half_width", "unit", "seeds"]
    assert list(found["assumptions"][0]) == ["change", "verdict", "seeds", "recommended", "as_good", "measures"]


def test_a_second_answer_makes_no_runs(answer: Advice, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a run is made again")

    monkeypatch.setattr("ackclock.running.run.Prepared.simulate", refuse)
    again = advise(Question.from_dict(SMALL), store, seeds=5)
    assert again.to_dict() == answer.to_dict()


def test_the_cost_is_known_before(store: Path, answer: Advice) -> None:
    found = cost(answer.question, store, seeds=5)
    assert found.there == found.screening == 5 * len(answer.contest.contenders)
    fresh = cost(answer.question, store.parent / "none", seeds=10)
    assert (fresh.there, fresh.separating) == (0, found.screening)
    assert 0 < fresh.likely < fresh.most
    assert not (store.parent / "none").exists()


def test_the_cost_of_checks_remains_when_the_contenders_have_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs of changed questions take as long as one of them: 2 s here, of which the likely part is made."""

    def outlook(_folder: Path, networks: Mapping[str, Any], *, seeds: int) -> Any:
        runs = seeds if len(networks) == 1 else 0
        return Outlook(points=[], runs=runs, most=runs, there=0, cpu_seconds=2.0 * runs or None)

    monkeypatch.setattr("ackclock.advice.advising.expected", outlook)
    found = cost(Question.from_dict(SMALL), tmp_path, seeds=5)
    assert found.most == pytest.approx(2.0 * found.checking)
    assert 0 < found.likely < found.most


def test_assumptions_change_one_thing() -> None:
    question = Question.from_dict(SMALL | {"users": 100, "delay": ["10 ms", "30 ms"]})
    found = {each.words: each.question for each in assumptions(question)}
    assert found["half the users"].counts == HALF
    assert found["twice the delay"].delay == ("20 ms", "60 ms")
    assert found["twice the downloads and uploads"].counts["downloads"] == 10
    laws = [each.law for each in assumptions(Question.from_dict(SMALL | {"laws": ["cubic", "bbr"]})) if each.law]
    assert laws == ["bbr3"]


HALF = {"calls": 5, "pages": 30, "video": 10, "downloads": 2, "uploads": 2}
"""Half of 10, 60, 20, 5 and 5 users; a half is rounded to the even number."""


def test_a_reference_that_is_no_choice_is_measured() -> None:
    every, compared = all_contenders(Question.from_dict(SMALL | {"queues": ["cake"]}))
    assert list(every) == ["cake cubic", "droptail 1 BDP cubic"]
    assert compared == "droptail 1 BDP cubic"


def test_the_command_prints_the_answer(
    answer: Advice, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "advice.html"
    for _ in range(2):  # an earlier page is replaced
        with pytest.raises(SystemExit) as ended:
            main(["advise", *WORDS, "--store", str(store), "--out", str(page)])
        assert ended.value.code == 0
    printed = capsys.readouterr()
    assert "\nUse FQ-CoDel at 1.9 Mb/s: " in printed.out
    assert answer.to_dict()["commands"][-1] in printed.out
    assert re.search(r"contenders: \d+ runs to screen them, .* Likely \d+ s, at most about \d+ s on", printed.out)
    assert "ackclock advise --rate" in page.read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["advise", *WORDS, "--store", str(store), "--json"])
    assert json.loads(capsys.readouterr().out) == answer.to_dict()


def test_a_dry_run_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["advise", *WORDS, "--store", str(tmp_path / "none"), "--dry-run"])
    printed = capsys.readouterr()
    assert (ended.value.code, printed.err) == (0, "")
    assert "drop-tail 1 BDP, CUBIC (reference)\n" in printed.out
    assert "6 contenders: 30 runs to screen them" in printed.out
    assert not (tmp_path / "none").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_command_gives_the_same_answer(answer: Advice, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ackclock", "advise", *WORDS, "--store", "store", "--json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as begun:
        for _ in range(600):
            if list((tmp_path / "store").glob("journals/*")):
                break
            time.sleep(0.05)
        time.sleep(0.3)
        begun.send_signal(signal.SIGKILL)
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert json.loads(done.stdout) == answer.to_dict()
