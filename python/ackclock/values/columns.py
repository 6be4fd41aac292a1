"""Converts columns between Arrow and NumPy, without importing an installed pandas.

Arrow's own conversions, ``to_numpy`` and ``pa.array``, import it to check the type of the values: 2 s of CPU time.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["numbers", "texts", "words"]


def numbers(column: pa.ChunkedArray) -> NDArray[Any]:
    """Convert a column of numbers to NumPy, with NaN for missing values."""
    import numpy as np  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    parts: list[NDArray[Any]] = []
    for chunk in column.chunks:
        if not chunk.null_count:
            parts.append(np.from_dlpack(chunk))
            continue
        # `fill_null` would import an installed pandas too
        known, missing = chunk.cast(pa.float64()), np.from_dlpack(chunk.is_null().cast(pa.uint8()))
        values = np.frombuffer(known.buffers()[1], np.float64, len(known), 8 * known.offset)
        parts.append(np.where(missing, math.nan, values))
    return np.concatenate(parts) if parts else np.empty(0)


def words(column: pa.ChunkedArray) -> NDArray[np.str_]:
    """Convert a column of words to NumPy."""
    import numpy as np  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    parts = [
        np.array(chunk.dictionary.to_pylist(), dtype=np.str_)[np.from_dlpack(chunk.indices)]
        for chunk in encoded.chunks
        if len(chunk)
    ]
    return np.concatenate(parts) if parts else np.empty(0, np.str_)


def texts(words: Sequence[str]) -> pa.Array:
    """Make an Arrow array of texts."""
    import numpy as np  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    encoded = [text.encode() for text in words]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(encoded), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))
