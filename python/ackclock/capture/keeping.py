"""Stores the results of a capture: the largest conversations in memory, and the requested tables in Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ackclock.capture.tables import FLOWS, TCP_COUNTS, array
from ackclock.values.columns import numbers

if TYPE_CHECKING:
    import os

    from pyarrow import parquet

    from ackclock.capture.reading import Capture

__all__ = ["Largest", "write_arrivals", "writer"]

_LARGEST: Final = 1000
"""Number of conversations that stay in memory; they are the conversations with the most bytes."""


class Largest:
    """Counts what TCP did in all conversations, and stores the largest."""

    def __init__(self) -> None:
        self.sums = dict.fromkeys(TCP_COUNTS, 0)
        self.largest: pa.Table = pa.Table.from_batches([], schema=FLOWS)

    def add(self, ended: pa.Table) -> None:
        """Add completed conversations."""
        if not len(ended):
            return
        for name in TCP_COUNTS:
            self.sums[name] += sum(pc.sum(ended[name + back]).as_py() or 0 for back in ("", "_back"))
        both = pa.concat_tables([self.largest, ended]).unify_dictionaries()
        total = numbers(both["bytes"]).astype(np.int64) + numbers(both["bytes_back"]).astype(np.int64)
        order = np.lexsort((numbers(both["first"].cast(pa.int64())), -total))[:_LARGEST]
        self.largest = pa.table([_fresh(column) for column in both.take(array(order)).columns], schema=FLOWS)


def _fresh(column: pa.ChunkedArray) -> pa.Array:
    """Drop dictionary entries that no row uses; otherwise the addresses of every conversation would stay in memory."""
    whole = column.combine_chunks()
    return whole.cast(pa.string()).dictionary_encode() if pa.types.is_dictionary(column.type) else whole


def writer(path: str | os.PathLike[str], schema: pa.Schema) -> parquet.ParquetWriter:
    """Open a Parquet file for writing."""
    from pyarrow import parquet  # noqa: PLC0415  # not needed if nothing is kept, and slow to load: it loads `ssl`

    # Only names are dictionary-encoded: numbers rarely repeat, and encoding them takes longer than writing them.
    named = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    steady = {"timestamp": "DELTA_BINARY_PACKED", "time": "BYTE_STREAM_SPLIT"}
    encoding = {name: kind for name, kind in steady.items() if name in schema.names}
    return parquet.ParquetWriter(Path(path).absolute(), schema, use_dictionary=named, column_encoding=encoding)


def write_arrivals(capture: Capture, path: Path) -> None:
    """Write packets and bytes in each bin to a Parquet file."""
    from pyarrow import parquet  # noqa: PLC0415

    arrivals = {
        "time": np.arange(capture.packets_per_bin.size) * capture.bin,
        "packets": capture.packets_per_bin.astype(np.int64),
        "bytes": capture.bytes_per_bin.astype(np.int64),
    }
    table = pa.table({name: array(values) for name, values in arrivals.items()})
    parquet.write_table(table, path.absolute())
