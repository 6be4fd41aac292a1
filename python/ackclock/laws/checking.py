"""The contract of congestion control, as a function that a user calls on a law."""

import json
from dataclasses import dataclass
from typing import Any, Final

from ackclock.engine import core
from ackclock.laws.adapter import LawInUse, watched
from ackclock.laws.compiling import is_compiled, plain
from ackclock.laws.finding import needs
from ackclock.laws.law import Law
from ackclock.values.errors import refuse
from ackclock.values.kinds import whole

__all__ = ["Breach", "LawCheck", "check_law"]

_COUNT: Final = whole(1, 1_000_000)
_SEED: Final = whole(0, 2**64 - 1)
_MOST_LISTED: Final = 5


@dataclass(frozen=True)
class Breach:
    """A rule that a law breaks."""

    rule: str
    """The rule and how it is broken, in words, in the first conversation that breaks it."""
    time: float
    """Simulated time in seconds."""
    conversation: str
    """That conversation, in words."""
    number: int
    """Number of that conversation, from 0."""
    count: int
    """Number of conversations that break a rule in the same call."""

    def __str__(self) -> str:
        often = f" ({self.count} conversations)" if self.count > 1 else ""
        return f"{self.rule}, at {self.time:.6g} s of conversation {self.number}{often}: {self.conversation}"


@dataclass(frozen=True)
class LawCheck:
    """The result of `check_law`. It is true if the law keeps the contract."""

    law: str
    """Name of the law."""
    conversations: int
    """Number of conversations."""
    breaches: tuple[Breach, ...]
    """The rules that the law breaks, the most frequent first."""
    notices: tuple[str, ...] = ()
    """What the law does within the contract that its author may not have meant."""

    def __bool__(self) -> bool:
        return not self.breaches

    def __str__(self) -> str:
        notices = [f"Notice: {notice}" for notice in self.notices]
        if self:
            return "\n".join([f"{self.law} keeps the contract in {self.conversations:,} conversations.", *notices])
        lines = [f"{self.law} breaks the contract:", *(f"- {breach}" for breach in self.breaches[:_MOST_LISTED])]
        more = len(self.breaches) - _MOST_LISTED
        return "\n".join([*lines, *([f"- and {more} more"] if more > 0 else []), *notices])


def check_law(law: Law | type[Law], *, conversations: int = 300, seed: int = 1) -> LawCheck:
    """Check that a law keeps the contract that every built-in law keeps.

    Conversations of a sender and a receiver are drawn at random: options, data, and which packets are lost, late,
    duplicated or marked. A witness that counts by itself checks each step. The rules: the window is a finite number, at
    least one packet; an ACK adds at most as many packets as it acknowledges, unless `on_rate` sets the window; each
    congestion event reduces the window, once; no more is in flight than allowed; a timer runs while data is
    outstanding; every transfer ends; and the same conversation is the same again, also while another one goes on.

    A notice says if the law counts ACKs where it may have meant packets: with the same packets, it changes the window
    much less if each ACK acknowledges two of them, as delayed ACKs do.

    Parameters
    ----------
    law
        The law, or its class; also compiled.
    conversations
        Number of conversations.
    seed
        Random seed of the conversations.

    Returns
    -------
    LawCheck
        True if the law keeps the contract; its text says what is broken, and in which conversation.

    Raises
    ------
    ScenarioError
        An argument is not allowed.

    Examples
    --------
    >>> import ackclock as ac
    >>> class Eager(ac.Law):
    ...     def on_ack(self, window, ack):
    ...         window.cwnd *= 2
    >>> print(ac.check_law(Eager))
    Eager breaks the contract:
    - on_ack fails: the window grows from ... to ... packets for ... acknowledged; slow start adds at most ...
    """
    given: Any = law() if isinstance(law, type) and law is not Law and issubclass(law, Law) else law
    if not isinstance(given, Law):
        raise refuse("law", law, "must be a law, or a class derived from ackclock.Law")
    _COUNT.require("conversations", conversations)
    _SEED.require("seed", seed)
    own = plain(type(given))
    used = LawInUse(own, given.parameters, is_compiled(type(given)))
    name, wanted = own.__name__, json.dumps(needs(own))
    found: dict[str, tuple[int, tuple[str, float, str]]] = {}
    counts: dict[str, int] = {}
    for number in range(conversations):
        made = used.for_engine()
        with watched([made]):
            broken = core.check_contract(made, name, wanted, seed, number)
        if broken is not None:
            key = "".join(letter for letter in broken[0] if not letter.isdigit() and letter not in ".e-+")
            found.setdefault(key, (number, broken))
            counts[key] = counts.get(key, 0) + 1
    breaches = [
        Breach(rule, time, conversation, number, counts[key])
        for key, (number, (rule, time, conversation)) in found.items()
    ]
    breaches.sort(key=lambda breach: -breach.count)
    return LawCheck(name, conversations, tuple(breaches), _notices(used, name, wanted))


def _notices(used: LawInUse, name: str, wanted: str) -> tuple[str, ...]:
    made = used.for_engine()
    with watched([made]):
        found = core.law_counts_acks(made, name, wanted)
    if found is None:
        return ()
    packets, alone, pairs = found
    notice = (
        f"on_ack counts ACKs, not packets: {packets:,} packets move the window by {alone:,.4g} packets if each has an "
        f"ACK of its own, and by {pairs:,.4g} if each ACK acknowledges two, as delayed ACKs do. To count packets, "
        "multiply the change by ack.newly_acked, as in window.cwnd += ack.newly_acked / window.cwnd."
    )
    return (notice,)
