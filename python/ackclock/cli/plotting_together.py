"""Implements ``ackclock plot`` of several runs: results, stores and scenario files in one figure."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ackclock.cli.plotting import FORMATS, Choice, load_result, write_figure
from ackclock.drawing.paper import draw
from ackclock.running.figures.durations import DURATIONS
from ackclock.running.figures.together import check_names, together
from ackclock.running.run import simulate
from ackclock.scenario import Scenario
from ackclock.study.store.folder import is_store
from ackclock.values.errors import refuse
from ackclock.values.quantity import TIME

_BINS: Final = 100
_SAMPLES: Final = 1000
_SEED: Final = 1


def plot_together(inputs: Sequence[Path], choice: Choice, figures: Sequence[str], *, out: Path | None) -> None:
    """Draw several runs in one figure, and write it."""
    for option, given in (("--gauge", choice.gauges), ("--variable", choice.variables)):
        if given:
            raise refuse(option, given[0], "must be absent: it selects a panel of a figure of one result")
    check_names(figures)
    file = out or Path("together.png")
    if file.suffix.lower() not in FORMATS:
        raise refuse("--out", str(file), f"must end in one of {', '.join(FORMATS)}")
    if file.exists() or file.is_symlink():
        raise refuse("--out", str(file), "must not exist yet: figures are never overwritten; give another name")
    runs: dict[str, list[Any]] = {}
    for each in inputs:
        for name, own in _runs(each, figures, several=len(inputs) > 1).items():
            if name in runs:
                raise refuse("RESULT", str(each), "must be given once")
            runs[name] = own
    first = next(iter(runs.values()))[0]
    start, end = choice.times(first)
    chart = together(runs, figures, link=choice.link, flow=choice.number(first), start=start, end=end)
    write_figure(file, FORMATS[file.suffix.lower()](draw(chart)))
    sys.stdout.write(f"The figure is {file}\n")


def _runs(source: Path, figures: Sequence[str], *, several: bool) -> dict[str, list[Any]]:
    """Return the runs of a result, a store or a scenario file, by their names in the figure."""
    name = source.stem if source.is_file() else source.resolve().name
    if source.is_file():
        return {name: [_simulated(source, figures)]}
    if not is_store(source):
        return {name: [load_result(source)]}
    from ackclock.study.figures.stored import stored_runs  # noqa: PLC0415  # it loads Arrow
    from ackclock.study.store import Store  # noqa: PLC0415

    found = stored_runs(Store.open(source))
    if not found:
        raise refuse("RESULT", str(source), "must have runs: the store has none")
    return {": ".join(filter(None, (name if several or not label else "", label))): own for label, own in found.items()}


def _simulated(file: Path, figures: Sequence[str]) -> Any:
    """Run a scenario with the records of all panels, or of the figures of durations that are asked for."""
    scenario = Scenario.from_toml(file)
    if durations := [DURATIONS[name].record for name in figures if name in DURATIONS]:
        return simulate(scenario, seed=_SEED, record=durations)
    duration = TIME.parse(scenario.duration)
    bin_, sample = (TIME.format(max(duration // parts, 1)) for parts in (_BINS, _SAMPLES))
    record = [f"windows/{sample}", f"throughput/{bin_}", f"queue/{sample}"]
    has_windows = any(group.transport.kind == "tcp" for group in scenario.groups)
    return simulate(scenario, seed=_SEED, record=record if has_windows else record[1:])
