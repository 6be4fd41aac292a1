"""Open forged stores, and check that nothing outside of them is touched, and nothing in them by a reader.

``make hostile-stores`` runs ``python -m hostile.stores``. Each case copies a small store, forges some of it (links,
pipes, names, counts, checksums, rows), and runs a command on it in this process. It passes if the command ends in
`PATIENCE` seconds without a traceback, if the files beside the store are as before, and, unless the command is a sweep,
if the store is as well.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq
from tests.study.small import study, write
from tests.study.store.made_up import add, arrivals, leave, row

from ackclock.cli import main
from ackclock.files.checksum import checksum, sealed
from ackclock.study.store.journal import MAGIC
from ackclock.study.sweeping import fill
from hostile.tally import Verdicts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Bench", "snapshot"]

PATIENCE: Final = 60
"""Seconds after which a case counts as hanging."""

_ROWS: Final = [row(number, tables={"arrivals": arrivals(number)}) for number in range(4)]
_NAMES: Final = [
    "../../outside/valuable", "../valuable", "/etc/hostname", "", ".", "..", "a/b", "a\\b", "C:x", "a\0b", "\ud800",
    "\x1b[2J", "x" * 300, "runs", "groups", "part", "..\\..\\outside", "none",
]  # fmt: skip
_VALUES: Final[list[object]] = [
    None,
    True,
    -1,
    2**63,
    2**70,
    0.5,
    float("nan"),
    "",
    "..",
    "x" * 9,
    [],
    [1],
    {},
    {"a": []},
    [[]],
    [None],
]


def snapshot(folder: Path) -> dict[str, object]:
    """Describe everything below a folder: kind, size, times, target and content of each entry."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        info = path.lstat()
        content: object = None
        if path.is_symlink():
            content = path.readlink()
        elif path.is_file():
            content = path.read_bytes()
        found[str(path.relative_to(folder))] = (
            info.st_mode,
            info.st_size,
            info.st_mtime_ns,
            info.st_nlink,
            content,
        )
    return found


class Bench:
    """A folder with a store to forge, and with files beside it that nothing may touch."""

    def __init__(self, scratch: Path, seed: int) -> None:
        scratch.mkdir(exist_ok=True)
        self.scratch = scratch
        self.seed = seed
        self.outside = scratch / "outside"
        self.store = scratch / "case"
        self._whole = scratch / "whole"
        self._study = write(scratch / "study.toml", clients=1, seeds=1)
        failed = row(9, failure="it broke", summary={}, groups=(), notices=())
        add(self._whole, [*_ROWS, failed])
        fill(self._whole, study(replications=1, record=["arrivals"]))
        leave(self._whole, [row(6), row(7, tables={"arrivals": arrivals(7)})])
        self.outside.mkdir()
        shutil.copytree(self._whole, self.outside / "store")
        for name in (".ssh/id", "docs/thesis.txt", ".0123456789abcdef/part.json", "0123456789abcdef/runs.parquet"):
            (self.outside / name).parent.mkdir(exist_ok=True)
            (self.outside / name).write_text(f"I am {name}, and I am important.")
        for source, name in (("parts/*/runs.parquet", "valuable.parquet"), ("journal/[!.]*", "valuable")):
            shutil.copyfile(next(self._whole.glob(source)), self.outside / name)
        self._targets = [self.outside, *sorted(self.outside.rglob("*")), scratch / "nothing", Path("..")]
        self._before = snapshot(self.outside)

    def case(self, number: int) -> tuple[str, str]:
        """Run a case, and return its verdict and what was done; failures start with an exclamation mark."""
        choice = random.Random(f"{self.seed} {number}")  # noqa: S311 - cases, not secrets
        shutil.rmtree(self.store, ignore_errors=True)
        shutil.copytree(self._whole, self.store)
        chosen = sorted(choice.choices(_FORGERIES, k=choice.randint(1, 3)), key=_FORGERIES.index)
        for forge in chosen:
            with contextlib.suppress(Exception):  # what it would forge was forged before
                forge(self.store, self._targets, choice)
        done = [forge.__name__.strip("_") for forge in chosen]
        command = choice.choice(_COMMANDS)
        words = [each.format(store=self.store, study=self._study, out=self.scratch / "page.html") for each in command]
        before = snapshot(self.store) if command is not _SWEEP else None
        ended = self._end(words)
        if snapshot(self.outside) != self._before:
            ended = "! touched outside"
        elif before is not None and snapshot(self.store) != before:
            ended = "! a reader changed the store"
        elif sorted(path.name for path in self.scratch.iterdir() if path.name != "page.html") != sorted(
            [self.outside.name, self.store.name, self._whole.name, self._study.name]
        ):
            ended = "! left something beside the store"
        return ended, f"{' '.join(words)} after {', '.join(done)}"

    @staticmethod
    def _end(words: list[str]) -> str:
        def late(*_: object) -> None:
            raise TimeoutError

        signal.signal(signal.SIGALRM, late)
        signal.alarm(PATIENCE)
        printed = ""
        try:
            with (
                tempfile.TemporaryFile("w+") as error,
                tempfile.TemporaryFile("w+") as answer,
                contextlib.redirect_stdout(answer),
                contextlib.redirect_stderr(error),
            ):
                try:
                    main(words)
                finally:
                    error.seek(0)
                    printed = error.read()
        except SystemExit as end:
            if end.code not in {0, 1, 2}:
                return f"! exit {end.code}"
            return f"exit {end.code}" if "Traceback" not in printed else f"! {printed}"
        except TimeoutError:
            return "! hangs"
        except BaseException:  # noqa: BLE001 - it is what the exam looks for
            return f"! {traceback.format_exc()}"
        finally:
            signal.alarm(0)
        return "exit 0"


_SWEEP: Final = ["sweep", "{study}", "--store", "{store}"]
_COMMANDS: Final = [
    ["query", "{store}", "from runs"],
    ["query", "{store}", "select count(*) from arrivals, groups, scenarios, notices, failures"],
    ["query", "{store}", 'from "../../outside/valuable"'],
    ["store", "check", "{store}"],
    ["sweep", "{study}", "--store", "{store}", "--dry-run"],
    ["report", "{store}", "--out", "{out}"],
    _SWEEP,
    _SWEEP,
]


def _place(store: Path, choice: random.Random) -> Path:
    """Choose a file or folder of a store."""
    return choice.choice(sorted(path for path in store.rglob("*") if not path.parent.is_symlink()))


def _take_away(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _link(store: Path, targets: list[Path], choice: random.Random) -> None:
    """Replace something by a link."""
    path = _place(store, choice)
    _take_away(path)
    alike = [each for each in targets if each.is_dir() == (path.suffix == "" and path.parent == store)]
    target = choice.choice(alike or targets)
    path.symlink_to(target if choice.random() < 0.5 else os.path.relpath(target, path.parent))


def _new_link(store: Path, targets: list[Path], choice: random.Random) -> None:
    """Add a link."""
    folders = [store, store / "parts", store / "journal", *(store / "parts").iterdir()]
    folder = choice.choice([each for each in folders if each.is_dir() and not each.is_symlink()])
    words = [".0123456789abcdef", "0123456789abcdef", ".hidden", "x.parquet", "aside", "notes", ".store.json"]
    (folder / choice.choice(words)).symlink_to(choice.choice(targets))


def _special(store: Path, _: list[Path], choice: random.Random) -> None:
    """Replace something by a pipe, a folder or an empty file."""
    path = _place(store, choice)
    _take_away(path)
    makers: list[Callable[[], None]] = [partial(os.mkfifo, path), path.mkdir, path.touch]
    choice.choice(makers)()


def _removed(store: Path, _: list[Path], choice: random.Random) -> None:
    _take_away(_place(store, choice))


def _bytes(store: Path, _: list[Path], choice: random.Random) -> None:
    """Change, cut or lengthen a file."""
    path = _place(store, choice)
    content = bytearray(path.read_bytes())
    place = choice.randrange(len(content))
    content[place : place + choice.choice([1, 1, len(content)])] = choice.randbytes(choice.randint(0, 3))
    path.write_bytes(content)


def _half(store: Path, _: list[Path], choice: random.Random) -> None:
    """Leave a hidden folder in a store, sometimes with other files in it."""
    folder = store / "parts" / choice.choice([".0123456789abcdef", ".ssh", ".0123456789ABCDEF"])
    folder.mkdir()
    for name in choice.sample(["runs.parquet", "part.json", "thesis.txt", "more/thesis.txt"], choice.randint(0, 3)):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()


def _copied(store: Path, _: list[Path], choice: random.Random) -> None:
    """Copy a part or a journal under another name."""
    path = choice.choice([*(store / "parts").iterdir(), *(store / "journal").iterdir()])
    (shutil.copytree if path.is_dir() else shutil.copyfile)(path, path.with_name(f"{choice.getrandbits(64):016x}"))


def _record(store: Path, _: list[Path], choice: random.Random) -> None:
    """Forge the record of a part or of the store, mostly with a checksum that is right."""
    path = choice.choice([*store.glob("parts/*/part.json"), store / "store.json"])
    record = json.loads(path.read_text())
    record.pop("checksum")
    tables = record.get("tables", {})
    others = [each.name for each in (*store.glob("parts/*"), *store.glob("journal/*"))]
    match choice.randint(0, 5):
        case 0:
            tables[choice.choice(_NAMES)] = choice.choice(["00000000", *tables.values()])
        case 1 if tables:
            tables[choice.choice(sorted(tables))] = choice.choice([*_VALUES, "00000000"])
        case 2:
            key = choice.choice(["replaces", "lost"])
            record[key] = choice.sample([*others, *_NAMES], choice.randint(1, 3))
        case 3 if tables:
            tables.pop(choice.choice(sorted(tables)))
        case _:
            record[choice.choice([*record, *_NAMES])] = choice.choice([*_VALUES, _deep(choice)])
    text = json.dumps(sealed(record) if choice.random() < 0.9 else record)
    path.write_text(text.replace('"deep"', "[" * 5000 + "]" * 5000))


def _deep(choice: random.Random) -> object:
    return "deep" if choice.random() < 0.2 else choice.choice(_NAMES)


def _resealed(part: Path, name: str) -> None:
    """Give the record of a part the checksum of a forged table."""
    record = json.loads((part / "part.json").read_text())
    record.pop("checksum")
    record["tables"][name] = checksum(part / f"{name}.parquet")
    (part / "part.json").write_text(json.dumps(sealed(record)))


def _table(store: Path, _: list[Path], choice: random.Random) -> None:
    """Forge a table, with the checksum that fits."""
    path = choice.choice(sorted(store.glob("parts/*/*.parquet")))
    table = pq.read_table(path)
    column = choice.choice(table.column_names)
    place = table.column_names.index(column)
    match choice.randint(0, 5):
        case 0:
            table = table.drop_columns([column])
        case 1:
            kind = choice.choice([pa.string(), pa.int8(), pa.null(), pa.list_(pa.int64())])
            table = table.set_column(place, column, pa.nulls(len(table), kind))
        case 2:
            table = table.set_column(place, column, pa.array([choice.choice(_NAMES[:9])] * len(table)))
        case 3:
            table = pa.concat_tables([table] * choice.choice([0, 2, 3]) or [table.slice(0, 0)])
        case 4:
            table = table.append_column(choice.choice(["run_id", "lost_tables", "x", "kept_tables"]), table[column])
        case _:
            shutil.copyfile(choice.choice(sorted(store.glob("parts/*/*.parquet"))), path)
            table = None
    if table is not None:
        pq.write_table(table, path)
    _resealed(path.parent, path.stem)


def _frames(content: bytes) -> Iterator[bytes]:
    place = len(MAGIC)
    while place < len(content):
        length = int.from_bytes(content[place : place + 8], "little")
        yield content[place + 16 : place + 16 + length]
        place += 16 + length


def _frame(content: bytes, length: int) -> bytes:
    lengths = length.to_bytes(8, "little") + crc32(content).to_bytes(4, "little")
    return lengths + crc32(lengths).to_bytes(4, "little") + content


def _row(store: Path, _: list[Path], choice: random.Random) -> None:
    """Forge rows of a journal, with checksums that fit."""
    path = choice.choice(sorted((store / "journal").glob("[!.]*")))
    rows = list(_frames(path.read_bytes()))
    place = choice.randrange(len(rows))
    start, rest = rows[place].split(b"\n", 1)
    label = json.loads(start)
    body, rest = json.loads(rest[: label["body"]]), rest[label["body"] :]
    length = 0
    match choice.randint(0, 6):
        case 0:
            label[choice.choice([*label, ".."])] = choice.choice(_VALUES)
        case 1:
            label["tables"] = {choice.choice(_NAMES): choice.choice([*label["tables"].values(), 2**62, -1, 0])}
        case 2:
            body[choice.choice([*body, ".."])] = choice.choice(_VALUES)
        case 3:
            part = choice.choice(["point", "summary"])
            body[part][choice.choice([*body["summary"], *_NAMES, "run_id", "seed"])] = choice.choice(_VALUES)
        case 4:
            body["groups"] = [
                choice.choice([*_VALUES, {choice.choice(["run_id", "name", "cov"]): choice.choice(_VALUES)}])
            ]
        case 5:
            length = choice.choice([2**62, 2**63, 2**64 - 1, 2**32])
        case _:
            rest = bytes(each ^ (choice.random() < 0.02) for each in rest)
    text = json.dumps(body).encode()
    if choice.random() < 0.9 and type(label.get("body")) is int:
        label["body"] = len(text)
    forged = json.dumps(label).encode() + b"\n" + text + rest
    rows[place] = forged
    frames = [_frame(each, length if number == place and length else len(each)) for number, each in enumerate(rows)]
    path.write_bytes(MAGIC + b"".join(frames))


_FORGERIES: Final[list[Callable[[Path, list[Path], random.Random], None]]] = [
    _row, _row, _table, _table, _record, _record, _record, _bytes, _copied, _half, _removed, _special, _new_link, _link,
    _link, _link,
]  # fmt: skip
"""Links come last, since no forgery may write through a link."""


def exam() -> int:
    """Run the cases given on the command line."""
    parser = argparse.ArgumentParser(prog="hostile.stores", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    verdicts = Verdicts(step=1000)
    slowest = 0.0
    with tempfile.TemporaryDirectory(prefix="hostile-stores-") as scratch:
        bench = Bench(Path(scratch), asked.seed)
        for number in range(asked.first, asked.first + asked.cases):
            begin = time.process_time()
            verdict, done = bench.case(number)
            slowest = max(slowest, time.process_time() - begin)
            if verdict.startswith("!"):
                print(f"{number}: {verdict}\n{done}", flush=True)
                verdict = "! " + verdict.strip().splitlines()[-1].removeprefix("! ")[:100]
            verdicts.add(verdict)
    print(f"slowest case {slowest:.2f} s of processor time")
    return verdicts.end()


if __name__ == "__main__":
    sys.exit(exam())
