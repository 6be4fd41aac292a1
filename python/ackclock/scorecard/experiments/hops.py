"""A parking lot: a flow over several links, each with a flow of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.scenario import Flow, GraphLink, Greedy, Measure, Node, Scenario
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.measures import share
from ackclock.scorecard.networks import PACKET, Path
from ackclock.scorecard.rules import Beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Tcp
    from ackclock.scorecard.experiment import Setting

_HOP = Path(10, 20)
_LONG = "long flow's part of half a link"


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
        shared: dict[str, Any] = {"transport": law, "source": Greedy(), "spread": "100 ms"}
        cross = [Flow(name=f"cross{place}", from_=a, to=b, **shared) for place, (a, b) in enumerate(ends)]
        return Scenario(
            profile="linux",
            duration="120 s",
            packet_size=PACKET,
            measure=Measure(from_="30 s", link="hop0"),
            nodes=[Node(name=f"n{place}") for place in range(hops + 1)],
            links=links,
            flows=[Flow(name="long", from_="n0", to=f"n{hops}", **shared), *cross],
        )

    part = share("long", of=_HOP.rate * 1e6 / 2, words=_LONG)
    return Cell(
        place=f"{hops} links of {_HOP.rate} Mb/s",
        scenario=scenario,
        rules=[Beside(measure=part, worse="lower", by=10)],
    )


EXPERIMENT = Experiment(
    key="hops",
    title="Several bottlenecks",
    question="Does a flow over several full links get a share?",
    source="draft-irtf-iccrg-tcpeval, section 4.8; RFC 5166, section 2.3.2",
    advice="The long flow has the signals of all links and the longest round trip: see also the experiment with "
    "different round-trip times.",
    headline=_LONG,
    cells=_cells,
)
