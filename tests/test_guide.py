"""The guides keep their word: their blocks run in order, print what they show, and their figures say what they say."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import ackclock as ac
from ackclock.analysis import compare_paired

FENCE = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")

ADDRESSES = {"source", "source_port", "destination", "destination_port"}
"""Columns that the guide to captures calls addresses and ports."""

TOLERANCE = 0.25
"""Numbers shown may differ by this share: a mended model moves them a little, and no word of the guide hangs on it."""


@dataclass
class Reader:
    """Does what the guide says, in one folder and one Python session."""

    folder: Path
    session: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    printed: str = ""

    def follow(self, language: str, block: str, before: str) -> None:
        """Do one block; ``before`` is the text up to it, which names the file of a TOML block."""
        if language == "toml":
            name = re.findall(r"`(\w+\.toml)`", before)[-1]
            (self.folder / name).write_text(block, encoding="utf-8")
        elif language == "sh":
            self.printed = "".join(self.command(line) for line in block.splitlines())
        elif language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(block, "guide", "exec"), self.session)  # noqa: S102 - our own text
            self.printed = out.getvalue()
        else:
            assert language == "text", f"nobody runs a block of {language}"
            assert masked(block) == masked(self.printed)
            assert close(block, self.printed), f"shown:\n{block}\nprinted:\n{self.printed}"

    def command(self, line: str) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        ended = subprocess.run(
            ["sh", "-c", line],
            cwd=self.folder,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (0, ""), line
        return ended.stdout


def masked(text: str) -> list[str]:
    """Leave the words, a sign for each number, and no spaces."""
    return NUMBER.sub("#", text).split()


def close(shown: str, printed: str) -> bool:
    """Compare number by number; what follows a ± is itself uncertain, and only told apart from another size."""
    pairs = zip(numbers(shown), numbers(printed), strict=True)
    return all(there == pytest.approx(here, rel=2 if bar else TOLERANCE, abs=1e-3) for (here, bar), (there, _) in pairs)


def numbers(text: str) -> list[tuple[float, bool]]:
    """Give each number, and whether it is the half-width of an interval."""
    return [(float(at[0].replace(",", "")), text[: at.start()].endswith("± ")) for at in NUMBER.finditer(text)]


def read(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Do what a page says, in a folder."""
    guide = page.read_text(encoding="utf-8")
    monkeypatch.chdir(folder)
    reader = Reader(folder)
    for fence in FENCE.finditer(guide):
        reader.follow(fence[2], textwrap.dedent(fence[3]), guide[: fence.start()])
    return reader


def test_the_first_study(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = read(root / "docs" / "guide" / "first_study.md", tmp_path, monkeypatch)
    assert (tmp_path / "buffer.png").read_bytes().startswith(b"\x89PNG")
    # What the guide concludes from its figure, error bars and all.
    small, middle, large = (reader.session["wide"][packets].cov for packets in (10, 50, 400))
    held_back = reader.session["narrow"][400].cov
    assert middle.mean - middle.half_width > 1.3 * (small.mean + small.half_width)
    assert middle.mean - middle.half_width > large.mean + large.half_width
    assert large.mean - large.half_width > 2 * reader.session["run"].summary.cov_poisson
    assert large.mean - large.half_width > 1.5 * (held_back.mean + held_back.half_width)
    assert (tmp_path / "seed7" / "arrivals.parquet").exists()


def test_sweeps(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = read(root / "docs" / "guide" / "sweeps.md", tmp_path, monkeypatch)
    # What the guide says of its pairs.
    pairs = {
        count: compare_paired(seeds.reno, seeds.vegas) for count, seeds in reader.session["pairs"].groupby(level=0)
    }
    assert pairs[20].narrowing > 10
    assert all(pairs[count].narrowing < 2 for count in (38, 44, 60))
    assert pairs[60].differ
    assert reader.session["long"].warning == ""
    assert "made by <code>ackclock report results" in (tmp_path / "results.html").read_text(encoding="utf-8")


def test_wide_area(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = read(root / "docs" / "guide" / "wide_area.md", tmp_path, monkeypatch)
    assert len(reader.session["components"]) == 20


def test_burstiness(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = read(root / "docs" / "guide" / "burstiness.md", tmp_path, monkeypatch)
    # What the guide says of its three series.
    assert (tmp_path / "figures" / "variance_time.png").read_bytes().startswith(b"\x89PNG")
    claimed = {name: ac.analysis.hurst(counts).long_range for name, counts in reader.session["series"].items()}
    assert claimed == {"Poisson": False, "sawtooth": False, "long memory": True}


def test_captures(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lan.pcapng").write_bytes((root / "tests" / "data" / "captures" / "two.pcapng").read_bytes())
    read(root / "docs" / "guide" / "captures.md", tmp_path, monkeypatch)
    folder = {path.name for path in (tmp_path / "lan").iterdir()}
    guide = (root / "docs" / "guide" / "captures.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w.]+)` \|", guide, re.MULTILINE)) <= folder
    names = pyarrow.parquet.read_schema(tmp_path / "lan" / "packets.parquet").names
    told = guide.partition("`packets.parquet`")[2].partition("\n")[0]
    assert [name for name in names if f"`{name}`" not in told and name not in ADDRESSES] == []


def test_captures_writing(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = read(root / "docs" / "guide" / "captures_writing.md", tmp_path, monkeypatch)
    assert reader.session["cov"] == reader.session["run"].summary.cov


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("0.12 ± 0.004", "0.13 ± 0.009", True),
        ("0.12 ± 0.004", "0.16 ± 0.004", False),
        ("1,234 packets", "1,300 packets", True),
        ("45", "90", False),
    ],
)
def test_numbers_are_compared_as_a_reader_would(shown: str, printed: str, *, same: bool) -> None:
    assert masked(shown) == masked(printed)
    assert close(shown, printed) is same
