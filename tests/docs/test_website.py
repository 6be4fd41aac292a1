"""The documentation: generated pages equal the program, links lead somewhere, and the site has every page."""

from __future__ import annotations

import inspect
import pkgutil
import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

import ackclock
from ackclock.papers import STUDIES
from ackclock.scenario import Scenario
from ackclock.scenario.profile import TABLE
from website import python, references
from website.links import broken_in_markdown, broken_in_page, broken_in_site
from website.sources import Sources

if TYPE_CHECKING:
    from pathlib import Path

ENVIRONMENTS = {"ackclock.gym.DumbbellEnv", "ackclock.gym.ParallelDumbbell"}
"""Classes that need optional packages."""

PAGE = """# A `page`: one, two

[itself](#a-page-one-two), [other](other.md#there), ![image](x.png), [site](https://example.org/x), `[code](no.md)`

```text
[block](no.md)
```
"""


def _is_written(value: object) -> bool:
    """Return whether a member of a class can have a docstring of its own."""
    return inspect.isroutine(value) or isinstance(value, property)


@pytest.fixture(scope="module")
def sources(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Sources:
    made = Sources(root=root, folder=tmp_path_factory.mktemp("sources") / "site")
    made.write()
    return made


@pytest.mark.parametrize("name", references.PAGES)
def test_references_are_those_of_the_program(name: str) -> None:
    """If this test fails, `make references` updates the file."""
    assert (references.FOLDER / name).read_text(encoding="utf-8") == references.PAGES[name]()


def test_the_scenario_reference_has_every_field_and_default() -> None:
    text = (references.FOLDER / "scenario.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    assert {row.field for row in TABLE} | set(Scenario.model_fields) <= rows
    for row in TABLE:
        assert f"*Default: {row.source}*" in text


def test_the_gallery_has_every_figure(root: Path) -> None:
    text = (root / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\]\(images/(.*?)\)", text)) == sorted(
        image.name for image in (root / "docs" / "images").iterdir()
    )


def test_the_commands_of_the_gallery_are_those_of_the_guides(root: Path) -> None:
    """The tests of the guides run them."""
    guides = "".join(page.read_text(encoding="utf-8") for page in (root / "docs" / "guide").glob("*.md"))
    text = (root / "docs" / "gallery.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    commands = [command for block in blocks for command in block.splitlines()]
    studies = {f"ackclock reproduce {name}" for name in STUDIES}
    assert len(commands) > 10
    assert [each for each in commands if each not in guides and each not in studies | {"make linux"}] == []


def test_the_page_on_installation_has_every_extra(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (root / "docs" / "install.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == set(project["optional-dependencies"]) - {"dev"}


def test_no_link_is_broken(root: Path) -> None:
    assert list(broken_in_markdown(root)) == []


class TestSources:
    def test_every_page_is_in_one_section(self, sources: Sources) -> None:
        def pages(entry: Any) -> list[str]:
            if isinstance(entry, str):
                return [entry]
            return [page for each in (entry.values() if isinstance(entry, dict) else entry) for page in pages(each)]

        found = pages(sources.navigation())
        written = {str(page.relative_to(sources.pages)) for page in sources.pages.rglob("*.md")}
        assert found[0] == "index.md"
        assert sorted(found) == sorted(page for page in written if not page.startswith("files/"))

    def test_links_lead_to_the_moved_files(self, sources: Sources) -> None:
        broken = [each for page in sources.pages.rglob("*.md") for each in broken_in_page(page, sources.pages)]
        assert broken == []
        shown = (sources.pages / "files" / "examples" / "feng60.toml.md").read_text(encoding="utf-8")
        assert "\n````toml\n" in shown
        assert "[dumbbell" in shown

    def test_every_public_name_has_one_place(self) -> None:
        found = [name for text in python.pages().values() for name in re.findall(r"^::: (.*)$", text, re.MULTILINE)]
        assert len(found) == len(set(found))
        assert {f"ackclock.{name}" for name in ackclock.__all__} <= set(found)

    @pytest.mark.parametrize("extra", [False, pytest.param(True, marks=pytest.mark.needs("gymnasium", "pettingzoo"))])
    def test_docstrings_are_markdown(self, *, extra: bool) -> None:
        """The site has no roles, tables or code blocks of reST, and finds examples by their heading."""
        named = [name for text in python.pages().values() for name in re.findall(r"^::: (.*)$", text, re.MULTILINE)]
        asked = [name for name in named if (name in ENVIRONMENTS) is extra]
        documented = {name: pkgutil.resolve_name(name.replace(".", ":", 1)) for name in asked}
        for name, kind in [*documented.items()]:
            if isinstance(kind, type) and kind.__module__.startswith("ackclock"):
                own = {each: value for each, value in vars(kind).items() if not each.startswith("_")}
                documented |= {f"{name}.{each}": value for each, value in own.items() if _is_written(value)}
        docs = {name: inspect.getdoc(each) or "" for name, each in documented.items()}
        known = {"ackclock.Run.plot", "ackclock.Store.plot", "ackclock.analysis.Interval.warning"}
        assert (ENVIRONMENTS if extra else known) <= docs.keys()
        assert [name for name, doc in docs.items() if re.search(r":\w+:`|^ *=+ |::$|^ *\.\. ", doc, re.MULTILINE)] == []
        assert [name for name, doc in docs.items() if ">>> " in doc and "Examples\n--" not in doc] == []


class TestLinks:
    def write(self, folder: Path, text: str) -> list[str]:
        (folder / "page.md").write_text(text, encoding="utf-8")
        (folder / "other.md").write_text("## There", encoding="utf-8")
        (folder / "x.png").touch()
        return list(broken_in_page(folder / "page.md", folder))

    def test_a_page_without_faults(self, tmp_path: Path) -> None:
        assert self.write(tmp_path, PAGE) == []

    @pytest.mark.parametrize(
        ("right", "wrong", "says"),
        [
            ("x.png", "y.png", "page.md:3: y.png: there is no such file"),
            ("#there", "#here", "page.md:3: other.md#here: there is no such heading"),
            ("(#a-page-one-two)", "(#a-page)", "page.md:3: #a-page: there is no such heading"),
            ("x.png", "../x.png", "page.md:3: ../x.png: there is no such file"),
        ],
    )
    def test_finds_a_fault(self, right: str, wrong: str, says: str, tmp_path: Path) -> None:
        assert self.write(tmp_path, PAGE.replace(right, wrong)) == [says]

    def test_finds_faults_in_html(self, tmp_path: Path) -> None:
        (tmp_path / "a.html").write_text('<a href="b.html#here">b</a> <a href="c.html">c</a>', encoding="utf-8")
        (tmp_path / "b.html").write_text(
            '<p id="there"><a href="#there">x</a><img src="https://example.org/x.png">', encoding="utf-8"
        )
        assert list(broken_in_site(tmp_path)) == [
            "a.html: b.html#here: there is no such anchor",
            "a.html: c.html: there is no such file",
            "b.html: loads https://example.org/x.png",
        ]
