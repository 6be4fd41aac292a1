"""What changed its meaning with the version of the schema, so that stored scenarios keep theirs.

In schema 2 (until version 0.2), flows of a graph took the first of several shortest paths. In schema 3, the field
``routing`` selects the rule.

In schema 1 (until version 0.2), each variant had one recovery in all profiles. In schema 2, the field ``recovery``
selects it, and the profile sets its default.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from ackclock.engine.catalogue import catalogue
from ackclock.scenario.files import transports
from ackclock.scenario.routing import flows_with_choice
from ackclock.values.words import counted

if TYPE_CHECKING:
    from ackclock.scenario.whole import Scenario

_RECOVERIES: Final = {"reno": "reno", "vegas": "vegas", "highspeed": "sack", "scalable": "sack"}
"""The recovery that a variant had in schema 1, if its name fixes none. All other variants had ``rack``."""


def upgrade(tables: dict[str, Any]) -> None:
    """Add what tables of an effective scenario of schema 1 or 2 lack: recoveries, and the choice among shortest paths.

    Examples
    --------
    >>> tables = {"clients": [{"transport": {"kind": "tcp", "variant": "highspeed"}}]}
    >>> upgrade(tables)
    >>> tables["clients"][0]["transport"]["recovery"]
    'sack'
    """
    if "links" in tables:
        tables.setdefault("routing", {"paths": "first"})
    for transport in transports(tables):
        known = catalogue().variants.get(str(transport.get("variant")))
        if known is not None and transport.get("kind") == "tcp" and "recovery" not in transport:
            transport["recovery"] = known.recovery or _RECOVERIES.get(transport["variant"], "rack")


def changed_meaning(given: "Scenario", effective: "Scenario") -> Iterator[str]:
    """Report the variants whose default recovery is not the one of schema 1, and flows that take other paths."""
    changed: dict[str, str] = {}
    for group, whole in zip(given.groups, effective.groups, strict=True):
        if group.transport.kind == "tcp" and whole.transport.kind == "tcp" and group.transport.recovery is None:
            variant, now = whole.transport.variant, whole.transport.recovery
            before = catalogue().variants[variant].recovery or _RECOVERIES.get(variant, "rack")
            if now != before:
                lacked = "" if before == "sack" else ", without SACK"
                changed[variant] = (
                    f'Variant "{variant}" repairs losses with recovery "{now}" (profile {given.profile}); until '
                    f'version 0.2 it was recovery "{before}"{lacked}.'
                )
    if changed:
        yield f"{' '.join(changed.values())} The field recovery selects one."
    if given.routing is None and effective.routing is not None:
        flows = sum(flow.flows for flow in flows_with_choice(effective))
        yield (
            f"A hash selects the path of each flow where several are shortest (ECMP; {counted(flows, 'flow')}). Until "
            'version 0.2, all took the first path; routing.paths "first" selects that.'
        )
