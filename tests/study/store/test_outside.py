"""Stores, results and captures that lead out of their folders: they are refused, and a reader changes nothing."""

from __future__ import annotations

import json
import os
import shutil
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.study.small import scenario, study, write
from tests.study.store.made_up import add, arrivals, expected, leave, row, stored
from tests.support.forging import resealed
from tests.support.long import often

import ackclock as ac
from ackclock.cli import main
from ackclock.files.checksum import checksum
from ackclock.files.inside import file_in
from ackclock.papers.folder import check_replaceable
from ackclock.running.result import load
from ackclock.study.store import Store
from ackclock.study.sweeping import preview
from ackclock.values.errors import ScenarioError
from hostile.stores import Bench, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = [row(number, tables={"arrivals": arrivals(number)}) for number in range(6)]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a folder beside the store, with what its owner would miss most."""
    for name in (".ssh/id", "docs/thesis.txt", "notes.txt", ".0123456789abcdef/part.json"):
        (tmp_path / "victim" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "victim" / name).write_text(f"I am {name}, and I am important.")
    return tmp_path / "victim"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a store with a part, and with a journal that nobody writes any more."""
    add(tmp_path / "results", ROWS[2:])
    leave(tmp_path / "results", ROWS[:2])
    return tmp_path / "results"


def the(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(str(ended.value.code))


def read(folder: Path, tmp_path: Path) -> list[Callable[[], object]]:
    """List everything that reads a store."""
    file = write(tmp_path / "study.toml", clients=1, seeds=1)
    return [
        lambda: run("query", folder, "from runs, arrivals"),
        lambda: run("store", "check", folder),
        lambda: run("report", folder, "--out", tmp_path / "page.html"),
        lambda: run("sweep", file, "--store", folder, "--dry-run"),
        lambda: preview(folder, study()),
        lambda: ac.open(folder).runs,
        lambda: plot(folder),
        lambda: ac.open(folder).check(),
        lambda: ac.open(folder).done(),
    ]


def plot(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about what is left out
        ac.open(folder).plot(measure="cov", x="clients.0.count")


PLACES = [
    "parts",
    "journal",
    "aside",
    "lock",
    "store.json",
    "parts/*",
    "journal/[!.]*",
    "parts/*/*.json",
    "parts/*/runs.*",
]


def put(link: Path, kind: str, target: Path) -> None:
    """Put a link to a target, or a special file, in the place of something."""
    if link.exists():
        if link.is_dir():
            shutil.rmtree(link)
        else:
            link.unlink()
    match kind:
        case "absolute link":
            link.symlink_to(target)
        case "relative link":
            link.symlink_to(os.path.relpath(target, link.parent))
        case "dangling link":
            link.symlink_to(target / "nothing")
        case _:
            os.mkfifo(link)


@pytest.mark.parametrize("kind", ["absolute link", "relative link", "dangling link", "pipe"])
@pytest.mark.parametrize("place", PLACES)
def test_a_store_that_leads_out_of_its_folder_is_refused(
    folder: Path, outside: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str, kind: str
) -> None:
    found = folder / place if "*" not in place else the(folder, place)
    target = outside / "docs" / "thesis.txt" if found.suffix or place in {"lock", "journal/[!.]*"} else outside
    put(found, kind, target)
    before, store = snapshot(outside), snapshot(folder)
    what = "named pipe" if kind == "pipe" else "symbolic link"
    for reads in read(folder, tmp_path):
        try:
            assert reads() == 2
            shown = capsys.readouterr().err
            assert shown.count("\n") == 1
        except ScenarioError as error:
            shown = str(error)
        assert f"{found}: cannot be used: it is a {what}; must be a " in shown
        assert snapshot(folder) == store
    with pytest.raises(ScenarioError, match=f"it is a {what}"):
        add(folder, ROWS)
    assert snapshot(outside) == before


@pytest.mark.parametrize(
    "name", ["../../../victim/valuable", "../../valuable", "/valuable", "..", "", "a\\b", "\ud800"]
)
def test_a_part_that_names_a_table_elsewhere_is_not_used(
    folder: Path, outside: Path, tmp_path: Path, name: str
) -> None:
    shutil.copyfile(the(folder, "parts/*/runs.parquet"), outside / "valuable.parquet")
    shutil.copyfile(outside / "valuable.parquet", folder / "valuable.parquet")
    record = the(folder, "parts/*/part.json")
    given = json.loads(record.read_text())
    before = snapshot(outside)
    for digest in (checksum(outside / "valuable.parquet"), "00000000"):
        tables = given["tables"] | {name: digest}
        record.write_text(resealed({**given, "tables": tables}))
        store = snapshot(folder)
        with pytest.raises(ScenarioError):
            Store.open(folder).sql(f'from "{name}"'.encode("utf-8", "replace").decode())
        assert any("is not the name of a table" in notice for notice in Store.open(folder).notices)
        for reads in read(folder, tmp_path)[1:]:
            with suppress(ScenarioError):  # too few points for a plot
                reads()
        assert (snapshot(outside), snapshot(folder)) == (before, store)
    add(folder, [])
    assert snapshot(outside) == before
    assert stored(folder) == expected(ROWS[:2])


def test_a_reader_changes_nothing(folder: Path, outside: Path, tmp_path: Path) -> None:
    """Whatever a writer would mend is left as it is, and reported."""
    journal = the(folder, "journal/[!.]*").name
    for name in (
        "notes.txt",
        "parts/notes.txt",
        "journal/notes.txt",
        ".hidden",
        "parts/.ssh/id",
        "parts/.0123456789abcdef/a",
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("I am important.")
    (folder / "elsewhere").symlink_to(outside)
    damaged = the(folder, "parts/*/groups.parquet")
    damaged.write_bytes(damaged.read_bytes()[:-1])
    copy = shutil.copytree(damaged.parent, folder / "parts" / "replaced", dirs_exist_ok=True)
    record = json.loads((damaged.parent / "part.json").read_text())
    replaces = {**record, "replaces": ["replaced", journal]}
    (damaged.parent / "part.json").write_text(resealed(replaces))
    before, store = snapshot(outside), snapshot(folder)
    for reads in read(folder, tmp_path):
        reads()
    assert (snapshot(outside), snapshot(folder)) == (before, store)
    ignored = [each.partition(": ")[0] for each in Store.open(folder).notices if each.endswith("; it is ignored")]
    own = [folder / name for name in ("elsewhere", "notes.txt", "parts/notes.txt", "journal/notes.txt")]
    assert {*map(str, own), str(damaged)} <= {*ignored}
    assert copy.exists()


def test_a_writer_removes_only_what_a_store_wrote(folder: Path, outside: Path) -> None:
    kept = ["parts/.ssh/id", "parts/.0123456789ABCDEF/runs.parquet", "parts/.a/part.json", "parts/.hidden"]
    for name in (*kept, "parts/.0123456789abcdef/runs.parquet", "parts/.123456789abcdef0/thesis.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("I am important.")
    (folder / "elsewhere").symlink_to(outside)
    before = snapshot(outside)
    add(folder, [])
    assert snapshot(outside) == before
    assert (folder / "aside" / "elsewhere").readlink() == outside
    assert all((folder / name).read_text() == "I am important." for name in kept)
    assert not (folder / "parts" / ".0123456789abcdef").exists()
    assert (folder / "aside" / "parts-.123456789abcdef0" / "thesis.txt").exists()
    assert stored(folder) == expected(ROWS)


def test_a_replaced_part_with_other_files_is_set_aside(folder: Path) -> None:
    (the(folder, "parts/*") / "thesis.txt").write_text("I am important.")
    for number in range(6, 12):
        add(folder, [row(number)])
    assert the(folder, "aside/*/thesis.txt").read_text() == "I am important."
    assert stored(folder) == expected([*ROWS, *map(row, range(6, 12))])


def test_a_store_is_not_made_through_a_link(tmp_path: Path, outside: Path) -> None:
    for name in (".store.json", "lock"):
        place = tmp_path / f"new{name}"
        place.mkdir()
        (place / name).symlink_to(outside / "new")
        with pytest.raises(ScenarioError, match="it is a symbolic link"):
            add(place, [])
    assert not (outside / "new").exists()


def test_a_store_may_be_named_by_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    assert stored(tmp_path / "link") == expected(ROWS)


def test_a_store_without_its_lock_is_read(folder: Path) -> None:
    (folder / "lock").unlink()
    store = snapshot(folder)
    assert stored(folder) == expected(ROWS)
    assert snapshot(folder) == store


@pytest.mark.parametrize("name", ["record.json", "flows.parquet"])
@pytest.mark.parametrize("kind", ["absolute link", "pipe"])
def test_a_result_that_leads_out_of_its_folder_is_refused(tmp_path: Path, name: str, kind: str) -> None:
    result, other = tmp_path / "result", tmp_path / "other"
    for place in (result, other):
        ac.simulate(scenario(), record=["queue/100ms"]).save(place)
    put(result / name, kind, other / name)
    before = snapshot(other)
    with pytest.raises(ScenarioError, match=f"{name}: cannot be used: it is a "):
        load(result)
    if name == "record.json":
        assert run("run", result) == 2
    assert snapshot(other) == before


@pytest.mark.parametrize("kind", ["absolute link", "pipe"])
@pytest.mark.parametrize("name", ["record.json", "packets.parquet", "arrivals.parquet"])
def test_a_capture_that_leads_out_of_its_folder_is_refused(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, kind: str
) -> None:
    capture, other = tmp_path / "capture", tmp_path / "other"
    assert run("capture", root / "tests" / "data" / "captures" / "ethernet.pcap", "--bin", "1 s", "--out", capture) == 0
    shutil.copytree(capture, other)
    put(capture / name, kind, other / name)
    before = snapshot(capture), snapshot(other)
    commands: list[list[Any]] = [["store", "check", capture], ["query", capture, f"from {name.partition('.')[0]}"]]
    commands += [["burstiness", capture / name, "--column", "packets"]] if name.startswith("arrivals") else []
    for command in commands:
        capsys.readouterr()
        assert run(*command) == 2
        assert "cannot be used: it is a " in capsys.readouterr().err
    assert (snapshot(capture), snapshot(other)) == before


def test_a_capture_that_names_a_file_elsewhere_is_refused(root: Path, tmp_path: Path) -> None:
    capture = tmp_path / "capture"
    assert run("capture", root / "tests" / "data" / "captures" / "ethernet.pcap", "--out", capture) == 0
    record = json.loads((capture / "record.json").read_text())
    (tmp_path / "x").touch()
    record["files"]["../x"] = checksum(tmp_path / "x")
    (capture / "record.json").write_text(resealed(record))
    assert run("store", "check", capture) == 2


def test_the_folder_of_a_study_is_replaced_only_without_links(tmp_path: Path, outside: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "record.json").write_text(json.dumps({"study": "s", "files": ["a"]}))
    check_replaceable(out, study="s")
    (out / "figures").symlink_to(outside)
    with pytest.raises(ScenarioError, match="must be a new folder"):
        check_replaceable(out, study="s")


@pytest.mark.parametrize("name", ["", ".", "..", "a/../b", "/etc/passwd", "a//b", "a\\b", "C:b", "a\0b"])
def test_names_that_lead_elsewhere(tmp_path: Path, name: str) -> None:
    with pytest.raises(ScenarioError, match="must be a folder that names only files in it"):
        file_in(tmp_path, name)


def test_other_file_systems_are_not_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "file").touch()
    assert file_in(tmp_path, "parts/file").exists()
    real = Path.stat

    def elsewhere(self: Path, **given: Any) -> os.stat_result:
        fields = list(real(self, **given))
        return os.stat_result([*fields[:2], fields[2] + (not given), *fields[3:]])

    monkeypatch.setattr(Path, "stat", elsewhere)
    with pytest.raises(ScenarioError, match="it is on another file system"):
        file_in(tmp_path, "parts/file")


def test_forged_stores_touch_nothing_outside(tmp_path: Path) -> None:
    """`make hostile-stores` runs 10,000 cases."""
    bench = Bench(tmp_path / "bench", seed=2)
    for number in range(often(60, long=1000)):
        verdict, done = bench.case(number)
        assert not verdict.startswith("!"), (number, verdict, done)
