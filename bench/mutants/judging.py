"""Judges Python mutants one at a time in a copy of the sources, by the tests that reach them, fastest first.

A test that reaches no line of a statement cannot detect a fault in it, so the outcome equals the outcome of the whole
suite. The exception is code in processes that tests start: these tests judge only mutants that no other test reaches.
"""

from __future__ import annotations

import ast
import io
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import coverage

from mutants.chosen import CHOSEN
from mutants.reach import IMPORT, TESTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mutants.edits import Mutant

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "python/ackclock"

_HERE = Path(__file__).resolve().parent
_LIMIT = 300.0
"""Time limit of a test in seconds, or `_SLACK` times its usual duration if that is more."""
_SLACK = 20.0
_STARTING = 600.0
"""Time limit of collection and everything else except tests, in seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """Outcome of a mutant: caught, survived or unviable, with the test that caught it."""

    outcome: str
    test: str
    tests: int
    seconds: float


class Tree:
    """Copies of the sources for mutants, with data on their tests.

    Tests are observed in the first copy. Each judge changes a copy of its own.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "tree"
        self.data = folder / "coverage"
        self.tests_file = folder / "tests.json"

    def copy(self) -> None:
        """Copy the committed sources and the engine, once."""
        self.copy_to(self.root)

    def copy_to(self, root: Path) -> None:
        """Copy the committed sources and the engine to a folder, unless it exists."""
        if root.exists():
            return
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(root, filter="data")
        for engine in (ROOT / PACKAGE).glob("*.so"):
            shutil.copy2(engine, root / PACKAGE)

    def learn(self) -> None:
        """Record which tests reach which lines, once."""
        if self.tests_file.exists():
            return
        options = ["--rcfile", str(_HERE / "coverage.ini"), "--data-file", str(self.data)]
        command = [sys.executable, "-m", "coverage", "run", *options, "-m", "pytest", "-q", "-p", "mutants.reach"]
        # Tests that fail without a mutant are omitted from here on.
        subprocess.run(command, cwd=self.root, env=_environment(self.root, {TESTS: str(self.tests_file)}), check=False)


def _environment(root: Path, further: dict[str, str]) -> dict[str, str]:
    """Return the environment in which Python imports the package from a copy."""
    path = os.pathsep.join([str(root / "python"), str(_HERE.parent)])
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **further}


class Judge:
    """Judges mutants in the copy of the sources with its number; several judges can work at the same time."""

    def __init__(self, tree: Tree, number: int) -> None:
        self.tree = tree
        self.folder = tree.folder / f"judge-{number}"
        self.root = self.folder / "tree"
        known: dict[str, dict[str, Any]] = json.loads(tree.tests_file.read_text(encoding="utf-8"))
        self.tests = {name: test for name, test in known.items() if test["passed"]}
        self.users: defaultdict[str, set[str]] = defaultdict(set)
        for name, test in self.tests.items():
            for context in (name, *test["fixtures"]):
                self.users[context].add(name)
        self.data = coverage.CoverageData(str(tree.data))
        self.data.read()
        self.files = _files(tree.root)
        self.importers = _importers(tree.root, {**self.files, **_test_files(tree.root)})

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Choose the tests that reach a mutant.

        For code that runs on import, these include the tests that import its file or a user of it.
        """
        first, last = mutant.lines
        reached = self._contexts(mutant.file, first, last)
        files = {mutant.file} if mutant.on_import else set()
        files |= {self.files[name] for name in _imported(reached) if name in self.files}
        users = {user for file in files for user in (file, *self.importers[file])}
        contexts = reached.union(*(self._contexts(file) for file in users))
        found = {test for context in contexts for test in self.users.get(context, ())}
        found |= {test for test in self.tests if test.partition("::")[0] in users}
        return self._in_order(found or {name for name, test in self.tests.items() if test["starts"]})

    def _contexts(self, file: str, first: float = 0, last: float = math.inf) -> set[str]:
        """List the contexts in which lines of a file were reached."""
        by_line = self.data.contexts_by_lineno(str(self.tree.root / file))
        return {context for line, there in by_line.items() if first <= line <= last for context in there}

    def _in_order(self, tests: Iterable[str]) -> list[str]:
        """Order tests by file, so that module fixtures run once: the fastest file first, and its fastest test first."""
        files: defaultdict[str, list[str]] = defaultdict(list)
        for test in tests:
            files[test.partition("::")[0]].append(test)

        def seconds(test: str) -> float:
            return float(self.tests[test]["seconds"])

        ordered = sorted(files.values(), key=lambda there: (sum(map(seconds, there)), there[0]))
        return [test for there in ordered for test in sorted(there, key=lambda test: (seconds(test), test))]

    def judge(self, mutant: Mutant) -> Outcome:
        """Insert a mutant into the copy, run its tests, and remove it."""
        began = time.monotonic()
        path = self.root / mutant.file
        source, times = path.read_bytes(), path.stat()
        tests = self.tests_of(mutant)
        path.write_bytes(mutant.apply(source))
        try:
            outcome, test = self._run(tests) if self._imports(mutant) else ("unviable", "")
        finally:
            path.write_bytes(source)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        return Outcome(outcome=outcome, test=test, tests=len(tests), seconds=round(time.monotonic() - began, 1))

    def _imports(self, mutant: Mutant) -> bool:
        """Whether the mutated module can be imported."""
        if not mutant.on_import:
            return True
        module = ".".join(Path(mutant.file).with_suffix("").parts[1:]).removesuffix(".__init__")
        command = [sys.executable, "-c", f"import {module}"]
        ran = subprocess.run(command, cwd=self.root, env=_environment(self.root, {}), capture_output=True, check=False)
        return ran.returncode == 0

    def _run(self, tests: list[str]) -> tuple[str, str]:
        if not tests:
            return "survived", ""
        limits = [(test, max(_LIMIT, _SLACK * self.tests[test]["seconds"])) for test in tests]
        chosen = self.folder / "chosen.json"
        chosen.write_text(json.dumps(limits), encoding="utf-8")
        files = dict.fromkeys(test.partition("::")[0] for test in tests)
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "mutants.chosen", "-p", "no:cacheprovider", *files]
        log = self.folder / "said.txt"
        with log.open("w", encoding="utf-8") as out:
            process = subprocess.Popen(
                command, cwd=self.root, env=_environment(self.root, {CHOSEN: str(chosen)}),
                stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            try:
                process.wait(timeout=_STARTING + sum(limit for _, limit in limits))
            except subprocess.TimeoutExpired:
                return "caught", "(time)"
            finally:
                _end(process.pid)
                process.wait()
        said = log.read_text(encoding="utf-8", errors="replace")
        if process.returncode == 0:
            return "survived", ""
        failed = [line.partition(" - ")[0] for line in said.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        return "caught", failed[0] if failed else f"(ended with {process.returncode})"


def _end(group: int) -> None:
    """Kill the remaining processes of a mutant."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def _imported(contexts: Iterable[str]) -> set[str]:
    """Return the modules whose import contexts are among the contexts."""
    return {context.removeprefix(IMPORT) for context in contexts if context.startswith(IMPORT)}


def _files(root: Path) -> dict[str, str]:
    """Return the file of each module."""
    return {
        ".".join(path.relative_to(root / "python").with_suffix("").parts).removesuffix(".__init__"): str(
            path.relative_to(root)
        )
        for path in sorted((root / PACKAGE).rglob("*.py"))
    }


def _test_files(root: Path) -> dict[str, str]:
    """Return the file of each test module."""
    paths = [path.relative_to(root) for path in sorted((root / "tests").rglob("*.py"))]
    return {".".join(path.with_suffix("").parts): str(path) for path in paths}


def _importers(root: Path, files: Mapping[str, str]) -> dict[str, set[str]]:
    """Map each file to the files that import it, directly or through files that only pass on what they import.

    These are packages, modules of tests, and modules of the same study.
    """
    importers: dict[str, set[str]] = {file: set() for file in files.values()}
    for file in files.values():
        for node in ast.walk(ast.parse((root / file).read_bytes())):
            match node:
                case ast.ImportFrom(module=str(module), names=names):
                    imported = [module, *(f"{module}.{each.name}" for each in names)]
                case ast.Import(names=names):
                    imported = [each.name for each in names]
                case _:
                    continue
            for name in imported:
                if name in files:
                    importers[files[name]].add(file)
    return {file: _all_users(file, importers) for file in importers}


def _all_users(file: str, importers: Mapping[str, set[str]]) -> set[str]:
    passing = ["tests/"]
    if file.startswith(f"{PACKAGE}/papers/"):
        passing.append(f"{Path(*Path(file).parts[:4])}/")
    users: set[str] = set()
    left = [file]
    while left:
        for user in importers[left.pop()] - users:
            users.add(user)
            if user.endswith("__init__.py") or user.startswith(tuple(passing)):
                left.append(user)
    return users
