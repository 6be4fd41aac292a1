"""Questions: what is read, and one clear error for each mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import ackclock as ac
from ackclock.advice.contenders import contenders
from ackclock.advice.network import network
from ackclock.advice.question import Mix, Question
from ackclock.cli import main

if TYPE_CHECKING:
    from pathlib import Path

GOOD: dict[str, Any] = {"rate": "50 Mbps", "delay": "20 ms", "users": 30}


def test_shares_become_at_least_one_user() -> None:
    question = Question.from_dict(GOOD | {"users": 3, "mix": {"video": "0 %", "uploads": 0, "calls": 2}})
    assert question.counts == {"calls": 2, "pages": 2, "video": 0, "downloads": 1, "uploads": 0}


def test_a_question_is_read_as_it_is_written() -> None:
    question = Question.from_dict(GOOD | {"delay": ["10 ms", "0.1 s"], "for": ["bulk"], "mix": {"pages": 7}})
    assert Question.from_dict(question.to_dict()) == question
    assert question.to_dict()["for"] == ["bulk"]
    assert question.delays == pytest.approx((0.025, 0.055, 0.085))


def test_buffers_of_equal_size_are_one_contender() -> None:
    """1 Mb/s times 20 ms is 1.7 packets, so that 0.1, 0.25 and 0.5 of it are one packet each."""
    question = Question(rate="1 Mbps", delay="20 ms", users=1)
    limits = [each.limits[0] for each in contenders(question) if each.queue == "droptail"]
    assert sorted(limits) == [1, 2, 3, 7]


def test_constraints_leave_contenders_out() -> None:
    question = Question.from_dict(GOOD | {"queues": ["cake"], "ecn": False, "laws": ["bbr3", "bbr"]})
    assert [each.key for each in contenders(question)] == ["cake bbr", "cake bbr3"]


def test_the_network_has_the_delays_and_the_users() -> None:
    question = Question.from_dict(GOOD | {"delay": ["10 ms", "100 ms"], "mix": {"downloads": 4}})
    scenario = ac.Scenario.from_dict(network(question, contenders(question)[0]))
    groups = {group.name: group for group in scenario.clients}
    assert [groups[f"downloads-{place}"].count for place in range(3)] == [1, 2, 1]
    dumbbell = scenario.dumbbell
    assert dumbbell is not None
    assert dumbbell.bottleneck.delay == "6250 us"
    access = groups["pages-2"].access
    assert access is not None
    assert access.delay == "36250 us"  # 2 x (6.25 + 36.25) = 85 ms, the middle of the last third
    assert groups["uploads-1"].direction == "reverse"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rate": None}, "rate: missing; must be a rate with its unit"),
        ({"rate": "fast"}, "rate: 'fast' is not allowed; must be a rate with its unit"),
        ({"rate": 50}, "rate: 50 is not allowed; must be a rate with its unit"),
        ({"rate": "100 Gbps"}, "rate: '100 Gbps' is not allowed; must be a rate from 500 kbps to 10 Gbps"),
        ({"up": "1 kbps"}, "up: '1 kbps' is not allowed; must be a rate from 500 kbps to 10 Gbps"),
        ({"delay": "20"}, "delay: '20' is not allowed; must be a time with its unit"),
        ({"delay": ["50 ms", "20 ms"]}, "20 ms is not longer than 50 ms"),
        ({"delay": ["50 ms"]}, "delay: an array is not allowed; must be a time with its unit"),
        ({"delay": "0 s"}, "delay: '0 s' is not allowed; must be a time from 1 ms to 1 s"),
        ({"users": 0}, "users: 0 is not allowed; must be an integer from 1 to 10000"),
        ({"users": "many"}, "users: 'many' is not allowed; must be an integer from 1 to 10000"),
        ({"user": 3}, "user: unknown field; did you mean 'users'?"),
        (
            {"for": ["games"]},
            "for: an array is not allowed; unknown application 'games': did you mean 'pages'?",
        ),
        ({"for": []}, "for: an empty array is not allowed; must be an array of different applications"),
        ({"for": ["calls", "calls"]}, "for: an array is not allowed; must be an array of different applications"),
        ({"for": "calls"}, "for: 'calls' is not allowed; must be an array of different applications"),
        ({"mix": {"calls": 0}}, "for: an array is not allowed; must not name calls: mix has no calls"),
        ({"mix": {"pages": "many"}}, "mix.pages: 'many' is not allowed; must be a share of the users from 0 to 100 %"),
        ({"mix": {"pages": "120 %"}}, "mix.pages: '120 %' is not allowed; must be a share of the users"),
        (
            {"mix": {"games": 3}},
            "mix.games: unknown field; did you mean 'pages'? allowed: calls, pages",
        ),
        ({"queues": ["fifo"]}, "unknown queue 'fifo': did you mean 'droptail'? must be one of droptail"),
        ({"laws": ["vegas"]}, "unknown congestion control 'vegas': must be one of cubic, bbr, bbr3"),
        ({"ecn": "yes"}, "ecn: 'yes' is not allowed; must be true or false"),
        ({"shaping": 1.2}, "shaping: 1.2 is not allowed; must be a number from 0.5 to 1"),
    ],
)
def test_each_mistake_has_one_clear_error(changes: dict[str, Any], message: str) -> None:
    tables = {name: value for name, value in (GOOD | changes).items() if value is not None}
    with pytest.raises(ac.ScenarioError) as error:
        Question.from_dict(tables)
    assert message in str(error.value).splitlines()[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "FILE: missing; give one (`ackclock init uplink` writes it), or --rate, --delay and --users"),
        (["--rate", "5 Mb/s"], "delay: missing"),
        (["none.toml"], "none.toml: cannot be used"),
        (["scenario.toml"], "scenario.toml: cannot be used: it is a scenario or a study; must be a question"),
        (["question.toml", "--users", "x"], "--users: 'x' is not allowed; must be an integer from 1 to 10000"),
        (["question.toml", "--for", "calls,food"], "unknown application 'food'"),
        (["question.toml", "--seeds", "3"], "--seeds: 3 is not allowed; must be an integer from 5 to 1000"),
        (["question.toml", "--jobs", "0"], "--jobs: 0 is not allowed; must be an integer from 1 to 1000"),
        (["question.toml", "--set", "users"], "set: 'users' is not allowed; must be PATH=VALUE"),
        (["question.toml", "--set", "mix.calls=-1"], "mix.calls: -1 is not allowed"),
        (["question.toml", "--out", "a.png"], "--out: 'a.png' is not allowed; must end in .html"),
        (["question.toml", "--store", "question.toml"], "question.toml: cannot be used"),
    ],
)
def test_the_command_refuses(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "question.toml").write_text('rate = "5 Mbps"\ndelay = "20 ms"\nusers = 3\n')
    (tmp_path / "scenario.toml").write_text('duration = "5 s"\n[dumbbell]\n')
    with pytest.raises(SystemExit) as ended:
        main(["advise", *words])
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    assert message in printed.err
    assert printed.err.count("\n") == 1


def test_the_mix_needs_no_arguments() -> None:
    assert Mix().counts(100) == {"calls": 10, "pages": 60, "video": 20, "downloads": 5, "uploads": 5}
