"""The process of a session: it makes the hosts, starts their commands, and carries the packets until one command ends.

It gets one JSON object on a pipe, and answers with pickled data of Python on another. Its standard streams are those
of the command. As in `ackclock.live.worker`, all that must disappear belongs to this process.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ackclock.engine import core
from ackclock.live import namespaces
from ackclock.live.worker import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

_PRIORITY: Final = 50
_LONGEST_START: Final = 30.0
"""Seconds for the start of a command's process."""
_WAIT_FOR_SERVERS: Final = 5.0
"""Seconds to wait until a server listens."""
_LISTENING: Final = "0A"
"""State of a listening socket in ``/proc/net/tcp``."""


def main() -> None:
    """Read a request, run the session, and write the answer."""
    asked, answered = int(sys.argv[1]), int(sys.argv[2])
    for number in (signal.SIGINT, signal.SIGQUIT):  # they are for the command
        signal.signal(number, lambda *_: None)
    with os.fdopen(asked, "rb") as pipe:
        request = json.loads(pipe.read())
    namespaces.die_with(request["parent"])
    try:
        answer: tuple[str, Any] = ("done", hold(request))
    except UnavailableError as error:
        answer = ("unavailable", str(error))
    except core.PlanError as error:
        answer = ("refused", str(error))
    except OSError as error:
        answer = ("unavailable", f"the session broke off: {error}")
    with os.fdopen(answered, "wb") as pipe:
        pipe.write(pickle.dumps(answer))
    os._exit(0)


def hold(request: dict[str, Any]) -> dict[str, Any]:
    """Hold a session. Returns the status of the command, facts about the emulator, and the packets."""
    session = core.Session(request["plan"], request["seed"], request["addresses"], request["most"])
    over, until = os.pipe()
    hosts = _hosts(request)
    servers = [_Command(hosts[int(place)], request) for place in request["commands"] if int(place) != request["at"]]
    command = _Command(hosts[request["at"]], request, at_end=lambda: os.close(until))
    for each in (*servers, command):
        each.host.begin(each)
    for each in (*servers, command):
        each.await_ready()
    for host in hosts:
        host.begin(None)
    realtime = namespaces.be_punctual(_PRIORITY, alone=True)
    namespaces.drop_privileges()
    for each in servers:
        each.go()
    for each in servers:
        each.await_server()
    sys.stderr.write(request["banner"])
    sys.stderr.flush()
    gc.collect()
    gc.disable()
    zero = time.monotonic_ns()
    command.go()
    capture, setup = request["capture"], json.dumps(request["capture_setup"])
    tap = None if capture is None else (capture, request["at"], setup)
    facts, packets = session.run([host.device for host in hosts], zero, over, tap)
    for each in (*servers, command):
        each.end()
    return {
        "status": command.status,
        "facts": json.loads(facts) | {"realtime": realtime, "law": hosts[0].law},
        "packets": packets,
    }


def _hosts(request: dict[str, Any]) -> list[_Host]:
    """Make all hosts."""
    try:
        if os.geteuid() != 0:
            namespaces.become_root()
        hosts = [_Host(place, request) for place in range(len(request["addresses"]))]
        for host in hosts:
            host.start()
        for host in hosts:
            host.made.wait()
            if host.error is not None:
                raise host.error
    except OSError as error:
        raise UnavailableError(namespaces.why_not(error)) from None
    return hosts


class _Host(threading.Thread):
    """A host: a thread in a network namespace of its own, from which the command there is started.

    The process of the command is killed when this thread ends, so the thread waits for it.
    """

    def __init__(self, place: int, request: dict[str, Any]) -> None:
        super().__init__(daemon=True)
        self.place = place
        self.made = threading.Event()
        self.device: core.Tun
        self.law: str | None = None
        self.error: OSError | None = None
        self._request = request
        self._asked = threading.Event()
        self._command: _Command | None = None

    def begin(self, command: _Command | None) -> None:
        """Start a command soon; ``None`` if there is none besides those that have begun."""
        self._command = self._command or command
        self._asked.set()

    def run(self) -> None:
        """Make the host, and run its command."""
        request = self._request
        try:
            namespaces.enter_network()
            sysctls = namespaces.SYSCTLS | {"net/ipv4/tcp_ecn": "1" if request["ecn"] else "0"}
            address = request["addresses"][self.place]
            self.device = namespaces.make_device(address, None, mtu=request["mtu"], gso=request["gso"], sysctls=sysctls)
            namespaces.raise_loopback()
            namespaces.allow_usual_programs()
            self.law = namespaces.prefer_law(request["law"])
        except OSError as error:
            self.error = error
        finally:
            self.made.set()
        self._asked.wait()
        if self._command is not None:
            self._command.run()


class _Command:
    """A command at a host."""

    def __init__(self, host: _Host, request: dict[str, Any], *, at_end: Callable[[], None] = lambda: None) -> None:
        self.host = host
        self.status: int | None = None
        self._at_end = at_end
        self._line = request["commands"][str(host.place)]
        self._request = request
        self._ready, self._tell_ready = os.pipe()
        self._await_go, self._go = os.pipe()
        self._process: subprocess.Popen[bytes] | None = None
        self._failure: OSError | None = None
        self._ended = threading.Event()

    def run(self) -> None:
        """Start the command's process, and wait for its end."""
        request = self._request
        asked = {
            "parent": os.getpid(),
            "command": self._line,
            "user": request["user"],
            "names": request["names"],
            "is_main": self.host.place == request["at"],
            "ready": self._tell_ready,
            "go": self._await_go,
        }
        # not as an argument, whose length is limited; nor is the environment, which other users could read there
        file = os.memfd_create("request")
        os.write(file, json.dumps(asked).encode())
        os.lseek(file, 0, os.SEEK_SET)
        ends = (file, self._tell_ready, self._await_go)
        # -P: modules in the current directory must not run
        line = [sys.executable, "-P", "-m", "ackclock.live.host", str(file)]
        environment = os.environ | request["environment"] | {"ACKCLOCK_HOST": request["hosts"][self.host.place]}
        try:
            self._process = subprocess.Popen(line, env=environment, pass_fds=ends)
        except OSError as error:
            self._failure = error
        finally:
            for end in ends:
                os.close(end)
        try:
            if self._process is not None:
                namespaces.drop_privileges()
                self.status = self._process.wait()
        finally:
            self._ended.set()
            self._at_end()

    def await_ready(self) -> None:
        """Wait until the command could begin."""
        if os.read(self._ready, 1) != b"+":
            if self._failure is not None:
                raise UnavailableError(f"needs a process for a command ({self._failure.strerror})")
            raise UnavailableError("needs mount and process namespaces")

    def go(self) -> None:
        """Let the command begin."""
        os.write(self._go, b"+")

    def await_server(self) -> None:
        """Wait until the command listens, if it does, or ends."""
        sockets = Path(f"/proc/self/task/{self.host.native_id}/net")
        limit = time.monotonic() + _WAIT_FOR_SERVERS
        while time.monotonic() < limit and not self._ended.is_set() and not _is_served(sockets):
            time.sleep(0.02)

    def end(self) -> None:
        """End the command and all that it has started."""
        if self._process is not None:
            self._process.kill()
        self._ended.wait(_LONGEST_START)


def _is_served(sockets: Path) -> bool:
    """Return whether a network has a socket that waits for connections, or for datagrams of anybody.

    Servers that listen to all addresses are often in the tables of IPv6.
    """
    tcp, udp = (
        [line.split() for name in names for line in (sockets / name).read_text(encoding="ascii").splitlines()[1:]]
        for names in (("tcp", "tcp6"), ("udp", "udp6"))
    )
    return any(row[3] == _LISTENING for row in tcp) or any(row[2].endswith(":0000") for row in udp)


if __name__ == "__main__":
    main()
