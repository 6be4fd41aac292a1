//! The memory of records.

use std::collections::BTreeMap;

use ackclock_tcp::congestion::STATES;

use super::BIN;
use super::load::Load;
use crate::memory::MOST_ROWS;
use crate::observe::ROW;
use crate::plan::{Plan, RecordSpec, Topology};
use crate::queue::gauges::MOST as MOST_GAUGES;

/// Copies of a table: its rows, its columns, and one more copy of the columns.
pub(super) const COPIES: f64 = 3.0;

/// The largest number of state variables of a window law.
const MOST_VARIABLES: f64 = {
    let (mut most, mut place) = (0, 0);
    while place < STATES.len() {
        if STATES[place].variables.len() > most {
            most = STATES[place].variables.len();
        }
        place += 1;
    }
    most as f64
};

/// Memory of tables, captures and bins, in bytes.
pub(super) fn of_records(plan: &Plan, loads: &BTreeMap<usize, Load<'_>>) -> f64 {
    let seconds = plan.duration.as_secs_f64();
    let is_dumbbell = matches!(plan.topology, Topology::Dumbbell { .. });
    let measured = (plan.duration.saturating_sub(plan.measure.from)).as_secs_f64();
    let mut bytes = BIN * (measured / plan.measure.bin.as_secs_f64());
    let all: f64 = loads.values().map(|load| load.sent(seconds)).sum();
    // the client links of a dumbbell have no entry in `loads`, so all traffic is used as an upper limit
    let crossing = |links: &[u32]| -> f64 {
        let sent = |link: &u32| loads.get(&(*link as usize)).map_or(0.0, |load| load.sent(seconds));
        if is_dumbbell && links.iter().any(|link| *link > 1) { all } else { links.iter().map(sent).sum() }
    };
    let flows = plan.flows().count() as f64;
    let delivered = |flows_of: &[u32]| all * flows_of.len() as f64 / flows;
    let kept = |rows: f64| rows.min(MOST_ROWS as f64);
    for record in &plan.records {
        let rows = match record {
            RecordSpec::Arrivals { links: ids, bin: every }
            | RecordSpec::LinkThroughput { links: ids, bin: every }
            | RecordSpec::Throughput { flows: ids, bin: every }
            | RecordSpec::Queue { links: ids, every } => seconds / every.as_secs_f64() * ids.len() as f64,
            RecordSpec::Gauges { links, every } => {
                MOST_GAUGES as f64 * seconds / every.as_secs_f64() * links.len() as f64
            }
            RecordSpec::Windows { flows, every: Some(every) } => seconds / every.as_secs_f64() * flows.len() as f64,
            RecordSpec::States { flows, every: Some(every) } => {
                MOST_VARIABLES * seconds / every.as_secs_f64() * flows.len() as f64
            }
            // assumption: an ACK and a transmission change five variables
            RecordSpec::States { flows, every: None } => kept(5.0 * delivered(flows)),
            RecordSpec::Packets { links } => kept(3.0 * crossing(links)),
            // a queue may mark every packet
            RecordSpec::Marks { links } => kept(crossing(links)),
            // assumption: at most 10 % of the packets are dropped
            RecordSpec::Drops { links } => kept(crossing(links) / 10.0),
            // assumption: a transfer has at least ten packets, and a phase lasts for as many
            RecordSpec::Transfers { flows } | RecordSpec::Phases { flows } => {
                kept(flows.len() as f64 + delivered(flows) / 10.0)
            }
            // most of these rows take one word
            RecordSpec::Windows { flows, every: None } | RecordSpec::Acks { flows } => kept(delivered(flows)) / 3.0,
        };
        bytes += COPIES * ROW as f64 * rows;
    }
    for capture in &plan.captures {
        let links: Vec<u32> = capture.links().copied().collect();
        bytes += 2.0 * ROW as f64 * kept(crossing(&links));
    }
    bytes
}
