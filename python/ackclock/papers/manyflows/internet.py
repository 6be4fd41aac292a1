"""Section 2: the assumptions of the paper's Internet model, and the decomposition of networks into components."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ackclock.papers.core.evidence import Run as Observed
from ackclock.papers.core.parts import Part, Spot, Taken
from ackclock.papers.manyflows.abstract import ACCESS_RATES, abstract_internet
from ackclock.papers.manyflows.experiment import PACKET_SIZE, PROFILE, WINDOW
from ackclock.running.decomposition import components
from ackclock.running.run import Run
from ackclock.scenario import DropTail, Greedy, Link, Measure, Scenario, Tcp
from ackclock.scenario.internet import clustered_connections, wide_area
from ackclock.values.quantity import RATE, seconds

# rates of the backbone in per cent of all access links together; 0 means no backbone
BACKBONES = (20, 40, 60, 70, 80, 85, 90, 95, 100, 120, 150, 200, 400)
EXTRA = (0, 1, 2, 5, 10, 20, 40)  # numbers of connections from T3 to the T1 domain that 20 others use
DRAWN = tuple(range(1, 9))  # seeds of networks with random numbers of connections
DEGREES = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0)  # mean numbers of domains that a domain talks to
CLUSTER = 10  # domains in a cluster
ANYONE, CLUSTERS = "anyone with anyone", f"within clusters of {CLUSTER}"

_DOMAINS, _CONNECTIONS = 8, 80  # of the networks with a backbone
_MANY = 400  # domains of the decomposed networks
_MOST = 20  # largest random number of connections for two types of access links
_BUFFER = 60
T1_BPS = RATE.parse(ACCESS_RATES["t1"])  # bits per second of the T1 links of section 2
_WARM, _END, _WINDOWS = 50, 350, 6  # start and end of the measurement in seconds, and number of its equal periods

_COMMON: Mapping[str, Any] = {
    "duration": f"{_END} s",
    # processing times up to a transmission time on T1, so that ties and phases do not decide the results
    "transport": Tcp("reno", max_window=WINDOW, overhead="2500 us"),
    "source": Greedy(),
    "packet_size": PACKET_SIZE,
    "profile": PROFILE,
}


def internet_parts() -> list[Part]:
    """Return the parts of section 2.

    ``backbone``
        Eight domains behind T1 links and a backbone, with random traffic: ``at_backbone``, the share of drops there,
        and ``goodput`` of all connections as a share of the access links' rates.
    ``extra``
        Twenty connections between two T1 domains, and `EXTRA` others. For the twenty: ``at_entry``, the share of drops
        where they enter the backbone, ``goodput`` as a share of the T1 rate, and the values of `steady`.
    ``drawn``
        Networks with random numbers of connections between all types of access links: the values of `steady`, and
        ``together``, the share of connections congested at the same link as most connections of their access link.
    """
    backbones = [
        Spot(where={"rate": rate}, scenario=_backbone(rate, 1), drawn=partial(_backbone, rate))
        for rate in (0, *BACKBONES)
    ]
    return [
        _part("backbone", backbones[:1], at_backbone),
        _part("backbone", backbones[1:], at_backbone),
        _part("extra", [Spot(where={"others": count}, scenario=_extra(count)) for count in EXTRA], at_entry),
        _part("drawn", [Spot(where={"network": draw}, scenario=_drawn(draw)) for draw in DRAWN], together),
    ]


def _part(name: str, spots: Sequence[Spot], take: Callable[[Run], Taken]) -> Part:
    """Make a part that records the drops at every link; all its points have the same links."""
    links = ",".join(name for link in spots[0].scenario.effective().links for name, _, _ in link.directions)
    return Part(name=name, spots=spots, take=take, record=(f"drops@{links}",))


def _backbone(percent: int, seed: int) -> Scenario:
    names = [f"domain-{number}" for number in range(_DOMAINS)]
    queue = DropTail(packets=_BUFFER)
    access = Link(rate=ACCESS_RATES["t1"], delay="25 ms", queue=queue)
    rate = round(percent / 100 * _DOMAINS * T1_BPS)
    return wide_area(
        dict.fromkeys(names, access),
        clustered_connections(names, _CONNECTIONS, seed=seed),
        backbone=Link(rate=f"{rate} bps", delay="0 s", queue=queue) if percent else None,
        measure=Measure(link=names[0], from_=f"{_WARM} s"),
        **_COMMON,
    )


def _abstract(connections: Mapping[tuple[str, str], int]) -> Scenario:
    return abstract_internet(
        connections,
        delay="50 ms",
        buffer_in=_BUFFER,
        buffer_out=_BUFFER,
        measure=Measure(link="in.t1", from_=f"{_WARM} s"),
        **_COMMON,
    )


def _extra(count: int) -> Scenario:
    return _abstract({("t1", "t1"): 20, ("t3", "t1"): count})


def _drawn(draw: int) -> Scenario:
    numbers = np.random.default_rng(draw).integers(1, _MOST + 1, size=len(ACCESS_RATES) ** 2).tolist()
    pairs = product(ACCESS_RATES, ACCESS_RATES)
    return _abstract(dict(zip(pairs, numbers, strict=True)))


def _drops(run: Run) -> tuple[NDArray[np.str_], NDArray[np.int64], NDArray[np.float64]]:
    table = run.table("drops")
    late = table["time"].to_numpy() >= seconds(run.scenario.measure.from_ or "")
    links = table["link"].cast("string").to_numpy(zero_copy_only=False).astype(np.str_)
    return links[late], table["flow"].to_numpy()[late].astype(np.int64), table["time"].to_numpy()[late]


def at_backbone(run: Run) -> Taken:
    links, _, _ = _drops(run)
    return {
        "at_backbone": float((links == "backbone").mean()),
        "goodput": float(run.table("flows")["goodput_bps"].to_numpy().sum() / (_DOMAINS * T1_BPS)),
    }


def bottlenecks(run: Run, *, parts: int = _WINDOWS) -> NDArray[np.str_]:
    """Return the link that drops most packets of each flow: a row per equal period of the measured time.

    Columns are flows. The name of the link is empty if a flow has no drop in a period.
    """
    links, flows, times = _drops(run)
    names, link = np.unique(links, return_inverse=True)
    count = run.table("flows").num_rows
    part = np.minimum((times - _WARM) * parts // (_END - _WARM), parts - 1).astype(np.int64)
    counts = np.zeros((parts, count, names.size), dtype=np.int64)
    np.add.at(counts, (part, flows, link), 1)
    found = names[counts.argmax(axis=2)] if names.size else np.full((parts, count), "")
    return np.where(counts.any(axis=2), found, "")


def steady(where: NDArray[np.str_]) -> dict[str, float | None]:
    """Compute the share of flows that keep their bottleneck, from the result of `bottlenecks`.

    ``counted`` is the share of flows with drops in two periods or more; ``steady`` is the share of these flows that
    lose most packets at the same link in each period with drops.
    """
    named = where != ""
    often = named.sum(axis=0) > 1
    first = where[named.argmax(axis=0), np.arange(where.shape[1])]
    same = ((where == first) | ~named).all(axis=0)
    return {"steady": float(same[often].mean()) if often.any() else None, "counted": float(often.mean())}


def at_entry(run: Run) -> Taken:
    links, flows, _ = _drops(run)
    count = run.scenario.groups[0].count
    twenty = flows < count
    return {
        **steady(bottlenecks(run)[:, :count]),
        "at_entry": float((links[twenty] == "in.t1").mean()) if twenty.any() else None,
        "goodput": float(run.table("flows")["goodput_bps"].to_numpy()[:count].sum() / T1_BPS),
    }


def together(run: Run) -> Taken:
    main = bottlenecks(run, parts=1)[0]
    crossed = np.array(
        [(flow.from_, f"{flow.to}.reverse") for flow in run.scenario.flows for _ in range(flow.count)], dtype=np.str_
    )
    agree = total = 0
    for link in np.unique(crossed):
        here = main[(crossed == link).any(axis=1) & (main != "")]
        if here.size > 1:
            agree += np.unique(here, return_counts=True)[1].max()
            total += here.size
    return {**steady(bottlenecks(run)), "together": float(agree / total) if total else None}


def components_of(seeds: Iterable[int]) -> list[Observed]:
    """Decompose networks of many domains, with random traffic for each seed.

    The values are ``largest``, the share of the domains in the largest component, and ``components``, the number of
    components for each 100 domains.
    """
    return [
        Observed(where={"traffic": who, "degree": degree}, seed=seed, values=taken_apart(who, degree, seed=seed))
        for who, degree, seed in product((ANYONE, CLUSTERS), DEGREES, list(seeds))
    ]


def taken_apart(who: str, degree: float, *, seed: int) -> Taken:
    """Decompose one network; `who` is `ANYONE` or `CLUSTERS`, `degree` the mean number of domains a domain talks to."""
    names = [f"domain-{number}" for number in range(_MANY)]
    connections = clustered_connections(
        names, round(degree * _MANY / 2), cluster=CLUSTER if who == CLUSTERS else None, seed=seed
    )
    ends = {f"from-{sender}-to-{receiver}": {sender, receiver} for sender, receiver in connections}
    access = Link(rate=ACCESS_RATES["t1"], delay="25 ms")
    found = components(
        wide_area(dict.fromkeys(names, access), connections, duration="1 s", transport=Tcp("reno"), source=Greedy())
    )
    sizes = [len(set().union(*(ends[group] for group in component.groups))) for component in found]
    return {"largest": max(sizes) / _MANY, "components": 100 * len(sizes) / _MANY}


def giant_component(degree: float) -> float:
    """Compute the share of the nodes in the giant component of a large random graph from the mean degree.

    The share is the largest S with S = 1 - exp(-degree S), and 0 up to a degree of 1: Erdős and Rényi, "On the
    evolution of random graphs" (1960).

    Examples
    --------
    >>> round(giant_component(2.0), 4), giant_component(0.5)
    (0.7968, 0.0)

    """
    from scipy.special import lambertw  # noqa: PLC0415 - slow to load

    return float(1 + lambertw(-degree * np.exp(-degree)).real / degree) if degree > 1 else 0.0
