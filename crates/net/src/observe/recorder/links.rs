//! The records of links: arrivals in bins, drops, marks, and gauges.

use ackclock_units::Time;

use super::bins::Binned;
use crate::link::Offered;
use crate::observe::table::columns;
use crate::observe::{Column, Rows, Table, Values};
use crate::packet::{Packet, Payload};
use crate::queue::DropReason;
use crate::queue::gauges::NAMES;

columns! { ArrivalColumns { time: F64(f64), link: U32(u32), packets: U64(u64) } }

/// The table of the record `arrivals`.
pub(super) fn arrivals(counts: Binned) -> Table {
    let counts = counts.rows();
    let mut rows = ArrivalColumns::with_capacity(counts.len());
    counts.for_each(|(time, link, packets)| rows.push(time, link, packets));
    Table::new("arrivals", rows)
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
    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

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
    fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

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
