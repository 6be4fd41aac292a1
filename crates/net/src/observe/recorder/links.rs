//! The records of links: arrivals in bins, drops, and queue samples.

use ackclock_units::Time;

use crate::observe::Table;
use crate::observe::table::columns;
use crate::packet::{Packet, Payload};

columns! { ArrivalColumns { time: F64(f64), link: U32(u32), packets: U64(u64) } }
columns! { DropColumns { time: F64(f64), link: U32(u32), flow: U32(u32), segment: U64(u64), bytes: U32(u32) } }

/// The record `arrivals`.
#[derive(Clone, Debug)]
pub(super) struct Arrivals {
    bin: Time,
    links: Vec<u32>,
    /// For each link of the network its counter, if the link is recorded.
    counters: Vec<Option<Counter>>,
}

/// Counts of the packets offered to one link in consecutive bins.
#[derive(Clone, Debug, Default)]
struct Counter {
    /// End of the last bin.
    edge: Time,
    bins: Vec<u64>,
    count: u64,
}

impl Arrivals {
    pub(super) fn of(links: Vec<u32>, bin: Time) -> Self {
        let mut counters = Vec::new();
        for link in links.iter().map(|link| *link as usize) {
            counters.resize(counters.len().max(link + 1), None);
            counters[link] = Some(Counter::default());
        }
        Self { bin, links, counters }
    }

    /// Handles a packet offered to a link. At each link, times must not decrease.
    #[inline(always)]
    pub(super) fn offered(&mut self, now: Time, link: u32) {
        if let Some(Some(counter)) = self.counters.get_mut(link as usize) {
            if now >= counter.edge {
                counter.turn_to(now, self.bin);
            }
            counter.count += 1;
        }
    }

    pub(super) fn table(mut self, end: Time) -> Table {
        let bins = end.as_picos().div_ceil(self.bin.as_picos());
        let mut rows = ArrivalColumns::with_capacity(bins as usize * self.links.len());
        self.counters.iter_mut().flatten().for_each(|counter| counter.close(bins));
        for index in 0..bins {
            let time = self.bin.saturating_mul(index).as_secs_f64();
            for link in &self.links {
                let counter = self.counters[*link as usize].as_ref();
                rows.push(time, *link, counter.map_or(0, |counter| counter.bins[index as usize]));
            }
        }
        Table::new("arrivals", rows)
    }
}

impl Counter {
    /// Closes the current bin and begins the one that contains `now`.
    #[inline(never)]
    fn turn_to(&mut self, now: Time, width: Time) {
        let bin = now.as_picos() / width.as_picos();
        self.close(bin);
        self.edge = width.saturating_mul(bin + 1);
    }

    /// Closes the last bin and all empty ones up to `bins`.
    fn close(&mut self, bins: u64) {
        // initially there is no last bin
        if self.edge > Time::ZERO {
            self.bins.push(std::mem::take(&mut self.count));
        }
        self.bins.resize(bins as usize, 0);
    }
}

/// The record `drops`.
#[derive(Clone, Debug)]
pub(super) struct Drops {
    watched: Vec<bool>,
    /// Time, link, flow, segment, bytes.
    rows: Vec<(Time, u32, u32, u64, u32)>,
}

impl Drops {
    pub(super) fn of(links: &[u32]) -> Self {
        Self { watched: super::membership(links), rows: Vec::new() }
    }

    #[inline(never)]
    pub(super) fn dropped(&mut self, now: Time, link: u32, packet: &Packet) {
        if self.watched.get(link as usize) == Some(&true) {
            let segment = match packet.payload() {
                Payload::Syn { .. } => 0,
                Payload::Data { number, .. } => number,
                Payload::Ack { next, .. } => next,
            };
            self.rows.push((now, link, packet.flow().0, segment, packet.size()));
        }
    }

    pub(super) const fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Memory of the rows in bytes.
    pub(super) const fn held(&self) -> usize {
        self.rows.capacity() * size_of::<(Time, u32, u32, u64, u32)>()
    }

    pub(super) fn table(mut self) -> Table {
        // each link reports its drops in order, but links are not synchronized
        self.rows.sort_unstable();
        let mut rows = DropColumns::with_capacity(self.rows.len());
        for (time, link, flow, segment, bytes) in self.rows {
            rows.push(time.as_secs_f64(), link, flow, segment, bytes);
        }
        Table::new("drops", rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::{Column, Values};

    /// Two of three links are recorded, with expected values computed by hand. A packet at an edge belongs to the bin
    /// that begins there, empty bins are rows, the last bin may be short, and a link that is not requested is not
    /// counted.
    #[test]
    fn arrivals_are_counted_in_bins_that_begin_at_their_edge() {
        let mut arrivals = Arrivals::of(vec![2, 0], Time::from_millis(10));
        for (millis, link) in [(0, 0), (3, 2), (9, 0), (10, 0), (11, 1), (30, 0), (31, 2), (32, 2)] {
            arrivals.offered(Time::from_millis(millis), link);
        }
        let columns: Vec<Values> =
            arrivals.table(Time::from_millis(35)).columns().into_iter().map(|Column { values, .. }| values).collect();
        let [Values::F64(times), Values::U32(links), Values::U64(packets)] = &columns[..] else {
            panic!("time, link, packets")
        };
        assert_eq!(*times, [0.0, 0.0, 0.01, 0.01, 0.02, 0.02, 0.03, 0.03]);
        assert_eq!(*links, [2, 0, 2, 0, 2, 0, 2, 0]);
        assert_eq!(*packets, [1, 2, 0, 1, 0, 0, 2, 1]);
    }
}
