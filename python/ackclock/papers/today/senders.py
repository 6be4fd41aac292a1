"""The senders of which the study asks each question, and groups of clients that run them.

Today's senders have Linux's defaults (profile ``linux``: RACK-TLP, HyStart, an initial window of ten packets) and
send all packets of one size. ``Reno of 2000`` is the papers' sender: ns-2's Reno, without SACK, with an ACK for each
packet and an advertised window of 20 packets where the paper prints it. It shows whether a network still gives the
paper's answer; verdicts are about the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ackclock.papers.core.definition import Definition
from ackclock.papers.core.evidence import Named
from ackclock.scenario import Scenario

DEFINITION = Definition("ackclock.papers.today")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sender:
    """A congestion control with its options, under one profile."""

    name: str
    transport: Mapping[str, Any]
    profile: str = "linux"


def _linux(name: str, variant: str, **options: Any) -> Sender:
    return Sender(name=name, transport={"kind": "tcp", "variant": variant, **options})


THEN = Sender(
    name="Reno of 2000",
    transport={"kind": "tcp", "variant": "reno", "overhead": "12 us", "delayed_ack": False},
    profile="ns2-2.35",
)
"""The papers' Reno."""

_TODAY = (
    _linux("Reno", "reno"),
    _linux("Paced Reno", "reno", pacing="window"),
    _linux("CUBIC", "cubic"),
    _linux("Paced CUBIC", "cubic", pacing="window"),
    _linux("BBR", "bbr"),
    _linux("BBRv3", "bbr3"),
    _linux("Copa", "copa"),
    _linux("Vegas", "vegas"),
    _linux("DCTCP", "dctcp", ecn="dctcp"),
    _linux("Prague", "prague"),
)

SENDERS: Mapping[str, Sender] = {sender.name: sender for sender in (*_TODAY, THEN)}
"""The senders by name, in the order of figures; the last one is the papers'."""

TODAY = Named("today's senders", [sender.name for sender in _TODAY])
"""The names of today's senders, which get verdicts."""

UNMARKED: Sequence[str] = [name for name in SENDERS if name != "DCTCP"]
"""The senders of runs whose queue does not mark packets: without DCTCP, which is Reno then, packet for packet."""

UNMARKED_TODAY: Sequence[str] = [name for name in TODAY if name in UNMARKED]
"""Today's senders of such runs."""

SCALABLE = ("DCTCP", "Prague")
"""Senders that count marks instead of halving at each; they use ECN in every network, but need a queue that marks."""


def scenario(
    sender: str,
    groups: Sequence[Mapping[str, Any]],
    *,
    options: Mapping[str, Any] = MappingProxyType({}),
    **fields: Any,
) -> Scenario:
    """Make a scenario in which every group without a transport of its own runs one sender.

    Parameters
    ----------
    sender
        A name of `SENDERS`.
    groups
        The groups of clients.
    options
        Options of the sender's transport, in addition to its own.
    fields
        Fields of the scenario: `duration`, `dumbbell`, `measure` and others.

    """
    chosen = SENDERS[sender]
    transport = {**chosen.transport, **options}
    clients = [{"transport": transport, **group} for group in groups]
    return Scenario.from_dict({"profile": chosen.profile, "packet_size": 1500, "clients": clients, **fields})
