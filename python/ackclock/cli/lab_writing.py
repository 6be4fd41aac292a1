"""Implements ``ackclock lab``: writes or serves the lab's page with a scenario, and opens it."""

import contextlib
import sys
import webbrowser
from pathlib import Path
from typing import Any

from ackclock.cli.arguments import integer
from ackclock.cli.runner import replace_law, request_of
from ackclock.lab.document import document
from ackclock.lab.page import page_with, write_page
from ackclock.lab.serving import Content, LabServer
from ackclock.laws.finding import UnknownLawError, form, spelled
from ackclock.laws.law import Law
from ackclock.running.run import SEED
from ackclock.scenario import Scenario
from ackclock.scenario.earlier import changed_meaning
from ackclock.scenario.overrides import override
from ackclock.values.errors import refuse


def lab(
    file: Path | None, *, seed: str | None, law: str | None, overrides: list[str], out: Path | None, opens: bool
) -> None:
    """Write the page, and open it in a browser; with a law in Python, serve it until an interrupt."""
    request = None if file is None else request_of(file)
    tables = None if request is None else dict(request.scenario)
    used = 1 if request is None else request.seed
    number = used if seed is None else SEED.require("--seed", integer("--seed", seed, SEED.allowed))
    name = "" if file is None else file.stem
    if law is not None:
        law = _absolute(law)
        if out is not None:
            raise refuse("--out", str(out), "must be absent with --law, which serves the page and writes no file")
        if tables is not None:
            replace_law(tables, law)
    if tables is not None:
        override(tables, overrides)
    if law is not None:
        _serve(Content(law, tables, number, name), opens=opens)
        return
    given = None if tables is None else _document(Scenario.from_dict(tables), number, name)
    out = Path(f"{name}.lab.html" if name else "lab.html") if out is None else out
    write_page(out, page_with(given))
    sys.stdout.write(f"The lab is {out}\n")
    _open(out.resolve().as_uri(), opens=opens)


def _document(scenario: Scenario, seed: int, name: str) -> dict[str, Any]:
    """Describe a scenario for the page, and report defaults that have changed, which the page does not."""
    for notice in changed_meaning(scenario, scenario.effective()):
        sys.stderr.write(f"{notice}\n")
    return document(scenario, seed=seed, name=name)


def _absolute(law: str) -> str:
    try:
        path, name = spelled(law, Law)
    except UnknownLawError as error:
        raise refuse("--law", law, str(error)) from None
    if path is None:
        raise refuse("--law", law, form(Law))
    return f"{path.resolve()}:{name}"


def _serve(content: Content, *, opens: bool) -> None:
    with LabServer(content) as server:
        file = content.law.rpartition(":")[0]
        sys.stdout.write(f"The lab is {server.address}\n")
        sys.stdout.write(f"Each run reads {file} again. Keep the address secret. Ctrl-C ends the lab.\n")
        sys.stdout.flush()
        _open(server.address, opens=opens)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    sys.stdout.write("The lab has ended\n")


def _open(address: str, *, opens: bool) -> None:
    if opens and not webbrowser.open(address):
        sys.stdout.write("No browser was found: open the page yourself\n")
