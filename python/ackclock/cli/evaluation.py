"""Defines ``ackclock evaluate`` and ``ackclock evaluate-queue``: scorecards of laws and of queue disciplines."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from ackclock.cli import completing

_Fast = Annotated[bool, typer.Option("--fast", help="Run only a part of the networks of each experiment.")]
_ONLY: Any = {
    "metavar": "KEY",
    "help": "Experiment to run (default: all). May be repeated. `ackclock list experiments` lists them.",
}
_Seeds = Annotated[str, typer.Option(metavar="NUMBER", help="Number of seeds, at least 3.")]
_Jobs = Annotated[
    str | None,
    typer.Option(metavar="NUMBER", help="Number of parallel runs (default: one per CPU).", show_default=False),
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
_Out = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="New file for the page (HTML). An earlier page is replaced.", show_default=False),
]

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
    fast: _Fast = False,
    only: Annotated[list[str] | None, typer.Option(**_ONLY, autocompletion=completing.experiments)] = None,
    seeds: _Seeds = "5",
    jobs: _Jobs = None,
    json: _Json = False,
    out: _Out = None,
) -> None:
    """Evaluate a congestion control by what RFC 9743 (BCP 133) asks of a new one.

    In 22 experiments the law runs in many networks, and so does another law in its place, with the same seeds. Each
    rule passes, fails or is undecided by 95 % confidence intervals.
    """
    from ackclock import scorecard  # noqa: PLC0415
    from ackclock.cli import evaluator  # noqa: PLC0415

    given = {"--against": (against, "cubic"), "--queue": (queue, "droptail")}
    run = partial(scorecard.evaluate, law, against=against, queue=queue)
    words = ["evaluate", law]
    evaluator.evaluate(run, words, given, fast=fast, only=only, seeds=seeds, jobs=jobs, as_json=json, out=out)


@evaluation.command(
    epilog="""Examples:

    \b
    ackclock evaluate-queue codel --fast
    ackclock evaluate-queue examples/codel.py:CoDel --against codel --only congestion --json
    """
)
def evaluate_queue(
    queue: Annotated[
        str,
        typer.Argument(
            metavar="QUEUE",
            help="Built-in queue, or FILE.py:CLASS for one written in Python. `ackclock list queues` lists the queues.",
            show_default=False,
        ),
    ],
    against: Annotated[
        str, typer.Option(metavar="QUEUE", help="Queue that it is compared with, in its place.")
    ] = "droptail",
    fast: _Fast = False,
    only: Annotated[list[str] | None, typer.Option(**_ONLY, autocompletion=completing.queue_experiments)] = None,
    seeds: _Seeds = "5",
    jobs: _Jobs = None,
    json: _Json = False,
    out: _Out = None,
) -> None:
    """Evaluate a queue discipline in the scenarios of RFC 7928.

    In 10 experiments the discipline runs in many networks, and so does another one in its place, with the same seeds.
    Each rule passes, fails or is undecided by 95 % confidence intervals.
    """
    from ackclock import scorecard  # noqa: PLC0415
    from ackclock.cli import evaluator  # noqa: PLC0415

    run = partial(scorecard.evaluate_queue, queue, against=against)
    words, given = ["evaluate-queue", queue], {"--against": (against, "droptail")}
    evaluator.evaluate(run, words, given, fast=fast, only=only, seeds=seeds, jobs=jobs, as_json=json, out=out)
