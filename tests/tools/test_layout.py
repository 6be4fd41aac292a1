"""The package's layout: the order of its packages, a single module that accesses the engine, and no import cycles."""

from __future__ import annotations

import ast
import functools
import re
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from tests.tools.test_project import tracked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


ORDER = (
    *("analysis", "drawing", "values", "engine", "files", "scenario", "laws", "running", "conformance", "study"),
    *("report", "scorecard", "advice", "live", "capture", "lab", "papers", "gym", "cli", "__init__.py", "__main__.py"),
)
"""The packages, from the lowest to the highest: each imports only lower ones."""


def test_the_package_has_its_drawers_and_one_way_to_the_engine(root: Path) -> None:
    package = root / "python" / "ackclock"
    files = tracked(root, "python/ackclock")
    assert {file.relative_to(package).parts[0] for file in files} == {*ORDER, "__init__.pyi", "_core.pyi", "py.typed"}
    importing = re.compile(r"^\s*(from ackclock import .*\b_core\b|(from|import) ackclock\._core\b)", re.MULTILINE)
    found = [file for file in files if file.suffix == ".py" and importing.search(file.read_text(encoding="utf-8"))]
    assert found == [package / "engine" / "core.py"]


def test_packages_import_only_lower_ones(root: Path) -> None:
    """Imports inside functions count, and so do imports for type checkers."""
    package = root / "python" / "ackclock"
    for file in tracked(root, "python/ackclock/*.py"):
        place = ORDER.index(file.relative_to(package).parts[0])
        for name in _named(_parsed(file)):
            whole, _, inside = name.partition(".")
            drawer = inside.partition(".")[0] or "__init__.py"
            if whole == "ackclock" and drawer != "_core":
                assert ORDER.index(drawer) <= place, f"{file.relative_to(package)} imports {name}"


@functools.cache
def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _named(module: ast.Module) -> Iterator[str]:
    """Yield the modules that are imported anywhere in a module."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_modules_import_each_other(root: Path) -> None:
    """Imports inside functions count; imports for type checkers do not."""
    source = root / "python"
    modules = {_name(file.relative_to(source)): file for file in tracked(root, "python/ackclock/*.py")}
    graph = {name: {each for each in _imports(file, set(modules)) if each != name} for name, file in modules.items()}
    assert graph["ackclock.running.result"] >= {"ackclock.running.run", "ackclock.files.recognised"}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


def _name(file: Path) -> str:
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


def _imports(file: Path, modules: set[str]) -> Iterator[str]:
    for node in _run(_parsed(file)):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inside = f"{node.module}.{alias.name}"
                yield from {inside if inside in modules else str(node.module)} & modules
        elif isinstance(node, ast.Import):
            yield from {alias.name for alias in node.names} & modules


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """Return the nodes of a module that are executed, without the ones in `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            for statement in child.orelse:
                yield statement
                yield from _run(statement)
        else:
            yield child
            yield from _run(child)
