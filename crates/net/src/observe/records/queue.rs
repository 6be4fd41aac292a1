//! The record `queue`: samples of the packets and bytes waiting at each link, and of the discipline's average as of its
//! last arrival.

use ackclock_units::Time;

use super::record::{Declared, Record};
use crate::engine::simulator::Simulator;
use crate::observe::table::columns;
use crate::observe::{Measure, ROW, Table};
use crate::packet::LinkId;
use crate::plan::Plan;
use crate::plan::records::Asked;

columns! { QueueColumns {
    time: F64(f64) "s", link: U32(u32) "", packets: U64(u64) "packets", bytes: U64(u64) "B", average: F64(f64) "packets",
} }

/// Samples of links.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Log {
    links: Vec<u32>,
    rows: QueueColumns,
}

impl Record for Log {
    const DECLARED: Declared = Declared::new(
        "packets and bytes waiting at a link, and RED's average at the last arrival, sampled every measure.bin or interval",
        QueueColumns::DESCRIBED,
    );
    const CERTAIN: Option<usize> = Some(ROW);

    fn new(asked: &Asked<'_>, plan: &Plan) -> Self {
        let samples = asked.every.map_or(0, |every| plan.duration.as_picos().div_ceil(every.as_picos()));
        Self { links: asked.ids.to_vec(), rows: QueueColumns::with_capacity(samples as usize * asked.ids.len()) }
    }

    fn sample(&mut self, now: Time, simulator: &mut Simulator) {
        for link in &self.links {
            let mut link_now = simulator.link(LinkId(*link));
            let (packets, bytes) = link_now.backlog(now);
            self.rows.push(now.as_secs_f64(), *link, packets, bytes, link_now.average());
        }
    }

    fn rows(&self) -> usize {
        self.rows.rows()
    }

    fn memory(&self) -> usize {
        self.rows.memory()
    }

    fn table(self, name: &'static str, _measure: &Measure) -> Table {
        Table::new(name, self.rows)
    }
}
