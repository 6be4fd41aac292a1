"""Implements ``ackclock advise``: reads the question, prints the answer, and writes the page."""

import json
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from rich.table import Table
from rich.text import Text

from ackclock.advice.advising import SEEDS, Advice, Cost, cost
from ackclock.advice.advising import advise as answered
from ackclock.advice.commands import commands
from ackclock.advice.contest import all_contenders
from ackclock.advice.page import table
from ackclock.advice.question import MOST_USERS, Question
from ackclock.advice.words import answer, became, name, statements
from ackclock.cli.arguments import option
from ackclock.cli.console import console
from ackclock.cli.pages import check_replaceable, write_page
from ackclock.engine.processors import threads
from ackclock.scenario.overrides import override
from ackclock.values.errors import LostError, impossible, shorten
from ackclock.values.kinds import whole

_INTERRUPTED: Final = 128 + signal.SIGINT
_NEEDED: Final = ("rate", "delay", "users")


def advise(
    file: Path | None,
    *,
    given: Mapping[str, str | None],
    overrides: Sequence[str],
    seeds: str,
    store: Path,
    jobs: str | None,
    dry_run: bool,
    as_json: bool,
    out: Path | None,
) -> None:
    """Answer a question, or only state the cost (`dry_run`)."""
    if out is not None:
        check_replaceable(out, "ackclock advise", "page of an advice")
    question = _question(file, given, overrides)
    most = option("--seeds", seeds, SEEDS, int)
    workers = None if jobs is None else option("--jobs", jobs, whole(1, 1000), int)
    expected = cost(question, store, seeds=most)
    if dry_run:
        _show_contenders(question)
    words = _cost(expected, cores=threads(workers))
    before = sys.stderr if as_json and not dry_run else sys.stdout
    before.write(f"{words}\n")
    before.flush()
    if dry_run:
        return
    goes_on = f"completed runs are in {shorten(str(store), 500)}; the same command resumes"
    try:
        found = answered(question, store, seeds=most, jobs=workers)
    except KeyboardInterrupt:
        _end(f"interrupted; {goes_on}", _INTERRUPTED)
    except LostError as error:
        _end(f"{error}; {goes_on}", 1)
    if as_json:
        sys.stdout.write(json.dumps(found.to_dict(), indent=2, allow_nan=False) + "\n")
    else:
        _show(found)
    if out is not None:
        write_page(out, found.page(_command(file, given, overrides, seeds)))
        if not as_json:
            sys.stdout.write(f"The page is {out}\n")


def _question(file: Path | None, given: Mapping[str, str | None], overrides: Sequence[str]) -> Question:
    """Read the question from the file, the options, and single fields, which replace each other in this order."""
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if "users" in options:
        options["users"] = option("--users", options["users"], whole(1, MOST_USERS), int)
    if "for" in options:
        options["for"] = [each.strip() for each in options["for"].split(",")]

    def change(tables: dict[str, Any]) -> None:
        tables |= options
        override(tables, overrides)

    if file is not None:
        return Question.from_toml(file, change)
    tables: dict[str, Any] = {}
    change(tables)
    missing = [name for name in _NEEDED if name not in tables]
    if len(missing) == len(_NEEDED):
        raise impossible("FILE: missing; give one (`ackclock init uplink` writes it), or --rate, --delay and --users")
    return Question.from_dict(tables)


def _show_contenders(question: Question) -> None:
    every, compared = all_contenders(question)
    lines = [f"{each.words(law=True)}{' (reference)' if key == compared else ''}" for key, each in every.items()]
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _cost(found: Cost, *, cores: int) -> str:
    runs = f"{found.screening:,} runs to screen them, at most {found.separating:,} to separate the best"
    runs += f", at most {found.checking:,} to check the assumptions"
    there = f"; {found.there:,} are in the store" if found.there else ""
    on = f"{cores} {'core' if cores == 1 else 'cores'}"
    times = f"Likely {_duration(found.likely / cores)}, at most about {_duration(found.most / cores)} on {on}"
    return f"{found.contenders} contenders: {runs}{there}. {times}."


def _duration(seconds: float) -> str:
    """Format a duration.

    >>> _duration(0.2), _duration(75), _duration(200)
    ('1 s', '75 s', '4 min')
    """
    return f"{-(-seconds // 60):.0f} min" if seconds >= 120 else f"{max(1, -(-seconds // 1)):.0f} s"


def _show(found: Advice) -> None:
    out = console()
    out.print(Text(answer(found)))
    for lead, text in statements(found):
        out.print(Text(f"{lead} {text}"))
    rows = table(found)
    shown = Table(box=None, pad_edge=False)
    for heading in rows.head:
        shown.add_column(Text(heading))
    for row in rows.rows:
        shown.add_row(*map(Text, row))
    out.print(shown)
    changed = Table(box=None, pad_edge=False)
    for heading in ("if the assumptions are wrong", f"{name(found, found.chosen.key)} is"):
        changed.add_column(Text(heading))
    for each in found.checked:
        changed.add_row(Text(each.assumption.words), Text(became(found, each)))
    out.print(changed)
    sys.stdout.writelines(f"{line}\n" for line in commands(found.question, found.chosen))


def _command(file: Path | None, given: Mapping[str, str | None], overrides: Sequence[str], seeds: str) -> str:
    """Return the command that repeats the page."""
    options = [word for name, value in given.items() if value is not None for word in (f"--{name}", value)]
    options += [word for each in overrides for word in ("--set", each)]
    options += ["--seeds", seeds] if seeds != "20" else []
    return shlex.join(["ackclock", "advise", *([file.name] if file else []), *options])


def _end(message: str, code: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.write(message + "\n")
    sys.exit(code)
