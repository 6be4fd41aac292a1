//! The memory of records: the rows that every run of a plan has, and those that usual traffic adds.

use std::collections::BTreeMap;

use ackclock_tcp::congestion::LawSpec;

use super::load::Load;
use super::traffic::Traffic;
use crate::observe::{EstimatedRows, OfGroup, OfLink, ROW, Usual};
use crate::plan::{GroupSpec, Plan, RecordSpec, Topology};
use crate::queue::QueueSpec;

/// Memory of the tables of a plan, and memory for reading the largest one, in bytes.
fn memory(plan: &Plan, rows: impl Fn(&RecordSpec) -> Option<EstimatedRows>) -> (f64, f64) {
    let tables = plan.records.iter().filter_map(|record| Some((record, rows(record)?)));
    tables.fold((0.0, 0.0), |(bytes, reading): (f64, f64), (record, table)| {
        (bytes + table.bytes, reading.max(table.rows * record.bytes_to_read() as f64))
    })
}

/// Memory of the rows that every run of the plan has, bins and samples of links, and memory for reading them.
pub(super) fn certain(plan: &Plan) -> (f64, f64) {
    memory(plan, |record| record.certain_rows(plan.duration))
}

/// Memory of tables and captures with usual traffic, and memory for reading them.
pub(super) fn likely(plan: &Plan, traffics: &[Traffic<'_>], loads: &BTreeMap<usize, Load<'_>>) -> (f64, f64) {
    let usual = Usual {
        duration: plan.duration,
        flows: &|flows, value| over(plan, traffics, flows, |traffic| value(&of_group(traffic))),
        links: &|links, value| at(plan, loads, links, |load| value(&of_link(load))),
    };
    let (bytes, reading) = memory(plan, |record| Some(record.usual_rows(&usual)));
    let captures = plan.captures.iter().map(|capture| {
        let links: Vec<u32> = capture.links().copied().collect();
        EstimatedRows::of_events(at(plan, loads, &links, |load| load.offered), ROW as f64).bytes
    });
    (bytes + captures.sum::<f64>(), reading)
}

fn of_group(traffic: &Traffic<'_>) -> OfGroup {
    OfGroup {
        flows: traffic.flows,
        is_tcp: traffic.is_tcp(),
        is_gentle: traffic.is_gentle(),
        law: traffic.law().map_or("", LawSpec::name),
        acks: traffic.acks,
        changes: traffic.changes(),
        signals: traffic.signals,
        transfers: traffic.transfers(),
    }
}

fn of_link(load: &Load<'_>) -> OfLink {
    let Load { offered, dropped, marked, link, .. } = *load;
    let has_gauges = !matches!(link.queue, QueueSpec::DropTail(_));
    OfLink { offered, dropped, marked, is_stored: link.stores_packets(), has_gauges }
}

/// The sum over flows of each flow's part of a value of its group.
fn over(plan: &Plan, traffics: &[Traffic<'_>], flows: &[u32], value: impl Fn(&Traffic<'_>) -> f64) -> f64 {
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
