"""Implements ``ackclock evaluate``: prints the verdicts of a scorecard, and writes its page."""

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.table import Table
from rich.text import Text

from ackclock.cli.arguments import integer, option
from ackclock.cli.console import console
from ackclock.cli.pages import check_replaceable, write_page
from ackclock.scorecard import Scorecard, Verdict
from ackclock.scorecard import evaluate as evaluated
from ackclock.values.kinds import whole

_COLOURS: Final = {Verdict.PASS: "green", Verdict.UNDECIDED: "yellow", Verdict.FAIL: "red"}


def evaluate(
    law: str,
    *,
    against: str,
    queue: str,
    fast: bool,
    only: Sequence[str] | None,
    seeds: str,
    jobs: str | None,
    as_json: bool,
    out: Path | None,
) -> None:
    """Evaluate a law, print the verdicts, and write the page."""
    if out is not None:
        check_replaceable(out, "ackclock evaluate", "page of an evaluation")
    card = evaluated(
        law,
        against=against,
        queue=queue,
        fast=fast,
        only=only,
        seeds=integer("--seeds", seeds, "must be an integer"),
        jobs=None if jobs is None else option("--jobs", jobs, whole(1, 1000), int),
        lines=not fast,
    )
    if as_json:
        sys.stdout.write(json.dumps(card.to_dict(), indent=2, allow_nan=False) + "\n")
    else:
        _show(card)
    if out is not None:
        words = [law, *_given(against=against, queue=queue, only=only, seeds=seeds), *(["--fast"] if fast else [])]
        write_page(out, card.page(shlex.join(["ackclock", "evaluate", *words])))
        if not as_json:
            sys.stdout.write(f"The page is {out}\n")


def _given(*, against: str, queue: str, only: Sequence[str] | None, seeds: str) -> list[str]:
    """Return the options that differ from the defaults, for the command on the page."""
    values = [("--against", against, "cubic"), ("--queue", queue, "droptail"), ("--seeds", seeds, "5")]
    words = [word for name, value, default in values if value != default for word in (name, value)]
    return [*words, *(word for key in only or () for word in ("--only", key))]


def _show(card: Scorecard) -> None:
    """Print the answer, and a line for each experiment."""
    shown = Table(box=None, pad_edge=False)
    for heading in ("experiment", card.law, f"{card.against} itself", "what decided"):
        shown.add_column(Text(heading), no_wrap=heading != "what decided")
    for result in card.results.values():
        verdicts = [Text(str(each), style=_COLOURS[each]) for each in (result.verdict, result.yardstick)]
        why = "" if result.verdict is Verdict.PASS else result.deciding(card.against)
        shown.add_row(Text(result.experiment.key), *verdicts, Text(why))
    out = console()
    out.print(Text(card.answer()))
    out.print(shown)
