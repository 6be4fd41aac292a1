"""Reads the files of a law or discipline, and executes exactly the text that was read.

These files are the one that defines the class, and the modules of its folder that it imports, directly or through each
other. All are read before the first line of them is executed, so a digest can be compared first. Import statements
then give the modules that were read, whatever the folder contains by now. Other modules are Python's and installed
ones.
"""

import ast
import builtins
import hashlib
import importlib.util
import json
import linecache
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Self

from ackclock.files.reading import content

__all__ = ["Files", "files_of"]

_ELSEWHERE: Final = frozenset({"ackclock", "numba", *sys.stdlib_module_names})
"""Packages that a file in the folder never replaces."""
_LARGEST: Final = 10_000_000
"""Maximum size of a file in bytes."""
_MAIN: Final = ""
"""Name of the file that defines the class, among the modules."""


@dataclass(frozen=True)
class Files:
    """The files of a law."""

    path: str
    """The file that defines the class."""
    texts: Mapping[str, tuple[str, str]]
    """Path and text of each module, by its name in the folder."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file and the modules of its folder that it imports.

        Raises
        ------
        ScenarioError, UnicodeDecodeError
            A file cannot be read.
        """
        texts: dict[str, tuple[str, str]] = {}
        wanted = [(_MAIN, path)]
        while wanted:
            name, file = wanted.pop()
            if name in texts:
                continue
            # a folder without a file of its own is an empty package
            texts[name] = (str(file), "" if file.is_dir() else _text(file))
            for other in _imported(texts[name][1], name if _is_package(file) else name.rpartition(".")[0]):
                steps = other.split(".")
                for count in range(1, len(steps) + 1):
                    found = _module_file(path.parent, steps[:count])
                    if found is None:
                        break
                    wanted.append((".".join(steps[:count]), found))
        return cls(str(path), texts)

    @cached_property
    def sha256(self) -> str:
        """The digest of all names and texts. It does not depend on the folder."""
        named = sorted((name, text) for name, (_, text) in self.texts.items())
        return hashlib.sha256(json.dumps(named).encode()).hexdigest()

    def module(self) -> ModuleType:
        """Execute the file as a module of its own; return the module if this text was executed already."""
        return self._load(_MAIN)

    @cached_property
    def name(self) -> str:
        """Name of the module, which is different for each path and text."""
        key = json.dumps([self.path, self.sha256])
        return f"ackclock_law_{hashlib.sha256(key.encode()).hexdigest()[:24]}"

    def _load(self, name: str) -> ModuleType:
        path, text = self.texts[name]
        whole = f"{self.name}.{name}" if name else self.name
        if whole in sys.modules:
            return sys.modules[whole]
        outer, _, last = name.rpartition(".")
        parent = self._load(outer) if outer else None
        module = ModuleType(whole)
        module.__file__ = path
        module.__package__ = (whole if _is_package(Path(path)) else whole.rpartition(".")[0]) if name else ""
        if _is_package(Path(path)):
            module.__path__ = []
        vars(module)["__builtins__"] = vars(builtins) | {"__import__": self._import}
        # the file may change later, or be absent on another machine
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
        sys.modules[whole] = module
        try:
            exec(compile(text, path, "exec"), vars(module))  # noqa: S102  # a law is a program
        except BaseException:
            del sys.modules[whole]
            raise
        if parent is not None:
            setattr(parent, last, module)
        _executed[whole] = self
        return module

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002  # names of `__import__`
        locals: Mapping[str, Any] | None = None,  # noqa: A002
        fromlist: tuple[str, ...] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """Import a module for the files: one that was read with them, or else Python's own way."""
        local = name
        if level:
            package = str((globals or {}).get("__package__") or "")
            local = importlib.util.resolve_name("." * level + name, package).removeprefix(self.name).removeprefix(".")
        if local == _MAIN or local not in self.texts:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        module = self._load(local)
        if not fromlist:
            return self._load(local.partition(".")[0])
        for each in fromlist:
            if f"{local}.{each}" in self.texts and not hasattr(module, each):
                self._load(f"{local}.{each}")
        return module


_executed: dict[str, Files] = {}


def files_of(module: str) -> Files | None:
    """Return the files by which a module was made here, by its name."""
    return _executed.get(module)


def _text(file: Path) -> str:
    return content(file, "a Python file", most=_LARGEST).decode().replace("\r\n", "\n")


def _is_package(file: Path) -> bool:
    return file.name == "__init__.py" or file.suffix != ".py"


def _module_file(folder: Path, steps: list[str]) -> Path | None:
    """Return the file or folder of a module in a folder; None if there is none."""
    if steps[0] in _ELSEWHERE:
        return None
    inner = folder.joinpath(*steps)
    for file in (inner / "__init__.py", inner.with_suffix(".py")):
        if file.is_file():
            return file
    # as in Python, an installed package goes before a folder without a file of its own
    return inner if inner.is_dir() and (len(steps) > 1 or PathFinder.find_spec(steps[0]) is None) else None


def _imported(text: str, package: str) -> Iterator[str]:
    """Yield the names of all modules that a text may import, and of what may be modules in them."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # executing it reports the error
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inner = node.module or ""
            if node.level:
                outer = package.split(".")[: len(package.split(".")) - (node.level - 1)] if package else []
                inner = ".".join([*outer, *([inner] if inner else [])])
            yield from (f"{inner}.{alias.name}" if inner else alias.name for alias in node.names)
