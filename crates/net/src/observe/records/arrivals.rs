//! The record `arrivals`: the packets offered to each link, in consecutive bins.

use ackclock_units::Time;

use super::bins::{BYTES_OF_BIN, Binned};
use super::record::{Declared, Record};
use crate::link::Offered;
use crate::observe::table::columns;
use crate::observe::{Measure, Table};
use crate::packet::Packet;
use crate::plan::Plan;
use crate::plan::records::Asked;

columns! { ArrivalColumns { time: F64(f64) "s", link: U32(u32) "", packets: U64(u64) "packets" } }

/// Counts of arrivals.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Log(Binned);

impl Log {
    /// Counts a packet, if it lies in the current bin; otherwise returns false.
    #[inline(always)]
    pub(in crate::observe) fn count_within_bin(&mut self, now: Time, link: u32) -> bool {
        self.0.add_within_bin(now, link, 1)
    }
}

impl Record for Log {
    const DECLARED: Declared = Declared::new(
        "packets offered to a link's queue in each bin of measure.bin, or of the interval",
        ArrivalColumns::DESCRIBED,
    );
    const CERTAIN: Option<usize> = Some(BYTES_OF_BIN);

    fn new(asked: &Asked<'_>, plan: &Plan) -> Self {
        Self(Binned::of(asked, plan.duration))
    }

    #[inline(always)]
    fn offered(&mut self, now: Time, link: u32, _packet: &Packet, _offered: Offered) {
        self.0.add(now, link, 1);
    }

    fn rows(&self) -> usize {
        self.0.count()
    }

    fn memory(&self) -> usize {
        self.0.memory()
    }

    fn table(self, name: &'static str, _measure: &Measure) -> Table {
        let counts = self.0.rows();
        let mut rows = ArrivalColumns::with_capacity(counts.len());
        counts.for_each(|(time, link, packets)| rows.push(time, link, packets));
        Table::new(name, rows)
    }
}
