"""What the page needs of Python: the engine's catalogue, and the parts of plans with the defaults of each profile."""

import contextlib
import json
from typing import Any, Final

from ackclock.lab.following import Pointer, followers
from ackclock.laws.algorithm import declared
from ackclock.laws.finding import UnknownLawError, find
from ackclock.laws.law import Law
from ackclock.laws.source import source
from ackclock.running import engine
from ackclock.running.catalogue import Parameter, catalogue
from ackclock.running.plan import transport_for_engine
from ackclock.scenario import Queue, Tcp, profile
from ackclock.scenario.effective import queue, tcp
from ackclock.scenario.errors import ScenarioError, refuse

_PACKET_SIZE: Final = 1500


def page_catalogue() -> dict[str, Any]:
    """Return the engine's catalogue and the parts of plans: transports of all variants, queues of all disciplines."""
    described = json.loads(engine.catalogue())
    return {
        "version": described["version"],
        "revision": described["revision"],
        "profiles": dict(profile.PROFILES),
        "variants": described["variants"],
        "laws": described["congestion"],
        "queues": described["queues"],
        "gauges": described["gauges"],
        "options": [option for part in described["options"].values() for option in part],
        "follows": {variant: _option_places(variant) for variant in described["variants"]},
        "transports": {
            name: {variant: _transport(name, Tcp(variant)) for variant in described["variants"]}
            for name in profile.PROFILES
        },
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
    known, told = declared(found), source(found)
    transports: dict[str, dict[str, Any]] = {name: {} for name in profile.PROFILES}
    for name, of in transports.items():
        for variant in catalogue().variants:
            with contextlib.suppress(ScenarioError):  # a recovery that the law cannot have
                table = {"kind": "tcp", "law": law, "law_sha256": told.sha256, "variant": variant}
                of[variant] = _transport(name, Tcp.model_validate(table))
    return {
        "law": law,
        "name": found.__name__,
        "doc": (found.__doc__ or "").partition("\n")[0],
        "parameters": [_parameter(each) for each in known.values()],
        "defaults": {name: each.default for name, each in known.items()},
        "transports": transports,
    }


_KINDS: Final = {"integer": "whole", "number": "number", "boolean": "flag"}


def _parameter(parameter: Parameter) -> dict[str, Any]:
    """Describe a parameter as the engine's catalogue does."""
    schema = parameter.kind.schema
    return {
        "name": parameter.name,
        "doc": parameter.kind.allowed,
        "kind": _KINDS.get(schema.get("type", ""), "choice"),
        "min": schema.get("minimum"),
        "max": schema.get("maximum"),
        "above": schema.get("exclusiveMinimum"),
        "choices": list(schema.get("enum", ())),
    }


def _transport(profile_name: str, transport: Tcp) -> dict[str, Any]:
    return transport_for_engine(tcp(profile_name, transport, _PACKET_SIZE), _PACKET_SIZE)


def _sized(profile_name: str) -> dict[str, list[str]]:
    """Find the parameters of each discipline whose default is the packet size."""
    found: dict[str, list[str]] = {}
    for row in profile.TABLE:
        if row.scope in catalogue().queues and isinstance(row.value(profile_name), profile.PacketSize):
            found.setdefault(row.scope, []).append(row.field)
    return found


def _option_places(variant: str) -> dict[str, list[Pointer]]:
    """Find the places in a plan's transport that follow each option of TCP that the page may change."""
    found = {}
    for name, option in catalogue().tcp_options.items():
        places = [_followers(profile_name, variant, name, option) for profile_name in profile.PROFILES]
        if places[0] is not None and all(each == places[0] for each in places):
            found[name] = places[0]
    return found


def _followers(profile_name: str, variant: str, name: str, option: Parameter) -> list[Pointer] | None:
    trials = []
    for given, planned in _values(option):
        with contextlib.suppress(ScenarioError):  # an option that this variant cannot have with this value
            trials.append((_transport(profile_name, _tcp(variant, name, given)), planned))
    return followers(_transport(profile_name, Tcp(variant)), trials)


def _tcp(variant: str, name: str, value: object) -> Tcp:
    return Tcp.model_validate({"kind": "tcp", "variant": variant, name: value})


def _values(parameter: Parameter) -> list[tuple[object, object]]:
    """Return some allowed values of a parameter, as in a scenario and as in a plan."""
    schema = parameter.kind.schema
    values: list[object]
    if parameter.is_time:
        values = ["1 ms", "3 ms", "7 ms"]
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
