//! The record `throughput` of links: the bytes that leave each link, in consecutive bins.
//!
//! A packet counts when its transmission begins: the packets of the measured time are the link's departures.

use ackclock_units::Time;

use super::bins::{BYTES_OF_BIN, Binned};
use super::record::{Declared, Record};
use super::throughput;
use crate::link::Offered;
use crate::observe::table::columns;
use crate::observe::{Measure, Table};
use crate::packet::Packet;
use crate::plan::Plan;
use crate::plan::records::Asked;

columns! { LinkColumns { time: F64(f64) "s", link: U32(u32) "", bytes: U64(u64) "B" } }

/// Counts of bytes.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Log {
    counts: Binned,
    end: Time,
}

impl Log {
    /// Counts the bytes of a packet whose transmission a link begins or will begin.
    // not inlined, so that other records of packets save no registers for it
    #[inline(never)]
    fn sent(&mut self, link: u32, packet: &Packet, fate: Offered) {
        if let Offered::Accepted { start, .. } = fate
            && start < self.end
        {
            self.counts.add(start, link, u64::from(packet.size()));
        }
    }
}

impl Record for Log {
    const DECLARED: Declared =
        Declared { columns: LinkColumns::DESCRIBED, table: Some("throughput"), ..throughput::Log::DECLARED };
    const CERTAIN: Option<usize> = Some(BYTES_OF_BIN);
    const ACCEPTED: bool = true;

    fn new(asked: &Asked<'_>, plan: &Plan) -> Self {
        Self { counts: Binned::of(asked, plan.duration), end: plan.duration }
    }

    #[inline(always)]
    fn offered(&mut self, _now: Time, link: u32, packet: &Packet, offered: Offered) {
        self.sent(link, packet, offered);
    }

    #[inline(always)]
    fn left(&mut self, _now: Time, link: u32, packet: &Packet, fate: Offered) {
        self.sent(link, packet, fate);
    }

    fn rows(&self) -> usize {
        self.counts.count()
    }

    fn memory(&self) -> usize {
        self.counts.memory()
    }

    fn table(self, _name: &'static str, _measure: &Measure) -> Table {
        let counts = self.counts.rows();
        let mut rows = LinkColumns::with_capacity(counts.len());
        counts.for_each(|(time, link, bytes)| rows.push(time, link, bytes));
        Table::new("throughput", rows)
    }
}
