"""Converts the engine's columns to Arrow tables."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from ackclock.engine import core
from ackclock.scenario import Scenario
from ackclock.scenario.links import links_of
from ackclock.values.columns import texts

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

_NUMPY_TYPES: Final = {"u32": "<u4", "u64": "<u8", "f64": "<f8", "bool": "u1", "words": "u1"}
"""NumPy type of each type of column in the engine. A type ``words:a,b,c`` lists words; the column's bytes are indices
into this list."""


def to_arrow(rows: core.Rows, scenario: Scenario) -> "pa.Table":
    """Convert the engine's rows to an Arrow table, with names instead of ids of links and groups."""
    return from_columns(rows.columns(), scenario)


def from_columns(columns: Sequence[tuple[str, str, bytes]], scenario: Scenario) -> "pa.Table":
    """Convert columns in the engine's form to an Arrow table."""
    import pyarrow as pa  # noqa: PLC0415  # slow to load, and many runs need no table

    groups = [group.name or "" for group in scenario.groups]
    names: dict[str, Callable[[int], str]] = {"link": links_of(scenario).name, "group": groups.__getitem__}
    arrays = [_array(kind, content, names.get(name)) for name, kind, content in columns]
    return pa.table(arrays, names=[name for name, _, _ in columns])


def without(table: "pa.Table", unknown: Iterable[str]) -> "pa.Table":
    """Return a table in which the values of some columns are missing."""
    import pyarrow as pa  # noqa: PLC0415

    for name in unknown:
        place = table.schema.get_field_index(name)
        if place >= 0:
            none = pa.nulls(len(table), table.schema.field(place).type)
            table = table.set_column(place, name, none)
    return table


def _array(kind: str, content: bytes, name_of: Callable[[int], str] | None) -> "pa.Array":
    """Make an Arrow array from the engine's bytes, without a copy if possible.

    `pa.array` is not used, because it would import an installed pandas to check the type of the values: 2 s of CPU
    time.
    """
    import numpy as np  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    numbers, _, words = kind.partition(":")
    values = np.frombuffer(content, dtype=_NUMPY_TYPES[numbers])
    if words:
        return _named(values, words.split(",").__getitem__)
    if name_of is not None:
        return _named(values, name_of)
    if kind == "bool":
        return pa.Array.from_buffers(pa.bool_(), values.size, [None, _bits(values)])
    # NaN marks a missing value.
    missing = int(np.count_nonzero(np.isnan(values))) if kind == "f64" else 0
    present = _bits(~np.isnan(values)) if missing else None
    kinds = {"u32": pa.uint32(), "u64": pa.uint64(), "f64": pa.float64()}
    return pa.Array.from_buffers(kinds[kind], values.size, [present, pa.py_buffer(content)], missing)


def _bits(values: "np.ndarray") -> "pa.Buffer":
    """Pack booleans as Arrow stores them, the first one in the lowest bit."""
    import numpy as np  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    return pa.py_buffer(np.packbits(values, bitorder="little"))


def _named(numbers: "np.ndarray", name_of: Callable[[int], str]) -> "pa.Array":
    """Return a dictionary-encoded array with the name of each id."""
    import numpy as np  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    present = np.flatnonzero(np.bincount(numbers))
    place = np.zeros(int(present[-1]) + 1 if present.size else 0, dtype=np.int32)
    place[present] = np.arange(present.size, dtype=np.int32)
    indices = pa.Array.from_buffers(pa.int32(), numbers.size, [None, pa.py_buffer(place[numbers])])
    return pa.DictionaryArray.from_arrays(indices, texts([name_of(int(number)) for number in present]))
