"""Section 2: what the abstraction of the wide-area Internet takes for granted, and what taking it apart leaves."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.manyflows.experiment import PACKET_SIZE, PROFILE, WINDOW
from ackclock.papers.observation import Observation, observations_wanted
from ackclock.running.decomposition import components
from ackclock.scenario import DropTail, Greedy, Link, Measure, Tcp
from ackclock.scenario.internet import ACCESS_RATES, abstract_internet, clustered_connections, wide_area
from ackclock.scenario.quantity import RATE, seconds
from ackclock.study import Point

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.running.run import Run
    from ackclock.scenario import Scenario
    from ackclock.study import Batch, Wanted

    Cell = tuple[str, int, Scenario]

__all__ = [
    "ANYONE",
    "BACKBONES",
    "CLUSTER",
    "CLUSTERS",
    "DEGREES",
    "DRAWN",
    "EXTRA",
    "T1_BPS",
    "Internet",
    "bottlenecks",
    "gather_internet",
    "giant_component",
    "parts_of",
    "steady",
]

BACKBONES = (20, 40, 60, 70, 80, 85, 90, 95, 100, 120, 150, 200, 400)
"""Rates of a backbone, in per cent of those of all access links together; 0 stands for none."""

EXTRA = (0, 1, 2, 5, 10, 20, 40)
"""Connections that reach the T1 domain of 20 others over a faster link."""

DRAWN = 8
"""Networks of the twelve parameters that are drawn."""

DEGREES = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0)
"""Domains that one talks to, on average."""

CLUSTER = 10
"""Domains of a cluster."""
ANYONE, CLUSTERS = "anyone with anyone", f"within clusters of {CLUSTER}"

_DOMAINS, _CONNECTIONS = 8, 80
"""Behind T1 links, where there is a backbone."""
_MANY = 400
"""Domains that are taken apart."""
_MOST = 20
"""Connections of two types of access links, at most, where they are drawn."""
_BUFFER = 60
T1_BPS = RATE.parse(ACCESS_RATES["t1"])
"""Bits per second of the T1 links of section 2."""
_WARM, _END, _WINDOWS = 50, 350, 6
"""From when on and until when runs are measured, in seconds, and in how many equal parts."""

_TRANSPORT = Tcp("reno", max_window=WINDOW, overhead="2500 us")
"""Processing times up to a transmission on a T1 link: without, ties and phases would decide."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Internet:
    """All runs and networks of section 2.

    Parameters
    ----------
    backbone
        Eight domains behind T1 links and a backbone of a part of their rates: ``at_backbone``, the share of drops, and
        ``goodput``, of all connections as a part of the access links' rates. `Observation.clients` is the part in per
        cent, 0 without a backbone; traffic is drawn anew for each seed.
    extra
        Twenty connections between two T1 domains, and `EXTRA` others: ``at_entry``, the share of the twenty's drops
        where they enter the backbone, ``goodput``, theirs as a part of the T1 rate, and what `steady` tells of them.
    drawn
        Networks with numbers of connections drawn between all types of access links: what `steady` tells, and
        ``together``, the share of connections that congest where most of those do that cross the same access link.
    parts
        Many domains taken apart, by the mean degree in hundredths: ``largest``, the share of the domains in the
        largest component, and ``components``, how many there are for each 100 domains.

    """

    backbone: Sequence[Observation]
    extra: Sequence[Observation]
    drawn: Sequence[Observation]
    parts: Sequence[Observation]


def gather_internet(batch: Batch, *, seeds: Sequence[int]) -> Callable[[], Internet]:
    """Ask for all runs of section 2.

    Parameters
    ----------
    batch
        Where to ask.
    seeds
        The seeds of the runs, and of the traffic where it is drawn.

    Returns
    -------
    Callable
        Gives them once the batch has run.

    """
    backbone = [
        batch.add(_wanted([("backbone", rate, _backbone(rate, seed))], seeds=[seed], take=_at_backbone))
        for rate, seed in product((0, *BACKBONES), seeds)
    ]
    extra = batch.add(_wanted([("extra", count, _extra(count)) for count in EXTRA], seeds=seeds, take=_at_entry))
    drawn = batch.add(
        _wanted([("drawn", draw, _drawn(draw)) for draw in range(1, DRAWN + 1)], seeds=seeds, take=_together)
    )

    def made() -> Internet:
        return Internet(
            backbone=[run for part in backbone for run in part()],
            extra=extra(),
            drawn=drawn(),
            parts=[
                parts_of(variant, degree, seed=seed)
                for variant, degree, seed in product((ANYONE, CLUSTERS), DEGREES, seeds)
            ],
        )

    return made


def _wanted(
    cells: Sequence[Cell], *, seeds: Iterable[int], take: Callable[[Run], Mapping[str, float | None]]
) -> Wanted[Mapping[str, float | None], list[Observation]]:
    """Ask for runs that tell of the drops at every link; all cells have the same links."""
    links = ",".join(name for link in cells[0][2].effective().links for name, _, _ in link.directions)
    return observations_wanted(
        cells,
        where=lambda cell: cell[:2],
        point=lambda cell: Point(name=f"{cell[0]} {cell[1]}", scenario=cell[2], work=1e9),
        seeds=seeds,
        take=take,
        record=[f"drops@{links}"],
    )


def _backbone(percent: int, seed: int) -> Scenario:
    names = [f"domain-{number}" for number in range(_DOMAINS)]
    queue = DropTail(packets=_BUFFER)
    access = Link(rate=ACCESS_RATES["t1"], delay="25 ms", queue=queue)
    rate = round(percent / 100 * _DOMAINS * T1_BPS)
    return wide_area(
        dict.fromkeys(names, access),
        clustered_connections(names, _CONNECTIONS, seed=seed),
        duration=f"{_END} s",
        transport=_TRANSPORT,
        source=Greedy(),
        backbone=Link(rate=f"{rate} bps", delay="0 s", queue=queue) if percent else None,
        measure=Measure(link=names[0], from_=f"{_WARM} s"),
        packet_size=PACKET_SIZE,
        profile=PROFILE,
    )


def _abstract(connections: Mapping[tuple[str, str], int]) -> Scenario:
    return abstract_internet(
        connections,
        delay="50 ms",
        buffer_in=_BUFFER,
        buffer_out=_BUFFER,
        duration=f"{_END} s",
        transport=_TRANSPORT,
        source=Greedy(),
        measure=Measure(link="in.t1", from_=f"{_WARM} s"),
        packet_size=PACKET_SIZE,
        profile=PROFILE,
    )


def _extra(count: int) -> Scenario:
    return _abstract({("t1", "t1"): 20, ("t3", "t1"): count})


def _drawn(draw: int) -> Scenario:
    numbers = np.random.default_rng(draw).integers(1, _MOST + 1, size=len(ACCESS_RATES) ** 2).tolist()
    pairs = product(ACCESS_RATES, ACCESS_RATES)
    return _abstract(dict(zip(pairs, numbers, strict=True)))


def _drops(run: Run) -> tuple[NDArray[np.str_], NDArray[np.int64], NDArray[np.float64]]:
    """Give the link, the flow and the time of each drop in the measured time."""
    table = run.table("drops")
    late = table["time"].to_numpy() >= seconds(run.scenario.measure.from_ or "")
    links = table["link"].cast("string").to_numpy(zero_copy_only=False).astype(np.str_)
    return links[late], table["flow"].to_numpy()[late].astype(np.int64), table["time"].to_numpy()[late]


def _at_backbone(run: Run) -> Mapping[str, float | None]:
    links, _, _ = _drops(run)
    return {
        "at_backbone": float((links == "backbone").mean()),
        "goodput": float(run.table("flows")["goodput_bps"].to_numpy().sum() / (_DOMAINS * T1_BPS)),
    }


def bottlenecks(run: Run) -> NDArray[np.str_]:
    """Find where each flow congests: a row for each of `_WINDOWS` parts of the measured time, a column for each flow.

    It is the link that drops most of its packets; an empty text where none does.
    """
    links, flows, times = _drops(run)
    names, link = np.unique(links, return_inverse=True)
    count = run.table("flows").num_rows
    part = np.minimum((times - _WARM) * _WINDOWS // (_END - _WARM), _WINDOWS - 1).astype(np.int64)
    counts = np.zeros((_WINDOWS, count, names.size), dtype=np.int64)
    np.add.at(counts, (part, flows, link), 1)
    found = names[counts.argmax(axis=2)] if names.size else np.full((_WINDOWS, count), "")
    return np.where(counts.any(axis=2), found, "")


def steady(where: NDArray[np.str_]) -> dict[str, float | None]:
    """Say how many flows keep their bottleneck.

    Parameters
    ----------
    where
        What `bottlenecks` gives.

    Returns
    -------
    dict
        ``counted``, the share of flows that lose in two parts or more, and ``steady``, the share of these that lose
        most at the same link in each.

    """
    named = where != ""
    often = named.sum(axis=0) > 1
    first = where[named.argmax(axis=0), np.arange(where.shape[1])]
    same = ((where == first) | ~named).all(axis=0)
    return {
        "steady": float(same[often].mean()) if often.any() else None,
        "counted": float(often.mean()),
    }


def _at_entry(run: Run) -> Mapping[str, float | None]:
    links, flows, _ = _drops(run)
    count = run.scenario.groups[0].count
    twenty = flows < count
    return {
        **steady(bottlenecks(run)[:, :count]),
        "at_entry": float((links[twenty] == "in.t1").mean()) if twenty.any() else None,
        "goodput": float(run.table("flows")["goodput_bps"].to_numpy()[:count].sum() / T1_BPS),
    }


def _together(run: Run) -> Mapping[str, float | None]:
    where = bottlenecks(run)
    crossed = np.array(
        [(flow.from_, f"{flow.to}.reverse") for flow in run.scenario.flows for _ in range(flow.count)], dtype=np.str_
    )
    links, flows, _ = _drops(run)
    main = np.full(len(crossed), "", dtype=links.dtype)
    for flow in np.unique(flows):
        names, counts = np.unique(links[flows == flow], return_counts=True)
        main[flow] = names[counts.argmax()]
    agree = total = 0
    for link in np.unique(crossed):
        here = main[(crossed == link).any(axis=1) & (main != "")]
        if here.size > 1:
            agree += np.unique(here, return_counts=True)[1].max()
            total += here.size
    return {**steady(where), "together": float(agree / total) if total else None}


def parts_of(variant: str, degree: float, *, seed: int) -> Observation:
    """Take a network of many domains apart.

    Parameters
    ----------
    variant
        `ANYONE` or `CLUSTERS`: who talks to whom.
    degree
        Domains that one talks to, on average.
    seed
        Of the traffic.

    Returns
    -------
    Observation
        As `Internet.parts` has it.

    """
    names = [f"domain-{number}" for number in range(_MANY)]
    connections = clustered_connections(
        names, round(degree * _MANY / 2), cluster=CLUSTER if variant == CLUSTERS else None, seed=seed
    )
    ends = {f"from-{sender}-to-{receiver}": {sender, receiver} for sender, receiver in connections}
    access = Link(rate=ACCESS_RATES["t1"], delay="25 ms")
    found = components(
        wide_area(dict.fromkeys(names, access), connections, duration="1 s", transport=Tcp("reno"), source=Greedy())
    )
    sizes = [len(set().union(*(ends[group] for group in component.groups))) for component in found]
    return Observation(
        variant=variant,
        clients=round(100 * degree),
        seed=seed,
        values={"largest": max(sizes) / _MANY, "components": 100 * len(sizes) / _MANY},
    )


def giant_component(degree: float) -> float:
    """Give the share of the nodes in the giant component of a large random graph.

    Parameters
    ----------
    degree
        Neighbours of a node, on average.

    Returns
    -------
    float
        The largest S with S = 1 - exp(-degree S): 0 up to a degree of 1.

    Notes
    -----
    Erdős and Rényi, "On the evolution of random graphs" (1960).

    Examples
    --------
    >>> round(giant_component(2.0), 4), giant_component(0.5)
    (0.7968, 0.0)

    """
    from scipy.special import lambertw  # noqa: PLC0415 - slow to load

    return float(1 + lambertw(-degree * np.exp(-degree)).real / degree) if degree > 1 else 0.0
