"""Make the captures beside this file and `examples/lan.pcapng`: as root, on Linux, with iproute2, tcpdump and dumpcap.

Two network namespaces talk over a third, which carries frames between them, late, and loses some. Nothing leaves them.
"""

import ctypes
import fcntl
import random
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
LAN = HERE.parents[2] / "examples" / "lan.pcapng"
LATE = 0.004
LOSS = 0.03

# linux/sockios.h and linux/ethtool.h: checksums, segmentation and reassembly are done in software.
_SIOCETHTOOL = 0x8946
_OFF = (0x17, 0x1F, 0x24, 0x2C)

TALK = """
import socket, sys, threading, time
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
def serve(server):
    connection, _ = server.accept()
    while connection.recv(65536):
        pass
    connection.sendall(b"thank you")
    connection.close()
if sys.argv[2] == "serve":
    server = socket.create_server((sys.argv[1], 5001), family=family)
    datagrams = socket.socket(family, socket.SOCK_DGRAM)
    datagrams.bind((sys.argv[1], 5002))
    serve(server)
else:
    time.sleep(0.5)
    datagrams = socket.socket(family, socket.SOCK_DGRAM)
    for size in (10, 500, 3000, 1):
        datagrams.sendto(bytes(size), (sys.argv[1], 5002))
    connection = socket.create_connection((sys.argv[1], 5001))
    connection.sendall(bytes(int(sys.argv[2])))
    connection.shutdown(socket.SHUT_WR)
    assert connection.recv(100) == b"thank you"
"""


def main() -> None:
    if "plain" in sys.argv:
        plain("eth0")
        return
    if "inside" not in sys.argv:
        subprocess.run(["unshare", "-n", sys.executable, __file__, "inside"], check=True)
        return
    ends = [subprocess.Popen(["unshare", "-n", "sleep", "60"]) for _ in range(2)]
    time.sleep(0.3)
    for number, end in enumerate(ends):
        shell(f"ip link add m{number} type veth peer name eth0 netns {end.pid}")
        shell(f"ip link set m{number} up")
        plain(f"m{number}")
        for command in (
            f"ip addr add 10.7.0.{number + 1}/24 dev eth0",
            f"ip addr add fd07::{number + 1}/64 dev eth0 nodad",
            "ip link set eth0 up",
            "ip link set lo up",
        ):
            inside(end, command.split())
        inside(
            end,
            [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(HERE)!r}); import make; make.plain('eth0')"],
        )
    carry()
    first, second = ends
    captures = [
        begin(first, f"tcpdump -q -i eth0 -s 96 -w {HERE}/ethernet.pcap"),
        begin(second, f"tcpdump -q -i any --nano -s 128 -w {HERE}/cooked.pcap"),
        begin(first, f"dumpcap -q -i lo -i eth0 -s 128 -w {LAN}"),
    ]
    time.sleep(1.5)
    strange(first)
    for address, size in (("10.7.0.2", 200_000), ("fd07::2", 30_000)):
        server = begin(second, [sys.executable, "-c", TALK, address, "serve"])
        inside(first, [sys.executable, "-c", TALK, address, str(size)])
        server.wait()
    server = begin(first, [sys.executable, "-c", TALK, "127.0.0.1", "serve"])
    inside(first, [sys.executable, "-c", TALK, "127.0.0.1", "20000"])
    server.wait()
    time.sleep(1)
    for capture in captures:
        capture.terminate()
        capture.wait()
    for end in ends:
        end.kill()
        end.wait()
    forget(LAN)


def forget(file: Path) -> None:
    """Leave out of a pcapng file what it says of the machine: only names of interfaces and their clocks stay."""
    old, new, at = file.read_bytes(), b"", 0
    while at < len(old):
        kind, length = struct.unpack_from("<II", old, at)
        body = old[at + 8 : at + length - 4]
        at += length
        if kind == 0x0A0D0D0A:
            body = body[:16]
        elif kind == 1:
            options, kept, place = body[8:], b"", 0
            while place < len(options):
                code, size = struct.unpack_from("<HH", options, place)
                whole = 4 + -(-size // 4) * 4
                kept += options[place : place + whole] if code in {0, 2, 9} else b""
                place += whole
            body = body[:8] + kept
        elif kind == 5:
            continue
        new += struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)
    file.write_bytes(new)


def shell(command: str) -> None:
    subprocess.run(command.split(), check=True)


def begin(end: "subprocess.Popen[bytes]", command: "str | list[str]") -> "subprocess.Popen[bytes]":
    words = command.split() if isinstance(command, str) else command
    return subprocess.Popen(["nsenter", "-t", str(end.pid), "-n", *words])


def inside(end: "subprocess.Popen[bytes]", command: "list[str]") -> None:
    assert begin(end, command).wait() == 0, command


def plain(device: str) -> None:
    """Leave checksums and the cutting of segments to the stack: frames are as on a wire."""
    with socket.socket() as any_socket:
        for command in _OFF:
            value = bytearray(struct.pack("II", command, 0))
            buffer = (ctypes.c_char * len(value)).from_buffer(value)
            request = struct.pack("16sQ16x", device.encode(), ctypes.addressof(buffer))
            fcntl.ioctl(any_socket, _SIOCETHTOOL, request)


def carry() -> None:
    """Carry frames from either end to the other."""
    chance = random.Random(1)  # noqa: S311  # any frames will do
    doors = []
    for number in range(2):
        door = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        door.bind((f"m{number}", 0))
        doors.append(door)

    def one_way(here: socket.socket, there: socket.socket) -> None:
        waiting: list[tuple[float, bytes]] = []
        while True:
            here.settimeout(max(waiting[0][0] - time.monotonic(), 0.0001) if waiting else None)
            try:
                frame, (_, _, kind, *_) = here.recvfrom(65536)
                if kind != socket.PACKET_OUTGOING and (len(frame) < 500 or chance.random() > LOSS):
                    waiting.append((time.monotonic() + LATE, frame))
            except TimeoutError:
                pass
            while waiting and waiting[0][0] <= time.monotonic():
                there.send(waiting.pop(0)[1])

    for here, there in (doors, doors[::-1]):
        threading.Thread(target=one_way, args=(here, there), daemon=True).start()


STRANGE = """
import socket
door = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
door.bind(("eth0", 0))
mac = door.getsockname()[4]
def send(to, rest):
    door.send((to + mac + rest).ljust(60, bytes(1)))
ip = bytes.fromhex("4500001c00004000401126ad0a0700010a070002") + bytes.fromhex("1389138a00080000")
two = bytes.fromhex("020000000002")
send(two, bytes.fromhex("810000050800") + ip)
send(two, bytes.fromhex("88a80007810000050800") + ip)
six = bytes.fromhex("6000000000083b40") + bytes(15) + b"1" + bytes(15) + b"2"
send(two, bytes.fromhex("8100000586dd") + six + bytes(8))
send(bytes.fromhex("0180c2000000"), bytes.fromhex("00264242030000000000") + bytes(35))
send(two, bytes.fromhex("0024aaaa030000000800") + ip)
send(bytes.fromhex("0180c200000e"), bytes.fromhex("88cc0207") + bytes(30))
send(two, bytes.fromhex("88b5") + b"local experiment")
send(two, bytes.fromhex("0800") + bytes.fromhex("4500001400004000408426ad0a0700010a070002"))
send(two, bytes.fromhex("86dd") + bytes.fromhex("6000000000183c40") + bytes(16) + bytes(16)
     + bytes.fromhex("3c00010400000000") + bytes.fromhex("1100010400000000") + bytes.fromhex("1389138a00080000"))
"""


def strange(end: "subprocess.Popen[bytes]") -> None:
    """Send frames that no socket sends: tags, LLC, SNAP, other types, extension headers."""
    inside(end, [sys.executable, "-c", STRANGE])


if __name__ == "__main__":
    main()
