//! The number of rows with usual traffic, for the estimate of memory before a run.

use ackclock_units::Time;

use crate::guard::MOST_ROWS;
use crate::plan::records::Asked;

/// Bytes of a row in the engine's form, as measured: a row in columns, and a packed row about a sender.
pub(super) const COLUMNS: f64 = 24.0;
pub(super) const PACKED: f64 = 8.0;

/// Number of rows of a table, and their memory in the engine's form.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) rows: f64,
    pub(crate) bytes: f64,
}

impl Rows {
    /// Rows of `bytes` bytes each.
    pub(crate) const fn of(rows: f64, bytes: f64) -> Self {
        Self { rows, bytes: rows * bytes }
    }

    /// Rows of events, whose number is limited.
    pub(crate) fn of_events(rows: f64, bytes: f64) -> Self {
        Self::of(rows.min(MOST_ROWS as f64), bytes)
    }
}

/// Usual traffic of a group of flows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfGroup {
    pub(crate) flows: f64,
    /// Whether the senders are TCP, and whether their law sees the queue grow.
    pub(crate) is_tcp: bool,
    pub(crate) is_gentle: bool,
    /// Name of the law; empty if there is none.
    pub(crate) law: &'static str,
    /// ACKs that reach the senders.
    pub(crate) acks: f64,
    /// Times at which the window, a timer or the flight of a sender changes.
    pub(crate) changes: f64,
    /// Packets that are lost or marked.
    pub(crate) signals: f64,
    pub(crate) transfers: f64,
}

/// Usual traffic of a link, in packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfLink {
    pub(crate) offered: f64,
    pub(crate) dropped: f64,
    pub(crate) marked: f64,
    /// Whether the discipline stores packets, and whether it has gauges.
    pub(crate) is_stored: bool,
    pub(crate) has_gauges: bool,
}

/// A sum over some ids of a value of each.
type Sum<'a, T> = dyn Fn(&[u32], fn(&T) -> f64) -> f64 + 'a;

/// Usual traffic of a run.
pub(crate) struct Usual<'a> {
    pub(crate) duration: Time,
    /// The sum over flows of each flow's part of a value of its group.
    pub(crate) flows: &'a Sum<'a, OfGroup>,
    /// The sum over links of a value.
    pub(crate) links: &'a Sum<'a, OfLink>,
}

impl Usual<'_> {
    /// The sum over the requested flows of each flow's part of a value of its group.
    pub(super) fn over_flows(&self, asked: &Asked<'_>, value: fn(&OfGroup) -> f64) -> f64 {
        (self.flows)(asked.ids, value)
    }

    /// The sum over the requested links of a value.
    pub(super) fn over_links(&self, asked: &Asked<'_>, value: fn(&OfLink) -> f64) -> f64 {
        (self.links)(asked.ids, value)
    }
}
