"""Changes of links and flows while packets fly."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Self

from pydantic import Field
from pydantic_core import InitErrorDetails

from ackclock.scenario.declared import Queue, Tcp
from ackclock.scenario.fields import Delay, Flag, GroupNames, Instant, LinkNames, Rate, Via, Waiting
from ackclock.scenario.model import Part
from ackclock.scenario.network import BOTTLENECK, GraphLink, Link, Loss, reverse_of
from ackclock.scenario.routes import directed
from ackclock.values import errors

if TYPE_CHECKING:
    from ackclock.scenario.whole import Scenario

FIELDS: Final = ("rate", "delay", "loss", "queue", "up")
"""The fields of a link that can change."""
OF_FLOWS: Final = ("transport", "via")
"""The fields of a group of flows that can change."""


class Change(Part):
    """A change of links, or of groups of flows, at a time. What is not given stays as it is.

    Examples
    --------
    >>> Change(at="20000 ms", links=["bottleneck"], rate="2 Mbps")
    Change(at='20 s', links=('bottleneck',), rate='2 Mbps')
    """

    at: Instant
    """Time of the change."""

    links: LinkNames | None = None
    """Names of the links that change, as in ``measure.link``; each is one direction (default: the measured link)."""

    rate: Rate | None = None
    """New rate. It takes effect immediately, also for the packet in transmission."""

    delay: Delay | None = None
    """New propagation delay, for packets whose transmission ends from now on."""

    reorders: Flag | None = None
    """Whether packets overtake each other when the delay of the links falls, as in ns-2, ns-3 and Linux's netem
    (default: false). If not, a packet that would arrive before its predecessor arrives just after it. If true in one
    change of a link, it is true for all of them."""

    loss: Loss | None = Field(default=None, discriminator="kind")
    """New losses; ``{kind = "random", probability = 0}`` ends them."""

    queue: Queue | None = None
    """New parameters of the queue, whose ``kind`` stays. Parameters that are not given stay as they are. Packets that
    wait stay, also if there are more than a new limit allows."""

    up: Flag | None = None
    """Whether the link is up. A link that is down sends nothing."""

    waiting: Waiting | None = None
    """What happens to the packets of a link that goes down: they are ``"kept"`` until it is up again (default), or
    ``"lost"`` with those that arrive meanwhile, as in Linux when an interface goes down (``dev_deactivate``). Packets
    that a first link keeps count for ``limit_output_bytes`` of their sender, also after a change of its path."""

    groups: GroupNames | None = None
    """Names of the groups whose ``transport`` or ``via`` changes (default: the group, if the scenario has only one)."""

    transport: Tcp | None = None
    """New parameters of the groups' congestion control, such as ``{ kind = "tcp", variant = "vegas", beta = 6 }``. The
    ``variant`` stays, and all other fields of the transport. Parameters that are not given stay as they are."""

    via: Via | None = None
    """In a graph: new nodes that the data of the groups visits on its way, as ``flows.via``, for packets that are sent
    from now on. Those on their way arrive as before, and may be overtaken."""

    @property
    def changes_links(self) -> bool:
        """Whether links change."""
        return any(getattr(self, name) is not None for name in FIELDS)

    @property
    def changes_flows(self) -> bool:
        """Whether groups of flows change."""
        return any(getattr(self, name) is not None for name in OF_FLOWS)

    @property
    def words(self) -> str:
        """The change in a few words, for a figure.

        Examples
        --------
        >>> Change(at="20 s", rate="2 Mbps", up=True).words
        'rate 2 Mbps, up'
        """
        said = [f"{name} {value}" for name in ("rate", "delay") if (value := getattr(self, name)) is not None]
        said += [name for name in ("loss", "queue") if getattr(self, name) is not None]
        if self.up is not None:
            said.append("up" if self.up else "down")
        if self.transport is not None:
            said += [f"{name} {value}" for name, value in self.transport.parameters.items()]
        if self.via is not None:
            said.append("via " + "-".join(self.via) if self.via else "shortest path")
        return ", ".join(said)

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that something changes, and that the choices have an object."""
        del data
        if part is None:
            return []
        found: list[InitErrorDetails] = []
        if not part.changes_links and not part.changes_flows:
            found.append(errors.missing((FIELDS[0],), f"one of {', '.join((*FIELDS, *OF_FLOWS))} must be given"))
        found += _needless(part)
        if part.waiting is not None and part.up is not False:
            found.append(errors.wrong(("waiting",), part.waiting, "must be absent unless up is false"))
        if part.reorders and part.delay is None:
            found.append(errors.wrong(("reorders",), part.reorders, "must be absent unless delay is given"))
        return found


def _needless(part: Change) -> Iterator[InitErrorDetails]:
    """Check that links and groups are named only where some of their fields change."""
    if part.links is not None and not part.changes_links:
        yield errors.wrong(("links",), part.links, f"must be absent unless one of {', '.join(FIELDS)} is given")
    if part.groups is not None and not part.changes_flows:
        yield errors.wrong(("groups",), part.groups, f"must be absent unless one of {', '.join(OF_FLOWS)} is given")


def of_link(changes: Sequence[Change], name: str) -> list[Change]:
    """Return the changes of a link of an effective scenario."""
    return [change for change in changes if name in (change.links or ())]


def link_of(scenario: "Scenario", name: str) -> Link | GraphLink | None:
    """Find a directed link; ``None`` for the link of one of several clients in a group."""
    if scenario.dumbbell is None:
        return next(link.link for link in directed(scenario.links) if link.name == name)
    forward = name.removesuffix(".reverse")
    if forward == BOTTLENECK:
        return scenario.dumbbell.bottleneck if forward == name else reverse_of(scenario.dumbbell)
    number = int(forward.removeprefix("access."))
    for group in scenario.clients:
        if number < group.count:
            access = group.access or scenario.dumbbell.access
            return access if group.count == 1 else None
        number -= group.count
    return None


def place_of_losses(scenario: "Scenario", name: str) -> str:
    """Find where a link loses packets: as its losses say, or the first of its changes, or before the queue."""
    link, measured = link_of(scenario, name), scenario.measure.link or BOTTLENECK
    losses = link and (link.loss or link.loss_trace)
    if losses:
        return losses.place
    later = (change.loss for change in scenario.changes if name in (change.links or (measured,)))
    return next((loss.place for loss in later if loss is not None and "place" in loss.model_fields_set), "before")
