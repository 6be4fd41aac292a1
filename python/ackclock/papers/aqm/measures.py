"""Measures of a run: waiting times, use and loss of the bottleneck, and the shares and delays of groups of clients."""

from __future__ import annotations

from ackclock.papers.core.measures import Measure
from ackclock.papers.core.parts import Taken
from ackclock.running.run import Run

MEDIAN = Measure("p50", "median waiting time", "ms", digits=1)
LATE = Measure("p95", "95th percentile of the waiting time", "ms", digits=1)
UTILIZATION = Measure("utilization", "utilization", "%", digits=1)
LOSS = Measure("loss", "loss", "%", digits=3)
MARKS = Measure("marks", "marked packets", "%", digits=2)

TCP = Measure("tcp_goodput", "goodput of four TCP flows", "% of the link", digits=1)
RATIO = Measure(
    "ratio",
    "goodput of the flow of 100 ms, divided by that of the other",
    digits=2,
    of=lambda row: _divided(row.values["first_goodput"], row.values["second_goodput"]),
)
PAGES = Measure("web_p95", "95th percentile of a page's completion time", "ms", digits=0)
PAGES_LOST = Measure("web_loss", "loss of the web's packets", "%", digits=2)
VIDEO_LOST = Measure("video_loss", "loss of the video's packets", "%", digits=2)
CALL = Measure(
    "call",
    "95th percentile of the voice's waiting time",
    "ms",
    digits=1,
    of=lambda row: None if (late := row.values["voice_delay_p95"]) is None else late - 50,
)
VOICE = Measure("voice_delay_p95", "95th percentile of the voice's one-way delay", "ms", digits=1)
VOICE_LOST = Measure("voice_lost", "lost packets of the voice", "%", digits=2)
MOS = Measure("voice_mos", "mean opinion score of the voice", digits=2)
JITTER = Measure("voice_jitter", "jitter of the voice", "ms", digits=1)
BROWSERS = Measure("browsers_page_p50", "median load time of a page", "s", digits=2)
BROWSERS_LATE = Measure("browsers_page_p95", "95th percentile of a page's load time", "s", digits=2)
BITRATE = Measure("film_bitrate", "mean bitrate of the adaptive video", "kb/s", digits=0)
STALLED = Measure("film_stalled", "share of time in which the adaptive video stands still", "%", digits=2)
BULK = Measure("bulk_goodput", "goodput of five downloads", "% of the link", digits=1)
CONTROL_LOST = Measure("control_loss", "loss of small control packets", "%", digits=3)
OPENED = Measure("short_p50", "median completion time of a short connection", "ms", digits=0)
OPENED_LATE = Measure("short_p95", "95th percentile of the completion time of a short connection", "ms", digits=0)
STREAM = Measure("stream_delay", "mean one-way delay of the stream", "ms", digits=1)
USERS = Measure(
    "users",
    "goodput of the user with eight flows, divided by that of the user with one",
    digits=2,
    of=lambda row: _divided(row.values["eight_goodput"], row.values["one_goodput"]),
)


def load(run: Run) -> Taken:
    """Return percentiles of the waiting time in ms, and utilization and loss of the bottleneck in per cent."""
    here = run.summary
    return {
        "p50": _scaled(here.sojourn_p50, 1000),
        "p95": _scaled(here.sojourn_p95, 1000),
        "utilization": 100 * here.utilization,
        "loss": _scaled(here.loss, 100),
    }


def link(run: Run) -> Taken:
    """Return the numbers of `load`, and the marked packets in per cent."""
    return {**load(run), "marks": 100 * run.summary.marks / run.summary.arrivals}


def groups(run: Run) -> Taken:
    """Return the numbers of `link`, and those of each group: percentages, and times in ms."""
    rate = run.summary.throughput_bps / run.summary.utilization
    return {
        **link(run),
        **{
            f"{group.name}_{name}": value
            for group in run.summary.groups
            for name, value in {
                "goodput": 100 * group.goodput_bps / rate,
                "loss": _scaled(group.loss, 100),
                "delay": _scaled(group.delay_mean, 1000),
                "jitter": _scaled(group.jitter, 1000),
                "p95": _scaled(group.completion_p95, 1000),
            }.items()
        },
    }


def applications(run: Run) -> Taken:
    """Return the numbers of `groups`, and what users of each group notice: percentages, times in ms, of pages in s."""
    return {
        **groups(run),
        **{
            f"{group.name}_{name}": value
            for group in run.summary.groups
            for name, value in {
                "p50": _scaled(group.completion_p50, 1000),
                "delay_p95": _scaled(group.delay_p95, 1000),
                "lost": _scaled(group.lost, 100),
                "mos": group.mos,
                "page_p50": group.page_load_p50,
                "page_p95": group.page_load_p95,
                "bitrate": _scaled(group.video_bitrate, 0.001),
                "stalled": _scaled(group.stall_share, 100),
            }.items()
        },
    }


def _scaled(value: float | None, by: float) -> float | None:
    return None if value is None else by * value


def _divided(value: float | None, by: float | None) -> float | None:
    return None if value is None or not by else value / by
