"""Implements ``ackclock plot``: draws the gauges of a saved run."""

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ackclock.report.gauges import gauge_chart
from ackclock.report.paper import draw
from ackclock.report.style import to_png, to_svg
from ackclock.running.result import load
from ackclock.scenario.errors import refuse, unreadable
from ackclock.scenario.quantity import PICOSECONDS_PER_SECOND, TIME, QuantityError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FORMATS: Final[Mapping[str, "Callable[[Figure], bytes]"]] = {
    ".png": to_png,
    ".svg": lambda figure: to_svg(figure).encode(),
}


def plot(
    result: Path, *, out: Path, link: str | None, gauges: Sequence[str], start: str | None, end: str | None
) -> None:
    """Draw the gauges of a saved run, and write the figure."""
    render = _FORMATS.get(out.suffix.lower())
    if render is None:
        raise refuse("--out", str(out), f"must end in {' or '.join(_FORMATS)}")
    if out.exists() or out.is_symlink():
        raise refuse("--out", str(out), "must not exist yet")
    run = load(result)
    if "gauges" not in run.tables:
        raise unreadable(result, "its run recorded no gauges", "a result of `ackclock run --record gauges --out`")
    chart = gauge_chart(
        run.table("gauges"),
        link=link,
        gauges=gauges,
        start=0.0 if start is None else _seconds("--from", start),
        end=float("inf") if end is None else _seconds("--to", end),
    )
    _write(out, render(draw(chart)))
    sys.stdout.write(f"The figure is {out}\n")


def _seconds(option: str, text: str) -> float:
    try:
        return TIME.parse(text) / PICOSECONDS_PER_SECOND
    except QuantityError as error:
        raise refuse(option, text, str(error)) from None


def _write(out: Path, content: bytes) -> None:
    """Write the figure atomically."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=out.parent, prefix=f".{out.name}-", delete=False) as made:
            beside = Path(made.name)
            made.write(content)
        beside.chmod(0o644)
        beside.replace(out)
    except OSError as error:
        raise unreadable(out, str(error.strerror or error), "a file that can be written") from None
