"""Implements ``ackclock list`` and ``ackclock profile``: prints tables of the available names.

Each list imports what it shows: most do not need the models of scenarios, which are slow to make.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, get_args

from rich.table import Table
from rich.text import Text

from ackclock.cli.console import console
from ackclock.engine.catalogue import Entry, Gauge, catalogue
from ackclock.scenario import profile
from ackclock.values.errors import one_of, refuse
from ackclock.values.kinds import Kind

_Line = tuple[str, str]
"""A name and its meaning. A heading has no meaning."""


def show(what: str | None) -> None:
    """Print the names of one category, such as queues, or of all categories (``None``)."""
    if what is not None and what not in LISTS:
        raise refuse("list", what, one_of(what, LISTS))
    out = console()
    for name in LISTS if what is None else [what]:
        table = Table(
            title=name if what is None else None,
            title_justify="left",
            box=None,
            show_header=False,
            pad_edge=False,
        )
        for word, meaning in LISTS[name]():
            table.add_row(Text(word, no_wrap=True, style="" if meaning else "bold"), Text(meaning))
        out.print(table)


def show_profiles(names: Sequence[str]) -> None:
    """Show the defaults of one profile, or the differences between two."""
    for name in names:
        if name not in profile.PROFILES:
            raise refuse("profile", name, one_of(name, profile.PROFILES), noun="profile")
    rows = profile.TABLE if len(names) == 1 else profile.differences(*names)
    out = console()
    if not rows:
        out.print("The profiles are equal.")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("field", *names, "meaning", "source"):
        table.add_column(Text(heading), no_wrap=heading in ("field", *names))
    for row in rows:
        table.add_row(*map(Text, (row.name, *(_value(row, name) for name in names), row.meaning, row.source)))
    out.print(table)


def _value(row: profile.Row, name: str) -> str:
    """Format the default of a field as TOML, followed by the variants that have another default."""
    single = [f"{variant}: {_toml(value)}" for variant, value in row.variants(name).items()]
    return _toml(row.value(name)) + (f" ({', '.join(single)})" if single else "")


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _studies() -> Iterator[_Line]:
    from ackclock.papers import STUDIES  # noqa: PLC0415
    from ackclock.papers.core.definition import Definition  # noqa: PLC0415

    for name, title in STUDIES.items():
        takes = Definition(f"ackclock.papers.{name}").takes
        yield name, f"{title} (about {takes} on two cores)" if takes else title


def _experiments() -> Iterator[_Line]:
    from ackclock.scorecard.experiments import EXPERIMENTS  # noqa: PLC0415
    from ackclock.scorecard.queues import EXPERIMENTS as OF_QUEUES  # noqa: PLC0415

    yield "ackclock evaluate:", ""
    yield from ((each.key, each.question) for each in EXPERIMENTS)
    yield "ackclock evaluate-queue:", ""
    yield from ((each.key, each.question) for each in OF_QUEUES)


def _variants() -> Iterator[_Line]:
    known = catalogue()
    recovery = known.tcp_options["recovery"]
    yield "all variants:", ""
    yield "  recovery", _with_allowed(recovery.doc, recovery.kind, "; the profile has the defaults")
    for era in sorted({variant.era for variant in known.variants.values()}):
        yield f"{era}:", ""
        for name, variant in known.variants.items():
            if variant.era == era:
                yield name, variant.doc
                yield from _parameters(variant.congestion, known.congestion[variant.congestion])


def _queues() -> Iterator[_Line]:
    from ackclock.scenario import Queue  # noqa: PLC0415

    yield "all queues:", ""
    docs = Queue.field_docs()
    for name in ("packets", "bytes", "count_in_service"):
        field = Queue.model_fields[name]
        (kind,) = (mark for part in get_args(field.annotation) for mark in get_args(part) if isinstance(mark, Kind))
        doc = docs[name].replace("``", "").removesuffix(".")
        yield f"  {name}", _with_allowed(doc, kind, _default("queue", name, None))
    for name, entry in catalogue().queues.items():
        yield name, entry.doc
        yield from _parameters(name, entry)


def _parameters(scope: str, entry: Entry) -> Iterator[_Line]:
    for parameter in entry.parameters.values():
        default = _default(scope, parameter.name, parameter.default)
        yield f"  {parameter.name}", _with_allowed(parameter.doc, parameter.kind, default)


def _with_allowed(doc: str, kind: Kind, default: str) -> str:
    """Add what a field allows, without the units of quantities, and its default."""
    allowed = _UNITS.sub("", kind.allowed.removeprefix("must be "))
    return f"{doc} ({allowed}{default})"


_UNITS: Final = re.compile(r" with its unit \([^)]*\), such as '[^']*'")


def _default(scope: str, field: str, declared: object) -> str:
    """Return the default of a field in most profiles, and the other defaults by profile; empty if there is none."""
    own = {name: profile.default(name, scope, field) for name in profile.PROFILES}
    values = {name: declared if value is None else value for name, value in own.items()}
    usual = Counter(values.values()).most_common(1)[0][0]
    if usual is None:
        return ""
    others = ", ".join(f"{name}: {_toml(value)}" for name, value in values.items() if value != usual)
    return f"; default {_toml(usual)}{f', in {others}' if others else ''}"


def _sources() -> Iterator[_Line]:
    from ackclock.scenario.sources import SOURCES  # noqa: PLC0415

    for source in SOURCES:
        yield source.model_fields["kind"].default, (source.__doc__ or "").partition("\n")[0]


def _records() -> Iterator[_Line]:
    from ackclock.running.records import KINDS  # noqa: PLC0415

    for name, kind in KINDS.items():
        where = "@LINK" if kind.of_links else "@GROUP-OR-FLOWS" + ("-OR-LINK" if kind.engine_kind_of_links else "")
        yield f"{name}[{where}]{'[/INTERVAL]' if kind.sampled else ''}", kind.doc


def _figures() -> Iterator[_Line]:
    from ackclock.running.figures import FIGURES  # noqa: PLC0415

    for kind in FIGURES:
        yield kind.name, f"{kind.doc} ({f'record {kind.record}' if kind.record else 'measure.links'})"


def _measures() -> Iterator[_Line]:
    from ackclock.running.summary import UNITS, meanings  # noqa: PLC0415

    docs = meanings()
    for name, (unit, factor) in UNITS.items():
        yield name, docs[name] + ("" if factor == 1 else f" ({unit} in figures)")


def _gauges() -> Iterator[_Line]:
    for name, gauge in catalogue().gauges.items():
        yield name, _quantity(gauge)


def _states() -> Iterator[_Line]:
    for law, state in catalogue().states.items():
        if state.variables:
            yield law, "phases: " + ", ".join(state.phases)
        for name, variable in state.variables.items():
            yield f"  {name}", _quantity(variable)


def _quantity(quantity: Gauge) -> str:
    return quantity.doc + (f" ({quantity.unit})" if quantity.unit else "")


LISTS: Mapping[str, Callable[[], Iterator[_Line]]] = {
    "studies": _studies,
    "experiments": _experiments,
    "variants": _variants,
    "queues": _queues,
    "sources": _sources,
    "records": _records,
    "figures": _figures,
    "measures": _measures,
    "gauges": _gauges,
    "states": _states,
    "profiles": lambda: iter(profile.PROFILES.items()),
}
