"""Finds the class of a law or a discipline by the text in a scenario: ``FILE:CLASS``, or ``CLASS``.

A class that was used once is known for the rest of the process, by this text and the digest of its source. Otherwise
its file is executed as a module of its own. `find` and `executed` are the only functions that execute a file; whatever
only reads scenarios and results uses `known`.
"""

import re
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

from ackclock.laws.algorithm import Algorithm, calls_of, declared, in_use
from ackclock.laws.files import Files
from ackclock.laws.law import Law
from ackclock.laws.source import Source, remember, source
from ackclock.scenario.law_classes import Declaration, declare
from ackclock.values.errors import ScenarioError, shorten

__all__ = ["UnknownLawError", "executed", "find", "form", "in_module", "known", "needs", "use"]

_A = TypeVar("_A", bound=Algorithm)
_known: dict[tuple[str, str], type[Algorithm]] = {}
_MOST_WORDS: Final = 500
"""Maximum length of the text of an exception in an error."""
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
    law_source = source(law)
    _remember(law_source.law, law_source.sha256, law)
    in_use.add(law)
    return law_source


def _remember(name: str, sha256: str, law: type[Algorithm]) -> None:
    _known[name, sha256] = law
    if issubclass(law, Law):
        declare(name, sha256, Declaration("law", declared(law), needs(law)))
    else:
        declare(name, sha256, Declaration("discipline", declared(law), {}))


def needs(law: type[Law]) -> dict[str, bool]:
    """Return what a law needs from its sender, in the engine's form."""
    calls, names = calls_of(law), source(law).names
    return {
        "own_slow_start": law.own_slow_start,
        "observes": "observe" in calls,
        "times_segments": bool({"rtt", "elapsed"} & names),
        "samples_rate": "on_rate" in calls,
        "scalable": law.scalable,
    }


def known(law: str, sha256: str) -> type[Algorithm] | None:
    """Return the class with a digest if the process has used it."""
    return _known.get((law, sha256))


def form(base: type[Algorithm]) -> str:
    """Return the text of an error about the spelling of a class."""
    return f"must be FILE.py:CLASS, the file and the name of a class derived from ackclock.{base.__name__}"


def find(law: str, base: type[_A], sha256: str | None = None, files_sha256: str | None = None) -> type[_A]:
    """Find the class of a law; execute its file unless the class is known.

    Parameters
    ----------
    law
        The class as in a scenario.
    base
        `Law` or `Discipline`, from which the class is derived.
    sha256
        Digest of the source that the class must have; None for any.
    files_sha256
        Digest of the files that may be executed; None for any, if `sha256` is None too.

    Raises
    ------
    UnknownLawError
        There is no such class, or its source or its files are others. Other files are not executed.
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
    found = in_module(_module(file, base, sha256, files_sha256), base, name)
    law_source = use(found)
    if sha256 is not None and law_source.sha256 != sha256:
        raise _other(base, sha256, law_source.sha256)
    _remember(law, law_source.sha256, found)
    return found


def _other(base: type[Algorithm], wanted: str, now: str) -> UnknownLawError:
    return UnknownLawError(
        f"must be the {base.interface.noun} with the source {wanted[:12]}…, but the file has another one now, "
        f"{now[:12]}…: a result runs again only with the source that made it"
    )


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


def _module(path: Path, base: type[Algorithm], sha256: str | None, files_sha256: str | None) -> ModuleType:
    """Return the module of a file: the running script, or the file executed as a module of its own."""
    script = sys.modules["__main__"]
    if getattr(script, "__file__", None) and Path(script.__file__ or "").resolve() == path.resolve():
        return script
    noun = base.interface.noun
    if sha256 is not None and files_sha256 is None:
        raise UnknownLawError(
            f"must have {noun}_files_sha256 besides {noun}_sha256: the digest of the source, which is all that version "
            f"0.2.0 stored, cannot be checked before the file is executed; without {noun}_sha256 the file runs as it is"
        )
    try:
        files = Files.read(path)
    except ScenarioError as error:
        why = str(error.allowed).removeprefix("cannot be used: ").partition("; must be")[0]
        raise UnknownLawError(f"{form(base)}: the file cannot be read ({why})") from None
    except UnicodeDecodeError as error:
        raise UnknownLawError(f"{form(base)}: the file cannot be read ({error})") from None
    if files_sha256 is not None and files.sha256 != files_sha256:
        raise UnknownLawError(
            f"must have files with the digest {files_sha256[:12]}…, but they have another one now, "
            f"{files.sha256[:12]}…, and were not executed: a result runs again only with the source that made it; "
            f"without {noun}_files_sha256 and {noun}_sha256 the file runs as it is"
        )
    return executed(files, base)


def executed(files: Files, base: type[Algorithm]) -> ModuleType:
    """Execute the files of a law as a module, or return the module if they were executed already.

    Raises
    ------
    UnknownLawError
        The text is not Python, or raises an exception.
    """
    try:
        return files.module()
    except (Exception, SystemExit) as error:
        raise UnknownLawError(f"{form(base)}: running the file fails: {error_line(error, files.path)}") from error


def error_line(error: BaseException, path: str = "") -> str:
    """Describe an exception on one line, with the last line of the user's code that it passed.

    Examples
    --------
    >>> try:
    ...     {}["a"]
    ... except KeyError as error:
    ...     error_line(error)
    "KeyError: 'a' (..., line 2)"
    """
    frames = traceback.extract_tb(error.__traceback__)
    lines = [(frame.filename, frame.lineno) for frame in frames if frame.filename == path] or [
        (frame.filename, frame.lineno) for frame in frames[-1:]
    ]
    if isinstance(error, SyntaxError):
        lines = [(error.filename or path, error.lineno)]
    words = shorten(" ".join((error.msg if isinstance(error, SyntaxError) else _words(error)).split()), _MOST_WORDS)
    first = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return first + "".join(f" ({Path(file).name}, line {line})" for file, line in lines[-1:])


def _words(error: BaseException) -> str:
    """Return the text of an exception, which may be of a class of the user's own."""
    try:
        return str(error)
    except Exception as inner:  # noqa: BLE001  # the user's own code
        return f"its text fails with {type(inner).__name__}"


def restore(law: type[Algorithm], law_source: Source) -> None:
    """Make a class known that another process has sent, with its source."""
    remember(law, law_source)
    use(law)
