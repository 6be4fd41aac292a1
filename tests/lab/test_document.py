"""What Python gives the lab's page: settings of a scenario, the file, stories, and links from figures."""

from __future__ import annotations

import base64
import json
import tomllib
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from ackclock import Scenario, ScenarioError
from ackclock.engine.catalogue import catalogue
from ackclock.lab.catalogue import page_catalogue
from ackclock.lab.document import document
from ackclock.lab.page import page_with, write_page
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.lab import Lab
from ackclock.papers.core.parts import Part, Spot
from ackclock.running.plan import plan
from ackclock.values.quantity import RATE, TIME
from lab_page import pack
from lab_parts import stories

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BUILT = f'<meta name="engine" content="{catalogue().revision}"><script type="application/json" id="given">null</script>'


@pytest.mark.parametrize("name", ["parking_lot", "web_search", "selfsimilar", "onoff40", "shaper"])
def test_a_setting_changes_the_plan_as_python_does(root: Path, name: str) -> None:
    scenario = Scenario.from_toml(root / "examples" / f"{name}.toml")
    whole = scenario.effective()
    found = document(scenario, seed=1, name=name)
    assert len(found["knobs"]) > 5
    for knob in found["knobs"]:
        assert knob["low"] <= knob["value"] <= knob["high"]
        value = knob["high"]
        text = {"time": TIME.format, "rate": RATE.format}.get(knob["kind"], lambda number: number)(value)
        changed = json.loads(json.dumps(found["plan"]))
        for place in knob["places"]:
            inner: Any = changed
            for step in place[:-1]:
                inner = inner[step]
            inner[place[-1]] = value
        assert changed == json.loads(plan(whole.changed({knob["path"]: text}).effective())), knob["path"]


def test_the_catalogue_offers_no_option_on_which_others_depend() -> None:
    page = page_catalogue()
    follows, recoveries = page["follows"], page["recoveries"]
    assert follows["rack"]["handshake"] == [["receiver", "handshake"], ["sender", "handshake"]]
    assert not {"recovery", "rwnd", "rack", "undo"} & follows["rack"].keys(), "the receiver's reports depend on them"
    assert set(recoveries["linux"]["reno"]) == set(recoveries["rfc"]["cubic"]) == set(follows)
    assert {name: list(recoveries["linux"][name]) for name in ("bbr", "newreno")} == {
        "bbr": ["rack"],
        "newreno": ["newreno"],
    }
    assert (["sender", "grow_on_exit"], False) in recoveries["ns2-2.35"]["reno"]["sack"], "a default of the pair"


class TestThePage:
    @pytest.fixture
    def built(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str | None], None]:
        """Replace the built page."""
        monkeypatch.setattr("ackclock.lab.page.resources.files", lambda _: tmp_path)

        def build(text: str | None) -> None:
            if text is not None:
                pack(tmp_path / "page.zip", {"page.html": text.encode(), "engine.wasm": b"", "catalogue.json": b""})

        return build

    @pytest.mark.parametrize("text", [None, BUILT.replace(catalogue().revision, "0" * 32)])
    def test_must_be_built_with_this_engine(self, built: Callable[[str | None], None], text: str | None) -> None:
        built(text)
        with pytest.raises(
            ScenarioError, match="^lab: the page is not built, or is older .* run `make lab` .* Node 20"
        ):
            page_with(None)

    def test_contains_the_scenario_as_data(self, built: Callable[[str | None], None]) -> None:
        built(BUILT)
        given = page_with({"name": "</script><script>alert(1)</script>"})
        assert given.count("<script") == 1
        data = given.partition('id="given">')[2].partition("</script>")[0]
        assert json.loads(data) == {"name": "</script><script>alert(1)</script>"}

    def test_replaces_only_a_page_of_the_lab(self, tmp_path: Path) -> None:
        out = tmp_path / "mine.html"
        out.write_text("my thesis", encoding="utf-8")
        with pytest.raises(ScenarioError, match="must be a new file, or an earlier page of the lab"):
            write_page(out, BUILT)
        out.unlink()
        write_page(out, BUILT)
        write_page(out, BUILT + "again")
        assert out.read_text(encoding="utf-8").endswith("again")


@pytest.mark.parametrize("story", stories(), ids=lambda story: story["name"])
def test_a_story_is_a_scenario_and_three_sentences(story: dict[str, Any]) -> None:
    scenario = Scenario.from_dict(tomllib.loads(story["toml"]))
    for path, value in story.get("beside", {}).items():
        assert scenario.changed({path: tomllib.loads(f"value = {value}")["value"]}) != scenario
    assert story["text"].count(". ") == 2
    assert story["text"].endswith(".")


def test_there_are_ten_stories() -> None:
    assert len(stories()) == 10


def test_a_figure_links_to_a_run_whose_values_it_reads(root: Path) -> None:
    scenario = Scenario.from_toml(root / "examples" / "bufferbloat.toml")
    spots = [Spot(where={"clients": n}, scenario=scenario.changed({"duration": f"{n + 20} s"})) for n in (9, 10, 11)]
    lab = Lab.of([Part(name="grid", spots=spots, take=lambda _: {})])
    rows = [Run(where=spot.where, seed=1, values={"loss": 0.1}) for spot in spots]
    runs = lab.watched(Runs({"grid": rows, "derived": [Run(where={}, seed=1, values={})]}))
    assert [row.seed for row in runs.part("grid")] == [1, 1, 1]
    assert lab.link("Figure 1") is None, "no values were read"
    assert runs.part("derived")[0].values == {}
    assert [row.values["loss"] for row in runs.part("grid") if row.where["clients"] == 11] == [0.1]
    found = lab.link("Figure 1")
    assert found is not None
    address, shows = found
    assert shows == "clients = 11"
    packed = address.removeprefix("lab.html#d=")
    text = zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), wbits=-15)
    assert json.loads(text)["scenario"]["duration"] == "31 s"
    assert lab.link("Figure 2") is None, "it begins again with each figure"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("clients.0.transport", {"kind": "tcp", "law": "examples/reno.py:Reno"}),
        ("dumbbell.bottleneck.queue", {"kind": "python", "discipline": "examples/codel.py:Codel"}),
    ],
)
def test_what_is_written_in_python_is_refused(root: Path, field: str, value: dict[str, Any]) -> None:
    scenario = Scenario.from_toml(root / "examples" / "bufferbloat.toml")
    (name,) = value.keys() - {"kind"}
    (path, cls) = value[name].split(":")
    changed = scenario.changed({field: value | {name: f"{root / path}:{cls}"}})
    with pytest.raises(
        ScenarioError, match=rf"{field}.{name}: .*{cls}' is not allowed; must be absent: the page cannot"
    ):
        document(changed, seed=1, name="own")
