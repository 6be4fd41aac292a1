//! Descriptions of algorithms and their parameters. Congestion-control laws, queue disciplines and the endpoints' options
//! declare them; the Python package reads them.

use serde::Serialize;

/// A parameter declared by an algorithm. The Python package uses the declaration to validate and document values and to
/// fill in defaults.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Parameter {
    /// Name in a scenario.
    pub name: &'static str,
    /// Description, one sentence.
    pub doc: &'static str,
    /// Type, range and default.
    #[serde(flatten)]
    pub kind: ParameterKind,
}

/// A parameter's type, range and default.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ParameterKind {
    /// A real number.
    Number {
        /// Smallest value allowed.
        min: Option<f64>,
        /// Largest value allowed.
        max: Option<f64>,
        /// The value must be above this limit.
        above: Option<f64>,
        /// Default value.
        default: f64,
    },
    /// A whole number.
    Whole {
        /// Smallest value allowed.
        min: u64,
        /// Largest value allowed.
        max: u64,
        /// Default value.
        default: u64,
    },
    /// A time, in picoseconds.
    Time {
        /// Smallest value allowed.
        min: u64,
        /// Largest value allowed.
        max: u64,
        /// Default value; `None` means the word in `or`.
        default: Option<u64>,
        /// A word that is allowed instead of a time.
        or: Option<&'static str>,
    },
    /// A rate, in bits per second.
    Rate {
        /// Smallest value allowed.
        min: u64,
        /// Largest value allowed.
        max: u64,
        /// Default value; `None` means the word in `or`.
        default: Option<u64>,
        /// A word that is allowed instead of a rate.
        or: Option<&'static str>,
    },
    /// A boolean.
    Flag {
        /// Default value.
        default: bool,
    },
    /// One of a fixed set of words.
    Choice {
        /// The allowed words.
        choices: &'static [&'static str],
        /// Default value.
        default: &'static str,
    },
}

/// Description of an algorithm for the Python package.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Entry {
    /// Name in a scenario.
    pub name: &'static str,
    /// Description with source, one sentence.
    pub doc: &'static str,
    /// Parameters of the algorithm.
    pub parameters: &'static [Parameter],
}

/// A parameter value that the algorithm does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// Name of the parameter.
    pub field: &'static str,
    /// The given value and the allowed ones.
    pub problem: String,
}
