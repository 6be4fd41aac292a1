"""Implements ``ackclock live``: runs a scenario with the machine's kernel, and compares it with the simulator."""

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from ackclock.cli.console import console
from ackclock.cli.pages import check_replaceable, write_page
from ackclock.live import Comparison, compare, live
from ackclock.running.progress import progress_bar
from ackclock.running.saving import refuse_existing
from ackclock.scenario import Scenario
from ackclock.scenario.files import read_scenario
from ackclock.scenario.overrides import override
from ackclock.values.errors import refuse


def run(
    file: Path,
    *,
    seed: int,
    as_json: bool,
    overrides: Sequence[str],
    record: Sequence[str],
    out: Path | None,
    compared: int | None,
) -> None:
    """Run a scenario with the kernel, or compare it over `compared` repetitions."""
    if compared is not None and out is not None:
        check_replaceable(out, "ackclock live", "page of a comparison")
    elif out is not None:
        refuse_existing(out)
    tables = read_scenario(file)
    override(tables, overrides)
    scenario = Scenario.from_dict(tables)
    if compared is not None:
        if record:
            raise refuse("--record", record[0], "must be absent with --compare, which records what its page shows")
        command = shlex.join(["ackclock", "live", str(file), *(f"--set={each}" for each in overrides), "--compare"])
        _compare(scenario, seed, compared, as_json=as_json, out=out, command=command)
        return
    result = live(scenario, seed=seed, record=record)
    if record and out is None:
        sys.stderr.write("--record: tables are only written with --out\n")
    if out is not None:
        result.run.save(out)
    if as_json:
        sys.stdout.write(json.dumps(result.to_dict(), indent=2, allow_nan=False) + "\n")
        return
    from ackclock.cli.summarizing import show  # noqa: PLC0415  # JSON needs no tables

    console().print(Text(f"Kernel {result.kernel}; {result.lateness.brief()}"), soft_wrap=True)
    show(result.run)


def _compare(scenario: Scenario, seed: int, repetitions: int, *, as_json: bool, out: Path | None, command: str) -> None:
    with progress_bar(f"{repetitions} repetitions", repetitions) as bar:
        found = compare(
            scenario, seed=seed, repetitions=repetitions, progress=lambda done: bar(done, f"{done} of {repetitions}")
        )
    if as_json:
        sys.stdout.write(json.dumps(found.to_dict(), indent=2, allow_nan=False) + "\n")
    else:
        _show(found)
    if out is not None:
        write_page(out, found.page(command))
        if not as_json:
            sys.stdout.write(f"The page is {out}\n")


def _show(found: Comparison) -> None:
    out = console()
    runs = f"{len(found.live)} repetitions; means, and the mean difference with its 95 % interval"
    out.print(Text(f"Kernel {found.live[0].kernel} and simulator; {runs}"), soft_wrap=True)
    out.print()
    table = Table(box=None, pad_edge=False)
    for name in ("measure", "kernel", "simulator", "difference", "verdict"):
        table.add_column(name, justify="left" if name in {"measure", "verdict"} else "right", no_wrap=True)
    for row in found.rows:
        unit = f" {row.unit}".rstrip()
        table.add_row(
            row.name,
            f"{row.kernel:.4g}{unit}",
            f"{row.simulator:.4g}{unit}",
            f"{row.difference:+.3g} ± {row.half_width:.2g}",
            row.verdict,
        )
    out.print(table)
    out.print()
    for run in found.live:
        out.print(Text(f"seed {run.run.seed}: {run.lateness.brief()}"), soft_wrap=True)
        for reason in run.lateness.reasons:
            out.print(Text(f"  not to be trusted: {reason}", style="yellow"), soft_wrap=True)
