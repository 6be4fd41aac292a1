//! The pending events of a component, in time order, round by round.
//!
//! Time is divided into *rounds* of equal length. Most of a component's events come from other components, one link
//! delay ahead and in time order; they go through a queue, the *lane*. Arrivals out of time order, and the wake-ups
//! that endpoints request, wait in the bucket of their round and are sorted when the round begins. Events that a
//! component schedules for itself within the current round go into a small separate heap.

mod chunks;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use ackclock_units::Time;

use crate::event::Event;
use crate::packet::{Name, Packet};
use chunks::{Bucket, Chunks, Lane};

/// Division of time into rounds of `2^bits` ps. `ahead`, a power of two, is the number of rounds with their own bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounds {
    pub(crate) bits: u32,
    pub(crate) ahead: usize,
}

impl Rounds {
    /// The round that contains a time.
    #[inline(always)]
    pub(crate) const fn of(self, at: Time) -> u64 {
        at.as_picos() >> self.bits
    }

    /// End of a round.
    pub(crate) const fn end(self, round: u64) -> Time {
        Time::from_picos(1 << self.bits).saturating_mul(round + 1)
    }
}

/// The pending events of one component.
#[derive(Debug)]
pub(crate) struct Agenda {
    rounds: Rounds,
    /// Number of the current round.
    number: u64,
    /// Arrivals in time order, for the current round and later ones.
    lane: Lane,
    /// Events of the current round outside the lane. `known` contains the events known when the round began: the first
    /// `done` are processed, and the first `told` were returned by [`next_late`](Self::next_late). `new` contains the
    /// events added since.
    known: Vec<Event>,
    done: usize,
    told: usize,
    new: BinaryHeap<Reverse<Event>>,
    /// Time of the earliest event in `known` and `new` that is not yet processed.
    next_other: Time,
    /// Events of later rounds outside the lane, in a ring of buckets (`ring`), and their number (`near`).
    ring: Vec<Bucket>,
    near: usize,
    /// Events of rounds beyond the ring.
    far: BinaryHeap<Reverse<Event>>,
    chunks: Chunks,
}

impl Agenda {
    /// An agenda whose first round has yet to [begin](Self::begin).
    pub(crate) fn new(rounds: Rounds) -> Self {
        Self {
            rounds,
            number: u64::MAX,
            lane: Lane::EMPTY,
            known: Vec::new(),
            done: 0,
            told: 0,
            new: BinaryHeap::new(),
            next_other: Time::MAX,
            ring: vec![Bucket::EMPTY; rounds.ahead],
            near: 0,
            far: BinaryHeap::new(),
            chunks: Chunks::default(),
        }
    }

    /// Memory in bytes.
    pub(crate) fn held(&self) -> usize {
        let events = self.known.capacity() + self.new.capacity() + self.far.capacity();
        events * size_of::<Event>() + self.ring.capacity() * size_of::<Bucket>() + self.chunks.held()
    }

    /// Adds the arrival of a packet at the end of a link. The arrival must not be earlier than the last event taken.
    #[inline(always)]
    pub(crate) fn add_arrival(&mut self, at: Time, link: Name, hop: u32, packet: &Packet) {
        // constructed in place because it is large
        if self.lane.ends_before(at) {
            self.lane.push(&mut self.chunks, Event::arrival(at, link, hop, packet));
        } else {
            self.add_late(at, link, hop, packet);
        }
    }

    /// Adds an arrival that is earlier than the last one in the lane.
    #[inline(never)]
    fn add_late(&mut self, at: Time, link: Name, hop: u32, packet: &Packet) {
        self.add(Event::arrival(at, link, hop, packet));
    }

    /// Adds an event other than an arrival. The event must not be earlier than the last event taken.
    #[inline(always)]
    pub(crate) fn add(&mut self, event: Event) {
        let number = self.rounds.of(event.at);
        // the difference is 0 for the next round; for the current round it wraps around to the maximum
        if number.wrapping_sub(self.number).wrapping_sub(1) < self.ring.len() as u64 - 1 {
            self.near += 1;
            let index = number as usize & (self.ring.len() - 1);
            self.ring[index].push(&mut self.chunks, event);
        } else if number == self.number {
            self.next_other = self.next_other.min(event.at);
            self.new.push(Reverse(event));
        } else {
            self.far.push(Reverse(event));
        }
    }

    /// Whether no event of the current round is due at or before `at`.
    #[inline(always)]
    pub(crate) fn is_quiet_until(&self, at: Time) -> bool {
        at < self.lane.first_at() && at < self.next_other
    }

    /// The next arrivals in the lane that are contiguous in memory.
    #[inline(always)]
    pub(crate) fn ahead(&self) -> &[Event] {
        self.lane.ahead(&self.chunks)
    }

    /// The events outside the lane that were known when the round began.
    pub(crate) fn late(&self) -> &[Event] {
        &self.known
    }

    /// Index range in [`late`](Self::late) of the next `count` events; each event is returned once.
    #[inline(always)]
    pub(crate) fn next_late(&mut self, count: usize) -> Option<Range<usize>> {
        if self.done < self.told || self.told == self.known.len() {
            return None;
        }
        let first = self.done;
        self.told = self.known.len().min(first + count);
        Some(first..self.told)
    }

    /// Takes the next event if it is before `end`, which must not be after the end of the current round. The event is
    /// written to `next` because it is large.
    #[inline(always)]
    pub(crate) fn take_before(&mut self, end: Time, next: &mut Event) -> bool {
        let at = self.lane.first_at();
        if at < self.next_other {
            if at >= end {
                return false;
            }
            self.lane.pop(&mut self.chunks, next);
        } else {
            if self.next_other >= end {
                return false;
            }
            self.take_other(next);
        }
        true
    }

    /// Takes the next event when it may be an event outside the lane.
    #[inline(never)]
    fn take_other(&mut self, next: &mut Event) {
        let (known, new) = (self.known.get(self.done), self.new.peek().map(|Reverse(event)| event));
        let is_new = new.is_some_and(|new| known.is_none_or(|known| new < known));
        let Some(other) = (if is_new { new } else { known }) else { return };
        if self.lane.first_at() == other.at && self.ahead()[0] < *other {
            return self.lane.pop(&mut self.chunks, next);
        }
        *next = *other;
        if is_new {
            self.new.pop();
        } else {
            self.done += 1;
        }
        self.find_next_other();
    }

    fn find_next_other(&mut self) {
        let known = self.known.get(self.done).map_or(Time::MAX, |event| event.at);
        self.next_other = self.new.peek().map_or(known, |Reverse(new)| new.at.min(known));
    }

    /// The next round that may contain events.
    pub(crate) fn next_round(&self) -> Option<u64> {
        let near = (self.near > 0).then(|| self.number.wrapping_add(1));
        let far = self.far.peek().map(|Reverse(event)| event.at);
        let at = self.lane.first_at().min(far.unwrap_or(Time::MAX));
        let later = (at < Time::MAX).then(|| self.rounds.of(at));
        near.into_iter().chain(later).min()
    }

    /// Whether a future round contains no events. `number` must be at least [`next_round`](Self::next_round), and less
    /// than the ring length after it.
    pub(crate) fn is_idle_in(&self, number: u64) -> bool {
        let is_later = |at: Time| self.rounds.of(at) > number;
        self.ring[number as usize & (self.ring.len() - 1)].count == 0
            && is_later(self.lane.first_at())
            && self.far.peek().is_none_or(|Reverse(event)| is_later(event.at))
    }

    /// Ends the current round and begins round `number`, which must not be later than the next round with events.
    pub(crate) fn begin(&mut self, number: u64) {
        self.number = number;
        let index = number as usize & (self.ring.len() - 1);
        let bucket = std::mem::replace(&mut self.ring[index], Bucket::EMPTY);
        self.near -= bucket.count as usize;
        (self.done, self.told) = (0, 0);
        self.known.clear();
        bucket.empty_into(&mut self.chunks, &mut self.known);
        while self.far.peek().is_some_and(|Reverse(event)| self.rounds.of(event.at) == number)
            && let Some(far) = self.far.pop()
        {
            self.new.push(far);
        }
        self.find_next_other();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::event::Wakeup;
    use crate::packet::{FlowId, Name};

    const ROUNDS: Rounds = Rounds { bits: 20, ahead: 16 };

    fn event(at: u64, id: u32) -> Event {
        Event::wakeup_of(FlowId(id), Name(id), Time::from_picos(at), Wakeup::Release)
    }

    /// Takes all events until `end` in steps of `step`. `more` returns the events to add after each event taken.
    fn take_all(agenda: &mut Agenda, end: u64, step: u64, mut more: impl FnMut(u64) -> Vec<Event>) -> Vec<Event> {
        let mut taken = Vec::new();
        let (mut now, mut number) = (0, 0);
        agenda.begin(0);
        while now < end {
            let round_end = ROUNDS.end(number).as_picos();
            now = (now + step).min(round_end);
            let mut event = Event::NONE;
            while agenda.take_before(Time::from_picos(now), &mut event) {
                assert!(event.at.as_picos() < now);
                taken.push(event);
                for event in more(event.at.as_picos()) {
                    agenda.add(event);
                }
            }
            if now == round_end {
                number = agenda.next_round().unwrap_or(number + 1);
                agenda.begin(number);
            }
        }
        taken
    }

    proptest! {
        #[test]
        fn events_are_taken_in_order_whatever_the_order_they_were_added_in(
            times in prop::collection::vec((0_u64..1 << 26, 0_u32..5), 1..300),
            step in 1_u64 << 14..1 << 24,
        ) {
            // many events have equal times
            let mut expected: Vec<Event> = times.iter().map(|(at, id)| event(at >> 12 << 12, *id)).collect();
            let mut agenda = Agenda::new(ROUNDS);
            for event in &expected {
                agenda.add(*event);
            }
            expected.sort_unstable();
            prop_assert_eq!(take_all(&mut agenda, 1 << 26, step, |_| Vec::new()), expected);
        }

        #[test]
        fn packets_arrive_in_order_and_between_wakeups(
            times in prop::collection::vec((0_u64..1 << 26, any::<bool>()), 1..300),
            step in 1_u64 << 14..1 << 24,
        ) {
            let mut agenda = Agenda::new(ROUNDS);
            let mut expected = Vec::new();
            for (id, (at, is_arrival)) in (0_u32..).zip(times) {
                let at = Time::from_picos(at >> 12 << 12);
                if is_arrival {
                    let packet = Packet { flow: FlowId(id), sent: at, ..Packet::NONE };
                    agenda.add_arrival(at, Name(id), id, &packet);
                    expected.push(Event::arrival(at, Name(id), id, &packet));
                } else {
                    agenda.add(event(at.as_picos(), id));
                    expected.push(event(at.as_picos(), id));
                }
            }
            expected.sort_unstable();
            let taken = take_all(&mut agenda, 1 << 26, step, |_| Vec::new());
            prop_assert_eq!(&taken, &expected);
            prop_assert!(taken.iter().zip(&expected).all(|(taken, expected)| taken.packet == expected.packet));
        }

        #[test]
        fn events_added_meanwhile_are_taken_in_order(
            gaps in prop::collection::vec(0_u64..1 << 25, 1..400),
            step in 1_u64 << 14..1 << 24,
        ) {
            let mut agenda = Agenda::new(ROUNDS);
            agenda.add(event(0, 0));
            let mut to_come = (1..).zip(&gaps);
            let more = |now| to_come.by_ref().take(2).map(|(id, gap)| event(now + gap, id)).collect();
            let taken = take_all(&mut agenda, 1 << 34, step.max(1 << 20), more);
            prop_assert_eq!(taken.len(), 1 + gaps.len());
            prop_assert!(taken.windows(2).all(|pair| pair[0].at <= pair[1].at));
        }
    }
}
