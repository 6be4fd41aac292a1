"""Implements ``ackclock controllers``: scores trained policies and the built-in laws."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from ackclock.cli.console import console
from ackclock.gym.evaluation import compare, table
from ackclock.gym.policy import Policy
from ackclock.values.errors import refuse


def score(
    policies: Sequence[Path], *, count: int, duration: str, laws: Sequence[str] | None, baseline: str, as_json: bool
) -> None:
    """Print the scores of policies and laws."""
    loaded = {path.stem: Policy.load(path) for path in policies}
    if len(loaded) < len(policies):
        raise refuse("POLICY", [str(path) for path in policies], "must have different file names")
    scores = compare(loaded, count=count, duration=duration, laws=laws)
    rows = table(scores, baseline=baseline)
    if as_json:
        detailed = [
            row | {"scores": {which: values.tolist() for which, values in each.values.items()}}
            for row, each in zip(rows, scores, strict=True)
        ]
        sys.stdout.write(json.dumps(detailed) + "\n")
        return
    shown = Table(box=None, pad_edge=False)
    for place, heading in enumerate(rows[0]):
        shown.add_column(Text(heading), justify="right" if place else "left", no_wrap=True)
    for row in rows:
        shown.add_row(*map(Text, row.values()))
    console().print(shown)
