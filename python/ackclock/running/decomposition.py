"""Finds the components of a scenario, whose flows do not affect each other."""

from dataclasses import dataclass

from ackclock.running import engine
from ackclock.running.run import Prepared


@dataclass(frozen=True, kw_only=True)
class Component:
    """Groups of flows that affect each other, directly or indirectly, and no other flows."""

    groups: tuple[str, ...]
    """Their names."""
    flows: int
    """Total number of flows."""


def components(scenario: object) -> tuple[Component, ...]:
    """Partition a scenario into components that do not affect each other.

    Two flows that share no link, for data or for ACKs, directly or through others, are independent: each component is a
    connected component of the graph whose nodes are links, joined where a flow crosses both (Qiu, Zhang and Keshav,
    section 2.2, for the access links of domains; here it is every link). `simulate` runs components in parallel.

    Parameters
    ----------
    scenario
        The scenario to partition. A dumbbell is one component.

    Returns
    -------
    tuple of Component
        In the order of their first groups.

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
    prepared = Prepared.of(scenario, ())
    groups = prepared.scenario.groups
    return tuple(
        Component(
            groups=tuple(groups[place].name or "" for place in places),
            flows=sum(groups[place].flows for place in places),
        )
        for places in engine.components(prepared.plan)
    )
