//! The record `transfers`: each finite transfer, from the request to its last packet.

use ackclock_tcp::{Counters, Sender};
use ackclock_units::Time;

use crate::endpoint::clients::Request;
use crate::engine::simulator::Simulator;
use crate::observe::table::columns;
use crate::observe::{Measure, Table};
use crate::packet::FlowId;
use crate::plan::{GroupSpec, Plan};

columns! { TransferColumns {
    start: F64(f64), flow: U32(u32), group: U32(u32), packets: U64(u64), bytes: U64(u64), end: F64(f64), completion: F64(f64),
    slowdown: F64(f64), retransmissions: U64(u64),
} }

/// Log of transfers.
#[derive(Clone, Debug)]
pub(super) struct TransferLog {
    flows: Vec<Watched>,
    /// Payload bytes per packet of each group.
    payloads: Vec<u32>,
    rows: Vec<Row>,
    end: Time,
}

/// Current state of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct Watched {
    wanted: bool,
    /// Row of the transfer that the flow's sender is sending.
    row: Option<usize>,
    /// Packets of the transfer not yet received, and retransmissions before the transfer.
    missing: u64,
    before: u64,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    start: Time,
    end: Option<Time>,
    packets: u64,
    retransmissions: u64,
    flow: u32,
    opens: bool,
}

impl TransferLog {
    /// A log of the given flows.
    pub(super) fn of(flows: &[u32], plan: &Plan) -> Self {
        let watched = super::membership(flows).into_iter().map(|wanted| Watched { wanted, ..Watched::default() });
        let payloads = plan.groups.iter().map(GroupSpec::data_bytes);
        Self { flows: watched.collect(), payloads: payloads.collect(), rows: Vec::new(), end: plan.duration }
    }

    /// Memory of the rows in bytes.
    pub(super) const fn held(&self) -> usize {
        self.flows.capacity() * size_of::<Watched>() + self.rows.len() * size_of::<Row>()
    }

    /// Adds the transfers that sources supply at their start without announcing them.
    pub(super) fn begin_single(&mut self, plan: &Plan, simulator: &Simulator) {
        for (flow, packets) in plan.single_transfers() {
            self.begin(simulator.start(flow as usize), flow, packets, Counters::default());
        }
    }

    /// Begins a transfer; `before` are the sender's counters so far.
    pub(super) fn begin(&mut self, start: Time, flow: u32, packets: u64, before: Counters) {
        let Some(own) = self.flows.get_mut(flow as usize).filter(|own| own.wanted && start < self.end) else { return };
        *own = Watched { row: Some(self.rows.len()), missing: packets, before: before.retransmissions, ..*own };
        self.rows.push(Row { start, end: None, packets, retransmissions: 0, flow, opens: before.sent == 0 });
    }

    /// Called at the end of the run: adds rows for requests still waiting for a connection, under their client's first
    /// flow.
    pub(super) fn add_waiting(&mut self, simulator: &Simulator) {
        for (_, FlowId(flow), Request { at, packets }) in simulator.clients().waiting() {
            if self.flows.get(flow as usize).is_some_and(|own| own.wanted) {
                let row = Row { start: at, end: None, packets, retransmissions: 0, flow, opens: true };
                self.rows.push(row);
            }
        }
    }

    /// Handles data that reached its receiver.
    pub(super) fn delivered(&mut self, now: Time, flow: u32, in_order: u64) {
        let Some(own) = self.flows.get_mut(flow as usize).filter(|own| own.missing > 0) else { return };
        own.missing = own.missing.saturating_sub(in_order);
        if own.missing == 0
            && let Some(row) = own.row
        {
            self.rows[row].end = Some(now);
        }
    }

    /// Called at the end of a sender's turn: counts its retransmissions, and ends its transfer once everything is
    /// acknowledged.
    pub(super) fn turn(&mut self, flow: u32, sender: &Sender) {
        let Some(own) = self.flows.get_mut(flow as usize) else { return };
        let Some(row) = own.row else { return };
        self.rows[row].retransmissions = sender.counters().retransmissions - own.before;
        if sender.is_idle() {
            own.row = None;
        }
    }

    pub(super) const fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The rows, ordered by start time and then by flow.
    pub(super) fn table(mut self, measure: &Measure) -> Table {
        self.rows.sort_by_key(|row| (row.start, row.flow));
        let mut rows = TransferColumns::with_capacity(self.rows.len());
        for row in self.rows {
            let group = measure.group_of(row.flow);
            let took = row.end.map(|end| (end - row.start).as_secs_f64());
            let least = measure.ideal(row.flow).time(row.packets, row.opens).as_secs_f64();
            rows.push(
                row.start.as_secs_f64(),
                row.flow,
                group,
                row.packets,
                row.packets.saturating_mul(self.payloads[group as usize].into()),
                row.end.map_or(f64::NAN, Time::as_secs_f64),
                took.unwrap_or(f64::NAN),
                took.map_or(f64::NAN, |took| took / least),
                row.retransmissions,
            );
        }
        Table::new("transfers", rows)
    }
}
