"""Compare Prague and CUBIC with an L4S testbed, and write `docs/agreement_l4s.md`: ``python -m l4s``.

Exits with status 1 if the bar is missed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from l4s.cells import compare, ratios, shares
from l4s.page import agrees, page
from l4s.rules import BAR
from linux.command import DOCS, parser

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all comparisons, write the page, and print whether the bar is met."""
    given = parser(__doc__).parse_args(arguments)
    made = shares()
    found = compare([*made, *ratios()], jobs=given.jobs)
    compared, beside = found[: len(made)], found[len(made) :]
    (DOCS / "agreement_l4s.md").write_text(page(compared, beside), encoding="utf-8")
    agree = sum(map(agrees, compared))
    sys.stdout.write(f"{agree} of {len(compared)} shares agree; the bar is {BAR}\n")
    return 0 if agree >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
