"""Reports what limited groups, if that is not the network that a run is about."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ackclock.running.roomy import Way, ways
from ackclock.scenario import Clients, Connections, Flow, Scenario, Tcp
from ackclock.scenario.bottleneck import Measured
from ackclock.scenario.network import ListedLoss
from ackclock.scenario.sources import Paced
from ackclock.values.quantity import PICOSECONDS_PER_SECOND

MOST: Final = 0.5
"""A group counts as limited by something if that held for at least this share of the measured time."""
IDLE: Final = 0.5
"""Utilization of the measured link below which it counts as idle for most of the time."""

Shares = Mapping[str, float | None]


def limits(scenario: Scenario, measured: Measured, limited: Sequence[Shares], utilization: float) -> Iterator[str]:
    """Report groups that the network's capacity did not limit.

    Parameters
    ----------
    scenario
        The effective scenario.
    measured
        The measured link.
    limited
        Of each group, the share of time in which each reason limited it, by the names of the summary's fields.
    utilization
        Of the measured link.
    """
    is_idle = utilization < IDLE
    for (group, forward, _), shares in zip(ways(scenario), limited, strict=True):
        crosses = next((place for place, each in enumerate(measured.groups) if each is group), None)
        application = shares["limited_application"] or 0
        receiver = shares["limited_receiver_window"] or 0
        loss = (shares["limited_loss"] or 0) + (shares["limited_timeout"] or 0)
        if receiver >= MOST:
            yield _receiver(group, receiver, None if crosses is None else _product(measured, crosses))
        if crosses is None or not is_idle:
            continue
        if loss >= MOST:
            yield from _losses(scenario, group, forward, loss, utilization)
        if application >= MOST:
            yield from _application(scenario, measured, crosses, application, utilization)


def _product(measured: Measured, place: int) -> float:
    """Return the bandwidth-delay product of a group's path, in its packets."""
    rate = min(measured.rate, measured.narrowest[place])
    size = measured.groups[place].packet_size or 0
    return rate * measured.delays[place] / PICOSECONDS_PER_SECOND / 8 / size


def _receiver(group: Clients | Flow, share: float, product: float | None) -> str:
    tcp = group.transport
    assert isinstance(tcp, Tcp)  # noqa: S101  # narrows the type; UDP has no shares
    tuned = 'rwnd = "auto", ' if tcp.rwnd == "auto" else ""
    text = (
        f"Group {group.name} was limited by its advertised window ({tuned}max_window = {tcp.max_window}) in "
        f"{share:.0%} of its time: congestion control had little effect then."
    )
    assert isinstance(tcp.max_window, int)  # noqa: S101  # the scenario is effective: packets
    if product is None or tcp.max_window >= round(product):
        return text
    return (
        f"{text} The window is below one bandwidth-delay product ({product:.0f} packets): a larger "
        "transport.max_window lets one flow fill the link."
    )


def _losses(scenario: Scenario, group: Clients | Flow, forward: Way, share: float, utilization: float) -> Iterator[str]:
    """Report random loss and policers that keep the rate of a group low."""
    lossy = [name for name, link in forward if link.loss and not isinstance(link.loss, ListedLoss)]
    policed = [f"{name} ({link.policer.rate})" for name, link in forward if link.policer]
    causes = [f"the random loss of {', '.join(dict.fromkeys(lossy))} (loss)"] if lossy else []
    causes += [f"the policer of {', '.join(dict.fromkeys(policed))}"] if policed else []
    if causes:
        yield (
            f"Group {group.name} was limited by loss in {share:.0%} of its time, while {scenario.measure.link} was "
            f"used to {utilization:.0%}: {' and '.join(causes)}, not the capacity, limits its rate."
        )


def _application(scenario: Scenario, measured: Measured, place: int, share: float, utilization: float) -> Iterator[str]:
    """Report sources that offer less than the link carries."""
    group = measured.groups[place]
    source = group.source
    if isinstance(source, Connections):
        offered, field = source.load, "load"
    elif isinstance(source, Paced):
        rate = measured.counts[place] * source.mean_rate * 8 * (group.packet_size or 0)
        offered, field = rate / measured.rate, "rate"
    else:
        return
    yield (
        f"Group {group.name} was limited by its application in {share:.0%} of its time: its sources offer "
        f"{offered:.0%} of the rate of {scenario.measure.link}, which was used to {utilization:.0%}. A "
        f"higher source.{field}, or more flows, use more of it."
    )
