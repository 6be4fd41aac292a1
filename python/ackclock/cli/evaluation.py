"""Defines ``ackclock evaluate``, the scorecard of a congestion control."""

from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli import completing

evaluation = typer.Typer(rich_markup_mode=None)


@evaluation.command(
    epilog="""Examples:

    \b
    ackclock evaluate bbr --fast
    ackclock evaluate mylaw.py:MyLaw --against reno --out mylaw.html
    ackclock evaluate prague --queue dualpi2 --only mixed --only itself --json
    """
)
def evaluate(
    law: Annotated[
        str,
        typer.Argument(
            metavar="LAW",
            help="Built-in law, or FILE.py:CLASS for one written in Python. `ackclock list variants` lists the laws.",
            show_default=False,
            autocompletion=completing.variants,
        ),
    ],
    against: Annotated[
        str,
        typer.Option(
            metavar="LAW", help="Law that it is compared with, in its place.", autocompletion=completing.variants
        ),
    ] = "cubic",
    queue: Annotated[
        str, typer.Option(metavar="KIND", help="Queue of the measured link, where an experiment does not choose it.")
    ] = "droptail",
    fast: Annotated[bool, typer.Option("--fast", help="Run only a part of the networks of each experiment.")] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY",
            help="Experiment to run (default: all 22). May be repeated. `ackclock list experiments` lists them.",
            autocompletion=completing.experiments,
        ),
    ] = None,
    seeds: Annotated[str, typer.Option(metavar="NUMBER", help="Number of seeds, at least 3.")] = "5",
    jobs: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="Number of parallel runs (default: one per CPU).", show_default=False),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="New file for the page (HTML). An earlier page is replaced.", show_default=False
        ),
    ] = None,
) -> None:
    """Evaluate a congestion control by what RFC 9743 (BCP 133) asks of a new one.

    In 22 experiments the law runs in many networks, and so does another law in its place, with the same seeds. Each
    rule passes, fails or is undecided by 95 % confidence intervals.
    """
    from ackclock.cli import evaluator  # noqa: PLC0415

    evaluator.evaluate(
        law, against=against, queue=queue, fast=fast, only=only, seeds=seeds, jobs=jobs, as_json=json, out=out
    )
