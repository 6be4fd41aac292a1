"""Public captures of strangers, compared with tshark: packets, bytes, retransmissions and round-trip times.

The captures are not part of this repository. ``ACKCLOCK_PUBLIC_CAPTURES`` names a folder with checkouts of the
repositories in ``tests/data/captures/public.json``, as OWNER/NAME. The list was drawn before any comparison: all files
of ``chrissanders/packets``, and of each other repository a random sample of 60 files of 2 kB to 2 MB, without files
with fewer than ten TCP segments.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ackclock as ac

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOLDER = os.environ.get("ACKCLOCK_PUBLIC_CAPTURES")

SHOWN_RIGHT = {
    "testing/btest/Traces/tcp/ssh-dups.pcap": "each packet is captured up to three times, at one time",
    "tests/cfgs/default/pcap/ftp-start-tls.pcap": "packets are captured before and behind a router: the same "
    "identification, and a time to live that is lower by 2",
    "tests/cfgs/default/pcap/kafka.pcapng": "two packets are captured twice, at one time and with one identification",
    "tests/cfgs/default/pcap/ajp.pcap": "packets are captured twice, with one identification, and once cut, behind a "
    "header of FabricPath",
}
"""Files whose retransmissions by tshark are packets that were sent once."""

BAR = 0.98
FIELDS = (
    "frame.len",
    "ip.src",
    "ipv6.src",
    "ip.dst",
    "ipv6.dst",
    "tcp.srcport",
    "tcp.dstport",
    "tcp.analysis.retransmission",
    "tcp.analysis.fast_retransmission",
    "tcp.analysis.spurious_retransmission",
    "tcp.analysis.out_of_order",
    "tcp.analysis.ack_rtt",
)
pytestmark = [
    pytest.mark.needs("tshark"),
    pytest.mark.skipif(FOLDER is None, reason="ACKCLOCK_PUBLIC_CAPTURES names no folder"),
]

End = tuple[str, int]


@dataclass
class Found:
    """What a program finds in a capture."""

    packets: int = 0
    bytes: int = 0
    again: int = 0
    least: dict[tuple[End, End], float] = field(default_factory=dict)
    """Smallest round-trip time of the segments from one end to another."""

    def timed(self, source: End, destination: End, time: float) -> None:
        ends = source, destination
        self.least[ends] = min(time, self.least.get(ends, time))


def theirs(file: Path) -> Found:
    """Read a capture with tshark. A segment of several of its four classes counts once."""
    words = ["tshark", "-n", "-r", str(file), "-T", "fields", "-E", "occurrence=f"]
    words += [word for name in FIELDS for word in ("-e", name)]
    found = Found()
    for line in subprocess.run(words, capture_output=True, text=True, check=False).stdout.splitlines():
        length, *ends, from_, to, again, fast, spurious, overtaken, time = line.split("\t")
        found.packets += 1
        found.bytes += int(length)
        found.again += any((again, fast, spurious, overtaken))
        if time and float(time) > 0:  # the field is in the ACK
            source, destination = ends[0] or ends[1], ends[2] or ends[3]
            found.timed((destination, int(to)), (source, int(from_)), float(time))
    return found


def ours(file: Path, folder: Path) -> Found:
    """Read a capture with Ackclock."""
    from pyarrow import parquet  # noqa: PLC0415

    capture = ac.read_capture(file, flows=folder / "flows.parquet")
    again = (capture.retransmissions or 0) + (capture.overtaken or 0)
    found = Found(packets=capture.packets, bytes=capture.bytes, again=again)
    for row in parquet.read_table(folder / "flows.parquet").to_pylist():
        if row["protocol"] != "tcp":
            continue
        ends = [(row[end], row[f"{end}_port"]) for end in ("source", "destination")]
        for back, (source, destination) in (("", ends), ("_back", ends[::-1])):
            if row[f"rtt_min{back}"] is not None:
                found.timed(source, destination, row[f"rtt_min{back}"])
    return found


Compared = dict[str, tuple[Found, Found]]
"""What Ackclock and tshark find in each file, by its path."""


@pytest.fixture(scope="module")
def compared(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Compared:
    """Return what both programs find in each file, by its path."""
    listed = json.loads((root / "tests/data/captures/public.json").read_text(encoding="utf-8"))
    found = {}
    for repository, files in listed.items():
        for path, digest in files.items():
            file = Path(FOLDER or "", repository, path)
            assert hashlib.sha256(file.read_bytes()).hexdigest() == digest, file
            found[path] = ours(file, tmp_path_factory.mktemp("public")), theirs(file)
    return found


def share(
    compared: Compared,
    agree: Callable[[str, Found, Found], Iterator[bool]],
    record_property: Callable[[str, object], None],
) -> float:
    answers = [answer for path, (mine, other) in compared.items() for answer in agree(path, mine, other)]
    record_property("measured", f"{sum(answers):,} of {len(answers):,}")
    return sum(answers) / len(answers)


def test_packets_and_bytes(compared: Compared, record_property: Callable[[str, object], None]) -> None:
    """Numbers of each file.

    Validates: packets and bytes of public captures of strangers.
    Source: tshark 4.0.17.
    Tolerance: equal in 98 % of the files.
    """

    def agree(_: str, mine: Found, other: Found) -> Iterator[bool]:
        yield (mine.packets, mine.bytes) == (other.packets, other.bytes)

    assert share(compared, agree, record_property) >= BAR


def test_retransmissions(compared: Compared, record_property: Callable[[str, object], None]) -> None:
    """Segments sent again or overtaken.

    Validates: retransmissions of all kinds, with overtaken segments, in public captures of strangers.
    Source: tshark 4.0.17; in four files, identifications and times show that tshark counts packets captured twice.
    Tolerance: equal in 98 % of the files, with these four.
    """

    def agree(path: str, mine: Found, other: Found) -> Iterator[bool]:
        yield mine.again == other.again or (path in SHOWN_RIGHT and mine.again == 0)

    assert share(compared, agree, record_property) >= BAR


def test_least_round_trips(compared: Compared, record_property: Callable[[str, object], None]) -> None:
    """The smallest time in each direction of a connection in which tshark has one.

    Validates: the smallest round-trip time in each direction of the connections in public captures of strangers.
    Source: tshark 4.0.17.
    Tolerance: within 5 %, or 2 us (captures have whole us), in 98 % of the directions.
    """

    def agree(_: str, mine: Found, other: Found) -> Iterator[bool]:
        for ends, time in other.least.items():
            yield abs(mine.least.get(ends, 1e9) - time) <= max(0.05 * time, 2e-6)

    assert share(compared, agree, record_property) >= BAR
