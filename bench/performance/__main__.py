"""Measure the cost of runs and write docs/performance.md: ``python -m performance [PART...]`` (default: all parts).

``BENCH_NS3=1`` includes ns-3, from the package index.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from performance.captures import captures
from performance.domains import domains
from performance.front import replications, startup
from performance.laws import laws
from performance.page import PAGE, machine, put
from performance.records import records
from performance.scale import scale
from performance.speed import speed
from performance.steps import steps
from performance.workloads import today

if TYPE_CHECKING:
    from collections.abc import Callable

PARTS: dict[str, Callable[[], str]] = {
    "speed": speed,
    "today": today,
    "scale": scale,
    "domains": domains,
    "records": records,
    "captures": captures,
    "replications": replications,
    "laws": laws,
    "startup": startup,
    "steps": steps,
}


def main() -> None:
    """Measure the parts; each is written to the page when it is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)}")
    for name in parser.parse_args().parts or PARTS:
        if name not in PARTS:
            parser.error(f"there is no part {name!r}: {', '.join(PARTS)}")
        text = f"{PARTS[name]()}\nOn {machine()}.\n"
        print(f"## {name}\n\n{text}")
        PAGE.write_text(put(PAGE.read_text(encoding="utf-8"), name, text), encoding="utf-8")


if __name__ == "__main__":
    main()
