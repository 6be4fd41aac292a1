"""The study as one value, `PAPER`, and its figures."""

from __future__ import annotations

from ackclock.drawing.chart import Axis, Level
from ackclock.papers.aqm.claims import BUSY, CLAIMS
from ackclock.papers.aqm.experiment import DEFINITION, varying
from ackclock.papers.aqm.measures import (
    JITTER,
    LATE,
    LOSS,
    MARKS,
    MEDIAN,
    PAGES,
    PAGES_LOST,
    RATIO,
    STREAM,
    TCP,
    USERS,
    UTILIZATION,
    VIDEO_LOST,
    VOICE,
)
from ackclock.papers.core.figure import Figure, Lines, Numbers, Pen, Plot, Scatter, from_zero
from ackclock.papers.core.paper import Chapter, Paper

__all__ = ["PAPER"]

_PENS = {
    "tail drop": Pen(colour="grey", marker="circle"),
    "Adaptive RED": Pen(colour="orange", marker="diamond"),
    "CoDel": Pen(colour="blue", marker="square"),
    "PIE": Pen(colour="red", marker="triangle"),
    "FQ-CoDel": Pen(colour="sky", marker="hexagon", dash="dashed"),
    "DualPI2": Pen(colour="green", marker="down"),
}
_SENDERS = {
    "reno": Pen(colour="grey", marker="circle"),
    "cubic": Pen(colour="blue", marker="square"),
    "scalable": Pen(colour="red", marker="triangle"),
    "bbr": Pen(colour="orange", marker="diamond"),
    "vegas": Pen(colour="green", marker="hexagon"),
}
_ECN = {"off": Pen(colour="grey", marker="circle"), "classic": Pen(colour="green", marker="square")}

_WAIT = "95th percentile of the waiting time (ms)"


def _tradeoff(slug: str, title: str, part: str, what: str, *, by: str = "variant", low: float = 70) -> Figure:
    """Draw utilization against waiting time, with a marker for each value of an axis."""
    late, used = LATE.at(part), UTILIZATION.at(part)
    other = {"congestion": "flows", "senders": "law"}.get(part, "")
    return Figure(
        slug=slug,
        title=title,
        what=what,
        plots=[
            Plot(
                x=Axis(label=_WAIT, low=1, high=1000, log=True),
                y=Axis(label="Utilization (%)", low=low, high=101),
                marks=[Scatter(x=late, y=used, by=by, pens=_SENDERS if by == "law" else _PENS)],
                levels=[Level(y=BUSY)],
            )
        ],
        data={"p95_ms": late, "utilization_percent": used, "p50_ms": MEDIAN.at(part), "loss_percent": LOSS.at(part)},
        numbers=Numbers(
            of=late, rows=other or "variant", columns="variant" if other else "", head=other or "Queue", caption=_WAIT
        ),
    )


_flows = Lines(of=MEDIAN.at("congestion"), x="flows", by="variant", pens=_PENS)
_lost = Lines(of=LOSS.at("congestion"), x="flows", by="variant", pens=_PENS)
_RTTS = {"1.5 ms": "5", "9 ms": "20", "24 ms": "50", "49 ms": "100", "99 ms": "200", "279 ms": "560"}


def _buffers(part: str, product: float, title: str, *, last: bool = False) -> Plot:
    places = {float(packets): packets / product for packets in _PACKETS[part]}
    return Plot(
        title=title,
        x=Axis(label="Buffer (bandwidth-delay products)" if last else "", low=0.2, high=12, log=True),
        y=Axis(label="Median wait (ms)", low=0.3, high=3000, log=True),
        marks=[Lines(of=MEDIAN.at(part), x="packets", by="variant", pens=_PENS, places=places)],
    )


_PACKETS = {"slow": (2, 8, 34, 84), "usual": (21, 84, 336, 840), "fast": (208, 833, 3333, 8333)}


FIGURES = {
    "congestion": [
        _tradeoff(
            "tradeoff",
            "Figure 1. Delay and utilization",
            "congestion",
            "One marker for each number of flows: 1, 2, 7, 11 and 30.",
        ),
        Figure(
            slug="congestion",
            title="Figure 2. Levels of congestion",
            what="Median waiting time, and packets lost, against the number of CUBIC flows.",
            plots=[
                Plot(
                    x=Axis(label="", low=0.9, high=40, log=True),
                    y=Axis(label="Median wait (ms)", high=105),
                    marks=[_flows],
                ),
                Plot(
                    x=Axis(label="Flows", low=0.9, high=40, log=True),
                    y=from_zero("Loss (%)", LOSS.at("congestion")),
                    marks=[_lost],
                ),
            ],
            height=6.4,
            data={"p50_ms": MEDIAN.at("congestion"), "loss_percent": LOSS.at("congestion")},
            numbers=Numbers(of=LOSS.at("congestion"), rows="flows", columns="variant", head="Flows", caption="Loss, %"),
        ),
    ],
    "senders": [
        _tradeoff(
            "senders",
            "Figure 3. Senders",
            "senders",
            "Four flows of one kind: Reno, CUBIC, Scalable TCP, BBR or Vegas; a marker for each discipline.",
            by="law",
        ),
        Figure(
            slug="unresponsive",
            title="Figure 4. A sender that does not respond",
            what="Goodput of four CUBIC flows beside a constant stream of UDP packets, against the rate of the stream.",
            plots=[
                Plot(
                    x=Axis(label="Rate of the stream (packets/s)", high=1300),
                    y=Axis(label="Goodput of TCP (% of the link)", high=100),
                    marks=[Lines(of=TCP.at("unresponsive"), x="UDP_packets_per_second", by="variant", pens=_PENS)],
                )
            ],
            rest="The link carries 833 packets/s.",
            data={"tcp_goodput_percent": TCP.at("unresponsive"), "p95_ms": LATE.at("unresponsive")},
            numbers=Numbers(
                of=TCP.at("unresponsive"),
                rows="UDP_packets_per_second",
                columns="variant",
                head="Packets/s",
                caption="Goodput of TCP, %",
            ),
        ),
    ],
    "distance": [
        Figure(
            slug="distance",
            title="Figure 5. Fairness of flows with different round-trip times",
            what="Goodput of a flow with a round-trip time of 100 ms, divided by that of a second flow, against the "
            "round-trip time of the second flow without queue.",
            plots=[
                Plot(
                    x=Axis(label="Round-trip time of the second flow (ms)", low=4, high=700, log=True),
                    y=Axis(label="Ratio of goodputs", low=0.05, high=30, log=True),
                    marks=[
                        Lines(of=RATIO.at("distance").relabel("access", _RTTS), x="access", by="variant", pens=_PENS)
                    ],
                    levels=[Level(y=1)],
                )
            ],
            data={"ratio": RATIO.at("distance"), "p95_ms": LATE.at("distance")},
            numbers=Numbers(
                of=RATIO.at("distance").relabel("access", _RTTS),
                rows="access",
                columns="variant",
                head="RTT, ms",
                caption="Ratio of goodputs",
            ),
        )
    ],
    "bursts": [
        Figure(
            slug="bursts",
            title="Figure 6. Bursts",
            what="Completion time of web pages of ten packets and mean one-way delay of a voice call, beside one "
            "and beside four downloads; a video sends five packets at once.",
            plots=[
                Plot(
                    x=Axis(label="95th percentile of a page's completion time (ms)", low=100, high=3000, log=True),
                    y=Axis(label="Mean delay of the voice (ms)", low=45, high=160),
                    marks=[Scatter(x=PAGES.at("bursts"), y=VOICE.at("bursts"), by="variant", pens=_PENS)],
                    levels=[Level(y=50)],
                )
            ],
            rest="The path has a delay of 50 ms.",
            data={
                "page_p95_ms": PAGES.at("bursts"),
                "voice_delay_ms": VOICE.at("bursts"),
                "voice_jitter_ms": JITTER.at("bursts"),
                "page_loss_percent": PAGES_LOST.at("bursts"),
                "video_loss_percent": VIDEO_LOST.at("bursts"),
            },
            numbers=Numbers(
                of={"pages": PAGES_LOST.at("bursts"), "video": VIDEO_LOST.at("bursts")},
                rows="variant",
                columns="flows",
                head="Queue",
                caption="Loss, % by number of downloads",
            ),
        )
    ],
    "stability": [
        _tradeoff(
            "crowd",
            "Figure 7. Nine flows come and go",
            "crowd",
            "Two flows all the time, and nine more from 40 s on, each with 3 MB.",
        ),
        _tradeoff(
            "capacity",
            "Figure 8. A varying rate",
            "capacity",
            "Four flows on a link whose rate is 10 and 2 Mb/s, for 10 s each.",
        ),
    ],
    "ecn": [
        Figure(
            slug="ecn",
            title="Figure 9. ECN",
            what="Loss and waiting time of seven flows that negotiate ECN, or do not, with each discipline.",
            plots=[
                Plot(
                    x=Axis(label=_WAIT, high=60),
                    y=from_zero("Loss (%)", LOSS.at("ecn"), margin=0.05),
                    marks=[Scatter(x=LATE.at("ecn"), y=LOSS.at("ecn"), by="ecn", pens=_ECN, names="ECN {}")],
                )
            ],
            data={
                "loss_percent": LOSS.at("ecn"),
                "marks_percent": MARKS.at("ecn"),
                "p95_ms": LATE.at("ecn"),
                "utilization_percent": UTILIZATION.at("ecn"),
            },
            numbers=Numbers(
                of={"loss": LOSS.at("ecn"), "marks": MARKS.at("ecn")},
                rows="variant",
                columns="ecn",
                head="Queue",
                caption="Packets lost and marked, %",
            ),
        )
    ],
    "sensitivity": [
        Figure(
            slug="buffers",
            title="Figure 10. Links and buffers",
            what="Median waiting time of four flows against the size of the buffer, without retuning.",
            plots=[
                _buffers("slow", 8.33, "1 Mb/s"),
                _buffers("usual", 83.3, "10 Mb/s"),
                _buffers("fast", 833, "100 Mb/s", last=True),
            ],
            height=8,
            rest="At 1 Mb/s a packet takes 12 ms.",
            numbers=Numbers(
                of={"1 Mb/s": MEDIAN.at("slow"), "10 Mb/s": MEDIAN.at("usual"), "100 Mb/s": MEDIAN.at("fast")},
                rows="variant",
                columns="packets",
                head="Queue",
                caption="Median waiting time, ms, by rate and packets of the buffer",
            ),
        )
    ],
    "schedule": [
        Figure(
            slug="schedule",
            title="Figure 11. Scheduling",
            what="A user with eight CUBIC flows, a user with one, and a stream of 50 small packets per second.",
            plots=[
                Plot(
                    x=Axis(label="Mean one-way delay of the stream (ms)", low=45, high=160),
                    y=Axis(label="Goodput of eight flows / of one", low=6, high=10),
                    marks=[Scatter(x=STREAM.at("schedule"), y=USERS.at("schedule"), by="variant", pens=_PENS)],
                    levels=[Level(y=8)],
                )
            ],
            rest="The path has a delay of 50 ms.",
            data={"stream_delay_ms": STREAM.at("schedule"), "ratio": USERS.at("schedule")},
            numbers=Numbers(
                of=STREAM.at("schedule"), rows="variant", head="Queue", caption="Mean one-way delay of the stream, ms"
            ),
        )
    ],
}

_TITLES = {
    "congestion": "Levels of congestion (section 8.2)",
    "senders": "Transport protocols (section 5)",
    "distance": "Round-trip times (section 6)",
    "bursts": "Bursts (section 7)",
    "stability": "Stability (sections 8.2.5 and 8.2.6)",
    "ecn": "ECN (section 4.5)",
    "sensitivity": "Sensitivity of parameters (section 8.3)",
    "schedule": "Scheduling (section 4.6)",
}

PAPER = Paper(
    definition=DEFINITION,
    claims=CLAIMS,
    parts=lambda: [varying()],
    chapters=[Chapter(title=title, figures=FIGURES[name]) for name, title in _TITLES.items()],
    profile="linux",
)
