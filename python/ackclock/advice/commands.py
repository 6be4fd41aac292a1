"""Commands for Linux that set up a contender: `tc` for the queues, `sysctl` for the senders.

The syntax is that of the manual pages tc-cake(8), tc-fq_codel(8), tc-pie(8), tc-dualpi2(8), tc-pfifo(8) and tc-htb(8)
of iproute2. Parameters that are not written have the kernel's defaults, in the runs too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.advice.question import LAWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.advice.contenders import Contender
    from ackclock.advice.question import Question

__all__ = ["commands"]

_USERS, _NETWORK = "eth1", "eth0"


def commands(question: Question, contender: Contender) -> list[str]:
    """Return the lines of a shell script; comments begin with ``#``."""
    lines = [
        f"# {_USERS} is the interface towards the users, {_NETWORK} the one towards the network: put in your names.",
        *_direction("down", _USERS, question, contender, 0),
        *_direction("up", _NETWORK, question, contender, 1),
        *_senders(question, contender),
    ]
    if contender.queue == "cake":
        lines.append(f"# On a router that translates addresses (NAT), add the word nat for {_NETWORK}.")
    if contender.queue == "droptail":
        lines.append(
            "# These interfaces must be the link itself. In front of a faster interface, such as a modem's, the queue "
            "stays empty."
        )
    return lines


def _direction(way: str, device: str, question: Question, contender: Contender, place: int) -> Iterator[str]:
    yield f"# {way}: {question.rates[place] / 1e6:g} Mb/s"
    rate = f"{round(contender.rates[place] / 1000)}kbit"
    shaped = contender.rates[place] < question.rates[place]
    limit = contender.limits[place]
    root = f"tc qdisc replace dev {device} root"
    if contender.queue == "cake":
        yield f"{root} cake {f'bandwidth {rate}' if shaped else 'unlimited'} besteffort triple-isolate"
        return
    if shaped:
        yield f"{root} handle 1: htb default 1"
        yield f"tc class replace dev {device} parent 1: classid 1:1 htb rate {rate}"
        root = f"tc qdisc replace dev {device} parent 1:1"
    yield f"{root} {_queue(contender, limit)}"


def _queue(contender: Contender, limit: int) -> str:
    ecn = "ecn" if contender.ecn else "noecn"
    return {
        "droptail": f"pfifo limit {limit}",
        "fq_codel": f"fq_codel limit {limit} target 5ms interval 100ms {ecn}",
        "pie": f"pie limit {limit} target 15ms tupdate 15ms {ecn}",
        "dualpi2": f"dualpi2 limit {limit} target 15ms tupdate 16ms alpha 0.16 beta 3.2 coupling_factor 2",
    }[contender.queue]


def _senders(question: Question, contender: Contender) -> Iterator[str]:
    changes_law = contender.law != LAWS[0] or contender.law != question.laws[0]
    if changes_law or contender.ecn:
        yield "# On the senders: your servers and hosts"
    if contender.law == "bbr3":
        yield "# BBRv3 is not in the kernel: it needs the branch v3 of google/bbr, where its name is bbr."
    if changes_law:
        yield f"sysctl -w net.ipv4.tcp_congestion_control={'cubic' if contender.law == 'cubic' else 'bbr'}"
    if contender.ecn:
        yield "sysctl -w net.ipv4.tcp_ecn=1"


NOT_TRIED: Final = (
    "queues and congestion controls that are not in the table, such as RED, Reno and L4S senders",
    "hosts with different congestion controls on the link: in each run all use the same",
    "other parameters of the queues than the kernel's defaults",
    "classes of traffic (DSCP), and limits for single users",
    "losses that are not caused by the queue, as on radio links, and links whose rate varies",
    "QUIC and HTTP/2: pages use up to six connections",
    "the processing time of the router, which limits shaping on small devices",
)
"""What no run has tried."""
