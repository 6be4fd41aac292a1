"""The lab's page makes Python's plans, refuses the same scenarios, and its engine gives the bytes of the native one."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tomllib
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.lab.random_scenarios import random_scenarios

from ackclock.engine import core
from ackclock.lab.document import document
from ackclock.lab.following import leaves
from ackclock.lab.page import built_page
from ackclock.running.plan import plan
from ackclock.running.run import Prepared
from ackclock.scenario import Scenario
from ackclock.values.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.needs("node")

RECORDS = ("arrivals", "queue", "gauges", "drops", "marks", "windows", "acks", "phases", "packets@*")
COUNT = 50


def node(root: Path, questions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Ask the page's modules in Node."""
    lab = root / "target" / "lab"
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    command: list[str | Path] = ["node", lab / "node.mjs", lab / "engine.wasm", lab / "catalogue.json"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines()]


def digests(tables: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return the SHA-256 of each column as 64-bit floating-point numbers."""
    types = {"u32": "<u4", "u64": "<u8", "f64": "<f8", "bool": "u1"}
    return {
        name: {
            column: hashlib.sha256(np.frombuffer(data, types.get(kind, "u1")).astype("<f8").tobytes()).hexdigest()
            for column, kind, data in rows.columns()
        }
        for name, rows in tables.items()
    }


WRONG: tuple[Any, ...] = (
    *(0, -1, 2.5, 40, 65_536, True, [], {}, "", "abc", "off", "5.", "0.5 ps", "-1 s", "0 s", "5 ms", "5 s", "5 min"),
    *("0 B", "1 kB", "70 kB", "100 GB", "3 Mbps", None),
)
"""Values that are wrong for most fields; ``None`` removes the field."""


def spoilt(tables: dict[str, Any], random: Random) -> tuple[str, dict[str, Any]]:
    """Replace, add or remove a field at random. Return its path and the tables."""
    made = json.loads(json.dumps(tables))
    *table, name = random.choice([at for at, _ in leaves(made)])
    inner = made
    for step in table:
        inner = inner[step]
    if isinstance(inner, dict) and random.random() < 0.2:
        name = random.choice(
            ["other", "start", "count", "loss", "ecn", "max_window", "packets", "bytes", "stop", "active", "up"]
        )
    value = random.choice(WRONG)
    if value is None and isinstance(inner, dict):
        inner.pop(name, None)
    else:
        inner[name] = value
    return ".".join(map(str, (*table, name))), made


def problem(tables: dict[str, Any]) -> str | None:
    """Return why Python refuses a scenario."""
    try:
        Scenario.from_dict(tables).effective()
    except ScenarioError as error:
        return str(error)
    return None


@pytest.fixture(scope="module")
def scenarios(root: Path) -> list[tuple[dict[str, Any], Prepared]]:
    if built_page() is None or not (root / "target" / "lab" / "node.mjs").exists():
        pytest.skip("not built: run `make lab`")
    drawn = list(random_scenarios(COUNT, seed=24))
    # the page shows each recovery, and no notice of its new default
    return [(tables, Prepared.of(Scenario.from_dict(tables).effective(), RECORDS)) for tables in drawn]


@pytest.fixture(scope="module")
def native(scenarios: list[tuple[dict[str, Any], Prepared]]) -> list[dict[str, Any]]:
    """Return the outcomes of the native engine."""
    from ackclock.engine import core  # noqa: PLC0415  # only where the tests run

    found = []
    for seed, (_, prepared) in enumerate(scenarios):
        outcome, tables, _ = core.simulate(prepared.plan, seed)
        found.append({"outcome": json.loads(outcome), "tables": digests(tables)})
    return found


GRAPH = """
duration = "4 s"
measure = { link = "b", bin = "100 ms" }
nodes = [{ name = "s" }, { name = "r" }, { name = "e" }, { name = "d" }]
[[links]]
name = "a"
from = "s"
to = "r"
rate = "10 Mbps"
delay = "2 ms"
[[links]]
name = "b"
from = "r"
to = "d"
rate = "4 Mbps"
delay = "10 ms"
queue = { kind = "droptail", packets = 30 }
jitter = { max = "1 ms", reorders = true }
[[links]]
name = "c"
from = "s"
to = "e"
rate = "10 Mbps"
delay = "2 ms"
[[links]]
name = "e"
from = "e"
to = "d"
rate = "3 Mbps"
delay = "20 ms"
[[flows]]
from = "s"
to = "d"
active = [["0 s", "1 s"], ["2 s", "3 s"]]
transport = { kind = "tcp", variant = "cubic" }
source = { kind = "greedy" }
[[flows]]
name = "second"
from = "r"
to = "d"
start = "500 ms"
duration = "1 s"
transport = { kind = "udp" }
source = { kind = "constant", rate = 100 }
[[changes]]
at = "2 s"
rate = "1 Mbps"
queue = { kind = "droptail", packets = 10 }
[[changes]]
at = "1 s"
links = ["a", "b.reverse"]
up = false
waiting = "lost"
[[changes]]
at = "1500 ms"
groups = ["flows-0"]
via = ["e"]
transport = { kind = "tcp", variant = "cubic", fast_convergence = false }
"""
EDITS: dict[str, Any] = {
    "flows.0.active": None,
    "flows.0.start": "200 ms",
    "flows.0.stop": "3500 ms",
    "flows.0.unfinished": "dropped",
    "flows.1.duration": "1500 ms",
    "flows.1.unfinished": "drained",
    "changes": [{"at": "500 ms", "links": ["b"], "delay": "30 ms", "reorders": True}, {"at": "600 ms", "up": False}],
}
"""Changed fields; ``None`` removes one, as on the page."""


def acknowledged(prepared: Prepared) -> tuple[float, float]:
    """Return the bits that the senders of each direction have got acknowledged at the end."""
    columns = {name: (kind, data) for name, kind, data in core.simulate(prepared.plan, 1)[1]["acks"].columns()}
    types = {"u32": "<u4", "u64": "<u8"}
    flows, acks = (np.frombuffer(columns[name][1], types[columns[name][0]]) for name in ("flow", "ack"))
    bits, first = [0.0, 0.0], 0
    for group in json.loads(prepared.plan)["groups"]:
        syn = group["transport"].get("sender", {}).get("handshake", False)
        for flow in range(first, first + group["count"]):
            own = acks[flows == flow]
            bits[group["reverse"]] += 8 * group["packet_size"] * float(max(0, int(own.max(initial=0)) - syn))
        first += group["count"]
    return bits[0], bits[1]


def described(scenario: Scenario, edits: dict[str, Any] | None = None) -> dict[str, Any]:
    given: dict[str, Any] = json.loads(json.dumps(document(scenario, seed=1, name="given")))
    return given | {"edits": edits or {}}


class TestInNode:
    def test_plans_equal_those_of_python(self, root: Path, scenarios: list[tuple[dict[str, Any], Prepared]]) -> None:
        answers = node(root, [{"scenario": tables} for tables, _ in scenarios])
        for (tables, prepared), answer in zip(scenarios, answers, strict=True):
            assert answer.get("plan") == json.loads(prepared.plan) | {"records": []}, (tables, answer.get("error"))

    def test_goodput_has_all_data_and_never_exceeds_the_rate(
        self, root: Path, scenarios: list[tuple[dict[str, Any], Prepared]]
    ) -> None:
        answers = node(root, [{"scenario": tables, "seed": "1"} for tables, _ in scenarios])
        for (tables, prepared), answer in zip(scenarios, answers, strict=True):
            for found, expected in zip(answer["goodput"], acknowledged(prepared), strict=True):
                assert found["most"] <= found["rate"] * (1 + 1e-9), tables
                assert found["bits"] == pytest.approx(expected, rel=1e-3, abs=1), tables

    def test_plans_of_documents_equal_those_of_python(self, root: Path) -> None:
        """A document has the plan without changes and stops, which the page adds, edited or not."""
        graph = Scenario.from_dict(tomllib.loads(GRAPH))
        files = ("parking_lot", "changing_path", "join_and_leave", "web_search")
        cases = [
            (graph, None),
            (graph, EDITS),
            *((Scenario.from_toml(root / f"examples/{each}.toml"), None) for each in files),
        ]
        answers = node(root, [{"given": described(scenario, edits)} for scenario, edits in cases])
        for (scenario, _), answer in zip(cases, answers, strict=True):
            edited = Scenario.from_dict(answer["scenario"])
            assert answer["plan"] == json.loads(plan(edited.effective())), scenario
        kept = json.loads(plan(graph.effective()))
        assert [answers[0]["plan"] == kept, answers[1]["plan"] == kept] == [True, False]

    @pytest.mark.parametrize(
        ("edits", "message"),
        [
            (
                {"flows.0.active": [["0 s", "2 s"], ["1 s", "3 s"]]},
                "flows.0.active: .* '1 s' must not be before the end",
            ),
            ({"flows.0.stop": "2 s"}, "flows.0.active: .* must be absent when stop is given"),
            ({"flows.1.duration": "soon"}, "flows.1.duration: 'soon' is not allowed; must be a time"),
            (
                {"flows.1.unfinished": "kept"},
                "flows.1.unfinished: 'kept' is not allowed; must be one of dropped, drained",
            ),
            ({"flows.1.start": "5 s"}, "flows.1.start: '5 s' is not allowed; must be before the end, at 4 s"),
            ({"changes": [{"at": "9 s", "rate": "1 Mbps"}]}, "changes.0.at: '9 s' .* must be before the end, at 4 s"),
            ({"changes": [{"at": "1 s"}]}, "changes.0.rate: is missing; one of rate, delay, loss, queue, up"),
            ({"changes": [{"at": "1 s", "rate": "fast"}]}, "changes.0.rate: 'fast' is not allowed; must be a rate"),
            ({"changes": [{"at": "1 s", "links": ["x"], "up": False}]}, "changes.0.links.0: 'x' .* the name of a link"),
            ({"changes": [{"at": "1 s", "via": ["e"]}]}, "changes.0.groups: is missing; must be given, as there are"),
            (
                {"changes": [{"at": "1 s", "groups": ["x"], "via": []}]},
                "changes.0.groups.0: 'x' .* one of flows-0, second",
            ),
            (
                {"changes": [{"at": "1 s", "groups": ["second"], "via": ["x"]}]},
                "changes.0.via.0: 'x' .* must be one of s,",
            ),
            (
                {"changes": [{"at": "1 s", "groups": ["second"], "up": True}]},
                "changes.0.groups: .* must be absent unless",
            ),
            (
                {"changes": [{"at": "1 s", "groups": ["flows-0"], "transport": {"kind": "tcp", "variant": "vegas"}}]},
                "changes.0.transport.variant: 'vegas' .* must have the law cubic",
            ),
            (
                {"changes": [{"at": "1 s", "groups": ["second"], "transport": {"kind": "tcp", "variant": "cubic"}}]},
                "changes.0.transport: .* group second has no law",
            ),
            (
                {"changes": [{"at": "1 s", "delay": "9 ms"}]},
                "changes.0.reorders: false .* must be true as jitter.reorders",
            ),
            ({"changes": [{"at": "1 s", "queue": {"kind": "codel"}}]}, "changes.0.queue.kind: 'codel' .* droptail, as"),
            ({"changes": [{"at": "1 s", "loss": "much"}]}, "changes.0.loss: 'much' is not allowed; must be a table"),
            ({"changes": [{"at": "1 s", "up": True, "waiting": "lost"}]}, "changes.0.waiting: .* unless up is false"),
        ],
    )
    def test_wrong_edits_are_refused(self, root: Path, edits: dict[str, Any], message: str) -> None:
        graph = Scenario.from_dict(tomllib.loads(GRAPH))
        (answer,) = node(root, [{"given": described(graph, edits)}])
        assert re.search(message, answer["error"]), answer
        with pytest.raises(ScenarioError, match=message.partition(":")[0]):
            graph.changed(edits)

    def test_what_python_refuses_is_refused(self, root: Path, scenarios: list[tuple[dict[str, Any], Prepared]]) -> None:
        random = Random(7)  # noqa: S311  # test inputs
        changed = [spoilt(tables, random) for tables, _ in scenarios for _ in range(6)]
        answers = node(root, [{"scenario": tables} for _, tables in changed])
        refused = [problem(tables) for _, tables in changed]
        assert None in refused, "some changes are allowed"
        for (at, tables), answer, expected in zip(changed, answers, refused, strict=True):
            found = answer.get("error")
            if found is not None and found.startswith("Error: memory: "):
                continue  # the page has less memory
            assert (found is None) == (expected is None), (at, tables, found, expected)

    def test_outcomes_and_tables_are_the_same_bytes(
        self, root: Path, scenarios: list[tuple[dict[str, Any], Prepared]], native: list[dict[str, Any]]
    ) -> None:
        questions = [{"plan": prepared.plan, "seed": str(seed)} for seed, (_, prepared) in enumerate(scenarios)]
        answers = node(root, questions)
        for (tables, _), answer, expected in zip(scenarios, answers, native, strict=True):
            assert answer.get("outcome") == expected["outcome"], (tables, answer.get("error"))
            assert answer["tables"] == expected["tables"], tables

    def test_notices_are_those_of_python(self, root: Path, scenarios: list[tuple[dict[str, Any], Prepared]]) -> None:
        answers = node(root, [{"scenario": tables, "seed": str(seed)} for seed, (tables, _) in enumerate(scenarios)])
        for seed, ((tables, prepared), answer) in enumerate(zip(scenarios, answers, strict=True)):
            # the page chooses its records by itself, and says nothing about them
            assert answer["notices"] == list(replace(prepared, record=()).run(seed).notices), tables
