//! Estimates the memory of a run before it begins, so that a run that does not fit into memory is rejected and not
//! killed later.
//!
//! The estimate is an upper bound where one is available, and not far above the actual memory. A packet in flight is
//! one event, so the number of events has these limits:
//!
//! - the senders' windows, and the data that the sources offer;
//! - the growth of windows: each delivered segment opens a window by at most one segment, and the narrowest link limits
//!   the number of delivered segments;
//! - the capacity of the links on the path: their queues, and rate times delay.
//!
//! Memory that cannot be predicted is left to the limit enforced during the run (`run.rs`).

mod load;
mod records;
#[cfg(test)]
mod tests;
mod traffic;

use std::collections::BTreeMap;

use crate::event::Event;
use crate::flow::Flow;
use crate::hop::Hop;
use crate::links::Links;
use crate::network::{Graph, checked_edges};
use crate::observe::Measure;
use crate::packet::LinkId;
use crate::plan::{GroupSpec, Plan, PlanError, SourceSpec, Topology};
use crate::sack_store::SackStore;
use crate::sink::Sinks;
use load::Load;
use records::of_records;
use traffic::{Traffic, in_dumbbell, in_graph};

/// Pending wake-ups per flow: for the source, for timers, and rescheduled ones.
const WAKEUPS: f64 = 4.0;
/// Memory of pending events, in events per packet in flight. The vector of all events may have twice the capacity that
/// is needed; the rest is for words, and for chunks that are only partly filled.
const EVENTS_PER_PACKET: f64 = 3.0;
/// Boxed state of congestion-control laws, recoveries and sources, in bytes per flow.
const BOXES: f64 = 300.0;
/// Bytes per bin of arrivals: a counter in the engine and a number in the result.
const BIN: f64 = 64.0;

/// Estimated memory of a run in bytes, by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Footprint {
    /// Flows, their links, and their measurements.
    pub flows: f64,
    /// Packets in flight.
    pub packets: f64,
    /// State of senders and receivers for each segment in flight.
    pub windows: f64,
    /// Tables, captures and bins.
    pub records: f64,
    /// Values that sources draw in advance.
    pub sources: f64,
}

impl Footprint {
    /// Estimates the memory of a plan.
    ///
    /// # Errors
    /// If the plan contradicts itself.
    pub fn of(plan: &Plan) -> Result<Self, PlanError> {
        let (nodes, edges) = checked_edges(plan)?;
        let mut graph = match plan.topology {
            Topology::Dumbbell { .. } => None,
            Topology::Graph { .. } => Some(Graph::new(nodes, &edges)?),
        };
        let (mut found, mut loads) = (Self::default(), BTreeMap::new());
        let (mut links, mut in_windows) = (edges.len() as f64, 0.0);
        for (place, group) in plan.groups.iter().enumerate() {
            let routed = match (&plan.topology, &mut graph) {
                (Topology::Graph { links, .. }, Some(graph)) => in_graph(group, links, graph)?,
                _ => in_dumbbell(plan, place),
            };
            let traffic = Traffic::of(plan, group, &routed);
            let hops = (routed.data.len() + routed.acks.len()) as f64;
            found.flows += traffic.flows * (of_flow(hops) + Measure::bytes_of_flow(plan) as f64);
            found.windows += traffic.windows(group);
            found.sources += of_source(group);
            found.packets += traffic.in_flight * if traffic.selective { SackStore::BYTES_OF_ACK as f64 } else { 0.0 };
            in_windows += traffic.in_flight;
            traffic.load(&routed, &mut loads);
        }
        // idle links take memory too
        links = links.max(loads.len() as f64);
        found.flows += Links::BYTES_OF_SHORT as f64 * links;
        found.flows += Links::BYTES_OF_LONG as f64 * loads.values().map(Load::long_links).sum::<f64>();
        found.flows += edges.iter().map(|edge| edge.queue().bytes() as f64).sum::<f64>();
        let in_links: f64 = loads.values().map(Load::holds).sum();
        found.packets += bytes::<Event>((EVENTS_PER_PACKET * in_windows).min(in_links));
        found.packets += loads.values().map(Load::runs).sum::<f64>();
        found.records = of_records(plan, &loads);
        Ok(found)
    }

    /// Estimated memory for all purposes, in bytes.
    pub fn total(&self) -> f64 {
        self.parts().iter().map(|(bytes, ..)| bytes).sum()
    }

    /// Compares the estimate with the available memory.
    ///
    /// # Errors
    /// If the estimate exceeds the available memory; reports the largest contribution and how to reduce it.
    pub(crate) fn check(&self, memory: u64) -> Result<(), PlanError> {
        if self.total() <= memory as f64 {
            return Ok(());
        }
        let largest = self.parts().into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let (most, what, remedy) = largest.unwrap_or_default();
        let (total, allowed, most) = (shown(self.total()), shown(memory as f64), shown(most));
        let problem = format!("the run needs about {total} ({most} of it for {what}), but the limit is {allowed}");
        Err(PlanError::new("memory", format!("{problem}; {remedy}, or allow more memory")))
    }

    const fn parts(&self) -> [(f64, &'static str, &'static str); 5] {
        [
            (self.flows, "flows", "simulate fewer flows"),
            (self.packets, "packets in flight", "lower max_window, the queue limits, or the sources' rates"),
            (self.windows, "the windows of senders", "lower max_window"),
            (self.records, "records and bins", "record fewer links or flows, or use longer intervals"),
            (self.sources, "the noise of sources", "choose a longer bin"),
        ]
    }
}

/// Formats a number of bytes for display.
pub(crate) fn shown(bytes: f64) -> String {
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6)];
    let (unit, size) = units.into_iter().find(|(_, size)| bytes >= *size).unwrap_or(("kB", 1e3));
    format!("{:.1} {unit}", bytes / size).replace(".0 ", " ")
}

const fn bytes<T>(count: f64) -> f64 {
    count * size_of::<T>() as f64
}

/// Memory of a flow whose paths have `hops` hops.
fn of_flow(hops: f64) -> f64 {
    let ends = size_of::<Flow>() + Sinks::BYTES_OF_FLOW;
    ends as f64 + bytes::<Hop>(hops) + 2.0 * bytes::<LinkId>(hops) + bytes::<Event>(WAKEUPS) + BOXES
}

fn of_source(group: &GroupSpec) -> f64 {
    match &group.source {
        SourceSpec::Fractional(spec) => {
            // sources draw their noise one after the other, each from a circulant vector of complex numbers; the
            // transform needs two more vectors of this size
            let circle = bytes::<[f64; 2]>(2.0 * f64::from(spec.bins.next_power_of_two()));
            f64::from(group.count) * bytes::<f32>(f64::from(spec.bins)) + 3.0 * circle
        }
        SourceSpec::Trace(spec) => spec.times.len() as f64 * (BIN + 16.0),
        _ => 0.0,
    }
}
