"""A pytest plugin that runs chosen tests in a chosen order, each within a time limit.

``ACKCLOCK_MUTANTS_CHOSEN`` is the path of a JSON file with a list of pairs: test and limit. A test that exceeds its
limit ends the whole process with status 1, and the mutant counts as caught.
"""

from __future__ import annotations

import faulthandler
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

CHOSEN = "ACKCLOCK_MUTANTS_CHOSEN"

_limits: dict[str, float] = {}


def pytest_configure() -> None:
    """Read the chosen tests."""
    _limits.update(json.loads(Path(os.environ[CHOSEN]).read_text(encoding="utf-8")))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep only the chosen tests, in their order."""
    order = {name: place for place, name in enumerate(_limits)}
    items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Limit the time of one test."""
    faulthandler.dump_traceback_later(_limits[item.nodeid], exit=True)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
