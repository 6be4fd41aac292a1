"""Reads traces of mobile networks in the forms in which they are published, as steps of a rate.

- **G-NetTrack**: CSV with the columns ``Timestamp`` (``2019.12.14_10.16.30``), ``DL_bitrate`` and ``UL_bitrate``
  (kbit/s), among others, as in the 4G and 5G datasets of Raca and others (*Beyond Throughput*, ACM MMSys 2018 and
  2020). A row holds from its second to that of the next row; of several rows of a second, the last one counts.
- **Throughput logs**: six numbers in a line: the time since an epoch, a time in ms, latitude, longitude, the bytes
  received since the line before, and the milliseconds since then. These are the logs of Riiser and others over HSDPA
  (ACM MMSys 2013) and of van der Hooft and others over LTE (IEEE Communications Letters 20(11), 2016). The integral of
  the rate equals the bytes of the log. The first two times are not used: they differ between the two sets.
- **Pensieve**: a time in seconds and a rate in Mbit/s in each line (Mao, Netravali and Alizadeh, SIGCOMM 2017). As
  there, a rate holds from the time of the line before to that of its own line, and the trace repeats. The rate of the
  first line is not used.

A measured rate is what one download received: a lower bound of what the link could carry. A log that ends with a rate
of 0 repeats from its end, a second after its last row in a log of G-NetTrack, because every outage ends.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ackclock.scenario.fields import LONGEST_RUN
from ackclock.values.errors import ScenarioError, unreadable
from ackclock.values.quantity import seconds

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

DIRECTIONS: Final = {"downlink": "DL_bitrate", "uplink": "UL_bitrate"}
"""The columns of a log of G-NetTrack, by direction."""
_STAMP: Final = "Timestamp"
_STAMP_FORM: Final = "%Y.%m.%d_%H.%M.%S"
_NUMBER: Final = rb"[-+]?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?"
_WORDS: Final = {
    "gnettrack": "a log of G-NetTrack: CSV with Timestamp (as 2019.12.14_10.16.30, in order), DL_bitrate and "
    "UL_bitrate (kbit/s)",
    "log": "a throughput log: six numbers in each line, of which the last two are bytes and milliseconds above 0",
    "pensieve": "a trace of Pensieve: at least two lines with a time in seconds, which increases, and a rate in Mbit/s",
}
_FIELDS: Final = {"log": 6, "pensieve": 2}
_SHORTEST: Final = 1e-9
"""The shortest time between two lines, in seconds."""


class Steps(NamedTuple):
    """A trace as steps."""

    times: NDArray[np.float64]
    """Start of each step, in seconds: 0 for the first."""
    rates: NDArray[np.float64]
    """The rates, in bit/s."""
    period: float | None
    """Period of a trace that repeats by itself, in seconds."""
    end: float
    """End of the last step, in seconds."""


def kind_of(data: bytes) -> str | None:
    r"""Tell the form of a file from its first line: ``gnettrack``, ``log`` or ``pensieve``, or ``None`` for others.

    Examples
    --------
    >>> kind_of(b"Timestamp,Speed,DL_bitrate,UL_bitrate\n"), kind_of(b"0.5 2.25\n"), kind_of(b"time,rate\n")
    ('gnettrack', 'pensieve', None)
    """
    first = data.split(b"\n", 1)[0].strip()
    names = [name.strip() for name in first.split(b",")]
    if _STAMP.encode() in names and any(column.encode() in names for column in DIRECTIONS.values()):
        return "gnettrack"
    words = first.split()
    if all(re.fullmatch(_NUMBER, word) for word in words):
        return next((kind for kind, count in _FIELDS.items() if len(words) == count), None)
    return None


def steps(path: str, data: bytes, kind: str, direction: str) -> Steps:
    """Read a trace in one of these forms.

    Parameters
    ----------
    path
        The file's path, for errors.
    data
        The file's content.
    kind
        The form, as `kind_of` tells it.
    direction
        ``downlink`` or ``uplink``, for a log of G-NetTrack.

    Raises
    ------
    ScenarioError
        The file does not have this form.
    """
    import pyarrow as pa  # noqa: PLC0415  # slow to load

    try:
        return _gnettrack(path, data, direction) if kind == "gnettrack" else _plain(path, data, kind)
    except pa.ArrowException:  # its message may quote the file
        raise _refused(path, kind, "it cannot be read") from None


def _refused(path: str, kind: str, why: str) -> ScenarioError:
    return unreadable(path, why, _WORDS[kind])


def _gnettrack(path: str, data: bytes, direction: str) -> Steps:
    import numpy as np  # noqa: PLC0415  # slow to load
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415
    from pyarrow import csv  # noqa: PLC0415

    column = DIRECTIONS[direction]
    types = {_STAMP: pa.string(), column: pa.float64()}
    convert = csv.ConvertOptions(include_columns=[*types], column_types=types, null_values=["", "-"])
    table = csv.read_csv(pa.BufferReader(data), convert_options=convert).drop_null()
    if table.num_rows == 0:
        raise _refused(path, "gnettrack", f"it has no value of {column}")
    stamps = pc.strptime(table[_STAMP], format=_STAMP_FORM, unit="s")
    times = stamps.cast(pa.int64()).to_numpy().astype(np.float64)
    times -= times[0]
    if (np.diff(times) < 0).any():
        raise _refused(path, "gnettrack", f"times decrease, in row {int(np.argmax(np.diff(times) < 0)) + 2}")
    last = np.append(np.diff(times) > 0, [True])
    return Steps(times[last], 1000 * table[column].to_numpy()[last], None, times[-1] + 1)


def _plain(path: str, data: bytes, kind: str) -> Steps:
    import numpy as np  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import csv  # noqa: PLC0415

    names = [f"{place}" for place in range(_FIELDS[kind])]
    single = re.sub(rb"[ \t]+", b" ", data.strip())  # files differ in what separates numbers
    single = re.sub(rb" ?(\r?\n) ?", rb"\1", single)
    table = csv.read_csv(
        pa.BufferReader(single),
        read_options=csv.ReadOptions(column_names=names),
        parse_options=csv.ParseOptions(delimiter=" "),
        convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pa.float64())),
    )
    first, second = (_finite(path, kind, table[name]) for name in names[-2:])
    if kind == "pensieve":
        lengths, rates = np.diff(first), 1e6 * second[1:]
    else:
        lengths, rates = second / 1000, 8000 * first / np.where(second > 0, second, 1)
    if lengths.size == 0 or not (lengths > 0).all():
        raise _refused(path, kind, "it has a time that takes no time, or no time at all")
    ends = np.cumsum(lengths)
    if ends[-1] > seconds(LONGEST_RUN):
        raise unreadable(path, "it is too long", f"a trace up to {LONGEST_RUN}")
    if lengths.min() < _SHORTEST:
        raise unreadable(path, "two times are nearly the same", "a trace whose times differ by at least a nanosecond")
    end = float(ends[-1])
    return Steps(np.append([0.0], ends[:-1]), rates, end if kind == "pensieve" else None, end)


def _finite(path: str, kind: str, column: pa.ChunkedArray) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    values: NDArray[np.float64] = column.to_numpy()
    if column.null_count or not np.isfinite(values).all():
        raise _refused(path, kind, "it has a value that is not a number")
    return values
