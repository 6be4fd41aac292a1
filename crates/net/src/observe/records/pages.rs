//! The record `pages`: each web page, from its request to its last data.

use ackclock_tcp::Counters;
use ackclock_units::Time;

use super::record::{Declared, Record};
use super::usual::{Rows as Estimate, Usual};
use crate::engine::simulator::Simulator;
use crate::observe::table::columns;
use crate::observe::{Measure, ROW, Table};
use crate::packet::Packet;
use crate::plan::records::Asked;
use crate::plan::{GroupSpec, Plan};

columns! { PageColumns {
    start: F64(f64) "s", flow: U32(u32) "", group: U32(u32) "", objects: U64(u64) "", packets: U64(u64) "packets",
    end: F64(f64) "s", load: F64(f64) "s",
} }

/// Log of pages.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Log {
    /// By flow: the first flow of its client; `None` for flows that are not recorded or load no pages.
    clients: Vec<Option<u32>>,
    /// By the first flow of a client: the page that it loads.
    current: Vec<Current>,
    rows: Vec<Row>,
    end: Time,
}

/// A page so far.
#[derive(Clone, Copy, Debug, Default)]
struct Current {
    start: Option<Time>,
    objects: u64,
    packets: u64,
    last: Time,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    start: Time,
    flow: u32,
    objects: u64,
    packets: u64,
    end: Option<Time>,
}

impl Log {
    fn client(&self, flow: u32) -> Option<u32> {
        self.clients.get(flow as usize).copied().flatten()
    }
}

impl Record for Log {
    const DECLARED: Declared = Declared {
        empty: "no page of these flows began",
        ..Declared::new("each web page: start, objects, packets, end and load time", PageColumns::DESCRIBED)
    };
    const DELIVERIES: bool = true;

    fn new(asked: &Asked<'_>, plan: &Plan) -> Self {
        let (wanted, firsts) = (super::membership(asked.ids), plan.clients());
        let client = |(flow, (_, group)): (u32, (u32, &GroupSpec))| {
            let first = firsts.get(flow as usize).copied().unwrap_or(flow);
            Some(first).filter(|first| group.loads_pages() && wanted.get(*first as usize) == Some(&true))
        };
        let clients: Vec<_> = (0..).zip(plan.flows()).map(client).collect();
        Self { current: vec![Current::default(); clients.len()], clients, rows: Vec::new(), end: plan.duration }
    }

    fn usual(asked: &Asked<'_>, usual: &Usual<'_>) -> Estimate {
        Estimate::of_events(usual.over_flows(asked, |group| group.transfers), ROW as f64)
    }

    fn transfer(&mut self, now: Time, flow: u32, packets: u64, _before: &Counters) {
        let Some(client) = self.client(flow).filter(|_| now < self.end) else { return };
        let page = &mut self.current[client as usize];
        page.start.get_or_insert(now);
        (page.objects, page.packets) = (page.objects + 1, page.packets + packets);
    }

    fn delivered(&mut self, now: Time, packet: &Packet, in_order: u64) {
        if let Some(client) = self.client(packet.flow().0).filter(|_| in_order > 0) {
            let page = &mut self.current[client as usize];
            page.last = page.last.max(now);
        }
    }

    fn page(&mut self, client: u32, start: Time) {
        if self.client(client).is_some() {
            let Current { objects, packets, last, .. } = std::mem::take(&mut self.current[client as usize]);
            self.rows.push(Row { start, flow: client, objects, packets, end: Some(last) });
        }
    }

    /// Adds rows for pages that are not complete, with what has been requested of them.
    fn finish(&mut self, _simulator: &Simulator) {
        for (flow, page) in (0..).zip(&self.current) {
            if let Current { start: Some(start), objects, packets, .. } = *page {
                self.rows.push(Row { start, flow, objects, packets, end: None });
            }
        }
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn memory(&self) -> usize {
        self.current.capacity() * (size_of::<Current>() + size_of::<Option<u32>>()) + self.rows.len() * size_of::<Row>()
    }

    /// The rows, ordered by start time and then by flow.
    fn table(mut self, name: &'static str, measure: &Measure) -> Table {
        self.rows.sort_by_key(|row| (row.start, row.flow));
        let mut rows = PageColumns::with_capacity(self.rows.len());
        for Row { start, flow, objects, packets, end } in &self.rows {
            let end = end.filter(|end| *end < self.end);
            rows.push(
                start.as_secs_f64(),
                *flow,
                measure.group_of(*flow),
                *objects,
                *packets,
                end.map_or(f64::NAN, Time::as_secs_f64),
                end.map_or(f64::NAN, |end| (end - *start).as_secs_f64()),
            );
        }
        Table::new(name, rows)
    }
}
