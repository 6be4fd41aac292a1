"""Implements ``ackclock plot``: draws the records of a saved run."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ackclock.drawing.paper import draw
from ackclock.drawing.style import to_pdf, to_png, to_svg
from ackclock.files.making import new_file
from ackclock.running.figures import FIGURES, FigureKind, chart, figures_of
from ackclock.running.records import KINDS, flows_of_groups
from ackclock.running.result import UNSEALED, load
from ackclock.study.store.folder import is_store
from ackclock.values.errors import ScenarioError, listed, one_of, refuse, unreadable
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, TIME, QuantityError, seconds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ackclock.running.run import Run

FORMATS: Final[Mapping[str, "Callable[[Figure], bytes]"]] = {
    ".png": to_png,
    ".svg": lambda figure: to_svg(figure).encode(),
    ".pdf": to_pdf,
}


@dataclass(frozen=True)
class Choice:
    """What to draw of a run; empty options draw each record."""

    figure: str | None
    link: str | None
    flow: str | None
    """The number of a flow, or the name of a group of one flow."""
    gauges: Sequence[str]
    variables: Sequence[str]
    start: str | None
    end: str | None

    def kinds(self, run: "Run", result: Path) -> Sequence[FigureKind]:
        """Return the figures to draw: the one that the options name, or the default figure of each record."""
        name = self.figure or ("gauges" if self.gauges else "states" if self.variables else None)
        for option, given, of in (("--gauge", self.gauges, "gauges"), ("--variable", self.variables, "states")):
            if given and name != of:
                raise refuse(option, given[0], f"must be absent: it selects a panel of the figure {of}, not of {name}")
        if name is not None:
            return [_named(name, run, result)]
        kinds = figures_of(run)
        if not kinds:
            raise unreadable(
                result,
                "its run has kept no record",
                f"a result of `ackclock run FILE --record KIND --out FOLDER`, where KIND is one of {listed(KINDS)}",
            )
        fit = [kind for kind in kinds if (self.flow if kind.of_link(run) else self.link) is None]
        if not fit:
            option = "--flow" if self.link is None else "--link"
            names = listed(kind.name for kind in kinds)
            raise refuse(
                option,
                self.flow if self.link is None else self.link,
                f"must be absent: it fits none of the figures of this result: {names}",
            )
        return fit

    def number(self, run: "Run") -> int | None:
        """Return the number of the flow to draw."""
        if self.flow is None or self.flow.isdecimal():
            return None if self.flow is None else int(self.flow)
        groups = flows_of_groups(run.scenario)
        if self.flow not in groups:
            allowed = f"must be the number of a flow, or a group of one flow; groups: {listed(groups)}"
            raise refuse("--flow", self.flow, allowed)
        flows = groups[self.flow]
        if len(flows) > 1:
            numbers = f"group {self.flow} has the flows {flows[0]} to {flows[-1]}"
            raise refuse("--flow", self.flow, f"must be the number of a flow: {numbers}")
        return flows[0]

    def times(self, run: "Run") -> tuple[float | None, float | None]:
        """Return the start and the end of the plot, in seconds."""
        start, end = _seconds("--from", self.start), _seconds("--to", self.end)
        last = seconds(run.scenario.duration)
        if start is not None and start >= min(last, last if end is None else end):
            raise refuse("--from", self.start, f"must be before the end of the plot; the run ends at {last:g} s")
        return start, end


def _named(name: str, run: "Run", result: Path) -> FigureKind:
    """Return the figure with a name, made from a record that the run has kept."""
    named = [kind for kind in FIGURES if kind.name == name] or [kind for kind in FIGURES if kind.record == name]
    if not named:
        raise refuse("--figure", name, one_of(name, dict.fromkeys(kind.name for kind in FIGURES)), noun="figure")
    kept = [kind for kind in FIGURES if kind.is_kept(run)]
    found = [kind for kind in kept if kind in named]
    if found:
        return found[0]
    record = named[0].record
    if record is None:
        raise refuse(
            "--figure", name, 'must be the figure of a graph with measured links: set measure.links, as to "all"'
        )
    drawn = f" (this result has the figures {listed(dict.fromkeys(kind.name for kind in kept))})" if kept else ""
    wanted = f"a result of `ackclock run FILE --record {record} --out FOLDER`{drawn}"
    raise unreadable(result, f"its run has kept no {record}", wanted)


def is_one(results: Sequence[Path]) -> bool:
    """Whether these are one result, and not several runs, the runs of a store, or a scenario."""
    return len(results) == 1 and not results[0].is_file() and not is_store(results[0])


def plot(result: Path, choice: Choice, names: Sequence[str], *, out: Path | None) -> None:
    """Draw the records of a saved run, and write a file for each figure."""
    if len(names) > 1:
        raise refuse("--figure", names[1], "must be given once for a figure of one result")
    if out is not None and out.suffix.lower() not in FORMATS:
        raise refuse("--out", str(out), f"must end in one of {', '.join(FORMATS)}")
    run = load_result(result)
    kinds = choice.kinds(run, result)
    flow, (start, end) = choice.number(run), choice.times(run)
    failures = []
    for kind, file in zip(kinds, _files(result, kinds, out), strict=True):
        try:
            drawn = chart(
                [run],
                kind.name,
                link=choice.link,
                flow=flow,
                start=start,
                end=end,
                names=choice.gauges or choice.variables,
            )
        except ScenarioError as error:
            failures.append(error)
            continue
        write_figure(file, FORMATS[file.suffix.lower()](draw(drawn)))
        sys.stdout.write(f"The figure is {file}\n")
    if len(failures) == len(kinds):
        raise failures[0]
    for failure in failures:
        sys.stderr.write(f"not drawn: {failure.headline}\n")


def _files(result: Path, kinds: Sequence[FigureKind], out: Path | None) -> Sequence[Path]:
    """Return the new file of each figure."""
    if out is not None and len(kinds) > 1:
        names = listed(kind.name for kind in kinds)
        raise refuse("--out", str(out), f"must be absent, or --figure must name one of the figures: {names}")
    files = [out or result.with_name(f"{result.resolve().name}-{kind.name}.png") for kind in kinds]
    for file in files:
        if file.exists() or file.is_symlink():
            raise refuse("--out", str(file), "must not exist yet: figures are never overwritten; give another name")
    return files


def load_result(result: Path) -> "Run":
    """Read a result."""
    expected = "a result of `ackclock run --out`"
    if result.is_file():
        raise unreadable(result, "it is a file", expected)
    run = load(result)
    if UNSEALED in run.notices:
        sys.stderr.write(f"{result}: {UNSEALED}\n")
    if run.live is not None:
        sys.stderr.write(f"{result}: a live run with kernel {run.live['kernel']}\n")
    return run


def _seconds(option: str, text: str | None) -> float | None:
    try:
        return None if text is None else TIME.parse(text) / PICOSECONDS_PER_SECOND
    except QuantityError as error:
        raise refuse(option, text, str(error)) from None


def write_figure(out: Path, content: bytes) -> None:
    """Write the figure atomically."""
    with new_file(out, allowed="a file that can be written", replaces=True) as made:
        made.write_bytes(content)
