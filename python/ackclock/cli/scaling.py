"""Implements ``ackclock burstiness``: analyses the burstiness of a series over time scales."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table
from rich.text import Text

from ackclock import analysis
from ackclock.cli.console import console
from ackclock.cli.series import Series, read
from ackclock.engine.catalogue import catalogue
from ackclock.papers.folder import check_replaceable, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from ackclock.analysis import Burstiness, Hurst

_MADE = "the burstiness of a series"
_LAGS = 10


def burstiness(
    source: str, *, column: str | None, bin_: str | None, weight: str | None, as_json: bool, out: Path | None
) -> None:
    """Analyse the burstiness of a series, print the results, and draw them if a folder is given."""
    if out is not None:
        check_replaceable(out, study=_MADE)
    series = read(source, column=column, bin_=bin_, weight=weight)
    ladder, found = analysis.burstiness(series.values), analysis.hurst(series.values)
    result = {"version": catalogue().version, "input": source, **described(series, ladder, found)}
    if out is not None:
        given = (("--column", column), ("--bin", bin_), ("--sum", weight), ("--out", str(out)))
        words = ["ackclock", "burstiness", source, *(word for each in given if each[1] for word in each)]
        _write(out, result, series, ladder, found, command=shlex.join(map(str, words)))
    if as_json:
        sys.stdout.write(json.dumps(result, indent=2, allow_nan=False) + "\n")
        return
    _show(series, ladder, found)
    if out is not None:
        console().print(Text(f"\nThe report is {out / 'report.html'}"))


def described(series: Series, ladder: Burstiness, found: Hurst) -> dict[str, Any]:
    """Return the analysis of a series as plain data, for JSON."""
    columns = ("cov", "dispersion", "peak_to_mean", "autocorrelation")
    rungs = [
        {"scale": int(scale), "bins": int(bins)} | {name: _number(getattr(ladder, name)[place]) for name in columns}
        for place, (scale, bins) in enumerate(zip(ladder.scales, ladder.bins, strict=True))
    ]
    return {
        "about": series.about,
        "count": series.values.size,
        "bin": series.bin,
        "mean": float(series.values.mean()),
        "cov": rungs[0]["cov"],
        "dispersion": rungs[0]["dispersion"],
        "peak_to_mean": rungs[0]["peak_to_mean"],
        "autocorrelation": [_number(each) for each in _autocorrelation(series.values)],
        "ladder": rungs,
        "hurst": [
            {
                "method": each.method,
                "h": each.h,
                "low": each.low,
                "high": each.high,
                "scales": list(each.scales),
                "bias": each.bias,
            }
            for each in found.estimates
        ],
        "long_range": found.long_range,
        "notices": list(found.notices),
    }


def _autocorrelation(values: NDArray[np.float64]) -> list[float]:
    """Return the sample autocorrelation at lags 0 to `_LAGS`."""
    apart = values - values.mean()
    return [float(apart[: values.size - lag] @ apart[lag:] / (apart @ apart)) for lag in range(_LAGS + 1)]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _show(series: Series, ladder: Burstiness, found: Hurst) -> None:
    out = console()
    out.print(Text(f"{series.about}; mean {series.values.mean():.6g}\n"))
    table = Table(box=None, pad_edge=False)
    names = ("scale", "bins", "c.o.v.", "dispersion", "peak/mean", "autocorrelation")
    for name in names:
        table.add_column(name, justify="right")
    columns = (ladder.cov, ladder.dispersion, ladder.peak_to_mean, ladder.autocorrelation)
    for place, (scale, bins) in enumerate(zip(ladder.scales, ladder.bins, strict=True)):
        length = f"{scale}" if series.bin is None else f"{scale * series.bin:.6g} s"
        table.add_row(length, f"{bins}", *(f"{column[place]:.4g}" for column in columns))
    out.print(table)
    out.print()
    table = Table(box=None, pad_edge=False)
    table.add_column("Hurst parameter by")
    for name in ("H", "95 % interval", "scales (bins)", "known bias"):
        table.add_column(name, justify="right")
    for each in found.estimates:
        table.add_row(
            each.method,
            f"{each.h:.3f}",
            f"{each.low:.3f} to {each.high:.3f}",
            f"{each.scales[0]:.0f} to {each.scales[1]:.0f}",
            f"{each.bias:+.3f}",
        )
    out.print(table)
    for notice in found.notices:
        out.print(Text(f"Note: {notice}"))


def _write(
    out: Path, result: dict[str, Any], series: Series, ladder: Burstiness, found: Hurst, *, command: str
) -> None:
    from ackclock.report.html import render  # noqa: PLC0415  # slow to load
    from ackclock.report.scaling import scaling_report  # noqa: PLC0415

    name = "the standard input" if result["input"] == "-" else result["input"]
    report = scaling_report(name, series.about, ladder, found, bin_=series.bin, command=command)
    with write_whole(out, study=_MADE, record={"version": result["version"], "input": result["input"]}) as folder:
        for drawing in report.drawings:
            for name, content in drawing.files.items():
                (folder / name).write_bytes(content)
        (folder / "burstiness.json").write_text(json.dumps(result, indent=2, allow_nan=False) + "\n", encoding="utf-8")
        (folder / "report.html").write_text(render(report), encoding="utf-8")
