"""Settings for the examples of modules that need optional packages, as for tests marked with ``needs``."""

from importlib.util import find_spec
from pathlib import Path

import pytest

_NEEDED = {"environment.py": "gymnasium", "parallel.py": "pettingzoo"}
"""Optional packages that modules of `ackclock.gym` import."""
_FOLDER = Path(__file__).parent / "ackclock" / "gym"

collect_ignore = [_FOLDER / name for name, package in _NEEDED.items() if find_spec(package) is None]


@pytest.hookimpl(tryfirst=True)  # before pytest selects by markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the examples of these modules."""
    for item in items:
        if item.path.parent == _FOLDER and item.path.name in _NEEDED:
            item.add_marker(pytest.mark.needs(_NEEDED[item.path.name]))
