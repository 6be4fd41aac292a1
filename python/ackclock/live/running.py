"""Runs a scenario with the machine's own kernel."""

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ackclock.live import namespaces
from ackclock.live.lateness import Lateness
from ackclock.live.refusing import APPLIED, refuse_impossible, top_rate
from ackclock.live.traffic import TCP_HEADERS, UDP_HEADERS
from ackclock.running.plan import in_scenario
from ackclock.running.run import SEED, Prepared, Run, whole_scenario
from ackclock.running.tables import from_columns, without
from ackclock.scenario import Scenario
from ackclock.values.errors import impossible, listed, refuse

_LAWS: Final = {"newreno": "reno"}
"""The kernel's names of laws, where they differ from ours."""
_SAMPLE: Final = 10_000_000_000
"""Default time in ps between samples of ``windows``."""
_UNKNOWN: Final = ("fast_retransmits", "dup_acks")
"""Measures that only the kernel knows."""
_TIMEOUTS: Final = "timeouts"
"""The measure that kernels before 6.7 do not report."""
_STARTUP: Final = 60
"""Time in s that a run may take in addition to its duration."""
_PICOSECONDS: Final = 10**12


@dataclass(frozen=True, kw_only=True)
class LiveRun:
    """A run of a scenario with the machine's own kernel."""

    run: Run
    """The results in the form of a simulated run: the same tables, measures and names."""
    lateness: Lateness
    """How late the emulator was."""
    kernel: str
    """The release of the kernel."""

    def to_dict(self) -> dict[str, Any]:
        """Return the run as printed by ``ackclock live --json``."""
        return self.run.to_dict()


def live(scenario: Scenario, *, seed: int = 1, record: Iterable[str] = ()) -> LiveRun:
    """Run a scenario in real time with the machine's own kernel.

    Each flow is a real connection between two network namespaces of this process. Its packets cross the links of the
    scenario, which are the simulator's. The kernel decides about windows, retransmissions and ACKs; the scenario
    decides about links, laws, sources and starts, with the defaults of the profile ``linux``.

    Parameters
    ----------
    scenario
        The scenario. A live run takes as long as its ``duration``.
    seed
        Seed of the links' losses and of the sources.
    record
        Tables to record, as for `ackclock.simulate`.

    Returns
    -------
    LiveRun
        The results, and how late the emulator was.

    Raises
    ------
    ScenarioError
        The scenario asks for something that a live run cannot do, this machine has no such law, or the user may not
        make network namespaces.
    """
    SEED.require("seed", seed)
    request = Request.of(scenario, record)
    why = namespaces.missing()
    if why is not None:
        raise refuse("live", sys.platform, why)
    kind, answer = _ask(request.for_worker(seed), request.plan["duration"] / _PICOSECONDS + _STARTUP)
    if kind == "refused":
        raise impossible(in_scenario(str(answer), request.prepared.scenario))
    if kind == "unavailable":
        raise refuse("live", f"kernel {os.uname().release}", str(answer))
    return request.read(seed, answer)


@dataclass(frozen=True, kw_only=True)
class Request:
    """A scenario prepared for a live run."""

    given: Scenario
    """The scenario without defaults."""
    prepared: Prepared
    plan: dict[str, Any]

    @classmethod
    def of(cls, scenario: object, record: Iterable[str]) -> "Request":
        """Prepare a scenario with the defaults of the profile ``linux``, or refuse it."""
        given = whole_scenario(scenario).changed({"profile": "linux"})
        prepared = Prepared.of(given, record, executes=False)
        return cls(given=given, prepared=prepared, plan=refuse_impossible(prepared, given))

    def for_worker(self, seed: int) -> dict[str, Any]:
        """Return what the process of the run needs."""
        plan = self.plan
        windows = [each for each in plan["records"] if each["kind"] == "windows"]
        senders = [group["transport"]["sender"] for group in plan["groups"] if "sender" in group["transport"]]
        others = [each for each in plan["records"] if each["kind"] != "windows"]
        return {
            "parent": os.getpid(),
            "plan": json.dumps(plan | {"records": others}),
            "seed": seed,
            "flows": self.flows(),
            "mtu": max(1500, *(group["packet_size"] for group in plan["groups"])),
            "ecn": any(sender.get("ecn", "off") != "off" for sender in senders),
            "gso": any(sender.get("gso", "off") != "off" for sender in senders),
            "begin": plan["measure"]["from"],
            "end": plan["duration"],
            "sample": (windows[0].get("every") or _SAMPLE) if windows else None,
        }

    def flows(self) -> list[dict[str, Any]]:
        """Return the flows: the kernel's name of the law (``None`` for UDP), size of a packet, and of its data."""
        flows = []
        for group in self.plan["groups"]:
            sender, size = group["transport"].get("sender"), group["packet_size"]
            law = None if sender is None else _kernel_law(sender["congestion"]["kind"])
            headers = UDP_HEADERS if sender is None else TCP_HEADERS
            flows += [{"law": law, "packet_size": size, "size": size - headers}] * group["count"]
        return flows

    def read(self, seed: int, answer: Mapping[str, Any]) -> LiveRun:
        """Read the answer of the process."""
        prepared = self.prepared
        tables = {name: from_columns(columns, prepared.scenario) for name, columns in answer["tables"].items()}
        names = ["flows", *(request.partition("@")[0].partition("/")[0] for request in prepared.record)]
        ordered = {name: tables[name] for name in dict.fromkeys(names) if name in tables}
        unknown = (*_UNKNOWN, *(() if answer["tells_timeouts"] else (_TIMEOUTS,)))
        ordered["flows"] = without(ordered["flows"], unknown)
        outcome = prepared.read(answer["outcome"], {}, ())
        none = dict.fromkeys((*unknown, "timeouts_per_dup_ack"))
        groups = [{**group, **none} for group in outcome.groups]
        run = prepared.run_of(seed, replace(outcome, summary={**outcome.summary, **none}, groups=groups))
        facts = dict(answer["facts"])
        lateness = Lateness(
            **{name: facts[name] for name in ("packets", "p50", "p90", "p99", "p999", "longest", "late")},
            refused=facts["refused"],
            realtime=facts["realtime"],
            rtt=self.least_rtt(),
            packet=self.packet_time(),
        )
        release = os.uname().release
        notices = [
            f"a live run with kernel {release}: {lateness.brief()}",
            f"{listed(unknown)} are absent, and so is what limited a sender: only the kernel knows them",
        ]
        notices += self.left_out()
        notices += (f"flow {number}: {why}" for number, why in answer["failed"].items())
        notices += run.notices
        if not lateness.trusted:
            notices.insert(0, f"do not trust this run: {'; '.join(lateness.reasons)}")
        live = {
            "kernel": release,
            "congestion_controls": sorted({flow["law"] for flow in self.flows() if flow["law"]}),
            "settings": answer["settings"],
            "lateness": lateness.to_dict(),
        }
        run = replace(run, notices=tuple(notices), live=live, _tables=ordered)
        return LiveRun(run=run, lateness=lateness, kernel=release)

    def left_out(self) -> Iterator[str]:
        """Yield a notice for each group with options of a transport that are the kernel's own."""
        for place, group in enumerate(self.given.clients):
            if names := sorted(group.transport.model_fields_set - APPLIED):
                yield f"clients.{place}.transport: the kernel has its own values for {', '.join(names)}"

    def least_rtt(self) -> float:
        """Return the shortest round-trip time of a flow without queues and transmission, in s."""
        topology = self.plan["topology"]
        both = topology["bottleneck"]["delay"] + topology["reverse"]["delay"]
        return float(min(both + up["delay"] + down["delay"] for up, down in topology["access"])) / _PICOSECONDS

    def packet_time(self) -> float:
        """Return the time that a full packet takes at the bottleneck, in s."""
        size = max(group["packet_size"] for group in self.plan["groups"])
        return 8.0 * float(size) / top_rate(self.plan["topology"]["bottleneck"])


def _kernel_law(law: str) -> str:
    return _LAWS.get(law, law)


def _ask(request: dict[str, Any], timeout: float) -> tuple[str, Any]:
    """Start the process of a run, and return its answer."""
    # -P: modules in the current directory must not run; a session of its own: only its parent hears Ctrl-C
    command = [sys.executable, "-P", "-m", "ackclock.live.worker"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True) as process:
        try:
            answer, _ = process.communicate(json.dumps(request).encode(), timeout=timeout)
        except BaseException as error:
            process.kill()
            if isinstance(error, subprocess.TimeoutExpired):
                raise refuse("live", f"{timeout:.0f} s", "the run did not end in time, and was ended") from None
            raise
    if process.returncode != 0 or not answer:
        raise refuse("live", f"status {process.returncode}", "the process of the run was ended")
    # our own process made it
    found: tuple[str, Any] = pickle.loads(answer)  # noqa: S301
    return found
