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

/// Who is to be woken, and why. The order of the variants breaks ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakeup {
    /// The first packet under way on a link reaches its end.
    Arrival(u32),
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
            Self::Arrival(id) => (0, id),
            Self::DelayedAck(id) => (1, id),
            Self::Source(id) => (2, id),
            Self::Release(id) => (3, id),
            Self::Timeout(id) => (4, id),
        }
    }
}

/// A wake-up at an instant: 16 bytes.
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

/// Width of a bucket: `2^28` ps = 268 us, a few events at the rates of interest.
const BUCKET_BITS: u32 = 28;
/// Buckets ahead of the present one: 1,024 of them reach 275 ms, further than most round trips.
const BUCKETS: usize = 1 << 10;

/// The events to come: those of the present bucket of time, sorted; a ring of unsorted buckets for the near future; a heap
/// for the rest. Most events are appended to a bucket and sorted among a handful when its time comes.
#[derive(Debug)]
pub struct EventQueue {
    /// Number of the present bucket: time divided by the width.
    present: u64,
    /// The present bucket, its first event last.
    due: Vec<Event>,
    /// Events scheduled into the present bucket after it was sorted.
    late: BinaryHeap<Reverse<Event>>,
    near: Vec<Vec<Event>>,
    near_len: usize,
    far: BinaryHeap<Reverse<Event>>,
}

impl Default for EventQueue {
    fn default() -> Self {
        Self {
            present: 0,
            due: Vec::new(),
            late: BinaryHeap::new(),
            near: vec![Vec::new(); BUCKETS],
            near_len: 0,
            far: BinaryHeap::new(),
        }
    }
}

impl EventQueue {
    /// Adds a wake-up, not before the event last popped.
    #[inline(always)]
    pub fn schedule(&mut self, at: Time, what: Wakeup) {
        let event = Event { at, what };
        let bucket = bucket(at);
        if bucket <= self.present {
            self.late.push(Reverse(event));
        } else if bucket - self.present < BUCKETS as u64 {
            self.near[bucket as usize % BUCKETS].push(event);
            self.near_len += 1;
        } else {
            self.far.push(Reverse(event));
        }
    }

    /// Takes the next event before `end`.
    #[inline(always)]
    pub fn pop_before(&mut self, end: Time) -> Option<Event> {
        while self.due.is_empty() && self.late.is_empty() {
            if !self.advance(end) {
                return None;
            }
        }
        let due = self.due.last().copied();
        let late = self.late.peek().map(|Reverse(event)| *event);
        match (due, late) {
            (Some(due), None) => (due.at < end).then(|| self.due.pop())?,
            (Some(due), Some(late)) if due < late => (due.at < end).then(|| self.due.pop())?,
            (_, late) => late.filter(|late| late.at < end).inspect(|_| {
                self.late.pop();
            }),
        }
    }

    /// Moves on to the next bucket; `false` if nothing is left before `end`.
    #[inline(never)]
    fn advance(&mut self, end: Time) -> bool {
        let next_far = self.far.peek().map(|Reverse(event)| bucket(event.at));
        let next = if self.near_len > 0 { Some(self.present + 1) } else { next_far };
        let Some(next) = next.filter(|next| *next <= bucket(end)) else { return false };
        self.present = next;
        let near = &mut self.near[next as usize % BUCKETS];
        self.near_len -= near.len();
        std::mem::swap(&mut self.due, near);
        while let Some(Reverse(event)) = self.far.peek()
            && bucket(event.at) <= next
        {
            self.due.extend(self.far.pop().map(|Reverse(event)| event));
        }
        self.due.sort_unstable_by(|a, b| b.cmp(a));
        true
    }
}

/// The bucket of an instant.
const fn bucket(at: Time) -> u64 {
    at.as_picos() >> BUCKET_BITS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ties_fall_by_kind_and_then_fairly() {
        let at = |what| Event { at: Time::SECOND, what };
        assert!(at(Wakeup::Arrival(9)) < at(Wakeup::DelayedAck(0)));
        assert!(at(Wakeup::Release(9)) < at(Wakeup::Timeout(0)));
        let wins = (0..10_000_u64)
            .filter(|slot| {
                let at = |id| Event { at: Time::from_picos(slot * 240_000_000), what: Wakeup::Arrival(id) };
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
            let mut queue = EventQueue::default();
            let mut expected: Vec<Event> = times
                .iter()
                .map(|(at, id)| Event { at: Time::from_picos(at >> 3 << 3), what: Wakeup::Arrival(*id) })
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
            let mut queue = EventQueue::default();
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
