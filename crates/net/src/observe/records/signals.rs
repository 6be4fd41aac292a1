//! Packets that links drop or mark: the records `drops` and `marks`.

use std::fmt::Debug;
use std::marker::PhantomData;

use ackclock_units::Time;

use super::record::{Declared, Described, Record};
use super::usual::{OfLink, Rows as Estimate, Usual};
use crate::link::Offered;
use crate::observe::{Column, Measure, ROW, Rows, Table, Values};
use crate::packet::{Packet, Payload};
use crate::plan::Plan;
use crate::plan::records::Asked;
use crate::queue::DropReason;

/// Where a packet was dropped, or that it was marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::observe) enum Signal {
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

/// A record of some signals.
pub(in crate::observe) trait Kept: Clone + Debug + Send + Sync + 'static {
    /// The declaration of the record.
    const DECLARED: Declared;

    /// Whether the record has a signal.
    fn keeps(signal: Signal) -> bool;

    /// Number of these signals of a link with usual traffic.
    fn usual(link: &OfLink) -> f64;

    /// The columns of the table.
    fn columns(log: &Signals<Self>) -> Vec<Column>;
}

/// Log of the signals that `K` keeps.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Signals<K> {
    watched: Vec<bool>,
    rows: Vec<Row>,
    kept: PhantomData<K>,
}

impl<K: Kept> Signals<K> {
    #[inline(always)]
    fn add(&mut self, now: Time, link: u32, packet: &Packet, signal: Option<Signal>) {
        if let Some(signal) = signal.filter(|signal| K::keeps(*signal)) {
            self.push(now, link, packet, signal);
        }
    }

    #[inline(never)]
    fn push(&mut self, now: Time, link: u32, packet: &Packet, signal: Signal) {
        if self.watched.get(link as usize) == Some(&true) {
            let segment = match packet.payload() {
                Payload::Syn { .. } => 0,
                Payload::Data { number, .. } => number,
                Payload::Ack { next, .. } => next,
            };
            self.rows.push((now, link, packet.flow().0, segment, packet.size(), signal));
        }
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

impl<K: Kept> Record for Signals<K> {
    const DECLARED: Declared = K::DECLARED;

    fn new(asked: &Asked<'_>, _plan: &Plan) -> Self {
        Self { watched: super::membership(asked.ids), rows: Vec::new(), kept: PhantomData }
    }

    fn usual(asked: &Asked<'_>, usual: &Usual<'_>) -> Estimate {
        Estimate::of_events(usual.over_links(asked, K::usual), ROW as f64)
    }

    #[inline(always)]
    fn offered(&mut self, now: Time, link: u32, packet: &Packet, offered: Offered) {
        self.add(now, link, packet, Signal::of(offered, false));
    }

    #[inline(always)]
    fn left(&mut self, now: Time, link: u32, packet: &Packet, fate: Offered) {
        self.add(now, link, packet, Signal::of(fate, true));
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn memory(&self) -> usize {
        self.rows.len() * size_of::<Row>()
    }

    /// Sorts the rows: each link reports its packets in order, but links are not synchronized.
    fn table(mut self, name: &'static str, _measure: &Measure) -> Table {
        self.rows.sort_unstable();
        Table::new(name, self)
    }
}

impl<K: Kept> Rows for Signals<K> {
    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn columns(&self) -> Vec<Column> {
        K::columns(self)
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
