"""Adaptive video, a data source."""

from collections.abc import Mapping
from typing import Any, Final, Literal, Self

from pydantic_core import InitErrorDetails

from ackclock.scenario.data_source import DataSource, Setting
from ackclock.scenario.fields import BitrateRule, Bitrates, ChunkTime, PlayTime, PositiveShare
from ackclock.values.errors import wrong
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, RATE, TIME

LADDER: Final = (
    *("235 kbps", "375 kbps", "560 kbps", "750 kbps", "1050 kbps", "1750 kbps", "2350 kbps", "3 Mbps", "4300 kbps"),
    "5800 kbps",
)
"""The bitrates of Netflix before it chose them for each title (Netflix Technology Blog, "Per-Title Encode
Optimization", December 2015)."""


class Video(DataSource):
    """Adaptive video over TCP: a client that loads a video in chunks and plays it from a buffer.

    The client requests a chunk as soon as its buffer has room for it, on one connection, and chooses the bitrate of
    each. With the rule ``rate`` it is the highest up to ``safety`` times the throughput of the last chunks: the smaller
    one of two averages over download times, with half-lives of 3 s and 8 s (the rule of throughput of dash.js). With
    ``buffer`` it rises with the buffered video, from the lowest below the ``reservoir`` to the highest at the end of
    the ``cushion`` above it (BBA-0 of Huang et al., SIGCOMM 2014, whose buffer holds 240 s). Each period of ``active``
    is another video.

    Examples
    --------
    >>> Video(rule="buffer", buffer="240 s").bitrates[-1]
    '5800 kbps'
    """

    kind: Literal["video"] = "video"
    """``video``."""

    rule: BitrateRule = "rate"
    """How the client chooses bitrates: ``rate`` (default) or ``buffer``."""

    bitrates: Bitrates = LADDER
    """The bitrates, rising (default: ten from 235 kb/s to 5.8 Mb/s, those of Netflix in 2015)."""

    chunk: ChunkTime = "4 s"
    """Length of a chunk; all chunks of a bitrate have the same size."""

    buffer: PlayTime = "60 s"
    """Length of the video that the buffer holds (default: 60 s, as in dash.js for long videos)."""

    startup: PlayTime = "4 s"
    """Length of the buffered video with which play begins, and begins again after a stall."""

    safety: PositiveShare = 0.9
    """Share of the throughput that the rule ``rate`` uses."""

    reservoir: PositiveShare = 0.375
    """Share of the buffer up to which the rule ``buffer`` takes the lowest bitrate (default: 90 s of 240 s)."""

    cushion: PositiveShare = 0.525
    """Share of the buffer above the reservoir in which the bitrate rises (default: 126 s of 240 s)."""

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Convert the source into the engine's form, with chunks in packets."""
        chunk, buffer = TIME.parse(self.chunk), TIME.parse(self.buffer)
        rule: dict[str, Any] = {"kind": self.rule}
        if self.rule == "rate":
            rule["safety"] = self.safety
        else:
            rule |= {"reservoir": round(self.reservoir * buffer), "cushion": round(self.cushion * buffer)}
        bits = 8 * setting.payload * PICOSECONDS_PER_SECOND
        rates = [RATE.parse(bitrate) for bitrate in self.bitrates]
        return {
            "kind": self.kind,
            "levels": [{"bitrate": rate, "packets": -(-rate * chunk // bits)} for rate in rates],
            "chunk": chunk,
            "buffer": buffer,
            "startup": TIME.parse(self.startup),
            "rule": rule,
        }

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that the buffer has room, and that parameters belong to the rule."""
        del data
        if part is None:
            return []
        least = TIME.parse(part.chunk) + TIME.parse(part.startup)
        if TIME.parse(part.buffer) < least:
            return [wrong(("buffer",), part.buffer, f"must be at least chunk and startup, {TIME.format(least)}")]
        for name in ("reservoir", "cushion") if part.rule == "rate" else ("safety",):
            if getattr(part, name) != cls.model_fields[name].default:
                return [wrong((name,), getattr(part, name), f"must be absent with the rule {part.rule}")]
        if part.reservoir + part.cushion > 1:
            allowed = f"must be at most {1 - part.reservoir:g}: reservoir and cushion are parts of the buffer"
            return [wrong(("cushion",), part.cushion, allowed)]
        return []
