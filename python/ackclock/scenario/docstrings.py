"""Reads what the docstrings in the source say of the fields of a class."""

import ast
import functools
import inspect
import itertools
import sys
from collections.abc import Mapping


def docs_of_fields(owner: type) -> dict[str, str]:
    """Return the docstring below each annotated field of a class, without the fields of its base classes.

    Examples
    --------
    >>> from ackclock.scenario import Udp
    >>> docs_of_fields(Udp)["kind"]
    '``udp``.'
    """
    written = _classes(owner.__module__).get(owner.__qualname__)
    return {} if written is None else dict(filter(None, itertools.starmap(_doc, itertools.pairwise(written.body))))


@functools.cache
def _classes(module: str) -> Mapping[str, ast.ClassDef]:
    """Parse the source of a module, once; without a source there are no docstrings."""
    try:
        source = inspect.getsource(sys.modules[module])
    except (OSError, TypeError):
        return {}
    return {node.name: node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}


def _doc(field: ast.stmt, below: ast.stmt) -> tuple[str, str] | None:
    match field, below:
        case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(doc))):
            return name, inspect.cleandoc(doc)
    return None
