//! The records of links: arrivals in bins, drops, marks, and gauges.

use ackclock_units::Time;

use crate::link::Offered;
use crate::observe::table::columns;
use crate::observe::{Column, Rows, Table, Values};
use crate::packet::{Packet, Payload};
use crate::queue::DropReason;
use crate::queue::gauges::NAMES;

columns! { ArrivalColumns { time: F64(f64), link: U32(u32), packets: U64(u64) } }

/// The record `arrivals`; by default, of no link.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    bin: Time,
    links: Vec<u32>,
    /// Counters of all links up to the last recorded one. The bin of a link that is not recorded never ends.
    counters: Vec<Counter>,
    end: Time,
}

/// Counts of the packets offered to one link in consecutive bins.
#[derive(Clone, Debug, Default)]
struct Counter {
    /// End of the last bin, or of the run if that is earlier.
    edge: Time,
    bins: Vec<u64>,
    count: u64,
}

impl Arrivals {
    /// Memory of a row in bytes.
    pub(crate) const BYTES_OF_ROW: usize = size_of::<(f64, u64)>() + size_of::<u32>();

    /// The record of the given links, with bins of width `bin`, until `end`.
    pub(super) fn of(links: Vec<u32>, bin: Time, end: Time) -> Self {
        let watched = super::membership(&links).into_iter();
        let edge = |is_watched| if is_watched { Time::ZERO } else { Time::MAX };
        let counters = watched.map(|is_watched| Counter { edge: edge(is_watched), ..Counter::default() });
        Self { bin, counters: counters.collect(), links, end }
    }

    /// Handles a packet offered to a link before the end. At each link, times must not decrease.
    pub(super) fn offered(&mut self, now: Time, link: u32) {
        if !self.count(now, link) {
            let counter = &mut self.counters[link as usize];
            counter.turn_to(now, self.bin, self.end);
            counter.count += 1;
        }
    }

    /// Counts a packet offered to a link in the current bin. Returns false if the packet lies beyond the bin.
    #[inline(always)]
    pub(super) fn count(&mut self, now: Time, link: u32) -> bool {
        let Some(counter) = self.counters.get_mut(link as usize) else { return true };
        if now >= counter.edge {
            return false;
        }
        counter.count += 1;
        true
    }

    /// Number of rows that the table will have.
    pub(super) fn rows(&self) -> usize {
        if self.links.is_empty() {
            0
        } else {
            self.end.as_picos().div_ceil(self.bin.as_picos()) as usize * self.links.len()
        }
    }

    /// Memory of all rows in bytes.
    pub(super) fn held(&self) -> usize {
        self.rows() * Self::BYTES_OF_ROW
    }

    pub(super) fn table(mut self) -> Table {
        let bins = self.end.as_picos().div_ceil(self.bin.as_picos());
        let mut rows = ArrivalColumns::with_capacity(bins as usize * self.links.len());
        self.links.iter().for_each(|link| self.counters[*link as usize].close(bins));
        for index in 0..bins {
            let time = self.bin.saturating_mul(index).as_secs_f64();
            for link in &self.links {
                rows.push(time, *link, self.counters[*link as usize].bins[index as usize]);
            }
        }
        Table::new("arrivals", rows)
    }
}

impl Counter {
    /// Closes the current bin and begins the one that contains `now`.
    #[inline(never)]
    fn turn_to(&mut self, now: Time, width: Time, end: Time) {
        let bin = now.as_picos() / width.as_picos();
        self.close(bin);
        self.edge = width.saturating_mul(bin + 1).min(end);
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

/// Where a packet was dropped, or that it was marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Signal {
    /// The queue did not take the packet when it arrived.
    Arrival,
    /// The queue had stored the packet and dropped it later.
    Stored,
    /// The link's loss model lost the packet before the queue.
    Lost,
    /// The link's policer dropped the packet.
    Policed,
    /// The queue marked the packet.
    Mark,
}

/// Names of the places of drops in the table, in the order of the variants of [`Signal`].
const PLACES: &[&str] = &["arrival", "stored", "lost", "policed"];

impl Signal {
    /// What happened to a packet that was offered to a link, or that left the queue of a link that `had_stored` it.
    pub(super) const fn of(fate: Offered, had_stored: bool) -> Option<Self> {
        match fate {
            Offered::Accepted { marked: true, .. } => Some(Self::Mark),
            Offered::Dropped(_) if had_stored => Some(Self::Stored),
            Offered::Dropped(DropReason::Lost) => Some(Self::Lost),
            Offered::Dropped(DropReason::Policed) => Some(Self::Policed),
            Offered::Dropped(DropReason::Full | DropReason::Early) => Some(Self::Arrival),
            Offered::Accepted { .. } | Offered::Queued => None,
        }
    }
}

/// The record `drops`, or the record `marks`.
#[derive(Clone, Debug)]
pub(super) struct Signals {
    /// Whether this is the record of drops.
    drops: bool,
    watched: Vec<bool>,
    /// Time, link, flow, segment, bytes, place.
    rows: Vec<(Time, u32, u32, u64, u32, Signal)>,
}

impl Signals {
    pub(super) fn drops(links: &[u32]) -> Self {
        Self { drops: true, watched: super::membership(links), rows: Vec::new() }
    }

    pub(super) fn marks(links: &[u32]) -> Self {
        Self { drops: false, ..Self::drops(links) }
    }

    /// Adds a packet if the record is about such signals.
    #[inline(never)]
    pub(super) fn add(&mut self, now: Time, link: u32, packet: &Packet, signal: Signal) {
        if self.drops == (signal != Signal::Mark) && self.watched.get(link as usize) == Some(&true) {
            let segment = match packet.payload() {
                Payload::Syn { .. } => 0,
                Payload::Data { number, .. } => number,
                Payload::Ack { next, .. } => next,
            };
            self.rows.push((now, link, packet.flow().0, segment, packet.size(), signal));
        }
    }

    pub(super) const fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Memory of the rows in bytes.
    pub(super) const fn held(&self) -> usize {
        self.rows.len() * size_of::<(Time, u32, u32, u64, u32, Signal)>()
    }

    pub(super) fn table(mut self) -> Table {
        // each link reports its packets in order, but links are not synchronized
        self.rows.sort_unstable();
        Table::new(if self.drops { "drops" } else { "marks" }, self)
    }
}

impl Rows for Signals {
    fn columns(&self) -> Vec<Column> {
        let rows = || self.rows.iter();
        let mut columns = vec![
            ("time", Values::F64(rows().map(|row| row.0.as_secs_f64()).collect())),
            ("link", Values::U32(rows().map(|row| row.1).collect())),
            ("flow", Values::U32(rows().map(|row| row.2).collect())),
            ("segment", Values::U64(rows().map(|row| row.3).collect())),
            ("bytes", Values::U32(rows().map(|row| row.4).collect())),
        ];
        if self.drops {
            let codes = rows().map(|row| row.5 as u8).collect();
            columns.push(("place", Values::Words { codes, words: PLACES }));
        }
        columns.into_iter().map(|(name, values)| Column { name, values }).collect()
    }
}

/// The record `gauges`.
#[derive(Clone, Debug, Default)]
pub(super) struct GaugeRows {
    times: Vec<f64>,
    links: Vec<u32>,
    /// Index of each gauge in the list of all gauges.
    gauges: Vec<u8>,
    values: Vec<f64>,
}

impl GaugeRows {
    /// Adds a row, with NaN for a value that does not exist at this time.
    pub(super) fn push(&mut self, now: Time, link: u32, name: &str, value: f64) {
        let gauge = NAMES.iter().position(|known| *known == name);
        debug_assert!(gauge.is_some(), "{name} is not listed in queue/gauges.rs");
        if let Some(gauge) = gauge {
            self.times.push(now.as_secs_f64());
            self.links.push(link);
            self.gauges.push(gauge as u8);
            self.values.push(value);
        }
    }

    /// Number of rows.
    pub(super) const fn rows(&self) -> usize {
        self.times.len()
    }

    /// Memory of the rows in bytes.
    pub(super) const fn held(&self) -> usize {
        self.times.len() * size_of::<f64>()
            + self.links.len() * size_of::<u32>()
            + self.gauges.len()
            + self.values.len() * size_of::<f64>()
    }
}

impl Rows for GaugeRows {
    fn columns(&self) -> Vec<Column> {
        let columns = [
            ("time", Values::F64(self.times.clone())),
            ("link", Values::U32(self.links.clone())),
            ("gauge", Values::Words { codes: self.gauges.clone(), words: NAMES }),
            ("value", Values::F64(self.values.clone())),
        ];
        columns.map(|(name, values)| Column { name, values }).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two of three links are recorded, with expected values computed by hand. A packet at an edge belongs to the bin
    /// that begins there, empty bins are rows, the last bin may be short, and a link that is not requested is not
    /// counted.
    #[test]
    fn arrivals_are_counted_in_bins_that_begin_at_their_edge() {
        let end = Time::from_millis(35);
        let mut arrivals = Arrivals::of(vec![2, 0], Time::from_millis(10), end);
        for (millis, link) in [(0, 0), (3, 2), (9, 0), (10, 0), (11, 1), (30, 0), (31, 2), (32, 2)] {
            arrivals.offered(Time::from_millis(millis), link);
        }
        let columns: Vec<Values> = arrivals.table().columns().into_iter().map(|Column { values, .. }| values).collect();
        let [Values::F64(times), Values::U32(links), Values::U64(packets)] = &columns[..] else {
            panic!("time, link, packets")
        };
        assert_eq!(*times, [0.0, 0.0, 0.01, 0.01, 0.02, 0.02, 0.03, 0.03]);
        assert_eq!(*links, [2, 0, 2, 0, 2, 0, 2, 0]);
        assert_eq!(*packets, [1, 2, 0, 1, 0, 0, 2, 1]);
    }
}
