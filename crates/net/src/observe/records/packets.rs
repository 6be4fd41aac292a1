//! The record `packets`: every event of every packet at the recorded links.

use ackclock_units::Time;

use super::membership;
use super::record::{Declared, Described, Record, named};
use super::usual::{Rows as Estimate, Usual};
use crate::link::Offered;
use crate::observe::{Column, Measure, Rows, Table, Values};
use crate::packet::{Packet, Payload};
use crate::plan::Plan;
use crate::plan::records::Asked;
use crate::queue::DropReason;
use crate::storage::grow;

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

/// What a link does with a packet.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Crosses,
    Dropped,
    Lost,
    LostAfter,
}

/// A packet at a link, with everything that is known to happen to it there: up to [`STEPS`] rows of the table. A packet
/// that a link stores has two entries: one when it arrives, and one when it leaves the queue.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Arrival at the queue, start of the transmission, and arrival at the far end. Times of steps that are not part of
    /// the entry are [`Time::MAX`].
    times: [Time; STEPS],
    segment: u64,
    link: u32,
    flow: u32,
    bytes: u32,
    fate: Fate,
    kind: Kind,
    retransmission: bool,
    /// Whether the queue of the link marks the packet.
    marked: bool,
}

/// Maximum number of events of a packet at a link, and memory of an entry in bytes, as measured.
const STEPS: usize = 3;
const ENTRY: f64 = 56.0;

impl Entry {
    const fn event(&self, step: usize) -> Event {
        match (self.fate, step) {
            (Fate::Crosses | Fate::LostAfter, 0) => Event::Enqueue,
            (Fate::Crosses | Fate::LostAfter, 1) => Event::Dequeue,
            (Fate::Crosses, _) => Event::Receive,
            (Fate::Dropped, _) => Event::Drop,
            (Fate::Lost | Fate::LostAfter, _) => Event::Lost,
        }
    }
}

/// Stores each packet that is offered to a link. The table has a row for each event: a packet enters a queue, leaves it
/// for transmission, arrives at the far end, or is dropped or lost.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Log {
    watched: Vec<bool>,
    /// End of the run: later events are omitted.
    end: Time,
    entries: Vec<Entry>,
    rows: usize,
}

impl Record for Log {
    const DECLARED: Declared = Declared {
        empty: "no packet arrived",
        ..Declared::new(
            "each event of a packet at a link: enqueue, dequeue, receive, drop or lost",
            &[
                Described::real("time", "s"),
                Described::id("link"),
                Described::id("flow"),
                Described::word("event"),
                Described::word("kind"),
                Described::count("segment", ""),
                Described::small("bytes", "B"),
                Described::word("retransmission"),
                Described::word("marked"),
            ],
        )
    };
    const ACCEPTED: bool = true;

    fn new(asked: &Asked<'_>, plan: &Plan) -> Self {
        Self { watched: membership(asked.ids), end: plan.duration, entries: Vec::new(), rows: 0 }
    }

    fn usual(asked: &Asked<'_>, usual: &Usual<'_>) -> Estimate {
        let offered = usual.over_links(asked, |link| link.offered);
        let entries = usual.over_links(asked, |link| link.offered * if link.is_stored { 2.0 } else { 1.0 });
        let bytes = ENTRY * entries;
        Estimate { bytes, ..Estimate::of_events(STEPS as f64 * offered, 0.0) }
    }

    #[inline(never)]
    fn offered(&mut self, now: Time, link: u32, packet: &Packet, offered: Offered) {
        self.handle(now, link, packet, offered);
    }

    #[inline(never)]
    fn left(&mut self, now: Time, link: u32, packet: &Packet, fate: Offered) {
        // a transmission has no arrival at the queue: it is in another entry
        let arrived = if matches!(fate, Offered::Dropped(_)) { now } else { Time::MAX };
        self.handle(arrived, link, packet, fate);
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn memory(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
    }

    fn table(self, name: &'static str, _measure: &Measure) -> Table {
        Table::new(name, self)
    }
}

impl Log {
    fn handle(&mut self, now: Time, link: u32, packet: &Packet, offered: Offered) {
        if self.watched.get(link as usize) != Some(&true) {
            return;
        }
        let (kind, segment, retransmission) = match packet.payload() {
            Payload::Syn { retransmission, .. } => (Kind::Syn, 0, retransmission),
            Payload::Data { number, retransmission, .. } => (Kind::Data, number, retransmission),
            Payload::Ack { next, .. } => (Kind::Ack, next, false),
        };
        let marked = matches!(offered, Offered::Accepted { marked: true, .. });
        let (fate, times) = match offered {
            Offered::Accepted { start, arrival, lost: false, .. } => (Fate::Crosses, [now, start, arrival]),
            Offered::Accepted { start, end, lost: true, .. } => (Fate::LostAfter, [now, start, end]),
            Offered::Queued => (Fate::Crosses, [now, Time::MAX, Time::MAX]),
            Offered::Dropped(DropReason::Lost) => (Fate::Lost, [now, Time::MAX, Time::MAX]),
            Offered::Dropped(_) => (Fate::Dropped, [now, Time::MAX, Time::MAX]),
        };
        self.rows += times.iter().filter(|time| **time < self.end).count();
        let (flow, bytes) = (packet.flow().0, packet.size());
        grow(&mut self.entries, 1);
        self.entries.push(Entry { times, segment, link, flow, bytes, fate, kind, retransmission, marked });
    }

    /// The rows in time order, each as an entry and a step. For equal times, arrivals come first, then rows are ordered
    /// by link, and at one link in causal order: a packet reaches a node before it leaves it.
    fn in_order(&self) -> Vec<(&Entry, usize)> {
        let mut keys = Vec::with_capacity(self.rows);
        for (place, entry) in self.entries.iter().enumerate() {
            for (step, time) in entry.times.iter().enumerate().filter(|(_, time)| **time < self.end) {
                // one number, which is sorted much faster than a row; the place is unique and below 2^31
                let is_late = u128::from(!matches!(entry.event(step), Event::Receive));
                let tie = is_late << 63 | u128::from(entry.link) << 31 | (place * STEPS + step) as u128;
                keys.push(u128::from(time.as_picos()) << 64 | tie);
            }
        }
        keys.sort_unstable();
        let row = |key: &u128| {
            let place = (*key as u32 & (u32::MAX >> 1)) as usize;
            (&self.entries[place / STEPS], place % STEPS)
        };
        keys.iter().map(row).collect()
    }
}

impl Rows for Log {
    fn is_empty(&self) -> bool {
        self.rows == 0
    }

    fn columns(&self) -> Vec<Column> {
        let rows = self.in_order();
        let words = |codes: fn(&Entry, usize) -> u8, words| {
            let codes = rows.iter().map(|(entry, step)| codes(entry, *step)).collect();
            Values::Words { codes, words }
        };
        let columns = [
            Values::F64(rows.iter().map(|(entry, step)| entry.times[*step].as_secs_f64()).collect()),
            Values::U32(rows.iter().map(|(entry, _)| entry.link).collect()),
            Values::U32(rows.iter().map(|(entry, _)| entry.flow).collect()),
            words(|entry, step| entry.event(step) as u8, EVENTS),
            words(|entry, _| entry.kind as u8, KINDS),
            Values::U64(rows.iter().map(|(entry, _)| entry.segment).collect()),
            Values::U32(rows.iter().map(|(entry, _)| entry.bytes).collect()),
            Values::Bool(rows.iter().map(|(entry, _)| entry.retransmission).collect()),
            Values::Bool(rows.iter().map(|(entry, _)| entry.marked).collect()),
        ];
        named(Self::DECLARED.columns, columns)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::packet::FlowId;
    use crate::plan::RecordSpec;
    use crate::plan::testing::dumbbell_of_reno;

    const END: Time = Time::from_picos(40);

    fn log() -> Log {
        let plan = Plan { duration: END, ..dumbbell_of_reno(1) };
        Log::new(&RecordSpec::Packets { links: vec![0, 1, 3] }.asked(), &plan)
    }

    proptest! {
        /// The rows are those of a list of all events, sorted by time, arrivals first, and link.
        #[test]
        fn rows_are_the_sorted_events_before_the_end(
            packets in prop::collection::vec((0_u64..40, 0_u32..4, 0_u64..20, 0_u64..20, 0_u8..6), 0..80),
        ) {
            let mut log = log();
            let mut events = Vec::new();
            for (number, (now, link, waits, crosses, fate)) in (0_u32..).zip(packets) {
                let syn = Payload::Syn { retransmission: false, connection: 0 };
                let packet = Packet::new(FlowId(number), 100 + number, syn, Time::ZERO);
                let [now, start, arrival] = [now, now + waits, now + waits + crosses].map(Time::from_picos);
                let (offered, steps) = match fate {
                    0 => (Offered::Dropped(DropReason::Lost), vec![(now, "lost")]),
                    1 => (Offered::Dropped(DropReason::Early), vec![(now, "drop")]),
                    2 => (Offered::Dropped(DropReason::Full), vec![(now, "drop")]),
                    _ => {
                        let steps = vec![(now, "enqueue"), (start, "dequeue"), (arrival, "receive")];
                        (Offered::Accepted { start, end: start, arrival, marked: fate == 3, lost: false }, steps)
                    }
                };
                log.offered(now, link, &packet, offered);
                let heard = steps.into_iter().filter(|(time, _)| link != 2 && *time < END);
                events.extend(heard.map(|(time, event)| (time, event != "receive", link, event, number, fate == 3)));
            }
            events.sort_by_key(|(time, is_late, link, ..)| (*time, *is_late, *link));
            prop_assert_eq!(log.rows(), events.len());
            let columns: Vec<Values> = log.columns().into_iter().map(|column| column.values).collect();
            let times = events.iter().map(|(time, ..)| time.as_secs_f64()).collect();
            prop_assert_eq!(&columns[0], &Values::F64(times));
            prop_assert_eq!(&columns[1], &Values::U32(events.iter().map(|(_, _, link, ..)| *link).collect()));
            prop_assert_eq!(&columns[2], &Values::U32(events.iter().map(|(.., number, _)| *number).collect()));
            let Values::Words { codes, words } = &columns[3] else { panic!("the events are words") };
            let found: Vec<&str> = codes.iter().map(|code| words[usize::from(*code)]).collect();
            prop_assert_eq!(found, events.iter().map(|(.., event, _, _)| *event).collect::<Vec<_>>());
            prop_assert_eq!(&columns[6], &Values::U32(events.iter().map(|(.., number, _)| 100 + number).collect()));
            prop_assert_eq!(&columns[8], &Values::Bool(events.iter().map(|(.., marked)| *marked).collect()));
        }
    }
}
