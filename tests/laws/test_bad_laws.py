"""Faulty laws: each gives an error that says what is wrong, in which call, at which time; a sweep loses nothing."""

from __future__ import annotations

import signal
import traceback
from typing import TYPE_CHECKING

import pytest
from tests.laws.bad import AT_RUN, AT_USE, NeverReturns, Raises

import ackclock as ac
from ackclock.cli import main
from ackclock.engine.core import Ack, Window
from ackclock.laws import adapter

if TYPE_CHECKING:
    from pathlib import Path


def scenario(law: type[ac.Law] | ac.Tcp) -> ac.Scenario:
    return ac.Scenario(
        duration="20 s",
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="5 ms"),
            bottleneck=ac.Link(rate="2 Mbps", delay="10 ms", queue=ac.DropTail(packets=10)),
        ),
        clients=[
            ac.Clients(
                count=2,
                transport=law if isinstance(law, ac.Tcp) else ac.Tcp(law, recovery="sack", max_window=100),
                source=ac.Greedy(),
            )
        ],
    )


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the watch end a call after one look, which comes within a second."""
    monkeypatch.setattr(adapter, "LONGEST_CALL", 1)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("law", AT_RUN, ids=lambda law: law.__name__)
def test_a_faulty_law_ends_its_run_with_an_error(law: type[ac.Law]) -> None:
    call, words = AT_RUN[law]
    with pytest.raises(ac.LawError) as caught:
        ac.simulate(scenario(law), seed=3)
    error = caught.value
    assert str(error).startswith(f"law {law.__name__}: {call} failed for flow {error.flow} at "), error
    assert words in str(error)
    assert 0 < error.time < 20
    assert "\n" not in str(error)


@pytest.mark.parametrize("law", AT_USE, ids=lambda law: law.__name__)
def test_an_incomplete_law_is_refused(law: type[ac.Law]) -> None:
    with pytest.raises(ac.ScenarioError, match=AT_USE[law]):
        ac.Tcp(law)


def test_the_traceback_is_the_laws_own() -> None:
    with pytest.raises(ac.LawError) as caught:
        ac.simulate(scenario(Raises))
    cause = caught.value.__cause__
    assert isinstance(cause, ZeroDivisionError)
    assert [frame.name for frame in traceback.extract_tb(cause.__traceback__)] == ["on_ack", "divide"]


def test_a_failure_repeats_itself() -> None:
    reported = []
    for _ in range(2):
        with pytest.raises(ac.LawError) as caught:
            ac.simulate(scenario(Raises), seed=5)
        reported.append(caught.value.args)
    assert reported[0] == reported[1]


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_a_sweep_loses_nothing(tmp_path: Path) -> None:
    """Failed runs are stored with their errors, and all other runs with their results."""
    laws = [law for law in AT_RUN if law is not NeverReturns]
    variants = {law.__name__: {"clients.0.transport": ac.Tcp(law, recovery="sack", max_window=100)} for law in laws}
    good = {"sack": {"clients.0.transport": ac.Tcp("sack", max_window=100)}}
    with pytest.warns(UserWarning, match="fewer than 3 values"), pytest.warns(UserWarning, match="of another seed"):
        store = ac.sweep(
            scenario(ac.Tcp("sack")), variants={**variants, **good}, replications=2, store=tmp_path / "store"
        )
    assert store.sql("select variant, count(*) as n from runs group by all").to_pylist() == [
        {"variant": "sack", "n": 2}
    ]
    failures = store.sql("select variant, seed, failure from failures order by all").to_pylist()
    assert len(failures) == 2 * len(laws)
    for failure in failures:
        law = next(law for law in laws if law.__name__ == failure["variant"])
        assert failure["failure"].startswith(f"LawError: law {law.__name__}: {AT_RUN[law][0]} failed for flow ")
        assert AT_RUN[law][1] in failure["failure"]


def test_the_command_prints_the_traceback_and_one_line(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    law = tmp_path / "own.py"
    law.write_text(
        "import ackclock as ac\n\n\nclass Own(ac.Law):\n    def on_ack(self, window, ack):\n        window.cwnd /= 0\n"
    )
    with pytest.raises(SystemExit) as end:
        main(["run", str(root / "examples" / "feng60.toml"), "--law", f"{law}:Own"])
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert (end.value.code, out) == (2, "")
    assert lines[0] == "Traceback (most recent call last):"
    assert f'File "{law}", line 6, in on_ack' in err
    assert "ackclock" not in err.split("in on_ack")[0].replace(str(law), "")
    assert lines[-1].startswith("law Own: on_ack failed for flow ")
    assert lines[-1].endswith(" s: ZeroDivisionError: float division by zero (own.py, line 6)")


class Interrupted(ac.Law):
    """A law during whose call Ctrl-C is pressed."""

    def on_ack(self, window: Window, ack: Ack) -> None:
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_is_no_failure_of_the_law() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background may ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            ac.simulate(scenario(Interrupted))
        with pytest.raises(KeyboardInterrupt):
            ac.check_law(Interrupted)
    finally:
        signal.signal(signal.SIGINT, before)
