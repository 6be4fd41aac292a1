"""Writing captures: packets of a run as a file that Wireshark, tshark and tcptrace read.

A request names points of links: ``LINK[@POINT][,LINK[@POINT]]``, such as ``bottleneck`` or
``access.0,access.0.reverse@receive``. Without a point, packets are seen as they are offered to the link's queue. Asking
for a capture never changes what a run does.
"""

import json
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ackclock.running import engine
from ackclock.running.catalogue import catalogue
from ackclock.scenario import Connections, Scenario
from ackclock.scenario.errors import one_of, refuse, unreadable
from ackclock.scenario.kinds import whole
from ackclock.scenario.links import links_of

SNAP_LENGTH: Final = 96
"""Bytes of each packet that a file holds by default: all headers, and a little of the payload."""
SNAP: Final = whole(80, 65_535)
"""The longest headers have 80 bytes: 20 of IPv4, 20 of TCP and 40 of options."""

POINTS: Final = {
    "": "packets as they are offered to the queue, those dropped or lost there included",
    "dequeue": "packets as they leave the queue and their transmission begins",
    "receive": "packets as they reach the far end",
}
"""Where on a link packets are seen; the empty word stands for none."""


@dataclass(frozen=True)
class Tap:
    """A point of a link, understood."""

    number: int
    """The engine's number of the link."""
    name: str
    """The link and the point, as the request has them."""
    point: str

    def for_engine(self) -> dict[str, Any]:
        """Give it as the engine reads it."""
        return {"link": self.number, "at": self.point or "offer"}


@dataclass(frozen=True)
class CaptureRequest:
    """A request, understood."""

    text: str
    """What was asked for."""
    taps: tuple[Tap, ...]

    def for_engine(self) -> dict[str, Any]:
        """Give the request as the engine reads it."""
        return {"taps": [tap.for_engine() for tap in self.taps]}


@dataclass(frozen=True, kw_only=True)
class Written:
    """What a file of captured packets holds."""

    packets: int
    bytes: int
    """Those of the packets, by their IP headers."""
    longer: int
    """Packets that have more bytes than on the simulated link, since their headers do not fit into these."""
    longer_by: int
    """Bytes that these have more, all together."""


@dataclass(frozen=True)
class Captured:
    """A request, and the packets that answer it."""

    request: CaptureRequest
    packets: engine.CapturedPackets

    def write(self, file: Path, snap_length: int, comment: str) -> Written:
        """Write them into a new file, whole or not at all."""
        SNAP.require("snap_length", snap_length)
        setup = {
            "snap_length": snap_length,
            "application": f"Ackclock {catalogue().version}",
            "comment": comment,
            "interface": self.request.text,
            "description": "; ".join(f"{tap.name}: {POINTS[tap.point]}" for tap in self.request.taps),
        }
        refuse_existing("file", file)
        beside = None
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}-", delete=False) as made:
                beside = Path(made.name)
            told = self.packets.write(beside, json.dumps(setup))
            beside.chmod(0o644)
            refuse_existing("file", file)
            beside.rename(file)
        except OSError as error:
            raise unreadable(file, str(error.strerror or error), "a new file that can be written") from None
        finally:
            if beside is not None:
                beside.unlink(missing_ok=True)
        return Written(**json.loads(told))


def refuse_existing(field: str, file: Path) -> None:
    """Refuse to write where there is something."""
    if file.exists() or file.is_symlink():
        raise refuse(field, str(file), "must not exist yet: captures are never overwritten")


def understand(requests: Iterable[str], scenario: Scenario) -> list[CaptureRequest]:
    """Read capture requests against an effective scenario.

    Raises
    ------
    ScenarioError
        A request names what does not exist, or comes twice.
    """
    requests = [requests] if isinstance(requests, str) else list(requests)
    for group in scenario.groups if requests else ():
        if isinstance(group.source, Connections):
            allowed = f"must be absent: the connections of group {group.name} share flows, which look like one"
            raise refuse("capture", requests[0], allowed)
    understood = [_understand(request, scenario) for request in requests]
    for place, request in enumerate(requests):
        if request in requests[:place]:
            raise refuse("capture", request, "must not be asked for twice")
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
