//! The record `packets`: every event of every packet at the recorded links.

use ackclock_units::Time;

use super::recorder::membership;
use super::table::Rows;
use super::{Column, Table, Values};
use crate::link::Offered;
use crate::packet::{Packet, Payload};
use crate::queue::DropReason;

/// What happened to a packet at a link.
#[derive(Clone, Copy, Debug)]
enum Event {
    Enqueue,
    Dequeue,
    Receive,
    Drop,
    Lost,
}

/// Names of the events in the table, in the order of the variants of [`Event`].
const EVENTS: &[&str] = &["enqueue", "dequeue", "receive", "drop", "lost"];

/// The content of a packet.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Syn,
    Data,
    Ack,
}

/// Names of the kinds in the table, in the order of the variants of [`Kind`].
const KINDS: &[&str] = &["syn", "data", "ack"];

/// One row of the table.
#[derive(Clone, Copy, Debug)]
struct Row {
    time: Time,
    segment: u64,
    link: u32,
    flow: u32,
    bytes: u32,
    event: Event,
    kind: Kind,
    retransmission: bool,
}

/// Stores a row for each event: a packet enters a queue, leaves it for transmission, arrives at the far end, or is
/// dropped or lost.
#[derive(Clone, Debug, Default)]
pub(super) struct PacketLog {
    watched: Vec<bool>,
    rows: Vec<Row>,
}

impl PacketLog {
    /// A log of packets at the given links.
    pub(super) fn of(links: &[u32]) -> Self {
        Self { watched: membership(links), rows: Vec::new() }
    }

    /// Handles a packet offered to a link. Everything that will happen to the packet at this link is known immediately;
    /// anything after the end of the run is omitted.
    #[inline(never)]
    pub(super) fn offered(&mut self, now: Time, link: u32, packet: &Packet, offered: Offered, end: Time) {
        if self.watched.get(link as usize) != Some(&true) {
            return;
        }
        let (kind, segment, retransmission) = match packet.payload {
            Payload::Syn { retransmission, .. } => (Kind::Syn, 0, retransmission),
            Payload::Data { number, retransmission, .. } => (Kind::Data, number, retransmission),
            Payload::Ack { next, .. } => (Kind::Ack, next, false),
        };
        let mut push = |time, event| {
            if time < end {
                let (flow, bytes) = (packet.flow.0, packet.size);
                self.rows.push(Row { time, segment, link, flow, bytes, event, kind, retransmission });
            }
        };
        match offered {
            Offered::Accepted { start, arrival, .. } => {
                push(now, Event::Enqueue);
                push(start, Event::Dequeue);
                push(arrival, Event::Receive);
            }
            Offered::Dropped(DropReason::Lost) => push(now, Event::Lost),
            Offered::Dropped(DropReason::Full | DropReason::Early) => push(now, Event::Drop),
        }
    }

    pub(super) const fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Memory of the rows in bytes.
    pub(super) const fn held(&self) -> usize {
        self.rows.capacity() * size_of::<Row>()
    }

    /// The rows in time order; for equal times, arrivals come first, then rows are ordered by link, and at one link in
    /// causal order: a packet reaches a node before it leaves it.
    pub(super) fn table(mut self) -> Table {
        self.rows.sort_by_key(|row| (row.time, !matches!(row.event, Event::Receive), row.link));
        Table::new("packets", self)
    }
}

impl Rows for PacketLog {
    fn columns(&self) -> Vec<Column> {
        let rows = &self.rows;
        let words = |codes: fn(&Row) -> u8, words| Values::Words { codes: rows.iter().map(codes).collect(), words };
        let columns = [
            ("time", Values::F64(rows.iter().map(|row| row.time.as_secs_f64()).collect())),
            ("link", Values::U32(rows.iter().map(|row| row.link).collect())),
            ("flow", Values::U32(rows.iter().map(|row| row.flow).collect())),
            ("event", words(|row| row.event as u8, EVENTS)),
            ("kind", words(|row| row.kind as u8, KINDS)),
            ("segment", Values::U64(rows.iter().map(|row| row.segment).collect())),
            ("bytes", Values::U32(rows.iter().map(|row| row.bytes).collect())),
            ("retransmission", Values::Bool(rows.iter().map(|row| row.retransmission).collect())),
        ];
        columns.map(|(name, values)| Column { name, values }).into()
    }
}
