"""The built page of the lab, used in Chromium as a reader uses it (``web/test/browser.mjs``)."""

from __future__ import annotations

import base64
import csv
import gzip
import json
import runpy
import subprocess
import sys
import threading
import tomllib
import zlib
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from tests.lab.random_scenarios import random_scenarios
from tests.lab.test_same_bytes import COUNT, RECORDS, digests

from ackclock import Scenario, conform, simulate
from ackclock.engine import core
from ackclock.lab.document import document
from ackclock.lab.page import built_page, page_with
from ackclock.lab.serving import Content, LabServer
from ackclock.running.run import Prepared
from lab_parts import exercises, stories

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.needs("chromium", "node")

SMALL = """
duration = "5 s"
[dumbbell]
access = { rate = "10 Mbps", delay = "5 ms" }
bottleneck = { rate = "5 Mbps", delay = "20 ms", queue = { kind = "droptail", packets = 20 } }
[[clients]]
count = 2
transport = { kind = "tcp", variant = "reno" }
source = { kind = "greedy" }
"""
PICTURE = """
duration = "60 s"
[dumbbell]
access = { rate = "1 Gbps", delay = "5 ms" }
bottleneck = { rate = "10 Mbps", delay = "20 ms", queue = { kind = "droptail", packets = 50 } }
[[clients]]
count = 10
transport = { kind = "tcp", variant = "cubic" }
source = { kind = "greedy" }
"""


LAW = """
import ackclock as ac

class Calm(ac.Law):
    budget: float = 0.06

    def on_ack(self, window, ack):
        window.cwnd += ack.counted / window.cwnd if ack.srtt < self.budget else -0.01
"""


POLLUTING = {
    "path": "__proto__.polluted",
    "label": "x",
    "kind": "number",
    "low": 1,
    "high": 2,
    "value": 1,
    "places": [],
}
HOSTILE = (
    "not a scenario",
    "cut",
    "not text",
    "not TOML",
    "a bomb",
    "too long",
    "10^9 flows",
    "10^6 flows",
    "a huge window",
    "10^18 years",
    "deep",
    "many groups",
    "an unknown field",
    "a script",
    "a prototype",
    "a seed",
    "no story",
    "no script",
    "no control",
    "no exercise",
    "a bomb beside",
    "a bomb of words",
    "no document",
    "no JSON",
    "a mutilated plan",
    "a polluting document",
)
"""Names of the hostile addresses."""


def packed(text: str | bytes) -> str:
    deflate = zlib.compressobj(9, wbits=-15)
    data = text.encode() if isinstance(text, str) else text
    return base64.urlsafe_b64encode(deflate.compress(data) + deflate.flush()).decode().rstrip("=")


def link(text: str | bytes) -> str:
    return f"#s={packed(text)}"


def hostile_addresses() -> list[dict[str, str]]:
    """Return addresses that must give a message, and a part of it."""
    given = json.loads(json.dumps(document(Scenario.from_dict(tomllib.loads(SMALL)), seed=1, name="small")))
    mutilated = given | {"plan": given["plan"] | {"topology": "none", "duration": 7}}
    polluting = given | {
        "plan": given["plan"] | {"duration": 7},
        "knobs": [POLLUTING],
    }
    scripted = SMALL.replace('"reno"', '"<img src=x onerror=globalThis.executed=1>"')
    faster = (
        SMALL.replace("5 Mbps", "1000 Gbps")
        .replace("10 Mbps", "1000 Gbps")
        .replace("packets = 20", "packets = 1000000000")
    )
    faster = faster.replace('"reno"', '"reno", max_window = 1000000000')
    group = SMALL[SMALL.index("[[clients]]") :]
    named = {
        "not a scenario": ("#s=%%%", "incomplete or damaged"),
        "cut": (link(SMALL)[:40], "incomplete or damaged"),
        "not text": (link(b"\xff\xfe\x00" * 9), "incomplete or damaged"),
        "not TOML": (link("duration = = 3"), "cannot be opened"),
        "a bomb": (link(b"#" * 50_000_000), "512 kB"),
        "too long": ("#s=" + "A" * 70_000, "64 kB"),
        "10^9 flows": (link(SMALL.replace("count = 2", "count = 1000000000")), "Flows (clients.0.count): 1000000000"),
        "10^6 flows": (link(SMALL.replace("count = 2", "count = 1000000")), "memory"),
        "a huge window": (link(faster), "memory"),
        "10^18 years": (link(SMALL.replace("5 s", "1e18 h")), "duration"),
        "deep": (link("a = " + "[" * 20_000), "cannot be opened"),
        "many groups": (link(SMALL + group * 400), "clients"),
        "an unknown field": (link(SMALL.replace("[[clients]]", "[[clients]]\ncolour = 3")), "clients.0.colour"),
        "a script": (link(scripted), "clients.0.transport.variant"),
        "a prototype": (link(SMALL + "\n[__proto__]\npolluted = 1"), "__proto__"),
        "a seed": (link(SMALL) + "&seed=99999999999999999999", "seed"),
        "no story": ("#story=<b>x</b>", "no story"),
        "no script": ("#script=<b>x</b>", "no script"),
        "no control": ("#script=tcp/undo_eifel&variant=__proto__", "no congestion control"),
        "no exercise": ("#exercise=11", "no exercise"),
        "a bomb beside": (f"{link(SMALL)}&a={packed(b'#' * 50_000_000)}", "512 kB"),
        "a bomb of words": (f"{link(SMALL)}&w={packed(b'#' * 50_000_000)}", "512 kB"),
        "no document": ("#d=" + packed("[1, 2]"), "does not contain a scenario"),
        "no JSON": ("#d=" + packed("{"), "cannot be opened"),
        "a mutilated plan": ("#d=" + packed(json.dumps(mutilated)), "plan"),
        "a polluting document": ("#d=" + packed(json.dumps(polluting)), "does not contain a scenario"),
    }
    return [{"name": name, "hash": hash_, "message": message} for name, (hash_, message) in named.items()]


def asked_exercises() -> list[dict[str, Any]]:
    """Return the exercises; those about runs with links that open a right answer and wrong ones."""
    made = exercises()
    for each in made:
        if each["kind"] == "run":
            start = Scenario.from_dict(tomllib.loads(each["toml"]))
            links = [f"{link(start.changed(answer).to_toml())}&exercise={each['number']}" for answer in each["wrong"]]
            right = f"{link(start.changed(each['right']).to_toml())}&exercise={each['number']}"
            each["links"] = {"wrong": links, "right": right}
    return made


@pytest.fixture(scope="module")
def prepared() -> list[Prepared]:
    return [Prepared.of(Scenario.from_dict(tables).effective(), RECORDS) for tables in random_scenarios(COUNT, seed=24)]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Serve a law in Python."""
    if built_page() is None:
        pytest.skip("not built: run `make lab`")
    file = tmp_path_factory.mktemp("law") / "calm.py"
    file.write_text(LAW, encoding="utf-8")
    tables = tomllib.loads(SMALL.replace('variant = "reno"', f'variant = "reno", law = "{file}:Calm"'))
    with LabServer(Content(f"{file}:Calm", tables, name="small")) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield {"address": server.address, "file": str(file), "text": LAW}
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def visit(
    root: Path, prepared: list[Prepared], served: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """Use the page, once for all tests."""
    built = built_page()
    if built is None or not (root / "target" / "lab" / "page.js").exists():
        pytest.skip("not built: run `make lab`")
    folder = tmp_path_factory.mktemp("lab")
    page = folder / "lab.html"
    page.write_text(built, encoding="utf-8")
    cases = []
    for name in ("parking_lot", "feng60", "bufferbloat", "web_search"):
        tables = tomllib.loads((root / "examples" / f"{name}.toml").read_text(encoding="utf-8")) | {"duration": "8 s"}
        tables.pop("measure", None) if name != "parking_lot" else tables["measure"].update({"from": "0 s"})
        file = folder / f"{name}.html"
        file.write_text(page_with(document(Scenario.from_dict(tables), seed=1, name=name)), encoding="utf-8")
        cases.append({"name": name, "file": str(file), "picture": f"s={packed(PICTURE)}"})
    questions = folder / "questions.json"
    plans = [{"plan": each.plan, "seed": str(seed)} for seed, each in enumerate(prepared)]
    addresses = hostile_addresses()
    assert tuple(each["name"] for each in addresses) == HOSTILE
    questions.write_text(
        json.dumps(
            {
                "plans": plans,
                "addresses": addresses,
                "stories": stories(),
                "exercises": asked_exercises(),
                "cases": cases,
                "served": served,
            }
        ),
        encoding="utf-8",
    )
    command: list[str | Path] = ["node", root / "web/test/browser.mjs", page, questions, folder]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=1200)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def detail(visit: dict[str, Any], name: str) -> Any:
    check = visit["checks"][name]
    assert check["ok"], check["detail"]
    return check["detail"]


def test_is_small() -> None:
    """Opened from a server that compresses, the page needs less than 750 kB, 105 kB of them for scripts."""
    page = built_page()
    if page is None:
        pytest.skip("not built: run `make lab`")
    assert len(gzip.compress(page.encode())) < 750_000


def test_writes_nothing_to_the_console_and_asks_for_nothing(visit: dict[str, Any]) -> None:
    assert visit["console"] == []
    assert visit["requests"] == []


@pytest.mark.parametrize("story", [each["name"] for each in stories()])
def test_tells_each_story(visit: dict[str, Any], story: str) -> None:
    detail(visit, f"story {story}")


@pytest.mark.parametrize("exercise", exercises(), ids=lambda each: each["title"])
def test_checks_answers(visit: dict[str, Any], exercise: dict[str, Any]) -> None:
    detail(visit, f"exercise {exercise['number']}")


@pytest.mark.parametrize("name", HOSTILE)
def test_refuses_hostile_addresses(visit: dict[str, Any], name: str) -> None:
    detail(visit, f"address {name}")


@pytest.mark.parametrize("name", ["parking_lot", "feng60", "bufferbloat", "web_search"])
def test_shows_files(visit: dict[str, Any], name: str) -> None:
    detail(visit, f"file {name}")


def test_every_knob_changes_the_run(visit: dict[str, Any]) -> None:
    assert len(detail(visit, "every knob")) > 12


@pytest.mark.parametrize(
    ("field", "known"),
    [
        ("g0-law", sorted([*json.loads(core.catalogue())["variants"], "udp"])),
        ("queue", sorted(json.loads(core.catalogue())["queues"])),
        ("g0-source", None),
        ("profile", None),
    ],
)
def test_every_choice_works(visit: dict[str, Any], field: str, known: list[str] | None) -> None:
    found = detail(visit, f"every choice of {field}")
    assert known is None or sorted(found) == known


@pytest.mark.parametrize(
    "name",
    [
        "parameters and options",
        "a field with nonsense is marked and changes nothing",
        "A beside B",
        "share link",
        "zoom and packets",
        "a drag over a plot zooms",
        "keyboard",
        "undo and reset",
        "a refused text is undone alone",
        "an exercise hides the run that has its answer",
        "a wrong choice does not show the right one",
        "the keyboard focus stays",
        "a value that the engine refuses is marked",
        "a longer run measures from the same time again",
        "cancelled runs can be run again",
        "legends of picture files are whole, and runs have their names",
        "a message for each refused value",
        "timeouts are explained",
        "goodput never exceeds the rate",
        "a page opened from a file is shared as a file",
        "accessibility of an exercise, light",
        "accessibility of an exercise, dark",
        "exercises in 390 pixels and in print",
        "a long run shows its progress, leaves the page free and can be cancelled",
        "a script",
        "the picture of a script and its lines",
        "a script from a file",
        "390 pixels",
        "accessibility, light",
        "accessibility, dark",
    ],
)
def test_serves_readers(visit: dict[str, Any], name: str) -> None:
    detail(visit, name)


def test_gives_the_bytes_of_the_native_engine(visit: dict[str, Any], prepared: list[Prepared]) -> None:
    answers = detail(visit, "same bytes")
    assert len(answers) == COUNT
    for seed, (each, answer) in enumerate(zip(prepared, answers, strict=True)):
        outcome, tables, _ = core.simulate(each.plan, seed)
        assert answer == {"outcome": json.loads(outcome), "tables": digests(tables)}, each.scenario.to_toml()


def test_edits_changes_and_stops(visit: dict[str, Any]) -> None:
    found = detail(visit, "changes and stops")
    scenario = Scenario.from_toml(found["toml"])
    (change,) = scenario.changes
    assert (change.rate, change.up, change.waiting, change.loss is not None) == ("500 kbps", False, "kept", True)
    assert scenario.groups[0].active == (("0 s", "1 s"), ("1500 ms", "2 s"))
    run = simulate(scenario, seed=int(scenario_seed(found["toml"])))
    assert f"retransmissions{run.summary.retransmissions}" in found["numbers"]
    assert f"timeouts{run.summary.timeouts}" in found["numbers"]


def svg(file: str) -> ET.Element:
    """Read a figure that the page saved."""
    return ET.parse(file).getroot()  # noqa: S314  # the page wrote it


def scenario_seed(file: str) -> str:
    """Return the seed in the first line of a downloaded scenario."""
    with open(file, encoding="utf-8") as text:  # noqa: PTH123  # a name from another program
        return text.readline().split()[-1]


def test_runs_a_law_in_python_on_its_server(visit: dict[str, Any]) -> None:
    shows = detail(visit, "a law in Python runs on its server")
    assert shows["law"] == "Calm"
    assert shows["alone"] != shows["budget"], "the parameter changes the run"
    assert "ValueError: half saved (calm.py, line 1)" in shows["error"]


class TestDownloads:
    @pytest.fixture
    def files(self, visit: dict[str, Any]) -> dict[str, str]:
        found: dict[str, str] = detail(visit, "downloads")
        return found

    def test_the_scenario_gives_the_numbers_of_the_page(self, files: dict[str, str]) -> None:
        scenario = Scenario.from_toml(files["toml"])
        run = simulate(scenario, seed=3)
        with open(files["table"], encoding="utf-8") as file:  # noqa: PTH123  # a name from another program
            rows = {row["group"]: row for row in csv.DictReader(file)}
        assert set(rows) == {"all", "reno", "vegas"}
        for name, value in rows["all"].items():
            if name != "group" and value != "" and hasattr(run.summary, name):
                assert float(value) == getattr(run.summary, name), name
        assert float(rows["vegas"]["goodput_bps"]) == run.groups["vegas"].goodput_bps

    def test_the_program_runs(self, files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
        runpy.run_path(files["python"])
        assert str(simulate(Scenario.from_toml(files["toml"]), seed=3).summary) in capsys.readouterr().out

    def test_the_figure_is_an_image(self, files: dict[str, str]) -> None:
        import matplotlib.image  # noqa: PLC0415  # slow to load

        image = matplotlib.image.imread(files["figure"])
        assert image.shape[0] > 900
        assert image.std() > 0.05

    def test_the_figure_of_lines_has_texts(self, files: dict[str, str]) -> None:
        root = svg(files["vector"])
        texts = {each.text for each in root.iter("{http://www.w3.org/2000/svg}text")}
        assert {"Congestion windows", "Round-trip time", "time, s", "■"} <= texts
        assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) > 30


def test_saves_a_script_and_its_picture(visit: dict[str, Any]) -> None:
    import matplotlib.image  # noqa: PLC0415  # slow to load

    files = detail(visit, "a script and another sender, shared and saved")
    assert matplotlib.image.imread(files["figure"]).std() > 0.05
    assert "retransmission" in {each.text for each in svg(files["vector"]).iter() if each.text}
    assert conform(files["packetdrill"], law="vegas").verdict == "differs"


def test_tells_the_time_from_setting_to_picture(visit: dict[str, Any]) -> None:
    """Only printed: times depend on the machine and its load. The bar of 80 ms is for a quiet machine."""
    times = sorted(detail(visit, "setting to picture"))
    assert len(times) == 20
    sys.stdout.write(f"setting to picture: median {times[10]:.0f} ms, {times[0]:.0f} to {times[-1]:.0f} ms\n")
