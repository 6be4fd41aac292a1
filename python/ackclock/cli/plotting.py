"""Implements ``ackclock plot``: draws the gauges and the states of a saved run."""

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ackclock.report.gauges import gauge_chart
from ackclock.report.paper import draw
from ackclock.report.states import phase_diagram, state_chart
from ackclock.report.style import to_png, to_svg
from ackclock.running.result import load
from ackclock.scenario.errors import impossible, refuse, unreadable
from ackclock.scenario.quantity import PICOSECONDS_PER_SECOND, TIME, QuantityError
from ackclock.study.store.folder import is_store

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ackclock.report.chart import Chart
    from ackclock.running.run import Run

_FORMATS: Final[Mapping[str, "Callable[[Figure], bytes]"]] = {
    ".png": to_png,
    ".svg": lambda figure: to_svg(figure).encode(),
}


@dataclass(frozen=True)
class Gauges:
    """What to draw of a queue discipline."""

    link: str | None
    names: Sequence[str]

    def chart(self, run: "Run", start: float, end: float) -> "Chart":
        """Draw the gauges of a run."""
        return gauge_chart(run.table("gauges"), link=self.link, gauges=self.names, start=start, end=end)

    def is_asked(self) -> bool:
        """Whether an option asks for this drawing."""
        return self.link is not None or bool(self.names)


@dataclass(frozen=True)
class States:
    """What to draw of a window law."""

    flow: int | None
    names: Sequence[str]
    diagram: bool

    def chart(self, run: "Run", start: float, end: float) -> "Chart":
        """Draw the states of a run."""
        if self.diagram:
            return phase_diagram(run, flow=self.flow, start=start, end=end)
        return state_chart(run, flow=self.flow, variables=self.names, start=start, end=end)

    def is_asked(self) -> bool:
        """Whether an option asks for this drawing."""
        return self.flow is not None or bool(self.names) or self.diagram


def plot(result: Path, gauges: Gauges, states: States, *, out: Path, start: str | None, end: str | None) -> None:
    """Draw gauges or states of a saved run, whichever options ask for or the run recorded, and write the figure."""
    render = _FORMATS.get(out.suffix.lower())
    if render is None:
        raise refuse("--out", str(out), f"must end in {' or '.join(_FORMATS)}")
    if out.exists() or out.is_symlink():
        raise refuse("--out", str(out), "must not exist yet")
    if gauges.is_asked() and states.is_asked():
        raise impossible("plot: --link and --gauge draw gauges, but --flow, --variable and --diagram draw states")
    if states.names and states.diagram:
        raise impossible("plot: --diagram does not draw single variables; leave out --variable")
    if is_store(result):
        why = "it is a store, for `ackclock report`, or `store.plot()` in Python"
        raise unreadable(result, why, "a result of `ackclock run --out`")
    run = load(result)
    draws_gauges = gauges.is_asked() or ("gauges" in run.tables and not states.is_asked())
    chosen, record = (gauges, "gauges") if draws_gauges else (states, "states")
    if record not in run.tables:
        missing = record if gauges.is_asked() or states.is_asked() else "gauges and no states"
        raise unreadable(
            result, f"its run recorded no {missing}", f"a result of `ackclock run --record {record} --out`"
        )
    first = 0.0 if start is None else _seconds("--from", start)
    last = float("inf") if end is None else _seconds("--to", end)
    _write(out, render(draw(chosen.chart(run, first, last))))
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
