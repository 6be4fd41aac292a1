"""The study as one value, `PAPER`, and its figures."""

from __future__ import annotations

from ackclock.drawing.chart import Axis, Level
from ackclock.papers.aqm import measures as m
from ackclock.papers.aqm.claims import BUSY, CLAIMS
from ackclock.papers.aqm.experiment import DEFINITION, two_way, varying
from ackclock.papers.core.figure import Figure, Lines, Numbers, Plot, Scatter, from_zero
from ackclock.papers.core.paper import Chapter, Paper

_PENS = DEFINITION.pens("disciplines")
_WAIT = "95th percentile of the waiting time (ms)"
_RTTS = {"1.5 ms": "5", "9 ms": "20", "24 ms": "50", "49 ms": "100", "99 ms": "200", "279 ms": "560"}
_LINKS = {"slow": ("1 Mb/s", 8.33), "usual": ("10 Mb/s", 83.3), "fast": ("100 Mb/s", 833)}
"""Rate and bandwidth-delay product of the link of each part on buffers."""


def _tradeoff(slug: str, part: str, *, along: str = "", by: str = "variant") -> Figure:
    """Draw utilization against waiting time, with a marker for each value of `by` and table rows `along` an axis."""
    late, used = m.LATE.at(part), m.UTILIZATION.at(part)
    rows = {"rows": along, "columns": "variant", "head": along} if along else {"rows": "variant", "head": "Queue"}
    return Figure(
        **DEFINITION.figure(slug),
        plots=[
            Plot(
                x=Axis(label=_WAIT, low=1, high=1000, log=True),
                y=Axis(label="Utilization (%)", low=70, high=101),
                marks=[Scatter(x=late, y=used, by=by, pens=DEFINITION.pens("senders") if by == "law" else _PENS)],
                levels=[Level(y=BUSY)],
            )
        ],
        data={
            "p95_ms": late,
            "utilization_percent": used,
            "p50_ms": m.MEDIAN.at(part),
            "loss_percent": m.LOSS.at(part),
        },
        numbers=Numbers(of=late, **rows, caption=_WAIT),
    )


_wait, _loss = (one.at("congestion") for one in (m.MEDIAN, m.LOSS))
CONGESTION = Figure(
    **DEFINITION.figure("congestion"),
    plots=[
        Plot(
            x=Axis(label=label, low=0.9, high=40, log=True),
            y=y,
            marks=[Lines(of=of, x="flows", by="variant", pens=_PENS)],
        )
        for label, y, of in (
            ("", Axis(label="Median wait (ms)", high=105), _wait),
            ("Flows", from_zero("Loss (%)", _loss), _loss),
        )
    ],
    height=6.4,
    data={"p50_ms": _wait, "loss_percent": _loss},
    numbers=Numbers(of=_loss, rows="flows", columns="variant", head="Flows", caption="Loss, %"),
)

_tcp = m.TCP.at("unresponsive")
UNRESPONSIVE = Figure(
    **DEFINITION.figure("unresponsive"),
    plots=[
        Plot(
            x=Axis(label="Rate of the stream (packets/s)", high=1300),
            y=Axis(label="Goodput of TCP (% of the link)", high=100),
            marks=[Lines(of=_tcp, x="UDP_packets_per_second", by="variant", pens=_PENS)],
        )
    ],
    data={"tcp_goodput_percent": _tcp, "p95_ms": m.LATE.at("unresponsive")},
    numbers=Numbers(head="Packets/s", caption="Goodput of TCP, %"),
)

_ratio = m.RATIO.at("distance").relabel("access", _RTTS)
DISTANCE = Figure(
    **DEFINITION.figure("distance"),
    plots=[
        Plot(
            x=Axis(label="Round-trip time of the second flow (ms)", low=4, high=700, log=True),
            y=Axis(label="Ratio of goodputs", low=0.05, high=30, log=True),
            marks=[Lines(of=_ratio, x="access", by="variant", pens=_PENS)],
            levels=[Level(y=1)],
        )
    ],
    data={"ratio": m.RATIO.at("distance"), "p95_ms": m.LATE.at("distance")},
    numbers=Numbers(head="RTT, ms", caption="Ratio of goodputs"),
)

_bursts = {
    "page_p95_ms": m.PAGES.at("bursts"),
    "voice_delay_p95_ms": m.VOICE.at("bursts"),
    "voice_score": m.MOS.at("bursts"),
    "voice_jitter_ms": m.JITTER.at("bursts"),
    "page_loss_percent": m.PAGES_LOST.at("bursts"),
    "video_loss_percent": m.VIDEO_LOST.at("bursts"),
}
BURSTS = Figure(
    **DEFINITION.figure("bursts"),
    plots=[
        Plot(
            x=Axis(label="95th percentile of a page's completion time (ms)", low=100, high=3000, log=True),
            y=Axis(label="Delay of the voice, 95th percentile (ms)", low=45, high=160),
            marks=[Scatter(x=_bursts["page_p95_ms"], y=_bursts["voice_delay_p95_ms"], by="variant", pens=_PENS)],
            levels=[Level(y=50)],
        )
    ],
    data=_bursts,
    numbers=Numbers(
        of={"pages": _bursts["page_loss_percent"], "video": _bursts["video_loss_percent"]},
        rows="variant",
        columns="flows",
        head="Queue",
        caption="Loss, % by number of downloads",
    ),
)

_ecn = {
    "loss_percent": m.LOSS.at("ecn"),
    "marks_percent": m.MARKS.at("ecn"),
    "p95_ms": m.LATE.at("ecn"),
    "utilization_percent": m.UTILIZATION.at("ecn"),
}
ECN = Figure(
    **DEFINITION.figure("ecn"),
    plots=[
        Plot(
            x=Axis(label=_WAIT, high=60),
            y=from_zero("Loss (%)", _ecn["loss_percent"], margin=0.05),
            marks=[
                Scatter(x=_ecn["p95_ms"], y=_ecn["loss_percent"], by="ecn", pens=DEFINITION.pens("ecn"), names="ECN {}")
            ],
        )
    ],
    data=_ecn,
    numbers=Numbers(
        of={"loss": _ecn["loss_percent"], "marks": _ecn["marks_percent"]},
        rows="variant",
        columns="ecn",
        head="Queue",
        caption="Packets lost and marked, %",
    ),
)


def _buffers(part: str) -> Plot:
    rate, product = _LINKS[part]
    packets = DEFINITION.table("parts")[part]["over"]["packets"]
    return Plot(
        title=rate,
        x=Axis(label="Buffer (bandwidth-delay products)" if part == "fast" else "", low=0.2, high=12, log=True),
        y=Axis(label="Median wait (ms)", low=0.3, high=3000, log=True),
        marks=[
            Lines(
                of=m.MEDIAN.at(part),
                x="packets",
                by="variant",
                pens=_PENS,
                places={float(count): count / product for count in packets},
            )
        ],
    )


BUFFERS = Figure(
    **DEFINITION.figure("buffers"),
    plots=[_buffers(part) for part in _LINKS],
    height=8,
    numbers=Numbers(
        of={rate: m.MEDIAN.at(part) for part, (rate, _) in _LINKS.items()},
        rows="variant",
        columns="packets",
        head="Queue",
        caption="Median waiting time, ms, by rate and packets of the buffer",
    ),
)

_stream, _users = m.STREAM.at("schedule"), m.USERS.at("schedule")
SCHEDULE = Figure(
    **DEFINITION.figure("schedule"),
    plots=[
        Plot(
            x=Axis(label="Mean one-way delay of the stream (ms)", low=45, high=160),
            y=Axis(label="Goodput of eight flows / of one", low=6, high=10),
            marks=[Scatter(x=_stream, y=_users, by="variant", pens=_PENS)],
            levels=[Level(y=8)],
        )
    ],
    data={"stream_delay_ms": _stream, "ratio": _users},
    numbers=Numbers(of=_stream, rows="variant", head="Queue", caption="Mean one-way delay of the stream, ms"),
)

_mix = {
    "voice_delay_p95_ms": m.VOICE.at("mix"),
    "voice_lost_percent": m.VOICE_LOST.at("mix"),
    "voice_score": m.MOS.at("mix"),
    "page_p50_s": m.BROWSERS.at("mix"),
    "page_p95_s": m.BROWSERS_LATE.at("mix"),
    "video_kbps": m.BITRATE.at("mix"),
    "video_stalled_percent": m.STALLED.at("mix"),
    "bulk_percent": m.BULK.at("mix"),
    "utilization_percent": m.UTILIZATION.at("mix"),
}
MIX = Figure(
    **DEFINITION.figure("mix"),
    plots=[
        Plot(
            x=Axis(label="", low=50, high=160),
            y=Axis(label="Median load time of a page (s)"),
            marks=[Scatter(x=_mix["voice_delay_p95_ms"], y=_mix["page_p50_s"], by="variant", pens=_PENS)],
        ),
        Plot(
            x=Axis(label="Delay of the voice, 95th percentile (ms)", low=50, high=160),
            y=from_zero("Bitrate of the video (kb/s)", _mix["video_kbps"], margin=0.05),
            marks=[Scatter(x=_mix["voice_delay_p95_ms"], y=_mix["video_kbps"], by="variant", pens=_PENS)],
        ),
    ],
    height=6.4,
    data=_mix,
    numbers=Numbers(
        of={
            "score of the call": _mix["voice_score"],
            "page, s": _mix["page_p50_s"],
            "video, kb/s": _mix["video_kbps"],
            "video stands still, %": _mix["video_stalled_percent"],
            "downloads, %": _mix["bulk_percent"],
        },
        rows="variant",
        head="Queue",
        caption="What the users of each application notice",
    ),
)

_two_way = {
    "control_loss_percent": m.CONTROL_LOST.at("two_way"),
    "short_p50_ms": m.OPENED.at("two_way"),
    "short_p95_ms": m.OPENED_LATE.at("two_way"),
    "utilization_percent": m.UTILIZATION.at("two_way"),
    "p95_ms": m.LATE.at("two_way"),
}
TWO_WAY = Figure(
    **DEFINITION.figure("two_way"),
    plots=[
        Plot(
            x=Axis(label="Median completion time of a short connection (ms)", low=140, high=260),
            y=from_zero("Loss of control packets (%)", _two_way["control_loss_percent"], margin=0.05),
            marks=[Scatter(x=_two_way["short_p50_ms"], y=_two_way["control_loss_percent"], by="variant", pens=_PENS)],
        )
    ],
    data=_two_way,
    numbers=Numbers(
        of={
            "loss of control packets, %": _two_way["control_loss_percent"],
            "connection, ms": _two_way["short_p50_ms"],
            "utilization, %": _two_way["utilization_percent"],
        },
        rows="variant",
        head="Queue",
        caption="Traffic in both directions",
    ),
)

PAPER = Paper(
    definition=DEFINITION,
    claims=CLAIMS,
    parts=lambda: [varying(), two_way()],
    chapters=[
        Chapter(
            title="Levels of congestion (section 8.2)",
            figures=[_tradeoff("tradeoff", "congestion", along="flows"), CONGESTION],
        ),
        Chapter(
            title="Transport protocols (section 5)",
            figures=[_tradeoff("senders", "senders", along="law", by="law"), UNRESPONSIVE],
        ),
        Chapter(title="Round-trip times (section 6)", figures=[DISTANCE]),
        Chapter(title="Bursts (section 7)", figures=[BURSTS]),
        Chapter(
            title="Stability (sections 8.2.5 and 8.2.6)",
            figures=[_tradeoff("crowd", "crowd"), _tradeoff("capacity", "capacity")],
        ),
        Chapter(title="ECN (section 4.5)", figures=[ECN]),
        Chapter(title="Sensitivity of parameters (section 8.3)", figures=[BUFFERS]),
        Chapter(title="Scheduling (section 4.6)", figures=[SCHEDULE]),
        Chapter(title="Applications, and both directions (section 9)", figures=[MIX, TWO_WAY]),
    ],
    profile="linux",
)
