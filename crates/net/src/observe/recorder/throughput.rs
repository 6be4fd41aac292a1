//! The record `throughput`: the bytes that reach the application of each flow, or leave each link, in consecutive bins.
//!
//! Of a flow, a packet counts when it is in order at the receiver for the first time, with its size on the wire: the
//! counts of the measured time add up to the flow's goodput. Of a link, a packet counts when its transmission begins:
//! the packets of the measured time are the link's departures.

use super::bins::Binned;
use crate::observe::table::columns;
use crate::observe::{Measure, Table};

columns! { FlowColumns { time: F64(f64), flow: U32(u32), group: U32(u32), bytes: U64(u64) } }
columns! { LinkColumns { time: F64(f64), link: U32(u32), bytes: U64(u64) } }

/// The table of flows.
pub(super) fn of_flows(counts: Binned, measure: &Measure) -> Table {
    let counts = counts.rows();
    let mut rows = FlowColumns::with_capacity(counts.len());
    counts.for_each(|(time, flow, bytes)| rows.push(time, flow, measure.group_of(flow), bytes));
    Table::new("throughput", rows)
}

/// The table of links.
pub(super) fn of_links(counts: Binned) -> Table {
    let counts = counts.rows();
    let mut rows = LinkColumns::with_capacity(counts.len());
    counts.for_each(|(time, link, bytes)| rows.push(time, link, bytes));
    Table::new("throughput", rows)
}
