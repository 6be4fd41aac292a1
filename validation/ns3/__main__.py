"""Compare today's senders and queues with ns-3.44, and write `docs/agreement_ns3.md`: ``python -m ns3``.

Exits with status 1 if the bar is missed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from linux.command import DOCS, parser
from ns3.cells import cells, compare
from ns3.page import bar, page
from ns3.rules import BAR

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all comparisons, write the page, and print whether the bar is met."""
    given = parser(__doc__).parse_args(arguments)
    found = compare(cells(), jobs=given.jobs)
    (DOCS / "agreement_ns3.md").write_text(page(found), encoding="utf-8")
    agree, total = bar(found)
    sys.stdout.write(f"{agree} of {total} judged cells agree; the bar is {100 * BAR:.0f} %\n")
    return 0 if agree >= BAR * total else 1


if __name__ == "__main__":
    sys.exit(main())
