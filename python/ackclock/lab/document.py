"""Describes a scenario for the lab's page: its plan, and the settings that the page may change."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ackclock.lab.following import Pointer, followers, leaves
from ackclock.running.plan import own_disciplines, plan
from ackclock.scenario import Scenario, Tcp
from ackclock.scenario.bottleneck import find_measured
from ackclock.scenario.effective import two_way_delays
from ackclock.scenario.files import TRACES
from ackclock.scenario.links import links_of
from ackclock.values.errors import ScenarioError, refuse
from ackclock.values.quantity import RATE, TIME, Quantity, QuantityError

_MOST_SETTINGS: Final = 60
_FACTORS: Final = (10, 4, 2, 1)
_FIELDS: Final = re.compile(
    r"duration|(clients|flows)\.\d+\.(count|spread|packet_size|source\.[a-z_.]+)"
    r"|(dumbbell\.[a-z]+|links\.\d+|clients\.\d+\.access)\.(rate|delay|queue\.[a-z_]+|loss\.[a-z_]+|jitter\.max)"
    r"|media\.\d+\.(aggregate_[a-z]+|retries|cw_min)"
)
"""The fields that become settings, if nothing depends on them."""


def document(scenario: Scenario, *, seed: int, name: str, text: str = "", served: bool = False) -> dict[str, Any]:
    """Describe a scenario for the page.

    The page makes the plan of most dumbbells by itself, and shows all their settings. Of any other scenario it changes
    only the listed settings.

    Raises
    ------
    ScenarioError
        A law or a queue discipline is written in Python, which the page cannot run unless it is served.

    Examples
    --------
    >>> import ackclock as ac
    >>> scenario = ac.Scenario(
    ...     duration="2 s",
    ...     dumbbell=ac.Dumbbell(
    ...         access=ac.Link(rate="10 Mbps", delay="5 ms"), bottleneck=ac.Link(rate="1 Mbps", delay="5 ms")
    ...     ),
    ...     clients=[ac.Clients(transport=ac.Tcp("reno"), source=ac.Greedy())],
    ... )
    >>> document(scenario, seed=1, name="small")["described"]["groups"][0]["variant"]
    'reno'
    """
    whole = scenario.effective()
    steady = _steady(whole)
    for at, algorithm in () if served else in_python(whole):
        raise refuse(at, algorithm, "must be absent: the page cannot run Python; with --law, `ackclock lab` can")
    measured = find_measured(whole)
    queue = measured.link.queue
    return {
        "name": name,
        "text": text,
        "scenario": scenario.to_dict(),
        "effective": json.loads(whole.to_json()),
        "plan": json.loads(plan(steady)),
        "links": [] if whole.dumbbell is not None else list(links_of(whole).names()),
        "seed": str(seed),
        "knobs": list(_settings(steady)) if scenario.dumbbell is None or _has_more(scenario) else [],
        "described": {
            "groups": [
                {
                    "name": group.name,
                    "count": group.flows,
                    "kind": "tcp" if isinstance(group.transport, Tcp) else "udp",
                    "variant": group.transport.variant if isinstance(group.transport, Tcp) else "",
                    "source": group.source.kind,
                    "packetSize": group.packet_size,
                    "rtt": delay,
                    "direction": getattr(group, "direction", None) or "forward",
                }
                for group, delay in zip(whole.groups, two_way_delays(whole), strict=True)
            ],
            "profile": whole.profile,
            "rate": measured.rate,
            "duration": TIME.parse(whole.duration),
            "bin": TIME.parse(whole.measure.bin or ""),
            "from": TIME.parse(whole.measure.from_),
            "link": links_of(whole).number(whole.measure.link or "") or 0,
            "queue": "" if queue is None else queue.kind,
        },
    }


def in_python(whole: Scenario) -> Iterator[tuple[str, str]]:
    """List the laws and disciplines that are written in Python, each with the name of its field."""
    table = "clients" if whole.clients else "flows"
    for place, group in enumerate(whole.groups):
        if isinstance(group.transport, Tcp) and group.transport.law is not None:
            yield f"{table}.{place}.transport.law", group.transport.law
    for at, queue in own_disciplines(whole):
        yield at, queue.discipline or ""


def _steady(whole: Scenario) -> Scenario:
    """Return the scenario without changes of links and stops of sources, which the page adds to the plan."""
    lasting = {"stop": None, "duration": None, "active": None, "unfinished": None}
    groups = {
        name: tuple(group.model_copy(update=lasting) for group in getattr(whole, name)) for name in ("clients", "flows")
    }
    return whole.model_copy(update={"changes": (), **groups})


_MORE: Final = (
    *("connections", "requests", "frames", "pages", "video", "call", "trace"),
    *("ceiling", "dscp", "framing", "policer", "shaper", "jitter", "reorder", "medium", *TRACES),
)
"""Kinds and fields that the page does not know."""


def _has_more(scenario: Scenario) -> bool:
    """Return whether a dumbbell has something that the page does not know, so that it needs the list of settings."""
    text = scenario.to_json()
    return any(f'"{name}"' in text for name in _MORE)


def _settings(whole: Scenario) -> Iterator[dict[str, Any]]:
    tables = json.loads(whole.to_json())
    base = json.loads(plan(whole))
    found = 0
    for place, value in leaves(tables):
        path = ".".join(map(str, place))
        if found == _MOST_SETTINGS or not _FIELDS.fullmatch(path):
            continue
        setting = _setting(whole, base, path, value)
        if setting is not None:
            found += 1
            yield setting


def _setting(whole: Scenario, base: Any, path: str, value: object) -> dict[str, Any] | None:
    kind, number, quantity = _kind(value)
    if number <= 0:
        return None
    places = _places(whole, base, path, (kind, number, quantity))
    if places is None:
        return None
    low: float = next(
        number / by for by in _FACTORS if by == 1 or _allowed(whole, path, _text(number / by, kind, quantity))
    )
    high: float = next(
        number * by for by in _FACTORS if by == 1 or _allowed(whole, path, _text(number * by, kind, quantity))
    )
    if kind == "whole":
        low, high = max(1, round(low)), round(high)
    label = path.removeprefix("dumbbell.").replace(".", " ").replace("_", " ")
    return {"path": path, "label": label, "kind": kind, "low": low, "high": high, "value": number, "places": places}


def _kind(value: object) -> tuple[str, float, Quantity | None]:
    """Return the kind of a value, the value in the engine's unit, and its quantity; 0 if it is no number."""
    if isinstance(value, bool):
        return "", 0, None
    if isinstance(value, int | float):
        return ("whole" if isinstance(value, int) else "number"), value, None
    for kind, quantity in (("time", TIME), ("rate", RATE)):
        try:
            return kind, quantity.parse(str(value)), quantity
        except QuantityError:
            continue
    return "", 0, None


def _text(number: float, kind: str, quantity: Quantity | None) -> object:
    if quantity is not None:
        return quantity.format(round(number))
    return max(1, round(number)) if kind == "whole" else float(number)


def _allowed(whole: Scenario, path: str, value: object) -> bool:
    try:
        whole.changed({path: value})
    except ScenarioError:
        return False
    return True


def _places(whole: Scenario, base: Any, path: str, of: tuple[str, float, Quantity | None]) -> list[Pointer] | None:
    kind, number, quantity = of
    numbers: Sequence[float] = [2 * number, 3 * number] if kind != "number" else [number / 2, number / 4]
    trials = []
    for other in numbers:
        try:
            changed = whole.changed({path: _text(other, kind, quantity)}).effective()
            trials.append((json.loads(plan(changed)), other))
        except ScenarioError:
            return None
    return followers(base, trials)
