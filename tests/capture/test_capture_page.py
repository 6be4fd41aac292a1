"""Figures of a capture's page, by hand: merged bins, dots and their axes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import ackclock as ac
from ackclock.capture.report import capture_report, sizes_panel

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.drawing.chart import Panel
    from ackclock.report.html import Report


def report(root: Path, folder: Path, *, bins: int, bin_: float = 0.1) -> Report:
    """Make the page of four packets, with 1, 2, 3, ... packets in the bins."""
    file = folder / "packets.parquet"
    sizes = np.array([500, 60, 1000, 60], dtype=np.uint32)
    times = np.array([0.0, 0.5, 0.99, 1.0]) * bins * bin_  # the last one is beyond the last bin
    read = ac.read_capture(root / "tests/data/captures/ethernet.pcap")
    assert read.start is not None
    stamps = pa.array(read.start + np.rint(times * 1e9).astype(np.int64)).cast(pa.timestamp("ns", tz="UTC"))
    parquet.write_table(pa.table({"timestamp": stamps, "bytes": sizes}), file, row_group_size=2)
    counts = np.arange(1, bins + 1, dtype=np.float64)
    capture = replace(
        read,
        bin=bin_,
        packets_per_bin=counts,
        bytes_per_bin=1000 * counts,
        flows=read.flows.slice(0, 0),
    )
    return capture_report(capture, file, scales=None, notices=["beware"], command="ackclock capture")


def panels(report: Report, slug: str) -> list[Panel]:
    return [panel for drawing in report.drawings if drawing.slug == slug for panel in drawing.chart.panels]


@pytest.mark.parametrize(
    ("bins", "width", "points", "first", "last"),
    [
        (4, 1, 4, 1, 4),
        (1000, 1, 1000, 1, 1000),
        (1001, 2, 501, 1 + 2, 1001),
        (2500, 3, 834, 1 + 2 + 3, 2500),
    ],
)
def test_more_than_a_thousand_bins_are_merged(
    root: Path, tmp_path: Path, bins: int, width: int, points: int, first: int, last: int
) -> None:
    packets, bits = panels(report(root, tmp_path, bins=bins), "arrivals")
    (series,), (volume,) = packets.series, bits.series
    found = np.asarray(series.y) * width * 0.1
    assert (found.size, found[0], found[-1]) == (points, pytest.approx(first), pytest.approx(last))
    assert found.sum() == pytest.approx(bins * (bins + 1) / 2)
    assert np.asarray(series.x)[1] == pytest.approx(width * 0.1)
    assert np.asarray(volume.y) == pytest.approx(np.asarray(series.y) * 8000e-6)
    assert (packets.x.label, bits.x.label) == ("", "Time, s")
    assert [panel.x.high for panel in (packets, bits)] == [pytest.approx(bins * 0.1)] * 2


def test_dots_are_in_the_middle_of_their_cells(root: Path, tmp_path: Path) -> None:
    """500 cells along 10 s and 300 cells up to 1020 bytes: 2 % above the largest packet."""
    made = report(root, tmp_path, bins=100)
    (panel,) = panels(made, "sizes")
    assert panel.dots is not None
    assert [panel.x.high, panel.y.high] == pytest.approx([10, 1020])
    dots = sorted(zip(np.asarray(panel.dots.x).tolist(), np.asarray(panel.dots.y).tolist(), strict=True))
    cells = [(0, 147), (250, 17), (495, 294)]
    assert dots == [(pytest.approx((x + 0.5) / 50), pytest.approx((y + 0.5) * 3.4)) for x, y in cells]
    assert [(each.lead, each.text) for each in made.summary if each.lead == "Note:"] == [("Note:", "beware")]
    assert made.provenance == [("Command", "ackclock capture")]


@pytest.mark.parametrize(("count", "cells"), [(5000, (250, 150)), (5001, (500, 300))])
def test_few_dots_are_larger(count: int, cells: tuple[int, int]) -> None:
    panel = sizes_panel(np.zeros(count), np.zeros(count), end=1, largest=2)
    assert panel.dots is not None
    assert (panel.dots.columns, panel.dots.rows) == cells
    assert [panel.x.low, panel.x.high, panel.y.low, panel.y.high] == [0, 1, 0, 2]
