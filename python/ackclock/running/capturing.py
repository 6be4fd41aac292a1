"""Writes the packets of a run to a file that Wireshark, tshark and tcptrace can read.

A capture request names links, each with an optional point of capture: ``LINK[@POINT][,LINK[@POINT]]``, such as
``bottleneck`` or ``access.0,access.0.reverse@receive``. Without a point, packets are captured when they are offered to
the link's queue. A capture never changes the results of a run.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ackclock.engine import core
from ackclock.engine.catalogue import catalogue
from ackclock.files.making import new_file
from ackclock.scenario import Call, Connections, Pages, Scenario
from ackclock.scenario.links import links_of
from ackclock.values.errors import one_of, refuse
from ackclock.values.kinds import whole

SNAP_LENGTH: Final = 96
"""Default number of stored bytes per packet: all headers, and some payload."""
SNAP: Final = whole(80, 65_535)
"""Allowed numbers of stored bytes per packet. The longest headers have 80 bytes: 20 of IPv4, 20 of TCP and 40 of
options."""

POINTS: Final = {
    "": "packets when they are offered to the queue, including the ones dropped or lost there",
    "dequeue": "packets when they leave the queue and their transmission begins",
    "receive": "packets when they reach the far end",
}
"""Points of a link at which packets can be captured; the empty string is the default."""


@dataclass(frozen=True)
class Tap:
    """A parsed point of capture: a link, and when its packets are captured."""

    number: int
    """The engine's id of the link."""
    name: str
    """The link and the point as in the request."""
    point: str

    def for_engine(self) -> dict[str, Any]:
        """Return the point of capture in the engine's form."""
        return {"link": self.number, "at": self.point or "offer"}


@dataclass(frozen=True)
class CaptureRequest:
    """A parsed request for a capture."""

    text: str
    """The text of the request."""
    taps: tuple[Tap, ...]

    def for_engine(self) -> dict[str, Any]:
        """Return the request in the engine's form."""
        return {"taps": [tap.for_engine() for tap in self.taps]}


@dataclass(frozen=True, kw_only=True)
class Written:
    """Statistics of a file of captured packets."""

    packets: int
    bytes: int
    """Total size of the packets by their IP headers."""
    longer: int
    """Number of packets that are longer than on the simulated link, because real headers need more bytes."""
    longer_by: int
    """Total number of additional bytes in these packets."""


@dataclass(frozen=True)
class Captured:
    """A request with its captured packets."""

    request: CaptureRequest
    packets: core.CapturedPackets

    def write(self, file: Path, snap_length: int, comment: str) -> Written:
        """Write the packets to a new file, atomically."""
        SNAP.require("snap_length", snap_length)
        setup = {
            "snap_length": snap_length,
            "application": f"Ackclock {catalogue().version}",
            "comment": comment,
            "interface": self.request.text,
            "description": "; ".join(f"{tap.name}: {POINTS[tap.point]}" for tap in self.request.taps),
        }
        refuse_existing("file", file)
        allowed = "a new file that can be written"
        with new_file(file, allowed=allowed, check=lambda: refuse_existing("file", file)) as made:
            written = self.packets.write(made, json.dumps(setup))
        return Written(**json.loads(written))


def refuse_existing(field: str, file: Path) -> None:
    """Refuse to write to an existing path."""
    if file.exists() or file.is_symlink():
        raise refuse(field, str(file), "must not exist yet: captures are never overwritten")


def understand(requests: Iterable[str], scenario: Scenario) -> list[CaptureRequest]:
    """Parse capture requests, with the links of an effective scenario.

    Raises
    ------
    ScenarioError
        A request names a link or point that does not exist, or a request is repeated.
    """
    requests = [requests] if isinstance(requests, str) else list(requests)
    for group in scenario.groups if requests else ():
        if isinstance(group.source, Connections | Pages):
            allowed = (
                f"must be absent: the connections of group {group.name} share flows, so a capture cannot separate them"
            )
            raise refuse("capture", requests[0], allowed)
        if isinstance(group.source, Call):
            raise refuse("capture", requests[0], f"must be absent: the reports of group {group.name} have no bytes")
    understood = [_understand(request, scenario) for request in requests]
    for place, request in enumerate(requests):
        if request in requests[:place]:
            raise refuse("capture", request, "must not be requested twice")
    return understood


def _understand(request: object, scenario: Scenario) -> CaptureRequest:
    if not isinstance(request, str):
        raise refuse("capture", request, "must be a text such as 'access.0,access.0.reverse@receive'")
    links = links_of(scenario)
    taps: list[Tap] = []
    for name in request.split(","):
        link, at, point = name.partition("@")
        number = links.number(link)
        if number is None:
            raise refuse("capture", request, f"there is no link {link!r}: {one_of(link, links.names())}")
        if at and point not in list(POINTS)[1:]:
            raise refuse("capture", request, f"{one_of(point, list(POINTS)[1:])}, as in {link}@dequeue")
        if name in (tap.name for tap in taps):
            raise refuse("capture", request, f"must not name {name} twice")
        taps.append(Tap(number, name, point))
    return CaptureRequest(request, tuple(taps))
