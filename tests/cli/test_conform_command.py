"""``ackclock conform``: its report, its exit status, and the JUnit file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from ackclock.cli import main

if TYPE_CHECKING:
    from pathlib import Path

OPENING = """0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,nop,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 20000) = 20000
"""
EQUAL = OPENING + "+0 > P. 1:10001(10000) ack 1\n+0 %{ assert tcpi_reordering == 3; assert tcpi_unacked == 10 }%\n"
DIFFERS = OPENING + "+0 > . 1:9001(9000) ack 1\n+.001 > . 9001:12001(3000) ack 1\n"
INEXPRESSIBLE = OPENING + "+0 > . 1:10001(10000) ack 1\n+.1 < R. 1:1(0) ack 1 win 257\n"


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["conform", *map(str, arguments)])
    out, errors = capsys.readouterr()
    return int(ended.value.code or 0), out, errors


def written(folder: Path, **scripts: str) -> Path:
    for name, text in scripts.items():
        (folder / f"{name}.pkt").write_text(text, "utf-8")
    return folder


def test_a_script_that_is_equal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = written(tmp_path, a=EQUAL) / "a.pkt"
    told = (
        f"equal            {file}  (packets: 2, assertions: 1)\n"
        "    not compared: line 8: tcpi_reordering has no value in this sender\n"
        "1 equal, 0 different, 0 not expressible, of 1 script\n"
        "not compared: PSH of 1 packet\n"
    )
    assert run(capsys, file) == (0, told, "")


def test_the_first_difference_and_what_is_not_expressible(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = written(tmp_path, b=DIFFERS, c=INEXPRESSIBLE)
    told = (
        f"differs          {folder}/b.pkt:8  at 0.101 s\n"
        "    expected  . 9001:12001(3000) ack 1 from 0.097 to 0.105 s\n"
        "    found     9001:10001(1000), and nothing until 0.105 s\n"
        f"not expressible  {folder}/c.pkt:8  a reset is not modelled\n"
        "0 equal, 1 different, 1 not expressible, of 2 scripts\n"
    )
    assert run(capsys, folder)[:2] == (1, told)
    assert run(capsys, folder / "c.pkt")[0] == 0


def test_scripts_that_cannot_be_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = written(tmp_path, a=EQUAL, bad="0 socket(\n")
    code, out, errors = run(capsys, folder)
    assert code == 2
    assert out.endswith(
        "1 equal, 0 different, 0 not expressible, 1 unreadable, of 2 scripts\nnot compared: PSH of 1 packet\n"
    )
    where = 'line 1, column 10: the arguments have no end: ")"; must be a script in the language of packetdrill'
    assert errors == f"{folder / 'bad.pkt'}: cannot be used: {where}\n"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["nowhere.pkt"], "nowhere.pkt: cannot be used: it does not exist; must be a script or a folder of "),
        (["."], ".: cannot be used: the folder has no files *.pkt; must be a script or a folder of scripts"),
        (["a.pkt", "--law", "renault"], "variant: unknown variant 'renault'; must be one of bbr, "),
        (["a.pkt", "--law", "x.py:Law"], "law: '"),
        (["a.pkt", "--set", "min_rto=-1 s"], "min_rto: '-1 s' is not allowed; must be 0 or more"),
        (["a.pkt", "--profile", "linx"], "profile: unknown profile 'linx'; did you mean 'linux'? must be one of"),
        (["a.pkt", "--seed", "x"], "seed: 'x' is not allowed; must be an integer"),
        (["a.pkt", "--figure", "a.gif"], "--figure: 'a.gif' is not allowed; must end in one of .png, .svg, .pdf"),
        (
            ["a.pkt", "b.pkt", "--figure", "a.svg"],
            "--figure: 'a.svg' is not allowed; must be absent with more than one ",
        ),
    ],
)
def test_wrong_arguments(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    error: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    if arguments != ["."]:
        written(tmp_path, a=EQUAL, b=DIFFERS)
    code, out, errors = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert errors.startswith(error), errors


def test_a_picture(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    written(tmp_path, b=DIFFERS)
    (tmp_path / "b.svg").write_text("an earlier picture", "utf-8")
    code, out, _ = run(capsys, tmp_path / "b.pkt", "--figure", tmp_path / "b.svg")
    assert (code, out) == run(capsys, tmp_path / "b.pkt")[:2]
    assert "<svg" in (tmp_path / "b.svg").read_text("utf-8")


def test_the_demands_of_a_script(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A setting selects the congestion control; options of the command take precedence."""
    commands = "#!/bin/sh\nsysctl -q net.ipv4.tcp_congestion_control=westwood  # unknown\n"
    (tmp_path / "common.sh").write_text(commands, "utf-8")
    window = "+0 %{ assert tcpi_snd_cwnd == 4 }%\n"
    written(
        tmp_path, a="`ip route change 10.0.0.0/8 dev tun0 initcwnd 4`\n" + OPENING + window, b="`./common.sh`\n" + EQUAL
    )
    assert run(capsys, tmp_path / "a.pkt")[0] == 0
    assert run(capsys, tmp_path / "a.pkt", "--set", "initial_window=5")[0] == 1
    told = "the congestion control westwood is not modelled"
    assert run(capsys, tmp_path / "b.pkt")[1].startswith(f"not expressible  {tmp_path}/b.pkt:1  {told}\n")
    assert run(capsys, tmp_path / "b.pkt", "--law", "reno")[0] == 0
    (tmp_path / "common.sh").unlink()
    assert "the file ./common.sh cannot be read" in run(capsys, tmp_path / "b.pkt")[1]


def test_the_report_for_machines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = written(tmp_path, a=EQUAL, b=DIFFERS, bad="x", c=INEXPRESSIBLE)
    file = tmp_path / "results.xml"
    code, out, _ = run(capsys, folder, "--json", "--junit", file)
    assert code == 2
    rows = json.loads(out)
    assert [row["verdict"] for row in rows] == ["equal", "differs", "inexpressible"]
    assert (rows[1]["line"], rows[1]["time"], rows[2]["reason"]) == (8, 0.101, "a reset is not modelled")
    suite = ET.parse(file).getroot()  # noqa: S314  # it is our own
    counts = {"tests": "4", "failures": "1", "errors": "1", "skipped": "1"}
    assert suite.attrib == {"name": "ackclock conform"} | counts
    found = [(case.get("name"), *[part.tag for part in case]) for case in suite]
    assert found == [("a.pkt",), ("b.pkt", "failure"), ("c.pkt", "skipped"), ("bad.pkt", "error")]


def test_a_law_that_fails(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    written(tmp_path, a=EQUAL + "+.1 < . 1:1(0) ack 1 win 257 <sack 1001:5001>\n")
    law = "class Bad(ac.Law):\n    def on_ack(self, window, ack):\n        pass\n\n"
    law += "    def on_congestion(self, window, congestion):\n        raise KeyError(7)\n"
    (tmp_path / "bad.py").write_text("import ackclock as ac\n\n" + law, "utf-8")
    code, _, errors = run(capsys, tmp_path / "a.pkt", "--law", f"{tmp_path}/bad.py:Bad")
    assert code == 2
    assert "law Bad: on_congestion failed for flow 0 at 0.2 s" in errors
