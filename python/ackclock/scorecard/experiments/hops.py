"""A parking lot: two flows over several links, each with two flows of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.scenario import Flow, GraphLink, Greedy, Measure, Node, Scenario
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less
from ackclock.scorecard.measures import share
from ackclock.scorecard.networks import PACKET, Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Tcp
    from ackclock.scorecard.experiment import Setting

_HOP = Path(10, 20)
_LONG = "long flows' part of half a link"


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for hops in (3,) if setting.fast else (2, 3, 5):
        yield _cell(setting, hops)


def _cell(setting: Setting, hops: int) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        ends = [(f"n{place}", f"n{place + 1}") for place in range(hops)]
        rate, delay = f"{_HOP.rate:g} Mbps", f"{_HOP.rtt / 2:g} ms"
        queue = setting.queue(_HOP.buffer(hops))
        links = [
            GraphLink(name=f"hop{place}", from_=a, to=b, rate=rate, delay=delay, queue=queue)
            for place, (a, b) in enumerate(ends)
        ]
        shared: dict[str, Any] = {"transport": law, "source": Greedy(), "spread": "1 s", "count": 2}
        cross = [Flow(name=f"cross{place}", from_=a, to=b, **shared) for place, (a, b) in enumerate(ends)]
        return Scenario(
            profile="linux",
            duration="600 s",
            packet_size=PACKET,
            measure=Measure(from_="60 s", link="hop0"),
            nodes=[Node(name=f"n{place}") for place in range(hops + 1)],
            links=links,
            flows=[Flow(name="long", from_="n0", to=f"n{hops}", **shared), *cross],
        )

    part = share("long", of=_HOP.rate * 1e6 / 2, words=_LONG)
    return Cell(
        place=f"{hops} links of {_HOP.rate:g} Mb/s",
        scenario=scenario,
        rules=[no_less(part, 0.5)],
    )


EXPERIMENT = Experiment(
    key="hops",
    title="Several bottlenecks",
    question="Do flows over several full links get a share?",
    source="draft-irtf-iccrg-tcpeval (multiple bottlenecks); RFC 5166, section 2.3",
    advice="The long flow has the signals of all links and the longest round trip: see also the experiment with "
    "different round-trip times.",
    headline=_LONG,
    cells=_cells,
)
