"""Which of several equally short paths the flows of a graph take."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from ackclock.scenario.fields import PathChoice
from ackclock.scenario.model import Part
from ackclock.scenario.routes import directed, routes_over
from ackclock.scenario.traffic import Flow

if TYPE_CHECKING:
    from ackclock.scenario.whole import Scenario


class Routing(Part):
    """Which of several shortest paths each flow of a graph takes.

    Packets take a path with the fewest links. Where several links lead there, the node selects one for each flow:
    equal-cost multipath (ECMP). Data and ACKs of a flow select separately, and each run selects by its seed.
    Connections that follow each other in one flow, as those of `Connections` and `Pages`, keep its path. The ``weight``
    of a link changes its share.

    Examples
    --------
    >>> Routing("ecmp-polarised")
    Routing(paths='ecmp-polarised')
    """

    subject: ClassVar[str | None] = "paths"

    if TYPE_CHECKING:

        def __init__(self, paths: str = ...) -> None: ...

    paths: PathChoice = "ecmp"
    """``"ecmp"``: by a hash of the flow with a seed of its own at each node (default). ``"ecmp-polarised"``: by the
    same hash at all nodes, a known fault of networks, which leaves paths unused. ``"first"``: the first path in the
    order of links, as until version 0.2."""


def flows_with_choice(scenario: "Scenario") -> Iterator[Flow]:
    """Yield the flows of a graph that have several shortest paths for data or ACKs, at the start or after a change."""
    routes = routes_over(directed(scenario.links))
    for flow in scenario.flows:
        ways = (flow.stops(via) for via in vias(scenario, flow))
        if any(routes.has_choice(stops) or routes.has_choice(stops[::-1]) for stops in ways):
            yield flow


def vias(scenario: "Scenario", flow: Flow) -> Iterator[Sequence[str]]:
    """Yield the nodes that a flow visits: at the start, and after each change."""
    yield flow.via or ()
    for change in scenario.changes:
        if change.via is not None and flow.name in (change.groups or (flow.name,)):
            yield change.via
