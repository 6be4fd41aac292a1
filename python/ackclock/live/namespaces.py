"""Network namespaces without names, each with a TUN device.

A namespace belongs to the thread that makes it. The thread opens the device and all sockets there and ends; the
namespace lives as long as these are open, and so no longer than the process. It has no other device, and no address
outside itself and its peer: nothing in it can reach a network.
"""

from __future__ import annotations

import array
import ctypes
import errno
import os
import socket
import struct
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ackclock.engine import core

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CLONE_NEWNET: Final = 0x40000000
_CLONE_NEWUSER: Final = 0x10000000
_TUNSETIFF, _TUN, _NO_PI = 0x400454CA, 0x0001, 0x1000
_TUNSETOFFLOAD: Final = 0x400454D0
_ADDRESS, _PEER, _MASK, _MTU, _FLAGS = 0x8916, 0x8918, 0x891C, 0x8922, 0x8914
_QUEUE_LENGTH, _MOST_SEGMENTS = 13, 40
"""Attributes of rtnetlink: packets that wait in the device, and segments that the kernel hands to it at once."""
_UP, _POINT_TO_POINT, _RUNNING, _NO_ARP = 0x1, 0x10, 0x40, 0x80
_ETHTOOL, _SET_TSO, _SET_GSO, _SET_GRO = 0x8946, 0x1F, 0x24, 0x2C
_DIE_WITH_PARENT, _TIMER_SLACK, _NO_NEW_PRIVILEGES = 1, 29, 38
_CAPABILITIES_VERSION: Final = 0x20080522
_CAPSET: Final = {"x86_64": 126, "aarch64": 91, "riscv64": 91}
_DEVICE: Final = b"t0"
_WAITING: Final = 20_000
"""Packets that a device can hold until the emulator reads them."""

SYSCTLS: Final = {
    "net/ipv4/tcp_no_metrics_save": "1",
    "net/ipv4/tcp_rmem": "4096 8388608 67108864",
    "net/ipv4/tcp_wmem": "4096 4194304 67108864",
    "net/ipv6/conf/all/disable_ipv6": "1",
}
"""Settings of each namespace that differ from the kernel's; ``tcp_ecn`` is 1 if the scenario has ECN, else 0."""


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def die_with(parent: int) -> None:
    """Kill this process when its parent ends, also if that has happened already."""
    _call(_libc().prctl(_DIE_WITH_PARENT, 9, 0, 0, 0), "prctl")
    if os.getppid() != parent:
        os._exit(1)


def become_root() -> None:
    """Enter a user namespace in which this user may make network namespaces. The process must have one thread."""
    user, group = os.geteuid(), os.getegid()
    _call(_libc().unshare(_CLONE_NEWUSER), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        Path(f"/proc/self/{name}").write_text(text, encoding="ascii")


def drop_privileges() -> None:
    """Give up all capabilities of the calling thread and of those that it starts, for good."""
    libc = _libc()
    _call(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "prctl")
    number = _CAPSET.get(os.uname().machine)
    if number is None:
        return
    header = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITIES_VERSION, 0))
    none = ctypes.create_string_buffer(24)
    _call(libc.syscall(number, header, none), "capset")


def be_punctual(priority: int, *, alone: bool = False) -> bool:
    """Give the calling thread a real-time priority, and exact sleeps. Return whether it has the priority.

    Threads that it starts later have the same priority, unless it is to have it alone.
    """
    _libc().prctl(_TIMER_SLACK, 1, 0, 0, 0)
    policy = os.SCHED_FIFO | (os.SCHED_RESET_ON_FORK if alone else 0)
    try:
        os.sched_setscheduler(0, policy, os.sched_param(priority))
    except PermissionError:
        return False
    return True


def enter_network() -> None:
    """Enter a new network namespace. Only the calling thread does."""
    _call(_libc().unshare(CLONE_NEWNET), "unshare")


def raise_loopback() -> None:
    """Let the current namespace reach itself."""
    import fcntl  # noqa: PLC0415

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _FLAGS, struct.pack("16sH22x", b"lo", _UP | _RUNNING))


def allow_usual_programs() -> None:
    """Let the current namespace send ICMP echo requests and listen on any port without privileges."""
    settings = Path("/proc/sys/net/ipv4")
    (settings / "ip_unprivileged_port_start").write_text("0", encoding="ascii")
    for groups in ("0 2147483647", "0 0"):  # a user namespace may have one group
        with suppress(OSError):
            (settings / "ping_group_range").write_text(groups, encoding="ascii")
            return


def prefer_law(law: str | None) -> str:
    """Make a congestion control the default of the current namespace, if the kernel has it. Return the default."""
    default = Path("/proc/sys/net/ipv4/tcp_congestion_control")
    if law is not None:
        with suppress(OSError):
            default.write_text(law, encoding="ascii")
    return default.read_text(encoding="ascii").strip()


def in_namespace(make: Callable[[], Any]) -> Any:
    """Call a function in a new network namespace, which lives as long as the sockets that the function has opened."""
    results: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            enter_network()
            results.append(make())
        except BaseException as error:  # noqa: BLE001  # raised again by the caller
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def make_device(address: str, peer: str | None, *, mtu: int, gso: bool, sysctls: Mapping[str, str]) -> core.Tun:
    """Make the device of the current namespace, and set the namespace's settings.

    The device leads to `peer`, or to the other addresses that begin with the same 24 bits.
    """
    import fcntl  # noqa: PLC0415  # Windows has none, and refuses live runs in one line

    for name, value in sysctls.items():
        with suppress(FileNotFoundError):  # a kernel without IPv6
            Path("/proc/sys", name).write_text(value, encoding="ascii")
    device = core.Tun()
    fcntl.ioctl(device.fileno(), _TUNSETIFF, struct.pack("16sH22x", _DEVICE, _TUN | _NO_PI))
    fcntl.ioctl(device.fileno(), _TUNSETOFFLOAD, 0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        other = (_MASK, "255.255.255.0") if peer is None else (_PEER, peer)
        for request, at in ((_ADDRESS, address), other):
            place = struct.pack("16sHH4s16x", _DEVICE, socket.AF_INET, 0, socket.inet_aton(at))
            fcntl.ioctl(control, request, place)
        fcntl.ioctl(control, _MTU, struct.pack("16si20x", _DEVICE, mtu))
        _set_link(_QUEUE_LENGTH, _WAITING)
        fcntl.ioctl(control, _FLAGS, struct.pack("16sH22x", _DEVICE, _UP | _RUNNING | _POINT_TO_POINT | _NO_ARP))
        if not gso:
            for command in (_SET_TSO, _SET_GSO, _SET_GRO):
                off = array.array("I", [command, 0])
                with suppress(OSError):  # a device may not have all of them
                    fcntl.ioctl(control, _ETHTOOL, struct.pack("16sP16x", _DEVICE, off.buffer_info()[0]))
            _set_link(_MOST_SEGMENTS, 1)
    return device


def _set_link(attribute: int, value: int) -> None:
    """Set an attribute of the device, by rtnetlink."""
    new_link, request_and_acknowledge = 16, 5
    body = struct.pack("=BxHiII", 0, 0, socket.if_nametoindex(_DEVICE.decode()), 0, 0)
    body += struct.pack("=HHI", 8, attribute, value)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as link:
        link.send(struct.pack("=IHHII", 16 + len(body), new_link, request_and_acknowledge, 1, 0) + body)
        answer = link.recv(4096)
    (code,) = struct.unpack_from("=i", answer, 16)
    if code != 0:
        raise OSError(-code, f"attribute {attribute} of the device: {os.strerror(-code)}")


def missing() -> str | None:
    """Return what keeps this machine or user from live runs, or ``None``."""
    if not hasattr(core, "Tun"):
        return "needs Linux"
    if not Path("/dev/net/tun").exists():
        return "needs TUN devices, but there is no /dev/net/tun"
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "needs to read and write /dev/net/tun"
    return None


def why_not(error: OSError) -> str:
    """Explain an error of the set-up in one line."""
    if error.errno in {errno.EPERM, errno.EACCES, errno.ENOSPC, errno.EINVAL}:
        return f"needs root, or user namespaces that may make networks ({error.strerror or error})"
    return str(error)
