"""A pytest plugin that records which tests reach which line.

It runs under coverage.py (``python -m coverage run -m pytest -p mutants.reach``) and creates a coverage context for
each test and for each fixture with a wider scope than a function. Lines that such a fixture reaches count for every
test that uses it, not only for the first one. Function caches are cleared before each test, so that each test reaches
its own dependencies. Code in child processes is not observed; the tests that start them are marked.
"""

from __future__ import annotations

import json
import os
import sys
import time
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any

import coverage
import pytest

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import ModuleType

TESTS = "ACKCLOCK_MUTANTS_TESTS"
IMPORT = "import "
"""Prefix of the contexts in which modules are executed."""

_contexts = [""]
_tests: dict[str, dict[str, Any]] = {}
_failed: set[str] = set()
_starters: set[str] = set()


def _notice_processes(event: str, _: tuple[object, ...]) -> None:
    if event == "subprocess.Popen":
        _starters.add(_contexts[-1])


sys.addaudithook(_notice_processes)

_execute = SourceFileLoader.exec_module


def _execute_in_context(loader: SourceFileLoader, module: ModuleType) -> None:
    """Execute a module in its own context, since every user of the module depends on the code that it calls."""
    _contexts.append(f"{IMPORT}{module.__name__}")
    _switch()
    try:
        _execute(loader, module)
    finally:
        _contexts.pop()
        _switch()


SourceFileLoader.exec_module = _execute_in_context  # type: ignore[assignment, method-assign]


def _switch() -> None:
    measured = coverage.Coverage.current()
    if measured is not None:
        measured.switch_context(_contexts[-1])


def _fixture_context(definition: pytest.FixtureDef[Any]) -> str:
    return f"fixture {definition.baseid}::{definition.argname}"


def _empty_caches() -> None:
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in {"ackclock", "tests"} or name.startswith("test_"):
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if callable(clear) and not isinstance(value, type):
                    clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Record the context and the duration of a test."""
    _empty_caches()
    _contexts.append(item.nodeid)
    _switch()
    began = time.process_time()
    try:
        return (yield)
    finally:
        wide = {
            _fixture_context(definition)
            for definitions in getattr(item, "_fixtureinfo").name2fixturedefs.values()  # noqa: B009
            for definition in definitions
            if definition.scope != "function"
        }
        _tests[item.nodeid] = {"seconds": time.process_time() - began, "fixtures": sorted(wide)}
        _contexts.pop()
        _switch()


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    """Create a context for a shared fixture."""
    if fixturedef.scope == "function":
        return (yield)
    _contexts.append(_fixture_context(fixturedef))
    _switch()
    try:
        return (yield)
    finally:
        _contexts.pop()
        _switch()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Record the tests that fail without a mutant, which cannot judge one."""
    if report.failed:
        _failed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write the tests, their durations and their fixtures."""
    for name, test in _tests.items():
        test |= {"passed": name not in _failed, "starts": not _starters.isdisjoint({name, *test["fixtures"]})}
    Path(os.environ[TESTS]).write_text(json.dumps(_tests), encoding="utf-8")
