"""The text that makes a law what it is, and its digest.

The digest says which law it is, wherever its text stands: results with it may be compared, and a sweep that is
continued has its runs. What is executed is checked by another digest, of whole files (`ackclock.laws.files`).

The text consists of the class, its own base classes, and the functions, classes and constants outside the class to
which its methods refer, directly or through each other. What else the file contains does not matter, so a script can
be edited around its law. Modules outside the user's own code, such as ``math``, are named only.
"""

import ast
import dis
import hashlib
import inspect
import linecache
import sys
import sysconfig
import textwrap
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, Final

from ackclock.laws.algorithm import Algorithm, Interface, base_of
from ackclock.laws.files import Files, files_of
from ackclock.values.errors import ScenarioError, refuse

__all__ = ["Source", "is_own", "names_used", "node_of", "remember", "source", "text_of_function"]


@dataclass(frozen=True)
class Source:
    """The source of a law."""

    law: str
    """``FILE:CLASS`` as in a scenario; only the class if it is not from a file."""
    text: str
    names: frozenset[str]
    """The attributes and words that the code of the law uses."""
    files_sha256: str | None
    """The digest of the files that define the class; none if it cannot be found by their names."""

    @property
    def sha256(self) -> str:
        """The digest of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


_sources: "weakref.WeakKeyDictionary[type[Algorithm], Source]" = weakref.WeakKeyDictionary()
_PLAIN: Final = (bool, int, float, complex, str, bytes, type(None))


def source(law: type[Algorithm]) -> Source:
    """Return the source of a law; it is read once.

    Raises
    ------
    ScenarioError
        The text is not available, or the law uses something that its text does not tell.
    """
    if law not in _sources:
        remember(law, _read(law))
    return _sources[law]


class _Function(Algorithm):
    """Stands for a function that is not a law's, where errors name what must have a text."""

    interface = Interface("function", "runs", (), tuple)


def text_of_function(function: FunctionType) -> str:
    """Return the text of a function, and of the functions, classes and constants to which it refers.

    Raises
    ------
    ScenarioError
        The text is not available, or the function uses something that its text does not tell.
    """
    texts = {function.__qualname__: _text_of(function, _Function)}
    _follow(function, _Function, texts, set())
    return "\n\n".join(f"# {name}\n{text}" for name, text in sorted(texts.items()))


def remember(law: type[Algorithm], known: Source) -> None:
    """Set the source of a law that another process has read."""
    _sources[law] = known


def _read(law: type[Algorithm]) -> Source:
    texts: dict[str, str] = {}
    names: set[str] = set()
    own = law.__mro__[: law.__mro__.index(base_of(law))]
    for base in own:
        texts[base.__qualname__] = _text_of(base, law)
    for base in own:
        for function in _functions(base):
            _follow(function, law, texts, names)
    path = Path(_first_code(law).co_filename)
    at = f"{path.resolve()}:" if path.is_file() else ""
    first = [f"# {name}\n{texts.pop(name)}" for name in [base.__qualname__ for base in own]]
    rest = [f"# {name}\n{text}" for name, text in sorted(texts.items())]
    whole = "\n\n".join([*first, *rest])
    return Source(at + law.__qualname__, whole, frozenset(names), _files_digest(law, path) if at else None)


def _files_digest(law: type[Algorithm], path: Path) -> str | None:
    """Return the digest of the files that define a class, as they were when they were executed here."""
    if "<locals>" in law.__qualname__:
        return None
    try:
        return (files_of(law.__module__) or Files.read(path)).sha256
    except (ScenarioError, UnicodeDecodeError):
        return None


def _functions(owner: type) -> Iterator[FunctionType]:
    """Yield the functions of a class."""
    for value in vars(owner).values():
        wrapped = [value.fget, value.fset] if isinstance(value, property) else [getattr(value, "__func__", value)]
        for function in wrapped:
            inner = inspect.unwrap(function) if callable(function) else function
            if isinstance(inner, FunctionType):
                yield inner


def _first_code(law: type[Algorithm]) -> CodeType:
    for base in law.__mro__:
        for function in _functions(base):
            if function.__qualname__.startswith(f"{base.__qualname__}."):
                return function.__code__
    base = base_of(law)
    raise refuse(base.interface.noun, law.__name__, f"must define {base.interface.calls[0]} or another method")


def names_used(code: CodeType) -> set[str]:
    """Return the names and words in a function's code, also in functions within it."""
    words = {word for word in code.co_consts if isinstance(word, str)}
    inner = (names_used(part) for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(words, *inner)


def _globals_used(code: CodeType) -> set[str]:
    own = {each.argval for each in dis.get_instructions(code) if each.opname in {"LOAD_GLOBAL", "LOAD_NAME"}}
    return own.union(*(_globals_used(part) for part in code.co_consts if isinstance(part, CodeType)))


def _follow(function: FunctionType, law: type[Algorithm], texts: dict[str, str], names: set[str]) -> None:
    """Add the texts of everything that a function refers to."""
    names |= names_used(function.__code__)
    around = {
        name: function.__globals__[name] for name in _globals_used(function.__code__) if name in function.__globals__
    }
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if name != "__class__":
            around[name] = cell.cell_contents
    for name, value in sorted(around.items()):
        _add(name, value, law, texts, names)


def _add(name: str, value: object, law: type[Algorithm], texts: dict[str, str], names: set[str]) -> None:
    if isinstance(value, type) and value in law.__mro__:
        return
    if isinstance(value, ModuleType):
        if name not in texts:
            texts[name] = f"import {value.__name__}" if _is_foreign(value) else _whole(value, law)
        return
    if isinstance(value, FunctionType | type):
        if not is_own(value):
            texts[name] = f"from {value.__module__} import {value.__qualname__}"
        elif name not in texts:
            texts[name] = _text_of(value, law)
            for function in [value] if isinstance(value, FunctionType) else _functions(value):
                _follow(function, law, texts, names)
        return
    if inspect.isbuiltin(value) or isinstance(value, MethodType):
        texts[name] = f"from {value.__module__} import {value.__qualname__}"
        return
    if _is_constant(value):
        texts[name] = f"{name} = {value!r}"
        return
    users = base_of(law).interface.users
    rest = f"{users} would share it, and its text does not tell it; make it a number, a word or a tuple of these"
    raise refuse(law.__name__, name, f"must not be used, as it is a {type(value).__name__}: {rest}")


def _is_constant(value: Any) -> bool:
    if isinstance(value, tuple | frozenset):
        return all(map(_is_constant, value))
    if isinstance(value, MappingProxyType):
        return all(_is_constant(key) and _is_constant(each) for key, each in value.items())
    return isinstance(value, _PLAIN)


def _is_foreign(module: ModuleType) -> bool:
    """Return whether a module belongs to Python, to this package or to another installed package."""
    if module.__name__.partition(".")[0] in {"ackclock", "numba", *sys.stdlib_module_names} - {"__main__"}:
        return True
    file = getattr(module, "__file__", None)
    paths = sysconfig.get_paths()
    return file is not None and any(Path(file).is_relative_to(paths[place]) for place in ("purelib", "platlib"))


def is_own(thing: type | FunctionType) -> bool:
    """Return whether a class or a function is of the user's own code."""
    module = sys.modules.get(thing.__module__)
    return thing.__module__ != "builtins" and (module is None or not _is_foreign(module))


def _whole(module: ModuleType, law: type[Algorithm]) -> str:
    text = "".join(linecache.getlines(module.__file__ or ""))
    if not text:
        raise _unavailable(law, f"of the module {module.__name__}")
    return text


def _text_of(thing: type | FunctionType, law: type[Algorithm]) -> str:
    """Return the text of a class or a function.

    `inspect.getsource` does not find classes of a notebook, since it looks for a file of their module.
    """
    codes = [thing.__code__] if isinstance(thing, FunctionType) else [each.__code__ for each in _functions(thing)]
    for code in codes:
        lines = linecache.getlines(code.co_filename)
        found = node_of(lines, thing.__qualname__, code.co_firstlineno) if lines else None
        if found is not None:
            first = min([found.lineno, *(each.lineno for each in found.decorator_list)])
            return textwrap.dedent("".join(lines[first - 1 : found.end_lineno]))
    if not codes:
        try:
            return textwrap.dedent(inspect.getsource(thing))
        except (OSError, TypeError):
            pass
    raise _unavailable(law, "" if thing is law else f"of {thing.__qualname__}")


Node = ast.ClassDef | ast.FunctionDef


def node_of(lines: list[str], qualname: str, line: int) -> Node | None:
    """Find a class or a function by its name and by a line of it."""
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return None
    name = qualname.rpartition(".")[2]
    there = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name and _covers(node, line)
    )
    return max(there, key=lambda node: node.lineno, default=None)


def _covers(node: Node, line: int) -> bool:
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return first <= line <= (node.end_lineno or first)


def _unavailable(law: type[Algorithm], of: str) -> ScenarioError:
    where = "put the class into a file or a notebook"
    return refuse(
        base_of(law).interface.noun,
        law.__name__,
        f"must have a text, by which results name it, but the text {of} is lost; {where}".replace("  ", " "),
    )
