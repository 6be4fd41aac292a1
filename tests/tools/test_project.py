"""Consistency of the repository: versions agree, packages are pinned, documents refer to existing things."""

from __future__ import annotations

import re
import subprocess
import tomllib
from importlib import metadata
from typing import TYPE_CHECKING, Any

import pytest

import ackclock
import notices
from guides import Reader

if TYPE_CHECKING:
    from pathlib import Path


def toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def tracked(root: Path, *patterns: str) -> list[Path]:
    """Return the files of the repository; skips the test if git is missing."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    return [root / name for name in listing.stdout.splitlines() if (root / name).is_file()]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_one_version(root: Path) -> None:
    """Cargo.toml has the version; the changelog and the citation must name it too."""
    version = toml(root / "Cargo.toml")["workspace"]["package"]["version"]
    assert toml(root / "pyproject.toml")["project"]["dynamic"] == ["version"]
    assert ackclock.__version__ == version
    assert metadata.version("ackclock") == version
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    released = re.findall(r"^## \[([0-9.]+)\] - ([0-9-]+)$", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert released[0] == (version, *re.findall(r'^date-released: "(.*)"$', citation, re.MULTILINE))
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [version]


def test_notices_name_the_code_of_others(root: Path) -> None:
    text = (root / "python" / "THIRD_PARTY.txt").read_text(encoding="utf-8")
    listed = set(re.findall(r"^(\S+ [0-9]\S*) .* (?:page|wheel)$", text, re.MULTILINE))
    linked = {*notices.crates(offline=True), *(f"{name} {version}" for name, version in notices.scripts().items())}
    assert listed == linked, "`make notices` writes python/THIRD_PARTY.txt"
    with_text = {name for name in linked if re.search(rf"^{re.escape(name)}:?$", text, re.MULTILINE)}
    assert with_text == linked


def test_every_package_is_pinned_with_hashes_and_without_an_address(root: Path) -> None:
    lock = (root / "requirements" / "dev.lock").read_text(encoding="utf-8")
    pinned = set(re.findall(r"^([a-z0-9.-]+)==[^ ]+ \\$", lock, re.MULTILINE))
    project = toml(root / "pyproject.toml")["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    wanted = [requirement for requirement in wanted if "win32" not in requirement]  # the lock file is made on Linux
    names = {normal(re.split(r"[<>=!~\[; ]", requirement)[0]) for requirement in wanted}
    assert names <= pinned
    assert "://" not in lock
    assert not re.search(r"^\s*-", lock.replace("--hash=", ""), re.MULTILINE)


def test_documents_name_targets_of_the_makefile(root: Path) -> None:
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z0-9-]+):.*## ", makefile, re.MULTILINE))
    for page in tracked(root, "*.md"):
        named = set(re.findall(r"(?:^|`)make ([a-z0-9-]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
        assert named <= targets, page


def test_ci_runs_the_two_commands_of_the_readme_before_it_installs_anything(root: Path) -> None:
    """Newcomers have only these commands: an optional package must not hide their failure."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    (_, section) = readme.split("## From a checkout")
    commands = re.findall(r"^(make \w+) +#", section, re.MULTILINE)
    script = (root / ".ci/run").read_text(encoding="utf-8")
    steps = re.findall(r"^\s*(make \w+|apt-get|.*apt-get install.*)", script, re.MULTILINE)
    assert commands == ["make reproduce", "make test"]
    assert steps[:2] == commands


def test_workflows_use_what_the_repository_has(root: Path) -> None:
    """They run targets and scripts that exist, with the oldest supported versions, and pinned actions."""
    workflows = {path.name: path.read_text(encoding="utf-8") for path in tracked(root, ".github/workflows/*.yml")}
    text = "".join(workflows.values())
    targets = set(re.findall(r"^([a-z0-9-]+):.*## ", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:run|build): make (?:PYTHON=python )?([a-z0-9-]+)", text))
    assert {"test", "check", "build", "deny"} <= named <= targets | {"docs"}
    assert all((root / script).is_file() for script in re.findall(r"(\S+\.py|\.ci/run)\b", text))
    assert all(re.search(r"@v\d+\.\d+\.\d+$", action) for action in re.findall(r"uses: (\S+)", text))
    rust = toml(root / "Cargo.toml")["workspace"]["package"]["rust-version"]
    assert f'RUSTUP_TOOLCHAIN: "{rust}"' in workflows["tests.yml"]
    assert f"rustup toolchain install {rust} " in workflows["tests.yml"]
    project = toml(root / "pyproject.toml")["project"]
    supported = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    assert project["requires-python"] == f">={supported[0]}"
    for name in ("tests.yml", "wheels.yml"):
        assert f'python: ["{supported[0]}", "{supported[-1]}"]' in workflows[name]


def test_licence_is_there_and_named(root: Path) -> None:
    project = toml(root / "pyproject.toml")["project"]
    text = (root / project["license-files"][0]).read_text(encoding="utf-8")
    assert text.startswith(f"{project['license']} License")
    assert toml(root / "Cargo.toml")["workspace"]["package"]["license"] == project["license"]


def test_no_file_is_too_large_to_review(root: Path) -> None:
    large = [str(path) for path in tracked(root) if path.stat().st_size > 2_000_000]
    assert large == []


def test_the_python_of_the_readme_runs(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = (root / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    reader = Reader(tmp_path)
    for block in blocks:
        reader.session = {"__name__": "__main__"}  # a reader may begin with any block
        print(reader.run(block))
    assert capsys.readouterr().out.strip()
    assert (tmp_path / "calm.png").read_bytes().startswith(b"\x89PNG")
