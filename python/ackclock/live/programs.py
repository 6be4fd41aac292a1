"""Runs programs of the user at the hosts of a scenario, in real time and through the scenario's links."""

from __future__ import annotations

import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ackclock.engine import core
from ackclock.engine.catalogue import catalogue
from ackclock.live import namespaces
from ackclock.live.hosts import LONGEST, Network, most_connections
from ackclock.live.lateness import Lateness
from ackclock.running.capturing import refuse_existing
from ackclock.running.plan import in_scenario
from ackclock.running.run import SEED, Run
from ackclock.values.errors import impossible, refuse
from ackclock.values.quantity import PICOSECONDS_PER_SECOND
from ackclock.values.words import counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ackclock.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class Session:
    """What programs did at the hosts of a scenario."""

    status: int
    """The exit status of the command, or 128 and the number of the signal that ended it."""
    lateness: Lateness
    """How late the emulator was."""
    run: Run | None
    """The measurement of the packets; ``None`` if there were none."""
    kernel: str
    """The release of the kernel."""


def shell(
    scenario: Scenario,
    command: Sequence[str] = (),
    *,
    at: str | None = None,
    serve: Mapping[str, Sequence[str]] | None = None,
    seed: int = 1,
    record: Iterable[str] = (),
    pcap: str | Path | None = None,
) -> Session:
    """Run a program of the user at a host of a scenario; its packets cross the scenario's links in real time.

    A dumbbell has the hosts ``sender`` and ``receiver``, a graph the nodes at which its flows begin or end. Each is a
    network namespace. The programs find the other hosts by their names. The scenario's own flows are not started. The
    session ends with the command; the scenario's ``duration`` does not limit it.

    Parameters
    ----------
    scenario
        The scenario.
    command
        The program and its arguments (default: the user's shell).
    at
        The host of the command (default: the first one).
    serve
        Commands at other hosts, which start before and are ended with it.
    seed
        Seed of the links' losses.
    record
        Tables to record, as for `ackclock.simulate`.
    pcap
        New pcapng file for the packets that the host of the command sends and receives.

    Returns
    -------
    Session
        The status of the command, the measurement, and how late the emulator was.

    Raises
    ------
    ScenarioError
        The scenario asks for something that is not possible, there is no such host or command, or the user may not make
        network namespaces.
    """
    SEED.require("seed", seed)
    record = tuple(record)
    network = Network.of(scenario, record)
    request = _request(network, command or [os.environ.get("SHELL") or "/bin/sh"], at, serve or {}, seed)
    why = namespaces.missing()
    if why is not None:
        raise refuse("live", sys.platform, why)
    with _new(pcap) as capture:
        kind, answer = _ask(request, capture)
    if kind == "refused":
        raise impossible(in_scenario(str(answer), network.scenario))
    if kind == "unavailable":
        raise refuse("live", f"kernel {os.uname().release}", str(answer))
    return _session(network, seed, record, answer)


@contextmanager
def _new(pcap: str | Path | None) -> Iterator[int | None]:
    """Make the file of a capture; it is removed if it stays empty."""
    if pcap is None:
        yield None
        return
    path = Path(pcap)
    refuse_existing("pcap", path)
    try:
        file = path.open("xb")
    except OSError as error:
        raise refuse("pcap", str(path), f"must be a new file that can be written ({error.strerror})") from None
    try:
        with file:
            yield file.fileno()
    finally:
        if path.stat().st_size == 0:
            path.unlink()


def _request(
    network: Network, command: Sequence[str], at: str | None, serve: Mapping[str, Sequence[str]], seed: int
) -> dict[str, Any]:
    """Return what the process of the session needs, or refuse a host or a command."""
    place = 0 if at is None else network.place(at, "at")
    commands = {place: _there("command", command)}
    for host, line in serve.items():
        number = network.place(host, "serve")
        if number in commands:
            raise refuse("serve", host, "must be another host than that of the command")
        commands[number] = _there("serve", line)
    named = dict(zip(network.hosts, network.addresses, strict=True))
    words = {host: re.sub(r"\W", "_", host).upper() for host in named}
    addresses = {f"ACKCLOCK_{words[host]}": address for host, address in named.items()}
    here = network.hosts[place]
    others = listed([f"{host} {address}" for host, address in named.items() if host != here])
    names = [*(f"{address} {host}" for host, address in named.items()), "127.0.0.1 localhost"]
    return {
        "parent": os.getpid(),
        "plan": json.dumps(network.plan),
        "seed": seed,
        "addresses": list(network.addresses),
        "hosts": list(network.hosts),
        "most": most_connections(len(network.hosts)),
        "mtu": network.mtu,
        "law": network.law,
        "ecn": network.ecn,
        "gso": network.gso,
        "at": place,
        "capture_setup": {
            "snap_length": 65_535,
            "application": f"Ackclock {catalogue().version}",
            "comment": f"a live session, seed {seed}",
            "interface": here,
            "description": f"packets that {here} sends and receives",
        },
        "commands": commands,
        "environment": addresses,
        "names": "".join(f"{line}\n" for line in names),
        "user": _caller(),
        "banner": f"ackclock: at {here} ({named[here]}); {others}. The session ends with the command.\n",
    }


def _there(field: str, command: Sequence[str]) -> list[str]:
    """Return a command, or refuse one that does not exist."""
    if not command or shutil.which(command[0]) is None:
        raise refuse(field, command[0] if command else "", "must be a program that exists and can be executed")
    return list(command)


def _caller() -> tuple[str, int, int, str] | None:
    """Return the name, user, group and home of the user who has called sudo, for a process of root."""
    import pwd  # noqa: PLC0415  # Windows has none

    number = os.environ.get("SUDO_UID", "")
    if os.geteuid() != 0 or not number.isdecimal() or int(number) == 0:
        return None
    try:
        user = pwd.getpwuid(int(number))
    except (KeyError, OverflowError):
        return None
    return user.pw_name, user.pw_uid, user.pw_gid, user.pw_dir


def _leave(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)


@contextmanager
def _terminal() -> Iterator[None]:
    """Leave interrupts by the terminal to the command, and take the terminal back as it was at its end."""
    import termios  # noqa: PLC0415  # Windows has none

    if threading.current_thread() is not threading.main_thread():  # only the main thread has handlers
        yield
        return
    numbers = (signal.SIGINT, signal.SIGQUIT, signal.SIGTTOU)
    before = {number: signal.signal(number, lambda *_: None) for number in numbers}
    before |= {number: signal.signal(number, _leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    settings = termios.tcgetattr(0) if os.isatty(0) else None
    try:
        yield
    finally:
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        with suppress(OSError):  # no terminal
            os.tcsetpgrp(0, os.getpgrp())
        if settings is not None:
            with suppress(termios.error):
                termios.tcsetattr(0, termios.TCSADRAIN, settings)
        for number, handler in before.items():
            signal.signal(number, handler)


def _ask(request: dict[str, Any], capture: int | None) -> tuple[str, Any]:
    """Start the process of a session, and return its answer. Packets are written to the file descriptor `capture`."""
    asked, ask = os.pipe()
    answer, answered = os.pipe()
    # -P: modules in the current directory must not run
    command = [sys.executable, "-P", "-m", "ackclock.live.session", str(asked), str(answered)]
    files = (asked, answered) if capture is None else (asked, answered, capture)
    with _terminal(), subprocess.Popen(command, pass_fds=files) as process:
        os.close(asked)
        os.close(answered)
        try:
            with suppress(BrokenPipeError), os.fdopen(ask, "wb") as pipe:
                pipe.write(json.dumps(request | {"capture": capture}).encode())
            with os.fdopen(answer, "rb") as pipe:
                found = pipe.read()
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0 or not found:
        raise refuse("live", f"status {process.returncode}", "the process of the session was ended")
    # our own process made it
    kind, rest = pickle.loads(found)  # noqa: S301
    return kind, rest


def _session(network: Network, seed: int, record: tuple[str, ...], answer: Mapping[str, Any]) -> Session:
    """Measure the packets of a session."""
    facts = answer["facts"]
    lateness = Lateness(
        **{name: facts[name] for name in ("packets", "p50", "p90", "p99", "p999", "longest", "late")},
        refused=facts["refused"],
        realtime=facts["realtime"],
        rtt=network.least_rtt(),
        packet=network.packet_time(),
    )
    release = os.uname().release
    run = None
    if facts["flows"]:
        prepared = network.measured(facts, record)
        run = prepared.run_of(seed, prepared.read(*core.replay(prepared.plan, seed, answer["packets"]), ()))
        notices = (*_notices(network, facts, lateness, release), *run.notices)
        run = replace(run, notices=notices)
    return Session(status=answer["status"], lateness=lateness, run=run, kernel=release)


def _notices(network: Network, facts: Mapping[str, Any], lateness: Lateness, release: str) -> Iterator[str]:
    """Yield what a user of the measurement must know."""
    if not lateness.trusted:
        yield f"do not trust this run: {'; '.join(lateness.reasons)}"
    yield f"a live session with kernel {release}: {lateness.brief()}"
    yield (
        "the flows are those of programs, one for each direction of a connection, and all packets count as UDP: "
        "retransmissions and round-trip times are not known. A simulation of this scenario does not repeat them"
    )
    if network.law is not None and facts["law"] != network.law:
        allowed = "to change this, add it to net.ipv4.tcp_allowed_congestion_control"
        yield f"the kernel's default here was {facts['law']}, not {network.law} as in the scenario: {allowed}"
    if facts["shared"]:
        most = most_connections(len(network.hosts))
        packets = counted(facts["shared"], "packet")
        yield f"more than {most} connections of two hosts: {packets} of later ones count for the last of these"
    for count, why in ((facts["not_ipv4"], "not IPv4"), (facts["no_host"], "for no host")):
        if count:
            yield f"{counted(count, 'packet')} dropped: {why}"
    if facts["full_at"] is not None:
        yield f"packets after {facts['full_at'] / PICOSECONDS_PER_SECOND:.0f} s were carried, but not measured"
    if facts["capture"] is not None:
        yield f"the capture is not complete: {facts['capture']}"
    if facts["end"] >= network.plan["duration"]:
        yield f"the session ended after {LONGEST}, the longest possible"
