"""The engine's columns as Arrow arrays, equal to Arrow's own conversion."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ackclock.running.tables import _array

NUMBERS = {
    "u32": (st.integers(0, 2**32 - 1), np.uint32),
    "u64": (st.integers(0, 2**64 - 1), np.uint64),
    "f64": (st.floats(), np.float64),
    "bool": (st.booleans(), np.uint8),
}


@pytest.mark.parametrize("kind", NUMBERS)
@given(data=st.data())
def test_numbers_are_as_arrow_converts_them(kind: str, data: st.DataObject) -> None:
    """Validates: types, values and nulls of tables; not a number is a missing value.
    Source: `pyarrow.array`.
    Tolerance: none.
    """
    elements, dtype = NUMBERS[kind]
    values = np.array(data.draw(st.lists(elements, max_size=40)), dtype=dtype)
    ours = _array(kind, values.tobytes(), None)
    ours.validate(full=True)
    expected = pa.array(values.astype(bool) if kind == "bool" else values, from_pandas=True)
    assert ours.equals(expected)
    assert ours.null_count == expected.null_count


@given(st.lists(st.sampled_from([0, 2, 3]), max_size=40))
def test_numbers_of_names_are_a_dictionary_of_those_that_occur(numbers: list[int]) -> None:
    names = ["bottleneck", "unused", "grün", ""]
    ours = _array("u32", np.array(numbers, dtype=np.uint32).tobytes(), names.__getitem__)
    words = _array("words:bottleneck,unused,grün,", np.array(numbers, dtype=np.uint8).tobytes(), None)
    for array in (ours, words):
        array.validate(full=True)
        assert array.type == pa.dictionary(pa.int32(), pa.string())
        assert array.to_pylist() == [names[number] for number in numbers]
        assert array.dictionary.to_pylist() == [names[number] for number in sorted(set(numbers))]
