"""``ackclock model`` passes each option to its model, in the model's units."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ackclock.analysis import models
from ackclock.cli import main, predictions

RENO = (
    "stochastic-reno --clients 3 --rate 7.5 --bandwidth 12Mbps --packet-size 500 --buffer 9 --rtt 20ms "
    "--initial-window 4 --max-window 6 --replications 8 --seed 5"
)


@pytest.mark.parametrize(
    ("line", "model", "expected"),
    [
        (
            RENO,
            "stochastic_reno",
            {
                "clients": 3, "rate": 7.5, "interval": 0.02, "buffer": 9, "initial_window": 4, "max_window": 6,
                "replications": 8, "seed": 5, "capacity": 3000,  # 12 Mbps are 1.5 MB/s
            },
        ),
        (
            "stochastic-reno",
            "stochastic_reno",
            {
                "clients": 60, "rate": 100, "interval": 0.1, "buffer": 50, "initial_window": 1, "max_window": None,
                "replications": 40, "seed": 1, "capacity": 50e6 / 12000,
            },
        ),
        (
            "pftk --p 0.02 --rtt 200ms --t0 1500ms --b 2 --w-max 20",
            "pftk",
            {"p": 0.02, "rtt": 0.2, "t0": 1.5, "b": 2, "w_max": 20},
        ),
        ("pftk --p 0.02 --rtt 200ms --t0 1.5s", "pftk", {"p": 0.02, "rtt": 0.2, "t0": 1.5, "b": 1, "w_max": math.inf}),
        ("mathis --p 0.001 --rtt 250ms --b 2", "mathis", {"p": 0.001, "rtt": 0.25, "b": 2}),
        (
            "cardwell --packets 20 --p 0.01 --rtt 0.1s --t0 1.5s --b 2 --initial-window 3 --w-max 3 --delayed-ack 0.2s",
            "cardwell",
            {
                "packets": 20, "p": 0.01, "rtt": 0.1, "t0": 1.5, "b": 2, "initial_window": 3, "w_max": 3,
                "delayed_ack": 0.2,
            },
        ),
        (
            "cardwell --packets 20 --p 1e-301 --rtt 100ms --t0 1500ms",
            "cardwell",
            {
                "packets": 20, "p": 0, "rtt": 0.1, "t0": 1.5, "b": 1, "initial_window": 1, "w_max": math.inf,
                "delayed_ack": 0,
            },
        ),
        ("cardwell --packets 20 --p 1e-300 --rtt 100ms --t0 1500ms", "cardwell", {"p": 1e-300}),
        ("large-pipe-loss --window 7 --b 2", "large_pipe_loss", {"window": 7, "b": 2, "smooth": False}),
        ("large-pipe-loss --window 4.4 --smooth", "large_pipe_loss", {"window": 4.4, "b": 1, "smooth": True}),
    ],
)  # fmt: skip
def test_options_reach_the_model(
    monkeypatch: pytest.MonkeyPatch, line: str, model: str, expected: dict[str, Any]
) -> None:
    class Asked(Exception):
        pass

    asked: dict[str, Any] = {}

    def record(**given: Any) -> None:
        asked.update(given)
        raise Asked

    monkeypatch.setattr(models, model, record)
    with pytest.raises(Asked):
        main(["model", *line.split()])
    assert {name: asked[name] for name in expected} == pytest.approx(expected)
    assert "capacity" in expected or len(expected) == 1 or set(asked) == set(expected)


def test_an_advertised_window_is_at_least_the_initial_one(capsys: pytest.CaptureFixture[str]) -> None:
    line = "cardwell --packets 20 --p 0.01 --rtt 100ms --t0 1500ms --initial-window 3 --w-max 2.9"
    with pytest.raises(SystemExit):
        main(["model", *line.split()])
    assert capsys.readouterr().err.startswith("--w-max: 2.9 is not allowed; must be a number from 3")


def test_means_have_intervals_and_other_numbers_have_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three replications each: the half-width of 1, 2, 3 is 4.303 / sqrt(3) = 2.484."""
    predicted = SimpleNamespace(
        cov=np.array([1.0, 2, 3]), mean=np.array([5.0, 5, 5]), cuts=np.zeros(3), gamma=123.456789, poisson_cov=0.5
    )
    monkeypatch.setattr(models, "stochastic_reno", lambda **_: predicted)
    with pytest.raises(SystemExit):
        main(["model", "stochastic-reno"])
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert [name for name, _ in lines] == ["cov", "mean", "cuts", "gamma", "poisson_cov"]
    assert lines[0][1].startswith("2.0 ± 2.5")
    assert lines[3][1].split() == ["123.46", *predictions._MEANINGS["gamma"].split()]
