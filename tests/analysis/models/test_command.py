"""``ackclock model``: its output and its errors for bad input."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

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


def test_the_round_model(capfd: pytest.CaptureFixture[str]) -> None:
    streams = [
        ac.models.Streams(law=ac.models.Reno(), count=5, rate=50),
        ac.models.Streams(law=ac.models.Vegas(alpha=2, beta=4), count=7, rate=50, start=2),
    ]
    expected = ac.models.rounds(streams, capacity=625, buffer=30, warmup=220, intervals=600, replications=2, seed=3)
    line = (
        "mixed --reno 5 --vegas 7 --vegas-start 2s --alpha 2 --beta 4 --rate 50 --bandwidth 5Mbps --packet-size 1000 "
    )
    line += "--buffer 30 --replications 2 --seed 3"
    code, out, err = run(capfd, *line.split(), "--json")
    data = json.loads(out)
    assert (code, err, data["model"]) == (0, "", "mixed")
    assert data["cov"]["mean"] == expected.cov.mean()
    assert data["reno_share"]["mean"] == expected.shares[:, 0].mean()
    assert data["vegas_share"]["mean"] == expected.shares[:, 1].mean()
    code, out, err = run(capfd, "vegas", "--clients", "5", "--replications", "2")
    assert (code, err) == (0, "")
    assert "timeouts per second, of all clients" in out
    assert "share" not in out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("mixed", "--reno, --delayed-ack-reno, --vegas: one of these options must be at least 1"),
        ("vegas --clients 0", "--clients: 0 is not allowed; must be an integer from 1 to 10000"),
        ("vegas --beta 0.5", "--beta: 0.5 is not allowed; must be a number from 1"),
        ("vegas --alpha -1", "--alpha: -1.0 is not allowed; must be a number from 0"),
        ("vegas --gamma x", "--gamma: 'x' is not allowed; must be a number"),
        ("vegas --buffer 0", "--buffer: 0 is not allowed; must be an integer from 1"),
        ("vegas --rate 0", "--rate: 0.0 is not allowed"),
        ("vegas --max-window 0", "--max-window: 0.0 is not allowed"),
        ("mixed --vegas 1 --vegas-start 2", "--vegas-start: '2' is not allowed; must be a time with its unit"),
        (
            "mixed --vegas 1 --vegas-start 3600s",
            "--vegas-start: '3600s' is not allowed; must be at most 10000 times --rtt",
        ),
        ("vegas --clients 10000 --max-window 1e6", "windows: 1e+10 packets per round trip and 4 replications are not"),
        ("vegas --bandwidth 1000Gbps", "capacity: "),
        ("vegas --rate 1e9 --rtt 3600s --bandwidth 1bps", "rate: 3.6e+12 packets per step are not allowed"),
    ],
)
def test_bad_input_of_the_round_model(capfd: pytest.CaptureFixture[str], line: str, message: str) -> None:
    code, out, err = run(capfd, *line.split())
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


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
def test_bad_input_is_reported_in_one_line(
    capfd: pytest.CaptureFixture[str], option: str, value: str, message: str
) -> None:
    code, out, err = run(capfd, "stochastic-reno", option, value)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


ONE_NUMBER_EACH = [
    (
        "pftk --p 0.02 --rtt 200ms --t0 1s --b 1 --w-max 20",
        ac.models.pftk(p=0.02, rtt=0.2, t0=1.0, b=1, w_max=20),
        "packets per second, by the full formula",
    ),
    ("mathis --p 0.001 --rtt 200ms --b 2", ac.models.mathis(p=0.001, rtt=0.2, b=2), "packets per second"),
    (
        "cardwell --packets 20 --p 0.01 --rtt 100ms --t0 1s --b 2 --initial-window 2 --w-max 8 --delayed-ack 100ms",
        ac.models.cardwell(packets=20, p=0.01, rtt=0.1, t0=1, b=2, initial_window=2, w_max=8, delayed_ack=0.1),
        "seconds in slow start",
    ),
    (
        "cardwell --packets 20 --p 0 --rtt 100ms --t0 1s",
        ac.models.cardwell(packets=20, p=0, rtt=0.1, t0=1),
        "seconds in total",
    ),
    ("large-pipe-loss --window 7 --b 2", ac.models.large_pipe_loss(window=7, b=2), "fraction of packets lost"),
    ("large-pipe-loss --window 4.4 --smooth", ac.models.large_pipe_loss(window=4.4, smooth=True), "by the printed law"),
]


@pytest.mark.parametrize(("line", "expected", "meaning"), ONE_NUMBER_EACH)
def test_models_without_chance(capfd: pytest.CaptureFixture[str], line: str, expected: Any, meaning: str) -> None:
    code, out, err = run(capfd, *line.split(), "--json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert data.pop("model") == line.split(maxsplit=1)[0]
    assert data.pop("version") == ac.__version__
    assert data == {field.name: float(getattr(expected, field.name)) for field in fields(expected)}
    code, out, err = run(capfd, *line.split())
    assert (code, err) == (0, "")
    assert all(f"{value:.5g}" in out for value in data.values())
    assert meaning in out


GOOD = {
    "pftk": {"--p": "0.02", "--rtt": "200ms", "--t0": "1s"},
    "mathis": {"--p": "0.02", "--rtt": "200ms"},
    "cardwell": {"--packets": "10", "--p": "0.02", "--rtt": "200ms", "--t0": "1s", "--initial-window": "2"},
    "large-pipe-loss": {"--window": "5"},
}


@pytest.mark.parametrize(
    ("model", "option", "value", "message"),
    [
        ("pftk", "--p", "0", "--p: 0.0 is not allowed; must be a number from 1e-300"),
        ("pftk", "--p", "1", "--p: 1.0 is not allowed; must be a number from 1e-300"),
        ("pftk", "--rtt", "0.2", "--rtt: '0.2' is not allowed; must be a time with its unit"),
        ("pftk", "--t0", "-1s", "--t0: '-1s' is not allowed"),
        ("pftk", "--b", "0", "--b: 0.0 is not allowed"),
        ("pftk", "--w-max", "nan", "--w-max: nan is not allowed"),
        ("mathis", "--p", "2", "--p: 2.0 is not allowed"),
        ("cardwell", "--packets", "1.5", "--packets: '1.5' is not allowed; must be an integer from 1"),
        ("cardwell", "--p", "-0.1", "--p: -0.1 is not allowed; must be a number from 0"),
        ("cardwell", "--w-max", "1", "--w-max: 1.0 is not allowed; must be a number from 2"),
        ("cardwell", "--delayed-ack", "-1s", "--delayed-ack: '-1s' is not allowed"),
        ("large-pipe-loss", "--window", "2", "--window: 2 is not allowed; must be an integer from 3"),
        ("large-pipe-loss", "--window", "4.4", "--window: '4.4' is not allowed; must be an integer from 3"),
    ],
)
def test_bad_input_of_models_without_chance(
    capfd: pytest.CaptureFixture[str], model: str, option: str, value: str, message: str
) -> None:
    options = GOOD[model] | {option: value}
    code, out, err = run(capfd, model, *(word for pair in options.items() for word in pair))
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1
