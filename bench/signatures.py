"""Write ``scenario/declared.pyi``: every field of every transport and queue, for type checkers and editors.

``python bench/signatures.py`` makes it of the engine's catalogue. A test holds the file to what this module makes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from ackclock.running.catalogue import catalogue
from ackclock.scenario.declared import Queue, Tcp
from ackclock.scenario.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ackclock.running.catalogue import Entry
    from ackclock.scenario.model import Declared

FILE: Final = Path(__file__).resolve().parent.parent / "python" / "ackclock" / "scenario" / "declared.pyi"

_HEAD: Final = '''\
# Made by `make signatures` of the engine's catalogue: change the declarations there, not this file.
"""Transports and queues, whose kinds declare fields of their own."""

from typing import Literal

from ackclock.scenario.declaring import QueueTable, TcpTable
'''

_TYPES: Final = {"integer": "int", "number": "float", "boolean": "bool", "string": "str"}


def text() -> str:
    """Make the file."""
    known = catalogue()
    makers = {"DropTail": "droptail", "Red": "red"}
    return "\n".join(
        [
            _HEAD,
            *_class(Tcp, "TcpTable", known.variants, known.congestion.values(), own=known.tcp_options),
            *_class(Queue, "QueueTable", known.queues, known.queues.values()),
            *(line for name, kind in makers.items() for line in _maker(name, known.queues[kind])),
        ]
    )


def _class(
    table: type[Declared], base: str, kinds: Iterable[str], entries: Iterable[Entry], *, own: Iterable[str] = ()
) -> Iterator[str]:
    """Give a class, with the fields that its base does not have.

    One signature serves all kinds: overloads would fill a screen with each error.
    """
    subject, fields = table.subject or "", _fields(table)
    default = "" if table.model_fields[subject].is_required() else " = ..."
    yield from (f"class {table.__name__}({base}):", f'    """{_summary(table.__doc__)}"""', "")
    yield from (f"    {name}: {fields[name]}" for name in own)
    yield from ("    def __init__(", "        self,", f"        {subject}: {_literal(kinds)} | str{default},")
    yield "        *,"
    yield from _parameters(fields | _declared(entries), "        ")
    yield from ("    ) -> None: ...", "")


def _maker(name: str, entry: Entry) -> Iterator[str]:
    yield from (f"def {name}(", "    *,")
    yield from _parameters(_fields(Queue) | _declared([entry]), "    ")
    yield from (") -> Queue:", f'    """{entry.doc}."""', "")


def _parameters(fields: Mapping[str, str], indent: str) -> Iterable[str]:
    return (f"{indent}{name}: {kind} = ...," for name, kind in fields.items())


def _fields(table: type[Declared]) -> dict[str, str]:
    """Give the fields that all kinds of a table share, and their types."""
    found = {}
    for name, field in table.model_fields.items():
        if name not in {table.subject, "kind"}:
            inner = get_args(field.annotation)[0]  # all of them may be None
            (kind,) = (mark for mark in get_args(inner) if isinstance(mark, Kind))
            found[name] = f"{_type(kind.schema)} | None"
    return found


def _declared(entries: Iterable[Entry]) -> dict[str, str]:
    """Give the fields that some kinds declare, and their types."""
    return {name: _type(each.kind.schema) for entry in entries for name, each in entry.parameters.items()}


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return _literal(schema["enum"])
    return _TYPES["string" if "anyOf" in schema else schema["type"]]


def _literal(words: Iterable[str]) -> str:
    quoted = ", ".join(f'"{word}"' for word in words)
    return f"Literal[{quoted}]"


def _summary(doc: str | None) -> str:
    return (doc or "").partition("\n")[0]


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
