"""The type of the tables that the package returns, for type checkers and editors.

Every table is a ``pyarrow.Table``. pyarrow has no types of its own, so that a type checker would accept any attribute
of it. The protocols here have the methods for reading. With other types for pyarrow, ``pyarrow.table(table)`` gives a
type checker the same table as its ``pyarrow.Table``, without a copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, overload

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["ArrowColumn", "ArrowTable"]


class ArrowColumn(Protocol):
    """A column of a table, which is a ``pyarrow.ChunkedArray``."""

    @property
    def type(self) -> pa.DataType:
        """The type of the values."""

    @property
    def null_count(self) -> int:
        """Number of missing values."""

    @property
    def chunks(self) -> Sequence[pa.Array]:
        """The arrays that the column consists of."""

    def __len__(self) -> int:
        """Return the number of values."""

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the values, which are Arrow scalars."""

    def __getitem__(self, key: int | slice) -> Any:
        """Return a value, as an Arrow scalar, or a part of the column."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the column to other libraries, by Arrow's interface for them."""

    def to_pylist(self) -> list[Any]:
        """Return the values as Python objects; missing values are None."""

    def to_numpy(self, zero_copy_only: bool = False) -> NDArray[Any]:  # noqa: FBT001, FBT002  # pyarrow's signature
        """Return the values as an array."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: FBT001  # NumPy's signature
        """Give the values to NumPy."""

    def to_pandas(self) -> pd.Series[Any]:
        """Return the values as a pandas series."""

    def cast(self, target_type: str | pa.DataType) -> ArrowColumn:
        """Convert the values to another type."""

    def filter(self, mask: object) -> ArrowColumn:
        """Select the values at which the mask is true."""

    def slice(self, offset: int = 0, length: int | None = None) -> ArrowColumn:
        """Return a part of the column."""

    def drop_null(self) -> ArrowColumn:
        """Leave out missing values."""

    def equals(self, other: object) -> bool:
        """Whether another column has the same values."""

    def unique(self) -> pa.Array:
        """Return each value once."""

    def combine_chunks(self) -> pa.Array:
        """Return the values as one array."""


class ArrowTable(Protocol):
    """A table, which is a ``pyarrow.Table``."""

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""

    @property
    def columns(self) -> list[ArrowColumn]:
        """The columns."""

    @property
    def num_columns(self) -> int:
        """Number of columns."""

    @property
    def num_rows(self) -> int:
        """Number of rows."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""

    @property
    def nbytes(self) -> int:
        """Size of the values, in bytes."""

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""

    def __len__(self) -> int:
        """Return the number of rows."""

    @overload
    def __getitem__(self, key: str | int) -> ArrowColumn: ...
    @overload
    def __getitem__(self, key: slice) -> ArrowTable: ...

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the table to other libraries, by Arrow's interface for them."""

    def column(self, i: int | str) -> ArrowColumn:
        """Return a column by its index or name."""

    def to_pylist(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""

    def to_pydict(self) -> dict[str, list[Any]]:
        """Return the values of each column."""

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a pandas data frame."""

    def to_batches(self, max_chunksize: int | None = None) -> list[pa.RecordBatch]:
        """Return the table as record batches."""

    def to_reader(self, max_chunksize: int | None = None) -> pa.RecordBatchReader:
        """Return a reader of the table's record batches."""

    def select(self, columns: Sequence[str | int]) -> ArrowTable:
        """Return a table of some columns."""

    def drop_columns(self, columns: str | Sequence[str]) -> ArrowTable:
        """Return a table without some columns."""

    def rename_columns(self, names: Sequence[str] | Mapping[str, str]) -> ArrowTable:
        """Return a table whose columns have other names."""

    def append_column(self, field_: str | pa.Field, column: object) -> ArrowTable:
        """Return a table with one column more, after the others."""

    def add_column(self, i: int, field_: str | pa.Field, column: object) -> ArrowTable:
        """Return a table with one column more, before column `i`."""

    def set_column(self, i: int, field_: str | pa.Field, column: object) -> ArrowTable:
        """Return a table with another column in the place of column `i`."""

    def filter(self, mask: object) -> ArrowTable:
        """Select the rows at which the mask, an array or an expression, is true."""

    def slice(self, offset: int = 0, length: int | None = None) -> ArrowTable:
        """Select a range of rows."""

    def take(self, indices: object) -> ArrowTable:
        """Select rows by their indices."""

    def sort_by(self, sorting: str | Sequence[tuple[str, str]]) -> ArrowTable:
        """Sort the rows, by a column or by pairs of column and ``ascending`` or ``descending``."""

    def group_by(self, keys: str | Sequence[str]) -> pa.TableGroupBy:
        """Group the rows by the values of some columns."""

    def combine_chunks(self) -> ArrowTable:
        """Return the table with columns of one array each."""

    def unify_dictionaries(self) -> ArrowTable:
        """Return the table with one dictionary for all arrays of a column."""

    def cast(self, target_schema: pa.Schema) -> ArrowTable:
        """Convert the columns to other types."""

    def equals(self, other: object) -> bool:
        """Whether another table has the same columns and values."""
