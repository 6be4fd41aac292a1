"""Finds the class of a law or a discipline by the text in a scenario: ``FILE:CLASS``, or ``CLASS``.

A class that was used once is known for the rest of the process, by this text and the digest of its source. Otherwise
its file is run as a module of its own.
"""

import hashlib
import linecache
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

from ackclock.laws.algorithm import Algorithm, declared, in_use
from ackclock.laws.source import Source, remember, source

__all__ = ["UnknownLawError", "find", "form", "in_module", "known", "loaded_text", "reload", "use"]

_A = TypeVar("_A", bound=Algorithm)
_known: dict[tuple[str, str], type[Algorithm]] = {}
_texts: dict[str, tuple[str, str]] = {}
"""Path and text of each module that was made here, by its name."""
_SPELLING: Final = re.compile(r"(?:(?P<file>.+\.py):)?(?P<name>[^\W\d]\w*(?:\.(?:<locals>\.)?[^\W\d]\w*)*)")


class UnknownLawError(ValueError):
    """A law or discipline cannot be found; the text ends a sentence that begins with the value."""


def use(law: type[Algorithm]) -> Source:
    """Make a class known, and return its source. The class cannot be changed any more.

    Raises
    ------
    ScenarioError
        The class is not a complete law.
    """
    declared(law)
    told = source(law)
    _known[told.law, told.sha256] = law
    in_use.add(law)
    return told


def known(law: str, sha256: str) -> type[Algorithm] | None:
    """Return the class with a digest if the process has used it."""
    return _known.get((law, sha256))


def form(base: type[Algorithm]) -> str:
    """Return the text of an error about the spelling of a class."""
    return f"must be FILE.py:CLASS, the file and the name of a class derived from ackclock.{base.__name__}"


def find(law: str, base: type[_A], sha256: str | None = None) -> type[_A]:
    """Find the class of a law.

    Parameters
    ----------
    law
        The class as in a scenario.
    base
        `Law` or `Discipline`, from which the class is derived.
    sha256
        Digest of the source that the class must have; None for any.

    Raises
    ------
    UnknownLawError
        There is no such class, or its source is another one.
    """
    cached = None if sha256 is None else _known.get((law, sha256))
    if cached is not None and issubclass(cached, base):
        return cached
    file, name = spelled(law, base)
    if file is None:
        raise UnknownLawError(
            "must be defined again before this run: the class is not from a file"
            if sha256
            else f"{form(base)}; classes without a file are given as objects, in Python"
        )
    found = in_module(_module(file, base), base, name)
    told = use(found)
    if sha256 is not None and told.sha256 != sha256:
        raise UnknownLawError(
            f"must be the {base.interface.noun} with the source {sha256[:12]}…, but the file has another one now, "
            f"{told.sha256[:12]}…: a result runs again only with the source that made it"
        )
    return found


def spelled(law: str, base: type[Algorithm]) -> tuple[Path | None, str]:
    """Split a law into its file, if it has one, and the name of its class.

    Raises
    ------
    UnknownLawError
        The text does not have this form.
    """
    match = _SPELLING.fullmatch(law)
    if match is None:
        raise UnknownLawError(form(base))
    return (Path(match["file"]) if match["file"] else None), match["name"]


def in_module(module: ModuleType, base: type[_A], name: str) -> type[_A]:
    """Return a class of a module that is derived from a base."""
    found: Any = module
    for step in name.split("."):
        found = getattr(found, step, None)
    if not (isinstance(found, type) and issubclass(found, base)) or found is base:
        there = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, base)]
        names = ", ".join(each.__name__ for each in there if each is not base) or "none"
        raise UnknownLawError(f"{form(base)}; the {base.interface.noun}s in this file: {names}")
    return found


def _module(path: Path, base: type[Algorithm]) -> ModuleType:
    """Return the module of a file: the running script, or the file run as a module of its own."""
    script = sys.modules["__main__"]
    if getattr(script, "__file__", None) and Path(script.__file__ or "").resolve() == path.resolve():
        return script
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnknownLawError(f"{form(base)}: the file cannot be read ({getattr(error, 'strerror', error)})") from None
    return reload(str(path), text, base)


def reload(path: str, text: str, base: type[Algorithm]) -> ModuleType:
    """Run the text of a file as a module, or return the module if it has run already.

    Raises
    ------
    UnknownLawError
        The text is not Python, or raises an exception.
    """
    digest = hashlib.sha256(f"{path}\0{text}".encode()).hexdigest()
    name = f"ackclock_law_{digest[:24]}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = path
    # the file may change later, or be absent on another machine
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    sys.modules[name] = module
    folder = str(Path(path).parent)
    sys.path.insert(0, folder)
    try:
        exec(compile(text, path, "exec"), vars(module))  # noqa: S102  # a law is a program
    except Exception as error:
        del sys.modules[name]
        raise UnknownLawError(f"{form(base)}: running the file fails: {told_at(error, path)}") from error
    finally:
        sys.path.remove(folder)
    _texts[name] = (path, text)
    return module


def told_at(error: BaseException, path: str = "") -> str:
    """Describe an exception on one line, with the last line of the user's code that it passed.

    Examples
    --------
    >>> try:
    ...     {}["a"]
    ... except KeyError as error:
    ...     told_at(error)
    "KeyError: 'a' (..., line 2)"
    """
    frames = traceback.extract_tb(error.__traceback__)
    lines = [(frame.filename, frame.lineno) for frame in frames if frame.filename == path] or [
        (frame.filename, frame.lineno) for frame in frames[-1:]
    ]
    if isinstance(error, SyntaxError):
        lines = [(error.filename or path, error.lineno)]
    words = " ".join((error.msg if isinstance(error, SyntaxError) else str(error)).split())
    first = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return first + "".join(f" ({Path(file).name}, line {line})" for file, line in lines[-1:])


def loaded_text(law: type[Algorithm]) -> tuple[str, str] | None:
    """Return the path and the text of the file from which a class was loaded here."""
    return _texts.get(law.__module__)


def restore(law: type[Algorithm], told: Source) -> None:
    """Make a class known that another process has sent, with its source."""
    remember(law, told)
    use(law)
