"""Random scenarios that the lab's page can read, drawn from the engine's catalogue."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

from ackclock.engine import core
from ackclock.scenario import Scenario
from ackclock.scenario.profile import PROFILES
from ackclock.values.errors import ScenarioError
from ackclock.values.quantity import TIME

if TYPE_CHECKING:
    from collections.abc import Iterator


def random_scenarios(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield scenarios as tables. Draws that Python refuses, such as options that exclude each other, are repeated."""
    random = Random(seed)  # noqa: S311  # test inputs
    catalogue = json.loads(core.catalogue())
    made = 0
    while made < count:
        tables = _scenario(random, catalogue)
        try:
            Scenario.from_dict(tables).effective()
        except ScenarioError:
            continue
        made += 1
        yield tables


def _scenario(random: Random, catalogue: dict[str, Any]) -> dict[str, Any]:
    bottleneck: dict[str, Any] = {
        "rate": f"{random.choice([500, 2000, 8000])} {random.choice(['kbps', 'kbit/s', 'kb/s'])}",
        "delay": f"{random.randint(1, 40)} ms",
        "queue": _queue(random, catalogue),
    }
    if random.random() < 0.3:
        bottleneck["loss"] = _loss(random)
    dumbbell: dict[str, Any] = {"bottleneck": bottleneck, "access": _access(random)}
    if random.random() < 0.2:
        dumbbell["reverse"] = {"rate": "1 Mbps", "delay": "7 ms", "queue": _queue(random, catalogue)}
    scenario: dict[str, Any] = {
        "profile": random.choice(list(PROFILES)),
        "duration": f"{random.randint(2, 6)} s",
        "dumbbell": dumbbell,
        "clients": [_clients(random, catalogue) for _ in range(random.randint(1, 3))],
    }
    if random.random() < 0.3:
        scenario["packet_size"] = random.choice([576, 9000])
    if random.random() < 0.5:
        scenario["changes"] = [_change(random, bottleneck["queue"]["kind"]) for _ in range(random.randint(1, 4))]
        scenario["changes"] += list(_of_laws(random, catalogue, scenario["clients"]))
    if random.random() < 0.5:
        scenario["measure"] = {"from": "1 s", "bin": f"{random.choice([20, 50, 100])} ms"}
    if random.random() < 0.3:
        scenario.setdefault("measure", {})["convergence"] = {"window": "300 ms", "delta": 0.5}
    return scenario


def _loss(random: Random) -> dict[str, Any]:
    loss: dict[str, Any] = random.choice(
        [
            {"kind": "random", "probability": random.choice([0.001, 0.01])},
            {"kind": "random", "probability": 0.01, "idle": 0.0},
            {"kind": "list", "packets": [3, 20]},
            {"kind": "gilbert-elliott-packets", "to_bad": 0.01, "to_good": 0.3},
            {"kind": "gilbert-elliott-time", "good_time": "500 ms", "bad_time": "40 ms"},
        ]
    )
    return loss


def _change(random: Random, queue: str) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [
        {"rate": random.choice(["700 kbps", "3 Mbps", "12 Mbit/s"])},
        {"delay": f"{random.randint(1, 60)} ms"},
        {"delay": "5 ms", "reorders": True},
        {"loss": _loss(random)},
        {"queue": {"kind": queue, "packets": random.randint(5, 60)}},
        {"queue": {"kind": queue, "bytes": "30 kB"}},
        {"up": False},
        {"up": False, "waiting": "lost"},
        {"up": True},
    ]
    change: dict[str, Any] = {"at": f"{random.choice([0, 300, 900, 1500, 1500])} ms"}
    for part in random.sample(parts, random.randint(1, 2)):
        change |= part
    if random.random() < 0.4:
        links = ["bottleneck", "bottleneck.reverse", "access.0", "access.0.reverse"]
        change["links"] = random.sample(links, random.randint(1, 2))
    return change


def _of_laws(random: Random, catalogue: dict[str, Any], clients: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield changes of the parameters of laws, some of which no run can change."""
    for place, group in enumerate(clients):
        variant = group["transport"].get("variant")
        if variant is not None and random.random() < 0.5:
            law = catalogue["congestion"][catalogue["variants"][variant]["congestion"]]
            given = {"kind": "tcp", "variant": variant, **_some(random, law["parameters"], 0.5)}
            yield {"at": "800 ms", "groups": [f"clients-{place}"], "transport": given}


def _access(random: Random) -> dict[str, Any]:
    return {"rate": f"{random.choice([2, 10, 100])} Mbps", "delay": f"{random.randint(0, 30)} ms"}


def _queue(random: Random, catalogue: dict[str, Any]) -> dict[str, Any]:
    kind = random.choice(sorted(catalogue["queues"]))
    queue = {"kind": kind, "packets": random.randint(5, 60)}
    return queue | _some(random, catalogue["queues"][kind]["parameters"], 0.15)


def _clients(random: Random, catalogue: dict[str, Any]) -> dict[str, Any]:
    sources: list[dict[str, Any]] = [
        {"kind": "greedy"},
        {"kind": "greedy", "size": "300 kB"},
        {"kind": "poisson", "rate": 60.0},
        {"kind": "constant", "rate": random.choice([50.0, "333 kb/s"])},
        {
            "kind": "onoff",
            "rate": 120.0,
            "on": {"kind": "pareto", "mean": "300 ms", "shape": 1.3},
            "off": {"kind": "exponential", "mean": "500 ms"},
        },
        {"kind": "fgn", "rate": 80.0, "hurst": 0.8, "cov": 0.3, "bin": "50 ms"},
        {
            "kind": "transfers",
            "size": {"kind": "lognormal", "mean": "40 kB", "sigma": 1.0},
            "think": {"kind": "fixed", "mean": "200 ms"},
        },
    ]
    source = random.choice(sources)
    clients: dict[str, Any] = {"count": random.randint(1, 4), "source": source}
    if random.random() < 0.15 and source["kind"] not in {"greedy", "transfers"}:
        clients["transport"] = {"kind": "udp", "packet_sizes": random.choice(["fixed", "exponential"])}
    else:
        variant = random.choice(sorted(catalogue["variants"]))
        law = catalogue["congestion"][catalogue["variants"][variant]["congestion"]]
        options = [option for part in catalogue["options"].values() for option in part]
        chosen = [
            each
            for each in options
            if each["name"] in {"recovery", "max_window", "delayed_ack", "initial_window", "overhead", "ecn"}
        ]
        clients["transport"] = {
            "kind": "tcp",
            "variant": variant,
            **_some(random, law["parameters"], 0.3),
            **_some(random, chosen, 0.2),
        }
    if random.random() < 0.4:
        clients["access"] = _access(random)
    if random.random() < 0.3:
        clients["start"] = "500 ms"
    if random.random() < 0.3:
        clients["spread"] = "300 ms"
    if random.random() < 0.4:
        ends: list[dict[str, Any]] = [
            {"stop": "1800 ms"},
            {"duration": "1 s"},
            {"active": [["500 ms", "1200 ms"], ["1300 ms", "1900 ms"]]},
            {"stop": "1800 ms", "unfinished": "drained"},
        ]
        clients |= random.choice(ends)
    if random.random() < 0.2:
        clients["packet_size"] = random.choice([200, 576, 1000])
    if random.random() < 0.1:
        clients["direction"] = "reverse"
    return clients


def _some(random: Random, parameters: list[dict[str, Any]], share: float) -> dict[str, Any]:
    return {each["name"]: _value(random, each) for each in parameters if random.random() < share}


def _value(random: Random, parameter: dict[str, Any]) -> Any:
    match parameter["kind"]:
        case "flag":
            return random.random() < 0.5
        case "choice":
            return random.choice(parameter["choices"])
        case "whole":
            return random.randint(int(parameter["min"]), int(min(parameter["max"], max(1, parameter["min"]) * 20)))
        case "time":
            return TIME.format(max(parameter["min"], min(parameter["max"], random.randint(1, 20) * 10**9)))
        case _:
            low = parameter["min"] if parameter["min"] is not None else (parameter["above"] or 0.0)
            high = parameter["max"] if parameter["max"] is not None else low + 10
            return round(low + (high - low) * random.uniform(0.05, 0.6), 6)
