"""How a link frames packets: the bytes that it sends for each."""

from ackclock.scenario.fields import FramingKind, LeastFrame, Overhead
from ackclock.scenario.model import Part

_CELL = 53
_PAYLOAD_OF_CELL = 48
_PTM_BLOCK = 64


class Framing(Part):
    """The bytes that a link sends for a packet: its own, those of lower layers, and cells.

    The fields are those of ``tc-cake`` with these names. The transmission takes as long as all bytes, and shapers,
    throughput and the queues ``cake`` and ``fq`` count them; limits of queues, records and goodput count the bytes of
    packets.

    Examples
    --------
    >>> Framing(kind="atm", overhead=44).bytes(1500), Framing(overhead=18, mpu=64).bytes(40)
    (1749, 64)
    """

    kind: FramingKind = "plain"
    """``plain`` for bytes (default), ``atm`` for cells of 53 bytes that carry 48 (ADSL), or ``ptm``, which adds a byte
    for each 64 bytes (VDSL)."""

    overhead: Overhead = 0
    """Bytes that each packet gets in addition (default: 0), such as 44 for PPPoE over ADSL or 38 for Ethernet with its
    preamble and gap; below 0 if the link omits headers."""

    mpu: LeastFrame = 0
    """Least number of bytes of a packet with its overhead (default: 0)."""

    def bytes(self, size: int) -> int:
        """Return the bytes that the link sends for a packet of ``size`` bytes."""
        framed = max(size + self.overhead, self.mpu, 1)
        if self.kind == "atm":
            return -(-framed // _PAYLOAD_OF_CELL) * _CELL
        return framed + (-(-framed // _PTM_BLOCK) if self.kind == "ptm" else 0)
