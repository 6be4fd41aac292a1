"""The page of call chains: each file and each name on it exists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.tools.test_project import tracked

if TYPE_CHECKING:
    from pathlib import Path

FILE = re.compile(r"`([\w./]+\.(?:rs|py|toml))`")
NAME = re.compile(r"`(\w+(?:::|\.)(?!rs\b|py\b|toml\b)\w+)`")


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs" / "call_chains.md").read_text(encoding="utf-8")


def test_each_step_names_a_file_and_what_the_file_defines(root: Path, page: str) -> None:
    chains = [re.findall(r"^\| \d+ \| `(.+?)` \| (.+?) \|", part, re.MULTILINE) for part in page.split("\n## ")[1:]]
    assert [5 <= len(chain) <= 8 for chain in chains] == [True] * 3
    for file, names in (step for chain in chains for step in chain):
        text = (root / file).read_text(encoding="utf-8")
        assert [name for name in re.findall(r"`(.+?)`", names) if not defines(text, name)] == [], file


def test_other_files_and_methods_exist(root: Path, page: str) -> None:
    files = tracked(root, "crates/*.rs", "python/*.py", "python/*.toml", "docs/*.md")
    names = [f"/{file.relative_to(root).as_posix()}" for file in files]
    assert [named for named in FILE.findall(page) if not any(name.endswith(f"/{named}") for name in names)] == []
    texts = [file.read_text(encoding="utf-8") for file in files if file.suffix != ".md"]
    variants = {"Offered::Dropped", "Verdict::Accept"}
    methods = set(NAME.findall(page)) - variants - {"run.drops"}
    assert [name for name in methods if not any(defines(text, name) for text in texts)] == []


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("impl Link {\n    pub fn offer(&mut self) {}\n}", "Link::offer", True),
        ("impl Link {\n    pub fn offers(&mut self) {}\n}", "Link::offer", False),
        ("impl Links {\n    pub fn offer(&mut self) {}\n}", "Link::offer", False),
        ("class Claim:\n    def judge(self):", "Claim.judge", True),
        ("# judge", "judge", False),
        ('CLAIMS = ("a",)', "CLAIMS", True),
        ("        drops: u64 [PACKETS]", "drops", True),
        ('[claims."3.2.3-1"]', "3.2.3-1", True),
        ("[claims.3-1]", "3-1", True),
        ("[claims.3-11]", "3-1", False),
    ],
)
def test_definitions_are_found(text: str, name: str, *, expected: bool) -> None:
    assert defines(text, name) is expected


def defines(text: str, name: str) -> bool:
    """Return whether a file defines a function, type, constant, field or claim; ``Type::name`` needs both parts."""
    *owner, own = [name] if re.fullmatch(r"[\d.-]+", name) else re.split(r"::|\.", name)
    made = r"\b(?:fn|struct|enum|trait|const|type|def|class)"
    patterns = [rf'{made} {own}\b|^\s*{own}(?: =|: )|^\[claims\."?{re.escape(own)}"?\]']
    patterns += [rf"{made} {each}\b|\bimpl\b.*\b{each}\b" for each in owner]
    return all(re.search(pattern, text, re.MULTILINE) for pattern in patterns)
