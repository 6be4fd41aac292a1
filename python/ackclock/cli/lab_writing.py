"""Implements ``ackclock lab``: writes the lab's page with a scenario, and opens it."""

import sys
import webbrowser
from pathlib import Path

from ackclock.cli.arguments import integer
from ackclock.lab.document import document
from ackclock.lab.page import page_with, write_page
from ackclock.running.run import SEED
from ackclock.scenario import Scenario
from ackclock.scenario.files import read_scenario
from ackclock.scenario.overrides import override


def lab(file: Path | None, *, seed: str, overrides: list[str], out: Path | None, opens: bool) -> None:
    """Write the page, and open it in a browser."""
    given = None
    if file is not None:
        tables = read_scenario(file)
        override(tables, overrides)
        number = SEED.require("--seed", integer("--seed", seed, SEED.allowed))
        given = document(Scenario.from_dict(tables), seed=number, name=file.stem)
    out = Path("lab.html" if file is None else f"{file.stem}.lab.html") if out is None else out
    write_page(out, page_with(given))
    sys.stdout.write(f"The lab is {out}\n")
    if opens and not webbrowser.open(out.resolve().as_uri()):
        sys.stdout.write("No browser was found: open the file yourself\n")
