"""``ackclock model``: what it prints, and what it says of bad input."""

from __future__ import annotations

import json

import pytest

import ackclock as ac
from ackclock.cli import main


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["model", *arguments])
    return (ended.value.code, *capfd.readouterr())


def test_the_papers_model(capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ("stochastic-reno", "--clients", "38", "--initial-window", "20", "--replications", "5", "--seed", "7")
    expected = ac.models.stochastic_reno(
        clients=38,
        rate=100,
        interval=0.1,
        capacity=50e6 / 8 / 1500,
        buffer=50,
        initial_window=20,
        replications=5,
        seed=7,
    )
    code, out, err = run(capfd, *arguments, "--json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert data["model"] == "stochastic-reno"
    assert data["cov"]["mean"] == expected.cov.mean()
    assert data["gamma"] == expected.gamma
    code, out, err = run(capfd, *arguments)
    assert (code, err) == (0, "")
    assert "gamma" in out
    assert "466.67" in out


def test_a_single_replication_has_no_interval(capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capfd, "stochastic-reno", "--clients", "10", "--replications", "1", "--json")
    assert json.loads(out)["cov"]["half_width"] is None


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--clients", "sixty", "--clients: 'sixty' is not allowed; must be an integer from 1 to 10000"),
        ("--clients", "0", "--clients: 0 is not allowed; must be an integer from 1 to 10000"),
        ("--rate", "nan", "--rate: nan is not allowed; must be a number"),
        ("--bandwidth", "50 mbps", "--bandwidth: '50 mbps' is not allowed; did you mean 'Mbps'?"),
        ("--rtt", "100", "--rtt: '100' is not allowed; must be a time with its unit"),
        ("--packet-size", "1.5", "--packet-size: '1.5' is not allowed; must be an integer from 1 to 65535"),
        ("--buffer", "-1", "--buffer: -1.0 is not allowed"),
        ("--max-window", "0", "--max-window: 0.0 is not allowed"),
        ("--seed", "-1", "--seed: -1 is not allowed"),
    ],
)
def test_bad_input_is_told_in_one_line(
    capfd: pytest.CaptureFixture[str], option: str, value: str, message: str
) -> None:
    code, out, err = run(capfd, "stochastic-reno", option, value)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_pftk(capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ("pftk", "--p", "0.02", "--rtt", "0.2", "--t0", "1.0", "--b", "1", "--w-max", "20")
    expected = ac.models.pftk(p=0.02, rtt=0.2, t0=1.0, b=1, w_max=20)
    code, out, err = run(capfd, *arguments, "--json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert data["approximate"] == float(expected.approximate)
    assert data["full"] == float(expected.full)
    code, out, err = run(capfd, *arguments)
    assert (code, err) == (0, "")
    assert f"{data['full']:.5g}" in out
    assert "packets per second" in out


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--p", "0", "--p: 0.0 is not allowed; must be a number above 0"),
        ("--p", "1", "--p: 1.0 is not allowed; must be a number above 0"),
        ("--rtt", "200 ms", "--rtt: '200 ms' is not allowed; must be a number"),
        ("--t0", "-1", "--t0: -1.0 is not allowed"),
        ("--b", "0", "--b: 0.0 is not allowed"),
        ("--w-max", "nan", "--w-max: nan is not allowed"),
    ],
)
def test_bad_input_of_pftk(capfd: pytest.CaptureFixture[str], option: str, value: str, message: str) -> None:
    good = {"--p": "0.02", "--rtt": "0.2", "--t0": "1"}
    code, out, err = run(capfd, "pftk", *(word for pair in (good | {option: value}).items() for word in pair))
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1
