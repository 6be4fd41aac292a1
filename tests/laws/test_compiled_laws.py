"""Laws compiled by numba: the same bytes as interpreted, errors that say what cannot be compiled."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.laws.own import Gentle, Rated, Timed
from tests.laws.test_law_fields import scenario

import ackclock as ac

pytestmark = pytest.mark.needs("numba")


class Arrays(ac.Law):
    """A law with an array, a loop, a helper and several targets in one assignment."""

    LENGTH = 4

    def setup(self) -> None:
        import numpy as np  # noqa: PLC0415

        self.samples = np.ones(4)
        self.place = 0
        self.low, self.high = 0.0, 1.0

    def on_ack(self, window: Any, ack: Any) -> None:
        self.samples[self.place] = ack.newly_acked
        self.place = (self.place + 1) % self.LENGTH
        total = 0.0
        for value in self.samples:
            total += value
        self.low, self.high = min(self.low, total), max(self.high, total)
        window.cwnd += total / self.LENGTH * ack.counted / window.cwnd


def both(law: ac.Law, seed: int = 1, **options: Any) -> tuple[ac.Run, ac.Run]:
    runs = [
        ac.simulate(scenario(ac.Tcp(each, **options)), seed=seed, record=["windows"])
        for each in (law, ac.compiled(law))
    ]
    return runs[0], runs[1]


@pytest.mark.parametrize(
    ("law", "options"),
    [
        (Gentle(gain=0.8), {"recovery": "sack"}),
        (Gentle(noisy=True, mode="fast", every=3), {"recovery": "newreno"}),
        (Timed(), {"pacing": "law"}),
        (Rated(), {"pacing": "law"}),
        (Arrays(), {"recovery": "sack"}),
    ],
)
def test_compiled_and_interpreted_laws_give_the_same_bytes(law: ac.Law, options: dict[str, Any]) -> None:
    """Compare results, also of random numbers, state, words and arrays.

    Validates: a compiled law gives the summary and the windows of the interpreted one.
    Source: the same class.
    Tolerance: exact.
    """
    for seed in (1, 2):
        interpreted, compiled = both(law, seed, **options)
        assert interpreted.summary == compiled.summary
        assert repr(interpreted.table("windows").to_pydict()) == repr(compiled.table("windows").to_pydict())
        assert compiled.laws[0]["sha256"] == interpreted.laws[0]["sha256"]
        assert "numba" in compiled.laws[0]


def test_compiled_laws_run_beside_each_other() -> None:
    """Runs with compiled laws do not need the interpreter, and repeat themselves on any number of threads."""
    tcp = ac.Tcp(ac.compiled(Gentle(noisy=True)), recovery="sack")
    runs = ac.replicate(scenario(tcp), seeds=6, jobs=2)
    assert [run.summary for run in runs] == [ac.simulate(scenario(tcp), seed=run.seed).summary for run in runs]


def test_compiled_laws_keep_the_contract() -> None:
    assert ac.check_law(ac.compiled(Gentle(gain=0.8)))
    assert ac.compiled(ac.compiled(Gentle)) is ac.compiled(Gentle)


class Deque(ac.Law):
    def setup(self) -> None:
        self.history: list[float] = []

    def on_ack(self, window: Any, ack: Any) -> None:
        self.history.append(ack.now)


class LateState(ac.Law):
    def on_ack(self, window: Any, ack: Any) -> None:
        self.last = ack.now


class Fraction(ac.Law):
    def setup(self) -> None:
        self.total = 0

    def on_ack(self, window: Any, ack: Any) -> None:
        self.total += 0.5  # type: ignore[assignment]


class Formats(ac.Law):
    def on_ack(self, window: Any, ack: Any) -> None:
        window.cwnd += len(f"{ack.now:.3f}")


class Misspelt(ac.Law):
    def on_ack(self, window: Any, ack: Any) -> None:
        window.cwnd += ack.acked


class Calls(ac.Law):
    def on_ack(self, window: Any, ack: Any) -> None:
        window.cwnd += math.fsum([ack.now])


class Super(ac.Law):
    def on_ack(self, window: Any, ack: Any) -> None:
        window.cwnd += 1

    def on_congestion(self, window: Any, event: Any) -> None:
        super().on_congestion(window, event)


class Draws(ac.Law):
    def on_ack(self, window: Any, ack: Any) -> None:
        window.cwnd += self.rng.normal(0.0, 1.0)


class DrawsInSetup(ac.Law):
    def setup(self) -> None:
        self.phase = self.rng.random()

    def on_ack(self, window: Any, ack: Any) -> None:
        window.cwnd += self.phase


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (Deque, "law Deque: self.history: 'list' is not allowed; must be a float, an int, a bool or a NumPy array"),
        (LateState, r"self.last \(line \d+\)' is not allowed; must be made in setup\(\) as a number, to be compiled"),
        (
            Fraction,
            r"on_ack \(test_compiled_laws.py, line \d+\).*self.total gets a fraction, but setup\(\) begins it as",
        ),
        (Formats, r"on_ack \(test_compiled_laws.py, line \d+\)' is not allowed; must be code that numba compiles: "),
        (
            Misspelt,
            r"ack.acked \(line \d+\)' is not allowed; .*must be one of now, srtt, rtt, elapsed, counted",
        ),
        (Calls, r"on_ack \(test_compiled_laws.py, line \d+\).*fsum"),
        (Super, r"super\(\) \(line \d+\)' is not allowed; must be absent: repeat the method of the base class"),
        (Draws, r"self.rng.normal \(line \d+\)' is not allowed; must be random or uniform, to be compiled"),
        (DrawsInSetup, r"law DrawsInSetup: 'setup\(\)' is not allowed; must not use self.rng, to be compiled"),
    ],
)
def test_an_error_says_what_cannot_be_compiled(law: type[ac.Law], words: str) -> None:
    with pytest.raises(ac.ScenarioError, match=words):
        ac.compiled(law)


class Divides(ac.Law):
    def on_ack(self, window: Any, ack: Any) -> None:
        window.cwnd += 1 / (window.cwnd - window.cwnd)


class Undefined(ac.Law):
    def on_ack(self, window: Any, ack: Any) -> None:
        window.cwnd = math.nan


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (Divides, "the compiled law raised an exception; without ac.compiled it shows which one, and where"),
        (Undefined, "window.cwnd is NaN; must be a number from 0 to 1000000000 packets"),
    ],
)
def test_a_compiled_law_fails_as_an_interpreted_one(law: type[ac.Law], words: str) -> None:
    failures = []
    for each in (law, ac.compiled(law)):
        with pytest.raises(ac.LawError) as caught:
            ac.simulate(scenario(ac.Tcp(each, recovery="sack")))
        failures.append(caught.value)
    assert failures[0].args[:5] == failures[1].args[:5]
    assert words in str(failures[1])
