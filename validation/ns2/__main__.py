"""Compare a study with ns-2: ``python -m ns2 STUDY``. Exits with status 1 if a bar is missed."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

STUDIES = ("burstiness", "heterogeneous", "manyflows", "selfsimilar")


def main() -> int:
    """Compare the study that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m ns2", description=__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("options", nargs=argparse.REMAINDER, help="options of the study: see STUDY --help")
    given = parser.parse_args()
    return int(import_module(f"ns2.{given.study}").main(arguments=given.options))


if __name__ == "__main__":
    sys.exit(main())
