"""The chart of a run, from events that are given by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ackclock.conformance.picture import picture
from ackclock.conformance.running import ScriptResult, draw

if TYPE_CHECKING:
    from ackclock.drawing.chart import Chart

ROOT = Path(__file__).resolve().parents[2]


def segment(time: float, start: int, end: int, status: str = "met", **more: Any) -> dict[str, Any]:
    return {"kind": "segment", "time": time, "status": status, "start": start, "end": end, **more}


def ack(time: float, number: int, **more: Any) -> dict[str, Any]:
    return {"kind": "ack", "time": time, "status": "given", "ack": number, **more}


def drawn(*events: dict[str, Any], pauses: tuple[dict[str, float], ...] = (), line: int | None = None) -> Chart:
    verdict = "equal" if line is None else "differs"
    result = ScriptResult(path=Path("a.pkt"), verdict=verdict, line=line, time=0.5, expected="x", found="y")  # type: ignore[arg-type]
    return picture(result, {"events": list(events), "pauses": list(pauses), "truncated": False})


def points(chart: Chart, name: str) -> list[tuple[float, float]]:
    """Return the points of a series, without its gaps."""
    [series] = [each for each in chart.panels[0].series if each.name == name]
    pairs = zip(np.asarray(series.x, float), np.asarray(series.y, float), strict=True)
    return [(round(float(x), 6), round(float(y), 6)) for x, y in pairs if not math.isnan(y)]


def names(chart: Chart) -> list[str]:
    return [each.name for each in chart.panels[0].series]


def test_segments_acks_and_blocks() -> None:
    chart = drawn(
        segment(0.0, 0, 1000),
        segment(0.0, 1000, 2000),
        ack(1.0, 0, sacks=[[1000, 2000]]),
        segment(1.0, 0, 1000, retransmission=True),
        ack(2.0, 2000, limit=2000),
    )
    assert names(chart) == ["end of the window", "ACK", "SACK block", "segment", "retransmission"]
    # what is sent is drawn beside what arrives, 0.5 % of 2 s; segments that touch have a space of 0.4 % of 2,000 bytes
    assert points(chart, "segment") == [(0.01, 8.0), (0.01, 992.0), (0.01, 1008.0), (0.01, 1992.0)]
    assert points(chart, "retransmission") == [(1.01, 8.0), (1.01, 992.0)]
    assert points(chart, "SACK block") == [(1.0, 1008.0), (1.0, 1992.0)]
    assert points(chart, "ACK") == [(1.0, 0.0), (2.0, 0.0), (2.0, 2000.0), (2.1, 2000.0)]


def test_the_first_difference_and_the_expected_packet() -> None:
    chart = drawn(
        segment(0.0, 0, 1000),
        segment(0.4, 1000, 2000, "wrong", line=9),
        segment(0.5, 0, 1000, "missing", until=1.0),
        line=9,
    )
    assert "not expected" in names(chart)
    box = points(chart, "expected")
    assert (min(box)[0], max(box)[0]) == (0.5, 1.01)
    # the packet that is not expected is earlier than the expected one
    assert points(chart, "first difference")[0][0] == pytest.approx(0.39)
    assert [note.text for note in chart.panels[0].notes] == [" line 9"]


def test_pauses_are_shortened() -> None:
    events = [segment(time, 0, 1000) for time in (0.0, 1.0, 61.0, 62.0)]
    chart = drawn(*events, pauses=({"from": 1.0, "until": 61.0, "shown": 2.0},))
    assert {x for x, _ in points(chart, "segment")} == {0.02, 1.02, 3.02, 4.02}
    ticks = chart.panels[0].x.ticks
    assert ticks == [(0.0, "0"), (1.0, "1"), (3.0, "61"), (4.0, "62")]
    assert [note.text for note in chart.panels[0].notes] == [" +60 s"]


def test_long_runs_have_few_points() -> None:
    script = ROOT / "examples" / "conformance" / "bbr3" / "10_probe_rtt.pkt"
    result, found = draw(script)
    assert len(found["events"]) > 5000
    chart = picture(result, found)
    assert sum(np.size(each.x) for each in chart.panels[0].series) < 20_000


def test_a_script_that_does_not_run_has_an_empty_picture(tmp_path: Path) -> None:
    script = tmp_path / "a.pkt"
    script.write_text("0 socket(...) = 3\n", encoding="utf-8")
    result, found = draw(script)
    assert (result.verdict, found["events"]) == ("inexpressible", [])
    assert names(picture(result, found)) == []
