"""A call whose sender adapts its bitrate, a data source."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic_core import InitErrorDetails

from ackclock.scenario.data_source import DataSource, Setting
from ackclock.scenario.fields import Bitrate, Feedback, FrameRate
from ackclock.values.errors import wrong
from ackclock.values.quantity import RATE, TIME


class Call(DataSource):
    """Frames of a video call whose sender adapts its bitrate, over UDP: Google Congestion Control.

    The sender encodes frames at its bitrate and paces their packets. The receiver estimates from the times of their
    arrival whether a queue grows, and reports to the sender, which sets its bitrate with each report: by this signal
    and by losses (draft-ietf-rmcat-gcc-02). The limits of the bitrate are those of the test cases for such controllers
    (RFC 8867).

    Examples
    --------
    >>> Call(max_bitrate="2.5 Mbps").bitrate
    '300 kbps'
    """

    kind: Literal["call"] = "call"
    """``call``."""

    rate: FrameRate = 30.0
    """Frames per second of each flow."""

    bitrate: Bitrate = "300 kbps"
    """Initial bitrate, on the wire."""

    min_bitrate: Bitrate = "150 kbps"
    """Lowest bitrate."""

    max_bitrate: Bitrate = "1500 kbps"
    """Highest bitrate."""

    feedback: Feedback = "100 ms"
    """Time between reports of the receiver, which leave with the first packet that arrives after it."""

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Convert the source into the engine's form, with bitrates in bits per second."""
        del setting
        return {
            "kind": self.kind,
            "rate": self.rate,
            "least": RATE.parse(self.min_bitrate),
            "start": RATE.parse(self.bitrate),
            "most": RATE.parse(self.max_bitrate),
            "feedback": TIME.parse(self.feedback),
        }

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that the initial bitrate is within its limits."""
        del data
        if part is None:
            return []
        least, start, most = (RATE.parse(each) for each in (part.min_bitrate, part.bitrate, part.max_bitrate))
        if least <= start <= most:
            return []
        allowed = f"must be from min_bitrate to max_bitrate, {part.min_bitrate} to {part.max_bitrate}"
        return [wrong(("bitrate",), part.bitrate, allowed)]
