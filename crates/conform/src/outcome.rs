//! What came of a script.

use serde::Serialize;

use crate::setup::Inexpressible;

/// The result of a script.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Whether the sender does what the script expects.
    pub verdict: Verdict,
    /// Number of expected packets and of assertions that were compared, up to the verdict.
    pub compared: Compared,
    /// Statements that were left out because they have no effect on the sender.
    pub skipped: Vec<Inexpressible>,
}

/// Numbers of comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// Expected packets.
    pub packets: u32,
    /// Assertions.
    pub assertions: u32,
    /// Expected packets whose PSH flag was not compared, because it depends on the sizes of the host's buffers.
    pub pushed: u32,
    /// Expected packets whose window or options were not compared, because they are the receiver's.
    pub options: u32,
}

/// Whether a sender does what a script expects.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// Everything that the script states.
    Equal,
    /// Something else.
    Differs(Difference),
    /// The script has a statement that is not expressible, and everything before it is equal.
    Inexpressible(Inexpressible),
}

/// The first difference between a script and a sender.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Line of the script.
    pub line: u32,
    /// Time of the expectation, in seconds.
    pub time: f64,
    /// What the script expects.
    pub expected: String,
    /// What the sender does.
    pub found: String,
}

/// Why a run ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    Differs(Difference),
    Inexpressible(Inexpressible),
}

impl Stop {
    pub(crate) fn inexpressible(line: u32, reason: impl Into<String>) -> Self {
        Self::Inexpressible(Inexpressible { line, reason: reason.into() })
    }
}

impl From<Stop> for Verdict {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Differs(difference) => Self::Differs(difference),
            Stop::Inexpressible(statement) => Self::Inexpressible(statement),
        }
    }
}
