//! The memory of records: the rows that every run of a plan has, and those that usual traffic adds.

use std::collections::BTreeMap;

use ackclock_tcp::congestion::{LawSpec, STATES};
use ackclock_units::Time;

use super::load::Load;
use super::traffic::Traffic;
use crate::guard::MOST_ROWS;
use crate::observe::{BYTES_OF_BIN, ROW};
use crate::plan::{GroupSpec, Plan, RecordSpec, Topology};
use crate::queue::QueueSpec;

/// Bytes of a row in the engine's form, as measured: a row in columns; a packed row about a sender; and a packed row with
/// a new round-trip time.
const COLUMNS: f64 = 24.0;
const PACKED: f64 = 8.0;
const PACKED_WINDOW: f64 = 20.0;
/// Rows of a packet at a link, which take one [`ENTRY`].
const STEPS: f64 = 3.0;
const ENTRY: f64 = 56.0;
/// Rows of `windows` per ACK, which usually changes the window, and then the flight.
const WINDOWS_PER_ACK: f64 = 1.6;
/// Fraction of the variables of a law that an ACK and a transmission change: of laws with a model of the path, and of
/// all others.
const CHANGED: (f64, f64) = (0.4, 0.1);
/// Phases per lost or marked packet; a loss usually begins one and ends one.
const PHASES_PER_SIGNAL: f64 = 1.0;
/// Usual number of gauges of a discipline that has any.
const GAUGES: f64 = 4.0;

/// Number of rows of a table, and their memory in the engine's form.
#[derive(Clone, Copy, Debug, Default)]
struct Rows {
    rows: f64,
    bytes: f64,
}

impl Rows {
    /// Rows of `bytes` bytes each.
    const fn of(rows: f64, bytes: f64) -> Self {
        Self { rows, bytes: rows * bytes }
    }

    /// Rows of events, whose number is limited.
    fn of_events(rows: f64, bytes: f64) -> Self {
        Self::of(rows.min(MOST_ROWS as f64), bytes)
    }
}

/// Memory of the tables of a plan, and memory for reading the largest one, in bytes.
fn held(plan: &Plan, rows: impl Fn(&RecordSpec) -> Option<Rows>) -> (f64, f64) {
    let tables = plan.records.iter().filter_map(|record| Some((record, rows(record)?)));
    tables.fold((0.0, 0.0), |(bytes, reading): (f64, f64), (record, table)| {
        (bytes + table.bytes, reading.max(table.rows * record.bytes_to_read() as f64))
    })
}

/// Memory of the rows that every run of the plan has, bins and samples of links, and memory for reading them.
pub(super) fn certain(plan: &Plan) -> (f64, f64) {
    held(plan, |record| sampled(plan, record))
}

fn sampled(plan: &Plan, record: &RecordSpec) -> Option<Rows> {
    let (every, count, bytes) = match record {
        RecordSpec::Arrivals { links: ids, bin }
        | RecordSpec::LinkThroughput { links: ids, bin }
        | RecordSpec::Throughput { flows: ids, bin } => (*bin, ids.len(), BYTES_OF_BIN),
        RecordSpec::Queue { links, every } => (*every, links.len(), ROW),
        _ => return None,
    };
    Some(Rows::of(samples(plan, every) * count as f64, bytes as f64))
}

fn samples(plan: &Plan, every: Time) -> f64 {
    plan.duration.as_secs_f64() / every.as_secs_f64()
}

/// Memory of tables and captures with usual traffic, and memory for reading them.
pub(super) fn likely(plan: &Plan, traffics: &[Traffic<'_>], loads: &BTreeMap<usize, Load<'_>>) -> (f64, f64) {
    let (bytes, reading) = held(plan, |record| Some(usual(plan, record, traffics, loads)));
    let captures = plan.captures.iter().map(|capture| {
        let links: Vec<u32> = capture.links().copied().collect();
        Rows::of_events(at(plan, loads, &links, |load| load.offered), ROW as f64).bytes
    });
    (bytes + captures.sum::<f64>(), reading)
}

fn usual(plan: &Plan, record: &RecordSpec, traffics: &[Traffic<'_>], loads: &BTreeMap<usize, Load<'_>>) -> Rows {
    let over = |flows: &[u32], value: fn(&Traffic<'_>) -> f64| over(plan, traffics, flows, value);
    let tcp = |traffic: &Traffic<'_>| if traffic.is_tcp() { traffic.flows } else { 0.0 };
    match record {
        RecordSpec::Arrivals { .. }
        | RecordSpec::LinkThroughput { .. }
        | RecordSpec::Throughput { .. }
        | RecordSpec::Queue { .. } => sampled(plan, record).unwrap_or_default(),
        RecordSpec::Gauges { links, every } => {
            let gauges = |load: &Load<'_>| if matches!(load.link.queue, QueueSpec::DropTail(_)) { 0.0 } else { GAUGES };
            Rows::of(samples(plan, *every) * at(plan, loads, links, gauges), COLUMNS)
        }
        RecordSpec::Windows { flows, every: Some(every) } => Rows::of(samples(plan, *every) * over(flows, tcp), PACKED),
        RecordSpec::States { flows, every: Some(every) } => {
            Rows::of(samples(plan, *every) * over(flows, |traffic| traffic.flows * variables(traffic)), COLUMNS)
        }
        RecordSpec::States { flows, every: None } => {
            let changed = |traffic: &Traffic<'_>| {
                let share = if traffic.is_gentle() { CHANGED.0 } else { CHANGED.1 };
                traffic.acks * share * variables(traffic)
            };
            Rows::of_events(over(flows, changed), COLUMNS)
        }
        RecordSpec::Windows { flows, every: None } => {
            Rows::of_events(WINDOWS_PER_ACK * over(flows, |traffic| traffic.acks), PACKED_WINDOW)
        }
        RecordSpec::Acks { flows } => Rows::of_events(over(flows, |traffic| traffic.acks), PACKED),
        RecordSpec::Phases { flows } => {
            let changes = |traffic: &Traffic<'_>| traffic.flows + PHASES_PER_SIGNAL * traffic.signals;
            Rows::of_events(over(flows, changes), COLUMNS)
        }
        RecordSpec::Transfers { flows } => {
            Rows::of_events(over(flows, |traffic| traffic.flows + traffic.transfers()), ROW as f64)
        }
        RecordSpec::Packets { links } => {
            let stored = |load: &Load<'_>| if load.link.queue.is_stored() { 2.0 } else { 1.0 };
            let entries = at(plan, loads, links, |load| load.offered * stored(load));
            Rows { bytes: ENTRY * entries, ..Rows::of_events(STEPS * at(plan, loads, links, |load| load.offered), 0.0) }
        }
        RecordSpec::Marks { links } => Rows::of_events(at(plan, loads, links, |load| load.marked), ROW as f64),
        RecordSpec::Drops { links } => Rows::of_events(at(plan, loads, links, |load| load.dropped), ROW as f64),
    }
}

/// Number of state variables of the law of a group.
fn variables(traffic: &Traffic<'_>) -> f64 {
    let name = traffic.law().map_or("", LawSpec::name);
    STATES.iter().find(|state| state.law == name).map_or(0.0, |state| state.variables.len() as f64)
}

/// The sum over flows of each flow's part of a value of its group.
fn over(plan: &Plan, traffics: &[Traffic<'_>], flows: &[u32], value: fn(&Traffic<'_>) -> f64) -> f64 {
    let ends = ends(plan.groups.iter().map(GroupSpec::flows));
    let each: Vec<f64> = traffics.iter().map(|traffic| value(traffic) / traffic.flows).collect();
    flows.iter().filter_map(|flow| each.get(ends.partition_point(|end| end <= flow))).sum()
}

/// The sum over links of a value of their load. The links of a dumbbell's clients share the load of their group.
fn at(plan: &Plan, loads: &BTreeMap<usize, Load<'_>>, links: &[u32], value: impl Fn(&Load<'_>) -> f64) -> f64 {
    let is_dumbbell = matches!(plan.topology, Topology::Dumbbell { .. });
    let ends = ends(plan.groups.iter().map(|group| group.count));
    let load = |link: u32| match link {
        2.. if is_dumbbell => {
            loads.get(&(2 + 2 * ends.partition_point(|end| *end <= (link - 2) / 2) + (link % 2) as usize))
        }
        _ => loads.get(&(link as usize)),
    };
    links.iter().filter_map(|link| load(*link)).map(|load| value(load) / load.copies).sum()
}

/// The numbers after the last flow, or client, of each group.
fn ends(counts: impl Iterator<Item = u32>) -> Vec<u32> {
    counts
        .scan(0, |end, count| {
            *end += count;
            Some(*end)
        })
        .collect()
}
