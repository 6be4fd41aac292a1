"""Implements ``ackclock capture``: analyses a capture and writes the results."""

from __future__ import annotations

import json
import secrets
import shlex
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from ackclock.capture.conversations import largest
from ackclock.capture.diagnosis import Diagnosis, chosen, diagnose, of_connection
from ackclock.capture.folder import MADE
from ackclock.capture.reading import KEY_BYTES, STANDARD_INPUT, WHAT, Asked, Capture, read_watched
from ackclock.engine.catalogue import catalogue
from ackclock.files.recognised import CAPTURE
from ackclock.papers.folder import check_replaceable, write_whole
from ackclock.running.progress import progress_bar
from ackclock.values.errors import refuse, unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ackclock.analysis import Burstiness, Hurst

LEAST_PACKETS: Final = 1000
"""Fewest packets for an estimate of the Hurst parameter: with 100 bins, ten in each."""

_RANDOM_KEY: Final = (
    "Addresses were replaced with a random key, which is not stored: each call of the command uses a new key. "
    "--key makes the replacement repeatable."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """How a capture is read: the options of the command."""

    bin: str
    inner: bool = False
    filter: str | None = None
    anonymise: bool = False
    key: str | None = None
    connection: int | None = None

    @property
    def words(self) -> list[str]:
        """The options in words, without the key."""
        given = [("--inner", self.inner), ("--anonymise", self.anonymise)]
        valued = [("--filter", self.filter), ("--connection", self.connection)]
        with_value = [each for word, value in valued if value is not None for each in (word, str(value))]
        return ["--bin", self.bin, *with_value, *(word for word, is_given in given if is_given)]


def capture(files: Sequence[Path], options: Options, *, as_json: bool, out: Path | None) -> bool:
    """Analyse captures, print the results, and write them to a folder if one is given.

    Returns
    -------
    bool
        Whether all files could be read to their end.
    """
    if STANDARD_INPUT in files and len(files) > 1:
        raise refuse("FILE", str(STANDARD_INPUT), "must be the only input: a capture from the standard input")
    secret = _key(options.key, anonymise=options.anonymise)
    if out is None:
        read, summary, _ = _read(files, options, as_json=as_json, key=secret)
    else:
        check_replaceable(out, study=MADE)
        names = [str(file) for file in files]
        command = shlex.join(["ackclock", "capture", *names, *options.words, "--out", str(out)])
        record = {
            "version": catalogue().version,
            "input": " ".join(names),
            "anonymised": options.anonymise,
            "command": command,
        }
        with write_whole(out, study=MADE, record=record, checksums=True) as folder:
            read, summary, found = _read(files, options, as_json=as_json, key=secret, folder=folder)
            _write(folder, read, summary, found, command=command, connection=options.connection)
    if as_json:
        sys.stdout.write(json.dumps(summary, indent=2, allow_nan=False) + "\n")
        return read.stopped is None
    from ackclock.cli.capture_showing import show  # noqa: PLC0415  # JSON needs no tables

    show(read, summary, connection=options.connection, out=out)
    return read.stopped is None


def _key(key: str | None, *, anonymise: bool) -> bytes | None:
    if key is None:
        return secrets.token_bytes(KEY_BYTES) if anonymise else None
    if not anonymise:
        raise refuse("--key", "a key", "must come with --anonymise")
    try:
        secret = bytes.fromhex(key)
    except ValueError:
        secret = b""
    if len(secret) != KEY_BYTES:  # the message must not reveal the key
        raise refuse("--key", f"{len(key)} characters", f"must be {2 * KEY_BYTES} hexadecimal digits")
    return secret


def _read(
    files: Sequence[Path], options: Options, *, as_json: bool, key: bytes | None, folder: Path | None = None
) -> tuple[Capture, dict[str, Any], tuple[Burstiness, Hurst] | None]:
    """Return the capture, its results as plain data, and the burstiness of its arrivals over time scales."""
    asked = Asked(
        bin=options.bin,
        packets=None if folder is None else folder / "packets.parquet",
        flows=None if folder is None else folder / "flows.parquet",
        inner=options.inner,
        filter=options.filter,
        key=key,
    )
    if list(files) == [STANDARD_INPUT]:
        from ackclock.cli.capture_live import watched  # noqa: PLC0415  # files need none of it

        with watched(is_quiet=as_json) as watch:
            read = read_watched([], asked, watch=watch)
    else:
        with progress_bar(files[0].name, sum(map(_size, files))) as show:
            read = read_watched(
                files,
                asked,
                watch=lambda reader: show(reader.taken(), f"{reader.packets():,} packets"),
            )
    check_connection(read, options.connection)
    found, missing = _scales(read)
    random = [_RANDOM_KEY] if options.anonymise and options.key is None else []
    diagnosis = diagnose(chosen(read.flows, options.connection))
    summary = _summary(read, found, diagnosis, notices=[*read.notices, *missing, *random])
    return read, summary, found


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError as error:
        raise unreadable(file, error.strerror or str(error), WHAT) from None


def _scales(read: Capture) -> tuple[tuple[Burstiness, Hurst] | None, list[str]]:
    """Analyse packets per bin over time scales if there are enough bins."""
    from ackclock import analysis  # noqa: PLC0415  # slow to load
    from ackclock.analysis.scaling.verdict import LEAST  # noqa: PLC0415

    counts = read.packets_per_bin[:-1]  # the last bin may be incomplete
    if counts.size < LEAST:
        return None, [
            f"{counts.size} whole bins are too few to analyse burstiness over time scales: at least {LEAST} are needed."
        ]
    if counts.min() == counts.max():
        return None, ["All bins have the same number of packets: there is no variation to analyse."]
    packets = int(counts.sum())
    if packets < LEAST_PACKETS:
        few = f"{packets} packets are too few to estimate the Hurst parameter: at least {LEAST_PACKETS} are needed."
        return (analysis.burstiness(counts), analysis.Hurst(estimates=(), long_range=False, notices=(few,))), []
    return (analysis.burstiness(counts), analysis.hurst(counts)), []


def check_connection(read: Capture, connection: int | None) -> None:
    """Check that a connection is among those of a capture whose numbers are known."""
    if connection is None or of_connection(read.flows, connection) is not None:
        return
    if connection < read.connections:
        raise refuse("--connection", connection, f"is not among the {len(read.flows):,} largest conversations")
    allowed = f"0 to {read.connections - 1}" if read.connections else "left out: the capture has no TCP connection"
    raise refuse("--connection", connection, f"must be {allowed}")


def _summary(
    read: Capture, found: tuple[Burstiness, Hurst] | None, diagnosis: Diagnosis, *, notices: list[str]
) -> dict[str, Any]:
    counts = read.packets_per_bin[:-1]
    arrivals: dict[str, Any] = {"bin": read.bin, "count": counts.size}
    if found is not None:
        from ackclock.cli.scaling import described  # noqa: PLC0415  # slow to load
        from ackclock.cli.series import Series  # noqa: PLC0415

        series = Series(values=counts, about=f"packets in {counts.size} bins of {read.bin:g} s", bin=read.bin)
        arrivals |= described(series, *found)
    return {
        "version": catalogue().version,
        "input": str(read.path),
        "files": [str(file) for file in read.files],
        "diagnosis": {"kind": diagnosis.kind, "text": diagnosis.text, "connection": diagnosis.connection},
        "format": read.format,
        "packets": read.packets,
        "filtered": read.filtered,
        "bytes": read.bytes,
        "captured_bytes": read.captured_bytes,
        "first": None if read.span is None else _stamp(read.span[0]),
        "last": None if read.span is None else _stamp(read.span[1]),
        "duration": read.duration,
        "protocols": read.protocols,
        "mix": [
            {"layer": each.layer, "name": each.name, "packets": each.packets, "bytes": each.bytes} for each in read.mix
        ],
        "ip_packets": read.ip_packets,
        "ip_bytes": read.ip_bytes,
        "conversations": read.flow_count,
        "connections": read.connections,
        "retransmissions": read.retransmissions,
        "overtaken": read.overtaken,
        "missed": read.missed,
        "copies": read.copies,
        "top": [_plain(row) for row in largest(read)],
        "arrivals": arrivals,
        "interfaces": [
            {"name": name, "link_type": link, "file": file}
            for (name, link), file in zip(read.interfaces, read.sources, strict=True)
        ],
        "stopped": None if read.stopped is None else {"offset": read.stopped[0], "problem": read.stopped[1]},
        "notices": notices,
    }


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _stamp(value) if name in {"first", "last"} else value for name, value in row.items()}


def _stamp(time: int) -> str:
    """Format a time in ns since 1970 as ISO 8601."""
    seconds, rest = divmod(time, 1_000_000_000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09d}Z"


def _write(
    folder: Path,
    read: Capture,
    summary: Mapping[str, Any],
    found: tuple[Burstiness, Hurst] | None,
    *,
    command: str,
    connection: int | None,
) -> None:
    from ackclock.capture.keeping import write_arrivals  # noqa: PLC0415
    from ackclock.capture.report import capture_report  # noqa: PLC0415
    from ackclock.report.html import render  # noqa: PLC0415

    write_arrivals(read, folder / "arrivals.parquet")
    report = capture_report(
        read,
        folder / "packets.parquet",
        scales=found,
        notices=summary["notices"],
        command=command,
        connection=connection,
    )
    for drawing in report.drawings:
        for name, content in drawing.files.items():
            (folder / name).write_bytes(content)
    (folder / CAPTURE).write_text(json.dumps(summary, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    (folder / "report.html").write_text(render(report), encoding="utf-8")
