//! The result of a run.

use serde::Serialize;

use crate::observe::{Capture, Facts, GroupSummary, LinkSummary, Summary, Table};

/// Result of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Summary of all flows that cross the measured link.
    pub summary: Summary,
    /// Summary of each group of the plan.
    pub groups: Vec<GroupSummary>,
    /// Summary of each additional measured link.
    pub elsewhere: Vec<LinkSummary>,
    /// Facts for notices to the user.
    pub facts: Facts,
    /// Number of events processed.
    #[serde(skip)]
    pub events: u64,
    /// Number of event-driven rows.
    #[serde(skip)]
    pub rows: usize,
    /// The flows' counters and the requested records.
    #[serde(skip)]
    pub tables: Vec<Table>,
    /// The requested captures.
    #[serde(skip)]
    pub captures: Vec<Capture>,
}
