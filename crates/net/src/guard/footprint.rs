//! Estimates the memory of a run before it begins.
//!
//! There are two estimates. The *likely* one is for display and for planning. It is based on the shares of the links that
//! the groups of flows can have (`traffic.rs`, `load.rs`), and on the rows that records have with such traffic
//! (`records.rs`). The *certain* one counts only what every run of the plan allocates: a run is refused if this does not
//! fit into memory. All other memory is counted during the run (`memory.rs`).

mod load;
mod records;
#[cfg(test)]
mod tests;
mod traffic;

use std::collections::BTreeMap;

use ackclock_units::Time;

use crate::endpoint::sink::Sinks;
use crate::engine::flow::Flow;
use crate::engine::hop::Hop;
use crate::guard::shown;
use crate::link::links::Links;
use crate::network::{Choice, Router, Way, checked_edges};
use crate::observe::{Histogram, Measure};
use crate::packet::LinkId;
use crate::packet::Name;
use crate::plan::{GroupSpec, Plan, PlanError, SourceSpec, Topology};
use load::Load;
use traffic::{Traffic, in_dumbbell, in_graph};

/// Boxed state of congestion-control laws, recoveries and sources, in bytes per flow, and pending wake-ups.
const BOXES: f64 = 400.0;
/// Memory of a link of a graph beyond its state: most links are components with buckets of events of their own.
const COMPONENT: f64 = 1_500.0;
/// Waiting time up to which the histogram of a group usually extends.
const USUAL_WAIT: Time = Time::from_millis(100);

/// Estimated memory of a run in bytes, by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
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
    /// Reading the longest table, after the run has freed everything except the records.
    pub reading: f64,
}

impl Parts {
    /// Memory for all purposes, in bytes.
    pub fn total(&self) -> f64 {
        let Self { flows, packets, windows, records, sources, reading } = self;
        records + reading.max(flows + packets + windows + sources)
    }

    fn each(&self) -> [(f64, &'static str, &'static str); 5] {
        let records = self.records + self.reading;
        [
            (self.flows, "flows and links", "simulate fewer flows"),
            (self.packets, "packets in flight", "lower max_window, the queue limits, or the sources' rates"),
            (self.windows, "the windows of senders", "lower max_window"),
            (records, "records and bins", "record fewer links or flows, or use longer intervals"),
            (self.sources, "the noise of sources", "choose a longer bin"),
        ]
    }
}

/// The memory of a run, estimated before it begins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Footprint {
    /// What a run of this kind usually takes.
    pub likely: Parts,
    /// What every run of the plan takes.
    pub certain: Parts,
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
            Topology::Graph { .. } => {
                Some(Router::new(nodes, &edges, Choice { paths: plan.paths, ..Choice::default() })?)
            }
        };
        let mut traffics = Vec::with_capacity(plan.groups.len());
        let (mut later_ways, mut first_flow) = (0.0, 0);
        for (place, group) in (0..).zip(&plan.groups) {
            let routed = match (&plan.topology, &mut graph) {
                (Topology::Graph { links, .. }, Some(graph)) => {
                    let mut ways = graph.ways(place, group, group.path.unwrap_or_default(), Name(first_flow))?;
                    for Way { data, acks } in ways.drain(1..) {
                        later_ways += f64::from(group.flows()) * of_way((data.len() + acks.len()) as f64);
                    }
                    in_graph(ways.remove(0), links)
                }
                _ => in_dumbbell(plan, place as usize),
            };
            traffics.push(Traffic::of(plan, group, routed));
            first_flow += group.flows();
        }
        let loads = shared(&mut traffics);
        let mut found = Self::default();
        found.certain.flows = edges.iter().map(|edge| edge.queue().spec().bytes() as f64).sum::<f64>()
            + Links::BYTES_OF_SHORT as f64 * edges.len() as f64;
        found.certain.flows += later_ways;
        let mut more = Parts::default();
        for (traffic, group) in traffics.iter().zip(&plan.groups) {
            found.certain.flows += traffic.flows * (of_flow(traffic.hops()) + Measure::bytes_of_flow(plan) as f64);
            found.certain.windows += traffic.stale();
            found.certain.sources += of_source(plan, group);
            more.flows += traffic.flows * BOXES;
            more.windows += traffic.windows();
            more.packets += traffic.packets_held();
        }
        let histograms = (plan.groups.len() + 1 + plan.measure.others.len()) * Histogram::bytes_up_to(USUAL_WAIT);
        more.flows += histograms as f64
            + loads.values().map(Load::long_links).sum::<f64>() * Links::BYTES_OF_LONG as f64
            + if graph.is_some() { COMPONENT * edges.len() as f64 } else { 0.0 };
        more.packets += loads.values().map(Load::runs).sum::<f64>();
        let bins = of_bins(plan);
        let (records, reading) = records::certain(plan);
        (found.certain.records, found.certain.reading) = (bins + records, reading);
        let (records, reading) = records::likely(plan, &traffics, &loads);
        let Self { certain, likely } = &mut found;
        *likely = Parts {
            flows: certain.flows + more.flows,
            packets: more.packets,
            windows: certain.windows + more.windows,
            records: bins + records,
            sources: certain.sources,
            reading,
        };
        Ok(found)
    }

    /// Compares what every run of the plan takes with the available memory.
    ///
    /// # Errors
    /// If the run cannot fit; reports the largest contribution and how to reduce it.
    pub(crate) fn check(&self, memory: u64) -> Result<(), PlanError> {
        let needed = self.certain.total();
        if needed <= memory as f64 {
            return Ok(());
        }
        let largest = self.certain.each().into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let (most, what, remedy) = largest.unwrap_or_default();
        let (needed, allowed, most) = (shown(needed), shown(memory as f64), shown(most));
        let problem = format!("the run needs at least {needed} ({most} of it for {what}), but the limit is {allowed}");
        Err(PlanError::new("memory", format!("{problem}; {remedy}, or allow more memory")))
    }
}

/// Shares the links among the groups. Returns the load of each link.
fn shared<'a>(traffics: &mut [Traffic<'a>]) -> BTreeMap<usize, Load<'a>> {
    let mut loads = BTreeMap::new();
    for traffic in traffics.iter() {
        traffic.ask(&mut loads);
    }
    loads.values_mut().for_each(Load::share);
    for traffic in traffics.iter_mut() {
        traffic.settle(&mut loads);
    }
    loads.values_mut().for_each(Load::fill);
    for traffic in traffics.iter_mut() {
        traffic.send(&mut loads);
    }
    loads
}

const fn bytes<T>(count: f64) -> f64 {
    count * size_of::<T>() as f64
}

/// Memory of a flow whose paths have `hops` hops.
fn of_flow(hops: f64) -> f64 {
    (size_of::<Flow>() + Sinks::BYTES_OF_FLOW) as f64 + of_way(hops)
}

/// Memory of a way of a flow that has `hops` hops.
fn of_way(hops: f64) -> f64 {
    bytes::<Hop>(hops) + bytes::<LinkId>(hops)
}

/// Memory of the bins of the measured link and of all other measured ones.
fn of_bins(plan: &Plan) -> f64 {
    let measured = plan.duration.saturating_sub(plan.measure.from).as_secs_f64();
    let bins = (measured / plan.measure.bin.as_secs_f64()).floor();
    Measure::BYTES_OF_BIN as f64 * bins + bytes::<u32>(bins) * plan.measure.others.len() as f64
}

fn of_source(plan: &Plan, group: &GroupSpec) -> f64 {
    match &group.source {
        SourceSpec::Fractional(spec) if group.start < plan.duration => {
            // sources draw their noise one after the other, each from a circulant vector of complex numbers
            let circle = bytes::<[f64; 2]>(2.0 * f64::from(spec.bins.next_power_of_two()));
            f64::from(group.count) * bytes::<f32>(f64::from(spec.bins)) + circle
        }
        SourceSpec::Trace(spec) => bytes::<Time>(spec.times.len() as f64),
        _ => 0.0,
    }
}
