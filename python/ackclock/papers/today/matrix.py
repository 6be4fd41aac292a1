"""The matrix of verdicts, questions by senders, with the cells that other seeds change.

These are kept in `study.toml`, from `validation/flips.py`: a run with five seeds cannot find them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

import numpy as np

from ackclock.drawing.chart import Axis, Heat, Panel
from ackclock.papers.core.again import Again
from ackclock.papers.core.claim import Claim
from ackclock.papers.core.evidence import Scalar, Side
from ackclock.papers.core.figure import Figure, csv_text
from ackclock.papers.core.paper import Both
from ackclock.papers.today.senders import DEFINITION, TODAY
from ackclock.report.html import Statement, Table, Verdict

_SHOWN: Mapping[Verdict, tuple[float, str, str]] = {
    Verdict.REVERSED: (-1.0, "⇄", "reversed"),
    Verdict.NOT: (-0.5, "✗", "no longer"),
    Verdict.UNDECIDED: (0.0, "?", "open"),
    Verdict.DEPENDS: (0.5, "◐", "depends"),
    Verdict.REPRODUCED: (1.0, "✓", "still true"),
}
"""Colour, sign and word of a verdict."""

_SHORT = DEFINITION.table("short")

_COLUMNS = (
    {"B": "BURSTINESS (papers 1 to 3)", "S": "SHARING (papers 2 and 3)"},
    {
        "N": "MANY CONNECTIONS (paper 4)",
        "L": "SELF-SIMILARITY (paper 5)",
        "C": "ALL TO ONE (a cluster)",
        "M": "REASONS (our questions)",
    },
)
"""Headings of the rows in each of the two columns of the figure, by the first letter of the keys."""

Cells = Mapping[str, Mapping[Scalar, Verdict]]
"""The verdicts by key of the claim and by sender."""


def cells(claims: Sequence[Claim], side: Side) -> Cells:
    """Return the verdicts of all claims that are asked of senders."""
    found: dict[str, Mapping[Scalar, Verdict]] = {}
    for claim in claims:
        if isinstance(claim.test, Again):
            with suppress(LookupError):
                found[claim.key] = claim.test.each(side)
    return found


def unstable() -> tuple[set[tuple[str, str]], int]:
    """Return the cells whose verdicts differ between two disjoint sets of five seeds, and the number of cells."""
    kept = DEFINITION.table("stability")
    return {(key, sender) for key, senders in kept["differ"].items() for sender in senders}, kept["cells"]


def statement(_: Both) -> Sequence[Statement]:
    """Say how many cells of the matrix are stable."""
    differ, compared = unstable()
    share = 100 * (1 - len(differ) / compared)
    return [
        Statement(
            lead=f"Two disjoint sets of five seeds give the same verdict in {share:.0f} % of {compared} cells.",
            text="The others have an asterisk in the matrix; most are undecided with one of the sets.",
        )
    ]


def figure(claims: Sequence[Claim]) -> Figure:
    """Describe the matrix."""
    return Figure(
        **DEFINITION.figure("matrix"),
        plots=[partial(_panel, claims=claims, headings=headings) for headings in _COLUMNS],
        points="Each verdict is about all seeds.",
        height=0.115 * len(claims) + 2,
        columns=2,
        numbers=partial(_table, claims=claims),
        csv=partial(_csv, claims=claims),
    )


def _panel(evidence: Both, *, claims: Sequence[Claim], headings: Mapping[str, str]) -> Panel:
    """Draw the rows of some letters, each letter below an empty row with its heading."""
    found = cells([each for each in claims if each.key[0] in headings], evidence.ours)
    differ, _ = unstable()
    rows = [
        row
        for letter, heading in headings.items()
        for row in (("", heading), *((key, f"{_SHORT[key]} {key}") for key in found if key[0] == letter))
    ][::-1]
    keys = [key for key, _ in rows]
    shown = [[found.get(key, {}).get(sender) for sender in TODAY] for key in keys]
    return Panel(
        x=Axis(ticks=list(enumerate(TODAY)), above=True),
        y=Axis(ticks=[(place, words) for place, (_, words) in enumerate(rows)]),
        series=(),
        heat=Heat(
            values=[[np.nan if one is None else _SHOWN[one][0] for one in row] for row in shown],
            words=[
                [
                    "" if one is None else _SHOWN[one][1] + ("*" if (key, sender) in differ else "")
                    for one, sender in zip(row, TODAY, strict=True)
                ]
                for key, row in zip(keys, shown, strict=True)
            ],
            label="",
            low=-1.15,
            high=1.15,
            parted=True,
            ticks=[(colour, f"{sign} {word}") for colour, sign, word in _SHOWN.values()],
        ),
    )


def _rows(claims: Sequence[Claim], evidence: Both) -> list[list[str]]:
    found = cells(claims, evidence.ours)
    texts = {claim.key: claim.text for claim in claims}
    return [
        [f"{key}: {texts[key]}", *(_SHOWN[each[sender]][2] if sender in each else "" for sender in TODAY)]
        for key, each in found.items()
    ]


def _table(evidence: Both, *, claims: Sequence[Claim]) -> Table:
    return Table(
        caption="Verdict by question and sender",
        head=["", *TODAY],
        rows=_rows(claims, evidence),
    )


def _csv(evidence: Both, *, claims: Sequence[Claim]) -> str:
    found = cells(claims, evidence.ours)
    return csv_text(
        ["claim", "sender", "verdict"],
        [[key, sender, verdict.value] for key, each in found.items() for sender, verdict in each.items()],
    )
