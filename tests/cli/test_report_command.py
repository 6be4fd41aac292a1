"""``ackclock report`` passes the content of a store to its page, and writes the page atomically."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.study.store.made_up import add, row

from ackclock.cli import pages, reporter
from ackclock.running.origin import Origin
from ackclock.values.errors import ScenarioError

WRITTEN = "<html><dt>Command</dt><dd>ackclock report x</dd></html>"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Replace the page; return the arguments that it was made with."""
    found: list[tuple[Any, ...]] = []

    def page(*given: Any, **options: Any) -> str:
        found.append((*given, options))
        return "the page"

    monkeypatch.setattr(reporter, "sweep_report", page)
    monkeypatch.setattr(reporter, "render", {"the page": WRITTEN}.__getitem__)
    return found


def report(store: Path, **options: Any) -> None:
    given: dict[str, Any] = {"x": None, "y": [], "by": None, "out": None}
    reporter.report(store, **(given | options))


def test_a_page_has_the_content_of_the_store(
    asked: list[tuple[Any, ...]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    store = Path("my store")
    add(store, [row(1), row(2), row(7, failure="it broke")])
    report(store)
    report(store, x="a", y=["cov", "loss"], by=["b", "c"], out=tmp_path / "new" / "page.html")
    plain, chosen = asked
    name, runs, groups, options = plain
    assert groups.num_rows == 2
    assert (options["why"], options["asking"].asked, options["names"]) == (False, {}, {})
    assert (name, len(runs)) == ("my store", 2)
    assert (options["failures"], options["notices"]) == (["it broke"], ["This is run 1 to 2."])
    assert (options["x"], options["y"], options["by"]) == (None, None, None)
    assert options["command"] == "ackclock report 'my store'"
    assert options["provenance"] == [
        ("Command", options["command"]),
        ("Program", str(Origin.here())),
        ("Store", "my store"),
        ("Runs made with", Origin(version=None, revision="engine", schema=1).engine),
    ]
    assert (chosen[3]["x"], chosen[3]["y"], chosen[3]["by"]) == ("a", ["cov", "loss"], ["b", "c"])
    assert chosen[3]["command"] == "ackclock report 'my store' --x a --y cov --y loss --by b --by c"
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["The report is my store.html", f"The report is {tmp_path / 'new' / 'page.html'}"]
    for page in (tmp_path / "my store.html", tmp_path / "new" / "page.html"):
        assert page.read_text() == WRITTEN
        assert page.stat().st_mode & 0o777 == 0o644
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my store", "my store.html", "new"]
    assert len(list((tmp_path / "new").iterdir())) == 1


def test_only_pages_of_stores_are_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    pages.check_replaceable(page, "ackclock report", "report of a store")
    page.write_text(WRITTEN)
    pages.check_replaceable(page, "ackclock report", "report of a store")
    other, binary, broken = (tmp_path / name for name in ("other", "binary", "broken"))
    other.write_text("mine")
    binary.write_bytes(b"\xff\xfe")
    broken.symlink_to(tmp_path / "nowhere")
    for path in (other, binary, broken, tmp_path):
        with pytest.raises(ScenarioError, match="must be a new file, or an earlier report of a store"):
            pages.check_replaceable(path, "ackclock report", "report of a store")


@pytest.mark.parametrize("name", ["fig.png", "page.htm", "results.2"])
def test_a_page_is_not_written_to_a_file_of_another_format(name: str, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"--out: .* is not allowed; must end in \.html: a report is a page"):
        report(tmp_path / "store", out=tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_page_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ScenarioError, match="cannot be used: .*must be a file that can be written"):
        pages.write_page(tmp_path / "file" / "page.html", "x")
