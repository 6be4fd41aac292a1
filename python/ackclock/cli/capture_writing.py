"""Implements ``ackclock run --pcap``."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ackclock.cli.arguments import option
from ackclock.running.capturing import SNAP, SNAP_LENGTH, refuse_existing
from ackclock.running.run import Run
from ackclock.values.errors import refuse


@dataclass(frozen=True)
class CaptureFiles:
    """The capture files that ``--pcap`` requests."""

    files: Mapping[str, Path]
    """File for each request; the request names links and points, such as ``bottleneck@dequeue``."""
    snap_length: int

    def write(self, run: Run) -> None:
        """Write the files, and report packets that are longer in a file than on the simulated link."""
        for capture, file in self.files.items():
            written = run.write_pcapng(capture, file, snap_length=self.snap_length)
            if written.longer:
                sys.stderr.write(
                    f"{file}: {written.longer:,} of {written.packets:,} packets are longer than in the simulation, by "
                    f"{written.longer_by:,} of {written.bytes:,} bytes in total, because their headers are longer\n"
                )


def captures_of(requests: Iterable[str], snap_length: str | None) -> CaptureFiles:
    """Parse ``--pcap`` and ``--snap-length``.

    Raises
    ------
    ScenarioError
        A request has no file, its file exists, a request or a file occurs twice, or the snap length is not allowed.
    """
    files: dict[str, Path] = {}
    for request in requests:
        capture, equals, name = request.partition("=")
        if not (capture and equals and name):
            raise refuse("--pcap", request, "must be links and a file, as in bottleneck=gateway.pcapng")
        file = Path(name)
        refuse_existing("--pcap", file)
        if capture in files:
            raise refuse("--pcap", request, f"must not request {capture} twice")
        if file.resolve() in (other.resolve() for other in files.values()):
            raise refuse("--pcap", request, f"must not name {name} twice")
        files[capture] = file
    if snap_length is not None and not files:
        raise refuse("--snap-length", snap_length, "must come with --pcap")
    snap = SNAP_LENGTH if snap_length is None else option("--snap-length", snap_length, SNAP, int)
    return CaptureFiles(files, snap)
