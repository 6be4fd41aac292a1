//! The record `throughput` of flows: the bytes that reach the application of each flow, in consecutive bins.
//!
//! A packet counts when it is in order at the receiver for the first time, with its size on the wire: the counts of the
//! measured time add up to the flow's goodput.

use ackclock_units::Time;

use super::bins::{BYTES_OF_BIN, Binned};
use super::record::{Declared, Record};
use crate::observe::table::columns;
use crate::observe::{Measure, Table};
use crate::packet::Packet;
use crate::plan::Plan;
use crate::plan::records::Asked;

columns! { FlowColumns { time: F64(f64) "s", flow: U32(u32) "", group: U32(u32) "", bytes: U64(u64) "B" } }

/// Counts of bytes.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Log(Binned);

impl Record for Log {
    const DECLARED: Declared = Declared::new(
        "bytes of the packets that reach the application of a flow, or that leave a link, in each bin of measure.bin, or \
         of the interval",
        FlowColumns::DESCRIBED,
    );
    const CERTAIN: Option<usize> = Some(BYTES_OF_BIN);
    const DELIVERIES: bool = true;

    fn new(asked: &Asked<'_>, plan: &Plan) -> Self {
        Self(Binned::of(asked, plan.duration))
    }

    #[inline(always)]
    fn delivered(&mut self, now: Time, packet: &Packet, in_order: u64) {
        if in_order > 0 {
            // buffered packets have the size of this one: only UDP's sizes differ, and UDP buffers nothing
            self.0.add(now, packet.flow().0, in_order * u64::from(packet.size()));
        }
    }

    fn rows(&self) -> usize {
        self.0.count()
    }

    fn memory(&self) -> usize {
        self.0.memory()
    }

    fn table(self, name: &'static str, measure: &Measure) -> Table {
        let counts = self.0.rows();
        let mut rows = FlowColumns::with_capacity(counts.len());
        counts.for_each(|(time, flow, bytes)| rows.push(time, flow, measure.group_of(flow), bytes));
        Table::new(name, rows)
    }
}
