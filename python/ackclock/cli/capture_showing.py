"""Prints the results of ``ackclock capture`` to the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from ackclock.capture.conversations import HEAD, conversations
from ackclock.capture.diagnosis import is_single
from ackclock.capture.shares import SHARES, shares
from ackclock.cli.console import console
from ackclock.values.words import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ackclock.capture.reading import Capture


def show(read: Capture, summary: Mapping[str, Any], *, out: Path | None) -> None:
    """Print the results of a capture, and where its report is if there is one."""
    screen = console()
    if summary["diagnosis"]["connection"] is not None:
        screen.print(Text(f"{summary['diagnosis']['text']}\n"))
    when = f", from {summary['first']} to {summary['last']}" if read.span else ""
    screen.print(Text(f"{read.packets:,} packets, {read.bytes:,} bytes as sent in {read.duration:.6g} s{when}\n"))
    screen.print(_mix_table(read))
    if len(read.flows):
        screen.print()
        screen.print(_flow_table(read))
        screen.print(Text(f"{counted(read.flow_count, 'conversation')}{_again(read)}"))
    arrivals = summary["arrivals"]
    if "cov" in arrivals:
        spread = "" if is_single(read) else _hurst(arrivals["hurst"])
        screen.print(
            Text(
                f"\n{arrivals['about']}: c.o.v. {arrivals['cov']:.4g}, dispersion {arrivals['dispersion']:.4g}, "
                f"peak/mean {arrivals['peak_to_mean']:.4g}{spread}"
            )
        )
    # the arrivals of one connection follow its window: how well their scaling is known is left to the page
    scaling = () if is_single(read) else arrivals.get("notices", ())
    for notice in [*summary["notices"], *scaling]:
        screen.print(Text(f"Note: {notice}"))
    if out is not None:
        screen.print(Text(f"\nThe report is {out / 'report.html'}; `ackclock query {out} SQL` queries the data."))


def _again(read: Capture) -> str:
    """Say how many segments were sent again, overtaken, or missed."""
    if read.retransmissions is None or read.overtaken is None:
        return "; retransmissions are unknown"
    parts = [f"{counted(read.retransmissions, 'TCP segment')} sent again"]
    parts += [f"{read.overtaken:,} overtaken"] if read.overtaken else []
    return f" with {', '.join(parts)}"


def _hurst(estimates: Sequence[Mapping[str, Any]]) -> str:
    """Give one estimate with its interval: of local Whittle, whose interval is known, or else of the wavelets."""
    by_method = {each["method"]: each for each in estimates}
    one = by_method.get("local_whittle") or by_method.get("abry_veitch")
    if one is None:
        return ""
    if not 0 < one["h"] < 1:
        return f"; no Hurst parameter: the estimate {one['h']:.3f} ({one['method']}) is outside of 0 to 1"
    return f"; Hurst parameter {one['h']:.3f} ({one['low']:.3f} to {one['high']:.3f}, {one['method']})"


def _mix_table(read: Capture) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("layer")
    table.add_column("protocol")
    for name in SHARES:
        table.add_column(name, justify="right")
    for each, numbers in shares(read):
        table.add_row(each.layer, each.name, *numbers)
    return table


def _flow_table(read: Capture) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(HEAD[0], overflow="fold")
    for name in HEAD[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    for ends, *numbers in conversations(read):
        table.add_row(Text(ends), *numbers)  # brackets must not be read as markup
    return table
