"""Reads the packets of one TCP connection from a table of packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

__all__ = ["segments_of"]


def segments_of(packets: Path, connection: int, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Yield columns of a connection's packets, part by part, without copies and packets that have no time.

    Parameters
    ----------
    packets
        Parquet file with the packets of a capture (`ackclock.capture.tables.PACKETS`).
    connection
        Number of the connection.
    columns
        Names of the columns.
    """
    import pyarrow.compute as pc  # noqa: PLC0415  # slow to load
    from pyarrow import parquet  # noqa: PLC0415

    needed = dict.fromkeys((*columns, "connection", "copy", "timestamp"))
    with parquet.ParquetFile(packets.absolute(), pre_buffer=False) as file:
        for group in range(file.num_row_groups):
            table = file.read_row_group(group, columns=list(needed))
            own = pc.and_(pc.equal(table["connection"], connection), pc.invert(table["copy"]))
            rows = table.filter(pc.and_(own, pc.is_valid(table["timestamp"])))
            if len(rows):
                yield rows.select(list(columns))
