//! Events and their order.
//!
//! An event is its own key: when, and who is to be woken. Nothing is ever cancelled: a component keeps its deadlines in
//! fields and has at most one wake-up of each kind that matters; one that comes too early is ignored or armed again.
//!
//! **Ties.** Events of one instant run by kind, in the order of [`Wakeup`]'s variants, and within a kind by a hash of time and
//! id. The order then belongs to the model, not to the queue: it is the same whatever was scheduled first, and no component
//! wins every tie, as the lowest id would.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use ackclock_units::Time;

use crate::pool::{NONE, Pool};

/// Who is to be woken, and why. The order of the variants breaks ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakeup {
    /// A packet under way on a link reaches its end.
    Arrival {
        /// The link.
        link: u32,
        /// The packet, among those under way.
        packet: u32,
    },
    /// A flow's receiver has waited long enough with an ACK.
    DelayedAck(u32),
    /// A flow's source has data, and the sender waits for it.
    Source(u32),
    /// A flow's sender has finished processing.
    Release(u32),
    /// A flow's retransmission timer may be due.
    Timeout(u32),
}

impl Wakeup {
    const fn key(self) -> (u8, u32) {
        match self {
            Self::Arrival { link, .. } => (0, link),
            Self::DelayedAck(id) => (1, id),
            Self::Source(id) => (2, id),
            Self::Release(id) => (3, id),
            Self::Timeout(id) => (4, id),
        }
    }
}

/// A wake-up at an instant: 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: Time,
    /// Who and why.
    pub what: Wakeup,
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at.cmp(&other.at).then_with(|| {
            let ((kind, id), (other_kind, other_id)) = (self.what.key(), other.what.key());
            kind.cmp(&other_kind).then_with(|| tie(self.at, id).cmp(&tie(other.at, other_id))).then(id.cmp(&other_id))
        })
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A fair coin for each (time, id).
const fn tie(at: Time, id: u32) -> u64 {
    let key = (at.as_picos() ^ (id as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (key ^ (key >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

/// How far the buckets reach: `2^38` ps = 275 ms, further than most round trips.
const REACH_BITS: u32 = 38;
/// Buckets for each flow, so that each holds about one event; the fewest and the most of them.
const BUCKETS_PER_FLOW: usize = 64;
const MIN_BUCKETS: usize = 1 << 11;
const MAX_BUCKETS: usize = 1 << 20;
/// Events that are passed in a bucket in search of a place; a flood of events does better in the heap.
const CROWD: usize = 8;

/// The events to come: a ring of small buckets of time, each in order, and a heap for what fits in none.
#[derive(Debug)]
pub struct EventQueue {
    /// Number of the present bucket: time divided by the width of buckets, a power of two.
    present: u64,
    width_bits: u32,
    /// The first event of the present bucket and of those that follow.
    buckets: Vec<u32>,
    pool: Pool<Event>,
    /// Events in all buckets.
    near: usize,
    /// Events too far ahead, and those that found their bucket crowded.
    heap: BinaryHeap<Reverse<Event>>,
}

impl EventQueue {
    /// A queue for the events of that many flows.
    pub fn new(flows: usize) -> Self {
        let buckets = (flows * BUCKETS_PER_FLOW).next_power_of_two().clamp(MIN_BUCKETS, MAX_BUCKETS);
        Self {
            present: 0,
            width_bits: REACH_BITS - buckets.ilog2(),
            buckets: vec![NONE; buckets],
            pool: Pool::default(),
            near: 0,
            heap: BinaryHeap::new(),
        }
    }

    /// Adds a wake-up, not before the time of the event last popped.
    #[inline(always)]
    pub fn schedule(&mut self, at: Time, what: Wakeup) {
        let event = Event { at, what };
        let number = self.number(at);
        // a bucket that has gone by is, wrapped, too far ahead
        if number.wrapping_sub(self.present) >= self.buckets.len() as u64 {
            return self.heap.push(Reverse(event));
        }
        let bucket = self.index(number);
        let (mut before, mut after) = (NONE, self.buckets[bucket]);
        for _ in 0..CROWD {
            if let Some(node) = self.pool.get(after)
                && node.value < event
            {
                (before, after) = (after, node.next);
                continue;
            }
            self.near += 1;
            let added = self.pool.add(event, after);
            if before == NONE {
                self.buckets[bucket] = added;
            } else {
                self.pool[before].next = added;
            }
            return;
        }
        self.heap.push(Reverse(event));
    }

    /// Takes the next event before `end`.
    #[inline(always)]
    pub fn pop_before(&mut self, end: Time) -> Option<Event> {
        let near = self.first_near();
        let far = self.heap.peek().map(|Reverse(event)| *event);
        if let Some(event) = near
            && far.is_none_or(|far| event < far)
        {
            if event.at >= end {
                return None;
            }
            let bucket = self.index(self.present);
            self.buckets[bucket] = self.pool.remove(self.buckets[bucket]).next;
            self.near -= 1;
            return near;
        }
        let far = far.filter(|far| far.at < end)?;
        self.heap.pop();
        if self.near == 0 {
            self.present = self.number(far.at);
        }
        Some(far)
    }

    /// The first event in a bucket, which becomes the present one.
    #[inline(always)]
    fn first_near(&mut self) -> Option<Event> {
        if self.near == 0 {
            return None;
        }
        loop {
            if let Some(first) = self.pool.get(self.buckets[self.index(self.present)]) {
                return Some(first.value);
            }
            self.present += 1;
        }
    }

    /// The number of an instant's bucket.
    const fn number(&self, at: Time) -> u64 {
        at.as_picos() >> self.width_bits
    }

    /// The place of a bucket in the ring.
    const fn index(&self, number: u64) -> usize {
        number as usize & (self.buckets.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ties_fall_by_kind_and_then_fairly() {
        let at = |what| Event { at: Time::SECOND, what };
        assert!(at(Wakeup::Source(9)) < at(Wakeup::Release(0)));
        assert!(at(Wakeup::Release(9)) < at(Wakeup::Timeout(0)));
        let wins = (0..10_000_u64)
            .filter(|slot| {
                let at = |id| Event { at: Time::from_picos(slot * 240_000_000), what: Wakeup::Release(id) };
                at(0) < at(1)
            })
            .count();
        assert!((4_800..5_200).contains(&wins), "four standard deviations of a fair coin are 200: {wins}");
    }

    proptest! {
        #[test]
        fn events_come_out_in_order_whatever_the_order_they_went_in(
            times in prop::collection::vec((0_u64..1 << 40, 0_u32..5), 1..300),
            step in 1_u64..1 << 38,
        ) {
            let mut queue = EventQueue::new(1);
            let mut expected: Vec<Event> = times
                .iter()
                .map(|(at, id)| Event { at: Time::from_picos(at >> 3 << 3), what: Wakeup::Release(*id) })
                .collect();
            for event in &expected {
                queue.schedule(event.at, event.what);
            }
            expected.sort_unstable();
            let mut popped = Vec::new();
            for end in (0..=(1 << 40) / step + 1).map(|slice| Time::from_picos(slice * step)) {
                while let Some(event) = queue.pop_before(end) {
                    prop_assert!(event.at < end);
                    popped.push(event);
                }
            }
            prop_assert_eq!(popped, expected);
        }

        #[test]
        fn events_scheduled_while_running_come_out_in_order(gaps in prop::collection::vec(0_u64..1 << 34, 1..400)) {
            let mut queue = EventQueue::new(1);
            queue.schedule(Time::ZERO, Wakeup::Source(0));
            let mut gaps = gaps.into_iter();
            let mut last = None;
            let mut count = 0;
            while let Some(event) = queue.pop_before(Time::MAX) {
                prop_assert!(last.is_none_or(|last| last <= event.at));
                last = Some(event.at);
                for gap in gaps.by_ref().take(2) {
                    count += 1;
                    queue.schedule(event.at + Time::from_picos(gap), Wakeup::Source(count));
                }
            }
            prop_assert_eq!(gaps.next(), None);
        }
    }
}
