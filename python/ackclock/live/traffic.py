"""The traffic of a live run: a thread that opens connections, writes what their sources supply, and reads at once.

The sources are those of the engine. They supply data through a pipe, at their times.
"""

import array
import os
import selectors
import socket
import struct
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

FIRST_PORT, TCP_PORT, UDP_PORT = 20_000, 5001, 5002
SENDERS, RECEIVERS = "10.9.0.1", "10.9.0.2"
_UNLIMITED: Final = 2**64 - 1
_CHUNK: Final = memoryview(bytes(1 << 16))
_READ: Final = 1 << 20
_RECEIVE_BUFFER: Final = 1 << 23
_SUPPLY: Final = struct.Struct("=QQ")
"""A supply: flow, and number of packets."""
_SUPPLIES: Final = 65_536
"""Bytes of supplies that are read at once: a multiple of their size."""
_INFO: Final = 256
"""Bytes of ``TCP_INFO`` to read."""


@dataclass
class Sender:
    """The sending end of a flow."""

    number: int
    socket: socket.socket
    is_tcp: bool
    size: int
    """Data bytes in a packet."""
    left: float = 0
    """Bytes that wait to be written."""
    is_open: bool = False
    timeouts_before: int = 0
    timeouts: int = 0
    failed: str = ""


@dataclass
class Windows:
    """Samples of the senders' state: the columns of the record ``windows``."""

    time: list[float] = field(default_factory=list)
    flow: list[int] = field(default_factory=list)
    cwnd: list[float] = field(default_factory=list)
    ssthresh: list[float] = field(default_factory=list)
    flight_size: list[float] = field(default_factory=list)
    srtt: list[float] = field(default_factory=list)
    rto: list[float] = field(default_factory=list)

    def columns(self) -> list[tuple[str, str, bytes]]:
        """Return the columns in the engine's form."""
        kinds = {name: ("u32", "I") if name == "flow" else ("f64", "d") for name in vars(self)}
        return [
            (name, kinds[name][0], array.array(kinds[name][1], rows).tobytes()) for name, rows in vars(self).items()
        ]


_NO_THRESHOLD: Final = 0x7FFFFFFF


class Traffic:
    """Runs the applications of all flows."""

    def __init__(
        self,
        senders: Sequence[Sender],
        listener: socket.socket,
        datagrams: socket.socket,
        supplies: int,
        *,
        zero: int,
        begin: int,
        end: int,
        sample: int | None,
    ) -> None:
        """Prepare the traffic. Times are in ns: `zero` on the monotonic clock, the others from there.

        `supplies` is the reading end of the pipe of supplies.
        """
        self.senders = senders
        self._supplies = supplies
        self.windows = Windows()
        self._zero, self._begin, self._end, self._sample = zero, begin, end, sample
        self._selector = selectors.DefaultSelector()
        self._selector.register(listener, selectors.EVENT_READ, "listener")
        self._selector.register(datagrams, selectors.EVENT_READ, "datagrams")
        self._selector.register(supplies, selectors.EVENT_READ, "supplies")
        self._sink = bytearray(_READ)
        self._over = threading.Event()
        self.tells_timeouts = True
        """Whether the kernel's ``TCP_INFO`` counts timeouts, as from Linux 6.7 on."""

    def stop(self) -> None:
        """End the traffic soon."""
        self._over.set()

    def close(self) -> None:
        """Close the pipe of supplies, so that nobody waits for its reader."""
        os.close(self._supplies)

    def run(self) -> None:
        """Run until the end."""
        sample, has_begun = 0, False
        while not self._over.is_set():
            now = time.monotonic_ns() - self._zero
            if now >= self._end:
                break
            if not has_begun and now >= self._begin:
                has_begun = True
                self._count_timeouts(before=True)
            if self._sample is not None and now >= sample:
                self._take_samples(now)
                sample += self._sample
            next_at = self._end if self._sample is None else min(sample, self._end)
            self._wait(max(0, min(next_at, now + 50_000_000) - now) * 1e-9)
        self._count_timeouts(before=False)

    def _supply(self) -> None:
        for number, packets in _SUPPLY.iter_unpack(os.read(self._supplies, _SUPPLIES)):
            self._give(self.senders[number], packets)

    def _give(self, sender: Sender, packets: int) -> None:
        """Give a sender the data that its source supplies."""
        if not sender.is_tcp:
            data = _CHUNK[: sender.size]
            for _ in range(packets):
                with suppress(OSError):  # a full device drops the datagram
                    sender.socket.send(data)
            return
        idle = sender.left == 0
        sender.left = float("inf") if packets == _UNLIMITED else sender.left + packets * sender.size
        if not sender.is_open:
            sender.is_open = True
            with suppress(BlockingIOError):
                sender.socket.connect((RECEIVERS, TCP_PORT))
            self._selector.register(sender.socket, selectors.EVENT_WRITE, sender)
        elif idle:
            self._selector.register(sender.socket, selectors.EVENT_WRITE, sender)

    def _wait(self, seconds: float) -> None:
        for key, _ in self._selector.select(seconds):
            if isinstance(key.data, Sender):
                self._write(key.data)
            elif key.data == "supplies":
                self._supply()
            elif key.data == "listener":
                connection, _address = key.fileobj.accept()  # type: ignore[union-attr]
                connection.settimeout(0)
                self._selector.register(connection, selectors.EVENT_READ, "connection")
            else:
                self._read(key.fileobj)  # type: ignore[arg-type]

    def _write(self, sender: Sender) -> None:
        try:
            while sender.left > 0:
                sender.left -= sender.socket.send(_CHUNK[: int(min(sender.left, len(_CHUNK)))])
        except BlockingIOError:
            return
        except OSError as error:
            sender.failed, sender.left = str(error), 0
        self._selector.unregister(sender.socket)

    def _read(self, connection: socket.socket) -> None:
        try:
            # the kernel discards the data instead of copying it
            count = connection.recv_into(self._sink, _READ, socket.MSG_TRUNC)
        except BlockingIOError:
            return
        except OSError:
            count = 0
        if count == 0 and connection.type == socket.SOCK_STREAM:
            self._selector.unregister(connection)
            connection.close()

    def _info(self, sender: Sender) -> bytes | None:
        if not sender.is_tcp or not sender.is_open:
            return None
        return sender.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO)

    def _count_timeouts(self, *, before: bool) -> None:
        for sender in self.senders:
            info = self._info(sender)
            if info is None:
                continue
            if len(info) < _ROOM_FOR_TIMEOUTS:
                self.tells_timeouts = False
                return
            (count,) = struct.unpack_from("=H", info, _TIMEOUTS_AT)
            if before:
                sender.timeouts_before = count
            else:
                sender.timeouts = count - sender.timeouts_before

    def _take_samples(self, now: int) -> None:
        rows = self.windows
        for sender in self.senders:
            info = self._info(sender)
            if info is None:
                continue
            words = struct.unpack_from("=24I", info, 8)
            rto, unacked, sacked, lost, retrans = words[0], *words[4:8]
            rtt, ssthresh, cwnd = words[15], words[17], words[18]
            rows.time.append(now * 1e-9)
            rows.flow.append(sender.number)
            rows.cwnd.append(float(cwnd))
            rows.ssthresh.append(float("inf") if ssthresh >= _NO_THRESHOLD else float(ssthresh))
            rows.flight_size.append(float(max(0, unacked - sacked - lost + retrans)))
            rows.srtt.append(rtt * 1e-6)
            rows.rto.append(rto * 1e-6)


_TIMEOUTS_AT: Final = 240
_ROOM_FOR_TIMEOUTS: Final = 242


def listening() -> tuple[socket.socket, socket.socket]:
    """Open the sockets of the receivers in the current namespace: one for connections, one for datagrams."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.settimeout(0)
    listener.bind((RECEIVERS, TCP_PORT))
    listener.listen(256)
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.settimeout(0)
    datagrams.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
    datagrams.bind((RECEIVERS, UDP_PORT))
    return listener, datagrams


def sending(number: int, law: str | None, packet_size: int) -> socket.socket:
    """Open the socket of a flow in the current namespace; `law` is the kernel's name of its law, ``None`` for UDP."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if law is None else socket.SOCK_STREAM)
    opened.settimeout(0)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if law is not None:
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, law.encode())
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, packet_size - _PLAIN_HEADERS)
    opened.bind((SENDERS, FIRST_PORT + number))
    if law is None:
        opened.connect((RECEIVERS, UDP_PORT))
    return opened


_PLAIN_HEADERS: Final = 40
TCP_HEADERS, UDP_HEADERS = 52, 28
"""IPv4 and TCP headers with timestamps, and IPv4 and UDP headers, in bytes."""
