"""Optional packages: those of an extra of the package ``ackclock``."""

import importlib
from typing import Any

from ackclock.values.errors import impossible

__all__ = ["optional"]


def optional(module: str, extra: str, use: str) -> Any:
    """Import a module of an optional package.

    Parameters
    ----------
    module
        Name of the module.
    extra
        The extra that installs the package.
    use
        What needs the package, as the beginning of the message.

    Raises
    ------
    ScenarioError
        The package is not installed.

    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise impossible(f"{use}: needs {module}, which is not installed (pip install 'ackclock[{extra}]')") from None
