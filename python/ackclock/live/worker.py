"""The process of a live run: it makes the namespaces, carries the packets, and takes everything with it when it ends.

Its parent gives it one JSON object, and reads the answer as pickled data of Python. All namespaces, devices and sockets
belong to this process, and to no other: whatever ends it, the kernel removes them. It is killed when its parent ends.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from ackclock.engine import core
from ackclock.live import namespaces, traffic

_LEAD: Final = 200_000_000
"""Time in ns from the end of the set-up to time 0 of the run."""
_EMULATOR, _TRAFFIC = 50, 40
"""Real-time priorities."""


class UnavailableError(Exception):
    """The kernel or the user's privileges do not allow the run; the text says why in one line."""


def main() -> None:
    """Read a request, run it, and write the answer."""
    request = json.loads(sys.stdin.buffer.read())
    namespaces.die_with(request["parent"])
    try:
        answer: tuple[str, Any] = ("done", carry(request))
    except UnavailableError as error:
        answer = ("unavailable", str(error))
    except core.PlanError as error:
        answer = ("refused", str(error))
    except OSError as error:
        answer = ("unavailable", f"the run broke off: {error}")
    sys.stdout.buffer.write(pickle.dumps(answer))
    sys.stdout.buffer.flush()
    os._exit(0)


def carry(request: dict[str, Any]) -> dict[str, Any]:
    """Carry out a run. Returns the outcome of the engine, its tables, and facts about the emulator."""
    flows: list[dict[str, Any]] = request["flows"]
    carrier = core.Carrier(request["plan"], request["seed"])
    try:
        if os.geteuid() != 0:
            namespaces.become_root()
        ends = _Ends(flows, mtu=request["mtu"], gso=request["gso"], ecn=request["ecn"])
    except OSError as error:
        raise UnavailableError(namespaces.why_not(error)) from None
    realtime = namespaces.be_punctual(_EMULATOR)
    senders = [
        traffic.Sender(
            number=number,
            socket=opened,
            is_tcp=flow["law"] is not None,
            size=flow["size"],
        )
        for number, (flow, opened) in enumerate(zip(flows, ends.sockets, strict=True))
    ]
    gc.collect()
    gc.disable()
    zero = time.monotonic_ns() + _LEAD
    listener, datagrams = ends.listening
    work = traffic.Traffic(
        senders,
        listener,
        datagrams,
        carrier.supplies(),
        zero=zero,
        begin=request["begin"] // 1000,
        end=request["end"] // 1000,
        sample=None if request["sample"] is None else max(request["sample"] // 1000, 1_000_000),
    )

    broken: list[OSError] = []

    def run_traffic() -> None:
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_TRAFFIC))
        try:
            work.run()
        except OSError as error:
            broken.append(error)
        finally:
            work.close()

    namespaces.drop_privileges()
    thread = threading.Thread(target=run_traffic, daemon=True)
    thread.start()
    facts = json.loads(carrier.run(ends.devices[0], ends.devices[1], zero, [flow["size"] for flow in flows]))
    work.stop()
    thread.join()
    if broken:
        raise broken[0]
    outcome, tables = carrier.finish([sender.timeouts for sender in senders])
    columns = {name: rows.columns() for name, rows in tables.items()}
    if request["sample"] is not None:
        columns["windows"] = work.windows.columns()
    return {
        "outcome": outcome,
        "tables": columns,
        "facts": facts | {"realtime": realtime},
        "tells_timeouts": work.tells_timeouts,
        "settings": {name.replace("/", "."): value for name, value in ends.settings.items()},
        "failed": {sender.number: sender.failed for sender in senders if sender.failed},
    }


class _Ends:
    """The namespaces of the senders and of the receivers."""

    def __init__(self, flows: list[dict[str, Any]], *, mtu: int, gso: bool, ecn: bool) -> None:
        self.settings = sysctls = namespaces.SYSCTLS | {"net/ipv4/tcp_ecn": "1" if ecn else "0"}
        here, there = traffic.SENDERS, traffic.RECEIVERS

        def make_senders() -> tuple[core.Tun, list[Any]]:
            device = namespaces.make_device(here, there, mtu=mtu, gso=gso, sysctls=sysctls)
            return device, [_sending(number, flow) for number, flow in enumerate(flows)]

        def make_receivers() -> tuple[core.Tun, Any]:
            device = namespaces.make_device(there, here, mtu=mtu, gso=gso, sysctls=sysctls)
            return device, traffic.listening()

        senders, self.sockets = namespaces.in_namespace(make_senders)
        receivers, self.listening = namespaces.in_namespace(make_receivers)
        self.devices = (senders, receivers)


def _sending(number: int, flow: dict[str, Any]) -> Any:
    try:
        return traffic.sending(number, flow["law"], flow["packet_size"])
    except (FileNotFoundError, PermissionError):
        there = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text(encoding="ascii").split()
        problem = f"transport.law: {flow['law']} is not available in this kernel; it has {', '.join(sorted(there))}"
        raise UnavailableError(problem) from None


if __name__ == "__main__":
    main()
