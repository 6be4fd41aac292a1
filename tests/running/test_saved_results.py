"""Results on disk: a flipped bit in any of their files is reported, or changes nothing."""

from __future__ import annotations

import json
import random
import shutil
from typing import TYPE_CHECKING

import pytest
from tests.study.small import scenario
from tests.support.long import often

import ackclock as ac
from ackclock.cli import main
from ackclock.running.result import UNSEALED, load, read_request
from ackclock.values.errors import DamagedError, ScenarioError

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.running.run import Run


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results") / "run"
    ac.simulate(scenario(), record=["queue/10ms", "arrivals", "windows"]).save(path)
    assert len(list(path.iterdir())) == 5
    return path


def as_before(result: Path, copy: Path) -> Path:
    """Copy a result as an earlier version would have written it, without checksums."""
    shutil.copytree(result, copy)
    record = json.loads((copy / "record.json").read_text())
    del record["files"], record["checksum"]
    (copy / "record.json").write_text(json.dumps(record, indent=2) + "\n")
    return copy


def flipped(result: Path, copy: Path, choice: random.Random, case: int) -> Path:
    """Copy a result, and flip a bit of one of its files, each in its turn."""
    shutil.copytree(result, copy)
    files = sorted(copy.iterdir())
    file = files[case % len(files)]
    content = bytearray(file.read_bytes())
    bit = choice.randrange(8 * len(content))
    content[bit // 8] ^= 1 << bit % 8
    file.write_bytes(content)
    return file


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(str(ended.value.code))


def everything(run: Run) -> object:
    return run.to_dict(), run.record, {name: run.table(name) for name in run.tables}


def answer(result: Path) -> object:
    """Return everything that a result holds, or the error with which it is refused."""
    try:
        return everything(load(result))
    except ScenarioError as error:
        return str(error)


def test_a_flipped_bit_in_a_result_is_reported(result: Path, tmp_path: Path) -> None:
    choice = random.Random(7)  # noqa: S311 - places, not secrets
    whole = everything(load(result))
    cases = often(60, long=300)
    refused = 0
    for case in range(cases):
        file = flipped(result, tmp_path / str(case), choice, case)
        found = answer(file.parent)
        assert found == whole or (isinstance(found, str) and str(file) in found and "\n" not in found), file
        refused += isinstance(found, str)
    assert refused > 0.9 * cases


def test_a_flipped_bit_in_a_result_of_the_version_before_never_ends_in_a_traceback(
    result: Path, tmp_path: Path
) -> None:
    choice = random.Random(8)  # noqa: S311
    before = as_before(result, tmp_path / "before")
    for case in range(often(60, long=300)):
        file = flipped(before, tmp_path / str(case), choice, case)
        assert isinstance(answer(file.parent), str) or UNSEALED in load(file.parent).notices


def test_every_command_reports_a_damaged_file(result: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = shutil.copytree(result, tmp_path / "copy")
    arrivals = copy / "arrivals.parquet"
    content = arrivals.read_bytes()
    arrivals.write_bytes(content[:200] + bytes([content[200] ^ 1]) + content[201:])
    message = f"{arrivals}: is damaged: its content has changed since it was written; `ackclock run {copy} --out NEW`"
    with pytest.raises(DamagedError, match="its content has changed"):
        load(copy)
    for command in (["plot", copy], ["burstiness", copy, "--column", "packets"]):
        capsys.readouterr()
        assert run(*command) == 1
        assert capsys.readouterr().err.startswith(message)
    assert run("run", copy, "--out", tmp_path / "new") == 0  # as the error says
    assert load(tmp_path / "new").summary == load(result).summary
    arrivals.unlink()
    with pytest.raises(DamagedError, match="No such file"):
        load(copy)


@pytest.mark.parametrize("change", ['"seed": 2', '"seeds": 1', '"checksun"', '"fules"'])
def test_a_changed_record_is_refused(result: Path, tmp_path: Path, change: str) -> None:
    copy = shutil.copytree(result, tmp_path / "copy")
    given = {"2": '"seed": 1', "1": '"seed": 1', "n": '"checksum"', "s": '"files"'}[change.strip('"')[-1]]
    text = (copy / "record.json").read_text()
    assert given in text
    (copy / "record.json").write_text(text.replace(given, change))
    for reads in (load, read_request):
        with pytest.raises(ScenarioError, match=r"record\.json"):
            reads(copy)
    assert run("run", copy) in {1, 2}


def test_a_result_of_the_version_before_is_read_with_a_notice(
    result: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = as_before(result, tmp_path / "before")
    found, whole = load(before), load(result)
    assert found.notices == (*whole.notices, UNSEALED)
    assert {name: found.table(name) for name in found.tables} == {name: whole.table(name) for name in whole.tables}
    for command in (["run", before], ["plot", before]):
        capsys.readouterr()
        assert run(*command) == 0
        assert capsys.readouterr().err == f"{before}: {UNSEALED}\n"
    assert UNSEALED not in whole.notices
