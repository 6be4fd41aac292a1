"""Synthetic runs for which every claim on queue disciplines holds, and what makes each claim fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.worlds import World, put, runs_of

from ackclock.papers.aqm.experiment import two_way, varying
from ackclock.papers.aqm.study import PAPER
from ackclock.papers.core.evidence import Runs
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.support.worlds import Change

MEDIANS = {"tail drop": 90.0, "Adaptive RED": 12.0, "CoDel": 5.0, "PIE": 15.0, "FQ-CoDel": 4.0, "DualPI2": 15.0}

GROUPS = {
    "unresponsive": ("tcp", "udp"),
    "distance": ("first", "second"),
    "bursts": ("bulk", "web", "video", "voice"),
    "schedule": ("eight", "one", "stream"),
    "mix": ("bulk", "browsers", "film", "cbr", "voice", "answer"),
    "two_way": ("up", "down", "control", "short"),
}


def world(part: str, where: Mapping[str, Any]) -> dict[str, float]:
    """Return numbers for which every claim holds."""
    name = where["variant"]
    long, fair = name == "tail drop", name == "FQ-CoDel"
    median = MEDIANS[name]
    values = {"p50": median, "p95": 2.0 * median, "utilization": 98.0, "loss": 1.0, "marks": 0.0}
    if where.get("ecn") == "classic":
        values |= {"loss": 0.0, "marks": 1.0}
    for group in GROUPS.get(part, ()):
        values |= {f"{group}_goodput": 48.0, f"{group}_loss": 4.0 if long else 1.0, f"{group}_jitter": 1.0}
        values |= {f"{group}_delay": 50.0 + median / 2, f"{group}_p95": 900.0 if long else 300.0}
    if part in {"bursts", "mix", "two_way"}:
        for group in GROUPS[part]:
            values |= {f"{group}_delay_p95": 50.0 + median, f"{group}_lost": 1.0, f"{group}_mos": 4.2}
            values |= {f"{group}_page_p50": 12.0 if long else 8.0, f"{group}_page_p95": 20.0, f"{group}_bitrate": 900.0}
            values |= {f"{group}_stalled": 0.0, f"{group}_p50": 400.0 if long else 250.0}
    if part == "unresponsive" and not fair:
        values["tcp_goodput"] = 5.0
    if part == "distance" and not fair:
        values["second_goodput"] = 20.0 if long else 10.0
    if part == "schedule":
        values["one_goodput"] = 6.0
    return values


N = Verdict.NOT

WORSE: list[tuple[str, Verdict, Sequence[Change]]] = [
    ("8.2-1", N, [put("congestion", "p50", 12.0, variant="CoDel", flows=11)]),
    ("8.2-2", N, [put("congestion", "p50", 5.0, variant="PIE", flows=2)]),
    ("8.2-3", N, [put("congestion", "p50", 40.0, variant="DualPI2", flows=7)]),
    ("8.2-4", N, [put("congestion", "utilization", 80.0)]),
    ("2.6", N, [put("congestion", "p95", 20.0, variant="tail drop")]),
    ("5.2", N, [put("senders", "p50", 30.0, law="scalable")]),
    ("5.3-1", N, [put("unresponsive", "tcp_goodput", 30.0, variant="FQ-CoDel")]),
    ("5.3-2", N, [put("unresponsive", "tcp_goodput", 30.0, variant=lambda name: name != "FQ-CoDel")]),
    ("6-1", N, [put("distance", "first_goodput", 60.0, variant="FQ-CoDel")]),
    ("6-2", N, [put("distance", "second_goodput", 1.0, variant="tail drop")]),
    ("7-1", N, [put("bursts", "web_loss", 0.1, variant="tail drop")]),
    ("7-2", N, [put("bursts", "web_p95", 100.0, variant="tail drop")]),
    ("8.2.5", N, [put("crowd", "p95", 5.0, variant="tail drop")]),
    ("8.2.6", N, [put("capacity", "p95", 5.0, variant="tail drop")]),
    ("4.5-1", N, [put("ecn", "loss", 0.1)]),
    ("4.5-2", N, [put("ecn", "utilization", 90.0, ecn="classic")]),
    ("8.3-1", N, [put("usual", "p50", 9.0), put("fast", "p50", 9.0)]),
    ("8.3-2", N, [put("fast", "p50", 9.0)]),
    ("4.6-1", N, [put("schedule", "stream_delay", 60.0, variant="FQ-CoDel")]),
    ("4.6-2", N, [put("schedule", "one_goodput", 10.0, variant="FQ-CoDel")]),
    ("9.1-1", N, [put("mix", "voice_mos", 3.5, variant="FQ-CoDel")]),
    ("9.1-2", N, [put("mix", "voice_delay_p95", 52.0, variant="tail drop")]),
    ("9.1-3", N, [put("mix", "browsers_page_p50", 5.0, variant="tail drop")]),
    ("9.1-4", N, [put("mix", "film_bitrate", 2000.0, variant="tail drop")]),
    ("9.1-5", N, [put("mix", "utilization", 80.0)]),
    ("9.2-1", N, [put("two_way", "control_loss", 0.1, variant="tail drop")]),
    ("9.2-2", N, [put("two_way", "short_p50", 200.0, variant="tail drop")]),
    ("9.2-3", N, [put("two_way", "utilization", 80.0)]),
]

RUNS = Runs(
    {
        part.name: runs_of(
            [spot.where for spot in part.spots],
            lambda where, part=part.name: world(part, where),  # type: ignore[misc]
            factor=lambda seed: 1 + 0.0001 * (seed - 2),
        )
        for part in [*PAPER.definition.parts(), varying(), two_way()]
    }
)
WORLD = World(paper=PAPER, runs=RUNS, worse=WORSE)
