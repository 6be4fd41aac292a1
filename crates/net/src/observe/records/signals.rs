//! Packets that links drop or mark: the records `drops` and `marks`.

use ackclock_units::Time;

use super::record::Described;
use crate::link::Offered;
use crate::observe::Values;
use crate::packet::{Packet, Payload};
use crate::queue::DropReason;

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

/// A row: time, link, flow, segment, bytes, and what happened.
type Row = (Time, u32, u32, u64, u32, Signal);

/// Packets that links drop, or that they mark.
#[derive(Clone, Debug)]
pub(super) struct Signals {
    watched: Vec<bool>,
    rows: Vec<Row>,
}

impl Signals {
    pub(super) fn of(links: &[u32]) -> Self {
        Self { watched: super::membership(links), rows: Vec::new() }
    }

    /// Adds a packet.
    #[inline(never)]
    pub(super) fn add(&mut self, now: Time, link: u32, packet: &Packet, signal: Signal) {
        if self.watched.get(link as usize) == Some(&true) {
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
    pub(super) const fn memory(&self) -> usize {
        self.rows.len() * size_of::<Row>()
    }

    /// Sorts the rows: each link reports its packets in order, but links are not synchronized.
    pub(super) fn sorted(mut self) -> Self {
        self.rows.sort_unstable();
        self
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Values of the [`COLUMNS`].
    pub(super) fn values(&self) -> [Values; 5] {
        let rows = || self.rows.iter();
        [
            Values::F64(rows().map(|row| row.0.as_secs_f64()).collect()),
            Values::U32(rows().map(|row| row.1).collect()),
            Values::U32(rows().map(|row| row.2).collect()),
            Values::U64(rows().map(|row| row.3).collect()),
            Values::U32(rows().map(|row| row.4).collect()),
        ]
    }

    /// Where each packet was dropped.
    pub(super) fn places(&self) -> Values {
        Values::Words { codes: self.rows.iter().map(|row| row.5 as u8).collect(), words: PLACES }
    }
}

/// The columns of both records.
pub(super) const COLUMNS: [Described; 5] = [
    Described::real("time", "s"),
    Described::id("link"),
    Described::id("flow"),
    Described::count("segment", ""),
    Described::small("bytes", "B"),
];
