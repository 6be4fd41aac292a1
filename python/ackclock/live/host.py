"""The process of a command at a host: it has the host's network, and file systems and process numbers of its own.

It is started in the network namespace of the host, with the number of a file that has one JSON object. It makes
namespaces of mounts and processes, and three processes: this one, which waits; the first process of the new namespace,
which waits for the command; and the command. When the first process ends, the kernel kills all others of its namespace,
so that nothing outlives the command. It ends with this one, and this one with its parent. None of the three keeps a
capability.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

from ackclock.live import namespaces

_NEW_MOUNTS, _NEW_PROCESSES = 0x00020000, 0x20000000
_BIND, _RECURSIVE, _PRIVATE, _DETACH = 4096, 16384, 1 << 18, 2
_READ_ONLY, _REMOUNT = 1, 32
_PROC: Final = b"/proc"
_SETTINGS: Final = (b"/proc/sys", b"/proc/sysrq-trigger", b"/proc/irq", b"/proc/bus", b"/proc/fs")
"""Files with which root changes the whole machine, without any capability."""
_NOT_EXECUTABLE, _NOT_FOUND = 126, 127
"""Exit statuses of POSIX shells for such commands."""


def main() -> NoReturn:
    """Run the command of the request, and end with its status."""
    with os.fdopen(int(sys.argv[1]), "rb") as file:
        request = json.load(file)
    namespaces.die_with(request["parent"])
    for number in (signal.SIGINT, signal.SIGQUIT):  # they are for the command; a handler is not inherited by it
        signal.signal(number, lambda *_: None)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_MOUNTS | _NEW_PROCESSES) != 0:
        sys.exit(f"unshare: {os.strerror(ctypes.get_errno())}")
    # mounts made here must not appear outside
    if libc.mount(None, b"/", None, _RECURSIVE | _PRIVATE, None) != 0:
        sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")
    alive, living = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(living)
        _be_first(libc, alive, request)
    namespaces.drop_privileges()
    os.close(request["go"])
    _, status = os.waitpid(child, 0)
    os._exit(_code(status))


def _code(status: int) -> int:
    """Return the exit status of a shell for a process with this status."""
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


def _be_first(libc: ctypes.CDLL, alive: int, request: dict[str, Any]) -> NoReturn:
    """Be the first process of the namespace: start the command, and wait for it and for all that it leaves behind."""
    libc.prctl(1, signal.SIGKILL, 0, 0, 0)
    if select.select([alive], [], [], 0)[0]:  # the parent has ended before
        os._exit(1)
    _mount(libc, request["names"])
    command = os.fork()
    if command == 0:
        _execute(request)
    namespaces.drop_privileges()
    os.close(request["go"])
    while True:
        ended, status = os.wait()
        if ended == command:
            os._exit(_code(status))


def _mount(libc: ctypes.CDLL, names: str) -> None:
    """Put names of hosts in place of /etc/hosts, and mount the new namespace's /proc with read-only settings."""

    def mount(source: bytes, target: bytes, kind: bytes | None, flags: int, data: bytes | None = None) -> bool:
        return bool(libc.mount(source, target, kind, flags, data) == 0)

    hosts = Path("/etc/hosts")
    if hosts.exists() and mount(b"names", _PROC, b"tmpfs", 0, b"size=1m"):
        made = Path("/proc/hosts")
        made.write_text(names, encoding="utf-8")
        made.chmod(0o644)
        if not mount(bytes(made), bytes(hosts.resolve()), None, _BIND):
            _say("names of hosts are not known: /etc/hosts cannot be replaced here; addresses work")
        if libc.umount2(_PROC, _DETACH) != 0:
            sys.exit(f"umount: {os.strerror(ctypes.get_errno())}")
    if not mount(b"proc", _PROC, b"proc", 0):
        _say("the command sees the processes of the whole system: /proc cannot be mounted here")
    for path in filter(os.path.exists, _SETTINGS):
        is_closed = mount(path, path, None, _BIND) and mount(path, path, None, _BIND | _REMOUNT | _READ_ONLY)
        if not is_closed and os.geteuid() == 0:
            _say(f"{os.fsdecode(path)} cannot be made read-only here: a command of root could change the system")


def _say(text: str) -> None:
    sys.stderr.write(f"ackclock: {text}\n")


def _execute(request: dict[str, Any]) -> NoReturn:
    """Become the command, with the rights of the calling user and no capability."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    if request["user"] is not None:
        name, user, group, home = request["user"]
        os.initgroups(name, group)
        os.setgid(group)
        os.setuid(user)
        os.environ.update(USER=name, LOGNAME=name, HOME=home)
    namespaces.drop_privileges()
    if not request["is_main"]:  # standard input and output belong to the command with which the session ends
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
    os.write(request["ready"], b"+")
    if os.read(request["go"], 1) != b"+":
        os._exit(1)
    for descriptor in (request["ready"], request["go"]):
        os.close(descriptor)
    command = request["command"]
    try:
        os.execvp(command[0], command)  # noqa: S606  # the user's own command
    except OSError as error:
        sys.stderr.write(f"ackclock: {command[0]}: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(_NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_EXECUTABLE)


if __name__ == "__main__":
    main()
