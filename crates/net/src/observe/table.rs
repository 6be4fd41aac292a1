//! Tables, the result of records.

use std::fmt::Debug;
use std::sync::Arc;

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the variants are self-explanatory")]
pub enum Values {
    U32(Vec<u32>),
    U64(Vec<u64>),
    F64(Vec<f64>),
    Bool(Vec<bool>),
    /// Words, as indices into a list.
    Words {
        codes: Vec<u8>,
        words: &'static [&'static str],
    },
}

impl Values {
    /// Number of values.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::U32(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::Bool(values) => values.len(),
            Self::Words { codes, .. } => codes.len(),
        }
    }

    /// Appends the values of another column of the same kind.
    pub(crate) fn extend(&mut self, more: Self) {
        match (self, more) {
            (Self::U32(values), Self::U32(more)) => values.extend(more),
            (Self::U64(values), Self::U64(more)) => values.extend(more),
            (Self::F64(values), Self::F64(more)) => values.extend(more),
            (Self::Bool(values), Self::Bool(more)) => values.extend(more),
            (Self::Words { codes, .. }, Self::Words { codes: more, .. }) => codes.extend(more),
            (values, more) => unreachable!("a column has one kind: {values:?}, {more:?}"),
        }
    }

    /// The values at the given indices.
    pub(crate) fn taken(&self, places: &[usize]) -> Self {
        fn at<T: Copy>(values: &[T], places: &[usize]) -> Vec<T> {
            places.iter().map(|place| values[*place]).collect()
        }
        match self {
            Self::U32(values) => Self::U32(at(values, places)),
            Self::U64(values) => Self::U64(at(values, places)),
            Self::F64(values) => Self::F64(at(values, places)),
            Self::Bool(values) => Self::Bool(at(values, places)),
            Self::Words { codes, words } => Self::Words { codes: at(codes, places), words },
        }
    }
}

/// A named column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name of the column.
    pub name: &'static str,
    /// Values of the column, one per row; undefined real numbers are NaN.
    pub values: Values,
}

/// A named table. Rows stay in their internal form and are converted when the table is read, since many tables are
/// never read.
#[derive(Clone, Debug)]
pub struct Table {
    /// Name of the table.
    pub name: &'static str,
    rows: Arc<dyn Rows>,
}

impl Table {
    pub(crate) fn new(name: &'static str, rows: impl Rows + 'static) -> Self {
        Self { name, rows: Arc::new(rows) }
    }

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The columns of the table, all of equal length.
    pub fn columns(&self) -> Vec<Column> {
        self.rows.columns()
    }
}

/// Rows in any internal form.
pub(crate) trait Rows: Debug + Send + Sync {
    /// Converts the rows to columns.
    fn columns(&self) -> Vec<Column>;

    /// Whether there are no rows, which is known without a conversion.
    fn is_empty(&self) -> bool;
}

/// Declares a table's rows as columns with units that are filled one row at a time.
macro_rules! columns {
    ($name:ident { $($field:ident: $variant:ident($type:ty) $unit:literal),+ $(,)? }) => {
        #[derive(Clone, Debug)]
        struct $name { $($field: Vec<$type>),+ }

        impl $name {
            /// The columns.
            #[allow(dead_code, reason = "the table of the flows' counters is no record")]
            pub(super) const DESCRIBED: &[crate::observe::Described] =
                &[$(crate::observe::Described::of::<$type>(stringify!($field), $unit)),+];

            fn with_capacity(rows: usize) -> Self {
                Self { $($field: Vec::with_capacity(rows)),+ }
            }

            /// Number of rows.
            const fn rows(&self) -> usize {
                let lengths = [$(self.$field.len()),+];
                lengths[0]
            }

            /// Memory of the rows in bytes.
            #[allow(dead_code, reason = "only called for records filled during a run")]
            const fn memory(&self) -> usize {
                0 $(+ self.$field.len() * size_of::<$type>())+
            }

            #[allow(clippy::too_many_arguments, reason = "a row has as many values as the table has columns")]
            fn push(&mut self, $($field: $type),+) { $(self.$field.push($field);)+ }

            fn into_columns(self) -> Vec<crate::observe::Column> {
                use crate::observe::{Column, Values};
                vec![$(Column { name: stringify!($field), values: Values::$variant(self.$field) }),+]
            }
        }

        impl crate::observe::table::Rows for $name {
            fn columns(&self) -> Vec<crate::observe::Column> {
                self.clone().into_columns()
            }

            fn is_empty(&self) -> bool {
                self.rows() == 0
            }
        }
    };
}

pub(super) use columns;
