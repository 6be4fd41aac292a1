//! The record `transfers`: each finite transfer, from the request to its last packet.

use ackclock_tcp::{Counters, Sender};
use ackclock_units::Time;

use super::record::{Declared, Record, Turns};
use super::usual::{Rows as Estimate, Usual};
use crate::endpoint::clients::Request;
use crate::engine::simulator::Simulator;
use crate::observe::table::columns;
use crate::observe::{Measure, ROW, Table};
use crate::packet::{FlowId, Packet};
use crate::plan::records::Asked;
use crate::plan::{GroupSpec, Plan};
use crate::source::Transfer;

columns! { TransferColumns {
    start: F64(f64) "s", flow: U32(u32) "", group: U32(u32) "", packets: U64(u64) "packets", bytes: U64(u64) "B",
    end: F64(f64) "s", completion: F64(f64) "s", slowdown: F64(f64) "", retransmissions: U64(u64) "packets",
} }

/// Log of transfers.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Log {
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

impl Log {
    /// Begins a transfer; `before` are the sender's counters so far.
    fn begin_one(&mut self, start: Time, flow: u32, packets: u64, before: &Counters) {
        let Some(own) = self.flows.get_mut(flow as usize).filter(|own| own.wanted && start < self.end) else { return };
        *own = Watched { row: Some(self.rows.len()), missing: packets, before: before.retransmissions, ..*own };
        self.rows.push(Row { start, end: None, packets, retransmissions: 0, flow, opens: before.sent == 0 });
    }
}

impl Log {
    /// Counts a sender's retransmissions, and ends its transfer once everything is acknowledged (`is_idle`).
    #[inline(always)]
    pub(in crate::observe) fn follow(&mut self, flow: u32, is_idle: bool, retransmissions: u64) {
        let Some(own) = self.flows.get_mut(flow as usize) else { return };
        let Some(row) = own.row else { return };
        self.rows[row].retransmissions = retransmissions - own.before;
        // a sender is idle in a pause, too
        if is_idle && own.missing == 0 {
            own.row = None;
        }
    }
}

impl Record for Log {
    const DECLARED: Declared = Declared {
        empty: "no transfer of these flows began",
        ..Declared::new(
            "each finite transfer: start, size, end, completion time, slowdown and retransmissions",
            TransferColumns::DESCRIBED,
        )
    };
    const DELIVERIES: bool = true;
    const TURNS: Option<Turns> = Some(Turns::Single);

    fn new(asked: &Asked<'_>, plan: &Plan) -> Self {
        let watched = super::membership(asked.ids).into_iter().map(|wanted| Watched { wanted, ..Watched::default() });
        let payloads = plan.groups.iter().map(GroupSpec::data_bytes);
        Self { flows: watched.collect(), payloads: payloads.collect(), rows: Vec::new(), end: plan.duration }
    }

    fn usual(asked: &Asked<'_>, usual: &Usual<'_>) -> Estimate {
        Estimate::of_events(usual.over_flows(asked, |group| group.flows + group.transfers), ROW as f64)
    }

    /// Adds the transfers that sources supply at their start without announcing them.
    fn begin(&mut self, plan: &Plan, simulator: &Simulator) {
        for (flow, packets) in plan.single_transfers() {
            self.begin_one(simulator.start(flow as usize), flow, packets, &Counters::default());
        }
    }

    fn transfer(&mut self, now: Time, flow: u32, packets: u64, before: &Counters) {
        self.begin_one(now, flow, packets, before);
    }

    fn delivered(&mut self, now: Time, packet: &Packet, in_order: u64) {
        let flow = packet.flow().0;
        let Some(own) = self.flows.get_mut(flow as usize).filter(|own| own.missing > 0) else { return };
        own.missing = own.missing.saturating_sub(in_order);
        if own.missing == 0
            && let Some(row) = own.row
        {
            self.rows[row].end = Some(now);
        }
    }

    fn turn(&mut self, _now: Time, flow: u32, sender: &Sender) {
        self.follow(flow, sender.is_idle(), sender.counters().retransmissions);
    }

    /// Adds rows for requests still waiting: for a connection, under their client's first flow, or for the transfers before
    /// them on theirs.
    fn finish(&mut self, simulator: &Simulator) {
        let mut add = |FlowId(flow), start, packets, opens| {
            if self.flows.get(flow as usize).is_some_and(|own| own.wanted) {
                self.rows.push(Row { start, end: None, packets, retransmissions: 0, flow, opens });
            }
        };
        for (_, flow, Request { at, packets }) in simulator.clients().waiting() {
            add(flow, at, packets, true);
        }
        for (flow, Transfer { at, packets }) in simulator.waiting_requests(self.end) {
            add(flow, at, packets, false);
        }
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn memory(&self) -> usize {
        self.flows.capacity() * size_of::<Watched>() + self.rows.len() * size_of::<Row>()
    }

    /// The rows, ordered by start time and then by flow.
    fn table(mut self, name: &'static str, measure: &Measure) -> Table {
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
        Table::new(name, rows)
    }
}
