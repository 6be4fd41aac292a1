"""The contract of congestion control as a check of a law written in Python."""

from __future__ import annotations

import itertools

import pytest
from tests.laws.own import Gentle, Rated, Timed
from tests.laws.scenarios import EXAMPLES

import ackclock as ac
from ackclock.engine.core import Ack, Congestion, Window
from ackclock.laws.finding import find


class Doubles(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd *= 2


class Ignores(ac.Law):
    def on_congestion(self, window: Window, event: Congestion) -> None:
        window.cwnd = event.window


class StartsAgain(ac.Law):
    def on_congestion(self, window: Window, event: Congestion) -> None:
        window.cwnd = event.window / 2
        window.ssthresh = 1e6


class Stalls(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.pacing_rate = 1e-9


class Undefined(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd += float("nan")


class Raises(ac.Law):
    def observe(self, ack: Ack) -> None:
        raise RuntimeError("no more")


class Counts(ac.Law):
    """A law whose flows share a counter, which its text does not show."""

    count = itertools.count()

    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd += (next(self.count) % 3) / window.cwnd


@pytest.mark.parametrize("law", [Gentle, Gentle(noisy=True, every=2), Rated, "reno.py:Reno", "cubic.py:Cubic"])
def test_laws_keep_the_contract(law: type[ac.Law] | ac.Law | str) -> None:
    """Check laws in random conversations.

    Validates: laws by the documented interface keep the contract of the built-in laws.
    Source: `crates/tcp/src/contract.rs`.
    Tolerance: exact.
    """
    kept = ac.check_law(find(str(EXAMPLES / law), ac.Law) if isinstance(law, str) else law, conversations=500)
    assert kept, str(kept)
    assert str(kept).splitlines()[0].endswith("keeps the contract in 500 conversations.")


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (Doubles, "on_ack fails: the window grows from "),
        (Ignores, "on_congestion fails: the window is "),
        (StartsAgain, "on_congestion fails: the law sets window.ssthresh to 1000000 packets after "),
        (Stalls, "the transfer does not end: "),
        (Undefined, "on_ack fails: window.cwnd is NaN; must be a number from 0 to 1000000000 packets"),
        (Raises, "observe fails: RuntimeError: no more"),
        (Counts, "the same conversation differs when it is repeated beside another one: flows share state"),
    ],
)
def test_a_fault_is_described_in_words(law: type[ac.Law], words: str) -> None:
    found = ac.check_law(law)
    assert not found
    assert str(found).startswith(f"{law.__name__} breaks the contract:\n- ")
    breach = next(each for each in found.breaches if each.rule.startswith(words))
    assert breach.count >= 1
    assert " packets over a path of " in breach.conversation
    assert f"conversation {breach.number}" in str(breach)


def test_a_law_that_shrinks_its_window_keeps_the_contract() -> None:
    assert ac.check_law(Timed)


def test_the_arguments_are_checked() -> None:
    with pytest.raises(ac.ScenarioError, match="law: 5 is not allowed; must be a law, or a class derived from"):
        ac.check_law(5)  # type: ignore[arg-type]
    with pytest.raises(ac.ScenarioError, match="conversations: 0 is not allowed; must be an integer from 1"):
        ac.check_law(Gentle, conversations=0)
    assert ac.check_law(Gentle, seed=7).conversations == 300


class PerAck(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd += 1 / window.cwnd


class PerPacket(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd += ack.newly_acked / window.cwnd


class PerRoundTrip(ac.Law):
    """A law that grows once per round trip."""

    def setup(self) -> None:
        self.end = 0

    def on_ack(self, window: Window, ack: Ack) -> None:
        if ack.snd_una > self.end:
            self.end = ack.snd_nxt
            window.cwnd += 1


class Late(PerAck):
    """A law that counts ACKs only while round trips are long."""

    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd += ack.newly_acked / window.cwnd if ack.rtt < 0.1 else -0.01


def test_a_law_that_counts_acks_gets_a_notice() -> None:
    """Compare laws with the same packets, acknowledged one by one and in pairs.

    Validates: laws that change the window per ACK keep the contract and get a notice with the two changes; laws that
        count packets, round trips or time get none.
    Source: RFC 3465, section 2: delayed ACKs halve the growth per ACK. ``(64 ** 2 + 2 * 1280) ** 0.5 - 64`` is 17.6.
    Tolerance: the digits of the notice.
    """
    kept = ac.check_law(PerAck, conversations=20)
    assert kept
    assert kept.notices[0].startswith("on_ack counts ACKs, not packets: 1,280 packets move the window by 17.5"), (
        kept.notices
    )
    assert str(kept).splitlines() == ["PerAck keeps the contract in 20 conversations.", f"Notice: {kept.notices[0]}"]
    assert "move the window by 12.8 packets" in ac.check_law(Late, conversations=1).notices[0]
    silent = (PerPacket, PerRoundTrip, Timed, Rated, Raises, "reno.py:Reno", "cubic.py:Cubic")
    for law in silent:
        found = find(str(EXAMPLES / law), ac.Law) if isinstance(law, str) else law
        assert ac.check_law(found, conversations=1).notices == (), law
