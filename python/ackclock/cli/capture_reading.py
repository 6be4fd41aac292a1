"""Implements ``ackclock capture``: analyses a capture and writes the results."""

from __future__ import annotations

import json
import secrets
import shlex
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from rich.table import Table
from rich.text import Text

from ackclock.capture.conversations import HEAD, conversations, largest
from ackclock.capture.diagnosis import Diagnosis, chosen, diagnose, is_single, of_connection
from ackclock.capture.folder import MADE
from ackclock.capture.reading import KEY_BYTES, WHAT, Capture, read_capture
from ackclock.capture.shares import SHARES, shares
from ackclock.cli.console import console
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
    anonymise: bool = False
    key: str | None = None
    connection: int | None = None

    @property
    def words(self) -> list[str]:
        """The options in words, without the key."""
        given = [("--inner", self.inner), ("--anonymise", self.anonymise)]
        chosen = [] if self.connection is None else ["--connection", str(self.connection)]
        return ["--bin", self.bin, *(word for word, is_given in given if is_given), *chosen]


def capture(file: Path, options: Options, *, as_json: bool, out: Path | None) -> bool:
    """Analyse a capture, print the results, and write them to a folder if one is given.

    Returns
    -------
    bool
        Whether the whole file could be read.
    """
    secret = _key(options.key, anonymise=options.anonymise)
    if out is None:
        read, summary, _ = _read(file, options, key=secret)
    else:
        check_replaceable(out, study=MADE)
        command = shlex.join(["ackclock", "capture", str(file), *options.words, "--out", str(out)])
        record = {
            "version": catalogue().version,
            "input": str(file),
            "anonymised": options.anonymise,
            "command": command,
        }
        with write_whole(out, study=MADE, record=record, checksums=True) as folder:
            read, summary, found = _read(file, options, key=secret, folder=folder)
            _write(folder, read, summary, found, command=command, connection=options.connection)
    if as_json:
        sys.stdout.write(json.dumps(summary, indent=2, allow_nan=False) + "\n")
        return read.stopped is None
    _show(read, summary)
    if out is not None:
        console().print(Text(f"\nThe report is {out / 'report.html'}; `ackclock query {out} SQL` queries the data."))
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
    file: Path, options: Options, *, key: bytes | None, folder: Path | None = None
) -> tuple[Capture, dict[str, Any], tuple[Burstiness, Hurst] | None]:
    """Return the capture, its results as plain data, and the burstiness of its arrivals over time scales."""
    try:
        size = file.stat().st_size
    except OSError as error:
        raise unreadable(file, error.strerror or str(error), WHAT) from None
    with progress_bar(file.name, size) as show:
        read = read_capture(
            file,
            bin=options.bin,
            inner=options.inner,
            packets=None if folder is None else folder / "packets.parquet",
            flows=None if folder is None else folder / "flows.parquet",
            key=key,
            progress=lambda done, packets: show(done, f"{packets:,} packets"),
        )
    _check(read, options.connection)
    found, missing = _scales(read)
    random = [_RANDOM_KEY] if options.anonymise and options.key is None else []
    diagnosis = diagnose(chosen(read.flows, options.connection))
    summary = _summary(read, found, diagnosis, notices=[*read.notices, *missing, *random])
    return read, summary, found


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


def _check(read: Capture, connection: int | None) -> None:
    if connection is None or of_connection(read.flows, connection) is not None:
        return
    if connection < read.connections:
        raise refuse("--connection", connection, f"is not among the {len(read.flows):,} largest conversations")
    allowed = f"0 to {read.connections - 1}" if read.connections else "left out: the capture has no TCP connection"
    raise refuse("--connection", connection, f"must be {allowed}")


def _summary(
    read: Capture, found: tuple[Burstiness, Hurst] | None, diagnosis: Diagnosis, *, notices: list[str]
) -> dict[str, Any]:
    from ackclock.cli import scaling  # noqa: PLC0415
    from ackclock.cli.series import Series  # noqa: PLC0415

    counts = read.packets_per_bin[:-1]
    arrivals: dict[str, Any] = {"bin": read.bin, "count": counts.size}
    if found is not None:
        series = Series(values=counts, about=f"packets in {counts.size} bins of {read.bin:g} s", bin=read.bin)
        arrivals |= scaling.described(series, *found)
    return {
        "version": catalogue().version,
        "input": str(read.path),
        "diagnosis": {"kind": diagnosis.kind, "text": diagnosis.text, "connection": diagnosis.connection},
        "format": read.format,
        "packets": read.packets,
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
        "interfaces": [{"name": name, "link_type": link} for name, link in read.interfaces],
        "stopped": None if read.stopped is None else {"offset": read.stopped[0], "problem": read.stopped[1]},
        "notices": notices,
    }


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _stamp(value) if name in {"first", "last"} else value for name, value in row.items()}


def _stamp(time: int) -> str:
    """Format a time in ns since 1970 as ISO 8601."""
    seconds, rest = divmod(time, 1_000_000_000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09d}Z"


def _show(read: Capture, summary: Mapping[str, Any]) -> None:
    out = console()
    if summary["diagnosis"]["connection"] is not None:
        out.print(Text(f"{summary['diagnosis']['text']}\n"))
    when = f", from {summary['first']} to {summary['last']}" if read.span else ""
    out.print(Text(f"{read.packets:,} packets, {read.bytes:,} bytes as sent in {read.duration:.6g} s{when}\n"))
    out.print(_mix_table(read))
    if len(read.flows):
        out.print()
        out.print(_flow_table(read))
        count = f"{read.flow_count:,} conversation{'' if read.flow_count == 1 else 's'}"
        out.print(Text(f"{count}{_again(read)}"))
    arrivals = summary["arrivals"]
    if "cov" in arrivals:
        spread = "" if is_single(read) else _hurst(arrivals["hurst"])
        out.print(
            Text(
                f"\n{arrivals['about']}: c.o.v. {arrivals['cov']:.4g}, dispersion {arrivals['dispersion']:.4g}, "
                f"peak/mean {arrivals['peak_to_mean']:.4g}{spread}"
            )
        )
    for notice in [*summary["notices"], *arrivals.get("notices", ())]:
        out.print(Text(f"Note: {notice}"))


def _again(read: Capture) -> str:
    """Say how many segments were sent again, overtaken, or missed."""
    if read.retransmissions is None or read.overtaken is None:
        return "; retransmissions are unknown"
    parts = [f"{read.retransmissions:,} TCP segment{'' if read.retransmissions == 1 else 's'} sent again"]
    parts += [f"{read.overtaken:,} overtaken"] if read.overtaken else []
    return f" with {', '.join(parts)}"


def _hurst(estimates: Sequence[Mapping[str, Any]]) -> str:
    """Give one estimate with its interval: of local Whittle, whose interval is known, or else of the wavelets."""
    by_method = {each["method"]: each for each in estimates}
    one = by_method.get("local_whittle") or by_method.get("abry_veitch")
    if one is None:
        return ""
    if not 0 < one["h"] < 1:
        return f"; no Hurst parameter: the estimate {one['h']:.3f} ({one['method']}) is outside of 0 to 1"
    return f"; Hurst parameter {one['h']:.3f} ({one['low']:.3f} to {one['high']:.3f}, {one['method']})"


def _mix_table(read: Capture) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("layer")
    table.add_column("protocol")
    for name in SHARES:
        table.add_column(name, justify="right")
    for each, numbers in shares(read):
        table.add_row(each.layer, each.name, *numbers)
    return table


def _flow_table(read: Capture) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(HEAD[0], overflow="fold")
    for name in HEAD[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    for ends, *numbers in conversations(read):
        table.add_row(Text(ends), *numbers)  # brackets must not be read as markup
    return table


def _write(
    folder: Path,
    read: Capture,
    summary: Mapping[str, Any],
    found: tuple[Burstiness, Hurst] | None,
    *,
    command: str,
    connection: int | None,
) -> None:
    import numpy as np  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    from ackclock.capture.report import capture_report  # noqa: PLC0415
    from ackclock.capture.tables import array  # noqa: PLC0415
    from ackclock.report.html import render  # noqa: PLC0415

    arrivals = {
        "time": np.arange(read.packets_per_bin.size) * read.bin,
        "packets": read.packets_per_bin.astype(np.int64),
        "bytes": read.bytes_per_bin.astype(np.int64),
    }
    table = pa.table({name: array(values) for name, values in arrivals.items()})
    parquet.write_table(table, (folder / "arrivals.parquet").absolute())
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
