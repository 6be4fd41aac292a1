"""Partitions a scenario into components: groups of flows that do not affect the flows of other components."""

from dataclasses import dataclass

from ackclock.engine import core
from ackclock.running.plan import plan
from ackclock.running.run import whole_scenario


@dataclass(frozen=True, kw_only=True)
class Component:
    """Groups of flows that affect each other, directly or indirectly, and no other flows."""

    groups: tuple[str, ...]
    """Names of the groups."""
    flows: int
    """Total number of flows."""


def components(scenario: object) -> tuple[Component, ...]:
    """Partition a scenario into components that do not affect each other.

    Two flows are dependent if their data or ACKs share a link, or if a chain of such flows connects them. A component
    is therefore a connected component of the graph whose nodes are links, with an edge between two links if a flow
    crosses both. Qiu, Zhang and Keshav (section 2.2) apply this rule to the access links of domains; here it applies to
    every link. `simulate` runs components in parallel.

    Parameters
    ----------
    scenario
        The scenario to partition. A dumbbell is one component.

    Returns
    -------
    tuple of Component
        The components, ordered by their first groups.

    Raises
    ------
    ScenarioError
        The argument is not a scenario.

    Examples
    --------
    >>> import ackclock as ac
    >>> scenario = ac.Scenario(
    ...     duration="1 s",
    ...     measure=ac.Measure(link="a"),
    ...     nodes=[ac.Node(name=name) for name in ("x", "y", "z", "hub")],
    ...     links=[
    ...         ac.GraphLink(name=name, from_=node, to="hub", rate="1 Mbps", delay="1 ms")
    ...         for name, node in (("a", "x"), ("b", "y"), ("c", "z"))
    ...     ],
    ...     flows=[
    ...         ac.Flow(name="one", from_="x", to="hub", transport=ac.Tcp("reno"), source=ac.Greedy()),
    ...         ac.Flow(name="two", from_="y", to="z", count=3, transport=ac.Tcp("reno"), source=ac.Greedy()),
    ...     ],
    ... )
    >>> for component in ac.components(scenario):
    ...     print(component)
    Component(groups=('one',), flows=1)
    Component(groups=('two',), flows=3)
    """
    whole = whole_scenario(scenario).effective()
    groups = whole.groups
    return tuple(
        Component(
            groups=tuple(groups[place].name or "" for place in places),
            flows=sum(groups[place].flows for place in places),
        )
        for places in core.components(plan(whole))
    )
