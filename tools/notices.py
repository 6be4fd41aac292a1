"""Write python/THIRD_PARTY.txt, the licences of the code that wheels and the page of the lab contain: ``make notices``.

A wheel contains the Rust crates that the engine links, and the lab's page those of the engine for web pages and two
JavaScript packages. Procedural macros and test dependencies run at compile time, and are not part of either. Where a
package offers a choice of licences, MIT is chosen. Packages with the same licence text share one copy of it.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NOTICES = ROOT / "python" / "THIRD_PARTY.txt"

_PLATFORMS = {
    "ackclock-python": (
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
        "x86_64-pc-windows-msvc",
    ),
    "ackclock-wasm": ("wasm32-unknown-unknown",),
}
_PARTS = {"ackclock-python": "wheel", "ackclock-wasm": "page"}
_FILES = ("LICENSE-MIT", "LICENSE-MIT.md", "LICENSE-MIT.txt", "LICENSE", "LICENSE.md", "LICENSE.txt")
"""Names of licence files, best first."""

_IMPORT = re.compile(r'^import .* from "([^".][^"]*)";$', re.MULTILINE)
_COPYRIGHT = re.compile(r"^\W*(?:copyright\b|\(c\)).*$", re.IGNORECASE)
_MIT_TITLE = re.compile(r"^#*\s*(?:The )?MIT License(?: \(MIT\))?\s*$", re.IGNORECASE)

_ONE_LICENCE = 2500
"""Length of a file that can contain no more than one short licence and its lines of copyright, in characters."""

_INTRODUCTION = """\
Wheels contain the engine, which links the crates marked `wheel`. The page of
`ackclock lab` contains the packages marked `page`. Where a package offers a
choice of licences, MIT is chosen. `make notices` writes this file."""

_STANDARD_LIBRARY = "Copyright (c) The Rust Project Contributors"


@dataclass(frozen=True, kw_only=True)
class Package:
    """A package and its licence: the expression that it declares, and the text of a file."""

    name: str
    version: str
    licence: str
    text: str
    parts: frozenset[str]


def crates(*, offline: bool = False) -> dict[str, tuple[dict[str, Any], frozenset[str]]]:
    """Return the linked crates by name and version: Cargo's description of each, and the parts that contain it."""
    found: dict[str, tuple[dict[str, Any], frozenset[str]]] = {}
    for root, platforms in _PLATFORMS.items():
        command = ["cargo", "metadata", "--format-version=1", "--locked", *(["--offline"] if offline else [])]
        for platform in platforms:
            command += ["--filter-platform", platform]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
        for crate in _linked(json.loads(ran.stdout), root):
            name = f"{crate['name']} {crate['version']}"
            _, parts = found.get(name, (crate, frozenset()))
            found[name] = crate, parts | {_PARTS[root]}
    return found


def _linked(metadata: dict[str, Any], root: str) -> list[dict[str, Any]]:
    """Return the crates of others that a crate links, directly or through others."""
    crates = {crate["id"]: crate for crate in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    left = [name for name, crate in crates.items() if crate["name"] == root]
    seen: set[str] = set()
    while left:
        name = left.pop()
        runs_in_compiler = any("proc-macro" in target["kind"] for target in crates[name]["targets"])
        if name in seen or runs_in_compiler:
            continue
        seen.add(name)
        left += [
            dependency["pkg"]
            for dependency in nodes[name]["deps"]
            if any(kind["kind"] is None for kind in dependency["dep_kinds"])
        ]
    return [crates[name] for name in seen if crates[name]["source"]]


def scripts() -> dict[str, str]:
    """Return the JavaScript packages of the lab's page, and their versions."""
    locked = json.loads((ROOT / "web/package-lock.json").read_text(encoding="utf-8"))["packages"]
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "web/src").glob("*.ts"))]
    names = {name for text in texts for name in _IMPORT.findall(text)}
    return {name: locked[f"node_modules/{name}"]["version"] for name in sorted(names)}


def _packages() -> list[Package]:
    found = [
        Package(
            name=crate["name"],
            version=crate["version"],
            licence=crate["license"],
            text=_text(Path(crate["manifest_path"]).parent) or _mit(crate),
            parts=parts,
        )
        for crate, parts in crates().values()
    ]
    for name, version in scripts().items():
        folder = ROOT / "web/node_modules" / name
        described = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        if described["version"] != version:
            raise SystemExit(f"{folder}: version {described['version']}, not {version}: run npm ci in web")
        found.append(
            Package(
                name=name, version=version, licence=described["license"], text=_text(folder), parts=frozenset({"page"})
            )
        )
    return sorted(found, key=lambda package: package.name)


def _text(folder: Path) -> str:
    for name in _FILES:
        if (folder / name).is_file():
            return (folder / name).read_text(encoding="utf-8")
    return ""


def _mit(crate: dict[str, Any]) -> str:
    """Return the MIT licence in the name of a crate's authors, for crates that contain no licence file."""
    if "MIT" not in crate["license"]:
        raise SystemExit(f"{crate['name']}: no licence file, and its licence is {crate['license']}")
    body = (ROOT / "LICENSE").read_text(encoding="utf-8").splitlines()
    authors = ", ".join(crate["authors"]) or f"the {crate['name']} authors"
    return "\n".join(f"Copyright (c) {authors}" if _COPYRIGHT.match(line) else line for line in body)


def _divided(text: str) -> tuple[list[str], str]:
    """Divide a licence into its lines of copyright and the rest, without a title; files with several stay whole."""
    if len(text) > _ONE_LICENCE:
        return [], text.strip()
    lines = [line.strip() for line in text.splitlines()]
    copyrights = [line for line in lines if _COPYRIGHT.match(line)]
    rest = "\n".join(line for line in lines if not _COPYRIGHT.match(line) and not _MIT_TITLE.match(line))
    return copyrights, re.sub(r"\n{3,}", "\n\n", rest).strip()


def notices() -> str:
    """Return the text of the notices."""
    packages = _packages()
    bodies: dict[str, str] = {}
    holders: defaultdict[str, list[str]] = defaultdict(list)
    _, mit = _divided((ROOT / "LICENSE").read_text(encoding="utf-8"))
    bodies[_key(mit)] = mit
    holders[_key(mit)].append(f"The Rust standard library:\n  {_STANDARD_LIBRARY}")
    for package in packages:
        copyrights, body = _divided(package.text)
        bodies.setdefault(_key(body), body)
        named = "".join(f"\n  {line}" for line in copyrights)
        holders[_key(body)].append(f"{package.name} {package.version}{':' if named else ''}{named}")
    listed = [("package", "licence", "in"), ("Rust standard library", "MIT OR Apache-2.0", "page, wheel")]
    listed += [(f"{each.name} {each.version}", each.licence, ", ".join(sorted(each.parts))) for each in packages]
    rows = [f"{name:<24} {licence:<34} {parts}" for name, licence, parts in listed]
    blocks = [
        "Third-party code in Ackclock",
        _INTRODUCTION,
        "\n".join(rows),
    ]
    for key, body in bodies.items():
        blocks += ["-" * 80, "\n".join(holders[key]), body]
    return "\n\n".join(blocks) + "\n"


def _key(body: str) -> str:
    return " ".join(re.findall(r"\w+", body)).lower()


if __name__ == "__main__":
    NOTICES.write_text(notices(), encoding="utf-8")
