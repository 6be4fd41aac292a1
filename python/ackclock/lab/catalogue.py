"""What the page needs of Python: the engine's catalogue, and the parts of plans with the defaults of each profile."""

import contextlib
import json
from collections.abc import Mapping
from typing import Any, Final

from ackclock.engine import core
from ackclock.engine.catalogue import Entry, Parameter, catalogue
from ackclock.lab.fields import field_schema, page_tables
from ackclock.lab.following import Pointer, differences, followers
from ackclock.laws.algorithm import declared
from ackclock.laws.finding import UnknownLawError, find
from ackclock.laws.law import Law
from ackclock.laws.source import source
from ackclock.running.plan import transport_for_engine
from ackclock.scenario import Queue, Tcp, profile
from ackclock.scenario.effective import queue, tcp
from ackclock.values.errors import ScenarioError, refuse
from ackclock.values.quantity import TIME

_PACKET_SIZE: Final = 1500


def page_catalogue() -> dict[str, Any]:
    """Return the engine's catalogue and the parts of plans: transports of all variants, queues of all disciplines."""
    described = json.loads(core.catalogue())
    return {
        "version": described["version"],
        "revision": described["revision"],
        "profiles": dict(profile.PROFILES),
        "variants": described["variants"],
        "laws": _entries(catalogue().congestion),
        "queues": _entries(catalogue().queues),
        "gauges": described["gauges"],
        "measures": {name: " ".join(each.doc.split()) for name, each in catalogue().measures.items()},
        "options": [_setting(option, option.doc) for option in catalogue().tcp_options.values()],
        "tables": page_tables(),
        "follows": {recovery: _option_places(recovery) for recovery in _known_recoveries()},
        **_transports({variant: {"variant": variant} for variant in described["variants"]}),
        "disciplines": {
            name: {kind: queue(name, Queue(kind), _PACKET_SIZE).for_engine() for kind in described["queues"]}
            for name in profile.PROFILES
        },
        "sized": {name: _sized(name) for name in profile.PROFILES},
        "room": {name: profile.default(name, "queue", "packets") for name in profile.PROFILES},
    }


def law_for_page(law: str) -> dict[str, Any]:
    """Return what the page needs of a law in Python, ``FILE:CLASS``: its parameters, and transports that have it.

    Raises
    ------
    ScenarioError
        There is no such law, or it is not complete.
    """
    try:
        found = find(law, Law)
    except UnknownLawError as error:
        raise refuse("--law", law, str(error)) from error.__cause__
    known, law_source = declared(found), source(found)
    own = {"law": law, "law_sha256": law_source.sha256}
    return {
        "law": law,
        "name": found.__name__,
        "doc": (found.__doc__ or "").partition("\n")[0],
        "parameters": [_parameter(each, each.kind.allowed) for each in known.values()],
        "defaults": {name: each.default for name, each in known.items()},
        **_transports({variant: {**own, "variant": variant} for variant in catalogue().variants}),
    }


def _entries(entries: Mapping[str, Entry]) -> dict[str, Any]:
    return {
        name: {"doc": entry.doc, "parameters": [_parameter(each, each.doc) for each in entry.parameters.values()]}
        for name, entry in entries.items()
    }


_KINDS: Final = {"integer": "whole", "number": "number", "boolean": "flag"}


def _parameter(parameter: Parameter, doc: str) -> dict[str, Any]:
    """Describe a parameter of a law or a queue, with its schema."""
    return _setting(parameter, doc) | {"schema": field_schema(parameter.kind)}


def _setting(parameter: Parameter, doc: str) -> dict[str, Any]:
    """Describe a parameter, or an option of TCP."""
    schema, quantity = parameter.kind.schema, parameter.quantity
    return {
        "name": parameter.name,
        "doc": doc,
        "kind": quantity.noun if quantity else _KINDS.get(schema.get("type", ""), "choice"),
        "choices": [] if quantity else list(schema.get("enum", ())),
        "or": parameter.word,
    }


def _known_recoveries() -> list[str]:
    return list(catalogue().tcp_options["recovery"].kind.schema["enum"])


def _transports(tables: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return a plan's transport for each profile and each table, and what each allowed recovery changes in it."""
    return {
        "transports": {
            name: {key: _planned(_tcp(name, **table)) for key, table in tables.items()} for name in profile.PROFILES
        },
        "recoveries": {
            name: {key: _recoveries(name, table) for key, table in tables.items()} for name in profile.PROFILES
        },
    }


def _recoveries(profile_name: str, table: dict[str, Any]) -> dict[str, list[tuple[Pointer, object]]]:
    usual, found = _planned(_tcp(profile_name, **table)), {}
    for recovery in _known_recoveries():
        with contextlib.suppress(ScenarioError):  # the variant fixes another recovery
            whole = _tcp(profile_name, **table, recovery=recovery)
            if core.check_law(json.dumps(whole.law_for_engine()), str(whole.ecn), recovery, 0) is None:
                found[recovery] = differences(usual, _planned(whole))
    return found


def _planned(transport: Tcp) -> dict[str, Any]:
    return transport_for_engine(transport, _PACKET_SIZE)


def _tcp(profile_name: str, **fields: object) -> Tcp:
    return tcp(profile_name, Tcp.model_validate({"kind": "tcp", **fields}), _PACKET_SIZE)


def _sized(profile_name: str) -> dict[str, list[str]]:
    """Find the parameters of each discipline whose default is the packet size."""
    found: dict[str, list[str]] = {}
    for row in profile.TABLE:
        if row.scope in catalogue().queues and isinstance(row.value(profile_name), profile.PacketSize):
            found.setdefault(row.scope, []).append(row.field)
    return found


def _option_places(recovery: str) -> dict[str, list[Pointer]]:
    """Find the places in a plan's transport that follow each option of TCP that the page may change."""
    found = {}
    for name, option in catalogue().tcp_options.items():
        if name == "recovery":
            continue
        places = [_followers(profile_name, recovery, name, option) for profile_name in profile.PROFILES]
        if places[0] is not None and all(each == places[0] for each in places):
            found[name] = places[0]
    return found


def _followers(profile_name: str, recovery: str, name: str, option: Parameter) -> list[Pointer] | None:
    trials = [
        (_planned(_tcp(profile_name, recovery=recovery, **{name: given})), planned)
        for given, planned in _values(option)
    ]
    return followers(_planned(_tcp(profile_name, recovery=recovery)), trials)


def _values(parameter: Parameter) -> list[tuple[object, object]]:
    """Return some allowed values of a parameter, as in a scenario and as in a plan."""
    schema = parameter.kind.schema
    values: list[object]
    if parameter.quantity is not None:
        unit = "ms" if parameter.quantity is TIME else "Mbps"
        values = [f"{number} {unit}" for number in (1, 3, 7)]
    elif "enum" in schema:
        values = list(schema["enum"])
    elif schema.get("type") == "boolean":
        values = [False, True]
    else:
        low = schema.get("minimum", 0)
        values = [low + step for step in (1, 2, 3)]
    allowed = []
    for value in values:
        try:
            checked = parameter.kind.check(value)
        except ValueError:
            continue
        allowed.append((checked, parameter.for_engine(checked)))
    return allowed
