"""The page of validated claims: it is complete and has no failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import claims

if TYPE_CHECKING:
    from pathlib import Path

RUST = """\
//! A part of the program. It does this.

#[cfg(test)]
mod tests {
    /// The mean of many draws.
    ///
    /// Validates: the mean is 1/rate,
    /// for every rate.
    /// Source: the definition.
    /// Tolerance: 1 %, four standard errors.
    #[test]
    fn mean_of_draws() {}
}
"""
TALK = """\
//! RFC 9999: an example.

#[test]
fn a_lost_segment_is_sent_again() {
    // section 2, (3): after three of them
    let x = 1;
}

#[test]
fn another_source_is_named_alone() {
    // RFC 1111, section 3
    let x = 1;
}
"""


def test_the_page_has_every_claim_and_none_failed() -> None:
    written = claims.PAGE.read_text(encoding="utf-8")
    rows = [f"| {line.claim} | {line.source} | `{line.test}`" for line in claims.declared()]
    missing = [row for row in rows if row not in written]
    assert missing == [], "make validation rewrites the page"
    assert "**fails**" not in written
    assert "not run" not in written


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("queue::cake::tests::flows_alternate", "crates/net/src/queue/cake/tests.rs"),
        ("queue::fq_codel::tests::flows_alternate", "crates/net/src/queue/fq_codel.rs"),
    ],
)
def test_tests_of_one_name_are_kept_apart(path: str, file: str) -> None:
    files = ["crates/net/src/queue/fq_codel.rs", "crates/net/src/queue/cake/tests.rs"]
    assert claims.defining(path, files) == file


def test_fields_are_read(tmp_path: Path) -> None:
    (tmp_path / "crates").mkdir()
    (tmp_path / "crates" / "part.rs").write_text(RUST)
    (line,) = claims.declared(tmp_path)
    assert (line.file, line.test) == ("crates/part.rs", "mean_of_draws")
    assert (line.claim, line.source) == ("the mean is 1/rate, for every rate", "the definition")
    assert line.tolerance == "1 %, four standard errors"


def test_conversations_speak_for_themselves(tmp_path: Path) -> None:
    (tmp_path / "crates").mkdir()
    (tmp_path / "crates" / "talk.rs").write_text(TALK)
    lines = [(line.claim, line.source) for line in claims.declared(tmp_path)]
    assert lines == [
        ("a lost segment is sent again", "RFC 9999, section 2, (3)"),
        ("another source is named alone", "RFC 1111, section 3"),
    ]


def test_half_a_declaration_is_refused(tmp_path: Path) -> None:
    (tmp_path / "crates").mkdir()
    (tmp_path / "crates" / "part.rs").write_text(RUST.replace("/// Source: the definition.\n", "///\n"))
    with pytest.raises(ValueError, match="mean_of_draws must say Validates, Source, Tolerance"):
        claims.declared(tmp_path)
