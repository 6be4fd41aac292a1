"""The study as one value."""

from __future__ import annotations

from ackclock.papers.core.paper import Both, Chapter, Paper
from ackclock.papers.core.parts import Part, Spot
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.selfsimilar.claims import CLAIMS
from ackclock.papers.selfsimilar.claims.last_hop import LAST_HOP_CLAIMS
from ackclock.papers.selfsimilar.claims.traffic import TRAFFIC_CLAIMS
from ackclock.papers.selfsimilar.course_figures import COURSES, FIGURE_7, FIGURE_JITTER
from ackclock.papers.selfsimilar.experiment import DEFINITION, SETTINGS, SOURCES, scenario, unresponsive
from ackclock.papers.selfsimilar.figures import CAPTIONS, DIFFERENCES, FIGURE_4, RANKING, supported, table_2
from ackclock.papers.selfsimilar.flow_measures import RECORD, flow_measures, unresponsive_values
from ackclock.papers.selfsimilar.last_hop import last_hop_parts
from ackclock.papers.selfsimilar.last_hop_figures import LEFT_FOR_LATER
from ackclock.papers.selfsimilar.memory import methods
from ackclock.papers.selfsimilar.memory import parts as long_parts
from ackclock.papers.selfsimilar.trace import STAND_IN, read_trace, stand_in
from ackclock.papers.selfsimilar.trace_figures import figure_3, protocols, words
from ackclock.papers.selfsimilar.traffic import load_parts, traffic_parts
from ackclock.papers.selfsimilar.traffic_figures import TRAFFIC


def _parts() -> list[Part]:
    flows = [Spot(where=setting.where, scenario=scenario(setting)) for setting in SETTINGS]
    udp = [Spot(where={"reading": "constant rate", "variant": "UDP"}, scenario=unresponsive())]
    links = tuple(request for request in RECORD if not request.startswith("windows"))
    return [
        Part(name="flows", spots=flows, take=flow_measures, record=RECORD, work=lambda _: SOURCES),
        Part(name="udp", spots=udp, take=unresponsive_values, record=links, work=lambda _: SOURCES),
        *long_parts(),
        *traffic_parts(),
        *load_parts(),
        *last_hop_parts(),
    ]


def _provenance(both: Both) -> list[tuple[str, str]]:
    capture = [("Capture of Figure 3", both.capture.words)] if both.capture else []
    return [*capture, ("ns-2's runs", "ns-2.35 (Debian 2.35+dfsg-5), unmodified")]


PAPER = Paper(
    definition=DEFINITION,
    claims=(*CLAIMS, *TRAFFIC_CLAIMS, *LAST_HOP_CLAIMS),
    parts=_parts,
    ns2=lambda: ns2_runs("selfsimilar"),
    further=methods,
    read_capture=read_trace,
    of_capture=("5-1",),
    stand_in=lambda folder, seed: stand_in(folder / STAND_IN, seed=seed),
    statements=lambda both: [supported(both)],
    overview=table_2,
    chapters=[
        Chapter(
            title="Table 2: which order do the runs support?", text=CAPTIONS["readings"], figures=[RANKING, DIFFERENCES]
        ),
        Chapter(
            title="Figure 3 and the protocols of the capture",
            text=words,
            figures=[figure_3, protocols],
            of_capture=True,
        ),
        Chapter(title="Figures 4 to 7", figures=[FIGURE_4, *COURSES, FIGURE_7]),
        Chapter(title="Jitter", figures=[FIGURE_JITTER]),
        TRAFFIC,
        LEFT_FOR_LATER,
    ],
    provenance=_provenance,
)
