"""The section about packetdrill's own scripts, which `ackclock conform` ran by hand."""

from __future__ import annotations

from typing import Final

from linux.markdown import table

_TEXT: Final = """\
## Scripts of packetdrill

[google/packetdrill](https://github.com/google/packetdrill) has 177 scripts at 2c4001c4. 34 of them test the behaviour
of a sender: the scripts of `gtests/net/tcp/` in the folders `cubic`, `cwnd_moderation`, `ecn`, `fast_recovery`,
`fast_retransmit`, `limited_transmit`, `sack` and `slow_start`, and a script of the tool itself, `fr-4pkt-sack-linux`.
In 30 of them, Ackclock's packets equal those of the script. They ran with `ackclock conform --set "timer_tick=1 ms"`,
because packetdrill expects a kernel with such ticks. The other four scripts describe kernels before 6.18. Each of them
becomes equal if the sender gets the rule of that kernel:

"""

_BULK: Final = "a window of 40 at 1.6 s, where slow start goes on to 48"
_ROUNDS: Final = "5.16 to 6.13, in which rounds of HyStart begin only from a window of 16 on"
_HYSTART: Final = "HyStart ends slow start at 36"

_OTHER_KERNELS: Final = [
    ["`cubic-bulk-166k`", _BULK, _ROUNDS, _HYSTART],
    ["`cubic-bulk-166k-idle-restart`", _BULK, _ROUNDS, _HYSTART],
    [
        "`cwnd-moderation-ecn-enter-cwr-no-moderation-700`",
        "a window of 4 after the first mark",
        "up to 5.10, in which the proportional reduction releases one segment more only after retransmissions",
        "5",
    ],
    [
        "`fr-4pkt-fack-last-mss`",
        "a retransmission after 40 ms",
        "up to 6.5 with ticks of 4 ms, in which the reordering timer is extended by two ticks",
        "28 ms, as two other scripts expect",
    ],
]


def scripts() -> str:
    """Return the section."""
    return _TEXT + table(["script", "expects", "kernels", "with the rule of 6.18"], _OTHER_KERNELS)
