"""Implements ``ackclock evaluate`` and ``ackclock evaluate-queue``: prints verdicts, and writes the page."""

import json
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from rich.table import Table
from rich.text import Text

from ackclock.cli.arguments import integer, option
from ackclock.cli.console import console
from ackclock.cli.pages import check_replaceable, write_page
from ackclock.scorecard import Scorecard, Verdict
from ackclock.values.kinds import whole

_COLOURS: Final[dict[Verdict | None, str]] = {Verdict.PASS: "green", Verdict.UNDECIDED: "yellow", Verdict.FAIL: "red"}


def evaluate(
    run: Callable[..., Scorecard],
    words: Sequence[str],
    given: Mapping[str, tuple[str, str]],
    *,
    fast: bool,
    only: Sequence[str] | None,
    seeds: str,
    jobs: str | None,
    as_json: bool,
    out: Path | None,
) -> None:
    """Make a scorecard, print its verdicts, and write its page.

    Parameters
    ----------
    run
        Makes the scorecard.
    words
        The command and its argument.
    given
        The value and the default of each further option, for the command on the page.
    fast, only, seeds, jobs
        Passed on.
    as_json, out
        What to print, and where to write the page.
    """
    if out is not None:
        check_replaceable(out, f"ackclock {words[0]}", "page of an evaluation")
    card = run(
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
        options = {**given, "--seeds": (seeds, "5")}
        chosen = [word for name, (value, default) in options.items() if value != default for word in (name, value)]
        experiments = [word for key in only or () for word in ("--only", key)]
        write_page(out, card.page(shlex.join(["ackclock", *words, *chosen, *experiments, *["--fast"] * fast])))
        if not as_json:
            sys.stdout.write(f"The page is {out}\n")


def _show(card: Scorecard) -> None:
    """Print the answer, and a line for each experiment."""
    shown = Table(box=None, pad_edge=False)
    for heading in ("experiment", card.name, f"{card.against} itself", "what decided"):
        shown.add_column(Text(heading), no_wrap=heading != "what decided")
    for result in card.results.values():
        verdicts = [Text(str(each or ""), style=_COLOURS.get(each, "")) for each in (result.verdict, result.yardstick)]
        why = "" if result.verdict is Verdict.PASS else result.deciding(card.against)
        shown.add_row(Text(result.experiment.key), *verdicts, Text(why))
    out = console()
    out.print(Text(card.answer()))
    out.print(shown)
