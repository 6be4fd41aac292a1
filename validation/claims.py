"""Write docs/validation.md from the tests: ``python validation/claims.py``.

A test validates something when its doc comment (Rust) or docstring (Python) ends with three fields::

    Validates: the first sample sets SRTT to R and RTTVAR to R/2.
    Source: RFC 6298, 2.2.
    Tolerance: exact.

A field may continue over several lines. A file of conversations needs no fields: its first line names the RFC (``//!
RFC 6582: ...``), the name of a test is the claim, and the first comment in a test is the clause of that RFC, unless it
begins with another source. A test prints its measured values as ``measured: ...`` (Rust) or records them as the
property ``measured`` (pytest).
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "validation.md"

FIELDS = ("Validates", "Source", "Tolerance")

_FIELD = re.compile(rf"^({'|'.join(FIELDS)}):[ ]", re.MULTILINE)
_RUST_TEST = re.compile(
    r"(?P<doc>(?:^[ \t]*///.*\n)+)(?:^[ \t]*#\[.*\]\n)*^[ \t]*(?:async )?fn (?P<name>\w+)", re.MULTILINE
)
_CONVERSATION = re.compile(r"^#\[test\]\n(?:#\[.*\]\n)*fn (?P<name>\w+)\(\) \{\n[ ]+// (?P<clause>.*)\n", re.MULTILINE)
_OTHER_SOURCE = re.compile(r"RFC \d|[A-Z][^,;]*\(\d{4}\)|(as )?ns-2")
_RUST_RESULT = re.compile(r"^test (?P<path>[\w:]+)(?: - should panic)? \.\.\. (?P<result>\w+)", re.MULTILINE)
_RUST_OUTPUT = re.compile(
    r"^---- (?P<path>[\w:]+) stdout ----\n(?P<output>.*?)(?=^---- |^successes:|\Z)", re.MULTILINE | re.DOTALL
)
_MEASURED = re.compile(r"^measured: (.*)$", re.MULTILINE)

_HEAD = """\
# Why believe the numbers?

Each row is a claim about the program: its source, the test that checks it, the tolerance of the test, and the result.
`make validation` runs the tests and writes this page. [agreement.md](agreement.md) compares whole studies with ns-2,
and the report of each study judges the claims of its paper.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A claim that a test validates."""

    file: str
    test: str
    claim: str
    source: str
    tolerance: str


def declared(root: Path = ROOT) -> list[Line]:
    """Read the claims that the tests validate, file by file.

    Raises
    ------
    ValueError
        A test has one of the fields without the others.

    """
    files = [*sorted((root / "crates").rglob("*.rs")), *sorted((root / "tests").rglob("test_*.py"))]
    return [line for path in files if "target" not in path.parts for line in _lines(path, root)]


def _lines(path: Path, root: Path) -> Iterator[Line]:
    text, file = path.read_text(encoding="utf-8"), str(path.relative_to(root))
    if rfc := re.match(r"//! (RFC \d+)", text):
        for match in _CONVERSATION.finditer(text):
            claim, clause = match["name"].replace("_", " "), match["clause"].partition(":")[0]
            source = clause if _OTHER_SOURCE.match(clause) else f"{rfc[1]}, {clause}"
            yield Line(file=file, test=match["name"], claim=claim, source=source, tolerance="exact")
        return
    for name, doc in _rust_docs(text) if path.suffix == ".rs" else _python_docs(text):
        if _FIELD.search(doc):
            _, *parts = _FIELD.split(doc)
            values = {field: " ".join(value.split()) for field, value in zip(parts[::2], parts[1::2], strict=True)}
            if list(values) != list(FIELDS):
                raise ValueError(f"{file}: {name} must say {', '.join(FIELDS)}, in this order")
            claim, source, tolerance = (values[field].rstrip(".") for field in FIELDS)
            yield Line(file=file, test=name, claim=claim, source=source, tolerance=tolerance)


def _rust_docs(text: str) -> Iterator[tuple[str, str]]:
    for match in _RUST_TEST.finditer(text):
        yield match["name"], re.sub(r"^[ \t]*///[ ]?", "", match["doc"], flags=re.MULTILINE)


def _python_docs(text: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name, ast.get_docstring(node) or ""


def results(lines: list[Line]) -> Mapping[tuple[str, str], str]:
    """Run the tests that validate claims, and return their results by file and test."""
    return {**_rust_results(lines), **_python_results(lines)}


def _rust_results(lines: list[Line]) -> dict[tuple[str, str], str]:
    wanted: dict[str, list[str]] = {}
    for line in lines:
        if line.file.endswith(".rs"):
            wanted.setdefault(line.test, []).append(line.file)
    command = ["cargo", "test", "--workspace", "--locked", "--quiet", "--", "--show-output", "--format=pretty"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    measured = {match["path"]: match["output"] for match in _RUST_OUTPUT.finditer(ran.stdout)}
    return {
        (defining(match["path"], wanted[name]), name): _outcome(
            match["result"] == "ok", _MEASURED.findall(measured.get(match["path"], ""))
        )
        for match in _RUST_RESULT.finditer(ran.stdout)
        if (name := match["path"].split("::")[-1]) in wanted
    }


def defining(path: str, files: list[str]) -> str:
    """Of the files with a test of this name, the one whose path has most of the modules in the test's path."""
    return max(files, key=lambda file: sum(module in Path(file).with_suffix("").parts for module in path.split("::")))


def _python_results(lines: list[Line]) -> dict[tuple[str, str], str]:
    files = sorted({line.file for line in lines if line.file.endswith(".py")})
    if not files:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        names = " or ".join(sorted({line.test for line in lines if line.file.endswith(".py")}))
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            *files,
            "-k",
            names,
            f"--junitxml={report}",
            "-o",
            "junit_family=xunit1",
        ]
        subprocess.run(command, cwd=ROOT, env=os.environ | {"ACKCLOCK_LONG": "1"}, check=False, stdout=sys.stderr)
        cases = list(ET.parse(report).iter("testcase"))  # noqa: S314 - pytest's own
    results: dict[tuple[str, str], list[tuple[bool, list[str]]]] = {}
    for case in cases:
        name = case.get("name", "").partition("[")[0]
        file = "/".join(part for part in case.get("classname", "").split(".") if part[:1].islower()) + ".py"
        passed = not any(case.find(kind) is not None for kind in ("failure", "error", "skipped"))
        values = [each.get("value", "") for each in case.iter("property") if each.get("name") == "measured"]
        results.setdefault((file, name), []).append((passed, values))
    return {
        place: _outcome(all(passed for passed, _ in cases), [value for _, values in cases for value in values])
        for place, cases in results.items()
    }


def _outcome(passed: bool, measured: list[str]) -> str:  # noqa: FBT001
    if not passed:
        return "**fails**"
    return "<br>".join(measured) or "holds"


def page(lines: list[Line], came: Mapping[tuple[str, str], str]) -> str:
    """Write the page."""
    parts = [_HEAD]
    for file in dict.fromkeys(line.file for line in lines):
        parts.append(f"\n## {_title(ROOT / file)}\n\n`{file}`\n\n| claim | source | test | tolerance | result |\n")
        parts.append("| --- | --- | --- | --- | --- |\n")
        for line in lines:
            if line.file == file:
                result = came.get((line.file, line.test), "not run")
                cells = (line.claim, line.source, f"`{line.test}`", line.tolerance, result)
                parts.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n")
    return "".join(parts)


def _title(path: Path) -> str:
    """Return the first sentence of a file's documentation."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".rs":
        doc = " ".join(line[3:].strip() for line in text.splitlines() if line.startswith("//!"))
    else:
        doc = " ".join((ast.get_docstring(ast.parse(text)) or path.stem).split())
    return doc.partition(". ")[0].rstrip(".")


def main() -> None:
    """Run the tests and write the page."""
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    lines = declared()
    came = results(lines)
    PAGE.write_text(page(lines, came), encoding="utf-8")
    failed = [line.test for line in lines if came.get((line.file, line.test), "**fails**") == "**fails**"]
    print(f"{len(lines)} claims, {len(failed)} failed or not run{': ' * bool(failed)}{', '.join(failed)}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
