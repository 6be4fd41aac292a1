"""The runs, rules and figures of each study equal the stored ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support import kept
from tests.support.kept import hold_runs, hold_values
from tests.support.papers import PAPERS

from ackclock.papers import STUDIES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", PAPERS)
def test_runs_are_those_that_were_kept(name: str) -> None:
    """For each point of each part, coordinates, scenario, records and seeds are compared."""
    hold_runs(name, [*PAPERS[name].definition.parts(), *PAPERS[name].parts()])


@pytest.mark.parametrize("name", PAPERS)
def test_rules_and_figures_are_those_that_were_kept(name: str) -> None:
    """Each number, coordinate and operator of the rules is compared; `tests.support.described` prints them."""
    hold_values(name, PAPERS[name])


def test_no_study_is_left_out() -> None:
    assert PAPERS.keys() == STUDIES.keys()


def test_a_change_is_shown_with_its_first_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "_FOLDER", tmp_path)

    def compare(pieces: dict[str, Any], *, keep: bool = False) -> None:
        monkeypatch.setattr(kept, "_KEEP", keep)
        kept._compare("page", pieces)

    pieces = {"head": "one\ntwo\nthree", "figure": [[number, f"{number}"] for number in range(200)], "gone": "x"}
    compare(pieces, keep=True)
    compare(pieces)
    now = {"head": "one\n2\nthree", "figure": [*pieces["figure"][:50], [50, "fifty"], *pieces["figure"][51:]], "new": 1}
    with pytest.raises(AssertionError) as caught:
        compare(now)
    assert str(caught.value).partition("\nassert")[0].splitlines() == [
        "look at what has changed in page, then `make kept`:",
        "  gone: no longer there",
        "  head: row 2 of 3 has changed; now",
        "    2",
        "  figure: a row from 49 to 52 of 200 has changed; now",
        *("    [48, '48']", "    [49, '49']", "    [50, 'fifty']", "    [51, '51']"),
        "  new: new",
    ]
    with pytest.raises(AssertionError, match="head: ends after row 2"):
        compare({**pieces, "head": "one\ntwo"})
    with pytest.raises(AssertionError, match="figure: other structure or order, the same marks of rows"):
        compare({**pieces, "figure": [pieces["figure"]]})
